//===- PassBenchmark.cpp - How long each pass on buffers takes --*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs braid-schedule on one function of extreme shape, and on all layers of a
// model in one function. Each pass is a counter in milliseconds of processor
// time; the time of the benchmark is their sum. It has to grow near-linearly.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Prefill/IR/Prefill.h"
#include "braid/Import/ImportModel.h"
#include "braid/InitAll.h"
#include "braid/Pipelines/Pipelines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <benchmark/benchmark.h>

#include <ctime>
#include <map>

using namespace braid;

namespace {

using Program = mlir::OwningOpRef<mlir::ModuleOp>;

mlir::MLIRContext &getContext() {
  static mlir::MLIRContext *context = [] {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    // One thread, so that processor time is the time of one pass.
    return new mlir::MLIRContext(registry,
                                 mlir::MLIRContext::Threading::DISABLED);
  }();
  return *context;
}

//===----------------------------------------------------------------------===//
// Extreme shapes
//===----------------------------------------------------------------------===//

/// Writes a function on rows of 1024 elements, op by op. Ops are large enough
/// to be worth a stream.
class Text {
public:
  Text() : os(text) {}

  /// A new buffer of `numColumns` for each token.
  std::string alloc(int64_t numColumns = 1024) {
    std::string buffer = "%b" + std::to_string(numValues++);
    os << llvm::formatv("  {0} = memref.alloc(%t) : memref<?x{1}xf32>\n",
                        buffer, numColumns);
    return buffer;
  }
  /// An op that reads `input` and writes `output`, of this type.
  void linear(llvm::StringRef input, llvm::StringRef output,
              llvm::StringRef type = "memref<?x1024xf32>") {
    os << llvm::formatv("  prefill.linear {0} by %w into {1} : "
                        "memref<?x1024xf32>, memref<1024x1024xf32> -> {2}\n",
                        input, output, type);
  }
  /// An op that reads all `inputs` and writes `output`.
  void kernel(llvm::ArrayRef<std::string> inputs, llvm::StringRef output,
              llvm::StringRef type = "memref<?x1024xf32>") {
    os << "  prefill.kernel @combine ins(";
    llvm::interleaveComma(inputs, os);
    os << " : ";
    llvm::interleaveComma(std::vector(inputs.size(), type), os);
    os << ") outs(" << output
       << " : memref<?x1024xf32>) {effect = #sched.effect_class<graph_safe>, "
          "flops_per_token = 2.0e6}\n";
  }
  /// A view of columns [1024 * index, 1024 * (index + 1)) of `buffer`.
  std::pair<std::string, std::string> slice(llvm::StringRef buffer,
                                            int64_t index, int64_t numColumns) {
    std::string view = "%b" + std::to_string(numValues++);
    std::string type =
        llvm::formatv("memref<?x1024xf32, strided<[{0}, 1], offset: {1}>>",
                      numColumns, 1024 * index);
    os << llvm::formatv("  {0} = memref.subview {1}[0, {2}] [%t, 1024] [1, 1] "
                        ": memref<?x{3}xf32> to {4}\n",
                        view, buffer, 1024 * index, numColumns, type);
    return {view, type};
  }

