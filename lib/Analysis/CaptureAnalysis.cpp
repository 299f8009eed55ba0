//===- CaptureAnalysis.cpp - May an op be captured into a graph? -*- C++
//-*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns classes of values into reasons, and follows views to arguments for
// their names.
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

/// The name under which a message knows the metadata behind `operand`: that of
/// the argument in the op's own function where it is declared there, else that
/// of the argument that a caller passes; "" if there is none.
static std::string getOriginName(OpOperand &operand, ValueClass known) {
  if (!known.origin || getMetadata(operand.get()))
    return getArgumentName(operand.get());
  std::string name = getArgumentName(known.origin);
  auto owner = operand.getOwner()->getParentOfType<FunctionOpInterface>();
  auto [function, index] = getFunctionArgument(known.origin);
  if (function != owner)
    name += " of @" + function.getName().str();
  return name;
}

static CaptureObstacle makeHostObstacle(OpOperand &operand,
                                        const std::string &name) {
  std::string number = "operand " + std::to_string(operand.getOperandNumber());
  if (isa<ShapedType>(operand.get().getType()))
    return {&operand, "the host reads " + (name.empty() ? number : name) +
                          " while it enqueues the op"};
  return {&operand, "the host computes " + number +
                        (name.empty() ? "" : " from " + name) +
                        ", and its value may change from call to call"};
}

std::optional<CaptureObstacle>
braid::findOperandObstacle(OpOperand &operand,
                           const EffectClassAnalysis &classes) {
  ValueClass known = classes.lookup(operand.get());
  if (known.kind == ValueKind::HostMetadata)
    return makeHostObstacle(operand, getOriginName(operand, known));
  if (known.kind != ValueKind::DeviceTransient)
    return std::nullopt;
  std::string name = getOriginName(operand, known);
  if (!isa<ShapedType>(operand.get().getType()))
    return makeHostObstacle(operand, name);
  return CaptureObstacle{
      &operand, "it reads " + name +
                    ", device metadata whose address may change from call to "
                    "call"};
}

std::optional<CaptureObstacle>
braid::findCaptureObstacle(sched::SchedulableOpInterface op,
                           const EffectClassAnalysis &classes) {
  if (op.getEffectClass() == sched::EffectClass::Init)
    return CaptureObstacle{nullptr, "it runs once at load"};

  // The operand decides: the same op may be captured with persistent metadata
  // and must not be with transient metadata.
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.isHostOperand(operand) && isa<ShapedType>(operand.get().getType()))
      return makeHostObstacle(
          operand, getOriginName(operand, classes.lookup(operand.get())));
    if (std::optional<CaptureObstacle> obstacle =
            findOperandObstacle(operand, classes))
      return obstacle;
  }
  if (op.getEffectClass() == sched::EffectClass::HostMetadata)
    return CaptureObstacle{nullptr, "it needs a host value"};
  return std::nullopt;
}
