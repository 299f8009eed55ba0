// RUN: braid-opt %s --convert-sched-to-runtime --split-input-file | mlir-translate --mlir-to-llvmir --split-input-file | FileCheck %s

// An op: struct size, kernel, location, accesses and metadata of the operands in
// the kernel's order, parameters. An absent operand is null and untouched.
// CHECK-DAG: @[[OP:braid.op.[0-9]+]] = internal constant { i64, ptr, ptr, i64, ptr, ptr, i64, ptr, ptr } { i64 72, ptr @[[NAME:[^,]*]], ptr @[[PLACE:[^,]*]], i64 3, ptr @[[ACCESS:[^,]*]], ptr @[[METADATA:[^,]*]], i64 1, ptr @[[PARAMS:[^,]*]], ptr null }
// CHECK-DAG: @[[NAME]] = internal constant [9 x i8] c"rms_norm\00"
// CHECK-DAG: @[[PLACE]] = internal constant [15 x i8] c"layer.mlir:9:7\00"
// CHECK-DAG: @[[ACCESS]] = internal constant [3 x i32] [i32 1, i32 0, i32 2]
// CHECK-DAG: @[[METADATA]] = internal constant [3 x i32] zeroinitializer
// A parameter: name, kind (1 is a float), reserved, the bits of 0.5.
// CHECK-DAG: @[[PARAMS]] = internal constant [1 x { ptr, i32, i32, i64 }] [{ ptr, i32, i32, i64 } { ptr @[[EPS:[^,]*]], i32 1, i32 0, i64 4602678819172646912 }]
// CHECK-DAG: @[[EPS]] = internal constant [4 x i8] c"eps\00"
// CHECK: define internal void @absent(ptr %[[FRAME:[^,]*]], ptr %[[X:[^,]*]], ptr %[[Y:[^)]*]])
// CHECK: %[[P0:.*]] = getelementptr ptr, ptr %[[ARRAY:[^,]*]], i32 0
// CHECK-NEXT: store ptr %[[X]], ptr %[[P0]]
// CHECK-NEXT: %[[P1:.*]] = getelementptr ptr, ptr %[[ARRAY]], i32 1
// CHECK-NEXT: store ptr null, ptr %[[P1]]
// CHECK-NEXT: %[[P2:.*]] = getelementptr ptr, ptr %[[ARRAY]], i32 2
// CHECK-NEXT: store ptr %[[Y]], ptr %[[P2]]
// CHECK-NEXT: call void @braid_rt_launch(ptr %[[FRAME]], ptr @[[OP]], i32 1, ptr %[[ARRAY]])
func.func @absent(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  sched.schedule(%s0, %s1) {
    sched.launch on %s1 {
      prefill.rms_norm %x into %y {eps = 0.5 : f64} : memref<4x8xf32> -> memref<4x8xf32> loc("layer.mlir":9:7)
    }
  }
  return
}

// -----

// Attention without compressed entries: three null operands; what the host
// reads counts as host metadata (1) whatever the argument says.
// CHECK-DAG: @[[OP:braid.op.[0-9]+]] = internal constant {{.*}} { i64 72, ptr @{{[^,]*}}, ptr @{{[^,]*}}, i64 10, ptr @[[ACCESS:[^,]*]], ptr @[[METADATA:[^,]*]], i64 3, ptr @[[PARAMS:[^,]*]], ptr null }
// CHECK-DAG: @[[ACCESS]] = internal constant [10 x i32] [i32 1, i32 1, i32 1, i32 1, i32 0, i32 0, i32 0, i32 1, i32 1, i32 2]
// CHECK-DAG: @[[METADATA]] = internal constant [10 x i32] [i32 0, i32 0, i32 0, i32 3, i32 0, i32 0, i32 0, i32 1, i32 1, i32 0]
// CHECK-DAG: @[[PARAMS]] = internal constant [3 x { ptr, i32, i32, i64 }] [{{.*}} { ptr @{{[^,]*}}, i32 0, i32 0, i64 0 }, {{.*}} i32 1, i32 0, i64 4602678819172646912 }, {{.*}} i32 0, i32 0, i64 8 }]
// CHECK: define internal void @attend(
// CHECK-COUNT-3: store ptr null
// CHECK-NOT: store ptr null
// CHECK: call void @braid_rt_launch(
func.func @attend(%q: memref<4x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<?x?xi32> {prefill.metadata = #prefill.metadata<device, transient>}, %qo: memref<?xi32> {prefill.metadata = #prefill.metadata<host>}, %sl: memref<?xi32>, %y: memref<4x4x32xf32>) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<4x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<?x?xi32>, memref<?xi32>, memref<?xi32> -> memref<4x4x32xf32>
    }
  }
  return
}

