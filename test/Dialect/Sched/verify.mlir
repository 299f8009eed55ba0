// RUN: braid-opt %s --sched-verify --verify-diagnostics | FileCheck %s
// RUN: braid-opt %s | FileCheck %s

// Schedules that are accepted, and that come out as they went in. Their twins
// that are refused are in verify-invalid.mlir and beside it.

#safe = #sched.effect_class<graph_safe>
#host = #sched.effect_class<host_metadata>

// The program's own order on one stream orders everything.
// CHECK-LABEL: func @serial
// CHECK: sched.launch
// CHECK: sched.launch
func.func @serial(%x: memref<?x8xf32>, %y: memref<?x8xf32>, %t: index) {
  sched.schedule(%s0) tokens(%t) {
    %a = sched.alloc(%t) : memref<?x8xf32>
    sched.launch on %s0 {
      prefill.kernel @a ins(%x : memref<?x8xf32>) outs(%a : memref<?x8xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @b ins(%a : memref<?x8xf32>) outs(%y : memref<?x8xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @c ins(%y : memref<?x8xf32>) outs(%x : memref<?x8xf32>) {effect = #safe}
    }
  }
  return
}

// The four GEMMs that read the hidden states: one start event, one done event a
// branch, the main one on stream 0. A chain goes on where it is; the query
// waits for the norm and one GEMM only. One eager break, with a fork of its own.
// CHECK-LABEL: func @layer
func.func @layer(%x: memref<?x8xf32> {sched.tokens}, %slots: memref<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>}, %lengths: memref<?xi32> {prefill.metadata = #prefill.metadata<host>}, %state: memref<?x8xf32>, %cache: memref<?x8xf32>, %y: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  sched.schedule(%s0, %s1, %s2, %s3) tokens(%t) workspace(#sched.linear<1536, 0>) events(4) {
    %a = sched.alloc(%t) at <0, 0> : memref<?x8xf32>
    %b = sched.alloc(%t) at <256, 0> : memref<?x8xf32>
    %c = sched.alloc(%t) at <512, 0> : memref<?x8xf32>
    %d = sched.alloc(%t) at <768, 0> : memref<?x8xf32>
    // Takes the bytes of %a when all that read it are done.
    %q = sched.alloc(%t) at <1024, 0> : memref<?x8xf32>
    %o = sched.alloc(%t) at <0, 0> : memref<?x8xf32>
    sched.segment "before" {
      %start = sched.record on %s0 slot 0
      sched.wait on %s1 for %start
      sched.launch on %s1 {
        prefill.kernel @gemm_b ins(%x : memref<?x8xf32>) outs(%b : memref<?x8xf32>) {effect = #safe}
      }
      sched.launch on %s1 {
        prefill.kernel @compress ins(%b, %slots : memref<?x8xf32>, memref<?xi64>) caches(%state, %cache : memref<?x8xf32>, memref<?x8xf32>) {cache_access = [#sched.access<read_write>, #sched.access<write>], effect = #sched.effect_class<device_metadata>}
      }
      %done1 = sched.record on %s1 slot 1
      sched.wait on %s2 for %start
      sched.launch on %s2 {
        prefill.kernel @gemm_c ins(%x : memref<?x8xf32>) outs(%c : memref<?x8xf32>) {effect = #safe}
      }
      sched.wait on %s3 for %start
      sched.launch on %s3 {
        prefill.kernel @gemm_d ins(%x : memref<?x8xf32>) outs(%d : memref<?x8xf32>) {effect = #safe}
      }
      %done3 = sched.record on %s3 slot 3
      sched.launch on %s0 {
        prefill.kernel @gemm_a ins(%x : memref<?x8xf32>) outs(%a : memref<?x8xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @norm ins(%a : memref<?x8xf32>) outs(%a : memref<?x8xf32>) {effect = #safe}
      }
      // The first event is no longer needed.
      %norm = sched.record on %s0 slot 0
      sched.wait on %s2 for %norm
      sched.launch on %s2 {
        prefill.kernel @index_query ins(%a, %c : memref<?x8xf32>, memref<?x8xf32>) outs(%q : memref<?x8xf32>) {effect = #safe}
      }
      %done2 = sched.record on %s2 slot 2
      sched.wait on %s0 for %done1, %done2, %done3
    }
    sched.eager "break" {
      sched.launch on %s0 {
        prefill.kernel @attend ins(%q, %d, %lengths : memref<?x8xf32>, memref<?x8xf32>, memref<?xi32>) caches(%cache : memref<?x8xf32>) outs(%o : memref<?x8xf32>) {cache_access = [#sched.access<read>], effect = #host}
      }
    }
    sched.segment "after" {
      sched.fork %s0 to %s3
      sched.launch on %s3 {
        prefill.kernel @left ins(%o : memref<?x8xf32>) outs(%b : memref<?x8xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @right ins(%o : memref<?x8xf32>) outs(%c : memref<?x8xf32>) {effect = #safe}
      }
      sched.join %s3 into %s0
      sched.launch on %s0 {
        prefill.kernel @add ins(%b, %c : memref<?x8xf32>, memref<?x8xf32>) outs(%y : memref<?x8xf32>) {effect = #safe}
      }
    }
  }
  return
}

// Reads do not conflict, and several streams may be nested.
// CHECK-LABEL: func @nested
func.func @nested(%x: memref<4xf32>, %a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) {
  sched.schedule(%s0, %s1, %s2) {
    sched.eager {
      sched.fork %s0 to %s1
      sched.launch on %s0 {
        prefill.kernel @a ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) {effect = #safe}
      }
      sched.launch on %s1 {
        prefill.kernel @b ins(%x : memref<4xf32>) outs(%b : memref<4xf32>) {effect = #safe}
      }
      sched.fork %s1 to %s2
      sched.launch on %s2 {
        prefill.kernel @c ins(%x, %b : memref<4xf32>, memref<4xf32>) outs(%c : memref<4xf32>) {effect = #safe}
      }
      sched.launch on %s1 {
        prefill.kernel @d ins(%x, %b : memref<4xf32>, memref<4xf32>) {effect = #safe}
      }
      sched.join %s2 into %s1
      sched.join %s1 into %s0
      sched.launch on %s0 {
        prefill.kernel @e ins(%a, %c : memref<4xf32>, memref<4xf32>) outs(%x : memref<4xf32>) {effect = #safe}
      }
    }
  }
  return
}

// Each range is a schedule of its own; above the threshold one stream.
// CHECK-LABEL: func @dispatch
func.func @dispatch(%x: memref<?x8xf32>, %y: memref<?x8xf32>, %z: memref<?x8xf32>, %t: index) {
  sched.dispatch on %t upto 4096 {
    sched.schedule(%s0, %s1) tokens(%t) {
      sched.segment {
        sched.fork %s0 to %s1
        sched.launch on %s1 {
          prefill.kernel @a ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>) {effect = #safe}
        }
        sched.launch on %s0 {
          prefill.kernel @b ins(%x : memref<?x8xf32>) outs(%z : memref<?x8xf32>) {effect = #safe}
        }
        sched.join %s1 into %s0
      }
    }
  } otherwise {
    sched.schedule(%s0) tokens(%t) {
      sched.segment {
        sched.launch on %s0 {
          prefill.kernel @a ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>) {effect = #safe}
        }
        sched.launch on %s0 {
          prefill.kernel @b ins(%x : memref<?x8xf32>) outs(%z : memref<?x8xf32>) {effect = #safe}
        }
      }
    }
  }
  return
}

// Layers are calls, one after the other on stream 0; one value may be passed
// twice. A side branch beside a call that captures nothing is joined later.
func.func @stage(%x: memref<4xf32>, %y: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.eager {
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        prefill.kernel @f ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
  }
  return
}
// CHECK-LABEL: func @model
func.func @model(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side ins(%x : memref<4xf32>) outs(%z : memref<4xf32>) {effect = #safe}
    }
    func.call @stage(%x, %y) : (memref<4xf32>, memref<4xf32>) -> ()
    func.call @stage(%y, %y) : (memref<4xf32>, memref<4xf32>) -> ()
    sched.join %s1 into %s0
    func.call @stage(%z, %x) : (memref<4xf32>, memref<4xf32>) -> ()
  }
  return
}

// A pipeline of two stages over a loop: the second one of an iteration runs
// beside the first one of the next, with two buffers and carried events.
// CHECK-LABEL: func @pipeline
func.func @pipeline(%x: memref<4xf32>, %y: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    %a = sched.alloc at <0, 0> : memref<4xf32>
    %b = sched.alloc at <0, 256> : memref<4xf32>
    sched.fork %s0 to %s1
    %begin = sched.record on %s1 slot 0
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%free = %begin) -> !sched.event {
      sched.launch on %s0 {
        prefill.kernel @first ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) {effect = #safe}
      }
      sched.wait on %s0 for %free
      sched.launch on %s0 {
        memref.copy %a, %b : memref<4xf32> to memref<4xf32>
      }
      %full = sched.record on %s0 slot 1
      sched.wait on %s1 for %full
      sched.launch on %s1 {
        prefill.kernel @second ins(%b : memref<4xf32>) outs(%y : memref<4xf32>) {effect = #safe}
      }
      %next = sched.record on %s1 slot 0
      scf.yield %next : !sched.event
    }
    sched.wait on %s0 for %end
  }
  return
}

// Both paths leave the streams joined; one of them uses a side stream.
// CHECK-LABEL: func @choice
func.func @choice(%x: memref<4xf32>, %y: memref<4xf32>, %c: i1) {
  sched.schedule(%s0, %s1) {
    %a = sched.alloc : memref<4xf32>
    sched.eager {
      scf.if %c {
        sched.fork %s0 to %s1
        sched.launch on %s1 {
          prefill.kernel @f ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) {effect = #safe}
        }
        sched.join %s1 into %s0
      } else {
        sched.launch on %s0 {
          prefill.kernel @g ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) {effect = #safe}
        }
      }
      sched.launch on %s0 {
        prefill.kernel @h ins(%a : memref<4xf32>) outs(%y : memref<4xf32>) {effect = #safe}
      }
    }
  }
  return
}

// Nothing to do.
// CHECK-LABEL: func @empty
func.func @empty() {
  sched.schedule(%s0, %s1) {
    sched.segment {
    }
    sched.eager {
    }
  }
  return
}
