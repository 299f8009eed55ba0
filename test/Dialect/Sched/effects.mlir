// RUN: braid-test-opt %s --pass-pipeline='builtin.module(func.func(test-print-effects))' --verify-diagnostics -o /dev/null

// Everything that orders work writes to the stream resource, and to no memory.
func.func @effects(%t: index, %x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-remark @below {{effects: those of its regions.}}
  sched.schedule(%s0, %s1) {
    // expected-remark @below {{effects: allocate result 0.}}
    %b = sched.alloc : memref<4xf32>
    // expected-remark @below {{effects: write <Stream>.}}
    sched.fork %s0 to %s1
    // expected-remark @below {{effects: write <Stream>.}}
    %e = sched.record on %s1
    // expected-remark @below {{effects: write <Stream>.}}
    sched.wait on %s0 for %e
    // expected-remark @below {{effects: write <Stream>.}}
    sched.join %s1 into %s0
    // expected-remark @below {{effects: those of its regions.}}
    sched.segment {
      // expected-remark @below {{effects: write <Stream>, those of its regions.}}
      sched.launch on %s0 {
        // expected-remark @below {{effects: read operand 0, write operand 1.}}
        memref.copy %x, %y : memref<4xf32> to memref<4xf32>
      }
    }
    // expected-remark @below {{effects: those of its regions.}}
    sched.eager {
    }
  }
  // expected-remark @below {{effects: those of its regions.}}
  sched.dispatch on %t otherwise {
  }
  // expected-remark @below {{effects: none.}}
  return
}
