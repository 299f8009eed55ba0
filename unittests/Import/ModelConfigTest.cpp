//===- ModelConfigTest.cpp - Tests of reading config.json -------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Good configurations in each spelling, and a table of small edits that make
// them bad, each with the sentence that has to come out.
//
//===----------------------------------------------------------------------===//

#include "braid/Import/ModelConfig.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace braid;
using namespace llvm;

namespace {

/// As published: 'compress_ratios', 'rope_scaling', fp8 weights, a draft layer.
constexpr StringLiteral published = R"({
  "architectures": ["DeepseekV4ForCausalLM"],
  "model_type": "deepseek_v4",
  "attention_bias": false,
  "hidden_size": 4096,
  "num_hidden_layers": 5,
  "num_nextn_predict_layers": 1,
  "num_attention_heads": 64,
  "num_key_value_heads": 1,
  "head_dim": 512,
  "qk_rope_head_dim": 64,
  "q_lora_rank": 1024,
  "o_groups": 8,
  "o_lora_rank": 1024,
  "sliding_window": 128,
  "index_n_heads": 64,
  "index_head_dim": 128,
  "index_topk": 512,
  "compress_ratios": [0, 1, 4, 128, 4, 0],
  "rms_norm_eps": 1e-06,
  "max_position_embeddings": 1048576,
  "rope_theta": 10000,
  "compress_rope_theta": 160000,
  "rope_scaling": {
    "beta_fast": 32,
    "beta_slow": 1,
    "factor": 16,
    "original_max_position_embeddings": 65536,
    "type": "yarn"
  },
  "quantization_config": {
    "activation_scheme": "dynamic",
    "fmt": "e4m3",
    "quant_method": "fp8",
    "scale_fmt": "ue8m0",
    "weight_block_size": [128, 128]
  }
})";

/// As transformers writes it: 'layer_types', 'rope_parameters', f32 weights.
constexpr StringLiteral huggingFace = R"({
  "model_type": "deepseek_v4",
  "hidden_size": 64,
  "num_hidden_layers": 3,
  "num_attention_heads": 4,
  "num_key_value_heads": 1,
  "head_dim": 32,
  "qk_rope_head_dim": 8,
  "q_lora_rank": 24,
  "o_groups": 2,
  "o_lora_rank": 16,
  "sliding_window": 8,
  "index_n_heads": 8,
  "index_head_dim": 16,
  "index_topk": 3,
  "layer_types": ["sliding_attention", "compressed_sparse_attention",
                  "heavily_compressed_attention"],
  "compress_rates": {"compressed_sparse_attention": 4,
                     "heavily_compressed_attention": 8},
  "rms_norm_eps": 1e-06,
  "max_position_embeddings": 1048576,
  "rope_theta": 10000.0,
  "compress_rope_theta": 160000.0,
  "rope_parameters": {
    "main": {"rope_type": "default", "rope_theta": 10000.0,
             "partial_rotary_factor": 0.25},
    "compress": {"rope_type": "yarn", "factor": 16.0, "beta_fast": 32.0,
                 "beta_slow": 1.0, "original_max_position_embeddings": 65536,
                 "rope_theta": 160000.0, "partial_rotary_factor": 0.25,
                 "attention_factor": 1.0}
  }
})";

/// `text` with the first occurrence of `from` replaced.
std::string edit(StringRef text, StringRef from, StringRef to) {
  size_t at = text.find(from);
  EXPECT_NE(at, StringRef::npos) << "no '" << from.str() << "' to replace";
  if (at == StringRef::npos)
    return text.str();
  return (text.take_front(at) + to + text.drop_front(at + from.size())).str();
}

/// The configuration in `text`; fails the test if there is none.
ModelConfig parse(StringRef text) {
  Expected<ModelConfig> config = parseModelConfig(text, "config.json");
  if (config)
    return *config;
  ADD_FAILURE() << toString(config.takeError());
  return ModelConfig();
}

/// The error in `text`; empty if there is none.
std::string parseError(StringRef text) {
  Expected<ModelConfig> config = parseModelConfig(text, "config.json");
  return config ? "" : toString(config.takeError());
}

