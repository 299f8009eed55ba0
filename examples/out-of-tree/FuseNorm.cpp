//===- FuseNorm.cpp - A pass over prefill's ops -----------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a norm and the only linear that reads it one op of this project. On
// tensors, so before Braid's pipelines: there it is a question of values, and
// the buffer between the two is gone before anything plans memory.
//
//===----------------------------------------------------------------------===//

#include "Acme.h"

#include "braid/Dialect/Prefill/IR/Prefill.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace acme;
using braid::prefill::LinearOp;
using braid::prefill::RmsNormOp;

namespace {

struct FuseNorm : public OpRewritePattern<LinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearOp linear,
                                PatternRewriter &rewriter) const override {
    auto norm = linear.getX().getDefiningOp<RmsNormOp>();
    if (!norm || !norm->hasOneUse() || !norm.getWeight() ||
        linear.getXScale() || linear.getWeightScale())
      return failure();
    rewriter.replaceOpWithNewOp<NormLinearOp>(
        linear, linear->getResultTypes(), norm.getX(), norm.getWeight(),
        linear.getWeight(), linear.getY(), norm.getEpsAttr());
    return success();
  }
};

struct FuseNormPass : public PassWrapper<FuseNormPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseNormPass)

  StringRef getArgument() const final { return "acme-fuse-norm"; }
  StringRef getDescription() const final {
    return "Make a norm and the linear that reads it one kernel";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<AcmeDialect>();
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseNorm>(&getContext());
    // Erases the norms too, which nothing reads any more.
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

void acme::registerFuseNormPass() { PassRegistration<FuseNormPass>(); }
