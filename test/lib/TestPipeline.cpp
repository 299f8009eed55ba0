//===- TestPipeline.cpp - A pipeline of Braid's parts and an own pass -----===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C++ of docs/WritingAPipeline.md: a pass between two of Braid's pipelines.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Prefill/IR/Prefill.h"
#include "braid/Pipelines/Pipelines.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace braid;

namespace {
/// Gives each norm to a kernel that the engine registers as "my_norm".
struct UseOwnNormPass
    : public PassWrapper<UseOwnNormPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UseOwnNormPass)

  StringRef getArgument() const final { return "test-use-own-norm"; }
  StringRef getDescription() const final {
    return "Replace norms on buffers by a kernel of the engine";
  }

  void runOnOperation() override {
    getOperation().walk([](prefill::RmsNormOp norm) {
      // The kernel has no optional operands.
      if (!norm.getWeight() || !isa<MemRefType>(norm.getY().getType()))
        return;
      OpBuilder builder(norm);
      auto kernel = prefill::KernelOp::create(
          builder, norm.getLoc(), /*results=*/TypeRange(), "my_norm",
          /*inputs=*/ValueRange{norm.getX(), norm.getWeight()},
          /*caches=*/ValueRange(), /*inits=*/ValueRange{norm.getY()},
          /*cache_access=*/nullptr, sched::EffectClass::GraphSafe,
          /*flops_per_token=*/nullptr, /*bytes_per_token=*/nullptr);
      kernel->setAttr("eps", norm.getEpsAttr());
      norm.erase();
    });
  }
};
} // namespace

static void buildOwnPipeline(OpPassManager &pm,
                             const PipelineOptions &options) {
  buildPlanPipeline(pm, options);
  buildBufferizePipeline(pm);

  // On buffers, where a destination is an operand and nothing is scheduled yet.
  pm.addNestedPass<func::FuncOp>(std::make_unique<UseOwnNormPass>());

  buildSchedulePipeline(pm, options);
  buildLowerPipeline(pm);
}

namespace braid::test {
void registerTestPipeline() {
  PassRegistration<UseOwnNormPass>();
  PassPipelineRegistration<PipelineOptions>(
      "test-own-pipeline", "Braid's pipelines with a pass between two of them",
      buildOwnPipeline);
}
} // namespace braid::test
