// RUN: braid-opt %s --split-input-file --sched-narrow-eager | FileCheck %s
// RUN: braid-opt %s --split-input-file --sched-narrow-eager --remarks-filter=sched-eager -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// What the host metadata does not touch leaves: up what needs nothing from the
// region, down what only consumes it. The region yields what is used after it.
// CHECK-LABEL: func.func @upAndDown
// CHECK: %[[Q:.*]] = prefill.linear %arg0
// CHECK: %[[O:.*]] = prefill.eager -> tensor<?x4xf32> {
// CHECK-NEXT: %[[K:.*]] = prefill.kernel @host ins(%[[Q]], %{{.*}} :
// CHECK-NEXT: prefill.yield %[[K]]
// CHECK-NEXT: }
// CHECK: %[[Y:.*]] = prefill.linear %[[O]]
// CHECK: return %[[Y]]
// REMARK: StaysEager{{.*}}Function=upAndDown{{.*}}prefill.kernel stays in the eager region: the host reads 'lengths' while it enqueues the op
// REMARK: NarrowedEager{{.*}}MovedDown=1, MovedUp=1, Staying=1
func.func @upAndDown(%x: tensor<?x4xf32> {sched.tokens}, %w: tensor<4x4xf32>,
    %n: tensor<?xi32> {prefill.name = "lengths", prefill.metadata = #prefill.metadata<host>})
    -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  %r = prefill.eager -> tensor<?x4xf32> {
    %e0 = tensor.empty(%t) : tensor<?x4xf32>
    %q = prefill.linear %x by %w into %e0 : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    %e1 = tensor.empty(%t) : tensor<?x4xf32>
    %o = prefill.kernel @host ins(%q, %n : tensor<?x4xf32>, tensor<?xi32>) outs(%e1 : tensor<?x4xf32>)
        {effect = #sched.effect_class<host_metadata>} -> tensor<?x4xf32>
    %e2 = tensor.empty(%t) : tensor<?x4xf32>
    %y = prefill.linear %o by %w into %e2 : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    prefill.yield %y : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// With transient metadata the insert stays; with persistent metadata (below) it
// leaves. The op is the same: the operand decides.
// CHECK-LABEL: func.func @transient
// CHECK: prefill.rms_norm
// CHECK: prefill.eager {
// CHECK-NEXT: prefill.cache_insert
// REMARK: StaysEager{{.*}}prefill.cache_insert stays in the eager region: it reads 'slots', device metadata whose address may change
func.func @transient(%x: tensor<?x4xf32> {sched.tokens}, %c: memref<?x8x4xf32>,
    %s: tensor<?xi64> {sched.tokens, prefill.name = "slots", prefill.metadata = #prefill.metadata<device, transient>}) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  prefill.eager {
    %e = tensor.empty(%t) : tensor<?x4xf32>
    %y = prefill.rms_norm %x into %e {eps = 1.0e-6 : f64} : tensor<?x4xf32> -> tensor<?x4xf32>
    prefill.cache_insert %y at %s into %c : tensor<?x4xf32>, tensor<?xi64> -> memref<?x8x4xf32>
  }
  return
}

// -----

// Nothing has to stay: the region goes away.
// CHECK-LABEL: func.func @persistent
// CHECK-NOT: prefill.eager
// CHECK: prefill.cache_insert
// CHECK: return
func.func @persistent(%x: tensor<?x4xf32> {sched.tokens}, %c: memref<?x8x4xf32>,
    %s: tensor<?xi64> {sched.tokens, prefill.metadata = #prefill.metadata<device, persistent>}) {
  prefill.eager {
    prefill.cache_insert %x at %s into %c : tensor<?x4xf32>, tensor<?xi64> -> memref<?x8x4xf32>
  }
  return
}

// -----

// A cache orders ops without an edge between values: the second insert may be
// captured, but it overwrites what the kernel before it reads, so it goes after
// the region and not before it.
// CHECK-LABEL: func.func @overwritten
// CHECK: prefill.cache_insert %arg0
// CHECK: prefill.eager
// CHECK-NEXT: prefill.kernel @read
// CHECK: }
// CHECK: prefill.cache_insert %arg1
func.func @overwritten(%a: tensor<?x4xf32> {sched.tokens}, %b: tensor<?x4xf32> {sched.tokens},
    %c: memref<?x8x4xf32>, %out: memref<?x8x4xf32>, %s: tensor<?xi64> {sched.tokens},
    %n: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>}) {
  prefill.eager {
    prefill.cache_insert %a at %s into %c : tensor<?x4xf32>, tensor<?xi64> -> memref<?x8x4xf32>
    prefill.kernel @read ins(%n : tensor<?xi32>) caches(%c, %out : memref<?x8x4xf32>, memref<?x8x4xf32>)
        {cache_access = [#sched.access<read>, #sched.access<write>], effect = #sched.effect_class<host_metadata>}
    prefill.cache_insert %b at %s into %c : tensor<?x4xf32>, tensor<?xi64> -> memref<?x8x4xf32>
  }
  return
}

// -----

// The same through a view: two names for one buffer are one buffer.
// CHECK-LABEL: func.func @throughView
// CHECK: prefill.eager
// CHECK-NEXT: prefill.kernel @read
// CHECK: }
// CHECK: prefill.cache_insert
func.func @throughView(%b: tensor<?x4xf32> {sched.tokens}, %c: memref<?x8x4xf32>,
    %out: memref<?x8x4xf32>, %s: tensor<?xi64> {sched.tokens},
    %n: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>}) {
  %view = memref.cast %c : memref<?x8x4xf32> to memref<?x?x4xf32>
  prefill.eager {
    prefill.kernel @read ins(%n : tensor<?xi32>) caches(%c, %out : memref<?x8x4xf32>, memref<?x8x4xf32>)
        {cache_access = [#sched.access<read>, #sched.access<write>], effect = #sched.effect_class<host_metadata>}
    prefill.cache_insert %b at %s into %view : tensor<?x4xf32>, tensor<?xi64> -> memref<?x?x4xf32>
  }
  return
}

// -----

// Negative twin: another cache, so the insert needs nothing from the region.
// CHECK-LABEL: func.func @otherCache
// CHECK: prefill.cache_insert
// CHECK: prefill.eager
// CHECK-NEXT: prefill.kernel @read
func.func @otherCache(%b: tensor<?x4xf32> {sched.tokens}, %c: memref<?x8x4xf32>,
    %out: memref<?x8x4xf32>, %other: memref<?x8x4xf32>, %s: tensor<?xi64> {sched.tokens},
    %n: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>}) {
  prefill.eager {
    prefill.kernel @read ins(%n : tensor<?xi32>) caches(%c, %out : memref<?x8x4xf32>, memref<?x8x4xf32>)
        {cache_access = [#sched.access<read>, #sched.access<write>], effect = #sched.effect_class<host_metadata>}
    prefill.cache_insert %b at %s into %other : tensor<?x4xf32>, tensor<?xi64> -> memref<?x8x4xf32>
  }
  return
}

// -----

// An op that may be captured but lies between two that may not stays.
// CHECK-LABEL: func.func @between
// CHECK: prefill.eager
// CHECK-NEXT: %[[A:.*]] = prefill.kernel @host
// CHECK-NEXT: %[[B:.*]] = prefill.rms_norm %[[A]]
// CHECK-NEXT: %[[C:.*]] = prefill.kernel @host ins(%[[B]]
// CHECK-NEXT: prefill.yield %[[C]]
// REMARK: StaysEager{{.*}}Function=between{{.*}}prefill.rms_norm stays in the eager region: it lies between ops that stay
func.func @between(%x: tensor<?x4xf32> {sched.tokens}, %n: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>})
    -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e0 = tensor.empty(%t) : tensor<?x4xf32>
  %e1 = tensor.empty(%t) : tensor<?x4xf32>
  %e2 = tensor.empty(%t) : tensor<?x4xf32>
  %r = prefill.eager -> tensor<?x4xf32> {
    %a = prefill.kernel @host ins(%x, %n : tensor<?x4xf32>, tensor<?xi32>) outs(%e0 : tensor<?x4xf32>)
        {effect = #sched.effect_class<host_metadata>} -> tensor<?x4xf32>
    %b = prefill.rms_norm %a into %e1 {eps = 1.0e-6 : f64} : tensor<?x4xf32> -> tensor<?x4xf32>
    %c = prefill.kernel @host ins(%b, %n : tensor<?x4xf32>, tensor<?xi32>) outs(%e2 : tensor<?x4xf32>)
        {effect = #sched.effect_class<host_metadata>} -> tensor<?x4xf32>
    prefill.yield %c : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}
