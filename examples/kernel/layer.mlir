// A linear, and an op that Braid has no kernel for: the engine registers one
// (kernel.c). What the scheduler has to know of it stands here: which operands it
// reads and writes, what it reads beside them, and what it costs. All other
// integer and float attributes, such as `scale`, are parameters of the kernel.
//
//   braid-compile examples/kernel/layer.mlir -o liblayer.a
func.func @softmax(
    %x: tensor<?x8xf32> {prefill.name = "x", sched.tokens},
    %w: tensor<8x8xf32> {prefill.name = "w"},
    %y: tensor<?x8xf32> {prefill.name = "y", sched.tokens, bufferization.writable = true})
    -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %tokens = tensor.dim %x, %c0 : tensor<?x8xf32>
  %init = tensor.empty(%tokens) : tensor<?x8xf32>
  %scores = prefill.linear %x by %w into %init
      : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  %rows = prefill.kernel @row_softmax ins(%scores : tensor<?x8xf32>) outs(%y : tensor<?x8xf32>)
      {effect = #sched.effect_class<graph_safe>, scale = 0.5 : f64,
       flops_per_token = 40.0 : f64, bytes_per_token = 64.0 : f64} -> tensor<?x8xf32>
  return %rows : tensor<?x8xf32>
}
