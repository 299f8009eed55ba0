// RUN: braid-opt %s | braid-opt | FileCheck %s
// RUN: braid-opt %s --mlir-print-op-generic | braid-opt | FileCheck %s
// RUN: braid-opt %s --emit-bytecode | braid-opt | FileCheck %s
// RUN: braid-opt %s --verify-roundtrip -o /dev/null

// Linear on tensors, f32 throughout, T dynamic.
// CHECK-LABEL: func @linear_f32
func.func @linear_f32(%x: tensor<?x64xf32>, %w: tensor<24x64xf32>, %y: tensor<?x24xf32>) -> tensor<?x24xf32> {
  // CHECK: %{{.*}} = prefill.linear %{{.*}} by %{{.*}} into %{{.*}} : tensor<?x64xf32>, tensor<24x64xf32> -> tensor<?x24xf32>
  %0 = prefill.linear %x by %w into %y : tensor<?x64xf32>, tensor<24x64xf32> -> tensor<?x24xf32>
  return %0 : tensor<?x24xf32>
}

// On buffers there is no result; a bf16 product may be kept in f32.
// CHECK-LABEL: func @linear_buffers
func.func @linear_buffers(%x: memref<?x64xbf16>, %w: memref<24x64xbf16>, %y: memref<?x24xbf16>, %z: memref<?x24xf32>) {
  // CHECK-NEXT: prefill.linear %{{.*}} by %{{.*}} into %{{.*}} : memref<?x64xbf16>, memref<24x64xbf16> -> memref<?x24xbf16>
  prefill.linear %x by %w into %y : memref<?x64xbf16>, memref<24x64xbf16> -> memref<?x24xbf16>
  // CHECK-NEXT: prefill.linear {{.*}} -> memref<?x24xf32>
  prefill.linear %x by %w into %z : memref<?x64xbf16>, memref<24x64xbf16> -> memref<?x24xf32>
  return
}

// A static token count, and rows of a wider buffer.
// CHECK-LABEL: func @linear_static_strided
func.func @linear_static_strided(%x: memref<7x64xf32, strided<[80, 1], offset: 16>>, %w: memref<24x64xf32>, %y: memref<7x24xf32>) {
  // CHECK-NEXT: prefill.linear {{.*}} : memref<7x64xf32, strided<[80, 1], offset: 16>>, memref<24x64xf32> -> memref<7x24xf32>
  prefill.linear %x by %w into %y : memref<7x64xf32, strided<[80, 1], offset: 16>>, memref<24x64xf32> -> memref<7x24xf32>
  return
}

// fp8 with one scale per tensor on both sides.
// CHECK-LABEL: func @linear_fp8_per_tensor
func.func @linear_fp8_per_tensor(%x: tensor<?x256xf8E4M3FN>, %w: tensor<200x256xf8E4M3FN>, %sx: tensor<1xf32>, %sw: tensor<1xf32>, %y: tensor<?x200xbf16>) -> tensor<?x200xbf16> {
  // CHECK: prefill.linear %{{.*}} by %{{.*}} scaled(%{{.*}}, %{{.*}} : tensor<1xf32>, tensor<1xf32>) into %{{.*}} : tensor<?x256xf8E4M3FN>
  %0 = prefill.linear %x by %w scaled(%sx, %sw : tensor<1xf32>, tensor<1xf32>) into %y : tensor<?x256xf8E4M3FN>, tensor<200x256xf8E4M3FN> -> tensor<?x200xbf16>
  return %0 : tensor<?x200xbf16>
}

// fp8 with block scales; 200 rows and 300 columns round up to whole blocks.
// CHECK-LABEL: func @linear_fp8_blocks
func.func @linear_fp8_blocks(%x: tensor<?x300xf8E4M3FN>, %w: tensor<200x300xf8E4M3FN>, %sx: tensor<?x3xf32>, %sw: tensor<2x3xf32>, %y: tensor<?x200xf32>) -> tensor<?x200xf32> {
  // CHECK: prefill.linear {{.*}} scaled({{.*}} : tensor<?x3xf32>, tensor<2x3xf32>)
  %0 = prefill.linear %x by %w scaled(%sx, %sw : tensor<?x3xf32>, tensor<2x3xf32>) into %y : tensor<?x300xf8E4M3FN>, tensor<200x300xf8E4M3FN> -> tensor<?x200xf32>
  return %0 : tensor<?x200xf32>
}

