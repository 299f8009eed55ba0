// RUN: braid-test-opt %s --split-input-file --test-print-dependences --verify-diagnostics -o /dev/null

// Read after write, and nothing between two readers of one input.
func.func @values(%x: memref<?x8xf32>, %a: memref<?x8xf32>, %b: memref<?x8xf32>, %c: memref<?x8xf32>) {
  sched.schedule(%s0) {
    // expected-remark @below {{launch 0 depends on none; independent of none.}}
    sched.launch on %s0 { prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32> }
    // expected-remark @below {{launch 1 depends on none; independent of 0.}}
    sched.launch on %s0 { prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32> }
    // expected-remark @below {{launch 2 depends on 0; independent of 1.}}
    sched.launch on %s0 { prefill.rms_norm %a into %c {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32> }
  }
  return
}

// -----

// In place, and a read before an overwrite, which no value connects: the second
// launch overwrites what the first one reads, the third reads what it wrote.
func.func @inPlace(%x: memref<?x8xf32>, %a: memref<?x8xf32>, %b: memref<?x8xf32>) {
  sched.schedule(%s0) {
    // expected-remark @below {{launch 0 depends on none; independent of none.}}
    sched.launch on %s0 { prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32> }
    // expected-remark @below {{launch 1 depends on 0; independent of none.}}
    sched.launch on %s0 { prefill.rms_norm %x into %x {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32> }
    // expected-remark @below {{launch 2 depends on 0, 1; independent of none.}}
    sched.launch on %s0 { prefill.rms_norm %x into %b {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32> }
    // expected-remark @below {{launch 3 depends on 0; independent of 1, 2.}}
    sched.launch on %s0 { prefill.rms_norm %a into %a {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32> }
  }
  return
}

// -----

// Two names for one buffer are one buffer; two buffers are two.
func.func @twoNames(%x: memref<?x8xf32>, %a: memref<?x8xf32>, %b: memref<?x8xf32>, %c: memref<?x8xf32>) {
  %name = memref.cast %a : memref<?x8xf32> to memref<?x?xf32>
  %again = memref.cast %name : memref<?x?xf32> to memref<?x8xf32>
  sched.schedule(%s0) {
    // expected-remark @below {{launch 0 depends on none; independent of none.}}
    sched.launch on %s0 { prefill.rms_norm %x into %a {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32> }
    // expected-remark @below {{launch 1 depends on 0; independent of none.}}
    sched.launch on %s0 { prefill.rms_norm %again into %b {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32> }
    // expected-remark @below {{launch 2 depends on none; independent of 0, 1.}}
    sched.launch on %s0 { prefill.rms_norm %x into %c {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32> }
  }
  return
}

// -----

// Views: columns beside each other are disjoint, columns that overlap are not, the
// whole overlaps both.
func.func @columns(%x: memref<?x4xf32>, %a: memref<?x16xf32>, %y: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %a, %c0 : memref<?x16xf32>
  %left = memref.subview %a[0, 0] [%t, 4] [1, 1] : memref<?x16xf32> to memref<?x4xf32, strided<[16, 1]>>
  %right = memref.subview %a[0, 8] [%t, 4] [1, 1] : memref<?x16xf32> to memref<?x4xf32, strided<[16, 1], offset: 8>>
  %both = memref.subview %a[0, 2] [%t, 4] [1, 1] : memref<?x16xf32> to memref<?x4xf32, strided<[16, 1], offset: 2>>
  sched.schedule(%s0) {
    // expected-remark @below {{launch 0 depends on none; independent of none.}}
    sched.launch on %s0 { prefill.rms_norm %x into %left {eps = 0.0 : f64} : memref<?x4xf32> -> memref<?x4xf32, strided<[16, 1]>> }
    // expected-remark @below {{launch 1 depends on none; independent of 0.}}
    sched.launch on %s0 { prefill.rms_norm %x into %right {eps = 0.0 : f64} : memref<?x4xf32> -> memref<?x4xf32, strided<[16, 1], offset: 8>> }
    // expected-remark @below {{launch 2 depends on 0; independent of 1.}}
    sched.launch on %s0 { prefill.rms_norm %x into %both {eps = 0.0 : f64} : memref<?x4xf32> -> memref<?x4xf32, strided<[16, 1], offset: 2>> }
    // expected-remark @below {{launch 3 depends on 0, 1, 2; independent of none.}}
    sched.launch on %s0 { prefill.rms_norm %a into %y {eps = 0.0 : f64} : memref<?x16xf32> -> memref<?x16xf32> }
  }
  return
}

// -----

// Caches: an insert and a later reader have no value between them; another cache
// is none of their business.
func.func @caches(%x: memref<?x4xf32>, %slots: memref<?xi64>, %c: memref<?x8x4xf32>, %other: memref<?x8x4xf32>, %y: memref<?x4xf32>) {
  sched.schedule(%s0) {
    // expected-remark @below {{launch 0 depends on none; independent of none.}}
    sched.launch on %s0 { prefill.cache_insert %x at %slots into %c : memref<?x4xf32>, memref<?xi64> -> memref<?x8x4xf32> }
    // expected-remark @below {{launch 1 depends on none; independent of 0.}}
    sched.launch on %s0 { prefill.cache_insert %x at %slots into %other : memref<?x4xf32>, memref<?xi64> -> memref<?x8x4xf32> }
    // expected-remark @below {{launch 2 depends on 0; independent of 1.}}
    sched.launch on %s0 {
      prefill.kernel @read ins(%x : memref<?x4xf32>) caches(%c : memref<?x8x4xf32>) outs(%y : memref<?x4xf32>)
          {cache_access = [#sched.access<read>], effect = #sched.effect_class<graph_safe>}
    }
    // expected-remark @below {{launch 3 depends on 0, 2; independent of 1.}}
    sched.launch on %s0 { prefill.cache_insert %x at %slots into %c : memref<?x4xf32>, memref<?xi64> -> memref<?x8x4xf32> }
  }
  return
}
