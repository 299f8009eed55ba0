// RUN: braid-opt %s --split-input-file --sched-outline-host-ops --verify-diagnostics | FileCheck %s

// A launched op of linalg becomes a function of its own, named after its caller.
// The function declares how it touches each memref, constants come along, and the
// launch keeps its place.
// CHECK-LABEL: func.func @fill
// CHECK: sched.launch on %s0 {
// CHECK-NEXT: sched.host_call @fill.fill(%arg0) : memref<?x8xf32>
// CHECK-NEXT: }
// CHECK: func.func private @fill.fill(%arg0: memref<?x8xf32> {sched.access = #sched.access<write>}) attributes {sched.kernel} {
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: linalg.fill ins(%[[ZERO]] : f32) outs(%arg0 : memref<?x8xf32>)
// CHECK-NEXT: return
func.func @fill(%y: memref<?x8xf32>) {
  %zero = arith.constant 0.0 : f32
  sched.schedule(%s0) {
    sched.launch on %s0 {
      linalg.fill ins(%zero : f32) outs(%y : memref<?x8xf32>)
    }
  }
  return
}

// -----

// Names are unique, equal ops are not merged, and streams stay as they are.
// CHECK-LABEL: func.func @twice
// CHECK: sched.launch on %s0 {
// CHECK-NEXT: sched.host_call @twice.negf(%arg0, %arg1)
// CHECK: sched.launch on %s1 {
// CHECK-NEXT: sched.host_call @[[SECOND:twice.negf_.*]](%arg0, %arg2)
// CHECK-DAG: func.func private @twice.negf(
// CHECK-DAG: func.func private @[[SECOND]](
func.func @twice(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.launch on %s0 {
      linalg.negf ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    }
    sched.launch on %s1 {
      linalg.negf ins(%x : memref<4xf32>) outs(%z : memref<4xf32>)
    }
  }
  return
}

// -----

// A memref that is read and written is passed once, as read_write.
// CHECK-LABEL: func.func @in_place
// CHECK: sched.host_call @in_place.add(%arg0, %arg1) : memref<4xf32>, memref<4xf32>
// CHECK: func.func private @in_place.add(%arg0: memref<4xf32> {sched.access = #sched.access<read>}, %arg1: memref<4xf32> {sched.access = #sched.access<read_write>})
// CHECK-NEXT: linalg.add ins(%arg0, %arg1 : memref<4xf32>, memref<4xf32>) outs(%arg1 : memref<4xf32>)
func.func @in_place(%x: memref<4xf32>, %y: memref<4xf32>) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      linalg.add ins(%x, %y : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)
    }
  }
  return
}

// -----

// A destination whose old contents count is read too; a window that is there for
// its shape only is not read.
// CHECK-LABEL: func.func @pool
// CHECK: func.func private @pool.pooling_nhwc_max(
// CHECK-SAME: %arg0: memref<?x4x4x1xf32> {sched.access = #sched.access<read>},
// CHECK-SAME: %arg1: memref<2x2xf32> {sched.access = #sched.access<none>},
// CHECK-SAME: %arg2: memref<?x3x3x1xf32> {sched.access = #sched.access<read_write>})
func.func @pool(%x: memref<?x4x4x1xf32>, %window: memref<2x2xf32>, %y: memref<?x3x3x1xf32>) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      linalg.pooling_nhwc_max ins(%x, %window : memref<?x4x4x1xf32>, memref<2x2xf32>)
          outs(%y : memref<?x3x3x1xf32>)
    }
  }
  return
}

// -----

// Constants that the body uses from outside come along too, each once.
// CHECK-LABEL: func.func @relu
// CHECK: sched.host_call @relu.generic(%arg0) : memref<4xf32>
// CHECK: func.func private @relu.generic
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: linalg.generic
// CHECK: arith.maximumf %{{.*}}, %[[ZERO]] : f32
// CHECK-NEXT: arith.addf %{{.*}}, %[[ZERO]] : f32
func.func @relu(%y: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  sched.schedule(%s0) {
    sched.launch on %s0 {
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          outs(%y : memref<4xf32>) {
      ^bb0(%old: f32):
        %positive = arith.maximumf %old, %zero : f32
        %same = arith.addf %positive, %zero : f32
        linalg.yield %same : f32
      }
    }
  }
  return
}

// -----

// What the runtime has a kernel for stays: copies, and ops that are no linalg.
// CHECK-LABEL: func.func @kernels
// CHECK: sched.launch on %s0 {
// CHECK-NEXT: memref.copy
// CHECK: sched.launch on %s0 {
// CHECK-NEXT: prefill.linear
// CHECK-NOT: sched.kernel
func.func @kernels(%x: memref<?x8xf32>, %w: memref<4x8xf32>, %y: memref<?x8xf32>, %z: memref<?x4xf32>) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      memref.copy %x, %y : memref<?x8xf32> to memref<?x8xf32>
    }
    sched.launch on %s0 {
      prefill.linear %y by %w into %z : memref<?x8xf32>, memref<4x8xf32> -> memref<?x4xf32>
    }
  }
  return
}

// -----

// So does linalg that is not launched: the body of a kernel function.
// CHECK-LABEL: func.func private @body
// CHECK-NEXT: linalg.negf
// CHECK-NOT: sched.host_call
func.func private @body(%x: memref<4xf32> {sched.access = #sched.access<read>},
    %y: memref<4xf32> {sched.access = #sched.access<write>}) attributes {sched.kernel} {
  linalg.negf ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

// -----

// A scalar operand that is not known at compile time cannot be passed.
// expected-note @+1 {{the value comes from here}}
func.func @scalar(%value: f32, %y: memref<4xf32>) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      // expected-error @+1 {{'linalg.fill' op uses a value of type 'f32' that is neither a constant nor a memref operand; a host function is given nothing else}}
      linalg.fill ins(%value : f32) outs(%y : memref<4xf32>)
    }
  }
  return
}

// -----

// Nor can one that only the body uses.
func.func @captured(%x: memref<?xf32>, %y: memref<4xindex>) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{the value comes from here}}
  %n = memref.dim %x, %c0 : memref<?xf32>
  sched.schedule(%s0) {
    sched.launch on %s0 {
      // expected-error @+1 {{uses a value of type 'index' that is neither a constant nor a memref operand}}
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          outs(%y : memref<4xindex>) {
      ^bb0(%old: index):
        linalg.yield %n : index
      }
    }
  }
  return
}
