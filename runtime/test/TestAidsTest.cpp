//===- TestAidsTest.cpp - Delays and poison -----------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options that make mistakes of a schedule show: a program without a wait
// gives wrong results under some seed, and a right one never does.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "../src/host/Delays.h"

#include <cmath>
#include <cstdlib>

using namespace braid::test;

namespace {

void addAdd(Context &context) {
  context.add("add", [](const braid_kernel_call &call) {
    const braid_tensor &x = *call.operands[0], &y = *call.operands[1];
    for (int64_t i = 0; i < x.sizes[0]; ++i)
      static_cast<float *>(y.data)[i] =
          static_cast<const float *>(x.data)[i] + call.op->params[0].value.f;
    return BRAID_OK;
  });
}

/// y = (x + 1) + 10 with x + 1 on stream 1 and the rest on stream 0.
struct TwoStreams {
  bool waits = true;
  /// Launches of stream 0 before it needs what stream 1 makes, and the other
  /// way round.
  int before = 0, ahead = 0;
  bool segments = true;
  braid_schedule schedule = makeSchedule(2, 2, 512, 0);
  Region segment{"f.segment0", ".."};
  Op addOne{"add", "rw", {param("amount", 1.0)}};
  Op addTen{"add", "rw", {param("amount", 10.0)}};
  Function function{"f",
                    {{"x", BRAID_F32, {BRAID_SIZE_TOKENS}},
                     {"y", BRAID_F32, {BRAID_SIZE_TOKENS}}},
                    [this](braid_frame *frame, const braid_tensor *arguments) {
                      body(frame, arguments);
                    },
                    512,
                    0};

  void body(braid_frame *frame, const braid_tensor *a) {
    int64_t tokens = a->sizes[0];
    const braid_tensor *liveIns[] = {a, a + 1};
    char *base =
        static_cast<char *>(braid_rt_schedule_begin(frame, &schedule, tokens));
    braid_tensor between = makeTensor(base, BRAID_F32, {tokens});
    braid_tensor idle = makeTensor(base + 256, BRAID_F32, {1});
    braid_tensor idleAside = makeTensor(base + 320, BRAID_F32, {1});
    if (!segments || braid_rt_segment_begin(frame, &segment.region, liveIns)) {
      braid_rt_record(frame, 0, 0);
      braid_rt_wait(frame, 1, 0);
      for (int i = 0; i < ahead; ++i)
        addOne.launch(frame, 1, {&idleAside, &idleAside});
      addOne.launch(frame, 1, {a, &between});
      braid_rt_record(frame, 1, 1);
      for (int i = 0; i < before; ++i)
        addOne.launch(frame, 0, {&idle, &idle});
      if (waits)
        braid_rt_wait(frame, 0, 1);
      addTen.launch(frame, 0, {&between, a + 1});
      if (!waits) // too late
        braid_rt_wait(frame, 0, 1);
      if (segments)
        braid_rt_segment_end(frame);
    }
    braid_rt_schedule_end(frame);
  }
};

/// How many of `seeds` seeds give wrong results.
int wrongSeeds(TwoStreams &program, int seeds, bool prepared) {
  int wrong = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    Context context([&](braid_context_options &options) {
      options.delay_seed = seed;
      options.poison = 1;
    });
    addAdd(context);
    Floats x({3}, 5), y({3});
    std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
    braid_call call = program.function.call(arguments);
    if (prepared) {
      EXPECT_EQ(braid_prepare(context, &call), BRAID_OK) << context.error();
    }
    bool right = true;
    for (int i = 0; i < 2; ++i) {
      std::fill(y.data.begin(), y.data.end(), 0.0f);
      EXPECT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
      EXPECT_EQ(braid_synchronize(context), BRAID_OK);
      right &= y(0) == 16 && y(2) == 16;
      // Poison, not what the call before left.
      EXPECT_TRUE(right || std::isnan(y(0)) || y(0) == 16) << y(0);
    }
    wrong += !right;
  }
  return wrong;
}

constexpr int Seeds = 60;

} // namespace

TEST(TestAids, ARightProgramNeverFails) {
  for (bool segments : {false, true})
    for (bool prepared : {false, true}) {
      TwoStreams program;
      program.segments = segments;
      EXPECT_EQ(wrongSeeds(program, Seeds / 2, prepared), 0);
      program.before = 8;
      program.ahead = 4;
      EXPECT_EQ(wrongSeeds(program, 10, prepared), 0);
    }
}

// The program has a race, which is what ThreadSanitizer is there to report.
// RaceTest.cpp lets it.
#ifndef __SANITIZE_THREAD__
TEST(TestAids, AMissingWaitFailsUnderSomeSeed) {
  for (bool segments : {false, true})
    for (bool prepared : {false, true}) {
      TwoStreams program;
      program.waits = false;
      program.segments = segments;
      EXPECT_GT(wrongSeeds(program, Seeds, prepared), 0);
    }
}

