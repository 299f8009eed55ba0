// RUN: braid-opt %s --canonicalize --split-input-file | FileCheck %s

// A result that nobody uses goes; the region stays for its effects.
// CHECK-LABEL: func @unused_result(
func.func @unused_result(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // CHECK-NEXT: prefill.eager {
  // CHECK-NEXT: prefill.rms_norm {{.*}} -> memref<4x8xf32>
  // CHECK-NEXT: }
  %0 = prefill.eager -> memref<4x8xf32> {
    prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
    %a = memref.alloc() : memref<4x8xf32>
    prefill.yield %a : memref<4x8xf32>
  }
  return
}

// -----

// A value from outside that is yielded is used directly.
// CHECK-LABEL: func @outside(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x8xf32>
func.func @outside(%x: memref<4x8xf32>, %y: memref<4x8xf32>) -> memref<4x8xf32> {
  // CHECK-NEXT: prefill.eager {
  // CHECK: return %[[X]]
  %0 = prefill.eager -> memref<4x8xf32> {
    prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
    prefill.yield %x : memref<4x8xf32>
  }
  return %0 : memref<4x8xf32>
}

// -----

// Of several results only those needed stay, in order, with attributes.
// CHECK-LABEL: func @some(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xf32>
func.func @some(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %z: tensor<4x8xbf16>) -> (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK-NEXT: %[[R:.*]]:2 = prefill.eager -> tensor<4x8xf32>, tensor<4x8xbf16> attributes {note = 1 : i64} {
  // CHECK-NEXT: %[[A:.*]] = prefill.rms_norm
  // CHECK-NEXT: %[[B:.*]] = prefill.rms_norm
  // CHECK-NEXT: prefill.yield %[[A]], %[[B]] : tensor<4x8xf32>, tensor<4x8xbf16>
  %0:4 = prefill.eager -> tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xbf16> attributes {note = 1 : i64} {
    %a = prefill.rms_norm %x into %y {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
    %c = prefill.rms_norm %x into %y {eps = 0.5 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
    %b = prefill.rms_norm %x into %z {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xbf16>
    prefill.yield %x, %a, %c, %b : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xbf16>
  }
  // CHECK: return %[[R]]#1, %[[X]], %[[R]]#0
  return %0#3, %0#0, %0#1 : tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// The negative twin: a result that is used and made inside stays.
// CHECK-LABEL: func @kept(
func.func @kept(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[R:.*]] = prefill.eager -> tensor<4x8xf32> {
  // CHECK: return %[[R]]
  %0 = prefill.eager -> tensor<4x8xf32> {
    %a = prefill.rms_norm %x into %y {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
    prefill.yield %a : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

// A region whose work has no effect and whose results nobody uses is dead.
// CHECK-LABEL: func @dead(
func.func @dead(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  // CHECK-NEXT: return
  %0 = prefill.eager -> tensor<4x8xf32> {
    %a = prefill.rms_norm %x into %y {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
    prefill.yield %a : tensor<4x8xf32>
  }
  return
}

// -----

// The negative twin: one that writes a cache is not, results or none.
// CHECK-LABEL: func @not_dead(
func.func @not_dead(%x: tensor<4x8xf32>, %slots: tensor<4xi64>, %cache: memref<?x?x8xf32>) {
  // CHECK-NEXT: prefill.eager {
  // CHECK-NEXT: prefill.cache_insert
  %0 = prefill.eager -> tensor<4x8xf32> {
    prefill.cache_insert %x at %slots into %cache : tensor<4x8xf32>, tensor<4xi64> -> memref<?x?x8xf32>
    prefill.yield %x : tensor<4x8xf32>
  }
  return
}
