// RUN: braid-opt %s | braid-opt | FileCheck %s
// RUN: braid-opt %s --mlir-print-op-generic | braid-opt | FileCheck %s
// RUN: braid-opt %s --emit-bytecode | braid-opt | FileCheck %s
// RUN: braid-opt %s --verify-roundtrip -o /dev/null

// A schedule names its streams; token count, workspace and events are optional.
// CHECK-LABEL: func @schedules
func.func @schedules(%t: index) {
  // CHECK-NEXT: sched.schedule(%{{.*}}) {
  // CHECK-NEXT: }
  sched.schedule(%a) {
  }
  // CHECK-NEXT: sched.schedule(%[[S0:.*]], %[[S1:.*]], %[[S2:.*]]) tokens(%{{.*}}) workspace(#sched.linear<6144, 256>) events(2) attributes {note = 1 : i64} {
  // CHECK-NEXT: sched.fork %[[S0]] to %[[S1]], %[[S2]]
  // CHECK-NEXT: sched.join %[[S1]], %[[S2]] into %[[S0]]
  sched.schedule(%a, %b, %c) tokens(%t) workspace(#sched.linear<6144, 256>) events(2) attributes {note = 1 : i64} {
    sched.fork %a to %b, %c
    sched.join %b, %c into %a
  }
  return
}

// Segments and eager regions, with and without a name; launches of ops.
// CHECK-LABEL: func @regions
func.func @regions(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // CHECK-NEXT: sched.schedule(%[[S0:.*]]) {
  sched.schedule(%s0) {
    // CHECK-NEXT: sched.segment "first" {
    // CHECK-NEXT: sched.launch on %[[S0]] {
    // CHECK-NEXT: prefill.rms_norm {{.*}} -> memref<4x8xf32>
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    sched.segment "first" {
      sched.launch on %s0 {
        prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
    }
    // CHECK-NEXT: sched.eager attributes {note = 1 : i64} {
    // CHECK-NEXT: sched.launch on %[[S0]] attributes {note = 2 : i64} {
    // CHECK-NEXT: memref.copy
    sched.eager attributes {note = 1 : i64} {
      sched.launch on %s0 attributes {note = 2 : i64} {
        memref.copy %x, %y : memref<4x8xf32> to memref<4x8xf32>
      }
    }
    // CHECK: sched.segment {
    // CHECK-NEXT: }
    sched.segment {
    }
  }
  return
}

// Events: a wait may take several, a record may have its slot.
// CHECK-LABEL: func @events
func.func @events() {
  // CHECK: sched.schedule(%[[S0:.*]], %[[S1:.*]], %[[S2:.*]]) {
  sched.schedule(%s0, %s1, %s2) {
    // CHECK-NEXT: %[[E0:.*]] = sched.record on %[[S0]]{{$}}
    %a = sched.record on %s0
    // CHECK-NEXT: sched.wait on %[[S1]] for %[[E0]]{{$}}
    sched.wait on %s1 for %a
    // CHECK-NEXT: %[[E1:.*]] = sched.record on %[[S1]] slot 0
    %b = sched.record on %s1 slot 0
    // CHECK-NEXT: %[[E2:.*]] = sched.record on %[[S2]] slot 5
    %c = sched.record on %s2 slot 5
    // CHECK-NEXT: sched.wait on %[[S0]] for %[[E1]], %[[E2]]
    sched.wait on %s0 for %b, %c
  }
  return
}

// Buffers: static, with the token count, with a place in the workspace.
// CHECK-LABEL: func @buffers
func.func @buffers(%t: index) {
  // CHECK: sched.schedule(%{{.*}}) tokens(%[[T:.*]]) {
  sched.schedule(%s0) tokens(%t) {
    // CHECK-NEXT: sched.alloc : memref<4x8xf32>
    %a = sched.alloc : memref<4x8xf32>
    // CHECK-NEXT: sched.alloc(%[[T]]) : memref<?x8xbf16>
    %b = sched.alloc(%t) : memref<?x8xbf16>
    // CHECK-NEXT: sched.alloc(%[[T]]) at <512, 256> {note = 1 : i64} : memref<4x?xf8E4M3FN>
    %c = sched.alloc(%t) at <512, 256> {note = 1 : i64} : memref<4x?xf8E4M3FN>
    // CHECK-NEXT: sched.alloc : memref<f32>
    %d = sched.alloc : memref<f32>
  }
  return
}

// A choice by token count between whole schedules, or with no bound at all.
// CHECK-LABEL: func @dispatch
func.func @dispatch(%t: index) {
  // CHECK-NEXT: sched.dispatch on %[[T:.*]] upto 0 {
  // CHECK-NEXT: } upto 4096 {
  // CHECK-NEXT: sched.schedule(%{{.*}}) tokens(%[[T]]) {
  // CHECK-NEXT: }
  // CHECK-NEXT: } otherwise {
  // CHECK-NEXT: } {note = 1 : i64}
  sched.dispatch on %t upto 0 {
  } upto 4096 {
    sched.schedule(%s0) tokens(%t) {
    }
  } otherwise {
  } {note = 1 : i64}
  // CHECK-NEXT: sched.dispatch on %[[T]] otherwise {
  // CHECK-NEXT: }
  sched.dispatch on %t otherwise {
  }
  return
}

// A token threshold that may be replaced at run time, and a schedule that was
// chosen but not materialized.
// CHECK-LABEL: func @gate
func.func @gate(%t: index, %x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // CHECK-NEXT: sched.dispatch on %{{.*}} upto 4096 {
  // CHECK-NEXT: sched.schedule(%s0) {
  // CHECK-NEXT: sched.launch on %s0 attributes {note = 1 : i64, planned_position = 0 : i64, planned_stream = 3 : i64} {
  // CHECK: } otherwise {
  // CHECK-NEXT: } {gate}
  sched.dispatch on %t upto 4096 {
    sched.schedule(%s0) {
      sched.launch on %s0 attributes {note = 1 : i64, planned_position = 0 : i64, planned_stream = 3 : i64} {
        memref.copy %x, %y : memref<4x8xf32> to memref<4x8xf32>
      }
    }
  } otherwise {
  } {gate}
  return
}

// Types occur in function types too.
// CHECK: func private @types(!sched.stream, !sched.event)
func.func private @types(!sched.stream, !sched.event)
