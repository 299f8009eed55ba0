// RUN: braid-opt %s --sched-gate-tokens --split-input-file | FileCheck %s
// RUN: braid-opt %s --sched-gate-tokens='threshold=100' --split-input-file | FileCheck %s --check-prefix=OPTION
// RUN: braid-opt %s --sched-gate-tokens='threshold=0' --split-input-file | FileCheck %s --check-prefix=ZERO
// RUN: braid-opt %s --sched-gate-tokens='threshold=100 fixed=true' --split-input-file | FileCheck %s --check-prefix=FIXED
// RUN: braid-opt %s --sched-gate-tokens='threshold=0 fixed=true' --split-input-file | FileCheck %s --check-prefix=NEVER
// RUN: braid-opt %s --sched-gate-tokens --split-input-file --remarks-filter=sched-gate -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not braid-opt %s --sched-gate-tokens='threshold=-2' --split-input-file 2>&1 | FileCheck %s --check-prefix=INVALID
// INVALID: error: threshold is -2; expected 0 or more, or -1 for what the target says

// What was chosen up to 16384 tokens, where nothing says otherwise; above that
// the program's own order on one stream. Every region of the serial body has a
// name of its own. The threshold can be replaced at run time.
// CHECK-LABEL: func @default(
// CHECK-SAME: %[[T:.*]]: index
// CHECK-NEXT: sched.dispatch on %[[T]] upto 16384 {
// CHECK-NEXT: sched.schedule(%s0) tokens(%[[T]]) {
// CHECK-NEXT: %[[B:.*]] = sched.alloc(%[[T]])
// CHECK-NEXT: sched.segment "default.segment0" {
// CHECK-NEXT: sched.launch on %s0 attributes {planned_position = 1 : i64, planned_stream = 0 : i64} {
// CHECK-NEXT: prefill.rms_norm %{{.*}} into %[[B]]
// CHECK: sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 1 : i64} {
// CHECK: sched.eager "default.eager0" {
// CHECK-NEXT: sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 0 : i64} {
// CHECK: } otherwise {
// CHECK-NEXT: sched.schedule(%s0) tokens(%[[T]]) {
// CHECK-NEXT: %[[S:.*]] = sched.alloc(%[[T]])
// CHECK-NEXT: sched.segment "default.segment0.serial" {
// CHECK-NEXT: sched.launch on %s0 {
// CHECK-NEXT: prefill.rms_norm %{{.*}} into %[[S]]
// CHECK: sched.launch on %s0 {
// CHECK: sched.eager "default.eager0.serial" {
// CHECK-NEXT: sched.launch on %s0 {
// CHECK: } {gate}
// CHECK-NEXT: return

// The option replaces the default.
// OPTION-LABEL: func @default(
// OPTION: sched.dispatch on %{{.*}} upto 100 {
// OPTION: } {gate}

// 0 can be replaced at run time too, so both bodies stay.
// ZERO-LABEL: func @default(
// ZERO: sched.dispatch on %{{.*}} upto 0 {
// ZERO: planned_stream = 1
// ZERO: } otherwise {
// ZERO: } {gate}

// A fixed threshold is a choice by token count and nothing more.
// FIXED-LABEL: func @default(
// FIXED: sched.dispatch on %{{.*}} upto 100 {
// FIXED: } otherwise {
// FIXED-NOT: gate
// FIXED: return

// Fixed at 0 there is no choice left, and no second stream.
// NEVER-LABEL: func @default(
// NEVER-NOT: sched.dispatch
// NEVER-NOT: planned
// NEVER: sched.segment "default.segment0" {
// NEVER: sched.launch on %s0 {
// NEVER: sched.eager "default.eager0" {
// NEVER-NOT: sched.schedule
// NEVER-NOT: planned
// NEVER: return

