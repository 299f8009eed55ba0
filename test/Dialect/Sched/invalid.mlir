// RUN: braid-opt %s --split-input-file --verify-diagnostics

// A schedule runs on at least the caller's stream.
func.func @invalid() {
  // expected-error @below {{'sched.schedule' op owns no stream; expected at least stream 0, the caller's}}
  sched.schedule() {
  }
  return
}

// -----

// Its block arguments are streams (generic form only).
func.func @invalid() {
  // expected-error @below {{'sched.schedule' op block argument 1 has type 'index'; expected !sched.stream}}
  "sched.schedule"() ({
  ^bb0(%s0: !sched.stream, %i: index):
  }) : () -> ()
  return
}

// -----

// Schedules nest through calls only.
func.func @invalid() {
  // expected-note @below {{the other schedule is here}}
  sched.schedule(%s0) {
    // expected-error @below {{'sched.schedule' op lies inside another schedule; call a function instead}}
    sched.schedule(%s1) {
    }
  }
  return
}

// -----

// The number of events is a number of slots.
func.func @invalid() {
  // expected-error @below {{'sched.schedule' op attribute 'events' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  sched.schedule(%s0) events(-1) {
  }
  return
}

// -----

// A segment belongs to a schedule.
func.func @invalid() {
  // expected-error @below {{'sched.segment' op expected to lie in a 'sched.schedule'}}
  sched.segment {
  }
  return
}

// -----

// So does an eager region.
func.func @invalid() {
  // expected-error @below {{'sched.eager' op expected to lie in a 'sched.schedule'}}
  sched.eager {
  }
  return
}

// -----

// A graph holds no break.
func.func @invalid() {
  sched.schedule(%s0) {
    // expected-note @below {{the enclosing op is here}}
    sched.segment {
      // expected-error @below {{'sched.eager' op must not lie inside 'sched.segment'}}
      sched.eager {
      }
    }
  }
  return
}

// -----

// A break holds no graph.
func.func @invalid() {
  sched.schedule(%s0) {
    // expected-note @below {{the enclosing op is here}}
    sched.eager {
      // expected-error @below {{'sched.segment' op must not lie inside 'sched.eager'}}
      sched.segment {
      }
    }
  }
  return
}

// -----

// Regions of segments have no arguments (generic form only).
func.func @invalid() {
  sched.schedule(%s0) {
    // expected-error @below {{'sched.segment' op region should have no arguments}}
    "sched.segment"() ({
    ^bb0(%i: index):
    }) : () -> ()
  }
  return
}

// -----

// A launch has an op.
func.func @invalid() {
  sched.schedule(%s0) {
    // expected-error @below {{'sched.launch' op expected exactly one op to launch, got 0}}
    sched.launch on %s0 {
    }
  }
  return
}

// -----

// And no second one.
func.func @invalid(%x: memref<4xf32>, %y: memref<4xf32>) {
  sched.schedule(%s0) {
    // expected-error @below {{'sched.launch' op expected exactly one op to launch, got 2}}
    sched.launch on %s0 {
      memref.copy %x, %y : memref<4xf32> to memref<4xf32>
      memref.copy %x, %y : memref<4xf32> to memref<4xf32>
    }
  }
  return
}

// -----

// It is an op that the runtime has a kernel for.
func.func @invalid() {
  sched.schedule(%s0) {
    // expected-error @below {{'sched.launch' op cannot launch 'arith.constant': it does not implement SchedulableOpInterface}}
    sched.launch on %s0 {
      // expected-note @below {{the op to launch is here}}
      %0 = arith.constant 1 : index
    }
  }
  return
}

// -----

// It works on buffers: no result.
func.func @invalid(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  sched.schedule(%s0) {
    // expected-error @below {{'sched.launch' op cannot launch an op on tensors; bufferize it first}}
    sched.launch on %s0 {
      // expected-note @below {{the op to launch is here}}
      %0 = prefill.rms_norm %x into %y {eps = 0.0 : f64} : tensor<4x8xf32> -> tensor<4x8xf32>
    }
  }
  return
}

// -----

