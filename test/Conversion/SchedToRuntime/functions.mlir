// RUN: braid-opt %s --convert-sched-to-runtime --split-input-file | mlir-translate --mlir-to-llvmir --split-input-file | FileCheck %s

// A public function has a descriptor: struct size, ABI version, name, arguments,
// workspace and entry. The entry takes the caller's array apart.
// CHECK: @braid_function_f = constant { i64, i32, i32, ptr, i64, ptr, i64, i64, ptr } { i64 64, i32 0, i32 1, ptr @[[F:braid.string.[0-9]+]], i64 2, ptr @[[ARGUMENTS:braid.arguments.[0-9]+]], i64 0, i64 0, ptr @braid_entry_f }
// An argument: struct size, name, type, rank, extents, access, metadata,
// strides.
// CHECK: @[[ARGUMENTS]] = internal constant [2 x { i64, ptr, i32, i32, ptr, i32, i32, ptr }]
// CHECK-SAME: { i64 48, ptr @[[X:[^,]*]], i32 1, i32 2, ptr @[[SX:[^,]*]], i32 1, i32 0, ptr @[[DENSE:[^,]*]] }
// CHECK-SAME: { i64 48, ptr @[[Y:[^,]*]], i32 2, i32 2, ptr @[[SY:[^,]*]], i32 2, i32 0, ptr @[[DENSE]] }
// The token extent is -1; other dynamic extents are -2.
// CHECK-DAG: @[[SX]] = internal constant [2 x i64] [i64 -1, i64 8]
// CHECK-DAG: @[[SY]] = internal constant [2 x i64] [i64 -2, i64 8]
// The strides of a plain memref are dense, -1.
// CHECK-DAG: @[[DENSE]] = internal constant [2 x i64] [i64 -1, i64 -1]
// CHECK-DAG: @[[X]] = internal constant [7 x i8] c"hidden\00"
// An argument without a name has its number.
// CHECK-DAG: @[[Y]] = internal constant [10 x i8] c"argument1\00"
// CHECK-DAG: @[[F]] = internal constant [2 x i8] c"f\00"
// CHECK: define internal void @f(ptr %0, ptr %1, ptr %2)
// CHECK: define internal void @braid_entry_f(ptr %[[FRAME:.*]], ptr %[[ALL:.*]])
// CHECK-NEXT: %[[A0:.*]] = getelementptr { ptr, [6 x i64], [6 x i64], i32, i32 }, ptr %[[ALL]], i32 0
// CHECK-NEXT: %[[A1:.*]] = getelementptr { ptr, [6 x i64], [6 x i64], i32, i32 }, ptr %[[ALL]], i32 1
// CHECK-NEXT: call void @f(ptr %[[FRAME]], ptr %[[A0]], ptr %[[A1]])
// CHECK-NEXT: ret void
func.func @f(%x: memref<?x8xf32> {sched.tokens, prefill.name = "hidden"}, %y: memref<?x8xbf16>) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xbf16>
    }
  }
  return
}

// -----

// A strided memref says which strides it was compiled for; -2 is any.
// CHECK: @braid_function_strided = {{.*}} i64 2, ptr @[[ARGUMENTS:[^,]*]],
// CHECK: @[[ARGUMENTS]] = internal constant [2 x
// CHECK-SAME: ptr @[[CACHE:[^, ]*]] }, {
// CHECK-SAME: ptr @[[ANY:[^, ]*]] }]
// CHECK-DAG: @[[CACHE]] = internal constant [3 x i64] [i64 -2, i64 584, i64 1]
// CHECK-DAG: @[[ANY]] = internal constant [2 x i64] [i64 -2, i64 -2]
func.func @strided(%a: memref<?x?x584xi8, strided<[?, 584, 1]>>, %b: memref<4x?xf32, strided<[?, ?]>>) {
  return
}

// -----

