// RUN: braid-opt %s --sched-materialize-sync --split-input-file | FileCheck %s

// Work goes to its stream and into its order. A stream starts after the
// region's start, what depends on another stream waits for the op itself, and
// stream 0 waits for the last op of each other stream. Streams that the schedule
// did not have are added.
// CHECK-LABEL: func @fork_and_join(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x8xf32>, %[[A:[^:]*]]: memref<4x8xf32>, %[[B:[^:]*]]: memref<4x8xf32>, %[[C:[^:]*]]: memref<4x8xf32>)
func.func @fork_and_join(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>) {
  // CHECK: sched.schedule(%[[S0:.*]], %[[S1:.*]]) {
  // CHECK-NEXT: sched.segment {
  // CHECK-NEXT: %[[START:.*]] = sched.record on %[[S0]]
  // CHECK-NEXT: sched.wait on %[[S1]] for %[[START]]
  // CHECK-NEXT: sched.launch on %[[S1]] {
  // CHECK-NEXT: rms_norm %[[X]] into %[[B]] {{.*}}
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[DONE:.*]] = sched.record on %[[S1]]
  // CHECK-NEXT: sched.launch on %[[S0]] {
  // CHECK-NEXT: rms_norm %[[X]] into %[[A]] {{.*}}
  // CHECK-NEXT: }
  // CHECK-NEXT: sched.wait on %[[S0]] for %[[DONE]]
  // CHECK-NEXT: sched.launch on %[[S0]] {
  // CHECK-NEXT: rms_norm %[[B]] into %[[C]] {{.*}}
  // CHECK-NEXT: }
  // CHECK-NEXT: sched.wait on %[[S0]] for %[[DONE]]
  // CHECK-NEXT: }
  sched.schedule(%s0) {
    sched.segment {
      sched.launch on %s0 attributes {planned_position = 1 : i64, planned_stream = 0 : i64} {
        prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
      sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 1 : i64} {
        prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
      sched.launch on %s0 attributes {planned_position = 2 : i64, planned_stream = 0 : i64} {
        prefill.rms_norm %b into %c {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
    }
  }
  return
}

// -----

// One record serves every wait for an op; the start is one record too. Every
// edge is written out, implied ones as well.
// CHECK-LABEL: func @shared_records(
func.func @shared_records(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>) {
  // CHECK: sched.schedule(%[[S0:.*]], %[[S1:.*]], %[[S2:.*]]) {
  // CHECK: %[[START:.*]] = sched.record on %[[S0]]
  // CHECK-NEXT: sched.launch on %[[S0]]
  // CHECK: %[[A:.*]] = sched.record on %[[S0]]
  // CHECK-NEXT: sched.wait on %[[S1]] for %[[START]]
  // CHECK-NEXT: sched.wait on %[[S1]] for %[[A]]
  // CHECK-NEXT: sched.launch on %[[S1]]
  // CHECK: %[[B:.*]] = sched.record on %[[S1]]
  // CHECK-NEXT: sched.wait on %[[S2]] for %[[START]]
  // CHECK-NEXT: sched.wait on %[[S2]] for %[[A]]
  // CHECK-NEXT: sched.launch on %[[S2]]
  // CHECK: %[[C:.*]] = sched.record on %[[S2]]
  // CHECK-NEXT: sched.wait on %[[S0]] for %[[B]]
  // CHECK-NEXT: sched.wait on %[[S0]] for %[[C]]
  // CHECK-NEXT: }
  sched.schedule(%s0) {
    sched.segment {
      sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 0 : i64} {
        prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
      sched.launch on %s0 attributes {planned_position = 1 : i64, planned_stream = 1 : i64} {
        prefill.rms_norm %a into %b {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
      sched.launch on %s0 attributes {planned_position = 2 : i64, planned_stream = 2 : i64} {
        prefill.rms_norm %a into %c {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
    }
  }
  return
}

// -----

// Overwriting waits for the reads: an order that no value carries.
// CHECK-LABEL: func @overwritten(
func.func @overwritten(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  // CHECK: sched.launch on %[[S1:.*]] {
  // CHECK-NEXT: prefill.rms_norm {{.*}}
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[READ:.*]] = sched.record on %[[S1]]
  // CHECK-NEXT: sched.wait on %[[S0:.*]] for %[[READ]]
  // CHECK-NEXT: sched.launch on %[[S0]] {
  // CHECK-NEXT: memref.copy
  sched.schedule(%s0) {
    sched.segment {
      sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 1 : i64} {
        prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
      sched.launch on %s0 attributes {planned_position = 1 : i64, planned_stream = 0 : i64} {
        memref.copy %z, %x : memref<4x8xf32> to memref<4x8xf32>
      }
    }
  }
  return
}

// -----

// Each region forks and joins by itself: no event crosses its edge. A buffer
// that a later region reads needs no wait there.
// CHECK-LABEL: func @regions(
func.func @regions(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>) {
  // CHECK: sched.schedule(%[[S0:.*]], %[[S1:.*]]) {
  // CHECK-NEXT: sched.segment "s" {
  // CHECK-NEXT: %[[START:.*]] = sched.record on %[[S0]]
  // CHECK-NEXT: sched.wait on %[[S1]] for %[[START]]
  // CHECK-NEXT: sched.launch on %[[S1]]
  // CHECK: %[[DONE:.*]] = sched.record on %[[S1]]
  // CHECK-NEXT: sched.wait on %[[S0]] for %[[DONE]]
  // CHECK-NEXT: }
  // CHECK-NEXT: sched.eager "e" {
  // CHECK-NEXT: %[[START:.*]] = sched.record on %[[S0]]
  // CHECK-NEXT: sched.launch on %[[S0]]
  // CHECK: sched.wait on %[[S1]] for %[[START]]
  // CHECK-NEXT: sched.launch on %[[S1]]
  // CHECK: %[[DONE:.*]] = sched.record on %[[S1]]
  // CHECK-NEXT: sched.wait on %[[S0]] for %[[DONE]]
  // CHECK-NEXT: }
  sched.schedule(%s0) {
    sched.segment "s" {
      sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 1 : i64} {
        prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
    }
    sched.eager "e" {
      sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 0 : i64} {
        prefill.rms_norm %a into %b {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
      sched.launch on %s0 attributes {planned_position = 1 : i64, planned_stream = 1 : i64} {
        prefill.rms_norm %a into %c {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
    }
  }
  return
}

// -----

// Both bodies of a dispatch, each with the streams that it needs.
// CHECK-LABEL: func @dispatch(
func.func @dispatch(%t: index, %x: memref<?x8xf32>, %a: memref<?x8xf32>) {
  // CHECK: sched.dispatch
  // CHECK-NEXT: sched.schedule(%s0, %s1, %s2) tokens
  // CHECK: sched.launch on %s2 {
  // CHECK: } otherwise {
  // CHECK-NEXT: sched.schedule(%s0) tokens
  // CHECK-NOT: sched.record
  // CHECK: return
  sched.dispatch on %t upto 64 {
    sched.schedule(%s0) tokens(%t) {
      sched.segment {
        sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 2 : i64} {
          prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
        }
      }
    }
  } otherwise {
    sched.schedule(%s0) tokens(%t) {
      sched.segment {
        sched.launch on %s0 {
          prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
        }
      }
    }
  }
  return
}

// -----

// Negative: on one stream there is nothing to record, also out of order.
// CHECK-LABEL: func @one_stream(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x8xf32>, %[[A:[^:]*]]: memref<4x8xf32>, %[[B:[^:]*]]: memref<4x8xf32>)
func.func @one_stream(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>) {
  // CHECK-NEXT: sched.schedule(%s0) {
  // CHECK-NEXT: sched.segment {
  // CHECK-NEXT: sched.launch on %s0 {
  // CHECK-NEXT: rms_norm %[[X]] into %[[B]] {{.*}}
  // CHECK-NEXT: }
  // CHECK-NEXT: sched.launch on %s0 {
  // CHECK-NEXT: rms_norm %[[X]] into %[[A]] {{.*}}
  // CHECK-NEXT: }
  // CHECK-NEXT: }
  sched.schedule(%s0) {
    sched.segment {
      sched.launch on %s0 attributes {planned_position = 1 : i64, planned_stream = 0 : i64} {
        prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
      sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 0 : i64} {
        prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
    }
  }
  return
}

// -----

// Negative: without a plan, what is written stays.
// CHECK-LABEL: func @no_plan(
func.func @no_plan(%x: memref<4x8xf32>, %a: memref<4x8xf32>) {
  // CHECK: sched.schedule(%[[S0:.*]], %[[S1:.*]]) {
  // CHECK-NEXT: sched.segment {
  // CHECK-NEXT: sched.launch on %[[S0]] {
  // CHECK: %[[E:.*]] = sched.record on %[[S0]]
  // CHECK-NEXT: sched.wait on %[[S1]] for %[[E]]
  // CHECK-NEXT: sched.launch on %[[S1]] {
  // CHECK-NOT: sched.record
  // CHECK: return
  sched.schedule(%s0, %s1) {
    sched.segment {
      sched.launch on %s0 {
        prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
      %e = sched.record on %s0
      sched.wait on %s1 for %e
      sched.launch on %s1 {
        prefill.rms_norm %a into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
    }
  }
  return
}
