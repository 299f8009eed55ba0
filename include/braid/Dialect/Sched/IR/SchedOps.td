//===- SchedOps.td - Operations of the sched dialect ---------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules, segments, eager regions, launches, events, choice by token count and
// workspace buffers.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_SCHED_IR_SCHEDOPS_TD
#define BRAID_DIALECT_SCHED_IR_SCHEDOPS_TD

include "braid/Dialect/Sched/IR/SchedInterfaces.td"
include "braid/Dialect/Sched/IR/SchedTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

def Sched_ScheduleOp : Sched_Op<"schedule",
    [NoTerminator, SingleBlock, RecursiveMemoryEffects,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a region that owns a set of streams";
  let description = [{
    Runs its body with the streams that are its block arguments. The first one
    is the caller's stream: work on it before the schedule is done before the
    schedule starts, and the schedule is done when the work on it is done. The
    optional operand is the token count of this call.

    `workspace` is what the schedule's own buffers need, once they are planned;
    `events` is the number of physical event slots, once events are bound.

    ```
    sched.schedule(%s0, %s1) tokens(%t) workspace(#sched.linear<6144, 0>) {
      ...
    }
    ```
  }];
  let arguments = (ins Optional<Index>:$tokens,
                       OptionalAttr<Sched_LinearAttr>:$workspace,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$events);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$tokens,
                                 CArg<"unsigned", "1">:$numStreams)>];
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    unsigned getNumStreams() { return getBody().getNumArguments(); }
    ::mlir::BlockArgument getStream(unsigned i) {
      return getBody().getArgument(i);
    }
  }];
}

class Sched_RegionOp<string mnemonic> : Sched_Op<mnemonic,
    [NoTerminator, SingleBlock, RecursiveMemoryEffects, NoRegionArguments]> {
  let arguments = (ins OptionalAttr<StrAttr>:$name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "($name^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins CArg<"::mlir::StringAttr", "{}">:$name)>];
  let skipDefaultBuilders = 1;
}

def Sched_SegmentOp : Sched_RegionOp<"segment"> {
  let summary = "work that is captured as one graph";
  let description = [{
    The launches, records and waits in the body are captured once and replayed
    with the addresses they were captured with. Buffers that the body uses from
    outside are the graph's parameters. Every stream used in the body is forked
    from stream 0 by an event and joined to it by another one; no event crosses
    the edge of the segment.

    ```
    sched.segment "c4a.segment0" {
      sched.launch on %s0 { ... }
    }
    ```
  }];
}

def Sched_EagerOp : Sched_RegionOp<"eager"> {
  let summary = "work that runs outside any graph";
  let description = [{
    A break between segments: the body is enqueued anew for each call, and may
    read host metadata. The same rules for streams and events hold as in a
    segment.
  }];
}

def Sched_LaunchOp : Sched_Op<"launch",
    [NoTerminator, SingleBlock, RecursiveMemoryEffects, NoRegionArguments,
     MemoryEffects<[MemWrite<Sched_StreamResource>]>]> {
  let summary = "one op enqueued on a stream";
  let description = [{
    The body holds exactly one op that implements `SchedulableOpInterface`, on
    buffers.

    `planned_stream` and `planned_position` are a schedule that was chosen but
    not materialized yet: the stream the launch is to move to, and its place in
    the order of its segment or eager region.

    ```
    sched.launch on %s0 {
      prefill.rms_norm %x into %y {eps = 1.0e-6 : f64} : ...
    }
    ```
  }];
  let arguments = (ins Sched_Stream:$stream,
      OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$planned_stream,
      OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$planned_position);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`on` $stream attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$stream)>];
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    /// The op that is launched.
    ::mlir::Operation *getLaunchedOp() { return &getBody().front().front(); }
  }];
}

