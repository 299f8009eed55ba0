//===- Attend.cpp - attend ------------------------------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sparse multi-query attention over the rows of a sliding window and chosen
// compressed entries. Key and value are the same row of a cache.
//
// Operands: q, sink, window_cache, window_table, compressed_cache?,
// compressed_table?, topk?, query_offsets, sequence_lengths, y.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "QueryTile.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

using namespace braid::runtime;

namespace {

enum Operand {
  Q,
  Sink,
  WindowCache,
  WindowTable,
  CompressedCache,
  CompressedTable,
  TopK,
  QueryOffsets,
  SequenceLengths,
  Y,
  NumOperands
};

/// The scratch of a call.
struct Attention {
  QueryTile tile;
  float *result; ///< [paddedHeads][paddedWidth]
  float *sink;   ///< these: [paddedHeads]
  float *maximum;
  float *sum;
  float *factor;
  RowView queries, y;
  CacheRows window, compressed;

  Attention(ScratchParts &parts, const braid_kernel_call &call,
            const SmallOps &ops)
      : tile(parts, sizeOf(call, Q, 1), sizeOf(call, Q, 2)),
        result(parts.take<float>(tile.paddedHeads * tile.paddedWidth)),
        sink(parts.take<float>(tile.paddedHeads)),
        maximum(parts.take<float>(tile.paddedHeads)),
        sum(parts.take<float>(tile.paddedHeads)),
        factor(parts.take<float>(tile.paddedHeads)),
        queries(ops, call.operands[Q], parts), y(ops, call.operands[Y], parts),
        window(ops, call.operands[WindowCache], tile.width,
               intParam(call, "fp8_channels", 0)),
        compressed(ops, call.operands[CompressedCache], tile.width,
                   intParam(call, "fp8_channels", 0)) {}
};

/// The cache rows that one query token attends to, in order.
class AttendedRows {
public:
  AttendedRows(const braid_kernel_call &call, int64_t r, int64_t t,
               int64_t position, int64_t window, int64_t ratio)
      : call(call), request(r), token(t) {
    first = std::max<int64_t>(0, position - window + 1);
    numWindow = position - first + 1;
    if (call.operands[TopK])
      numCompressed = sizeOf(call, TopK, 1);
    else if (call.operands[CompressedCache])
      numCompressed = (position + 1) / ratio;
  }

  /// Upper bound of the number of rows.
  int64_t size() const { return numWindow + numCompressed; }

  /// Where index `i` leads to.
  struct Row {
    int64_t entry; ///< -1: an unused place of topk
    Operand cache;
    Operand table;
  };

  Row find(int64_t i) const {
    if (i < numWindow)
      return {first + i, WindowCache, WindowTable};
    int64_t entry = i - numWindow;
    if (call.operands[TopK])
      entry = *at<const int32_t>(call.operands[TopK], token, entry);
    return {entry, CompressedCache, CompressedTable};
  }

  /// Slot of `row` in its cache, or -1.
  int64_t slot(const Row &row) const {
    return pagedSlot(call.operands[row.table], call.operands[row.cache],
                     request, row.entry);
  }

private:
  const braid_kernel_call &call;
  int64_t request, token;
  int64_t first = 0, numWindow = 0, numCompressed = 0;
};

} // namespace

/// Adds the first `count` rows of the piece to the running result.
static void addPiece(Attention &attention, const SmallOps &ops, int64_t count,
                     float scale) {
  QueryTile &tile = attention.tile;
  tile.multiply(ops, count);
  ops.softmaxStep(tile.products, tile.paddedHeads, count, scale,
                  attention.maximum, attention.sum, attention.factor);
  GemmArgs args = {tile.paddedHeads,
                   tile.paddedWidth,
                   count,
                   tile.products,
                   1,
                   tile.paddedHeads,
                   tile.rows,
                   tile.pitch,
                   attention.result,
                   tile.paddedWidth,
                   attention.factor};
  ops.gemm(&args);
}

