//===- Passes.td - Conversions out of Braid's dialects ---------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the conversion of schedules to calls of the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_CONVERSION_PASSES_TD
#define BRAID_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertSchedToRuntimePass
    : Pass<"convert-sched-to-runtime", "::mlir::ModuleOp"> {
  let summary = "Lower schedules to calls of the runtime's C ABI";
  let description = [{
    Every function becomes an `llvm.func` that takes a frame and one pointer to a
    `braid_tensor` an argument; launches, segments, records and waits become
    calls of `braid_rt_*` (`braid/compiled.h`) with constant tables. Each public
    function gets a constant `braid_function_<name>` of type `braid_function`,
    which is all that an engine needs to call it.

    Expects planned schedules (`sched-plan-memory`), bound events, no forks and
    joins, and views lowered by upstream's `expand-strided-metadata` and
    `lower-affine`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

#endif // BRAID_CONVERSION_PASSES_TD
