// RUN: braid-opt %s | braid-opt | FileCheck %s
// RUN: braid-opt %s --mlir-print-op-generic | braid-opt | FileCheck %s
// RUN: braid-opt %s --emit-bytecode | braid-opt | FileCheck %s
// RUN: braid-opt %s --verify-roundtrip -o /dev/null

// The cache is a memref on tensors too.
// CHECK-LABEL: func @cache_insert
func.func @cache_insert(%rows: tensor<?x32xf32>, %slots: tensor<?xi64>, %cache: memref<?x?x32xf32>) {
  // CHECK-NEXT: prefill.cache_insert %{{.*}} at %{{.*}} into %{{.*}} : tensor<?x32xf32>, tensor<?xi64> -> memref<?x?x32xf32>
  prefill.cache_insert %rows at %slots into %cache : tensor<?x32xf32>, tensor<?xi64> -> memref<?x?x32xf32>
  return
}

// Insert on buffers: static T, bf16, a cache with a stride between blocks.
// CHECK-LABEL: func @cache_insert_buffers
func.func @cache_insert_buffers(%rows: memref<5x32xbf16>, %slots: memref<5xi64>, %cache: memref<?x64x32xbf16, strided<[4096, 32, 1]>>) {
  // CHECK-NEXT: prefill.cache_insert {{.*}} : memref<5x32xbf16>, memref<5xi64> -> memref<?x64x32xbf16, strided<[4096, 32, 1]>>
  prefill.cache_insert %rows at %slots into %cache : memref<5x32xbf16>, memref<5xi64> -> memref<?x64x32xbf16, strided<[4096, 32, 1]>>
  return
}

// Compress without overlap: kv_score has values and scores of one row.
// CHECK-LABEL: func @compress
func.func @compress(%kv: tensor<?x64xf32>, %bias: tensor<8x32xf32>, %w: tensor<32xf32>, %p: tensor<?xi64>, %t: tensor<?x8xf32>, %ss: tensor<?xi64>, %st: tensor<?x?xi32>, %r: tensor<?xi32>, %slots: tensor<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // CHECK-NEXT: prefill.compress %{{.*}} biased %{{.*}} normed %{{.*}} at %{{.*}} with %{{.*}} state(%{{.*}} at %{{.*}} through %{{.*}} of %{{.*}}) into %{{.*}} at %{{.*}} {eps = {{.*}} : f64, ratio = 8 : i64} : tensor<?x64xf32>, tensor<8x32xf32>, tensor<32xf32>, tensor<?xi64>, tensor<?x8xf32>, memref<?x?x64xf32>, tensor<?xi64>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi64> -> memref<?x?x32xf32>
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : tensor<?x64xf32>, tensor<8x32xf32>, tensor<32xf32>, tensor<?xi64>, tensor<?x8xf32>, memref<?x?x64xf32>, tensor<?xi64>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi64> -> memref<?x?x32xf32>
  return
}

// Compress with overlap on buffers: twice the channels; bf16 weight and cache.
// CHECK-LABEL: func @compress_overlap
func.func @compress_overlap(%kv: memref<6x128xf32>, %bias: memref<4x64xf32>, %w: memref<32xbf16>, %p: memref<6xi64>, %t: memref<?x8xf32>, %ss: memref<6xi64>, %st: memref<2x?xi32>, %r: memref<6xi32>, %slots: memref<6xi64>, %state: memref<?x?x128xf32>, %cache: memref<?x?x32xbf16>) {
  // CHECK-NEXT: prefill.compress {{.*}} {eps = {{.*}} : f64, overlap = true, ratio = 4 : i64} :
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, overlap = true, ratio = 4 : i64} : memref<6x128xf32>, memref<4x64xf32>, memref<32xbf16>, memref<6xi64>, memref<?x8xf32>, memref<?x?x128xf32>, memref<6xi64>, memref<2x?xi32>, memref<6xi32>, memref<6xi64> -> memref<?x?x32xbf16>
  return
}
