//===- Pool.h - Blocks of a paged cache -------------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which block of a cache holds which rows of which request. Caches, slots and
// block tables are all made from it.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_LIB_EXECUTION_POOL_H
#define BRAID_LIB_EXECUTION_POOL_H

#include "braid/Execution/Batch.h"
#include "llvm/ADT/SmallVector.h"

namespace braid {

/// Blocks that are shared by all requests of a batch, in shuffled order, so
/// that a wrong table shows. Block 0 belongs to nobody.
class Pool {
public:
  /// A row stands for `tokensPerRow` tokens. Of a history only the rows of its
  /// last `kept` tokens are there; -1 keeps all.
  Pool(const Batch &batch, int64_t blockSize, int64_t tokensPerRow,
       int64_t kept);

  int64_t getBlockSize() const { return blockSize; }
  int64_t getTokensPerRow() const { return tokensPerRow; }
  /// Blocks in the cache, and columns of the block table.
  int64_t getNumBlocks() const { return numBlocks; }
  int64_t getNumColumns() const { return numColumns; }

  /// Rows of a request's history that are there: from `first` to `second`.
  std::pair<int64_t, int64_t> getHistory(size_t request) const {
    return {requests[request].firstRow, requests[request].historyRows};
  }
  /// The entry of the block table; -1 if there is no such block.
  int32_t getBlock(size_t request, int64_t column) const;
  /// Where a row lies.
  int64_t getSlot(size_t request, int64_t row) const {
    return getBlock(request, row / blockSize) * blockSize + row % blockSize;
  }
  /// The slot that the token at `position` fills, or -1 if it fills none.
  int64_t getSlotOfToken(size_t request, int64_t position) const {
    return (position + 1) % tokensPerRow == 0
               ? getSlot(request, position / tokensPerRow)
               : -1;
  }

private:
  struct Blocks {
    int64_t firstRow = 0, historyRows = 0;
    int64_t firstColumn = 0;
    llvm::SmallVector<int32_t> numbers; ///< from `firstColumn` on
  };

  int64_t blockSize, tokensPerRow;
  int64_t numBlocks = 1, numColumns = 1;
  std::vector<Blocks> requests;
};

} // namespace braid

#endif // BRAID_LIB_EXECUTION_POOL_H
