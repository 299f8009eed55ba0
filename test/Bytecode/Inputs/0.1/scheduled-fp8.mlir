module {
  prefill.layer 2 uses @c4a
  func.func @c4a(%arg0: memref<?x4096xbf16> {prefill.name = "hidden", sched.tokens}, %arg1: memref<?xi64> {prefill.name = "positions", sched.tokens}, %arg2: memref<?x64xf32> {prefill.name = "rope_table", prefill.rope = #prefill.rope<theta = 1.600000e+05 : f64, factor = 1.600000e+01 : f64, beta_fast = 3.200000e+01 : f64, beta_slow = 1.000000e+00 : f64, original_positions = 65536 : i64>}, %arg3: memref<1536x4096xf8E4M3FN> {prefill.name = "wq_a_wkv", prefill.weight = ["wq_a.weight", "wkv.weight"]}, %arg4: memref<12x32xf8E8M0FNU> {prefill.name = "wq_a_wkv_scale", prefill.weight = ["wq_a.scale", "wkv.scale"]}, %arg5: memref<1024xbf16> {prefill.name = "q_norm", prefill.weight = ["q_norm.weight"]}, %arg6: memref<512xbf16> {prefill.name = "kv_norm", prefill.weight = ["kv_norm.weight"]}, %arg7: memref<32768x1024xf8E4M3FN> {prefill.name = "wq_b", prefill.weight = ["wq_b.weight"]}, %arg8: memref<256x8xf8E8M0FNU> {prefill.name = "wq_b_scale", prefill.weight = ["wq_b.scale"]}, %arg9: memref<64xf32> {prefill.name = "attn_sink", prefill.weight = ["attn_sink"]}, %arg10: memref<8192x4096xf8E4M3FN> {prefill.name = "wo_a", prefill.weight = ["wo_a.weight"]}, %arg11: memref<64x32xf8E8M0FNU> {prefill.name = "wo_a_scale", prefill.weight = ["wo_a.scale"]}, %arg12: memref<4096x8192xf8E4M3FN> {prefill.name = "wo_b", prefill.weight = ["wo_b.weight"]}, %arg13: memref<32x64xf8E8M0FNU> {prefill.name = "wo_b_scale", prefill.weight = ["wo_b.scale"]}, %arg14: memref<2048x4096xbf16> {prefill.name = "compressor_wkv_wgate", prefill.weight = ["compressor.wkv.weight", "compressor.wgate.weight"]}, %arg15: memref<4x1024xf32> {prefill.name = "compressor_ape", prefill.weight = ["compressor.ape"]}, %arg16: memref<512xbf16> {prefill.name = "compressor_norm", prefill.weight = ["compressor.norm.weight"]}, %arg17: memref<8192x1024xf8E4M3FN> {prefill.name = "indexer_wq_b", prefill.weight = ["indexer.wq_b.weight"]}, %arg18: memref<64x8xf8E8M0FNU> {prefill.name = "indexer_wq_b_scale", prefill.weight = ["indexer.wq_b.scale"]}, %arg19: memref<64x4096xbf16> {prefill.name = "indexer_weights_proj", prefill.weight = ["indexer.weights_proj.weight"]}, %arg20: memref<512x4096xbf16> {prefill.name = "indexer_compressor_wkv_wgate", prefill.weight = ["indexer.compressor.wkv.weight", "indexer.compressor.wgate.weight"]}, %arg21: memref<4x256xf32> {prefill.name = "indexer_compressor_ape", prefill.weight = ["indexer.compressor.ape"]}, %arg22: memref<128xbf16> {prefill.name = "indexer_compressor_norm", prefill.weight = ["indexer.compressor.norm.weight"]}, %arg23: memref<?x?x584xi8, strided<[?, 584, 1]>> {prefill.name = "window_cache"}, %arg24: memref<?x?x2048xf32> {prefill.name = "compressor_state"}, %arg25: memref<?x?x584xi8, strided<[?, 584, 1]>> {prefill.name = "compressed_cache"}, %arg26: memref<?x?x512xf32> {prefill.name = "index_state"}, %arg27: memref<?x?x132xi8, strided<[?, 132, 1]>> {prefill.name = "index_cache"}, %arg28: memref<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "window_slots", sched.tokens}, %arg29: memref<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "window_table"}, %arg30: memref<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "state_slots", sched.tokens}, %arg31: memref<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "state_table"}, %arg32: memref<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "compressed_slots", sched.tokens}, %arg33: memref<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "compressed_table"}, %arg34: memref<?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "token_to_request", sched.tokens}, %arg35: memref<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "index_state_slots", sched.tokens}, %arg36: memref<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "index_state_table"}, %arg37: memref<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "index_slots", sched.tokens}, %arg38: memref<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "index_table"}, %arg39: memref<?xi32> {prefill.metadata = #prefill.metadata<host>, prefill.name = "query_offsets"}, %arg40: memref<?xi32> {prefill.metadata = #prefill.metadata<host>, prefill.name = "sequence_lengths"}, %arg41: memref<?x4096xbf16> {prefill.name = "output", sched.tokens}) {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x4096xbf16>
    sched.dispatch on %dim upto 4096 {
      sched.schedule(%s0, %s1, %s2, %s3) tokens(%dim) workspace(#sched.linear<166400, 0>) events(3) {
        %buf = sched.alloc(%dim) at <0, 0> : memref<?x4096xf8E4M3FN>
        %buf_0 = sched.alloc(%dim) at <4096, 0> : memref<?x32xf32>
        %buf_1 = sched.alloc(%dim) at <14848, 0> : memref<?x1536xbf16>
        %buf_2 = sched.alloc(%dim) at <4352, 0> : memref<?x2048xf32>
        %buf_3 = sched.alloc(%dim) at <12544, 0> : memref<?x64xbf16>
        %buf_4 = sched.alloc(%dim) at <12800, 0> : memref<?x512xf32>
        %buf_5 = sched.alloc(%dim) at <0, 0> : memref<?x1024xbf16>
        %buf_6 = sched.alloc(%dim) at <2048, 0> : memref<?x512xbf16>
        %buf_7 = sched.alloc(%dim) at <3072, 0> : memref<?x1024xf8E4M3FN>
        %buf_8 = sched.alloc(%dim) at <4096, 0> : memref<?x8xf32>
        %buf_9 = sched.alloc(%dim) at <18944, 0> : memref<?x32768xbf16>
        %buf_10 = sched.alloc(%dim) at <100864, 0> : memref<?x64x512xbf16>
        %buf_11 = sched.alloc(%dim) at <18944, 0> : memref<?x64x512xbf16>
        %buf_12 = sched.alloc(%dim) at <17920, 0> : memref<?x512xbf16>
        %buf_13 = sched.alloc(%dim) at <84480, 0> : memref<?x8192xbf16>
        %buf_14 = sched.alloc(%dim) at <4352, 0> : memref<?x64x128xf8E4M3FN>
        %buf_15 = sched.alloc(%dim) at <0, 0> : memref<?x64xf32>
        %buf_16 = sched.alloc(%dim) at <2048, 0> : memref<?x512xi32>
        %buf_17 = sched.alloc(%dim) at <100864, 0> : memref<?x64x512xbf16>
        %buf_18 = sched.alloc(%dim) at <18944, 0> : memref<?x64x512xbf16>
        %buf_19 = sched.alloc(%dim) at <100864, 0> : memref<?x8x4096xf8E4M3FN>
        %buf_20 = sched.alloc(%dim) at <17920, 0> : memref<?x8x32xf32>
        %buf_21 = sched.alloc(%dim) at <84480, 0> : memref<?x8x1024xbf16>
        %buf_22 = sched.alloc(%dim) at <4352, 0> : memref<?x8192xf8E4M3FN>
        %buf_23 = sched.alloc(%dim) at <0, 0> : memref<?x64xf32>
        %subview = memref.subview %buf_1[0, 0] [%dim, 1024] [1, 1] : memref<?x1536xbf16> to memref<?x1024xbf16, strided<[1536, 1]>>
        %subview_24 = memref.subview %buf_1[0, 1024] [%dim, 512] [1, 1] : memref<?x1536xbf16> to memref<?x512xbf16, strided<[1536, 1], offset: 1024>>
        %expand_shape = memref.expand_shape %buf_9 [[0], [1, 2]] output_shape [%dim, 64, 512] : memref<?x32768xbf16> into memref<?x64x512xbf16>
        %expand_shape_25 = memref.expand_shape %buf_13 [[0], [1, 2]] output_shape [%dim, 64, 128] : memref<?x8192xbf16> into memref<?x64x128xbf16>
        %expand_shape_26 = memref.expand_shape %buf_18 [[0], [1, 2], [3]] output_shape [%dim, 8, 8, 512] : memref<?x64x512xbf16> into memref<?x8x8x512xbf16>
        %collapse_shape = memref.collapse_shape %expand_shape_26 [[0], [1], [2, 3]] : memref<?x8x8x512xbf16> into memref<?x8x4096xbf16>
        %collapse_shape_27 = memref.collapse_shape %buf_21 [[0], [1, 2]] : memref<?x8x1024xbf16> into memref<?x8192xbf16>
        sched.segment "c4a.segment0" {
          %e = sched.record on %s0 slot 0
          sched.launch on %s0 {
            prefill.quantize %arg0 into %buf, %buf_0 {block = 128 : i64} : memref<?x4096xbf16> -> memref<?x4096xf8E4M3FN>, memref<?x32xf32>
          }
          sched.wait on %s1 for %e
          sched.launch on %s1 {
            prefill.linear %arg0 by %arg14 into %buf_2 : memref<?x4096xbf16>, memref<2048x4096xbf16> -> memref<?x2048xf32>
          }
          sched.wait on %s2 for %e
          sched.launch on %s2 {
            prefill.linear %arg0 by %arg19 into %buf_3 : memref<?x4096xbf16>, memref<64x4096xbf16> -> memref<?x64xbf16>
          }
          %e_28 = sched.record on %s2 slot 1
          sched.wait on %s3 for %e
          sched.launch on %s3 {
            prefill.linear %arg0 by %arg20 into %buf_4 : memref<?x4096xbf16>, memref<512x4096xbf16> -> memref<?x512xf32>
          }
          sched.launch on %s0 {
            prefill.linear %buf by %arg3 scaled(%buf_0, %arg4 : memref<?x32xf32>, memref<12x32xf8E8M0FNU>) into %buf_1 : memref<?x4096xf8E4M3FN>, memref<1536x4096xf8E4M3FN> -> memref<?x1536xbf16>
          }
          %e_29 = sched.record on %s0 slot 0
          sched.launch on %s3 {
            prefill.compress %buf_4 biased %arg21 normed %arg22 at %arg1 with %arg2 state(%arg26 at %arg35 through %arg36 of %arg34) into %arg27 at %arg37 {eps = 9.9999999999999995E-7 : f64, overlap = true, ratio = 4 : i64} : memref<?x512xf32>, memref<4x256xf32>, memref<128xbf16>, memref<?xi64>, memref<?x64xf32>, memref<?x?x512xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x132xi8, strided<[?, 132, 1]>>
          }
          %e_30 = sched.record on %s3 slot 2
          sched.launch on %s0 {
            prefill.rms_norm %subview by %arg5 into %buf_5 {eps = 9.9999999999999995E-7 : f64} : memref<?x1024xbf16, strided<[1536, 1]>>, memref<1024xbf16> -> memref<?x1024xbf16>
          }
          sched.wait on %s2 for %e_29
          sched.launch on %s2 {
            prefill.rms_norm %subview_24 by %arg6 into %buf_6 {eps = 9.9999999999999995E-7 : f64} : memref<?x512xbf16, strided<[1536, 1], offset: 1024>>, memref<512xbf16> -> memref<?x512xbf16>
          }
          sched.launch on %s1 {
            prefill.compress %buf_2 biased %arg15 normed %arg16 at %arg1 with %arg2 state(%arg24 at %arg30 through %arg31 of %arg34) into %arg25 at %arg32 {eps = 9.9999999999999995E-7 : f64, fp8_channels = 448 : i64, overlap = true, ratio = 4 : i64} : memref<?x2048xf32>, memref<4x1024xf32>, memref<512xbf16>, memref<?xi64>, memref<?x64xf32>, memref<?x?x2048xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x584xi8, strided<[?, 584, 1]>>
          }
          sched.launch on %s0 {
            prefill.quantize %buf_5 into %buf_7, %buf_8 {block = 128 : i64} : memref<?x1024xbf16> -> memref<?x1024xf8E4M3FN>, memref<?x8xf32>
          }
          %e_31 = sched.record on %s0 slot 0
          sched.launch on %s2 {
            prefill.rope %buf_6 at %arg1 with %arg2 into %buf_12 : memref<?x512xbf16>, memref<?xi64>, memref<?x64xf32> -> memref<?x512xbf16>
          }
          sched.launch on %s0 {
            prefill.linear %buf_7 by %arg7 scaled(%buf_8, %arg8 : memref<?x8xf32>, memref<256x8xf8E8M0FNU>) into %buf_9 : memref<?x1024xf8E4M3FN>, memref<32768x1024xf8E4M3FN> -> memref<?x32768xbf16>
          }
          sched.wait on %s1 for %e_31
          sched.launch on %s1 {
            prefill.linear %buf_7 by %arg17 scaled(%buf_8, %arg18 : memref<?x8xf32>, memref<64x8xf8E8M0FNU>) into %buf_13 : memref<?x1024xf8E4M3FN>, memref<8192x1024xf8E4M3FN> -> memref<?x8192xbf16>
          }
          sched.launch on %s2 {
            prefill.cache_insert %buf_12 at %arg28 into %arg23 {fp8_channels = 448 : i64} : memref<?x512xbf16>, memref<?xi64> -> memref<?x?x584xi8, strided<[?, 584, 1]>>
          }
          %e_32 = sched.record on %s2 slot 0
          sched.wait on %s1 for %e_28
          sched.launch on %s1 {
            prefill.index_query %expand_shape_25 weighted %buf_3 at %arg1 with %arg2 into %buf_14, %buf_15 {scale = 0.011048543456039804 : f64} : memref<?x64x128xbf16>, memref<?x64xbf16>, memref<?xi64>, memref<?x64xf32> -> memref<?x64x128xf8E4M3FN>, memref<?x64xf32>
          }
          %e_33 = sched.record on %s1 slot 1
          sched.launch on %s0 {
            prefill.rms_norm %expand_shape into %buf_10 {eps = 9.9999999999999995E-7 : f64} : memref<?x64x512xbf16> -> memref<?x64x512xbf16>
          }
          sched.launch on %s0 {
            prefill.rope %buf_10 at %arg1 with %arg2 into %buf_11 : memref<?x64x512xbf16>, memref<?xi64>, memref<?x64xf32> -> memref<?x64x512xbf16>
          }
          sched.wait on %s0 for %e_33
          sched.wait on %s0 for %e_32
          sched.wait on %s0 for %e_30
        }
        sched.eager "c4a.eager0" {
          sched.launch on %s0 {
            prefill.index_select %buf_14 weighted %buf_15 from %arg27 through %arg38 requests(%arg39, %arg40) into %buf_16 {ratio = 4 : i64} : memref<?x64x128xf8E4M3FN>, memref<?x64xf32>, memref<?x?x132xi8, strided<[?, 132, 1]>>, memref<?x?xi32>, memref<?xi32>, memref<?xi32> -> memref<?x512xi32>
          }
          sched.launch on %s0 {
            prefill.attend %buf_11 sink %arg9 window(%arg23 through %arg29) compressed(%arg25 through %arg33 : memref<?x?x584xi8, strided<[?, 584, 1]>>, memref<?x?xi32>) selected(%buf_16 : memref<?x512xi32>) requests(%arg39, %arg40) into %buf_17 {fp8_channels = 448 : i64, ratio = 4 : i64, scale = 0.044194173824159216 : f64, window = 128 : i64} : memref<?x64x512xbf16>, memref<64xf32>, memref<?x?x584xi8, strided<[?, 584, 1]>>, memref<?x?xi32>, memref<?xi32>, memref<?xi32> -> memref<?x64x512xbf16>
          }
        }
        sched.segment "c4a.segment1" {
          sched.launch on %s0 {
            prefill.rope %buf_17 at %arg1 with %arg2 into %buf_18 {inverse = true} : memref<?x64x512xbf16>, memref<?xi64>, memref<?x64xf32> -> memref<?x64x512xbf16>
          }
          sched.launch on %s0 {
            prefill.quantize %collapse_shape into %buf_19, %buf_20 {block = 128 : i64} : memref<?x8x4096xbf16> -> memref<?x8x4096xf8E4M3FN>, memref<?x8x32xf32>
          }
          sched.launch on %s0 {
            prefill.grouped_linear %buf_19 by %arg10 scaled(%buf_20, %arg11 : memref<?x8x32xf32>, memref<64x32xf8E8M0FNU>) into %buf_21 : memref<?x8x4096xf8E4M3FN>, memref<8192x4096xf8E4M3FN> -> memref<?x8x1024xbf16>
          }
          sched.launch on %s0 {
            prefill.quantize %collapse_shape_27 into %buf_22, %buf_23 {block = 128 : i64} : memref<?x8192xbf16> -> memref<?x8192xf8E4M3FN>, memref<?x64xf32>
          }
          sched.launch on %s0 {
            prefill.linear %buf_22 by %arg12 scaled(%buf_23, %arg13 : memref<?x64xf32>, memref<32x64xf8E8M0FNU>) into %arg41 : memref<?x8192xf8E4M3FN>, memref<4096x8192xf8E4M3FN> -> memref<?x4096xbf16>
          }
        }
      }
    } otherwise {
      sched.schedule(%s0) tokens(%dim) workspace(#sched.linear<147712, 0>) {
        %buf = sched.alloc(%dim) at <0, 0> : memref<?x4096xf8E4M3FN>
        %buf_0 = sched.alloc(%dim) at <4096, 0> : memref<?x32xf32>
        %buf_1 = sched.alloc(%dim) at <4352, 0> : memref<?x1536xbf16>
        %buf_2 = sched.alloc(%dim) at <7424, 0> : memref<?x2048xf32>
        %buf_3 = sched.alloc(%dim) at <4096, 0> : memref<?x64xbf16>
        %buf_4 = sched.alloc(%dim) at <0, 0> : memref<?x512xf32>
        %buf_5 = sched.alloc(%dim) at <2048, 0> : memref<?x1024xbf16>
        %buf_6 = sched.alloc(%dim) at <15616, 0> : memref<?x512xbf16>
        %buf_7 = sched.alloc(%dim) at <4352, 0> : memref<?x1024xf8E4M3FN>
        %buf_8 = sched.alloc(%dim) at <5376, 0> : memref<?x8xf32>
        %buf_9 = sched.alloc(%dim) at <16640, 0> : memref<?x32768xbf16>
        %buf_10 = sched.alloc(%dim) at <82176, 0> : memref<?x64x512xbf16>
        %buf_11 = sched.alloc(%dim) at <16640, 0> : memref<?x64x512xbf16>
        %buf_12 = sched.alloc(%dim) at <5632, 0> : memref<?x512xbf16>
        %buf_13 = sched.alloc(%dim) at <82176, 0> : memref<?x8192xbf16>
        %buf_14 = sched.alloc(%dim) at <7424, 0> : memref<?x64x128xf8E4M3FN>
        %buf_15 = sched.alloc(%dim) at <5376, 0> : memref<?x64xf32>
        %buf_16 = sched.alloc(%dim) at <0, 0> : memref<?x512xi32>
        %buf_17 = sched.alloc(%dim) at <82176, 0> : memref<?x64x512xbf16>
        %buf_18 = sched.alloc(%dim) at <16640, 0> : memref<?x64x512xbf16>
        %buf_19 = sched.alloc(%dim) at <82176, 0> : memref<?x8x4096xf8E4M3FN>
        %buf_20 = sched.alloc(%dim) at <4352, 0> : memref<?x8x32xf32>
        %buf_21 = sched.alloc(%dim) at <114944, 0> : memref<?x8x1024xbf16>
        %buf_22 = sched.alloc(%dim) at <7424, 0> : memref<?x8192xf8E4M3FN>
        %buf_23 = sched.alloc(%dim) at <4096, 0> : memref<?x64xf32>
        %subview = memref.subview %buf_1[0, 0] [%dim, 1024] [1, 1] : memref<?x1536xbf16> to memref<?x1024xbf16, strided<[1536, 1]>>
        %subview_24 = memref.subview %buf_1[0, 1024] [%dim, 512] [1, 1] : memref<?x1536xbf16> to memref<?x512xbf16, strided<[1536, 1], offset: 1024>>
        %expand_shape = memref.expand_shape %buf_9 [[0], [1, 2]] output_shape [%dim, 64, 512] : memref<?x32768xbf16> into memref<?x64x512xbf16>
        %expand_shape_25 = memref.expand_shape %buf_13 [[0], [1, 2]] output_shape [%dim, 64, 128] : memref<?x8192xbf16> into memref<?x64x128xbf16>
        %expand_shape_26 = memref.expand_shape %buf_18 [[0], [1, 2], [3]] output_shape [%dim, 8, 8, 512] : memref<?x64x512xbf16> into memref<?x8x8x512xbf16>
        %collapse_shape = memref.collapse_shape %expand_shape_26 [[0], [1], [2, 3]] : memref<?x8x8x512xbf16> into memref<?x8x4096xbf16>
        %collapse_shape_27 = memref.collapse_shape %buf_21 [[0], [1, 2]] : memref<?x8x1024xbf16> into memref<?x8192xbf16>
        sched.segment "c4a.segment0.serial" {
          sched.launch on %s0 {
            prefill.quantize %arg0 into %buf, %buf_0 {block = 128 : i64} : memref<?x4096xbf16> -> memref<?x4096xf8E4M3FN>, memref<?x32xf32>
          }
          sched.launch on %s0 {
            prefill.linear %buf by %arg3 scaled(%buf_0, %arg4 : memref<?x32xf32>, memref<12x32xf8E8M0FNU>) into %buf_1 : memref<?x4096xf8E4M3FN>, memref<1536x4096xf8E4M3FN> -> memref<?x1536xbf16>
          }
          sched.launch on %s0 {
            prefill.linear %arg0 by %arg14 into %buf_2 : memref<?x4096xbf16>, memref<2048x4096xbf16> -> memref<?x2048xf32>
          }
          sched.launch on %s0 {
            prefill.linear %arg0 by %arg19 into %buf_3 : memref<?x4096xbf16>, memref<64x4096xbf16> -> memref<?x64xbf16>
          }
          sched.launch on %s0 {
            prefill.linear %arg0 by %arg20 into %buf_4 : memref<?x4096xbf16>, memref<512x4096xbf16> -> memref<?x512xf32>
          }
          sched.launch on %s0 {
            prefill.rms_norm %subview by %arg5 into %buf_5 {eps = 9.9999999999999995E-7 : f64} : memref<?x1024xbf16, strided<[1536, 1]>>, memref<1024xbf16> -> memref<?x1024xbf16>
          }
          sched.launch on %s0 {
            prefill.rms_norm %subview_24 by %arg6 into %buf_6 {eps = 9.9999999999999995E-7 : f64} : memref<?x512xbf16, strided<[1536, 1], offset: 1024>>, memref<512xbf16> -> memref<?x512xbf16>
          }
          sched.launch on %s0 {
            prefill.quantize %buf_5 into %buf_7, %buf_8 {block = 128 : i64} : memref<?x1024xbf16> -> memref<?x1024xf8E4M3FN>, memref<?x8xf32>
          }
          sched.launch on %s0 {
            prefill.linear %buf_7 by %arg7 scaled(%buf_8, %arg8 : memref<?x8xf32>, memref<256x8xf8E8M0FNU>) into %buf_9 : memref<?x1024xf8E4M3FN>, memref<32768x1024xf8E4M3FN> -> memref<?x32768xbf16>
          }
          sched.launch on %s0 {
            prefill.rms_norm %expand_shape into %buf_10 {eps = 9.9999999999999995E-7 : f64} : memref<?x64x512xbf16> -> memref<?x64x512xbf16>
          }
          sched.launch on %s0 {
            prefill.rope %buf_10 at %arg1 with %arg2 into %buf_11 : memref<?x64x512xbf16>, memref<?xi64>, memref<?x64xf32> -> memref<?x64x512xbf16>
          }
          sched.launch on %s0 {
            prefill.rope %buf_6 at %arg1 with %arg2 into %buf_12 : memref<?x512xbf16>, memref<?xi64>, memref<?x64xf32> -> memref<?x512xbf16>
          }
          sched.launch on %s0 {
            prefill.cache_insert %buf_12 at %arg28 into %arg23 {fp8_channels = 448 : i64} : memref<?x512xbf16>, memref<?xi64> -> memref<?x?x584xi8, strided<[?, 584, 1]>>
          }
          sched.launch on %s0 {
            prefill.compress %buf_2 biased %arg15 normed %arg16 at %arg1 with %arg2 state(%arg24 at %arg30 through %arg31 of %arg34) into %arg25 at %arg32 {eps = 9.9999999999999995E-7 : f64, fp8_channels = 448 : i64, overlap = true, ratio = 4 : i64} : memref<?x2048xf32>, memref<4x1024xf32>, memref<512xbf16>, memref<?xi64>, memref<?x64xf32>, memref<?x?x2048xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x584xi8, strided<[?, 584, 1]>>
          }
          sched.launch on %s0 {
            prefill.compress %buf_4 biased %arg21 normed %arg22 at %arg1 with %arg2 state(%arg26 at %arg35 through %arg36 of %arg34) into %arg27 at %arg37 {eps = 9.9999999999999995E-7 : f64, overlap = true, ratio = 4 : i64} : memref<?x512xf32>, memref<4x256xf32>, memref<128xbf16>, memref<?xi64>, memref<?x64xf32>, memref<?x?x512xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x132xi8, strided<[?, 132, 1]>>
          }
          sched.launch on %s0 {
            prefill.linear %buf_7 by %arg17 scaled(%buf_8, %arg18 : memref<?x8xf32>, memref<64x8xf8E8M0FNU>) into %buf_13 : memref<?x1024xf8E4M3FN>, memref<8192x1024xf8E4M3FN> -> memref<?x8192xbf16>
          }
          sched.launch on %s0 {
            prefill.index_query %expand_shape_25 weighted %buf_3 at %arg1 with %arg2 into %buf_14, %buf_15 {scale = 0.011048543456039804 : f64} : memref<?x64x128xbf16>, memref<?x64xbf16>, memref<?xi64>, memref<?x64xf32> -> memref<?x64x128xf8E4M3FN>, memref<?x64xf32>
          }
        }
        sched.eager "c4a.eager0.serial" {
          sched.launch on %s0 {
            prefill.index_select %buf_14 weighted %buf_15 from %arg27 through %arg38 requests(%arg39, %arg40) into %buf_16 {ratio = 4 : i64} : memref<?x64x128xf8E4M3FN>, memref<?x64xf32>, memref<?x?x132xi8, strided<[?, 132, 1]>>, memref<?x?xi32>, memref<?xi32>, memref<?xi32> -> memref<?x512xi32>
          }
          sched.launch on %s0 {
            prefill.attend %buf_11 sink %arg9 window(%arg23 through %arg29) compressed(%arg25 through %arg33 : memref<?x?x584xi8, strided<[?, 584, 1]>>, memref<?x?xi32>) selected(%buf_16 : memref<?x512xi32>) requests(%arg39, %arg40) into %buf_17 {fp8_channels = 448 : i64, ratio = 4 : i64, scale = 0.044194173824159216 : f64, window = 128 : i64} : memref<?x64x512xbf16>, memref<64xf32>, memref<?x?x584xi8, strided<[?, 584, 1]>>, memref<?x?xi32>, memref<?xi32>, memref<?xi32> -> memref<?x64x512xbf16>
          }
        }
        sched.segment "c4a.segment1.serial" {
          sched.launch on %s0 {
            prefill.rope %buf_17 at %arg1 with %arg2 into %buf_18 {inverse = true} : memref<?x64x512xbf16>, memref<?xi64>, memref<?x64xf32> -> memref<?x64x512xbf16>
          }
          sched.launch on %s0 {
            prefill.quantize %collapse_shape into %buf_19, %buf_20 {block = 128 : i64} : memref<?x8x4096xbf16> -> memref<?x8x4096xf8E4M3FN>, memref<?x8x32xf32>
          }
          sched.launch on %s0 {
            prefill.grouped_linear %buf_19 by %arg10 scaled(%buf_20, %arg11 : memref<?x8x32xf32>, memref<64x32xf8E8M0FNU>) into %buf_21 : memref<?x8x4096xf8E4M3FN>, memref<8192x4096xf8E4M3FN> -> memref<?x8x1024xbf16>
          }
          sched.launch on %s0 {
            prefill.quantize %collapse_shape_27 into %buf_22, %buf_23 {block = 128 : i64} : memref<?x8192xbf16> -> memref<?x8192xf8E4M3FN>, memref<?x64xf32>
          }
          sched.launch on %s0 {
            prefill.linear %buf_22 by %arg12 scaled(%buf_23, %arg13 : memref<?x64xf32>, memref<32x64xf8E8M0FNU>) into %arg41 : memref<?x8192xf8E4M3FN>, memref<4096x8192xf8E4M3FN> -> memref<?x4096xbf16>
          }
        }
      }
    } {gate}
    return
  }
}

