module {
  func.func @schedules(%arg0: index) {
    sched.schedule(%s0) {
    }
    sched.schedule(%s0, %s1, %s2) tokens(%arg0) workspace(#sched.linear<6144, 256>) events(2) attributes {note = 1 : i64} {
      sched.fork %s0 to %s1, %s2
      sched.join %s1, %s2 into %s0
    }
    return
  }
  func.func @regions(%arg0: memref<4x8xf32>, %arg1: memref<4x8xf32>) {
    sched.schedule(%s0) {
      sched.segment "first" {
        sched.launch on %s0 {
          prefill.rms_norm %arg0 into %arg1 {eps = 0.000000e+00 : f64} : memref<4x8xf32> -> memref<4x8xf32>
        }
      }
      sched.eager attributes {note = 1 : i64} {
        sched.launch on %s0 attributes {note = 2 : i64} {
          memref.copy %arg0, %arg1 : memref<4x8xf32> to memref<4x8xf32>
        }
      }
      sched.segment {
      }
    }
    return
  }
  func.func @events() {
    sched.schedule(%s0, %s1, %s2) {
      %e = sched.record on %s0
      sched.wait on %s1 for %e
      %e_0 = sched.record on %s1 slot 0
      %e_1 = sched.record on %s2 slot 5
      sched.wait on %s0 for %e_0, %e_1
    }
    return
  }
  func.func @buffers(%arg0: index) {
    sched.schedule(%s0) tokens(%arg0) {
      %buf = sched.alloc : memref<4x8xf32>
      %buf_0 = sched.alloc(%arg0) : memref<?x8xbf16>
      %buf_1 = sched.alloc(%arg0) at <512, 256> {note = 1 : i64} : memref<4x?xf8E4M3FN>
      %buf_2 = sched.alloc : memref<f32>
    }
    return
  }
  func.func @dispatch(%arg0: index) {
    sched.dispatch on %arg0 upto 0 {
    } upto 4096 {
      sched.schedule(%s0) tokens(%arg0) {
      }
    } otherwise {
    } {note = 1 : i64}
    sched.dispatch on %arg0 otherwise {
    }
    return
  }
  func.func private @types(!sched.stream, !sched.event)
}

