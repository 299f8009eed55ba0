//===- ModelConfig.h - A model's config.json --------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what the attention layers need to know from a model's config.json. The
// file is checked completely and nothing is defaulted: a field that is missing,
// of the wrong type, out of range, or at odds with another one is an error that
// names it. Code that receives a ModelConfig can rely on every rule stated
// here.
//
// Field names in quotes are those of config.json. Two things have two
// spellings each; if both are there, they must agree:
//  * the layers' kinds: "compress_ratios" as published, or "layer_types" with
//    "compress_rates";
//  * rope: "rope_theta", "compress_rope_theta" and "rope_scaling" as published,
//    or "rope_parameters" with "main" and "compress".
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_IMPORT_MODELCONFIG_H
#define BRAID_IMPORT_MODELCONFIG_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace braid {

/// What a layer attends to besides its window of recent positions.
enum class LayerKind {
  /// Nothing. Ratio 0 or 1, "sliding_attention".
  SlidingWindow,
  /// A selection of entries, each pooled from overlapping windows. Ratio 4,
  /// "compressed_sparse_attention".
  CompressedSparse,
  /// All entries, each pooled from one window. Ratio 128,
  /// "heavily_compressed_attention".
  HeavilyCompressed
};

/// Name of the compiled function: "swa", "c4a" or "c128a", whatever the ratios
/// of the model at hand are.
llvm::StringRef getLayerKindName(LayerKind kind);

/// Rotary position embedding of the last `dims` channels.
struct RopeConfig {
  /// Channels that are rotated, even and positive; "qk_rope_head_dim".
  int64_t dims = 0;
  /// Base of the frequencies theta^(-2i/dims), greater than 1.
  double theta = 0;
  /// YaRN's stretch, at least 1; 1 is plain rope, and the fields below are 0
  /// then unless the file says otherwise.
  double factor = 1;
  /// Turns over `originalPositions` from which a frequency is kept, and below
  /// which it is divided by `factor`: betaFast > betaSlow > 0.
  double betaFast = 0, betaSlow = 0;
  /// Positions of the training before the stretch;
  /// "original_max_position_embeddings".
  int64_t originalPositions = 0;
};

/// How fp8 (e4m3) weights are stored; "quantization_config".
struct QuantizationConfig {
  /// Rows and columns of a weight that share a scale; "weight_block_size".
  int64_t blockRows = 0, blockColumns = 0;
  /// Whether scales are powers of two ("scale_fmt" ue8m0) or f32 (no
  /// "scale_fmt").
  bool powerOfTwoScales = false;
};

/// A model's attention layers. Dimensions are from 1 to 2^20, so that products
/// of three of them fit 64 bits.
struct ModelConfig {
  /// "model_type", one of getSupportedModelTypes().
  std::string modelType;
  /// Channels of the hidden states; "hidden_size".
  int64_t hiddenSize = 0;
  /// Layers without draft layers, at most 10000; "num_hidden_layers".
  int64_t numLayers = 0;
  /// Query heads, a multiple of oGroups; "num_attention_heads". There is one
  /// head for keys and values.
  int64_t numHeads = 0;
  /// Channels of a head, at least ropeDims; "head_dim".
  int64_t headDim = 0;
  /// Channels of a head that are rotated, even; "qk_rope_head_dim".
  int64_t ropeDims = 0;
  /// Rank of the query projection; "q_lora_rank".
  int64_t qLoraRank = 0;
  /// Groups of heads in the output projection; "o_groups".
  int64_t oGroups = 0;
  /// Rank of the output projection, per group; "o_lora_rank".
  int64_t oLoraRank = 0;
  /// Positions in the window, the query's own included, at most 2^31;
  /// "sliding_window".
  int64_t slidingWindow = 0;

  /// The indexer of compressed-sparse layers: its heads, their channels (at
  /// least ropeDims) and the entries it selects; "index_n_heads",
  /// "index_head_dim", "index_topk". All 0 when no such layer occurs.
  int64_t indexHeads = 0, indexHeadDim = 0, indexTopK = 0;

  /// Positions per entry of compressed-sparse and of heavily compressed layers,
  /// at least 2; 0 when the kind does not occur. 4 and 128 with
  /// "compress_ratios", else from "compress_rates".
  int64_t sparseRatio = 0, heavyRatio = 0;

  /// Between 0 and 1, both excluded; "rms_norm_eps".
  double rmsNormEps = 0;
  /// At most 2^31; "max_position_embeddings".
  int64_t maxPositions = 0;

  /// Rope of window-only layers, present even if none occurs.
  RopeConfig mainRope;
  /// Rope of compressed layers: their queries, window and entries. All 0 (and
  /// factor 1) when no such layer occurs.
  RopeConfig compressRope;

  /// Kind of each layer; `numLayers` of them.
  std::vector<LayerKind> layers;

  /// Nothing if the weights are not quantized.
  std::optional<QuantizationConfig> quantization;

  /// Whether a layer of this kind occurs.
  bool has(LayerKind kind) const;
};

/// The values of "model_type" that are supported.
llvm::ArrayRef<llvm::StringLiteral> getSupportedModelTypes();

/// Reads a configuration from `text`. Errors are one sentence that opens with
/// `fileName` (with line and column for a syntax error), names the field, its
/// value and what was expected.
llvm::Expected<ModelConfig> parseModelConfig(llvm::StringRef text,
                                             llvm::StringRef fileName);

/// The same for a file, of at most 16 MiB.
llvm::Expected<ModelConfig> readModelConfig(llvm::StringRef path);

} // namespace braid

#endif // BRAID_IMPORT_MODELCONFIG_H
