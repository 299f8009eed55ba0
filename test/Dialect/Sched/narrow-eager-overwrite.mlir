// RUN: braid-opt %s --sched-narrow-eager | FileCheck %s
// RUN: braid-opt %s --braid-plan --braid-bufferize | FileCheck %s --check-prefix=BUFFER

// An op that takes a value as its destination overwrites it, so it stays behind
// those that still read it: moved before them it would need a copy.
// CHECK-LABEL: func @read_then_overwritten
// CHECK: %[[OLD:.*]] = prefill.kernel @produce
// CHECK: prefill.eager
// CHECK: prefill.kernel @attend
// CHECK: }
// CHECK: prefill.kernel @overwrite {{.*}} outs(%[[OLD]]
// BUFFER-LABEL: func @read_then_overwritten
// BUFFER-NOT: memref.copy
func.func @read_then_overwritten(%x: tensor<?x8xf32> {sched.tokens},
    %out: tensor<?x8xf32> {sched.tokens, bufferization.writable = true})
    -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%t) : tensor<?x8xf32>
  %old = prefill.kernel @produce ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>)
      {effect = #sched.effect_class<graph_safe>} -> tensor<?x8xf32>
  %r = prefill.eager -> tensor<?x8xf32> {
    %f = tensor.empty(%t) : tensor<?x8xf32>
    %view = tensor.extract_slice %old[0, 0] [%t, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
    %a = prefill.kernel @attend ins(%view : tensor<?x8xf32>) outs(%f : tensor<?x8xf32>)
        {effect = #sched.effect_class<host_metadata>} -> tensor<?x8xf32>
    %new = prefill.kernel @overwrite ins(%x : tensor<?x8xf32>) outs(%old : tensor<?x8xf32>)
        {effect = #sched.effect_class<graph_safe>} -> tensor<?x8xf32>
    %o = prefill.kernel @use ins(%a, %new : tensor<?x8xf32>, tensor<?x8xf32>) outs(%out : tensor<?x8xf32>)
        {effect = #sched.effect_class<graph_safe>} -> tensor<?x8xf32>
    prefill.yield %o : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}

// Writing a destination of one's own overwrites nothing: it moves up as before.
// CHECK-LABEL: func @own_destination
// CHECK: prefill.kernel @fill
// CHECK: prefill.eager
// CHECK-NOT: prefill.kernel @fill
func.func @own_destination(%x: tensor<?x8xf32> {sched.tokens},
    %out: tensor<?x8xf32> {sched.tokens, bufferization.writable = true})
    -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x8xf32>
  %r = prefill.eager -> tensor<?x8xf32> {
    %f = tensor.empty(%t) : tensor<?x8xf32>
    %a = prefill.kernel @attend ins(%x : tensor<?x8xf32>) outs(%f : tensor<?x8xf32>)
        {effect = #sched.effect_class<host_metadata>} -> tensor<?x8xf32>
    %g = tensor.empty(%t) : tensor<?x8xf32>
    %b = prefill.kernel @fill ins(%x : tensor<?x8xf32>) outs(%g : tensor<?x8xf32>)
        {effect = #sched.effect_class<graph_safe>} -> tensor<?x8xf32>
    %o = prefill.kernel @use ins(%a, %b : tensor<?x8xf32>, tensor<?x8xf32>) outs(%out : tensor<?x8xf32>)
        {effect = #sched.effect_class<host_metadata>} -> tensor<?x8xf32>
    prefill.yield %o : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}
