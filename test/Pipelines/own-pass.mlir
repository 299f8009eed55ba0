// The pipeline of docs/WritingAPipeline.md: a pass of one's own between two of
// Braid's.

// What the pass makes is launched like any op; the norm without a weight stays.
// RUN: braid-test-opt %s --pass-pipeline='builtin.module(braid-plan,braid-bufferize,func.func(test-use-own-norm),braid-schedule{max-streams=2 verify-phases=true})' | FileCheck %s
// CHECK-LABEL: func.func @f
// CHECK: sched.segment "f.segment0"
// CHECK: sched.launch on %s0
// CHECK-NEXT: prefill.kernel @my_norm ins(%{{.*}}, %{{.*}} : memref<?x8xf32>, memref<8xf32>) outs(%{{.*}} : memref<?x8xf32>) {effect = #sched.effect_class<graph_safe>, eps = {{.*}} : f64}
// CHECK: sched.launch on %s1
// CHECK-NEXT: prefill.rms_norm

// In C++ it is the same pipeline, with the options of all phases, down to the
// runtime's table of the kernel.
// RUN: braid-test-opt %s --test-own-pipeline='max-streams=1' | FileCheck %s --check-prefix=LOWERED
// LOWERED-DAG: "my_norm\00"
// LOWERED-DAG: "rms_norm\00"

// Without the pass nothing of it is there.
// RUN: braid-opt %s --braid-compile | FileCheck %s --check-prefix=WITHOUT
// WITHOUT-NOT: my_norm
func.func @f(%x: tensor<?x8xf32> {sched.tokens}, %w: tensor<8xf32>,
             %y: tensor<?x8xf32> {sched.tokens, bufferization.writable = true},
             %z: tensor<?x8xf32> {sched.tokens, bufferization.writable = true})
    -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = prefill.rms_norm %x by %w into %y {eps = 1.0e-6 : f64} : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  %1 = prefill.rms_norm %x into %z {eps = 1.0e-6 : f64} : tensor<?x8xf32> -> tensor<?x8xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<?x8xf32>
}
