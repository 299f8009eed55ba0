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
