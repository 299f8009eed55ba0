//===- ExecutionTest.cpp - Conformance of backends ------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a backend that executes has to do: prepare and execute, capture and
// replay, keys, streams and events, failures, workspace. One suite for every
// such backend.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>

using namespace braid::test;

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}
#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_TRUE(contains(text, part)) << "in: " << std::string(text)

namespace {

/// Kernels of these tests: "add" writes y = x + amount, "add_meta" y = x +
/// meta[0]; "slow_add" sleeps first.
class Conformance : public testing::TestWithParam<braid_backend> {
protected:
  std::function<void(braid_context_options &)>
  options(std::function<void(braid_context_options &)> more = nullptr) {
    return [this, more](braid_context_options &options) {
      options.backend = GetParam();
      if (runOnStream) {
        // The kernels of these tests are C++, and cannot reach device memory.
        options.allocate = [](size_t bytes, void *) {
          return std::aligned_alloc(256, (bytes + 255) / 256 * 256);
        };
        options.deallocate = [](void *memory, size_t, void *) {
          std::free(memory);
        };
      }
      if (more)
        more(options);
    };
  }

  static void addKernels(Context &context) {
    auto add = [](const braid_kernel_call &call, float amount) {
      const braid_tensor &x = *call.operands[0], &y = *call.operands[1];
      for (int64_t i = 0; i < x.sizes[0]; ++i)
        static_cast<float *>(y.data)[i] =
            static_cast<const float *>(x.data)[i] + amount;
      return BRAID_OK;
    };
    context.add("add", [add](const braid_kernel_call &call) {
      return add(call, call.op->params[0].value.f);
    });
    context.add("slow_add", [add](const braid_kernel_call &call) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return add(call, call.op->params[0].value.f);
    });
    context.add("add_meta", [add](const braid_kernel_call &call) {
      return add(call, *static_cast<const float *>(call.operands[2]->data));
    });
  }

  Op addOne{"add", "rw", {param("amount", 1.0)}};
  Op addTen{"add", "rw", {param("amount", 10.0)}};
  Op slowAddOne{"slow_add", "rw", {param("amount", 1.0)}};
};

/// Arguments x and y, both [T].
std::vector<Arg> vectorArgs() {
  return {{"x", BRAID_F32, {BRAID_SIZE_TOKENS}},
          {"y", BRAID_F32, {BRAID_SIZE_TOKENS}}};
}

/// y = x + 1 in one captured segment, with all that a test may want to vary.
struct OneSegment {
  braid_schedule schedule = makeSchedule(1, 0);
  Region segment{"one.segment0", ".."};
  Op add{"add", "rw", {param("amount", 1.0)}};
  Function function{
      "one", vectorArgs(),
      [this](braid_frame *frame, const braid_tensor *arguments) {
        const braid_tensor *liveIns[] = {arguments, arguments + 1};
        braid_rt_schedule_begin(frame, &schedule, arguments[0].sizes[0]);
        if (braid_rt_segment_begin(frame, &segment.region, liveIns)) {
          add.launch(frame, 0, {arguments, arguments + 1});
          braid_rt_segment_end(frame);
        }
        braid_rt_schedule_end(frame);
      }};
};

} // namespace

//===----------------------------------------------------------------------===//
// Calls and their arguments
//===----------------------------------------------------------------------===//

TEST_P(Conformance, ExecutesUnpreparedAndPrepared) {
  Context context(options());
  addKernels(context);
  OneSegment one;
  Floats x({3}), y({3});
  x(2) = 4;
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
  braid_call call = one.function.call(arguments);
  ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(y(2), 5);
  y(2) = 0;
  ASSERT_EQ(braid_prepare(context, &call), BRAID_OK) << context.error();
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(y(2), 0) << "prepare must execute nothing";
  x(2) = 7;
  ASSERT_EQ(braid_execute(context, &call), BRAID_OK);
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(y(2), 8) << "replay must see new contents";
  braid_statistics statistics = context.statistics();
  EXPECT_EQ(statistics.launches, 1);
  EXPECT_EQ(statistics.eager_segments, 1);
  EXPECT_EQ(statistics.captures, 1);
  EXPECT_EQ(statistics.replays, 1);
  EXPECT_EQ(statistics.replayed, 1);
  EXPECT_EQ(statistics.graphs, 1);
  EXPECT_EQ(statistics.streams, 1);
  EXPECT_EQ(statistics.breaks, 0);
}

TEST_P(Conformance, ZeroTokens) {
  Context context(options(
      [](braid_context_options &options) { options.require_prepared = 1; }));
  OneSegment one; // its kernel is not even registered
  std::vector<braid_tensor> arguments = {makeTensor(nullptr, BRAID_F32, {0}),
                                         makeTensor(nullptr, BRAID_F32, {0})};
  braid_call call = one.function.call(arguments);
  EXPECT_EQ(braid_execute(context, &call), BRAID_OK);
  EXPECT_EQ(braid_prepare(context, &call), BRAID_OK);
  EXPECT_EQ(context.statistics().workspace_bytes, 0);
}

