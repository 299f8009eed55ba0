//===- SchedDialect.cpp - The sched dialect -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers attributes, types and ops, and verifies the dialect's argument
// attribute.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/IR/Sched.h"

#include "braid/Dialect/Support/DialectVersion.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace braid::sched;

#include "braid/Dialect/Sched/IR/SchedDialect.cpp.inc"
#include "braid/Dialect/Sched/IR/SchedEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "braid/Dialect/Sched/IR/SchedAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "braid/Dialect/Sched/IR/SchedTypes.cpp.inc"

void SchedDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "braid/Dialect/Sched/IR/SchedAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "braid/Dialect/Sched/IR/SchedTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "braid/Dialect/Sched/IR/SchedOps.cpp.inc"
      >();
  addInterfaces<VersionedBytecodeInterface>();
}

LogicalResult LinearAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t perToken, int64_t fixed) {
  for (int64_t value : {perToken, fixed})
    if (value < 0 || value % 256 != 0)
      return emitError() << "expected non-negative multiples of 256, got "
                         << value;
  return success();
}

LogicalResult SchedDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name != getKernelAttrName() && name != getEffectAttrName())
    return op->emitOpError()
           << "has unknown attribute '" << name
           << "'; the sched dialect knows '" << getKernelAttrName() << "' and '"
           << getEffectAttrName() << "' on functions";
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError() << "has '" << name << "' but is no function";
  if (name == getEffectAttrName()) {
    if (!isa<EffectClassAttr>(attribute.getValue()))
      return op->emitOpError() << "expected '" << name
                               << "' to be a #sched.effect_class attribute";
    // Other functions form regions of their own, op by op.
    if (!op->hasAttr(getKernelAttrName()))
      return op->emitOpError()
             << "has '" << name << "' but not '" << getKernelAttrName() << "'";
    return success();
  }
  if (!isa<UnitAttr>(attribute.getValue()))
    return op->emitOpError()
           << "expected '" << name << "' to be a unit attribute";
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (!isa<BaseMemRefType, TensorType>(type))
      return op->emitOpError()
             << "is a kernel, but its argument " << i << " has type " << type
             << "; expected a memref or a tensor";
    if (!function.getArgAttr(i, getAccessAttrName()))
      return op->emitOpError()
             << "is a kernel, but its argument " << i << " does not declare '"
             << getAccessAttrName() << "'";
  }
  return success();
}

LogicalResult SchedDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned argIndex,
                                                     NamedAttribute attribute) {
  if (attribute.getName() == getAccessAttrName()) {
    if (!isa<AccessAttr>(attribute.getValue()))
      return op->emitOpError() << "expected '" << getAccessAttrName()
                               << "' to be a #sched.access attribute";
    if (!op->hasAttr(getKernelAttrName()))
      return op->emitOpError()
             << "declares '" << getAccessAttrName() << "' of its argument "
             << argIndex << ", but is no '" << getKernelAttrName() << "'";
    return success();
  }
  if (attribute.getName() != getTokensAttrName())
    return op->emitOpError()
           << "has unknown argument attribute '"
           << attribute.getName().getValue() << "'; the sched dialect knows '"
           << getTokensAttrName() << "' and '" << getAccessAttrName() << "'";
  if (!isa<UnitAttr>(attribute.getValue()))
    return op->emitOpError()
           << "expected '" << getTokensAttrName() << "' to be a unit attribute";
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError()
           << "has '" << getTokensAttrName() << "' but is no function";
  auto type = dyn_cast<ShapedType>(function.getArgumentTypes()[argIndex]);
  if (!type || !type.hasRank() || type.getRank() == 0 || !type.isDynamicDim(0))
    return op->emitOpError()
           << "argument " << argIndex << " carries '" << getTokensAttrName()
           << "' but has type " << function.getArgumentTypes()[argIndex]
           << "; expected a tensor or memref with a dynamic leading extent";
  return success();
}
