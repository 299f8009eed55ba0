//===- ImportModel.cpp - From a model's configuration to prefill -*- C++
//-*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds one function a layer kind. The order of ops is the serial order of the
// published implementations: the linears that read the hidden states first.
//
//===----------------------------------------------------------------------===//

#include "braid/Import/ImportModel.h"

#include "braid/Dialect/Prefill/IR/Prefill.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
using namespace braid;
using namespace braid::prefill;

/// Blocks of `size` that `extent` needs.
static int64_t divideCeil(int64_t extent, int64_t size) {
  return (extent + size - 1) / size;
}

namespace {

/// Values of a linear's input: as it is, or quantized.
struct Input {
  Value values;
  Value scales; ///< null if not quantized
};

/// A weight argument and its scales.
struct Weight {
  Value values;
  Value scales; ///< null if not quantized
};

/// Builds the function of one layer kind.
class LayerBuilder {
public:
  LayerBuilder(ModuleOp module, const ModelConfig &config,
               const ImportOptions &options, LayerKind kind)
      : module(module), config(config), options(options), kind(kind),
        builder(module.getContext()), loc(builder.getUnknownLoc()) {}

  func::FuncOp build();

private:
  // Arguments.
  Value addArgument(StringRef name, Type type,
                    ArrayRef<NamedAttribute> attributes = {});
  Value addTokensArgument(StringRef name, ArrayRef<int64_t> extents, Type type,
                          ArrayRef<NamedAttribute> attributes = {});
  Weight addWeight(StringRef name, ArrayRef<StringRef> sources,
                   ArrayRef<int64_t> shape, Type type);
  /// A weight that the published checkpoints hold in fp8.
  Weight addDenseWeight(StringRef name, ArrayRef<StringRef> sources,
                        int64_t rows, int64_t columns);
  Value addCache(StringRef name, int64_t row, Type type);
  Value addDeviceMetadata(StringRef name, ArrayRef<int64_t> extents, Type type,
                          bool perToken);
  Value addHostMetadata(StringRef name);
  void addArguments();

  // Ops.
  Value createEmpty(ArrayRef<int64_t> extents, Type type);
  Input quantize(Value x);
  Value createLinear(StringRef name, Input x, Weight weight, Type type);
  Value createGroupedLinear(StringRef name, Input x, Weight weight,
                            int64_t rows);
  Value createNorm(StringRef name, Value x, Value weight);
  Value createRope(StringRef name, Value x, bool inverse = false);
  Value createSlice(Value x, int64_t begin, int64_t size);
  /// Splits the last extent in two, of which `inner` is the second.
  Value createSplit(Value x, int64_t outer, int64_t inner);
  void createCompress(StringRef name, Value kvScore, StringRef prefix,
                      int64_t ratio, bool overlap);
  void createBody();
  void wrapInEager(Operation *first, Operation *last);

