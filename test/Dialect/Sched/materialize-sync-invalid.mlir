// RUN: braid-opt %s --sched-materialize-sync --split-input-file --verify-diagnostics

// A plan is for all launches of a region or for none.
func.func @incomplete(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>) {
  sched.schedule(%s0) {
    sched.segment {
      sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 0 : i64} {
        prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
      // expected-error @below {{'sched.launch' op has no planned stream and position, but others in its region have}}
      sched.launch on %s0 {
        prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
    }
  }
  return
}

// -----

// A stream without a place in the order is half a plan.
func.func @half(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>) {
  sched.schedule(%s0) {
    sched.segment {
      sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 0 : i64} {
        prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
      // expected-error @below {{'sched.launch' op has no planned stream and position, but others in its region have}}
      sched.launch on %s0 attributes {planned_stream = 1 : i64} {
        prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
    }
  }
  return
}

// -----

// Two launches cannot have one place.
func.func @twice(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>) {
  sched.schedule(%s0) {
    sched.segment {
      sched.launch on %s0 attributes {planned_position = 1 : i64, planned_stream = 0 : i64} {
        prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
      // expected-error @below {{'sched.launch' op planned position is 1; expected each of 0 to 1 once}}
      sched.launch on %s0 attributes {planned_position = 1 : i64, planned_stream = 1 : i64} {
        prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
    }
  }
  return
}

// -----

// Places have no gaps.
func.func @gap(%x: memref<4x8xf32>, %a: memref<4x8xf32>) {
  sched.schedule(%s0) {
    sched.segment {
      // expected-error @below {{'sched.launch' op planned position is 1; expected each of 0 to 0 once}}
      sched.launch on %s0 attributes {planned_position = 1 : i64, planned_stream = 0 : i64} {
        prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
    }
  }
  return
}

// -----

// No wait can make an order legal in which a read is enqueued before the write.
func.func @order(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>) {
  sched.schedule(%s0) {
    sched.segment {
      // expected-note @below {{the op that it depends on}}
      sched.launch on %s0 attributes {planned_position = 1 : i64, planned_stream = 0 : i64} {
        prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
      // expected-error @below {{'sched.launch' op is planned before an op that it depends on}}
      sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 1 : i64} {
        prefill.rms_norm %a into %b {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
    }
  }
  return
}

// -----

// The negative twin: nothing depends on anything, so any order goes.
func.func @any_order(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>) {
  sched.schedule(%s0) {
    sched.segment {
      sched.launch on %s0 attributes {planned_position = 1 : i64, planned_stream = 0 : i64} {
        prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
      sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 1 : i64} {
        prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
    }
  }
  return
}
