//===- EffectClassAnalysis.cpp - Which values are metadata? -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lattice, the transfer function and the analyses that upstream's framework
// asks for beside it.
//
//===----------------------------------------------------------------------===//

#include "braid/Analysis/EffectClassAnalysis.h"

#include "braid/Analysis/CaptureAnalysis.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::dataflow;
using namespace braid;

StringRef braid::stringify(ValueKind kind) {
  switch (kind) {
  case ValueKind::GraphSafe:
    return "graph-safe";
  case ValueKind::DevicePersistent:
    return "device metadata, persistent";
  case ValueKind::DeviceTransient:
    return "device metadata, transient";
  case ValueKind::HostMetadata:
    return "host metadata";
  }
  llvm_unreachable("unknown kind");
}

ValueClass ValueClass::join(const ValueClass &a, const ValueClass &b) {
  if (a.kind != b.kind)
    return a.kind > b.kind ? a : b;
  return a.order <= b.order ? a : b;
}

void ValueClass::print(raw_ostream &os) const { os << stringify(kind); }

namespace {

using ClassLattice = Lattice<ValueClass>;

/// Takes no branch for decided, so that code behind a constant condition has
/// classes too.
class NoConstants
    : public SparseForwardDataFlowAnalysis<Lattice<ConstantValue>> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  LogicalResult
  visitOperation(Operation *, ArrayRef<const Lattice<ConstantValue> *>,
                 ArrayRef<Lattice<ConstantValue> *> results) override {
    setAllToEntryStates(results);
    return success();
  }

protected:
  void setToEntryState(Lattice<ConstantValue> *lattice) override {
    propagateIfChanged(lattice,
                       lattice->join(ConstantValue::getUnknownConstant()));
  }
};

class ClassPropagation : public SparseForwardDataFlowAnalysis<ClassLattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  LogicalResult initialize(Operation *top) override;
  LogicalResult visit(ProgramPoint *point) override;
  LogicalResult visitOperation(Operation *op,
                               ArrayRef<const ClassLattice *> operands,
                               ArrayRef<ClassLattice *> results) override;
  void visitExternalCall(CallOpInterface call,
                         ArrayRef<const ClassLattice *> arguments,
                         ArrayRef<ClassLattice *> results) override;
  void visitNonControlFlowArguments(Operation *op,
                                    const RegionSuccessor &successor,
                                    ArrayRef<ClassLattice *> arguments,
                                    unsigned firstIndex) override;

protected:
  void
  visitCallableOperation(CallableOpInterface callable,
                         ArrayRef<AbstractSparseLattice *> arguments) override;
  /// Ordinary is the bottom: what is not known to be metadata is none.
  void setToEntryState(ClassLattice *) override {}

private:
  void visitSideEffects(Operation *op);
  ValueClass getClass(Operation *at, Value value) {
    return getLatticeElementFor(getProgramPointAfter(at), value)->getValue();
  }
  void raise(AbstractSparseLattice *lattice, const ValueClass &to) {
    auto *typed = static_cast<ClassLattice *>(lattice);
    propagateIfChanged(typed, typed->join(to));
  }

  /// The declared classes of function arguments.
  DenseMap<Value, ValueClass> declared;
};

} // namespace

LogicalResult ClassPropagation::initialize(Operation *top) {
  unsigned order = 0;
  top->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    if (function.isExternal())
      return;
    for (BlockArgument argument : function.getArguments()) {
      ValueClass known{ValueKind::GraphSafe, argument, order++};
      if (sched::MetadataAttrInterface metadata = getMetadata(argument))
        known.kind = metadata.isHost()         ? ValueKind::HostMetadata
                     : metadata.isPersistent() ? ValueKind::DevicePersistent
                                               : ValueKind::DeviceTransient;
      if (known.kind != ValueKind::GraphSafe)
        declared[argument] = known;
    }
    // Functions that nobody calls have classes too.
    auto *state = getOrCreate<Executable>(
        getProgramPointBefore(&function.getFunctionBody().front()));
    propagateIfChanged(state, state->setToLive());
  });
  if (failed(SparseForwardDataFlowAnalysis::initialize(top)))
    return failure();
  top->walk([&](Operation *op) { visitSideEffects(op); });
  return success();
}

LogicalResult ClassPropagation::visit(ProgramPoint *point) {
  if (failed(SparseForwardDataFlowAnalysis::visit(point)))
    return failure();
  if (!point->isBlockStart())
    visitSideEffects(point->getPrevOp());
  return success();
}

/// What the framework does not come to: ops without results, and choices that
/// the host makes.
void ClassPropagation::visitSideEffects(Operation *op) {
  // A scalar that the host stores makes the buffer something that it knows.
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    ValueClass stored = getClass(op, store.getValueToStore());
    if (stored.kind == ValueKind::HostMetadata)
      raise(getLatticeElement(getViewSource(store.getMemRef())), stored);
    return;
  }
  // Which value leaves a branch or a loop depends on what decides it.
  if (isa<RegionBranchOpInterface>(op))
    for (Value operand : op->getOperands())
      if (!isa<ShapedType>(operand.getType()))
        for (Value result : op->getResults())
          raise(getLatticeElement(result), getClass(op, operand));
}

/// Whether extent `dimension` of `source` is the token count, which is fixed
/// within a graph.
static bool isTokenCount(Value source, OpFoldResult dimension) {
  auto argument = dyn_cast<BlockArgument>(source);
  if (!argument || !argument.getOwner()->isEntryBlock() ||
      getConstantIntValue(dimension) != 0)
    return false;
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return function &&
         function.getArgAttr(argument.getArgNumber(),
                             sched::SchedDialect::getTokensAttrName());
}

