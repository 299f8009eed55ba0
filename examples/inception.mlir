// An Inception block, written with linalg by someone who knows no op of Braid's:
// four branches read one image, and their channels are joined. Each branch gets a
// stream of its own, and each op runs as a function of the module.
//
//   braid-run examples/inception.mlir --tokens=3 --synthetic=1
#relu = affine_map<(n, h, w, c) -> (n, h, w, c)>

func.func @inception(
    %x: tensor<?x8x8x16xf32> {prefill.name = "hidden", sched.tokens},
    %w1: tensor<1x1x16x16xf32>,
    %w3_reduce: tensor<1x1x16x8xf32>, %w3: tensor<3x3x8x16xf32>,
    %w5_reduce: tensor<1x1x16x4xf32>, %w5: tensor<5x5x4x8xf32>,
    %w_pool: tensor<1x1x16x8xf32>,
    %out: tensor<?x8x8x48xf32> {prefill.name = "output", sched.tokens, bufferization.writable = true})
    -> tensor<?x8x8x48xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8x8x16xf32>
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32

  // 1x1
  %a_empty = tensor.empty(%n) : tensor<?x8x8x16xf32>
  %a_init = linalg.fill ins(%zero : f32) outs(%a_empty : tensor<?x8x8x16xf32>) -> tensor<?x8x8x16xf32>
  %a = linalg.conv_2d_nhwc_hwcf ins(%x, %w1 : tensor<?x8x8x16xf32>, tensor<1x1x16x16xf32>)
      outs(%a_init : tensor<?x8x8x16xf32>) -> tensor<?x8x8x16xf32>

  // 1x1, then 3x3
  %b_reduced_empty = tensor.empty(%n) : tensor<?x8x8x8xf32>
  %b_reduced_init = linalg.fill ins(%zero : f32) outs(%b_reduced_empty : tensor<?x8x8x8xf32>) -> tensor<?x8x8x8xf32>
  %b_reduced = linalg.conv_2d_nhwc_hwcf ins(%x, %w3_reduce : tensor<?x8x8x16xf32>, tensor<1x1x16x8xf32>)
      outs(%b_reduced_init : tensor<?x8x8x8xf32>) -> tensor<?x8x8x8xf32>
  %b_padded = tensor.pad %b_reduced low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x8x8x8xf32> to tensor<?x10x10x8xf32>
  %b_empty = tensor.empty(%n) : tensor<?x8x8x16xf32>
  %b_init = linalg.fill ins(%zero : f32) outs(%b_empty : tensor<?x8x8x16xf32>) -> tensor<?x8x8x16xf32>
  %b = linalg.conv_2d_nhwc_hwcf ins(%b_padded, %w3 : tensor<?x10x10x8xf32>, tensor<3x3x8x16xf32>)
      outs(%b_init : tensor<?x8x8x16xf32>) -> tensor<?x8x8x16xf32>

  // 1x1, then 5x5
  %c_reduced_empty = tensor.empty(%n) : tensor<?x8x8x4xf32>
  %c_reduced_init = linalg.fill ins(%zero : f32) outs(%c_reduced_empty : tensor<?x8x8x4xf32>) -> tensor<?x8x8x4xf32>
  %c_reduced = linalg.conv_2d_nhwc_hwcf ins(%x, %w5_reduce : tensor<?x8x8x16xf32>, tensor<1x1x16x4xf32>)
      outs(%c_reduced_init : tensor<?x8x8x4xf32>) -> tensor<?x8x8x4xf32>
  %c_padded = tensor.pad %c_reduced low[0, 2, 2, 0] high[0, 2, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x8x8x4xf32> to tensor<?x12x12x4xf32>
  %c_empty = tensor.empty(%n) : tensor<?x8x8x8xf32>
  %c_init = linalg.fill ins(%zero : f32) outs(%c_empty : tensor<?x8x8x8xf32>) -> tensor<?x8x8x8xf32>
  %c = linalg.conv_2d_nhwc_hwcf ins(%c_padded, %w5 : tensor<?x12x12x4xf32>, tensor<5x5x4x8xf32>)
      outs(%c_init : tensor<?x8x8x8xf32>) -> tensor<?x8x8x8xf32>

  // maximum of 3x3, then 1x1
  %d_padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %lowest : f32
  } : tensor<?x8x8x16xf32> to tensor<?x10x10x16xf32>
  %d_window = tensor.empty() : tensor<3x3xf32>
  %d_pool_empty = tensor.empty(%n) : tensor<?x8x8x16xf32>
  %d_pool_init = linalg.fill ins(%lowest : f32) outs(%d_pool_empty : tensor<?x8x8x16xf32>) -> tensor<?x8x8x16xf32>
  %d_pool = linalg.pooling_nhwc_max ins(%d_padded, %d_window : tensor<?x10x10x16xf32>, tensor<3x3xf32>)
      outs(%d_pool_init : tensor<?x8x8x16xf32>) -> tensor<?x8x8x16xf32>
  %d_empty = tensor.empty(%n) : tensor<?x8x8x8xf32>
  %d_init = linalg.fill ins(%zero : f32) outs(%d_empty : tensor<?x8x8x8xf32>) -> tensor<?x8x8x8xf32>
  %d = linalg.conv_2d_nhwc_hwcf ins(%d_pool, %w_pool : tensor<?x8x8x16xf32>, tensor<1x1x16x8xf32>)
      outs(%d_init : tensor<?x8x8x8xf32>) -> tensor<?x8x8x8xf32>

  %joined_a = tensor.insert_slice %a into %out[0, 0, 0, 0] [%n, 8, 8, 16] [1, 1, 1, 1] : tensor<?x8x8x16xf32> into tensor<?x8x8x48xf32>
  %joined_b = tensor.insert_slice %b into %joined_a[0, 0, 0, 16] [%n, 8, 8, 16] [1, 1, 1, 1] : tensor<?x8x8x16xf32> into tensor<?x8x8x48xf32>
  %joined_c = tensor.insert_slice %c into %joined_b[0, 0, 0, 32] [%n, 8, 8, 8] [1, 1, 1, 1] : tensor<?x8x8x8xf32> into tensor<?x8x8x48xf32>
  %joined = tensor.insert_slice %d into %joined_c[0, 0, 0, 40] [%n, 8, 8, 8] [1, 1, 1, 1] : tensor<?x8x8x8xf32> into tensor<?x8x8x48xf32>
  %y = linalg.generic {indexing_maps = [#relu], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%joined : tensor<?x8x8x48xf32>) {
  ^bb0(%value: f32):
    %positive = arith.maximumf %value, %zero : f32
    linalg.yield %positive : f32
  } -> tensor<?x8x8x48xf32>
  return %y : tensor<?x8x8x48xf32>
}