TEST_P(Conformance, RejectsArguments) {
  Context context(options());
  Function function("f",
                    {{"x", BRAID_F32, {BRAID_SIZE_TOKENS, 4}},
                     {"y", BRAID_F32, {BRAID_SIZE_TOKENS, BRAID_SIZE_ANY}}},
                    [](braid_frame *, const braid_tensor *) { FAIL(); });
  Floats x({3, 4}), y({3, 9});
  auto status = [&](auto change) {
    std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
    braid_call call = function.call(arguments);
    change(call, arguments);
    braid_status prepared = braid_prepare(context, &call);
    EXPECT_EQ(braid_execute(context, &call), prepared);
    return prepared;
  };
  using Call = braid_call;
  using Tensors = std::vector<braid_tensor>;
  EXPECT_EQ(status([](Call &call, Tensors &) { call.struct_size = 8; }),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "braid_call.struct_size is 8");
  EXPECT_EQ(status([](Call &call, Tensors &) { call.function = nullptr; }),
            BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(status([](Call &call, Tensors &) { call.num_arguments = 1; }),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "f was called with 1 arguments, expected 2");
  EXPECT_EQ(status([](Call &call, Tensors &) { call.arguments = nullptr; }),
            BRAID_INVALID_ARGUMENT);
  if (GetParam() == BRAID_BACKEND_HOST) {
    EXPECT_EQ(status([](Call &call, Tensors &) { call.stream = &call; }),
              BRAID_INVALID_ARGUMENT);
    EXPECT_CONTAINS(context.error(), "braid_call.stream is not NULL");
  }
  EXPECT_EQ(status([](Call &, Tensors &t) { t[0].dtype = BRAID_BF16; }),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "argument 0 'x' of f is bf16, expected f32");
  EXPECT_EQ(status([](Call &, Tensors &t) { t[0].dtype = 99; }),
            BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(status([](Call &, Tensors &t) { t[1].rank = 3; }),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(),
                  "argument 1 'y' of f has rank 3, expected 2");
  EXPECT_EQ(status([](Call &, Tensors &t) { t[0].sizes[1] = 5; }),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "'x' of f: size 1 is 5, expected 4");
  EXPECT_EQ(status([](Call &, Tensors &t) { t[1].sizes[0] = 2; }),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "'y' of f: size 0 is 2, expected the token "
                                   "count of the arguments before it, 3");
  EXPECT_EQ(status([](Call &, Tensors &t) { t[1].sizes[1] = -1; }),
            BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(status([](Call &, Tensors &t) { t[1].strides[0] = -9; }),
            BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(status([](Call &, Tensors &t) { t[1].data = nullptr; }),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "'y' of f: data is NULL, expected memory "
                                   "for 3x9xf32");
  EXPECT_EQ(braid_execute(context, nullptr), BRAID_INVALID_ARGUMENT);
  function.function.abi_major = 9;
  EXPECT_EQ(status([](Call &, Tensors &) {}), BRAID_ABI_MISMATCH);
  EXPECT_CONTAINS(context.error(), "was compiled for version 9.1");
  function.function.abi_major = BRAID_ABI_MAJOR;
  function.function.entry = nullptr;
  EXPECT_EQ(status([](Call &, Tensors &) {}), BRAID_INVALID_ARGUMENT);
}

TEST_P(Conformance, RequirePrepared) {
  Context context(options(
      [](braid_context_options &options) { options.require_prepared = 1; }));
  addKernels(context);
  OneSegment one;
  Floats x({3}), y({3}), other({3});
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
  braid_call call = one.function.call(arguments);
  EXPECT_EQ(braid_execute(context, &call), BRAID_NOT_PREPARED);
  EXPECT_CONTAINS(context.error(), "one was not prepared for 3 tokens");
  ASSERT_EQ(braid_prepare(context, &call), BRAID_OK);
  EXPECT_EQ(braid_execute(context, &call), BRAID_OK);
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  arguments[0].data = other.data.data();
  EXPECT_EQ(braid_execute(context, &call), BRAID_NOT_PREPARED);
  arguments[0] = x.tensor;
  arguments[0].sizes[0] = arguments[1].sizes[0] = 2;
  EXPECT_EQ(braid_execute(context, &call), BRAID_NOT_PREPARED);
}

// Each bucket is as if it had been prepared by itself; the arguments of the
// call are left as they are.
TEST_P(Conformance, PrepareBuckets) {
  Context context(options(
      [](braid_context_options &options) { options.require_prepared = 1; }));
  addKernels(context);
  OneSegment one;
  Floats x({8}), y({8});
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
  braid_call call = one.function.call(arguments);
  const int64_t counts[] = {2, 5, 8, 5};
  ASSERT_EQ(braid_prepare_buckets(context, &call, counts, 4), BRAID_OK)
      << context.error();
  EXPECT_EQ(context.statistics().captures, 3);
  EXPECT_EQ(arguments[0].sizes[0], 8);
  for (int64_t tokens = 1; tokens <= 8; ++tokens) {
    arguments[0].sizes[0] = arguments[1].sizes[0] = tokens;
    bool isPrepared = tokens == 2 || tokens == 5 || tokens == 8;
    EXPECT_EQ(braid_execute(context, &call),
              isPrepared ? BRAID_OK : BRAID_NOT_PREPARED);
    ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  }
  EXPECT_EQ(context.statistics().replays, 3);
  EXPECT_EQ(braid_prepare_buckets(context, &call, nullptr, 0), BRAID_OK);
}

TEST_P(Conformance, PrepareBucketsOfAGeneratedStruct) {
  Context context(options(
      [](braid_context_options &options) { options.require_prepared = 1; }));
  addKernels(context);
  OneSegment one;
  Floats x({8}), y({8});
  struct {
    size_t structSize;
    braid_tensor x, y;
  } arguments = {sizeof(arguments), x.tensor, y.tensor};
  const int64_t counts[] = {2, 8};
  ASSERT_EQ(braid_prepare_buckets_arguments(context, &one.function.function,
                                            &arguments, counts, 2, nullptr),
            BRAID_OK)
      << context.error();
  EXPECT_EQ(context.statistics().captures, 2);
  for (int64_t tokens : {8, 5, 2}) {
    arguments.x.sizes[0] = arguments.y.sizes[0] = tokens;
    EXPECT_EQ(braid_execute_arguments(context, &one.function.function,
                                      &arguments, nullptr),
              tokens == 5 ? BRAID_NOT_PREPARED : BRAID_OK);
    ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  }
  EXPECT_EQ(context.statistics().replays, 2);
  // The struct still has 2 rows, and nothing else is prepared on a failure.
  EXPECT_EQ(braid_prepare_buckets_arguments(context, &one.function.function,
                                            &arguments, counts, 2, nullptr),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "token count 1 is 8, expected 1 to 2");
  EXPECT_EQ(context.statistics().captures, 2);
}

TEST_P(Conformance, PrepareBucketsRejects) {
  Context context(options());
  addKernels(context);
  OneSegment one;
  Floats x({8}), y({8});
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
  braid_call call = one.function.call(arguments);
  auto prepare = [&](const int64_t *counts, int64_t number) {
    return braid_prepare_buckets(context, &call, counts, number);
  };
  for (int64_t wrong : {int64_t(-1), int64_t(0), int64_t(9), INT64_MAX}) {
    const int64_t counts[] = {4, wrong};
    EXPECT_EQ(prepare(counts, 2), BRAID_INVALID_ARGUMENT);
    EXPECT_CONTAINS(
        context.error(),
        ("token count 1 is " + std::to_string(wrong) + ", expected 1 to 8")
            .c_str());
  }
  const int64_t counts[] = {4};
  EXPECT_EQ(prepare(counts, -1), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "num_token_counts is -1");
  EXPECT_EQ(prepare(nullptr, 1), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "token_counts is NULL");
  EXPECT_EQ(braid_prepare_buckets(context, nullptr, counts, 1),
            BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(braid_prepare_buckets(nullptr, &call, counts, 1),
            BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(context.statistics().captures, 0);
}

//===----------------------------------------------------------------------===//
// Capture and replay
//===----------------------------------------------------------------------===//

TEST_P(Conformance, PersistentAddressIsPartOfTheKey) {
  Context context(options());
  addKernels(context);
  OneSegment one;
  Floats x({1}, 1), x2({1}, 2), y({1});
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
  braid_call call = one.function.call(arguments);
  ASSERT_EQ(braid_prepare(context, &call), BRAID_OK);
  ASSERT_EQ(braid_prepare(context, &call), BRAID_OK);
  EXPECT_EQ(context.statistics().captures, 1) << "the same key twice";
  arguments[0].data = x2.data.data();
  ASSERT_EQ(braid_execute(context, &call), BRAID_OK);
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(y(0), 3);
  EXPECT_EQ(context.statistics().replays, 0);
  ASSERT_EQ(braid_prepare(context, &call), BRAID_OK);
  EXPECT_EQ(context.statistics().captures, 2);
  EXPECT_EQ(context.statistics().graphs, 2);
}

TEST_P(Conformance, TransientAddressIsFrozen) {
  Context context(options());
  addKernels(context);
  braid_schedule schedule = makeSchedule(1, 0);
  Region segment("f.segment0", ".t.");
  Op op("add_meta", "rwr", {}, "..t");
  Function function(
      "f",
      {{"x", BRAID_F32, {BRAID_SIZE_TOKENS}},
       {"y", BRAID_F32, {BRAID_SIZE_TOKENS}},
       {"meta", BRAID_F32, {1}, BRAID_METADATA_DEVICE_TRANSIENT}},
      [&](braid_frame *frame, const braid_tensor *a) {
        const braid_tensor *liveIns[] = {a, a + 2, a + 1};
        braid_rt_schedule_begin(frame, &schedule, a->sizes[0]);
        if (braid_rt_segment_begin(frame, &segment.region, liveIns)) {
          op.launch(frame, 0, {a, a + 1, a + 2});
          braid_rt_segment_end(frame);
        }
        braid_rt_schedule_end(frame);
      });
  Floats x({1}), y({1}), meta({1}, 5), moved({1}, 50);
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor, meta.tensor};
  braid_call call = function.call(arguments);
  ASSERT_EQ(braid_prepare(context, &call), BRAID_OK) << context.error();
  arguments[2] = moved.tensor;
  ASSERT_EQ(braid_execute(context, &call), BRAID_OK);
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(y(0), 5) << "a replay uses the recorded address";
  EXPECT_EQ(context.statistics().replays, 1);
}

TEST_P(Conformance, HostMetadataIsTakenAtTheCall) {
  Context context(options());
  addKernels(context);
  int checks = 0;
  bool accept = true;
  context.add(
      "checked",
      [](const braid_kernel_call &call) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        static_cast<float *>(call.operands[0]->data)[0] =
            *static_cast<const float *>(call.operands[1]->data);
        return BRAID_OK;
      },
      [&](const braid_kernel_call &call) {
        ++checks;
        if (accept)
          return BRAID_OK;
        std::snprintf(call.message, call.message_size, "not today");
        return BRAID_INVALID_ARGUMENT;
      });
  OneSegment one;
  braid_schedule schedule = makeSchedule(1, 0);
  Region segment("f.segment0", ".."), eager("f.eager0");
  Op op("checked", "wr", {}, ".h", "here");
  Function function(
      "f",
      {{"x", BRAID_F32, {BRAID_SIZE_TOKENS}},
       {"y", BRAID_F32, {BRAID_SIZE_TOKENS}},
       {"z", BRAID_F32, {BRAID_SIZE_TOKENS}},
       {"meta", BRAID_F32, {BRAID_SIZE_ANY}, BRAID_METADATA_HOST}},
      [&](braid_frame *frame, const braid_tensor *a) {
        const braid_tensor *liveIns[] = {a, a + 1};
        braid_rt_schedule_begin(frame, &schedule, a->sizes[0]);
        if (braid_rt_segment_begin(frame, &segment.region, liveIns)) {
          addOne.launch(frame, 0, {a, a + 1});
          braid_rt_segment_end(frame);
        }
        if (braid_rt_eager_begin(frame, &eager.region)) {
          op.launch(frame, 0, {a + 2, a + 3});
          braid_rt_eager_end(frame);
        }
        braid_rt_schedule_end(frame);
      });
  Floats x({1}), y({1}), z({1}), z2({1}), meta({1}, 5), longer({2}, 9);
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor, z.tensor,
                                         meta.tensor};
  braid_call call = function.call(arguments);
  ASSERT_EQ(braid_prepare(context, &call), BRAID_OK) << context.error();
  EXPECT_EQ(checks, 2) << "before segments are captured, and after";
  ASSERT_EQ(braid_execute(context, &call), BRAID_OK);
  meta(0) = -1; // already taken
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(z(0), 5);
  meta(0) = 6;
  ASSERT_EQ(braid_execute(context, &call), BRAID_OK);
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(z(0), 6);
  // Neither its address nor its extent undoes the preparation.
  arguments[3] = longer.tensor;
  ASSERT_EQ(braid_execute(context, &call), BRAID_OK);
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(z(0), 9);
  EXPECT_EQ(context.statistics().replays, 3);
  EXPECT_EQ(context.statistics().breaks, 3);
  // A prepared call is checked again before anything of it is enqueued.
  accept = false;
  x(0) = 100;
  EXPECT_EQ(braid_execute(context, &call), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "op 'checked' at here: not today");
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(y(0), 1);
  EXPECT_EQ(context.statistics().replays, 3);
}

TEST_P(Conformance, LeastRecentlyUsedGraphGoes) {
  Context context(
      options([](braid_context_options &options) { options.max_graphs = 2; }));
  addKernels(context);
  OneSegment one;
  Floats x({3}), y({3});
  std::vector<std::vector<braid_tensor>> arguments;
  for (int64_t tokens : {1, 2, 3}) {
    arguments.push_back({x.tensor, y.tensor});
    arguments.back()[0].sizes[0] = arguments.back()[1].sizes[0] = tokens;
  }
  auto run = [&](int i,
                 braid_status (*what)(braid_context *, const braid_call *)) {
    braid_call call = one.function.call(arguments[i]);
    ASSERT_EQ(what(context, &call), BRAID_OK) << context.error();
  };
  run(0, braid_prepare);
  run(1, braid_prepare);
  run(0, braid_execute); // now 1 is the oldest
  run(2, braid_prepare);
  EXPECT_EQ(context.statistics().graphs, 2);
  run(0, braid_execute);
  EXPECT_EQ(context.statistics().replays, 2);
  run(1, braid_execute);
  EXPECT_EQ(context.statistics().replays, 2);
  EXPECT_EQ(context.statistics().eager_segments, 1);
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
}

TEST_P(Conformance, EvictedGraphUnderRequirePrepared) {
  Context context(options([](braid_context_options &options) {
    options.max_graphs = 1;
    options.require_prepared = 1;
  }));
  addKernels(context);
  OneSegment one, two;
  Floats x({3}), y({3});
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
  braid_call first = one.function.call(arguments);
  braid_call second = two.function.call(arguments);
  ASSERT_EQ(braid_prepare(context, &first), BRAID_OK);
  ASSERT_EQ(braid_execute(context, &first), BRAID_OK);
  ASSERT_EQ(braid_prepare(context, &second), BRAID_OK);
  EXPECT_EQ(braid_execute(context, &first), BRAID_NOT_PREPARED);
  EXPECT_CONTAINS(context.error(), "max_graphs, 1, is too small");
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
}

TEST_P(Conformance, ReplayHasTheBitsOfAnEagerRun) {
  if (GetParam() == BRAID_BACKEND_CUDA)
    GTEST_SKIP() << "the kernels of this test need device memory; "
                    "GemmTest has its twin";
  Context context(options());
  braid_schedule schedule = makeSchedule(2, 2);
  Region segment("f.segment0", "..");
  Op linear("linear", "rrnnw"), norm("rms_norm", "rrw", {param("eps", 1e-6)});
  Floats w({48, 70}), second({70, 70}), between({70, 70});
  std::mt19937 random(5);
  fill(w, random);
  fill(second, random);
  Function function(
      "f",
      {{"x", BRAID_F32, {BRAID_SIZE_TOKENS, 70}},
       {"y", BRAID_F32, {BRAID_SIZE_TOKENS, 48}}},
      [&](braid_frame *frame, const braid_tensor *a) {
        const braid_tensor *liveIns[] = {a, a + 1};
        braid_tensor rows = between.tensor;
        rows.sizes[0] = a->sizes[0];
        braid_rt_schedule_begin(frame, &schedule, a->sizes[0]);
        if (braid_rt_segment_begin(frame, &segment.region, liveIns)) {
          braid_rt_record(frame, 0, 0);
          braid_rt_wait(frame, 1, 0);
          linear.launch(frame, 1, {a, &second, nullptr, nullptr, &rows});
          norm.launch(frame, 1, {&rows, nullptr, &rows});
          braid_rt_record(frame, 1, 1);
          braid_rt_wait(frame, 0, 1);
          linear.launch(frame, 0, {&rows, &w, nullptr, nullptr, a + 1});
          braid_rt_segment_end(frame);
        }
        braid_rt_schedule_end(frame);
      });
  Floats x({67, 70}), y({67, 48});
  fill(x, random);
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
  braid_call call = function.call(arguments);
  ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  std::vector<float> eager = y.data;
  ASSERT_EQ(braid_prepare(context, &call), BRAID_OK);
  for (int i = 0; i < 2; ++i) {
    std::fill(y.data.begin(), y.data.end(), 0.0f);
    ASSERT_EQ(braid_execute(context, &call), BRAID_OK);
    ASSERT_EQ(braid_synchronize(context), BRAID_OK);
    EXPECT_EQ(y.data, eager);
  }
  EXPECT_EQ(context.statistics().replays, 2);
}

TEST_P(Conformance, WithoutCapture) {
  Context context(options([](braid_context_options &options) {
    options.capture = 0;
    options.require_prepared = 1;
  }));
  addKernels(context);
  OneSegment one;
  Floats x({3}), y({3});
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
  braid_call call = one.function.call(arguments);
  ASSERT_EQ(braid_prepare(context, &call), BRAID_OK);
  ASSERT_EQ(braid_execute(context, &call), BRAID_OK);
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(y(0), 1);
  EXPECT_EQ(context.statistics().captures, 0);
  EXPECT_EQ(context.statistics().eager_segments, 1);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

TEST_P(Conformance, NewestKernelThatAccepts) {
  Context context(options());
  std::string ran;
  auto kernel = [&](const char *name) {
    return [&ran, name](const braid_kernel_call &) {
      ran += name;
      return BRAID_OK;
    };
  };
  braid_status answer = BRAID_OK;
  context.add("mine", kernel("old"));
  context.add("mine", kernel("new"), [&](const braid_kernel_call &call) {
    EXPECT_EQ(call.workspace, nullptr);
    EXPECT_NE(call.message, nullptr);
    return answer;
  });
  Op op("mine", "");
  EXPECT_EQ(context.runOp(op, {}), BRAID_OK);
  EXPECT_EQ(ran, "new");
  answer = BRAID_NO_KERNEL;
  EXPECT_EQ(context.runOp(op, {}), BRAID_OK);
  EXPECT_EQ(ran, "newold");
  answer = BRAID_UNSUPPORTED;
  EXPECT_EQ(context.runOp(op, {}), BRAID_UNSUPPORTED);
  EXPECT_CONTAINS(context.error(), "op 'mine' at test.mlir:1:1: unsupported");
  Op unknown("nobody's", "");
  EXPECT_EQ(context.runOp(unknown, {}), BRAID_NO_KERNEL);
  EXPECT_CONTAINS(context.error(), "no kernel is registered for op 'nobody's'");
}

// What the check of a prepared call found is kept for the next one, until
// something changes.
TEST_P(Conformance, RepeatedCallsSeeChanges) {
  for (bool capture : {false, true}) {
    SCOPED_TRACE(capture);
    Context context(options([&](braid_context_options &options) {
      options.capture = capture;
      options.max_graphs = 1;
    }));
    addKernels(context);
    int checks = 0;
    context.add(
        "add",
        [](const braid_kernel_call &call) {
          *static_cast<float *>(call.operands[1]->data) = 100;
          return BRAID_OK;
        },
        [&](const braid_kernel_call &) {
          ++checks;
          return BRAID_OK;
        });
    OneSegment one;
    Floats x({1}), y({1}), z({1});
    std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
    braid_call call = one.function.call(arguments);
    ASSERT_EQ(braid_prepare(context, &call), BRAID_OK) << context.error();
    for (int i = 0; i < 3; ++i) {
      y(0) = 0;
      ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
      ASSERT_EQ(braid_synchronize(context), BRAID_OK);
      EXPECT_EQ(y(0), 100);
    }
    EXPECT_EQ(checks, 2) << "none by executions";
    // A newer kernel: launches take it, a captured segment keeps its own.
    context.add("add", [](const braid_kernel_call &call) {
      *static_cast<float *>(call.operands[1]->data) = 200;
      return BRAID_OK;
    });
    ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
    ASSERT_EQ(braid_synchronize(context), BRAID_OK);
    EXPECT_EQ(y(0), capture ? 100 : 200);
    // Another call drives the captured segment out.
    std::vector<braid_tensor> others = {x.tensor, z.tensor};
    braid_call other = one.function.call(others);
    ASSERT_EQ(braid_prepare(context, &other), BRAID_OK) << context.error();
    int64_t eager = context.statistics().eager_segments;
    ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
    ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
    ASSERT_EQ(braid_synchronize(context), BRAID_OK);
    EXPECT_EQ(y(0), 200);
    EXPECT_EQ(context.statistics().eager_segments, eager + 2);
    // More workspace than before: segments lie elsewhere, or are the same.
    braid_schedule large = makeSchedule(1, 0, 0, 1 << 20);
    Function function(
        "large", {},
        [&](braid_frame *frame, const braid_tensor *) {
          braid_rt_schedule_begin(frame, &large, 1);
          braid_rt_schedule_end(frame);
        },
        0, 1 << 20);
    std::vector<braid_tensor> none;
    braid_call grow = function.call(none);
    ASSERT_EQ(braid_execute(context, &grow), BRAID_OK) << context.error();
    y(0) = 0;
    ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
    ASSERT_EQ(braid_synchronize(context), BRAID_OK);
    EXPECT_EQ(y(0), 200);
  }
}

TEST_P(Conformance, SegmentKeepsItsKernel) {
  Context context(options());
  addKernels(context);
  OneSegment one;
  Floats x({1}), y({1});
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
  braid_call call = one.function.call(arguments);
  ASSERT_EQ(braid_prepare(context, &call), BRAID_OK);
  context.add("add", [](const braid_kernel_call &call) {
    static_cast<float *>(call.operands[1]->data)[0] = -1;
    return BRAID_OK;
  });
  ASSERT_EQ(braid_execute(context, &call), BRAID_OK);
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(y(0), 1);
}

TEST_P(Conformance, ScratchOfAKernel) {
  Context context(options(
      [](braid_context_options &options) { options.scratch_bytes = 1000; }));
  static size_t wanted;
  braid_kernel kernel = {};
  kernel.struct_size = sizeof(kernel);
  kernel.name = "scratch";
  kernel.workspace = [](const braid_kernel_call *, size_t budget, void *) {
    EXPECT_EQ(budget, 1000u);
    return wanted;
  };
  kernel.run = [](const braid_kernel_call *call, void *) {
    EXPECT_GE(call->workspace_bytes, wanted);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(call->workspace) % 64, 0u);
    if (wanted)
      std::memset(call->workspace, 1, wanted);
    return BRAID_OK;
  };
  ASSERT_EQ(braid_register_kernel(context, &kernel), BRAID_OK);
  Op op("scratch", "");
  for (size_t bytes : {0, 10, 1000}) {
    wanted = bytes;
    EXPECT_EQ(context.runOp(op, {}), BRAID_OK);
  }
  wanted = 1001;
  EXPECT_EQ(context.runOp(op, {}), BRAID_OUT_OF_MEMORY);
  EXPECT_CONTAINS(context.error(), "needs 1001 bytes of scratch");
}

TEST_P(Conformance, FirstFailureIsReportedOnce) {
  if (GetParam() == BRAID_BACKEND_CUDA)
    GTEST_SKIP() << "a kernel that was enqueued cannot fail";
  Context context(options());
  addKernels(context);
  context.add("fails", [](const braid_kernel_call &call) {
    std::snprintf(call.message, call.message_size, "out of luck");
    return BRAID_KERNEL_FAILED;
  });
  braid_schedule schedule = makeSchedule(2, 2);
  Op fails("fails", "", {}, "", "layer.mlir:7:3");
  Function function("f", vectorArgs(),
                    [&](braid_frame *frame, const braid_tensor *a) {
                      braid_rt_schedule_begin(frame, &schedule, a->sizes[0]);
                      fails.launch(frame, 0, {});
                      braid_rt_record(frame, 0, 0);
                      braid_rt_wait(frame, 1, 0);
                      addOne.launch(frame, 1, {a, a + 1});
                      braid_rt_record(frame, 1, 1);
                      braid_rt_wait(frame, 0, 1);
                      braid_rt_schedule_end(frame);
                    });
  Floats x({1}), y({1});
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
  braid_call call = function.call(arguments);
  ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
  EXPECT_EQ(braid_synchronize(context), BRAID_KERNEL_FAILED);
  EXPECT_CONTAINS(context.error(),
                  "op 'fails' at layer.mlir:7:3 failed: out of luck");
  EXPECT_EQ(y(0), 0) << "later kernels are skipped";
  EXPECT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(context.runOp(addOne, {&x, &y}), BRAID_OK);
  EXPECT_EQ(y(0), 1);
}

/// Adds "pick", y = x[index], which checks `index` before anything is written.
/// `calls` gets a letter for each check: 'k' if the index was known, 'u' if
/// not.
static void addPick(Context &context, std::string &calls) {
  braid_kernel kernel = {};
  kernel.struct_size = sizeof(kernel);
  kernel.name = "pick";
  kernel.user_data = &calls;
  kernel.check_contents = [](const braid_kernel_call *call, void *calls) {
    const auto *index = static_cast<const float *>(call->operands[0]->data);
    static_cast<std::string *>(calls)->push_back(index ? 'k' : 'u');
    if (!index || (*index >= 0 && *index < call->operands[1]->sizes[0]))
      return BRAID_OK;
    std::snprintf(call->message, call->message_size, "index %g", *index);
    return BRAID_KERNEL_FAILED;
  };
  kernel.run = [](const braid_kernel_call *call, void *) {
    auto data = [&](int i) {
      return static_cast<float *>(call->operands[i]->data);
    };
    *data(2) = data(1)[static_cast<int>(*data(0))];
    return BRAID_OK;
  };
  ASSERT_EQ(braid_register_kernel(context, &kernel), BRAID_OK);
}

TEST_P(Conformance, ContentsAreCheckedBeforeAnythingIsWritten) {
  if (GetParam() == BRAID_BACKEND_CUDA)
    GTEST_SKIP() << "contents lie on the device";
  for (bool prepared : {false, true}) {
    SCOPED_TRACE(prepared);
    Context context(options());
    addKernels(context);
    std::string calls;
    addPick(context, calls);
    braid_schedule schedule = makeSchedule(1, 0);
    Region segment("f.segment0", "...");
    Op pick("pick", "rrw");
    Floats index({1}), picked({1});
    Function function(
        "f", vectorArgs(), [&](braid_frame *frame, const braid_tensor *a) {
          const braid_tensor *liveIns[] = {a, a + 1, &index.tensor};
          braid_rt_schedule_begin(frame, &schedule, a->sizes[0]);
          if (braid_rt_segment_begin(frame, &segment.region, liveIns)) {
            addOne.launch(frame, 0, {a, a + 1});
            pick.launch(frame, 0, {&index, a + 1, &picked});
            braid_rt_segment_end(frame);
          }
          braid_rt_schedule_end(frame);
        });
    Floats x({2}), y({2});
    x(1) = 4;
    std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
    braid_call call = function.call(arguments);
    if (prepared) {
      ASSERT_EQ(braid_prepare(context, &call), BRAID_OK) << context.error();
    }
    EXPECT_EQ(calls, "") << "contents are looked at when the call runs";
    index(0) = 2;
    ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
    EXPECT_EQ(braid_synchronize(context), BRAID_KERNEL_FAILED);
    EXPECT_CONTAINS(context.error(), "failed: index 2");
    EXPECT_EQ(y(1), 0) << "the launch before it has not run";
    EXPECT_EQ(calls, "k");
    index(0) = 1;
    ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
    ASSERT_EQ(braid_synchronize(context), BRAID_OK) << context.error();
    EXPECT_EQ(picked(0), 5);
    EXPECT_EQ(calls, "kkk") << "again, before it runs";
  }
}

TEST_P(Conformance, ContentsThatTheCallWritesAreCheckedWhenTheyAreThere) {
  if (GetParam() == BRAID_BACKEND_CUDA)
    GTEST_SKIP() << "contents lie on the device";
  Context context(options());
  addKernels(context);
  std::string calls;
  addPick(context, calls);
  braid_schedule schedule = makeSchedule(1, 0);
  Op pick("pick", "rrw");
  Floats index({1}), picked({1});
  Function function("f", vectorArgs(),
                    [&](braid_frame *frame, const braid_tensor *a) {
                      braid_rt_schedule_begin(frame, &schedule, a->sizes[0]);
                      addOne.launch(frame, 0, {a, &index});
                      pick.launch(frame, 0, {&index, a, &picked});
                      addOne.launch(frame, 0, {a, a + 1});
                      braid_rt_schedule_end(frame);
                    });
  Floats x({1}), y({1});
  index(0) = 100; // what it holds before the call is of no account
  x(0) = -1;
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
  braid_call call = function.call(arguments);
  ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
  ASSERT_EQ(braid_synchronize(context), BRAID_OK) << context.error();
  EXPECT_EQ(picked(0), -1);
  EXPECT_EQ(calls, "uk");
  x(0) = 7;
  picked(0) = y(0) = 3;
  ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
  EXPECT_EQ(braid_synchronize(context), BRAID_KERNEL_FAILED);
  EXPECT_CONTAINS(context.error(), "failed: index 8");
  EXPECT_EQ(picked(0), 3);
  EXPECT_EQ(y(0), 3) << "later launches are skipped";
}

TEST_P(Conformance, MemoryOfTheBackend) {
  Context context(options());
  void *memory = nullptr;
  ASSERT_EQ(braid_memory_allocate(context, 1000, &memory), BRAID_OK)
      << context.error();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 256, 0u);
  std::vector<char> there(1000, 7), back(1000);
  ASSERT_EQ(braid_memory_copy(context, memory, there.data(), 1000), BRAID_OK);
  ASSERT_EQ(braid_memory_copy(context, back.data(), memory, 1000), BRAID_OK);
  EXPECT_EQ(back, there);
  EXPECT_EQ(braid_memory_copy(context, memory, nullptr, 0), BRAID_OK);
  EXPECT_EQ(braid_memory_copy(context, memory, nullptr, 1),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "copying 1 bytes: the source is NULL");
  EXPECT_EQ(braid_memory_copy(context, nullptr, memory, 1),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "the target is NULL");
  EXPECT_EQ(braid_memory_free(context, memory), BRAID_OK);
  EXPECT_EQ(braid_memory_free(context, nullptr), BRAID_OK);
  EXPECT_EQ(braid_memory_allocate(context, 16, nullptr),
            BRAID_INVALID_ARGUMENT);
  for (size_t bytes : {SIZE_MAX, SIZE_MAX / 2}) {
    memory = &memory;
    EXPECT_EQ(braid_memory_allocate(context, bytes, &memory),
              BRAID_OUT_OF_MEMORY);
    EXPECT_CONTAINS(context.error(),
                    "cannot allocate " + std::to_string(bytes) + " bytes");
    EXPECT_EQ(memory, nullptr);
  }
  ASSERT_EQ(braid_memory_allocate(context, 0, &memory), BRAID_OK);
  EXPECT_EQ(braid_memory_free(context, memory), BRAID_OK);
}

TEST_P(Conformance, TimelineOfLaunches) {
  struct Entry {
    std::string op, location;
    int32_t stream;
    double start, duration;
  };
  std::vector<Entry> entries;
  Context context(options([&](braid_context_options &options) {
    options.timeline_user_data = &entries;
    options.timeline = [](const braid_timeline_entry *entry, void *data) {
      static_cast<std::vector<Entry> *>(data)->push_back(
          {entry->op, entry->location, entry->stream, entry->start,
           entry->duration});
    };
  }));
  addKernels(context);
  braid_schedule schedule = makeSchedule(2, 2);
  Floats between({1});
  Function function("f", vectorArgs(),
                    [&](braid_frame *frame, const braid_tensor *a) {
                      braid_rt_schedule_begin(frame, &schedule, a->sizes[0]);
                      slowAddOne.launch(frame, 0, {a, &between});
                      braid_rt_record(frame, 0, 0);
                      braid_rt_wait(frame, 1, 0);
                      addTen.launch(frame, 1, {&between, a + 1});
                      braid_rt_record(frame, 1, 1);
                      braid_rt_wait(frame, 0, 1);
                      braid_rt_schedule_end(frame);
                    });
  Floats x({1}), y({1});
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
  braid_call call = function.call(arguments);
  for (size_t calls : {1, 2}) {
    entries.clear();
    for (size_t i = 0; i < calls; ++i)
      ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
    EXPECT_TRUE(entries.empty());
    ASSERT_EQ(braid_synchronize(context), BRAID_OK) << context.error();
    ASSERT_EQ(entries.size(), 2 * calls);
    for (size_t i = 0; i < entries.size(); ++i) {
      EXPECT_EQ(entries[i].op, i % 2 ? "add" : "slow_add");
      EXPECT_EQ(entries[i].location, "test.mlir:1:1");
      EXPECT_EQ(entries[i].stream, int32_t(i % 2));
      EXPECT_GE(entries[i].start, 0);
      // The clocks of events are good to half a microsecond.
      if (i) {
        EXPECT_GE(entries[i].start + 1,
                  entries[i - 1].start + entries[i - 1].duration);
      }
    }
    EXPECT_GE(entries[0].duration, 19000) << "it sleeps for 20 ms";
  }
  entries.clear();
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_TRUE(entries.empty());
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

TEST_P(Conformance, WaitOrdersStreams) {
  Context context(options());
  addKernels(context);
  for (bool prepared : {false, true}) {
    braid_schedule schedule = makeSchedule(2, 2);
    Region segment("f.segment0", "..");
    Floats between({4});
    Function function(
        "f", vectorArgs(), [&](braid_frame *frame, const braid_tensor *a) {
          const braid_tensor *liveIns[] = {a, a + 1};
          braid_rt_schedule_begin(frame, &schedule, a->sizes[0]);
          if (braid_rt_segment_begin(frame, &segment.region, liveIns)) {
            braid_rt_record(frame, 0, 0);
            braid_rt_wait(frame, 1, 0);
            slowAddOne.launch(frame, 1, {a, &between});
            braid_rt_record(frame, 1, 1);
            braid_rt_wait(frame, 0, 1);
            addTen.launch(frame, 0, {&between, a + 1});
            braid_rt_segment_end(frame);
          }
          braid_rt_schedule_end(frame);
        });
    Floats x({4}), y({4});
    std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
    braid_call call = function.call(arguments);
    if (prepared) {
      ASSERT_EQ(braid_prepare(context, &call), BRAID_OK) << context.error();
    }
    for (int i = 1; i <= 3; ++i) {
      // Replays in succession need no wait between them; what follows on
      // stream 0 comes after.
      x(3) = i;
      ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
      ASSERT_EQ(braid_execute(context, &call), BRAID_OK);
      ASSERT_EQ(braid_synchronize(context), BRAID_OK);
      EXPECT_EQ(y(3), i + 11);
    }
  }
  EXPECT_EQ(context.statistics().streams, 2);
  EXPECT_EQ(context.statistics().events, 2);
}

TEST_P(Conformance, StreamsRunAtTheSameTime) {
  if (GetParam() == BRAID_BACKEND_CUDA)
    GTEST_SKIP() << "CUDA runs host functions one after another";
  Context context(options());
  // Each of two kernels waits for the other to have started.
  std::atomic<int> started{0};
  context.add("meet", [&](const braid_kernel_call &) {
    ++started;
    auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (started < 2)
      if (std::chrono::steady_clock::now() > limit)
        return BRAID_KERNEL_FAILED;
      else
        std::this_thread::yield();
    return BRAID_OK;
  });
  braid_schedule schedule = makeSchedule(2, 2);
  Op meet("meet", "");
  Function function("f", {}, [&](braid_frame *frame, const braid_tensor *) {
    braid_rt_schedule_begin(frame, &schedule, 1);
    braid_rt_record(frame, 0, 0);
    braid_rt_wait(frame, 1, 0);
    meet.launch(frame, 1, {});
    meet.launch(frame, 0, {});
    braid_rt_record(frame, 1, 1);
    braid_rt_wait(frame, 0, 1);
    braid_rt_schedule_end(frame);
  });
  std::vector<braid_tensor> none;
  braid_call call = function.call(none);
  ASSERT_EQ(braid_execute(context, &call), BRAID_OK);
  EXPECT_EQ(braid_synchronize(context), BRAID_OK);
}

TEST_P(Conformance, RecordingAgainLeavesEarlierWaits) {
  if (GetParam() == BRAID_BACKEND_CUDA)
    GTEST_SKIP() << "CUDA runs host functions one after another";
  Context context(options());
  std::atomic<bool> open{false};
  std::atomic<int> reached{0};
  context.add("gate", [&](const braid_kernel_call &) {
    while (!open)
      std::this_thread::yield();
    return BRAID_OK;
  });
  context.add("reach", [&](const braid_kernel_call &) {
    ++reached;
    return BRAID_OK;
  });
  braid_schedule schedule = makeSchedule(3, 1);
  Op gate("gate", ""), reach("reach", "");
  Function function("f", {}, [&](braid_frame *frame, const braid_tensor *) {
    braid_rt_schedule_begin(frame, &schedule, 1);
    braid_rt_record(frame, 0, 0);
    braid_rt_wait(frame, 1, 0); // the record before the gate
    gate.launch(frame, 0, {});
    braid_rt_record(frame, 0, 0);
    reach.launch(frame, 1, {});
    braid_rt_wait(frame, 2, 0); // the record behind the gate
    reach.launch(frame, 2, {});
    braid_rt_schedule_end(frame);
  });
  std::vector<braid_tensor> none;
  braid_call call = function.call(none);
  ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
  auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (reached < 1 && std::chrono::steady_clock::now() < limit)
    std::this_thread::yield();
  EXPECT_EQ(reached, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(reached, 1) << "stream 2 must wait for the second record";
  open = true;
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(reached, 2);
}

namespace {

/// Runs `body` inside a segment (or not) of a schedule with 3 streams and 3
/// events and returns the sentence of the failure. Each time in a new context:
/// tables are told apart by address, and these lie on the stack.
std::string failureOf(braid_backend backend, std::atomic<int> &runs,
                      bool inSegment, std::function<void(braid_frame *)> body) {
  Context context(
      [&](braid_context_options &options) { options.backend = backend; });
  context.add("nothing", [&](const braid_kernel_call &) {
    ++runs;
    return BRAID_OK;
  });
  braid_schedule schedule = makeSchedule(3, 3);
  Region segment("f.segment0");
  Function function("f", {}, [&](braid_frame *frame, const braid_tensor *) {
    braid_rt_schedule_begin(frame, &schedule, 1);
    if (!inSegment)
      body(frame);
    else if (braid_rt_segment_begin(frame, &segment.region, nullptr)) {
      body(frame);
      braid_rt_segment_end(frame);
    }
    braid_rt_schedule_end(frame);
  });
  std::vector<braid_tensor> none;
  braid_call call = function.call(none);
  braid_status status = braid_prepare(context, &call);
  EXPECT_EQ(braid_execute(context, &call), status);
  EXPECT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_TRUE(status == BRAID_OK || status == BRAID_INTERNAL);
  return status == BRAID_OK ? "" : context.error();
}

} // namespace

TEST_P(Conformance, RulesOfSegments) {
  std::atomic<int> runs{0};
  Op op("nothing", "");
  auto segment = [&](std::function<void(braid_frame *)> body) {
    return failureOf(GetParam(), runs, true, body);
  };
  auto loose = [&](std::function<void(braid_frame *)> body) {
    return failureOf(GetParam(), runs, false, body);
  };
  EXPECT_EQ(segment([&](braid_frame *f) {
              braid_rt_record(f, 0, 0);
              braid_rt_wait(f, 1, 0);
              braid_rt_record(f, 1, 1);
              braid_rt_wait(f, 2, 1); // entered through stream 1
              op.launch(f, 2, {});
              braid_rt_record(f, 2, 2);
              braid_rt_wait(f, 1, 2); // joined through stream 1
              braid_rt_record(f, 1, 1);
              braid_rt_wait(f, 0, 1);
            }),
            "");
  EXPECT_EQ(runs, 1);
  EXPECT_CONTAINS(segment([&](braid_frame *f) {
                    braid_rt_record(f, 0, 0);
                    braid_rt_wait(f, 1, 0);
                    op.launch(f, 1, {});
                  }),
                  "stream 1 of segment 'f.segment0' was not joined");
  EXPECT_CONTAINS(segment([&](braid_frame *f) {
                    braid_rt_record(f, 0, 0);
                    braid_rt_wait(f, 1, 0);
                    braid_rt_record(f, 1, 1);
                    op.launch(f, 1, {}); // after its record
                    braid_rt_wait(f, 0, 1);
                  }),
                  "stream 1 of segment 'f.segment0' was not joined");
  EXPECT_CONTAINS(segment([&](braid_frame *f) { op.launch(f, 1, {}); }),
                  "launches 'nothing' on stream 1, which has not waited");
  EXPECT_CONTAINS(segment([&](braid_frame *f) { braid_rt_record(f, 2, 0); }),
                  "records event 0 on stream 2, which has not waited");
  EXPECT_CONTAINS(segment([&](braid_frame *f) { braid_rt_wait(f, 0, 2); }),
                  "waits on event 2, which was not recorded");
  EXPECT_CONTAINS(loose([&](braid_frame *f) { braid_rt_wait(f, 1, 2); }),
                  "waits on event 2, which was not recorded");
  EXPECT_CONTAINS(loose([&](braid_frame *f) { braid_rt_record(f, 3, 0); }),
                  "record on stream 3 of schedule 'test', which has 3");
  EXPECT_CONTAINS(loose([&](braid_frame *f) { braid_rt_wait(f, -1, 0); }),
                  "wait on stream -1");
  EXPECT_CONTAINS(loose([&](braid_frame *f) { braid_rt_record(f, 0, 3); }),
                  "record of event 3 of schedule 'test', which has 3 events");
  EXPECT_CONTAINS(loose([&](braid_frame *f) { op.launch(f, 7, {}); }),
                  "launch on stream 7");
  Region inner("inner");
  EXPECT_CONTAINS(segment([&](braid_frame *f) {
                    braid_rt_segment_begin(f, &inner.region, nullptr);
                  }),
                  "segment 'inner' starts inside region 'f.segment0'");
  EXPECT_CONTAINS(
      segment([&](braid_frame *f) { braid_rt_eager_begin(f, &inner.region); }),
      "eager region 'inner' starts inside region");
  EXPECT_CONTAINS(loose([&](braid_frame *f) {
                    // An event does not leave its segment,
                    if (braid_rt_segment_begin(f, &inner.region, nullptr)) {
                      braid_rt_record(f, 0, 0);
                      braid_rt_segment_end(f);
                    }
                    braid_rt_wait(f, 0, 0);
                  }),
                  "waits on event 0, which was recorded inside a segment");
  EXPECT_CONTAINS(loose([&](braid_frame *f) {
                    // and does not enter one.
                    braid_rt_record(f, 0, 0);
                    if (braid_rt_segment_begin(f, &inner.region, nullptr)) {
                      braid_rt_wait(f, 0, 0);
                      braid_rt_segment_end(f);
                    }
                  }),
                  "segment 'inner' waits on event 0, which was not recorded");
  EXPECT_CONTAINS(loose([&](braid_frame *f) { braid_rt_segment_end(f); }),
                  "ends a segment that did not begin");
  EXPECT_CONTAINS(loose([&](braid_frame *f) { braid_rt_eager_end(f); }),
                  "ends an eager region that did not begin");
  EXPECT_CONTAINS(loose([&](braid_frame *f) {
                    braid_rt_schedule_end(f);
                    op.launch(f, 0, {});
                  }),
                  "launch outside a schedule");
  EXPECT_CONTAINS(loose([&](braid_frame *f) {
                    braid_rt_eager_begin(f, &inner.region);
                    braid_rt_schedule_end(f);
                  }),
                  "ends a schedule inside a region");
  EXPECT_EQ(runs, 1) << "what fails enqueues nothing";
}

TEST_P(Conformance, NothingHappensAfterAFailure) {
  Context context(options());
  braid_schedule schedule = makeSchedule(1, 0);
  Region region("r");
  Op unknown("unknown", "");
  Function function("f", {}, [&](braid_frame *frame, const braid_tensor *) {
    EXPECT_NE(braid_rt_schedule_begin(frame, &schedule, 1), nullptr);
    unknown.launch(frame, 0, {});
    EXPECT_EQ(braid_rt_segment_begin(frame, &region.region, nullptr), 0);
    EXPECT_EQ(braid_rt_eager_begin(frame, &region.region), 0);
    EXPECT_EQ(braid_rt_schedule_begin(frame, &schedule, 1), nullptr);
    braid_rt_record(frame, 5, 5);
    braid_rt_wait(frame, 5, 5);
    braid_rt_eager_end(frame);
    braid_rt_segment_end(frame);
    braid_rt_schedule_end(frame);
  });
  std::vector<braid_tensor> none;
  braid_call call = function.call(none);
  EXPECT_EQ(braid_execute(context, &call), BRAID_NO_KERNEL);
  EXPECT_CONTAINS(context.error(), "'unknown'");
}

TEST_P(Conformance, TooManyStreams) {
  Context context(options([](braid_context_options &options) {
    options.max_auxiliary_streams = 1;
  }));
  braid_schedule schedule = makeSchedule(3, 0);
  Function function("f", {}, [&](braid_frame *frame, const braid_tensor *) {
    EXPECT_EQ(braid_rt_schedule_begin(frame, &schedule, 1), nullptr);
  });
  std::vector<braid_tensor> none;
  braid_call call = function.call(none);
  EXPECT_EQ(braid_prepare(context, &call), BRAID_UNSUPPORTED);
  EXPECT_EQ(braid_execute(context, &call), BRAID_UNSUPPORTED);
  EXPECT_CONTAINS(context.error(),
                  "needs 2 auxiliary streams, but the context allows 1");
}

TEST_P(Conformance, ManyCallsWithoutSynchronizing) {
  Context context(options());
  addKernels(context);
  braid_schedule schedule = makeSchedule(2, 2);
  Function function("f", vectorArgs(),
                    [&](braid_frame *frame, const braid_tensor *a) {
                      braid_rt_schedule_begin(frame, &schedule, a->sizes[0]);
                      for (int i = 0; i < 50; ++i) {
                        braid_rt_record(frame, 0, 0);
                        braid_rt_wait(frame, 1, 0);
                        addOne.launch(frame, 1, {a, a + 1});
                        braid_rt_record(frame, 1, 1);
                        braid_rt_wait(frame, 0, 1);
                        addOne.launch(frame, 0, {a + 1, a});
                      }
                      braid_rt_schedule_end(frame);
                    });
  Floats x({1}), y({1});
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
  braid_call call = function.call(arguments);
  for (int i = 0; i < 200; ++i)
    ASSERT_EQ(braid_execute(context, &call), BRAID_OK);
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(x(0), 200 * 100);
}

//===----------------------------------------------------------------------===//
// Workspace
//===----------------------------------------------------------------------===//

TEST_P(Conformance, NestedSchedules) {
  Context context(options());
  addKernels(context);
  braid_schedule inner = {sizeof(inner), "inner", 2, 2, 256, 0};
  braid_schedule outer = {sizeof(outer), "outer", 2, 1, 512, 256};
  Region segment("inner.segment0", "..");
  std::vector<char *> innerBases, outerBases;
  // y = x + 2, through the workspace
  Function callee(
      "inner", vectorArgs(),
      [&](braid_frame *frame, const braid_tensor *a) {
        int64_t tokens = a->sizes[0];
        void *base = braid_rt_schedule_begin(frame, &inner, tokens);
        innerBases.push_back(static_cast<char *>(base));
        braid_tensor buffer = makeTensor(base, BRAID_F32, {tokens});
        const braid_tensor *liveIns[] = {a, a + 1};
        if (braid_rt_segment_begin(frame, &segment.region, liveIns)) {
          braid_rt_record(frame, 0, 0);
          braid_rt_wait(frame, 1, 0);
          slowAddOne.launch(frame, 1, {a, &buffer});
          braid_rt_record(frame, 1, 1);
          braid_rt_wait(frame, 0, 1);
          addOne.launch(frame, 0, {&buffer, a + 1});
          braid_rt_segment_end(frame);
        }
        braid_rt_schedule_end(frame);
      },
      256, 0);
  // y = (x + 2) + 2
  Function caller(
      "outer", vectorArgs(),
      [&](braid_frame *frame, const braid_tensor *a) {
        int64_t tokens = a->sizes[0];
        void *base = braid_rt_schedule_begin(frame, &outer, tokens);
        outerBases.push_back(static_cast<char *>(base));
        braid_tensor between = makeTensor(base, BRAID_F32, {tokens});
        // Slot 0 of the outer schedule is not slot 0 of the inner one.
        braid_rt_record(frame, 0, 0);
        braid_tensor first[] = {a[0], between}, second[] = {between, a[1]};
        callee.function.entry(frame, first);
        callee.function.entry(frame, second);
        braid_rt_wait(frame, 1, 0);
        braid_rt_schedule_end(frame);
      },
      768, 256);
  Floats x({3}), y({3});
  x(1) = 5;
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
  braid_call call = caller.call(arguments);
  ASSERT_EQ(braid_prepare(context, &call), BRAID_OK) << context.error();
  EXPECT_EQ(context.statistics().captures, 2) << "one for each address";
  for (int i = 0; i < 2; ++i) {
    y(1) = 0;
    ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
    ASSERT_EQ(braid_synchronize(context), BRAID_OK);
    EXPECT_EQ(y(1), 9);
  }
  EXPECT_EQ(context.statistics().replays, 4);
  EXPECT_EQ(context.statistics().workspace_bytes, 768 * 3 + 256);
  EXPECT_EQ(context.statistics().events, 3);
  for (char *base : outerBases) {
    EXPECT_EQ(base, outerBases[0]);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(base) % 256, 0u);
  }
  for (char *base : innerBases)
    EXPECT_EQ(base, outerBases[0] + 512 * 3 + 256);
}

TEST_P(Conformance, WorkspaceStaysWhereItIs) {
  Context context(options());
  braid_schedule schedule = makeSchedule(1, 0, 4096, 0);
  std::map<int64_t, void *> bases;
  Function function(
      "f", vectorArgs(),
      [&](braid_frame *frame, const braid_tensor *a) {
        int64_t tokens = a->sizes[0];
        void *base = braid_rt_schedule_begin(frame, &schedule, tokens);
        EXPECT_NE(base, nullptr);
        auto known = bases.emplace(tokens, base).first;
        EXPECT_EQ(known->second, base);
        braid_rt_schedule_end(frame);
      },
      4096, 0);
  Floats x({64}), y({64});
  auto prepare = [&](int64_t tokens) {
    std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
    arguments[0].sizes[0] = arguments[1].sizes[0] = tokens;
    braid_call call = function.call(arguments);
    ASSERT_EQ(braid_prepare(context, &call), BRAID_OK) << context.error();
  };
  for (int64_t tokens : {4, 2, 64, 4, 2, 63, 64, 1})
    prepare(tokens);
  EXPECT_EQ(bases[2], bases[4]);
  EXPECT_NE(bases[64], bases[4]);
  EXPECT_EQ(context.statistics().workspace_bytes, (4 + 64) * 4096);
}

TEST_P(Conformance, WorkspaceOfASchedule) {
  Context context(options());
  braid_schedule schedule = makeSchedule(1, 0);
  void *base = nullptr;
  Function function(
      "f", vectorArgs(), [&](braid_frame *frame, const braid_tensor *a) {
        base = braid_rt_schedule_begin(frame, &schedule, a->sizes[0]);
        braid_rt_schedule_end(frame);
      });
  Floats x({4}), y({4});
  std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
  braid_call call = function.call(arguments);
  ASSERT_EQ(braid_execute(context, &call), BRAID_OK);
  EXPECT_NE(base, nullptr);
  // More than the function said still gets memory.
  schedule.workspace_fixed = 100000;
  ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
  ASSERT_NE(base, nullptr);
  std::memset(base, 1, 100000);
  schedule.workspace_per_token = INT64_MAX / 2;
  EXPECT_EQ(braid_execute(context, &call), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "is larger than memory can be");
  EXPECT_EQ(base, nullptr);
  schedule.workspace_per_token = -1;
  EXPECT_EQ(braid_execute(context, &call), BRAID_INVALID_ARGUMENT);
  schedule.workspace_per_token = 0;
  function.function.workspace_per_token = INT64_MAX / 2;
  EXPECT_EQ(braid_execute(context, &call), BRAID_INVALID_ARGUMENT);
}

TEST_P(Conformance, AllocatorOfTheEngine) {
  if (GetParam() == BRAID_BACKEND_CUDA)
    GTEST_SKIP() << "the kernel of this test needs device memory";
  struct Log {
    std::map<void *, size_t> held;
    size_t limit = size_t(1) << 30;
    bool misaligned = false;
    int calls = 0;
  } log;
  auto use = [&](braid_context_options &options) {
    options.allocator_user_data = &log;
    options.allocate = [](size_t bytes, void *data) -> void * {
      Log &log = *static_cast<Log *>(data);
      if (bytes > log.limit)
        return nullptr;
      ++log.calls;
      void *memory = std::aligned_alloc(256, bytes + 256);
      if (log.misaligned)
        memory = static_cast<char *>(memory) + 64;
      log.held[memory] = bytes;
      return memory;
    };
    options.deallocate = [](void *memory, size_t bytes, void *data) {
      Log &log = *static_cast<Log *>(data);
      EXPECT_EQ(log.held.at(memory), bytes);
      log.held.erase(memory);
      std::free(log.misaligned ? static_cast<char *>(memory) - 64 : memory);
    };
  };
  {
    Context context(options(use));
    braid_schedule schedule = makeSchedule(1, 0, 0, 1000);
    Op linear("linear", "rrnnw");
    Floats x({3, 5}), w({2, 5}), y({3, 2});
    Function function(
        "f", {},
        [&](braid_frame *frame, const braid_tensor *) {
          braid_rt_schedule_begin(frame, &schedule, 1);
          linear.launch(frame, 0, {&x, &w, nullptr, nullptr, &y});
          braid_rt_schedule_end(frame);
        },
        0, 1000);
    std::vector<braid_tensor> none;
    braid_call call = function.call(none);
    log.limit = 100;
    EXPECT_EQ(braid_execute(context, &call), BRAID_OUT_OF_MEMORY);
    EXPECT_CONTAINS(context.error(), "cannot allocate 1024 bytes");
    log.limit = size_t(1) << 30;
    log.misaligned = true;
    EXPECT_EQ(braid_execute(context, &call), BRAID_INVALID_ARGUMENT);
    EXPECT_CONTAINS(context.error(), "not aligned to 256");
    log.misaligned = false;
    ASSERT_EQ(braid_prepare(context, &call), BRAID_OK) << context.error();
    EXPECT_EQ(log.held.size(), 2u) << "workspace and scratch";
    int calls = log.calls;
    for (int i = 0; i < 3; ++i)
      ASSERT_EQ(braid_execute(context, &call), BRAID_OK);
    EXPECT_EQ(log.calls, calls) << "execution does not allocate";
    ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  }
  EXPECT_TRUE(log.held.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Backends, Conformance, testing::Values(BRAID_TEST_BACKEND),
    [](const auto &backend) {
      return std::string(backend.param == BRAID_BACKEND_CUDA ? "cuda" : "host");
    });
