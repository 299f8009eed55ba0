//===- ShapeVerifier.h - Checks of ranks, extents, types --------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks that op verifiers are made of. Each failure is one sentence that
// names the operand, what it is and what was expected, with a note at each
// other place involved.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_SUPPORT_SHAPEVERIFIER_H
#define BRAID_DIALECT_SUPPORT_SHAPEVERIFIER_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace braid {

/// An operand with the name that messages call it by.
struct NamedOperand {
  llvm::StringRef name;
  mlir::Value value;

  mlir::ShapedType getType() const {
    return mlir::cast<mlir::ShapedType>(value.getType());
  }
  int64_t getExtent(unsigned dim) const { return getType().getDimSize(dim); }
};

/// Collects failures of one op: once a check has failed the later ones pass
/// silently, since they may depend on it.
class ShapeVerifier {
public:
  explicit ShapeVerifier(mlir::Operation *op) : op(op) {}

  /// The operand has one of these ranks.
  void rank(NamedOperand operand, llvm::ArrayRef<int64_t> ranks);

  /// Extent `dim` of `operand` equals extent `otherDim` of `other`; an unknown
  /// extent equals any.
  void sameExtent(NamedOperand operand, unsigned dim, NamedOperand other,
                  unsigned otherDim);

  /// Both have the same rank and extents.
  void sameShape(NamedOperand operand, NamedOperand other);

  /// Extent `dim` of `operand` is `expected`, which is `why`.
  void extent(NamedOperand operand, unsigned dim, int64_t expected,
              llvm::StringRef why, std::optional<NamedOperand> other = {});

  /// The element type is one of these.
  void elementType(NamedOperand operand, llvm::ArrayRef<mlir::Type> types);

  /// Both have the same element type.
  void sameElementType(NamedOperand operand, NamedOperand other);

  /// Fails with `what` if `holds` is false.
  void check(bool holds, const llvm::Twine &what,
             std::optional<NamedOperand> place = {});

  mlir::LogicalResult result() const { return mlir::success(!failed); }
  bool hasFailed() const { return failed; }

private:
  mlir::InFlightDiagnostic fail();

  mlir::Operation *op;
  bool failed = false;
};

} // namespace braid

#endif // BRAID_DIALECT_SUPPORT_SHAPEVERIFIER_H
