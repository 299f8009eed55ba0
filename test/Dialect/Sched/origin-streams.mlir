// RUN: braid-opt %s --split-input-file --braid-plan --braid-bufferize --braid-schedule | FileCheck %s
// RUN: braid-opt %s --split-input-file --braid-plan --braid-bufferize --braid-schedule='max-streams=1' | FileCheck %s --check-prefix=OFF --implicit-check-not=sched.dispatch --implicit-check-not=sched.record --implicit-check-not=sched.wait
// RUN: braid-opt %s --split-input-file --canonicalize --cse --braid-plan --braid-bufferize --canonicalize --cse --braid-schedule | FileCheck %s

// The first change that Braid's design comes from: the GEMMs that read only the
// hidden states run on the main stream and on auxiliary streams, with one start
// event and one done event a branch. The program is what an engineer writes, one
// GEMM after the other; A is the query's, with its norm, B the compressor's, C
// and D the indexer's.

// C4A: four streams. A and its norm, the costliest chain, stay on stream 0. All
// branches wait for one start event; each records one done event, and stream 0
// waits for each once.
// CHECK-LABEL: func.func @c4a(
// CHECK: sched.dispatch on %[[T:.*]] upto 16384 {
// CHECK-NEXT: sched.schedule(%[[S0:.*]], %[[S1:.*]], %[[S2:.*]], %[[S3:.*]]) tokens(%[[T]]) {{.*}} events(3) {
// CHECK: sched.segment "c4a.segment0" {
// CHECK-NEXT: %[[START:.*]] = sched.record on %[[S0]] slot 0
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.linear %arg0 by %arg1 into %[[A:.*]] : memref<?x4096xbf16>, memref<1536x4096xbf16> -> memref<?x1536xbf16>
// CHECK-NEXT: }
// CHECK-NEXT: sched.wait on %[[S1]] for %[[START]]
// CHECK-NEXT: sched.launch on %[[S1]] {
// CHECK-NEXT: prefill.linear %arg0 by %arg2 into %arg7 : memref<?x4096xbf16>, memref<2048x4096xbf16> -> memref<?x2048xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[B:.*]] = sched.record on %[[S1]] slot [[SLOT:[12]]]
// CHECK-NEXT: sched.wait on %[[S2]] for %[[START]]
// CHECK-NEXT: sched.launch on %[[S2]] {
// CHECK-NEXT: prefill.linear %arg0 by %arg4 into %arg9 : memref<?x4096xbf16>, memref<512x4096xbf16> -> memref<?x512xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[D:.*]] = sched.record on %[[S2]] slot
// CHECK-NEXT: sched.wait on %[[S3]] for %[[START]]
// CHECK-NEXT: sched.launch on %[[S3]] {
// CHECK-NEXT: prefill.linear %arg0 by %arg3 into %arg8 : memref<?x4096xbf16>, memref<64x4096xbf16> -> memref<?x64xbf16>
// CHECK-NEXT: }
// CHECK-NEXT: %[[C:.*]] = sched.record on %[[S3]] slot
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.rms_norm %{{.*}} by %arg5 into %arg6 {{.*}}
// CHECK-NEXT: }
// CHECK-DAG: sched.wait on %[[S0]] for %[[B]]
// CHECK-DAG: sched.wait on %[[S0]] for %[[C]]
// CHECK-DAG: sched.wait on %[[S0]] for %[[D]]
// CHECK-NOT: sched.wait
// CHECK: } otherwise {

// Above the threshold, and without streams (OFF): the same work in order, the
// main function first, then the slots in order.
// CHECK-NEXT: sched.schedule(%[[S0:.*]]) tokens(%[[T]])
// CHECK: sched.segment "c4a.segment0.serial" {
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: {{.*}}memref<1536x4096xbf16>
// CHECK-NEXT: }
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: {{.*}}memref<2048x4096xbf16>
// CHECK-NEXT: }
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: {{.*}}memref<64x4096xbf16>
// CHECK-NEXT: }
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: {{.*}}memref<512x4096xbf16>
// CHECK-NEXT: }
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.rms_norm {{.*}}
// CHECK: } {gate}
// OFF-LABEL: func.func @c4a(
// OFF: sched.schedule(%s0) tokens
// OFF: memref<1536x4096xbf16>
// OFF: memref<2048x4096xbf16>
// OFF: memref<64x4096xbf16>
// OFF: memref<512x4096xbf16>
// OFF: prefill.rms_norm
func.func @c4a(%hidden: tensor<?x4096xbf16> {sched.tokens}, %wq_a_wkv: tensor<1536x4096xbf16>, %compressor: tensor<2048x4096xbf16>,
    %weights_proj: tensor<64x4096xbf16>, %indexer_compressor: tensor<512x4096xbf16>, %q_norm: tensor<1536xbf16>,
    %qr_kv: tensor<?x1536xbf16> {sched.tokens, bufferization.writable = true}, %kv_score: tensor<?x2048xf32> {sched.tokens, bufferization.writable = true},
    %weights: tensor<?x64xbf16> {sched.tokens, bufferization.writable = true}, %indexer_kv_score: tensor<?x512xf32> {sched.tokens, bufferization.writable = true})
    -> (tensor<?x1536xbf16>, tensor<?x2048xf32>, tensor<?x64xbf16>, tensor<?x512xf32>) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %hidden, %c0 : tensor<?x4096xbf16>
  %e = tensor.empty(%t) : tensor<?x1536xbf16>
  %a = prefill.linear %hidden by %wq_a_wkv into %e : tensor<?x4096xbf16>, tensor<1536x4096xbf16> -> tensor<?x1536xbf16>
  %b = prefill.linear %hidden by %compressor into %kv_score : tensor<?x4096xbf16>, tensor<2048x4096xbf16> -> tensor<?x2048xf32>
  %c = prefill.linear %hidden by %weights_proj into %weights : tensor<?x4096xbf16>, tensor<64x4096xbf16> -> tensor<?x64xbf16>
  %d = prefill.linear %hidden by %indexer_compressor into %indexer_kv_score : tensor<?x4096xbf16>, tensor<512x4096xbf16> -> tensor<?x512xf32>
  %n = prefill.rms_norm %a by %q_norm into %qr_kv {eps = 1.0e-6 : f64} : tensor<?x1536xbf16>, tensor<1536xbf16> -> tensor<?x1536xbf16>
  return %n, %b, %c, %d : tensor<?x1536xbf16>, tensor<?x2048xf32>, tensor<?x64xbf16>, tensor<?x512xf32>
}

