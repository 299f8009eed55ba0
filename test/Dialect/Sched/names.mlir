// RUN: braid-opt %s --mlir-print-op-generic | braid-opt | FileCheck %s

// Streams, events and buffers print under telling names.
// CHECK-LABEL: func @names
func.func @names(%t: index) {
  // CHECK: sched.schedule(%s0, %s1) tokens(%arg0)
  sched.schedule(%a, %b) tokens(%t) {
    // CHECK: %buf = sched.alloc
    %c = sched.alloc(%t) : memref<?x8xf32>
    // CHECK: %e = sched.record on %s0
    %d = sched.record on %a
    // CHECK: sched.wait on %s1 for %e
    sched.wait on %b for %d
    // CHECK: %e_0 = sched.record on %s1
    %e = sched.record on %b
    sched.wait on %a for %e
  }
  return
}
