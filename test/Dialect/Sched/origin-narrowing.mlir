// RUN: braid-opt %s --split-input-file --braid-plan | FileCheck %s --check-prefix=PLAN
// RUN: braid-opt %s --split-input-file --braid-plan --braid-bufferize --braid-schedule=max-streams=1 | FileCheck %s
// RUN: braid-opt %s --split-input-file --braid-plan=narrow=false --braid-bufferize --braid-schedule=max-streams=1 | FileCheck %s --check-prefix=BEFORE
// RUN: braid-opt %s --split-input-file --braid-plan --braid-bufferize --braid-schedule | FileCheck %s --check-prefix=STREAMS
// RUN: braid-opt %s --split-input-file --braid-plan --remarks-filter=sched-eager -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The third change that Braid's design comes from: GEMMs and norms that need no
// attention metadata leave the eager region, so that a graph captures them. The
// program is one eager region from the first GEMM to the output projection.

// With persistent slots exactly the op that reads host metadata stays. GEMMs,
// norms and the insert come before it, the projection after it.
// PLAN-LABEL: func.func @persistent(
// PLAN: prefill.linear %[[X:.*]] by %{{.*}} -> tensor<?x64xbf16>
// PLAN: prefill.linear %[[X]] by %{{.*}} -> tensor<?x128xf32>
// PLAN: prefill.rms_norm
// PLAN: prefill.cache_insert
// PLAN: %[[O:.*]] = prefill.eager -> tensor<?x4x16xbf16> {
// PLAN-NOT: prefill.linear
// PLAN: prefill.attend
// PLAN-NEXT: prefill.yield
// PLAN: prefill.linear
// PLAN-NOT: prefill.eager
// PLAN: return

// Before: everything in one break. After: two segments around it.
// BEFORE-LABEL: func.func @persistent(
// BEFORE-NOT: sched.segment
// BEFORE: sched.eager "persistent.eager0" {
// BEFORE-COUNT-6: sched.launch
// BEFORE-NOT: sched.launch
// BEFORE: return
// CHECK-LABEL: func.func @persistent(
// CHECK: sched.segment "persistent.segment0" {
// CHECK-COUNT-4: sched.launch
// CHECK-NOT: sched.launch
// CHECK: sched.eager "persistent.eager0" {
// CHECK-NEXT: sched.launch on %s0 {
// CHECK-NEXT: prefill.attend
// CHECK-NOT: sched.launch
// CHECK: sched.segment "persistent.segment1" {
// CHECK-NEXT: sched.launch on %s0 {
// CHECK-NEXT: prefill.linear
// CHECK-NOT: sched.launch
// CHECK: return

// What is captured is overlapped too: forks and joins are inside the segment.
// STREAMS-LABEL: func.func @persistent(
// STREAMS: sched.segment "persistent.segment0" {
// STREAMS: sched.record on %s0
// STREAMS: sched.wait on %s1
// STREAMS: sched.wait on %s0
// STREAMS: sched.eager "persistent.eager0" {
// STREAMS-NOT: sched.wait
// STREAMS: } otherwise {

