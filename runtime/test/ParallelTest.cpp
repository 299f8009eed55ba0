//===- ParallelTest.cpp - Functions on several streams ------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// execute_in_parallel with streams that only write down what they are told, and
// with those of host and trace contexts; and the C functions behind the latter.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "braid/parallel.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

using namespace braid;
using namespace braid::test;

static bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}
#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_TRUE(contains(text, part)) << "in: " << std::string(text)

namespace {

using Functions = std::vector<std::function<int(int32_t)>>;

/// Writes down what it is told; fails at line `failAt`.
struct Recorder final : StreamOps<int32_t, int32_t> {
  std::string text;
  int failAt = -1, calls = 0;
  bool throws = false;

  StreamStatus line(std::string what) {
    if (calls++ == failAt) {
      text += "failed ";
      if (throws)
        throw std::runtime_error("no more");
      text += what + "; ";
      return {BRAID_OUT_OF_MEMORY, "no more"};
    }
    text += what + "; ";
    return {};
  }
  StreamStatus record(int32_t stream, int32_t event) override {
    return line("record s" + std::to_string(stream) + " e" +
                std::to_string(event));
  }
  StreamStatus wait(int32_t stream, int32_t event) override {
    return line("wait s" + std::to_string(stream) + " e" +
                std::to_string(event));
  }
  /// A function that returns `value`.
  std::function<int(int32_t)> function(std::string name, int value) {
    return [=](int32_t stream) {
      text += name + " on s" + std::to_string(stream) + "; ";
      return value;
    };
  }
  Functions three() {
    return {function("B", 1), function("C", 2), function("D", 3)};
  }
};

using Slots = std::vector<std::optional<int>>;

} // namespace

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

TEST(Parallel, ForkAndJoin) {
  Recorder ops;
  auto results = execute_in_parallel(ops, numberedStreams(3), true,
                                     ops.function("A", 0), ops.three());
  EXPECT_TRUE(results.ok()) << results.status.message;
  EXPECT_EQ(ops.text, "record s0 e0; "
                      "wait s1 e0; B on s1; record s1 e1; "
                      "wait s2 e0; C on s2; record s2 e2; "
                      "wait s3 e0; D on s3; record s3 e3; "
                      "A on s0; "
                      "wait s0 e1; wait s0 e2; wait s0 e3; ");
  EXPECT_EQ(results.main, 0);
  EXPECT_EQ(results.auxiliary, (Slots{1, 2, 3}));
}

TEST(Parallel, AbsentSlots) {
  Recorder ops;
  Functions functions = ops.three();
  functions[0] = nullptr;
  functions[2] = {};
  auto results = execute_in_parallel(ops, numberedStreams(3), true,
                                     ops.function("A", 0), functions);
  EXPECT_EQ(ops.text, "record s0 e0; wait s2 e0; C on s2; record s2 e2; "
                      "A on s0; wait s0 e2; ");
  EXPECT_EQ(results.auxiliary, (Slots{std::nullopt, 2, std::nullopt}));
  // One call site for layers with 0, 1 and 3 branches.
  ops.text.clear();
  auto none = execute_in_parallel(ops, numberedStreams(3), true,
                                  ops.function("A", 0), Functions());
  EXPECT_EQ(ops.text, "record s0 e0; A on s0; ");
  EXPECT_TRUE(none.auxiliary.empty());
  ops.text.clear();
  auto one =
      execute_in_parallel(ops, numberedStreams(3), true, ops.function("A", 0),
                          Functions{ops.function("B", 1)});
  EXPECT_EQ(ops.text, "record s0 e0; wait s1 e0; B on s1; record s1 e1; "
                      "A on s0; wait s0 e1; ");
  EXPECT_EQ(one.auxiliary, (Slots{1}));
}

