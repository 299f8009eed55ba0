// RUN: braid-opt %s | braid-opt | FileCheck %s
// RUN: braid-opt %s --mlir-print-op-generic | braid-opt | FileCheck %s
// RUN: braid-opt %s --emit-bytecode | braid-opt | FileCheck %s
// RUN: braid-opt %s --verify-roundtrip -o /dev/null

// A kernel on tensors: inputs, caches, destinations, every optional attribute.
// CHECK-LABEL: func @kernel_full
func.func @kernel_full(%q: tensor<?x64xf32>, %n: tensor<2xi32>, %a: memref<?x64x64xf32>, %b: memref<?x64x64xf32>, %o: tensor<?x64xf32>, %l: tensor<?xf32>) -> (tensor<?x64xf32>, tensor<?xf32>) {
  // CHECK: %{{.*}}:2 = prefill.kernel @flash_mla ins(%{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<2xi32>) caches(%{{.*}}, %{{.*}} : memref<?x64x64xf32>, memref<?x64x64xf32>) outs(%{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<?xf32>)
  // CHECK-SAME: {bytes_per_token = 5.120000e+02 : f64, cache_access = [#sched.access<read>, #sched.access<read_write>], effect = #sched.effect_class<host_metadata>, flops_per_token = 1.024000e+03 : f64, splits = 4 : i64} -> tensor<?x64xf32>, tensor<?xf32>
  %0:2 = prefill.kernel @flash_mla ins(%q, %n : tensor<?x64xf32>, tensor<2xi32>) caches(%a, %b : memref<?x64x64xf32>, memref<?x64x64xf32>) outs(%o, %l : tensor<?x64xf32>, tensor<?xf32>) {bytes_per_token = 512.0 : f64, cache_access = [#sched.access<read>, #sched.access<read_write>], effect = #sched.effect_class<host_metadata>, flops_per_token = 1024.0 : f64, splits = 4 : i64} -> tensor<?x64xf32>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x64xf32>, tensor<?xf32>
}

// Every group of operands may be absent.
// CHECK-LABEL: func @kernel_bare
func.func @kernel_bare(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  // CHECK-NEXT: prefill.kernel @barrier {effect = #sched.effect_class<graph_safe>}
  prefill.kernel @barrier {effect = #sched.effect_class<graph_safe>}
  // CHECK-NEXT: prefill.kernel @fill outs(%{{.*}} : memref<?x8xf32>) {effect = #sched.effect_class<device_metadata>}
  prefill.kernel @fill outs(%y : memref<?x8xf32>) {effect = #sched.effect_class<device_metadata>}
  // CHECK-NEXT: prefill.kernel @warm caches(%{{.*}} : memref<?x8xf32>) {cache_access = [#sched.access<none>], effect = #sched.effect_class<init>}
  prefill.kernel @warm caches(%x : memref<?x8xf32>) {cache_access = [#sched.access<none>], effect = #sched.effect_class<init>}
  // CHECK-NEXT: prefill.kernel @log ins(%{{.*}} : memref<?x8xf32>) {effect
  prefill.kernel @log ins(%x : memref<?x8xf32>) {effect = #sched.effect_class<graph_safe>}
  return
}

// A kernel with a tensor and a buffer as destinations returns the tensor only.
// CHECK-LABEL: func @kernel_mixed
func.func @kernel_mixed(%t: tensor<?x8xf32>, %m: memref<?x8xf32>) -> tensor<?x8xf32> {
  // CHECK: %[[R:.*]] = prefill.kernel @both outs(%{{.*}}, %{{.*}} : tensor<?x8xf32>, memref<?x8xf32>) {{.*}} -> tensor<?x8xf32>
  %0 = prefill.kernel @both outs(%t, %m : tensor<?x8xf32>, memref<?x8xf32>) {effect = #sched.effect_class<graph_safe>} -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// Sum over ranks, on tensors and buffers.
// CHECK-LABEL: func @all_reduce
func.func @all_reduce(%x: tensor<?x8xbf16>, %y: tensor<?x8xbf16>, %a: memref<3x8xf32>, %b: memref<3x8xf32>) -> tensor<?x8xbf16> {
  // CHECK: prefill.all_reduce %{{.*}} over "tp" into %{{.*}} : tensor<?x8xbf16> -> tensor<?x8xbf16>
  %0 = prefill.all_reduce %x over "tp" into %y : tensor<?x8xbf16> -> tensor<?x8xbf16>
  // CHECK: prefill.all_reduce %{{.*}} over "tp" into %{{.*}} : memref<3x8xf32> -> memref<3x8xf32>
  prefill.all_reduce %a over "tp" into %b : memref<3x8xf32> -> memref<3x8xf32>
  return %0 : tensor<?x8xbf16>
}

// Weights laid below each other, fp8 too; dynamic rows are allowed.
// CHECK-LABEL: func @pack
func.func @pack(%a: tensor<24x64xf32>, %b: tensor<32x64xf32>, %y: tensor<56x64xf32>, %c: memref<?x64xf8E4M3FN>, %d: memref<?x64xf8E4M3FN>) -> tensor<56x64xf32> {
  // CHECK: prefill.pack %{{.*}}, %{{.*}} into %{{.*}} : tensor<24x64xf32>, tensor<32x64xf32> -> tensor<56x64xf32>
  %0 = prefill.pack %a, %b into %y : tensor<24x64xf32>, tensor<32x64xf32> -> tensor<56x64xf32>
  // CHECK: prefill.pack %{{.*}} into %{{.*}} : memref<?x64xf8E4M3FN> -> memref<?x64xf8E4M3FN>
  prefill.pack %c into %d : memref<?x64xf8E4M3FN> -> memref<?x64xf8E4M3FN>
  return %0 : tensor<56x64xf32>
}
