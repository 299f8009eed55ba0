//===- OutlineHostOps.cpp - Launched ops as host functions -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-outline-host-ops.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_OUTLINEHOSTOPSPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

using namespace braid::sched;

/// Moves the op of `launch` into a new function of `symbols` and calls that.
static LogicalResult outline(LaunchOp launch, SymbolTable &symbols) {
  auto op = cast<SchedulableOpInterface>(launch.getLaunchedOp());
  MLIRContext *context = op->getContext();
  OpBuilder builder(context);

  // Memrefs are passed once each; all else has to be a constant, also what the
  // body uses from outside.
  llvm::SetVector<Value> memrefs, values;
  for (Value operand : op->getOperands())
    (isa<MemRefType>(operand.getType()) ? memrefs : values).insert(operand);
  getUsedValuesDefinedAbove(op->getRegions(), values);
  llvm::SetVector<Operation *> constants;
  for (Value value : values) {
    Operation *constant = value.getDefiningOp();
    if (constant && matchPattern(constant, m_Constant())) {
      constants.insert(constant);
      continue;
    }
    InFlightDiagnostic diagnostic =
        op->emitOpError()
        << "uses a value of type " << value.getType()
        << " that is neither a constant nor a memref operand; "
           "a host function is given nothing else";
    diagnostic.attachNote(value.getLoc()) << "the value comes from here";
    return diagnostic;
  }

  SmallVector<unsigned> accesses(memrefs.size());
  SmallVector<Type> types;
  for (Value memref : memrefs)
    types.push_back(memref.getType());
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType())) {
      size_t index =
          std::distance(memrefs.begin(), llvm::find(memrefs, operand.get()));
      accesses[index] |= static_cast<unsigned>(op.getAccess(operand));
    }
  auto parent = launch->getParentOfType<func::FuncOp>();
  std::string name =
      (parent.getSymName() + "." + op->getName().stripDialect()).str();
  auto function = func::FuncOp::create(
      op->getLoc(), name, FunctionType::get(context, types, /*results=*/{}));
  function.setPrivate();
  function->setAttr(SchedDialect::getKernelAttrName(), builder.getUnitAttr());
  for (auto [index, access] : llvm::enumerate(accesses))
    function.setArgAttr(index, SchedDialect::getAccessAttrName(),
                        AccessAttr::get(context, static_cast<Access>(access)));
  symbols.insert(function); // makes the name unique

  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping mapping;
  for (auto [memref, argument] : llvm::zip(memrefs, body->getArguments()))
    mapping.map(memref, argument);
  for (Operation *constant : constants)
    builder.clone(*constant, mapping);
  builder.clone(*op, mapping);
  func::ReturnOp::create(builder, op->getLoc());

  builder.setInsertionPoint(op);
  HostCallOp::create(builder, op->getLoc(), function.getSymName(),
                     memrefs.getArrayRef(), FloatAttr(), FloatAttr());
  op->erase();
  return success();
}

namespace {
class OutlineHostOpsPass
    : public braid::sched::impl::OutlineHostOpsPassBase<OutlineHostOpsPass> {
public:
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<LaunchOp> launches;
    getOperation().walk([&](LaunchOp launch) {
      if (isa<linalg::LinalgOp>(launch.getLaunchedOp()))
        launches.push_back(launch);
    });
    for (LaunchOp launch : launches)
      if (failed(outline(launch, symbols)))
        return signalPassFailure();
  }
};
} // namespace
