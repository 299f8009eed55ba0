// RUN: braid-opt %s --canonicalize --cse --remove-dead-values --canonicalize --split-input-file | FileCheck %s

// Ops that write caches survive canonicalization, CSE and dead code
// elimination, equal neighbours included.
// CHECK-LABEL: func @caches(
func.func @caches(%rows: tensor<?x32xf32>, %slots: tensor<?xi64>, %cache: memref<?x?x32xf32>) {
  // CHECK-NEXT: prefill.cache_insert
  // CHECK-NEXT: prefill.cache_insert
  // CHECK-NEXT: return
  prefill.cache_insert %rows at %slots into %cache : tensor<?x32xf32>, tensor<?xi64> -> memref<?x?x32xf32>
  prefill.cache_insert %rows at %slots into %cache : tensor<?x32xf32>, tensor<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// So does the compressor.
// CHECK-LABEL: func @compress(
func.func @compress(%kv: tensor<?x64xf32>, %bias: tensor<8x32xf32>, %w: tensor<32xf32>, %p: tensor<?xi64>, %t: tensor<?x8xf32>, %ss: tensor<?xi64>, %st: tensor<?x?xi32>, %r: tensor<?xi32>, %slots: tensor<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // CHECK-NEXT: prefill.compress
  // CHECK-NEXT: return
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : tensor<?x64xf32>, tensor<8x32xf32>, tensor<32xf32>, tensor<?xi64>, tensor<?x8xf32>, memref<?x?x64xf32>, tensor<?xi64>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Every rank has to take part in a reduction: none is erased or merged, though
// nobody uses the results.
// CHECK-LABEL: func @all_reduce(
func.func @all_reduce(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  // CHECK-NEXT: prefill.all_reduce
  // CHECK-NEXT: prefill.all_reduce
  // CHECK-NEXT: return
  %0 = prefill.all_reduce %x over "tp" into %y : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = prefill.all_reduce %x over "tp" into %y : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// On buffers nothing is erased: destinations are the caller's.
// CHECK-LABEL: func @buffers(
func.func @buffers(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // CHECK-NEXT: prefill.rms_norm
  // CHECK-NEXT: prefill.rms_norm
  // CHECK-NEXT: prefill.kernel @k
  // CHECK-NEXT: prefill.kernel @log
  // CHECK-NEXT: return
  prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
  prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
  prefill.kernel @k outs(%y : memref<4x8xf32>) {effect = #sched.effect_class<graph_safe>}
  prefill.kernel @log ins(%y : memref<4x8xf32>) {effect = #sched.effect_class<graph_safe>}
  return
}

// -----

// The negative twin: a chain of tensor ops that nobody uses goes as a whole,
// and equal ops become one.
// CHECK-LABEL: func @tensors(
func.func @tensors(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %y: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK-NEXT: %[[A:.*]] = prefill.linear
  // CHECK-NEXT: return %[[A]], %[[A]]
  %0 = prefill.linear %x by %w into %y : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %1 = prefill.linear %x by %w into %y : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %2 = prefill.rms_norm %1 into %z {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = prefill.kernel @k ins(%2 : tensor<4x8xf32>) outs(%z : tensor<4x8xf32>) {effect = #sched.effect_class<graph_safe>} -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Reads of a cache around a write are two reads, and the unused one goes.
// CHECK-LABEL: func @read_write_read(
func.func @read_write_read(%q: tensor<4x4x32xf32>, %w: tensor<4x4xf32>, %bt: tensor<?x?xi32>, %qo: tensor<?xi32>, %sl: tensor<?xi32>, %s: tensor<4x3xi32>, %rows: tensor<4x32xf32>, %slots: tensor<4xi64>, %c: memref<?x?x32xf32>) -> (tensor<4x3xi32>, tensor<4x3xi32>) {
  // CHECK-NEXT: %[[A:.*]] = prefill.index_select
  // CHECK-NEXT: prefill.cache_insert
  // CHECK-NEXT: %[[B:.*]] = prefill.index_select
  // CHECK-NEXT: return %[[A]], %[[B]]
  %0 = prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : tensor<4x4x32xf32>, tensor<4x4xf32>, memref<?x?x32xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<4x3xi32>
  prefill.cache_insert %rows at %slots into %c : tensor<4x32xf32>, tensor<4xi64> -> memref<?x?x32xf32>
  %1 = prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : tensor<4x4x32xf32>, tensor<4x4xf32>, memref<?x?x32xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<4x3xi32>
  %2 = prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 8 : i64} : tensor<4x4x32xf32>, tensor<4x4xf32>, memref<?x?x32xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<4x3xi32>
  return %0, %1 : tensor<4x3xi32>, tensor<4x3xi32>
}