TEST(Parallel, OffIsInOrder) {
  Recorder ops;
  Functions functions = ops.three();
  functions[1] = nullptr;
  const char *inOrder = "A on s0; B on s0; D on s0; ";
  auto results = execute_in_parallel(ops, numberedStreams(3), false,
                                     ops.function("A", 0), functions);
  EXPECT_TRUE(results.ok());
  EXPECT_EQ(ops.text, inOrder);
  EXPECT_EQ(results.auxiliary, (Slots{1, std::nullopt, 3}));
  // Without auxiliary streams, whatever `enable` says.
  ops.text.clear();
  results = execute_in_parallel(ops, numberedStreams(0), true,
                                ops.function("A", 0), functions);
  EXPECT_TRUE(results.ok());
  EXPECT_EQ(ops.text, inOrder);
  EXPECT_EQ(results.auxiliary, (Slots{1, std::nullopt, 3}));
}

TEST(Parallel, Threshold) {
  EXPECT_TRUE(overlapsAt(0, 8));
  EXPECT_TRUE(overlapsAt(8, 8));
  EXPECT_FALSE(overlapsAt(9, 8));
  EXPECT_FALSE(overlapsAt(0, 0));
  EXPECT_FALSE(overlapsAt(1, 0));
  Context context(
      [](braid_context_options &options) { options.token_threshold = 4; });
  for (int64_t tokens : {4, 5}) {
    Recorder ops;
    (void)execute_in_parallel(
        ops, numberedStreams(1),
        overlapsAt(tokens, braid_token_threshold(context, 1024)),
        ops.function("A", 0), Functions{ops.function("B", 1)});
    EXPECT_EQ(ops.text.find("record") != std::string::npos, tokens == 4);
  }
}

