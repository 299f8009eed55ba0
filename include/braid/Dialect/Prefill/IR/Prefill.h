//===- Prefill.h - The prefill dialect -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the dialect that says what an attention prefill layer computes.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_PREFILL_IR_PREFILL_H
#define BRAID_DIALECT_PREFILL_IR_PREFILL_H

#include "braid/Dialect/Sched/IR/Sched.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace braid::prefill {

/// What collectives write to.
struct CommunicatorResource
    : public mlir::SideEffects::Resource::Base<CommunicatorResource> {
  llvm::StringRef getName() final { return "<Communicator>"; }
};

/// Adds the memory effects that follow from the accesses of `op`'s operands:
/// one on each operand that is a memref, none on tensors.
void getAccessEffects(
    sched::SchedulableOpInterface op,
    llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects);

/// Results of a destination-style op: the types of its inits that are tensors.
mlir::LogicalResult inferFromInits(mlir::ValueRange inits,
                                   llvm::SmallVectorImpl<mlir::Type> &results);

/// Bytes of a packed row of `channels`, `fp8Channels` of them in fp8 (a latent
/// row); without, of an index row. See the dialect's documentation.
int64_t getPackedRowBytes(int64_t channels, std::optional<int64_t> fp8Channels);

} // namespace braid::prefill

#define GET_ATTRDEF_CLASSES
#include "braid/Dialect/Prefill/IR/PrefillAttrs.h.inc"

#include "braid/Dialect/Prefill/IR/PrefillDialect.h.inc"

#define GET_OP_CLASSES
#include "braid/Dialect/Prefill/IR/PrefillOps.h.inc"

#endif // BRAID_DIALECT_PREFILL_IR_PREFILL_H
