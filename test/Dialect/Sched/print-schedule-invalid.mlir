// RUN: braid-opt %s --sched-print-schedule="output=%t.txt" --split-input-file --verify-diagnostics
// RUN: not braid-opt %s --sched-print-schedule=tokens=-1 --split-input-file 2>&1 | FileCheck %s --check-prefix=TOKENS
// RUN: not braid-opt %s --sched-print-schedule=format=png 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: echo "module {}" > %t.mlir
// RUN: not braid-opt %t.mlir --sched-print-schedule=output=%t.none/a.svg 2>&1 | FileCheck %s --check-prefix=PATH

// TOKENS: error: tokens is -1; expected 0 or more
// FORMAT: Cannot find option named 'png'!
// PATH: error: cannot open output file '{{.*}}none/a.svg': No such file or directory

// A loop has no one timeline.
func.func @loop(%n: index, %x: memref<4x10xf32>, %y: memref<4x10xf32>, %w: memref<10x10xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0) {
    sched.segment {
      // expected-error@+1 {{'scf.for' op cannot be timed: expected straight-line code of launches, records, waits, calls and views}}
      scf.for %i = %c0 to %n step %c1 {
        sched.launch on %s0 { prefill.linear %x by %w into %y : memref<4x10xf32>, memref<10x10xf32> -> memref<4x10xf32> }
      }
    }
  }
  return
}

// -----

// Neither has anything else that the host does.
func.func @store(%x: memref<4xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  sched.schedule(%s0) {
    // expected-error@+1 {{'memref.store' op cannot be timed: expected straight-line code}}
    memref.store %f, %x[%c0] : memref<4xf32>
  }
  return
}

// -----

func.func private @external()

func.func @calls_external() {
  sched.schedule(%s0) {
    // expected-error@+1 {{'func.call' op cannot be timed: '@external' has no schedule}}
    func.call @external() : () -> ()
  }
  return
}

// -----

func.func @recursive() {
  sched.schedule(%s0) {
    // expected-error@+1 {{'func.call' op cannot be timed: '@recursive' calls itself}}
    func.call @recursive() : () -> ()
  }
  return
}

// -----

// An event that comes from somewhere else.
func.func @event(%e: !sched.event) {
  sched.schedule(%s0) {
    // expected-error@+1 {{'sched.wait' op cannot be timed: it waits for an event that no record before it gives}}
    sched.wait on %s0 for %e
  }
  return
}
