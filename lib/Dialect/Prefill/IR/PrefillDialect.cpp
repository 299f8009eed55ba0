//===- PrefillDialect.cpp - The prefill dialect -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers attributes and ops, and verifies the attributes of function
// arguments.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Prefill/IR/Prefill.h"

#include "braid/Dialect/Support/DialectVersion.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace braid::prefill;

#include "braid/Dialect/Prefill/IR/PrefillDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "braid/Dialect/Prefill/IR/PrefillAttrs.cpp.inc"

void PrefillDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "braid/Dialect/Prefill/IR/PrefillAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "braid/Dialect/Prefill/IR/PrefillOps.cpp.inc"
      >();
  addInterfaces<VersionedBytecodeInterface>();
}

//===----------------------------------------------------------------------===//
// MetadataAttr
//===----------------------------------------------------------------------===//

bool MetadataAttr::isHost() const { return getHost(); }
bool MetadataAttr::isPersistent() const { return getPersistent(); }

Attribute MetadataAttr::parse(AsmParser &parser, Type) {
  StringRef place, lifetime;
  if (parser.parseLess())
    return {};
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&place))
    return {};
  if (place != "host" && place != "device") {
    parser.emitError(loc) << "expected 'host' or 'device', got '" << place
                          << "'";
    return {};
  }
  if (place == "device") {
    if (parser.parseComma())
      return {};
    loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&lifetime))
      return {};
    if (lifetime != "persistent" && lifetime != "transient") {
      parser.emitError(loc)
          << "expected 'persistent' or 'transient', got '" << lifetime << "'";
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), place == "host", lifetime == "persistent");
}

void MetadataAttr::print(AsmPrinter &printer) const {
  if (getHost())
    printer << "<host>";
  else
    printer << "<device, " << (getPersistent() ? "persistent" : "transient")
            << ">";
}

//===----------------------------------------------------------------------===//
// RopeAttr
//===----------------------------------------------------------------------===//

LogicalResult RopeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               FloatAttr theta, FloatAttr factor,
                               FloatAttr betaFast, FloatAttr betaSlow,
                               IntegerAttr originalPositions) {
  if (!(theta.getValueAsDouble() > 0))
    return emitError() << "theta is " << theta.getValueAsDouble()
                       << "; expected a positive number";
  unsigned numYarn =
      bool(factor) + bool(betaFast) + bool(betaSlow) + bool(originalPositions);
  if (numYarn != 0 && numYarn != 4)
    return emitError() << "factor, beta_fast, beta_slow and original_positions "
                          "belong together; got "
                       << numYarn << " of the four";
  if (factor && !(factor.getValueAsDouble() > 1))
    return emitError() << "factor is " << factor.getValueAsDouble()
                       << "; expected more than 1";
  if (originalPositions && originalPositions.getInt() <= 0)
    return emitError() << "original_positions is " << originalPositions.getInt()
                       << "; expected a positive number";
  return success();
}

//===----------------------------------------------------------------------===//
// Argument attributes
//===----------------------------------------------------------------------===//

LogicalResult PrefillDialect::verifyRegionArgAttribute(
    Operation *op, unsigned, unsigned argIndex, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  auto error = [&]() -> InFlightDiagnostic {
    return op->emitOpError() << "argument " << argIndex << ": ";
  };
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError() << "has '" << name << "' but is no function";
  auto type = dyn_cast<ShapedType>(function.getArgumentTypes()[argIndex]);
  if (!type)
    return error() << "'" << name << "' belongs on a tensor or memref, not on "
                   << function.getArgumentTypes()[argIndex];

  if (name == getNameAttrName()) {
    auto string = dyn_cast<StringAttr>(value);
    if (!string || string.getValue().empty())
      return error() << "expected '" << name << "' to be a non-empty string";
    for (unsigned other = 0; other < argIndex; ++other)
      if (function.getArgAttr(other, name) == value)
        return error() << "has the name " << value << ", which argument "
                       << other << " has too";
    return success();
  }
  if (name == getMetadataAttrName()) {
    if (!isa<MetadataAttr>(value))
      return error() << "expected '" << name
                     << "' to be a #prefill.metadata attribute, got " << value;
    return success();
  }
  if (name == getWeightAttrName()) {
    auto names = dyn_cast<ArrayAttr>(value);
    if (!names || names.empty() ||
        !llvm::all_of(names, llvm::IsaPred<StringAttr>))
      return error() << "expected '" << name
                     << "' to be a non-empty array of strings";
    return success();
  }
  if (name == getRopeAttrName()) {
    if (!isa<RopeAttr>(value))
      return error() << "expected '" << name
                     << "' to be a #prefill.rope attribute, got " << value;
    if (!type.hasRank() || type.getRank() != 2 ||
        !type.getElementType().isF32())
      return error() << "a rotary table is [positions, channels] f32, got "
                     << type;
    return success();
  }
  return error() << "has unknown attribute '" << name
                 << "'; the prefill dialect knows '" << getNameAttrName()
                 << "', '" << getMetadataAttrName() << "', '"
                 << getWeightAttrName() << "' and '" << getRopeAttrName()
                 << "'";
}

/// Attributes of this dialect are for arguments; anywhere else they would be
/// without effect.
LogicalResult
PrefillDialect::verifyOperationAttribute(Operation *op,
                                         NamedAttribute attribute) {
  return op->emitOpError() << "has '" << attribute.getName().getValue()
                           << "', which belongs on arguments of functions";
}

LogicalResult PrefillDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned resultIndex, NamedAttribute attribute) {
  return op->emitOpError() << "result " << resultIndex << ": has '"
                           << attribute.getName().getValue()
                           << "', which belongs on arguments of functions";
}
