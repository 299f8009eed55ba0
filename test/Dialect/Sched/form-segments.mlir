// RUN: braid-opt %s --sched-form-segments --split-input-file | FileCheck %s
// RUN: braid-opt %s --sched-form-segments='capture=false' --split-input-file | FileCheck %s --check-prefix=EAGER
// RUN: braid-opt %s --sched-form-segments --split-input-file --remarks-filter=sched-segment -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Persistent slots: one segment holds everything. The token count and the
// streams come first, then buffers, then work in program order.
// CHECK-LABEL: func @persistent(
// CHECK-SAME: %[[X:[^:]*]]: memref<?x8xf32> {sched.tokens}
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[T:.*]] = memref.dim %[[X]], %[[C0]]
// CHECK-NEXT: sched.schedule(%[[S0:.*]]) tokens(%[[T]]) {
// CHECK-NEXT: %[[B:.*]] = sched.alloc(%[[T]]) : memref<?x8xf32>
// CHECK: sched.segment "persistent.segment0" {
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.rms_norm %[[X]] into %[[B]] {{.*}} -> memref<?x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.cache_insert %[[B]]
// CHECK-NEXT: }
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.rms_norm
// CHECK-NOT: sched.segment
// CHECK-NOT: sched.eager
// CHECK: return

// Without capture, the same work in one eager region.
// EAGER-LABEL: func @persistent(
// EAGER-NOT: sched.segment
// EAGER: sched.eager "persistent.eager0" {
// EAGER: prefill.rms_norm
// EAGER: prefill.cache_insert
// EAGER: prefill.rms_norm
// EAGER-NOT: sched.eager
// EAGER-LABEL: func @transient(

