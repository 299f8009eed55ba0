//===- SchedInterfaces.cpp - Interfaces of the sched dialect -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Default methods of the interface that schedulable ops implement.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/IR/Sched.h"

#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

#include "braid/Dialect/Sched/IR/SchedAttrInterfaces.cpp.inc"
#include "braid/Dialect/Sched/IR/SchedOpInterfaces.cpp.inc"

braid::sched::Access braid::sched::getDefaultAccess(OpOperand &operand) {
  if (!isa<ShapedType>(operand.get().getType()))
    return Access::None;
  auto destination = dyn_cast<DestinationStyleOpInterface>(operand.getOwner());
  if (destination && destination.isDpsInit(&operand))
    return Access::Write;
  return Access::Read;
}

double braid::sched::countElements(Type type, int64_t tokens) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return 0;
  double count = 1;
  for (int64_t extent : shaped.getShape())
    count *= ShapedType::isDynamic(extent) ? tokens : extent;
  return count;
}

double braid::sched::countBytes(Type type, int64_t tokens) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.getElementType().isIntOrFloat())
    return 0;
  unsigned bits = shaped.getElementTypeBitWidth();
  return countElements(type, tokens) * llvm::divideCeil(bits, 8u);
}

braid::sched::Cost braid::sched::getDefaultCost(Operation *op, int64_t tokens) {
  Cost cost;
  for (Type type : op->getOperandTypes())
    cost.bytes += countBytes(type, tokens);
  return cost;
}
