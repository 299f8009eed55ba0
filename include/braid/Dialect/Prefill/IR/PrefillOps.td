//===- PrefillOps.td - Operations of the prefill dialect ---------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of an attention prefill layer. Operand names, order and shapes are the
// kernels' interface too: the runtime passes the same operands in the same order.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_PREFILL_IR_PREFILLOPS_TD
#define BRAID_DIALECT_PREFILL_IR_PREFILLOPS_TD

include "braid/Dialect/Prefill/IR/PrefillBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

//===----------------------------------------------------------------------===//
// Dense ops
//===----------------------------------------------------------------------===//

def Prefill_LinearOp : Prefill_DpsOp<"linear", "GraphSafe",
    ["getCost", "getKernelOperands"], [AttrSizedOperandSegments]> {
  let summary = "y = x . W^T";
  let description = [{
    x is [T, K], the weight [N, K] as checkpoints store it, y [T, N]. Element
    types: f32 into f32; bf16 into bf16 or f32; f8E4M3FN into bf16 or f32, then
    both operands are scaled.

    Scales are per tensor (shape [1], f32) or per block: [T, K/128] f32 for x,
    [N/128, K/128] for the weight, in f32 or f8E8M0FNU, extents rounded up.

    ```
    %y = prefill.linear %x by %w into %init
        : tensor<?x4096xf32>, tensor<1536x4096xf32> -> tensor<?x1536xf32>
    ```
  }];
  let arguments = (ins Prefill_Array:$x, Prefill_Array:$weight,
                       Optional<Prefill_Array>:$x_scale,
                       Optional<Prefill_Array>:$weight_scale,
                       Prefill_Array:$y);
  let assemblyFormat = [{
    $x `by` $weight
    (`scaled` `(` $x_scale^ `,` $weight_scale `:` type($x_scale) `,`
     type($weight_scale) `)`)?
    `into` $y attr-dict `:` type($x) `,` type($weight) `->` type($y)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }
  }];
}

def Prefill_GroupedLinearOp : Prefill_DpsOp<"grouped_linear", "GraphSafe",
    ["getCost", "getKernelOperands"], [AttrSizedOperandSegments]> {
  let summary = "y[:, g] = x[:, g] . W_g^T for each group g";
  let description = [{
    x is [T, G, K], y [T, G, N], the weight [G * N, K]: the groups' weights below
    each other. Element types and scales as for `linear`, with x scales
    [T, G, K/128] and weight scales [G * N/128, K/128].
  }];
  let arguments = (ins Prefill_Array:$x, Prefill_Array:$weight,
                       Optional<Prefill_Array>:$x_scale,
                       Optional<Prefill_Array>:$weight_scale,
                       Prefill_Array:$y);
  let assemblyFormat = [{
    $x `by` $weight
    (`scaled` `(` $x_scale^ `,` $weight_scale `:` type($x_scale) `,`
     type($weight_scale) `)`)?
    `into` $y attr-dict `:` type($x) `,` type($weight) `->` type($y)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }
  }];
}

def Prefill_QuantizeOp : Prefill_DpsOp<"quantize", "GraphSafe", ["getCost"],
    [], ["values", "scales"]> {
  let summary = "block quantization to fp8 with power-of-two scales";
  let description = [{
    For each block of `block` neighbours along the last dimension: the scale is
    2^ceil(log2(max(|x|, 1e-4) / 448)), values are x / scale rounded to
    f8E4M3FN. x is [..., K] in f32 or bf16, values have its shape, scales are
    [..., K / block] (rounded up) in f32 or f8E8M0FNU.
  }];
  let arguments = (ins Prefill_Array:$x, Prefill_Array:$values,
                       Prefill_Array:$scales,
                       ConfinedAttr<I64Attr, [IntPositive]>:$block);
  let assemblyFormat = [{
    $x `into` $values `,` $scales attr-dict `:` type($x) `->` type($values) `,`
    type($scales)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(*this, 1, 2);
    }
  }];
}

def Prefill_RmsNormOp : Prefill_DpsOp<"rms_norm", "GraphSafe",
    ["getCost", "getKernelOperands"]> {
  let summary = "root-mean-square normalization over the last dimension";
  let description = [{
    y = x / sqrt(mean(x^2) + eps) * weight, accumulated in f32. x is [T, D] or
    [T, heads, D]; the weight [D] may be absent.
  }];
  let arguments = (ins Prefill_Array:$x, Optional<Prefill_Array>:$weight,
                       Prefill_Array:$y, F64Attr:$eps);
  let assemblyFormat = [{
    $x (`by` $weight^)? `into` $y attr-dict `:` type($x) (`,` type($weight)^)?
    `->` type($y)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }
  }];
}

