//===- ArgumentAccess.cpp - How a function touches its arguments ----------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows uses of an argument through views to ops, and into callees.
//
//===----------------------------------------------------------------------===//

#include "braid/Analysis/ArgumentAccess.h"

using namespace mlir;
using namespace braid;
using sched::Access;

static Access join(Access a, Access b) {
  return static_cast<Access>(static_cast<int32_t>(a) | static_cast<int32_t>(b));
}

Access ArgumentAccessAnalysis::get(func::FuncOp function, unsigned index) {
  auto [it, inserted] = known.try_emplace({function, index}, Access::None);
  if (!inserted)
    return it->second;
  Access access = Access::None;
  SmallVector<Value> worklist{function.getArgument(index)};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (auto op = dyn_cast<sched::SchedulableOpInterface>(user)) {
        access = join(access, op.getAccess(use));
      } else if (auto call = dyn_cast<func::CallOp>(user)) {
        auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
            call, call.getCalleeAttr());
        if (callee && !callee.isExternal())
          access = join(access, get(callee, use.getOperandNumber()));
      } else {
        for (Value result : user->getResults())
          if (isa<MemRefType>(result.getType()))
            worklist.push_back(result);
      }
    }
  }
  known[{function, index}] = access;
  return access;
}