// Nor a tensor among the operands.
func.func @invalid(%x: tensor<4x8xf32>, %s: tensor<4xi64>, %c: memref<?x?x8xf32>) {
  sched.schedule(%s0) {
    // expected-error @below {{'sched.launch' op cannot launch an op on tensors; bufferize it first}}
    sched.launch on %s0 {
      // expected-note @below {{the op to launch is here}}
      prefill.cache_insert %x at %s into %c : tensor<4x8xf32>, tensor<4xi64> -> memref<?x?x8xf32>
    }
  }
  return
}

// -----

// A dispatch has a body more than bounds (generic form only).
func.func @invalid(%t: index) {
  // expected-error @below {{'sched.dispatch' op has 2 bounds and 2 regions; expected one region more than bounds}}
  "sched.dispatch"(%t) <{bounds = array<i64: 1, 2>}> ({
  ^bb0:
  }, {
  ^bb0:
  }) : (index) -> ()
  return
}

// -----

// Every range has a member: the first.
func.func @invalid(%t: index) {
  // expected-error @below {{'sched.dispatch' op bound 0 is -1; expected more than -1, so that every token range has a member}}
  sched.dispatch on %t upto -1 {
  } otherwise {
  }
  return
}

// -----

// And each later one.
func.func @invalid(%t: index) {
  // expected-error @below {{'sched.dispatch' op bound 1 is 16; expected more than 16, so that every token range has a member}}
  sched.dispatch on %t upto 16 {
  } upto 16 {
  } otherwise {
  }
  return
}

// -----

// A gate is one threshold.
func.func @invalid(%t: index) {
  // expected-error @below {{'sched.dispatch' op has a gate and 2 bounds; expected one, the token threshold}}
  sched.dispatch on %t upto 16 {
  } upto 32 {
  } otherwise {
  } {gate}
  return
}

// -----

// The token count chooses between schedules, not inside one.
func.func @invalid(%t: index) {
  // expected-note @below {{the schedule is here}}
  sched.schedule(%s0) {
    // expected-error @below {{'sched.dispatch' op chooses between whole schedules; it must not lie in one}}
    sched.dispatch on %t otherwise {
    }
  }
  return
}

// -----

// A wait has an event.
func.func @invalid() {
  sched.schedule(%s0) {
    // expected-error @below {{'sched.wait' op waits for nothing; expected at least one event}}
    sched.wait on %s0 for
  }
  return
}

// -----

// No event enters a segment.
func.func @invalid() {
  sched.schedule(%s0, %s1) {
    // expected-note @below {{the event is recorded here}}
    %e = sched.record on %s0
    // expected-note @below {{the region begins here}}
    sched.segment {
      // expected-error @below {{'sched.wait' op waits for an event from outside its 'sched.segment'; no event crosses that edge}}
      sched.wait on %s1 for %e
    }
  }
  return
}

// -----

// Nor an eager region; the offending event is the second one.
func.func @invalid() {
  sched.schedule(%s0, %s1) {
    // expected-note @below {{the event is recorded here}}
    %e = sched.record on %s0
    // expected-note @below {{the region begins here}}
    sched.eager {
      %f = sched.record on %s0
      // expected-error @below {{'sched.wait' op waits for an event from outside its 'sched.eager'; no event crosses that edge}}
      sched.wait on %s1 for %f, %e
    }
  }
  return
}

// -----

// Nor a schedule.
func.func @invalid(%s: !sched.stream) {
  // expected-note @below {{the event is recorded here}}
  %e = sched.record on %s
  // expected-note @below {{the region begins here}}
  sched.schedule(%s0) {
    // expected-error @below {{'sched.wait' op waits for an event from outside its 'sched.schedule'; no event crosses that edge}}
    sched.wait on %s0 for %e
  }
  return
}

// -----

// Slots count from 0.
func.func @invalid() {
  sched.schedule(%s0) {
    // expected-error @below {{'sched.record' op attribute 'slot' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
    %e = sched.record on %s0 slot -1
  }
  return
}

// -----

// A fork has a branch.
func.func @invalid() {
  sched.schedule(%s0) {
    // expected-error @below {{'sched.fork' op names no branch; expected at least one stream}}
    sched.fork %s0 to
  }
  return
}

// -----