def Prefill_RopeOp : Prefill_DpsOp<"rope", "GraphSafe", ["getCost"]> {
  let summary = "rotary position embedding of the last channels";
  let description = [{
    Rotates pairs (2i, 2i+1) of the last r channels by the angle at the token's
    position; the channels before them are copied. x is [T, D] or [T, heads, D],
    positions [T] i64, the table [positions, r] f32: r/2 cosines, then r/2
    sines. `inverse` rotates back.
  }];
  let arguments = (ins Prefill_Array:$x, Prefill_Array:$positions,
                       Prefill_Array:$table, Prefill_Array:$y,
                       DefaultValuedAttr<BoolAttr, "false">:$inverse);
  let assemblyFormat = [{
    $x `at` $positions `with` $table `into` $y attr-dict `:` type($x) `,`
    type($positions) `,` type($table) `->` type($y)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }
  }];
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

def Prefill_CacheInsertOp : Prefill_Op<"cache_insert", "DeviceMetadata",
    ["getAccess", "getCost"]> {
  let summary = "write rows into a paged cache";
  let description = [{
    Row t of `rows` [T, D] goes to flat slot `slots[t]` (i64) of the cache
    [blocks, block size, D]. Slot -1 writes nothing.

    A cache of i8 holds packed rows: latent rows with `fp8_channels`, index rows
    without.
  }];
  let arguments = (ins Prefill_Array:$rows, Prefill_Array:$slots,
                       Prefill_Cache:$cache,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$fp8_channels);
  let assemblyFormat = [{
    $rows `at` $slots `into` $cache attr-dict `:` type($rows) `,` type($slots)
    `->` type($cache)
  }];
}

def Prefill_CompressOp : Prefill_Op<"compress", "DeviceMetadata",
    ["getAccess", "getCost"]> {
  let summary = "pool windows of tokens into entries of a compressed cache";
  let description = [{
    `kv_score` [T, 2C] f32 holds values in its first and scores in its last C
    channels; C = D, or 2D with `overlap`. The score gets the bias
    [ratio, C] of the token's position modulo `ratio`. Value and score of token
    t are kept in the state, flat slot `state_slots[t]` of [blocks, block size,
    2C] f32 (-1: not kept).

    A token that closes a window, (p + 1) % ratio = 0, makes an entry: a softmax
    over the window's scores, channel by channel, weights its values; with
    `overlap` the window before takes part with channels [0, D) while the
    current one uses [D, 2D). The entry is normalized with `weight` [D] and
    `eps`, rotated for the position where its window starts, and stored in flat
    slot `slots[t]` of the cache [blocks, block size, D] (-1: not stored). A
    cache of i8 holds packed rows: latent rows with `fp8_channels`, index rows
    without.

    Rows of earlier calls come from the state: position q of request r =
    `token_to_request[t]` is in block `state_table[r, q / block size]`.
    Source: DeepSeek-V4, equations 9-12 and 20-23.
  }];
  let arguments = (ins Prefill_Array:$kv_score, Prefill_Array:$bias,
                       Prefill_Array:$weight, Prefill_Array:$positions,
                       Prefill_Array:$table, Prefill_Array:$state_slots,
                       Prefill_Array:$state_table,
                       Prefill_Array:$token_to_request, Prefill_Array:$slots,
                       Prefill_Cache:$state, Prefill_Cache:$cache,
                       ConfinedAttr<I64Attr, [IntMinValue<2>]>:$ratio,
                       DefaultValuedAttr<BoolAttr, "false">:$overlap,
                       F64Attr:$eps,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$fp8_channels);
  let assemblyFormat = [{
    $kv_score `biased` $bias `normed` $weight `at` $positions `with` $table
    `state` `(` $state `at` $state_slots `through` $state_table `of`
    $token_to_request `)` `into` $cache `at` $slots attr-dict `:`
    type($kv_score) `,` type($bias) `,` type($weight) `,` type($positions) `,`
    type($table) `,` type($state) `,` type($state_slots) `,`
    type($state_table) `,` type($token_to_request) `,` type($slots) `->`
    type($cache)
  }];
}

