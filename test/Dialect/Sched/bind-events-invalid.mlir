// RUN: braid-opt %s --sched-bind-events --split-input-file --verify-diagnostics

// A record in a loop is many records; which slots are free depends on how often
// it runs.
func.func @loop() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  sched.schedule(%s0, %s1) {
    sched.segment {
      scf.for %i = %c0 to %c4 step %c1 {
        // expected-error @below {{'sched.record' op lies in 'scf.for'; events are bound in straight-line code only}}
        %e = sched.record on %s0
        sched.wait on %s1 for %e
      }
    }
  }
  return
}

// -----

// So is one in a branch.
func.func @branch(%c: i1) {
  sched.schedule(%s0, %s1) {
    scf.if %c {
      // expected-error @below {{'sched.record' op lies in 'scf.if'; events are bound in straight-line code only}}
      %e = sched.record on %s0
      sched.wait on %s1 for %e
    }
  }
  return
}

// -----

// The negative twin: a loop without records.
func.func @quiet_loop(%x: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  sched.schedule(%s0, %s1) {
    sched.segment {
      %a = sched.record on %s0
      sched.wait on %s1 for %a
      scf.for %i = %c0 to %c4 step %c1 {
        sched.launch on %s1 {
          prefill.rms_norm %x into %x {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
        }
      }
      %b = sched.record on %s1
      sched.wait on %s0 for %b
    }
  }
  return
}
