// RUN: braid-opt %s --sched-form-segments --sched-assign-streams --split-input-file | FileCheck %s
// RUN: braid-opt %s --sched-form-segments --sched-assign-streams='max-streams=2' --split-input-file | FileCheck %s --check-prefix=TWO
// RUN: braid-opt %s --sched-form-segments --sched-assign-streams='max-streams=1' --split-input-file | FileCheck %s --check-prefix=ONE --implicit-check-not='planned_stream = 1'
// RUN: braid-opt %s --sched-form-segments --sched-assign-streams='algorithm=serial' --split-input-file | FileCheck %s --check-prefix=ONE --implicit-check-not='planned_stream = 1'
// RUN: braid-opt %s --sched-form-segments --sched-assign-streams --split-input-file --remarks-filter=sched-streams -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Linears that read the same input are independent: as many streams as there
// are, and the costliest one on stream 0. Launches do not move yet.
// CHECK-LABEL: func @fan_out(
// CHECK: sched.launch on %s0 attributes {planned_position = {{[0-3]}} : i64, planned_stream = [[A:[1-3]]] : i64}
// CHECK-NEXT: prefill.linear %{{.*}} : memref<?x64xf32>, memref<64x64xf32>
// CHECK: sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 0 : i64}
// CHECK-NEXT: prefill.linear %{{.*}} : memref<?x64xf32>, memref<4096x64xf32>
// CHECK: planned_stream = [[B:[1-3]]] : i64}
// CHECK-NEXT: prefill.linear %{{.*}} : memref<?x64xf32>, memref<128x64xf32>
// CHECK: planned_stream = [[C:[1-3]]] : i64}
// CHECK-NEXT: prefill.linear %{{.*}} : memref<?x64xf32>, memref<256x64xf32>
// CHECK-NOT: sched.wait

// TWO-LABEL: func @fan_out(
// TWO: planned_stream = 1 : i64}
// TWO: planned_stream = 0 : i64}
// TWO: planned_stream = 1 : i64}
// TWO: planned_stream = 1 : i64}

// One stream is the program's own order.
// ONE-LABEL: func @fan_out(
// ONE: planned_position = 0 : i64, planned_stream = 0 : i64}
// ONE: planned_position = 1 : i64, planned_stream = 0 : i64}
// ONE: planned_position = 2 : i64, planned_stream = 0 : i64}
// ONE: planned_position = 3 : i64, planned_stream = 0 : i64}

// REMARK: StreamsAssigned | Category:sched-streams | Function=fan_out | Estimate="4.8 us", Launches=4, Serial="10.5 us", Streams=4, Waits=6
func.func @fan_out(%x: memref<?x64xf32> {sched.tokens}, %w0: memref<64x64xf32>, %w1: memref<4096x64xf32>,
    %w2: memref<128x64xf32>, %w3: memref<256x64xf32>, %a: memref<?x64xf32> {sched.tokens},
    %b: memref<?x4096xf32> {sched.tokens}, %c: memref<?x128xf32> {sched.tokens}, %d: memref<?x256xf32> {sched.tokens}) {
  prefill.linear %x by %w0 into %a : memref<?x64xf32>, memref<64x64xf32> -> memref<?x64xf32>
  prefill.linear %x by %w1 into %b : memref<?x64xf32>, memref<4096x64xf32> -> memref<?x4096xf32>
  prefill.linear %x by %w2 into %c : memref<?x64xf32>, memref<128x64xf32> -> memref<?x128xf32>
  prefill.linear %x by %w3 into %d : memref<?x64xf32>, memref<256x64xf32> -> memref<?x256xf32>
  return
}

// -----

