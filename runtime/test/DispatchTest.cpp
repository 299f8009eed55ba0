//===- DispatchTest.cpp - Choices by token count ------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which range a dispatch takes, where a gate's threshold comes from, and what
// the options' struct size has to do with it.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <cmath>
#include <cstddef>
#include <cstdlib>

using namespace braid::test;

static bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}
#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_TRUE(contains(text, part)) << "in: " << std::string(text)

namespace {

/// Sets BRAID_TOKEN_THRESHOLD for a while.
struct Environment {
  explicit Environment(const char *value) {
    setenv("BRAID_TOKEN_THRESHOLD", value, 1);
  }
  ~Environment() { unsetenv("BRAID_TOKEN_THRESHOLD"); }
};

std::function<void(braid_context_options &)> threshold(int64_t value) {
  return [value](braid_context_options &options) {
    options.token_threshold = value;
  };
}

braid_dispatch makeDispatch(const std::vector<int64_t> &bounds, int32_t gate) {
  return {sizeof(braid_dispatch), "choice", bounds.data(),
          static_cast<int32_t>(bounds.size()), gate};
}

/// Runs `body` as a function and returns the status.
braid_status run(Context &context, std::function<void(braid_frame *)> body) {
  Function function(
      "f", {}, [&](braid_frame *frame, const braid_tensor *) { body(frame); });
  std::vector<braid_tensor> none;
  braid_call call = function.call(none);
  return braid_execute(context, &call);
}

/// The range that a call takes; the two ways through agree.
int32_t rangeOf(Context &context, const braid_dispatch &dispatch,
                int64_t tokens) {
  std::vector<int32_t> ranges;
  EXPECT_EQ(run(context,
                [&](braid_frame *frame) {
                  ranges.push_back(braid_rt_dispatch(frame, &dispatch, tokens));
                }),
            BRAID_OK)
      << context.error();
  EXPECT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges.front(), ranges.back());
  return ranges.front();
}

} // namespace

TEST(Dispatch, ThresholdIsIncluded) {
  Context context;
  std::vector<int64_t> bounds = {8};
  braid_dispatch gate = makeDispatch(bounds, 1);
  for (int64_t tokens : {0, 1, 7, 8})
    EXPECT_EQ(rangeOf(context, gate, tokens), 0) << tokens;
  for (int64_t tokens : {int64_t(9), int64_t(10), INT64_MAX})
    EXPECT_EQ(rangeOf(context, gate, tokens), 1) << tokens;
}

TEST(Dispatch, ZeroIsOffForEveryCount) {
  std::vector<int64_t> zero = {0}, eight = {8};
  braid_dispatch off = makeDispatch(zero, 1), on = makeDispatch(eight, 1);
  Context compiled, option(threshold(0));
  for (int64_t tokens : {0, 1, 8, 100}) {
    EXPECT_EQ(rangeOf(compiled, off, tokens), 1) << tokens;
    EXPECT_EQ(rangeOf(option, on, tokens), 1) << tokens;
  }
  Environment environment("0");
  Context fromEnvironment;
  for (int64_t tokens : {0, 1, 8, 100})
    EXPECT_EQ(rangeOf(fromEnvironment, on, tokens), 1) << tokens;
}

// What is launched one by one takes the serial form of a gate for few tokens;
// choices that are no gates do not care.
TEST(Dispatch, EagerTokenMinimum) {
  std::vector<int64_t> bounds = {8};
  braid_dispatch gate = makeDispatch(bounds, 1),
                 fixed = makeDispatch(bounds, 0);
  Context context(
      [](braid_context_options &options) { options.eager_token_minimum = 4; });
  for (int64_t tokens : {1, 3, 9})
    EXPECT_EQ(rangeOf(context, gate, tokens), 1) << tokens;
  for (int64_t tokens : {4, 8})
    EXPECT_EQ(rangeOf(context, gate, tokens), 0) << tokens;
  for (int64_t tokens : {1, 3, 8})
    EXPECT_EQ(rangeOf(context, fixed, tokens), 0) << tokens;
}

