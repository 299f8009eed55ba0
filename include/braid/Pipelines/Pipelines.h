//===- Pipelines.h - Braid's pass pipelines -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way from tensors to calls of the runtime, in three named pipelines and
// one that runs them all. Tools and engines use these; braid-opt has them by
// name.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_PIPELINES_PIPELINES_H
#define BRAID_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace braid {

/// Options of all pipelines.
struct PipelineOptions : public mlir::PassPipelineOptions<PipelineOptions> {
  Option<bool> narrow{
      *this, "narrow",
      llvm::cl::desc("Move what may be captured out of eager regions"),
      llvm::cl::init(true)};
  Option<bool> capture{
      *this, "capture",
      llvm::cl::desc("Form captured segments; false puts every op into eager "
                     "regions"),
      llvm::cl::init(true)};
  Option<unsigned> maxStreams{
      *this, "max-streams",
      llvm::cl::desc("Most streams, stream 0 included; 1 is the program's own "
                     "order"),
      llvm::cl::init(4)};
  Option<int64_t> tokenThreshold{
      *this, "token-threshold",
      llvm::cl::desc("Most tokens for which work is overlapped; 0 is never, -1 "
                     "what the target says"),
      llvm::cl::init(-1)};
  Option<int64_t> tokens{
      *this, "tokens",
      llvm::cl::desc("Token count for which times are estimated"),
      llvm::cl::init(256)};
  Option<bool> verifyPhases{
      *this, "verify-phases",
      llvm::cl::desc("Run sched-verify after every phase, not only at the end; "
                     "for tests"),
      llvm::cl::init(false)};
};

/// `braid-plan`: what is decided on tensors.
void buildPlanPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);

/// `braid-bufferize`: prefill on tensors to prefill on buffers.
void buildBufferizePipeline(mlir::OpPassManager &pm);

/// `braid-schedule`: buffers to planned schedules.
void buildSchedulePipeline(mlir::OpPassManager &pm,
                           const PipelineOptions &options);

/// `braid-lower`: planned schedules to the LLVM dialect.
void buildLowerPipeline(mlir::OpPassManager &pm);

/// `braid-compile`: all of the above in order.
void buildCompilePipeline(mlir::OpPassManager &pm,
                          const PipelineOptions &options);

/// Makes the pipelines known by name.
void registerPipelines();

} // namespace braid

#endif // BRAID_PIPELINES_PIPELINES_H