// -----

// C128A has one auxiliary GEMM: two streams, a start event and one done event.
// The absent slots leave no trace.
// CHECK-LABEL: func.func @c128a(
// CHECK: sched.dispatch on %{{.*}} upto 16384 {
// CHECK-NEXT: sched.schedule(%[[S0:.*]], %[[S1:.*]]) tokens(%{{.*}}) {{.*}} events(1) {
// CHECK: %[[START:.*]] = sched.record on %[[S0]] slot 0
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: {{.*}}memref<1536x4096xbf16>
// CHECK-NEXT: }
// CHECK-NEXT: sched.wait on %[[S1]] for %[[START]]
// CHECK-NEXT: sched.launch on %[[S1]] {
// CHECK-NEXT: {{.*}}memref<2048x4096xbf16>
// CHECK-NEXT: }
// CHECK-NEXT: %[[DONE:.*]] = sched.record on %[[S1]] slot 0
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.rms_norm {{.*}}
// CHECK-NEXT: }
// CHECK-NEXT: sched.wait on %[[S0]] for %[[DONE]]
// CHECK-NEXT: }
// CHECK: } otherwise {
// CHECK-NOT: sched.record
// CHECK: } {gate}
// OFF-LABEL: func.func @c128a(
// OFF: memref<1536x4096xbf16>
// OFF: memref<2048x4096xbf16>
// OFF: prefill.rms_norm
func.func @c128a(%hidden: tensor<?x4096xbf16> {sched.tokens}, %wq_a_wkv: tensor<1536x4096xbf16>, %compressor: tensor<2048x4096xbf16>,
    %q_norm: tensor<1536xbf16>, %qr_kv: tensor<?x1536xbf16> {sched.tokens, bufferization.writable = true},
    %kv_score: tensor<?x2048xf32> {sched.tokens, bufferization.writable = true}) -> (tensor<?x1536xbf16>, tensor<?x2048xf32>) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %hidden, %c0 : tensor<?x4096xbf16>
  %e = tensor.empty(%t) : tensor<?x1536xbf16>
  %a = prefill.linear %hidden by %wq_a_wkv into %e : tensor<?x4096xbf16>, tensor<1536x4096xbf16> -> tensor<?x1536xbf16>
  %b = prefill.linear %hidden by %compressor into %kv_score : tensor<?x4096xbf16>, tensor<2048x4096xbf16> -> tensor<?x2048xf32>
  %n = prefill.rms_norm %a by %q_norm into %qr_kv {eps = 1.0e-6 : f64} : tensor<?x1536xbf16>, tensor<1536xbf16> -> tensor<?x1536xbf16>
  return %n, %b : tensor<?x1536xbf16>, tensor<?x2048xf32>
}

// -----

// The window-only kind has none: no stream, no event, and no choice.
// CHECK-LABEL: func.func @swa(
// CHECK-NOT: sched.dispatch
// CHECK: sched.schedule(%s0) tokens(%{{.*}}) workspace(#sched.linear<3072, 0>) {
// CHECK-NOT: sched.record
// CHECK-NOT: sched.wait
// CHECK: return
// OFF-LABEL: func.func @swa(
func.func @swa(%hidden: tensor<?x4096xbf16> {sched.tokens}, %wq_a_wkv: tensor<1536x4096xbf16>, %q_norm: tensor<1536xbf16>,
    %qr_kv: tensor<?x1536xbf16> {sched.tokens, bufferization.writable = true}) -> tensor<?x1536xbf16> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %hidden, %c0 : tensor<?x4096xbf16>
  %e = tensor.empty(%t) : tensor<?x1536xbf16>
  %a = prefill.linear %hidden by %wq_a_wkv into %e : tensor<?x4096xbf16>, tensor<1536x4096xbf16> -> tensor<?x1536xbf16>
  %n = prefill.rms_norm %a by %q_norm into %qr_kv {eps = 1.0e-6 : f64} : tensor<?x1536xbf16>, tensor<1536xbf16> -> tensor<?x1536xbf16>
  return %n : tensor<?x1536xbf16>
}

