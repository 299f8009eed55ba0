//===- Sched.h - The sched dialect -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the dialect that says when and where work runs, its attributes,
// types and ops, and the interfaces that make other dialects' ops schedulable.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_SCHED_IR_SCHED_H
#define BRAID_DIALECT_SCHED_IR_SCHED_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "braid/Dialect/Sched/IR/SchedEnums.h.inc"

namespace braid::sched {

/// What ops that order work on streams write to. A resource of its own, so
/// that such ops neither alias with loads nor get erased.
struct StreamResource
    : public mlir::SideEffects::Resource::Base<StreamResource> {
  llvm::StringRef getName() final { return "<Stream>"; }
};

/// Work of one execution of an op.
struct Cost {
  double flops = 0; ///< arithmetic operations
  double bytes = 0; ///< bytes moved to and from memory
  /// Blocks of a sum that have scales of their own, and follow one another.
  double scaledBlocks = 0;
};

/// Access of a destination-style op: its inits are written and all other
/// operands read.
Access getDefaultAccess(mlir::OpOperand &operand);

/// No arithmetic; every shaped operand is moved once. Each dynamic extent
/// counts as `tokens`.
Cost getDefaultCost(mlir::Operation *op, int64_t tokens);

/// Elements of a shaped type, with `tokens` for each dynamic extent.
double countElements(mlir::Type type, int64_t tokens);

/// Bytes of a shaped type, with `tokens` for each dynamic extent.
double countBytes(mlir::Type type, int64_t tokens);

} // namespace braid::sched

#include "braid/Dialect/Sched/IR/SchedAttrInterfaces.h.inc"
#include "braid/Dialect/Sched/IR/SchedOpInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "braid/Dialect/Sched/IR/SchedAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "braid/Dialect/Sched/IR/SchedTypes.h.inc"

#include "braid/Dialect/Sched/IR/SchedDialect.h.inc"

#define GET_OP_CLASSES
#include "braid/Dialect/Sched/IR/SchedOps.h.inc"

#endif // BRAID_DIALECT_SCHED_IR_SCHED_H
