// RUN: braid-opt %s --sched-form-segments --sched-assign-streams --split-input-file | FileCheck %s
// RUN: braid-opt %s --sched-form-segments --sched-assign-streams='tokens=1' --split-input-file | FileCheck %s --check-prefix=FEW
// RUN: braid-opt %s --sched-form-segments --sched-assign-streams='tokens=8192' --split-input-file | FileCheck %s --check-prefix=MANY
// RUN: not braid-opt %s --sched-assign-streams='max-streams=0' --split-input-file 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not braid-opt %s --sched-assign-streams='tokens=-1' --split-input-file 2>&1 | FileCheck %s --check-prefix=TOKENS
// RUN: not braid-opt %s --sched-assign-streams='algorithm=fastest' 2>&1 | FileCheck %s --check-prefix=ALGORITHM

// ZERO: error: max-streams is 0; expected at least 1
// TOKENS: error: tokens is -1; expected 0 or more
// ALGORITHM: Cannot find option named 'fastest'

// Which chain is the costliest depends on the rates. The f32 chain has fewer
// FLOPs, and an H200, the default, does f32 far slower than fp8.
// CHECK-LABEL: func @default(
// CHECK: planned_stream = 1 : i64}
// CHECK-NEXT: prefill.kernel @fp8
// CHECK: planned_stream = 0 : i64}
// CHECK-NEXT: prefill.kernel @f32
func.func @default(%x: memref<?x8xf8E4M3FN> {sched.tokens}, %z: memref<?x8xf32> {sched.tokens},
    %y: memref<?x8xf32> {sched.tokens}, %u: memref<?x8xf32> {sched.tokens}) {
  prefill.kernel @fp8 ins(%x : memref<?x8xf8E4M3FN>) outs(%y : memref<?x8xf32>)
      {effect = #sched.effect_class<graph_safe>, flops_per_token = 4.0e6 : f64}
  prefill.kernel @f32 ins(%z : memref<?x8xf32>) outs(%u : memref<?x8xf32>)
      {effect = #sched.effect_class<graph_safe>, flops_per_token = 1.0e6 : f64}
  return
}

// -----

// The same program on a device where both rates are equal: the fp8 chain.
// CHECK-LABEL: func @equal_rates(
// CHECK: planned_stream = 0 : i64}
// CHECK-NEXT: prefill.kernel @fp8
// CHECK: planned_stream = 1 : i64}
// CHECK-NEXT: prefill.kernel @f32
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<
    "braid.flops_per_second_f32" = 1.0e14 : f64, "braid.flops_per_second_8" = 1.0e14 : f64>>} {
  func.func @equal_rates(%x: memref<?x8xf8E4M3FN> {sched.tokens}, %z: memref<?x8xf32> {sched.tokens},
      %y: memref<?x8xf32> {sched.tokens}, %u: memref<?x8xf32> {sched.tokens}) {
    prefill.kernel @fp8 ins(%x : memref<?x8xf8E4M3FN>) outs(%y : memref<?x8xf32>)
        {effect = #sched.effect_class<graph_safe>, flops_per_token = 4.0e6 : f64}
    prefill.kernel @f32 ins(%z : memref<?x8xf32>) outs(%u : memref<?x8xf32>)
        {effect = #sched.effect_class<graph_safe>, flops_per_token = 1.0e6 : f64}
    return
  }
}

// -----

// The rate is that of the narrowest input: bf16 with an f32 result is bf16.
// CHECK-LABEL: func @mixed_types(
// CHECK: planned_stream = 1 : i64}
// CHECK-NEXT: prefill.kernel @bf16
// CHECK: planned_stream = 0 : i64}
// CHECK-NEXT: prefill.kernel @f32
func.func @mixed_types(%x: memref<?x8xbf16> {sched.tokens}, %z: memref<?x8xf32> {sched.tokens},
    %y: memref<?x8xf32> {sched.tokens}, %u: memref<?x8xf32> {sched.tokens}) {
  prefill.kernel @bf16 ins(%x : memref<?x8xbf16>) outs(%y : memref<?x8xf32>)
      {effect = #sched.effect_class<graph_safe>, flops_per_token = 4.0e6 : f64}
  prefill.kernel @f32 ins(%z : memref<?x8xf32>) outs(%u : memref<?x8xf32>)
      {effect = #sched.effect_class<graph_safe>, flops_per_token = 1.0e6 : f64}
  return
}

// -----

// A wait that costs more than an op saves keeps everything on one stream.
// CHECK-LABEL: func @dear_waits(
// CHECK: planned_position = 0 : i64, planned_stream = 0 : i64}
// CHECK: planned_position = 1 : i64, planned_stream = 0 : i64}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<
    "braid.wait_microseconds" = 10.0 : f64>>} {
  func.func @dear_waits(%x: memref<?x8xf32> {sched.tokens}, %y: memref<?x8xf32> {sched.tokens}, %u: memref<?x8xf32> {sched.tokens}) {
    prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
    prefill.rms_norm %x into %u {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
    return
  }
}

// -----

// A target that cannot capture several streams keeps one in segments; eager
// regions are not captured.
// CHECK-LABEL: func @captures_one(
// CHECK: sched.segment
// CHECK: planned_position = 0 : i64, planned_stream = 0 : i64}
// CHECK: planned_position = 1 : i64, planned_stream = 0 : i64}
// CHECK: sched.eager
// CHECK-DAG: planned_stream = 0 : i64}
// CHECK-DAG: planned_stream = 1 : i64}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<
    "braid.captures_streams" = false>>} {
  func.func @captures_one(%x: memref<?x8xf32> {sched.tokens}, %n: memref<?xi32> {prefill.metadata = #prefill.metadata<host>},
      %y: memref<?x8xf32> {sched.tokens}, %u: memref<?x8xf32> {sched.tokens}, %v: memref<?x8xf32> {sched.tokens}, %r: memref<?x8xf32> {sched.tokens}) {
    prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
    prefill.rms_norm %x into %u {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
    prefill.kernel @host ins(%y, %n : memref<?x8xf32>, memref<?xi32>) outs(%v : memref<?x8xf32>) {effect = #sched.effect_class<host_metadata>}
    prefill.kernel @host ins(%u, %n : memref<?x8xf32>, memref<?xi32>) outs(%r : memref<?x8xf32>) {effect = #sched.effect_class<host_metadata>}
    return
  }
}

// -----

// The negative twin: one that can uses several in both.
// CHECK-LABEL: func @captures_several(
// CHECK: sched.segment
// CHECK-DAG: planned_stream = 0 : i64}
// CHECK-DAG: planned_stream = 1 : i64}
// CHECK: sched.eager
// CHECK-DAG: planned_stream = 0 : i64}
// CHECK-DAG: planned_stream = 1 : i64}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<
    "braid.captures_streams" = true>>} {
  func.func @captures_several(%x: memref<?x8xf32> {sched.tokens}, %n: memref<?xi32> {prefill.metadata = #prefill.metadata<host>},
      %y: memref<?x8xf32> {sched.tokens}, %u: memref<?x8xf32> {sched.tokens}, %v: memref<?x8xf32> {sched.tokens}, %r: memref<?x8xf32> {sched.tokens}) {
    prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
    prefill.rms_norm %x into %u {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
    prefill.kernel @host ins(%y, %n : memref<?x8xf32>, memref<?xi32>) outs(%v : memref<?x8xf32>) {effect = #sched.effect_class<host_metadata>}
    prefill.kernel @host ins(%u, %n : memref<?x8xf32>, memref<?xi32>) outs(%r : memref<?x8xf32>) {effect = #sched.effect_class<host_metadata>}
    return
  }
}

// -----

// So does the token count: weights are read once, whatever the count, and cost
// more than a kernel that works on each token as long as there are few of them.
// FEW-LABEL: func @token_count(
// FEW: planned_stream = 1 : i64}
// FEW-NEXT: prefill.kernel
// FEW: planned_stream = 0 : i64}
// FEW-NEXT: prefill.linear
// MANY-LABEL: func @token_count(
// MANY: planned_stream = 0 : i64}
// MANY-NEXT: prefill.kernel
// MANY: planned_stream = 1 : i64}
// MANY-NEXT: prefill.linear
func.func @token_count(%x: memref<?x4096xbf16> {sched.tokens}, %w: memref<4096x4096xbf16>,
    %y: memref<?x4096xbf16> {sched.tokens}, %u: memref<?x4096xbf16> {sched.tokens}) {
  prefill.kernel @each_token ins(%x : memref<?x4096xbf16>) outs(%u : memref<?x4096xbf16>)
      {effect = #sched.effect_class<graph_safe>, flops_per_token = 1.0e8 : f64}
  prefill.linear %x by %w into %y : memref<?x4096xbf16>, memref<4096x4096xbf16> -> memref<?x4096xbf16>
  return
}
