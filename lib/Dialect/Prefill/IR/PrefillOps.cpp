//===- PrefillOps.cpp - Operations of the prefill dialect -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Type inference, effects, costs and verification. Costs count one prompt
// without history: the expected number of compressed entries that a token sees
// is then T / (2 ratio).
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Prefill/IR/Prefill.h"

#include "braid/Dialect/Support/ShapeVerifier.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace braid;
using namespace braid::prefill;
using sched::Access;
using sched::Cost;
using sched::countBytes;
using sched::countElements;
using sched::EffectClass;

#define GET_OP_CLASSES
#include "braid/Dialect/Prefill/IR/PrefillOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Shared by all ops
//===----------------------------------------------------------------------===//

void prefill::getAccessEffects(
    sched::SchedulableOpInterface op,
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    Access access = op.getAccess(operand);
    // Reads come first: an op that does both reads what was there before.
    if (access == Access::Read || access == Access::ReadWrite)
      effects.emplace_back(MemoryEffects::Read::get(), &operand, /*stage=*/0,
                           /*effectOnFullRegion=*/false,
                           SideEffects::DefaultResource::get());
    if (access == Access::Write || access == Access::ReadWrite)
      effects.emplace_back(MemoryEffects::Write::get(), &operand, /*stage=*/1,
                           /*effectOnFullRegion=*/false,
                           SideEffects::DefaultResource::get());
  }
}

LogicalResult prefill::inferFromInits(ValueRange inits,
                                      SmallVectorImpl<Type> &results) {
  for (Value init : inits)
    if (isa<RankedTensorType>(init.getType()))
      results.push_back(init.getType());
  return success();
}

/// The operand of an optional group, or null.
static OpOperand *getOptional(MutableOperandRange range) {
  return range.empty() ? nullptr : &range[0];
}

/// Element of the last dimension's extent.
static int64_t getLastExtent(Value value) {
  return cast<ShapedType>(value.getType()).getShape().back();
}

namespace {
/// Element types by their short names.
struct Types {
  explicit Types(MLIRContext *context)
      : f32(Float32Type::get(context)), bf16(BFloat16Type::get(context)),
        fp8(Float8E4M3FNType::get(context)),
        e8m0(Float8E8M0FNUType::get(context)), i8(IntegerType::get(context, 8)),
        i32(IntegerType::get(context, 32)), i64(IntegerType::get(context, 64)) {
  }
  Type f32, bf16, fp8, e8m0, i8, i32, i64;
};
} // namespace

//===----------------------------------------------------------------------===//
// LinearOp and GroupedLinearOp
//===----------------------------------------------------------------------===//

/// Element types of a linear, and its scales. `rowDims` are the dimensions of x
/// before the reduction.
static void verifyLinearTypes(ShapeVerifier &verify, NamedOperand x,
                              NamedOperand weight, Value xScale,
                              Value weightScale, NamedOperand y) {
  Types types(x.value.getContext());
  verify.elementType(x, {types.f32, types.bf16, types.fp8});
  verify.sameElementType(weight, x);
  if (verify.hasFailed())
    return;
  Type element = x.getType().getElementType();
  if (element == types.f32)
    verify.elementType(y, types.f32);
  else
    verify.elementType(y, {types.bf16, types.f32});

  bool isScaled = bool(xScale);
  verify.check(isScaled == bool(weightScale),
               "has one scale; expected scales for both x and weight, or none");
  verify.check(isScaled == (element == types.fp8),
               isScaled ? "has scales, but x is not f8E4M3FN"
                        : "x is f8E4M3FN, but there are no scales",
               x);
  if (!isScaled || verify.hasFailed())
    return;

  NamedOperand sx{"x_scale", xScale}, sw{"weight_scale", weightScale};
  verify.elementType(sx, types.f32);
  verify.elementType(sw, {types.f32, types.e8m0});
  int64_t xRank = x.getType().getRank();
  verify.rank(sx, {1, xRank});
  verify.rank(sw, {1, 2});
  if (verify.hasFailed())
    return;
  auto blocks = [](int64_t extent) {
    return ShapedType::isDynamic(extent) ? extent
                                         : llvm::divideCeil(extent, 128);
  };
  if (sx.getType().getRank() == 1) {
    verify.extent(sx, 0, 1, "one scale per tensor");
  } else {
    for (int64_t dim = 0; dim + 1 < xRank; ++dim)
      verify.sameExtent(sx, dim, x, dim);
    int64_t expected = blocks(x.getExtent(xRank - 1));
    if (!ShapedType::isDynamic(expected))
      verify.extent(sx, xRank - 1, expected,
                    "one scale for each 128 channels of x", x);
  }
  if (sw.getType().getRank() == 1) {
    verify.extent(sw, 0, 1, "one scale per tensor");
  } else {
    for (unsigned dim : {0u, 1u}) {
      int64_t expected = blocks(weight.getExtent(dim));
      if (!ShapedType::isDynamic(expected))
        verify.extent(sw, dim, expected,
                      "one scale for each block of 128 x 128 weights", weight);
    }
  }
}