// REMARK: StaysEager{{.*}}Function=persistent{{.*}}prefill.attend stays in the eager region: the host reads 'query_offsets' while it enqueues the op
// REMARK: NarrowedEager{{.*}}Function=persistent{{.*}}MovedDown=1, MovedUp=4, Staying=1
func.func @persistent(%hidden: tensor<?x256xbf16> {sched.tokens}, %wq: tensor<64x256xbf16>, %compressor: tensor<128x256xbf16>, %wo: tensor<256x64xbf16>,
    %sink: tensor<4xf32>, %cache: memref<?x?x16xbf16> {prefill.name = "window_cache"}, %table: tensor<?x?xi32> {prefill.name = "window_table", prefill.metadata = #prefill.metadata<device, persistent>},
    %slots: tensor<?xi64> {sched.tokens, prefill.name = "window_slots", prefill.metadata = #prefill.metadata<device, persistent>},
    %offsets: tensor<?xi32> {prefill.name = "query_offsets", prefill.metadata = #prefill.metadata<host>},
    %kv: tensor<?x128xf32> {sched.tokens, bufferization.writable = true}, %out: tensor<?x256xbf16> {sched.tokens, bufferization.writable = true})
    -> (tensor<?x128xf32>, tensor<?x256xbf16>) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %hidden, %c0 : tensor<?x256xbf16>
  %r:2 = prefill.eager -> tensor<?x128xf32>, tensor<?x256xbf16> {
    %e0 = tensor.empty(%t) : tensor<?x64xbf16>
    %q = prefill.linear %hidden by %wq into %e0 : tensor<?x256xbf16>, tensor<64x256xbf16> -> tensor<?x64xbf16>
    %b = prefill.linear %hidden by %compressor into %kv : tensor<?x256xbf16>, tensor<128x256xbf16> -> tensor<?x128xf32>
    %h = tensor.expand_shape %q [[0], [1, 2]] output_shape [%t, 4, 16] : tensor<?x64xbf16> into tensor<?x4x16xbf16>
    %e1 = tensor.empty(%t) : tensor<?x4x16xbf16>
    %n = prefill.rms_norm %h into %e1 {eps = 1.0e-6 : f64} : tensor<?x4x16xbf16> -> tensor<?x4x16xbf16>
    %row = tensor.extract_slice %q[0, 0] [%t, 16] [1, 1] : tensor<?x64xbf16> to tensor<?x16xbf16>
    prefill.cache_insert %row at %slots into %cache : tensor<?x16xbf16>, tensor<?xi64> -> memref<?x?x16xbf16>
    %e2 = tensor.empty(%t) : tensor<?x4x16xbf16>
    %o = prefill.attend %n sink %sink window(%cache through %table) requests(%offsets, %offsets) into %e2 {ratio = 0 : i64, scale = 0.25 : f64, window = 8 : i64} : tensor<?x4x16xbf16>, tensor<4xf32>, memref<?x?x16xbf16>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x4x16xbf16>
    %f = tensor.collapse_shape %o [[0], [1, 2]] : tensor<?x4x16xbf16> into tensor<?x64xbf16>
    %y = prefill.linear %f by %wo into %out : tensor<?x64xbf16>, tensor<256x64xbf16> -> tensor<?x256xbf16>
    prefill.yield %b, %y : tensor<?x128xf32>, tensor<?x256xbf16>
  }
  return %r#0, %r#1 : tensor<?x128xf32>, tensor<?x256xbf16>
}

// -----

// The same program with transient slots: the insert stays as well, because a
// graph would keep the address that it was captured with.
// PLAN-LABEL: func.func @transient(
// PLAN: prefill.linear
// PLAN: prefill.linear
// PLAN: prefill.rms_norm
// PLAN: prefill.eager -> tensor<?x4x16xbf16> {
// PLAN: prefill.cache_insert
// PLAN: prefill.attend
// PLAN-NEXT: prefill.yield
// PLAN: prefill.linear
// CHECK-LABEL: func.func @transient(
// CHECK: sched.segment "transient.segment0" {
// CHECK-COUNT-3: sched.launch
// CHECK-NOT: sched.launch
// CHECK: sched.eager "transient.eager0" {
// CHECK-NEXT: sched.launch on %s0 {
// CHECK-NEXT: prefill.cache_insert
// CHECK: sched.launch on %s0 {
// CHECK-NEXT: prefill.attend
// CHECK-NOT: sched.launch
// CHECK: sched.segment "transient.segment1" {
// REMARK: StaysEager{{.*}}Function=transient{{.*}}prefill.cache_insert stays in the eager region: it reads 'window_slots', device metadata whose address may change from call to call
// REMARK: StaysEager{{.*}}Function=transient{{.*}}prefill.attend
// REMARK: NarrowedEager{{.*}}Function=transient{{.*}}MovedDown=1, MovedUp=3, Staying=2
func.func @transient(%hidden: tensor<?x256xbf16> {sched.tokens}, %wq: tensor<64x256xbf16>, %compressor: tensor<128x256xbf16>, %wo: tensor<256x64xbf16>,
    %sink: tensor<4xf32>, %cache: memref<?x?x16xbf16> {prefill.name = "window_cache"}, %table: tensor<?x?xi32> {prefill.name = "window_table", prefill.metadata = #prefill.metadata<device, transient>},
    %slots: tensor<?xi64> {sched.tokens, prefill.name = "window_slots", prefill.metadata = #prefill.metadata<device, transient>},
    %offsets: tensor<?xi32> {prefill.name = "query_offsets", prefill.metadata = #prefill.metadata<host>},
    %kv: tensor<?x128xf32> {sched.tokens, bufferization.writable = true}, %out: tensor<?x256xbf16> {sched.tokens, bufferization.writable = true})
    -> (tensor<?x128xf32>, tensor<?x256xbf16>) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %hidden, %c0 : tensor<?x256xbf16>
  %r:2 = prefill.eager -> tensor<?x128xf32>, tensor<?x256xbf16> {
    %e0 = tensor.empty(%t) : tensor<?x64xbf16>
    %q = prefill.linear %hidden by %wq into %e0 : tensor<?x256xbf16>, tensor<64x256xbf16> -> tensor<?x64xbf16>
    %b = prefill.linear %hidden by %compressor into %kv : tensor<?x256xbf16>, tensor<128x256xbf16> -> tensor<?x128xf32>
    %h = tensor.expand_shape %q [[0], [1, 2]] output_shape [%t, 4, 16] : tensor<?x64xbf16> into tensor<?x4x16xbf16>
    %e1 = tensor.empty(%t) : tensor<?x4x16xbf16>
    %n = prefill.rms_norm %h into %e1 {eps = 1.0e-6 : f64} : tensor<?x4x16xbf16> -> tensor<?x4x16xbf16>
    %row = tensor.extract_slice %q[0, 0] [%t, 16] [1, 1] : tensor<?x64xbf16> to tensor<?x16xbf16>
    prefill.cache_insert %row at %slots into %cache : tensor<?x16xbf16>, tensor<?xi64> -> memref<?x?x16xbf16>
    %e2 = tensor.empty(%t) : tensor<?x4x16xbf16>
    %o = prefill.attend %n sink %sink window(%cache through %table) requests(%offsets, %offsets) into %e2 {ratio = 0 : i64, scale = 0.25 : f64, window = 8 : i64} : tensor<?x4x16xbf16>, tensor<4xf32>, memref<?x?x16xbf16>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x4x16xbf16>
    %f = tensor.collapse_shape %o [[0], [1, 2]] : tensor<?x4x16xbf16> into tensor<?x64xbf16>
    %y = prefill.linear %f by %wo into %out : tensor<?x64xbf16>, tensor<256x64xbf16> -> tensor<?x256xbf16>
    prefill.yield %b, %y : tensor<?x128xf32>, tensor<?x256xbf16>
  }
  return %r#0, %r#1 : tensor<?x128xf32>, tensor<?x256xbf16>
}