//===----------------------------------------------------------------------===//
// Sparse attention
//===----------------------------------------------------------------------===//

def Prefill_IndexQueryOp : Prefill_DpsOp<"index_query", "GraphSafe",
    ["getCost"], [], ["qOut", "wOut"]> {
  let summary = "rotate the indexer's queries and scale its head weights";
  let description = [{
    q [T, heads, D] is rotated on its last channels as by `rope`; if `q_out` is
    f8E4M3FN it is rounded to bf16 and quantized per token and head. w [T, heads] is multiplied by
    `scale` (D^-0.5 heads^-0.5) and, when q was quantized, by q's scale; `w_out`
    is f32.
  }];
  let arguments = (ins Prefill_Array:$q, Prefill_Array:$w,
                       Prefill_Array:$positions, Prefill_Array:$table,
                       Prefill_Array:$q_out, Prefill_Array:$w_out,
                       F64Attr:$scale);
  let assemblyFormat = [{
    $q `weighted` $w `at` $positions `with` $table `into` $q_out `,` $w_out
    attr-dict `:` type($q) `,` type($w) `,` type($positions) `,` type($table)
    `->` type($q_out) `,` type($w_out)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(*this, 4, 2);
    }
  }];
}

def Prefill_IndexSelectOp : Prefill_DpsOp<"index_select", "HostMetadata",
    ["getCost", "isHostOperand"], [], ["selected"]> {
  let summary = "choose the compressed entries that each token attends to";
  let description = [{
    Scores every entry e < (p + 1) / ratio of the token's request: the sum over
    heads of w * relu(q . key), keys from the paged cache [blocks, block size,
    D] through `block_table` [R, columns]; a cache of i8 holds index rows. Writes the min(k, available) best to
    `selected` [T, k] i32, in ascending order and counted within the request,
    then -1. The host reads `query_offsets` and `sequence_lengths`.
  }];
  let arguments = (ins Prefill_Array:$q, Prefill_Array:$w,
                       Prefill_Cache:$cache, Prefill_Array:$block_table,
                       Prefill_Array:$query_offsets,
                       Prefill_Array:$sequence_lengths,
                       Prefill_Array:$selected,
                       ConfinedAttr<I64Attr, [IntPositive]>:$ratio);
  let assemblyFormat = [{
    $q `weighted` $w `from` $cache `through` $block_table `requests` `(`
    $query_offsets `,` $sequence_lengths `)` `into` $selected attr-dict `:`
    type($q) `,` type($w) `,` type($cache) `,` type($block_table) `,`
    type($query_offsets) `,` type($sequence_lengths) `->` type($selected)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getSelectedMutable();
    }
  }];
}

def Prefill_AttendOp : Prefill_DpsOp<"attend", "HostMetadata",
    ["getCost", "isHostOperand", "getKernelOperands"],
    [AttrSizedOperandSegments]> {
  let summary = "sparse multi-query attention with a sink";
  let description = [{
    q is [T, heads, D]. Each token attends to the last `window` positions of its
    request, from the window cache, and to compressed entries: those named by
    `selected` [T, k] i32, or all e < (p + 1) / ratio if it is absent, or none if
    there is no compressed cache (`ratio` is 0 then). A cached row is key and
    value for all heads. Caches are [blocks, block size, D], with block tables
    [R, columns] i32. `sink` [heads] f32 adds exp(sink) to the denominator;
    `scale` multiplies the scores. y has q's shape. Caches of i8 hold packed
    rows with `fp8_channels` in fp8.

    The host reads `query_offsets` and `sequence_lengths`.
  }];
  let arguments = (ins Prefill_Array:$q, Prefill_Array:$sink,
                       Prefill_Cache:$window_cache, Prefill_Array:$window_table,
                       Optional<Prefill_Cache>:$compressed_cache,
                       Optional<Prefill_Array>:$compressed_table,
                       Optional<Prefill_Array>:$selected,
                       Prefill_Array:$query_offsets,
                       Prefill_Array:$sequence_lengths, Prefill_Array:$y,
                       F64Attr:$scale,
                       ConfinedAttr<I64Attr, [IntPositive]>:$window,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$ratio,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$fp8_channels);
  let assemblyFormat = [{
    $q `sink` $sink `window` `(` $window_cache `through` $window_table `)`
    (`compressed` `(` $compressed_cache^ `through` $compressed_table `:`
      type($compressed_cache) `,` type($compressed_table) `)`)?
    (`selected` `(` $selected^ `:` type($selected) `)`)?
    `requests` `(` $query_offsets `,` $sequence_lengths `)` `into` $y attr-dict
    `:` type($q) `,` type($sink) `,` type($window_cache) `,`
    type($window_table) `,` type($query_offsets) `,` type($sequence_lengths)
    `->` type($y)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }
  }];
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

