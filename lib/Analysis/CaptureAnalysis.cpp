//===- CaptureAnalysis.cpp - May an op be captured into a graph? -*- C++
//-*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows operands back to function arguments and reads their metadata
// attributes.
//
//===----------------------------------------------------------------------===//

#include "braid/Analysis/CaptureAnalysis.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace braid;

Value braid::getViewSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
      value = view.getViewSource();
      continue;
    }
    // On tensors, slices and reshapes are the views of bufferized programs.
    if (isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
            tensor::CollapseShapeOp, tensor::CastOp>(op)) {
      value = op->getOperand(0);
      continue;
    }
    break;
  }
  return value;
}

/// The function that `value` is an argument of, and its number.
static std::pair<FunctionOpInterface, unsigned>
getFunctionArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return {nullptr, 0};
  return {dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()),
          argument.getArgNumber()};
}

sched::MetadataAttrInterface braid::getMetadata(Value value) {
  auto [function, index] = getFunctionArgument(getViewSource(value));
  if (!function)
    return nullptr;
  for (NamedAttribute attribute : function.getArgAttrs(index))
    if (auto metadata =
            dyn_cast<sched::MetadataAttrInterface>(attribute.getValue()))
      return metadata;
  return nullptr;
}

std::string braid::getArgumentName(Value value) {
  auto [function, index] = getFunctionArgument(getViewSource(value));
  if (!function)
    return "";
  for (NamedAttribute attribute : function.getArgAttrs(index))
    if (auto name = dyn_cast<StringAttr>(attribute.getValue());
        name && attribute.getName().getValue().ends_with(".name"))
      return "'" + name.str() + "'";
  return "argument " + std::to_string(index);
}

std::optional<CaptureObstacle>
braid::findCaptureObstacle(sched::SchedulableOpInterface op) {
  if (op.getEffectClass() == sched::EffectClass::Init)
    return CaptureObstacle{nullptr, "it runs once at load"};

  // The operand decides: the same op may be captured with persistent metadata
  // and must not be with transient metadata.
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<ShapedType>(operand.get().getType()))
      continue;
    sched::MetadataAttrInterface metadata = getMetadata(operand.get());
    if (op.isHostOperand(operand) || (metadata && metadata.isHost())) {
      std::string name = getArgumentName(operand.get());
      return CaptureObstacle{
          &operand,
          "the host reads " +
              (name.empty()
                   ? "operand " + std::to_string(operand.getOperandNumber())
                   : name) +
              " while it enqueues the op"};
    }
    if (metadata && !metadata.isPersistent())
      return CaptureObstacle{&operand,
                             "it reads " + getArgumentName(operand.get()) +
                                 ", device metadata whose address may change "
                                 "from call to call"};
  }
  if (op.getEffectClass() == sched::EffectClass::HostMetadata)
    return CaptureObstacle{nullptr, "it needs a host value"};
  return std::nullopt;
}
