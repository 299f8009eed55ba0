// RUN: braid-opt %s --canonicalize --cse --loop-invariant-code-motion --control-flow-sink --canonicalize --split-input-file | FileCheck %s

// Ops that order work are neither merged, moved nor erased, though equal
// neighbours and unused events look superfluous.
// CHECK-LABEL: func @sync(
func.func @sync() {
  // CHECK: sched.schedule(%[[S0:.*]], %[[S1:.*]]) {
  sched.schedule(%s0, %s1) {
    // CHECK-NEXT: sched.fork %[[S0]] to %[[S1]]
    // CHECK-NEXT: %[[A:.*]] = sched.record on %[[S0]]
    // CHECK-NEXT: %[[B:.*]] = sched.record on %[[S0]]
    // CHECK-NEXT: sched.wait on %[[S1]] for %[[A]]
    // CHECK-NEXT: sched.wait on %[[S1]] for %[[A]]
    // CHECK-NEXT: sched.wait on %[[S1]] for %[[B]]
    // CHECK-NEXT: sched.record on %[[S1]]
    // CHECK-NEXT: sched.join %[[S1]] into %[[S0]]
    // CHECK-NEXT: sched.join %[[S1]] into %[[S0]]
    sched.fork %s0 to %s1
    %a = sched.record on %s0
    %b = sched.record on %s0
    sched.wait on %s1 for %a
    sched.wait on %s1 for %a
    sched.wait on %s1 for %b
    %unused = sched.record on %s1
    sched.join %s1 into %s0
    sched.join %s1 into %s0
  }
  return
}

// -----

// Equal launches stay two, in their order, around a wait.
// CHECK-LABEL: func @launches(
func.func @launches(%x: memref<4xf32>, %y: memref<4xf32>) {
  sched.schedule(%s0) {
    // CHECK: sched.launch
    // CHECK: %[[E:.*]] = sched.record
    // CHECK: sched.wait on %{{.*}} for %[[E]]
    // CHECK: sched.launch
    sched.launch on %s0 {
      memref.copy %x, %y : memref<4xf32> to memref<4xf32>
    }
    %e = sched.record on %s0
    sched.wait on %s0 for %e
    sched.launch on %s0 {
      memref.copy %x, %y : memref<4xf32> to memref<4xf32>
    }
  }
  return
}

// -----

// A kernel that writes nothing known is still enqueued.
// CHECK-LABEL: func @no_memory(
func.func @no_memory() {
  // CHECK: sched.launch
  // CHECK-NEXT: prefill.kernel @tick
  sched.schedule(%s0) {
    sched.launch on %s0 {
      prefill.kernel @tick {effect = #sched.effect_class<graph_safe>}
    }
  }
  return
}

// -----

// Two buffers of one type are two.
// CHECK-LABEL: func @buffers(
func.func @buffers(%t: index, %x: memref<?x8xf32>) {
  sched.schedule(%s0) tokens(%t) {
    // CHECK: %[[A:.*]] = sched.alloc(
    // CHECK-NEXT: %[[B:.*]] = sched.alloc(
    // CHECK: memref.copy %{{.*}}, %[[A]]
    // CHECK: memref.copy %{{.*}}, %[[B]]
    %a = sched.alloc(%t) : memref<?x8xf32>
    %b = sched.alloc(%t) : memref<?x8xf32>
    sched.launch on %s0 {
      memref.copy %x, %a : memref<?x8xf32> to memref<?x8xf32>
    }
    sched.launch on %s0 {
      memref.copy %x, %b : memref<?x8xf32> to memref<?x8xf32>
    }
  }
  return
}

// -----

// The negative twin: a buffer that nobody uses goes, and a schedule that
// enqueues nothing goes with it.
// CHECK-LABEL: func @dead(
func.func @dead(%t: index) {
  // CHECK-NEXT: return
  sched.schedule(%s0) tokens(%t) {
    %a = sched.alloc(%t) : memref<?x8xf32>
    sched.segment {
    }
  }
  return
}

// -----

// Both bodies of a dispatch stay, equal ones too, and constants may leave them.
// CHECK-LABEL: func @dispatch(
func.func @dispatch(%t: index, %x: memref<4xf32>, %y: memref<4xf32>) {
  // CHECK: sched.dispatch on %{{.*}} upto 16 {
  // CHECK: sched.launch
  // CHECK: } otherwise {
  // CHECK: sched.launch
  sched.dispatch on %t upto 16 {
    sched.schedule(%s0) {
      sched.launch on %s0 {
        memref.copy %x, %y : memref<4xf32> to memref<4xf32>
      }
    }
  } otherwise {
    sched.schedule(%s0) {
      sched.launch on %s0 {
        memref.copy %x, %y : memref<4xf32> to memref<4xf32>
      }
    }
  }
  return
}

// -----

// A launch whose copy goes nowhere goes with it; what waits for it still waits.
// CHECK-LABEL: func @copy_onto_itself(
func.func @copy_onto_itself(%x: memref<4xf32>, %y: memref<4xf32>) {
  // CHECK: sched.schedule(%[[S0:.*]]) {
  sched.schedule(%s0) {
    // CHECK-NEXT: %[[E:.*]] = sched.record on %[[S0]]
    // CHECK-NEXT: sched.wait on %[[S0]] for %[[E]]
    // CHECK-NEXT: sched.launch on %[[S0]] {
    // CHECK-NEXT: memref.copy %{{.*}}, %{{.*}}
    sched.launch on %s0 {
      memref.copy %x, %x : memref<4xf32> to memref<4xf32>
    }
    %e = sched.record on %s0
    sched.wait on %s0 for %e
    sched.launch on %s0 {
      memref.copy %x, %y : memref<4xf32> to memref<4xf32>
    }
  }
  return
}
