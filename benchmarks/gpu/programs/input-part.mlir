// The input part of a C4A layer in fp8, as braid-import writes it with
// --eager=wide, up to the ops that read the caches. In the place of those stands
// a kernel that the caller registers. It reads host metadata, so it stays in an
// eager region also when all others are moved out.
func.func @input(
    %hidden: tensor<?x${H}xbf16> {prefill.name = "hidden", sched.tokens},
    %positions: tensor<?xi64> {prefill.name = "positions", sched.tokens},
    %rope_table: tensor<?x64xf32> {prefill.name = "rope_table"},
    %wq_a_wkv: tensor<${A}x${H}xf8E4M3FN> {prefill.name = "wq_a_wkv"},
    %wq_a_wkv_scale: tensor<${AB}x${HB}xf8E8M0FNU> {prefill.name = "wq_a_wkv_scale"},
    %q_norm: tensor<${Q}xbf16> {prefill.name = "q_norm"},
    %kv_norm: tensor<512xbf16> {prefill.name = "kv_norm"},
    %wq_b: tensor<${W}x${Q}xf8E4M3FN> {prefill.name = "wq_b"},
    %wq_b_scale: tensor<${WB}x${QB}xf8E8M0FNU> {prefill.name = "wq_b_scale"},
    %compressor: tensor<2048x${H}xbf16> {prefill.name = "compressor"},
    %indexer_wq_b: tensor<${I}x${Q}xf8E4M3FN> {prefill.name = "indexer_wq_b"},
    %indexer_wq_b_scale: tensor<${IB}x${QB}xf8E8M0FNU> {prefill.name = "indexer_wq_b_scale"},
    %indexer_weights: tensor<64x${H}xbf16> {prefill.name = "indexer_weights"},
    %indexer_compressor: tensor<512x${H}xbf16> {prefill.name = "indexer_compressor"},
    %window_cache: memref<?x?x512xbf16> {prefill.name = "window_cache"},
    %window_slots: tensor<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, prefill.name = "window_slots", sched.tokens},
    %sequence_lengths: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>, prefill.name = "sequence_lengths"},
    %q: tensor<?x${HEADS}x512xbf16> {bufferization.writable = true, prefill.name = "q", sched.tokens},
    %index_q: tensor<?x${I}xbf16> {bufferization.writable = true, prefill.name = "index_q", sched.tokens},
    %compressed: tensor<?x2048xf32> {bufferization.writable = true, prefill.name = "compressed", sched.tokens},
    %index_weights: tensor<?x64xbf16> {bufferization.writable = true, prefill.name = "index_weights", sched.tokens},
    %index_compressed: tensor<?x512xf32> {bufferization.writable = true, prefill.name = "index_compressed", sched.tokens},
    %attended: tensor<1xf32> {bufferization.writable = true, prefill.name = "attended"})
    -> (tensor<?x${HEADS}x512xbf16>, tensor<?x${I}xbf16>, tensor<?x2048xf32>,
        tensor<?x64xbf16>, tensor<?x512xf32>, tensor<1xf32>) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %hidden, %c0 : tensor<?x${H}xbf16>
  %out:6 = prefill.eager -> tensor<?x${HEADS}x512xbf16>, tensor<?x${I}xbf16>,
      tensor<?x2048xf32>, tensor<?x64xbf16>, tensor<?x512xf32>, tensor<1xf32> {
    %1 = tensor.empty(%t) : tensor<?x${H}xf8E4M3FN>
    %2 = tensor.empty(%t) : tensor<?x${HB}xf32>
    %x:2 = prefill.quantize %hidden into %1, %2 {block = 128 : i64}
        : tensor<?x${H}xbf16> -> tensor<?x${H}xf8E4M3FN>, tensor<?x${HB}xf32>
    %3 = tensor.empty(%t) : tensor<?x${A}xbf16>
    %a = prefill.linear %x#0 by %wq_a_wkv scaled(%x#1, %wq_a_wkv_scale : tensor<?x${HB}xf32>, tensor<${AB}x${HB}xf8E8M0FNU>) into %3
        : tensor<?x${H}xf8E4M3FN>, tensor<${A}x${H}xf8E4M3FN> -> tensor<?x${A}xbf16>
    %b = prefill.linear %hidden by %compressor into %compressed
        : tensor<?x${H}xbf16>, tensor<2048x${H}xbf16> -> tensor<?x2048xf32>
    %c = prefill.linear %hidden by %indexer_weights into %index_weights
        : tensor<?x${H}xbf16>, tensor<64x${H}xbf16> -> tensor<?x64xbf16>
    %d = prefill.linear %hidden by %indexer_compressor into %index_compressed
        : tensor<?x${H}xbf16>, tensor<512x${H}xbf16> -> tensor<?x512xf32>
    %q_slice = tensor.extract_slice %a[0, 0] [%t, ${Q}] [1, 1] : tensor<?x${A}xbf16> to tensor<?x${Q}xbf16>
    %8 = tensor.empty(%t) : tensor<?x${Q}xbf16>
    %q_normed = prefill.rms_norm %q_slice by %q_norm into %8 {eps = 1.0e-6 : f64}
        : tensor<?x${Q}xbf16>, tensor<${Q}xbf16> -> tensor<?x${Q}xbf16>
    %kv_slice = tensor.extract_slice %a[0, ${Q}] [%t, 512] [1, 1] : tensor<?x${A}xbf16> to tensor<?x512xbf16>
    %9 = tensor.empty(%t) : tensor<?x512xbf16>
    %kv_normed = prefill.rms_norm %kv_slice by %kv_norm into %9 {eps = 1.0e-6 : f64}
        : tensor<?x512xbf16>, tensor<512xbf16> -> tensor<?x512xbf16>
    %10 = tensor.empty(%t) : tensor<?x${Q}xf8E4M3FN>
    %11 = tensor.empty(%t) : tensor<?x${QB}xf32>
    %z:2 = prefill.quantize %q_normed into %10, %11 {block = 128 : i64}
        : tensor<?x${Q}xbf16> -> tensor<?x${Q}xf8E4M3FN>, tensor<?x${QB}xf32>
    %13 = tensor.empty(%t) : tensor<?x${W}xbf16>
    %projected = prefill.linear %z#0 by %wq_b scaled(%z#1, %wq_b_scale : tensor<?x${QB}xf32>, tensor<${WB}x${QB}xf8E8M0FNU>) into %13
        : tensor<?x${Q}xf8E4M3FN>, tensor<${W}x${Q}xf8E4M3FN> -> tensor<?x${W}xbf16>
    %heads = tensor.expand_shape %projected [[0], [1, 2]] output_shape [%t, ${HEADS}, 512] : tensor<?x${W}xbf16> into tensor<?x${HEADS}x512xbf16>
    %14 = tensor.empty(%t) : tensor<?x${HEADS}x512xbf16>
    %heads_normed = prefill.rms_norm %heads into %14 {eps = 1.0e-6 : f64}
        : tensor<?x${HEADS}x512xbf16> -> tensor<?x${HEADS}x512xbf16>
    %q_rope = prefill.rope %heads_normed at %positions with %rope_table into %q
        : tensor<?x${HEADS}x512xbf16>, tensor<?xi64>, tensor<?x64xf32> -> tensor<?x${HEADS}x512xbf16>
    %16 = tensor.empty(%t) : tensor<?x512xbf16>
    %kv_rope = prefill.rope %kv_normed at %positions with %rope_table into %16
        : tensor<?x512xbf16>, tensor<?xi64>, tensor<?x64xf32> -> tensor<?x512xbf16>
    prefill.cache_insert %kv_rope at %window_slots into %window_cache
        : tensor<?x512xbf16>, tensor<?xi64> -> memref<?x?x512xbf16>
    %index_query = prefill.linear %z#0 by %indexer_wq_b scaled(%z#1, %indexer_wq_b_scale : tensor<?x${QB}xf32>, tensor<${IB}x${QB}xf8E8M0FNU>) into %index_q
        : tensor<?x${Q}xf8E4M3FN>, tensor<${I}x${Q}xf8E4M3FN> -> tensor<?x${I}xbf16>
    %o = prefill.kernel @attention_stand_in ins(%q_rope, %index_query, %sequence_lengths : tensor<?x${HEADS}x512xbf16>, tensor<?x${I}xbf16>, tensor<?xi32>)
        caches(%window_cache : memref<?x?x512xbf16>) outs(%attended : tensor<1xf32>)
        {cache_access = [#sched.access<read>], effect = #sched.effect_class<host_metadata>} -> tensor<1xf32>
    prefill.yield %q_rope, %index_query, %b, %c, %d, %o : tensor<?x${HEADS}x512xbf16>, tensor<?x${I}xbf16>,
        tensor<?x2048xf32>, tensor<?x64xbf16>, tensor<?x512xf32>, tensor<1xf32>
  }
  return %out#0, %out#1, %out#2, %out#3, %out#4, %out#5 : tensor<?x${HEADS}x512xbf16>,
      tensor<?x${I}xbf16>, tensor<?x2048xf32>, tensor<?x64xbf16>, tensor<?x512xf32>, tensor<1xf32>
}