// Power-of-two weight scales, and one scale for x beside blocks for the weight.
// CHECK-LABEL: func @linear_fp8_power_of_two
func.func @linear_fp8_power_of_two(%x: memref<5x256xf8E4M3FN>, %w: memref<128x256xf8E4M3FN>, %sx: memref<1xf32>, %sw: memref<1x2xf8E8M0FNU>, %y: memref<5x128xbf16>) {
  // CHECK-NEXT: prefill.linear {{.*}} scaled({{.*}} : memref<1xf32>, memref<1x2xf8E8M0FNU>)
  prefill.linear %x by %w scaled(%sx, %sw : memref<1xf32>, memref<1x2xf8E8M0FNU>) into %y : memref<5x256xf8E4M3FN>, memref<128x256xf8E4M3FN> -> memref<5x128xbf16>
  return
}

// Every extent may be dynamic.
// CHECK-LABEL: func @linear_dynamic
func.func @linear_dynamic(%x: tensor<?x?xf8E4M3FN>, %w: tensor<?x?xf8E4M3FN>, %sx: tensor<?x?xf32>, %sw: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: prefill.linear {{.*}} : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN> -> tensor<?x?xf32>
  %0 = prefill.linear %x by %w scaled(%sx, %sw : tensor<?x?xf32>, tensor<?x?xf32>) into %y : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Discardable attributes survive.
// CHECK-LABEL: func @linear_attribute
func.func @linear_attribute(%x: memref<?x64xf32>, %w: memref<24x64xf32>, %y: memref<?x24xf32>) {
  // CHECK-NEXT: prefill.linear {{.*}} {note = "kept"} :
  prefill.linear %x by %w into %y {note = "kept"} : memref<?x64xf32>, memref<24x64xf32> -> memref<?x24xf32>
  return
}

// Grouped linear: 2 groups of 16 rows below each other.
// CHECK-LABEL: func @grouped_linear
func.func @grouped_linear(%x: tensor<?x2x64xf32>, %w: tensor<32x64xf32>, %y: tensor<?x2x16xf32>) -> tensor<?x2x16xf32> {
  // CHECK: %{{.*}} = prefill.grouped_linear %{{.*}} by %{{.*}} into %{{.*}} : tensor<?x2x64xf32>, tensor<32x64xf32> -> tensor<?x2x16xf32>
  %0 = prefill.grouped_linear %x by %w into %y : tensor<?x2x64xf32>, tensor<32x64xf32> -> tensor<?x2x16xf32>
  return %0 : tensor<?x2x16xf32>
}

// Grouped linear in fp8, block scales [T, G, K/128] and [G * N/128, K/128].
// CHECK-LABEL: func @grouped_linear_fp8
func.func @grouped_linear_fp8(%x: memref<?x2x256xf8E4M3FN>, %w: memref<256x256xf8E4M3FN>, %sx: memref<?x2x2xf32>, %sw: memref<2x2xf8E8M0FNU>, %y: memref<?x2x128xbf16>) {
  // CHECK-NEXT: prefill.grouped_linear {{.*}} scaled({{.*}} : memref<?x2x2xf32>, memref<2x2xf8E8M0FNU>) into
  prefill.grouped_linear %x by %w scaled(%sx, %sw : memref<?x2x2xf32>, memref<2x2xf8E8M0FNU>) into %y : memref<?x2x256xf8E4M3FN>, memref<256x256xf8E4M3FN> -> memref<?x2x128xbf16>
  return
}

// Quantize has two results; the last block may be partial.
// CHECK-LABEL: func @quantize
func.func @quantize(%x: tensor<?x300xbf16>, %v: tensor<?x300xf8E4M3FN>, %s: tensor<?x3xf32>) -> (tensor<?x300xf8E4M3FN>, tensor<?x3xf32>) {
  // CHECK: %[[Q:.*]]:2 = prefill.quantize %{{.*}} into %{{.*}}, %{{.*}} {block = 128 : i64} : tensor<?x300xbf16> -> tensor<?x300xf8E4M3FN>, tensor<?x3xf32>
  %q:2 = prefill.quantize %x into %v, %s {block = 128 : i64} : tensor<?x300xbf16> -> tensor<?x300xf8E4M3FN>, tensor<?x3xf32>
  // CHECK: return %[[Q]]#0, %[[Q]]#1
  return %q#0, %q#1 : tensor<?x300xf8E4M3FN>, tensor<?x3xf32>
}

// Quantize on buffers, by head, with power-of-two scales.
// CHECK-LABEL: func @quantize_heads
func.func @quantize_heads(%x: memref<4x2x128xf32>, %v: memref<4x2x128xf8E4M3FN>, %s: memref<4x2x1xf8E8M0FNU>) {
  // CHECK-NEXT: prefill.quantize {{.*}} : memref<4x2x128xf32> -> memref<4x2x128xf8E4M3FN>, memref<4x2x1xf8E8M0FNU>
  prefill.quantize %x into %v, %s {block = 128 : i64} : memref<4x2x128xf32> -> memref<4x2x128xf8E4M3FN>, memref<4x2x1xf8E8M0FNU>
  return
}

// Norm with a weight, and per head without one.
// CHECK-LABEL: func @rms_norm
func.func @rms_norm(%x: tensor<?x64xf32>, %w: tensor<64xf32>, %y: tensor<?x64xf32>, %h: tensor<?x4x16xbf16>, %z: tensor<?x4x16xf32>) -> (tensor<?x64xf32>, tensor<?x4x16xf32>) {
  // CHECK: prefill.rms_norm %{{.*}} by %{{.*}} into %{{.*}} {eps = {{.*}} : f64} : tensor<?x64xf32>, tensor<64xf32> -> tensor<?x64xf32>
  %0 = prefill.rms_norm %x by %w into %y {eps = 1.0e-6 : f64} : tensor<?x64xf32>, tensor<64xf32> -> tensor<?x64xf32>
  // CHECK: prefill.rms_norm %{{[^ ]*}} into %{{.*}} {eps = 0.{{0*}}e+00 : f64} : tensor<?x4x16xbf16> -> tensor<?x4x16xf32>
  %1 = prefill.rms_norm %h into %z {eps = 0.0 : f64} : tensor<?x4x16xbf16> -> tensor<?x4x16xf32>
  return %0, %1 : tensor<?x64xf32>, tensor<?x4x16xf32>
}

// Norm on buffers in place.
// CHECK-LABEL: func @rms_norm_buffers
func.func @rms_norm_buffers(%x: memref<?x64xbf16>, %w: memref<64xbf16>) {
  // CHECK-NEXT: prefill.rms_norm %[[X:.*]] by %{{.*}} into %[[X]] {{.*}} : memref<?x64xbf16>, memref<64xbf16> -> memref<?x64xbf16>
  prefill.rms_norm %x by %w into %x {eps = 1.0e-6 : f64} : memref<?x64xbf16>, memref<64xbf16> -> memref<?x64xbf16>
  return
}

// Rope of all channels, and back on the last 8 of each head.
// CHECK-LABEL: func @rope
func.func @rope(%x: tensor<?x8xf32>, %h: tensor<?x4x16xf32>, %p: tensor<?xi64>, %t: tensor<?x8xf32>, %y: tensor<?x8xf32>, %z: tensor<?x4x16xf32>) -> (tensor<?x8xf32>, tensor<?x4x16xf32>) {
  // The default of `inverse` is not printed.
  // CHECK: prefill.rope %{{.*}} at %{{.*}} with %{{.*}} into %{{[^ ]*}} : tensor<?x8xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x8xf32>
  %0 = prefill.rope %x at %p with %t into %y : tensor<?x8xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x8xf32>
  // CHECK: prefill.rope {{.*}} {inverse = true} : tensor<?x4x16xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x4x16xf32>
  %1 = prefill.rope %h at %p with %t into %z {inverse = true} : tensor<?x4x16xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x4x16xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<?x4x16xf32>
}

// Rope on buffers, static T.
// CHECK-LABEL: func @rope_buffers
func.func @rope_buffers(%x: memref<3x16xbf16>, %p: memref<3xi64>, %t: memref<128x8xf32>, %y: memref<3x16xbf16>) {
  // CHECK-NEXT: prefill.rope {{.*}} : memref<3x16xbf16>, memref<3xi64>, memref<128x8xf32> -> memref<3x16xbf16>
  prefill.rope %x at %p with %t into %y : memref<3x16xbf16>, memref<3xi64>, memref<128x8xf32> -> memref<3x16xbf16>
  return
}