TEST(ModelConfig, ReadsPublishedSpelling) {
  ModelConfig config = parse(published);
  EXPECT_EQ(config.modelType, "deepseek_v4");
  EXPECT_EQ(config.hiddenSize, 4096);
  EXPECT_EQ(config.numLayers, 5);
  EXPECT_EQ(config.numHeads, 64);
  EXPECT_EQ(config.headDim, 512);
  EXPECT_EQ(config.ropeDims, 64);
  EXPECT_EQ(config.qLoraRank, 1024);
  EXPECT_EQ(config.oGroups, 8);
  EXPECT_EQ(config.oLoraRank, 1024);
  EXPECT_EQ(config.slidingWindow, 128);
  EXPECT_EQ(config.indexHeads, 64);
  EXPECT_EQ(config.indexHeadDim, 128);
  EXPECT_EQ(config.indexTopK, 512);
  EXPECT_EQ(config.sparseRatio, 4);
  EXPECT_EQ(config.heavyRatio, 128);
  EXPECT_EQ(config.rmsNormEps, 1e-6);
  EXPECT_EQ(config.maxPositions, 1048576);
  EXPECT_EQ(config.layers,
            (std::vector<LayerKind>{
                LayerKind::SlidingWindow, LayerKind::SlidingWindow,
                LayerKind::CompressedSparse, LayerKind::HeavilyCompressed,
                LayerKind::CompressedSparse}));
  EXPECT_EQ(config.mainRope.dims, 64);
  EXPECT_EQ(config.mainRope.theta, 10000);
  EXPECT_EQ(config.mainRope.factor, 1);
  EXPECT_EQ(config.compressRope.dims, 64);
  EXPECT_EQ(config.compressRope.theta, 160000);
  EXPECT_EQ(config.compressRope.factor, 16);
  EXPECT_EQ(config.compressRope.betaFast, 32);
  EXPECT_EQ(config.compressRope.betaSlow, 1);
  EXPECT_EQ(config.compressRope.originalPositions, 65536);
  ASSERT_TRUE(config.quantization.has_value());
  EXPECT_EQ(config.quantization->blockRows, 128);
  EXPECT_EQ(config.quantization->blockColumns, 128);
  EXPECT_TRUE(config.quantization->powerOfTwoScales);
}

TEST(ModelConfig, ReadsHuggingFaceSpelling) {
  ModelConfig config = parse(huggingFace);
  EXPECT_EQ(config.layers,
            (std::vector<LayerKind>{LayerKind::SlidingWindow,
                                    LayerKind::CompressedSparse,
                                    LayerKind::HeavilyCompressed}));
  EXPECT_EQ(config.sparseRatio, 4);
  EXPECT_EQ(config.heavyRatio, 8);
  EXPECT_EQ(config.mainRope.dims, 8);
  EXPECT_EQ(config.mainRope.theta, 10000);
  EXPECT_EQ(config.mainRope.factor, 1);
  EXPECT_EQ(config.compressRope.theta, 160000);
  EXPECT_EQ(config.compressRope.factor, 16);
  EXPECT_EQ(config.compressRope.originalPositions, 65536);
  EXPECT_FALSE(config.quantization.has_value());
}

TEST(ModelConfig, ReadsMixedSpelling) {
  // 'layer_types' with rope as published, where the type has its newer name.
  std::string text =
      edit(published, R"("compress_ratios": [0, 1, 4, 128, 4, 0])",
           R"("layer_types": ["sliding_attention", "sliding_attention",
              "sliding_attention", "sliding_attention",
              "heavily_compressed_attention"],
              "compress_rates": {"heavily_compressed_attention": 16})");
  ModelConfig config = parse(edit(text, R"("type")", R"("rope_type")"));
  EXPECT_EQ(config.layers.size(), 5u);
  EXPECT_EQ(config.heavyRatio, 16);
  EXPECT_EQ(config.compressRope.factor, 16);
  // No compressed-sparse layer, so no indexer.
  EXPECT_EQ(config.sparseRatio, 0);
  EXPECT_EQ(config.indexHeads, 0);
  EXPECT_EQ(config.indexHeadDim, 0);
  EXPECT_EQ(config.indexTopK, 0);
}

