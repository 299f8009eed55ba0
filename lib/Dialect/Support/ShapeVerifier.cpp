//===- ShapeVerifier.cpp - Checks of ranks, extents and types -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the checks that op verifiers are made of.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Support/ShapeVerifier.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace braid;

InFlightDiagnostic ShapeVerifier::fail() {
  failed = true;
  return op->emitOpError();
}

/// Says where an operand comes from and what it is.
static void attachPlace(InFlightDiagnostic &diagnostic, NamedOperand operand) {
  diagnostic.attachNote(operand.value.getLoc())
      << operand.name << " of type " << operand.value.getType()
      << " comes from here";
}

void ShapeVerifier::rank(NamedOperand operand, ArrayRef<int64_t> ranks) {
  if (failed || llvm::is_contained(ranks, operand.getType().getRank()))
    return;
  InFlightDiagnostic diagnostic = fail();
  diagnostic << operand.name << " has rank " << operand.getType().getRank()
             << ", expected "
             << llvm::join(llvm::map_range(ranks,
                                           [](int64_t rank) {
                                             return std::to_string(rank);
                                           }),
                           " or ");
  attachPlace(diagnostic, operand);
}

void ShapeVerifier::sameExtent(NamedOperand operand, unsigned dim,
                               NamedOperand other, unsigned otherDim) {
  if (failed)
    return;
  int64_t actual = operand.getExtent(dim);
  int64_t expected = other.getExtent(otherDim);
  if (actual == expected || ShapedType::isDynamic(actual) ||
      ShapedType::isDynamic(expected))
    return;
  InFlightDiagnostic diagnostic = fail();
  diagnostic << "dimension " << dim << " of " << operand.name << " is "
             << actual << ", expected " << expected << " as dimension "
             << otherDim << " of " << other.name;
  attachPlace(diagnostic, operand);
  attachPlace(diagnostic, other);
}

void ShapeVerifier::sameShape(NamedOperand operand, NamedOperand other) {
  rank(operand, other.getType().getRank());
  for (int64_t dim = 0; !failed && dim < other.getType().getRank(); ++dim)
    sameExtent(operand, dim, other, dim);
}

void ShapeVerifier::extent(NamedOperand operand, unsigned dim, int64_t expected,
                           StringRef why, std::optional<NamedOperand> other) {
  if (failed)
    return;
  int64_t actual = operand.getExtent(dim);
  if (actual == expected || ShapedType::isDynamic(actual))
    return;
  InFlightDiagnostic diagnostic = fail();
  diagnostic << "dimension " << dim << " of " << operand.name << " is "
             << actual << ", expected " << expected << ", " << why;
  attachPlace(diagnostic, operand);
  if (other)
    attachPlace(diagnostic, *other);
}

void ShapeVerifier::elementType(NamedOperand operand, ArrayRef<Type> types) {
  if (failed || llvm::is_contained(types, operand.getType().getElementType()))
    return;
  InFlightDiagnostic diagnostic = fail();
  diagnostic << operand.name << " has element type "
             << operand.getType().getElementType() << ", expected ";
  llvm::interleave(
      types, [&](Type type) { diagnostic << type; },
      [&] { diagnostic << " or "; });
  attachPlace(diagnostic, operand);
}

void ShapeVerifier::sameElementType(NamedOperand operand, NamedOperand other) {
  Type actual = operand.getType().getElementType();
  Type expected = other.getType().getElementType();
  if (failed || actual == expected)
    return;
  InFlightDiagnostic diagnostic = fail();
  diagnostic << operand.name << " has element type " << actual << ", expected "
             << expected << " as " << other.name;
  attachPlace(diagnostic, operand);
  attachPlace(diagnostic, other);
}

void ShapeVerifier::check(bool holds, const Twine &what,
                          std::optional<NamedOperand> place) {
  if (failed || holds)
    return;
  InFlightDiagnostic diagnostic = fail();
  diagnostic << what;
  if (place)
    attachPlace(diagnostic, *place);
}
