//===- TraceTest.cpp - The text of the trace backend ----------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What FileCheck will read.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace braid::test;

namespace {

struct Trace {
  std::string text;
  Context context;

  explicit Trace(int32_t capture = 1)
      : context([&](braid_context_options &options) {
          options.backend = BRAID_BACKEND_TRACE;
          options.capture = capture;
          options.trace = [](const char *line, void *data) {
            *static_cast<std::string *>(data) += std::string(line) + "\n";
          };
          options.trace_user_data = &text;
        }) {}

  std::string take() { return std::move(text); }
};

/// A function with a segment on two streams and an eager region.
struct Program {
  braid_schedule schedule = {sizeof(schedule), "layer", 2, 2, 256, 512};
  Region segment{"layer.segment0", ".."}, eager{"layer.eager0"};
  Op linear{"linear", "rrnnw", {}, "", "layer.mlir:4:10"};
  Op norm{"rms_norm", "rrw", {param("eps", 1e-6)}, "", ""};
  Op other{"engine_op", "u", {param("flag", int64_t(1))}};
  Floats x{{8, 64}}, w{{40, 64}}, y{{8, 40}};
  Array<float> q{{8, 64}};
  Function function{"layer",
                    {{"x", BRAID_F32, {BRAID_SIZE_TOKENS, 64}}},
                    [this](braid_frame *frame, const braid_tensor *arguments) {
                      body(frame, arguments);
                    },
                    256,
                    512};

  void body(braid_frame *frame, const braid_tensor *arguments) {
    const braid_tensor *liveIns[] = {&arguments[0], &w};
    braid_rt_schedule_begin(frame, &schedule, arguments[0].sizes[0]);
    if (braid_rt_segment_begin(frame, &segment.region, liveIns)) {
      braid_rt_record(frame, 0, 1);
      braid_rt_wait(frame, 1, 1);
      linear.launch(frame, 0, {&arguments[0], &w, nullptr, nullptr, &y});
      norm.launch(frame, 1, {&arguments[0], nullptr, &q});
      braid_rt_record(frame, 1, 0);
      braid_rt_wait(frame, 0, 0);
      braid_rt_segment_end(frame);
    }
    if (braid_rt_eager_begin(frame, &eager.region)) {
      other.launch(frame, 0, {&y});
      braid_rt_eager_end(frame);
    }
    braid_rt_schedule_end(frame);
  }
};

const char *segmentBody =
    "  record s0 e1\n"
    "  wait s1 e1\n"
    "  launch s0 linear [8x64xf32 r, 40x64xf32 r, none, none, 8x40xf32 w] "
    "loc(layer.mlir:4:10)\n"
    "  launch s1 rms_norm [8x64xf32 r, none, 8x64xf32 w] eps=1e-06\n"
    "  record s1 e0\n"
    "  wait s0 e0\n";
const char *eagerBody = "eager region layer.eager0\n"
                        "  launch s0 engine_op [8x40xf32 rw] flag=1 "
                        "loc(test.mlir:1:1)\n";

} // namespace

TEST(Trace, Unprepared) {
  Trace trace;
  Program program;
  std::vector<braid_tensor> arguments = {program.x.tensor};
  braid_call call = program.function.call(arguments);
  ASSERT_EQ(braid_execute(trace.context, &call), BRAID_OK)
      << trace.context.error();
  EXPECT_EQ(trace.take(),
            std::string("call layer tokens=8\n"
                        "schedule layer streams=2 events=2 workspace=2560\n"
                        "segment layer.segment0 eager\n") +
                segmentBody + eagerBody);
}

TEST(Trace, Prepared) {
  Trace trace;
  Program program;
  std::vector<braid_tensor> arguments = {program.x.tensor};
  braid_call call = program.function.call(arguments);
  ASSERT_EQ(braid_prepare(trace.context, &call), BRAID_OK)
      << trace.context.error();
  EXPECT_EQ(trace.take(),
            std::string("prepare layer tokens=8\n"
                        "schedule layer streams=2 events=2 workspace=2560\n"
                        "segment layer.segment0 capture\n") +
                segmentBody);
  ASSERT_EQ(braid_execute(trace.context, &call), BRAID_OK);
  EXPECT_EQ(trace.take(),
            std::string("call layer tokens=8\n"
                        "schedule layer streams=2 events=2 workspace=2560\n"
                        "segment layer.segment0 replay\n") +
                eagerBody);
  braid_statistics statistics = trace.context.statistics();
  EXPECT_EQ(statistics.captures, 1);
  EXPECT_EQ(statistics.replays, 1);
  EXPECT_EQ(statistics.replayed, 2);
  EXPECT_EQ(statistics.launches, 1);
}

TEST(Trace, NothingForZeroTokensOrFailures) {
  Trace trace;
  Program program;
  Floats empty({0, 64});
  std::vector<braid_tensor> arguments = {empty.tensor};
  braid_call call = program.function.call(arguments);
  EXPECT_EQ(braid_execute(trace.context, &call), BRAID_OK);
  EXPECT_EQ(braid_prepare(trace.context, &call), BRAID_OK);
  EXPECT_EQ(trace.take(), "");
  program.schedule.num_streams = 9;
  arguments[0] = program.x.tensor;
  EXPECT_EQ(braid_execute(trace.context, &call), BRAID_UNSUPPORTED);
  EXPECT_EQ(trace.take(), "");
}

TEST(Trace, WithoutCapture) {
  Trace trace(/*capture=*/0);
  Program program;
  std::vector<braid_tensor> arguments = {program.x.tensor};
  braid_call call = program.function.call(arguments);
  ASSERT_EQ(braid_prepare(trace.context, &call), BRAID_OK);
  EXPECT_EQ(trace.take(), "prepare layer tokens=8\n"
                          "schedule layer streams=2 events=2 workspace=2560\n");
  ASSERT_EQ(braid_execute(trace.context, &call), BRAID_OK);
  EXPECT_NE(trace.take().find("segment layer.segment0 eager"),
            std::string::npos);
}

TEST(Trace, StandardOutput) {
  testing::internal::CaptureStdout();
  {
    Context context([](braid_context_options &options) {
      options.backend = BRAID_BACKEND_TRACE;
    });
    Program program;
    std::vector<braid_tensor> arguments = {program.x.tensor};
    braid_call call = program.function.call(arguments);
    EXPECT_EQ(braid_execute(context, &call), BRAID_OK);
  }
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(text.substr(0, 20), "call layer tokens=8\n");
}
