// RUN: braid-opt %s --split-input-file --verify-roundtrip | FileCheck %s
// RUN: braid-opt %s --split-input-file --sched-form-segments | FileCheck %s --check-prefix=FORM
// RUN: braid-opt %s --split-input-file --sched-form-segments --canonicalize --cse | FileCheck %s --check-prefix=CLEAN

// A call of a function that declares what it does is launched like a kernel.
// CHECK-LABEL: func.func private @scale
// CHECK-SAME: sched.access = #sched.access<read>
// CHECK-SAME: attributes {sched.kernel}
// FORM-LABEL: func.func @twice
// FORM: sched.segment
// FORM: sched.launch on %s0 {
// FORM-NEXT: sched.host_call @scale(%arg0, %{{.*}}) : memref<?x8xf32>, memref<?x8xf32>
// FORM: sched.launch on %s0 {
// FORM-NEXT: sched.host_call @scale(%{{.*}}, %arg1)
func.func private @scale(%x: memref<?x8xf32> {sched.access = #sched.access<read>},
    %y: memref<?x8xf32> {sched.access = #sched.access<write>}) attributes {sched.kernel} {
  return
}
func.func @twice(%x: memref<?x8xf32> {sched.tokens}, %y: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  %b = memref.alloc(%t) : memref<?x8xf32>
  func.call @scale(%x, %b) : (memref<?x8xf32>, memref<?x8xf32>) -> ()
  func.call @scale(%b, %y) : (memref<?x8xf32>, memref<?x8xf32>) -> ()
  return
}

// -----

// One that needs host values stays eager.
// FORM-LABEL: func.func @eager
// FORM: sched.eager
// FORM: sched.host_call @count
func.func private @count(%x: memref<?x8xf32> {sched.access = #sched.access<read_write>})
    attributes {sched.kernel, sched.effect = #sched.effect_class<host_metadata>} {
  return
}
func.func @eager(%x: memref<?x8xf32> {sched.tokens}) {
  func.call @count(%x) : (memref<?x8xf32>) -> ()
  return
}

// -----

// A kernel that writes only what it declares may read that again, and code that
// only reads is not dead: the launch keeps it.
// FORM-LABEL: func.func @kept
// FORM: sched.launch on %s0 {
// FORM-NEXT: sched.host_call @fill(%arg0)
// FORM: sched.launch on %s0 {
// FORM-NEXT: sched.host_call @print(%arg0)
// CLEAN-LABEL: func.func @kept
// CLEAN: sched.host_call @fill
// CLEAN: sched.host_call @print
func.func private @fill(%x: memref<?x8xf32> {sched.access = #sched.access<write>}) attributes {sched.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%c0, %c0] : memref<?x8xf32>
  %value = memref.load %x[%c0, %c0] : memref<?x8xf32>
  memref.store %value, %x[%c0, %c0] : memref<?x8xf32>
  return
}
func.func private @print(%x: memref<?x8xf32> {sched.access = #sched.access<read>}) attributes {sched.kernel} {
  return
}
func.func @kept(%x: memref<?x8xf32> {sched.tokens}) {
  func.call @fill(%x) : (memref<?x8xf32>) -> ()
  func.call @print(%x) : (memref<?x8xf32>) -> ()
  return
}
