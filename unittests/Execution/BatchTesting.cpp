//===- BatchTesting.cpp - Batches on a small model --------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements what the tests of batches share.
//
//===----------------------------------------------------------------------===//

#include "BatchTesting.h"

using namespace llvm;
using namespace braid;
using namespace braid::testing;

/// Ranks and groups are multiples of fp8's blocks; the rest is small.
static constexpr StringLiteral model = R"({
  "model_type": "deepseek_v4",
  "hidden_size": 136,
  "num_hidden_layers": 3,
  "num_attention_heads": 4,
  "num_key_value_heads": 1,
  "head_dim": 96,
  "qk_rope_head_dim": 16,
  "q_lora_rank": 128,
  "o_groups": 2,
  "o_lora_rank": 128,
  "sliding_window": 8,
  "index_n_heads": 4,
  "index_head_dim": 32,
  "index_topk": 5,
  "layer_types": ["sliding_attention", "compressed_sparse_attention",
                  "heavily_compressed_attention"],
  "compress_rates": {"compressed_sparse_attention": 4,
                     "heavily_compressed_attention": 8},
  "rms_norm_eps": 1e-06,
  "max_position_embeddings": 1048576,
  "rope_parameters": {
    "main": {"rope_type": "default", "rope_theta": 10000.0,
             "partial_rotary_factor": 0.16666666666666666},
    "compress": {"rope_type": "yarn", "factor": 16.0, "beta_fast": 32.0,
                 "beta_slow": 1.0, "original_max_position_embeddings": 65536,
                 "rope_theta": 160000.0,
                 "partial_rotary_factor": 0.16666666666666666}
  },
  "quantization_config": {
    "activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "fp8",
    "scale_fmt": "ue8m0", "weight_block_size": [128, 128]
  }
})";

ContextPointer braid::testing::makeContext(
    function_ref<void(braid_context_options &)> change) {
  braid_context_options options;
  options.struct_size = sizeof(options);
  braid_context_options_initialize(&options);
  change(options);
  braid_context *context = nullptr;
  EXPECT_EQ(braid_context_create(&options, &context), BRAID_OK)
      << braid_last_error(nullptr);
  return ContextPointer(context);
}

braid_statistics braid::testing::getStatistics(const ContextPointer &context) {
  braid_statistics statistics = {};
  statistics.struct_size = sizeof(statistics);
  braid_get_statistics(context.get(), &statistics);
  return statistics;
}

std::string
braid::testing::getFormName(const ::testing::TestParamInfo<Form> &info) {
  auto [layer, type, cache] = info.param;
  static const char *const kinds[] = {"swa", "c4a", "c128a"};
  return std::string(kinds[layer]) +
         (type == WeightType::F32    ? "_f32"
          : type == WeightType::BF16 ? "_bf16"
                                     : "_fp8") +
         (cache == CacheForm::FP8 ? "_packed" : "");
}

void BatchTest::SetUp() {
  registerAllDialects(registry);
  config = unwrap(parseModelConfig(model, "model"));
}

std::unique_ptr<Program> BatchTest::compile(const Mode &mode) {
  context = std::make_unique<mlir::MLIRContext>(registry);
  auto [layer, type, cache] = GetParam();
  ImportOptions options;
  options.layer = layer;
  options.weightType = type;
  options.cache = cache;
  options.eager = mode.form;
  options.metadata = mode.metadata;
  PipelineOptions pipeline;
  pipeline.maxStreams = mode.maxStreams;
  pipeline.narrow = mode.narrow;
  return unwrap(Program::compile(
      unwrap(importModel(context.get(), config, options)), "", pipeline));
}

std::unique_ptr<BatchArguments>
BatchTest::makeArguments(const Program &program, const Batch &batch,
                         std::optional<float> padding) {
  ArgumentSources sources;
  sources.seed = 3;
  sources.padding = padding;
  return unwrap(BatchArguments::create(program, batch, sources));
}

Outputs BatchTest::run(braid_context *runtime, BatchArguments &arguments) {
  Outputs outputs(arguments.getBatch().requests.size());
  arguments.clearCaches();
  for (const BatchStep &step : makeSteps(arguments.getBatch())) {
    arguments.setStep(step);
    braid_call call = arguments.getCall();
    EXPECT_EQ(braid_execute(runtime, &call), BRAID_OK)
        << braid_last_error(runtime);
    EXPECT_EQ(braid_synchronize(runtime), BRAID_OK)
        << braid_last_error(runtime);
    for (auto [request, output] : enumerate(outputs)) {
      std::vector<float> rows = arguments.getOutput(request);
      output.insert(output.end(), rows.begin(), rows.end());
    }
  }
  return outputs;
}

Outputs BatchTest::run(const Program &program, const Batch &batch) {
  ContextPointer runtime = makeContext();
  return run(runtime.get(), *makeArguments(program, batch));
}

Request braid::testing::makeRequest(std::string name, int64_t tokens,
                                    int64_t history,
                                    std::vector<int64_t> chunks) {
  Request request;
  request.name = std::move(name);
  request.tokens = tokens;
  request.history = history;
  request.chunks = std::move(chunks);
  return request;
}

Batch braid::testing::makeThreeRequests() {
  Batch batch;
  batch.requests = {makeRequest("nine", 9), makeRequest("five", 5, 9),
                    makeRequest("seventy", 70)};
  return batch;
}

Batch braid::testing::makeMixedBatch() {
  Batch batch;
  batch.requests = {makeRequest("prompt", 25, 0, {12, 13}),
                    makeRequest("late", 14, 3, {0, 7, 0, 7}),
                    makeRequest("decode", 4, 130, {1, 1, 1, 1}),
                    makeRequest("short", 3)};
  batch.buckets = {10, 24, 40};
  // Neighbours in a pool, and blocks that do not divide the window.
  batch.blockSizes = {{"window", 3}, {"compressed", 2}, {"index", 5}};
  return batch;
}
