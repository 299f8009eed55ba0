// RUN: braid-opt %s --sched-separate-destinations | FileCheck %s

// Two ops that CSE gave one destination get two again.
// CHECK-LABEL: func.func @shared
// CHECK-DAG: %[[A:.*]] = tensor.empty
// CHECK-DAG: %[[B:.*]] = tensor.empty
// CHECK: prefill.linear %arg0 by %arg1 into %[[FIRST:.*]] :
// CHECK-NOT: into %[[FIRST]] :
// CHECK: prefill.linear %arg0 by %arg2
func.func @shared(%x: tensor<?x8xf32> {sched.tokens}, %w0: tensor<4x8xf32>, %w1: tensor<4x8xf32>, %t: index)
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %e = tensor.empty(%t) : tensor<?x4xf32>
  %a = prefill.linear %x by %w0 into %e : tensor<?x8xf32>, tensor<4x8xf32> -> tensor<?x4xf32>
  %b = prefill.linear %x by %w1 into %e : tensor<?x8xf32>, tensor<4x8xf32> -> tensor<?x4xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}

// Negative twin: a slice and the insertion of what was written there are one
// buffer and stay one.
// CHECK-LABEL: func.func @slice
// CHECK: %[[E:.*]] = tensor.empty
// CHECK-NOT: tensor.empty
// CHECK: tensor.extract_slice %[[E]]
// CHECK: tensor.insert_slice {{.*}} into %[[E]]
func.func @slice(%x: tensor<?x4xf32> {sched.tokens}, %t: index) -> tensor<?x8xf32> {
  %e = tensor.empty(%t) : tensor<?x8xf32>
  %l = tensor.extract_slice %e[0, 0] [%t, 4] [1, 1] : tensor<?x8xf32> to tensor<?x4xf32>
  %a = prefill.rms_norm %x into %l {eps = 1.0e-6 : f64} : tensor<?x4xf32> -> tensor<?x4xf32>
  %r = tensor.insert_slice %a into %e[0, 0] [%t, 4] [1, 1] : tensor<?x4xf32> into tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
