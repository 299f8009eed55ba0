// RUN: braid-opt %s | braid-opt | FileCheck %s
// RUN: braid-opt %s --emit-bytecode | braid-opt | FileCheck %s

// Latent rows of 512 channels, 448 of them in fp8, have 584 bytes; blocks may be
// farther apart than they need to be.
// CHECK-LABEL: func @latent(
func.func @latent(%rows: memref<?x512xbf16>, %slots: memref<?xi64>,
                  %cache: memref<?x?x584xi8, strided<[?, 584, 1]>>) {
  // CHECK: prefill.cache_insert %{{.*}} at %{{.*}} into %{{.*}} {fp8_channels = 448 : i64}
  prefill.cache_insert %rows at %slots into %cache {fp8_channels = 448 : i64}
      : memref<?x512xbf16>, memref<?xi64> -> memref<?x?x584xi8, strided<[?, 584, 1]>>
  return
}

// Index rows of 128 channels have one scale, 132 bytes.
// CHECK-LABEL: func @index(
func.func @index(%rows: memref<?x128xbf16>, %slots: memref<?xi64>,
                 %cache: memref<?x?x132xi8>) {
  // CHECK: prefill.cache_insert %{{.*}} at %{{.*}} into %{{.*}} : memref<?x128xbf16>
  prefill.cache_insert %rows at %slots into %cache
      : memref<?x128xbf16>, memref<?xi64> -> memref<?x?x132xi8>
  return
}
