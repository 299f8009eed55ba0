//===- FuzzModelConfig.cpp - Any text as a config.json --------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A text is either refused with a sentence, or what comes out holds to the
// rules that ModelConfig.h states, on which the importer relies. Everything
// goes through the JSON reader.
//
//===----------------------------------------------------------------------===//

#include "braid/Import/ModelConfig.h"
#include "braid/Support/Json.h"

#include <cstdint>
#include <cstdlib>

using namespace braid;
using namespace llvm;

/// Ends the program in a way that a fuzzer keeps the input of.
static void require(bool condition) {
  if (!condition)
    std::abort();
}

static void checkRope(const RopeConfig &rope) {
  require(rope.dims > 0 && rope.dims % 2 == 0 && rope.theta > 1);
  require(rope.factor >= 1);
  if (rope.factor != 1)
    require(rope.betaFast > rope.betaSlow && rope.betaSlow > 0 &&
            rope.originalPositions > 0);
}

static void checkConfig(const ModelConfig &config) {
  constexpr int64_t limit = int64_t(1) << 20;
  for (int64_t size :
       {config.hiddenSize, config.numHeads, config.headDim, config.ropeDims,
        config.qLoraRank, config.oGroups, config.oLoraRank})
    require(size >= 1 && size <= limit);
  require(config.numLayers >= 1 && config.numLayers <= 10000);
  require(static_cast<int64_t>(config.layers.size()) == config.numLayers);
  require(config.numHeads % config.oGroups == 0);
  require(config.ropeDims <= config.headDim);
  require(config.rmsNormEps > 0 && config.rmsNormEps < 1);
  require(config.maxPositions >= 1 && config.slidingWindow >= 1);
  checkRope(config.mainRope);
  bool sparse = config.has(LayerKind::CompressedSparse);
  bool heavy = config.has(LayerKind::HeavilyCompressed);
  require((config.sparseRatio >= 2) == sparse);
  require((config.heavyRatio >= 2) == heavy);
  require((config.indexHeads >= 1) == sparse);
  if (sparse)
    require(config.indexHeadDim >= config.ropeDims && config.indexTopK >= 1);
  if (sparse || heavy)
    checkRope(config.compressRope);
  if (config.quantization)
    require(config.quantization->blockRows >= 1 &&
            config.quantization->blockColumns >= 1);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  Expected<ModelConfig> config = parseModelConfig(text, "input");
  if (config)
    checkConfig(*config);
  else
    require(StringRef(toString(config.takeError())).starts_with("input"));
  Expected<json::Object> object = parseJsonObject(text, "input");
  if (!object) {
    consumeError(object.takeError());
    return 0;
  }
  for (const auto &[key, value] : *object) {
    require(printKey(key).size() <= 200 && printShort(value).size() <= 60);
    (void)getInteger(value);
  }
  return 0;
}
