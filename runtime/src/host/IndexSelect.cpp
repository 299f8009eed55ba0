//===- IndexSelect.cpp - index_select -------------------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each query token the entries of the compressed cache that matter most.
// Scores are made piece by piece and only the best are kept, so the scratch
// does not grow with the length of a sequence.
//
// Operands: q, w, cache, block_table, query_offsets, sequence_lengths, topk.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "QueryTile.h"

#include <algorithm>

using namespace braid::runtime;

namespace {

enum Operand {
  Q,
  W,
  Cache,
  BlockTable,
  QueryOffsets,
  SequenceLengths,
  TopK,
  NumOperands
};

struct Candidate {
  float score;
  int32_t entry;
};

/// The scratch of a call.
struct Selection {
  QueryTile tile;
  float *weights; ///< [paddedHeads]
  float *scores;  ///< [Piece]
  Candidate *best;

  RowView queries;
  CacheRows cache;

  Selection(ScratchParts &parts, const braid_kernel_call &call,
            const SmallOps &ops)
      : tile(parts, sizeOf(call, Q, 1), sizeOf(call, Q, 2)),
        weights(parts.take<float>(tile.paddedHeads)),
        scores(parts.take<float>(QueryTile::Piece)),
        best(parts.take<Candidate>(sizeOf(call, TopK, 1))),
        queries(ops, call.operands[Q], parts),
        cache(ops, call.operands[Cache], sizeOf(call, Q, 2), 0) {}
};

} // namespace

/// Order of a heap whose top is the worst candidate. Of equal scores the later
/// entry is worse.
static bool better(const Candidate &a, const Candidate &b) {
  return a.score > b.score || (a.score == b.score && a.entry < b.entry);
}

/// Chooses `k` of the `available` entries of request `r` for token `t` and
/// writes them in ascending order.
static void select(const braid_kernel_call &call, const SmallOps &ops,
                   Selection &selection, int64_t r, int64_t t,
                   int64_t available, int64_t k, int32_t *result) {
  QueryTile &tile = selection.tile;
  tile.loadQueries(selection.queries, t);
  const float *w = at<const float>(call.operands[W], t);
  for (int64_t h = 0; h < tile.paddedHeads; ++h)
    selection.weights[h] = h < tile.heads ? w[h] : 0;
  Candidate *best = selection.best;
  int64_t kept = 0;
  for (int64_t e = 0; e < available; e += QueryTile::Piece) {
    int64_t count = std::min(QueryTile::Piece, available - e);
    for (int64_t j = 0; j < count; ++j)
      tile.loadRow(
          j, selection.cache,
          pagedSlot(call.operands[BlockTable], call.operands[Cache], r, e + j));
    tile.multiply(ops, count);
    ops.indexScores(tile.products, selection.weights, tile.paddedHeads, count,
                    selection.scores);
    for (int64_t j = 0; j < count; ++j) {
      Candidate candidate = {selection.scores[j], static_cast<int32_t>(e + j)};
      if (kept == k) {
        if (!better(candidate, best[0]))
          continue;
        std::pop_heap(best, best + kept--, better);
      }
      best[kept++] = candidate;
      std::push_heap(best, best + kept, better);
    }
  }
  for (int64_t i = 0; i < k; ++i)
    result[i] = best[i].entry;
  std::sort(result, result + k);
}

