//===- SchedAttrs.td - Attributes of the sched dialect ---------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Effect classes, access kinds and sizes that are linear in the token count.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_SCHED_IR_SCHEDATTRS_TD
#define BRAID_DIALECT_SCHED_IR_SCHEDATTRS_TD

include "braid/Dialect/Sched/IR/SchedBase.td"
include "mlir/IR/AttrTypeBase.td"

def Sched_EffectClass : I32EnumAttr<"EffectClass",
    "what an op reads beside its inputs", [
      I32EnumAttrCase<"GraphSafe", 0, "graph_safe">,
      I32EnumAttrCase<"DeviceMetadata", 1, "device_metadata">,
      I32EnumAttrCase<"HostMetadata", 2, "host_metadata">,
      I32EnumAttrCase<"Init", 3, "init">]> {
  let cppNamespace = "::braid::sched";
  let genSpecializedAttr = 0;
}

def Sched_EffectClassAttr
    : EnumAttr<Sched_Dialect, Sched_EffectClass, "effect_class"> {
  let summary = "effect class of an op";
  let description = [{
    * `graph_safe`: reads its inputs only; may be captured into a graph.
    * `device_metadata`: reads metadata in device memory; may be captured only
      if every metadata buffer it reads is persistent.
    * `host_metadata`: reads a host value while it is enqueued; never captured.
    * `init`: runs once at load, never in a layer.

    This is not MLIR's trait `Pure`: a `graph_safe` op may write a cache.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Sched_Access : I32EnumAttr<"Access", "how memory is touched", [
      I32EnumAttrCase<"None", 0, "none">,
      I32EnumAttrCase<"Read", 1, "read">,
      I32EnumAttrCase<"Write", 2, "write">,
      I32EnumAttrCase<"ReadWrite", 3, "read_write">]> {
  let cppNamespace = "::braid::sched";
  let genSpecializedAttr = 0;
}

def Sched_AccessAttr : EnumAttr<Sched_Dialect, Sched_Access, "access"> {
  let summary = "how an op touches the memory behind an operand";
  let assemblyFormat = "`<` $value `>`";
}

def Sched_LinearAttr : AttrDef<Sched_Dialect, "Linear"> {
  let mnemonic = "linear";
  let summary = "bytes as a linear function of the token count";
  let description = [{
    `#sched.linear<a, b>` is a * T + b bytes for T tokens. Both are multiples of
    256, the alignment of every buffer.
  }];
  let parameters = (ins "int64_t":$perToken, "int64_t":$fixed);
  let assemblyFormat = "`<` $perToken `,` $fixed `>`";
  let genVerifyDecl = 1;
}

#endif // BRAID_DIALECT_SCHED_IR_SCHEDATTRS_TD