// -----

// As published, A is in fp8: the hidden states are quantized for it alone, so
// the other three wait for nothing but the start.
// CHECK-LABEL: func.func @fp8(
// CHECK: sched.dispatch on %{{.*}} upto 16384 {
// CHECK-NEXT: sched.schedule(%[[S0:.*]], %[[S1:.*]], %[[S2:.*]], %[[S3:.*]]) tokens
// CHECK: %[[START:.*]] = sched.record on %[[S0]] slot 0
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.quantize {{.*}}
// CHECK-NEXT: }
// CHECK-NEXT: sched.wait on %[[S1]] for %[[START]]
// CHECK-NEXT: sched.launch on %[[S1]] {
// CHECK: sched.wait on %[[S2]] for %[[START]]
// CHECK-NEXT: sched.launch on %[[S2]] {
// CHECK: sched.wait on %[[S3]] for %[[START]]
// CHECK-NEXT: sched.launch on %[[S3]] {
// CHECK: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.linear {{.*}} scaled({{.*}}memref<?x4096xf8E4M3FN>, memref<1536x4096xf8E4M3FN> -> memref<?x1536xbf16>
// CHECK-NEXT: }
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.rms_norm {{.*}}
// CHECK-NEXT: }
// CHECK-COUNT-3: sched.wait on %[[S0]]
// CHECK-NOT: sched.wait
// CHECK: } otherwise {
// OFF-LABEL: func.func @fp8(
// OFF: prefill.quantize
// OFF: memref<1536x4096xf8E4M3FN>
// OFF: memref<2048x4096xbf16>
// OFF: memref<64x4096xbf16>
// OFF: memref<512x4096xbf16>
// OFF: prefill.rms_norm
func.func @fp8(%hidden: tensor<?x4096xbf16> {sched.tokens}, %wq_a_wkv: tensor<1536x4096xf8E4M3FN>, %wq_a_wkv_scale: tensor<12x32xf8E8M0FNU>, %compressor: tensor<2048x4096xbf16>,
    %weights_proj: tensor<64x4096xbf16>, %indexer_compressor: tensor<512x4096xbf16>, %q_norm: tensor<1536xbf16>,
    %qr_kv: tensor<?x1536xbf16> {sched.tokens, bufferization.writable = true}, %kv_score: tensor<?x2048xf32> {sched.tokens, bufferization.writable = true},
    %weights: tensor<?x64xbf16> {sched.tokens, bufferization.writable = true}, %indexer_kv_score: tensor<?x512xf32> {sched.tokens, bufferization.writable = true})
    -> (tensor<?x1536xbf16>, tensor<?x2048xf32>, tensor<?x64xbf16>, tensor<?x512xf32>) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %hidden, %c0 : tensor<?x4096xbf16>
  %e0 = tensor.empty(%t) : tensor<?x4096xf8E4M3FN>
  %e1 = tensor.empty(%t) : tensor<?x32xf32>
  %q:2 = prefill.quantize %hidden into %e0, %e1 {block = 128 : i64} : tensor<?x4096xbf16> -> tensor<?x4096xf8E4M3FN>, tensor<?x32xf32>
  %e2 = tensor.empty(%t) : tensor<?x1536xbf16>
  %a = prefill.linear %q#0 by %wq_a_wkv scaled(%q#1, %wq_a_wkv_scale : tensor<?x32xf32>, tensor<12x32xf8E8M0FNU>) into %e2 : tensor<?x4096xf8E4M3FN>, tensor<1536x4096xf8E4M3FN> -> tensor<?x1536xbf16>
  %b = prefill.linear %hidden by %compressor into %kv_score : tensor<?x4096xbf16>, tensor<2048x4096xbf16> -> tensor<?x2048xf32>
  %c = prefill.linear %hidden by %weights_proj into %weights : tensor<?x4096xbf16>, tensor<64x4096xbf16> -> tensor<?x64xbf16>
  %d = prefill.linear %hidden by %indexer_compressor into %indexer_kv_score : tensor<?x4096xbf16>, tensor<512x4096xbf16> -> tensor<?x512xf32>
  %n = prefill.rms_norm %a by %q_norm into %qr_kv {eps = 1.0e-6 : f64} : tensor<?x1536xbf16>, tensor<1536xbf16> -> tensor<?x1536xbf16>
  return %n, %b, %c, %d : tensor<?x1536xbf16>, tensor<?x2048xf32>, tensor<?x64xbf16>, tensor<?x512xf32>
}