  NamedAttribute named(StringRef name, Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  Location at(StringRef name) {
    return NameLoc::get(builder.getStringAttr(name));
  }
  Value get(StringRef name) const {
    Value value = arguments.lookup(name);
    assert(value && "argument was not added");
    return value;
  }
  bool isSparse() const { return kind == LayerKind::CompressedSparse; }
  bool isCompressed() const { return kind != LayerKind::SlidingWindow; }
  /// Channels of a latent row that a packed cache holds in fp8: those that are
  /// not rotated.
  int64_t getFp8Channels() const { return config.headDim - config.ropeDims; }
  IntegerAttr getFp8ChannelsAttr() {
    return options.cache == CacheForm::FP8
               ? builder.getI64IntegerAttr(getFp8Channels())
               : IntegerAttr();
  }
  int64_t getRatio() const {
    return isSparse() ? config.sparseRatio : config.heavyRatio;
  }
  /// Channels of values (and of scores) in the compressor, as multiples of the
  /// entry: windows overlap in compressed-sparse layers.
  int64_t getOverlapFactor() const { return isSparse() ? 2 : 1; }

  ModuleOp module;
  const ModelConfig &config;
  const ImportOptions &options;
  LayerKind kind;
  OpBuilder builder;
  Location loc;

  Type element; ///< of activations and bf16 weights
  Type f32, i8, i32, i64;
  bool isQuantized = false;

  SmallVector<Type> argumentTypes;
  SmallVector<DictionaryAttr> argumentAttributes;
  SmallVector<std::string> argumentNames;
  llvm::StringMap<Value> arguments;
  Block *body = nullptr;
  Value tokens;
};

} // namespace

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Value LayerBuilder::addArgument(StringRef name, Type type,
                                ArrayRef<NamedAttribute> attributes) {
  SmallVector<NamedAttribute> all(attributes);
  all.push_back(
      named(PrefillDialect::getNameAttrName(), builder.getStringAttr(name)));
  argumentTypes.push_back(type);
  argumentAttributes.push_back(builder.getDictionaryAttr(all));
  Value value = body->addArgument(type, at(name));
  arguments[name] = value;
  return value;
}

Value LayerBuilder::addTokensArgument(StringRef name, ArrayRef<int64_t> extents,
                                      Type type,
                                      ArrayRef<NamedAttribute> attributes) {
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  llvm::append_range(shape, extents);
  SmallVector<NamedAttribute> all(attributes);
  all.push_back(
      named(sched::SchedDialect::getTokensAttrName(), builder.getUnitAttr()));
  return addArgument(name, RankedTensorType::get(shape, type), all);
}

Weight LayerBuilder::addWeight(StringRef name, ArrayRef<StringRef> sources,
                               ArrayRef<int64_t> shape, Type type) {
  SmallVector<Attribute> names;
  for (StringRef source : sources)
    names.push_back(builder.getStringAttr(source));
  return {addArgument(name, RankedTensorType::get(shape, type),
                      named(PrefillDialect::getWeightAttrName(),
                            builder.getArrayAttr(names))),
          nullptr};
}

Weight LayerBuilder::addDenseWeight(StringRef name, ArrayRef<StringRef> sources,
                                    int64_t rows, int64_t columns) {
  auto withSuffix = [&](StringRef suffix) {
    SmallVector<std::string> names;
    for (StringRef source : sources)
      names.push_back((source + suffix).str());
    return names;
  };
  SmallVector<std::string> weightNames = withSuffix(".weight");
  SmallVector<StringRef> weightRefs(weightNames.begin(), weightNames.end());
  if (!isQuantized)
    return addWeight(name, weightRefs, {rows, columns}, element);
  Weight weight = addWeight(name, weightRefs, {rows, columns},
                            Float8E4M3FNType::get(builder.getContext()));
  const QuantizationConfig &quantization = *config.quantization;
  SmallVector<std::string> scaleNames = withSuffix(".scale");
  SmallVector<StringRef> scaleRefs(scaleNames.begin(), scaleNames.end());
  weight.scales =
      addWeight((name + "_scale").str(), scaleRefs,
                {divideCeil(rows, quantization.blockRows),
                 divideCeil(columns, quantization.blockColumns)},
                quantization.powerOfTwoScales
                    ? Type(Float8E8M0FNUType::get(builder.getContext()))
                    : f32)
          .values;
  return weight;
}

/// Caches are paged, [blocks, block size, row]; the engine chooses both.
Value LayerBuilder::addCache(StringRef name, int64_t row, Type type) {
  MemRefLayoutAttrInterface layout;
  // Engines align blocks of packed rows, so one may be followed by a gap.
  if (type == i8)
    layout = StridedLayoutAttr::get(builder.getContext(), 0,
                                    {ShapedType::kDynamic, row, 1});
  return addArgument(
      name, MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic, row},
                            type, layout));
}

