module {
  prefill.layer 0 uses @swa
  prefill.layer 1 uses @c4a
  prefill.layer 2 uses @c128a
  func.func @swa(%arg0: tensor<?x96xf32> {prefill.name = "hidden", sched.tokens}, %arg1: tensor<?xi64> {prefill.name = "positions", sched.tokens}, %arg2: tensor<?x8xf32> {prefill.name = "rope_table", prefill.rope = #prefill.rope<theta = 1.000000e+04 : f64>}, %arg3: tensor<88x96xf32> {prefill.name = "wq_a_wkv", prefill.weight = ["wq_a.weight", "wkv.weight"]}, %arg4: tensor<40xf32> {prefill.name = "q_norm", prefill.weight = ["q_norm.weight"]}, %arg5: tensor<48xf32> {prefill.name = "kv_norm", prefill.weight = ["kv_norm.weight"]}, %arg6: tensor<288x40xf32> {prefill.name = "wq_b", prefill.weight = ["wq_b.weight"]}, %arg7: tensor<6xf32> {prefill.name = "attn_sink", prefill.weight = ["attn_sink"]}, %arg8: tensor<60x96xf32> {prefill.name = "wo_a", prefill.weight = ["wo_a.weight"]}, %arg9: tensor<96x60xf32> {prefill.name = "wo_b", prefill.weight = ["wo_b.weight"]}, %arg10: memref<?x?x48xf32> {prefill.name = "window_cache"}, %arg11: tensor<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "window_slots", sched.tokens}, %arg12: tensor<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "window_table"}, %arg13: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>, prefill.name = "query_offsets"}, %arg14: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>, prefill.name = "sequence_lengths"}, %arg15: tensor<?x96xf32> {bufferization.writable = true, prefill.name = "output", sched.tokens}) -> tensor<?x96xf32> {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x96xf32>
    %0 = tensor.empty(%dim) : tensor<?x88xf32>
    %1 = prefill.linear %arg0 by %arg3 into %0 : tensor<?x96xf32>, tensor<88x96xf32> -> tensor<?x88xf32>
    %extracted_slice = tensor.extract_slice %1[0, 0] [%dim, 40] [1, 1] : tensor<?x88xf32> to tensor<?x40xf32>
    %2 = tensor.empty(%dim) : tensor<?x40xf32>
    %3 = prefill.rms_norm %extracted_slice by %arg4 into %2 {eps = 9.9999999999999995E-7 : f64} : tensor<?x40xf32>, tensor<40xf32> -> tensor<?x40xf32>
    %extracted_slice_0 = tensor.extract_slice %1[0, 40] [%dim, 48] [1, 1] : tensor<?x88xf32> to tensor<?x48xf32>
    %4 = tensor.empty(%dim) : tensor<?x48xf32>
    %5 = prefill.rms_norm %extracted_slice_0 by %arg5 into %4 {eps = 9.9999999999999995E-7 : f64} : tensor<?x48xf32>, tensor<48xf32> -> tensor<?x48xf32>
    %6 = tensor.empty(%dim) : tensor<?x288xf32>
    %7 = prefill.linear %3 by %arg6 into %6 : tensor<?x40xf32>, tensor<288x40xf32> -> tensor<?x288xf32>
    %expanded = tensor.expand_shape %7 [[0], [1, 2]] output_shape [%dim, 6, 48] : tensor<?x288xf32> into tensor<?x6x48xf32>
    %8 = tensor.empty(%dim) : tensor<?x6x48xf32>
    %9 = prefill.rms_norm %expanded into %8 {eps = 9.9999999999999995E-7 : f64} : tensor<?x6x48xf32> -> tensor<?x6x48xf32>
    %10 = tensor.empty(%dim) : tensor<?x6x48xf32>
    %11 = prefill.rope %9 at %arg1 with %arg2 into %10 : tensor<?x6x48xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x6x48xf32>
    %12 = tensor.empty(%dim) : tensor<?x48xf32>
    %13 = prefill.rope %5 at %arg1 with %arg2 into %12 : tensor<?x48xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x48xf32>
    prefill.cache_insert %13 at %arg11 into %arg10 : tensor<?x48xf32>, tensor<?xi64> -> memref<?x?x48xf32>
    %14 = tensor.empty(%dim) : tensor<?x6x48xf32>
    %15 = prefill.attend %11 sink %arg7 window(%arg10 through %arg12) requests(%arg13, %arg14) into %14 {ratio = 0 : i64, scale = 0.14433756729740646 : f64, window = 5 : i64} : tensor<?x6x48xf32>, tensor<6xf32>, memref<?x?x48xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x6x48xf32>
    %16 = tensor.empty(%dim) : tensor<?x6x48xf32>
    %17 = prefill.rope %15 at %arg1 with %arg2 into %16 {inverse = true} : tensor<?x6x48xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x6x48xf32>
    %expanded_1 = tensor.expand_shape %17 [[0], [1, 2], [3]] output_shape [%dim, 3, 2, 48] : tensor<?x6x48xf32> into tensor<?x3x2x48xf32>
    %collapsed = tensor.collapse_shape %expanded_1 [[0], [1], [2, 3]] : tensor<?x3x2x48xf32> into tensor<?x3x96xf32>
    %18 = tensor.empty(%dim) : tensor<?x3x20xf32>
    %19 = prefill.grouped_linear %collapsed by %arg8 into %18 : tensor<?x3x96xf32>, tensor<60x96xf32> -> tensor<?x3x20xf32>
    %collapsed_2 = tensor.collapse_shape %19 [[0], [1, 2]] : tensor<?x3x20xf32> into tensor<?x60xf32>
    %20 = prefill.linear %collapsed_2 by %arg9 into %arg15 : tensor<?x60xf32>, tensor<96x60xf32> -> tensor<?x96xf32>
    return %20 : tensor<?x96xf32>
  }
  func.func @c4a(%arg0: tensor<?x96xf32> {prefill.name = "hidden", sched.tokens}, %arg1: tensor<?xi64> {prefill.name = "positions", sched.tokens}, %arg2: tensor<?x8xf32> {prefill.name = "rope_table", prefill.rope = #prefill.rope<theta = 1.600000e+05 : f64, factor = 1.600000e+01 : f64, beta_fast = 3.200000e+01 : f64, beta_slow = 1.000000e+00 : f64, original_positions = 65536 : i64>}, %arg3: tensor<88x96xf32> {prefill.name = "wq_a_wkv", prefill.weight = ["wq_a.weight", "wkv.weight"]}, %arg4: tensor<40xf32> {prefill.name = "q_norm", prefill.weight = ["q_norm.weight"]}, %arg5: tensor<48xf32> {prefill.name = "kv_norm", prefill.weight = ["kv_norm.weight"]}, %arg6: tensor<288x40xf32> {prefill.name = "wq_b", prefill.weight = ["wq_b.weight"]}, %arg7: tensor<6xf32> {prefill.name = "attn_sink", prefill.weight = ["attn_sink"]}, %arg8: tensor<60x96xf32> {prefill.name = "wo_a", prefill.weight = ["wo_a.weight"]}, %arg9: tensor<96x60xf32> {prefill.name = "wo_b", prefill.weight = ["wo_b.weight"]}, %arg10: tensor<192x96xf32> {prefill.name = "compressor_wkv_wgate", prefill.weight = ["compressor.wkv.weight", "compressor.wgate.weight"]}, %arg11: tensor<4x96xf32> {prefill.name = "compressor_ape", prefill.weight = ["compressor.ape"]}, %arg12: tensor<48xf32> {prefill.name = "compressor_norm", prefill.weight = ["compressor.norm.weight"]}, %arg13: tensor<288x40xf32> {prefill.name = "indexer_wq_b", prefill.weight = ["indexer.wq_b.weight"]}, %arg14: tensor<12x96xf32> {prefill.name = "indexer_weights_proj", prefill.weight = ["indexer.weights_proj.weight"]}, %arg15: tensor<96x96xf32> {prefill.name = "indexer_compressor_wkv_wgate", prefill.weight = ["indexer.compressor.wkv.weight", "indexer.compressor.wgate.weight"]}, %arg16: tensor<4x48xf32> {prefill.name = "indexer_compressor_ape", prefill.weight = ["indexer.compressor.ape"]}, %arg17: tensor<24xf32> {prefill.name = "indexer_compressor_norm", prefill.weight = ["indexer.compressor.norm.weight"]}, %arg18: memref<?x?x48xf32> {prefill.name = "window_cache"}, %arg19: memref<?x?x192xf32> {prefill.name = "compressor_state"}, %arg20: memref<?x?x48xf32> {prefill.name = "compressed_cache"}, %arg21: memref<?x?x96xf32> {prefill.name = "index_state"}, %arg22: memref<?x?x24xf32> {prefill.name = "index_cache"}, %arg23: tensor<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "window_slots", sched.tokens}, %arg24: tensor<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "window_table"}, %arg25: tensor<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "state_slots", sched.tokens}, %arg26: tensor<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "state_table"}, %arg27: tensor<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "compressed_slots", sched.tokens}, %arg28: tensor<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "compressed_table"}, %arg29: tensor<?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "token_to_request", sched.tokens}, %arg30: tensor<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "index_state_slots", sched.tokens}, %arg31: tensor<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "index_state_table"}, %arg32: tensor<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "index_slots", sched.tokens}, %arg33: tensor<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "index_table"}, %arg34: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>, prefill.name = "query_offsets"}, %arg35: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>, prefill.name = "sequence_lengths"}, %arg36: tensor<?x96xf32> {bufferization.writable = true, prefill.name = "output", sched.tokens}) -> tensor<?x96xf32> {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x96xf32>
    %0 = tensor.empty(%dim) : tensor<?x88xf32>
    %1 = prefill.linear %arg0 by %arg3 into %0 : tensor<?x96xf32>, tensor<88x96xf32> -> tensor<?x88xf32>
    %2 = tensor.empty(%dim) : tensor<?x192xf32>
    %3 = prefill.linear %arg0 by %arg10 into %2 : tensor<?x96xf32>, tensor<192x96xf32> -> tensor<?x192xf32>
    %4 = tensor.empty(%dim) : tensor<?x12xf32>
    %5 = prefill.linear %arg0 by %arg14 into %4 : tensor<?x96xf32>, tensor<12x96xf32> -> tensor<?x12xf32>
    %6 = tensor.empty(%dim) : tensor<?x96xf32>
    %7 = prefill.linear %arg0 by %arg15 into %6 : tensor<?x96xf32>, tensor<96x96xf32> -> tensor<?x96xf32>
    %extracted_slice = tensor.extract_slice %1[0, 0] [%dim, 40] [1, 1] : tensor<?x88xf32> to tensor<?x40xf32>
    %8 = tensor.empty(%dim) : tensor<?x40xf32>
    %9 = prefill.rms_norm %extracted_slice by %arg4 into %8 {eps = 9.9999999999999995E-7 : f64} : tensor<?x40xf32>, tensor<40xf32> -> tensor<?x40xf32>
    %extracted_slice_0 = tensor.extract_slice %1[0, 40] [%dim, 48] [1, 1] : tensor<?x88xf32> to tensor<?x48xf32>
    %10 = tensor.empty(%dim) : tensor<?x48xf32>
    %11 = prefill.rms_norm %extracted_slice_0 by %arg5 into %10 {eps = 9.9999999999999995E-7 : f64} : tensor<?x48xf32>, tensor<48xf32> -> tensor<?x48xf32>
    %12 = tensor.empty(%dim) : tensor<?x288xf32>
    %13 = prefill.linear %9 by %arg6 into %12 : tensor<?x40xf32>, tensor<288x40xf32> -> tensor<?x288xf32>
    %expanded = tensor.expand_shape %13 [[0], [1, 2]] output_shape [%dim, 6, 48] : tensor<?x288xf32> into tensor<?x6x48xf32>
    %14 = tensor.empty(%dim) : tensor<?x6x48xf32>
    %15 = prefill.rms_norm %expanded into %14 {eps = 9.9999999999999995E-7 : f64} : tensor<?x6x48xf32> -> tensor<?x6x48xf32>
    %16 = tensor.empty(%dim) : tensor<?x6x48xf32>
    %17 = prefill.rope %15 at %arg1 with %arg2 into %16 : tensor<?x6x48xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x6x48xf32>
    %18 = tensor.empty(%dim) : tensor<?x48xf32>
    %19 = prefill.rope %11 at %arg1 with %arg2 into %18 : tensor<?x48xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x48xf32>
    prefill.cache_insert %19 at %arg23 into %arg18 : tensor<?x48xf32>, tensor<?xi64> -> memref<?x?x48xf32>
    prefill.compress %3 biased %arg11 normed %arg12 at %arg1 with %arg2 state(%arg19 at %arg25 through %arg26 of %arg29) into %arg20 at %arg27 {eps = 9.9999999999999995E-7 : f64, overlap = true, ratio = 4 : i64} : tensor<?x192xf32>, tensor<4x96xf32>, tensor<48xf32>, tensor<?xi64>, tensor<?x8xf32>, memref<?x?x192xf32>, tensor<?xi64>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi64> -> memref<?x?x48xf32>
    prefill.compress %7 biased %arg16 normed %arg17 at %arg1 with %arg2 state(%arg21 at %arg30 through %arg31 of %arg29) into %arg22 at %arg32 {eps = 9.9999999999999995E-7 : f64, overlap = true, ratio = 4 : i64} : tensor<?x96xf32>, tensor<4x48xf32>, tensor<24xf32>, tensor<?xi64>, tensor<?x8xf32>, memref<?x?x96xf32>, tensor<?xi64>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi64> -> memref<?x?x24xf32>
    %20 = tensor.empty(%dim) : tensor<?x288xf32>
    %21 = prefill.linear %9 by %arg13 into %20 : tensor<?x40xf32>, tensor<288x40xf32> -> tensor<?x288xf32>
    %expanded_1 = tensor.expand_shape %21 [[0], [1, 2]] output_shape [%dim, 12, 24] : tensor<?x288xf32> into tensor<?x12x24xf32>
    %22 = tensor.empty(%dim) : tensor<?x12x24xf32>
    %23 = tensor.empty(%dim) : tensor<?x12xf32>
    %24:2 = prefill.index_query %expanded_1 weighted %5 at %arg1 with %arg2 into %22, %23 {scale = 0.058925565098878967 : f64} : tensor<?x12x24xf32>, tensor<?x12xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x12x24xf32>, tensor<?x12xf32>
    %25 = tensor.empty(%dim) : tensor<?x5xi32>
    %26 = prefill.index_select %24#0 weighted %24#1 from %arg22 through %arg33 requests(%arg34, %arg35) into %25 {ratio = 4 : i64} : tensor<?x12x24xf32>, tensor<?x12xf32>, memref<?x?x24xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x5xi32>
    %27 = tensor.empty(%dim) : tensor<?x6x48xf32>
    %28 = prefill.attend %17 sink %arg7 window(%arg18 through %arg24) compressed(%arg20 through %arg28 : memref<?x?x48xf32>, tensor<?x?xi32>) selected(%26 : tensor<?x5xi32>) requests(%arg34, %arg35) into %27 {ratio = 4 : i64, scale = 0.14433756729740646 : f64, window = 5 : i64} : tensor<?x6x48xf32>, tensor<6xf32>, memref<?x?x48xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x6x48xf32>
    %29 = tensor.empty(%dim) : tensor<?x6x48xf32>
    %30 = prefill.rope %28 at %arg1 with %arg2 into %29 {inverse = true} : tensor<?x6x48xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x6x48xf32>
    %expanded_2 = tensor.expand_shape %30 [[0], [1, 2], [3]] output_shape [%dim, 3, 2, 48] : tensor<?x6x48xf32> into tensor<?x3x2x48xf32>
    %collapsed = tensor.collapse_shape %expanded_2 [[0], [1], [2, 3]] : tensor<?x3x2x48xf32> into tensor<?x3x96xf32>
    %31 = tensor.empty(%dim) : tensor<?x3x20xf32>
    %32 = prefill.grouped_linear %collapsed by %arg8 into %31 : tensor<?x3x96xf32>, tensor<60x96xf32> -> tensor<?x3x20xf32>
    %collapsed_3 = tensor.collapse_shape %32 [[0], [1, 2]] : tensor<?x3x20xf32> into tensor<?x60xf32>
    %33 = prefill.linear %collapsed_3 by %arg9 into %arg36 : tensor<?x60xf32>, tensor<96x60xf32> -> tensor<?x96xf32>
    return %33 : tensor<?x96xf32>
  }
  func.func @c128a(%arg0: tensor<?x96xf32> {prefill.name = "hidden", sched.tokens}, %arg1: tensor<?xi64> {prefill.name = "positions", sched.tokens}, %arg2: tensor<?x8xf32> {prefill.name = "rope_table", prefill.rope = #prefill.rope<theta = 1.600000e+05 : f64, factor = 1.600000e+01 : f64, beta_fast = 3.200000e+01 : f64, beta_slow = 1.000000e+00 : f64, original_positions = 65536 : i64>}, %arg3: tensor<88x96xf32> {prefill.name = "wq_a_wkv", prefill.weight = ["wq_a.weight", "wkv.weight"]}, %arg4: tensor<40xf32> {prefill.name = "q_norm", prefill.weight = ["q_norm.weight"]}, %arg5: tensor<48xf32> {prefill.name = "kv_norm", prefill.weight = ["kv_norm.weight"]}, %arg6: tensor<288x40xf32> {prefill.name = "wq_b", prefill.weight = ["wq_b.weight"]}, %arg7: tensor<6xf32> {prefill.name = "attn_sink", prefill.weight = ["attn_sink"]}, %arg8: tensor<60x96xf32> {prefill.name = "wo_a", prefill.weight = ["wo_a.weight"]}, %arg9: tensor<96x60xf32> {prefill.name = "wo_b", prefill.weight = ["wo_b.weight"]}, %arg10: tensor<96x96xf32> {prefill.name = "compressor_wkv_wgate", prefill.weight = ["compressor.wkv.weight", "compressor.wgate.weight"]}, %arg11: tensor<16x48xf32> {prefill.name = "compressor_ape", prefill.weight = ["compressor.ape"]}, %arg12: tensor<48xf32> {prefill.name = "compressor_norm", prefill.weight = ["compressor.norm.weight"]}, %arg13: memref<?x?x48xf32> {prefill.name = "window_cache"}, %arg14: memref<?x?x96xf32> {prefill.name = "compressor_state"}, %arg15: memref<?x?x48xf32> {prefill.name = "compressed_cache"}, %arg16: tensor<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "window_slots", sched.tokens}, %arg17: tensor<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "window_table"}, %arg18: tensor<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "state_slots", sched.tokens}, %arg19: tensor<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "state_table"}, %arg20: tensor<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "compressed_slots", sched.tokens}, %arg21: tensor<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "compressed_table"}, %arg22: tensor<?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "token_to_request", sched.tokens}, %arg23: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>, prefill.name = "query_offsets"}, %arg24: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>, prefill.name = "sequence_lengths"}, %arg25: tensor<?x96xf32> {bufferization.writable = true, prefill.name = "output", sched.tokens}) -> tensor<?x96xf32> {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x96xf32>
    %0 = tensor.empty(%dim) : tensor<?x88xf32>
    %1 = prefill.linear %arg0 by %arg3 into %0 : tensor<?x96xf32>, tensor<88x96xf32> -> tensor<?x88xf32>
    %2 = tensor.empty(%dim) : tensor<?x96xf32>
    %3 = prefill.linear %arg0 by %arg10 into %2 : tensor<?x96xf32>, tensor<96x96xf32> -> tensor<?x96xf32>
    %extracted_slice = tensor.extract_slice %1[0, 0] [%dim, 40] [1, 1] : tensor<?x88xf32> to tensor<?x40xf32>
    %4 = tensor.empty(%dim) : tensor<?x40xf32>
    %5 = prefill.rms_norm %extracted_slice by %arg4 into %4 {eps = 9.9999999999999995E-7 : f64} : tensor<?x40xf32>, tensor<40xf32> -> tensor<?x40xf32>
    %extracted_slice_0 = tensor.extract_slice %1[0, 40] [%dim, 48] [1, 1] : tensor<?x88xf32> to tensor<?x48xf32>
    %6 = tensor.empty(%dim) : tensor<?x48xf32>
    %7 = prefill.rms_norm %extracted_slice_0 by %arg5 into %6 {eps = 9.9999999999999995E-7 : f64} : tensor<?x48xf32>, tensor<48xf32> -> tensor<?x48xf32>
    %8 = tensor.empty(%dim) : tensor<?x288xf32>
    %9 = prefill.linear %5 by %arg6 into %8 : tensor<?x40xf32>, tensor<288x40xf32> -> tensor<?x288xf32>
    %expanded = tensor.expand_shape %9 [[0], [1, 2]] output_shape [%dim, 6, 48] : tensor<?x288xf32> into tensor<?x6x48xf32>
    %10 = tensor.empty(%dim) : tensor<?x6x48xf32>
    %11 = prefill.rms_norm %expanded into %10 {eps = 9.9999999999999995E-7 : f64} : tensor<?x6x48xf32> -> tensor<?x6x48xf32>
    %12 = tensor.empty(%dim) : tensor<?x6x48xf32>
    %13 = prefill.rope %11 at %arg1 with %arg2 into %12 : tensor<?x6x48xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x6x48xf32>
    %14 = tensor.empty(%dim) : tensor<?x48xf32>
    %15 = prefill.rope %7 at %arg1 with %arg2 into %14 : tensor<?x48xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x48xf32>
    prefill.cache_insert %15 at %arg16 into %arg13 : tensor<?x48xf32>, tensor<?xi64> -> memref<?x?x48xf32>
    prefill.compress %3 biased %arg11 normed %arg12 at %arg1 with %arg2 state(%arg14 at %arg18 through %arg19 of %arg22) into %arg15 at %arg20 {eps = 9.9999999999999995E-7 : f64, ratio = 16 : i64} : tensor<?x96xf32>, tensor<16x48xf32>, tensor<48xf32>, tensor<?xi64>, tensor<?x8xf32>, memref<?x?x96xf32>, tensor<?xi64>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi64> -> memref<?x?x48xf32>
    %16 = tensor.empty(%dim) : tensor<?x6x48xf32>
    %17 = prefill.attend %13 sink %arg7 window(%arg13 through %arg17) compressed(%arg15 through %arg21 : memref<?x?x48xf32>, tensor<?x?xi32>) requests(%arg23, %arg24) into %16 {ratio = 16 : i64, scale = 0.14433756729740646 : f64, window = 5 : i64} : tensor<?x6x48xf32>, tensor<6xf32>, memref<?x?x48xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32> -> tensor<?x6x48xf32>
    %18 = tensor.empty(%dim) : tensor<?x6x48xf32>
    %19 = prefill.rope %17 at %arg1 with %arg2 into %18 {inverse = true} : tensor<?x6x48xf32>, tensor<?xi64>, tensor<?x8xf32> -> tensor<?x6x48xf32>
    %expanded_1 = tensor.expand_shape %19 [[0], [1, 2], [3]] output_shape [%dim, 3, 2, 48] : tensor<?x6x48xf32> into tensor<?x3x2x48xf32>
    %collapsed = tensor.collapse_shape %expanded_1 [[0], [1], [2, 3]] : tensor<?x3x2x48xf32> into tensor<?x3x96xf32>
    %20 = tensor.empty(%dim) : tensor<?x3x20xf32>
    %21 = prefill.grouped_linear %collapsed by %arg8 into %20 : tensor<?x3x96xf32>, tensor<60x96xf32> -> tensor<?x3x20xf32>
    %collapsed_2 = tensor.collapse_shape %21 [[0], [1, 2]] : tensor<?x3x20xf32> into tensor<?x60xf32>
    %22 = prefill.linear %collapsed_2 by %arg9 into %arg25 : tensor<?x60xf32>, tensor<96x60xf32> -> tensor<?x96xf32>
    return %22 : tensor<?x96xf32>
  }
}

