module {
  prefill.layer 0 uses @swa
  prefill.layer 1 uses @c4a
  prefill.layer 2 uses @c128a
  func.func @swa(%arg0: memref<?x96xf32> {prefill.name = "hidden", sched.tokens}, %arg1: memref<?xi64> {prefill.name = "positions", sched.tokens}, %arg2: memref<?x8xf32> {prefill.name = "rope_table", prefill.rope = #prefill.rope<theta = 1.000000e+04 : f64>}, %arg3: memref<88x96xf32> {prefill.name = "wq_a_wkv", prefill.weight = ["wq_a.weight", "wkv.weight"]}, %arg4: memref<40xf32> {prefill.name = "q_norm", prefill.weight = ["q_norm.weight"]}, %arg5: memref<48xf32> {prefill.name = "kv_norm", prefill.weight = ["kv_norm.weight"]}, %arg6: memref<288x40xf32> {prefill.name = "wq_b", prefill.weight = ["wq_b.weight"]}, %arg7: memref<6xf32> {prefill.name = "attn_sink", prefill.weight = ["attn_sink"]}, %arg8: memref<60x96xf32> {prefill.name = "wo_a", prefill.weight = ["wo_a.weight"]}, %arg9: memref<96x60xf32> {prefill.name = "wo_b", prefill.weight = ["wo_b.weight"]}, %arg10: memref<?x?x48xf32> {prefill.name = "window_cache"}, %arg11: memref<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "window_slots", sched.tokens}, %arg12: memref<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "window_table"}, %arg13: memref<?xi32> {prefill.metadata = #prefill.metadata<host>, prefill.name = "query_offsets"}, %arg14: memref<?xi32> {prefill.metadata = #prefill.metadata<host>, prefill.name = "sequence_lengths"}, %arg15: memref<?x96xf32> {prefill.name = "output", sched.tokens}) {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x96xf32>
    sched.dispatch on %dim upto 4096 {
      sched.schedule(%s0, %s1) tokens(%dim) workspace(#sched.linear<3840, 0>) events(1) {
        %buf = sched.alloc(%dim) at <0, 0> : memref<?x88xf32>
        %buf_0 = sched.alloc(%dim) at <512, 0> : memref<?x40xf32>
        %buf_1 = sched.alloc(%dim) at <768, 0> : memref<?x48xf32>
        %buf_2 = sched.alloc(%dim) at <1024, 0> : memref<?x288xf32>
        %buf_3 = sched.alloc(%dim) at <2560, 0> : memref<?x6x48xf32>
        %buf_4 = sched.alloc(%dim) at <1024, 0> : memref<?x6x48xf32>
        %buf_5 = sched.alloc(%dim) at <2304, 0> : memref<?x48xf32>
        %buf_6 = sched.alloc(%dim) at <2560, 0> : memref<?x6x48xf32>
        %buf_7 = sched.alloc(%dim) at <1024, 0> : memref<?x6x48xf32>
        %buf_8 = sched.alloc(%dim) at <512, 0> : memref<?x3x20xf32>
        %subview = memref.subview %buf[0, 0] [%dim, 40] [1, 1] : memref<?x88xf32> to memref<?x40xf32, strided<[88, 1]>>
        %subview_9 = memref.subview %buf[0, 40] [%dim, 48] [1, 1] : memref<?x88xf32> to memref<?x48xf32, strided<[88, 1], offset: 40>>
        %expand_shape = memref.expand_shape %buf_2 [[0], [1, 2]] output_shape [%dim, 6, 48] : memref<?x288xf32> into memref<?x6x48xf32>
        %expand_shape_10 = memref.expand_shape %buf_7 [[0], [1, 2], [3]] output_shape [%dim, 3, 2, 48] : memref<?x6x48xf32> into memref<?x3x2x48xf32>
        %collapse_shape = memref.collapse_shape %expand_shape_10 [[0], [1], [2, 3]] : memref<?x3x2x48xf32> into memref<?x3x96xf32>
        %collapse_shape_11 = memref.collapse_shape %buf_8 [[0], [1, 2]] : memref<?x3x20xf32> into memref<?x60xf32>
        sched.segment "swa.segment0" {
          sched.launch on %s0 {
            prefill.linear %arg0 by %arg3 into %buf : memref<?x96xf32>, memref<88x96xf32> -> memref<?x88xf32>
          }
          %e = sched.record on %s0 slot 0
          sched.launch on %s0 {
            prefill.rms_norm %subview by %arg4 into %buf_0 {eps = 9.9999999999999995E-7 : f64} : memref<?x40xf32, strided<[88, 1]>>, memref<40xf32> -> memref<?x40xf32>
          }
          sched.wait on %s1 for %e
          sched.launch on %s1 {
            prefill.rms_norm %subview_9 by %arg5 into %buf_1 {eps = 9.9999999999999995E-7 : f64} : memref<?x48xf32, strided<[88, 1], offset: 40>>, memref<48xf32> -> memref<?x48xf32>
          }
          sched.launch on %s0 {
            prefill.linear %buf_0 by %arg6 into %buf_2 : memref<?x40xf32>, memref<288x40xf32> -> memref<?x288xf32>
          }
          sched.launch on %s1 {
            prefill.rope %buf_1 at %arg1 with %arg2 into %buf_5 : memref<?x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x48xf32>
          }
          sched.launch on %s0 {
            prefill.rms_norm %expand_shape into %buf_3 {eps = 9.9999999999999995E-7 : f64} : memref<?x6x48xf32> -> memref<?x6x48xf32>
          }
          sched.launch on %s1 {
            prefill.cache_insert %buf_5 at %arg11 into %arg10 : memref<?x48xf32>, memref<?xi64> -> memref<?x?x48xf32>
          }
          %e_12 = sched.record on %s1 slot 0
          sched.launch on %s0 {
            prefill.rope %buf_3 at %arg1 with %arg2 into %buf_4 : memref<?x6x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x6x48xf32>
          }
          sched.wait on %s0 for %e_12
        }
        sched.eager "swa.eager0" {
          sched.launch on %s0 {
            prefill.attend %buf_4 sink %arg7 window(%arg10 through %arg12) requests(%arg13, %arg14) into %buf_6 {ratio = 0 : i64, scale = 0.14433756729740646 : f64, window = 5 : i64} : memref<?x6x48xf32>, memref<6xf32>, memref<?x?x48xf32>, memref<?x?xi32>, memref<?xi32>, memref<?xi32> -> memref<?x6x48xf32>
          }
        }
        sched.segment "swa.segment1" {
          sched.launch on %s0 {
            prefill.rope %buf_6 at %arg1 with %arg2 into %buf_7 {inverse = true} : memref<?x6x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x6x48xf32>
          }
          sched.launch on %s0 {
            prefill.grouped_linear %collapse_shape by %arg8 into %buf_8 : memref<?x3x96xf32>, memref<60x96xf32> -> memref<?x3x20xf32>
          }
          sched.launch on %s0 {
            prefill.linear %collapse_shape_11 by %arg9 into %arg15 : memref<?x60xf32>, memref<96x60xf32> -> memref<?x96xf32>
          }
        }
      }
    } otherwise {
      sched.schedule(%s0) tokens(%dim) workspace(#sched.linear<3584, 0>) {
        %buf = sched.alloc(%dim) at <0, 0> : memref<?x88xf32>
        %buf_0 = sched.alloc(%dim) at <512, 0> : memref<?x40xf32>
        %buf_1 = sched.alloc(%dim) at <768, 0> : memref<?x48xf32>
        %buf_2 = sched.alloc(%dim) at <1024, 0> : memref<?x288xf32>
        %buf_3 = sched.alloc(%dim) at <2304, 0> : memref<?x6x48xf32>
        %buf_4 = sched.alloc(%dim) at <1024, 0> : memref<?x6x48xf32>
        %buf_5 = sched.alloc(%dim) at <512, 0> : memref<?x48xf32>
        %buf_6 = sched.alloc(%dim) at <2304, 0> : memref<?x6x48xf32>
        %buf_7 = sched.alloc(%dim) at <1024, 0> : memref<?x6x48xf32>
        %buf_8 = sched.alloc(%dim) at <512, 0> : memref<?x3x20xf32>
        %subview = memref.subview %buf[0, 0] [%dim, 40] [1, 1] : memref<?x88xf32> to memref<?x40xf32, strided<[88, 1]>>
        %subview_9 = memref.subview %buf[0, 40] [%dim, 48] [1, 1] : memref<?x88xf32> to memref<?x48xf32, strided<[88, 1], offset: 40>>
        %expand_shape = memref.expand_shape %buf_2 [[0], [1, 2]] output_shape [%dim, 6, 48] : memref<?x288xf32> into memref<?x6x48xf32>
        %expand_shape_10 = memref.expand_shape %buf_7 [[0], [1, 2], [3]] output_shape [%dim, 3, 2, 48] : memref<?x6x48xf32> into memref<?x3x2x48xf32>
        %collapse_shape = memref.collapse_shape %expand_shape_10 [[0], [1], [2, 3]] : memref<?x3x2x48xf32> into memref<?x3x96xf32>
        %collapse_shape_11 = memref.collapse_shape %buf_8 [[0], [1, 2]] : memref<?x3x20xf32> into memref<?x60xf32>
        sched.segment "swa.segment0.serial" {
          sched.launch on %s0 {
            prefill.linear %arg0 by %arg3 into %buf : memref<?x96xf32>, memref<88x96xf32> -> memref<?x88xf32>
          }
          sched.launch on %s0 {
            prefill.rms_norm %subview by %arg4 into %buf_0 {eps = 9.9999999999999995E-7 : f64} : memref<?x40xf32, strided<[88, 1]>>, memref<40xf32> -> memref<?x40xf32>
          }
          sched.launch on %s0 {
            prefill.rms_norm %subview_9 by %arg5 into %buf_1 {eps = 9.9999999999999995E-7 : f64} : memref<?x48xf32, strided<[88, 1], offset: 40>>, memref<48xf32> -> memref<?x48xf32>
          }
          sched.launch on %s0 {
            prefill.linear %buf_0 by %arg6 into %buf_2 : memref<?x40xf32>, memref<288x40xf32> -> memref<?x288xf32>
          }
          sched.launch on %s0 {
            prefill.rms_norm %expand_shape into %buf_3 {eps = 9.9999999999999995E-7 : f64} : memref<?x6x48xf32> -> memref<?x6x48xf32>
          }
          sched.launch on %s0 {
            prefill.rope %buf_3 at %arg1 with %arg2 into %buf_4 : memref<?x6x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x6x48xf32>
          }
          sched.launch on %s0 {
            prefill.rope %buf_1 at %arg1 with %arg2 into %buf_5 : memref<?x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x48xf32>
          }
          sched.launch on %s0 {
            prefill.cache_insert %buf_5 at %arg11 into %arg10 : memref<?x48xf32>, memref<?xi64> -> memref<?x?x48xf32>
          }
        }
        sched.eager "swa.eager0.serial" {
          sched.launch on %s0 {
            prefill.attend %buf_4 sink %arg7 window(%arg10 through %arg12) requests(%arg13, %arg14) into %buf_6 {ratio = 0 : i64, scale = 0.14433756729740646 : f64, window = 5 : i64} : memref<?x6x48xf32>, memref<6xf32>, memref<?x?x48xf32>, memref<?x?xi32>, memref<?xi32>, memref<?xi32> -> memref<?x6x48xf32>
          }
        }
        sched.segment "swa.segment1.serial" {
          sched.launch on %s0 {
            prefill.rope %buf_6 at %arg1 with %arg2 into %buf_7 {inverse = true} : memref<?x6x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x6x48xf32>
          }
          sched.launch on %s0 {
            prefill.grouped_linear %collapse_shape by %arg8 into %buf_8 : memref<?x3x96xf32>, memref<60x96xf32> -> memref<?x3x20xf32>
          }
          sched.launch on %s0 {
            prefill.linear %collapse_shape_11 by %arg9 into %arg15 : memref<?x60xf32>, memref<96x60xf32> -> memref<?x96xf32>
          }
        }
      }
    } {gate}
    return
  }
  func.func @c4a(%arg0: memref<?x96xf32> {prefill.name = "hidden", sched.tokens}, %arg1: memref<?xi64> {prefill.name = "positions", sched.tokens}, %arg2: memref<?x8xf32> {prefill.name = "rope_table", prefill.rope = #prefill.rope<theta = 1.600000e+05 : f64, factor = 1.600000e+01 : f64, beta_fast = 3.200000e+01 : f64, beta_slow = 1.000000e+00 : f64, original_positions = 65536 : i64>}, %arg3: memref<88x96xf32> {prefill.name = "wq_a_wkv", prefill.weight = ["wq_a.weight", "wkv.weight"]}, %arg4: memref<40xf32> {prefill.name = "q_norm", prefill.weight = ["q_norm.weight"]}, %arg5: memref<48xf32> {prefill.name = "kv_norm", prefill.weight = ["kv_norm.weight"]}, %arg6: memref<288x40xf32> {prefill.name = "wq_b", prefill.weight = ["wq_b.weight"]}, %arg7: memref<6xf32> {prefill.name = "attn_sink", prefill.weight = ["attn_sink"]}, %arg8: memref<60x96xf32> {prefill.name = "wo_a", prefill.weight = ["wo_a.weight"]}, %arg9: memref<96x60xf32> {prefill.name = "wo_b", prefill.weight = ["wo_b.weight"]}, %arg10: memref<192x96xf32> {prefill.name = "compressor_wkv_wgate", prefill.weight = ["compressor.wkv.weight", "compressor.wgate.weight"]}, %arg11: memref<4x96xf32> {prefill.name = "compressor_ape", prefill.weight = ["compressor.ape"]}, %arg12: memref<48xf32> {prefill.name = "compressor_norm", prefill.weight = ["compressor.norm.weight"]}, %arg13: memref<288x40xf32> {prefill.name = "indexer_wq_b", prefill.weight = ["indexer.wq_b.weight"]}, %arg14: memref<12x96xf32> {prefill.name = "indexer_weights_proj", prefill.weight = ["indexer.weights_proj.weight"]}, %arg15: memref<96x96xf32> {prefill.name = "indexer_compressor_wkv_wgate", prefill.weight = ["indexer.compressor.wkv.weight", "indexer.compressor.wgate.weight"]}, %arg16: memref<4x48xf32> {prefill.name = "indexer_compressor_ape", prefill.weight = ["indexer.compressor.ape"]}, %arg17: memref<24xf32> {prefill.name = "indexer_compressor_norm", prefill.weight = ["indexer.compressor.norm.weight"]}, %arg18: memref<?x?x48xf32> {prefill.name = "window_cache"}, %arg19: memref<?x?x192xf32> {prefill.name = "compressor_state"}, %arg20: memref<?x?x48xf32> {prefill.name = "compressed_cache"}, %arg21: memref<?x?x96xf32> {prefill.name = "index_state"}, %arg22: memref<?x?x24xf32> {prefill.name = "index_cache"}, %arg23: memref<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "window_slots", sched.tokens}, %arg24: memref<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "window_table"}, %arg25: memref<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "state_slots", sched.tokens}, %arg26: memref<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "state_table"}, %arg27: memref<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "compressed_slots", sched.tokens}, %arg28: memref<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "compressed_table"}, %arg29: memref<?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "token_to_request", sched.tokens}, %arg30: memref<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "index_state_slots", sched.tokens}, %arg31: memref<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "index_state_table"}, %arg32: memref<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "index_slots", sched.tokens}, %arg33: memref<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "index_table"}, %arg34: memref<?xi32> {prefill.metadata = #prefill.metadata<host>, prefill.name = "query_offsets"}, %arg35: memref<?xi32> {prefill.metadata = #prefill.metadata<host>, prefill.name = "sequence_lengths"}, %arg36: memref<?x96xf32> {prefill.name = "output", sched.tokens}) {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x96xf32>
    sched.dispatch on %dim upto 4096 {
      sched.schedule(%s0, %s1, %s2, %s3) tokens(%dim) workspace(#sched.linear<7936, 0>) events(3) {
        %buf = sched.alloc(%dim) at <0, 0> : memref<?x88xf32>
        %buf_0 = sched.alloc(%dim) at <512, 0> : memref<?x192xf32>
        %buf_1 = sched.alloc(%dim) at <1792, 0> : memref<?x12xf32>
        %buf_2 = sched.alloc(%dim) at <1280, 0> : memref<?x96xf32>
        %buf_3 = sched.alloc(%dim) at <2048, 0> : memref<?x40xf32>
        %buf_4 = sched.alloc(%dim) at <2304, 0> : memref<?x48xf32>
        %buf_5 = sched.alloc(%dim) at <2560, 0> : memref<?x288xf32>
        %buf_6 = sched.alloc(%dim) at <5376, 0> : memref<?x6x48xf32>
        %buf_7 = sched.alloc(%dim) at <2560, 0> : memref<?x6x48xf32>
        %buf_8 = sched.alloc(%dim) at <5120, 0> : memref<?x48xf32>
        %buf_9 = sched.alloc(%dim) at <3840, 0> : memref<?x288xf32>
        %buf_10 = sched.alloc(%dim) at <6656, 0> : memref<?x12x24xf32>
        %buf_11 = sched.alloc(%dim) at <1280, 0> : memref<?x12xf32>
        %buf_12 = sched.alloc(%dim) at <1536, 0> : memref<?x5xi32>
        %buf_13 = sched.alloc(%dim) at <0, 0> : memref<?x6x48xf32>
        %buf_14 = sched.alloc(%dim) at <1280, 0> : memref<?x6x48xf32>
        %buf_15 = sched.alloc(%dim) at <5120, 0> : memref<?x3x20xf32>
        %subview = memref.subview %buf[0, 0] [%dim, 40] [1, 1] : memref<?x88xf32> to memref<?x40xf32, strided<[88, 1]>>
        %subview_16 = memref.subview %buf[0, 40] [%dim, 48] [1, 1] : memref<?x88xf32> to memref<?x48xf32, strided<[88, 1], offset: 40>>
        %expand_shape = memref.expand_shape %buf_5 [[0], [1, 2]] output_shape [%dim, 6, 48] : memref<?x288xf32> into memref<?x6x48xf32>
        %expand_shape_17 = memref.expand_shape %buf_9 [[0], [1, 2]] output_shape [%dim, 12, 24] : memref<?x288xf32> into memref<?x12x24xf32>
        %expand_shape_18 = memref.expand_shape %buf_14 [[0], [1, 2], [3]] output_shape [%dim, 3, 2, 48] : memref<?x6x48xf32> into memref<?x3x2x48xf32>
        %collapse_shape = memref.collapse_shape %expand_shape_18 [[0], [1], [2, 3]] : memref<?x3x2x48xf32> into memref<?x3x96xf32>
        %collapse_shape_19 = memref.collapse_shape %buf_15 [[0], [1, 2]] : memref<?x3x20xf32> into memref<?x60xf32>
        sched.segment "c4a.segment0" {
          %e = sched.record on %s0 slot 0
          sched.launch on %s0 {
            prefill.linear %arg0 by %arg3 into %buf : memref<?x96xf32>, memref<88x96xf32> -> memref<?x88xf32>
          }
          %e_20 = sched.record on %s0 slot 1
          sched.wait on %s1 for %e
          sched.launch on %s1 {
            prefill.linear %arg0 by %arg10 into %buf_0 : memref<?x96xf32>, memref<192x96xf32> -> memref<?x192xf32>
          }
          sched.wait on %s2 for %e
          sched.launch on %s2 {
            prefill.linear %arg0 by %arg15 into %buf_2 : memref<?x96xf32>, memref<96x96xf32> -> memref<?x96xf32>
          }
          sched.wait on %s3 for %e
          sched.launch on %s3 {
            prefill.linear %arg0 by %arg14 into %buf_1 : memref<?x96xf32>, memref<12x96xf32> -> memref<?x12xf32>
          }
          %e_21 = sched.record on %s3 slot 0
          sched.launch on %s0 {
            prefill.rms_norm %subview by %arg4 into %buf_3 {eps = 9.9999999999999995E-7 : f64} : memref<?x40xf32, strided<[88, 1]>>, memref<40xf32> -> memref<?x40xf32>
          }
          %e_22 = sched.record on %s0 slot 2
          sched.wait on %s3 for %e_20
          sched.launch on %s3 {
            prefill.rms_norm %subview_16 by %arg5 into %buf_4 {eps = 9.9999999999999995E-7 : f64} : memref<?x48xf32, strided<[88, 1], offset: 40>>, memref<48xf32> -> memref<?x48xf32>
          }
          sched.launch on %s2 {
            prefill.compress %buf_2 biased %arg16 normed %arg17 at %arg1 with %arg2 state(%arg21 at %arg30 through %arg31 of %arg29) into %arg22 at %arg32 {eps = 9.9999999999999995E-7 : f64, overlap = true, ratio = 4 : i64} : memref<?x96xf32>, memref<4x48xf32>, memref<24xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x96xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x24xf32>
          }
          sched.launch on %s1 {
            prefill.compress %buf_0 biased %arg11 normed %arg12 at %arg1 with %arg2 state(%arg19 at %arg25 through %arg26 of %arg29) into %arg20 at %arg27 {eps = 9.9999999999999995E-7 : f64, overlap = true, ratio = 4 : i64} : memref<?x192xf32>, memref<4x96xf32>, memref<48xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x192xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x48xf32>
          }
          %e_23 = sched.record on %s1 slot 1
          sched.launch on %s0 {
            prefill.linear %buf_3 by %arg6 into %buf_5 : memref<?x40xf32>, memref<288x40xf32> -> memref<?x288xf32>
          }
          sched.wait on %s2 for %e_22
          sched.launch on %s2 {
            prefill.linear %buf_3 by %arg13 into %buf_9 : memref<?x40xf32>, memref<288x40xf32> -> memref<?x288xf32>
          }
          sched.launch on %s3 {
            prefill.rope %buf_4 at %arg1 with %arg2 into %buf_8 : memref<?x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x48xf32>
          }
          sched.launch on %s0 {
            prefill.rms_norm %expand_shape into %buf_6 {eps = 9.9999999999999995E-7 : f64} : memref<?x6x48xf32> -> memref<?x6x48xf32>
          }
          sched.launch on %s3 {
            prefill.cache_insert %buf_8 at %arg23 into %arg18 : memref<?x48xf32>, memref<?xi64> -> memref<?x?x48xf32>
          }
          %e_24 = sched.record on %s3 slot 2
          sched.wait on %s2 for %e_21
          sched.launch on %s2 {
            prefill.index_query %expand_shape_17 weighted %buf_1 at %arg1 with %arg2 into %buf_10, %buf_11 {scale = 0.058925565098878967 : f64} : memref<?x12x24xf32>, memref<?x12xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x12x24xf32>, memref<?x12xf32>
          }
          %e_25 = sched.record on %s2 slot 0
          sched.launch on %s0 {
            prefill.rope %buf_6 at %arg1 with %arg2 into %buf_7 : memref<?x6x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x6x48xf32>
          }
          sched.wait on %s0 for %e_23
          sched.wait on %s0 for %e_25
          sched.wait on %s0 for %e_24
        }
        sched.eager "c4a.eager0" {
          sched.launch on %s0 {
            prefill.index_select %buf_10 weighted %buf_11 from %arg22 through %arg33 requests(%arg34, %arg35) into %buf_12 {ratio = 4 : i64} : memref<?x12x24xf32>, memref<?x12xf32>, memref<?x?x24xf32>, memref<?x?xi32>, memref<?xi32>, memref<?xi32> -> memref<?x5xi32>
          }
          sched.launch on %s0 {
            prefill.attend %buf_7 sink %arg7 window(%arg18 through %arg24) compressed(%arg20 through %arg28 : memref<?x?x48xf32>, memref<?x?xi32>) selected(%buf_12 : memref<?x5xi32>) requests(%arg34, %arg35) into %buf_13 {ratio = 4 : i64, scale = 0.14433756729740646 : f64, window = 5 : i64} : memref<?x6x48xf32>, memref<6xf32>, memref<?x?x48xf32>, memref<?x?xi32>, memref<?xi32>, memref<?xi32> -> memref<?x6x48xf32>
          }
        }
        sched.segment "c4a.segment1" {
          sched.launch on %s0 {
            prefill.rope %buf_13 at %arg1 with %arg2 into %buf_14 {inverse = true} : memref<?x6x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x6x48xf32>
          }
          sched.launch on %s0 {
            prefill.grouped_linear %collapse_shape by %arg8 into %buf_15 : memref<?x3x96xf32>, memref<60x96xf32> -> memref<?x3x20xf32>
          }
          sched.launch on %s0 {
            prefill.linear %collapse_shape_19 by %arg9 into %arg36 : memref<?x60xf32>, memref<96x60xf32> -> memref<?x96xf32>
          }
        }
      }
    } otherwise {
      sched.schedule(%s0) tokens(%dim) workspace(#sched.linear<5120, 0>) {
        %buf = sched.alloc(%dim) at <0, 0> : memref<?x88xf32>
        %buf_0 = sched.alloc(%dim) at <512, 0> : memref<?x192xf32>
        %buf_1 = sched.alloc(%dim) at <1280, 0> : memref<?x12xf32>
        %buf_2 = sched.alloc(%dim) at <1536, 0> : memref<?x96xf32>
        %buf_3 = sched.alloc(%dim) at <2048, 0> : memref<?x40xf32>
        %buf_4 = sched.alloc(%dim) at <2304, 0> : memref<?x48xf32>
        %buf_5 = sched.alloc(%dim) at <2560, 0> : memref<?x288xf32>
        %buf_6 = sched.alloc(%dim) at <3840, 0> : memref<?x6x48xf32>
        %buf_7 = sched.alloc(%dim) at <2560, 0> : memref<?x6x48xf32>
        %buf_8 = sched.alloc(%dim) at <0, 0> : memref<?x48xf32>
        %buf_9 = sched.alloc(%dim) at <0, 0> : memref<?x288xf32>
        %buf_10 = sched.alloc(%dim) at <3840, 0> : memref<?x12x24xf32>
        %buf_11 = sched.alloc(%dim) at <2048, 0> : memref<?x12xf32>
        %buf_12 = sched.alloc(%dim) at <1280, 0> : memref<?x5xi32>
        %buf_13 = sched.alloc(%dim) at <0, 0> : memref<?x6x48xf32>
        %buf_14 = sched.alloc(%dim) at <1280, 0> : memref<?x6x48xf32>
        %buf_15 = sched.alloc(%dim) at <0, 0> : memref<?x3x20xf32>
        %subview = memref.subview %buf[0, 0] [%dim, 40] [1, 1] : memref<?x88xf32> to memref<?x40xf32, strided<[88, 1]>>
        %subview_16 = memref.subview %buf[0, 40] [%dim, 48] [1, 1] : memref<?x88xf32> to memref<?x48xf32, strided<[88, 1], offset: 40>>
        %expand_shape = memref.expand_shape %buf_5 [[0], [1, 2]] output_shape [%dim, 6, 48] : memref<?x288xf32> into memref<?x6x48xf32>
        %expand_shape_17 = memref.expand_shape %buf_9 [[0], [1, 2]] output_shape [%dim, 12, 24] : memref<?x288xf32> into memref<?x12x24xf32>
        %expand_shape_18 = memref.expand_shape %buf_14 [[0], [1, 2], [3]] output_shape [%dim, 3, 2, 48] : memref<?x6x48xf32> into memref<?x3x2x48xf32>
        %collapse_shape = memref.collapse_shape %expand_shape_18 [[0], [1], [2, 3]] : memref<?x3x2x48xf32> into memref<?x3x96xf32>
        %collapse_shape_19 = memref.collapse_shape %buf_15 [[0], [1, 2]] : memref<?x3x20xf32> into memref<?x60xf32>
        sched.segment "c4a.segment0.serial" {
          sched.launch on %s0 {
            prefill.linear %arg0 by %arg3 into %buf : memref<?x96xf32>, memref<88x96xf32> -> memref<?x88xf32>
          }
          sched.launch on %s0 {
            prefill.linear %arg0 by %arg10 into %buf_0 : memref<?x96xf32>, memref<192x96xf32> -> memref<?x192xf32>
          }
          sched.launch on %s0 {
            prefill.linear %arg0 by %arg14 into %buf_1 : memref<?x96xf32>, memref<12x96xf32> -> memref<?x12xf32>
          }
          sched.launch on %s0 {
            prefill.linear %arg0 by %arg15 into %buf_2 : memref<?x96xf32>, memref<96x96xf32> -> memref<?x96xf32>
          }
          sched.launch on %s0 {
            prefill.rms_norm %subview by %arg4 into %buf_3 {eps = 9.9999999999999995E-7 : f64} : memref<?x40xf32, strided<[88, 1]>>, memref<40xf32> -> memref<?x40xf32>
          }
          sched.launch on %s0 {
            prefill.rms_norm %subview_16 by %arg5 into %buf_4 {eps = 9.9999999999999995E-7 : f64} : memref<?x48xf32, strided<[88, 1], offset: 40>>, memref<48xf32> -> memref<?x48xf32>
          }
          sched.launch on %s0 {
            prefill.linear %buf_3 by %arg6 into %buf_5 : memref<?x40xf32>, memref<288x40xf32> -> memref<?x288xf32>
          }
          sched.launch on %s0 {
            prefill.rms_norm %expand_shape into %buf_6 {eps = 9.9999999999999995E-7 : f64} : memref<?x6x48xf32> -> memref<?x6x48xf32>
          }
          sched.launch on %s0 {
            prefill.rope %buf_6 at %arg1 with %arg2 into %buf_7 : memref<?x6x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x6x48xf32>
          }
          sched.launch on %s0 {
            prefill.rope %buf_4 at %arg1 with %arg2 into %buf_8 : memref<?x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x48xf32>
          }
          sched.launch on %s0 {
            prefill.cache_insert %buf_8 at %arg23 into %arg18 : memref<?x48xf32>, memref<?xi64> -> memref<?x?x48xf32>
          }
          sched.launch on %s0 {
            prefill.compress %buf_0 biased %arg11 normed %arg12 at %arg1 with %arg2 state(%arg19 at %arg25 through %arg26 of %arg29) into %arg20 at %arg27 {eps = 9.9999999999999995E-7 : f64, overlap = true, ratio = 4 : i64} : memref<?x192xf32>, memref<4x96xf32>, memref<48xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x192xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x48xf32>
          }
          sched.launch on %s0 {
            prefill.compress %buf_2 biased %arg16 normed %arg17 at %arg1 with %arg2 state(%arg21 at %arg30 through %arg31 of %arg29) into %arg22 at %arg32 {eps = 9.9999999999999995E-7 : f64, overlap = true, ratio = 4 : i64} : memref<?x96xf32>, memref<4x48xf32>, memref<24xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x96xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x24xf32>
          }
          sched.launch on %s0 {
            prefill.linear %buf_3 by %arg13 into %buf_9 : memref<?x40xf32>, memref<288x40xf32> -> memref<?x288xf32>
          }
          sched.launch on %s0 {
            prefill.index_query %expand_shape_17 weighted %buf_1 at %arg1 with %arg2 into %buf_10, %buf_11 {scale = 0.058925565098878967 : f64} : memref<?x12x24xf32>, memref<?x12xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x12x24xf32>, memref<?x12xf32>
          }
        }
        sched.eager "c4a.eager0.serial" {
          sched.launch on %s0 {
            prefill.index_select %buf_10 weighted %buf_11 from %arg22 through %arg33 requests(%arg34, %arg35) into %buf_12 {ratio = 4 : i64} : memref<?x12x24xf32>, memref<?x12xf32>, memref<?x?x24xf32>, memref<?x?xi32>, memref<?xi32>, memref<?xi32> -> memref<?x5xi32>
          }
          sched.launch on %s0 {
            prefill.attend %buf_7 sink %arg7 window(%arg18 through %arg24) compressed(%arg20 through %arg28 : memref<?x?x48xf32>, memref<?x?xi32>) selected(%buf_12 : memref<?x5xi32>) requests(%arg34, %arg35) into %buf_13 {ratio = 4 : i64, scale = 0.14433756729740646 : f64, window = 5 : i64} : memref<?x6x48xf32>, memref<6xf32>, memref<?x?x48xf32>, memref<?x?xi32>, memref<?xi32>, memref<?xi32> -> memref<?x6x48xf32>
          }
        }
        sched.segment "c4a.segment1.serial" {
          sched.launch on %s0 {
            prefill.rope %buf_13 at %arg1 with %arg2 into %buf_14 {inverse = true} : memref<?x6x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x6x48xf32>
          }
          sched.launch on %s0 {
            prefill.grouped_linear %collapse_shape by %arg8 into %buf_15 : memref<?x3x96xf32>, memref<60x96xf32> -> memref<?x3x20xf32>
          }
          sched.launch on %s0 {
            prefill.linear %collapse_shape_19 by %arg9 into %arg36 : memref<?x60xf32>, memref<96x60xf32> -> memref<?x96xf32>
          }
        }
      }
    } {gate}
    return
  }
  func.func @c128a(%arg0: memref<?x96xf32> {prefill.name = "hidden", sched.tokens}, %arg1: memref<?xi64> {prefill.name = "positions", sched.tokens}, %arg2: memref<?x8xf32> {prefill.name = "rope_table", prefill.rope = #prefill.rope<theta = 1.600000e+05 : f64, factor = 1.600000e+01 : f64, beta_fast = 3.200000e+01 : f64, beta_slow = 1.000000e+00 : f64, original_positions = 65536 : i64>}, %arg3: memref<88x96xf32> {prefill.name = "wq_a_wkv", prefill.weight = ["wq_a.weight", "wkv.weight"]}, %arg4: memref<40xf32> {prefill.name = "q_norm", prefill.weight = ["q_norm.weight"]}, %arg5: memref<48xf32> {prefill.name = "kv_norm", prefill.weight = ["kv_norm.weight"]}, %arg6: memref<288x40xf32> {prefill.name = "wq_b", prefill.weight = ["wq_b.weight"]}, %arg7: memref<6xf32> {prefill.name = "attn_sink", prefill.weight = ["attn_sink"]}, %arg8: memref<60x96xf32> {prefill.name = "wo_a", prefill.weight = ["wo_a.weight"]}, %arg9: memref<96x60xf32> {prefill.name = "wo_b", prefill.weight = ["wo_b.weight"]}, %arg10: memref<96x96xf32> {prefill.name = "compressor_wkv_wgate", prefill.weight = ["compressor.wkv.weight", "compressor.wgate.weight"]}, %arg11: memref<16x48xf32> {prefill.name = "compressor_ape", prefill.weight = ["compressor.ape"]}, %arg12: memref<48xf32> {prefill.name = "compressor_norm", prefill.weight = ["compressor.norm.weight"]}, %arg13: memref<?x?x48xf32> {prefill.name = "window_cache"}, %arg14: memref<?x?x96xf32> {prefill.name = "compressor_state"}, %arg15: memref<?x?x48xf32> {prefill.name = "compressed_cache"}, %arg16: memref<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "window_slots", sched.tokens}, %arg17: memref<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "window_table"}, %arg18: memref<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "state_slots", sched.tokens}, %arg19: memref<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "state_table"}, %arg20: memref<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "compressed_slots", sched.tokens}, %arg21: memref<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "compressed_table"}, %arg22: memref<?xi32> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "token_to_request", sched.tokens}, %arg23: memref<?xi32> {prefill.metadata = #prefill.metadata<host>, prefill.name = "query_offsets"}, %arg24: memref<?xi32> {prefill.metadata = #prefill.metadata<host>, prefill.name = "sequence_lengths"}, %arg25: memref<?x96xf32> {prefill.name = "output", sched.tokens}) {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x96xf32>
    sched.dispatch on %dim upto 4096 {
      sched.schedule(%s0, %s1, %s2) tokens(%dim) workspace(#sched.linear<4352, 0>) events(2) {
        %buf = sched.alloc(%dim) at <0, 0> : memref<?x88xf32>
        %buf_0 = sched.alloc(%dim) at <512, 0> : memref<?x96xf32>
        %buf_1 = sched.alloc(%dim) at <1024, 0> : memref<?x40xf32>
        %buf_2 = sched.alloc(%dim) at <1280, 0> : memref<?x48xf32>
        %buf_3 = sched.alloc(%dim) at <1536, 0> : memref<?x288xf32>
        %buf_4 = sched.alloc(%dim) at <3072, 0> : memref<?x6x48xf32>
        %buf_5 = sched.alloc(%dim) at <1536, 0> : memref<?x6x48xf32>
        %buf_6 = sched.alloc(%dim) at <2816, 0> : memref<?x48xf32>
        %buf_7 = sched.alloc(%dim) at <0, 0> : memref<?x6x48xf32>
        %buf_8 = sched.alloc(%dim) at <1536, 0> : memref<?x6x48xf32>
        %buf_9 = sched.alloc(%dim) at <1280, 0> : memref<?x3x20xf32>
        %subview = memref.subview %buf[0, 0] [%dim, 40] [1, 1] : memref<?x88xf32> to memref<?x40xf32, strided<[88, 1]>>
        %subview_10 = memref.subview %buf[0, 40] [%dim, 48] [1, 1] : memref<?x88xf32> to memref<?x48xf32, strided<[88, 1], offset: 40>>
        %expand_shape = memref.expand_shape %buf_3 [[0], [1, 2]] output_shape [%dim, 6, 48] : memref<?x288xf32> into memref<?x6x48xf32>
        %expand_shape_11 = memref.expand_shape %buf_8 [[0], [1, 2], [3]] output_shape [%dim, 3, 2, 48] : memref<?x6x48xf32> into memref<?x3x2x48xf32>
        %collapse_shape = memref.collapse_shape %expand_shape_11 [[0], [1], [2, 3]] : memref<?x3x2x48xf32> into memref<?x3x96xf32>
        %collapse_shape_12 = memref.collapse_shape %buf_9 [[0], [1, 2]] : memref<?x3x20xf32> into memref<?x60xf32>
        sched.segment "c128a.segment0" {
          %e = sched.record on %s0 slot 0
          sched.launch on %s0 {
            prefill.linear %arg0 by %arg3 into %buf : memref<?x96xf32>, memref<88x96xf32> -> memref<?x88xf32>
          }
          %e_13 = sched.record on %s0 slot 1
          sched.wait on %s1 for %e
          sched.launch on %s1 {
            prefill.linear %arg0 by %arg10 into %buf_0 : memref<?x96xf32>, memref<96x96xf32> -> memref<?x96xf32>
          }
          sched.launch on %s0 {
            prefill.rms_norm %subview by %arg4 into %buf_1 {eps = 9.9999999999999995E-7 : f64} : memref<?x40xf32, strided<[88, 1]>>, memref<40xf32> -> memref<?x40xf32>
          }
          sched.wait on %s2 for %e_13
          sched.launch on %s2 {
            prefill.rms_norm %subview_10 by %arg5 into %buf_2 {eps = 9.9999999999999995E-7 : f64} : memref<?x48xf32, strided<[88, 1], offset: 40>>, memref<48xf32> -> memref<?x48xf32>
          }
          sched.launch on %s1 {
            prefill.compress %buf_0 biased %arg11 normed %arg12 at %arg1 with %arg2 state(%arg14 at %arg18 through %arg19 of %arg22) into %arg15 at %arg20 {eps = 9.9999999999999995E-7 : f64, ratio = 16 : i64} : memref<?x96xf32>, memref<16x48xf32>, memref<48xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x96xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x48xf32>
          }
          %e_14 = sched.record on %s1 slot 0
          sched.launch on %s0 {
            prefill.linear %buf_1 by %arg6 into %buf_3 : memref<?x40xf32>, memref<288x40xf32> -> memref<?x288xf32>
          }
          sched.launch on %s2 {
            prefill.rope %buf_2 at %arg1 with %arg2 into %buf_6 : memref<?x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x48xf32>
          }
          sched.launch on %s0 {
            prefill.rms_norm %expand_shape into %buf_4 {eps = 9.9999999999999995E-7 : f64} : memref<?x6x48xf32> -> memref<?x6x48xf32>
          }
          sched.launch on %s2 {
            prefill.cache_insert %buf_6 at %arg16 into %arg13 : memref<?x48xf32>, memref<?xi64> -> memref<?x?x48xf32>
          }
          %e_15 = sched.record on %s2 slot 1
          sched.launch on %s0 {
            prefill.rope %buf_4 at %arg1 with %arg2 into %buf_5 : memref<?x6x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x6x48xf32>
          }
          sched.wait on %s0 for %e_14
          sched.wait on %s0 for %e_15
        }
        sched.eager "c128a.eager0" {
          sched.launch on %s0 {
            prefill.attend %buf_5 sink %arg7 window(%arg13 through %arg17) compressed(%arg15 through %arg21 : memref<?x?x48xf32>, memref<?x?xi32>) requests(%arg23, %arg24) into %buf_7 {ratio = 16 : i64, scale = 0.14433756729740646 : f64, window = 5 : i64} : memref<?x6x48xf32>, memref<6xf32>, memref<?x?x48xf32>, memref<?x?xi32>, memref<?xi32>, memref<?xi32> -> memref<?x6x48xf32>
          }
        }
        sched.segment "c128a.segment1" {
          sched.launch on %s0 {
            prefill.rope %buf_7 at %arg1 with %arg2 into %buf_8 {inverse = true} : memref<?x6x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x6x48xf32>
          }
          sched.launch on %s0 {
            prefill.grouped_linear %collapse_shape by %arg8 into %buf_9 : memref<?x3x96xf32>, memref<60x96xf32> -> memref<?x3x20xf32>
          }
          sched.launch on %s0 {
            prefill.linear %collapse_shape_12 by %arg9 into %arg25 : memref<?x60xf32>, memref<96x60xf32> -> memref<?x96xf32>
          }
        }
      }
    } otherwise {
      sched.schedule(%s0) tokens(%dim) workspace(#sched.linear<4096, 0>) {
        %buf = sched.alloc(%dim) at <0, 0> : memref<?x88xf32>
        %buf_0 = sched.alloc(%dim) at <512, 0> : memref<?x96xf32>
        %buf_1 = sched.alloc(%dim) at <1024, 0> : memref<?x40xf32>
        %buf_2 = sched.alloc(%dim) at <1280, 0> : memref<?x48xf32>
        %buf_3 = sched.alloc(%dim) at <1536, 0> : memref<?x288xf32>
        %buf_4 = sched.alloc(%dim) at <2816, 0> : memref<?x6x48xf32>
        %buf_5 = sched.alloc(%dim) at <1536, 0> : memref<?x6x48xf32>
        %buf_6 = sched.alloc(%dim) at <1024, 0> : memref<?x48xf32>
        %buf_7 = sched.alloc(%dim) at <0, 0> : memref<?x6x48xf32>
        %buf_8 = sched.alloc(%dim) at <1536, 0> : memref<?x6x48xf32>
        %buf_9 = sched.alloc(%dim) at <1280, 0> : memref<?x3x20xf32>
        %subview = memref.subview %buf[0, 0] [%dim, 40] [1, 1] : memref<?x88xf32> to memref<?x40xf32, strided<[88, 1]>>
        %subview_10 = memref.subview %buf[0, 40] [%dim, 48] [1, 1] : memref<?x88xf32> to memref<?x48xf32, strided<[88, 1], offset: 40>>
        %expand_shape = memref.expand_shape %buf_3 [[0], [1, 2]] output_shape [%dim, 6, 48] : memref<?x288xf32> into memref<?x6x48xf32>
        %expand_shape_11 = memref.expand_shape %buf_8 [[0], [1, 2], [3]] output_shape [%dim, 3, 2, 48] : memref<?x6x48xf32> into memref<?x3x2x48xf32>
        %collapse_shape = memref.collapse_shape %expand_shape_11 [[0], [1], [2, 3]] : memref<?x3x2x48xf32> into memref<?x3x96xf32>
        %collapse_shape_12 = memref.collapse_shape %buf_9 [[0], [1, 2]] : memref<?x3x20xf32> into memref<?x60xf32>
        sched.segment "c128a.segment0.serial" {
          sched.launch on %s0 {
            prefill.linear %arg0 by %arg3 into %buf : memref<?x96xf32>, memref<88x96xf32> -> memref<?x88xf32>
          }
          sched.launch on %s0 {
            prefill.linear %arg0 by %arg10 into %buf_0 : memref<?x96xf32>, memref<96x96xf32> -> memref<?x96xf32>
          }
          sched.launch on %s0 {
            prefill.rms_norm %subview by %arg4 into %buf_1 {eps = 9.9999999999999995E-7 : f64} : memref<?x40xf32, strided<[88, 1]>>, memref<40xf32> -> memref<?x40xf32>
          }
          sched.launch on %s0 {
            prefill.rms_norm %subview_10 by %arg5 into %buf_2 {eps = 9.9999999999999995E-7 : f64} : memref<?x48xf32, strided<[88, 1], offset: 40>>, memref<48xf32> -> memref<?x48xf32>
          }
          sched.launch on %s0 {
            prefill.linear %buf_1 by %arg6 into %buf_3 : memref<?x40xf32>, memref<288x40xf32> -> memref<?x288xf32>
          }
          sched.launch on %s0 {
            prefill.rms_norm %expand_shape into %buf_4 {eps = 9.9999999999999995E-7 : f64} : memref<?x6x48xf32> -> memref<?x6x48xf32>
          }
          sched.launch on %s0 {
            prefill.rope %buf_4 at %arg1 with %arg2 into %buf_5 : memref<?x6x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x6x48xf32>
          }
          sched.launch on %s0 {
            prefill.rope %buf_2 at %arg1 with %arg2 into %buf_6 : memref<?x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x48xf32>
          }
          sched.launch on %s0 {
            prefill.cache_insert %buf_6 at %arg16 into %arg13 : memref<?x48xf32>, memref<?xi64> -> memref<?x?x48xf32>
          }
          sched.launch on %s0 {
            prefill.compress %buf_0 biased %arg11 normed %arg12 at %arg1 with %arg2 state(%arg14 at %arg18 through %arg19 of %arg22) into %arg15 at %arg20 {eps = 9.9999999999999995E-7 : f64, ratio = 16 : i64} : memref<?x96xf32>, memref<16x48xf32>, memref<48xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x96xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x48xf32>
          }
        }
        sched.eager "c128a.eager0.serial" {
          sched.launch on %s0 {
            prefill.attend %buf_5 sink %arg7 window(%arg13 through %arg17) compressed(%arg15 through %arg21 : memref<?x?x48xf32>, memref<?x?xi32>) requests(%arg23, %arg24) into %buf_7 {ratio = 16 : i64, scale = 0.14433756729740646 : f64, window = 5 : i64} : memref<?x6x48xf32>, memref<6xf32>, memref<?x?x48xf32>, memref<?x?xi32>, memref<?xi32>, memref<?xi32> -> memref<?x6x48xf32>
          }
        }
        sched.segment "c128a.segment1.serial" {
          sched.launch on %s0 {
            prefill.rope %buf_7 at %arg1 with %arg2 into %buf_8 {inverse = true} : memref<?x6x48xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x6x48xf32>
          }
          sched.launch on %s0 {
            prefill.grouped_linear %collapse_shape by %arg8 into %buf_9 : memref<?x3x96xf32>, memref<60x96xf32> -> memref<?x3x20xf32>
          }
          sched.launch on %s0 {
            prefill.linear %collapse_shape_12 by %arg9 into %arg25 : memref<?x60xf32>, memref<96x60xf32> -> memref<?x96xf32>
          }
        }
      }
    } {gate}
    return
  }
}

