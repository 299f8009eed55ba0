//===- ContextTest.cpp - Contexts, versions and tables --------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of runtime.h that need no compiled function that does
// anything, each with its errors.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <thread>

using namespace braid::test;

static bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}
#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_TRUE(contains(text, part)) << "in: " << std::string(text)

TEST(Context, Defaults) {
  braid_context_options_initialize(nullptr);
  braid_context_options options;
  braid_context_options_initialize(&options);
  EXPECT_EQ(options.struct_size, sizeof(options));
  EXPECT_EQ(options.backend, BRAID_BACKEND_HOST);
  EXPECT_EQ(options.capture, 1);
  EXPECT_EQ(options.require_prepared, 0);
  EXPECT_EQ(options.max_auxiliary_streams, 3);
  EXPECT_EQ(options.max_graphs, 1024);
  EXPECT_EQ(options.scratch_bytes, size_t(64) << 20);
  EXPECT_EQ(options.token_threshold, -1);
  EXPECT_EQ(options.delay_seed, 0u);
  EXPECT_EQ(options.poison, 0);

  braid_context *context = nullptr;
  EXPECT_EQ(braid_context_create(nullptr, &context), BRAID_OK);
  ASSERT_NE(context, nullptr);
  EXPECT_STREQ(braid_last_error(context), "");
  braid_context_destroy(context);
  braid_context_destroy(nullptr);
}