/// Kernels of both linears take scales at fixed places.
template <typename OpTy>
static SmallVector<OpOperand *> getLinearOperands(OpTy op) {
  return {&op.getXMutable(), &op.getWeightMutable(),
          getOptional(op.getXScaleMutable()),
          getOptional(op.getWeightScaleMutable()), &op.getYMutable()};
}

/// Blocks along the sum of a product whose weight has a scale for each.
static double countScaledBlocks(Value weightScale) {
  if (!weightScale || cast<ShapedType>(weightScale.getType()).getRank() < 2)
    return 0;
  int64_t blocks = getLastExtent(weightScale);
  return ShapedType::isDynamic(blocks) ? 0 : blocks;
}

SmallVector<OpOperand *> LinearOp::getKernelOperands() {
  return getLinearOperands(*this);
}

Cost LinearOp::getCost(int64_t tokens) {
  Cost cost = sched::getDefaultCost(*this, tokens);
  cost.flops = 2 * countElements(getX().getType(), tokens) *
               countElements(getWeight().getType(), tokens) /
               std::max<double>(1, getLastExtent(getX()));
  cost.scaledBlocks = countScaledBlocks(getWeightScale());
  return cost;
}

LogicalResult LinearOp::verify() {
  NamedOperand x{"x", getX()}, weight{"weight", getWeight()}, y{"y", getY()};
  ShapeVerifier verify(*this);
  verify.rank(x, 2);
  verify.rank(weight, 2);
  verify.rank(y, 2);
  if (verify.hasFailed())
    return failure();
  verify.sameExtent(weight, 1, x, 1);
  verify.sameExtent(y, 0, x, 0);
  verify.sameExtent(y, 1, weight, 0);
  verifyLinearTypes(verify, x, weight, getXScale(), getWeightScale(), y);
  return verify.result();
}

SmallVector<OpOperand *> GroupedLinearOp::getKernelOperands() {
  return getLinearOperands(*this);
}

Cost GroupedLinearOp::getCost(int64_t tokens) {
  Cost cost = sched::getDefaultCost(*this, tokens);
  // Each group's rows meet that group's weights only.
  cost.flops = 2 * countElements(getY().getType(), tokens) *
               std::max<double>(1, getLastExtent(getX()));
  cost.scaledBlocks = countScaledBlocks(getWeightScale());
  return cost;
}

LogicalResult GroupedLinearOp::verify() {
  NamedOperand x{"x", getX()}, weight{"weight", getWeight()}, y{"y", getY()};
  ShapeVerifier verify(*this);
  verify.rank(x, 3);
  verify.rank(weight, 2);
  verify.rank(y, 3);
  if (verify.hasFailed())
    return failure();
  verify.sameExtent(weight, 1, x, 2);
  verify.sameExtent(y, 0, x, 0);
  verify.sameExtent(y, 1, x, 1);
  int64_t groups = y.getExtent(1), rows = y.getExtent(2);
  if (!ShapedType::isDynamic(groups) && !ShapedType::isDynamic(rows))
    verify.extent(weight, 0, groups * rows, "groups times rows of y", y);
  verifyLinearTypes(verify, x, weight, getXScale(), getWeightScale(), y);
  return verify.result();
}

//===----------------------------------------------------------------------===//
// QuantizeOp
//===----------------------------------------------------------------------===//

Cost QuantizeOp::getCost(int64_t tokens) {
  Cost cost = sched::getDefaultCost(*this, tokens);
  cost.flops = 3 * countElements(getX().getType(), tokens);
  return cost;
}