static braid_status checkIndexSelect(const braid_kernel_call *call, void *) {
  Checker checker(*call, NumOperands);
  checker.operand(Q, "q", {BRAID_F32, BRAID_BF16, BRAID_F8E4M3}, 3, 3)
      .operand(W, "w", BRAID_F32, 2, 2)
      .operand(BlockTable, "block_table", BRAID_I32, 2, 2)
      .operand(QueryOffsets, "query_offsets", BRAID_I32, 1, 1)
      .operand(SequenceLengths, "sequence_lengths", BRAID_I32, 1, 1)
      .operand(TopK, "topk", BRAID_I32, 2, 2)
      .param("ratio");
  if (!checker.ok())
    return checker.status();
  int64_t tokens = sizeOf(*call, Q, 0), ratio = intParam(*call, "ratio");
  checker.require(ratio >= 1, "parameter 'ratio' is %lld, expected at least 1",
                  static_cast<long long>(ratio));
  int64_t requests = sizeOf(*call, SequenceLengths, 0);
  checkCacheRows(checker, *call, Cache, "cache", sizeOf(*call, Q, 2), 0);
  checker.extent(W, 0, tokens)
      .extent(W, 1, sizeOf(*call, Q, 1))
      .extent(QueryOffsets, 0, requests + 1)
      .extent(BlockTable, 0, requests)
      .extent(TopK, 0, tokens);
  if (checker.ok() && call->op->metadata[QueryOffsets] == BRAID_METADATA_HOST &&
      call->op->metadata[SequenceLengths] == BRAID_METADATA_HOST)
    checkQueryLayout(checker, *call, QueryOffsets, SequenceLengths, tokens,
                     BlockTable, "block_table", Cache, ratio);
  return checker.status();
}

/// Whether every entry that may be selected can be found.
static braid_status checkIndexSelectContents(const braid_kernel_call *call,
                                             void *) {
  if (!areWritten(*call, {BlockTable, QueryOffsets, SequenceLengths}))
    return BRAID_OK;
  int64_t tokens = sizeOf(*call, TopK, 0);
  int64_t ratio = intParam(*call, "ratio");
  Checker checker(*call, NumOperands);
  checkQueryLayout(checker, *call, QueryOffsets, SequenceLengths, tokens,
                   BlockTable, "block_table", Cache, ratio);
  if (!checker.ok())
    return BRAID_KERNEL_FAILED;
  QueryLayout layout(*call, QueryOffsets, SequenceLengths);
  for (int64_t r = 0; r < layout.requests(); ++r) {
    if (layout.begin(r) == layout.end(r))
      continue;
    for (int64_t e = 0; e < layout.length(r) / ratio; ++e)
      if (pagedSlot(call->operands[BlockTable], call->operands[Cache], r, e) <
          0)
        return kernelFailed(*call,
                            "operand 'block_table': entry %lld of request %lld "
                            "has no valid block",
                            static_cast<long long>(e),
                            static_cast<long long>(r));
  }
  return BRAID_OK;
}

static braid_status runIndexSelect(const braid_kernel_call *call,
                                   void *userData) {
  const braid_tensor *topk = call->operands[TopK];
  int64_t tokens = topk->sizes[0], k = topk->sizes[1];
  int64_t ratio = intParam(*call, "ratio");
  QueryLayout layout(*call, QueryOffsets, SequenceLengths);
  ScratchParts parts(call->workspace);
  Selection selection(parts, *call, smallOps(userData));
  for (int64_t r = 0; r < layout.requests(); ++r) {
    for (int64_t t = layout.begin(r); t < layout.end(r); ++t) {
      int32_t *result = at<int32_t>(topk, t);
      int64_t available = (layout.position(r, t) + 1) / ratio;
      int64_t count = std::min(available, k);
      // With room for all of them their scores do not matter.
      if (available <= k)
        for (int64_t e = 0; e < available; ++e)
          result[e] = static_cast<int32_t>(e);
      else if (k > 0)
        select(*call, smallOps(userData), selection, r, t, available, k,
               result);
      std::fill(result + count, result + k, -1);
    }
  }
  for (int64_t t = layout.tokens(); t < tokens; ++t)
    std::fill_n(at<int32_t>(topk, t), k, -1);
  return BRAID_OK;
}

braid_kernel braid::runtime::makeIndexSelect() {
  return {sizeof(braid_kernel),    "index_select", checkIndexSelect,
          scratchOf<Selection>,    runIndexSelect, nullptr,
          checkIndexSelectContents};
}