// A chain has nothing beside it: one stream.
// CHECK-LABEL: func @chain(
// CHECK: planned_position = 0 : i64, planned_stream = 0 : i64}
// CHECK: planned_position = 1 : i64, planned_stream = 0 : i64}
// CHECK: planned_position = 2 : i64, planned_stream = 0 : i64}
// REMARK: Function=chain | {{.*}}Launches=3, {{.*}}Streams=1, Waits=0
func.func @chain(%x: memref<?x8xf32> {sched.tokens}, %w: memref<8x8xf32>, %y: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  %a = memref.alloc(%t) : memref<?x8xf32>
  %b = memref.alloc(%t) : memref<?x8xf32>
  prefill.linear %x by %w into %a : memref<?x8xf32>, memref<8x8xf32> -> memref<?x8xf32>
  prefill.rms_norm %a into %b {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  prefill.linear %b by %w into %y : memref<?x8xf32>, memref<8x8xf32> -> memref<?x8xf32>
  return
}

// -----

// Norms of different columns of one buffer are independent.
// CHECK-LABEL: func @columns(
// CHECK: planned_stream = 0 : i64}
// CHECK-NEXT: prefill.linear
// CHECK: planned_stream = [[A:[01]]] : i64}
// CHECK-NEXT: prefill.rms_norm
// CHECK-NOT: planned_stream = [[A]] : i64}
// CHECK: planned_stream
// CHECK-NEXT: prefill.rms_norm
// REMARK: Function=columns | {{.*}}Streams=2
func.func @columns(%x: memref<?x8xf32> {sched.tokens}, %w: memref<8x8xf32>, %y: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  prefill.linear %x by %w into %y : memref<?x8xf32>, memref<8x8xf32> -> memref<?x8xf32>
  %a = memref.subview %y[0, 0] [%t, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1]>>
  %b = memref.subview %y[0, 4] [%t, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: 4>>
  prefill.rms_norm %a into %a {eps = 0.0 : f64} : memref<?x4xf32, strided<[8, 1]>> -> memref<?x4xf32, strided<[8, 1]>>
  prefill.rms_norm %b into %b {eps = 0.0 : f64} : memref<?x4xf32, strided<[8, 1], offset: 4>> -> memref<?x4xf32, strided<[8, 1], offset: 4>>
  return
}

// -----

// The negative twin: with one column in common they keep their order.
// CHECK-LABEL: func @overlapping_columns(
// CHECK: planned_position = 0 : i64, planned_stream = 0 : i64}
// CHECK: planned_position = 1 : i64, planned_stream = 0 : i64}
// CHECK: planned_position = 2 : i64, planned_stream = 0 : i64}
// REMARK: Function=overlapping_columns | {{.*}}Streams=1
func.func @overlapping_columns(%x: memref<?x8xf32> {sched.tokens}, %w: memref<8x8xf32>, %y: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  prefill.linear %x by %w into %y : memref<?x8xf32>, memref<8x8xf32> -> memref<?x8xf32>
  %a = memref.subview %y[0, 0] [%t, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1]>>
  %b = memref.subview %y[0, 3] [%t, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: 3>>
  prefill.rms_norm %a into %a {eps = 0.0 : f64} : memref<?x4xf32, strided<[8, 1]>> -> memref<?x4xf32, strided<[8, 1]>>
  prefill.rms_norm %b into %b {eps = 0.0 : f64} : memref<?x4xf32, strided<[8, 1], offset: 3>> -> memref<?x4xf32, strided<[8, 1], offset: 3>>
  return
}

// -----

// Two readers of what a third one then overwrites: the readers are independent,
// and the writer comes after both, without a value from either.
// CHECK-LABEL: func @overwritten(
// CHECK: planned_position = {{[01]}} : i64, planned_stream = [[A:[01]]] : i64}
// CHECK-NEXT: prefill.rms_norm
// CHECK-NOT: planned_stream = [[A]] : i64}
// CHECK: planned_position = {{[01]}} : i64
// CHECK-NEXT: prefill.rms_norm
// CHECK: planned_position = 2 : i64
// CHECK-NEXT: memref.copy
// REMARK: Function=overwritten | {{.*}}Streams=2, Waits=2
func.func @overwritten(%x: memref<?x8xf32> {sched.tokens}, %z: memref<?x8xf32> {sched.tokens},
    %y0: memref<?x8xf32> {sched.tokens}, %y1: memref<?x8xf32> {sched.tokens}) {
  prefill.rms_norm %x into %y0 {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  prefill.rms_norm %x into %y1 {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  memref.copy %z, %x : memref<?x8xf32> to memref<?x8xf32>
  return
}

// -----

// The negative twin: who writes another buffer goes beside them.
// CHECK-LABEL: func @not_overwritten(
// CHECK: planned_stream = [[A:[0-2]]] : i64}
// CHECK-NEXT: prefill.rms_norm
// CHECK-NOT: planned_stream = [[A]] : i64}
// CHECK: planned_stream = [[B:[0-2]]] : i64}
// CHECK-NEXT: prefill.rms_norm
// CHECK-NOT: planned_stream = [[A]] : i64}
// CHECK-NOT: planned_stream = [[B]] : i64}
// CHECK: memref.copy
// REMARK: Function=not_overwritten | {{.*}}Streams=3
func.func @not_overwritten(%x: memref<?x8xf32> {sched.tokens}, %z: memref<?x8xf32> {sched.tokens},
    %y0: memref<?x8xf32> {sched.tokens}, %y1: memref<?x8xf32> {sched.tokens}, %y2: memref<?x8xf32> {sched.tokens}) {
  prefill.rms_norm %x into %y0 {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  prefill.rms_norm %x into %y1 {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  memref.copy %z, %y2 : memref<?x8xf32> to memref<?x8xf32>
  return
}

// -----

// In-place updates of one buffer keep their order, under another name too.
// CHECK-LABEL: func @in_place(
// CHECK: planned_position = 0 : i64, planned_stream = 0 : i64}
// CHECK: planned_position = 1 : i64, planned_stream = 0 : i64}
// CHECK: planned_position = 2 : i64, planned_stream = 0 : i64}
// REMARK: Function=in_place | {{.*}}Streams=1
func.func @in_place(%x: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  %h = memref.expand_shape %x [[0], [1, 2]] output_shape [%t, 2, 4] : memref<?x8xf32> into memref<?x2x4xf32>
  prefill.rms_norm %x into %x {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  prefill.rms_norm %h into %h {eps = 0.0 : f64} : memref<?x2x4xf32> -> memref<?x2x4xf32>
  prefill.rms_norm %x into %x {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  return
}

// -----

// A cache orders: the insert into the cache comes before the kernel that reads
// it, and not before the one that reads another cache.
// CHECK-LABEL: func @cache(
// CHECK: planned_stream = [[A:[01]]] : i64}
// CHECK-NEXT: prefill.cache_insert
// CHECK: planned_stream = [[A]] : i64}
// CHECK-NEXT: prefill.kernel @read
// CHECK-NOT: planned_stream = [[A]] : i64}
// CHECK: prefill.kernel @other
// REMARK: Function=cache | {{.*}}Streams=2, Waits=2
func.func @cache(%x: memref<?x8xf32> {sched.tokens}, %slots: memref<?xi64> {sched.tokens}, %c: memref<?x?x8xf32>,
    %d: memref<?x?x8xf32>, %y0: memref<?x8xf32> {sched.tokens}, %y1: memref<?x8xf32> {sched.tokens}) {
  prefill.cache_insert %x at %slots into %c : memref<?x8xf32>, memref<?xi64> -> memref<?x?x8xf32>
  prefill.kernel @read caches(%c : memref<?x?x8xf32>) outs(%y0 : memref<?x8xf32>)
      {cache_access = [#sched.access<read>], effect = #sched.effect_class<graph_safe>}
  prefill.kernel @other caches(%d : memref<?x?x8xf32>) outs(%y1 : memref<?x8xf32>)
      {cache_access = [#sched.access<read>], effect = #sched.effect_class<graph_safe>}
  return
}

// -----

// The critical path comes first, though the program has it last.
// CHECK-LABEL: func @critical_path(
// CHECK: planned_position = 1 : i64, planned_stream = 1 : i64}
// CHECK-NEXT: prefill.kernel @short
// CHECK: planned_position = 0 : i64, planned_stream = 0 : i64}
// CHECK-NEXT: prefill.kernel @long
// CHECK: planned_position = 2 : i64, planned_stream = 0 : i64}
// CHECK-NEXT: prefill.kernel @longer
// ONE-LABEL: func @critical_path(
// ONE: planned_position = 0
// ONE-NEXT: @short
// ONE: planned_position = 1
// ONE-NEXT: @long
// ONE: planned_position = 2
// ONE-NEXT: @longer
func.func @critical_path(%x: memref<?x8xf32> {sched.tokens}, %y: memref<?x8xf32> {sched.tokens},
    %u: memref<?x8xf32> {sched.tokens}, %v: memref<?x8xf32> {sched.tokens}) {
  prefill.kernel @short ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>) {effect = #sched.effect_class<graph_safe>}
  prefill.kernel @long ins(%x : memref<?x8xf32>) outs(%u : memref<?x8xf32>) {effect = #sched.effect_class<graph_safe>}
  prefill.kernel @longer ins(%u : memref<?x8xf32>) outs(%v : memref<?x8xf32>) {effect = #sched.effect_class<graph_safe>}
  return
}

// -----

// An eager region overlaps work like a segment does; each is planned by itself,
// from position 0.
// CHECK-LABEL: func @regions(
// CHECK: sched.segment "regions.segment0" {
// CHECK: planned_position = 0 : i64, planned_stream = 0 : i64}
// CHECK: sched.eager "regions.eager0" {
// CHECK-DAG: planned_position = 0 : i64, planned_stream = 0 : i64}
// CHECK-DAG: planned_position = 1 : i64, planned_stream = 1 : i64}
// REMARK: Function=regions | {{.*}}Launches=1, {{.*}}Streams=1, Waits=0
// REMARK: Function=regions | {{.*}}Launches=2, {{.*}}Streams=2, Waits=2
func.func @regions(%x: memref<?x8xf32> {sched.tokens}, %n: memref<?xi32> {prefill.metadata = #prefill.metadata<host>},
    %y: memref<?x8xf32> {sched.tokens}, %u: memref<?x8xf32> {sched.tokens}, %v: memref<?x8xf32> {sched.tokens}) {
  prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
  prefill.kernel @host ins(%y, %n : memref<?x8xf32>, memref<?xi32>) outs(%u : memref<?x8xf32>) {effect = #sched.effect_class<host_metadata>}
  prefill.kernel @host ins(%y, %n : memref<?x8xf32>, memref<?xi32>) outs(%v : memref<?x8xf32>) {effect = #sched.effect_class<host_metadata>}
  return
}

// -----

// Streams that someone chose by hand stay as they are.
// CHECK-LABEL: func @by_hand(
// CHECK-NOT: planned_stream
// CHECK: return
// REMARK-NOT: Function=by_hand
func.func @by_hand(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  sched.schedule(%s0, %s1) {
    sched.segment {
      sched.fork %s0 to %s1
      sched.launch on %s1 {
        prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
      sched.launch on %s0 {
        prefill.rms_norm %x into %z {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
      sched.join %s1 into %s0
    }
  }
  return
}
