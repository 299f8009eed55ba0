// RUN: braid-opt %s --split-input-file --verify-diagnostics

// A kernel has to say what it does with each argument.
// expected-error @+1 {{is a kernel, but its argument 0 does not declare 'sched.access'}}
func.func private @silent(%x: memref<?x8xf32>) attributes {sched.kernel} {
  return
}

// -----

// expected-error @+1 {{expected 'sched.effect' to be a #sched.effect_class attribute}}
func.func private @wrong() attributes {sched.kernel, sched.effect = 1 : i32} {
  return
}

// -----

// expected-error @+1 {{has unknown attribute 'sched.colour'}}
func.func private @unknown() attributes {sched.colour} {
  return
}

// -----

// expected-note @+1 {{the function is here}}
func.func private @plain(%x: memref<?x8xf32>) {
  return
}
func.func @calls(%x: memref<?x8xf32>) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      // expected-error @+1 {{calls a function that does not carry 'sched.kernel'}}
      sched.host_call @plain(%x) : memref<?x8xf32>
    }
  }
  return
}

// -----

func.func @missing(%x: memref<?x8xf32>) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      // expected-error @+1 {{calls @nothing, which is no function of the module}}
      sched.host_call @nothing(%x) : memref<?x8xf32>
    }
  }
  return
}

// -----

// expected-note @+1 {{the function is here}}
func.func private @narrow(%x: memref<?x4xf32> {sched.access = #sched.access<read>}) attributes {sched.kernel} {
  return
}
func.func @types(%x: memref<?x8xf32>) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      // expected-error @+1 {{passes other types than the function takes}}
      sched.host_call @narrow(%x) : memref<?x8xf32>
    }
  }
  return
}

// -----

// An access is declared of a kernel only: other functions are taken apart.
// expected-error @+1 {{declares 'sched.access' of its argument 0, but is no 'sched.kernel'}}
func.func private @half(memref<?x8xf32> {sched.access = #sched.access<read>})

// -----

// expected-error @+1 {{has 'sched.effect' but not 'sched.kernel'}}
func.func private @half(memref<?x8xf32>) attributes {sched.effect = #sched.effect_class<graph_safe>}

// -----

// One argument that is declared does not do for the other.
// expected-error @+1 {{is a kernel, but its argument 1 does not declare 'sched.access'}}
func.func private @some(memref<?x8xf32> {sched.access = #sched.access<read>}, memref<?x8xf32>) attributes {sched.kernel}

// -----

// Scalars are not passed to kernels.
// expected-error @+1 {{is a kernel, but its argument 1 has type 'index'; expected a memref or a tensor}}
func.func private @scalar(memref<?x8xf32> {sched.access = #sched.access<read>}, index {sched.access = #sched.access<read>}) attributes {sched.kernel}

// -----

// expected-error @+1 {{expected 'sched.access' to be a #sched.access attribute}}
func.func private @wrong(memref<?x8xf32> {sched.access = "read"}) attributes {sched.kernel}

// -----

// expected-error @+2 {{to be one of: none, read, write, read_write}}
// expected-error @+1 {{failed to parse Sched_AccessAttr parameter}}
func.func private @unknown(memref<?x8xf32> {sched.access = #sched.access<reads>}) attributes {sched.kernel}

// -----

// expected-error @+2 {{to be one of: graph_safe, device_metadata, host_metadata, init}}
// expected-error @+1 {{failed to parse Sched_EffectClassAttr parameter}}
func.func private @unknown() attributes {sched.kernel, sched.effect = #sched.effect_class<fast>}

// -----

// expected-error @+1 {{expected 'sched.kernel' to be a unit attribute}}
func.func private @wrong() attributes {sched.kernel = "yes"}

// -----

// A declaration that the body contradicts, here through a view, would be a race
// that nobody sees.
// expected-error @+1 {{writes its argument 1, but declares that it does not}}
func.func private @liar(%x: memref<4x8xf32> {sched.access = #sched.access<write>},
    %y: memref<4x8xf32> {sched.access = #sched.access<read>}) attributes {sched.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %row = memref.subview %y[1, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<1x8xf32, strided<[8, 1], offset: 8>>
  memref.store %zero, %x[%c0, %c0] : memref<4x8xf32>
  // expected-note @+1 {{the argument is written here}}
  memref.store %zero, %row[%c0, %c0] : memref<1x8xf32, strided<[8, 1], offset: 8>>
  return
}
func.func @believes(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      // expected-note @+1 {{the function is called here}}
      sched.host_call @liar(%x, %y) : memref<4x8xf32>, memref<4x8xf32>
    }
  }
  return
}

// -----

// What a body reads beside its operands cannot be ordered with other work.
func.func @gather(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-note @+1 {{the memref comes from here}}
  %table = memref.subview %x[0, 0] [4, 1] [1, 1] : memref<4x8xf32> to memref<4x1xf32, strided<[8, 1]>>
  sched.schedule(%s0) {
    sched.launch on %s0 {
      // expected-error @+1 {{cannot be launched: its body uses a memref of type 'memref<4x1xf32, strided<[8, 1]>>' that is not an operand, so nothing orders it with other work; pass it as an operand}}
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          outs(%y : memref<4x8xf32>) {
      ^bb0(%old: f32):
        %i = linalg.index 0 : index
        %c0 = arith.constant 0 : index
        %new = memref.load %table[%i, %c0] : memref<4x1xf32, strided<[8, 1]>>
        linalg.yield %new : f32
      }
    }
  }
  return
}
