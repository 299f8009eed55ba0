//===- Acme.h - The dialect and the pass of the example ---------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the dialect, its op, and what acme-opt registers.
//
//===----------------------------------------------------------------------===//

#ifndef ACME_H
#define ACME_H

#include "braid/Dialect/Sched/IR/Sched.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "AcmeDialect.h.inc"

#define GET_OP_CLASSES
#include "AcmeOps.h.inc"

namespace acme {

/// The dialect, and how its op is bufferized.
void registerDialect(mlir::DialectRegistry &registry);

/// `acme-fuse-norm`.
void registerFuseNormPass();

} // namespace acme

#endif // ACME_H
