//===- WeightNamesTest.cpp - Tests of the weights' names --------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of names, and the order of the spellings.
//
//===----------------------------------------------------------------------===//

#include "braid/Import/WeightNames.h"

#include "gtest/gtest.h"

using namespace braid;
using namespace llvm;

namespace {

using Names = SmallVector<std::string>;

TEST(WeightNames, Table) {
  const std::pair<StringRef, StringRef> table[] = {
      {"wq_a.weight", "q_a_proj.weight"},
      {"wkv.weight", "kv_proj.weight"},
      {"q_norm.weight", "q_a_norm.weight"},
      {"kv_norm.weight", "kv_norm.weight"},
      {"wq_b.weight", "q_b_proj.weight"},
      {"attn_sink", "sinks"},
      {"wo_a.weight", "o_a_proj.weight"},
      {"wo_b.weight", "o_b_proj.weight"},
      {"compressor.wkv.weight", "compressor.kv_proj.weight"},
      {"compressor.wgate.weight", "compressor.gate_proj.weight"},
      {"compressor.ape", "compressor.position_bias"},
      {"compressor.norm.weight", "compressor.kv_norm.weight"},
      {"indexer.wq_b.weight", "compressor.indexer.q_b_proj.weight"},
      {"indexer.weights_proj.weight",
       "compressor.indexer.scorer.weights_proj.weight"},
      {"indexer.compressor.wkv.weight", "compressor.indexer.kv_proj.weight"},
      {"indexer.compressor.wgate.weight",
       "compressor.indexer.gate_proj.weight"},
      {"indexer.compressor.ape", "compressor.indexer.position_bias"},
      {"indexer.compressor.norm.weight", "compressor.indexer.kv_norm.weight"},
      {"wq_a.scale", "q_a_proj.weight_scale_inv"},
      {"wo_b.scale", "o_b_proj.weight_scale_inv"},
      {"indexer.wq_b.scale", "compressor.indexer.q_b_proj.weight_scale_inv"},
  };
  for (const auto &[canonical, huggingFace] : table)
    EXPECT_EQ(getHuggingFaceWeightName(canonical), huggingFace.str())
        << canonical.str();
}

TEST(WeightNames, NamesOutsideTheTable) {
  for (StringRef name : {"", ".", "weight", "wq_a", "wq_a.bias", "wq_c.weight",
                         "q_norm.scale", "compressor.ape.scale", "ape"})
    EXPECT_EQ(getHuggingFaceWeightName(name), std::nullopt) << name.str();
}

TEST(WeightNames, SpellingsOfALayer) {
  EXPECT_EQ(getWeightSpellings("wkv.weight", 42),
            (Names{"layers.42.attn.wkv.weight",
                   "model.layers.42.self_attn.kv_proj.weight"}));
  EXPECT_EQ(getWeightSpellings("indexer.wq_b.scale", 0),
            (Names{"layers.0.attn.indexer.wq_b.scale",
                   "model.layers.0.self_attn.compressor.indexer.q_b_proj."
                   "weight_scale_inv"}));
  EXPECT_EQ(getWeightSpellings("unknown", 1), Names{"layers.1.attn.unknown"});
}

TEST(WeightNames, SpellingsWithAPrefix) {
  EXPECT_EQ(getPrefixedWeightSpellings("attn_sink", "weight."),
            (Names{"weight.attn_sink", "weight.sinks"}));
  EXPECT_EQ(getPrefixedWeightSpellings("attn_sink", ""),
            (Names{"attn_sink", "sinks"}));
  // Both name it alike.
  EXPECT_EQ(getPrefixedWeightSpellings("kv_norm.weight", "x."),
            Names{"x.kv_norm.weight"});
}

} // namespace
