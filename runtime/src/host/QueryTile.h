//===- QueryTile.h - Padded queries of one token ----------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both attention and the indexer multiply the heads of one token with pieces of
// a paged cache. This packs the operands for SmallOps::gemm.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_HOST_QUERYTILE_H
#define BRAID_RUNTIME_HOST_QUERYTILE_H

#include "CacheRows.h"

#include <cstring>

namespace braid::runtime {

/// Scratch for one token: its queries, transposed, and a piece of the cache.
/// Heads, width and rows are padded with zeros.
struct QueryTile {
  /// Rows of the cache at a time; a multiple of 4. Fixed, so that results do
  /// not depend on the budget.
  static constexpr int64_t Piece = 128;

  int64_t heads, width;             ///< as they are
  int64_t paddedHeads, paddedWidth; ///< multiples of GemmPadding
  /// Distance of cache rows; not a power of two, which would put the same
  /// channel of all rows into a few sets of the processor's cache.
  int64_t pitch;
  float *queries;  ///< [width][paddedHeads]
  float *rows;     ///< [Piece][pitch]
  float *products; ///< [Piece][paddedHeads]

  QueryTile(ScratchParts &parts, int64_t heads, int64_t width)
      : heads(heads), width(width), paddedHeads(padded(heads, GemmPadding)),
        paddedWidth(padded(width, GemmPadding)),
        pitch(paddedWidth + GemmPadding),
        queries(parts.take<float>(width * paddedHeads)),
        rows(parts.take<float>(Piece * pitch)),
        products(parts.take<float>(Piece * paddedHeads)) {}

  /// Packs the queries of token `t` of q, [T, heads, width].
  void loadQueries(const RowView &q, int64_t t) {
    for (int64_t h = 0; h < heads; ++h) {
      const float *from = q.load(t, h);
      for (int64_t c = 0; c < width; ++c)
        queries[c * paddedHeads + h] = from[c];
    }
    for (int64_t h = heads; h < paddedHeads; ++h)
      for (int64_t c = 0; c < width; ++c)
        queries[c * paddedHeads + h] = 0;
  }

  /// Packs the row of a cache at `slot` as row `j` of the piece.
  void loadRow(int64_t j, const CacheRows &cache, int64_t slot) {
    float *to = rows + j * pitch;
    cache.load(slot, to);
    std::memset(to + width, 0, (paddedWidth - width) * sizeof(float));
  }

  /// products[j][h] = row j . query h for the first `count` rows.
  void multiply(const SmallOps &ops, int64_t count) {
    int64_t whole = padded(count, 4);
    for (int64_t j = count; j < whole; ++j)
      std::memset(rows + j * pitch, 0, paddedWidth * sizeof(float));
    GemmArgs args = {whole,   paddedHeads, width,    rows,        pitch,  1,
                     queries, paddedHeads, products, paddedHeads, nullptr};
    ops.gemm(&args);
  }
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_HOST_QUERYTILE_H
