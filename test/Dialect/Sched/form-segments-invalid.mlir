// RUN: braid-opt %s --sched-form-segments --split-input-file --verify-diagnostics

// A schedule is straight-line code.
// expected-error @below {{'func.func' op has control flow between blocks; expected a straight-line body}}
func.func @blocks(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
  cf.br ^bb1
^bb1:
  return
}

// -----

// Outputs are arguments.
// expected-error @below {{'func.func' op returns values of types 'memref<4x8xf32>'; expected outputs to be arguments}}
// expected-note @below {{write into an argument marked 'bufferization.writable'}}
func.func @returns(%x: memref<4x8xf32>) -> memref<4x8xf32> {
  %0 = memref.alloc() : memref<4x8xf32>
  prefill.rms_norm %x into %0 {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
  return %0 : memref<4x8xf32>
}

// -----

// Work that the runtime has no kernel for cannot be scheduled.
func.func @store(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'memref.store' op cannot be scheduled: expected an op with SchedulableOpInterface, a call, a view or a size}}
  memref.store %f, %x[%c0, %c0] : memref<4x8xf32>
  prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
  return
}

// -----

// Neither can structured control flow.
func.func @if(%c: i1, %x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error @below {{'scf.if' op cannot be scheduled}}
  scf.if %c {
    prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
  }
  return
}

// -----

// The same inside the author's eager region.
func.func @eager_store(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  prefill.eager {
    // expected-error @below {{'memref.store' op cannot be scheduled}}
    memref.store %f, %x[%c0, %c0] : memref<4x8xf32>
    prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
  }
  return
}

// -----

// What a call gives back is an argument too.
func.func private @callee(memref<4x8xf32>) -> memref<4x8xf32>
func.func @call_result(%x: memref<4x8xf32>, %y: memref<2x8xf32>) {
  // expected-error @below {{'func.call' op returns values; expected outputs to be arguments}}
  %0 = func.call @callee(%x) : (memref<4x8xf32>) -> memref<4x8xf32>
  %v = memref.subview %0[0, 0] [2, 8] [1, 1] : memref<4x8xf32> to memref<2x8xf32>
  prefill.rms_norm %v into %y {eps = 0.0 : f64} : memref<2x8xf32> -> memref<2x8xf32>
  return
}

// -----

// The size of the workspace is a function of the token count alone.
func.func @other_extent(%x: memref<?x8xf32>, %y: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{the extent comes from here}}
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  // expected-error @below {{'memref.alloc' op buffer of type 'memref<?x8xf32>' has an extent that is not the token count}}
  %0 = memref.alloc(%n) : memref<?x8xf32>
  prefill.rms_norm %x into %0 {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  return
}

// -----

// Without 'sched.tokens' there is none.
func.func @no_tokens(%x: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{the extent comes from here}}
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  // expected-error @below {{'memref.alloc' op buffer of type 'memref<?x8xf32>' has an extent that is not the token count}}
  %0 = memref.alloc(%n) : memref<?x8xf32>
  prefill.rms_norm %x into %0 {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  return
}

// -----

// It may occur once: T * T is not linear.
func.func @twice(%x: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  // expected-error @below {{'memref.alloc' op buffer of type 'memref<?x?xf32>' has more than one dynamic extent; expected at most one, the token count}}
  %0 = memref.alloc(%t, %t) : memref<?x?xf32>
  prefill.kernel @k ins(%x : memref<?x8xf32>) outs(%0 : memref<?x?xf32>) {effect = #sched.effect_class<graph_safe>}
  return
}
