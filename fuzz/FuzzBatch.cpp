//===- FuzzBatch.cpp - Any text as a description of a batch ---------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A text is either refused with a sentence, or its calls take every token of
// every request once.
//
//===----------------------------------------------------------------------===//

#include "braid/Execution/Batch.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

using namespace braid;
using namespace llvm;

/// Ends the program in a way that a fuzzer keeps the input of.
static void require(bool condition) {
  if (!condition)
    std::abort();
}

static void checkSteps(const Batch &batch) {
  std::vector<int64_t> done(batch.requests.size(), 0);
  for (const BatchStep &step : makeSteps(batch)) {
    require(step.ranges.size() == batch.requests.size());
    require(step.getNumTokens() <= step.padded);
    for (size_t r = 0; r < done.size(); ++r) {
      require(step.ranges[r].count >= 0);
      require(step.ranges[r].count == 0 || step.ranges[r].begin == done[r]);
      done[r] += step.ranges[r].count;
    }
  }
  for (size_t r = 0; r < done.size(); ++r)
    require(done[r] == batch.requests[r].tokens);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  Expected<Batch> batch = parseBatch(text, "input");
  if (!batch) {
    require(StringRef(toString(batch.takeError())).starts_with("input"));
    return 0;
  }
  require(std::is_sorted(batch->buckets.begin(), batch->buckets.end()));
  for (const auto &[pool, rows] : batch->blockSizes)
    require(is_contained(getPoolNames(), pool) && rows >= 1);
  checkSteps(*batch);
  return 0;
}
