// RUN: braid-opt %s --braid-lower --split-input-file | mlir-translate --mlir-to-llvmir --split-input-file | FileCheck %s

// Buffers: the workspace's base plus a * T + b bytes. A buffer of fixed size
// behind a dynamic one moves with T.
// CHECK: define internal void @buffers(ptr %0, ptr %1)
// CHECK-DAG: %[[B:.*]] = alloca { ptr, [6 x i64], [6 x i64], i32, i32 }
// CHECK-DAG: %[[T:.*]] = load i64
// CHECK: %[[BASE:.*]] = call ptr @braid_rt_schedule_begin(ptr %0, ptr @{{.*}}, i64 %[[T]])
// The first one: sizes [T, 8], strides [8, 1], bf16, rank 2.
// CHECK: %[[D0:.*]] = getelementptr i8, ptr %[[BASE]], i64 0
// CHECK: store ptr %[[D0]], ptr
// CHECK: store i64 %[[T]], ptr
// CHECK: store i64 8, ptr
// CHECK: store i64 8, ptr
// CHECK: store i64 1, ptr
// CHECK: store i32 2, ptr
// CHECK: store i32 2, ptr
// The second: [3, 4, 5] in f32 at 256 * T + 512.
// CHECK: %[[A:.*]] = mul i64 %[[T]], 256
// CHECK-NEXT: %[[O:.*]] = add i64 %[[A]], 512
// CHECK-NEXT: %[[D1:.*]] = getelementptr i8, ptr %[[BASE]], i64 %[[O]]
// CHECK: store ptr %[[D1]], ptr
// CHECK: store i64 3, ptr
// CHECK: store i64 4, ptr
// CHECK: store i64 5, ptr
// CHECK: store i64 20, ptr
// CHECK: store i64 5, ptr
// CHECK: store i64 1, ptr
// CHECK: store i32 1, ptr
// CHECK: store i32 3, ptr
// CHECK: call void @braid_rt_launch
func.func @buffers(%x: memref<?x8xbf16> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xbf16>
  sched.schedule(%s0) tokens(%t) workspace(#sched.linear<256, 1024>) {
    %a = sched.alloc(%t) at <0, 0> : memref<?x8xbf16>
    %b = sched.alloc at <256, 512> : memref<3x4x5xf32>
    sched.launch on %s0 {
      prefill.kernel @k ins(%x : memref<?x8xbf16>) outs(%a, %b : memref<?x8xbf16>, memref<3x4x5xf32>) {effect = #sched.effect_class<graph_safe>}
    }
  }
  return
}

// -----

// A buffer whose dynamic extent is not the leading one: strides depend on T.
// CHECK: define internal void @inner(
// CHECK: %[[T:.*]] = load i64
// CHECK: %[[S:.*]] = mul i64 3, %[[T]]
// CHECK: store i64 2, ptr
// CHECK: store i64 %[[T]], ptr
// CHECK: store i64 3, ptr
// CHECK: store i64 %[[S]], ptr
// CHECK: store i64 3, ptr
// CHECK: store i64 1, ptr
func.func @inner(%x: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  sched.schedule(%s0) tokens(%t) workspace(#sched.linear<256, 0>) {
    %a = sched.alloc(%t) at <0, 0> : memref<2x?x3xf32>
    sched.launch on %s0 {
      prefill.kernel @k outs(%a : memref<2x?x3xf32>) {effect = #sched.effect_class<graph_safe>}
    }
  }
  return
}

// -----

// A subview of rows: the base moves by elements of the type, and rows keep the
// stride of the whole.
// CHECK: define internal void @rows(ptr %0, ptr %[[X:[^,]*]], ptr %[[Y:[^)]*]])
// CHECK: %[[T:.*]] = load i64
// CHECK: call ptr @braid_rt_schedule_begin
// CHECK-NEXT: %[[P:.*]] = getelementptr {{.*}}, ptr %[[X]], i32 0, i32 0
// CHECK-NEXT: %[[BASE:.*]] = load ptr, ptr %[[P]]
// CHECK-NEXT: %[[D:.*]] = getelementptr i16, ptr %[[BASE]], i64 24
// CHECK: store ptr %[[D]], ptr
// CHECK: store i64 %[[T]], ptr
// CHECK: store i64 8, ptr
// CHECK: store i64 32, ptr
// CHECK: store i64 1, ptr
// CHECK: store i32 2, ptr
// CHECK: store i32 2, ptr
func.func @rows(%x: memref<?x32xbf16> {sched.tokens}, %y: memref<?x8xbf16> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x32xbf16>
  sched.schedule(%s0) tokens(%t) workspace(#sched.linear<0, 0>) {
    %v = memref.subview %x[0, 24] [%t, 8] [1, 1] : memref<?x32xbf16> to memref<?x8xbf16, strided<[32, 1], offset: 24>>
    sched.launch on %s0 {
      prefill.rms_norm %v into %y {eps = 0.0 : f64} : memref<?x8xbf16, strided<[32, 1], offset: 24>> -> memref<?x8xbf16>
    }
  }
  return
}

// -----

// A view of a view of a buffer is one view of the buffer: heads of the second
// half of the channels, one byte an element.
// CHECK: define internal void @heads(
// CHECK: %[[BASE:.*]] = call ptr @braid_rt_schedule_begin
// CHECK: %[[D0:.*]] = getelementptr i8, ptr %[[BASE]], i64 0
// CHECK: store ptr %[[D0]], ptr
// CHECK: %[[P:.*]] = load ptr, ptr
// CHECK-NEXT: %[[D:.*]] = getelementptr i8, ptr %[[P]], i64 16
// CHECK: store ptr %[[D]], ptr
// CHECK: store i64 4, ptr
// CHECK: store i64 2, ptr
// CHECK: store i64 8, ptr
// CHECK: store i64 32, ptr
// CHECK: store i64 8, ptr
// CHECK: store i64 1, ptr
// CHECK: store i32 4, ptr
// CHECK: store i32 3, ptr
func.func @heads() {
  sched.schedule(%s0) workspace(#sched.linear<0, 256>) {
    %a = sched.alloc at <0, 0> : memref<4x32xf8E4M3FN>
    %v = memref.subview %a[0, 16] [4, 16] [1, 1] : memref<4x32xf8E4M3FN> to memref<4x16xf8E4M3FN, strided<[32, 1], offset: 16>>
    %e = memref.expand_shape %v [[0], [1, 2]] output_shape [4, 2, 8] : memref<4x16xf8E4M3FN, strided<[32, 1], offset: 16>> into memref<4x2x8xf8E4M3FN, strided<[32, 8, 1], offset: 16>>
    sched.launch on %s0 {
      prefill.kernel @k outs(%e : memref<4x2x8xf8E4M3FN, strided<[32, 8, 1], offset: 16>>) {effect = #sched.effect_class<graph_safe>}
    }
  }
  return
}

// -----

// A view of metadata is metadata still: 2 is device, persistent. A cast hands
// the tensor on as it is.
// CHECK: @braid.op.0 = internal constant {{.*}} i64 3, ptr @{{[^,]*}}, ptr @[[METADATA:[^,]*]], i64 0
// CHECK: @[[METADATA]] = internal constant [3 x i32] [i32 0, i32 2, i32 0]
// CHECK: define internal void @metadata(ptr %0, ptr %[[ROWS:[^,]*]], ptr %[[SLOTS:[^,]*]], ptr %[[CACHE:[^)]*]])
// CHECK: store ptr %[[ROWS]]
// CHECK: store ptr %[[CACHE]]
// CHECK: call void @braid_rt_launch
func.func @metadata(%rows: memref<4x8xf32>, %slots: memref<8xi64> {prefill.metadata = #prefill.metadata<device, persistent>}, %cache: memref<2x4x8xf32>) {
  sched.schedule(%s0) workspace(#sched.linear<0, 0>) {
    %v = memref.subview %slots[4] [4] [1] : memref<8xi64> to memref<4xi64, strided<[1], offset: 4>>
    %c = memref.cast %cache : memref<2x4x8xf32> to memref<?x?x8xf32>
    sched.launch on %s0 {
      prefill.cache_insert %rows at %v into %c : memref<4x8xf32>, memref<4xi64, strided<[1], offset: 4>> -> memref<?x?x8xf32>
    }
  }
  return
}