/// A scalar that the host reads out of `memory`.
static ValueClass getLoaded(Value memory, ValueClass memoryClass) {
  if (Operation *op = memory.getDefiningOp();
      op && op->hasTrait<OpTrait::ConstantLike>())
    return {};
  memoryClass.kind = ValueKind::HostMetadata;
  return memoryClass;
}

LogicalResult
ClassPropagation::visitOperation(Operation *op,
                                 ArrayRef<const ClassLattice *> operands,
                                 ArrayRef<ClassLattice *> results) {
  // A region that its author placed: what it yields.
  if (isa<sched::EagerRegionOpInterface>(op)) {
    Operation *terminator = op->getRegion(0).front().getTerminator();
    for (auto [value, result] : llvm::zip(terminator->getOperands(), results))
      raise(result, getClass(op, value));
    return success();
  }
  // Extents. T is none; those of a persistent buffer are fixed as its address
  // is.
  if (auto dim = dyn_cast<ShapedDimOpInterface>(op)) {
    ValueClass source = operands[0]->getValue();
    if (source.kind > ValueKind::DevicePersistent &&
        !isTokenCount(dim.getShapedValue(), dim.getDimension()))
      raise(results[0], source);
    for (const ClassLattice *operand : operands.drop_front())
      raise(results[0], operand->getValue());
    return success();
  }
  if (isa<memref::LoadOp, tensor::ExtractOp>(op)) {
    raise(results[0], getLoaded(op->getOperand(0), operands[0]->getValue()));
    return success();
  }
  // A kernel's result lies where its destination lies. What it computed from
  // metadata is ordinary memory.
  if (isa<sched::SchedulableOpInterface>(op)) {
    auto destinations = dyn_cast<DestinationStyleOpInterface>(op);
    for (ClassLattice *result : results)
      if (OpOperand *init = destinations
                                ? destinations.getTiedOpOperand(
                                      cast<OpResult>(result->getAnchor()))
                                : nullptr)
        raise(result, operands[init->getOperandNumber()]->getValue());
    return success();
  }
  // All else computes on the host or makes a view: as bad as its worst operand.
  // A slice that is copied into a tensor does not move that tensor.
  for (auto [operand, lattice] : llvm::zip(op->getOpOperands(), operands)) {
    if (isa<tensor::InsertSliceOp>(op) && operand.getOperandNumber() == 0)
      continue;
    for (ClassLattice *result : results) {
      ValueClass value = lattice->getValue();
      // The extents of a persistent buffer, its strides and so on.
      if (value.kind == ValueKind::DevicePersistent &&
          !isa<ShapedType>(result->getAnchor().getType()))
        continue;
      raise(result, value);
    }
  }
  return success();
}

void ClassPropagation::visitExternalCall(
    CallOpInterface, ArrayRef<const ClassLattice *> arguments,
    ArrayRef<ClassLattice *> results) {
  for (const ClassLattice *argument : arguments)
    for (ClassLattice *result : results)
      raise(result, argument->getValue());
}

/// An induction variable takes the values that the bounds allow.
void ClassPropagation::visitNonControlFlowArguments(
    Operation *op, const RegionSuccessor &successor,
    ArrayRef<ClassLattice *> arguments, unsigned firstIndex) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  std::optional<SmallVector<Value>> variables =
      loop ? loop.getLoopInductionVars() : std::nullopt;
  if (!variables)
    return;
  for (Value variable : *variables)
    for (auto &&bounds : {loop.getLoopLowerBounds(), loop.getLoopUpperBounds(),
                          loop.getLoopSteps()})
      if (bounds)
        for (OpFoldResult bound : *bounds)
          if (auto value = dyn_cast<Value>(bound))
            raise(getLatticeElement(variable),
                  getLatticeElementFor(
                      getProgramPointBefore(
                          cast<BlockArgument>(variable).getOwner()),
                      value)
                      ->getValue());
}

/// What a function declares of an argument, and what each known caller passes;
/// there may be others.
void ClassPropagation::visitCallableOperation(
    CallableOpInterface callable, ArrayRef<AbstractSparseLattice *> arguments) {
  ProgramPoint *point =
      getProgramPointBefore(&callable.getCallableRegion()->front());
  for (AbstractSparseLattice *argument : arguments) {
    auto *typed = static_cast<ClassLattice *>(argument);
    if (auto it = declared.find(typed->getAnchor()); it != declared.end())
      raise(argument, it->second);
  }
  const auto *callers = getOrCreateFor<PredecessorState>(
      point, getProgramPointAfter(callable.getOperation()));
  for (Operation *caller : callers->getKnownPredecessors())
    for (auto [value, argument] :
         llvm::zip(cast<CallOpInterface>(caller).getArgOperands(), arguments))
      raise(argument, getLatticeElementFor(point, value)->getValue());
}

EffectClassAnalysis::EffectClassAnalysis(Operation *top) {
  solver.load<DeadCodeAnalysis>();
  solver.load<NoConstants>();
  solver.load<ClassPropagation>();
  // Fails only if an analysis does, and none of these ever does.
  (void)solver.initializeAndRun(top);
}

ValueClass EffectClassAnalysis::lookup(Value value) const {
  const auto *lattice = solver.lookupState<ClassLattice>(value);
  return lattice ? lattice->getValue() : ValueClass();
}