// Branches differ from each other.
func.func @invalid() {
  sched.schedule(%s0, %s1) {
    // expected-error @below {{'sched.fork' op names a stream twice}}
    sched.fork %s0 to %s1, %s1
  }
  return
}

// -----

// And from the origin.
func.func @invalid() {
  sched.schedule(%s0, %s1) {
    // expected-error @below {{'sched.fork' op names a stream twice}}
    sched.fork %s0 to %s1, %s0
  }
  return
}

// -----

// A join has a branch (generic form only).
func.func @invalid() {
  sched.schedule(%s0) {
    // expected-error @below {{'sched.join' op names no branch; expected at least one stream}}
    "sched.join"(%s0) : (!sched.stream) -> ()
  }
  return
}

// -----

// A stream does not join itself.
func.func @invalid() {
  sched.schedule(%s0, %s1) {
    // expected-error @below {{'sched.join' op names a stream twice}}
    sched.join %s1, %s0 into %s0
  }
  return
}

// -----

// The one dynamic extent of a buffer is the token count.
func.func @invalid(%t: index) {
  // expected-error @below {{'sched.alloc' op buffer of type 'memref<?x?xf32>' has 2 dynamic extents; expected at most one, the token count}}
  %0 = sched.alloc(%t) : memref<?x?xf32>
  return
}

// -----

// A dynamic extent needs the token count.
func.func @invalid() {
  // expected-error @below {{'sched.alloc' op buffer of type 'memref<?x8xf32>' has a dynamic extent, but the op has no token count}}
  %0 = sched.alloc : memref<?x8xf32>
  return
}

// -----

// A static buffer has no use for it.
func.func @invalid(%t: index) {
  // expected-error @below {{'sched.alloc' op buffer of type 'memref<4x8xf32>' has no dynamic extent, but the op has a token count}}
  %0 = sched.alloc(%t) : memref<4x8xf32>
  return
}

// -----

// Buffers are contiguous.
func.func @invalid() {
  // expected-error @below {{'sched.alloc' op buffer has layout strided<[16, 1]>; expected a contiguous buffer}}
  %0 = sched.alloc : memref<4x8xf32, strided<[16, 1]>>
  return
}

// -----

// The size of an element is known.
func.func @invalid() {
  // expected-error @below {{'sched.alloc' op buffer has element type 'index'; expected integers or floats}}
  %0 = sched.alloc : memref<4xindex>
  return
}

// -----

// Places keep the alignment of buffers.
func.func @invalid() {
  // expected-error @below {{expected non-negative multiples of 256, got 100}}
  %0 = sched.alloc at <0, 100> : memref<4xf32>
  return
}

// -----

// A workspace has no negative part.
// expected-error @below {{expected non-negative multiples of 256, got -256}}
module attributes {test.a = #sched.linear<-256, 0>} {
}

// -----

// The dialect knows one attribute of arguments; a slip is found.
// expected-error @below {{'func.func' op has unknown argument attribute 'sched.token'; the sched dialect knows 'sched.tokens' and 'sched.access'}}
func.func @invalid(%x: memref<?x8xf32> {sched.token}) {
  return
}

// -----

// It has no value.
// expected-error @below {{'func.func' op expected 'sched.tokens' to be a unit attribute}}
func.func @invalid(%x: memref<?x8xf32> {sched.tokens = 4}) {
  return
}

// -----

// It says what the leading extent is, so there is one, ...
// expected-error @below {{'func.func' op argument 0 carries 'sched.tokens' but has type 'memref<f32>'; expected a tensor or memref with a dynamic leading extent}}
func.func @invalid(%x: memref<f32> {sched.tokens}) {
  return
}

// -----

// ... and it is dynamic, ...
// expected-error @below {{'func.func' op argument 1 carries 'sched.tokens' but has type 'tensor<4x?xf32>'; expected a tensor or memref with a dynamic leading extent}}
func.func @invalid(%x: memref<f32>, %y: tensor<4x?xf32> {sched.tokens}) {
  return
}

// -----

// ... of an array.
// expected-error @below {{'func.func' op argument 0 carries 'sched.tokens' but has type 'index'; expected a tensor or memref with a dynamic leading extent}}
func.func @invalid(%x: index {sched.tokens}) {
  return
}
