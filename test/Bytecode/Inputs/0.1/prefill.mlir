module {
  func.func @linear_f32(%arg0: tensor<?x64xf32>, %arg1: tensor<24x64xf32>, %arg2: tensor<?x24xf32>) -> tensor<?x24xf32> {
    %0 = prefill.linear %arg0 by %arg1 into %arg2 : tensor<?x64xf32>, tensor<24x64xf32> -> tensor<?x24xf32>
    return %0 : tensor<?x24xf32>
  }
  func.func @linear_buffers(%arg0: memref<?x64xbf16>, %arg1: memref<24x64xbf16>, %arg2: memref<?x24xbf16>, %arg3: memref<?x24xf32>) {
    prefill.linear %arg0 by %arg1 into %arg2 : memref<?x64xbf16>, memref<24x64xbf16> -> memref<?x24xbf16>
    prefill.linear %arg0 by %arg1 into %arg3 : memref<?x64xbf16>, memref<24x64xbf16> -> memref<?x24xf32>
    return
  }
  func.func @linear_static_strided(%arg0: memref<7x64xf32, strided<[80, 1], offset: 16>>, %arg1: memref<24x64xf32>, %arg2: memref<7x24xf32>) {
    prefill.linear %arg0 by %arg1 into %arg2 : memref<7x64xf32, strided<[80, 1], offset: 16>>, memref<24x64xf32> -> memref<7x24xf32>
    return
  }
  func.func @linear_fp8_per_tensor(%arg0: tensor<?x256xf8E4M3FN>, %arg1: tensor<200x256xf8E4M3FN>, %arg2: tensor<1xf32>, %arg3: tensor<1xf32>, %arg4: tensor<?x200xbf16>) -> tensor<?x200xbf16> {
    %0 = prefill.linear %arg0 by %arg1 scaled(%arg2, %arg3 : tensor<1xf32>, tensor<1xf32>) into %arg4 : tensor<?x256xf8E4M3FN>, tensor<200x256xf8E4M3FN> -> tensor<?x200xbf16>
    return %0 : tensor<?x200xbf16>
  }
  func.func @linear_fp8_blocks(%arg0: tensor<?x300xf8E4M3FN>, %arg1: tensor<200x300xf8E4M3FN>, %arg2: tensor<?x3xf32>, %arg3: tensor<2x3xf32>, %arg4: tensor<?x200xf32>) -> tensor<?x200xf32> {
    %0 = prefill.linear %arg0 by %arg1 scaled(%arg2, %arg3 : tensor<?x3xf32>, tensor<2x3xf32>) into %arg4 : tensor<?x300xf8E4M3FN>, tensor<200x300xf8E4M3FN> -> tensor<?x200xf32>
    return %0 : tensor<?x200xf32>
  }
  func.func @linear_fp8_power_of_two(%arg0: memref<5x256xf8E4M3FN>, %arg1: memref<128x256xf8E4M3FN>, %arg2: memref<1xf32>, %arg3: memref<1x2xf8E8M0FNU>, %arg4: memref<5x128xbf16>) {
    prefill.linear %arg0 by %arg1 scaled(%arg2, %arg3 : memref<1xf32>, memref<1x2xf8E8M0FNU>) into %arg4 : memref<5x256xf8E4M3FN>, memref<128x256xf8E4M3FN> -> memref<5x128xbf16>
    return
  }
  func.func @linear_dynamic(%arg0: tensor<?x?xf8E4M3FN>, %arg1: tensor<?x?xf8E4M3FN>, %arg2: tensor<?x?xf32>, %arg3: tensor<?x?xf32>, %arg4: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %0 = prefill.linear %arg0 by %arg1 scaled(%arg2, %arg3 : tensor<?x?xf32>, tensor<?x?xf32>) into %arg4 : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN> -> tensor<?x?xf32>
    return %0 : tensor<?x?xf32>
  }
  func.func @linear_attribute(%arg0: memref<?x64xf32>, %arg1: memref<24x64xf32>, %arg2: memref<?x24xf32>) {
    prefill.linear %arg0 by %arg1 into %arg2 {note = "kept"} : memref<?x64xf32>, memref<24x64xf32> -> memref<?x24xf32>
    return
  }
  func.func @grouped_linear(%arg0: tensor<?x2x64xf32>, %arg1: tensor<32x64xf32>, %arg2: tensor<?x2x16xf32>) -> tensor<?x2x16xf32> {
    %0 = prefill.grouped_linear %arg0 by %arg1 into %arg2 : tensor<?x2x64xf32>, tensor<32x64xf32> -> tensor<?x2x16xf32>
    return %0 : tensor<?x2x16xf32>
  }
  func.func @grouped_linear_fp8(%arg0: memref<?x2x256xf8E4M3FN>, %arg1: memref<256x256xf8E4M3FN>, %arg2: memref<?x2x2xf32>, %arg3: memref<2x2xf8E8M0FNU>, %arg4: memref<?x2x128xbf16>) {
    prefill.grouped_linear %arg0 by %arg1 scaled(%arg2, %arg3 : memref<?x2x2xf32>, memref<2x2xf8E8M0FNU>) into %arg4 : memref<?x2x256xf8E4M3FN>, memref<256x256xf8E4M3FN> -> memref<?x2x128xbf16>
    return
  }
  func.func @quantize(%arg0: tensor<?x300xbf16>, %arg1: tensor<?x300xf8E4M3FN>, %arg2: tensor<?x3xf32>) -> (tensor<?x300xf8E4M3FN>, tensor<?x3xf32>) {
    %0:2 = prefill.quantize %arg0 into %arg1, %arg2 {block = 128 : i64} : tensor<?x300xbf16> -> tensor<?x300xf8E4M3FN>, tensor<?x3xf32>
    return %0#0, %0#1 : tensor<?x300xf8E4M3FN>, tensor<?x3xf32>
  }
  func.func @quantize_heads(%arg0: memref<4x2x128xf32>, %arg1: memref<4x2x128xf8E4M3FN>, %arg2: memref<4x2x1xf8E8M0FNU>) {
    prefill.quantize %arg0 into %arg1, %arg2 {block = 128 : i64} : memref<4x2x128xf32> -> memref<4x2x128xf8E4M3FN>, memref<4x2x1xf8E8M0FNU>
    return
  }
  func.func @rms_norm(%arg0: tensor<?x64xf32>, %arg1: tensor<64xf32>, %arg2: tensor<?x64xf32>, %arg3: tensor<?x4x16xbf16>, %arg4: tensor<?x4x16xf32>) -> (tensor<?x64xf32>, tensor<?x4x16xf32>) {
    %0 = prefill.rms_norm %arg0 by %arg1 into %arg2 {eps = 9.9999999999999995E-7 : f64} : tensor<?x64xf32>, tensor<64xf32> -> tensor<?x64xf32>
    %1 = prefill.rms_norm %arg3 into %arg4 {eps = 0.000000e+00 : f64} : tensor<?x4x16xbf16> -> tensor<?x4x16xf32>
    return %0, %1 : tensor<?x64xf32>, tensor<?x4x16xf32>
  }
  func.func @rms_norm_buffers(%arg0: memref<?x64xbf16>, %arg1: memref<64xbf16>) {
    prefill.rms_norm %arg0 by %arg1 into %arg0 {eps = 9.9999999999999995E-7 : f64} : memref<?x64xbf16>, memref<64xbf16> -> memref<?x64xbf16>
    return
  }
  func.func @rope(%arg0: tensor<?x8xf32>, %arg1: tensor<?x4x16xf32>, %arg2: tensor<?xi64>, %arg3: tensor<?x8xf32>, %arg4: tensor<?x8xf32>, %arg5: tensor<?x4x16xf32>) -> (tensor<?x8xf32>, tensor<?x4x16xf32>) {
    %0 = prefill.rope %arg0 at %arg2 with %arg3 into %arg4 : tensor<?x8xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x8xf32>
    %1 = prefill.rope %arg1 at %arg2 with %arg3 into %arg5 {inverse = true} : tensor<?x4x16xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x4x16xf32>
    return %0, %1 : tensor<?x8xf32>, tensor<?x4x16xf32>
  }
  func.func @rope_buffers(%arg0: memref<3x16xbf16>, %arg1: memref<3xi64>, %arg2: memref<128x8xf32>, %arg3: memref<3x16xbf16>) {
    prefill.rope %arg0 at %arg1 with %arg2 into %arg3 : memref<3x16xbf16>, memref<3xi64>, memref<128x8xf32> -> memref<3x16xbf16>
    return
  }
  func.func @cache_insert(%arg0: tensor<?x32xf32>, %arg1: tensor<?xi64>, %arg2: memref<?x?x32xf32>) {
    prefill.cache_insert %arg0 at %arg1 into %arg2 : tensor<?x32xf32>, tensor<?xi64> -> memref<?x?x32xf32>
    return
  }
  func.func @cache_insert_buffers(%arg0: memref<5x32xbf16>, %arg1: memref<5xi64>, %arg2: memref<?x64x32xbf16, strided<[4096, 32, 1]>>) {
    prefill.cache_insert %arg0 at %arg1 into %arg2 : memref<5x32xbf16>, memref<5xi64> -> memref<?x64x32xbf16, strided<[4096, 32, 1]>>
    return
  }
  func.func @compress(%arg0: tensor<?x64xf32>, %arg1: tensor<8x32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<?xi64>, %arg4: tensor<?x8xf32>, %arg5: tensor<?xi64>, %arg6: tensor<?x?xi32>, %arg7: tensor<?xi32>, %arg8: tensor<?xi64>, %arg9: memref<?x?x64xf32>, %arg10: memref<?x?x32xf32>) {
    prefill.compress %arg0 biased %arg1 normed %arg2 at %arg3 with %arg4 state(%arg9 at %arg5 through %arg6 of %arg7) into %arg10 at %arg8 {eps = 9.9999999999999995E-7 : f64, ratio = 8 : i64} : tensor<?x64xf32>, tensor<8x32xf32>, tensor<32xf32>, tensor<?xi64>, tensor<?x8xf32>, memref<?x?x64xf32>, tensor<?xi64>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi64> -> memref<?x?x32xf32>
    return
  }
  func.func @compress_overlap(%arg0: memref<6x128xf32>, %arg1: memref<4x64xf32>, %arg2: memref<32xbf16>, %arg3: memref<6xi64>, %arg4: memref<?x8xf32>, %arg5: memref<6xi64>, %arg6: memref<2x?xi32>, %arg7: memref<6xi32>, %arg8: memref<6xi64>, %arg9: memref<?x?x128xf32>, %arg10: memref<?x?x32xbf16>) {
    prefill.compress %arg0 biased %arg1 normed %arg2 at %arg3 with %arg4 state(%arg9 at %arg5 through %arg6 of %arg7) into %arg10 at %arg8 {eps = 9.9999999999999995E-7 : f64, overlap = true, ratio = 4 : i64} : memref<6x128xf32>, memref<4x64xf32>, memref<32xbf16>, memref<6xi64>, memref<?x8xf32>, memref<?x?x128xf32>, memref<6xi64>, memref<2x?xi32>, memref<6xi32>, memref<6xi64> -> memref<?x?x32xbf16>
    return
  }
  func.func @index_query(%arg0: tensor<?x4x16xbf16>, %arg1: tensor<?x4xbf16>, %arg2: tensor<?xi64>, %arg3: tensor<?x8xf32>, %arg4: tensor<?x4x16xbf16>, %arg5: tensor<?x4x16xf8E4M3FN>, %arg6: tensor<?x4xf32>) -> (tensor<?x4x16xbf16>, tensor<?x4x16xf8E4M3FN>, tensor<?x4xf32>) {
    %0:2 = prefill.index_query %arg0 weighted %arg1 at %arg2 with %arg3 into %arg4, %arg6 {scale = 1.250000e-01 : f64} : tensor<?x4x16xbf16>, tensor<?x4xbf16>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x4x16xbf16>, tensor<?x4xf32>
    %1:2 = prefill.index_query %arg0 weighted %arg1 at %arg2 with %arg3 into %arg5, %arg6 {scale = 1.250000e-01 : f64} : tensor<?x4x16xbf16>, tensor<?x4xbf16>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x4x16xf8E4M3FN>, tensor<?x4xf32>
    return %0#0, %1#0, %1#1 : tensor<?x4x16xbf16>, tensor<?x4x16xf8E4M3FN>, tensor<?x4xf32>
  }
  func.func @index_query_buffers(%arg0: memref<3x4x16xf32>, %arg1: memref<3x4xf32>, %arg2: memref<3xi64>, %arg3: memref<?x16xf32>, %arg4: memref<3x4x16xf32>, %arg5: memref<3x4xf32>) {
    prefill.index_query %arg0 weighted %arg1 at %arg2 with %arg3 into %arg4, %arg5 {scale = 1.250000e-01 : f64} : memref<3x4x16xf32>, memref<3x4xf32>, memref<3xi64>, memref<?x16xf32> -> memref<3x4x16xf32>, memref<3x4xf32>
    return
  }
  func.func @index_select(%arg0: tensor<?x4x16xf32>, %arg1: tensor<?x4xf32>, %arg2: memref<?x?x16xf32>, %arg3: tensor<?x?xi32>, %arg4: tensor<?xi32>, %arg5: tensor<?xi32>, %arg6: tensor<?x3xi32>) -> tensor<?x3xi32> {
    %0 = prefill.index_select %arg0 weighted %arg1 from %arg2 through %arg3 requests(%arg4, %arg5) into %arg6 {ratio = 4 : i64} : tensor<?x4x16xf32>, tensor<?x4xf32>, memref<?x?x16xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x3xi32>
    return %0 : tensor<?x3xi32>
  }
  func.func @index_select_buffers(%arg0: memref<9x4x16xf8E4M3FN>, %arg1: memref<9x4xf32>, %arg2: memref<?x64x16xf8E4M3FN>, %arg3: memref<2x?xi32>, %arg4: memref<3xi32>, %arg5: memref<2xi32>, %arg6: memref<9x3xi32>) {
    prefill.index_select %arg0 weighted %arg1 from %arg2 through %arg3 requests(%arg4, %arg5) into %arg6 {ratio = 4 : i64} : memref<9x4x16xf8E4M3FN>, memref<9x4xf32>, memref<?x64x16xf8E4M3FN>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<9x3xi32>
    return
  }
  func.func @attend(%arg0: tensor<?x4x32xf32>, %arg1: tensor<4xf32>, %arg2: memref<?x?x32xf32>, %arg3: tensor<?x?xi32>, %arg4: memref<?x?x32xf32>, %arg5: tensor<?x?xi32>, %arg6: tensor<?x3xi32>, %arg7: tensor<?xi32>, %arg8: tensor<?xi32>, %arg9: tensor<?x4x32xf32>) -> (tensor<?x4x32xf32>, tensor<?x4x32xf32>, tensor<?x4x32xf32>) {
    %0 = prefill.attend %arg0 sink %arg1 window(%arg2 through %arg3) requests(%arg7, %arg8) into %arg9 {ratio = 0 : i64, scale = 5.000000e-01 : f64, window = 8 : i64} : tensor<?x4x32xf32>, tensor<4xf32>, memref<?x?x32xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x4x32xf32>
    %1 = prefill.attend %arg0 sink %arg1 window(%arg2 through %arg3) compressed(%arg4 through %arg5 : memref<?x?x32xf32>, tensor<?x?xi32>) requests(%arg7, %arg8) into %arg9 {ratio = 8 : i64, scale = 5.000000e-01 : f64, window = 8 : i64} : tensor<?x4x32xf32>, tensor<4xf32>, memref<?x?x32xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x4x32xf32>
    %2 = prefill.attend %arg0 sink %arg1 window(%arg2 through %arg3) compressed(%arg4 through %arg5 : memref<?x?x32xf32>, tensor<?x?xi32>) selected(%arg6 : tensor<?x3xi32>) requests(%arg7, %arg8) into %arg9 {ratio = 4 : i64, scale = 5.000000e-01 : f64, window = 8 : i64} : tensor<?x4x32xf32>, tensor<4xf32>, memref<?x?x32xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x4x32xf32>
    return %0, %1, %2 : tensor<?x4x32xf32>, tensor<?x4x32xf32>, tensor<?x4x32xf32>
  }
  func.func @attend_buffers(%arg0: memref<9x4x32xbf16>, %arg1: memref<4xf32>, %arg2: memref<?x64x32xbf16>, %arg3: memref<2x?xi32>, %arg4: memref<?x64x32xbf16>, %arg5: memref<2x?xi32>, %arg6: memref<9x3xi32>, %arg7: memref<3xi32>, %arg8: memref<2xi32>, %arg9: memref<9x4x32xbf16>) {
    prefill.attend %arg0 sink %arg1 window(%arg2 through %arg3) compressed(%arg4 through %arg5 : memref<?x64x32xbf16>, memref<2x?xi32>) selected(%arg6 : memref<9x3xi32>) requests(%arg7, %arg8) into %arg9 {ratio = 4 : i64, scale = 5.000000e-01 : f64, window = 8 : i64} : memref<9x4x32xbf16>, memref<4xf32>, memref<?x64x32xbf16>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<9x4x32xbf16>
    return
  }
  func.func @kernel_full(%arg0: tensor<?x64xf32>, %arg1: tensor<2xi32>, %arg2: memref<?x64x64xf32>, %arg3: memref<?x64x64xf32>, %arg4: tensor<?x64xf32>, %arg5: tensor<?xf32>) -> (tensor<?x64xf32>, tensor<?xf32>) {
    %0:2 = prefill.kernel @flash_mla ins(%arg0, %arg1 : tensor<?x64xf32>, tensor<2xi32>) caches(%arg2, %arg3 : memref<?x64x64xf32>, memref<?x64x64xf32>) outs(%arg4, %arg5 : tensor<?x64xf32>, tensor<?xf32>) {bytes_per_token = 5.120000e+02 : f64, cache_access = [#sched.access<read>, #sched.access<read_write>], effect = #sched.effect_class<host_metadata>, flops_per_token = 1.024000e+03 : f64, splits = 4 : i64} -> tensor<?x64xf32>, tensor<?xf32>
    return %0#0, %0#1 : tensor<?x64xf32>, tensor<?xf32>
  }
  func.func @kernel_bare(%arg0: memref<?x8xf32>, %arg1: memref<?x8xf32>) {
    prefill.kernel @barrier {effect = #sched.effect_class<graph_safe>}
    prefill.kernel @fill outs(%arg1 : memref<?x8xf32>) {effect = #sched.effect_class<device_metadata>}
    prefill.kernel @warm caches(%arg0 : memref<?x8xf32>) {cache_access = [#sched.access<none>], effect = #sched.effect_class<init>}
    prefill.kernel @log ins(%arg0 : memref<?x8xf32>) {effect = #sched.effect_class<graph_safe>}
    return
  }
  func.func @kernel_mixed(%arg0: tensor<?x8xf32>, %arg1: memref<?x8xf32>) -> tensor<?x8xf32> {
    %0 = prefill.kernel @both outs(%arg0, %arg1 : tensor<?x8xf32>, memref<?x8xf32>) {effect = #sched.effect_class<graph_safe>} -> tensor<?x8xf32>
    return %0 : tensor<?x8xf32>
  }
  func.func @all_reduce(%arg0: tensor<?x8xbf16>, %arg1: tensor<?x8xbf16>, %arg2: memref<3x8xf32>, %arg3: memref<3x8xf32>) -> tensor<?x8xbf16> {
    %0 = prefill.all_reduce %arg0 over "tp" into %arg1 : tensor<?x8xbf16> -> tensor<?x8xbf16>
    prefill.all_reduce %arg2 over "tp" into %arg3 : memref<3x8xf32> -> memref<3x8xf32>
    return %0 : tensor<?x8xbf16>
  }
  func.func @pack(%arg0: tensor<24x64xf32>, %arg1: tensor<32x64xf32>, %arg2: tensor<56x64xf32>, %arg3: memref<?x64xf8E4M3FN>, %arg4: memref<?x64xf8E4M3FN>) -> tensor<56x64xf32> {
    %0 = prefill.pack %arg0, %arg1 into %arg2 : tensor<24x64xf32>, tensor<32x64xf32> -> tensor<56x64xf32>
    prefill.pack %arg3 into %arg4 : memref<?x64xf8E4M3FN> -> memref<?x64xf8E4M3FN>
    return %0 : tensor<56x64xf32>
  }
  func.func @eager(%arg0: tensor<?x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<?x8xf32>, %arg3: tensor<?xi64>, %arg4: memref<?x?x8xf32>) -> tensor<?x8xf32> {
    %0 = prefill.eager -> tensor<?x8xf32> {
      %1 = prefill.linear %arg0 by %arg1 into %arg2 : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
      prefill.yield %1 : tensor<?x8xf32>
    }
    prefill.eager {
      prefill.cache_insert %0 at %arg3 into %arg4 : tensor<?x8xf32>, tensor<?xi64> -> memref<?x?x8xf32>
    }
    return %0 : tensor<?x8xf32>
  }
  func.func @eager_results(%arg0: tensor<?x8xf32>, %arg1: memref<4xi32>) -> (tensor<?x8xf32>, memref<4xi32>) {
    %0:2 = prefill.eager -> tensor<?x8xf32>, memref<4xi32> attributes {note = 1 : i64} {
      prefill.yield %arg0, %arg1 : tensor<?x8xf32>, memref<4xi32>
    }
    prefill.eager {
    }
    return %0#0, %0#1 : tensor<?x8xf32>, memref<4xi32>
  }
  prefill.layer 0 uses @eager
  prefill.layer 61 uses @eager_results
  func.func @metadata(%arg0: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>}, %arg1: tensor<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, sched.tokens}, %arg2: memref<?xi64> {prefill.metadata = #prefill.metadata<device, transient>}) {
    return
  }
  func.func @names(%arg0: tensor<4x8xf32> {prefill.name = "w", prefill.weight = ["wq_a.weight"]}, %arg1: tensor<8x8xf32> {prefill.name = "v", prefill.weight = ["wq_a.weight", "wkv.weight"]}, %arg2: tensor<?x8xf32> {prefill.rope = #prefill.rope<theta = 1.000000e+04 : f64>}, %arg3: memref<?x8xf32> {prefill.rope = #prefill.rope<theta = 1.600000e+05 : f64, factor = 1.600000e+01 : f64, beta_fast = 3.200000e+01 : f64, beta_slow = 1.000000e+00 : f64, original_positions = 65536 : i64>}) {
    return
  }
  func.func private @declared(tensor<?x8xf32> {prefill.name = "x", sched.tokens})
  module @attributes attributes {test.a = #sched.effect_class<graph_safe>, test.b = #sched.access<write>, test.c = #sched.linear<512, 256>} {
  }
}

