//===- Acme.cpp - The dialect of the example --------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Braid asks of the op: its effects, its work, and how it is bufferized.
//
//===----------------------------------------------------------------------===//

#include "Acme.h"

#include "braid/Dialect/Prefill/IR/Prefill.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace acme;

#include "AcmeDialect.cpp.inc"

#define GET_OP_CLASSES
#include "AcmeOps.cpp.inc"

void AcmeDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "AcmeOps.cpp.inc"
      >();
}

void NormLinearOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  // Reads and writes of memrefs, as the interface's getAccess says.
  braid::prefill::getAccessEffects(*this, effects);
}

braid::sched::Cost NormLinearOp::getCost(int64_t tokens) {
  braid::sched::Cost cost = braid::sched::getDefaultCost(*this, tokens);
  cost.flops = 2 * braid::sched::countElements(getWeight().getType(), tokens) *
               static_cast<double>(tokens);
  return cost;
}

namespace {
/// The result is y's buffer, whose old contents do not count.
struct NormLinearModel
    : public bufferization::DstBufferizableOpInterfaceExternalModel<
          NormLinearModel, NormLinearOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const bufferization::AnalysisState &) const {
    return !cast<NormLinearOp>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    auto normLinear = cast<NormLinearOp>(op);
    NormLinearOp::create(rewriter, op->getLoc(), TypeRange{}, buffers[0],
                         buffers[1], buffers[2], buffers[3],
                         normLinear.getEpsAttr());
    bufferization::replaceOpWithBufferizedValues(rewriter, op, buffers[3]);
    return success();
  }
};
} // namespace

void acme::registerDialect(DialectRegistry &registry) {
  registry.insert<AcmeDialect>();
  registry.addExtension(+[](MLIRContext *context, AcmeDialect *) {
    NormLinearOp::attachInterface<NormLinearModel>(*context);
  });
}
