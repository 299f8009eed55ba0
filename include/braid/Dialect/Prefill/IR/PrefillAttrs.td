//===- PrefillAttrs.td - Attributes of the prefill dialect ---------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Metadata kinds and rotary tables.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_PREFILL_IR_PREFILLATTRS_TD
#define BRAID_DIALECT_PREFILL_IR_PREFILLATTRS_TD

include "braid/Dialect/Prefill/IR/PrefillDialect.td"
include "braid/Dialect/Sched/IR/SchedInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Prefill_MetadataAttr : AttrDef<Prefill_Dialect, "Metadata", [
    DeclareAttrInterfaceMethods<MetadataAttrInterface>]> {
  let mnemonic = "metadata";
  let summary = "marks a function argument as attention metadata";
  let description = [{
    * `#prefill.metadata<host>`: the host reads it while it enqueues work.
    * `#prefill.metadata<device, persistent>`: device memory, same address for
      every call, refreshed before each replay; ops that read it may be
      captured.
    * `#prefill.metadata<device, transient>`: device memory, a new address from
      call to call; ops that read it stay eager.

    Persistence belongs to the operand and not to the op: the same hoist is
    right in one engine and wrong in another.
  }];
  let parameters = (ins "bool":$host, "bool":$persistent);
  let hasCustomAssemblyFormat = 1;
}

def Prefill_RopeAttr : AttrDef<Prefill_Dialect, "Rope"> {
  let mnemonic = "rope";
  let summary = "parameters of a rotary position table";
  let description = [{
    `theta` alone is plain RoPE. With `factor` (> 1) it is YaRN without magnitude
    scaling; `beta_fast`, `beta_slow` and `original_positions` belong to it.
    The table has one row a position: cosines, then sines.
  }];
  let parameters = (ins
    "::mlir::FloatAttr":$theta,
    OptionalParameter<"::mlir::FloatAttr">:$factor,
    OptionalParameter<"::mlir::FloatAttr">:$beta_fast,
    OptionalParameter<"::mlir::FloatAttr">:$beta_slow,
    OptionalParameter<"::mlir::IntegerAttr">:$original_positions);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // BRAID_DIALECT_PREFILL_IR_PREFILLATTRS_TD