LogicalResult QuantizeOp::verify() {
  NamedOperand x{"x", getX()}, values{"values", getValues()},
      scales{"scales", getScales()};
  Types types(getContext());
  ShapeVerifier verify(*this);
  verify.rank(x, {2, 3});
  verify.sameShape(values, x);
  verify.rank(scales, x.getType().getRank());
  verify.elementType(x, {types.f32, types.bf16});
  verify.elementType(values, types.fp8);
  verify.elementType(scales, {types.f32, types.e8m0});
  if (verify.hasFailed())
    return failure();
  int64_t last = x.getType().getRank() - 1;
  for (int64_t dim = 0; dim < last; ++dim)
    verify.sameExtent(scales, dim, x, dim);
  if (!ShapedType::isDynamic(x.getExtent(last)))
    verify.extent(scales, last,
                  llvm::divideCeil(x.getExtent(last), (int64_t)getBlock()),
                  "one scale for each block of x", x);
  return verify.result();
}

//===----------------------------------------------------------------------===//
// RmsNormOp and RopeOp
//===----------------------------------------------------------------------===//

SmallVector<OpOperand *> RmsNormOp::getKernelOperands() {
  return {&getXMutable(), getOptional(getWeightMutable()), &getYMutable()};
}

Cost RmsNormOp::getCost(int64_t tokens) {
  Cost cost = sched::getDefaultCost(*this, tokens);
  cost.flops = 4 * countElements(getX().getType(), tokens);
  return cost;
}

/// The number that keeps a norm from dividing by zero.
static void verifyEps(ShapeVerifier &verify, const APFloat &eps) {
  double value = eps.convertToDouble();
  SmallString<16> text;
  eps.toString(text);
  verify.check(value >= 0 && value < 1,
               "eps is " + text + ", expected a number in [0, 1)");
}

LogicalResult RmsNormOp::verify() {
  NamedOperand x{"x", getX()}, y{"y", getY()};
  Types types(getContext());
  ShapeVerifier verify(*this);
  verify.rank(x, {2, 3});
  verify.sameShape(y, x);
  verify.elementType(x, {types.f32, types.bf16});
  verify.elementType(y, {types.f32, types.bf16});
  if (Value value = getWeight()) {
    NamedOperand weight{"weight", value};
    verify.rank(weight, 1);
    verify.elementType(weight, {types.f32, types.bf16});
    if (!verify.hasFailed())
      verify.sameExtent(weight, 0, x, x.getType().getRank() - 1);
  }
  verifyEps(verify, getEps());
  return verify.result();
}

/// Positions [T] and table [P, r] of a rotation of x's last channels.
static void verifyRotation(ShapeVerifier &verify, NamedOperand x,
                           NamedOperand positions, NamedOperand table) {
  Types types(x.value.getContext());
  verify.rank(positions, 1);
  verify.rank(table, 2);
  verify.elementType(positions, types.i64);
  verify.elementType(table, types.f32);
  if (verify.hasFailed())
    return;
  verify.sameExtent(positions, 0, x, 0);
  int64_t channels = table.getExtent(1), width = getLastExtent(x.value);
  if (ShapedType::isDynamic(channels) || ShapedType::isDynamic(width))
    return;
  verify.check(channels % 2 == 0 && channels > 0,
               "table rotates " + Twine(channels) +
                   " channels, expected an even number of at least 2",
               table);
  verify.check(channels <= width,
               "table rotates " + Twine(channels) + " channels, but x has " +
                   Twine(width),
               table);
}

Cost RopeOp::getCost(int64_t tokens) {
  Cost cost;
  // Only the rows of the table that the tokens' positions name are read.
  double channels = std::max<double>(2, getLastExtent(getTable()));
  cost.bytes = countBytes(getX().getType(), tokens) +
               countBytes(getY().getType(), tokens) +
               tokens * (8 + 4 * channels);
  cost.flops = 3 * channels * countElements(getX().getType(), tokens) /
               std::max<double>(1, getLastExtent(getX()));
  return cost;
}

