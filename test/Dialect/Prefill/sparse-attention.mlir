// RUN: braid-opt %s | braid-opt | FileCheck %s
// RUN: braid-opt %s --mlir-print-op-generic | braid-opt | FileCheck %s
// RUN: braid-opt %s --emit-bytecode | braid-opt | FileCheck %s
// RUN: braid-opt %s --verify-roundtrip -o /dev/null

// Index queries stay in their type, or are quantized to fp8.
// CHECK-LABEL: func @index_query
func.func @index_query(%q: tensor<?x4x16xbf16>, %w: tensor<?x4xbf16>, %p: tensor<?xi64>, %t: tensor<?x8xf32>, %qo: tensor<?x4x16xbf16>, %qf: tensor<?x4x16xf8E4M3FN>, %wo: tensor<?x4xf32>) -> (tensor<?x4x16xbf16>, tensor<?x4x16xf8E4M3FN>, tensor<?x4xf32>) {
  // CHECK: %{{.*}}:2 = prefill.index_query %{{.*}} weighted %{{.*}} at %{{.*}} with %{{.*}} into %{{.*}}, %{{.*}} {scale = 1.250000e-01 : f64} : tensor<?x4x16xbf16>, tensor<?x4xbf16>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x4x16xbf16>, tensor<?x4xf32>
  %0:2 = prefill.index_query %q weighted %w at %p with %t into %qo, %wo {scale = 0.125 : f64} : tensor<?x4x16xbf16>, tensor<?x4xbf16>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x4x16xbf16>, tensor<?x4xf32>
  // CHECK: prefill.index_query {{.*}} -> tensor<?x4x16xf8E4M3FN>, tensor<?x4xf32>
  %1:2 = prefill.index_query %q weighted %w at %p with %t into %qf, %wo {scale = 0.125 : f64} : tensor<?x4x16xbf16>, tensor<?x4xbf16>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x4x16xf8E4M3FN>, tensor<?x4xf32>
  return %0#0, %1#0, %1#1 : tensor<?x4x16xbf16>, tensor<?x4x16xf8E4M3FN>, tensor<?x4xf32>
}

// Index queries on buffers, static T.
// CHECK-LABEL: func @index_query_buffers
func.func @index_query_buffers(%q: memref<3x4x16xf32>, %w: memref<3x4xf32>, %p: memref<3xi64>, %t: memref<?x16xf32>, %qo: memref<3x4x16xf32>, %wo: memref<3x4xf32>) {
  // CHECK-NEXT: prefill.index_query {{.*}} -> memref<3x4x16xf32>, memref<3x4xf32>
  prefill.index_query %q weighted %w at %p with %t into %qo, %wo {scale = 0.125 : f64} : memref<3x4x16xf32>, memref<3x4xf32>, memref<3xi64>, memref<?x16xf32> -> memref<3x4x16xf32>, memref<3x4xf32>
  return
}

// Selection from a cache in f32 and in fp8.
// CHECK-LABEL: func @index_select
func.func @index_select(%q: tensor<?x4x16xf32>, %w: tensor<?x4xf32>, %c: memref<?x?x16xf32>, %bt: tensor<?x?xi32>, %qo: tensor<?xi32>, %sl: tensor<?xi32>, %s: tensor<?x3xi32>) -> tensor<?x3xi32> {
  // CHECK: prefill.index_select %{{.*}} weighted %{{.*}} from %{{.*}} through %{{.*}} requests(%{{.*}}, %{{.*}}) into %{{.*}} {ratio = 4 : i64} : tensor<?x4x16xf32>, tensor<?x4xf32>, memref<?x?x16xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x3xi32>
  %0 = prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : tensor<?x4x16xf32>, tensor<?x4xf32>, memref<?x?x16xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x3xi32>
  return %0 : tensor<?x3xi32>
}