def Sched_HostCallOp : Sched_Op<"host_call",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>,
     DeclareOpInterfaceMethods<SchedulableOpInterface,
         ["getEffectClass", "getAccess", "isHostOperand", "getCost"]>]> {
  let summary = "a host function launched on a stream";
  let description = [{
    Runs a function of the module that carries `sched.kernel`: plain host code on
    memrefs, without a schedule of its own. What it does with an argument is
    declared there by `sched.access`; what it reads beside its arguments by
    `sched.effect` on the function (`graph_safe` if absent). A memref argument
    that carries host metadata is read while the call is enqueued.

    `flops_per_token` and `bytes_per_token` feed the cost model.

    ```
    func.func private @scale(
        %x: memref<?x8xf32> {sched.access = #sched.access<read>},
        %y: memref<?x8xf32> {sched.access = #sched.access<write>})
        attributes {sched.kernel} { ... }

    sched.launch on %s0 {
      sched.host_call @scale(%a, %b) : memref<?x8xf32>, memref<?x8xf32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
                       Variadic<AnyStridedMemRef>:$arguments,
                       OptionalAttr<F64Attr>:$flops_per_token,
                       OptionalAttr<F64Attr>:$bytes_per_token);
  let assemblyFormat = [{
    $callee `(` $arguments `)` attr-dict (`:` type($arguments)^)?
  }];
}

def Sched_DispatchOp : Sched_Op<"dispatch",
    [NoTerminator, SingleBlock, RecursiveMemoryEffects, NoRegionArguments]> {
  let summary = "choice of a body by token count";
  let description = [{
    Runs the first region whose bound is not below the token count, the last
    region if there is none. The ranges are disjoint and cover every count by
    construction. Each region is a whole function body; no value leaves it.

    ```
    sched.dispatch on %t upto 4096 { ... } otherwise { ... }
    ```

    With `gate` the one bound is a token threshold: the first body overlaps work
    on several streams, the second is the program's own order on one, and the
    threshold may be replaced at run time. 0 chooses the second body for every
    count.
  }];
  let arguments = (ins Index:$tokens, DenseI64ArrayAttr:$bounds,
                       UnitAttr:$gate);
  let regions = (region VariadicRegion<SizedRegion<1>>:$ranges);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

def Sched_RecordOp : Sched_Op<"record",
    [MemoryEffects<[MemWrite<Sched_StreamResource>]>,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "record the work enqueued on a stream so far";
  let description = [{
    The event is done when all work that was enqueued on the stream before it is
    done. `slot` is the physical event, once events are bound.
  }];
  let arguments = (ins Sched_Stream:$stream,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$slot);
  let results = (outs Sched_Event:$event);
  let assemblyFormat = "`on` $stream (`slot` $slot^)? attr-dict";
}

def Sched_WaitOp : Sched_Op<"wait",
    [MemoryEffects<[MemWrite<Sched_StreamResource>]>]> {
  let summary = "make a stream wait for events";
  let description = [{
    Work enqueued on the stream after this starts when all the events are done.
    The events and this op lie in the same segment, eager region or schedule
    body, counted from the innermost one.
  }];
  let arguments = (ins Sched_Stream:$stream, Variadic<Sched_Event>:$events);
  let assemblyFormat = "`on` $stream `for` $events attr-dict";
  let hasVerifier = 1;
}

def Sched_ForkOp : Sched_Op<"fork",
    [MemoryEffects<[MemWrite<Sched_StreamResource>]>]> {
  let summary = "let streams start after the work on one stream";
  let description = [{
    Short for a record on the origin and a wait for it on each branch;
    `sched-expand-fork-join` replaces it by those.
  }];
  let arguments = (ins Sched_Stream:$origin, Variadic<Sched_Stream>:$branches);
  let assemblyFormat = "$origin `to` $branches attr-dict";
  let hasVerifier = 1;
}

def Sched_JoinOp : Sched_Op<"join",
    [MemoryEffects<[MemWrite<Sched_StreamResource>]>]> {
  let summary = "let one stream go on after the work on others";
  let description = [{
    Short for a record on each branch and one wait for all of them on the
    origin; `sched-expand-fork-join` replaces it by those.
  }];
  let arguments = (ins Variadic<Sched_Stream>:$branches, Sched_Stream:$origin);
  let assemblyFormat = "$branches `into` $origin attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Sched_AllocOp : Sched_Op<"alloc",
    [DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a buffer in the schedule's workspace";
  let description = [{
    A contiguous buffer of which at most one extent is dynamic; that one is the
    token count. `offset` is its place in the workspace, once it is planned.
    Contents are undefined until written.

    ```
    %q = sched.alloc(%t) at <4096, 0> : memref<?x512xf32>
    ```
  }];
  let arguments = (ins Optional<Index>:$tokens,
                       OptionalAttr<Sched_LinearAttr>:$offset);
  let results = (outs Res<AnyMemRef, "", [MemAlloc]>:$buffer);
  let assemblyFormat = [{
    (`(` $tokens^ `)`)? (`at` $offset^)? attr-dict `:` type($buffer)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MemRefType getType() {
      return ::mlir::cast<::mlir::MemRefType>(getBuffer().getType());
    }
    /// Bytes that the buffer needs, each term rounded up to 256; null if they
    /// exceed 2^63.
    LinearAttr getBytes();
  }];
}

#endif // BRAID_DIALECT_SCHED_IR_SCHEDOPS_TD
