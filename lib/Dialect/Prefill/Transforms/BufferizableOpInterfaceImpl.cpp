//===- BufferizableOpInterfaceImpl.cpp - Bufferization of prefill ops -*- C++
//-*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// External models of upstream's bufferization interface. Upstream's model for
// destination-style ops assumes that an op reads its inits; prefill ops
// overwrite them, and saying so avoids copies.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Prefill/Transforms/BufferizableOpInterfaceImpl.h"

#include "braid/Dialect/Prefill/IR/Prefill.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace braid::prefill;

/// Replaces `op` by a copy of it on buffers that has no results.
static LogicalResult bufferizeOperands(Operation *op, RewriterBase &rewriter,
                                       const BufferizationOptions &options,
                                       BufferizationState &state,
                                       ValueRange inits) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  IRMapping buffers;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (!isa<TensorType>(operand.getType())) {
      operands.push_back(operand);
      continue;
    }
    FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    operands.push_back(*buffer);
    buffers.map(operand, *buffer);
  }
  SmallVector<Value> results;
  for (Value init : inits)
    if (isa<TensorType>(init.getType()))
      results.push_back(buffers.lookup(init));
  mlir::clone(rewriter, op, /*newResultTypes=*/TypeRange{}, operands);
  replaceOpWithBufferizedValues(rewriter, op, results);
  return success();
}

namespace {

/// Destination-style ops: results are the inits, which are not read.
template <typename OpTy>
struct DestinationModel
    : public DstBufferizableOpInterfaceExternalModel<DestinationModel<OpTy>,
                                                     OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    return bufferizeOperands(
        op, rewriter, options, state,
        cast<DestinationStyleOpInterface>(op).getDpsInits());
  }
};

/// Ops that write to caches only: they read their tensors.
template <typename OpTy>
struct CacheModel
    : public BufferizableOpInterface::ExternalModel<CacheModel<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    return bufferizeOperands(op, rewriter, options, state, {});
  }
};

/// Eager regions: a result is the buffer that the region yields.
struct EagerModel
    : public BufferizableOpInterface::ExternalModel<EagerModel, EagerOp> {
  AliasingOpOperandList getAliasingOpOperands(Operation *op, Value value,
                                              const AnalysisState &) const {
    auto yield =
        cast<YieldOp>(cast<EagerOp>(op).getBody().front().getTerminator());
    unsigned index = cast<OpResult>(value).getResultNumber();
    return {{&yield->getOpOperand(index), BufferRelation::Equivalent}};
  }

  FailureOr<BufferLikeType>
  getBufferType(Operation *op, Value value, const BufferizationOptions &options,
                const BufferizationState &state,
                SmallVector<Value> &invocationStack) const {
    auto yield =
        cast<YieldOp>(cast<EagerOp>(op).getBody().front().getTerminator());
    Value yielded = yield.getOperand(cast<OpResult>(value).getResultNumber());
    // Ops of the region are bufferized before it; the yield may hold buffers
    // already.
    if (auto buffer = dyn_cast<BufferLikeType>(yielded.getType()))
      return buffer;
    return bufferization::getBufferType(yielded, options, state,
                                        invocationStack);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto eager = cast<EagerOp>(op);
    SmallVector<Type> types;
    for (OpResult result : op->getResults()) {
      if (!isa<TensorType>(result.getType())) {
        types.push_back(result.getType());
        continue;
      }
      FailureOr<BufferLikeType> type =
          bufferization::getBufferType(result, options, state);
      if (failed(type))
        return failure();
      types.push_back(*type);
    }
    auto bufferized = EagerOp::create(rewriter, op->getLoc(), types);
    bufferized->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(eager.getBody(), bufferized.getBody(),
                                bufferized.getBody().end());
    replaceOpWithBufferizedValues(rewriter, op, bufferized->getResults());
    return success();
  }
};

/// The terminator of an eager region hands its buffers on.
struct YieldModel
    : public BufferizableOpInterface::ExternalModel<YieldModel, YieldOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    return {{op->getParentOp()->getResult(operand.getOperandNumber()),
             BufferRelation::Equivalent}};
  }
  bool mustBufferizeInPlace(Operation *, OpOperand &,
                            const AnalysisState &) const {
    // A copy at the yield would give the result a buffer of its own, which
    // nothing asked for.
    return true;
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    SmallVector<Value> values;
    for (Value value : op->getOperands()) {
      if (isa<TensorType>(value.getType())) {
        FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
        if (failed(buffer))
          return failure();
        value = *buffer;
      }
      values.push_back(value);
    }
    replaceOpWithNewBufferizedOp<YieldOp>(rewriter, op, values);
    return success();
  }
};

} // namespace

void braid::prefill::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, PrefillDialect *) {
    LinearOp::attachInterface<DestinationModel<LinearOp>>(*context);
    GroupedLinearOp::attachInterface<DestinationModel<GroupedLinearOp>>(
        *context);
    QuantizeOp::attachInterface<DestinationModel<QuantizeOp>>(*context);
    RmsNormOp::attachInterface<DestinationModel<RmsNormOp>>(*context);
    RopeOp::attachInterface<DestinationModel<RopeOp>>(*context);
    IndexQueryOp::attachInterface<DestinationModel<IndexQueryOp>>(*context);
    IndexSelectOp::attachInterface<DestinationModel<IndexSelectOp>>(*context);
    AttendOp::attachInterface<DestinationModel<AttendOp>>(*context);
    AllReduceOp::attachInterface<DestinationModel<AllReduceOp>>(*context);
    PackOp::attachInterface<DestinationModel<PackOp>>(*context);
    KernelOp::attachInterface<DestinationModel<KernelOp>>(*context);
    CacheInsertOp::attachInterface<CacheModel<CacheInsertOp>>(*context);
    CompressOp::attachInterface<CacheModel<CompressOp>>(*context);
    EagerOp::attachInterface<EagerModel>(*context);
    YieldOp::attachInterface<YieldModel>(*context);
  });
}
