// Queries are a linear of a norm, keys a linear of the hidden states themselves.
// acme-fuse-norm makes the first two ops one kernel. To see what Braid makes of it:
//
//   acme-opt layer.mlir --acme-fuse-norm --braid-bufferize --braid-schedule
func.func @layer(
    %hidden: tensor<?x64xf32> {prefill.name = "hidden", sched.tokens},
    %norm: tensor<64xf32> {prefill.weight = ["norm.weight"]},
    %wq: tensor<32x64xf32> {prefill.weight = ["wq.weight"]},
    %wk: tensor<16x64xf32> {prefill.weight = ["wk.weight"]},
    %q: tensor<?x32xf32> {prefill.name = "q", sched.tokens, bufferization.writable = true},
    %k: tensor<?x16xf32> {prefill.name = "k", sched.tokens, bufferization.writable = true})
    -> (tensor<?x32xf32>, tensor<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %tokens = tensor.dim %hidden, %c0 : tensor<?x64xf32>
  %init = tensor.empty(%tokens) : tensor<?x64xf32>
  %normed = prefill.rms_norm %hidden by %norm into %init {eps = 1.0e-6 : f64}
      : tensor<?x64xf32>, tensor<64xf32> -> tensor<?x64xf32>
  %queries = prefill.linear %normed by %wq into %q
      : tensor<?x64xf32>, tensor<32x64xf32> -> tensor<?x32xf32>
  %keys = prefill.linear %hidden by %wk into %k
      : tensor<?x64xf32>, tensor<16x64xf32> -> tensor<?x16xf32>
  return %queries, %keys : tensor<?x32xf32>, tensor<?x16xf32>
}
