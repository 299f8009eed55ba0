// RUN: braid-test-opt %s --split-input-file --test-print-happens-before --verify-diagnostics -o /dev/null

// A record and a wait order what stands before the one and behind the other, and
// no more: launch 2 comes after the record.
func.func @recordWait(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>) {
  sched.schedule(%s0, %s1) {
    // expected-remark @below {{launch 0 after none; unordered with none.}}
    sched.launch on %s0 { prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32> }
    %e = sched.record on %s0
    // expected-remark @below {{launch 1 after 0; unordered with none.}}
    sched.launch on %s0 { prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32> }
    sched.wait on %s1 for %e
    // expected-remark @below {{launch 2 after 0; unordered with 1.}}
    sched.launch on %s1 { prefill.rms_norm %a into %c {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32> }
    %f = sched.record on %s1
    sched.wait on %s0 for %f
    // expected-remark @below {{launch 3 after 0, 1, 2; unordered with none.}}
    sched.launch on %s0 { prefill.rms_norm %c into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32> }
  }
  return
}

// -----

// Fork and join say the same; the branches are not ordered among each other.
func.func @forkJoin(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>) {
  sched.schedule(%s0, %s1, %s2) {
    // expected-remark @below {{launch 0 after none; unordered with none.}}
    sched.launch on %s0 { prefill.rms_norm %x into %x {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32> }
    sched.fork %s0 to %s1, %s2
    // expected-remark @below {{launch 1 after 0; unordered with none.}}
    sched.launch on %s1 { prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32> }
    // expected-remark @below {{launch 2 after 0; unordered with 1.}}
    sched.launch on %s2 { prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32> }
    sched.join %s1 into %s0
    // expected-remark @below {{launch 3 after 0, 1; unordered with 2.}}
    sched.launch on %s0 { prefill.rms_norm %a into %c {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32> }
    sched.join %s2 into %s0
    // expected-remark @below {{launch 4 after 0, 1, 2, 3; unordered with none.}}
    sched.launch on %s0 { prefill.rms_norm %b into %c {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32> }
  }
  return
}

// -----

// Segments and eager regions stand on stream 0: what is joined in one is done
// before the next one begins.
func.func @regions(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>) {
  sched.schedule(%s0, %s1) {
    sched.segment {
      sched.fork %s0 to %s1
      // expected-remark @below {{launch 0 after none; unordered with none.}}
      sched.launch on %s0 { prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32> }
      // expected-remark @below {{launch 1 after none; unordered with 0.}}
      sched.launch on %s1 { prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32> }
      sched.join %s1 into %s0
    }
    sched.eager {
      sched.fork %s0 to %s1
      // expected-remark @below {{launch 2 after 0, 1; unordered with none.}}
      sched.launch on %s1 { prefill.rms_norm %b into %c {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32> }
      sched.join %s1 into %s0
    }
  }
  return
}

// -----

// A loop that carries an event: each iteration waits for the one before on the
// other stream. Its first launch does not wait for itself... it is on one stream,
// so it does; the launch on the other stream is ordered by the event alone.
func.func @carried(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    %e = sched.record on %s1
    %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %e) -> (!sched.event) {
      sched.wait on %s0 for %before
      // expected-remark @below {{launch 0 after none; unordered with none; of the iteration before after 0, 1; unordered with none.}}
      sched.launch on %s0 { prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32> }
      // expected-remark @below {{launch 1 after none; unordered with 0; of the iteration before after 1; unordered with none.}}
      sched.launch on %s1 { prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32> }
      %next = sched.record on %s1
      scf.yield %next : !sched.event
    }
    sched.wait on %s0 for %last
    // expected-remark @below {{launch 2 after 0, 1; unordered with none.}}
    sched.launch on %s0 { prefill.rms_norm %b into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32> }
  }
  return
}

// -----

// Negative twin: the event is not handed on, so nothing orders launch 1 of one
// iteration before launch 0 of the next.
func.func @notCarried(%x: memref<4x8xf32>, %a: memref<4x8xf32>, %b: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    %e = sched.record on %s1
    scf.for %i = %c0 to %c4 step %c1 {
      sched.wait on %s0 for %e
      // expected-remark @below {{launch 0 after none; unordered with none; of the iteration before after 0; unordered with 1.}}
      sched.launch on %s0 { prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32> }
      // expected-remark @below {{launch 1 after none; unordered with 0; of the iteration before after 1; unordered with none.}}
      sched.launch on %s1 { prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32> }
    }
    sched.join %s1 into %s0
  }
  return
}
