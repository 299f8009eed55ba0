//===- PrefillDialect.td - The prefill dialect ---------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines the dialect itself. Include order, which must stay free of cycles:
// Dialect <- Base <- Attrs <- Ops.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_PREFILL_IR_PREFILLDIALECT_TD
#define BRAID_DIALECT_PREFILL_IR_PREFILLDIALECT_TD

include "mlir/IR/OpBase.td"

def Prefill_Dialect : Dialect {
  let name = "prefill";
  let cppNamespace = "::braid::prefill";
  let summary = "What an attention layer computes";
  let description = [{
    The `prefill` dialect says *what* an attention prefill layer computes, at
    the granularity at which engines have kernels. It has no streams and no
    order beyond that of values and memory.

    **Destination style.** Each op writes into its `into` operands. On tensors
    it returns them as results; on buffers it has no results.

    **Caches** are memref arguments that ops read and write in place, on tensors
    too. Paged caches have the shape [blocks, block size, row]; flat slot `s` is
    row `s % block size` of block `s / block size`.

    **Packed rows.** A cache of i8 holds rows in fp8, [blocks, block size, bytes]:

    | row of D channels | bytes of values | bytes of scales |
    |---|---|---|
    | latent, `fp8_channels` = n | n e4m3, then D - n bf16 | one e8m0 for each 64 of the n, filled up to a multiple of 8 |
    | index | D e4m3 | one f32 |

    Scales are powers of two, 2^ceil(log2(max(|x|, 1e-4) / 448)), and values are
    rounded to bf16 before they are quantized. In a block the values of all rows
    come first, then the scales of all rows. With D = 512 and n = 448 a latent row
    has 584 bytes, with D = 128 an index row has 132. Blocks may be farther apart
    than they need to be: the type's outer stride is dynamic.

    **Tokens.** T is the (padded) token count of a call, the leading extent of
    most operands, and dynamic everywhere.

    **Requests.** A call carries R requests, whose tokens lie behind each other.
    `query_offsets` [R+1] says where each begins, `sequence_lengths` [R] how long
    each is with its history. Tokens from `query_offsets[R]` on are padding:
    they stay finite and touch no cache.

    **Attributes of function arguments**

    | attribute | meaning |
    |---|---|
    | `prefill.name` | name of the argument in headers, tools and messages |
    | `prefill.metadata` | `#prefill.metadata<...>`: attention metadata, not an ordinary input |
    | `prefill.weight` | names of the checkpoint tensors, relative to the layer, whose rows follow each other in this argument |
    | `prefill.rope` | `#prefill.rope<...>`: a table of cosines and sines, and how it is computed |
    | `sched.tokens` | the leading extent is T |
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::braid::sched::SchedDialect",
                           "::mlir::memref::MemRefDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();

    static constexpr ::llvm::StringLiteral getNameAttrName() {
      return "prefill.name";
    }
    static constexpr ::llvm::StringLiteral getMetadataAttrName() {
      return "prefill.metadata";
    }
    static constexpr ::llvm::StringLiteral getWeightAttrName() {
      return "prefill.weight";
    }
    static constexpr ::llvm::StringLiteral getRopeAttrName() {
      return "prefill.rope";
    }
  }];
}

#endif // BRAID_DIALECT_PREFILL_IR_PREFILLDIALECT_TD
