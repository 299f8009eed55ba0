//===- WeightNames.cpp - Names of a layer's weights -------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of names, once. Weights with a suffix are listed without it.
//
//===----------------------------------------------------------------------===//

#include "braid/Import/WeightNames.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace braid {

namespace {
struct Spelling {
  StringLiteral canonical, huggingFace;
};
} // namespace

/// Linear layers: `.weight`, and `.scale` where it is quantized.
static constexpr Spelling linears[] = {
    {"wq_a", "q_a_proj"},
    {"wkv", "kv_proj"},
    {"wq_b", "q_b_proj"},
    {"wo_a", "o_a_proj"},
    {"wo_b", "o_b_proj"},
    {"compressor.wkv", "compressor.kv_proj"},
    {"compressor.wgate", "compressor.gate_proj"},
    {"indexer.wq_b", "compressor.indexer.q_b_proj"},
    {"indexer.weights_proj", "compressor.indexer.scorer.weights_proj"},
    {"indexer.compressor.wkv", "compressor.indexer.kv_proj"},
    {"indexer.compressor.wgate", "compressor.indexer.gate_proj"},
};

/// Everything else, whole names.
static constexpr Spelling others[] = {
    {"q_norm.weight", "q_a_norm.weight"},
    {"kv_norm.weight", "kv_norm.weight"},
    {"attn_sink", "sinks"},
    {"compressor.ape", "compressor.position_bias"},
    {"compressor.norm.weight", "compressor.kv_norm.weight"},
    {"indexer.compressor.ape", "compressor.indexer.position_bias"},
    {"indexer.compressor.norm.weight", "compressor.indexer.kv_norm.weight"},
};

std::optional<std::string> getHuggingFaceWeightName(StringRef canonical) {
  for (const Spelling &entry : others)
    if (canonical == entry.canonical)
      return entry.huggingFace.str();
  auto [stem, suffix] = canonical.rsplit('.');
  for (const Spelling &entry : linears) {
    if (stem != entry.canonical)
      continue;
    if (suffix == "weight")
      return (entry.huggingFace + ".weight").str();
    if (suffix == "scale")
      return (entry.huggingFace + ".weight_scale_inv").str();
  }
  return std::nullopt;
}

SmallVector<std::string> getWeightSpellings(StringRef canonical,
                                            int64_t layer) {
  SmallVector<std::string> result;
  result.push_back(("layers." + Twine(layer) + ".attn." + canonical).str());
  if (std::optional<std::string> name = getHuggingFaceWeightName(canonical))
    result.push_back(
        ("model.layers." + Twine(layer) + ".self_attn." + *name).str());
  return result;
}

SmallVector<std::string> getPrefixedWeightSpellings(StringRef canonical,
                                                    StringRef prefix) {
  SmallVector<std::string> result;
  result.push_back((prefix + canonical).str());
  std::optional<std::string> name = getHuggingFaceWeightName(canonical);
  if (name && *name != canonical)
    result.push_back((prefix + *name).str());
  return result;
}

} // namespace braid
