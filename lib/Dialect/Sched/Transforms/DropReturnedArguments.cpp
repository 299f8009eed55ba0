//===- DropReturnedArguments.cpp - Results that are arguments -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-drop-returned-arguments.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_DROPRETURNEDARGUMENTSPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

/// For each result of `function`, the argument that every return gives back
/// there, or -1.
static SmallVector<int> findReturnedArguments(func::FuncOp function) {
  SmallVector<int> arguments(function.getNumResults(), -1);
  bool isFirst = true;
  function.walk([&](func::ReturnOp op) {
    for (auto [index, value] : llvm::enumerate(op.getOperands())) {
      // An eager region passes on what it yields.
      Value source = value;
      while (auto result = dyn_cast<OpResult>(source)) {
        if (!isa<braid::sched::EagerRegionOpInterface>(result.getOwner()))
          break;
        source =
            result.getOwner()->getRegion(0).front().getTerminator()->getOperand(
                result.getResultNumber());
      }
      auto argument = dyn_cast<BlockArgument>(source);
      int number = argument && isa<BaseMemRefType>(value.getType()) &&
                           argument.getOwner() == &function.front()
                       ? static_cast<int>(argument.getArgNumber())
                       : -1;
      if (isFirst)
        arguments[index] = number;
      else if (arguments[index] != number)
        arguments[index] = -1;
    }
    isFirst = false;
  });
  return arguments;
}

/// Removes the results of `function`, and of `calls` of it, that `arguments`
/// names.
static void dropResults(func::FuncOp function, ArrayRef<int> arguments,
                        ArrayRef<func::CallOp> calls) {
  BitVector dropped(arguments.size());
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (argument >= 0)
      dropped.set(index);
  function.walk([&](func::ReturnOp op) { op->eraseOperands(dropped); });
  (void)function.eraseResults(dropped);

  for (func::CallOp call : calls) {
    OpBuilder builder(call);
    auto newCall = func::CallOp::create(builder, call.getLoc(), function,
                                        call.getOperands());
    newCall->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    unsigned next = 0;
    for (auto [index, result] : llvm::enumerate(call.getResults()))
      result.replaceAllUsesWith(dropped[index]
                                    ? call.getOperand(arguments[index])
                                    : newCall.getResult(next++));
    call.erase();
  }
}

namespace {
class DropReturnedArgumentsPass
    : public braid::sched::impl::DropReturnedArgumentsPassBase<
          DropReturnedArgumentsPass> {
public:
  void runOnOperation() override {
    // A caller that returns what its callee gave back becomes a candidate when
    // the callee has been done, so go on until nothing changes.
    bool changed = true;
    while (changed) {
      changed = false;
      DenseMap<StringAttr, SmallVector<func::CallOp>> calls;
      getOperation().walk([&](func::CallOp call) {
        calls[call.getCalleeAttr().getAttr()].push_back(call);
      });
      for (auto function : getOperation().getOps<func::FuncOp>()) {
        if (function.isExternal() || function.getNumResults() == 0)
          continue;
        SmallVector<int> arguments = findReturnedArguments(function);
        if (llvm::all_of(arguments, [](int argument) { return argument < 0; }))
          continue;
        dropResults(function, arguments,
                    calls.lookup(function.getSymNameAttr()));
        changed = true;
        break; // calls inside other functions were replaced
      }
    }
  }
};
} // namespace