// REMARK-NOT: stays eager
// REMARK: RegionsFormed | Category:sched-segment | Function=persistent | EagerRegions=0, Launches=3, Segments=1
func.func @persistent(%x: memref<?x8xf32> {sched.tokens}, %slots: memref<?xi64> {sched.tokens, prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "slots"}, %cache: memref<?x?x8xf32>, %y: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  %b = memref.alloc(%t) : memref<?x8xf32>
  prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  prefill.cache_insert %b at %slots into %cache : memref<?x8xf32>, memref<?xi64> -> memref<?x?x8xf32>
  prefill.rms_norm %b into %y {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  return
}

// -----

// The same program with transient slots: the op that reads them is a break.
// CHECK-LABEL: func @transient(
// CHECK: sched.segment "transient.segment0" {
// CHECK: prefill.rms_norm
// CHECK: sched.eager "transient.eager0" {
// CHECK: prefill.cache_insert
// CHECK: sched.segment "transient.segment1" {
// CHECK: prefill.rms_norm

// REMARK: EagerOp | Category:sched-segment | Function=transient | Remark="prefill.cache_insert stays eager: it reads 'slots', device metadata whose address may change from call to call"
// REMARK: RegionsFormed | Category:sched-segment | Function=transient | EagerRegions=1, Launches=3, Segments=2
func.func @transient(%x: memref<?x8xf32> {sched.tokens}, %slots: memref<?xi64> {sched.tokens, prefill.metadata = #prefill.metadata<device, transient>, prefill.name = "slots"}, %cache: memref<?x?x8xf32>, %y: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  %b = memref.alloc(%t) : memref<?x8xf32>
  prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  prefill.cache_insert %b at %slots into %cache : memref<?x8xf32>, memref<?xi64> -> memref<?x?x8xf32>
  prefill.rms_norm %b into %y {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  return
}

// -----

// The same program with slots that the host reads.
// CHECK-LABEL: func @host(
// CHECK: sched.segment "host.segment0" {
// CHECK: sched.eager "host.eager0" {
// CHECK: prefill.cache_insert
// CHECK: sched.segment "host.segment1" {

// REMARK: EagerOp | {{.*}} Function=host | Remark="prefill.cache_insert stays eager: the host reads 'slots' while it enqueues the op"
func.func @host(%x: memref<?x8xf32> {sched.tokens}, %slots: memref<?xi64> {sched.tokens, prefill.metadata = #prefill.metadata<host>, prefill.name = "slots"}, %cache: memref<?x?x8xf32>, %y: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  %b = memref.alloc(%t) : memref<?x8xf32>
  prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  prefill.cache_insert %b at %slots into %cache : memref<?x8xf32>, memref<?xi64> -> memref<?x?x8xf32>
  prefill.rms_norm %b into %y {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  return
}

// -----

// The author's eager region is kept, though all of it may be captured; buffers
// made and yielded in it are as good as those outside.
// CHECK-LABEL: func @author(
// CHECK-NOT: prefill.eager
// CHECK: %[[A:.*]] = sched.alloc : memref<4x8xf32>
// CHECK: sched.eager "author.eager0" {
// CHECK: prefill.rms_norm %{{.*}} into %[[A]]
// CHECK: sched.segment "author.segment0" {
// CHECK: prefill.rms_norm %[[A]] into

// REMARK: EagerOp | {{.*}} Function=author | Remark="prefill.rms_norm stays eager: the program places it in an eager region"
func.func @author(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  %0 = prefill.eager -> memref<4x8xf32> {
    %a = memref.alloc() : memref<4x8xf32>
    prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
    prefill.yield %a : memref<4x8xf32>
  }
  prefill.rms_norm %0 into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
  return
}

// -----

// Views and sizes come before all launches, in their order; frees vanish, since
// the workspace owns the buffers.
// CHECK-LABEL: func @views(
// CHECK: sched.schedule(
// CHECK-NEXT: %[[A:.*]] = sched.alloc(%{{.*}}) : memref<?x8xf32>
// CHECK: %[[V:.*]] = memref.subview %[[A]]
// CHECK-NEXT: %[[E:.*]] = memref.expand_shape %[[V]]
// CHECK-NEXT: sched.segment "views.segment0" {
// CHECK: prefill.rms_norm %{{.*}} into %[[A]]
// CHECK: prefill.rms_norm %[[E]] into
// CHECK-NOT: memref.dealloc
func.func @views(%x: memref<?x8xf32> {sched.tokens}, %y: memref<?x2x2xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  %a = memref.alloc(%t) : memref<?x8xf32>
  prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  %v = memref.subview %a[0, 4] [%t, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: 4>>
  %e = memref.expand_shape %v [[0], [1, 2]] output_shape [%t, 2, 2] : memref<?x4xf32, strided<[8, 1], offset: 4>> into memref<?x2x2xf32, strided<[8, 2, 1], offset: 4>>
  prefill.rms_norm %e into %y {eps = 0.0 : f64} : memref<?x2x2xf32, strided<[8, 2, 1], offset: 4>> -> memref<?x2x2xf32>
  memref.dealloc %a : memref<?x8xf32>
  return
}

// -----

// All token extents are one: a buffer may be sized by any of them.
// CHECK-LABEL: func @one_count(
// CHECK-SAME: %[[X:[^:]*]]: memref<?x8xf32>
// CHECK: %[[T:.*]] = memref.dim %[[X]]
// CHECK-NOT: memref.dim
// CHECK: sched.alloc(%[[T]]) : memref<?x8xf32>
func.func @one_count(%x: memref<?x8xf32> {sched.tokens}, %y: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %y, %c0 : memref<?x8xf32>
  %a = memref.alloc(%t) : memref<?x8xf32>
  prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  prefill.rms_norm %a into %y {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  return
}

// -----

// Calls stay calls, outside of segments, and separate them.
// CHECK-LABEL: func @callee(
// CHECK: sched.schedule
func.func @callee(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
  return
}
// CHECK-LABEL: func @caller(
// CHECK: sched.schedule(
// CHECK-NEXT: %[[B:.*]] = sched.alloc
// CHECK-NEXT: sched.segment "caller.segment0" {
// CHECK-NEXT: sched.launch
// CHECK-NEXT: prefill.rms_norm {{.*}} -> memref<4x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.call @callee(%{{.*}}, %[[B]])
// CHECK-NEXT: sched.segment "caller.segment1" {
// CHECK-NEXT: sched.launch
// CHECK-NEXT: prefill.rms_norm {{.*}} -> memref<4x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.call @callee
func.func @caller(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  %b = memref.alloc() : memref<4x8xf32>
  prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
  func.call @callee(%y, %b) : (memref<4x8xf32>, memref<4x8xf32>) -> ()
  prefill.rms_norm %b into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
  func.call @callee(%y, %y) : (memref<4x8xf32>, memref<4x8xf32>) -> ()
  return
}

// -----

// A function of static shapes has no token count.
// CHECK-LABEL: func @static(
// CHECK-NEXT: sched.schedule(%{{[^)]*}}) {
func.func @static(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
  return
}

// -----

// Copies that bufferization made are launches as well.
// CHECK-LABEL: func @copy(
// CHECK: sched.launch
// CHECK-NEXT: memref.copy
func.func @copy(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  memref.copy %x, %y : memref<4x8xf32> to memref<4x8xf32>
  return
}

// -----

// A function that is scheduled already is left alone.
// CHECK-LABEL: func @scheduled(
// CHECK-NEXT: sched.schedule(%[[S0:.*]], %{{.*}}) {
// CHECK-NEXT: sched.eager {
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.rms_norm
func.func @scheduled(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  sched.schedule(%s0, %s1) {
    sched.eager {
      sched.launch on %s0 {
        prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
    }
  }
  return
}

// -----

// So are functions without work, and declarations.
// CHECK-LABEL: func @nothing(
// CHECK-NEXT: return
func.func @nothing(%x: memref<4x8xf32>) {
  return
}
// CHECK: func private @declared(memref<4x8xf32>)
func.func private @declared(memref<4x8xf32>)

// -----

// A call in an eager region stays a call, and goes to a copy of the callee that
// forms no segments; a call outside keeps the callee as it is. Callees of the
// callee likewise.
// CHECK-LABEL: func.func private @leaf(
// CHECK: sched.segment "leaf.segment0"
// CHECK-LABEL: func.func private @leaf.eager(
// CHECK-NOT: sched.segment
// CHECK: sched.eager "leaf.eager.eager0"
// CHECK-LABEL: func.func @callee(
// CHECK: call @leaf(
// CHECK-LABEL: func.func private @callee.eager(
// CHECK: call @leaf.eager(
// CHECK-LABEL: func.func @eagerCall(
// CHECK: sched.schedule
// CHECK-NEXT: sched.segment
// CHECK: call @callee(%arg0
// CHECK-NEXT: sched.eager
// CHECK: call @callee.eager(%arg0
// CHECK-NEXT: }
// REMARK: EagerOp{{.*}}Function=leaf.eager{{.*}}prefill.rms_norm stays eager: its function is called inside an eager region
func.func private @leaf(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
  return
}
func.func @callee(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  func.call @leaf(%x, %y) : (memref<4x8xf32>, memref<4x8xf32>) -> ()
  return
}
func.func @eagerCall(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  prefill.rms_norm %x into %x {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
  func.call @callee(%x, %y) : (memref<4x8xf32>, memref<4x8xf32>) -> ()
  prefill.eager {
    prefill.rms_norm %x into %x {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
    func.call @callee(%x, %y) : (memref<4x8xf32>, memref<4x8xf32>) -> ()
  }
  return
}
