// Three projections of the same hidden states, written with linalg: a program that
// knows no op of Braid's. It is scheduled on several streams and runs on the host
// backend, where each op is a function of the module.
//
//   braid-run examples/qkv.mlir --tokens=9 --synthetic=1
func.func @qkv(
    %x: tensor<?x64xf32> {prefill.name = "hidden", sched.tokens},
    %wq: tensor<64x32xf32>, %wk: tensor<64x16xf32>, %wv: tensor<64x16xf32>,
    %q: tensor<?x32xf32> {sched.tokens, bufferization.writable = true},
    %k: tensor<?x16xf32> {sched.tokens, bufferization.writable = true},
    %v: tensor<?x16xf32> {sched.tokens, bufferization.writable = true})
    -> (tensor<?x32xf32>, tensor<?x16xf32>, tensor<?x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %q0 = linalg.fill ins(%zero : f32) outs(%q : tensor<?x32xf32>) -> tensor<?x32xf32>
  %k0 = linalg.fill ins(%zero : f32) outs(%k : tensor<?x16xf32>) -> tensor<?x16xf32>
  %v0 = linalg.fill ins(%zero : f32) outs(%v : tensor<?x16xf32>) -> tensor<?x16xf32>
  %q1 = linalg.matmul ins(%x, %wq : tensor<?x64xf32>, tensor<64x32xf32>) outs(%q0 : tensor<?x32xf32>) -> tensor<?x32xf32>
  %k1 = linalg.matmul ins(%x, %wk : tensor<?x64xf32>, tensor<64x16xf32>) outs(%k0 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %v1 = linalg.matmul ins(%x, %wv : tensor<?x64xf32>, tensor<64x16xf32>) outs(%v0 : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %q1, %k1, %v1 : tensor<?x32xf32>, tensor<?x16xf32>, tensor<?x16xf32>
}
