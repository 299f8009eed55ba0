// RUN: braid-test-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(test-print-effects))' --verify-diagnostics -o /dev/null

// On tensors dense ops have no effect.
func.func @tensors(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-remark @below {{effects: none.}}
  %0 = prefill.linear %x by %w into %y : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  // expected-remark @below {{effects: none.}}
  %1 = prefill.rms_norm %0 into %y {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
  // expected-remark @below {{effects: none.}}
  return %1 : tensor<4x8xf32>
}

// -----

// On buffers they read their inputs and write their destinations.
func.func @dense(%x: memref<4x8xf32>, %g: memref<4x1x8xf32>, %w: memref<8x8xf32>, %n: memref<8xf32>, %v: memref<4x8xf8E4M3FN>, %u: memref<8x8xf8E4M3FN>, %s: memref<4x1xf32>, %one: memref<1xf32>, %p: memref<4xi64>, %t: memref<?x8xf32>, %y: memref<4x8xf32>) {
  // expected-remark @below {{effects: read operand 0, read operand 1, write operand 2.}}
  prefill.linear %x by %w into %y : memref<4x8xf32>, memref<8x8xf32> -> memref<4x8xf32>
  // expected-remark @below {{effects: read operand 0, read operand 1, read operand 2, read operand 3, write operand 4.}}
  prefill.linear %v by %u scaled(%s, %one : memref<4x1xf32>, memref<1xf32>) into %y : memref<4x8xf8E4M3FN>, memref<8x8xf8E4M3FN> -> memref<4x8xf32>
  // expected-remark @below {{effects: read operand 0, read operand 1, write operand 2.}}
  prefill.grouped_linear %g by %w into %g : memref<4x1x8xf32>, memref<8x8xf32> -> memref<4x1x8xf32>
  // expected-remark @below {{effects: read operand 0, write operand 1, write operand 2.}}
  prefill.quantize %x into %v, %s {block = 128 : i64} : memref<4x8xf32> -> memref<4x8xf8E4M3FN>, memref<4x1xf32>
  // expected-remark @below {{effects: read operand 0, read operand 1, write operand 2.}}
  prefill.rms_norm %x by %n into %y {eps = 0.0 : f64} : memref<4x8xf32>, memref<8xf32> -> memref<4x8xf32>
  // expected-remark @below {{effects: read operand 0, write operand 1.}}
  prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
  // expected-remark @below {{effects: read operand 0, read operand 1, read operand 2, write operand 3.}}
  prefill.rope %x at %p with %t into %y : memref<4x8xf32>, memref<4xi64>, memref<?x8xf32> -> memref<4x8xf32>
  // expected-remark @below {{effects: read operand 0, read operand 1, write operand 2.}}
  prefill.pack %x, %x into %w : memref<4x8xf32>, memref<4x8xf32> -> memref<8x8xf32>
  // expected-remark @below {{effects: none.}}
  return
}

// -----

// Cache ops write their caches on tensors too; the compressor reads its state.
func.func @caches(%rows: tensor<?x32xf32>, %kv: tensor<?x64xf32>, %bias: tensor<8x32xf32>, %w: tensor<32xf32>, %p: tensor<?xi64>, %t: tensor<?x8xf32>, %st: tensor<?x?xi32>, %r: tensor<?xi32>, %s: tensor<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-remark @below {{effects: write operand 2.}}
  prefill.cache_insert %rows at %s into %cache : tensor<?x32xf32>, tensor<?xi64> -> memref<?x?x32xf32>
  // expected-remark @below {{effects: read operand 9, write operand 9, write operand 10.}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %s through %st of %r) into %cache at %s {eps = 1.0e-6 : f64, ratio = 8 : i64} : tensor<?x64xf32>, tensor<8x32xf32>, tensor<32xf32>, tensor<?xi64>, tensor<?x8xf32>, memref<?x?x64xf32>, tensor<?xi64>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi64> -> memref<?x?x32xf32>
  // expected-remark @below {{effects: none.}}
  return
}

// -----

// On buffers they read everything else.
func.func @cache_buffers(%rows: memref<?x32xf32>, %kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %st: memref<?x?xi32>, %r: memref<?xi32>, %s: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-remark @below {{effects: read operand 0, read operand 1, write operand 2.}}
  prefill.cache_insert %rows at %s into %cache : memref<?x32xf32>, memref<?xi64> -> memref<?x?x32xf32>
  // expected-remark @below {{effects: read operand 0, read operand 1, read operand 2, read operand 3, read operand 4, read operand 5, read operand 6, read operand 7, read operand 8, read operand 9, write operand 9, write operand 10.}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %s through %st of %r) into %cache at %s {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  // expected-remark @below {{effects: none.}}
  return
}

// -----

// Sparse attention reads the caches, on tensors too.
func.func @sparse(%q: tensor<?x4x32xf32>, %w: tensor<?x4xf32>, %p: tensor<?xi64>, %t: tensor<?x8xf32>, %c: memref<?x?x32xf32>, %d: memref<?x?x32xf32>, %bt: tensor<?x?xi32>, %sink: tensor<4xf32>, %qo: tensor<?xi32>, %sl: tensor<?xi32>, %s: tensor<?x3xi32>, %y: tensor<?x4x32xf32>) {
  // expected-remark @below {{effects: none.}}
  %i:2 = prefill.index_query %q weighted %w at %p with %t into %q, %w {scale = 0.125 : f64} : tensor<?x4x32xf32>, tensor<?x4xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x4x32xf32>, tensor<?x4xf32>
  // expected-remark @below {{effects: read operand 2.}}
  %0 = prefill.index_select %q weighted %w from %d through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : tensor<?x4x32xf32>, tensor<?x4xf32>, memref<?x?x32xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x3xi32>
  // expected-remark @below {{effects: read operand 2, read operand 4.}}
  %1 = prefill.attend %q sink %sink window(%c through %bt) compressed(%d through %bt : memref<?x?x32xf32>, tensor<?x?xi32>) selected(%0 : tensor<?x3xi32>) requests(%qo, %sl) into %y {ratio = 4 : i64, scale = 0.5 : f64, window = 8 : i64} : tensor<?x4x32xf32>, tensor<4xf32>, memref<?x?x32xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x4x32xf32>
  // expected-remark @below {{effects: none.}}
  return
}

// -----

// A kernel touches caches as it declares; `none` is no effect.
func.func @kernel(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>, %d: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-remark @below {{effects: read operand 0, read operand 1, write operand 2, read operand 3, write operand 3, write operand 5.}}
  prefill.kernel @k ins(%x : memref<4x8xf32>) caches(%a, %b, %c, %d : memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>) outs(%y : memref<4x8xf32>) {cache_access = [#sched.access<read>, #sched.access<write>, #sched.access<read_write>, #sched.access<none>], effect = #sched.effect_class<graph_safe>}
  // expected-remark @below {{effects: none.}}
  return
}

// -----

// A kernel that writes no operand is called for an effect that nobody knows.
func.func @kernel_unknown(%x: memref<4x8xf32>, %t: tensor<4x8xf32>) {
  // expected-remark @below {{effects: write <Default>.}}
  prefill.kernel @tick {effect = #sched.effect_class<graph_safe>}
  // expected-remark @below {{effects: read operand 0, write <Default>.}}
  prefill.kernel @log ins(%x : memref<4x8xf32>) {effect = #sched.effect_class<graph_safe>}
  // expected-remark @below {{effects: write <Default>.}}
  prefill.kernel @log ins(%t : tensor<4x8xf32>) {effect = #sched.effect_class<graph_safe>}
  // expected-remark @below {{effects: none.}}
  %0 = prefill.kernel @k outs(%t : tensor<4x8xf32>) {effect = #sched.effect_class<graph_safe>} -> tensor<4x8xf32>
  // expected-remark @below {{effects: none.}}
  return
}

// -----

// all_reduce writes to its communicator, on tensors too. That is a resource of
// its own: it does not order loads and stores.
func.func @all_reduce(%x: tensor<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>) -> tensor<4x8xf32> {
  // expected-remark @below {{effects: write <Communicator>.}}
  %0 = prefill.all_reduce %x over "tp" into %x : tensor<4x8xf32> -> tensor<4x8xf32>
  // expected-remark @below {{effects: read operand 0, write operand 1, write <Communicator>.}}
  prefill.all_reduce %a over "tp" into %b : memref<4x8xf32> -> memref<4x8xf32>
  // expected-remark @below {{effects: none.}}
  return %0 : tensor<4x8xf32>
}

// -----

// An eager region has the effects of its ops.
func.func @eager(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-remark @below {{effects: those of its regions.}}
  prefill.eager {
    // expected-remark @below {{effects: read operand 0, write operand 1.}}
    prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
    // expected-remark @below {{effects: none.}}
    prefill.yield
  }
  // expected-remark @below {{effects: none.}}
  return
}