LogicalResult RopeOp::verify() {
  NamedOperand x{"x", getX()}, y{"y", getY()};
  Types types(getContext());
  ShapeVerifier verify(*this);
  verify.rank(x, {2, 3});
  verify.sameShape(y, x);
  verify.elementType(x, {types.f32, types.bf16});
  verify.elementType(y, {types.f32, types.bf16});
  if (verify.hasFailed())
    return failure();
  verifyRotation(verify, x, {"positions", getPositions()},
                 {"table", getTable()});
  return verify.result();
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

int64_t prefill::getPackedRowBytes(int64_t width, std::optional<int64_t> fp8) {
  if (!fp8)
    return width + 4;
  return *fp8 + 2 * (width - *fp8) +
         llvm::alignTo(llvm::divideCeil(*fp8, 64), 8);
}

/// A cache [blocks, block size, row] whose rows hold what dimension `dim` of
/// `like` has, as plain elements or packed in i8. Types of plain elements are
/// the caller's to check.
static void verifyCacheRows(ShapeVerifier &verify, NamedOperand cache,
                            NamedOperand like, unsigned dim,
                            std::optional<int64_t> fp8Channels) {
  verify.rank(cache, 3);
  if (verify.hasFailed())
    return;
  if (!cache.getType().getElementType().isInteger(8)) {
    verify.check(!fp8Channels,
                 "has fp8_channels, but its cache is not of i8; rows of other "
                 "types are not packed",
                 cache);
    verify.sameExtent(cache, 2, like, dim);
    return;
  }
  int64_t width = like.getExtent(dim);
  if (ShapedType::isDynamic(width))
    return;
  verify.check(!fp8Channels || *fp8Channels <= width,
               "fp8_channels is " + Twine(fp8Channels.value_or(0)) +
                   ", expected at most the " + Twine(width) +
                   " channels of a row",
               like);
  if (verify.hasFailed())
    return;
  verify.extent(cache, 2, getPackedRowBytes(width, fp8Channels),
                fp8Channels ? "the bytes of a packed row"
                            : "the bytes of an index row, channels and a scale",
                like);
}

/// Plain elements of `cache` have the type of `like`.
static void verifyCacheType(ShapeVerifier &verify, NamedOperand cache,
                            NamedOperand like) {
  if (!cache.getType().getElementType().isInteger(8))
    verify.sameElementType(cache, like);
}

Access CacheInsertOp::getAccess(OpOperand &operand) {
  return operand.get() == getCache() ? Access::Write : Access::Read;
}

Cost CacheInsertOp::getCost(int64_t tokens) {
  // Each row is read once and written once.
  return {0, 2 * countBytes(getRows().getType(), tokens) + 8.0 * tokens};
}

LogicalResult CacheInsertOp::verify() {
  NamedOperand rows{"rows", getRows()}, slots{"slots", getSlots()},
      cache{"cache", getCache()};
  Types types(getContext());
  ShapeVerifier verify(*this);
  verify.rank(rows, 2);
  verify.rank(slots, 1);
  verify.rank(cache, 3);
  verify.elementType(rows, {types.f32, types.bf16});
  verify.elementType(slots, types.i64);
  if (verify.hasFailed())
    return failure();
  verify.sameExtent(slots, 0, rows, 0);
  verifyCacheType(verify, cache, rows);
  verifyCacheRows(verify, cache, rows, 1, getFp8Channels());
  return verify.result();
}

Access CompressOp::getAccess(OpOperand &operand) {
  if (&operand == &getStateMutable())
    return Access::ReadWrite;
  return &operand == &getCacheMutable() ? Access::Write : Access::Read;
}

Cost CompressOp::getCost(int64_t tokens) {
  double rows = countBytes(getKvScore().getType(), tokens);
  double entries = double(tokens) / getRatio();
  double entryBytes = 4.0 * std::max<int64_t>(1, getLastExtent(getCache()));
  Cost cost;
  // Read the new rows, keep them in the state, read each window once (twice
  // where windows overlap), write the entries.
  cost.bytes = rows * (getOverlap() ? 4 : 3) + entries * entryBytes;
  cost.flops = 6 * countElements(getKvScore().getType(), tokens);
  return cost;
}

LogicalResult CompressOp::verify() {
  NamedOperand kvScore{"kv_score", getKvScore()}, bias{"bias", getBias()},
      weight{"weight", getWeight()}, positions{"positions", getPositions()},
      table{"table", getTable()}, stateSlots{"state_slots", getStateSlots()},
      stateTable{"state_table", getStateTable()},
      requests{"token_to_request", getTokenToRequest()},
      slots{"slots", getSlots()}, state{"state", getState()},
      cache{"cache", getCache()};
  Types types(getContext());
  ShapeVerifier verify(*this);
  verify.rank(kvScore, 2);
  verify.rank(bias, 2);
  verify.rank(weight, 1);
  verify.rank(stateSlots, 1);
  verify.rank(stateTable, 2);
  verify.rank(requests, 1);
  verify.rank(slots, 1);
  verify.rank(state, 3);
  verify.rank(cache, 3);
  verify.elementType(kvScore, types.f32);
  verify.elementType(bias, types.f32);
  verify.elementType(weight, {types.f32, types.bf16});
  verify.elementType(cache, {types.f32, types.bf16, types.i8});
  verify.elementType(stateSlots, types.i64);
  verify.elementType(stateTable, types.i32);
  verify.elementType(requests, types.i32);
  verify.elementType(slots, types.i64);
  verify.elementType(state, types.f32);
  if (verify.hasFailed())
    return failure();
  for (NamedOperand operand : {stateSlots, requests, slots})
    verify.sameExtent(operand, 0, kvScore, 0);
  verify.sameExtent(state, 2, kvScore, 1);
  verifyCacheRows(verify, cache, weight, 0, getFp8Channels());
  verify.extent(bias, 0, getRatio(), "the ratio");
  if (int64_t width = weight.getExtent(0); !ShapedType::isDynamic(width)) {
    int64_t channels = width * (getOverlap() ? 2 : 1);
    StringRef why = getOverlap()
                        ? "twice the entry's channels, since windows overlap"
                        : "the entry's channels";
    verify.extent(bias, 1, channels, why, weight);
    verify.extent(kvScore, 1, 2 * channels,
                  getOverlap() ? "values and scores of twice the entry's "
                                 "channels, since windows overlap"
                               : "values and scores of the entry's channels",
                  weight);
  }
  verify.rank(positions, 1);
  if (!verify.hasFailed())
    verify.sameExtent(positions, 0, kvScore, 0);
  verify.rank(table, 2);
  verify.elementType(positions, types.i64);
  verify.elementType(table, types.f32);
  if (!verify.hasFailed() && !ShapedType::isDynamic(table.getExtent(1)) &&
      !ShapedType::isDynamic(weight.getExtent(0)))
    verify.check(table.getExtent(1) <= weight.getExtent(0) &&
                     table.getExtent(1) % 2 == 0,
                 "table rotates " + Twine(table.getExtent(1)) +
                     " channels, expected an even number of at most " +
                     Twine(weight.getExtent(0)),
                 table);
  verifyEps(verify, getEps());
  return verify.result();
}

//===----------------------------------------------------------------------===//
// Sparse attention
//===----------------------------------------------------------------------===//

Cost IndexQueryOp::getCost(int64_t tokens) {
  Cost cost;
  for (Value value : {getQ(), getW(), getQOut(), getWOut()})
    cost.bytes += countBytes(value.getType(), tokens);
  cost.flops = 3 * countElements(getQ().getType(), tokens);
  return cost;
}

LogicalResult IndexQueryOp::verify() {
  NamedOperand q{"q", getQ()}, w{"w", getW()}, qOut{"q_out", getQOut()},
      wOut{"w_out", getWOut()};
  Types types(getContext());
  ShapeVerifier verify(*this);
  verify.rank(q, 3);
  verify.rank(w, 2);
  verify.sameShape(qOut, q);
  verify.sameShape(wOut, w);
  verify.elementType(q, {types.f32, types.bf16});
  verify.elementType(w, {types.f32, types.bf16});
  verify.elementType(qOut, {types.f32, types.bf16, types.fp8});
  verify.elementType(wOut, types.f32);
  if (verify.hasFailed())
    return failure();
  verify.sameExtent(w, 0, q, 0);
  verify.sameExtent(w, 1, q, 1);
  verifyRotation(verify, q, {"positions", getPositions()},
                 {"table", getTable()});
  return verify.result();
}

/// `query_offsets` [R+1] and `sequence_lengths` [R], and a block table
/// [R, columns].
static void verifyRequests(ShapeVerifier &verify, NamedOperand offsets,
                           NamedOperand lengths) {
  Types types(offsets.value.getContext());
  verify.rank(offsets, 1);
  verify.rank(lengths, 1);
  verify.elementType(offsets, types.i32);
  verify.elementType(lengths, types.i32);
  if (verify.hasFailed())
    return;
  if (int64_t requests = lengths.getExtent(0); !ShapedType::isDynamic(requests))
    verify.extent(offsets, 0, requests + 1,
                  "one more than the sequence lengths", lengths);
}

/// A cache [blocks, block size, row] whose rows match dimension 2 of `like`,
/// and its block table.
static void verifyPagedCache(ShapeVerifier &verify, NamedOperand cache,
                             NamedOperand table, NamedOperand like,
                             NamedOperand lengths,
                             std::optional<int64_t> fp8Channels) {
  Types types(cache.value.getContext());
  verify.rank(cache, 3);
  verify.rank(table, 2);
  verify.elementType(table, types.i32);
  if (verify.hasFailed())
    return;
  verifyCacheType(verify, cache, like);
  verifyCacheRows(verify, cache, like, 2, fp8Channels);
  verify.sameExtent(table, 0, lengths, 0);
}

bool IndexSelectOp::isHostOperand(OpOperand &operand) {
  return &operand == &getQueryOffsetsMutable() ||
         &operand == &getSequenceLengthsMutable();
}

Cost IndexSelectOp::getCost(int64_t tokens) {
  double entries = double(tokens) / getRatio();
  double keyBytes =
      countBytes(getQ().getType(), 1) /
      std::max<double>(1, cast<ShapedType>(getQ().getType()).getDimSize(1));
  Cost cost;
  cost.flops = countElements(getQ().getType(), tokens) * entries; // 2 * 1/2
  cost.bytes = countBytes(getQ().getType(), tokens) +
               countBytes(getW().getType(), tokens) +
               countBytes(getSelected().getType(), tokens) + entries * keyBytes;
  return cost;
}

LogicalResult IndexSelectOp::verify() {
  NamedOperand q{"q", getQ()}, w{"w", getW()}, cache{"cache", getCache()},
      table{"block_table", getBlockTable()},
      offsets{"query_offsets", getQueryOffsets()},
      lengths{"sequence_lengths", getSequenceLengths()},
      selected{"selected", getSelected()};
  Types types(getContext());
  ShapeVerifier verify(*this);
  verify.rank(q, 3);
  verify.rank(w, 2);
  verify.rank(selected, 2);
  verify.elementType(q, {types.f32, types.bf16, types.fp8});
  verify.elementType(w, types.f32);
  verify.elementType(selected, types.i32);
  if (verify.hasFailed())
    return failure();
  verify.sameExtent(w, 0, q, 0);
  verify.sameExtent(w, 1, q, 1);
  verify.sameExtent(selected, 0, q, 0);
  verifyRequests(verify, offsets, lengths);
  if (verify.hasFailed())
    return failure();
  verifyPagedCache(verify, cache, table, q, lengths, std::nullopt);
  return verify.result();
}

bool AttendOp::isHostOperand(OpOperand &operand) {
  return &operand == &getQueryOffsetsMutable() ||
         &operand == &getSequenceLengthsMutable();
}

SmallVector<OpOperand *> AttendOp::getKernelOperands() {
  return {&getQMutable(),
          &getSinkMutable(),
          &getWindowCacheMutable(),
          &getWindowTableMutable(),
          getOptional(getCompressedCacheMutable()),
          getOptional(getCompressedTableMutable()),
          getOptional(getSelectedMutable()),
          &getQueryOffsetsMutable(),
          &getSequenceLengthsMutable(),
          &getYMutable()};
}

Cost AttendOp::getCost(int64_t tokens) {
  double entries = std::min<double>(getWindow(), tokens);
  if (getRatio() != 0) {
    double compressed = double(tokens) / (2.0 * getRatio());
    if (Value selected = getSelected())
      compressed = std::min<double>(compressed, getLastExtent(selected));
    entries += compressed;
  }
  Cost cost;
  cost.flops = 4 * countElements(getQ().getType(), tokens) * entries;
  // Every row of the caches is read at least once.
  double rowBytes =
      countBytes(getQ().getType(), 1) /
      std::max<double>(1, cast<ShapedType>(getQ().getType()).getDimSize(1));
  double rows = tokens + (getRatio() ? double(tokens) / getRatio() : 0);
  cost.bytes = countBytes(getQ().getType(), tokens) +
               countBytes(getY().getType(), tokens) + rows * rowBytes;
  return cost;
}

LogicalResult AttendOp::verify() {
  NamedOperand q{"q", getQ()}, y{"y", getY()}, sink{"sink", getSink()},
      windowCache{"window_cache", getWindowCache()},
      windowTable{"window_table", getWindowTable()},
      offsets{"query_offsets", getQueryOffsets()},
      lengths{"sequence_lengths", getSequenceLengths()};
  Types types(getContext());
  ShapeVerifier verify(*this);
  verify.rank(q, 3);
  verify.sameShape(y, q);
  verify.rank(sink, 1);
  verify.elementType(q, {types.f32, types.bf16});
  verify.sameElementType(y, q);
  verify.elementType(sink, types.f32);
  if (verify.hasFailed())
    return failure();
  verify.sameExtent(sink, 0, q, 1);
  verifyRequests(verify, offsets, lengths);
  if (verify.hasFailed())
    return failure();
  verifyPagedCache(verify, windowCache, windowTable, q, lengths,
                   getFp8Channels());

  verify.check(bool(getCompressedCache()) == bool(getCompressedTable()),
               "has one of a compressed cache and its block table; expected "
               "both or none");
  verify.check(!getSelected() || getCompressedCache(),
               "has selected entries but no compressed cache");
  verify.check(bool(getCompressedCache()) == (getRatio() != 0),
               "ratio is " + Twine(getRatio()) + ", expected " +
                   (getCompressedCache() ? "a positive number, as there is a "
                                           "compressed cache"
                                         : "0, as there is no compressed "
                                           "cache"));
  if (verify.hasFailed() || !getCompressedCache())
    return verify.result();
  NamedOperand cache{"compressed_cache", getCompressedCache()};
  verifyPagedCache(verify, cache, {"compressed_table", getCompressedTable()}, q,
                   lengths, getFp8Channels());
  if (getSelected()) {
    NamedOperand selected{"selected", getSelected()};
    verify.rank(selected, 2);
    verify.elementType(selected, types.i32);
    if (!verify.hasFailed())
      verify.sameExtent(selected, 0, q, 0);
  }
  return verify.result();
}

//===----------------------------------------------------------------------===//
// AllReduceOp and PackOp
//===----------------------------------------------------------------------===//

void AllReduceOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  getAccessEffects(*this, effects);
  effects.emplace_back(MemoryEffects::Write::get(),
                       CommunicatorResource::get());
}