def Prefill_AllReduceOp : Prefill_DpsOp<"all_reduce", "GraphSafe",
    ["getCost"]> {
  let summary = "sum over the ranks of a communicator";
  let description = [{
    y is the sum of x over all ranks. Writes to its communicator, so two of them
    keep their order and none is erased.
  }];
  // Its effects are not only those of its operands.
  let extraClassDefinition = sharedDefinition # inferDefinition;
  let arguments = (ins Prefill_Array:$x, Prefill_Array:$y,
                       StrAttr:$communicator);
  let assemblyFormat = [{
    $x `over` $communicator `into` $y attr-dict `:` type($x) `->` type($y)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }
  }];
}

def Prefill_PackOp : Prefill_DpsOp<"pack", "Init", ["getCost"]> {
  let summary = "lay weights out below each other, once at load";
  let description = [{
    Copies the inputs [N_i, K] into y [sum of N_i, K]. Allowed in init functions
    only, never in a layer.
  }];
  let arguments = (ins Variadic<Prefill_Array>:$inputs, Prefill_Array:$y);
  let assemblyFormat = [{
    $inputs `into` $y attr-dict `:` type($inputs) `->` type($y)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }
  }];
}

def Prefill_KernelOp : Op<Prefill_Dialect, "kernel", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SchedulableOpInterface,
        ["getEffectClass", "getAccess", "getCost", "getKernelName"]>]> {
  let summary = "a kernel that the engine registers";
  let description = [{
    Calls the kernel registered under the symbol's name with the operands in
    order: inputs, caches, inits. Inputs are read. `cache_access` says for each
    cache how it is touched. Inits are written; they are returned as results
    when they are tensors. `effect` is the op's effect class; `flops_per_token`
    and `bytes_per_token` feed the cost model. Integer and float attributes, those
    two included, reach the kernel as parameters.

    ```
    %o = prefill.kernel @flash_mla ins(%q, %n : tensor<?x64xf32>, tensor<2xi32>)
        caches(%c : memref<?x64x64xf32>) outs(%init : tensor<?x64xf32>)
        {cache_access = [#sched.access<read>],
         effect = #sched.effect_class<host_metadata>} -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
      Variadic<Prefill_Array>:$inputs, Variadic<Prefill_Cache>:$caches,
      Variadic<Prefill_Array>:$inits,
      OptionalAttr<TypedArrayAttrBase<Sched_AccessAttr, "access kinds">>:$cache_access,
      Sched_EffectClassAttr:$effect,
      OptionalAttr<F64Attr>:$flops_per_token,
      OptionalAttr<F64Attr>:$bytes_per_token);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $callee (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`caches` `(` $caches^ `:` type($caches) `)`)?
    (`outs` `(` $inits^ `:` type($inits) `)`)?
    attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
  }];
}

def Prefill_EagerOp : Op<Prefill_Dialect, "eager", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">,
    NoRegionArguments, EagerRegionOpInterface]> {
  let summary = "a region that runs outside any CUDA graph";
  let description = [{
    What the author of the layer placed in an eager break. Values it yields are
    the op's results.

    ```
    %y = prefill.eager -> tensor<?x64xf32> {
      ...
      prefill.yield %z : tensor<?x64xf32>
    }
    ```
  }];
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`->` type($results)^)? attr-dict-with-keyword $body
  }];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def Prefill_YieldOp : Op<Prefill_Dialect, "yield",
    [Pure, Terminator, ReturnLike, HasParent<"EagerOp">]> {
  let summary = "end of an eager region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins),
      [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def Prefill_LayerOp : Op<Prefill_Dialect, "layer",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "says which function a layer of the model uses";
  let description = [{
    ```
    prefill.layer 2 uses @c4a
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$index,
                       FlatSymbolRefAttr:$function);
  let assemblyFormat = "$index `uses` $function attr-dict";
}

#endif // BRAID_DIALECT_PREFILL_IR_PREFILLOPS_TD