TEST(TestAids, AMissingWaitBehindOtherWorkFailsToo) {
  // Without delays stream 0 comes to the read long after the write.
  TwoStreams program;
  program.waits = false;
  program.before = 6;
  EXPECT_GT(wrongSeeds(program, 3 * Seeds, false), 0);
  EXPECT_GT(wrongSeeds(program, 3 * Seeds, true), 0);
  program.before = 0;
  program.ahead = 6;
  EXPECT_GT(wrongSeeds(program, Seeds, true), 0);
}
#endif

TEST(TestAids, PoisonIsWrittenBeforeEachSchedule) {
  for (int poison : {0, 1})
    for (bool prepared : {false, true}) {
      Context context([&](braid_context_options &options) {
        options.poison = poison;
        options.allocate = [](size_t bytes, void *) {
          size_t whole = (bytes + 255) / 256 * 256;
          void *memory = std::aligned_alloc(256, whole);
          if (memory)
            std::fill_n(static_cast<char *>(memory), whole, 0);
          return memory;
        };
        options.deallocate = [](void *memory, size_t, void *) {
          std::free(memory);
        };
      });
      addAdd(context);
      braid_schedule schedule = makeSchedule(1, 0, 0, 512);
      Region segment("f.segment0", ".");
      Op add("add", "rw", {param("amount", 1.0)});
      // y = workspace + 1, then it writes to the workspace.
      Function function(
          "f", {{"y", BRAID_F32, {BRAID_SIZE_TOKENS}}},
          [&](braid_frame *frame, const braid_tensor *a) {
            const braid_tensor *liveIns[] = {a};
            char *base = static_cast<char *>(
                braid_rt_schedule_begin(frame, &schedule, a->sizes[0]));
            braid_tensor last =
                makeTensor(base + 508, BRAID_F32, {a->sizes[0]});
            if (braid_rt_segment_begin(frame, &segment.region, liveIns)) {
              add.launch(frame, 0, {&last, a});
              add.launch(frame, 0, {a, &last});
              braid_rt_segment_end(frame);
            }
            braid_rt_schedule_end(frame);
          },
          0, 512);
      Floats y({1}, -1);
      std::vector<braid_tensor> arguments = {y.tensor};
      braid_call call = function.call(arguments);
      if (prepared) {
        ASSERT_EQ(braid_prepare(context, &call), BRAID_OK);
        ASSERT_EQ(braid_synchronize(context), BRAID_OK);
      }
      for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
        ASSERT_EQ(braid_synchronize(context), BRAID_OK);
        EXPECT_EQ(std::isnan(y(0)), poison == 1);
        EXPECT_TRUE(poison || y(0) == 1 + 2 * i) << y(0);
      }
      EXPECT_EQ(context.statistics().replays, prepared ? 2 : 0);
    }
}

TEST(TestAids, DelaysDependOnTheSeedAlone) {
  using braid::runtime::Delays;
  int differ = 0, longest = 0, zero = 0;
  for (uint64_t stream = 0; stream < 4; ++stream)
    for (uint64_t seed = 1; seed < 20; ++seed)
      for (uint64_t command = 0; command < 200; ++command) {
        auto pause = Delays(seed, stream).of(command).count();
        EXPECT_EQ(Delays(seed, stream).of(command).count(), pause);
        EXPECT_GE(pause, 0);
        EXPECT_LE(pause, 200);
        longest = std::max<int>(longest, pause);
        zero += pause == 0;
        differ += pause != Delays(seed, stream + 1).of(command).count();
        differ += pause != Delays(seed + 1, stream).of(command).count();
        differ += pause != Delays(seed, stream).of(command + 1).count();
      }
  EXPECT_EQ(longest, 200);
  EXPECT_GT(zero, 4 * 19 * 200 / 4);
  EXPECT_GT(differ, 3 * 4 * 19 * 200 / 2);
  for (uint64_t command = 0; command < 200; ++command)
    EXPECT_EQ(Delays(0, 1).of(command).count(), 0);
}

TEST(TestAids, TraceIgnoresThem) {
  std::string text;
  Context context([&](braid_context_options &options) {
    options.backend = BRAID_BACKEND_TRACE;
    options.delay_seed = 1;
    options.poison = 1;
    options.trace = [](const char *line, void *data) {
      *static_cast<std::string *>(data) += std::string(line) + "\n";
    };
    options.trace_user_data = &text;
  });
  TwoStreams program;
  Floats x({3}, 5), y({3});
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
  braid_call call = program.function.call(arguments);
  EXPECT_EQ(braid_execute(context, &call), BRAID_OK);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 9);
}
