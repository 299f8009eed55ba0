// RUN: braid-opt %s --sched-plan-memory --split-input-file | FileCheck %s
// RUN: braid-opt %s --sched-plan-memory --split-input-file --remarks-filter=sched-memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Buffers lie behind each other, each part rounded up to 256 bytes.
// CHECK-LABEL: func @static(
// REMARK: WorkspacePlanned | Category:sched-memory | {{.*}}Buffers=4, BytesPerToken=0, FixedBytes=2304
func.func @static() {
  // CHECK: sched.schedule(%{{.*}}) workspace(#sched.linear<0, 2304>) {
  sched.schedule(%s0) {
    // CHECK-NEXT: sched.alloc at <0, 0> : memref<4x100xf32>
    %a = sched.alloc : memref<4x100xf32>
    // CHECK-NEXT: sched.alloc at <0, 1792> : memref<1xbf16>
    %b = sched.alloc : memref<1xbf16>
    // CHECK-NEXT: sched.alloc at <0, 2048> : memref<0x8xf32>
    %c = sched.alloc : memref<0x8xf32>
    // CHECK-NEXT: sched.alloc at <0, 2048> : memref<f32>
    %d = sched.alloc : memref<f32>
  }
  return
}

// -----

// Per-token and fixed parts grow apart, so no two buffers meet at any T; one
// byte an element of fp8, and of i1.
// CHECK-LABEL: func @mixed(
// REMARK: WorkspacePlanned | {{.*}}Buffers=5, BytesPerToken=5120, FixedBytes=768
func.func @mixed(%t: index) {
  // CHECK: sched.schedule(%{{.*}}) tokens(%{{.*}}) workspace(#sched.linear<5120, 768>) {
  sched.schedule(%s0) tokens(%t) {
    // CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0> : memref<?x1024xf32>
    %a = sched.alloc(%t) : memref<?x1024xf32>
    // CHECK-NEXT: sched.alloc at <4096, 0> : memref<64xi64>
    %b = sched.alloc : memref<64xi64>
    // CHECK-NEXT: sched.alloc(%{{.*}}) at <4096, 512> : memref<?x3xf32>
    %c = sched.alloc(%t) : memref<?x3xf32>
    // CHECK-NEXT: sched.alloc(%{{.*}}) at <4352, 512> : memref<4x?x192xf8E4M3FN>
    %d = sched.alloc(%t) : memref<4x?x192xf8E4M3FN>
    // CHECK-NEXT: sched.alloc at <5120, 512> : memref<200xi1>
    %e = sched.alloc : memref<200xi1>
  }
  return
}

// -----

// A schedule without buffers needs no byte; what was planned before is replaced.
// CHECK-LABEL: func @again(
// REMARK: Buffers=0, BytesPerToken=0, FixedBytes=0
func.func @again() {
  // CHECK: sched.schedule(%{{.*}}) workspace(#sched.linear<0, 0>) {
  sched.schedule(%s0) workspace(#sched.linear<512, 512>) {
  }
  // CHECK: sched.schedule(%{{.*}}) workspace(#sched.linear<0, 256>) {
  sched.schedule(%s0) workspace(#sched.linear<512, 512>) {
    // CHECK-NEXT: sched.alloc at <0, 0> : memref<4xf32>
    %a = sched.alloc at <256, 256> : memref<4xf32>
  }
  return
}

// -----

// Each schedule has a workspace of its own; buffers in regions count.
// CHECK-LABEL: func @each(
func.func @each(%t: index) {
  sched.dispatch on %t upto 4 {
    // CHECK: sched.schedule(%{{.*}}) workspace(#sched.linear<0, 512>) {
    sched.schedule(%s0) {
      sched.segment {
        // CHECK: sched.alloc at <0, 0>
        %a = sched.alloc : memref<4xf32>
      }
      sched.eager {
        // CHECK: sched.alloc at <0, 256>
        %b = sched.alloc : memref<4xf32>
      }
    }
  } otherwise {
    // CHECK: sched.schedule(%{{.*}}) workspace(#sched.linear<0, 256>) {
    sched.schedule(%s0) {
      // CHECK-NEXT: sched.alloc at <0, 0>
      %a = sched.alloc : memref<4xf32>
    }
  }
  return
}
