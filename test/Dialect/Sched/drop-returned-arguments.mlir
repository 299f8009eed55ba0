// RUN: braid-opt %s --sched-drop-returned-arguments --split-input-file | FileCheck %s

// A result that is an argument goes, of public functions too.
// CHECK-LABEL: func @one(%{{.*}}: memref<4xf32>, %{{.*}}: memref<4xf32> {prefill.name = "y"}) {
// CHECK-NEXT: return{{$}}
func.func @one(%x: memref<4xf32>, %y: memref<4xf32> {prefill.name = "y"}) -> memref<4xf32> {
  return %y : memref<4xf32>
}

// -----

// Others stay, in their order.
// CHECK-LABEL: func @some(
// CHECK-SAME: -> (memref<8xf32>, index) {
// CHECK: return %{{.*}}, %{{.*}} : memref<8xf32>, index
func.func @some(%x: memref<4xf32>, %i: index) -> (memref<4xf32>, memref<8xf32>, memref<4xf32>, index) {
  %a = memref.alloc() : memref<8xf32>
  return %x, %a, %x, %i : memref<4xf32>, memref<8xf32>, memref<4xf32>, index
}

// -----

// Callers use what they passed; a caller that returns it is next, and so on up
// the chain.
// CHECK-LABEL: func @top(
// CHECK-SAME: memref<4xf32>) {
// CHECK-NEXT: call @middle(%{{.*}}) : (memref<4xf32>) -> ()
// CHECK-NEXT: return{{$}}
func.func @top(%x: memref<4xf32>) -> memref<4xf32> {
  %0 = func.call @middle(%x) : (memref<4xf32>) -> memref<4xf32>
  return %0 : memref<4xf32>
}
// CHECK-LABEL: func private @middle(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>) {
// CHECK-NEXT: %[[A:.*]] = memref.alloc
// CHECK-NEXT: call @bottom(%[[X]], %[[A]]) {note = 1 : i64} : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: call @bottom(%[[A]], %[[X]]) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: return{{$}}
func.func private @middle(%x: memref<4xf32>) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  %0 = func.call @bottom(%x, %a) {note = 1 : i64} : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  %1 = func.call @bottom(%0, %x) : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  return %1 : memref<4xf32>
}
// CHECK-LABEL: func private @bottom(
func.func private @bottom(%x: memref<4xf32>, %y: memref<4xf32>) -> memref<4xf32> {
  return %y : memref<4xf32>
}

// -----

// A function that calls itself.
// CHECK-LABEL: func @self(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>) {
// CHECK-NEXT: call @self(%[[X]]) : (memref<4xf32>) -> ()
// CHECK-NEXT: return{{$}}
func.func @self(%x: memref<4xf32>) -> memref<4xf32> {
  %0 = func.call @self(%x) : (memref<4xf32>) -> memref<4xf32>
  return %x : memref<4xf32>
}

// -----

// Negative: a buffer of its own, a view of an argument and a plain number are
// no arguments.
// CHECK-LABEL: func @no_argument(
// CHECK-SAME: -> (memref<4xf32>, memref<2xf32>, index) {
func.func @no_argument(%x: memref<4xf32>, %i: index) -> (memref<4xf32>, memref<2xf32>, index) {
  %a = memref.alloc() : memref<4xf32>
  %v = memref.subview %x[0] [2] [1] : memref<4xf32> to memref<2xf32>
  return %a, %v, %i : memref<4xf32>, memref<2xf32>, index
}

// -----

// Negative: two returns that disagree. The positive twin has both agree.
// CHECK-LABEL: func @disagree(
// CHECK-SAME: -> memref<4xf32> {
func.func @disagree(%c: i1, %x: memref<4xf32>, %y: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  // CHECK: return %[[X:[^ ]*]] : memref<4xf32>
  return %x, %y : memref<4xf32>, memref<4xf32>
^bb2:
  // CHECK: return %[[Y:[^ ]*]] : memref<4xf32>
  return %y, %y : memref<4xf32>, memref<4xf32>
}

// -----

// Negative: an argument of another block may be anything.
// CHECK-LABEL: func @block_argument(
// CHECK-SAME: -> memref<4xf32> {
func.func @block_argument(%c: i1, %x: memref<4xf32>, %y: memref<4xf32>) -> memref<4xf32> {
  cf.cond_br %c, ^bb1(%x : memref<4xf32>), ^bb1(%y : memref<4xf32>)
^bb1(%z: memref<4xf32>):
  return %z : memref<4xf32>
}

// -----

// Negative: nothing is known of a declaration, nor of tensors.
// CHECK: func private @declared(memref<4xf32>) -> memref<4xf32>
func.func private @declared(memref<4xf32>) -> memref<4xf32>
// CHECK-LABEL: func @tensor(
// CHECK-SAME: -> tensor<4xf32> {
func.func @tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// An eager region passes on what it yields: an argument, through two of them.
// What it makes itself stays.
// CHECK-LABEL: func @throughEager(%{{.*}}: memref<4xf32>) -> memref<8xf32> {
func.func @throughEager(%x: memref<4xf32>) -> (memref<4xf32>, memref<8xf32>) {
  %a:2 = prefill.eager -> memref<4xf32>, memref<8xf32> {
    %b = memref.alloc() : memref<8xf32>
    prefill.yield %x, %b : memref<4xf32>, memref<8xf32>
  }
  %c = prefill.eager -> memref<4xf32> {
    prefill.yield %a#0 : memref<4xf32>
  }
  return %c, %a#1 : memref<4xf32>, memref<8xf32>
}
