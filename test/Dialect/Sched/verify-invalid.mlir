// RUN: braid-opt %s --sched-verify --verify-diagnostics

// Each error stands beside a twin that differs from it in one place and is
// accepted.

#safe = #sched.effect_class<graph_safe>

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

// A read on stream 0 of what stream 1 writes: the join comes too late.
// expected-note @below {{'q' is here}}
func.func @read_after_write(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @gemm' writes it here, on %s1}}
      prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'q' (read-after-write), but nothing orders 'prefill.kernel @gemm' on %s1 before 'prefill.kernel @norm' on %s0; expected a record after 'prefill.kernel @gemm' and a wait before 'prefill.kernel @norm'}}
      prefill.kernel @norm ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

func.func @read_after_write_joined(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
    sched.launch on %s0 {
      prefill.kernel @norm ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
  }
  return
}

// The main stream overwrites the hidden states that a side stream still reads.
// expected-note @below {{'q' is here}}
func.func @write_after_read(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @shared' reads it here, on %s1}}
      prefill.kernel @shared ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op writes 'q' (write-after-read), but nothing orders 'prefill.kernel @shared' on %s1 before 'prefill.kernel @next' on %s0; expected a record after 'prefill.kernel @shared' and a wait before 'prefill.kernel @next'}}
      prefill.kernel @next outs(%q : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

func.func @write_after_read_joined(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @shared ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
    sched.launch on %s0 {
      prefill.kernel @next outs(%q : memref<4xf32>) {effect = #safe}
    }
  }
  return
}

// Two writes of one output.
// expected-note @below {{'q' is here}}
func.func @write_after_write(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s0 {
      // expected-note @below {{'prefill.kernel @main' writes it here, on %s0}}
      prefill.kernel @main outs(%q : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s1 {
      // expected-error @below {{'prefill.kernel' op writes 'q' (write-after-write), but nothing orders 'prefill.kernel @main' on %s0 before 'prefill.kernel @side' on %s1; expected a record after 'prefill.kernel @main' and a wait before 'prefill.kernel @side'}}
      prefill.kernel @side outs(%q : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

func.func @write_after_write_forked(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.launch on %s0 {
      prefill.kernel @main outs(%q : memref<4xf32>) {effect = #safe}
    }
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side outs(%q : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// The order of two kernels that meet only in a state cache.
// expected-note @below {{'q' is here}}
func.func @through_state(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @save' writes it here, on %s1}}
      prefill.kernel @save caches(%q : memref<4xf32>) {cache_access = [#sched.access<write>], effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'q' (read-after-write), but nothing orders 'prefill.kernel @save' on %s1 before 'prefill.kernel @compress' on %s0; expected a record after 'prefill.kernel @save' and a wait before 'prefill.kernel @compress'}}
      prefill.kernel @compress caches(%q : memref<4xf32>) {cache_access = [#sched.access<read_write>], effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

func.func @through_state_on_one_stream(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @save caches(%q : memref<4xf32>) {cache_access = [#sched.access<write>], effect = #safe}
    }
    sched.launch on %s1 {
      prefill.kernel @compress caches(%q : memref<4xf32>) {cache_access = [#sched.access<read_write>], effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// A record one op too early.
// expected-note @below {{'q' is here}}
func.func @record_too_early(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    %e = sched.record on %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @gemm' writes it here, on %s1}}
      prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
    }
    sched.wait on %s0 for %e
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'q' (read-after-write), but nothing orders 'prefill.kernel @gemm' on %s1 before 'prefill.kernel @norm' on %s0; expected a record after 'prefill.kernel @gemm' and a wait before 'prefill.kernel @norm'}}
      prefill.kernel @norm ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

func.func @record_in_time(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
    }
    %e = sched.record on %s1
    sched.wait on %s0 for %e
    sched.launch on %s0 {
      prefill.kernel @norm ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// Stream 2 waits for stream 1 before stream 1 waits for stream 0.
// expected-note @below {{'q' is here}}
func.func @not_transitive(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1, %s2) {
    sched.fork %s0 to %s1, %s2
    sched.launch on %s0 {
      // expected-note @below {{'prefill.kernel @a' writes it here, on %s0}}
      prefill.kernel @a outs(%q : memref<4xf32>) {effect = #safe}
    }
    %e0 = sched.record on %s0
    %e1 = sched.record on %s1
    sched.wait on %s1 for %e0
    sched.wait on %s2 for %e1
    sched.launch on %s2 {
      // expected-error @below {{'prefill.kernel' op reads 'q' (read-after-write), but nothing orders 'prefill.kernel @a' on %s0 before 'prefill.kernel @b' on %s2; expected a record after 'prefill.kernel @a' and a wait before 'prefill.kernel @b'}}
      prefill.kernel @b ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1, %s2 into %s0
  }
  return
}

func.func @transitive(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1, %s2) {
    sched.fork %s0 to %s1, %s2
    sched.launch on %s0 {
      prefill.kernel @a outs(%q : memref<4xf32>) {effect = #safe}
    }
    %e0 = sched.record on %s0
    sched.wait on %s1 for %e0
    %e1 = sched.record on %s1
    sched.wait on %s2 for %e1
    sched.launch on %s2 {
      prefill.kernel @b ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1, %s2 into %s0
  }
  return
}

// A view is the buffer that it shows.
// expected-note @below {{'q' is here}}
func.func @view(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    %v = memref.expand_shape %q [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @gemm' writes it here, on %s1}}
      prefill.kernel @gemm outs(%v : memref<2x2xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'q' (read-after-write), but nothing orders 'prefill.kernel @gemm' on %s1 before 'prefill.kernel @norm' on %s0; expected a record after 'prefill.kernel @gemm' and a wait before 'prefill.kernel @norm'}}
      prefill.kernel @norm ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// A name is missing; only the later of two writes is ordered.
// expected-note @below {{argument 0 is here}}
func.func @argument_without_name(%x: memref<4xf32>, %y: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @a outs(%x : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @b' writes it here, on %s1}}
      prefill.kernel @b outs(%x : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads argument 0 (read-after-write), but nothing orders 'prefill.kernel @b' on %s1 before 'prefill.kernel @c' on %s0; expected a record after 'prefill.kernel @b' and a wait before 'prefill.kernel @c'}}
      prefill.kernel @c ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// The host reads lengths while it enqueues the op; no event makes it wait.
// expected-note @below {{'lengths' is here}}
func.func @host_read(%n: memref<2xi32> {prefill.name = "lengths", prefill.metadata = #prefill.metadata<host>}) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      // expected-note @below {{'prefill.kernel @count' writes it here, on %s0}}
      prefill.kernel @count outs(%n : memref<2xi32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'lengths' on the host while it is enqueued, but nothing makes the host wait for 'prefill.kernel @count' on %s0; expected host values from before the schedule}}
      prefill.kernel @plan ins(%n : memref<2xi32>) {effect = #sched.effect_class<host_metadata>}
    }
  }
  return
}

// The same in the workspace, with an op between.
func.func @host_read_workspace(%q: memref<4x8x16xf32>, %w: memref<4x8xf32>, %cache: memref<2x8x16xf32>, %table: memref<1x2xi32>, %offsets: memref<2xi32>, %y: memref<4x8xi32>, %z: memref<4xf32>) {
  sched.schedule(%s0) workspace(#sched.linear<0, 256>) {
    // expected-note @below {{buffer of type 'memref<1xi32>' is here}}
    %lengths = sched.alloc() at <0, 0> : memref<1xi32>
    sched.launch on %s0 {
      // expected-note @below {{'prefill.kernel @count' writes it here, on %s0}}
      prefill.kernel @count outs(%lengths : memref<1xi32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @other outs(%z : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.index_select' op reads a buffer of type 'memref<1xi32>' on the host while it is enqueued, but nothing makes the host wait for 'prefill.kernel @count' on %s0; expected host values from before the schedule}}
      prefill.index_select %q weighted %w from %cache through %table requests(%offsets, %lengths) into %y {ratio = 4 : i64} : memref<4x8x16xf32>, memref<4x8xf32>, memref<2x8x16xf32>, memref<1x2xi32>, memref<2xi32>, memref<1xi32> -> memref<4x8xi32>
    }
  }
  return
}

func.func @host_read_first(%n: memref<2xi32> {prefill.name = "lengths", prefill.metadata = #prefill.metadata<host>}) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      prefill.kernel @plan ins(%n : memref<2xi32>) {effect = #sched.effect_class<host_metadata>}
    }
    sched.launch on %s0 {
      prefill.kernel @count outs(%n : memref<2xi32>) {effect = #safe}
    }
  }
  return
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

func.func private @external(memref<4xf32>)
func.func @reads(%x: memref<4xf32>, %y: memref<4xf32>) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      prefill.kernel @f ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {effect = #safe}
    }
  }
  return
}
func.func @reads_too(%x: memref<4xf32>, %y: memref<4xf32>) {
  func.call @reads(%x, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// A call reads what its callees read, on stream 0.
// expected-note @below {{'q' is here}}
func.func @call_reads(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @gemm' writes it here, on %s1}}
      prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
    }
    // expected-error @below {{'func.call' op reads 'q' (read-after-write), but nothing orders 'prefill.kernel @gemm' on %s1 before 'func.call @reads_too' on %s0; expected a record after 'prefill.kernel @gemm' and a wait before 'func.call @reads_too'}}
    func.call @reads_too(%q, %o) : (memref<4xf32>, memref<4xf32>) -> ()
    sched.join %s1 into %s0
  }
  return
}

func.func @call_reads_both(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @gemm ins(%q : memref<4xf32>) {effect = #safe}
    }
    func.call @reads_too(%q, %o) : (memref<4xf32>, memref<4xf32>) -> ()
    sched.join %s1 into %s0
  }
  return
}

// The next layer writes what a side stream still reads.
// expected-note @below {{'q' is here}}
func.func @call_writes(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @side' reads it here, on %s1}}
      prefill.kernel @side ins(%q : memref<4xf32>) {effect = #safe}
    }
    // expected-error @below {{'func.call' op writes 'q' (write-after-read), but nothing orders 'prefill.kernel @side' on %s1 before 'func.call @reads' on %s0; expected a record after 'prefill.kernel @side' and a wait before 'func.call @reads'}}
    func.call @reads(%o, %q) : (memref<4xf32>, memref<4xf32>) -> ()
    sched.join %s1 into %s0
  }
  return
}

func.func @call_writes_joined(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side ins(%q : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
    func.call @reads(%o, %q) : (memref<4xf32>, memref<4xf32>) -> ()
  }
  return
}

// What an external callee does is not known; it may capture, too.
// expected-note @below {{'q' is here}}
func.func @call_unknown(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{the last op on %s1, 'prefill.kernel @side', is here}}
      // expected-note @below {{'prefill.kernel @side' reads it here, on %s1}}
      prefill.kernel @side ins(%q : memref<4xf32>) {effect = #safe}
    }
    // expected-error @below {{'func.call' op may capture while %s1 is not joined: %s0 does not wait for 'prefill.kernel @side'; expected a record after it on %s1 and a wait for that on %s0}}
    // expected-error @below {{'func.call' op writes 'q' (write-after-read), but nothing orders}}
    func.call @external(%q) : (memref<4xf32>) -> ()
    sched.join %s1 into %s0
  }
  return
}

func.func @call_unknown_joined(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @side ins(%q : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
    func.call @external(%q) : (memref<4xf32>) -> ()
  }
  return
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

// A side stream that waits for nothing may still find the last call at work.
func.func @early_in_schedule(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  // expected-note @below {{the schedule begins here}}
  sched.schedule(%s0, %s1) {
    sched.launch on %s1 {
      // expected-error @below {{'prefill.kernel' op on %s1 starts before the work that precedes the schedule; expected a wait on %s1 for an event that comes from %s0}}
      prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

func.func @late_in_schedule(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// A record counts as a start.
func.func @early_record(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  // expected-note @below {{the schedule begins here}}
  sched.schedule(%s0, %s1) {
    // expected-error @below {{'sched.record' op on %s1 starts before the work that precedes the schedule; expected a wait on %s1 for an event that comes from %s0}}
    %e = sched.record on %s1
    sched.wait on %s0 for %e
  }
  return
}

// In a segment an outer fork does not count: the graph begins on stream 0.
func.func @early_in_segment(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.join %s1 into %s0
    // expected-note @below {{the segment begins here}}
    sched.segment {
      sched.launch on %s1 {
        // expected-error @below {{'prefill.kernel' op on %s1 starts before the work that precedes the segment; expected a wait on %s1 for an event that comes from %s0}}
        prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
  }
  return
}

func.func @late_in_segment(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.segment {
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
  }
  return
}

// Nor in an eager region, and not by way of another stream that waits for nothing.
func.func @early_in_eager(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1, %s2) {
    // expected-note @below {{the eager region begins here}}
    sched.eager {
      // expected-error @below {{'sched.fork' op on %s2 starts before the work that precedes the eager region; expected a wait on %s2 for an event that comes from %s0}}
      sched.fork %s2 to %s1
      sched.launch on %s1 {
        prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
      }
      sched.join %s1, %s2 into %s0
    }
  }
  return
}

func.func @late_in_eager(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1, %s2) {
    sched.eager {
      sched.fork %s0 to %s2
      sched.fork %s2 to %s1
      sched.launch on %s1 {
        prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
      }
      sched.join %s1, %s2 into %s0
    }
  }
  return
}

// The next call would not wait for the side stream.
func.func @unjoined_schedule(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  // expected-error @below {{'sched.schedule' op ends before %s1 is joined: %s0 does not wait for 'prefill.kernel @gemm'; expected a record after it on %s1 and a wait for that on %s0}}
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{the last op on %s1, 'prefill.kernel @gemm', is here}}
      prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
    }
  }
  return
}

// The join lies behind the end of the segment.
func.func @unjoined_segment(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    // expected-error @below {{'sched.segment' op ends before %s1 is joined: %s0 does not wait for 'prefill.kernel @gemm'; expected a record after it on %s1 and a wait for that on %s0}}
    sched.segment {
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        // expected-note @below {{the last op on %s1, 'prefill.kernel @gemm', is here}}
        prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
      }
    }
    sched.segment {
      sched.fork %s0 to %s1
      sched.join %s1 into %s0
    }
  }
  return
}

func.func @joined_segment(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.segment {
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
    sched.segment {

    }
  }
  return
}

func.func @unjoined_eager(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    // expected-error @below {{'sched.eager' op ends before %s1 is joined: %s0 does not wait for 'prefill.kernel @gemm'; expected a record after it on %s1 and a wait for that on %s0}}
    sched.eager {
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        // expected-note @below {{the last op on %s1, 'prefill.kernel @gemm', is here}}
        prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
      }
    }
  }
  return
}

func.func @joined_eager(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.eager {
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
  }
  return
}

// A stream that only waits is in the capture and has to leave it.
func.func @unjoined_wait(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    // expected-error @below {{'sched.segment' op ends before %s1 is joined: %s0 does not wait for 'sched.wait'; expected a record after it on %s1 and a wait for that on %s0}}
    sched.segment {
      %e = sched.record on %s0
      // expected-note @below {{the last op on %s1, 'sched.wait', is here}}
      sched.wait on %s1 for %e
    }
  }
  return
}

func.func @joined_wait(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.segment {
      %e = sched.record on %s0
      sched.wait on %s1 for %e
      sched.join %s1 into %s0
    }
  }
  return
}

// One of two side streams is not joined.
func.func @unjoined_two(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1, %s2) {
    // expected-error @below {{'sched.segment' op ends before %s2 is joined: %s0 does not wait for 'prefill.kernel @gemm'; expected a record after it on %s2 and a wait for that on %s0}}
    sched.segment {
      sched.fork %s0 to %s1, %s2
      sched.launch on %s1 {
        prefill.kernel @a outs(%q : memref<4xf32>) {effect = #safe}
      }
      sched.launch on %s2 {
        // expected-note @below {{the last op on %s2, 'prefill.kernel @gemm', is here}}
        prefill.kernel @gemm outs(%o : memref<4xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
  }
  return
}

// Joined by way of another stream.
func.func @joined_through_other(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1, %s2) {
    sched.segment {
      sched.fork %s0 to %s1, %s2
      sched.launch on %s1 {
        prefill.kernel @a outs(%q : memref<4xf32>) {effect = #safe}
      }
      sched.launch on %s2 {
        prefill.kernel @gemm outs(%o : memref<4xf32>) {effect = #safe}
      }
      sched.join %s2 into %s1
      sched.join %s1 into %s0
    }
  }
  return
}

// Side work is in flight when a capture begins; beside an eager region it may be.
func.func @open_at_capture(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{the last op on %s1, 'prefill.kernel @gemm', is here}}
      prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
    }
    // expected-error @below {{'sched.segment' op begins while %s1 is not joined: %s0 does not wait for 'prefill.kernel @gemm'; expected a record after it on %s1 and a wait for that on %s0}}
    sched.segment {
      sched.launch on %s0 {
        prefill.kernel @norm outs(%o : memref<4xf32>) {effect = #safe}
      }
    }
    sched.join %s1 into %s0
  }
  return
}

func.func @open_beside_eager(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
    }
    sched.eager {
      sched.launch on %s0 {
        prefill.kernel @norm outs(%o : memref<4xf32>) {effect = #safe}
      }
    }
    sched.join %s1 into %s0
  }
  return
}

// A graph runs on stream 0: the side stream that was used in the capture knows
// nothing of it afterwards.
// expected-note @below {{'q' is here}}
func.func @graph_is_not_on_side_stream(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.join %s1 into %s0
    sched.segment {
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        // expected-note @below {{'prefill.kernel @gemm' writes it here, on %s1}}
        prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
    sched.launch on %s1 {
      // expected-error @below {{'prefill.kernel' op reads 'q' (read-after-write), but nothing orders 'prefill.kernel @gemm' on %s1 before 'prefill.kernel @norm' on %s1; expected a record after 'prefill.kernel @gemm' and a wait before 'prefill.kernel @norm'}}
      prefill.kernel @norm ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

func.func @graph_is_waited_for(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.join %s1 into %s0
    sched.segment {
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @norm ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

// The slot of an event is recorded again while a wait for it is still to come.
func.func @slot_reused(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @a outs(%q : memref<4xf32>) {effect = #safe}
    }
    // expected-note @below {{the event is recorded here}}
    %a = sched.record on %s1 slot 0
    // expected-note @below {{its slot is recorded again here}}
    %b = sched.record on %s1 slot 0
    // expected-error @below {{'sched.wait' op waits for an event whose slot was recorded again; expected the wait before the second record, or another slot}}
    sched.wait on %s0 for %a
    sched.join %s1 into %s0
  }
  return
}

func.func @slot_free(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @a outs(%q : memref<4xf32>) {effect = #safe}
    }
    %a = sched.record on %s1 slot 0
    sched.wait on %s0 for %a
    %b = sched.record on %s1 slot 0
    sched.wait on %s0 for %b
  }
  return
}

func.func @slot_other(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @a outs(%q : memref<4xf32>) {effect = #safe}
    }
    %a = sched.record on %s1 slot 0
    %b = sched.record on %s1 slot 1
    sched.wait on %s0 for %a
    sched.join %s1 into %s0
  }
  return
}

// An event carried around a loop that holds a segment does not enter it.
func.func @event_crosses_edge() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  sched.schedule(%s0, %s1) {
    // expected-note @below {{the event is recorded here}}
    %first = sched.record on %s0
    %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%e = %first) -> !sched.event {
      // expected-note @below {{the segment begins here}}
      sched.segment {
        // expected-error @below {{'sched.wait' op waits for an event from outside its 'sched.segment'; no event crosses that edge}}
        sched.wait on %s0 for %e
      }
      scf.yield %e : !sched.event
    }
  }
  return
}
func.func @event_stays() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  sched.schedule(%s0, %s1) {
    %first = sched.record on %s0
    %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%e = %first) -> !sched.event {
      sched.segment {
      }
      sched.wait on %s0 for %e
      scf.yield %e : !sched.event
    }
  }
  return
}

// An event from elsewhere says nothing.
func.func @unknown_event(%e: !sched.event) {
  // expected-note @below {{the schedule begins here}}
  sched.schedule(%s0) {
    // expected-error @below {{'sched.wait' op waits for an event that no record of its schedule gives}}
    sched.wait on %s0 for %e
  }
  return
}

// Nor does a stream.
func.func @unknown_stream(%q: memref<4xf32>, %s: !sched.stream) {
  // expected-note @below {{the schedule begins here}}
  sched.schedule(%s0) {
    // expected-error @below {{'sched.launch' op uses a stream that its schedule does not own; expected one of the schedule's block arguments}}
    sched.launch on %s {
      prefill.kernel @a outs(%q : memref<4xf32>) {effect = #safe}
    }
  }
  return
}

//===----------------------------------------------------------------------===//
// Ops that nothing is known of
//===----------------------------------------------------------------------===//

// Work outside a launch has no stream.
func.func @no_stream(%q: memref<4xf32>) {
  sched.schedule(%s0) {
    // expected-note @below {{the eager region begins here}}
    sched.eager {
      // expected-error @below {{'prefill.kernel' op runs on no stream; expected it in a 'sched.launch'}}
      prefill.kernel @a outs(%q : memref<4xf32>) {effect = #safe}
    }
  }
  return
}

// The host does not see what streams write.
func.func @load(%q: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{the schedule begins here}}
  sched.schedule(%s0) {
    // expected-error @below {{'memref.load' op is not known to sched-verify; expected launches, records, waits, regions, calls, 'scf.for', 'scf.if' and ops without memory effects}}
    %n = memref.load %q[%c0] : memref<4xi32>
  }
  return
}

// A buffer is not freed while streams may use it.
func.func @dealloc() {
  // expected-note @below {{the schedule begins here}}
  sched.schedule(%s0) {
    // expected-error @below {{'memref.alloc' op is not known to sched-verify}}
    %a = memref.alloc() : memref<4xf32>
    // expected-error @below {{'memref.dealloc' op is not known to sched-verify}}
    memref.dealloc %a : memref<4xf32>
  }
  return
}

// Other loops.
func.func @while(%c: i1) {
  // expected-note @below {{the schedule begins here}}
  sched.schedule(%s0) {
    // expected-error @below {{'scf.while' op is not known to sched-verify}}
    scf.while : () -> () {
      scf.condition(%c)
    } do {
      scf.yield
    }
  }
  return
}

// A buffer out of nowhere.
func.func private @get() -> memref<4xf32>
func.func @unknown_buffer() {
  // expected-note @below {{the operand comes from here}}
  %q = func.call @get() : () -> memref<4xf32>
  sched.schedule(%s0) {
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op operand 0 cannot be followed to a buffer; expected a view of an allocation or of a function argument}}
      prefill.kernel @a ins(%q : memref<4xf32>) {effect = #safe}
    }
  }
  return
}
func.func @known_buffer() {
  %q = memref.alloc() : memref<4xf32>
  sched.schedule(%s0) {
    sched.launch on %s0 {
      prefill.kernel @a ins(%q : memref<4xf32>) {effect = #safe}
    }
  }
  return
}

// Loops in loops cost twice each.
func.func @deep(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0) {
    scf.for %a = %c0 to %n step %c1 {
      scf.for %b = %c0 to %n step %c1 {
        scf.for %c = %c0 to %n step %c1 {
          scf.for %d = %c0 to %n step %c1 {
            scf.for %e = %c0 to %n step %c1 {
              scf.for %f = %c0 to %n step %c1 {
                // expected-error @below {{'scf.for' op is nested too deeply for sched-verify; expected at most six loops in one another}}
                scf.for %g = %c0 to %n step %c1 {
                }
              }
            }
          }
        }
      }
    }
  }
  return
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

// Nothing wrote what is read.
func.func @uninitialized(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    // expected-note @below {{buffer of type 'memref<4xf32>' is here}}
    %b = sched.alloc : memref<4xf32>
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads a buffer of type 'memref<4xf32>', which nothing writes before it}}
      prefill.kernel @topk ins(%b : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @fill outs(%b : memref<4xf32>) {effect = #safe}
    }
  }
  return
}

func.func @initialized(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    %b = sched.alloc : memref<4xf32>
    sched.launch on %s0 {
      prefill.kernel @fill outs(%b : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @topk ins(%b : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
  }
  return
}

// A buffer of another schedule.
func.func @foreign(%o: memref<4xf32>) {
  // expected-note @below {{buffer of type 'memref<4xf32>' is here}}
  %b = sched.alloc : memref<4xf32>
  sched.schedule(%s0) {
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op uses a buffer of type 'memref<4xf32>' that is none of its schedule}}
      prefill.kernel @a outs(%b : memref<4xf32>) {effect = #safe}
    }
  }
  return
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

// A side write of the next iteration meets a read of this one: the fork comes
// before it.
// expected-note @below {{'q' is here}}
func.func @next_iteration(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    scf.for %i = %c0 to %n step %c1 {
      sched.fork %s0 to %s1
      sched.launch on %s0 {
        // expected-note @below {{'prefill.kernel @use' reads it here, on %s0}}
        prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
      }
      sched.launch on %s1 {
        // expected-error @below {{'prefill.kernel' op writes 'q' (write-after-read), but nothing orders 'prefill.kernel @use' on %s0 before 'prefill.kernel @make' on %s1; expected a record after 'prefill.kernel @use' and a wait before 'prefill.kernel @make'}}
        prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
  }
  return
}

func.func @next_iteration_ordered(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    scf.for %i = %c0 to %n step %c1 {
      sched.launch on %s0 {
        prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
      }
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
  }
  return
}

// Nothing is wrong within one iteration.
// expected-note @below {{'q' is here}}
func.func @only_next_iteration(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    scf.for %i = %c0 to %n step %c1 {
      sched.launch on %s0 {
        // expected-error @below {{'prefill.kernel' op reads 'q' (read-after-write), but nothing orders 'prefill.kernel @make' on %s1 before 'prefill.kernel @use' on %s0; expected a record after 'prefill.kernel @make' and a wait before 'prefill.kernel @use'}}
        prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
      }
      %e = sched.record on %s0
      sched.wait on %s1 for %e
      sched.launch on %s1 {
        // expected-note @below {{'prefill.kernel @make' writes it here, on %s1}}
        prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
      }
    }
    sched.join %s1 into %s0
  }
  return
}

// An event that is carried into the next iteration.
func.func @carried_event(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    %first = sched.record on %s1
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> !sched.event {
      sched.wait on %s0 for %before
      sched.launch on %s0 {
        prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
      }
      %e = sched.record on %s0
      sched.wait on %s1 for %e
      sched.launch on %s1 {
        prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
      }
      %made = sched.record on %s1
      scf.yield %made : !sched.event
    }
    sched.wait on %s0 for %last
  }
  return
}

// The one from before the loop is not enough.
// expected-note @below {{'q' is here}}
func.func @event_from_before_the_loop(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    %first = sched.record on %s1
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> !sched.event {
      sched.wait on %s0 for %first
      sched.launch on %s0 {
        // expected-error @below {{'prefill.kernel' op reads 'q' (read-after-write), but nothing orders 'prefill.kernel @make' on %s1 before 'prefill.kernel @use' on %s0; expected a record after 'prefill.kernel @make' and a wait before 'prefill.kernel @use'}}
        prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
      }
      %e = sched.record on %s0
      sched.wait on %s1 for %e
      sched.launch on %s1 {
        // expected-note @below {{'prefill.kernel @make' writes it here, on %s1}}
        prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
      }
      %made = sched.record on %s1
      scf.yield %made : !sched.event
    }
    sched.wait on %s0 for %last
  }
  return
}

// One that is an iteration older is not, either.
// expected-note @below {{'q' is here}}
func.func @event_of_the_last_but_one(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    %first = sched.record on %s1
    %last, %x = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first, %old = %first) -> (!sched.event, !sched.event) {
      sched.wait on %s0 for %old
      sched.launch on %s0 {
        // expected-error @below {{'prefill.kernel' op reads 'q' (read-after-write), but nothing orders 'prefill.kernel @make' on %s1 before 'prefill.kernel @use' on %s0; expected a record after 'prefill.kernel @make' and a wait before 'prefill.kernel @use'}}
        prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
      }
      %e = sched.record on %s0
      sched.wait on %s1 for %e
      sched.launch on %s1 {
        // expected-note @below {{'prefill.kernel @make' writes it here, on %s1}}
        prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
      }
      %made = sched.record on %s1
      scf.yield %made, %before : !sched.event, !sched.event
    }
    sched.wait on %s0 for %last
  }
  return
}

func.func @event_of_the_last(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    %first = sched.record on %s1
    %last, %x = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first, %old = %first) -> (!sched.event, !sched.event) {
      sched.wait on %s0 for %before
      sched.launch on %s0 {
        prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
      }
      %e = sched.record on %s0
      sched.wait on %s1 for %e
      sched.launch on %s1 {
        prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
      }
      %made = sched.record on %s1
      scf.yield %made, %before : !sched.event, !sched.event
    }
    sched.wait on %s0 for %last
  }
  return
}

// Four events in rotation: the first result may be any of them.
// expected-note @below {{'q' is here}}
func.func @rotated_events(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    %a = sched.record on %s0
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @make' writes it here, on %s1}}
      prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
    }
    %d = sched.record on %s1
    %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %d, %z = %d, %w = %d) -> (!sched.event, !sched.event, !sched.event, !sched.event) {
      scf.yield %y, %z, %w, %x : !sched.event, !sched.event, !sched.event, !sched.event
    }
    sched.wait on %s0 for %r#0
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'q' (read-after-write), but nothing orders 'prefill.kernel @make' on %s1 before 'prefill.kernel @use' on %s0; expected a record after 'prefill.kernel @make' and a wait before 'prefill.kernel @use'}}
      prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

func.func @rotated_events_all_good(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    %a = sched.record on %s0
    sched.launch on %s1 {
      prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
    }
    %d = sched.record on %s1
    %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %d, %y = %d, %z = %d, %w = %d) -> (!sched.event, !sched.event, !sched.event, !sched.event) {
      scf.yield %y, %z, %w, %x : !sched.event, !sched.event, !sched.event, !sched.event
    }
    sched.wait on %s0 for %r#0
    sched.launch on %s0 {
      prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// The bad event arrives after six iterations.
// expected-note @below {{'q' is here}}
func.func @event_arrives_late(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    %a = sched.record on %s0
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @make' writes it here, on %s1}}
      prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
    }
    %d = sched.record on %s1
    %r:7 = scf.for %i = %c0 to %n step %c1 iter_args(%x0 = %d, %x1 = %d, %x2 = %d, %x3 = %d, %x4 = %d, %x5 = %d, %x6 = %a) -> (!sched.event, !sched.event, !sched.event, !sched.event, !sched.event, !sched.event, !sched.event) {
      scf.yield %x1, %x2, %x3, %x4, %x5, %x6, %x6 : !sched.event, !sched.event, !sched.event, !sched.event, !sched.event, !sched.event, !sched.event
    }
    sched.wait on %s0 for %r#0
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'q' (read-after-write), but nothing orders 'prefill.kernel @make' on %s1 before 'prefill.kernel @use' on %s0; expected a record after 'prefill.kernel @make' and a wait before 'prefill.kernel @use'}}
      prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// A loop that may run no iteration orders nothing behind it.
// expected-note @below {{'q' is here}}
func.func @skipped_loop(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @make' writes it here, on %s1}}
      prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
    }
    scf.for %i = %c0 to %n step %c1 {
      sched.join %s1 into %s0
      sched.fork %s0 to %s1
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'q' (read-after-write), but nothing orders 'prefill.kernel @make' on %s1 before 'prefill.kernel @use' on %s0; expected a record after 'prefill.kernel @make' and a wait before 'prefill.kernel @use'}}
      prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

