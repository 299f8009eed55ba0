//===- CompileBenchmark.cpp - How long compiling takes -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times the passes on the programs that engines have (all layers of a model)
// and on programs made large: many functions, one long function, and buffers
// alone, where the time has to grow near-linearly. Peak memory of the process
// is a counter.
//
//===----------------------------------------------------------------------===//

#include "braid/Import/ImportModel.h"
#include "braid/InitAll.h"
#include "braid/Pipelines/Pipelines.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

using namespace braid;

namespace {

mlir::MLIRContext &getContext() {
  static mlir::DialectRegistry registry = [] {
    mlir::DialectRegistry all;
    registerAllDialects(all);
    return all;
  }();
  static mlir::MLIRContext context(registry);
  return context;
}

double getPeakMegabytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024.0;
}

/// A chain of `numOps` linears in each of `numFunctions` functions.
std::string makeChains(int64_t numFunctions, int64_t numOps) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t f = 0; f < numFunctions; ++f) {
    os << "func.func @f" << f
       << "(%x: tensor<?x64xf32> {sched.tokens}, %w: tensor<64x64xf32>, "
          "%out: tensor<?x64xf32> {sched.tokens, bufferization.writable = "
          "true}) -> tensor<?x64xf32> {\n"
          "  %c0 = arith.constant 0 : index\n"
          "  %t = tensor.dim %x, %c0 : tensor<?x64xf32>\n";
    std::string previous = "%x";
    for (int64_t i = 0; i < numOps; ++i) {
      bool isLast = i + 1 == numOps;
      std::string init = isLast ? "%out" : "%e" + std::to_string(i);
      if (!isLast)
        os << "  " << init << " = tensor.empty(%t) : tensor<?x64xf32>\n";
      os << "  %y" << i << " = prefill.linear " << previous << " by %w into "
         << init
         << " : tensor<?x64xf32>, tensor<64x64xf32> -> tensor<?x64xf32>\n";
      previous = "%y" + std::to_string(i);
    }
    os << "  return " << previous << " : tensor<?x64xf32>\n}\n";
  }
  return text;
}

/// The same chain after bufferization.
std::string makeBufferChain(int64_t numOps) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "func.func @f(%x: memref<?x64xf32> {sched.tokens}, %w: "
        "memref<64x64xf32>, %out: memref<?x64xf32> {sched.tokens}) {\n"
        "  %c0 = arith.constant 0 : index\n"
        "  %t = memref.dim %x, %c0 : memref<?x64xf32>\n";
  std::string previous = "%x";
  for (int64_t i = 0; i < numOps; ++i) {
    std::string buffer = "%out";
    if (i + 1 != numOps) {
      buffer = "%b" + std::to_string(i);
      os << "  " << buffer << " = memref.alloc(%t) : memref<?x64xf32>\n";
    }
    os << "  prefill.linear " << previous << " by %w into " << buffer
       << " : memref<?x64xf32>, memref<64x64xf32> -> memref<?x64xf32>\n";
    previous = buffer;
  }
  os << "  return\n}\n";
  return text;
}

/// Runs `build`'s pipeline on a fresh copy of the program in each iteration.
template <typename Build>
void runPipeline(benchmark::State &state, mlir::ModuleOp program,
                 Build &&build) {
  for (auto _ : state) {
    state.PauseTiming();
    mlir::OwningOpRef<mlir::ModuleOp> module = program.clone();
    mlir::PassManager pm(&getContext());
    pm.enableVerifier(true);
    build(pm);
    state.ResumeTiming();
    if (failed(pm.run(*module)))
      state.SkipWithError("the pipeline failed");
    state.PauseTiming();
    module = {};
    state.ResumeTiming();
  }
  state.counters["peak_MB"] = getPeakMegabytes();
}

void runText(benchmark::State &state, const std::string &text, bool onBuffers) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &getContext());
  PipelineOptions options;
  runPipeline(state, *module, [&](mlir::OpPassManager &pm) {
    if (!onBuffers)
      buildBufferizePipeline(pm);
    buildSchedulePipeline(pm, options);
    buildLowerPipeline(pm);
  });
}

/// From a configuration to the LLVM dialect, import included.
void compileModel(benchmark::State &state, const char *name) {
  std::string path = std::string(BRAID_CONFIGS) + "/" + name;
  PipelineOptions options;
  for (auto _ : state) {
    auto config = readModelConfig(path);
    if (!config) {
      state.SkipWithError(toString(config.takeError()).c_str());
      return;
    }
    auto module = importModel(&getContext(), *config, ImportOptions());
    if (!module) {
      state.SkipWithError(toString(module.takeError()).c_str());
      return;
    }
    mlir::PassManager pm(&getContext());
    buildCompilePipeline(pm, options);
    if (failed(pm.run(**module)))
      state.SkipWithError("the pipeline failed");
    state.counters["layers"] = config->numLayers;
  }
  state.counters["peak_MB"] = getPeakMegabytes();
}

} // namespace

// All layers of a model; layers of one kind share a function.
BENCHMARK_CAPTURE(compileModel, Pro61Layers, "deepseek-v4-pro.json")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compileModel, Flash43Layers, "deepseek-v4-flash.json")
    ->Unit(benchmark::kMillisecond);

// Passes on buffers alone: near-linear.
static void buffersAlone(benchmark::State &state) {
  runText(state, makeBufferChain(state.range(0)), /*onBuffers=*/true);
}
BENCHMARK(buffersAlone)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

// The whole pipeline. One function is where upstream's one-shot bufferization
// is superlinear.
static void manyFunctions(benchmark::State &state) {
  runText(state, makeChains(state.range(0), state.range(1)),
          /*onBuffers=*/false);
}
BENCHMARK(manyFunctions)
    ->Args({400, 50})
    ->Args({1, 1000})
    ->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