static void attendToken(const SmallOps &ops, Attention &attention,
                        const AttendedRows &rows, int64_t t, float scale) {
  QueryTile &tile = attention.tile;
  tile.loadQueries(attention.queries, t);
  std::fill_n(attention.result, tile.paddedHeads * tile.paddedWidth, 0.0f);
  std::fill_n(attention.maximum, tile.paddedHeads, -INFINITY);
  std::fill_n(attention.sum, tile.paddedHeads, 0.0f);
  int64_t count = 0;
  for (int64_t i = 0; i < rows.size(); ++i) {
    AttendedRows::Row row = rows.find(i);
    if (row.entry < 0)
      continue;
    tile.loadRow(count++,
                 row.cache == WindowCache ? attention.window
                                          : attention.compressed,
                 rows.slot(row));
    if (count == QueryTile::Piece) {
      addPiece(attention, ops, count, scale);
      count = 0;
    }
  }
  if (count)
    addPiece(attention, ops, count, scale);
  ops.softmaxEnd(attention.sink, tile.paddedHeads, attention.maximum,
                 attention.sum, attention.factor);
  for (int64_t h = 0; h < tile.heads; ++h) {
    const float *from = attention.result + h * tile.paddedWidth;
    float *to = attention.y.begin(t, h);
    for (int64_t c = 0; c < tile.width; ++c)
      to[c] = from[c] * attention.factor[h];
    attention.y.finish(t, h);
  }
}

static void checkLayouts(Checker &checker, const braid_kernel_call &call,
                         int64_t tokens) {
  checkQueryLayout(checker, call, QueryOffsets, SequenceLengths, tokens,
                   WindowTable, "window_table", WindowCache, 1);
  if (call.operands[CompressedCache])
    checkQueryLayout(checker, call, QueryOffsets, SequenceLengths, tokens,
                     CompressedTable, "compressed_table", CompressedCache,
                     intParam(call, "ratio"));
}

static braid_status checkAttend(const braid_kernel_call *call, void *) {
  Checker checker(*call, NumOperands);
  checker.operand(Q, "q", FloatTypes, 3, 3)
      .operand(Sink, "sink", BRAID_F32, 1, 1)
      .operand(WindowTable, "window_table", BRAID_I32, 2, 2)
      .operand(CompressedTable, "compressed_table", BRAID_I32, 2, 2,
               Presence::Optional)
      .operand(TopK, "topk", BRAID_I32, 2, 2, Presence::Optional)
      .operand(QueryOffsets, "query_offsets", BRAID_I32, 1, 1)
      .operand(SequenceLengths, "sequence_lengths", BRAID_I32, 1, 1)
      .operand(Y, "y", FloatTypes, 3, 3)
      .param("scale")
      .param("window")
      .param("ratio");
  if (!checker.ok())
    return checker.status();
  int64_t fp8Channels = intParam(*call, "fp8_channels", 0);
  checkCacheRows(checker, *call, WindowCache, "window_cache",
                 sizeOf(*call, Q, 2), fp8Channels);
  checkCacheRows(checker, *call, CompressedCache, "compressed_cache",
                 sizeOf(*call, Q, 2), fp8Channels, Presence::Optional);
  if (!checker.ok())
    return checker.status();
  const braid_tensor *compressed = call->operands[CompressedCache];
  checker
      .require(!compressed == !call->operands[CompressedTable],
               "one of the operands 'compressed_cache' and 'compressed_table' "
               "is missing")
      .require(compressed || !call->operands[TopK],
               "operand 'topk' is present without 'compressed_cache'");
  int64_t window = intParam(*call, "window"), ratio = intParam(*call, "ratio");
  checker
      .require(window >= 1, "parameter 'window' is %lld, expected at least 1",
               static_cast<long long>(window))
      .require(!compressed || ratio >= 1,
               "parameter 'ratio' is %lld, expected at least 1",
               static_cast<long long>(ratio));
  int64_t tokens = sizeOf(*call, Q, 0), heads = sizeOf(*call, Q, 1),
          width = sizeOf(*call, Q, 2);
  int64_t requests = sizeOf(*call, SequenceLengths, 0);
  checker.extent(Sink, 0, heads)
      .extent(WindowTable, 0, requests)
      .extent(CompressedTable, 0, requests)
      .extent(TopK, 0, tokens)
      .extent(QueryOffsets, 0, requests + 1)
      .extent(Y, 0, tokens)
      .extent(Y, 1, heads)
      .extent(Y, 2, width);
  if (checker.ok() && call->op->metadata[QueryOffsets] == BRAID_METADATA_HOST &&
      call->op->metadata[SequenceLengths] == BRAID_METADATA_HOST)
    checkLayouts(checker, *call, tokens);
  return checker.status();
}