func.func @loop_that_runs(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
    }
    scf.for %i = %c0 to %c1 step %c1 {
      sched.join %s1 into %s0
      sched.fork %s0 to %s1
    }
    sched.launch on %s0 {
      prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// What the loop did itself is ordered if every iteration joins.
func.func @loop_is_known(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    scf.for %i = %c0 to %n step %c1 {
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    }
    sched.launch on %s0 {
      prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
  }
  return
}

// A slot that the body records again before the carried event is waited for.
func.func @slot_in_loop(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    // expected-note @below {{the event is recorded here}}
    %first = sched.record on %s1 slot 1
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> !sched.event {
      // expected-note @below {{its slot is recorded again here}}
      %made = sched.record on %s1 slot 1
      // expected-error @below {{'sched.wait' op waits for an event whose slot was recorded again; expected the wait before the second record, or another slot}}
      sched.wait on %s0 for %before
      scf.yield %made : !sched.event
    }
    sched.wait on %s0 for %last
  }
  return
}

func.func @slot_in_loop_in_turn(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    %first = sched.record on %s1 slot 1
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> !sched.event {
      sched.wait on %s0 for %before
      %made = sched.record on %s1 slot 1
      scf.yield %made : !sched.event
    }
    sched.wait on %s0 for %last
  }
  return
}