Cost AllReduceOp::getCost(int64_t tokens) {
  Cost cost = sched::getDefaultCost(*this, tokens);
  cost.flops = countElements(getX().getType(), tokens);
  return cost;
}

LogicalResult AllReduceOp::verify() {
  NamedOperand x{"x", getX()}, y{"y", getY()};
  Types types(getContext());
  ShapeVerifier verify(*this);
  verify.sameShape(y, x);
  verify.elementType(x, {types.f32, types.bf16});
  verify.sameElementType(y, x);
  verify.check(!getCommunicator().empty(), "names no communicator");
  return verify.result();
}

Cost PackOp::getCost(int64_t tokens) {
  return {0, 2 * countBytes(getY().getType(), tokens)};
}

LogicalResult PackOp::verify() {
  NamedOperand y{"y", getY()};
  ShapeVerifier verify(*this);
  verify.rank(y, 2);
  verify.check(!getInputs().empty(), "packs nothing; expected an input");
  int64_t rows = 0;
  for (auto [index, value] : llvm::enumerate(getInputs())) {
    std::string name = "input " + std::to_string(index);
    NamedOperand input{name, value};
    verify.rank(input, 2);
    verify.sameElementType(input, y);
    if (verify.hasFailed())
      return failure();
    verify.sameExtent(input, 1, y, 1);
    if (ShapedType::isDynamic(input.getExtent(0)) ||
        ShapedType::isDynamic(rows))
      rows = ShapedType::kDynamic;
    else
      rows += input.getExtent(0);
  }
  if (!verify.hasFailed() && !ShapedType::isDynamic(rows))
    verify.extent(y, 0, rows, "the sum of the inputs' rows");
  return verify.result();
}

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

