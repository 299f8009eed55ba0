// RUN: braid-test-opt %s --split-input-file --test-print-costs=tokens=16,256,4096 --verify-diagnostics -o /dev/null

// The same GEMM in f32, bf16 and fp8: equal FLOPs, bytes and rates by type. With
// few tokens the weights' bytes decide, with block scales the blocks that follow
// one another; with many tokens the arithmetic.
func.func @linear(%x: memref<?x4096xf32>, %w: memref<2048x4096xf32>, %y: memref<?x2048xf32>,
    %xh: memref<?x4096xbf16>, %wh: memref<2048x4096xbf16>,
    %xq: memref<?x4096xf8E4M3FN>, %wq: memref<2048x4096xf8E4M3FN>, %sx: memref<?x32xf32>, %sw: memref<16x32xf8E8M0FNU>, %yh: memref<?x2048xbf16>) {
  // expected-remark @+3 {{16 tokens: 268435456 flops, 33947648 bytes, 9.91 us.}}
  // expected-remark @+2 {{256 tokens: 4294967296 flops, 39845888 bytes, 73.58 us.}}
  // expected-remark @+1 {{4096 tokens: 68719476736 flops, 134217728 bytes, 1147.32 us.}}
  prefill.linear %x by %w into %y : memref<?x4096xf32>, memref<2048x4096xf32> -> memref<?x2048xf32>
  // expected-remark @+3 {{16 tokens: 268435456 flops, 17039360 bytes, 5.97 us.}}
  // expected-remark @+2 {{256 tokens: 4294967296 flops, 20971520 bytes, 7.12 us.}}
  // expected-remark @+1 {{4096 tokens: 68719476736 flops, 83886080 bytes, 83.91 us.}}
  prefill.linear %xh by %wh into %y : memref<?x4096xbf16>, memref<2048x4096xbf16> -> memref<?x2048xf32>
  // expected-remark @+3 {{16 tokens: 268435456 flops, 8522240 bytes, 11.60 us.}}
  // expected-remark @+2 {{256 tokens: 4294967296 flops, 10519040 bytes, 11.60 us.}}
  // expected-remark @+1 {{4096 tokens: 68719476736 flops, 42467840 bytes, 52.53 us.}}
  prefill.linear %xq by %wq scaled(%sx, %sw : memref<?x32xf32>, memref<16x32xf8E8M0FNU>) into %yh : memref<?x4096xf8E4M3FN>, memref<2048x4096xf8E4M3FN> -> memref<?x2048xbf16>
  return
}

// -----

// A (fp8) and B (bf16) of V4-Flash. B has more FLOPs; with few tokens A is the
// costlier one all the same, for its 32 blocks of scales.
func.func @defaultRates(%xq: memref<?x4096xf8E4M3FN>, %wa: memref<1536x4096xf8E4M3FN>, %sx: memref<?x32xf32>, %sw: memref<12x32xf8E8M0FNU>, %ya: memref<?x1536xbf16>,
    %x: memref<?x4096xbf16>, %wb: memref<2048x4096xbf16>, %yb: memref<?x2048xf32>) {
  // expected-remark @+3 {{16 tokens: 201326592 flops, 6408576 bytes, 11.60 us.}}
  // expected-remark @+2 {{256 tokens: 3221225472 flops, 8159616 bytes, 11.60 us.}}
  // expected-remark @+1 {{4096 tokens: 51539607552 flops, 36176256 bytes, 39.90 us.}}
  prefill.linear %xq by %wa scaled(%sx, %sw : memref<?x32xf32>, memref<12x32xf8E8M0FNU>) into %ya : memref<?x4096xf8E4M3FN>, memref<1536x4096xf8E4M3FN> -> memref<?x1536xbf16>
  // expected-remark @+3 {{16 tokens: 268435456 flops, 17039360 bytes, 5.97 us.}}
  // expected-remark @+2 {{256 tokens: 4294967296 flops, 20971520 bytes, 7.12 us.}}
  // expected-remark @+1 {{4096 tokens: 68719476736 flops, 83886080 bytes, 83.91 us.}}
  prefill.linear %x by %wb into %yb : memref<?x4096xbf16>, memref<2048x4096xbf16> -> memref<?x2048xf32>
  return
}

// -----

// The same two where fp8 runs at a tenth of bf16's rate: now A is the costlier.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<
    "braid.flops_per_second_8" = 1.0e14 : f64, "braid.flops_per_second_16" = 1.0e15 : f64>>} {
func.func @slowFp8(%xq: memref<?x4096xf8E4M3FN>, %wa: memref<1536x4096xf8E4M3FN>, %sx: memref<?x32xf32>, %sw: memref<12x32xf8E8M0FNU>, %ya: memref<?x1536xbf16>,
    %x: memref<?x4096xbf16>, %wb: memref<2048x4096xbf16>, %yb: memref<?x2048xf32>) {
  // expected-remark @+3 {{16 tokens: 201326592 flops, 6408576 bytes, 11.60 us.}}
  // expected-remark @+2 {{256 tokens: 3221225472 flops, 8159616 bytes, 34.21 us.}}
  // expected-remark @+1 {{4096 tokens: 51539607552 flops, 36176256 bytes, 517.40 us.}}
  prefill.linear %xq by %wa scaled(%sx, %sw : memref<?x32xf32>, memref<12x32xf8E8M0FNU>) into %ya : memref<?x4096xf8E4M3FN>, memref<1536x4096xf8E4M3FN> -> memref<?x1536xbf16>
  // expected-remark @+3 {{16 tokens: 268435456 flops, 17039360 bytes, 5.97 us.}}
  // expected-remark @+2 {{256 tokens: 4294967296 flops, 20971520 bytes, 6.89 us.}}
  // expected-remark @+1 {{4096 tokens: 68719476736 flops, 83886080 bytes, 70.72 us.}}
  prefill.linear %x by %wb into %yb : memref<?x4096xbf16>, memref<2048x4096xbf16> -> memref<?x2048xf32>
  return
}
}