// A segment in a loop: the next replay comes after this one.
func.func @around_segments(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    scf.for %i = %c0 to %n step %c1 {
      sched.segment {
        sched.fork %s0 to %s1
        sched.launch on %s0 {
          prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
        }
        sched.launch on %s1 {
          prefill.kernel @other ins(%q : memref<4xf32>) {effect = #safe}
        }
        sched.join %s1 into %s0
        sched.launch on %s0 {
          prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
        }
      }
    }
  }
  return
}

func.func @around_segments_unjoined(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @below {{'sched.segment' op ends before %s1 is joined: %s0 does not wait for 'prefill.kernel @other'; expected a record after it on %s1 and a wait for that on %s0}}
      sched.segment {
        sched.fork %s0 to %s1
        sched.launch on %s0 {
          prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
        }
        sched.launch on %s1 {
          // expected-note @below {{the last op on %s1, 'prefill.kernel @other', is here}}
          prefill.kernel @other ins(%q : memref<4xf32>) {effect = #safe}
        }
      }
    }
  }
  return
}

// Only one path waits.
// expected-note @below {{'q' is here}}
func.func @one_branch_waits(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %c: i1) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @make' writes it here, on %s1}}
      prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
    }
    scf.if %c {
      sched.join %s1 into %s0
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'q' (read-after-write), but nothing orders 'prefill.kernel @make' on %s1 before 'prefill.kernel @use' on %s0; expected a record after 'prefill.kernel @make' and a wait before 'prefill.kernel @use'}}
      prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

