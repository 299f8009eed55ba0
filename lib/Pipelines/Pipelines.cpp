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
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void braid::buildPlanPipeline(OpPassManager &pm,
                              const PipelineOptions &options) {
  // On tensors, where legality is a question of values and caches; after
  // bufferization every reuse of memory would look like a dependence.
  if (options.narrow) {
    sched::NarrowEagerPassOptions narrow;
    narrow.tokens = options.tokens;
    pm.addPass(sched::createNarrowEagerPass(narrow));
  }
}

void braid::buildBufferizePipeline(OpPassManager &pm) {
  // Two destinations of equal shape are two buffers. `tensor.empty` is pure, so
  // CSE may have made them one, which orders ops that nothing else orders.
  pm.addNestedPass<func::FuncOp>(sched::createSeparateDestinationsPass());

  // From here on they cannot be merged.
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

  // Equal views are one now, and a copy of a part of a buffer onto itself,
  // which writing a slice in place leaves behind, is seen to be none.
  pm.addPass(createCanonicalizerPass());

  // A destination-style function returns its output argument; outputs of
  // compiled functions are arguments only.
  pm.addPass(sched::createDropReturnedArgumentsPass());
}

void braid::buildSchedulePipeline(OpPassManager &pm,
                                  const PipelineOptions &options) {
  // Finds the phase that broke a schedule. Every phase leaves one that is
  // ordered: until streams are materialized, all of it is on stream 0.
  auto endPhase = [&] {
    if (options.verifyPhases)
      pm.addPass(sched::createVerifyPass());
  };

  // First, because everything below speaks of schedules.
  sched::FormSegmentsPassOptions segments;
  segments.capture = options.capture;
  pm.addPass(sched::createFormSegmentsPass(segments));
  endPhase();

  // Sugar goes before anything reads records and waits.
  pm.addPass(sched::createExpandForkJoinPass());
  endPhase();

  // A choice first, as attributes: the gate below clones what was chosen, and
  // the clone for large token counts drops the choice.
  sched::AssignStreamsPassOptions streams;
  streams.maxStreams = options.maxStreams;
  streams.tokens = options.tokens;
  pm.addPass(sched::createAssignStreamsPass(streams));
  endPhase();

  // Before streams exist: the serial body is the program's own order, which
  // materializing would change.
  sched::GateTokensPassOptions gate;
  gate.threshold = options.tokenThreshold;
  pm.addPass(sched::createGateTokensPass(gate));
  endPhase();

  // From here on only what is written in the IR counts. Nothing of upstream
  // that moves or shares buffers runs after this.
  pm.addPass(sched::createMaterializeSyncPass());
  endPhase();

  // Materializing writes every edge; most are implied by others.
  pm.addPass(sched::createSimplifySyncPass());
  endPhase();

  // After simplifying, so that an event that nobody awaits takes no slot.
  pm.addPass(sched::createBindEventsPass());
  endPhase();

  // After all ordering: a buffer's place depends on the final order of work.
  pm.addPass(sched::createPlanMemoryPass());

  // Always at the end: reads what is there and trusts none of the passes above.
  pm.addPass(sched::createVerifyPass());
}

void braid::buildLowerPipeline(OpPassManager &pm) {
  // What the runtime has no kernel for becomes host code of the module.
  pm.addPass(sched::createOutlineHostOpsPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());

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
  buildPlanPipeline(pm, options);
  buildBufferizePipeline(pm);
  buildSchedulePipeline(pm, options);
  buildLowerPipeline(pm);
}

namespace {
/// Upstream's registration without options rejects one without a word.
struct NoOptions : public PassPipelineOptions<NoOptions> {};
} // namespace

void braid::registerPipelines() {
  PassPipelineRegistration<PipelineOptions>(
      "braid-plan", "What is decided on tensors", buildPlanPipeline);
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