EffectClass KernelOp::getEffectClass() { return getEffect(); }

StringRef KernelOp::getKernelName() { return getCallee(); }

Access KernelOp::getAccess(OpOperand &operand) {
  auto [begin, size] = getODSOperandIndexAndLength(1);
  unsigned index = operand.getOperandNumber();
  if (index < begin || index >= begin + size)
    return sched::getDefaultAccess(operand);
  return cast<sched::AccessAttr>((*getCacheAccess())[index - begin]).getValue();
}

void KernelOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  getAccessEffects(*this, effects);
  // A kernel that writes none of its operands is called for something that
  // they do not say. Without an effect it would be dead code.
  if (getInits().empty() &&
      llvm::none_of(effects, [](const MemoryEffects::EffectInstance &effect) {
        return isa<MemoryEffects::Write>(effect.getEffect());
      }))
    effects.emplace_back(MemoryEffects::Write::get(),
                         SideEffects::DefaultResource::get());
}

Cost KernelOp::getCost(int64_t tokens) {
  Cost cost = sched::getDefaultCost(*this, tokens);
  if (getFlopsPerToken())
    cost.flops = getFlopsPerToken()->convertToDouble() * tokens;
  if (getBytesPerToken())
    cost.bytes = getBytesPerToken()->convertToDouble() * tokens;
  return cost;
}

