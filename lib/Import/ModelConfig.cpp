//===- ModelConfig.cpp - A model's config.json ------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FieldReader reads single fields of a JSON object and words the errors; the
// functions after it read one part of the configuration each.
//
//===----------------------------------------------------------------------===//

#include "braid/Import/ModelConfig.h"

#include "braid/Support/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace llvm;

namespace braid {

static constexpr int64_t maxDimension = int64_t(1) << 20;
static constexpr int64_t maxPosition = int64_t(1) << 31;
static constexpr int64_t maxLayers = 10000;
static constexpr uint64_t maxFileSize = 16 << 20;

static constexpr StringLiteral supportedModelTypes[] = {"deepseek_v4"};

/// Every field that is read at the top level. A key of this list is never
/// taken for another one misspelled.
static constexpr StringLiteral knownFields[] = {
    "attention_bias",
    "compress_rates",
    "compress_ratios",
    "compress_rope_theta",
    "head_dim",
    "hidden_size",
    "index_head_dim",
    "index_n_heads",
    "index_topk",
    "layer_types",
    "max_position_embeddings",
    "model_type",
    "num_attention_heads",
    "num_hidden_layers",
    "num_key_value_heads",
    "num_nextn_predict_layers",
    "o_groups",
    "o_lora_rank",
    "partial_rotary_factor",
    "q_lora_rank",
    "qk_rope_head_dim",
    "quantization_config",
    "rms_norm_eps",
    "rope_parameters",
    "rope_scaling",
    "rope_theta",
    "sliding_window",
};

ArrayRef<StringLiteral> getSupportedModelTypes() { return supportedModelTypes; }

StringRef getLayerKindName(LayerKind kind) {
  switch (kind) {
  case LayerKind::SlidingWindow:
    return "swa";
  case LayerKind::CompressedSparse:
    return "c4a";
  case LayerKind::HeavilyCompressed:
    return "c128a";
  }
  llvm_unreachable("unknown layer kind");
}

bool ModelConfig::has(LayerKind kind) const {
  return is_contained(layers, kind);
}

//===----------------------------------------------------------------------===//
// FieldReader
//===----------------------------------------------------------------------===//

namespace {
/// Reads the fields of one object in the file. JSON's null counts as absent,
/// as writers of config.json mean it.
class FieldReader {
public:
  /// `path` leads from the top to the object: "" or "rope_scaling.", say.
  FieldReader(StringRef fileName, const json::Object &object,
              ArrayRef<StringLiteral> knownKeys, std::string path = "")
      : fileName(fileName), object(object), knownKeys(knownKeys),
        path(std::move(path)) {}

  /// The value of a field, or null.
  const json::Value *find(StringRef key) const {
    const json::Value *value = object.get(key);
    return value && value->kind() != json::Value::Null ? value : nullptr;
  }

  /// An error about the object as a whole or several fields of it.
  Error fail(const Twine &message) const {
    return createStringError(fileName + ": " + message);
  }

  /// The error for a field that has a value other than what is expected.
  Error unexpected(StringRef key, const json::Value &value,
                   const Twine &expected) const {
    return fail("'" + path + key + "' is " + printShort(value) + ", expected " +
                expected);
  }

  /// The error for a field that is not there.
  Error missing(StringRef key, const Twine &expected) const;

  /// The error for a field that is not there or not what is expected.
  Error missingOrUnexpected(StringRef key, const Twine &expected) const {
    const json::Value *value = find(key);
    return value ? unexpected(key, *value, expected) : missing(key, expected);
  }

  /// Reads an integer between two bounds, both included.
  Error readInteger(StringRef key, int64_t min, int64_t max,
                    int64_t &result) const {
    const json::Value *value = find(key);
    std::optional<int64_t> number;
    if (value)
      number = getInteger(*value);
    if (!number || *number < min || *number > max)
      return missingOrUnexpected(
          key,
          min == max
              ? std::to_string(min)
              : ("an integer from " + Twine(min) + " to " + Twine(max)).str());
    result = *number;
    return Error::success();
  }

  /// Reads a finite number that `accept` takes.
  Error readNumber(StringRef key, function_ref<bool(double)> accept,
                   StringRef expected, double &result) const {
    const json::Value *value = find(key);
    std::optional<double> number;
    if (value)
      number = value->getAsNumber();
    if (!number || !std::isfinite(*number) || !accept(*number))
      return missingOrUnexpected(key, expected);
    result = *number;
    return Error::success();
  }

