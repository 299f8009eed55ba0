// RUN: braid-opt %s --braid-plan --braid-bufferize --canonicalize --cse --braid-schedule | FileCheck %s
// RUN: braid-opt %s --canonicalize --cse --braid-plan --braid-bufferize --canonicalize --cse --braid-schedule | FileCheck %s
// RUN: braid-opt %s --braid-plan --braid-bufferize --canonicalize --cse --braid-schedule=max-streams=1 | FileCheck %s --check-prefix=SERIAL

// Two GEMMs of the same shape, each with a consumer before the other's end in
// program order: their destinations look the same, and stay two buffers. So both
// pairs run side by side.
// CHECK-LABEL: func.func @same_shape(
// CHECK: sched.dispatch
// CHECK-NEXT: sched.schedule(%[[S0:.*]], %[[S1:.*]]) tokens(%{{.*}}) workspace(#sched.linear<512, 0>)
// CHECK-NEXT: %[[A:.*]] = sched.alloc({{.*}}) at <0, 0>
// CHECK-NEXT: %[[B:.*]] = sched.alloc({{.*}}) at <256, 0>
// CHECK: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.linear %arg0 by %arg1 into %[[A]] :
// CHECK: sched.launch on %[[S1]] {
// CHECK-NEXT: prefill.linear %arg0 by %arg2 into %[[B]] :
// CHECK: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.rms_norm %[[A]]
// CHECK: sched.launch on %[[S1]] {
// CHECK-NEXT: prefill.rms_norm %[[B]]
// CHECK: } otherwise {

// On one stream they share bytes, which plan-memory alone decides.
// SERIAL: workspace(#sched.linear<256, 0>)
// SERIAL-NEXT: %[[A:.*]] = sched.alloc({{.*}}) at <0, 0>
// SERIAL-NEXT: %[[B:.*]] = sched.alloc({{.*}}) at <0, 0>
// SERIAL: prefill.linear {{.*}} into %[[A]] :
// SERIAL: prefill.linear {{.*}} into %[[B]] :
func.func @same_shape(%x: tensor<?x64xf32> {sched.tokens}, %w0: tensor<64x64xf32>, %w1: tensor<64x64xf32>,
    %y0: tensor<?x64xf32> {sched.tokens, bufferization.writable = true}, %y1: tensor<?x64xf32> {sched.tokens, bufferization.writable = true}) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e0 = tensor.empty(%t) : tensor<?x64xf32>
  %a = prefill.linear %x by %w0 into %e0 : tensor<?x64xf32>, tensor<64x64xf32> -> tensor<?x64xf32>
  %na = prefill.rms_norm %a into %y0 {eps = 1.0e-6 : f64} : tensor<?x64xf32> -> tensor<?x64xf32>
  %e1 = tensor.empty(%t) : tensor<?x64xf32>
  %b = prefill.linear %x by %w1 into %e1 : tensor<?x64xf32>, tensor<64x64xf32> -> tensor<?x64xf32>
  %nb = prefill.rms_norm %b into %y1 {eps = 1.0e-6 : f64} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %na, %nb : tensor<?x64xf32>, tensor<?x64xf32>
}