func.func @both_branches_wait(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %c: i1) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
    }
    scf.if %c {
      sched.join %s1 into %s0
    } else {
      sched.join %s1 into %s0
    }
    sched.launch on %s0 {
      prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// A write on one path only.
// expected-note @below {{'q' is here}}
func.func @branch_races(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %c: i1) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    scf.if %c {
      sched.launch on %s1 {
        // expected-note @below {{'prefill.kernel @make' writes it here, on %s1}}
        prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
      }
    } else {
      sched.launch on %s1 {
        prefill.kernel @other ins(%q : memref<4xf32>) {effect = #safe}
      }
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'q' (read-after-write), but nothing orders 'prefill.kernel @make' on %s1 before 'prefill.kernel @use' on %s0; expected a record after 'prefill.kernel @make' and a wait before 'prefill.kernel @use'}}
      prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// Two paths do not race with each other, and what one did is known when it joined.
func.func @branches_exclude(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %c: i1) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    scf.if %c {
      sched.launch on %s1 {
        prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
    } else {
      sched.launch on %s0 {
        prefill.kernel @other outs(%q : memref<4xf32>) {effect = #safe}
      }
      sched.fork %s0 to %s1
      sched.join %s1 into %s0
    }
    sched.launch on %s0 {
      prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
  }
  return
}

// A covering write on one path does not hide the write before it on the other.
// expected-note @below {{'q' is here}}
func.func @write_in_one_branch(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %c: i1) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @make' writes it here, on %s1}}
      prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
    }
    scf.if %c {
      sched.join %s1 into %s0
      sched.launch on %s0 {
        prefill.kernel @again outs(%q : memref<4xf32>) {effect = #safe}
      }
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'q' (read-after-write), but nothing orders 'prefill.kernel @make' on %s1 before 'prefill.kernel @use' on %s0; expected a record after 'prefill.kernel @make' and a wait before 'prefill.kernel @use'}}
      prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

// An event that is one of two knows what both know.
// expected-note @below {{'q' is here}}
func.func @event_of_either_branch(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %c: i1) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @make' writes it here, on %s1}}
      prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
    }
    %e = scf.if %c -> !sched.event {
      %a = sched.record on %s1
      scf.yield %a : !sched.event
    } else {
      %b = sched.record on %s0
      scf.yield %b : !sched.event
    }
    sched.wait on %s0 for %e
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads 'q' (read-after-write), but nothing orders 'prefill.kernel @make' on %s1 before 'prefill.kernel @use' on %s0; expected a record after 'prefill.kernel @make' and a wait before 'prefill.kernel @use'}}
      prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

