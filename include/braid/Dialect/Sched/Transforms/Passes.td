//===- Passes.td - Passes of the sched dialect ---------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes that form, plan and check schedules. One pass, one file.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_SCHED_TRANSFORMS_PASSES_TD
#define BRAID_DIALECT_SCHED_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def NarrowEagerPass : Pass<"sched-narrow-eager", "::mlir::ModuleOp"> {
  let summary = "Move what may be captured out of eager regions";
  let description = [{
    Takes an eager region as its author placed it and leaves in it only what has
    to be there. An op that may be captured moves before the region if it needs
    nothing from it, and after the region if nothing in it needs the op. Needing
    counts values and memory: caches, views and overwriting what is still to be
    read. What the region takes in and yields follows by itself. Works on tensors,
    where legality is a question of values; the order among the ops that move is
    kept.

    An op stays because it reads host metadata, because it reads device metadata
    that is not persistent, or because it lies between ops that stay. In the last
    case the region is split around it where that pays: a launch in a graph costs
    less than one by the host, unless the kernel is so long that the host is ahead
    anyway; one more segment costs a replay and a break. The figures are those of
    the target (`braid.eager_launch_microseconds`, `braid.launch_microseconds`,
    `braid.replay_microseconds`, `braid.break_microseconds`).

    A call leaves the region wherever it stands: the callee forms its own regions,
    from what its arguments are.

    A remark (category `sched-eager`, name `StaysEager`) says why an op stayed, and
    names the operand or gives the figures; `SplitEager` gives those of a split,
    `CallLeaves` names the callee, `NarrowedEager` has the counts.

    ```
    %y = prefill.eager -> tensor<?x8xf32> {
      %q = prefill.linear %x by %w into %0 : ...
      %o = prefill.attend %q ... into %1 : ...
      %z = prefill.linear %o by %v into %2 : ...
      prefill.yield %z : tensor<?x8xf32>
    }
    ```
    becomes
    ```
    %q = prefill.linear %x by %w into %0 : ...
    %o = prefill.eager -> tensor<?x4x2xf32> {
      %1 = prefill.attend %q ... into %init : ...
      prefill.yield %1 : tensor<?x4x2xf32>
    }
    %y = prefill.linear %o by %v into %2 : ...
    ```
  }];
  let options = [
    Option<"tokens", "tokens", "int64_t", /*default=*/"256",
           "Token count for which times are estimated">,
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def FormSegmentsPass : Pass<"sched-form-segments", "::mlir::ModuleOp"> {
  let summary = "Put a function's ops into captured segments and eager regions";
  let description = [{
    Turns the straight-line body of a function on buffers into one
    `sched.schedule` on stream 0: ops that may be captured go into segments, all
    others into eager regions between them, in program order. Calls stay calls
    and separate segments. Buffers become `sched.alloc`.

    An op stays eager if its author placed it in an eager region, if it reads
    host metadata, or if it reads device metadata that is not persistent. A
    remark (category `sched-segment`, name `EagerOp`) says which of these it was,
    and names the operand.

    ```
    func.func @f(%x: memref<?x8xf32> {sched.tokens}, ...) {
      %q = memref.alloc(%t) : memref<?x4xf32>
      prefill.linear %x by %w into %q : ...
      prefill.attend %q ... into %o : ...
    ```
    becomes
    ```
    func.func @f(%x: memref<?x8xf32> {sched.tokens}, ...) {
      sched.schedule(%s0) tokens(%t) {
        %q = sched.alloc(%t) : memref<?x4xf32>
        sched.segment "f.segment0" {
          sched.launch on %s0 { prefill.linear %x by %w into %q : ... }
        }
        sched.eager "f.eager0" {
          sched.launch on %s0 { prefill.attend %q ... into %o : ... }
        }
      }
    ```

    A function that already holds a schedule is left alone.

    A function that is called inside an eager region runs outside any graph there,
    since its author says so: the call goes to a private copy without segments.
    (`sched-narrow-eager` moves calls out of eager regions.)
  }];
  let options = [
    Option<"capture", "capture", "bool", /*default=*/"true",
           "Form captured segments; false puts every op into eager regions">,
  ];
  let dependentDialects = ["::braid::sched::SchedDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect"];
}

def DropReturnedArgumentsPass
    : Pass<"sched-drop-returned-arguments", "::mlir::ModuleOp"> {
  let summary = "Remove results that are arguments of the function";
  let description = [{
    A function in destination style returns its output argument; on buffers that
    result says nothing. Removes each result that every return of the function
    takes from one and the same argument, and gives callers the argument that
    they passed. Upstream's `drop-equivalent-buffer-results` leaves public
    functions alone, which are the ones that engines call.

    ```
    func.func @f(%out: memref<?x4xf32>) -> memref<?x4xf32> {
      ...
      return %out : memref<?x4xf32>
    }
    ```
    becomes
    ```
    func.func @f(%out: memref<?x4xf32>) {
      ...
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def AssignStreamsPass : Pass<"sched-assign-streams", "::mlir::ModuleOp"> {
  let summary = "Choose a stream and a place for each launch";
  let description = [{
    For each segment and each eager region: reads the dependences between its
    launches from memory (views, in-place writes, reads before overwriting),
    estimates their time on the target, and chooses streams and an order for them
    (see `braid/Scheduling/Schedulers.h`). The choice is written to the launches
    as `planned_stream` and `planned_position`; nothing moves yet. Stream 0 gets
    the costliest chain.

    The target is the module's `dlti.target_system_spec`, device "GPU", entries
    `braid.*`. A target that cannot capture streams keeps one stream in segments.
    A remark (category `sched-streams`, name `StreamsAssigned`) gives streams,
    waits, and the estimated time beside that of the serial order.
  }];
  let options = [
    Option<"maxStreams", "max-streams", "unsigned", /*default=*/"4",
           "Most streams, stream 0 included">,
    Option<"algorithm", "algorithm", "::braid::sched::StreamAlgorithm",
           /*default=*/"::braid::sched::StreamAlgorithm::CriticalPath",
           "How streams are chosen", [{::llvm::cl::values(
             clEnumValN(::braid::sched::StreamAlgorithm::Serial, "serial",
                        "everything on stream 0, in program order"),
             clEnumValN(::braid::sched::StreamAlgorithm::CriticalPath,
                        "critical-path", "list scheduling by longest path"),
             clEnumValN(::braid::sched::StreamAlgorithm::ChainCover,
                        "chain-cover",
                        "fewest chains, one stream each, for comparison"))}]>,
    Option<"tokens", "tokens", "int64_t", /*default=*/"256",
           "Token count for which times are estimated">,
  ];
  let dependentDialects = ["::braid::sched::SchedDialect"];
}

def GateTokensPass : Pass<"sched-gate-tokens", "::mlir::ModuleOp"> {
  let summary = "Switch overlap off above a token threshold";
  let description = [{
    A schedule for which several streams were chosen becomes one
    `sched.dispatch` with two bodies: up to the threshold the schedule as chosen,
    above it the program's own order on one stream. A schedule that uses one
    stream is left alone: there is nothing to switch off.

    The threshold is the option, else the target's `braid.token_threshold`, else
    16384, the largest count that was measured on an H200. It can be replaced at
    run time (`braid_context_options`, `BRAID_TOKEN_THRESHOLD`) unless `fixed` is
    given; 0 is off for every count. From how many tokens launches outside graphs
    are overlapped is the runtime's to say (`eager_token_minimum`).
  }];
  let options = [
    Option<"threshold", "threshold", "int64_t", /*default=*/"-1",
           "Most tokens for which work is overlapped; -1: as the target says">,
    Option<"fixed", "fixed", "bool", /*default=*/"false",
           "The threshold cannot be replaced at run time">,
  ];
  let dependentDialects = ["::braid::sched::SchedDialect"];
}

def MaterializeSyncPass : Pass<"sched-materialize-sync", "::mlir::ModuleOp"> {
  let summary = "Turn chosen streams into streams, records and waits";
  let description = [{
    Moves launches to their `planned_stream` and into the order of their
    `planned_position`, and orders what depends on each other: for every
    dependence between two streams a record after the first launch and a wait
    before the second one; for every stream that is used a fork from stream 0
    before its first launch and a join after its last. All of them are written
    out; `sched-simplify-sync` removes what is implied.
  }];
  let dependentDialects = ["::braid::sched::SchedDialect"];
}

def SimplifySyncPass : Pass<"sched-simplify-sync", "::mlir::ModuleOp"> {
  let summary = "Remove waits that are implied and records that nobody awaits";
  let description = [{
    Keeps, stream by stream, what is known to be done: a wait for an event that
    the stream is ordered behind already, through earlier waits or through
    another event that it waits for before its next work, is removed. Records of
    one stream without work between them become one. What is left is the
    transitive reduction for the given streams and order. A remark (category
    `sched-sync`, name `SyncSimplified`) counts waits and records before and
    after.
  }];
  let dependentDialects = ["::braid::sched::SchedDialect"];
}

def BindEventsPass : Pass<"sched-bind-events", "::mlir::ModuleOp"> {
  let summary = "Bind events to a few physical slots";
  let description = [{
    Gives each record a slot, as a register allocator does: a slot is free again
    after the last wait for its record has been enqueued. Sets the number of
    slots on the schedule. A remark (category `sched-sync`, name `EventsBound`)
    gives records and slots.
  }];
  let dependentDialects = ["::braid::sched::SchedDialect"];
}

def ExpandForkJoinPass : Pass<"sched-expand-fork-join"> {
  let summary = "Replace fork and join by records and waits";
  let description = [{
    `sched.fork %a to %b, %c` becomes a record on %a and a wait for it on each of
    %b and %c; `sched.join %b, %c into %a` becomes a record on each of %b and %c
    and one wait for both on %a.
  }];
  let dependentDialects = ["::braid::sched::SchedDialect"];
}

def SeparateDestinationsPass
    : Pass<"sched-separate-destinations", "::mlir::func::FuncOp"> {
  let summary = "Give each op a destination of its own";
  let description = [{
    `tensor.empty` is pure, so CSE makes one of two with equal shapes. Two ops
    that write into it then share a buffer after bufferization, and have to keep
    an order that nobody asked for: the second one may write only when the first
    one's readers are done. Gives every use of a `tensor.empty` an op of its own
    again, which keeps independent ops independent.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def OutlineHostOpsPass : Pass<"sched-outline-host-ops", "::mlir::ModuleOp"> {
  let summary = "Turn launched linalg ops into host functions";
  let description = [{
    A launched op that the runtime has no kernel for, and that upstream can lower
    to loops, moves into a function of its own with `sched.kernel`; the launch
    then holds a `sched.host_call`. Values that the op or its body uses and that
    are no memref operands have to be constants; they are copied. Equal functions
    are not merged.

    Only the host backend runs such functions.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::braid::sched::SchedDialect"];
}

def PlanMemoryPass : Pass<"sched-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Give every buffer of a schedule a place in its workspace";
  let description = [{
    Sets the offset of each `sched.alloc`, a * T + b bytes with a and b multiples
    of 256, and the workspace of each `sched.schedule`. Two buffers get common
    bytes only where the order of work makes that safe: every access to the one
    is ordered before every access to the other, by streams and events, over all
    segments and eager regions of the schedule. What a later segment reads keeps
    its bytes until then.

    Buffers whose size grows with T come first, those of a fixed size behind
    them, so that no two of different kinds overlap for any token count. A
    schedule with loops or branches shares nothing. A remark (category
    `sched-memory`, name `WorkspacePlanned`) gives the bytes per token beside
    the sum of all buffers and the lower bound, the largest set of buffers that
    are alive at once.
  }];
  let options = [
    Option<"share", "share", "bool", /*default=*/"true",
           "Let buffers share bytes; false gives each its own">,
  ];
  let dependentDialects = ["::braid::sched::SchedDialect"];
}

def VerifyPass : Pass<"sched-verify"> {
  let summary = "Prove that every schedule is free of races";
  let description = [{
    Refuses a schedule that does not order what must be ordered. Reads what
    schedules mean and nothing that another pass noted down about them.

    It proves, for each `sched.schedule` on its own, for every token count of the
    ranges around it, and for every path through `scf.for` and `scf.if`:

    * **Order.** Two accesses to a common byte of which one writes are ordered:
      read after write, write after read, write after write. An op comes after
      the previous one on its stream and after each record that its stream
      waited for; a segment, an eager region and a call come after what
      precedes them on stream 0. Loop bodies stand for any iteration and any
      later one, events that they carry included.
    * **Bytes.** Two views of one buffer are distinct if their layouts show that
      they are (columns, heads, rows, strides at static places). Two buffers with
      offsets share bytes if they do for any token count from 1 on, to which the
      enclosing `sched.dispatch` leaves the choice; a threshold that can be
      replaced at run time (`gate`) leaves every count. Buffers without offsets
      are distinct. No buffer ends above the workspace.
    * **Contents.** No buffer is read before it is written, or after another
      buffer took its bytes.
    * **Regions.** In a segment, eager region or schedule, the first op of every
      other stream waits for the region's start, and stream 0 waits for the last
      one. A segment begins with all streams joined. So replays and calls in
      succession are ordered too.
    * **Events.** A wait comes before its event's slot is recorded again.
    * **Capture.** A segment holds no op that reads host values or metadata that
      is not persistent, no call, and no branch or loop that depends on anything
      but constants, extents and the token count. Host values that an op reads
      while it is enqueued are not written by the schedule.

    It does not prove, but takes as given: that function arguments are distinct
    memory (a buffer passed twice to a call is one buffer); that ops touch their
    operands as `SchedulableOpInterface` says; that a write to a part of a buffer
    wrote all that is read later; what metadata in device memory says, such as
    distinct cache slots; that the runtime does what it is told. Scratch memory
    (`getScratchBytes`) needs no check: the runtime has one for each stream.
    Callees are verified on their own; a call counts as one op on stream 0 that
    touches its arguments as all launches of the callee do, and everything if
    the callee is external or recursive.

    Ops that it does not know are errors. An error names the two ops, their
    streams, the buffer, the hazard and the missing edge, with a note at each
    place; after ten errors the rest of a schedule is left out.
  }];
}

def DumpStatisticsPass : Pass<"sched-dump-statistics", "::mlir::ModuleOp"> {
  let summary = "Write down what each schedule consists of and costs";
  let description = [{
    For each `sched.schedule`, those of all token ranges included: launches,
    regions, streams, records and waits, event slots, bytes, and for `tokens`
    the estimated time beside that of the same work in order on one stream. Works
    before and after the streams are materialized, and changes nothing. What is
    not planned yet is "-", an empty field, or null.

    ```
    braid-opt --pass-pipeline='builtin.module(braid-bufferize,braid-schedule,sched-dump-statistics{tokens=256})'
    ```
    writes
    ```
    At 256 tokens:
                                          c4a          c4a
                                   T <= 16384    T > 16384
    ------------------------------------------------------
    launches                               20           20
      captured                             18           18
      eager                                 2            2
    ...
    estimate, us                        118.5        155.4
      in order, us                      155.4        155.4
      faster by                         1.31x        1.00x
    ...
    ```

    Times are those of the cost model, by the rules in `braid/Target/Timeline.h`.
    The largest live set is the most bytes of the schedule's own buffers between
    the first and the last launch that touches each, as predicted; a call counts
    as one launch, with the work of its callee. A schedule with loops or branches
    has no one timeline and is an error.
  }];
  let options = [
    Option<"format", "format", "::braid::sched::StatisticsFormat",
           /*default=*/"::braid::sched::StatisticsFormat::Table",
           "How the figures are written", [{::llvm::cl::values(
             clEnumValN(::braid::sched::StatisticsFormat::Table, "table",
                        "for people: a column for each schedule"),
             clEnumValN(::braid::sched::StatisticsFormat::CSV, "csv",
                        "a row for each schedule"),
             clEnumValN(::braid::sched::StatisticsFormat::JSON, "json",
                        "an object for each schedule"))}]>,
    Option<"tokens", "tokens", "int64_t", /*default=*/"256",
           "Token count for which times, work and live bytes are given">,
    Option<"output", "output", "std::string", /*default=*/"",
           "File to write; stderr if empty, stdout if '-'">,
  ];
  let dependentDialects = ["::braid::sched::SchedDialect"];
}

def PrintSchedulePass : Pass<"sched-print-schedule", "::mlir::ModuleOp"> {
  let summary = "Draw each schedule";
  let description = [{
    Draws the schedules that the program runs for `tokens`, with streams as lanes,
    segments and eager regions as sections, and the predicted times of all
    launches. A launch is called by the name of its location (`loc("wq_b")`), else
    by the symbol that it calls, else by its op and a number. Locations get lost
    in text without `--mlir-print-debuginfo`; bytecode keeps them.

    `text` is for the terminal. `svg` is a picture to show, with arrows for waits.
    `dot` is a graph for Graphviz: dashed edges are the order of a stream, solid
    ones are waits.

    ```
    braid-opt --sched-print-schedule=tokens=100 -o /dev/null
    ```
    writes
    ```
    f, any T, at 100 tokens: 43.0 us on 2 streams; 63.0 us in order on one (1.47x)

    us  0.0                               22.0                                43.0
        |segment f.segment0               |eager f.eager0                     |
    s0  *[0 wq=========================]  |[2 attend=========================]|
        |                               <1|                                   |
    s1  | [1 wk========================*  |                                   |
        | <fork                           |                                   |
    ```
    and a list of the launches. Times are those of `sched-dump-statistics`.
  }];
  let options = [
    Option<"format", "format", "::braid::sched::PictureFormat",
           /*default=*/"::braid::sched::PictureFormat::Text",
           "Kind of picture", [{::llvm::cl::values(
             clEnumValN(::braid::sched::PictureFormat::Text, "text",
                        "lanes for the terminal"),
             clEnumValN(::braid::sched::PictureFormat::SVG, "svg",
                        "a self-contained picture"),
             clEnumValN(::braid::sched::PictureFormat::Dot, "dot",
                        "a graph for Graphviz"))}]>,
    Option<"tokens", "tokens", "int64_t", /*default=*/"256",
           "Token count: chooses among ranges, and gives times">,
    Option<"output", "output", "std::string", /*default=*/"",
           "File to write; stderr if empty, stdout if '-'">,
  ];
  let dependentDialects = ["::braid::sched::SchedDialect"];
}

def ExportTracePass : Pass<"sched-export-trace", "::mlir::ModuleOp"> {
  let summary = "Write predicted times as a trace for Perfetto";
  let description = [{
    Writes the schedules that the program runs for `tokens` in the trace event
    format, which https://ui.perfetto.dev and chrome://tracing open: a process for
    each schedule, a thread for each stream, a slice for each launch with its op,
    location, FLOPs and bytes, and an arrow for each wait between two launches.
    Names and times are those of `sched-print-schedule`.

    ```
    braid-opt --sched-export-trace='tokens=256 output=c4a.json' -o /dev/null
    ```
    writes
    ```
    {"ph": "X", "name": "wq_b", "pid": 1, "tid": 1, "cat": "linear",
     "ts": 12.345, "dur": 23.456, "args": {"op": "prefill.linear", ...}}
    ```
  }];
  let options = [
    Option<"tokens", "tokens", "int64_t", /*default=*/"256",
           "Token count: chooses among ranges, and gives times">,
    Option<"output", "output", "std::string", /*default=*/"",
           "File to write; stderr if empty, stdout if '-'">,
  ];
  let dependentDialects = ["::braid::sched::SchedDialect"];
}

#endif // BRAID_DIALECT_SCHED_TRANSFORMS_PASSES_TD
