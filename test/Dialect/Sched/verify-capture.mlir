// RUN: braid-opt %s --sched-verify --verify-diagnostics

// What a segment may hold. Programs that differ in one attribute, or in the kind
// of the region, stand side by side.

#safe = #sched.effect_class<graph_safe>
#meta = #sched.effect_class<device_metadata>
#host = #sched.effect_class<host_metadata>

//===----------------------------------------------------------------------===//
// Metadata: one program, three settings
//===----------------------------------------------------------------------===//

func.func @persistent(%x: memref<?x8xf32>, %slots: memref<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "slots"}, %cache: memref<?x?x8xf32>) {
  sched.schedule(%s0) {
    sched.segment {
      sched.launch on %s0 {
        prefill.cache_insert %x at %slots into %cache : memref<?x8xf32>, memref<?xi64> -> memref<?x?x8xf32>
      }
    }
  }
  return
}

// expected-note @below {{the operand comes from here}}
func.func @transient(%x: memref<?x8xf32>, %slots: memref<?xi64> {prefill.metadata = #prefill.metadata<device, transient>, prefill.name = "slots"}, %cache: memref<?x?x8xf32>) {
  sched.schedule(%s0) {
    // expected-note @below {{the segment begins here}}
    sched.segment {
      sched.launch on %s0 {
        // expected-error @below {{'prefill.cache_insert' op must not be captured: it reads 'slots', device metadata whose address may change from call to call}}
        prefill.cache_insert %x at %slots into %cache : memref<?x8xf32>, memref<?xi64> -> memref<?x?x8xf32>
      }
    }
  }
  return
}

// expected-note @below {{the operand comes from here}}
func.func @host(%x: memref<?x8xf32>, %slots: memref<?xi64> {prefill.metadata = #prefill.metadata<host>}, %cache: memref<?x?x8xf32>) {
  sched.schedule(%s0) {
    // expected-note @below {{the segment begins here}}
    sched.segment {
      sched.launch on %s0 {
        // expected-error @below {{'prefill.cache_insert' op must not be captured: the host reads argument 1 while it enqueues the op}}
        prefill.cache_insert %x at %slots into %cache : memref<?x8xf32>, memref<?xi64> -> memref<?x?x8xf32>
      }
    }
  }
  return
}

// All three may be enqueued anew for each call.
func.func @eager(%x: memref<?x8xf32>, %a: memref<?xi64> {prefill.metadata = #prefill.metadata<device, transient>}, %b: memref<?xi64> {prefill.metadata = #prefill.metadata<host>}, %cache: memref<?x?x8xf32>) {
  sched.schedule(%s0) {
    sched.eager {
      sched.launch on %s0 {
        prefill.cache_insert %x at %a into %cache : memref<?x8xf32>, memref<?xi64> -> memref<?x?x8xf32>
      }
      sched.launch on %s0 {
        prefill.cache_insert %x at %b into %cache : memref<?x8xf32>, memref<?xi64> -> memref<?x?x8xf32>
      }
    }
    sched.launch on %s0 {
      prefill.cache_insert %x at %b into %cache : memref<?x8xf32>, memref<?xi64> -> memref<?x?x8xf32>
    }
  }
  return
}

// Through a view, too.
// expected-note @below {{the operand comes from here}}
func.func @transient_view(%x: memref<4x8xf32>, %slots: memref<8xi64> {prefill.metadata = #prefill.metadata<device, transient>}, %cache: memref<?x?x8xf32>) {
  %half = memref.subview %slots[0] [4] [1] : memref<8xi64> to memref<4xi64, strided<[1]>>
  sched.schedule(%s0) {
    // expected-note @below {{the segment begins here}}
    sched.segment {
      sched.launch on %s0 {
        // expected-error @below {{'prefill.cache_insert' op must not be captured: it reads argument 1, device metadata}}
        prefill.cache_insert %x at %half into %cache : memref<4x8xf32>, memref<4xi64, strided<[1]>> -> memref<?x?x8xf32>
      }
    }
  }
  return
}

//===----------------------------------------------------------------------===//
// Effect classes: one program, four settings
//===----------------------------------------------------------------------===//

func.func @graph_safe(%x: memref<4xf32>) {
  sched.schedule(%s0) {
    sched.segment {
      sched.launch on %s0 {
        prefill.kernel @k outs(%x : memref<4xf32>) {effect = #safe}
      }
    }
  }
  return
}

func.func @device_metadata(%x: memref<4xf32>) {
  sched.schedule(%s0) {
    sched.segment {
      sched.launch on %s0 {
        prefill.kernel @k outs(%x : memref<4xf32>) {effect = #meta}
      }
    }
  }
  return
}

func.func @host_metadata(%x: memref<4xf32>) {
  sched.schedule(%s0) {
    // expected-note @below {{the segment begins here}}
    sched.segment {
      sched.launch on %s0 {
        // expected-error @below {{'prefill.kernel' op must not be captured: it needs a host value}}
        prefill.kernel @k outs(%x : memref<4xf32>) {effect = #host}
      }
    }
  }
  return
}

func.func @init(%x: memref<4xf32>) {
  sched.schedule(%s0) {
    // expected-note @below {{the segment begins here}}
    sched.segment {
      sched.launch on %s0 {
        // expected-error @below {{'prefill.kernel' op must not be captured: it runs once at load}}
        prefill.kernel @k outs(%x : memref<4xf32>) {effect = #sched.effect_class<init>}
      }
    }
  }
  return
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

func.func private @layer(memref<4xf32>)

func.func @call_in_segment(%x: memref<4xf32>) {
  sched.schedule(%s0) {
    // expected-note @below {{the segment begins here}}
    sched.segment {
      // expected-error @below {{'func.call' op must not be captured: the callee forms its own segments; expected the call outside, or in a 'sched.eager'}}
      func.call @layer(%x) : (memref<4xf32>) -> ()
    }
  }
  return
}

func.func @call_outside(%x: memref<4xf32>) {
  sched.schedule(%s0) {
    sched.segment {
    }
    func.call @layer(%x) : (memref<4xf32>) -> ()
    sched.eager {
      func.call @layer(%x) : (memref<4xf32>) -> ()
    }
  }
  return
}

//===----------------------------------------------------------------------===//
// What the host decides
//===----------------------------------------------------------------------===//

// A branch on a value of the host is taken at capture and never again: a short
// context at capture, a long one at a replay.
// expected-note @below {{the value comes from here}}
func.func @branch(%x: memref<4xf32>, %longest: index) {
  %c8 = arith.constant 8 : index
  %short = arith.cmpi ult, %longest, %c8 : index
  sched.schedule(%s0) {
    // expected-note @below {{the segment begins here}}
    sched.segment {
      // expected-error @below {{'scf.if' op must not be captured: the host decides by a value that may differ at a replay; expected constants and token counts only}}
      scf.if %short {
        sched.launch on %s0 {
          prefill.kernel @k outs(%x : memref<4xf32>) {effect = #safe}
        }
      }
    }
  }
  return
}

// The token count is the same for every replay of a graph.
func.func @branch_on_tokens(%x: memref<?x4xf32>, %t: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %rows = memref.dim %x, %c0 : memref<?x4xf32>
  %few = arith.cmpi ult, %t, %c8 : index
  %small = arith.cmpi ult, %rows, %c8 : index
  %both = arith.andi %few, %small : i1
  sched.schedule(%s0) tokens(%t) {
    sched.segment {
      scf.if %both {
        sched.launch on %s0 {
          prefill.kernel @k outs(%x : memref<?x4xf32>) {effect = #safe}
        }
      }
    }
  }
  return
}

// In an eager region the host decides anew.
func.func @branch_in_eager(%x: memref<4xf32>, %c: i1) {
  sched.schedule(%s0) {
    sched.eager {
      scf.if %c {
        sched.launch on %s0 {
          prefill.kernel @k outs(%x : memref<4xf32>) {effect = #safe}
        }
      }
    }
  }
  return
}

// So with loops; the variable of a loop in the segment is as good as its bounds,
// that of a loop around it is not.
// expected-note @below {{the value comes from here}}
func.func @loop(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  sched.schedule(%s0) {
    // expected-note @below {{the segment begins here}}
    sched.segment {
      scf.for %i = %c0 to %c4 step %c1 {
        scf.for %j = %c0 to %i step %c1 {
        }
      }
      // expected-error @below {{'scf.for' op must not be captured}}
      scf.for %i = %c0 to %n step %c1 {
      }
    }
    // expected-note @below {{the value comes from here}}
    scf.for %i = %c0 to %n step %c1 {
      // expected-note @below {{the segment begins here}}
      sched.segment {
        // expected-error @below {{'scf.for' op must not be captured}}
        scf.for %j = %c0 to %i step %c1 {
        }
      }
    }
  }
  return
}
