// RUN: braid-opt %s --braid-compile | mlir-translate --mlir-to-llvmir | FileCheck %s
// RUN: braid-opt %s --braid-compile='capture=true' | mlir-translate --mlir-to-llvmir | FileCheck %s
// RUN: braid-opt %s --braid-compile='capture=false' | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=EAGER
// RUN: braid-opt %s --braid-bufferize --braid-schedule --braid-lower | mlir-translate --mlir-to-llvmir | FileCheck %s
// RUN: braid-opt %s --braid-bufferize --braid-schedule='capture=false' --braid-lower | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=EAGER
// RUN: braid-opt %s --braid-bufferize --braid-schedule | FileCheck %s --check-prefix=SCHED

// A small layer, from tensors to calls: what may be captured is in segments,
// attention breaks them, and the result is the caller's output.

// Between the pipelines: planned buffers, no tensor, no result. A chain stays on
// the caller's stream, without a choice by token count, and shares bytes.
// SCHED-LABEL: func @layer(
// SCHED-SAME: memref<?x16xf32>
// SCHED-NOT: ->
// SCHED: {
// SCHED: %[[T:.*]] = memref.dim
// SCHED-NEXT: sched.schedule(%s0) tokens(%[[T]]) workspace(#sched.linear<512, 0>) {
// SCHED-COUNT-3: sched.alloc(%[[T]]) at <
// SCHED-NOT: sched.alloc
// SCHED: sched.segment "layer.segment0" {
// SCHED: sched.eager "layer.eager0" {
// SCHED: sched.segment "layer.segment1" {
// SCHED-NOT: tensor

// CHECK: @braid_function_layer = constant {{.*}} i64 8, ptr @{{[^,]*}}, i64 512, i64 0, ptr @braid_entry_layer }
// CHECK: define internal void @layer(
// CHECK: call ptr @braid_rt_schedule_begin
// CHECK: call i32 @braid_rt_segment_begin
// CHECK-COUNT-2: call void @braid_rt_launch
// CHECK-NOT: braid_rt_launch
// CHECK: call void @braid_rt_segment_end
// CHECK: call i32 @braid_rt_eager_begin
// CHECK: call void @braid_rt_launch
// CHECK-NOT: braid_rt_launch
// CHECK: call void @braid_rt_eager_end
// CHECK: call i32 @braid_rt_segment_begin
// CHECK: call void @braid_rt_launch
// CHECK-NOT: braid_rt_launch
// CHECK: call void @braid_rt_segment_end
// CHECK: call void @braid_rt_schedule_end
// CHECK: ret void

// EAGER: define internal void @layer(
// EAGER-NOT: braid_rt_segment
// EAGER: call i32 @braid_rt_eager_begin
// EAGER-COUNT-4: call void @braid_rt_launch
// EAGER-NOT: braid_rt_launch
// EAGER: call void @braid_rt_eager_end
// EAGER-NOT: braid_rt_eager_begin
// EAGER-NOT: braid_rt_segment
// EAGER: ret void
func.func @layer(%x: tensor<?x16xf32> {sched.tokens, prefill.name = "x"},
                 %wq: tensor<16x16xf32> {prefill.name = "wq"},
                 %wo: tensor<16x16xf32> {prefill.name = "wo"},
                 %sink: tensor<2xf32>, %cache: memref<?x?x8xf32>, %table: tensor<?x?xi32>,
                 %requests: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>},
                 %out: tensor<?x16xf32> {sched.tokens, bufferization.writable = true}) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e0 = tensor.empty(%t) : tensor<?x16xf32>
  %q = prefill.linear %x by %wq into %e0 : tensor<?x16xf32>, tensor<16x16xf32> -> tensor<?x16xf32>
  %h = tensor.expand_shape %q [[0], [1, 2]] output_shape [%t, 2, 8] : tensor<?x16xf32> into tensor<?x2x8xf32>
  %e1 = tensor.empty(%t) : tensor<?x2x8xf32>
  %n = prefill.rms_norm %h into %e1 {eps = 1.0e-6 : f64} : tensor<?x2x8xf32> -> tensor<?x2x8xf32>
  %e2 = tensor.empty(%t) : tensor<?x2x8xf32>
  %a = prefill.attend %n sink %sink window(%cache through %table) requests(%requests, %requests) into %e2 {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : tensor<?x2x8xf32>, tensor<2xf32>, memref<?x?x8xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x2x8xf32>
  %f = tensor.collapse_shape %a [[0], [1, 2]] : tensor<?x2x8xf32> into tensor<?x16xf32>
  %o = prefill.linear %f by %wo into %out : tensor<?x16xf32>, tensor<16x16xf32> -> tensor<?x16xf32>
  return %o : tensor<?x16xf32>
}
