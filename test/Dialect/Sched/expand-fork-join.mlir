// RUN: braid-opt %s --sched-expand-fork-join --split-input-file | FileCheck %s

// A fork is one record and a wait on each branch.
// CHECK-LABEL: func @fork(
func.func @fork() {
  // CHECK: sched.schedule(%[[S0:.*]], %[[S1:.*]], %[[S2:.*]]) {
  sched.schedule(%s0, %s1, %s2) {
    // CHECK-NEXT: %[[E:.*]] = sched.record on %[[S0]]{{$}}
    // CHECK-NEXT: sched.wait on %[[S1]] for %[[E]]{{$}}
    // CHECK-NEXT: sched.wait on %[[S2]] for %[[E]]{{$}}
    // CHECK-NEXT: }
    sched.fork %s0 to %s1, %s2
  }
  return
}

// -----

// A join is a record on each branch and one wait for all of them.
// CHECK-LABEL: func @join(
func.func @join() {
  // CHECK: sched.schedule(%[[S0:.*]], %[[S1:.*]], %[[S2:.*]]) {
  sched.schedule(%s0, %s1, %s2) {
    // CHECK-NEXT: %[[E1:.*]] = sched.record on %[[S1]]{{$}}
    // CHECK-NEXT: %[[E2:.*]] = sched.record on %[[S2]]{{$}}
    // CHECK-NEXT: sched.wait on %[[S0]] for %[[E1]], %[[E2]]{{$}}
    // CHECK-NEXT: }
    sched.join %s1, %s2 into %s0
  }
  return
}

// -----

// Inside a segment, an eager region and a dispatch, with the work in between in
// its place.
// CHECK-LABEL: func @nested(
func.func @nested(%t: index, %x: memref<4xf32>, %y: memref<4xf32>) {
  // CHECK: sched.dispatch
  // CHECK-NOT: sched.fork
  // CHECK-NOT: sched.join
  // CHECK: sched.segment {
  // CHECK-NEXT: sched.record on %[[A:.*]]
  // CHECK-NEXT: sched.wait on %[[B:.*]] for
  // CHECK-NEXT: sched.launch on %[[B]]
  // CHECK: sched.record on %[[B]]
  // CHECK-NEXT: sched.wait on %[[A]] for
  // CHECK: sched.eager {
  // CHECK-NEXT: sched.record
  // CHECK-NEXT: sched.wait
  // CHECK-NEXT: sched.record
  // CHECK-NEXT: sched.wait
  sched.dispatch on %t upto 4 {
    sched.schedule(%s0, %s1) {
      sched.segment {
        sched.fork %s0 to %s1
        sched.launch on %s1 {
          memref.copy %x, %y : memref<4xf32> to memref<4xf32>
        }
        sched.join %s1 into %s0
      }
      sched.eager {
        sched.fork %s0 to %s1
        sched.join %s1 into %s0
      }
    }
  } otherwise {
  }
  return
}

// -----

// The negative twin: records and waits that are written out stay as they are.
// CHECK-LABEL: func @written(
func.func @written() {
  // CHECK: sched.schedule(%[[S0:.*]], %[[S1:.*]]) {
  sched.schedule(%s0, %s1) {
    // CHECK-NEXT: %[[E:.*]] = sched.record on %[[S0]] slot 3
    // CHECK-NEXT: sched.wait on %[[S1]] for %[[E]]
    // CHECK-NEXT: }
    %e = sched.record on %s0 slot 3
    sched.wait on %s1 for %e
  }
  return
}