func.func @event_of_both_branches(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %c: i1) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      prefill.kernel @make outs(%q : memref<4xf32>) {effect = #safe}
    }
    %e = scf.if %c -> !sched.event {
      %a = sched.record on %s1
      scf.yield %a : !sched.event
    } else {
      %b = sched.record on %s1
      scf.yield %b : !sched.event
    }
    sched.wait on %s0 for %e
    sched.launch on %s0 {
      prefill.kernel @use ins(%q : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}

func.func @unjoined_on_one_path(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %c: i1) {
  // expected-error @below {{'sched.schedule' op ends before %s1 is joined: %s0 does not wait for 'prefill.kernel @gemm'; expected a record after it on %s1 and a wait for that on %s0}}
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{the last op on %s1, 'prefill.kernel @gemm', is here}}
      prefill.kernel @gemm outs(%q : memref<4xf32>) {effect = #safe}
    }
    scf.if %c {
      sched.join %s1 into %s0
    }
  }
  return
}

func.func @written_on_one_path(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %c: i1) {
  sched.schedule(%s0, %s1) {
    // expected-note @below {{buffer of type 'memref<4xf32>' is here}}
    %b = sched.alloc : memref<4xf32>
    scf.if %c {
      sched.launch on %s0 {
        prefill.kernel @fill outs(%b : memref<4xf32>) {effect = #safe}
      }
    }
    sched.launch on %s0 {
      // expected-error @below {{'prefill.kernel' op reads a buffer of type 'memref<4xf32>', which not every path to it writes}}
      prefill.kernel @topk ins(%b : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
  }
  return
}

func.func @written_on_both_paths(%q: memref<4xf32> {prefill.name = "q"}, %o: memref<4xf32>, %c: i1) {
  sched.schedule(%s0, %s1) {
    %b = sched.alloc : memref<4xf32>
    scf.if %c {
      sched.launch on %s0 {
        prefill.kernel @fill outs(%b : memref<4xf32>) {effect = #safe}
      }
    } else {
      sched.launch on %s0 {
        prefill.kernel @copy ins(%q : memref<4xf32>) outs(%b : memref<4xf32>) {effect = #safe}
      }
    }
    sched.launch on %s0 {
      prefill.kernel @topk ins(%b : memref<4xf32>) outs(%o : memref<4xf32>) {effect = #safe}
    }
  }
  return
}

// Two buffers in turn: each iteration reads what the one before wrote. The side
// stream may still write it.
// expected-note @below {{argument 0 is here}}
// expected-note @below {{argument 1 is here}}
func.func @ping_pong(%x: memref<4xf32>, %y: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (memref<4xf32>, memref<4xf32>) {
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        // expected-note @below {{'prefill.kernel @step' writes it here, on %s1}}
        prefill.kernel @step ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        // expected-error @below {{'prefill.kernel' op reads argument 0 (read-after-write), but nothing orders}}
        // expected-error @below {{'prefill.kernel' op reads argument 1 (read-after-write), but nothing orders}}
        prefill.kernel @look ins(%b : memref<4xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
      scf.yield %b, %a : memref<4xf32>, memref<4xf32>
    }
  }
  return
}
func.func @ping_pong_joined(%x: memref<4xf32>, %y: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sched.schedule(%s0, %s1) {
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (memref<4xf32>, memref<4xf32>) {
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        prefill.kernel @step ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {effect = #safe}
      }
      sched.join %s1 into %s0
      sched.launch on %s0 {
        prefill.kernel @look ins(%b : memref<4xf32>) {effect = #safe}
      }
      scf.yield %b, %a : memref<4xf32>, memref<4xf32>
    }
  }
  return
}

//===----------------------------------------------------------------------===//
// Many errors
//===----------------------------------------------------------------------===//

// Ten errors are enough.
// expected-note @below {{argument 0 is here}}
// expected-note @below {{argument 1 is here}}
// expected-note @below {{argument 2 is here}}
// expected-note @below {{argument 3 is here}}
// expected-note @below {{argument 4 is here}}
// expected-note @below {{argument 5 is here}}
// expected-note @below {{argument 6 is here}}
// expected-note @below {{argument 7 is here}}
// expected-note @below {{argument 8 is here}}
// expected-note @below {{argument 9 is here}}
func.func @limit(%a0: memref<4xf32>, %a1: memref<4xf32>, %a2: memref<4xf32>, %a3: memref<4xf32>, %a4: memref<4xf32>, %a5: memref<4xf32>, %a6: memref<4xf32>, %a7: memref<4xf32>, %a8: memref<4xf32>, %a9: memref<4xf32>, %a10: memref<4xf32>, %a11: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.fork %s0 to %s1
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @w0' writes it here, on %s1}}
      prefill.kernel @w0 outs(%a0 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{op reads argument 0 (read-after-write)}}
      prefill.kernel @r0 ins(%a0 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @w1' writes it here, on %s1}}
      prefill.kernel @w1 outs(%a1 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{op reads argument 1 (read-after-write)}}
      prefill.kernel @r1 ins(%a1 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @w2' writes it here, on %s1}}
      prefill.kernel @w2 outs(%a2 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{op reads argument 2 (read-after-write)}}
      prefill.kernel @r2 ins(%a2 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @w3' writes it here, on %s1}}
      prefill.kernel @w3 outs(%a3 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{op reads argument 3 (read-after-write)}}
      prefill.kernel @r3 ins(%a3 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @w4' writes it here, on %s1}}
      prefill.kernel @w4 outs(%a4 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{op reads argument 4 (read-after-write)}}
      prefill.kernel @r4 ins(%a4 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @w5' writes it here, on %s1}}
      prefill.kernel @w5 outs(%a5 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{op reads argument 5 (read-after-write)}}
      prefill.kernel @r5 ins(%a5 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @w6' writes it here, on %s1}}
      prefill.kernel @w6 outs(%a6 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{op reads argument 6 (read-after-write)}}
      prefill.kernel @r6 ins(%a6 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @w7' writes it here, on %s1}}
      prefill.kernel @w7 outs(%a7 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{op reads argument 7 (read-after-write)}}
      prefill.kernel @r7 ins(%a7 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @w8' writes it here, on %s1}}
      prefill.kernel @w8 outs(%a8 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{op reads argument 8 (read-after-write)}}
      prefill.kernel @r8 ins(%a8 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s1 {
      // expected-note @below {{'prefill.kernel @w9' writes it here, on %s1}}
      prefill.kernel @w9 outs(%a9 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      // expected-error @below {{op reads argument 9 (read-after-write)}}
      prefill.kernel @r9 ins(%a9 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s1 {
      prefill.kernel @w10 outs(%a10 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @r10 ins(%a10 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s1 {
      prefill.kernel @w11 outs(%a11 : memref<4xf32>) {effect = #safe}
    }
    sched.launch on %s0 {
      prefill.kernel @r11 ins(%a11 : memref<4xf32>) {effect = #safe}
    }
    sched.join %s1 into %s0
  }
  return
}
