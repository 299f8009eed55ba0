// RUN: braid-opt %s --braid-bufferize --split-input-file | FileCheck %s

// A destination that is an argument is written in place, the result is gone.
// CHECK-LABEL: func @in_place(
// CHECK-SAME: %[[X:[^:]*]]: memref<?x8xf32>{{.*}}, %[[W:[^:]*]]: memref<4x8xf32>, %[[Y:[^:]*]]: memref<?x4xf32>{{[^>]*}}) {
func.func @in_place(%x: tensor<?x8xf32> {sched.tokens}, %w: tensor<4x8xf32>, %y: tensor<?x4xf32> {sched.tokens, bufferization.writable = true}) -> tensor<?x4xf32> {
  // CHECK-NEXT: prefill.linear %[[X]] by %[[W]] into %[[Y]] :
  // CHECK-NEXT: return
  %0 = prefill.linear %x by %w into %y : tensor<?x8xf32>, tensor<4x8xf32> -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// An argument that must not be written gets a buffer in its place, and the
// function keeps its result.
// CHECK-LABEL: func @not_writable(
func.func @not_writable(%x: tensor<4x8xf32>, %y: tensor<4x8xf32> {bufferization.writable = false}) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = memref.alloc
  // CHECK-NEXT: prefill.rms_norm %{{.*}} into %[[A]]
  // CHECK-NEXT: return %[[A]]
  %0 = prefill.rms_norm %x into %y {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Two destinations of equal shape are two buffers, through CSE: one buffer
// would order ops that nothing else orders.
// CHECK-LABEL: func @two_buffers(
func.func @two_buffers(%x: tensor<?x8xf32> {sched.tokens}, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>, %y: tensor<?x8xf32> {sched.tokens, bufferization.writable = true}, %z: tensor<?x8xf32> {sched.tokens, bufferization.writable = true}) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x8xf32>
  // CHECK: %[[A:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x8xf32>
  // CHECK-NEXT: prefill.linear %{{.*}} into %[[A]] :
  // CHECK-NEXT: %[[B:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x8xf32>
  // CHECK-NEXT: prefill.linear %{{.*}} into %[[B]] :
  %e0 = tensor.empty(%t) : tensor<?x8xf32>
  %a = prefill.linear %x by %w into %e0 : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  %e1 = tensor.empty(%t) : tensor<?x8xf32>
  %b = prefill.linear %x by %v into %e1 : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  // CHECK: prefill.rms_norm %[[A]]
  // CHECK: prefill.rms_norm %[[B]]
  // CHECK-NOT: memref.copy
  %c = prefill.rms_norm %a into %y {eps = 0.0 : f64} : tensor<?x8xf32> -> tensor<?x8xf32>
  %d = prefill.rms_norm %b into %z {eps = 0.0 : f64} : tensor<?x8xf32> -> tensor<?x8xf32>
  return %c, %d : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// One written `tensor.empty` for two destinations still gives two buffers.
// CHECK-LABEL: func @shared_empty(
func.func @shared_empty(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>, %y: tensor<4x8xf32> {bufferization.writable = true}) -> tensor<4x8xf32> {
  // CHECK: %[[A:.*]] = memref.alloc()
  // CHECK: %[[B:.*]] = memref.alloc()
  // CHECK-NOT: memref.copy
  // CHECK: prefill.kernel @add ins(%{{.*}}, %{{.*}} :
  %e = tensor.empty() : tensor<4x8xf32>
  %a = prefill.linear %x by %w into %e : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %b = prefill.linear %x by %v into %e : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %c = prefill.kernel @add ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) {effect = #sched.effect_class<graph_safe>} -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

// A destination whose old contents are read afterwards needs a buffer of its
// own. They are not copied into it: the op overwrites all of it.
// CHECK-LABEL: func @still_read(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x8xf32>, %[[Z:[^:]*]]: memref<4x8xf32>
func.func @still_read(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>, %y: tensor<4x8xf32> {bufferization.writable = true}) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = memref.alloc()
  // CHECK-NEXT: prefill.rms_norm %[[X]] into %[[A]]
  // CHECK-NEXT: %[[B:.*]] = memref.alloc()
  // CHECK-NEXT: prefill.rms_norm %[[Z]] into %[[B]]
  // CHECK-NEXT: prefill.kernel @add ins(%[[A]], %[[B]] :
  %e = tensor.empty() : tensor<4x8xf32>
  %a = prefill.rms_norm %x into %e {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
  %b = prefill.rms_norm %z into %a {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
  %c = prefill.kernel @add ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) {effect = #sched.effect_class<graph_safe>} -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

// The negative twin: old contents that nobody reads again are overwritten.
// CHECK-LABEL: func @not_read_again(
func.func @not_read_again(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>, %s: tensor<4xi64>, %m: memref<1x4x8xf32>, %y: tensor<4x8xf32> {bufferization.writable = true}) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = memref.alloc()
  // CHECK-NEXT: prefill.rms_norm %{{.*}} into %[[A]]
  // CHECK-NEXT: prefill.cache_insert
  // CHECK-NEXT: prefill.rms_norm %{{.*}} into %[[A]]
  %e = tensor.empty() : tensor<4x8xf32>
  %a = prefill.rms_norm %x into %e {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
  prefill.cache_insert %a at %s into %m : tensor<4x8xf32>, tensor<4xi64> -> memref<1x4x8xf32>
  %b = prefill.rms_norm %z into %a {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
  %c = prefill.rms_norm %b into %y {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

// An op may read other rows than it writes, so x and y are never one buffer.
// CHECK-LABEL: func @same_tensor(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x8xf32>
func.func @same_tensor(%x: tensor<4x8xf32> {bufferization.writable = true}) -> tensor<4x8xf32> {
  // CHECK: %[[A:.*]] = memref.alloc()
  // CHECK: prefill.rms_norm %[[X]] into %[[A]]
  %a = prefill.rms_norm %x into %x {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
  return %a : tensor<4x8xf32>
}

// -----

// Where only a part is overwritten, the rest has to be kept: the one case of a
// copy, since the whole is still read afterwards.
// CHECK-LABEL: func @copy(
func.func @copy(%x: tensor<4x16xf32>, %z: tensor<4x8xf32>, %y: tensor<4x16xf32> {bufferization.writable = true}) -> tensor<4x16xf32> {
  // CHECK: prefill.rms_norm %{{.*}} into %[[A:.*]] {
  // CHECK: memref.copy %[[A]], %[[B:[^ ]*]]
  // CHECK: prefill.kernel @add ins(%[[A]], %[[B]] :
  %e = tensor.empty() : tensor<4x16xf32>
  %a = prefill.rms_norm %x into %e {eps = 0.0 : f64} : tensor<4x16xf32> -> tensor<4x16xf32>
  %b = tensor.insert_slice %z into %a[0, 8] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x16xf32>
  %c = prefill.kernel @add ins(%a, %b : tensor<4x16xf32>, tensor<4x16xf32>) outs(%y : tensor<4x16xf32>) {effect = #sched.effect_class<graph_safe>} -> tensor<4x16xf32>
  return %c : tensor<4x16xf32>
}

// -----

// A part of a tensor that is only read is a view.
// CHECK-LABEL: func @slice(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x16xf32>
func.func @slice(%x: tensor<4x16xf32>, %y: tensor<4x8xf32> {bufferization.writable = true}) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[V:.*]] = memref.subview %[[X]][0, 8] [4, 8] [1, 1]
  // CHECK-NEXT: prefill.rms_norm %[[V]] into
  // CHECK-NEXT: return
  %s = tensor.extract_slice %x[0, 8] [4, 8] [1, 1] : tensor<4x16xf32> to tensor<4x8xf32>
  %a = prefill.rms_norm %s into %y {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
  return %a : tensor<4x8xf32>
}

// -----

// All dense ops on buffers, results replaced by their destinations.
// CHECK-LABEL: func @dense(
func.func @dense(%x: tensor<?x256xf32> {sched.tokens}, %g: tensor<512x128xf8E4M3FN>, %sg: tensor<4x1xf32>, %p: tensor<?xi64> {sched.tokens}, %t: tensor<?x8xf32>, %y: tensor<?x2x256xbf16> {sched.tokens, bufferization.writable = true}) -> tensor<?x2x256xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x256xf32>
  // CHECK-DAG: %[[E:.*]] = memref.alloc({{.*}} : memref<?x256xf32>
  // CHECK-DAG: %[[V:.*]] = memref.alloc({{.*}} : memref<?x256xf8E4M3FN>
  // CHECK-DAG: %[[S:.*]] = memref.alloc({{.*}} : memref<?x2xf32>
  // CHECK-DAG: prefill.rope %{{.*}} into %[[E]] {inverse = true} : memref<?x256xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x256xf32>
  %e = tensor.empty(%n) : tensor<?x256xf32>
  %r = prefill.rope %x at %p with %t into %e {inverse = true} : tensor<?x256xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x256xf32>
  // CHECK: prefill.quantize %[[E]] into %[[V]], %[[S]] {block = 128 : i64}
  %v = tensor.empty(%n) : tensor<?x256xf8E4M3FN>
  %s = tensor.empty(%n) : tensor<?x2xf32>
  %q:2 = prefill.quantize %r into %v, %s {block = 128 : i64} : tensor<?x256xf32> -> tensor<?x256xf8E4M3FN>, tensor<?x2xf32>
  // CHECK: %[[V3:.*]] = memref.expand_shape %[[V]]
  // CHECK: %[[S3:.*]] = memref.expand_shape %[[S]]
  // CHECK: prefill.grouped_linear %[[V3]] by %{{.*}} scaled(%[[S3]], %{{.*}} : memref<?x2x1xf32>, memref<4x1xf32>) into %{{.*}} : memref<?x2x128xf8E4M3FN>, memref<512x128xf8E4M3FN> -> memref<?x2x256xbf16>
  %v3 = tensor.expand_shape %q#0 [[0], [1, 2]] output_shape [%n, 2, 128] : tensor<?x256xf8E4M3FN> into tensor<?x2x128xf8E4M3FN>
  %s3 = tensor.expand_shape %q#1 [[0], [1, 2]] output_shape [%n, 2, 1] : tensor<?x2xf32> into tensor<?x2x1xf32>
  %o = prefill.grouped_linear %v3 by %g scaled(%s3, %sg : tensor<?x2x1xf32>, tensor<4x1xf32>) into %y : tensor<?x2x128xf8E4M3FN>, tensor<512x128xf8E4M3FN> -> tensor<?x2x256xbf16>
  return %o : tensor<?x2x256xbf16>
}

// -----

// Caches stay the caller's memrefs: no copy, no cast, no buffer.
// CHECK-LABEL: func @caches(
// CHECK-SAME: %[[STATE:[^:]*]]: memref<?x?x64xf32>, %[[CACHE:[^:]*]]: memref<?x?x32xf32>
func.func @caches(%state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>, %kv: tensor<?x64xf32>, %bias: tensor<8x32xf32>, %w: tensor<32xf32>, %p: tensor<?xi64>, %t: tensor<?x8xf32>, %ss: tensor<?xi64>, %st: tensor<?x?xi32>, %r: tensor<?xi32>, %slots: tensor<?xi64>, %rows: tensor<?x32xf32>) {
  // CHECK-NEXT: prefill.cache_insert %{{.*}} at %{{.*}} into %[[CACHE]] : memref<?x32xf32>, memref<?xi64> -> memref<?x?x32xf32>
  // CHECK-NEXT: prefill.compress {{.*}} state(%[[STATE]] at {{.*}}) into %[[CACHE]] at
  // CHECK-NEXT: prefill.cache_insert
  // CHECK-NEXT: return
  prefill.cache_insert %rows at %slots into %cache : tensor<?x32xf32>, tensor<?xi64> -> memref<?x?x32xf32>
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : tensor<?x64xf32>, tensor<8x32xf32>, tensor<32xf32>, tensor<?xi64>, tensor<?x8xf32>, memref<?x?x64xf32>, tensor<?xi64>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi64> -> memref<?x?x32xf32>
  prefill.cache_insert %rows at %slots into %cache : tensor<?x32xf32>, tensor<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Sparse attention: tensors become buffers, caches and the rest stay.
// CHECK-LABEL: func @sparse(
func.func @sparse(%q: tensor<4x4x32xf32>, %w: tensor<4x4xf32>, %p: tensor<4xi64>, %t: tensor<?x8xf32>, %c: memref<?x?x32xf32>, %bt: tensor<?x?xi32>, %sink: tensor<4xf32>, %qo: tensor<?xi32>, %sl: tensor<?xi32>, %y: tensor<4x4x32xf32> {bufferization.writable = true}) -> tensor<4x4x32xf32> {
  // CHECK: prefill.index_query %{{.*}} into %[[Q:[^ ,]*]], %[[W:[^ ,]*]] {
  // CHECK: prefill.index_select %[[Q]] weighted %[[W]] {{.*}} into %[[S:[^ ]*]] {
  // CHECK: prefill.attend {{.*}} selected(%[[S]] : memref<4x3xi32>) {{.*}} into %{{.*}} {
  // CHECK-NEXT: return
  %eq = tensor.empty() : tensor<4x4x32xf32>
  %ew = tensor.empty() : tensor<4x4xf32>
  %i:2 = prefill.index_query %q weighted %w at %p with %t into %eq, %ew {scale = 0.125 : f64} : tensor<4x4x32xf32>, tensor<4x4xf32>, tensor<4xi64>, tensor<?x8xf32> -> tensor<4x4x32xf32>, tensor<4x4xf32>
  %es = tensor.empty() : tensor<4x3xi32>
  %s = prefill.index_select %i#0 weighted %i#1 from %c through %bt requests(%qo, %sl) into %es {ratio = 4 : i64} : tensor<4x4x32xf32>, tensor<4x4xf32>, memref<?x?x32xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<4x3xi32>
  %o = prefill.attend %q sink %sink window(%c through %bt) compressed(%c through %bt : memref<?x?x32xf32>, tensor<?x?xi32>) selected(%s : tensor<4x3xi32>) requests(%qo, %sl) into %y {ratio = 4 : i64, scale = 0.5 : f64, window = 8 : i64} : tensor<4x4x32xf32>, tensor<4xf32>, memref<?x?x32xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<4x4x32xf32>
  return %o : tensor<4x4x32xf32>
}

// -----

// A kernel keeps its operand groups, caches and attributes; all_reduce and
// pack are destination-style like the rest.
// CHECK-LABEL: func @kernels(
func.func @kernels(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %c: memref<2x8xf32>, %y: tensor<4x8xf32> {bufferization.writable = true}) -> tensor<4x8xf32> {
  // CHECK: prefill.pack %{{.*}}, %{{.*}} into %{{.*}} : memref<8x8xf32>, memref<8x8xf32> -> memref<16x8xf32>
  %ep = tensor.empty() : tensor<16x8xf32>
  %p = prefill.pack %w, %w into %ep : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<16x8xf32>
  // CHECK: prefill.kernel @k ins(%{{.*}}, %{{.*}} : memref<4x8xf32>, memref<16x8xf32>) caches(%{{.*}} : memref<2x8xf32>) outs(%[[K:.*]] : memref<4x8xf32>) {cache_access = [#sched.access<read_write>], effect = #sched.effect_class<graph_safe>, splits = 2 : i64}
  %ek = tensor.empty() : tensor<4x8xf32>
  %k = prefill.kernel @k ins(%x, %p : tensor<4x8xf32>, tensor<16x8xf32>) caches(%c : memref<2x8xf32>) outs(%ek : tensor<4x8xf32>) {cache_access = [#sched.access<read_write>], effect = #sched.effect_class<graph_safe>, splits = 2 : i64} -> tensor<4x8xf32>
  // CHECK: prefill.all_reduce %[[K]] over "tp" into %{{.*}} : memref<4x8xf32> -> memref<4x8xf32>
  %r = prefill.all_reduce %k over "tp" into %y : tensor<4x8xf32> -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// The buffer that an eager region yields from outside is used directly, and
// the region loses its result.
// CHECK-LABEL: func @eager_outside(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x8xf32>, %[[Y:[^:]*]]: memref<4x8xf32>
func.func @eager_outside(%x: tensor<4x8xf32>, %y: tensor<4x8xf32> {bufferization.writable = true}) -> tensor<4x8xf32> {
  // CHECK: %[[A:.*]] = memref.alloc()
  // CHECK-NEXT: prefill.eager attributes {note = 1 : i64} {
  // CHECK-NEXT: prefill.rms_norm %[[X]] into %[[A]] {{.*}} -> memref<4x8xf32>
  // CHECK-NEXT: }
  // CHECK-NEXT: prefill.rms_norm %[[A]] into %[[Y]]
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = prefill.eager -> tensor<4x8xf32> attributes {note = 1 : i64} {
    %1 = prefill.rms_norm %x into %e {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
    prefill.yield %1 : tensor<4x8xf32>
  }
  %2 = prefill.rms_norm %0 into %y {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// A buffer made inside the region stays its result.
// CHECK-LABEL: func @eager_inside(
func.func @eager_inside(%x: tensor<4x8xf32>, %y: tensor<4x8xf32> {bufferization.writable = true}) -> tensor<4x8xf32> {
  // CHECK: %[[R:.*]] = prefill.eager -> memref<4x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = memref.alloc()
  // CHECK-NEXT: prefill.rms_norm %{{.*}} into %[[A]]
  // CHECK-NEXT: prefill.yield %[[A]] : memref<4x8xf32>
  // CHECK: prefill.rms_norm %[[R]] into
  %0 = prefill.eager -> tensor<4x8xf32> {
    %e = tensor.empty() : tensor<4x8xf32>
    %1 = prefill.rms_norm %x into %e {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
    prefill.yield %1 : tensor<4x8xf32>
  }
  %2 = prefill.rms_norm %0 into %y {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// Calls pass buffers; neither the callee's nor the caller's result is left.
// CHECK-LABEL: func @callee(
// CHECK-SAME: memref<4x8xf32>{{[^>]*}}) {
func.func @callee(%x: tensor<4x8xf32>, %y: tensor<4x8xf32> {bufferization.writable = true}) -> tensor<4x8xf32> {
  %a = prefill.rms_norm %x into %y {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
  return %a : tensor<4x8xf32>
}
// CHECK-LABEL: func @caller(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x8xf32>, %[[Y:[^:]*]]: memref<4x8xf32>
func.func @caller(%x: tensor<4x8xf32>, %y: tensor<4x8xf32> {bufferization.writable = true}) -> tensor<4x8xf32> {
  // CHECK: %[[A:.*]] = memref.alloc()
  // CHECK: call @callee(%[[X]], %[[A]]) : (memref<4x8xf32>, memref<4x8xf32>) -> ()
  // CHECK: call @callee(%[[A]], %[[Y]]) : (memref<4x8xf32>, memref<4x8xf32>) -> ()
  // CHECK-NEXT: return
  %e = tensor.empty() : tensor<4x8xf32>
  %a = func.call @callee(%x, %e) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = func.call @callee(%a, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %b : tensor<4x8xf32>
}
