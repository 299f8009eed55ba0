// RUN: braid-opt %s --split-input-file --sched-narrow-eager=tokens=16 | FileCheck %s
// RUN: braid-opt %s --split-input-file --sched-narrow-eager=tokens=16 --remarks-filter=sched-eager -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: braid-opt %s --split-input-file --sched-narrow-eager=tokens=1048576 | FileCheck %s --check-prefix=MANY

// Three short kernels between two ops that need the host: launched one by one
// they keep the host busy, in a graph they do not, and that pays for one more
// segment. What crosses becomes a result of each part.
// CHECK-LABEL: func.func @three
// CHECK: %[[P:.*]] = prefill.eager -> tensor<?x4xf32> {
// CHECK-NEXT: %[[A:.*]] = prefill.kernel @host
// CHECK-NEXT: prefill.yield %[[A]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[B:.*]] = prefill.rms_norm %[[P]]
// CHECK-NEXT: %[[C:.*]] = prefill.rms_norm %[[B]]
// CHECK-NEXT: %[[E:.*]] = prefill.rms_norm %[[C]]
// CHECK-NEXT: %[[Q:.*]] = prefill.eager -> tensor<?x4xf32> {
// CHECK-NEXT: %[[D:.*]] = prefill.kernel @host
// CHECK-NEXT: %[[F:.*]] = prefill.kernel @host ins(%[[E]], %[[D]],
// CHECK-NEXT: prefill.yield %[[F]]
// CHECK-NEXT: }
// CHECK-NEXT: return %[[Q]], %[[P]]
// REMARK: SplitEager{{.*}}Function=three{{.*}}the eager region is split before prefill.rms_norm: capturing the 3 in this place saves 5.8 us, one more segment costs 4.0 us
// REMARK: NarrowedEager{{.*}}Function=three{{.*}}MovedBetween=3, MovedDown=0, MovedUp=0, Staying=3

