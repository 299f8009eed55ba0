//===- RaceTest.cpp - What ThreadSanitizer reports ----------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built with -fsanitize=thread only: a schedule that lacks a wait is reported,
// and the same one with the wait is not. Each runs in a process of its own.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "braid/parallel.hpp"

#include <cstdlib>

using namespace braid::test;

namespace {

/// y = rms_norm(linear(x)), linear on stream 1 through the workspace. Kernels
/// that the sanitizer cannot see into count too.
void runTwoStreams(bool waits, bool prepared) {
  Context context;
  braid_schedule schedule = makeSchedule(2, 2, 256, 0);
  Region segment("f.segment0", "..");
  Op linear("linear", "rrnnw"), norm("rms_norm", "rrw", {param("eps", 1e-6)});
  Floats w({64, 64}, 1), x({8, 64}, 1), y({8, 64});
  Function function(
      "f",
      {{"x", BRAID_F32, {BRAID_SIZE_TOKENS, 64}},
       {"y", BRAID_F32, {BRAID_SIZE_TOKENS, 64}}},
      [&](braid_frame *frame, const braid_tensor *a) {
        const braid_tensor *liveIns[] = {a, a + 1};
        void *base = braid_rt_schedule_begin(frame, &schedule, a->sizes[0]);
        braid_tensor between = makeTensor(base, BRAID_F32, {a->sizes[0], 64});
        if (braid_rt_segment_begin(frame, &segment.region, liveIns)) {
          braid_rt_record(frame, 0, 0);
          braid_rt_wait(frame, 1, 0);
          linear.launch(frame, 1, {a, &w, nullptr, nullptr, &between});
          braid_rt_record(frame, 1, 1);
          if (waits)
            braid_rt_wait(frame, 0, 1);
          norm.launch(frame, 0, {&between, nullptr, a + 1});
          if (!waits)
            braid_rt_wait(frame, 0, 1);
          braid_rt_segment_end(frame);
        }
        braid_rt_schedule_end(frame);
      },
      256, 0);
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
  braid_call call = function.call(arguments);
  bool ok = !prepared || braid_prepare(context, &call) == BRAID_OK;
  ok &= braid_execute(context, &call) == BRAID_OK;
  ok &= braid_synchronize(context) == BRAID_OK;
  if (!ok)
    std::fprintf(stderr, "%s\n", context.error().c_str());
}

/// A fork by hand whose main function reads what a branch writes before the
/// join, or (`right`) leaves it alone.
void runParallel(bool right) {
  Context context;
  braid::ContextStreams streams(context);
  Op norm("rms_norm", "rrw", {param("eps", 1e-6)});
  Floats x({8, 64}, 1), aside({8, 64}, 1), y({8, 64});
  bool ok = streams.reserve(2, 2).ok();
  auto enqueue = [&](const Floats &from, const Floats &to) {
    return [&](int32_t stream) {
      const braid_tensor *operands[] = {&from.tensor, nullptr, &to.tensor};
      return braid_stream_launch(context, stream, &norm.op, operands);
    };
  };
  auto results = braid::execute_in_parallel(
      streams, braid::numberedStreams(1), true, enqueue(right ? x : aside, y),
      std::vector<std::function<braid_status(int32_t)>>{enqueue(x, aside)});
  ok &= results.ok() && braid_synchronize(context) == BRAID_OK;
  if (!ok)
    std::fprintf(stderr, "%s\n", context.error().c_str());
}

class Race : public testing::Test {
protected:
  void SetUp() override {
    // A child that starts afresh: nothing but the statement runs in it.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

const char *const Report = "WARNING: ThreadSanitizer: data race";

#define EXPECT_RACE(statement)                                                 \
  EXPECT_EXIT(                                                                 \
      {                                                                        \
        statement;                                                             \
        std::exit(0);                                                          \
      },                                                                       \
      testing::ExitedWithCode(66), Report)
#define EXPECT_NO_RACE(statement)                                              \
  EXPECT_EXIT(                                                                 \
      {                                                                        \
        statement;                                                             \
        std::exit(0);                                                          \
      },                                                                       \
      testing::ExitedWithCode(0), "^$")

} // namespace

TEST_F(Race, RemovedWaitIsReported) {
  EXPECT_RACE(runTwoStreams(false, false));
  EXPECT_RACE(runTwoStreams(false, true));
}

TEST_F(Race, WithTheWaitThereIsNone) {
  EXPECT_NO_RACE(runTwoStreams(true, false));
  EXPECT_NO_RACE(runTwoStreams(true, true));
}

TEST_F(Race, ParallelFunctions) {
  EXPECT_RACE(runParallel(false));
  EXPECT_NO_RACE(runParallel(true));
}