  /// Checks that a field is this string.
  Error expectString(StringRef key, StringRef string) const {
    const json::Value *value = find(key);
    if (value && value->getAsString() == string)
      return Error::success();
    return missingOrUnexpected(key, "\"" + string + "\"");
  }

  /// The reader of an object in this one. The keys of `knownKeys` are all it
  /// may have if `closed` is set: another one could change what it means.
  Expected<FieldReader> readObject(StringRef key,
                                   ArrayRef<StringLiteral> knownKeys,
                                   StringRef expected, bool closed) const;

private:
  StringRef fileName;
  const json::Object &object;
  ArrayRef<StringLiteral> knownKeys;
  std::string path;
};
} // namespace

Error FieldReader::missing(StringRef key, const Twine &expected) const {
  // A key that nobody reads and that is spelled almost alike.
  StringRef nearest;
  unsigned nearestDistance = 3;
  for (const auto &entry : object) {
    StringRef candidate = entry.first;
    unsigned distance = key.edit_distance(candidate, true, 2);
    if (is_contained(knownKeys, candidate) || distance > nearestDistance ||
        (distance == nearestDistance && !(candidate < nearest)))
      continue;
    nearest = candidate;
    nearestDistance = distance;
  }
  std::string hint;
  if (!nearest.empty() && nearestDistance <= 2)
    hint = " (did you mean it by '" + path + printKey(nearest) + "'?)";
  return fail("'" + path + key + "' is missing, expected " + expected + hint);
}

Expected<FieldReader> FieldReader::readObject(StringRef key,
                                              ArrayRef<StringLiteral> knownKeys,
                                              StringRef expected,
                                              bool closed) const {
  const json::Value *value = find(key);
  const json::Object *child = value ? value->getAsObject() : nullptr;
  if (!child)
    return missingOrUnexpected(key, expected);
  if (closed) {
    SmallVector<StringRef> unknown;
    for (const auto &entry : *child)
      if (!is_contained(knownKeys, StringRef(entry.first)))
        unknown.push_back(entry.first);
    sort(unknown);
    if (!unknown.empty())
      return fail("'" + path + key + "." + printKey(unknown.front()) + "' is " +
                  printShort(*child->get(unknown.front())) +
                  ", expected only fields of a rope that is supported: " +
                  join(knownKeys, ", "));
  }
  return FieldReader(fileName, *child, knownKeys, path + key.str() + ".");
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

static std::optional<LayerKind> parseRatio(const json::Value &value) {
  std::optional<int64_t> ratio = getInteger(value);
  if (ratio == 0 || ratio == 1)
    return LayerKind::SlidingWindow;
  if (ratio == 4)
    return LayerKind::CompressedSparse;
  if (ratio == 128)
    return LayerKind::HeavilyCompressed;
  return std::nullopt;
}

static std::optional<LayerKind> parseLayerType(const json::Value &value) {
  std::optional<StringRef> name = value.getAsString();
  if (name == StringRef("sliding_attention"))
    return LayerKind::SlidingWindow;
  if (name == StringRef("compressed_sparse_attention"))
    return LayerKind::CompressedSparse;
  if (name == StringRef("heavily_compressed_attention"))
    return LayerKind::HeavilyCompressed;
  return std::nullopt;
}

/// Reads one spelling of the list of layers. Draft layers at its end are
/// checked and left out.
static Expected<std::vector<LayerKind>>
readLayerList(const FieldReader &top, StringRef key, int64_t numLayers,
              int64_t numDraftLayers,
              function_ref<std::optional<LayerKind>(const json::Value &)> parse,
              StringRef expected) {
  const json::Value *value = top.find(key);
  const json::Array *list = value->getAsArray();
  if (!list)
    return top.unexpected(key, *value, "an array with an entry for each layer");
  int64_t size = list->size();
  if (size != numLayers && size != numLayers + numDraftLayers) {
    std::string sizes =
        (Twine(numLayers) + " as 'num_hidden_layers' says").str();
    if (numDraftLayers)
      sizes += (", or " + Twine(numLayers + numDraftLayers) +
                " with 'num_nextn_predict_layers'")
                   .str();
    return top.fail("'" + key + "' has " + Twine(size) + " entries, expected " +
                    sizes);
  }
  std::vector<LayerKind> layers;
  for (const auto &[index, entry] : enumerate(*list)) {
    std::optional<LayerKind> kind = parse(entry);
    if (!kind)
      return top.unexpected((key + "[" + Twine(index) + "]").str(), entry,
                            expected);
    layers.push_back(*kind);
  }
  layers.resize(numLayers);
  return layers;
}

/// Reads 'layers', 'sparseRatio' and 'heavyRatio' from either spelling.
static Error readLayers(const FieldReader &top, ModelConfig &config) {
  int64_t numDraftLayers = 0;
  if (top.find("num_nextn_predict_layers"))
    if (Error error = top.readInteger("num_nextn_predict_layers", 0, maxLayers,
                                      numDraftLayers))
      return error;

  bool hasRatios = top.find("compress_ratios");
  bool hasTypes = top.find("layer_types");
  if (!hasRatios && !hasTypes)
    return top.missing("compress_ratios",
                       "it, or 'layer_types' with 'compress_rates'");
  if (hasRatios) {
    Expected<std::vector<LayerKind>> layers = readLayerList(
        top, "compress_ratios", config.numLayers, numDraftLayers, parseRatio,
        "0 or 1 (window only), 4 (compressed sparse) or 128 (heavily "
        "compressed)");
    if (!layers)
      return layers.takeError();
    config.layers = std::move(*layers);
  }
  if (hasTypes) {
    Expected<std::vector<LayerKind>> layers = readLayerList(
        top, "layer_types", config.numLayers, numDraftLayers, parseLayerType,
        "\"sliding_attention\", \"compressed_sparse_attention\" or "
        "\"heavily_compressed_attention\"");
    if (!layers)
      return layers.takeError();
    if (hasRatios)
      for (int64_t i = 0; i < config.numLayers; ++i)
        if ((*layers)[i] != config.layers[i])
          return top.fail("'layer_types[" + Twine(i) + "]' means " +
                          getLayerKindName((*layers)[i]) +
                          ", expected the same as 'compress_ratios[" +
                          Twine(i) + "]', which means " +
                          getLayerKindName(config.layers[i]));
    config.layers = std::move(*layers);
  }

  // The rates: fixed by 'compress_ratios', else in 'compress_rates', of which
  // only the kinds that occur are read.
  static constexpr StringLiteral rateKeys[] = {"compressed_sparse_attention",
                                               "heavily_compressed_attention"};
  LayerKind kinds[] = {LayerKind::CompressedSparse,
                       LayerKind::HeavilyCompressed};
  int64_t *ratios[] = {&config.sparseRatio, &config.heavyRatio};
  int64_t published[] = {4, 128};
  bool hasRates = top.find("compress_rates");
  for (auto [key, kind, ratio, fixed] :
       zip_equal(rateKeys, kinds, ratios, published)) {
    if (!config.has(kind))
      continue;
    if (hasRatios)
      *ratio = fixed;
    if (hasRatios && !hasRates)
      continue;
    Expected<FieldReader> rates = top.readObject(
        "compress_rates", rateKeys,
        "an object with the positions per entry of each compressed kind",
        /*closed=*/false);
    if (!rates)
      return rates.takeError();
    int64_t min = hasRatios ? fixed : 2, max = hasRatios ? fixed : maxDimension;
    if (Error error = rates->readInteger(key, min, max, *ratio))
      return error;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Rope
//===----------------------------------------------------------------------===//

static constexpr StringLiteral ropeFields[] = {
    "type",
    "rope_type",
    "rope_theta",
    "factor",
    "beta_fast",
    "beta_slow",
    "original_max_position_embeddings",
    "partial_rotary_factor",
    "attention_factor",
};

static constexpr StringLiteral ropeScalingFields[] = {
    "type",
    "rope_type",
    "factor",
    "beta_fast",
    "beta_slow",
    "original_max_position_embeddings",
    "attention_factor",
};

static Error readTheta(const FieldReader &reader, StringRef key,
                       double &theta) {
  return reader.readNumber(
      key, [](double value) { return value > 1; }, "a number greater than 1",
      theta);
}

/// Checks a share of the head's channels against 'qk_rope_head_dim'.
static Error checkRotaryFactor(const FieldReader &reader,
                               const ModelConfig &config) {
  const json::Value *value = reader.find("partial_rotary_factor");
  if (!value)
    return Error::success();
  std::optional<double> number = value->getAsNumber();
  if (number && std::fabs(*number * config.headDim - config.ropeDims) < 1e-3)
    return Error::success();
  return reader.unexpected(
      "partial_rotary_factor", *value,
      "'qk_rope_head_dim' / 'head_dim' = " + Twine(config.ropeDims) + " / " +
          Twine(config.headDim));
}

/// Reads everything but theta from an object of rope parameters.
static Error readRopeType(const FieldReader &reader, const ModelConfig &config,
                          RopeConfig &rope) {
  rope.dims = config.ropeDims;
  StringRef expectedType = "\"yarn\" or \"default\"";
  const json::Value *type = reader.find("rope_type");
  const json::Value *oldType = reader.find("type");
  if (!type && !oldType)
    return reader.missing("rope_type", expectedType);
  if (type && oldType && *type != *oldType)
    return reader.unexpected("type", *oldType,
                             "the same as 'rope_type', " + printShort(*type));
  StringRef name = (type ? type : oldType)->getAsString().value_or("");
  if (name != "yarn" && name != "default")
    return reader.missingOrUnexpected(type ? "rope_type" : "type",
                                      expectedType);

  if (Error error = checkRotaryFactor(reader, config))
    return error;
  // Any other value scales the logits.
  if (const json::Value *value = reader.find("attention_factor"))
    if (value->getAsNumber() != 1.0)
      return reader.unexpected("attention_factor", *value, "1");

  if (name == "default") {
    for (StringRef key : {"factor", "beta_fast", "beta_slow",
                          "original_max_position_embeddings"})
      if (const json::Value *value = reader.find(key))
        return reader.unexpected(key, *value,
                                 "no such field with the type \"default\"");
    return Error::success();
  }
  if (Error error = reader.readNumber(
          "factor",
          [](double value) { return value >= 1 && value <= maxDimension; },
          "a number from 1 to 1048576", rope.factor))
    return error;
  auto isPositive = [](double value) { return value > 0; };
  if (Error error = reader.readNumber("beta_slow", isPositive,
                                      "a number greater than 0", rope.betaSlow))
    return error;
  if (Error error = reader.readNumber(
          "beta_fast", [&](double value) { return value > rope.betaSlow; },
          "a number greater than 'beta_slow'", rope.betaFast))
    return error;
  return reader.readInteger("original_max_position_embeddings", 1, maxPosition,
                            rope.originalPositions);
}

/// Checks that two spellings of a rope say the same. `names` are theirs.
static Error checkSameRope(const FieldReader &top, const RopeConfig &first,
                           const RopeConfig &second, StringRef names) {
  struct {
    StringRef field;
    double first, second;
  } fields[] = {
      {"theta", first.theta, second.theta},
      {"factor", first.factor, second.factor},
      {"beta_fast", first.betaFast, second.betaFast},
      {"beta_slow", first.betaSlow, second.betaSlow},
      {"original_max_position_embeddings",
       static_cast<double>(first.originalPositions),
       static_cast<double>(second.originalPositions)},
  };
  for (const auto &field : fields)
    if (field.first != field.second)
      return top.fail(names + " disagree about " + field.field + " (" +
                      printShort(field.first) + " and " +
                      printShort(field.second) +
                      "), expected the same in both");
  return Error::success();
}

/// Reads one of 'rope_parameters.main' and 'rope_parameters.compress'.
static Error readRopeParameters(const FieldReader &top, StringRef key,
                                const ModelConfig &config, RopeConfig &rope) {
  static constexpr StringLiteral parts[] = {"main", "compress"};
  Expected<FieldReader> parameters =
      top.readObject("rope_parameters", parts,
                     "an object with 'main' and 'compress'", /*closed=*/false);
  if (!parameters)
    return parameters.takeError();
  Expected<FieldReader> reader = parameters->readObject(
      key, ropeFields, "an object with rope_type and rope_theta",
      /*closed=*/true);
  if (!reader)
    return reader.takeError();
  if (Error error = readTheta(*reader, "rope_theta", rope.theta))
    return error;
  return readRopeType(*reader, config, rope);
}

/// Reads both ropes from either spelling. Theta at the top level is part of
/// the published spelling, and may be there beside the other one.
static Error readRopes(const FieldReader &top, ModelConfig &config) {
  if (Error error = checkRotaryFactor(top, config))
    return error;
  bool hasParameters = top.find("rope_parameters");
  bool hasScaling = top.find("rope_scaling");

  RopeConfig main;
  main.dims = config.ropeDims;
  if (!hasParameters || top.find("rope_theta"))
    if (Error error = readTheta(top, "rope_theta", main.theta))
      return error;
  config.mainRope = main;
  if (hasParameters) {
    if (Error error = readRopeParameters(top, "main", config, config.mainRope))
      return error;
    if (top.find("rope_theta") && main.theta != config.mainRope.theta)
      return top.unexpected("rope_theta", *top.find("rope_theta"),
                            "the same as 'rope_parameters.main.rope_theta', " +
                                printShort(config.mainRope.theta));
  }

  if (!config.has(LayerKind::CompressedSparse) &&
      !config.has(LayerKind::HeavilyCompressed))
    return Error::success();
  if (!hasParameters && !hasScaling)
    return top.missing("rope_scaling",
                       "it, or 'rope_parameters' with 'main' and 'compress'");
  RopeConfig compress;
  if (!hasParameters || top.find("compress_rope_theta"))
    if (Error error = readTheta(top, "compress_rope_theta", compress.theta))
      return error;
  if (hasScaling) {
    Expected<FieldReader> reader =
        top.readObject("rope_scaling", ropeScalingFields,
                       "an object with type, factor, beta_fast, beta_slow and "
                       "original_max_position_embeddings",
                       /*closed=*/true);
    if (!reader)
      return reader.takeError();
    if (Error error = readRopeType(*reader, config, compress))
      return error;
  }
  if (!hasParameters) {
    config.compressRope = compress;
    return Error::success();
  }
  if (Error error =
          readRopeParameters(top, "compress", config, config.compressRope))
    return error;
  double theta = config.compressRope.theta;
  if (const json::Value *value = top.find("compress_rope_theta"))
    if (compress.theta != theta)
      return top.unexpected(
          "compress_rope_theta", *value,
          "the same as 'rope_parameters.compress.rope_theta', " +
              printShort(theta));
  compress.theta = theta;
  if (!hasScaling)
    return Error::success();
  return checkSameRope(top, compress, config.compressRope,
                       "'rope_scaling' and 'rope_parameters.compress'");
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

static Error readQuantization(const FieldReader &top, ModelConfig &config) {
  if (!top.find("quantization_config"))
    return Error::success();
  static constexpr StringLiteral fields[] = {"activation_scheme", "fmt",
                                             "quant_method", "scale_fmt",
                                             "weight_block_size"};
  Expected<FieldReader> reader =
      top.readObject("quantization_config", fields,
                     "an object with quant_method, fmt and weight_block_size",
                     /*closed=*/false);
  if (!reader)
    return reader.takeError();
  if (Error error = reader->expectString("quant_method", "fp8"))
    return error;
  if (Error error = reader->expectString("fmt", "e4m3"))
    return error;
  // Activations are quantized as they come, never with stored scales.
  if (reader->find("activation_scheme"))
    if (Error error = reader->expectString("activation_scheme", "dynamic"))
      return error;

  QuantizationConfig quantization;
  const json::Value *size = reader->find("weight_block_size");
  const json::Array *pair = size ? size->getAsArray() : nullptr;
  std::optional<int64_t> rows, columns;
  if (pair && pair->size() == 2) {
    rows = getInteger((*pair)[0]);
    columns = getInteger((*pair)[1]);
  }
  auto isBlock = [](std::optional<int64_t> value) {
    return value && *value >= 1 && *value <= maxDimension;
  };
  if (!isBlock(rows) || !isBlock(columns))
    return reader->missingOrUnexpected(
        "weight_block_size", "two integers from 1 to " + Twine(maxDimension));
  quantization.blockRows = *rows;
  quantization.blockColumns = *columns;

  if (const json::Value *format = reader->find("scale_fmt")) {
    if (format->getAsString() != StringRef("ue8m0"))
      return reader->unexpected(
          "scale_fmt", *format,
          "\"ue8m0\", or no such field for scales in f32");
    quantization.powerOfTwoScales = true;
  }
  config.quantization = quantization;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static Error readIndexer(const FieldReader &top, ModelConfig &config) {
  if (!config.has(LayerKind::CompressedSparse))
    return Error::success();
  if (Error error =
          top.readInteger("index_n_heads", 1, maxDimension, config.indexHeads))
    return error;
  if (Error error = top.readInteger("index_head_dim", 1, maxDimension,
                                    config.indexHeadDim))
    return error;
  if (config.indexHeadDim < config.ropeDims)
    return top.unexpected("index_head_dim", config.indexHeadDim,
                          "at least 'qk_rope_head_dim', " +
                              Twine(config.ropeDims));
  return top.readInteger("index_topk", 1, maxDimension, config.indexTopK);
}

static Error readModelType(const FieldReader &top, std::string &result) {
  std::string expected =
      "a supported one: " + join(getSupportedModelTypes(), ", ");
  const json::Value *type = top.find("model_type");
  std::optional<StringRef> name;
  if (type)
    name = type->getAsString();
  if (!name || !is_contained(supportedModelTypes, *name))
    return top.missingOrUnexpected("model_type", expected);
  result = name->str();
  return Error::success();
}

static Error readConfig(const FieldReader &top, ModelConfig &config) {
  if (Error error = readModelType(top, config.modelType))
    return error;
  struct {
    StringRef key;
    int64_t max;
    int64_t &result;
  } integers[] = {
      {"hidden_size", maxDimension, config.hiddenSize},
      {"num_hidden_layers", maxLayers, config.numLayers},
      {"num_attention_heads", maxDimension, config.numHeads},
      {"head_dim", maxDimension, config.headDim},
      {"qk_rope_head_dim", maxDimension, config.ropeDims},
      {"q_lora_rank", maxDimension, config.qLoraRank},
      {"o_groups", maxDimension, config.oGroups},
      {"o_lora_rank", maxDimension, config.oLoraRank},
      {"sliding_window", maxPosition, config.slidingWindow},
      {"max_position_embeddings", maxPosition, config.maxPositions},
  };
  for (const auto &field : integers)
    if (Error error = top.readInteger(field.key, 1, field.max, field.result))
      return error;
  if (Error error = top.readNumber(
          "rms_norm_eps", [](double value) { return value > 0 && value < 1; },
          "a number between 0 and 1, both excluded", config.rmsNormEps))
    return error;

  if (config.ropeDims % 2 != 0)
    return top.unexpected("qk_rope_head_dim", config.ropeDims,
                          "an even number");
  if (config.headDim < config.ropeDims)
    return top.unexpected("head_dim", config.headDim,
                          "at least 'qk_rope_head_dim', " +
                              Twine(config.ropeDims));
  if (config.numHeads % config.oGroups != 0)
    return top.unexpected("num_attention_heads", config.numHeads,
                          "a multiple of 'o_groups', " + Twine(config.oGroups));
  // Keys and values are one latent row; other layouts are another layer.
  int64_t numKeyValueHeads = 0;
  if (Error error =
          top.readInteger("num_key_value_heads", 1, 1, numKeyValueHeads))
    return error;
  if (const json::Value *bias = top.find("attention_bias"))
    if (bias->getAsBoolean() != false)
      return top.unexpected("attention_bias", *bias, "false");

  if (Error error = readLayers(top, config))
    return error;
  if (Error error = readIndexer(top, config))
    return error;
  if (Error error = readRopes(top, config))
    return error;
  return readQuantization(top, config);
}

Expected<ModelConfig> parseModelConfig(StringRef text, StringRef fileName) {
  Expected<json::Object> object = parseJsonObject(text, fileName);
  if (!object)
    return object.takeError();
  ModelConfig config;
  if (Error error =
          readConfig(FieldReader(fileName, *object, knownFields), config))
    return error;
  return config;
}

Expected<ModelConfig> readModelConfig(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(
        path + ": cannot be read: " + buffer.getError().message());
  StringRef text = (*buffer)->getBuffer();
  if (text.size() > maxFileSize)
    return createStringError(path + ": the file has " + Twine(text.size()) +
                             " bytes, expected a model's config.json of at "
                             "most 16 MiB");
  return parseModelConfig(text, path);
}

} // namespace braid