// Kernels so long that the host is ahead anyway gain nothing.
// MANY-LABEL: func.func @three
// MANY: prefill.eager
// MANY-NEXT: prefill.kernel @host
// MANY-NEXT: prefill.rms_norm
// MANY-COUNT-1: prefill.yield
func.func @three(%x: tensor<?x4xf32> {sched.tokens}, %n: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>},
    %e0: tensor<?x4xf32>, %e1: tensor<?x4xf32>, %e2: tensor<?x4xf32>, %e3: tensor<?x4xf32>, %e4: tensor<?x4xf32>, %e5: tensor<?x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %r:2 = prefill.eager -> tensor<?x4xf32>, tensor<?x4xf32> {
    %a = prefill.kernel @host ins(%x, %n : tensor<?x4xf32>, tensor<?xi32>) outs(%e0 : tensor<?x4xf32>)
        {effect = #sched.effect_class<host_metadata>} -> tensor<?x4xf32>
    %b = prefill.rms_norm %a into %e1 {eps = 1.0e-6 : f64} : tensor<?x4xf32> -> tensor<?x4xf32>
    %c = prefill.rms_norm %b into %e2 {eps = 1.0e-6 : f64} : tensor<?x4xf32> -> tensor<?x4xf32>
    %d = prefill.kernel @host ins(%x, %n : tensor<?x4xf32>, tensor<?xi32>) outs(%e3 : tensor<?x4xf32>)
        {effect = #sched.effect_class<host_metadata>} -> tensor<?x4xf32>
    %e = prefill.rms_norm %c into %e4 {eps = 1.0e-6 : f64} : tensor<?x4xf32> -> tensor<?x4xf32>
    %f = prefill.kernel @host ins(%e, %d, %n : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xi32>) outs(%e5 : tensor<?x4xf32>)
        {effect = #sched.effect_class<host_metadata>} -> tensor<?x4xf32>
    prefill.yield %f, %a : tensor<?x4xf32>, tensor<?x4xf32>
  }
  return %r#0, %r#1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// Negative twin: two of them save less than a segment costs.
// CHECK-LABEL: func.func @two
// CHECK: prefill.eager
// CHECK-NEXT: prefill.kernel @host
// CHECK-NEXT: prefill.rms_norm
// CHECK-NEXT: prefill.rms_norm
// CHECK-NEXT: prefill.kernel @host
// CHECK-NEXT: prefill.yield
// CHECK-NOT: prefill.eager
// REMARK: StaysEager{{.*}}Function=two{{.*}}prefill.rms_norm stays in the eager region: it lies between ops that stay; capturing the 2 in this place would save 3.9 us, one more segment costs 4.0 us
// REMARK: NarrowedEager{{.*}}Function=two{{.*}}MovedBetween=0, MovedDown=0, MovedUp=0, Staying=4
func.func @two(%x: tensor<?x4xf32> {sched.tokens}, %n: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>},
    %e0: tensor<?x4xf32>, %e1: tensor<?x4xf32>, %e2: tensor<?x4xf32>, %e3: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = prefill.eager -> tensor<?x4xf32> {
    %a = prefill.kernel @host ins(%x, %n : tensor<?x4xf32>, tensor<?xi32>) outs(%e0 : tensor<?x4xf32>)
        {effect = #sched.effect_class<host_metadata>} -> tensor<?x4xf32>
    %b = prefill.rms_norm %a into %e1 {eps = 1.0e-6 : f64} : tensor<?x4xf32> -> tensor<?x4xf32>
    %c = prefill.rms_norm %b into %e2 {eps = 1.0e-6 : f64} : tensor<?x4xf32> -> tensor<?x4xf32>
    %d = prefill.kernel @host ins(%c, %n : tensor<?x4xf32>, tensor<?xi32>) outs(%e3 : tensor<?x4xf32>)
        {effect = #sched.effect_class<host_metadata>} -> tensor<?x4xf32>
    prefill.yield %d : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// The target decides: where a break costs next to nothing, one op is enough.
// CHECK-LABEL: func.func @cheapBreak
// CHECK: prefill.eager
// CHECK-NEXT: prefill.kernel @host
// CHECK-NEXT: prefill.yield
// CHECK: prefill.rms_norm
// CHECK-NEXT: prefill.eager
// CHECK-NEXT: prefill.kernel @host
// CHECK-NEXT: prefill.yield
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<
    "braid.eager_launch_microseconds" = 8.0 : f64, "braid.replay_microseconds" = 1.0 : f64, "braid.break_microseconds" = 0.5 : f64>>} {
func.func @cheapBreak(%x: tensor<?x4xf32> {sched.tokens}, %n: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>},
    %e0: tensor<?x4xf32>, %e1: tensor<?x4xf32>, %e3: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = prefill.eager -> tensor<?x4xf32> {
    %a = prefill.kernel @host ins(%x, %n : tensor<?x4xf32>, tensor<?xi32>) outs(%e0 : tensor<?x4xf32>)
        {effect = #sched.effect_class<host_metadata>} -> tensor<?x4xf32>
    %b = prefill.rms_norm %a into %e1 {eps = 1.0e-6 : f64} : tensor<?x4xf32> -> tensor<?x4xf32>
    %d = prefill.kernel @host ins(%b, %n : tensor<?x4xf32>, tensor<?xi32>) outs(%e3 : tensor<?x4xf32>)
        {effect = #sched.effect_class<host_metadata>} -> tensor<?x4xf32>
    prefill.yield %d : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}
}

// -----

// Memory keeps its order through a split: what is captured in the middle writes a
// cache that the first part reads and the last part reads again.
// CHECK-LABEL: func.func @caches
// CHECK: prefill.eager {
// CHECK-NEXT: prefill.kernel @before
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: prefill.cache_insert
// CHECK-NEXT: prefill.cache_insert
// CHECK-NEXT: prefill.cache_insert
// CHECK-NEXT: prefill.eager {
// CHECK-NEXT: prefill.kernel @after
// CHECK-NEXT: {{^ *}}}
func.func @caches(%x: tensor<?x4xf32> {sched.tokens}, %s: tensor<?xi64>, %c: memref<?x8x4xf32>, %out: memref<?x8x4xf32>,
    %n: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>}) {
  prefill.eager {
    prefill.kernel @before ins(%n : tensor<?xi32>) caches(%c, %out : memref<?x8x4xf32>, memref<?x8x4xf32>)
        {cache_access = [#sched.access<read>, #sched.access<write>], effect = #sched.effect_class<host_metadata>}
    prefill.cache_insert %x at %s into %c : tensor<?x4xf32>, tensor<?xi64> -> memref<?x8x4xf32>
    prefill.cache_insert %x at %s into %c : tensor<?x4xf32>, tensor<?xi64> -> memref<?x8x4xf32>
    prefill.cache_insert %x at %s into %c : tensor<?x4xf32>, tensor<?xi64> -> memref<?x8x4xf32>
    prefill.kernel @after ins(%n : tensor<?xi32>) caches(%c, %out : memref<?x8x4xf32>, memref<?x8x4xf32>)
        {cache_access = [#sched.access<read>, #sched.access<write>], effect = #sched.effect_class<host_metadata>}
  }
  return
}

// -----

// A call in the middle ends the region in any case, and what can goes with it.
// CHECK-LABEL: func.func @call(
// CHECK: prefill.eager
// CHECK-NEXT: prefill.kernel @host
// CHECK-NEXT: prefill.yield
// CHECK: prefill.rms_norm
// CHECK-NEXT: call @callee
// CHECK-NEXT: prefill.eager
// CHECK-NEXT: prefill.kernel @host
// CHECK-NEXT: prefill.yield
// REMARK: CallLeaves{{.*}}Function=call{{.*}}the call of @callee leaves the eager region: the callee forms its own
// REMARK: SplitEager{{.*}}Function=call{{.*}}the eager region is split before prefill.rms_norm: capturing the 1 in this place saves 1.9 us, and a call ends the region anyway
func.func private @callee(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}
func.func @call(%x: tensor<?x4xf32> {sched.tokens}, %n: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>},
    %e0: tensor<?x4xf32>, %e1: tensor<?x4xf32>, %e3: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = prefill.eager -> tensor<?x4xf32> {
    %a = prefill.kernel @host ins(%x, %n : tensor<?x4xf32>, tensor<?xi32>) outs(%e0 : tensor<?x4xf32>)
        {effect = #sched.effect_class<host_metadata>} -> tensor<?x4xf32>
    %b = prefill.rms_norm %a into %e1 {eps = 1.0e-6 : f64} : tensor<?x4xf32> -> tensor<?x4xf32>
    %c = func.call @callee(%b) : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %d = prefill.kernel @host ins(%c, %n : tensor<?x4xf32>, tensor<?xi32>) outs(%e3 : tensor<?x4xf32>)
        {effect = #sched.effect_class<host_metadata>} -> tensor<?x4xf32>
    prefill.yield %d : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// The callee reads what its caller passes: the insert in it must stay, and the
// reason names the caller's argument. (The twin without metadata leaves nothing.)
// CHECK-LABEL: func.func private @insert(
// CHECK: prefill.eager {
// CHECK-NEXT: prefill.cache_insert
// REMARK: StaysEager{{.*}}Function=insert{{.*}}prefill.cache_insert stays in the eager region: it reads 'slots' of @passes, device metadata whose address may change from call to call
// CHECK-LABEL: func.func private @insertToo(
// CHECK-NOT: prefill.eager
// CHECK: prefill.cache_insert
// CHECK: return
func.func private @insert(%x: tensor<?x4xf32>, %s: tensor<?xi64>, %c: memref<?x8x4xf32>) {
  prefill.eager {
    prefill.cache_insert %x at %s into %c : tensor<?x4xf32>, tensor<?xi64> -> memref<?x8x4xf32>
  }
  return
}
func.func private @insertToo(%x: tensor<?x4xf32>, %s: tensor<?xi64>, %c: memref<?x8x4xf32>) {
  prefill.eager {
    prefill.cache_insert %x at %s into %c : tensor<?x4xf32>, tensor<?xi64> -> memref<?x8x4xf32>
  }
  return
}
func.func @passes(%x: tensor<?x4xf32>, %o: tensor<?xi64>, %c: memref<?x8x4xf32>,
    %s: tensor<?xi64> {prefill.name = "slots", prefill.metadata = #prefill.metadata<device, transient>}) {
  func.call @insert(%x, %s, %c) : (tensor<?x4xf32>, tensor<?xi64>, memref<?x8x4xf32>) -> ()
  func.call @insertToo(%x, %o, %c) : (tensor<?x4xf32>, tensor<?xi64>, memref<?x8x4xf32>) -> ()
  return
}
