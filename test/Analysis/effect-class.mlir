// RUN: braid-test-opt %s --split-input-file --test-print-effect-class -o /dev/null | FileCheck %s

// What arguments declare; an ordinary one is graph-safe and is not printed. A view
// is what its source is: one buffer has one address under all its names.
// CHECK-LABEL: @views
// CHECK-NEXT: argument 1: device metadata, persistent, from 'slots'
// CHECK-NEXT: argument 2: device metadata, transient, from 'table'
// CHECK-NEXT: argument 3: host metadata, from 'lengths'
// CHECK-NEXT: ordinary: graph-safe
// CHECK-NEXT: subview: device metadata, persistent, from 'slots'
// CHECK-NEXT: cast: device metadata, transient, from 'table'
// CHECK-NEXT: expand: device metadata, persistent, from 'slots'
// CHECK-NEXT: collapse: device metadata, persistent, from 'slots'
// CHECK-NEXT: reinterpret: host metadata, from 'lengths'
// CHECK-NEXT: view of a view: device metadata, transient, from 'table'
func.func @views(%x: memref<8xi64>,
    %s: memref<8xi64> {prefill.name = "slots", prefill.metadata = #prefill.metadata<device, persistent>},
    %t: memref<?xi32> {prefill.name = "table", prefill.metadata = #prefill.metadata<device, transient>},
    %n: memref<8xi32> {prefill.name = "lengths", prefill.metadata = #prefill.metadata<host>}) {
  %0 = memref.subview %x[2] [4] [1] {tag = "ordinary"} : memref<8xi64> to memref<4xi64, strided<[1], offset: 2>>
  %1 = memref.subview %s[2] [4] [1] {tag = "subview"} : memref<8xi64> to memref<4xi64, strided<[1], offset: 2>>
  %2 = memref.cast %t {tag = "cast"} : memref<?xi32> to memref<4xi32>
  %3 = memref.expand_shape %s [[0, 1]] output_shape [2, 4] {tag = "expand"} : memref<8xi64> into memref<2x4xi64>
  %4 = memref.collapse_shape %3 [[0, 1]] {tag = "collapse"} : memref<2x4xi64> into memref<8xi64>
  %5 = memref.reinterpret_cast %n to offset: [0], sizes: [2], strides: [1] {tag = "reinterpret"} : memref<8xi32> to memref<2xi32>
  %6 = memref.subview %2[1] [2] [1] {tag = "view of a view"} : memref<4xi32> to memref<2xi32, strided<[1], offset: 1>>
  return
}

// -----

// The same on tensors. A slice that is copied into another tensor leaves that
// tensor what it was; so does a kernel that reads metadata: its result lies where
// its destination lies.
// CHECK-LABEL: @tensors
// CHECK: slice: device metadata, transient, from 'slots'
// CHECK-NEXT: cast: device metadata, transient, from 'slots'
// CHECK-NEXT: into ordinary: graph-safe
// CHECK-NEXT: into metadata: device metadata, transient, from 'slots'
// CHECK-NEXT: kernel: graph-safe
// CHECK-NEXT: kernel into metadata: device metadata, transient, from 'slots'
func.func @tensors(%x: tensor<8xi64>,
    %s: tensor<8xi64> {prefill.name = "slots", prefill.metadata = #prefill.metadata<device, transient>}) {
  %0 = tensor.extract_slice %s[0] [4] [1] {tag = "slice"} : tensor<8xi64> to tensor<4xi64>
  %1 = tensor.cast %0 {tag = "cast"} : tensor<4xi64> to tensor<?xi64>
  %2 = tensor.insert_slice %0 into %x[0] [4] [1] {tag = "into ordinary"} : tensor<4xi64> into tensor<8xi64>
  %3 = tensor.insert_slice %0 into %s[2] [4] [1] {tag = "into metadata"} : tensor<4xi64> into tensor<8xi64>
  %4 = prefill.kernel @k ins(%s : tensor<8xi64>) outs(%x : tensor<8xi64>)
      {effect = #sched.effect_class<device_metadata>, tag = "kernel"} -> tensor<8xi64>
  %5 = prefill.kernel @k ins(%x : tensor<8xi64>) outs(%s : tensor<8xi64>)
      {effect = #sched.effect_class<graph_safe>, tag = "kernel into metadata"} -> tensor<8xi64>
  return
}

// -----

// A scalar that the host reads out of memory is host metadata, also from a
// persistent buffer, whose contents change; and so is all that it computes with.
// CHECK-LABEL: @hostValues
// CHECK: loaded: host metadata, from 'slots'
// CHECK-NEXT: sum: host metadata, from 'slots'
// CHECK-NEXT: view there: host metadata, from 'slots'
// CHECK-NEXT: buffer of that size: host metadata, from 'slots'
// CHECK-NEXT: any memory: host metadata
// CHECK-NEXT: stored: host metadata, from 'slots'
// CHECK-NEXT: constant: graph-safe
// CHECK-NEXT: from constants: graph-safe
func.func @hostValues(%x: memref<8xi64>, %y: memref<8xi64>,
    %s: memref<8xindex> {prefill.name = "slots", prefill.metadata = #prefill.metadata<device, persistent>}) {
  %c1 = arith.constant 1 : index
  %0 = memref.load %s[%c1] {tag = "loaded"} : memref<8xindex>
  %1 = arith.addi %0, %c1 {tag = "sum"} : index
  %2 = memref.subview %x[%1] [1] [1] {tag = "view there"} : memref<8xi64> to memref<1xi64, strided<[1], offset: ?>>
  %3 = memref.alloc(%1) {tag = "buffer of that size"} : memref<?xi64>
  %4 = memref.load %x[%c1] {tag = "any memory"} : memref<8xi64>
  %5 = arith.index_cast %1 : index to i64
  %cast = memref.cast %y : memref<8xi64> to memref<?xi64>
  memref.store %5, %cast[%c1] : memref<?xi64>
  %6 = memref.subview %y[0] [4] [1] {tag = "stored"} : memref<8xi64> to memref<4xi64, strided<[1]>>
  %7 = arith.muli %c1, %c1 {tag = "constant"} : index
  %8 = memref.subview %x[%7] [1] [1] {tag = "from constants"} : memref<8xi64> to memref<1xi64, strided<[1], offset: ?>>
  return
}

// -----

// Extents: T is no metadata, wherever it is read. Extents of a persistent buffer
// are fixed as its address is; those of others may change.
// CHECK-LABEL: @extents
// CHECK: tokens: graph-safe
// CHECK-NEXT: tokens of metadata: graph-safe
// CHECK-NEXT: persistent: graph-safe
// CHECK-NEXT: width of transient: device metadata, transient, from argument 1
// CHECK-NEXT: requests: host metadata, from 'offsets'
func.func @extents(%x: tensor<?x4xf32> {sched.tokens},
    %s: tensor<?x?xi64> {sched.tokens, prefill.metadata = #prefill.metadata<device, transient>},
    %p: tensor<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>},
    %n: tensor<?xi32> {prefill.name = "offsets", prefill.metadata = #prefill.metadata<host>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.dim {tag = "tokens"} %x, %c0 : tensor<?x4xf32>
  %1 = tensor.dim {tag = "tokens of metadata"} %s, %c0 : tensor<?x?xi64>
  %2 = tensor.dim {tag = "persistent"} %p, %c0 : tensor<?xi64>
  %3 = tensor.dim {tag = "width of transient"} %s, %c1 : tensor<?x?xi64>
  %4 = tensor.dim {tag = "requests"} %n, %c0 : tensor<?xi32>
  return
}

// -----

// Through calls: an argument is what its callers pass and what is declared, at
// worst; also of a public function, which may have other callers, and at two
// levels. A result is what the callee returns.
// CHECK-LABEL: @inner
// CHECK-NEXT: argument 0: device metadata, transient, from 'slots'
// CHECK-NEXT: in inner: device metadata, transient, from 'slots'
// CHECK-LABEL: @middle
// CHECK-NEXT: argument 0: device metadata, transient, from 'slots'
// CHECK-NEXT: @caller
// CHECK: called: device metadata, transient, from 'slots'
// CHECK-NEXT: of the other: graph-safe
// CHECK-LABEL: @other
// CHECK-NEXT: in other: graph-safe
// CHECK-LABEL: @nobody
// CHECK-NEXT: argument 0: device metadata, persistent, from 'own'
// CHECK-NEXT: uncalled: device metadata, persistent, from 'own'
func.func private @inner(%a: memref<8xi64>) -> memref<4xi64> {
  %0 = memref.subview %a[0] [4] [1] {tag = "in inner"} : memref<8xi64> to memref<4xi64, strided<[1]>>
  %1 = memref.cast %0 : memref<4xi64, strided<[1]>> to memref<4xi64>
  return %1 : memref<4xi64>
}
func.func @middle(%a: memref<8xi64> {prefill.metadata = #prefill.metadata<device, persistent>}) -> memref<4xi64> {
  %0 = func.call @inner(%a) : (memref<8xi64>) -> memref<4xi64>
  return %0 : memref<4xi64>
}
func.func @caller(%x: memref<8xi64>, %s: memref<8xi64> {prefill.name = "slots", prefill.metadata = #prefill.metadata<device, transient>}) {
  %0 = func.call @middle(%s) {tag = "called"} : (memref<8xi64>) -> memref<4xi64>
  %1 = func.call @other(%x) {tag = "of the other"} : (memref<8xi64>) -> memref<8xi64>
  return
}
func.func private @other(%a: memref<8xi64>) -> memref<8xi64> {
  %0 = memref.cast %a {tag = "in other"} : memref<8xi64> to memref<?xi64>
  return %a : memref<8xi64>
}
func.func private @nobody(%a: memref<8xi64> {prefill.name = "own", prefill.metadata = #prefill.metadata<device, persistent>}) {
  %0 = memref.cast %a {tag = "uncalled"} : memref<8xi64> to memref<?xi64>
  return
}

// -----

// A recursion ends, and an external function may return what it was given.
// CHECK-LABEL: @recursive
// CHECK-NEXT: argument 0: host metadata, from argument 0
// CHECK: external: host metadata, from argument 0
func.func private @outside(memref<8xi64>) -> memref<8xi64>
func.func @recursive(%a: memref<8xi64> {prefill.metadata = #prefill.metadata<host>}) {
  func.call @recursive(%a) : (memref<8xi64>) -> ()
  %0 = func.call @outside(%a) {tag = "external"} : (memref<8xi64>) -> memref<8xi64>
  return
}

// -----

// Through regions: what leaves a branch is the worst of both sides, and host
// metadata if that decides; a loop carries what any iteration gives it; an
// induction variable is what its bounds are. A branch that is never taken has
// classes too.
// CHECK-LABEL: @regions
// CHECK: either: device metadata, transient, from 'table'
// CHECK-NEXT: host decides: host metadata, from 'lengths'
// CHECK: in loop: device metadata, transient, from 'table'
// CHECK: carried result 0: device metadata, transient, from 'table'
// CHECK: ordinary index: graph-safe
// CHECK: host index: host metadata, from 'lengths'
// CHECK: never: device metadata, transient, from 'table'
// CHECK: eager: device metadata, transient, from 'table'
func.func @regions(%x: memref<8xi64>, %y: memref<8xi64>, %cond: i1,
    %t: memref<8xi64> {prefill.name = "table", prefill.metadata = #prefill.metadata<device, transient>},
    %n: memref<8xindex> {prefill.name = "lengths", prefill.metadata = #prefill.metadata<host>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %length = memref.load %n[%c0] : memref<8xindex>
  %0 = scf.if %cond -> memref<8xi64> {
    scf.yield %x : memref<8xi64>
  } else {
    scf.yield %t : memref<8xi64>
  } {tag = "either"}
  %isLong = arith.cmpi ugt, %length, %c4 : index
  %1 = scf.if %isLong -> memref<8xi64> {
    scf.yield %x : memref<8xi64>
  } else {
    scf.yield %y : memref<8xi64>
  } {tag = "host decides"}
  %2:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x, %b = %t) -> (memref<8xi64>, memref<8xi64>) {
    %3 = memref.cast %a {tag = "in loop"} : memref<8xi64> to memref<?xi64>
    scf.yield %b, %a : memref<8xi64>, memref<8xi64>
  }
  %v:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x, %b = %t) -> (memref<8xi64>, memref<8xi64>) {
    scf.yield %b, %a : memref<8xi64>, memref<8xi64>
  } {tag = "carried"}
  scf.for %i = %c0 to %c4 step %c1 {
    %3 = arith.addi %i, %c1 {tag = "ordinary index"} : index
  }
  scf.for %i = %c0 to %length step %c1 {
    %3 = arith.addi %i, %c1 {tag = "host index"} : index
  }
  %false = arith.constant false
  scf.if %false {
    %3 = memref.cast %t {tag = "never"} : memref<8xi64> to memref<?xi64>
  }
  %4 = prefill.eager -> memref<8xi64> attributes {tag = "eager"} {
    prefill.yield %t : memref<8xi64>
  }
  return
}

// -----

// Inside schedules: regions of sched are looked into, buffers of the workspace
// are ordinary.
// CHECK-LABEL: @schedule
// CHECK: buffer: graph-safe
// CHECK-NEXT: in segment: device metadata, persistent, from argument 1
func.func @schedule(%x: memref<?x4xf32> {sched.tokens},
    %s: memref<?xi64> {sched.tokens, prefill.metadata = #prefill.metadata<device, persistent>}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x4xf32>
  sched.dispatch on %t upto 64 {
    sched.schedule(%s0) tokens(%t) {
      %b = sched.alloc(%t) {tag = "buffer"} : memref<?x4xf32>
      sched.segment {
        %v = memref.cast %s {tag = "in segment"} : memref<?xi64> to memref<8xi64>
        sched.launch on %s0 {
          prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<?x4xf32> -> memref<?x4xf32>
        }
      }
    }
  } otherwise {
  }
  return
}