TEST(ModelConfig, AcceptsBothSpellingsThatAgree) {
  std::string text =
      edit(published, R"("rope_theta")",
           R"("layer_types": ["sliding_attention", "sliding_attention",
              "compressed_sparse_attention", "heavily_compressed_attention",
              "compressed_sparse_attention"],
              "compress_rates": {"compressed_sparse_attention": 4,
                                 "heavily_compressed_attention": 128},
              "rope_parameters": {
                "main": {"rope_type": "default", "rope_theta": 10000},
                "compress": {"type": "yarn", "factor": 16, "beta_fast": 32,
                  "beta_slow": 1, "original_max_position_embeddings": 65536,
                  "rope_theta": 160000}},
              "rope_theta")");
  EXPECT_EQ(parse(text).compressRope.factor, 16);
}

TEST(ModelConfig, WindowOnlyModelNeedsNothingElse) {
  std::string text = edit(published, "[0, 1, 4, 128, 4, 0]", "[0, 0, 0, 0, 1]");
  text = edit(text, R"("compress_rope_theta": 160000,)", "");
  text = edit(text, R"("index_topk": 512,)", "");
  text = edit(text, R"("rope_scaling")", R"("rope_unused")");
  ModelConfig config = parse(text);
  EXPECT_EQ(config.heavyRatio, 0);
  EXPECT_EQ(config.compressRope.dims, 0);
  EXPECT_EQ(config.mainRope.theta, 10000);
}

TEST(ModelConfig, ListMayLeaveOutDraftLayers) {
  std::string text =
      edit(published, "[0, 1, 4, 128, 4, 0]", "[128, 128, 4, 128, 4]");
  ModelConfig config = parse(text);
  EXPECT_EQ(config.layers.size(), 5u);
  EXPECT_FALSE(config.has(LayerKind::SlidingWindow));
  // Kept for a layer that no compressed one uses.
  EXPECT_EQ(config.mainRope.theta, 10000);
}

TEST(ModelConfig, AcceptsOtherWaysToWriteAValue) {
  // An integer with a fraction of zero, null for an absent field.
  std::string text = edit(published, "4096", "4096.0");
  text = edit(text, R"("scale_fmt": "ue8m0")", R"("scale_fmt": null)");
  text = edit(text, R"("attention_bias": false)", R"("attention_bias": null)");
  text = edit(text, "[0, 1,", "[0.0, 1e0,");
  ModelConfig config = parse(text);
  EXPECT_EQ(config.hiddenSize, 4096);
  ASSERT_TRUE(config.quantization.has_value());
  EXPECT_FALSE(config.quantization->powerOfTwoScales);
}

TEST(ModelConfig, PlainRopeInCompressedLayers) {
  StringRef text = published;
  size_t begin = text.find("{", 1), end = text.find("}", begin);
  std::string plain =
      (text.take_front(begin) + R"({"type": "default")" + text.drop_front(end))
          .str();
  ModelConfig config = parse(plain);
  EXPECT_EQ(config.compressRope.theta, 160000);
  EXPECT_EQ(config.compressRope.factor, 1);
}

TEST(ModelConfig, NamesOfKinds) {
  EXPECT_EQ(getLayerKindName(LayerKind::SlidingWindow), "swa");
  EXPECT_EQ(getLayerKindName(LayerKind::CompressedSparse), "c4a");
  EXPECT_EQ(getLayerKindName(LayerKind::HeavilyCompressed), "c128a");
  ASSERT_EQ(getSupportedModelTypes().size(), 1u);
  EXPECT_EQ(getSupportedModelTypes()[0], "deepseek_v4");
}

//===----------------------------------------------------------------------===//
// Bad configurations
//===----------------------------------------------------------------------===//

struct BadEdit {
  StringRef from, to, error;
};

/// Applies each edit of a table and compares the sentence.
void checkBadEdits(StringRef text, ArrayRef<BadEdit> edits) {
  for (const BadEdit &bad : edits) {
    SCOPED_TRACE(bad.to.str());
    EXPECT_EQ(parseError(edit(text, bad.from, bad.to)), bad.error.str());
  }
}