Value LayerBuilder::addDeviceMetadata(StringRef name, ArrayRef<int64_t> extents,
                                      Type type, bool perToken) {
  NamedAttribute metadata = named(
      PrefillDialect::getMetadataAttrName(),
      MetadataAttr::get(builder.getContext(), /*host=*/false,
                        options.metadata == MetadataLifetime::Persistent));
  if (perToken)
    return addTokensArgument(name, extents, type, metadata);
  return addArgument(name, RankedTensorType::get(extents, type), metadata);
}

Value LayerBuilder::addHostMetadata(StringRef name) {
  return addArgument(name, RankedTensorType::get({ShapedType::kDynamic}, i32),
                     named(PrefillDialect::getMetadataAttrName(),
                           MetadataAttr::get(builder.getContext(),
                                             /*host=*/true,
                                             /*persistent=*/false)));
}

void LayerBuilder::addArguments() {
  constexpr int64_t dynamic = ShapedType::kDynamic;
  const int64_t hidden = config.hiddenSize, head = config.headDim;
  const int64_t rank = config.qLoraRank, heads = config.numHeads;

  // Inputs.
  addTokensArgument("hidden", {hidden}, element);
  addTokensArgument("positions", {}, i64);
  const RopeConfig &rope =
      isCompressed() ? config.compressRope : config.mainRope;
  auto f64 = [&](double value) { return builder.getF64FloatAttr(value); };
  RopeAttr ropeAttr =
      rope.factor == 1
          ? RopeAttr::get(builder.getContext(), f64(rope.theta), {}, {}, {}, {})
          : RopeAttr::get(builder.getContext(), f64(rope.theta),
                          f64(rope.factor), f64(rope.betaFast),
                          f64(rope.betaSlow),
                          builder.getI64IntegerAttr(rope.originalPositions));
  addArgument("rope_table", RankedTensorType::get({dynamic, rope.dims}, f32),
              named(PrefillDialect::getRopeAttrName(), ropeAttr));

  // Weights.
  addDenseWeight("wq_a_wkv", {"wq_a", "wkv"}, rank + head, hidden);
  addWeight("q_norm", {"q_norm.weight"}, {rank}, element);
  addWeight("kv_norm", {"kv_norm.weight"}, {head}, element);
  addDenseWeight("wq_b", {"wq_b"}, heads * head, rank);
  addWeight("attn_sink", {"attn_sink"}, {heads}, f32);
  addDenseWeight("wo_a", {"wo_a"}, config.oGroups * config.oLoraRank,
                 heads / config.oGroups * head);
  addDenseWeight("wo_b", {"wo_b"}, hidden, config.oGroups * config.oLoraRank);
  const int64_t factor = getOverlapFactor();
  if (isCompressed()) {
    addWeight("compressor_wkv_wgate",
              {"compressor.wkv.weight", "compressor.wgate.weight"},
              {2 * factor * head, hidden}, element);
    addWeight("compressor_ape", {"compressor.ape"}, {getRatio(), factor * head},
              f32);
    addWeight("compressor_norm", {"compressor.norm.weight"}, {head}, element);
  }
  const int64_t indexHead = config.indexHeadDim;
  if (isSparse()) {
    addDenseWeight("indexer_wq_b", {"indexer.wq_b"},
                   config.indexHeads * indexHead, rank);
    addWeight("indexer_weights_proj", {"indexer.weights_proj.weight"},
              {config.indexHeads, hidden}, element);
    addWeight(
        "indexer_compressor_wkv_wgate",
        {"indexer.compressor.wkv.weight", "indexer.compressor.wgate.weight"},
        {2 * factor * indexHead, hidden}, element);
    addWeight("indexer_compressor_ape", {"indexer.compressor.ape"},
              {getRatio(), factor * indexHead}, f32);
    addWeight("indexer_compressor_norm", {"indexer.compressor.norm.weight"},
              {indexHead}, element);
  }

  // Caches and metadata.
  auto addRows = [&](StringRef name, int64_t channels,
                     std::optional<int64_t> fp8Channels) {
    if (options.cache == CacheForm::FP8)
      addCache(name, getPackedRowBytes(channels, fp8Channels), i8);
    else
      addCache(name, channels, element);
  };
  addRows("window_cache", head, getFp8Channels());
  if (isCompressed()) {
    addCache("compressor_state", 2 * factor * head, f32);
    addRows("compressed_cache", head, getFp8Channels());
  }
  if (isSparse()) {
    addCache("index_state", 2 * factor * indexHead, f32);
    addRows("index_cache", indexHead, std::nullopt);
  }
  auto addPaged = [&](StringRef name) {
    addDeviceMetadata((name + "_slots").str(), {}, i64, /*perToken=*/true);
    addDeviceMetadata((name + "_table").str(), {dynamic, dynamic}, i32,
                      /*perToken=*/false);
  };
  addPaged("window");
  if (isCompressed()) {
    addPaged("state");
    addPaged("compressed");
    addDeviceMetadata("token_to_request", {}, i32, /*perToken=*/true);
  }
  if (isSparse()) {
    addPaged("index_state");
    addPaged("index");
  }
  addHostMetadata("query_offsets");
  addHostMetadata("sequence_lengths");

  addTokensArgument(
      "output", {hidden}, element,
      named(bufferization::BufferizationDialect::kWritableAttrName,
            builder.getBoolAttr(true)));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value LayerBuilder::createEmpty(ArrayRef<int64_t> extents, Type type) {
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  llvm::append_range(shape, extents);
  return tensor::EmptyOp::create(builder, loc, shape, type, tokens);
}

/// fp8 in blocks of the last dimension, where the model's weights are fp8.
Input LayerBuilder::quantize(Value x) {
  if (!isQuantized)
    return {x, nullptr};
  ArrayRef<int64_t> shape = cast<RankedTensorType>(x.getType()).getShape();
  const int64_t block = config.quantization->blockColumns;
  SmallVector<int64_t> scaleShape(shape.drop_front());
  scaleShape.back() = divideCeil(scaleShape.back(), block);
  Value values = createEmpty(shape.drop_front(),
                             Float8E4M3FNType::get(builder.getContext()));
  Value scales = createEmpty(scaleShape, f32);
  auto op = QuantizeOp::create(builder, loc,
                               TypeRange{values.getType(), scales.getType()}, x,
                               values, scales, block);
  return {op.getResult(0), op.getResult(1)};
}

Value LayerBuilder::createLinear(StringRef name, Input x, Weight weight,
                                 Type type) {
  int64_t rows = cast<RankedTensorType>(weight.values.getType()).getDimSize(0);
  Value y = createEmpty({rows}, type);
  return LinearOp::create(builder, at(name), y.getType(), x.values,
                          weight.values, x.scales, weight.scales, y)
      .getResult(0);
}

Value LayerBuilder::createGroupedLinear(StringRef name, Input x, Weight weight,
                                        int64_t rows) {
  int64_t groups = cast<RankedTensorType>(x.values.getType()).getDimSize(1);
  Value y = createEmpty({groups, rows}, element);
  return GroupedLinearOp::create(builder, at(name), y.getType(), x.values,
                                 weight.values, x.scales, weight.scales, y)
      .getResult(0);
}

Value LayerBuilder::createNorm(StringRef name, Value x, Value weight) {
  auto type = cast<RankedTensorType>(x.getType());
  Value y = createEmpty(type.getShape().drop_front(), element);
  return RmsNormOp::create(builder, at(name), y.getType(), x, weight, y,
                           builder.getF64FloatAttr(config.rmsNormEps))
      .getResult(0);
}

Value LayerBuilder::createRope(StringRef name, Value x, bool inverse) {
  auto type = cast<RankedTensorType>(x.getType());
  Value y = createEmpty(type.getShape().drop_front(), element);
  return RopeOp::create(builder, at(name), y.getType(), x, get("positions"),
                        get("rope_table"), y, inverse)
      .getResult(0);
}

Value LayerBuilder::createSlice(Value x, int64_t begin, int64_t size) {
  SmallVector<OpFoldResult> offsets{builder.getIndexAttr(0),
                                    builder.getIndexAttr(begin)};
  SmallVector<OpFoldResult> sizes{tokens, builder.getIndexAttr(size)};
  SmallVector<OpFoldResult> strides(2, builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, x, offsets, sizes,
                                        strides);
}

Value LayerBuilder::createSplit(Value x, int64_t outer, int64_t inner) {
  auto type = cast<RankedTensorType>(x.getType());
  auto result = RankedTensorType::get({ShapedType::kDynamic, outer, inner},
                                      type.getElementType());
  SmallVector<ReassociationIndices> groups{{0}, {1, 2}};
  SmallVector<OpFoldResult> shape{tokens, builder.getIndexAttr(outer),
                                  builder.getIndexAttr(inner)};
  return tensor::ExpandShapeOp::create(builder, loc, result, x, groups, shape);
}

void LayerBuilder::createCompress(StringRef name, Value kvScore,
                                  StringRef prefix, int64_t ratio,
                                  bool overlap) {
  bool isIndex = prefix.starts_with("indexer");
  std::string state = isIndex ? "index_state" : "state";
  std::string entries = isIndex ? "index" : "compressed";
  CompressOp::create(
      builder, at(name), kvScore, get((prefix + "_ape").str()),
      get((prefix + "_norm").str()), get("positions"), get("rope_table"),
      get(state + "_slots"), get(state + "_table"), get("token_to_request"),
      get(entries + "_slots"),
      get(isIndex ? "index_state" : "compressor_state"),
      get(entries + "_cache"), ratio, overlap, llvm::APFloat(config.rmsNormEps),
      isIndex ? IntegerAttr() : getFp8ChannelsAttr());
}

/// Moves the ops from `first` to `last` into an eager region, which yields
/// what is used after them.
void LayerBuilder::wrapInEager(Operation *first, Operation *last) {
  SmallVector<Operation *> inside;
  for (Operation *op = first; op != last->getNextNode(); op = op->getNextNode())
    inside.push_back(op);
  llvm::SmallPtrSet<Operation *, 32> insideSet(inside.begin(), inside.end());
  SmallVector<Value> liveOuts;
  for (Operation *op : inside)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !insideSet.contains(user);
          }))
        liveOuts.push_back(result);

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(first);
  auto eager = EagerOp::create(builder, loc, TypeRange(ValueRange(liveOuts)));
  Block *region = builder.createBlock(&eager.getBody());
  for (Operation *op : inside)
    op->moveBefore(region, region->end());
  YieldOp::create(builder, loc, liveOuts);
  for (auto [value, result] : llvm::zip(liveOuts, eager.getResults()))
    value.replaceUsesWithIf(result, [&](OpOperand &use) {
      return use.getOwner()->getBlock() != region;
    });
}