// Every element type, each kind of metadata, and an argument of rank 0 that
// nobody touches.
// CHECK: @braid.arguments.0 = internal constant [8 x
// CHECK-SAME: i32 1, i32 1, ptr @{{[^,]*}}, i32 0, i32 0, ptr
// CHECK-SAME: i32 2, i32 1, ptr @{{[^,]*}}, i32 0, i32 1, ptr
// CHECK-SAME: i32 3, i32 1, ptr @{{[^,]*}}, i32 0, i32 2, ptr
// CHECK-SAME: i32 4, i32 1, ptr @{{[^,]*}}, i32 0, i32 3, ptr
// CHECK-SAME: i32 5, i32 1
// CHECK-SAME: i32 6, i32 1
// CHECK-SAME: i32 7, i32 6
// CHECK-SAME: i32 8, i32 0, ptr null, i32 0, i32 0, ptr null }
func.func @types(%a: memref<4xf32>,
                 %b: memref<4xbf16> {prefill.metadata = #prefill.metadata<host>},
                 %c: memref<4xf16> {prefill.metadata = #prefill.metadata<device, persistent>},
                 %d: memref<4xf8E4M3FN> {prefill.metadata = #prefill.metadata<device, transient>},
                 %e: memref<4xf8E8M0FNU>, %f: memref<4xi8>, %g: memref<1x1x1x1x1x1xi32>, %h: memref<i64>) {
  return
}

// -----

// A private function is called inside the module only; the list of layers has
// done its work.
// CHECK-NOT: braid_function_hidden
// CHECK: define internal void @hidden(ptr %0)
// CHECK-NOT: braid_entry
func.func private @hidden() {
  return
}
prefill.layer 0 uses @hidden

// -----

// Access of an argument counts what happens through views and in callees.
// CHECK: @braid_function_top = {{.*}} i64 3, ptr @[[ARGUMENTS:[^,]*]],
// CHECK: @[[ARGUMENTS]] = internal constant [3 x
// CHECK-SAME: i32 1, i32 2, ptr @{{[^,]*}}, i32 1, i32 0, ptr
// CHECK-SAME: i32 1, i32 2, ptr @{{[^,]*}}, i32 2, i32 0, ptr
// CHECK-SAME: i32 1, i32 3, ptr @{{[^,]*}}, i32 3, i32 0, ptr
func.func @top(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %c: memref<4x4x8xf32>) {
  %v = memref.cast %c : memref<4x4x8xf32> to memref<?x?x8xf32>
  func.call @bottom(%x, %y, %v) : (memref<4x8xf32>, memref<4x8xf32>, memref<?x?x8xf32>) -> ()
  return
}
func.func private @bottom(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %c: memref<?x?x8xf32>) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      prefill.kernel @k ins(%x : memref<4x8xf32>) caches(%c : memref<?x?x8xf32>) outs(%y : memref<4x8xf32>) {cache_access = [#sched.access<read_write>], effect = #sched.effect_class<graph_safe>}
    }
  }
  return
}

// -----

// A kernel gets a wrapper that makes descriptors. The runtime's pointer has the
// offset of a view in it; where the type fixes an offset, the function adds it
// again, so it is taken off before.
// CHECK: define internal void @half.kernel(ptr %0)
// CHECK: %[[START:[0-9]+]] = getelementptr i8, ptr %{{[0-9]+}}, i64 -16
// CHECK: call void @half(ptr %[[START]], ptr %[[START]], i64 4,
func.func private @half(%x: memref<4x4xf32, strided<[8, 1], offset: 4>> {sched.access = #sched.access<read_write>})
    attributes {sched.kernel} {
  return
}

// -----

// Without an offset, or with one that is not known, the pointer is taken as it is.
// CHECK: define internal void @plain.kernel(ptr %0)
// CHECK-NOT: getelementptr i8
// CHECK: call void @plain(ptr %[[X:[0-9]+]], ptr %[[X]], i64 0,
// CHECK-SAME: ptr %[[Y:[0-9]+]], ptr %[[Y]], i64 0,
func.func private @plain(%x: memref<4xf32> {sched.access = #sched.access<read>},
    %y: memref<4x4xf32, strided<[8, 1], offset: ?>> {sched.access = #sched.access<write>})
    attributes {sched.kernel} {
  return
}
