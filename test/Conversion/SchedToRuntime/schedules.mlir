// RUN: braid-opt %s --convert-sched-to-runtime --split-input-file | mlir-translate --mlir-to-llvmir --split-input-file | FileCheck %s

// A schedule: struct size, function, streams, event slots, workspace. The token
// count is the call's.
// CHECK: @[[TABLE:braid.schedule.[0-9]+]] = internal constant { i64, ptr, i32, i32, i64, i64 } { i64 40, ptr @[[NAME:[^,]*]], i32 3, i32 2, i64 512, i64 256 }
// CHECK: @[[NAME]] = internal constant [2 x i8] c"f\00"
// CHECK: define internal void @f(ptr %[[FRAME:[^,]*]], ptr %[[X:[^)]*]])
// CHECK-NEXT: %[[P:.*]] = getelementptr {{.*}}, ptr %[[X]], i32 0, i32 1, i32 0
// CHECK-NEXT: %[[T:.*]] = load i64, ptr %[[P]]
// CHECK-NEXT: call ptr @braid_rt_schedule_begin(ptr %[[FRAME]], ptr @[[TABLE]], i64 %[[T]])
// CHECK-NEXT: call void @braid_rt_schedule_end(ptr %[[FRAME]])
// CHECK-NEXT: ret void
func.func @f(%x: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  sched.schedule(%s0, %s1, %s2) tokens(%t) workspace(#sched.linear<512, 256>) events(2) {
  }
  return
}

// -----

// Static shapes have one token; without `events` the slots that records use
// are counted.
// CHECK: @[[TABLE:braid.schedule.[0-9]+]] = internal constant {{.*}} { i64 40, ptr @{{[^,]*}}, i32 2, i32 6, i64 0, i64 0 }
// CHECK: call ptr @braid_rt_schedule_begin(ptr %{{.*}}, ptr @[[TABLE]], i64 1)
// CHECK-NEXT: call void @braid_rt_record(ptr %0, i32 1, i32 5)
// CHECK-NEXT: call void @braid_rt_record(ptr %0, i32 0, i32 0)
// A wait for two events is two waits.
// CHECK-NEXT: call void @braid_rt_wait(ptr %0, i32 0, i32 5)
// CHECK-NEXT: call void @braid_rt_wait(ptr %0, i32 0, i32 0)
// CHECK-NEXT: call void @braid_rt_schedule_end
func.func @events() {
  sched.schedule(%s0, %s1) {
    %a = sched.record on %s1 slot 5
    %b = sched.record on %s0 slot 0
    sched.wait on %s0 for %a, %b
  }
  return
}

// -----