const BadEdit badPublished[] = {
    // Which model it is.
    {R"("deepseek_v4")", R"("llama")",
     "config.json: 'model_type' is \"llama\", expected a supported one: "
     "deepseek_v4"},
    {R"("model_type": "deepseek_v4",)", "",
     "config.json: 'model_type' is missing, expected a supported one: "
     "deepseek_v4"},
    {R"("deepseek_v4")", "4",
     "config.json: 'model_type' is 4, expected a supported one: deepseek_v4"},
    // Integers.
    {R"("hidden_size": 4096,)", "",
     "config.json: 'hidden_size' is missing, expected an integer from 1 to "
     "1048576"},
    {R"("hidden_size")", R"("hiden_size")",
     "config.json: 'hidden_size' is missing, expected an integer from 1 to "
     "1048576 (did you mean it by 'hiden_size'?)"},
    // Each error stays on one line.
    {R"("hidden_size")", R"("hidden\nsize")",
     "config.json: 'hidden_size' is missing, expected an integer from 1 to "
     "1048576 (did you mean it by 'hidden\\nsize'?)"},
    // Another known field is never taken for a misspelling.
    {R"("q_lora_rank": 1024,)", "",
     "config.json: 'q_lora_rank' is missing, expected an integer from 1 to "
     "1048576"},
    {"4096", "0",
     "config.json: 'hidden_size' is 0, expected an integer from 1 to 1048576"},
    {"4096", "-4096",
     "config.json: 'hidden_size' is -4096, expected an integer from 1 to "
     "1048576"},
    {"4096", "4096.5",
     "config.json: 'hidden_size' is 4096.5, expected an integer from 1 to "
     "1048576"},
    {"4096", "\"4096\"",
     "config.json: 'hidden_size' is \"4096\", expected an integer from 1 to "
     "1048576"},
    {"4096", "1048577",
     "config.json: 'hidden_size' is 1048577, expected an integer from 1 to "
     "1048576"},
    {"4096", "9223372036854775808",
     "config.json: 'hidden_size' is 9223372036854775808, expected an integer "
     "from 1 to 1048576"},
    {"4096", "1e300",
     "config.json: 'hidden_size' is 1.0000000000000001e+300, expected an "
     "integer from 1 to 1048576"},
    {"4096", "1e999",
     "config.json: 'hidden_size' is inf, expected an integer from 1 to "
     "1048576"},
    {"4096", "true",
     "config.json: 'hidden_size' is true, expected an integer from 1 to "
     "1048576"},
    {"4096", "null",
     "config.json: 'hidden_size' is missing, expected an integer from 1 to "
     "1048576"},
    {R"("num_hidden_layers": 5)", R"("num_hidden_layers": 10001)",
     "config.json: 'num_hidden_layers' is 10001, expected an integer from 1 "
     "to 10000"},
    {R"("max_position_embeddings": 1048576)",
     R"("max_position_embeddings": 2147483649)",
     "config.json: 'max_position_embeddings' is 2147483649, expected an "
     "integer from 1 to 2147483648"},
    {R"("sliding_window": 128,)", "",
     "config.json: 'sliding_window' is missing, expected an integer from 1 to "
     "2147483648"},
    // Relations.
    {R"("num_attention_heads": 64)", R"("num_attention_heads": 60)",
     "config.json: 'num_attention_heads' is 60, expected a multiple of "
     "'o_groups', 8"},
    {R"("num_key_value_heads": 1)", R"("num_key_value_heads": 8)",
     "config.json: 'num_key_value_heads' is 8, expected 1"},
    {R"("num_key_value_heads": 1,)", "",
     "config.json: 'num_key_value_heads' is missing, expected 1"},
    {R"("attention_bias": false)", R"("attention_bias": true)",
     "config.json: 'attention_bias' is true, expected false"},
    {R"("qk_rope_head_dim": 64)", R"("qk_rope_head_dim": 63)",
     "config.json: 'qk_rope_head_dim' is 63, expected an even number"},
    {R"("qk_rope_head_dim": 64)", R"("qk_rope_head_dim": 1024)",
     "config.json: 'head_dim' is 512, expected at least 'qk_rope_head_dim', "
     "1024"},
    {R"("index_head_dim": 128)", R"("index_head_dim": 32)",
     "config.json: 'index_head_dim' is 32, expected at least "
     "'qk_rope_head_dim', 64"},
    {R"("index_topk": 512,)", "",
     "config.json: 'index_topk' is missing, expected an integer from 1 to "
     "1048576"},
    // Epsilon.
    {"1e-06", "0",
     "config.json: 'rms_norm_eps' is 0, expected a number between 0 and 1, "
     "both excluded"},
    {"1e-06", "1",
     "config.json: 'rms_norm_eps' is 1, expected a number between 0 and 1, "
     "both excluded"},
    {"1e-06", "\"1e-06\"",
     "config.json: 'rms_norm_eps' is \"1e-06\", expected a number between 0 "
     "and 1, both excluded"},
    // Layers.
    {R"("compress_ratios": [0, 1, 4, 128, 4, 0],)", "",
     "config.json: 'compress_ratios' is missing, expected it, or "
     "'layer_types' with 'compress_rates'"},
    {"[0, 1, 4, 128, 4, 0]", "[0, 1, 4, 128]",
     "config.json: 'compress_ratios' has 4 entries, expected 5 as "
     "'num_hidden_layers' says, or 6 with 'num_nextn_predict_layers'"},
    {"[0, 1, 4, 128, 4, 0]", "[0, 1, 2, 128, 4, 0]",
     "config.json: 'compress_ratios[2]' is 2, expected 0 or 1 (window only), "
     "4 (compressed sparse) or 128 (heavily compressed)"},
    {"[0, 1, 4, 128, 4, 0]", "[0, 1, 4, 128, 4, \"0\"]",
     "config.json: 'compress_ratios[5]' is \"0\", expected 0 or 1 (window "
     "only), 4 (compressed sparse) or 128 (heavily compressed)"},
    {"[0, 1, 4, 128, 4, 0]", "4",
     "config.json: 'compress_ratios' is 4, expected an array with an entry "
     "for each layer"},
    {R"("num_nextn_predict_layers": 1)", R"("num_nextn_predict_layers": -1)",
     "config.json: 'num_nextn_predict_layers' is -1, expected an integer from "
     "0 to 10000"},
    {R"("num_nextn_predict_layers": 1,)", "",
     "config.json: 'compress_ratios' has 6 entries, expected 5 as "
     "'num_hidden_layers' says"},
    {R"("rope_theta")", R"("layer_types": ["sliding_attention",
     "sliding_attention", "compressed_sparse_attention", "sliding_attention",
     "compressed_sparse_attention"], "rope_theta")",
     "config.json: 'layer_types[3]' means swa, expected the same as "
     "'compress_ratios[3]', which means c128a"},
    {R"("rope_theta")",
     R"("compress_rates": {"compressed_sparse_attention": 4,
     "heavily_compressed_attention": 64}, "rope_theta")",
     "config.json: 'compress_rates.heavily_compressed_attention' is 64, "
     "expected 128"},
    // Rope.
    {R"("rope_theta": 10000,)", "",
     "config.json: 'rope_theta' is missing, expected a number greater than 1"},
    {R"("rope_theta": 10000,)", R"("rope_theta": 1,)",
     "config.json: 'rope_theta' is 1, expected a number greater than 1"},
    {R"("compress_rope_theta": 160000,)", "",
     "config.json: 'compress_rope_theta' is missing, expected a number greater "
     "than 1"},
    {R"("rope_scaling")", R"("rope_scalling")",
     "config.json: 'rope_scaling' is missing, expected it, or "
     "'rope_parameters' with 'main' and 'compress' (did you mean it by "
     "'rope_scalling'?)"},
    {R"("type": "yarn")", R"("type": "linear")",
     "config.json: 'rope_scaling.type' is \"linear\", expected \"yarn\" or "
     "\"default\""},
    {R"("type": "yarn")", R"("type": "yarn", "rope_type": "default")",
     "config.json: 'rope_scaling.type' is \"yarn\", expected the same as "
     "'rope_type', \"default\""},
    {R"("type": "yarn")", R"("attention_factor": 1)",
     "config.json: 'rope_scaling.rope_type' is missing, expected \"yarn\" or "
     "\"default\""},
    {R"("type": "yarn")", R"("type": "default")",
     "config.json: 'rope_scaling.factor' is 16, expected no such field with "
     "the type \"default\""},
    {R"("type": "yarn")", R"("type": "yarn", "mscale": 1.0)",
     "config.json: 'rope_scaling.mscale' is 1, expected only fields of a rope "
     "that is supported: type, rope_type, factor, beta_fast, beta_slow, "
     "original_max_position_embeddings, attention_factor"},
    {R"("type": "yarn")", R"("type": "yarn", "attention_factor": 1.2)",
     "config.json: 'rope_scaling.attention_factor' is 1.2, expected 1"},
    {R"("factor": 16,)", R"("factor": 0.5,)",
     "config.json: 'rope_scaling.factor' is 0.5, expected a number from 1 to "
     "1048576"},
    {R"("factor": 16,)", "",
     "config.json: 'rope_scaling.factor' is missing, expected a number from 1 "
     "to 1048576"},
    {R"("beta_slow": 1,)", R"("beta_slow": 0,)",
     "config.json: 'rope_scaling.beta_slow' is 0, expected a number greater "
     "than 0"},
    {R"("beta_fast": 32,)", R"("beta_fast": 1,)",
     "config.json: 'rope_scaling.beta_fast' is 1, expected a number greater "
     "than 'beta_slow'"},
    {"65536", "0",
     "config.json: 'rope_scaling.original_max_position_embeddings' is 0, "
     "expected an integer from 1 to 2147483648"},
    // Quantization.
    {R"("quant_method": "fp8")", R"("quant_method": "awq")",
     "config.json: 'quantization_config.quant_method' is \"awq\", expected "
     "\"fp8\""},
    {R"("fmt": "e4m3",)", "",
     "config.json: 'quantization_config.fmt' is missing, expected \"e4m3\""},
    {R"("ue8m0")", R"("f32")",
     "config.json: 'quantization_config.scale_fmt' is \"f32\", expected "
     "\"ue8m0\", or no such field for scales in f32"},
    {R"("dynamic")", R"("static")",
     "config.json: 'quantization_config.activation_scheme' is \"static\", "
     "expected \"dynamic\""},
    {"[128, 128]", "[128]",
     "config.json: 'quantization_config.weight_block_size' is [128], expected "
     "two integers from 1 to 1048576"},
    {"[128, 128]", "[0, 128]",
     "config.json: 'quantization_config.weight_block_size' is [0,128], "
     "expected two integers from 1 to 1048576"},
};

