//===- SchedBase.td - Common definitions of the sched dialect ---------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Base classes and resources that the other files of the dialect share.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_SCHED_IR_SCHEDBASE_TD
#define BRAID_DIALECT_SCHED_IR_SCHEDBASE_TD

include "braid/Dialect/Sched/IR/SchedDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/EnumAttr.td"

/// What ops that order work on streams write to.
def Sched_StreamResource : Resource<"::braid::sched::StreamResource">;

class Sched_Op<string mnemonic, list<Trait> traits = []>
    : Op<Sched_Dialect, mnemonic, traits>;

#endif // BRAID_DIALECT_SCHED_IR_SCHEDBASE_TD