/// Whether every row that is attended to can be found.
static braid_status checkAttendContents(const braid_kernel_call *call, void *) {
  if (!areWritten(
          *call, {WindowTable, CompressedTable, QueryOffsets, SequenceLengths}))
    return BRAID_OK;
  Checker checker(*call, NumOperands);
  checkLayouts(checker, *call, sizeOf(*call, Y, 0));
  if (!checker.ok())
    return BRAID_KERNEL_FAILED;
  // Before there is a selection it may be of any entry.
  braid_kernel_call every = *call;
  std::vector<const braid_tensor *> operands;
  if (!areWritten(*call, {TopK})) {
    operands.assign(call->operands, call->operands + NumOperands);
    operands[TopK] = nullptr;
    every.operands = operands.data();
  }
  QueryLayout layout(*call, QueryOffsets, SequenceLengths);
  int64_t window = intParam(*call, "window"), ratio = intParam(*call, "ratio");
  for (int64_t r = 0; r < layout.requests(); ++r)
    for (int64_t t = layout.begin(r); t < layout.end(r); ++t) {
      AttendedRows rows(every, r, t, layout.position(r, t), window, ratio);
      for (int64_t i = 0; i < rows.size(); ++i) {
        AttendedRows::Row row = rows.find(i);
        // Without a selection the last token attends to those of all others.
        if (row.cache == CompressedCache && !every.operands[TopK] &&
            t + 1 < layout.end(r))
          break;
        if (row.entry >= 0 && rows.slot(row) < 0)
          return kernelFailed(
              *call,
              "operand '%s': entry %lld of request %lld, which token %lld "
              "attends to, has no valid block",
              row.table == WindowTable ? "window_table" : "compressed_table",
              static_cast<long long>(row.entry), static_cast<long long>(r),
              static_cast<long long>(t));
      }
    }
  return BRAID_OK;
}

static braid_status runAttend(const braid_kernel_call *call, void *userData) {
  const braid_tensor *y = call->operands[Y];
  int64_t tokens = y->sizes[0];
  QueryLayout layout(*call, QueryOffsets, SequenceLengths);
  int64_t window = intParam(*call, "window"), ratio = intParam(*call, "ratio");
  ScratchParts parts(call->workspace);
  Attention attention(parts, *call, smallOps(userData));
  int64_t heads = attention.tile.heads;
  std::fill_n(attention.sink, attention.tile.paddedHeads, -INFINITY);
  std::memcpy(attention.sink, call->operands[Sink]->data,
              heads * sizeof(float));
  float scale = static_cast<float>(floatParam(*call, "scale"));
  for (int64_t r = 0; r < layout.requests(); ++r)
    for (int64_t t = layout.begin(r); t < layout.end(r); ++t)
      attendToken(
          smallOps(userData), attention,
          AttendedRows(*call, r, t, layout.position(r, t), window, ratio), t,
          scale);
  for (int64_t t = layout.tokens(); t < tokens; ++t)
    for (int64_t h = 0; h < heads; ++h) {
      std::fill_n(attention.y.begin(t, h), attention.tile.width, 0.0f);
      attention.y.finish(t, h);
    }
  return BRAID_OK;
}

braid_kernel braid::runtime::makeAttend() {
  return {sizeof(braid_kernel), "attend",  checkAttend,
          scratchOf<Attention>, runAttend, nullptr,
          checkAttendContents};
}