TEST(ModelConfig, ExplainsBadPublishedSpelling) {
  checkBadEdits(published, badPublished);
}

const BadEdit badHuggingFace[] = {
    {R"("sliding_attention")", R"("full_attention")",
     "config.json: 'layer_types[0]' is \"full_attention\", expected "
     "\"sliding_attention\", \"compressed_sparse_attention\" or "
     "\"heavily_compressed_attention\""},
    {R"("num_hidden_layers": 3)", R"("num_hidden_layers": 4)",
     "config.json: 'layer_types' has 3 entries, expected 4 as "
     "'num_hidden_layers' says"},
    {R"("compress_rates")", R"("unknown_rates")",
     "config.json: 'compress_rates' is missing, expected an object with the "
     "positions per entry of each compressed kind"},
    {R"("heavily_compressed_attention": 8)",
     R"("heavily_compressed_attention": 1)",
     "config.json: 'compress_rates.heavily_compressed_attention' is 1, "
     "expected an integer from 2 to 1048576"},
    {R"("heavily_compressed_attention": 8)",
     R"("heavily_compressed_atention": 8)",
     "config.json: 'compress_rates.heavily_compressed_attention' is missing, "
     "expected an integer from 2 to 1048576 (did you mean it by "
     "'compress_rates.heavily_compressed_atention'?)"},
    {R"("rope_theta": 10000.0,)", R"("rope_theta": 20000.0,)",
     "config.json: 'rope_theta' is 20000, expected the same as "
     "'rope_parameters.main.rope_theta', 10000"},
    {R"("compress_rope_theta": 160000.0)", R"("compress_rope_theta": 2e5)",
     "config.json: 'compress_rope_theta' is 200000, expected the same as "
     "'rope_parameters.compress.rope_theta', 160000"},
    {R"("main")", R"("mian")",
     "config.json: 'rope_parameters.main' is missing, expected an object with "
     "rope_type and rope_theta (did you mean it by 'rope_parameters.mian'?)"},
    {R"("compress": {)", R"("packed": {)",
     "config.json: 'rope_parameters.compress' is missing, expected an object "
     "with rope_type and rope_theta"},
    {R"("partial_rotary_factor": 0.25,)", R"("partial_rotary_factor": 0.5,)",
     "config.json: 'rope_parameters.compress.partial_rotary_factor' is 0.5, "
     "expected 'qk_rope_head_dim' / 'head_dim' = 8 / 32"},
    {R"("hidden_size")", R"("partial_rotary_factor": "x", "hidden_size")",
     "config.json: 'partial_rotary_factor' is \"x\", expected "
     "'qk_rope_head_dim' / 'head_dim' = 8 / 32"},
    {R"("attention_factor": 1.0)", R"("attention_factor": 1.5)",
     "config.json: 'rope_parameters.compress.attention_factor' is 1.5, "
     "expected 1"},
    {R"("rope_type": "default", )", "",
     "config.json: 'rope_parameters.main.rope_type' is missing, expected "
     "\"yarn\" or \"default\""},
    {R"("rope_parameters")",
     R"("rope_scaling": {"type": "yarn", "factor": 8, "beta_fast": 32,
     "beta_slow": 1, "original_max_position_embeddings": 65536},
     "rope_parameters")",
     "config.json: 'rope_scaling' and 'rope_parameters.compress' disagree "
     "about factor (8 and 16), expected the same in both"},
    {R"("rope_parameters")", R"("rope_parameters": 3, "other")",
     "config.json: 'rope_parameters' is 3, expected an object with 'main' and "
     "'compress'"},
};

