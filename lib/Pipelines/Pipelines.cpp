//===- Pipelines.cpp - Braid's pass pipelines -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the pipelines; each pass has a sentence that says why it stands there.
//
//===----------------------------------------------------------------------===//

#include "braid/Pipelines/Pipelines.h"

#include "braid/Conversion/Passes.h"
#include "braid/Dialect/Sched/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void braid::buildBufferizePipeline(OpPassManager &pm) {
  // Before anything that merges equal ops: two destinations of equal shape are
  // two buffers. `tensor.empty` is pure, and CSE would make them one, which
  // orders ops that nothing else orders.
  pm.addNestedPass<func::FuncOp>(
      bufferization::createEmptyTensorToAllocTensorPass());

  // Plain memrefs at function boundaries: callers pass contiguous tensors, and
  // a fully dynamic layout would hide that from every kernel.
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));

  // Sizes of intermediate tensors become sizes of the arguments they came
  // from, which is how later passes recognize the token count; eager regions
  // stop yielding buffers from outside.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());

  // A destination-style function returns its output argument; outputs of
  // compiled functions are arguments only.
  pm.addPass(sched::createDropReturnedArgumentsPass());
}

void braid::buildSchedulePipeline(OpPassManager &pm,
                                  const PipelineOptions &options) {
  // First, because everything below speaks of schedules.
  sched::FormSegmentsPassOptions segments;
  segments.capture = options.capture;
  pm.addNestedPass<func::FuncOp>(sched::createFormSegmentsPass(segments));

  // Sugar goes before anything reads records and waits.
  pm.addPass(sched::createExpandForkJoinPass());

  // Last: a buffer's place depends on the final order of all work.
  pm.addPass(sched::createPlanMemoryPass());
}

void braid::buildLowerPipeline(OpPassManager &pm) {
  // Subviews and reshapes become offsets, sizes and strides, which upstream
  // computes; the conversion then knows one kind of view.
  pm.addPass(memref::createExpandStridedMetadataPass());

  // The offsets just made are affine expressions.
  pm.addPass(createLowerAffinePass());

  // Offsets of static views fold to constants.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());

  // The border to the runtime's C ABI; nothing after it knows schedules.
  pm.addPass(createConvertSchedToRuntimePass());
}

void braid::buildCompilePipeline(OpPassManager &pm,
                                 const PipelineOptions &options) {
  buildBufferizePipeline(pm);
  buildSchedulePipeline(pm, options);
  buildLowerPipeline(pm);
}

namespace {
/// Upstream's registration without options rejects one without a word.
struct NoOptions : public PassPipelineOptions<NoOptions> {};
} // namespace

void braid::registerPipelines() {
  PassPipelineRegistration<NoOptions>(
      "braid-bufferize", "From prefill on tensors to prefill on buffers",
      [](OpPassManager &pm, const NoOptions &) { buildBufferizePipeline(pm); });
  PassPipelineRegistration<PipelineOptions>("braid-schedule",
                                            "From buffers to planned schedules",
                                            buildSchedulePipeline);
  PassPipelineRegistration<NoOptions>(
      "braid-lower", "From planned schedules to calls of the runtime",
      [](OpPassManager &pm, const NoOptions &) { buildLowerPipeline(pm); });
  PassPipelineRegistration<PipelineOptions>(
      "braid-compile", "From prefill on tensors to calls of the runtime",
      buildCompilePipeline);
}