// REMARK: OverlapGated | Category:sched-gate | Function=default | Threshold=16384
func.func @default(%t: index, %x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  sched.schedule(%s0) tokens(%t) {
    %b = sched.alloc(%t) : memref<?x8xf32>
    sched.segment "default.segment0" {
      sched.launch on %s0 attributes {planned_position = 1 : i64, planned_stream = 0 : i64} {
        prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
      }
      sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 1 : i64} {
        prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
      }
    }
    sched.eager "default.eager0" {
      sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 0 : i64} {
        prefill.rms_norm %b into %y {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
      }
    }
  }
  return
}

// -----

// The target's threshold comes before the default, and after the option.
// CHECK-LABEL: func @target(
// CHECK: sched.dispatch on %{{.*}} upto 3072 {
// OPTION-LABEL: func @target(
// OPTION: sched.dispatch on %{{.*}} upto 100 {
// REMARK: Function=target | Threshold=3072
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"braid.token_threshold" = 3072 : i64>>} {
  func.func @target(%t: index, %x: memref<?x8xf32>, %y: memref<?x8xf32>, %z: memref<?x8xf32>) {
    sched.schedule(%s0) tokens(%t) {
      sched.segment {
        sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 0 : i64} {
          prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
        }
        sched.launch on %s0 attributes {planned_position = 1 : i64, planned_stream = 1 : i64} {
          prefill.rms_norm %x into %z {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
        }
      }
    }
    return
  }
}

// -----

// Two schedules of one module are two choices with one threshold.
// CHECK-LABEL: func @two(
// CHECK: sched.dispatch on %{{.*}} upto 16384 {
// CHECK: sched.segment "a" {
// CHECK: } otherwise {
// CHECK: sched.segment "a.serial" {
// CHECK: } {gate}
// CHECK: sched.dispatch on %{{.*}} upto 16384 {
// CHECK: sched.segment "b" {
// CHECK: } otherwise {
// CHECK: sched.segment "b.serial" {
// CHECK: } {gate}
// REMARK: Function=two | Threshold=16384
// REMARK: Function=two | Threshold=16384
func.func @two(%t: index, %x: memref<?x8xf32>, %y: memref<?x8xf32>, %z: memref<?x8xf32>) {
  sched.schedule(%s0) tokens(%t) {
    sched.segment "a" {
      sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 1 : i64} {
        prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
      }
    }
  }
  sched.schedule(%s0) tokens(%t) {
    sched.segment "b" {
      sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 1 : i64} {
        prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
      }
    }
  }
  return
}

// -----

// Negative: with one stream there is nothing to switch off. The plan stays, in
// its order.
// CHECK-LABEL: func @one_stream(
// CHECK-NOT: sched.dispatch
// CHECK: planned_position = 0 : i64, planned_stream = 0 : i64
// REMARK-NOT: Function=one_stream
func.func @one_stream(%t: index, %x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  sched.schedule(%s0) tokens(%t) {
    sched.segment {
      sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 0 : i64} {
        prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
      }
    }
  }
  return
}

// -----

// Negative: static shapes have no token count to choose by.
// CHECK-LABEL: func @no_tokens(
// CHECK-NOT: sched.dispatch
// CHECK: planned_stream = 1 : i64
// REMARK-NOT: Function=no_tokens
func.func @no_tokens(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  sched.schedule(%s0) {
    sched.segment {
      sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 1 : i64} {
        prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
    }
  }
  return
}

// -----

// Negative: someone has chosen ranges already.
// CHECK-LABEL: func @under_dispatch(
// CHECK: sched.dispatch on %{{.*}} upto 16 {
// CHECK-NOT: sched.dispatch
// CHECK: planned_stream = 1 : i64
// CHECK: } otherwise {
// CHECK-NOT: gate
// CHECK: return
// REMARK-NOT: Function=under_dispatch
func.func @under_dispatch(%t: index, %x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  sched.dispatch on %t upto 16 {
    sched.schedule(%s0) tokens(%t) {
      sched.segment {
        sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 1 : i64} {
          prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
        }
      }
    }
  } otherwise {
  }
  return
}
