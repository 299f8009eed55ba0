//===- LayerBenchmark.cpp - What a layer spends beside its GEMMs ----------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A C4A layer of DeepSeek-V4-Flash with its real dimensions on the host
// backend, 64 tokens after a history of 4096: whole, and with kernels for its
// GEMMs that only fill their results, in turns. The first without the second is
// what the GEMMs take; "rest" is what all else takes, as a share of that.
// Medians over all turns, of CPU time.
//
//===----------------------------------------------------------------------===//

#include "braid/Execution/Arguments.h"
#include "braid/Execution/Batch.h"
#include "braid/Execution/Program.h"
#include "braid/Import/ImportModel.h"
#include "braid/InitAll.h"
#include "braid/Pipelines/Pipelines.h"

#include <benchmark/benchmark.h>
#include <cstring>
#include <ctime>

using namespace braid;

namespace {

constexpr int64_t Tokens = 64, History = 4096;

double getCpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

double medianOf(std::vector<double> &values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

template <typename T>
T unwrap(llvm::Expected<T> value) {
  if (!value) {
    llvm::errs() << toString(value.takeError()) << "\n";
    std::exit(1);
  }
  return std::move(*value);
}

/// Fills y with small numbers, so that what follows has ordinary work to do.
braid_status fillResult(const braid_kernel_call *call, void *) {
  const braid_tensor &y = *call->operands[call->op->num_operands - 1];
  int64_t count = 1;
  for (int32_t d = 0; d < y.rank; ++d)
    count *= y.sizes[d];
  // 0x3d in every byte is 0.046 in f32 and in bf16.
  std::memset(y.data, 0x3d, count * (y.dtype == BRAID_F32 ? 4 : 2));
  return BRAID_OK;
}

/// A context of its own for one of the arms.
class Arm {
public:
  Arm(const BatchArguments &arguments, bool withGemms) : arguments(arguments) {
    if (braid_context_create(nullptr, &context) != BRAID_OK)
      std::exit(1);
    for (const char *name : {"linear", "grouped_linear"}) {
      braid_kernel kernel = {};
      kernel.struct_size = sizeof(kernel);
      kernel.name = name;
      kernel.run = fillResult;
      if (!withGemms)
        check(braid_register_kernel(context, &kernel));
    }
    braid_call call = arguments.getCall();
    check(braid_prepare(context, &call));
    run();
  }
  ~Arm() { braid_context_destroy(context); }

  double run() {
    braid_call call = arguments.getCall();
    double begin = getCpuSeconds();
    check(braid_execute(context, &call));
    check(braid_synchronize(context));
    return getCpuSeconds() - begin;
  }

private:
  void check(braid_status status) {
    if (status == BRAID_OK)
      return;
    llvm::errs() << braid_last_error(context) << "\n";
    std::exit(1);
  }

  const BatchArguments &arguments;
  braid_context *context = nullptr;
};

} // namespace

static void runLayer(benchmark::State &state, WeightType type,
                     CacheForm cache) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  ModelConfig config = unwrap(
      readModelConfig(std::string(BRAID_CONFIGS) + "/deepseek-v4-flash.json"));
  ImportOptions import;
  import.layer = 2;
  import.weightType = type;
  import.cache = cache;
  PipelineOptions pipeline;
  pipeline.maxStreams = 1;
  auto program = unwrap(Program::compile(
      unwrap(importModel(&context, config, import)), "", pipeline));
  Batch batch = makeSingle(Tokens);
  batch.requests.front().history = History;
  ArgumentSources sources;
  sources.seed = 1;
  auto arguments = unwrap(BatchArguments::create(*program, batch, sources));
  arguments->setStep(makeSteps(batch).front());

  Arm whole(*arguments, /*withGemms=*/true),
      without(*arguments, /*withGemms=*/false);
  std::vector<double> wholeSeconds, restSeconds;
  for (auto _ : state) {
    wholeSeconds.push_back(whole.run());
    restSeconds.push_back(without.run());
    state.SetIterationTime(wholeSeconds.back());
  }
  double rest = medianOf(restSeconds), gemms = medianOf(wholeSeconds) - rest;
  state.counters["gemms_ms"] = gemms * 1e3;
  state.counters["rest_ms"] = rest * 1e3;
  state.counters["rest"] = rest / gemms;
}

#define BRAID_LAYER(name, type, cache)                                         \
  BENCHMARK_CAPTURE(runLayer, name, WeightType::type, CacheForm::cache)        \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMillisecond)                                          \
      ->Iterations(9)

BRAID_LAYER(f32, F32, Plain);
BRAID_LAYER(bf16, BF16, Plain);
BRAID_LAYER(fp8, FP8, Plain);
BRAID_LAYER(fp8_packed, FP8, FP8);

BENCHMARK_MAIN();