  Program parse() {
    std::string program =
        "func.func @f(%x: memref<?x1024xf32> {sched.tokens}, "
        "%w: memref<1024x1024xf32>, %out: memref<?x1024xf32> {sched.tokens}) "
        "{\n  %c0 = arith.constant 0 : index\n"
        "  %t = memref.dim %x, %c0 : memref<?x1024xf32>\n" +
        text + "  return\n}\n";
    return mlir::parseSourceString<mlir::ModuleOp>(program, &getContext());
  }

private:
  std::string text;
  llvm::raw_string_ostream os;
  int64_t numValues = 0;
};

/// Each op reads what the one before it wrote.
Program makeChain(int64_t numOps) {
  Text text;
  std::string last = "%x";
  for (int64_t i = 0; i + 1 < numOps; ++i) {
    std::string next = text.alloc();
    text.linear(last, next);
    last = next;
  }
  text.linear(last, "%out");
  return text.parse();
}

/// One op, all others after it, each into a buffer of its own, and one that
/// reads them all.
Program makeFanOut(int64_t numOps) {
  Text text;
  std::string first = text.alloc();
  text.linear("%x", first);
  std::vector<std::string> all;
  for (int64_t i = 0; i + 2 < numOps; ++i) {
    all.push_back(text.alloc());
    text.linear(first, all.back());
  }
  text.kernel(all, "%out");
  return text.parse();
}

/// The same into slices of one buffer.
Program makeSlices(int64_t numOps) {
  Text text;
  std::string first = text.alloc();
  text.linear("%x", first);
  int64_t numColumns = 1024 * (numOps - 2);
  std::string wide = text.alloc(numColumns);
  for (int64_t i = 0; i + 2 < numOps; ++i) {
    auto [view, type] = text.slice(wide, i, numColumns);
    text.linear(first, view, type);
  }
  text.kernel({wide}, "%out",
              llvm::formatv("memref<?x{0}xf32>", numColumns).str());
  return text.parse();
}

/// Diamonds one after the other: 2^(n / 3) paths.
Program makeDiamonds(int64_t numOps) {
  Text text;
  std::string last = "%x";
  for (int64_t i = 0; i + 3 < numOps; i += 3) {
    std::string left = text.alloc(), right = text.alloc(), end = text.alloc();
    text.linear(last, left);
    text.linear(last, right);
    text.kernel({left, right}, end);
    last = end;
  }
  text.linear(last, "%out");
  return text.parse();
}

//===----------------------------------------------------------------------===//
// Layers of a model
//===----------------------------------------------------------------------===//

/// The first `numLayers` layers of a model in one function, each on the output
/// of the one before; from the beginning again where the model has less.
/// Weights and caches are arguments of their own for each layer, all else is
/// common.
Program makeStack(const char *config, int64_t numLayers) {
  mlir::MLIRContext &context = getContext();
  auto model = llvm::cantFail(
      readModelConfig(std::string(BRAID_CONFIGS) + "/" + config));
  Program kinds = llvm::cantFail(importModel(&context, model, ImportOptions()));
  mlir::PassManager pm(&context);
  buildPlanPipeline(pm, PipelineOptions());
  buildBufferizePipeline(pm);
  if (failed(pm.run(*kinds)))
    return nullptr;

  mlir::OpBuilder builder(&context);
  mlir::Location loc = builder.getUnknownLoc();
  Program result(mlir::ModuleOp::create(loc));
  builder.setInsertionPointToEnd(result->getBody());
  auto stack = mlir::func::FuncOp::create(builder, loc, "stack",
                                          builder.getFunctionType({}, {}));
  mlir::Block *body = stack.addEntryBlock();
  llvm::SmallVector<mlir::DictionaryAttr> attributes;
  llvm::StringMap<mlir::Value> shared;
  auto addArgument = [&](mlir::func::FuncOp kind, unsigned index) {
    attributes.push_back(kind.getArgAttrDict(index));
    return body->addArgument(kind.getArgument(index).getType(), loc);
  };

  builder.setInsertionPointToEnd(body);
  auto layers = llvm::to_vector(kinds->getOps<prefill::LayerOp>());
  mlir::Value hidden, tokens;
  for (int64_t i = 0; i < numLayers; ++i) {
    auto kind = kinds->lookupSymbol<mlir::func::FuncOp>(
        layers[i % layers.size()].getFunction());
    mlir::IRMapping mapping;
    for (mlir::BlockArgument argument : kind.getArguments()) {
      unsigned index = argument.getArgNumber();
      auto name =
          kind.getArgAttrOfType<mlir::StringAttr>(index, "prefill.name");
      mlir::Value value;
      if (name == "hidden") {
        if (!hidden) {
          hidden = addArgument(kind, index);
          mlir::Value zero =
              mlir::arith::ConstantIndexOp::create(builder, loc, 0);
          tokens = mlir::memref::DimOp::create(builder, loc, hidden, zero);
        }
        value = hidden;
      } else if (name == "output" && i + 1 < numLayers) {
        value = hidden = mlir::memref::AllocOp::create(
            builder, loc, llvm::cast<mlir::MemRefType>(argument.getType()),
            tokens);
      } else if (name == "positions" ||
                 kind.getArgAttr(index, "prefill.metadata")) {
        mlir::Value &common = shared[name.getValue()];
        if (!common)
          common = addArgument(kind, index);
        value = common;
      } else {
        value = addArgument(kind, index);
      }
      mapping.map(argument, value);
    }
    for (mlir::Operation &op : kind.getBody().front().without_terminator()) {
      // The token count is one value.
      if (llvm::isa<mlir::memref::DimOp>(op))
        mapping.map(op.getResult(0), tokens);
      else
        builder.clone(op, mapping);
    }
  }
  mlir::func::ReturnOp::create(builder, loc);
  stack.setFunctionType(builder.getFunctionType(body->getArgumentTypes(), {}));
  stack.setAllArgAttrs(attributes);
  return result;
}

//===----------------------------------------------------------------------===//
// Timing
//===----------------------------------------------------------------------===//

/// Seconds of processor time by argument of the pass.
using Times = std::map<std::string, double>;

/// Adds up the time of each of Braid's passes.
class PassClock : public mlir::PassInstrumentation {
public:
  explicit PassClock(Times &times) : times(times) {}

