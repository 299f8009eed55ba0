// Two linears that read the same hidden states, and a norm of the first.
//
// A layer is a function. Its arguments are inputs, weights and outputs; `sched.tokens`
// says that the leading extent is the token count T. Ops write into the value after
// `into` and return it, so that bufferization can place it without a copy.
func.func @first(
    %hidden: tensor<?x64xf32> {prefill.name = "hidden", sched.tokens},
    %wq: tensor<32x64xf32> {prefill.weight = ["wq.weight"]},
    %wk: tensor<16x64xf32> {prefill.weight = ["wk.weight"]},
    %norm: tensor<32xf32> {prefill.weight = ["norm.weight"]},
    %q: tensor<?x32xf32> {prefill.name = "q", sched.tokens, bufferization.writable = true},
    %k: tensor<?x16xf32> {prefill.name = "k", sched.tokens, bufferization.writable = true})
    -> (tensor<?x32xf32>, tensor<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %tokens = tensor.dim %hidden, %c0 : tensor<?x64xf32>
  %init = tensor.empty(%tokens) : tensor<?x32xf32>
  %projected = prefill.linear %hidden by %wq into %init
      : tensor<?x64xf32>, tensor<32x64xf32> -> tensor<?x32xf32>
  %keys = prefill.linear %hidden by %wk into %k
      : tensor<?x64xf32>, tensor<16x64xf32> -> tensor<?x16xf32>
  %queries = prefill.rms_norm %projected by %norm into %q {eps = 1.0e-6 : f64}
      : tensor<?x32xf32>, tensor<32xf32> -> tensor<?x32xf32>
  return %queries, %keys : tensor<?x32xf32>, tensor<?x16xf32>
}