// A segment: struct size, name, location, live-ins and the metadata of each.
// The live-ins are handed over in the order of use; the body runs if asked to.
// CHECK-DAG: @[[TABLE:braid.region.[0-9]+]] = internal constant { i64, ptr, ptr, i64, ptr } { i64 40, ptr @[[NAME:[^,]*]], ptr @[[PLACE:[^,]*]], i64 3, ptr @[[METADATA:[^ ]*]] }
// CHECK-DAG: @[[METADATA]] = internal constant [3 x i32] [i32 0, i32 2, i32 0]
// CHECK-DAG: @[[NAME]] = internal constant [17 x i8] c"segment.segment0\00"
// CHECK-DAG: @[[PLACE]] = internal constant [15 x i8] c"layer.mlir:7:5\00"
// CHECK: define internal void @segment(ptr %[[FRAME:[^,]*]], ptr %[[ROWS:[^,]*]], ptr %[[SLOTS:[^,]*]], ptr %[[CACHE:[^)]*]])
// CHECK: call ptr @braid_rt_schedule_begin
// CHECK-NEXT: %[[P0:.*]] = getelementptr ptr, ptr %[[ARRAY:[^,]*]], i32 0
// CHECK-NEXT: store ptr %[[ROWS]], ptr %[[P0]]
// CHECK-NEXT: %[[P1:.*]] = getelementptr ptr, ptr %[[ARRAY]], i32 1
// CHECK-NEXT: store ptr %[[SLOTS]], ptr %[[P1]]
// CHECK-NEXT: %[[P2:.*]] = getelementptr ptr, ptr %[[ARRAY]], i32 2
// CHECK-NEXT: store ptr %[[CACHE]], ptr %[[P2]]
// CHECK-NEXT: %[[RUNS:.*]] = call i32 @braid_rt_segment_begin(ptr %[[FRAME]], ptr @[[TABLE]], ptr %[[ARRAY]])
// CHECK-NEXT: %[[C:.*]] = icmp ne i32 %[[RUNS]], 0
// CHECK-NEXT: br i1 %[[C]], label %[[BODY:.*]], label %[[AFTER:.*]]
// CHECK: [[BODY]]:
// CHECK: call void @braid_rt_launch
// CHECK-NEXT: call void @braid_rt_segment_end(ptr %[[FRAME]])
// CHECK-NEXT: br label %[[AFTER]]
// CHECK: [[AFTER]]:
// CHECK: call void @braid_rt_schedule_end
func.func @segment(%rows: memref<4x8xf32>, %slots: memref<4xi64> {prefill.metadata = #prefill.metadata<device, persistent>}, %cache: memref<?x?x8xf32>) {
  sched.schedule(%s0) {
    sched.segment "segment.segment0" {
      sched.launch on %s0 {
        prefill.cache_insert %rows at %slots into %cache : memref<4x8xf32>, memref<4xi64> -> memref<?x?x8xf32>
      }
    } loc("layer.mlir":7:5)
  }
  return
}

// -----

// An eager region has no parameters: it is enqueued anew for each call.
// CHECK: @[[TABLE:braid.region.[0-9]+]] = internal constant { i64, ptr, ptr, i64, ptr } { i64 40, ptr @[[NAME:[^,]*]], ptr @{{[^,]*}}, i64 0, ptr null }
// CHECK: @[[NAME]] = internal constant [7 x i8] c"break0\00"
// CHECK: define internal void @eager(
// CHECK: %[[RUNS:.*]] = call i32 @braid_rt_eager_begin(ptr %0, ptr @[[TABLE]])
// CHECK-NEXT: %[[C:.*]] = icmp ne i32 %[[RUNS]], 0
// CHECK-NEXT: br i1 %[[C]], label %[[BODY:.*]], label %[[AFTER:.*]]
// CHECK: [[BODY]]:
// CHECK: call void @braid_rt_launch
// CHECK-NEXT: call void @braid_rt_eager_end(ptr %0)
// CHECK-NEXT: br label %[[AFTER]]
func.func @eager(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  sched.schedule(%s0) {
    sched.eager "break0" {
      sched.launch on %s0 {
        prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
      }
    }
  }
  return
}

// -----

// A segment without live-ins, and without a name.
// CHECK: = internal constant { i64, ptr, ptr, i64, ptr } { i64 40, ptr @[[NAME:[^,]*]], ptr @{{[^,]*}}, i64 0, ptr null }
// CHECK: @[[NAME]] = internal constant [8 x i8] c"segment\00"
// CHECK: call i32 @braid_rt_segment_begin(ptr %0, ptr @{{[^,]*}}, ptr null)
func.func @empty() {
  sched.schedule(%s0) {
    sched.segment {
    }
  }
  return
}

// -----

// A dispatch asks the runtime, which has the table: struct size, function,
// bounds, gate. Each body stands once; the last one is what remains.
// CHECK-DAG: @[[TABLE:braid.dispatch.[0-9]+]] = internal constant { i64, ptr, ptr, i32, i32 } { i64 32, ptr @[[NAME:[^,]*]], ptr @[[BOUNDS:[^,]*]], i32 2, i32 0 }
// CHECK-DAG: @[[BOUNDS]] = internal constant [2 x i64] [i64 16, i64 4096]
// CHECK-DAG: @[[NAME]] = internal constant [9 x i8] c"dispatch\00"
// CHECK: define internal void @dispatch(ptr %[[FRAME:[^,]*]], ptr %[[X:[^)]*]])
// CHECK-NEXT: %[[P:.*]] = getelementptr {{.*}}, ptr %[[X]], i32 0, i32 1, i32 0
// CHECK-NEXT: %[[T:.*]] = load i64, ptr %[[P]]
// CHECK-NEXT: %[[RANGE:.*]] = call i32 @braid_rt_dispatch(ptr %[[FRAME]], ptr @[[TABLE]], i64 %[[T]])
// CHECK-NEXT: switch i32 %[[RANGE]], label %[[B2:.*]] [
// CHECK-NEXT: i32 0, label %[[B0:.*]]
// CHECK-NEXT: i32 1, label %[[B1:.*]]
// CHECK-NEXT: ]
// CHECK: [[B0]]:
// CHECK-NEXT: call ptr @braid_rt_schedule_begin(ptr %[[FRAME]], ptr @braid.schedule.0, i64 %[[T]])
// CHECK-NEXT: call void @braid_rt_schedule_end
// CHECK-NEXT: br label %[[AFTER:.*]]
// CHECK: [[B1]]:
// CHECK-NEXT: call ptr @braid_rt_schedule_begin(ptr %[[FRAME]], ptr @braid.schedule.1, i64 %[[T]])
// CHECK-NEXT: call void @braid_rt_schedule_end
// CHECK-NEXT: br label %[[AFTER]]
// CHECK: [[B2]]:
// CHECK-NEXT: call ptr @braid_rt_schedule_begin(ptr %[[FRAME]], ptr @braid.schedule.2, i64 %[[T]])
// CHECK-NEXT: call void @braid_rt_schedule_end
// CHECK-NEXT: br label %[[AFTER]]
// CHECK: [[AFTER]]:
// CHECK-NEXT: ret void
func.func @dispatch(%x: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  sched.dispatch on %t upto 16 {
    sched.schedule(%s0) tokens(%t) {
    }
  } upto 4096 {
    sched.schedule(%s0, %s1) tokens(%t) {
    }
  } otherwise {
    sched.schedule(%s0) tokens(%t) {
    }
  }
  return
}

// -----

// A token threshold says in its table that it may be replaced at run time.
// CHECK-DAG: = internal constant { i64, ptr, ptr, i32, i32 } { i64 32, ptr @{{[^,]*}}, ptr @[[BOUNDS:[^,]*]], i32 1, i32 1 }
// CHECK-DAG: @[[BOUNDS]] = internal constant [1 x i64] [i64 3072]
// CHECK: define internal void @gate(
// CHECK: %[[RANGE:.*]] = call i32 @braid_rt_dispatch
// CHECK-NEXT: switch i32 %[[RANGE]], label %{{.*}} [
// CHECK-NEXT: i32 0, label %{{.*}}
// CHECK-NEXT: ]
func.func @gate(%x: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  sched.dispatch on %t upto 3072 {
    sched.schedule(%s0, %s1) tokens(%t) {
    }
  } otherwise {
    sched.schedule(%s0) tokens(%t) {
    }
  } {gate}
  return
}

// -----

// Without a bound there is one body for every count.
// CHECK: internal constant { i64, ptr, ptr, i32, i32 } { i64 32, ptr @{{[^,]*}}, ptr null, i32 0, i32 0 }
// CHECK: define internal void @always(
// CHECK: %[[RANGE:.*]] = call i32 @braid_rt_dispatch
// CHECK-NEXT: switch i32 %[[RANGE]], label %[[BODY:.*]] [
// CHECK-NEXT: ]
// CHECK: [[BODY]]:
// CHECK-NEXT: call ptr @braid_rt_schedule_begin
// CHECK: ret void
func.func @always(%x: memref<?x8xf32> {sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  sched.dispatch on %t otherwise {
    sched.schedule(%s0) tokens(%t) {
    }
  }
  return
}