LogicalResult KernelOp::verify() {
  size_t numAccesses = getCacheAccess() ? getCacheAccess()->size() : 0;
  if (numAccesses != getCaches().size())
    return emitOpError() << "has " << getCaches().size() << " caches and "
                         << numAccesses
                         << " entries in cache_access; expected one for each";
  SmallVector<Type> expected;
  (void)inferFromInits(getInits(), expected);
  if (!llvm::equal(expected, getResultTypes()))
    return emitOpError() << "has results (" << getResultTypes()
                         << "), expected its inits that are tensors: ("
                         << TypeRange(expected) << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// EagerOp and LayerOp
//===----------------------------------------------------------------------===//

LogicalResult EagerOp::verify() {
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  if (yield.getOperandTypes() != getResultTypes()) {
    InFlightDiagnostic diagnostic = emitOpError()
                                    << "has results (" << getResultTypes()
                                    << "), but its region yields ("
                                    << yield.getOperandTypes() << ")";
    diagnostic.attachNote(yield.getLoc()) << "the values are yielded here";
    return diagnostic;
  }
  if (auto outer = (*this)->getParentOfType<EagerOp>()) {
    InFlightDiagnostic diagnostic =
        emitOpError("lies inside another eager region");
    diagnostic.attachNote(outer.getLoc()) << "the other region is here";
    return diagnostic;
  }
  return success();
}

namespace {
/// Removes results that nobody uses, and those that yield a value from outside
/// the region, which can be used directly.
struct SimplifyEagerResults : public OpRewritePattern<EagerOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EagerOp eager,
                                PatternRewriter &rewriter) const override {
    auto yield = cast<YieldOp>(eager.getBody().front().getTerminator());
    SmallVector<Value> kept;
    SmallVector<OpResult> keptResults;
    for (auto [result, value] :
         llvm::zip(eager->getResults(), yield.getValues())) {
      if (!eager.getBody().isAncestor(value.getParentRegion()))
        rewriter.replaceAllUsesWith(result, value);
      if (result.use_empty())
        continue;
      kept.push_back(value);
      keptResults.push_back(result);
    }
    if (kept.size() == eager->getNumResults())
      return failure();

    auto simplified =
        EagerOp::create(rewriter, eager.getLoc(), TypeRange(ValueRange(kept)));
    simplified->setDiscardableAttrs(eager->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(eager.getBody(), simplified.getBody(),
                                simplified.getBody().end());
    rewriter.modifyOpInPlace(yield,
                             [&] { yield.getValuesMutable().assign(kept); });
    for (auto [result, replacement] :
         llvm::zip(keptResults, simplified->getResults()))
      rewriter.replaceAllUsesWith(result, replacement);
    rewriter.eraseOp(eager);
    return success();
  }
};
} // namespace

void EagerOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<SimplifyEagerResults>(context);
}

LogicalResult LayerOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *function =
      symbols.lookupNearestSymbolFrom(*this, getFunctionAttr());
  if (!function)
    return emitOpError() << "uses " << getFunctionAttr()
                         << ", which is not defined";
  return success();
}