// Selection on buffers with two requests.
// CHECK-LABEL: func @index_select_buffers
func.func @index_select_buffers(%q: memref<9x4x16xf8E4M3FN>, %w: memref<9x4xf32>, %c: memref<?x64x16xf8E4M3FN>, %bt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %s: memref<9x3xi32>) {
  // CHECK-NEXT: prefill.index_select {{.*}} : memref<9x4x16xf8E4M3FN>, memref<9x4xf32>, memref<?x64x16xf8E4M3FN>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<9x3xi32>
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<9x4x16xf8E4M3FN>, memref<9x4xf32>, memref<?x64x16xf8E4M3FN>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<9x3xi32>
  return
}

// The three forms of attention: window only, with all compressed entries, and
// with selected ones.
// CHECK-LABEL: func @attend
func.func @attend(%q: tensor<?x4x32xf32>, %sink: tensor<4xf32>, %wc: memref<?x?x32xf32>, %wt: tensor<?x?xi32>, %cc: memref<?x?x32xf32>, %ct: tensor<?x?xi32>, %sel: tensor<?x3xi32>, %qo: tensor<?xi32>, %sl: tensor<?xi32>, %y: tensor<?x4x32xf32>) -> (tensor<?x4x32xf32>, tensor<?x4x32xf32>, tensor<?x4x32xf32>) {
  // CHECK: prefill.attend %{{.*}} sink %{{.*}} window(%{{.*}} through %{{.*}}) requests(%{{.*}}, %{{.*}}) into %{{.*}} {ratio = 0 : i64, scale = 5.000000e-01 : f64, window = 8 : i64} : tensor<?x4x32xf32>, tensor<4xf32>, memref<?x?x32xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x4x32xf32>
  %0 = prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : tensor<?x4x32xf32>, tensor<4xf32>, memref<?x?x32xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x4x32xf32>
  // CHECK: prefill.attend {{.*}} window(%{{.*}} through %{{.*}}) compressed(%{{.*}} through %{{.*}} : memref<?x?x32xf32>, tensor<?x?xi32>) requests(
  %1 = prefill.attend %q sink %sink window(%wc through %wt) compressed(%cc through %ct : memref<?x?x32xf32>, tensor<?x?xi32>) requests(%qo, %sl) into %y {ratio = 8 : i64, scale = 0.5 : f64, window = 8 : i64} : tensor<?x4x32xf32>, tensor<4xf32>, memref<?x?x32xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x4x32xf32>
  // CHECK: prefill.attend {{.*}} compressed({{.*}}) selected(%{{.*}} : tensor<?x3xi32>) requests(
  %2 = prefill.attend %q sink %sink window(%wc through %wt) compressed(%cc through %ct : memref<?x?x32xf32>, tensor<?x?xi32>) selected(%sel : tensor<?x3xi32>) requests(%qo, %sl) into %y {ratio = 4 : i64, scale = 0.5 : f64, window = 8 : i64} : tensor<?x4x32xf32>, tensor<4xf32>, memref<?x?x32xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x4x32xf32>
  return %0, %1, %2 : tensor<?x4x32xf32>, tensor<?x4x32xf32>, tensor<?x4x32xf32>
}

// Attention on buffers in bf16, static T and requests.
// CHECK-LABEL: func @attend_buffers
func.func @attend_buffers(%q: memref<9x4x32xbf16>, %sink: memref<4xf32>, %wc: memref<?x64x32xbf16>, %wt: memref<2x?xi32>, %cc: memref<?x64x32xbf16>, %ct: memref<2x?xi32>, %sel: memref<9x3xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<9x4x32xbf16>) {
  // CHECK-NEXT: prefill.attend {{.*}} selected(%{{.*}} : memref<9x3xi32>) {{.*}} -> memref<9x4x32xbf16>
  prefill.attend %q sink %sink window(%wc through %wt) compressed(%cc through %ct : memref<?x64x32xbf16>, memref<2x?xi32>) selected(%sel : memref<9x3xi32>) requests(%qo, %sl) into %y {ratio = 4 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<9x4x32xbf16>, memref<4xf32>, memref<?x64x32xbf16>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<9x4x32xbf16>
  return
}