TEST(Context, RejectsOptions) {
  braid_context *context = reinterpret_cast<braid_context *>(&context);
  auto create = [&](auto change) {
    braid_context_options options;
    braid_context_options_initialize(&options);
    change(options);
    braid_status status = braid_context_create(&options, &context);
    EXPECT_EQ(context, nullptr);
    return status;
  };
  using Options = braid_context_options;
  EXPECT_EQ(create([](Options &o) { o.struct_size = 0; }),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(braid_last_error(nullptr),
                  "braid_context_options.struct_size is 0");
  EXPECT_EQ(create([](Options &o) {
              o.struct_size = offsetof(Options, token_threshold) - 8;
            }),
            BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(create([](Options &o) { o.max_graphs = 0; }),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(braid_last_error(nullptr), "max_graphs is 0");
  EXPECT_EQ(create([](Options &o) { o.max_auxiliary_streams = -1; }),
            BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(create([](Options &o) { o.backend = 17; }), BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(create([](Options &o) {
              o.allocate = [](size_t, void *) -> void * { return nullptr; };
            }),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(braid_last_error(nullptr), "expected both or neither");
  EXPECT_EQ(braid_context_create(nullptr, nullptr), BRAID_INVALID_ARGUMENT);
}

TEST(Context, CudaIsNotBuilt) {
  braid_context_options options;
  braid_context_options_initialize(&options);
  options.backend = BRAID_BACKEND_CUDA;
  braid_context *context = nullptr;
  EXPECT_EQ(braid_context_create(&options, &context), BRAID_UNSUPPORTED);
  EXPECT_CONTAINS(braid_last_error(nullptr), "there is no cuda backend here");
}

TEST(Context, AcceptsLargerStructs) {
  struct {
    braid_context_options options;
    char future[64];
  } larger = {};
  braid_context_options_initialize(&larger.options);
  larger.options.struct_size = sizeof(larger);
  braid_context *context = nullptr;
  EXPECT_EQ(braid_context_create(&larger.options, &context), BRAID_OK);
  braid_context_destroy(context);
}

TEST(Context, StatusNamesAndVersion) {
  EXPECT_STREQ(braid_status_name(BRAID_OK), "ok");
  EXPECT_STREQ(braid_status_name(BRAID_INVALID_ARGUMENT), "invalid argument");
  for (int status = 0; status <= 8; ++status)
    EXPECT_STRNE(braid_status_name(static_cast<braid_status>(status)),
                 "unknown status");
  int32_t major = -1, minor = -1;
  braid_abi_version(&major, &minor);
  EXPECT_EQ(major, BRAID_ABI_MAJOR);
  EXPECT_EQ(minor, BRAID_ABI_MINOR);
  braid_abi_version(nullptr, nullptr);
}

TEST(Context, NullContext) {
  EXPECT_EQ(braid_synchronize(nullptr), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(braid_last_error(nullptr), "context is NULL");
  EXPECT_EQ(braid_prepare(nullptr, nullptr), BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(braid_execute(nullptr, nullptr), BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(braid_register_kernel(nullptr, nullptr), BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(braid_get_statistics(nullptr, nullptr), BRAID_INVALID_ARGUMENT);
}

TEST(Context, Statistics) {
  Context context;
  EXPECT_EQ(braid_get_statistics(context, nullptr), BRAID_INVALID_ARGUMENT);
  braid_statistics statistics = {};
  EXPECT_EQ(braid_get_statistics(context, &statistics), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "braid_statistics.struct_size is 0");
  struct {
    braid_statistics statistics;
    int64_t future;
  } larger = {};
  larger.future = 7;
  larger.statistics.struct_size = sizeof(larger);
  EXPECT_EQ(braid_get_statistics(context, &larger.statistics), BRAID_OK);
  EXPECT_EQ(larger.statistics.struct_size, sizeof(larger));
  EXPECT_EQ(larger.future, 7);
}

TEST(Context, RejectsKernels) {
  Context context;
  braid_kernel kernel = {};
  EXPECT_EQ(braid_register_kernel(context, nullptr), BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(braid_register_kernel(context, &kernel), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "braid_kernel.struct_size is 0");
  kernel.struct_size = sizeof(kernel);
  EXPECT_EQ(braid_register_kernel(context, &kernel), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "name is empty");
  kernel.name = "mine";
  EXPECT_EQ(braid_register_kernel(context, &kernel), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "run of kernel 'mine' is NULL");
}

TEST(Context, SecondThreadIsRefused) {
  Context context;
  std::atomic<int> stage{0};
  braid_schedule schedule = makeSchedule(1, 0);
  Function function("f", {}, [&](braid_frame *frame, const braid_tensor *) {
    braid_rt_schedule_begin(frame, &schedule, 1);
    braid_rt_schedule_end(frame);
    // Only the first of the two ways through.
    if (stage != 0)
      return;
    stage = 1;
    while (stage != 2)
      std::this_thread::yield();
  });
  std::vector<braid_tensor> none;
  braid_call call = function.call(none);
  std::thread first(
      [&] { EXPECT_EQ(braid_prepare(context, &call), BRAID_OK); });
  while (stage != 1)
    std::this_thread::yield();
  EXPECT_EQ(braid_synchronize(context), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(context.error(), "in use by another call");
  EXPECT_CONTAINS(braid_last_error(nullptr), "in use by another call");
  stage = 2;
  first.join();
  EXPECT_EQ(braid_synchronize(context), BRAID_OK);
  EXPECT_EQ(context.error(), "");
}

TEST(Context, WorkspaceSize) {
  Function function(
      "f", {}, [](braid_frame *, const braid_tensor *) {}, 512, 256);
  size_t bytes = 0;
  EXPECT_EQ(braid_workspace_size(&function.function, 3, &bytes), BRAID_OK);
  EXPECT_EQ(bytes, 3 * 512 + 256u);
  EXPECT_EQ(braid_workspace_size(&function.function, 3, nullptr),
            BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(braid_workspace_size(nullptr, 3, &bytes), BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(braid_workspace_size(&function.function, -1, &bytes),
            BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(braid_workspace_size(&function.function, INT64_MAX / 256, &bytes),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(braid_last_error(nullptr), "larger than memory can be");
  function.function.abi_major = BRAID_ABI_MAJOR + 1;
  EXPECT_EQ(braid_workspace_size(&function.function, 1, &bytes),
            BRAID_ABI_MISMATCH);
  EXPECT_CONTAINS(braid_last_error(nullptr), "was compiled for version 1.1");
}

TEST(Context, KernelsOfTheEnvironment) {
  Floats x({3, 20}), y({3, 20});
  std::mt19937 random(1);
  fill(x, random);
  Op norm("rms_norm", "rrw", {param("eps", 1e-6)});
  setenv("BRAID_KERNELS", "baseline", 1);
  {
    Context context;
    EXPECT_EQ(context.runOp(norm, {&x, nullptr, &y}), BRAID_OK);
  }
  setenv("BRAID_KERNELS", "fastest", 1);
  braid_context *context = nullptr;
  EXPECT_EQ(braid_context_create(nullptr, &context), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(braid_last_error(nullptr), "BRAID_KERNELS is 'fastest'");
  EXPECT_CONTAINS(braid_last_error(nullptr), "can run: baseline");
  unsetenv("BRAID_KERNELS");
}

//===----------------------------------------------------------------------===//
// Rope tables
//===----------------------------------------------------------------------===//

// A backend that times nothing says so, and paths are checked first.
TEST(Context, Tuning) {
  for (int32_t backend : {BRAID_BACKEND_HOST, BRAID_BACKEND_TRACE}) {
    braid_context_options options;
    braid_context_options_initialize(&options);
    options.backend = backend;
    braid_context *context = nullptr;
    ASSERT_EQ(braid_context_create(&options, &context), BRAID_OK);
    for (auto function : {braid_tuning_save, braid_tuning_load}) {
      EXPECT_EQ(function(context, "file"), BRAID_UNSUPPORTED);
      EXPECT_CONTAINS(braid_last_error(context), "times nothing");
      EXPECT_EQ(function(context, nullptr), BRAID_INVALID_ARGUMENT);
      EXPECT_CONTAINS(braid_last_error(context), "the path is NULL");
      EXPECT_EQ(function(context, ""), BRAID_INVALID_ARGUMENT);
      EXPECT_CONTAINS(braid_last_error(context), "the path is empty");
      EXPECT_EQ(function(nullptr, "file"), BRAID_INVALID_ARGUMENT);
    }
    braid_context_destroy(context);
  }
}

TEST(RopeTable, Plain) {
  braid_rope rope = {sizeof(rope), 8, 10000.0, 1.0, 0, 0, 0};
  std::vector<float> table(5 * 8);
  ASSERT_EQ(braid_fill_rope_table(&rope, 5, table.data()), BRAID_OK);
  for (int p = 0; p < 5; ++p)
    for (int i = 0; i < 4; ++i) {
      double angle = p * std::pow(10000.0, -2.0 * i / 8);
      EXPECT_FLOAT_EQ(table[p * 8 + i], std::cos(angle));
      EXPECT_FLOAT_EQ(table[p * 8 + 4 + i], std::sin(angle));
    }
  EXPECT_EQ(braid_fill_rope_table(&rope, 0, nullptr), BRAID_OK);
}

TEST(RopeTable, Yarn) {
  braid_rope rope = {sizeof(rope), 64, 160000.0, 16.0, 32, 1, 65536};
  std::vector<float> table(2 * 64);
  ASSERT_EQ(braid_fill_rope_table(&rope, 2, table.data()), BRAID_OK);
  // By hand: the ramp runs from channel floor(15.4) to ceil(24.7).
  auto channel = [](double beta) {
    return 64 * std::log(65536 / (2 * M_PI * beta)) / (2 * std::log(160000.0));
  };
  double low = std::floor(channel(32)), high = std::ceil(channel(1));
  ASSERT_GT(low, 0);
  ASSERT_LT(high, 31);
  for (int i : {0, int(low), int(low + high) / 2, int(high), 31}) {
    double plain = std::pow(160000.0, -2.0 * i / 64);
    double ramp = std::fmin(std::fmax((i - low) / (high - low), 0), 1);
    double frequency = plain / 16 * ramp + plain * (1 - ramp);
    EXPECT_NEAR(table[64 + i], std::cos(frequency), 1e-7) << i;
    EXPECT_NEAR(table[64 + 32 + i], std::sin(frequency), 1e-7) << i;
  }
}

TEST(RopeTable, Rejects) {
  std::vector<float> table(64);
  auto status = [&](auto change) {
    braid_rope rope = {sizeof(rope), 4, 10000.0, 16.0, 32, 1, 64};
    change(rope);
    return braid_fill_rope_table(&rope, 2, table.data());
  };
  EXPECT_EQ(status([](braid_rope &) {}), BRAID_OK);
  for (auto change : std::vector<void (*)(braid_rope &)>{
           [](braid_rope &r) { r.struct_size = 0; },
           [](braid_rope &r) { r.dims = 5; }, [](braid_rope &r) { r.dims = 0; },
           [](braid_rope &r) { r.theta = 0; },
           [](braid_rope &r) { r.theta = NAN; },
           [](braid_rope &r) { r.factor = -1; },
           [](braid_rope &r) { r.beta_slow = 0; },
           [](braid_rope &r) { r.beta_fast = 0.5; },
           [](braid_rope &r) { r.original_positions = 0; }})
    EXPECT_EQ(status(change), BRAID_INVALID_ARGUMENT);
  braid_rope rope = {sizeof(rope), 4, 10000.0, 1.0, 0, 0, 0};
  EXPECT_EQ(braid_fill_rope_table(&rope, 2, nullptr), BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(braid_fill_rope_table(&rope, -1, table.data()),
            BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(braid_fill_rope_table(nullptr, 1, table.data()),
            BRAID_INVALID_ARGUMENT);
}