TEST(Dispatch, OptionThenEnvironmentThenCompiled) {
  std::vector<int64_t> bounds = {8};
  braid_dispatch gate = makeDispatch(bounds, 1);
  auto largest = [&](Context &context) {
    int64_t tokens = 0;
    while (tokens < 100 && rangeOf(context, gate, tokens + 1) == 0)
      ++tokens;
    EXPECT_EQ(braid_token_threshold(context, 8), tokens);
    return tokens;
  };
  Context before;
  EXPECT_EQ(largest(before), 8);
  {
    Environment environment("16");
    Context context, option(threshold(4)), unset(threshold(-1));
    EXPECT_EQ(largest(context), 16);
    EXPECT_EQ(largest(option), 4);
    EXPECT_EQ(largest(unset), 16);
    EXPECT_EQ(largest(before), 8) << "read when the context is created";
    setenv("BRAID_TOKEN_THRESHOLD", "32", 1);
    EXPECT_EQ(largest(context), 16);
  }
  {
    Environment environment(""); // as if it were not set
    Context context;
    EXPECT_EQ(largest(context), 8);
  }
  EXPECT_EQ(braid_token_threshold(nullptr, 8), 8);
}

TEST(Dispatch, RejectsThresholds) {
  for (const char *value : {"many", "-1", "8k", " 8", "+8", "0x8", "8.0", "8 ",
                            "9223372036854775808"}) {
    Environment environment(value);
    braid_context *context = nullptr;
    EXPECT_EQ(braid_context_create(nullptr, &context), BRAID_INVALID_ARGUMENT)
        << value;
    EXPECT_EQ(context, nullptr);
    EXPECT_CONTAINS(braid_last_error(nullptr),
                    ("BRAID_TOKEN_THRESHOLD is '" + std::string(value) +
                     "', expected a number of at least 0")
                        .c_str());
    Context option(threshold(8)); // does not read it
    EXPECT_EQ(braid_token_threshold(option, 1), 8);
  }
  {
    Environment environment("9223372036854775807");
    Context context;
    EXPECT_EQ(braid_token_threshold(context, 1), INT64_MAX);
  }
  braid_context_options options;
  braid_context_options_initialize(&options);
  EXPECT_EQ(options.token_threshold, -1);
  options.token_threshold = -2;
  braid_context *context = nullptr;
  EXPECT_EQ(braid_context_create(&options, &context), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(braid_last_error(nullptr), "token_threshold is -2");
}

TEST(Dispatch, SeveralBounds) {
  Environment environment("3"); // of no concern to what is no gate
  Context context(threshold(100));
  std::vector<int64_t> bounds = {0, 4, 16};
  braid_dispatch dispatch = makeDispatch(bounds, 0);
  const std::vector<std::pair<int64_t, int32_t>> expected = {
      {0, 0}, {1, 1}, {4, 1}, {5, 2}, {16, 2}, {17, 3}, {INT64_MAX, 3}};
  for (auto [tokens, range] : expected)
    EXPECT_EQ(rangeOf(context, dispatch, tokens), range) << tokens;
  std::vector<int64_t> one = {4};
  EXPECT_EQ(rangeOf(context, makeDispatch(one, 0), 4), 0);
  EXPECT_EQ(rangeOf(context, makeDispatch(one, 0), 5), 1);
  EXPECT_EQ(rangeOf(context, makeDispatch({}, 0), 5), 0);
}

TEST(Dispatch, RejectsTables) {
  Context context;
  auto failure = [&](auto change, int64_t tokens = 5, int32_t last = 1) {
    std::vector<int64_t> bounds = {4};
    braid_dispatch dispatch = makeDispatch(bounds, 1);
    change(dispatch, bounds);
    EXPECT_EQ(
        run(context,
            [&](braid_frame *frame) {
              EXPECT_EQ(braid_rt_dispatch(frame, &dispatch, tokens), last);
              // And again on the failed frame.
              EXPECT_EQ(braid_rt_dispatch(frame, &dispatch, 0), last);
            }),
        last || dispatch.struct_size ? BRAID_INTERNAL : BRAID_INVALID_ARGUMENT);
    return context.error();
  };
  using Table = braid_dispatch;
  using Bounds = std::vector<int64_t>;
  EXPECT_CONTAINS(
      failure([](Table &table, Bounds &) { table.struct_size = 0; }, 5, 0),
      "braid_dispatch.struct_size is 0");
  EXPECT_CONTAINS(failure([](Table &table, Bounds &) { table.name = nullptr; }),
                  "a dispatch has no name");
  EXPECT_CONTAINS(
      failure([](Table &table, Bounds &) { table.bounds = nullptr; }),
      "the tables of dispatch 'choice' are incomplete");
  EXPECT_CONTAINS(
      failure([](Table &table, Bounds &) { table.num_bounds = -1; }, 5, 0),
      "the tables of dispatch 'choice' are incomplete");
  EXPECT_CONTAINS(failure([](Table &table, Bounds &) { table.gate = 2; }),
                  "gate of dispatch 'choice' is 2");
  EXPECT_CONTAINS(failure(
                      [](Table &table, Bounds &bounds) {
                        bounds = {4, 8};
                        table.bounds = bounds.data();
                        table.num_bounds = 2;
                      },
                      5, 2),
                  "gate 'choice' has 2 bounds");
  EXPECT_CONTAINS(failure([](Table &, Bounds &bounds) { bounds[0] = -1; }),
                  "bound 0 of dispatch 'choice' is -1");
  for (int64_t second : {4, 3, -1})
    EXPECT_CONTAINS(failure(
                        [&](Table &table, Bounds &bounds) {
                          bounds = {4, second};
                          table = makeDispatch(bounds, 0);
                        },
                        5, 2),
                    "bound 1 of dispatch 'choice' is");
  EXPECT_CONTAINS(failure([](Table &, Bounds &) {}, -1),
                  "dispatch 'choice' for -1 tokens");
  EXPECT_EQ(run(context,
                [](braid_frame *frame) {
                  EXPECT_EQ(braid_rt_dispatch(frame, nullptr, 5), 0);
                }),
            BRAID_INTERNAL);
  EXPECT_CONTAINS(context.error(), "by a NULL table");
}

TEST(Dispatch, AfterAFailure) {
  Context context;
  Op unknown("unknown", "");
  braid_schedule schedule = makeSchedule(1, 0);
  std::vector<int64_t> bounds = {4, 8, 16};
  braid_dispatch dispatch = makeDispatch(bounds, 0);
  EXPECT_EQ(run(context,
                [&](braid_frame *frame) {
                  braid_rt_schedule_begin(frame, &schedule, 1);
                  unknown.launch(frame, 0, {});
                  EXPECT_EQ(braid_rt_dispatch(frame, &dispatch, 1), 3);
                }),
            BRAID_NO_KERNEL);
}

//===----------------------------------------------------------------------===//
// Old callers
//===----------------------------------------------------------------------===//

TEST(Dispatch, OldStructSizes) {
  // What a caller knew before there was a token threshold, and garbage behind.
  braid_context_options options;
  (braid_context_options_initialize)(&options);
  const size_t old = offsetof(braid_context_options, token_threshold);
  EXPECT_EQ(options.struct_size, old);
  EXPECT_EQ(options.max_graphs, 1024);
  options.token_threshold = -77;
  options.delay_seed = 77;
  options.poison = 77;
  Environment environment("16");
  braid_context *context = nullptr;
  ASSERT_EQ(braid_context_create(&options, &context), BRAID_OK)
      << braid_last_error(nullptr);
  EXPECT_EQ(braid_token_threshold(context, 8), 16);
  braid_context_destroy(context);
  // A caller that knows the threshold only.
  options.struct_size = offsetof(braid_context_options, delay_seed);
  options.token_threshold = 4;
  ASSERT_EQ(braid_context_create(&options, &context), BRAID_OK);
  EXPECT_EQ(braid_token_threshold(context, 8), 4);
  braid_context_destroy(context);
}

TEST(Dispatch, InitializeWritesNoMoreThanItsCallerHas) {
  braid_context_options options;
  const size_t old = offsetof(braid_context_options, token_threshold);
  std::fill_n(reinterpret_cast<char *>(&options), sizeof(options), 0x55);
  (braid_context_options_initialize)(&options);
  for (size_t i = old; i < sizeof(options); ++i)
    EXPECT_EQ(reinterpret_cast<char *>(&options)[i], 0x55) << i;
  (braid_context_options_initialize)(nullptr);
  struct {
    braid_context_options options;
    int64_t future;
  } larger;
  larger.future = 9;
  braid_context_options_initialize_sized(&larger.options, sizeof(larger));
  EXPECT_EQ(larger.options.struct_size, sizeof(larger));
  EXPECT_EQ(larger.future, 0);
  braid_context *context = nullptr;
  ASSERT_EQ(braid_context_create(&larger.options, &context), BRAID_OK);
  braid_context_destroy(context);
}

//===----------------------------------------------------------------------===//
// Programs with a gate
//===----------------------------------------------------------------------===//

namespace {

/// y = (x + 1) + 10: up to 4 tokens with the first half on stream 1, above in
/// order on stream 0.
struct Gated {
  std::vector<int64_t> bounds = {4};
  braid_dispatch gate = {sizeof(gate), "layer.gate", bounds.data(), 1, 1};
  braid_schedule overlap = {sizeof(overlap), "layer.overlap", 2, 2, 256, 0};
  braid_schedule serial = {sizeof(serial), "layer.serial", 1, 0, 256, 0};
  Region overlapSegment{"layer.overlap.segment0", ".."};
  Region serialSegment{"layer.serial.segment0", ".."};
  Op addOne{"add", "rw", {param("amount", 1.0)}};
  Op addTen{"add", "rw", {param("amount", 10.0)}};
  Function function{"layer",
                    {{"x", BRAID_F32, {BRAID_SIZE_TOKENS}},
                     {"y", BRAID_F32, {BRAID_SIZE_TOKENS}}},
                    [this](braid_frame *frame, const braid_tensor *arguments) {
                      body(frame, arguments);
                    },
                    256,
                    0};
  Floats x{{8}, 5}, y{{8}};

  void body(braid_frame *frame, const braid_tensor *a) {
    const braid_tensor *liveIns[] = {a, a + 1};
    int64_t tokens = a->sizes[0];
    bool overlaps = braid_rt_dispatch(frame, &gate, tokens) == 0;
    void *base =
        braid_rt_schedule_begin(frame, overlaps ? &overlap : &serial, tokens);
    braid_tensor between = makeTensor(base, BRAID_F32, {tokens});
    const Region &segment = overlaps ? overlapSegment : serialSegment;
    if (braid_rt_segment_begin(frame, &segment.region, liveIns)) {
      if (overlaps) {
        braid_rt_record(frame, 0, 0);
        braid_rt_wait(frame, 1, 0);
      }
      addOne.launch(frame, overlaps ? 1 : 0, {a, &between});
      if (overlaps) {
        braid_rt_record(frame, 1, 1);
        braid_rt_wait(frame, 0, 1);
      }
      addTen.launch(frame, 0, {&between, a + 1});
      braid_rt_segment_end(frame);
    }
    braid_rt_schedule_end(frame);
  }

  std::vector<braid_tensor> arguments(int64_t tokens) const {
    std::vector<braid_tensor> result = {x.tensor, y.tensor};
    result[0].sizes[0] = result[1].sizes[0] = tokens;
    return result;
  }
};

void addAdd(Context &context) {
  context.add("add", [](const braid_kernel_call &call) {
    const braid_tensor &x = *call.operands[0], &y = *call.operands[1];
    for (int64_t i = 0; i < x.sizes[0]; ++i)
      static_cast<float *>(y.data)[i] =
          static_cast<const float *>(x.data)[i] + call.op->params[0].value.f;
    return BRAID_OK;
  });
}

} // namespace

TEST(Dispatch, PreparedInOneRangeExecutedInTheOther) {
  for (int64_t prepared : {4, 5}) {
    int64_t other = prepared == 4 ? 5 : 4;
    Context context;
    addAdd(context);
    Gated gated;
    auto execute = [&](int64_t tokens) {
      std::fill(gated.y.data.begin(), gated.y.data.end(), 0.0f);
      std::vector<braid_tensor> arguments = gated.arguments(tokens);
      braid_call call = gated.function.call(arguments);
      ASSERT_EQ(braid_execute(context, &call), BRAID_OK) << context.error();
      ASSERT_EQ(braid_synchronize(context), BRAID_OK);
      for (int64_t i = 0; i < 8; ++i)
        EXPECT_EQ(gated.y(i), i < tokens ? 16 : 0) << tokens;
    };
    auto prepare = [&](int64_t tokens) {
      std::vector<braid_tensor> arguments = gated.arguments(tokens);
      braid_call call = gated.function.call(arguments);
      ASSERT_EQ(braid_prepare(context, &call), BRAID_OK) << context.error();
    };
    prepare(prepared);
    EXPECT_EQ(context.statistics().streams, prepared == 4 ? 2 : 1);
    execute(prepared);
    EXPECT_EQ(context.statistics().replays, 1);
    execute(other);
    EXPECT_EQ(context.statistics().replays, 1);
    EXPECT_EQ(context.statistics().eager_segments, 1);
    execute(prepared);
    EXPECT_EQ(context.statistics().replays, 2);
    prepare(other);
    execute(other);
    execute(prepared);
    EXPECT_EQ(context.statistics().replays, 4);
    EXPECT_EQ(context.statistics().graphs, 2);
  }
}

TEST(Dispatch, Trace) {
  std::string text;
  auto traced = [&](int64_t option) {
    return [&text, option](braid_context_options &options) {
      options.backend = BRAID_BACKEND_TRACE;
      options.token_threshold = option;
      options.trace = [](const char *line, void *data) {
        *static_cast<std::string *>(data) += std::string(line) + "\n";
      };
      options.trace_user_data = &text;
    };
  };
  Gated gated;
  auto trace = [&](Context &context, bool prepare, int64_t tokens) {
    text.clear();
    std::vector<braid_tensor> arguments = gated.arguments(tokens);
    braid_call call = gated.function.call(arguments);
    EXPECT_EQ(prepare ? braid_prepare(context, &call)
                      : braid_execute(context, &call),
              BRAID_OK);
    return text.substr(0, text.find("\n  "));
  };
  Context compiled(traced(-1)), option(traced(4096));
  EXPECT_EQ(trace(compiled, false, 4),
            "call layer tokens=4\n"
            "dispatch layer.gate range=0 threshold=4\n"
            "schedule layer.overlap streams=2 events=2 workspace=1024\n"
            "segment layer.overlap.segment0 eager");
  EXPECT_EQ(trace(compiled, true, 5),
            "prepare layer tokens=5\n"
            "dispatch layer.gate range=1 threshold=4\n"
            "schedule layer.serial streams=1 events=0 workspace=1280\n"
            "segment layer.serial.segment0 capture");
  EXPECT_CONTAINS(trace(option, false, 5),
                  "dispatch layer.gate range=0 threshold=4096\n");
  // Captured, a few tokens are overlapped; launched one by one they are not.
  Context minimum([&](braid_context_options &options) {
    traced(-1)(options);
    options.eager_token_minimum = 4;
  });
  EXPECT_CONTAINS(trace(minimum, false, 3), "range=1 threshold=4\n");
  EXPECT_CONTAINS(trace(minimum, true, 3), "range=0 threshold=4\n");
  EXPECT_CONTAINS(trace(minimum, false, 3), "range=0 threshold=4\n");
  gated.gate.gate = 0;
  EXPECT_CONTAINS(trace(option, false, 5), "dispatch layer.gate range=1\n");
}