  void runBeforePass(mlir::Pass *, mlir::Operation *) override {
    begin = std::clock();
  }
  void runAfterPass(mlir::Pass *pass, mlir::Operation *) override {
    std::clock_t end = std::clock();
    // Not what only holds other passes.
    llvm::StringRef name = pass->getArgument();
    if (name.consume_front("sched-"))
      times[name.str()] += double(end - begin) / CLOCKS_PER_SEC;
  }

private:
  Times &times;
  std::clock_t begin = 0;
};

/// Schedules a fresh copy of the program in each iteration.
void schedule(benchmark::State &state, Program program) {
  if (!program) {
    state.SkipWithError("the program could not be made");
    return;
  }
  int64_t numOps = 0;
  program->walk([&](sched::SchedulableOpInterface) { ++numOps; });
  Times sums;
  double sum = 0;
  for (auto _ : state) {
    Program copy = program->clone();
    mlir::PassManager pm(&getContext());
    // Upstream's check of the IR between passes is no pass.
    pm.enableVerifier(false);
    buildSchedulePipeline(pm, PipelineOptions());
    Times times;
    pm.addInstrumentation(std::make_unique<PassClock>(times));
    if (failed(pm.run(*copy))) {
      state.SkipWithError("the pipeline failed");
      return;
    }
    double all = 0;
    for (const auto &[name, seconds] : times) {
      sums[name] += seconds;
      all += seconds;
    }
    state.SetIterationTime(all);
    sum += all;
  }
  auto average = [](double value) {
    return benchmark::Counter(value, benchmark::Counter::kAvgIterations);
  };
  for (const auto &[name, seconds] : sums)
    state.counters[name] = average(seconds * 1e3);
  state.counters["ops"] = numOps;
  state.counters["us_per_op"] = average(sum * 1e6 / numOps);
}

void shape(benchmark::State &state, Program (*make)(int64_t)) {
  schedule(state, make(state.range(0)));
}
void stack(benchmark::State &state, const char *config) {
  schedule(state, makeStack(config, state.range(0)));
}

} // namespace

#define SHAPE(name, make)                                                      \
  BENCHMARK_CAPTURE(shape, name, make)                                         \
      ->RangeMultiplier(10)                                                    \
      ->Range(100, 10000)                                                      \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMillisecond)
SHAPE(chain, makeChain);
SHAPE(fan_out, makeFanOut);
SHAPE(slices, makeSlices);
SHAPE(diamonds, makeDiamonds);

// About 18 kernels a layer: all layers, and as many as make 100 and 10,000.
#define STACK(name, config, numLayers)                                         \
  BENCHMARK_CAPTURE(stack, name, config)                                       \
      ->Arg(5)                                                                 \
      ->Arg(numLayers)                                                         \
      ->Arg(560)                                                               \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMillisecond)
STACK(flash, "deepseek-v4-flash.json", 43);
STACK(pro, "deepseek-v4-pro.json", 61);

BENCHMARK_MAIN();
