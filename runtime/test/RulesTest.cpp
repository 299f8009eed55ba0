//===- RulesTest.cpp - Ownership and threads ------------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The promises of docs/RuntimeABI.md about what an engine may do with its
// structs, threads and callbacks. What it may not do is in BadInputTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace braid::test;

namespace {
/// f(x, y): one op, "add", in one segment.
struct Layer {
  Op add{"add", "rw", {}, "..", ""};
  Region segment{"f.segment0", ".."};
  braid_schedule schedule = makeSchedule(1, 0, 256);
  Floats x{{2, 3}, 1}, y{{2, 3}};
  std::vector<braid_tensor> tensors = {x.tensor, y.tensor};
  Function function{
      "f",
      {{"x", BRAID_F32, {BRAID_SIZE_TOKENS, 3}},
       {"y", BRAID_F32, {BRAID_SIZE_TOKENS, 3}}},
      [this](braid_frame *frame, const braid_tensor *t) {
        const braid_tensor *liveIns[] = {t, t + 1};
        braid_rt_schedule_begin(frame, &schedule, t->sizes[0]);
        if (braid_rt_segment_begin(frame, &segment.region, liveIns)) {
          add.launch(frame, 0, {t, t + 1});
          braid_rt_segment_end(frame);
        }
        braid_rt_schedule_end(frame);
      },
      256};
};

braid_status addOne(const braid_kernel_call &call) {
  static_cast<float *>(call.operands[1]->data)[0] =
      static_cast<float *>(call.operands[0]->data)[0] + 1;
  return BRAID_OK;
}
} // namespace

// A call and its tensors may be overwritten as soon as execute returned, also
// while the kernel has not run yet.
TEST(Rules, CallsAreCopied) {
  for (bool prepared : {false, true}) {
    Layer layer;
    Context context;
    std::atomic<bool> mayRun{false};
    context.add("add", [&](const braid_kernel_call &call) {
      while (!mayRun)
        std::this_thread::yield();
      return addOne(call);
    });
    braid_call call = layer.function.call(layer.tensors);
    if (prepared) {
      ASSERT_EQ(braid_prepare(context, &call), BRAID_OK);
    }
    ASSERT_EQ(braid_execute(context, &call), BRAID_OK);
    std::memset(layer.tensors.data(), 0xFF, 2 * sizeof(braid_tensor));
    std::memset(&call, 0xFF, sizeof(call));
    mayRun = true;
    EXPECT_EQ(braid_synchronize(context), BRAID_OK);
    EXPECT_EQ(layer.y(0, 0), 2);
  }
}

// The same for options, a kernel and its name.
TEST(Rules, OptionsAndKernelsAreCopied) {
  int64_t held = 0;
  braid_context_options options;
  braid_context_options_initialize(&options);
  options.allocate = [](size_t bytes, void *held) {
    *static_cast<int64_t *>(held) += bytes;
    return std::aligned_alloc(256, bytes);
  };
  options.deallocate = [](void *memory, size_t bytes, void *held) {
    *static_cast<int64_t *>(held) -= bytes;
    std::free(memory);
  };
  options.allocator_user_data = &held;
  braid_context *context = nullptr;
  ASSERT_EQ(braid_context_create(&options, &context), BRAID_OK);
  std::memset(&options, 0xFF, sizeof(options));

  char name[] = "add";
  braid_kernel kernel = {};
  kernel.struct_size = sizeof(kernel);
  kernel.name = name;
  kernel.run = [](const braid_kernel_call *call, void *) {
    return addOne(*call);
  };
  ASSERT_EQ(braid_register_kernel(context, &kernel), BRAID_OK);
  std::memset(name, 'x', 3);
  std::memset(&kernel, 0xFF, sizeof(kernel));

  Layer layer;
  braid_call call = layer.function.call(layer.tensors);
  EXPECT_EQ(braid_execute(context, &call), BRAID_OK);
  EXPECT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(layer.y(0, 0), 2);
  // Each number of bytes that was given out came back.
  EXPECT_GT(held, 0);
  braid_context_destroy(context);
  EXPECT_EQ(held, 0);
}

// A context belongs to no thread.
TEST(Rules, ContextsMoveBetweenThreads) {
  Layer layer;
  Context context;
  context.add("add", addOne);
  braid_call call = layer.function.call(layer.tensors);
  std::atomic<int> failures{0};
  auto onThread = [&](auto step) {
    std::thread([&] { failures += step() != BRAID_OK; }).join();
  };
  onThread([&] { return braid_prepare(context, &call); });
  onThread([&] { return braid_execute(context, &call); });
  onThread([&] { return braid_synchronize(context); });
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(layer.y(0, 0), 2);
  EXPECT_EQ(context.statistics().replays, 1);
}

// A callback that calls its own context is refused, and the call around it
// goes on.
TEST(Rules, CallbacksDoNotEnterTheirContext) {
  Layer layer;
  Context context;
  braid_status inner = BRAID_OK;
  std::string sentence;
  context.add("add", addOne, [&](const braid_kernel_call &) {
    inner = braid_synchronize(context);
    sentence = braid_last_error(nullptr);
    return BRAID_OK;
  });
  braid_call call = layer.function.call(layer.tensors);
  EXPECT_EQ(braid_prepare(context, &call), BRAID_OK);
  EXPECT_EQ(inner, BRAID_INVALID_ARGUMENT);
  EXPECT_NE(sentence.find("in use by another call"), std::string::npos);
}

// A sentence stays until the next failure.
TEST(Rules, LastErrorStaysAfterSuccess) {
  Context context;
  EXPECT_EQ(braid_prepare(context, nullptr), BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(context.error(), "the call is NULL");
}

// A prepared call takes nothing from the engine's allocator.
TEST(Rules, PreparedCallsDoNotAllocate) {
  Layer layer;
  int64_t calls = 0;
  Context context([&](braid_context_options &options) {
    options.allocate = [](size_t bytes, void *calls) {
      ++*static_cast<int64_t *>(calls);
      return std::aligned_alloc(256, bytes);
    };
    options.deallocate = [](void *memory, size_t, void *) {
      std::free(memory);
    };
    options.allocator_user_data = &calls;
  });
  context.add("add", addOne);
  braid_call call = layer.function.call(layer.tensors);
  ASSERT_EQ(braid_prepare(context, &call), BRAID_OK);
  int64_t before = calls;
  EXPECT_GT(before, 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(braid_execute(context, &call), BRAID_OK);
  }
  EXPECT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(calls, before);
}
