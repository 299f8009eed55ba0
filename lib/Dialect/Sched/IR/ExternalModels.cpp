//===- ExternalModels.cpp - Upstream ops that can be scheduled -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// External models of SchedulableOpInterface.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/IR/ExternalModels.h"

#include "braid/Dialect/Sched/IR/Sched.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace braid::sched;

namespace {
/// memref.copy: operand 0 is read, operand 1 written.
struct CopyModel
    : public SchedulableOpInterface::ExternalModel<CopyModel, memref::CopyOp> {
  Access getAccess(Operation *, OpOperand &operand) const {
    return operand.getOperandNumber() == 0 ? Access::Read : Access::Write;
  }
};

/// A structured op of linalg, which the host backend runs as a function.
template <typename OpTy>
struct LinalgModel
    : public SchedulableOpInterface::ExternalModel<LinalgModel<OpTy>, OpTy> {
  Access getAccess(Operation *op, OpOperand &operand) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    if (!isa<ShapedType>(operand.get().getType()))
      return Access::None;
    // Some inputs are there for their shape only, as a pooling's window.
    if (!linalgOp.isDpsInit(&operand))
      return linalgOp.payloadUsesValueFromOperand(&operand) ? Access::Read
                                                            : Access::None;
    // A destination whose old contents count, as a sum's, is read too.
    return linalgOp.payloadUsesValueFromOperand(&operand) ? Access::ReadWrite
                                                          : Access::Write;
  }

  Cost getCost(Operation *op, int64_t tokens) const {
    Cost cost = getDefaultCost(op, tokens);
    // Each point of the iteration space runs the body once.
    double points = 1;
    for (int64_t extent : cast<linalg::LinalgOp>(op).getStaticLoopRanges())
      points *= ShapedType::isDynamic(extent) ? tokens : extent;
    int64_t numOps = 0;
    for (Operation &inner : op->getRegion(0).front().without_terminator())
      numOps += inner.getNumResults() > 0;
    cost.flops = points * numOps;
    return cost;
  }
};

template <typename... OpTys>
struct LinalgModels {
  static void attach(MLIRContext *context) {
    (OpTys::template attachInterface<LinalgModel<OpTys>>(*context), ...);
  }
};
} // namespace

void braid::sched::registerExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, memref::MemRefDialect *) {
    memref::CopyOp::attachInterface<CopyModel>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    LinalgModels<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >::attach(context);
  });
}