// -----

// A kernel of the engine goes by its symbol and gets every integer and float:
// booleans as 0 or 1, signed and unsigned numbers as they read.
// CHECK-DAG: @[[OP:braid.op.[0-9]+]] = internal constant {{.*}} { i64 72, ptr @[[NAME:[^,]*]], ptr @{{[^,]*}}, i64 4, ptr @[[ACCESS:[^,]*]], ptr @{{[^,]*}}, i64 5, ptr @[[PARAMS:[^,]*]], ptr null }
// CHECK-DAG: @[[NAME]] = internal constant [10 x i8] c"flash_mla\00"
// CHECK-DAG: @[[ACCESS]] = internal constant [4 x i32] [i32 1, i32 0, i32 3, i32 2]
// CHECK-DAG: @[[PARAMS]] = internal constant [5 x { ptr, i32, i32, i64 }] [{{.*}} { ptr @[[A:[^,]*]], i32 0, i32 0, i64 1 }, {{.*}} { ptr @[[B:[^,]*]], i32 0, i32 0, i64 -3 }, {{.*}} { ptr @{{[^,]*}}, i32 1, i32 0, i64 4609434218613702656 }, {{.*}} i32 0, i32 0, i64 200 }, {{.*}} i32 0, i32 0, i64 0 }]
// CHECK-DAG: @[[A]] = internal constant [7 x i8] c"causal\00"
// CHECK-DAG: @[[B]] = internal constant [6 x i8] c"shift\00"
func.func @kernel(%x: memref<4x8xf32>, %c: memref<4x8xf32>, %d: memref<4x8xf32>, %y: memref<4x8xf32>) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      prefill.kernel @flash_mla ins(%x : memref<4x8xf32>) caches(%c, %d : memref<4x8xf32>, memref<4x8xf32>) outs(%y : memref<4x8xf32>) {cache_access = [#sched.access<none>, #sched.access<read_write>], causal = true, effect = #sched.effect_class<graph_safe>, name = "no number", shift = -3 : i32, soft_cap = 1.5 : f32, splits = 200 : ui8, transposed = false}
    }
  }
  return
}

// -----

// Without operands and parameters there are no arrays. Equal strings exist once.
// CHECK: @[[OP:braid.op.[0-9]+]] = internal constant {{.*}} { i64 72, ptr @[[NAME:[^,]*]], ptr @{{[^,]*}}, i64 0, ptr null, ptr null, i64 0, ptr null, ptr null }
// CHECK-NOT: c"tick\00"
// CHECK: @[[NAME]] = internal constant [5 x i8] c"tick\00"
// CHECK-NOT: c"tick\00"
// CHECK: call void @braid_rt_launch(ptr %0, ptr @{{[^,]*}}, i32 0, ptr null)
func.func @bare() {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      prefill.kernel @tick {effect = #sched.effect_class<graph_safe>}
    }
    sched.launch on %s0 {
      prefill.kernel @tick {effect = #sched.effect_class<graph_safe>}
    }
  }
  return
}

// -----

// A copy is launched as any op. An op of unknown place has the empty string;
// a place inside of other locations is found.
// CHECK-DAG: @[[OP:braid.op.0]] = internal constant {{.*}} { i64 72, ptr @[[NAME:[^,]*]], ptr @[[NONE:[^,]*]], i64 2, ptr @[[ACCESS:[^,]*]], ptr @{{[^,]*}}, i64 0, ptr null, ptr null }
// CHECK-DAG: @[[NAME]] = internal constant [5 x i8] c"copy\00"
// CHECK-DAG: @[[NONE]] = internal constant [1 x i8] zeroinitializer
// CHECK-DAG: @[[ACCESS]] = internal constant [2 x i32] [i32 1, i32 2]
// CHECK-DAG: @braid.op.1 = internal constant {{.*}} { i64 72, ptr @{{[^,]*}}, ptr @[[PLACE:[^,]*]],
// CHECK-DAG: @[[PLACE]] = internal constant [15 x i8] c"layer.mlir:3:4\00"
func.func @copy(%x: memref<4xf32>, %y: memref<4xf32>) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      memref.copy %x, %y : memref<4xf32> to memref<4xf32> loc(unknown)
    }
    sched.launch on %s0 {
      memref.copy %x, %y : memref<4xf32> to memref<4xf32> loc(fused["wq_b", "q"("layer.mlir":3:4), "other.mlir":1:1])
    }
  }
  return
}
