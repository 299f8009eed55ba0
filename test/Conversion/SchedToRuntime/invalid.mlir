// RUN: braid-opt %s --convert-sched-to-runtime --split-input-file --verify-diagnostics

// Everything that is called is in the module.
// expected-error @below {{'func.func' op has no body; expected every called function to be defined in the module}}
func.func private @declared()

// -----

// Outputs are arguments.
// expected-error @below {{'func.func' op returns values; expected outputs to be arguments}}
func.func @returns(%x: memref<4xf32>) -> memref<4xf32> {
  return %x : memref<4xf32>
}

// -----

// Arguments are arrays.
// expected-error @below {{'func.func' op argument 1 has type 'index'; expected a memref}}
func.func @index(%x: memref<4xf32>, %i: index) {
  return
}

// -----

// Arrays begin where their data begin: a caller cannot know of an offset.
// expected-error @below {{'func.func' op argument 0 has layout strided<[16, 1], offset: 4>; expected a plain memref or strides without an offset}}
func.func @layout(%x: memref<4x8xf32, strided<[16, 1], offset: 4>>) {
  return
}

// -----

// Arrays are buffers.
// expected-error @below {{'func.func' op has a value of type 'tensor<4xf32>'; expected buffers (bufferize first)}}
func.func @tensor(%x: tensor<4xf32>) {
  return
}

// -----

// Arguments have a rank that the runtime's struct has room for.
// expected-error @below {{'func.func' op has a value of type 'memref<1x1x1x1x1x1x1xf32>' with rank 7; the runtime takes up to 6}}
func.func @rank(%x: memref<1x1x1x1x1x1x1xf32>) {
  return
}

// -----

// And an element type that it knows.
// expected-error @below {{'func.func' op has a value of type 'memref<4xf64>'; the runtime has no element type 'f64'}}
func.func @element(%x: memref<4xf64>) {
  return
}

// -----

// So do values inside.
func.func @inside() {
  sched.schedule(%s0) workspace(#sched.linear<0, 256>) {
    // expected-error @below {{'sched.alloc' op has a value of type 'memref<4xi1>'; the runtime has no element type 'i1'}}
    %0 = sched.alloc at <0, 0> : memref<4xi1>
  }
  return
}

// -----

// Also tensors.
func.func @inside_tensor() {
  // expected-error @below {{'tensor.empty' op has a value of type 'tensor<4xf32>'; expected buffers (bufferize first)}}
  %0 = tensor.empty() : tensor<4xf32>
  return
}

// -----

// Forks are expanded before.
func.func @fork() {
  sched.schedule(%s0, %s1) {
    // expected-error @below {{'sched.fork' op expected records and waits (run sched-expand-fork-join first)}}
    sched.fork %s0 to %s1
  }
  return
}

// -----

// So are joins.
func.func @join() {
  sched.schedule(%s0, %s1) {
    // expected-error @below {{'sched.join' op expected records and waits (run sched-expand-fork-join first)}}
    sched.join %s1 into %s0
  }
  return
}

// -----

// Events have slots.
func.func @record() {
  sched.schedule(%s0) {
    // expected-error @below {{'sched.record' op event is not bound to a slot}}
    %e = sched.record on %s0
  }
  return
}

// -----

// And come from records.
func.func @wait() {
  sched.schedule(%s0) {
    %e = builtin.unrealized_conversion_cast to !sched.event
    // expected-error @below {{'sched.wait' op waits for an event that is no record's result}}
    sched.wait on %s0 for %e
  }
  return
}

// -----

// A buffer has a place, ...
func.func @no_offset() {
  sched.schedule(%s0) workspace(#sched.linear<0, 256>) {
    // expected-error @below {{'sched.alloc' op buffer has no place in a schedule's workspace (run sched-plan-memory first)}}
    %0 = sched.alloc : memref<4xf32>
  }
  return
}

// -----

// ... its schedule a workspace, ...
func.func @no_workspace() {
  sched.schedule(%s0) {
    // expected-error @below {{'sched.alloc' op buffer has no place in a schedule's workspace (run sched-plan-memory first)}}
    %0 = sched.alloc at <0, 0> : memref<4xf32>
  }
  return
}

// -----

// ... and there is a schedule.
func.func @no_schedule() {
  // expected-error @below {{'sched.alloc' op buffer has no place in a schedule's workspace (run sched-plan-memory first)}}
  %0 = sched.alloc at <0, 0> : memref<4xf32>
  return
}

// -----

// Work is launched.
func.func @not_launched(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error @below {{'prefill.rms_norm' op is not launched on a stream (run sched-form-segments first)}}
  prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
  return
}

// -----

// Copies are work.
func.func @not_launched(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error @below {{'memref.copy' op is not launched on a stream (run sched-form-segments first)}}
  memref.copy %x, %y : memref<4x8xf32> to memref<4x8xf32>
  return
}

// -----

// A view that is not lowered is left over.
func.func @subview(%x: memref<4x8xf32>) {
  // expected-error @below {{failed to legalize operation 'memref.subview'}}
  %0 = memref.subview %x[0, 0] [2, 8] [1, 1] : memref<4x8xf32> to memref<2x8xf32>
  return
}

// -----

// A kernel is compiled from its body, by itself.
// expected-error @below {{'func.func' op is a kernel without a body; register a kernel and use prefill.kernel instead}}
func.func private @elsewhere(memref<4xf32> {sched.access = #sched.access<read>}) attributes {sched.kernel}

// -----

func.func private @helper() {
  return
}
// expected-note @below {{the kernel is here}}
func.func private @kernel() attributes {sched.kernel} {
  // expected-error @below {{'func.call' op lies in a kernel, which is compiled by itself; inline the callee}}
  func.call @helper() : () -> ()
  return
}

// -----

// expected-error @below {{'func.func' op is a kernel that returns values; expected it to write its arguments}}
func.func private @returning() -> index attributes {sched.kernel} {
  %c0 = arith.constant 0 : index
  return %c0 : index
}

// -----

// Names of the runtime are taken.
// expected-error @below {{'func.func' op has a name that begins with 'braid_', as those of the runtime do; expected another one}}
func.func @braid_rt_launch(%x: memref<4xf32>) {
  return
}