void LayerBuilder::createBody() {
  const int64_t head = config.headDim, heads = config.numHeads;
  const int64_t rank = config.qLoraRank, indexHeads = config.indexHeads;
  auto weight = [&](StringRef name) {
    return Weight{get(name), arguments.lookup((name + "_scale").str())};
  };
  Operation *lastBefore = &body->back();

  // The linears that read the hidden states.
  Value hidden = get("hidden");
  Value latent =
      createLinear("wq_a_wkv", quantize(hidden), weight("wq_a_wkv"), element);
  Value kvScore, indexWeights, indexKvScore;
  if (isCompressed())
    kvScore = createLinear("compressor_wkv_wgate", {hidden, nullptr},
                           weight("compressor_wkv_wgate"), f32);
  if (isSparse()) {
    indexWeights = createLinear("indexer_weights_proj", {hidden, nullptr},
                                weight("indexer_weights_proj"), element);
    indexKvScore =
        createLinear("indexer_compressor_wkv_wgate", {hidden, nullptr},
                     weight("indexer_compressor_wkv_wgate"), f32);
  }

  // Norms of both halves of the latent.
  Value q = createNorm("q_norm", createSlice(latent, 0, rank), get("q_norm"));
  Value kv =
      createNorm("kv_norm", createSlice(latent, rank, head), get("kv_norm"));
  Operation *lastNorm = &body->back();

  // Queries, and the window cache.
  Input qInput = quantize(q);
  Value queries = createLinear("wq_b", qInput, weight("wq_b"), element);
  queries = createNorm("q_head_norm", createSplit(queries, heads, head),
                       /*weight=*/nullptr);
  queries = createRope("q_rope", queries);
  Value rows = createRope("kv_rope", kv);
  CacheInsertOp::create(builder, at("window_insert"), rows, get("window_slots"),
                        get("window_cache"), getFp8ChannelsAttr());

  // Compressed entries.
  if (isCompressed())
    createCompress("compress", kvScore, "compressor", getRatio(), isSparse());
  Value selected;
  if (isSparse()) {
    createCompress("index_compress", indexKvScore, "indexer_compressor",
                   getRatio(), /*overlap=*/true);
    Value indexQ =
        createLinear("indexer_wq_b", qInput, weight("indexer_wq_b"), element);
    indexQ = createSplit(indexQ, indexHeads, config.indexHeadDim);
    Type qType = options.cache == CacheForm::FP8
                     ? Type(Float8E4M3FNType::get(builder.getContext()))
                     : element;
    Value qOut = createEmpty({indexHeads, config.indexHeadDim}, qType);
    Value wOut = createEmpty({indexHeads}, f32);
    double scale = 1 / std::sqrt(double(config.indexHeadDim) * indexHeads);
    auto query = IndexQueryOp::create(
        builder, at("index_query"), TypeRange{qOut.getType(), wOut.getType()},
        indexQ, indexWeights, get("positions"), get("rope_table"), qOut, wOut,
        builder.getF64FloatAttr(scale));
    Value choice = createEmpty({config.indexTopK}, i32);
    selected =
        IndexSelectOp::create(builder, at("index_select"), choice.getType(),
                              query.getResult(0), query.getResult(1),
                              get("index_cache"), get("index_table"),
                              get("query_offsets"), get("sequence_lengths"),
                              choice, static_cast<uint64_t>(getRatio()))
            .getResult(0);
  }

  // Attention.
  Value context = createEmpty({heads, head}, element);
  auto attend = AttendOp::create(
      builder, at("attend"), context.getType(), queries, get("attn_sink"),
      get("window_cache"), get("window_table"),
      isCompressed() ? get("compressed_cache") : Value(),
      isCompressed() ? get("compressed_table") : Value(), selected,
      get("query_offsets"), get("sequence_lengths"), context,
      builder.getF64FloatAttr(1 / std::sqrt(double(head))),
      builder.getI64IntegerAttr(config.slidingWindow),
      builder.getI64IntegerAttr(isCompressed() ? getRatio() : 0),
      getFp8ChannelsAttr());
  Operation *lastAttention = &body->back();

  // Output projection. Keys are values, so values carry a rotation that has to
  // be undone.
  Value o = createRope("o_rope", attend.getResult(0), /*inverse=*/true);
  const int64_t groups = config.oGroups;
  SmallVector<ReassociationIndices> split{{0}, {1, 2}, {3}};
  auto splitType = RankedTensorType::get(
      {ShapedType::kDynamic, groups, heads / groups, head}, element);
  SmallVector<OpFoldResult> splitShape{tokens, builder.getIndexAttr(groups),
                                       builder.getIndexAttr(heads / groups),
                                       builder.getIndexAttr(head)};
  o = tensor::ExpandShapeOp::create(builder, loc, splitType, o, split,
                                    splitShape);
  o = tensor::CollapseShapeOp::create(
      builder, loc, o, ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3}});
  Value z = createGroupedLinear("wo_a", quantize(o), weight("wo_a"),
                                config.oLoraRank);
  z = tensor::CollapseShapeOp::create(
      builder, loc, z, ArrayRef<ReassociationIndices>{{0}, {1, 2}});
  Input zInput = quantize(z);
  Value output = get("output");
  Weight wo = weight("wo_b");
  auto last =
      LinearOp::create(builder, at("wo_b"), output.getType(), zInput.values,
                       wo.values, zInput.scales, wo.scales, output);
  func::ReturnOp::create(builder, loc, last.getResult(0));

  if (options.eager == EagerForm::Wide)
    wrapInEager(lastBefore->getNextNode(), last);
  else if (options.eager == EagerForm::AfterNorm)
    wrapInEager(lastNorm->getNextNode(), lastAttention);
}

