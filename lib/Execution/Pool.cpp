//===- Pool.cpp - Blocks of a paged cache -----------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hands the blocks out.
//
//===----------------------------------------------------------------------===//

#include "Pool.h"

#include "Numbers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace llvm;
using namespace braid;

Pool::Pool(const Batch &batch, int64_t blockSize, int64_t tokensPerRow,
           int64_t kept)
    : blockSize(blockSize), tokensPerRow(tokensPerRow) {
  for (const Request &request : batch.requests) {
    Blocks &blocks = requests.emplace_back();
    if (kept >= 0)
      blocks.firstRow =
          std::max<int64_t>(request.history - kept, 0) / tokensPerRow;
    blocks.historyRows = request.history / tokensPerRow;
    int64_t rows = (request.history + request.tokens) / tokensPerRow;
    int64_t columns = divideCeil(rows, blockSize);
    blocks.firstColumn = std::min(blocks.firstRow / blockSize, columns);
    blocks.numbers.resize(columns - blocks.firstColumn);
    numBlocks += blocks.numbers.size();
    numColumns = std::max(numColumns, columns);
  }
  std::vector<int32_t> numbers(numBlocks - 1);
  std::iota(numbers.begin(), numbers.end(), 1);
  for (size_t i = numbers.size(); i > 1; --i)
    std::swap(numbers[i - 1], numbers[hashNumber(i) % i]);
  auto next = numbers.begin();
  for (Blocks &blocks : requests)
    for (int32_t &number : blocks.numbers)
      number = *next++;
}

int32_t Pool::getBlock(size_t request, int64_t column) const {
  const Blocks &blocks = requests[request];
  int64_t place = column - blocks.firstColumn;
  bool exists =
      place >= 0 && place < static_cast<int64_t>(blocks.numbers.size());
  return exists ? blocks.numbers[place] : -1;
}
