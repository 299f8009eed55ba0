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

def NarrowEagerPass : Pass<"sched-narrow-eager", "::mlir::func::FuncOp"> {
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
    that is not persistent, or because it lies between ops that stay. A remark
    (category `sched-eager`, name `StaysEager`) says which, and names the operand;
    `NarrowedEager` has the counts.

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
}

def FormSegmentsPass : Pass<"sched-form-segments", "::mlir::func::FuncOp"> {
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
  }];
  let options = [
    Option<"capture", "capture", "bool", /*default=*/"true",
           "Form captured segments; false puts every op into eager regions">,
  ];
  let dependentDialects = ["::braid::sched::SchedDialect",
                           "::mlir::arith::ArithDialect",
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

def ExpandForkJoinPass : Pass<"sched-expand-fork-join"> {
  let summary = "Replace fork and join by records and waits";
  let description = [{
    `sched.fork %a to %b, %c` becomes a record on %a and a wait for it on each of
    %b and %c; `sched.join %b, %c into %a` becomes a record on each of %b and %c
    and one wait for both on %a.
  }];
  let dependentDialects = ["::braid::sched::SchedDialect"];
}

def PlanMemoryPass : Pass<"sched-plan-memory"> {
  let summary = "Give every buffer of a schedule a place in its workspace";
  let description = [{
    Sets the offset of each `sched.alloc`, a * T + b bytes with a and b multiples
    of 256, and the workspace of each `sched.schedule`. Every buffer gets bytes
    of its own, so no two buffers overlap for any token count. A remark
    (category `sched-memory`, name `WorkspacePlanned`) gives the bytes.
  }];
  let dependentDialects = ["::braid::sched::SchedDialect"];
}

#endif // BRAID_DIALECT_SCHED_TRANSFORMS_PASSES_TD