func::FuncOp LayerBuilder::build() {
  MLIRContext *context = builder.getContext();
  f32 = builder.getF32Type();
  i8 = builder.getI8Type();
  i32 = builder.getI32Type();
  i64 = builder.getI64Type();
  element = options.weightType == WeightType::F32 ? f32 : builder.getBF16Type();
  isQuantized = options.weightType == WeightType::FP8;

  builder.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(builder, at(getLayerKindName(kind)),
                                       getLayerKindName(kind),
                                       FunctionType::get(context, {}, {}));
  body = function.addEntryBlock();
  addArguments();
  Type result = argumentTypes.back();
  function.setFunctionType(FunctionType::get(context, argumentTypes, result));
  function.setAllArgAttrs(argumentAttributes);

  builder.setInsertionPointToStart(body);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  tokens = tensor::DimOp::create(builder, loc, get("hidden"), zero);
  createBody();
  return function;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

llvm::Expected<OwningOpRef<ModuleOp>>
braid::importModel(MLIRContext *context, const ModelConfig &config,
                   const ImportOptions &options) {
  auto error = [](const Twine &what) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
  };
  if (options.layer &&
      (*options.layer < 0 || *options.layer >= config.numLayers))
    return error("layer " + Twine(*options.layer) +
                 " does not exist; the model has layers 0 to " +
                 Twine(config.numLayers - 1));
  if (options.cache == CacheForm::FP8 && config.headDim == config.ropeDims)
    return error("head_dim and qk_rope_head_dim are both " +
                 Twine(config.headDim) +
                 "; rows of an fp8 cache need channels that are not rotated");
  if (options.weightType == WeightType::FP8) {
    if (!config.quantization)
      return error("fp8 weights need the field 'quantization_config', which "
                   "the configuration does not have");
    if (config.quantization->blockRows != 128 ||
        config.quantization->blockColumns != 128)
      return error("weight_block_size is [" +
                   Twine(config.quantization->blockRows) + ", " +
                   Twine(config.quantization->blockColumns) +
                   "]; expected [128, 128]");
    // wq_a and wkv are one argument. Blocks of both lie below each other only
    // if no block has rows of both.
    if (config.qLoraRank % config.quantization->blockRows != 0)
      return error("q_lora_rank is " + Twine(config.qLoraRank) +
                   "; fp8 weights need a multiple of " +
                   Twine(config.quantization->blockRows));
  }

  context->loadDialect<arith::ArithDialect, func::FuncDialect,
                       memref::MemRefDialect, PrefillDialect,
                       bufferization::BufferizationDialect,
                       tensor::TensorDialect>();
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  llvm::SmallSetVector<int, 3> kinds;
  for (auto [index, kind] : llvm::enumerate(config.layers)) {
    if (options.layer && static_cast<int64_t>(index) != *options.layer)
      continue;
    kinds.insert(static_cast<int>(kind));
    LayerOp::create(builder, builder.getUnknownLoc(), index,
                    getLayerKindName(kind));
  }
  for (int kind : kinds)
    LayerBuilder(*module, config, options, static_cast<LayerKind>(kind))
        .build();
  return module;
}