TEST(Parallel, Lengths) {
  Recorder ops;
  auto status = [&](const ParallelStreams<int32_t, int32_t> &streams,
                    bool enable) {
    auto results = execute_in_parallel(ops, streams, enable,
                                       ops.function("A", 0), ops.three());
    EXPECT_FALSE(results.main);
    EXPECT_EQ(results.status.status, BRAID_INVALID_ARGUMENT);
    return results.status.message;
  };
  for (bool enable : {true, false}) {
    EXPECT_EQ(status(numberedStreams(2), enable),
              "3 auxiliary functions for 2 auxiliary streams");
    auto streams = numberedStreams(3);
    streams.done.pop_back();
    EXPECT_EQ(status(streams, enable),
              "3 auxiliary functions for 2 done events");
  }
  EXPECT_EQ(ops.text, "") << "nothing is enqueued";
  auto results =
      execute_in_parallel(ops, numberedStreams(3), true,
                          std::function<int(int32_t)>(), ops.three());
  EXPECT_EQ(results.status.status, BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(results.status.message, "the main function is empty");
  EXPECT_EQ(ops.text, "");
}

//===----------------------------------------------------------------------===//
// Results and handles
//===----------------------------------------------------------------------===//

namespace {

struct Handle;
struct PointerOps final : StreamOps<Handle *, const char *> {
  std::string text;
  StreamStatus record(Handle *, const char *event) override {
    text += std::string("record ") + event + "; ";
    return {};
  }
  StreamStatus wait(Handle *, const char *event) override {
    text += std::string("wait ") + event + "; ";
    return {};
  }
};

int answer(Handle *) { return 42; }

} // namespace

TEST(Parallel, OtherHandlesAndResults) {
  PointerOps ops;
  ParallelStreams<Handle *, const char *> streams;
  streams.auxiliary = {nullptr, nullptr};
  streams.start = "start";
  streams.done = {"first", "second"};
  // Plain pointers, a result that cannot be copied, and none at all.
  std::vector<int (*)(Handle *)> functions = {nullptr, answer};
  auto results = execute_in_parallel(
      ops, streams, true, [](Handle *) { return std::make_unique<int>(7); },
      functions);
  static_assert(std::is_same_v<decltype(results.main),
                               std::optional<std::unique_ptr<int>>>);
  ASSERT_TRUE(results.ok());
  EXPECT_EQ(**results.main, 7);
  EXPECT_EQ(results.auxiliary, (Slots{std::nullopt, 42}));
  EXPECT_EQ(ops.text, "record start; wait start; record second; wait second; ");
  std::vector<std::function<void(Handle *)>> nothing = {[](Handle *) {},
                                                        nullptr};
  auto empty =
      execute_in_parallel(ops, streams, true, [](Handle *) {}, nothing);
  EXPECT_TRUE(empty.ok());
  EXPECT_TRUE(empty.main);
  EXPECT_TRUE(empty.auxiliary[0]);
  EXPECT_FALSE(empty.auxiliary[1]);
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

TEST(Parallel, FailuresOfStreams) {
  // What is told before the failure, and the joins after it.
  const std::vector<std::string> expected = {
      "failed record s0 e0; ",
      "record s0 e0; failed wait s1 e0; ",
      "record s0 e0; wait s1 e0; B on s1; failed record s1 e1; ",
      "record s0 e0; wait s1 e0; B on s1; record s1 e1; failed wait s2 e0; "
      "wait s0 e1; ",
      "record s0 e0; wait s1 e0; B on s1; record s1 e1; "
      "wait s2 e0; C on s2; failed record s2 e2; wait s0 e1; ",
      "record s0 e0; wait s1 e0; B on s1; record s1 e1; "
      "wait s2 e0; C on s2; record s2 e2; A on s0; "
      "failed wait s0 e1; wait s0 e2; "};
  for (size_t i = 0; i < expected.size(); ++i) {
    Recorder ops;
    ops.failAt = static_cast<int>(i);
    auto results = execute_in_parallel(
        ops, numberedStreams(2), true, ops.function("A", 0),
        Functions{ops.function("B", 1), ops.function("C", 2)});
    EXPECT_EQ(results.status.status, BRAID_OUT_OF_MEMORY) << i;
    EXPECT_EQ(results.status.message, "no more");
    EXPECT_EQ(ops.text, expected[i]);
    EXPECT_EQ(results.main.has_value(), i == 5);
    EXPECT_EQ(results.auxiliary.size(), 2u);
    // The same if it throws.
    Recorder throwing;
    throwing.failAt = static_cast<int>(i);
    throwing.throws = true;
    auto thrown = execute_in_parallel(
        throwing, numberedStreams(2), true, throwing.function("A", 0),
        Functions{throwing.function("B", 1), throwing.function("C", 2)});
    EXPECT_EQ(thrown.status.status, BRAID_KERNEL_FAILED);
    EXPECT_CONTAINS(thrown.status.message, "threw: no more");
  }
}

TEST(Parallel, ThrowsNothing) {
  Recorder ops;
  auto bad = [&](int32_t stream) -> int {
    ops.text += "bad on s" + std::to_string(stream) + "; ";
    throw std::runtime_error("out of luck");
  };
  auto one = numberedStreams(1);
  Functions none;
  static_assert(noexcept(execute_in_parallel(ops, one, true, bad, none)));
  // A branch may have enqueued something before it threw, so it is joined.
  auto results = execute_in_parallel(
      ops, numberedStreams(3), true, ops.function("A", 0),
      Functions{ops.function("B", 1), bad, ops.function("D", 3)});
  EXPECT_EQ(results.status.status, BRAID_KERNEL_FAILED);
  EXPECT_CONTAINS(results.status.message, "threw: out of luck");
  EXPECT_EQ(ops.text, "record s0 e0; wait s1 e0; B on s1; record s1 e1; "
                      "wait s2 e0; bad on s2; record s2 e2; "
                      "wait s0 e1; wait s0 e2; ");
  EXPECT_EQ(results.auxiliary, (Slots{1, std::nullopt, std::nullopt}));
  EXPECT_FALSE(results.main);

  ops.text.clear();
  results = execute_in_parallel(ops, numberedStreams(1), true, bad,
                                Functions{ops.function("B", 1)});
  EXPECT_EQ(results.status.status, BRAID_KERNEL_FAILED);
  EXPECT_EQ(ops.text, "record s0 e0; wait s1 e0; B on s1; record s1 e1; "
                      "bad on s0; wait s0 e1; ");

  ops.text.clear();
  results = execute_in_parallel(ops, numberedStreams(1), false, bad,
                                Functions{ops.function("B", 1)});
  EXPECT_EQ(results.status.status, BRAID_KERNEL_FAILED);
  EXPECT_EQ(ops.text, "bad on s0; ");

  auto memory = execute_in_parallel(
      ops, numberedStreams(1), false,
      [](int32_t) -> int { throw std::bad_alloc(); }, Functions());
  EXPECT_EQ(memory.status.status, BRAID_OUT_OF_MEMORY);
  auto number = execute_in_parallel(
      ops, numberedStreams(1), false, [](int32_t) -> int { throw 7; },
      Functions());
  EXPECT_EQ(number.status.status, BRAID_KERNEL_FAILED);
  EXPECT_CONTAINS(number.status.message, "no std::exception");
}

TEST(Parallel, Nested) {
  Recorder ops;
  auto results = execute_in_parallel(
      ops, numberedStreams(2), true, ops.function("A", 0),
      Functions{ops.function("B", 1), [&](int32_t stream) {
                  auto inner = execute_in_parallel(
                      ops, numberedStreams(1, stream, 3, 3), true,
                      ops.function("C", 2), Functions{ops.function("D", 3)});
                  EXPECT_TRUE(inner.ok());
                  return *inner.main * 10 + *inner.auxiliary[0];
                }});
  EXPECT_EQ(ops.text, "record s0 e0; wait s1 e0; B on s1; record s1 e1; "
                      "wait s2 e0; "
                      "record s2 e3; wait s3 e3; D on s3; record s3 e4; "
                      "C on s2; wait s2 e4; "
                      "record s2 e2; A on s0; wait s0 e1; wait s0 e2; ");
  EXPECT_EQ(results.auxiliary, (Slots{1, 23}));
}

//===----------------------------------------------------------------------===//
// Streams of a context
//===----------------------------------------------------------------------===//

namespace {

using Launches = std::vector<std::function<braid_status(int32_t)>>;

/// Launches an op on the stream that it is called with.
std::function<braid_status(int32_t)>
launcher(braid_context *context, const Op &op,
         std::vector<const braid_tensor *> operands = {}) {
  return [=, &op](int32_t stream) {
    return braid_stream_launch(context, stream, &op.op, operands.data());
  };
}

/// "slow_add" sleeps, then writes y = x + amount.
void addSlowAdd(Context &context) {
  context.add("slow_add", [](const braid_kernel_call &call) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const braid_tensor &x = *call.operands[0], &y = *call.operands[1];
    for (int64_t i = 0; i < x.sizes[0]; ++i)
      static_cast<float *>(y.data)[i] =
          static_cast<const float *>(x.data)[i] + call.op->params[0].value.f;
    return BRAID_OK;
  });
}

std::function<void(braid_context_options &)> traceTo(std::string &text) {
  return [&text](braid_context_options &options) {
    options.backend = BRAID_BACKEND_TRACE;
    options.trace = [](const char *line, void *data) {
      *static_cast<std::string *>(data) += std::string(line) + "\n";
    };
    options.trace_user_data = &text;
  };
}

} // namespace

TEST(Parallel, Trace) {
  std::string text;
  Context context(traceTo(text));
  ContextStreams streams(context);
  ASSERT_TRUE(streams.reserve(4, 4).ok());
  Op a("linear_a", "", {}, "", ""), b("linear_b", "", {}, "", ""),
      d("linear_d", "", {}, "", "");
  Launches functions = {launcher(context, b), nullptr, launcher(context, d)};
  auto results = execute_in_parallel(streams, numberedStreams(3), true,
                                     launcher(context, a), functions);
  ASSERT_TRUE(results.ok()) << results.status.message;
  EXPECT_EQ(text, "record s0 e0\n"
                  "wait s1 e0\n"
                  "launch s1 linear_b []\n"
                  "record s1 e1\n"
                  "wait s3 e0\n"
                  "launch s3 linear_d []\n"
                  "record s3 e3\n"
                  "launch s0 linear_a []\n"
                  "wait s0 e1\n"
                  "wait s0 e3\n");
  EXPECT_EQ(results.main, BRAID_OK);
  EXPECT_FALSE(results.auxiliary[1]);
  EXPECT_EQ(context.statistics().launches, 3);
  text.clear();
  (void)execute_in_parallel(streams, numberedStreams(3), false,
                            launcher(context, a), functions);
  EXPECT_EQ(text, "launch s0 linear_a []\n"
                  "launch s0 linear_b []\n"
                  "launch s0 linear_d []\n");
  // A call in between is indented as before, what follows it is not.
  text.clear();
  EXPECT_EQ(context.runOp(a, {}), BRAID_OK);
  EXPECT_EQ(launcher(context, a)(0), BRAID_OK);
  EXPECT_EQ(text, "call one tokens=none\n"
                  "schedule test streams=1 events=0 workspace=0\n"
                  "  launch s0 linear_a []\n"
                  "launch s0 linear_a []\n");
}

TEST(Parallel, RunsAtTheSameTime) {
  Context context;
  // Each of three kernels waits for the others to have started.
  std::atomic<int> started{0};
  context.add("meet", [&](const braid_kernel_call &) {
    ++started;
    auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (started < 3)
      if (std::chrono::steady_clock::now() > limit)
        return BRAID_KERNEL_FAILED;
      else
        std::this_thread::yield();
    return BRAID_OK;
  });
  ContextStreams streams(context);
  ASSERT_TRUE(streams.reserve(3, 3).ok());
  Op meet("meet", "");
  auto function = launcher(context, meet);
  auto results = execute_in_parallel(streams, numberedStreams(2), true,
                                     function, Launches{function, function});
  ASSERT_TRUE(results.ok()) << results.status.message;
  EXPECT_EQ(braid_synchronize(context), BRAID_OK) << context.error();
}

TEST(Parallel, JoinsOnHost) {
  for (uint64_t seed : {0, 1, 2, 3})
    for (bool enable : {true, false}) {
      Context context([seed](braid_context_options &options) {
        options.delay_seed = seed;
      });
      addSlowAdd(context);
      ContextStreams streams(context);
      ASSERT_TRUE(streams.reserve(4, 5).ok());
      Op one("slow_add", "rw", {param("amount", 1.0)});
      Op ten("slow_add", "rw", {param("amount", 10.0)});
      Floats x({4}), a({4}), b({4}), c({4}), sum({4});
      auto run = [&] {
        // a = x + 1, beside b = x + 10, beside c = (x + 1) + 1 with a fork of
        // its own, in which sum = x + 1.
        auto results = execute_in_parallel(
            streams, numberedStreams(2), enable,
            launcher(context, one, {&x, &a}),
            Launches{launcher(context, ten, {&x, &b}), [&](int32_t stream) {
                       auto inner = execute_in_parallel(
                           streams, numberedStreams(1, stream, 3, 3), enable,
                           launcher(context, one, {&x, &c}),
                           Launches{launcher(context, one, {&x, &sum})});
                       EXPECT_TRUE(inner.ok());
                       return launcher(context, one, {&c, &c})(stream);
                     }});
        ASSERT_TRUE(results.ok()) << results.status.message;
        EXPECT_EQ(results.auxiliary[1], BRAID_OK);
        // On the main stream, after the join.
        ASSERT_EQ(launcher(context, ten, {&b, &b})(0), BRAID_OK);
        ASSERT_EQ(launcher(context, one, {&sum, &x})(0), BRAID_OK);
      };
      run();
      run(); // reads the x that the first one left
      ASSERT_EQ(braid_synchronize(context), BRAID_OK) << context.error();
      EXPECT_EQ(a(3), 3);
      EXPECT_EQ(b(3), 22);
      EXPECT_EQ(c(3), 4);
      EXPECT_EQ(sum(3), 3);
      EXPECT_EQ(x(3), 4);
      EXPECT_EQ(context.statistics().launches, 14);
    }
}

TEST(Parallel, BesideCompiledCalls) {
  Context context;
  addSlowAdd(context);
  ContextStreams streams(context);
  ASSERT_TRUE(streams.reserve(2, 2).ok());
  braid_schedule schedule = makeSchedule(2, 2);
  Op one("slow_add", "rw", {param("amount", 1.0)});
  Floats x({1}), y({1}), z({1});
  // y = x + 1 with events of its own.
  Function function("f", {}, [&](braid_frame *frame, const braid_tensor *) {
    braid_rt_schedule_begin(frame, &schedule, 1);
    braid_rt_record(frame, 0, 0);
    braid_rt_wait(frame, 1, 0);
    one.launch(frame, 1, {&x, &y});
    braid_rt_record(frame, 1, 1);
    braid_rt_wait(frame, 0, 1);
    braid_rt_schedule_end(frame);
  });
  std::vector<braid_tensor> none;
  braid_call call = function.call(none);
  for (bool synchronizes : {false, true}) {
    // The main function is a compiled one, and uses stream 1 as well.
    auto results = execute_in_parallel(
        streams, numberedStreams(1), true,
        [&](int32_t) {
          braid_status status = braid_execute(context, &call);
          if (synchronizes)
            status = braid_synchronize(context);
          return status;
        },
        Launches{launcher(context, one, {&x, &z})});
    ASSERT_TRUE(results.ok()) << results.status.message;
    EXPECT_EQ(results.main, BRAID_OK) << context.error();
    ASSERT_EQ(launcher(context, one, {&z, &y})(0), BRAID_OK);
    ASSERT_EQ(braid_synchronize(context), BRAID_OK);
    EXPECT_EQ(y(0), 2);
    y(0) = z(0) = 0;
  }
}

TEST(Parallel, ManyForksWithoutSynchronizing) {
  Context context;
  std::atomic<int> runs{0};
  context.add("count", [&](const braid_kernel_call &) {
    ++runs;
    return BRAID_OK;
  });
  ContextStreams streams(context);
  ASSERT_TRUE(streams.reserve(2, 2).ok());
  Op count("count", "");
  auto function = launcher(context, count);
  for (int i = 0; i < 10000; ++i)
    ASSERT_TRUE(execute_in_parallel(streams, numberedStreams(1), true, function,
                                    Launches{function})
                    .ok());
  ASSERT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(runs, 20000);
}

TEST(Parallel, InsideASegment) {
  std::string text;
  for (bool trace : {false, true}) {
    Context context(trace ? traceTo(text) : nullptr);
    if (!trace)
      addSlowAdd(context);
    braid_schedule schedule = {sizeof(schedule), "layer", 2, 2, 256, 0};
    Region segment("layer.segment0", "..");
    Op one("slow_add", "rw", {param("amount", 1.0)}, "", "");
    std::vector<int64_t> bounds = {4};
    braid_dispatch gate = {sizeof(gate), "layer.gate", bounds.data(), 1, 1};
    Function function(
        "layer",
        {{"x", BRAID_F32, {BRAID_SIZE_TOKENS}},
         {"y", BRAID_F32, {BRAID_SIZE_TOKENS}}},
        [&](braid_frame *frame, const braid_tensor *a) {
          const braid_tensor *liveIns[] = {a, a + 1};
          bool enable = !braid_rt_dispatch(frame, &gate, a->sizes[0]);
          void *base = braid_rt_schedule_begin(frame, &schedule, a->sizes[0]);
          braid_tensor between = makeTensor(base, BRAID_F32, {a->sizes[0]});
          if (braid_rt_segment_begin(frame, &segment.region, liveIns)) {
            FrameStreams streams(frame);
            std::vector<std::function<void(int32_t)>> branches = {
                [&](int32_t stream) {
                  one.launch(frame, stream, {a, &between});
                }};
            auto results = execute_in_parallel(
                streams, numberedStreams(1), enable, [](int32_t) {}, branches);
            EXPECT_TRUE(results.ok());
            one.launch(frame, 0, {&between, a + 1});
            braid_rt_segment_end(frame);
          }
          braid_rt_schedule_end(frame);
        },
        256, 0);
    for (int64_t tokens : {4, 5}) {
      Floats x({tokens}, 3), y({tokens});
      std::vector<braid_tensor> arguments = {x.tensor, y.tensor};
      braid_call call = function.call(arguments);
      ASSERT_EQ(braid_prepare(context, &call), BRAID_OK) << context.error();
      ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
      ASSERT_EQ(braid_synchronize(context), BRAID_OK);
      EXPECT_EQ(y(tokens - 1), trace ? 0 : 5);
    }
    EXPECT_EQ(context.statistics().replays, 2);
  }
  EXPECT_EQ(text, "prepare layer tokens=4\n"
                  "dispatch layer.gate range=0 threshold=4\n"
                  "schedule layer streams=2 events=2 workspace=1024\n"
                  "segment layer.segment0 capture\n"
                  "  record s0 e0\n"
                  "  wait s1 e0\n"
                  "  launch s1 slow_add [4xf32 r, 4xf32 w] amount=1\n"
                  "  record s1 e1\n"
                  "  wait s0 e1\n"
                  "  launch s0 slow_add [4xf32 r, 4xf32 w] amount=1\n"
                  "call layer tokens=4\n"
                  "dispatch layer.gate range=0 threshold=4\n"
                  "schedule layer streams=2 events=2 workspace=1024\n"
                  "segment layer.segment0 replay\n"
                  "prepare layer tokens=5\n"
                  "dispatch layer.gate range=1 threshold=4\n"
                  "schedule layer streams=2 events=2 workspace=1280\n"
                  "segment layer.segment0 capture\n"
                  "  launch s0 slow_add [5xf32 r, 5xf32 w] amount=1\n"
                  "  launch s0 slow_add [5xf32 r, 5xf32 w] amount=1\n"
                  "call layer tokens=5\n"
                  "dispatch layer.gate range=1 threshold=4\n"
                  "schedule layer streams=2 events=2 workspace=1280\n"
                  "segment layer.segment0 replay\n");
}

//===----------------------------------------------------------------------===//
// Mistakes in the use of a context's streams
//===----------------------------------------------------------------------===//

TEST(Parallel, RejectsStreamsAndEvents) {
  std::string text;
  for (bool trace : {false, true}) {
    Context context(trace ? traceTo(text) : nullptr);
    Op op("nothing", "");
    context.add("nothing", [](const braid_kernel_call &) { return BRAID_OK; });
    EXPECT_EQ(braid_stream_launch(context, 0, &op.op, nullptr),
              BRAID_INVALID_ARGUMENT);
    EXPECT_CONTAINS(context.error(), "launch on stream 0 of a context with 0 "
                                     "streams; braid_streams_reserve");
    EXPECT_EQ(braid_streams_reserve(context, 5, 0), BRAID_UNSUPPORTED);
    EXPECT_CONTAINS(context.error(), "4 auxiliary streams, but the context "
                                     "allows 3 (max_auxiliary_streams)");
    EXPECT_EQ(braid_streams_reserve(context, -1, 0), BRAID_INVALID_ARGUMENT);
    EXPECT_EQ(braid_streams_reserve(context, 0, -1), BRAID_INVALID_ARGUMENT);
    ASSERT_EQ(braid_streams_reserve(context, 2, 2), BRAID_OK);
    ASSERT_EQ(braid_streams_reserve(context, 1, 1), BRAID_OK);
    EXPECT_EQ(context.statistics().streams, 2) << "never fewer";
    EXPECT_EQ(braid_stream_launch(context, 0, &op.op, nullptr), BRAID_OK);
    EXPECT_EQ(braid_stream_launch(context, 2, &op.op, nullptr),
              BRAID_INVALID_ARGUMENT);
    EXPECT_EQ(braid_stream_launch(context, -1, &op.op, nullptr),
              BRAID_INVALID_ARGUMENT);
    EXPECT_EQ(braid_stream_launch(context, 0, nullptr, nullptr),
              BRAID_INVALID_ARGUMENT);
    EXPECT_CONTAINS(context.error(), "the op of a launch is NULL");
    Op other("other", "r");
    EXPECT_EQ(braid_stream_launch(context, 0, &other.op, nullptr),
              BRAID_INVALID_ARGUMENT);
    EXPECT_CONTAINS(context.error(), "the tables of op 'other' are incomplete");
    EXPECT_EQ(braid_stream_record(context, 2, 0), BRAID_INVALID_ARGUMENT);
    EXPECT_EQ(braid_stream_record(context, 0, 2), BRAID_INVALID_ARGUMENT);
    EXPECT_CONTAINS(context.error(),
                    "record of event 2 of a context with 2 events");
    EXPECT_EQ(braid_stream_wait(context, 0, 1), BRAID_INVALID_ARGUMENT);
    EXPECT_CONTAINS(context.error(),
                    "stream 0 waits on event 1, which was not recorded");
    EXPECT_EQ(braid_stream_record(context, 1, 1), BRAID_OK);
    EXPECT_EQ(braid_stream_wait(context, 0, 1), BRAID_OK);
    EXPECT_EQ(braid_synchronize(context), BRAID_OK);
    EXPECT_EQ(braid_stream_wait(context, 0, 1), BRAID_OK) << "long done";
    EXPECT_EQ(braid_synchronize(context), BRAID_OK);
    EXPECT_EQ(braid_streams_reserve(nullptr, 1, 1), BRAID_INVALID_ARGUMENT);
    EXPECT_EQ(braid_stream_launch(nullptr, 0, &op.op, nullptr),
              BRAID_INVALID_ARGUMENT);
    EXPECT_EQ(braid_stream_record(nullptr, 0, 0), BRAID_INVALID_ARGUMENT);
    EXPECT_EQ(braid_stream_wait(nullptr, 0, 0), BRAID_INVALID_ARGUMENT);
  }
}

TEST(Parallel, FailuresOfAContext) {
  Context context;
  ContextStreams streams(context);
  StreamStatus reserved = streams.reserve(9, 9);
  EXPECT_EQ(reserved.status, BRAID_UNSUPPORTED);
  EXPECT_CONTAINS(reserved.message, "max_auxiliary_streams");
  ASSERT_TRUE(streams.reserve(2, 2).ok());
  Op unknown("unknown", "");
  auto results = execute_in_parallel(streams, numberedStreams(1, 0, 2), true,
                                     launcher(context, unknown),
                                     Launches{launcher(context, unknown)});
  EXPECT_EQ(results.status.status, BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(results.status.message, "wait on stream 2 of a context with");
  // What a function returns is its own business.
  results = execute_in_parallel(streams, numberedStreams(1), true,
                                launcher(context, unknown),
                                Launches{launcher(context, unknown)});
  EXPECT_TRUE(results.ok());
  EXPECT_EQ(results.main, BRAID_NO_KERNEL);
  EXPECT_EQ(results.auxiliary[0], BRAID_NO_KERNEL);
  // Not from inside a call.
  Function function("f", {}, [&](braid_frame *, const braid_tensor *) {
    EXPECT_EQ(braid_stream_record(context, 0, 0), BRAID_INVALID_ARGUMENT);
    EXPECT_CONTAINS(braid_last_error(nullptr), "in use by another call");
  });
  std::vector<braid_tensor> none;
  braid_call call = function.call(none);
  EXPECT_EQ(braid_execute(context, &call), BRAID_OK);
}
