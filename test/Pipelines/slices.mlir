// RUN: braid-opt %s --braid-bufferize | FileCheck %s
// RUN: braid-opt %s --braid-compile='max-streams=1' | FileCheck %s --check-prefix=LOWER

// Two kernels write the halves of one buffer in place: two views, and no copy of
// a part onto itself, neither as a launch nor as one that vanishes when lowered.
// CHECK-LABEL: func @halves
// CHECK-NOT: memref.copy
// CHECK: prefill.kernel @left
// CHECK-NOT: memref.copy
// CHECK: prefill.kernel @right
// CHECK-NOT: memref.copy
// CHECK: prefill.kernel @use
// LOWER: llvm.func internal @halves
// LOWER-COUNT-3: llvm.call @braid_rt_launch
// LOWER-NOT: llvm.call @braid_rt_launch
func.func @halves(%x: tensor<?x8xf32> {sched.tokens},
    %out: tensor<?x8xf32> {sched.tokens, bufferization.writable = true})
    -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%t) : tensor<?x8xf32>
  %l = tensor.extract_slice %e[0, 0] [%t, 4] [1, 1] : tensor<?x8xf32> to tensor<?x4xf32>
  %a = prefill.kernel @left ins(%x : tensor<?x8xf32>) outs(%l : tensor<?x4xf32>)
      {effect = #sched.effect_class<graph_safe>} -> tensor<?x4xf32>
  %1 = tensor.insert_slice %a into %e[0, 0] [%t, 4] [1, 1] : tensor<?x4xf32> into tensor<?x8xf32>
  %r = tensor.extract_slice %1[0, 4] [%t, 4] [1, 1] : tensor<?x8xf32> to tensor<?x4xf32>
  %b = prefill.kernel @right ins(%x : tensor<?x8xf32>) outs(%r : tensor<?x4xf32>)
      {effect = #sched.effect_class<graph_safe>} -> tensor<?x4xf32>
  %2 = tensor.insert_slice %b into %1[0, 4] [%t, 4] [1, 1] : tensor<?x4xf32> into tensor<?x8xf32>
  %o = prefill.kernel @use ins(%2 : tensor<?x8xf32>) outs(%out : tensor<?x8xf32>)
      {effect = #sched.effect_class<graph_safe>} -> tensor<?x8xf32>
  return %o : tensor<?x8xf32>
}
