// RUN: braid-opt %s --convert-sched-to-runtime --split-input-file | mlir-translate --mlir-to-llvmir --split-input-file | FileCheck %s

// A call hands the frame on, and the tensors as pointers; it lies between two
// segments. The workspace of the caller counts that of its callees, of which
// one runs at a time, to any depth.
// CHECK-DAG: @braid_function_top = {{.*}} i64 2, ptr @{{[^,]*}}, i64 1792, i64 1280, ptr @braid_entry_top }
// CHECK-DAG: @braid_function_left = {{.*}} i64 2, ptr @{{[^,]*}}, i64 1536, i64 0, ptr @braid_entry_left }
// A schedule's own table counts its own buffers only.
// CHECK-DAG: { i64 40, ptr @{{[^,]*}}, i32 1, i32 0, i64 256, i64 256 }
// CHECK: define internal void @top(ptr %[[FRAME:[^,]*]], ptr %[[X:[^,]*]], ptr %[[Y:[^)]*]])
// CHECK: call ptr @braid_rt_schedule_begin(
// CHECK: call i32 @braid_rt_segment_begin(
// CHECK: call void @braid_rt_segment_end(ptr %[[FRAME]])
// CHECK: call void @left(ptr %[[FRAME]], ptr %[[X]], ptr %[[Y]])
// CHECK-NEXT: call void @right(ptr %[[FRAME]], ptr %[[Y]], ptr %[[X]])
// CHECK: call i32 @braid_rt_segment_begin(
// CHECK: call void @braid_rt_schedule_end(ptr %[[FRAME]])
func.func @top(%x: memref<?x8xf32> {sched.tokens}, %y: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  sched.schedule(%s0) tokens(%t) workspace(#sched.linear<256, 256>) {
    sched.segment "top.segment0" {
      sched.launch on %s0 {
        prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
      }
    }
    func.call @left(%x, %y) : (memref<?x8xf32>, memref<?x8xf32>) -> ()
    func.call @right(%y, %x) : (memref<?x8xf32>, memref<?x8xf32>) -> ()
    sched.segment "top.segment1" {
      sched.launch on %s0 {
        prefill.rms_norm %y into %x {eps = 0.0 : f64} : memref<?x8xf32> -> memref<?x8xf32>
      }
    }
  }
  return
}
func.func @left(%x: memref<?x8xf32> {sched.tokens}, %y: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  sched.schedule(%s0) tokens(%t) workspace(#sched.linear<512, 0>) {
    func.call @leaf(%x) : (memref<?x8xf32>) -> ()
  }
  return
}
func.func private @right(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  sched.schedule(%s0) workspace(#sched.linear<0, 1024>) {
  }
  return
}
func.func private @leaf(%x: memref<?x8xf32>) {
  sched.schedule(%s0) workspace(#sched.linear<1024, 0>) {
  }
  return
}