TEST(ModelConfig, ExplainsBadHuggingFaceSpelling) {
  checkBadEdits(huggingFace, badHuggingFace);
}

TEST(ModelConfig, SyntaxErrorsSayWhere) {
  EXPECT_EQ(parseError(""),
            "config.json: the text is empty, expected a JSON object");
  EXPECT_EQ(parseError(edit(published, "4096,", "4096")),
            "config.json:6:3: no valid JSON: Expected , or } after object "
            "property");
  EXPECT_EQ(parseError(edit(published, R"("hidden_size")", R"("head_dim")")),
            "config.json:10:3: the key \"head_dim\" occurs twice in one "
            "object, expected once");
}

TEST(ModelConfig, EveryTruncationIsAnError) {
  StringRef text = published;
  for (size_t size = 0; size < text.size(); ++size) {
    std::string error = parseError(text.take_front(size));
    ASSERT_TRUE(StringRef(error).starts_with("config.json:")) << size;
    ASSERT_TRUE(StringRef(error).contains("the text is empty") ||
                StringRef(error).contains("(is the file truncated?)"))
        << size << ": " << error;
  }
}

TEST(ModelConfig, EveryMissingFieldIsAnErrorOrOptional) {
  // Renaming a key must never leave something guessed behind.
  // (Without the number of draft layers the list of layers is too long.)
  StringRef optional[] = {"architectures", "attention_bias",
                          "quantization_config", "activation_scheme",
                          "scale_fmt"};
  StringRef text = published;
  for (size_t at = text.find("\":"); at != StringRef::npos;
       at = text.find("\":", at + 1)) {
    size_t begin = text.rfind('"', at) + 1;
    StringRef key = text.slice(begin, at);
    std::string renamed =
        (text.take_front(begin) + "renamed" + text.drop_front(at)).str();
    bool isOptional = is_contained(optional, key);
    EXPECT_EQ(parseError(renamed).empty(), isOptional) << key.str();
  }
}

TEST(ModelConfig, ReadsFiles) {
  SmallString<128> path;
  int descriptor;
  ASSERT_FALSE(
      sys::fs::createTemporaryFile("config", "json", descriptor, path));
  FileRemover remover(path);
  raw_fd_ostream(descriptor, /*shouldClose=*/true) << published;
  Expected<ModelConfig> config = readModelConfig(path);
  ASSERT_TRUE(bool(config)) << toString(config.takeError());
  EXPECT_EQ(config->hiddenSize, 4096);
}

TEST(ModelConfig, UnreadableFiles) {
  Expected<ModelConfig> config = readModelConfig("no/such/config.json");
  ASSERT_FALSE(bool(config));
  EXPECT_EQ(toString(config.takeError()),
            "no/such/config.json: cannot be read: No such file or directory");
}

} // namespace
