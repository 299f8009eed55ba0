// RUN: braid-opt %s | braid-opt | FileCheck %s
// RUN: braid-opt %s --mlir-print-op-generic | braid-opt | FileCheck %s
// RUN: braid-opt %s --emit-bytecode | braid-opt | FileCheck %s
// RUN: braid-opt %s --verify-roundtrip -o /dev/null

// An eager region hands on what it yields; a region without results needs no
// written terminator.
// CHECK-LABEL: func @eager
func.func @eager(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %y: tensor<?x8xf32>, %slots: tensor<?xi64>, %cache: memref<?x?x8xf32>) -> tensor<?x8xf32> {
  // CHECK: %[[R:.*]] = prefill.eager -> tensor<?x8xf32> {
  // CHECK-NEXT: %[[L:.*]] = prefill.linear
  // CHECK-NEXT: prefill.yield %[[L]] : tensor<?x8xf32>
  %0 = prefill.eager -> tensor<?x8xf32> {
    %1 = prefill.linear %x by %w into %y : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
    prefill.yield %1 : tensor<?x8xf32>
  }
  // CHECK: prefill.eager {
  // CHECK-NEXT: prefill.cache_insert %[[R]]
  // CHECK-NEXT: }
  prefill.eager {
    prefill.cache_insert %0 at %slots into %cache : tensor<?x8xf32>, tensor<?xi64> -> memref<?x?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// Two results, attributes, and an empty region.
// CHECK-LABEL: func @eager_results
func.func @eager_results(%x: tensor<?x8xf32>, %m: memref<4xi32>) -> (tensor<?x8xf32>, memref<4xi32>) {
  // CHECK: %[[R:.*]]:2 = prefill.eager -> tensor<?x8xf32>, memref<4xi32> attributes {note = 1 : i64} {
  // CHECK-NEXT: prefill.yield %{{.*}}, %{{.*}} : tensor<?x8xf32>, memref<4xi32>
  %0:2 = prefill.eager -> tensor<?x8xf32>, memref<4xi32> attributes {note = 1 : i64} {
    prefill.yield %x, %m : tensor<?x8xf32>, memref<4xi32>
  }
  // CHECK: prefill.eager {
  // CHECK-NEXT: }
  prefill.eager {
  }
  return %0#0, %0#1 : tensor<?x8xf32>, memref<4xi32>
}

// Which layer uses which function.
// CHECK: prefill.layer 0 uses @eager
prefill.layer 0 uses @eager
// CHECK: prefill.layer 61 uses @eager_results
prefill.layer 61 uses @eager_results
