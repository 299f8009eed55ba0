//===- ExternalModels.h - Upstream ops that can be scheduled -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives upstream ops the interface that schedules ask of an op.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_SCHED_IR_EXTERNALMODELS_H
#define BRAID_DIALECT_SCHED_IR_EXTERNALMODELS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace braid::sched {

/// Attaches SchedulableOpInterface to `memref.copy` (kernel "copy"), which
/// bufferization inserts where a value is overwritten while it is still used,
/// and to linalg's structured ops, which the host backend runs as functions.
void registerExternalModels(mlir::DialectRegistry &registry);

} // namespace braid::sched

#endif // BRAID_DIALECT_SCHED_IR_EXTERNALMODELS_H
