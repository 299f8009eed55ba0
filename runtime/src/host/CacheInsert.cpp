//===- CacheInsert.cpp - cache_insert: values, slots, cache ---------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes rows to the places that the engine assigned to them.
//
//===----------------------------------------------------------------------===//

#include "CacheRows.h"
#include "Kernels.h"

#include "core/KernelChecks.h"

#include <cstring>

using namespace braid::runtime;

namespace {
struct Insertion {
  RowView values;
  CacheRows cache;
  float *row; ///< [D], for rows that are rounded on the way

  Insertion(ScratchParts &parts, const braid_kernel_call &call,
            const SmallOps &ops)
      : values(ops, call.operands[0], parts),
        cache(ops, call.operands[2], sizeOf(call, 0, 1),
              intParam(call, "fp8_channels", 0)),
        row(parts.take<float>(sizeOf(call, 0, 1))) {}
};
} // namespace

static braid_status checkSlots(const braid_kernel_call *call, void *) {
  if (!areWritten(*call, {1}))
    return BRAID_OK;
  const braid_tensor *slots = call->operands[1];
  int64_t limit = cacheSlots(call->operands[2]);
  for (int64_t t = 0; t < slots->sizes[0]; ++t) {
    int64_t slot = *at<const int64_t>(slots, t);
    if (slot < -1 || slot >= limit)
      return kernelFailed(*call,
                          "operand 'slots': element %lld is %lld, expected -1 "
                          "to %lld, the rows of the cache",
                          static_cast<long long>(t),
                          static_cast<long long>(slot),
                          static_cast<long long>(limit - 1));
  }
  return BRAID_OK;
}

static braid_status runCacheInsert(const braid_kernel_call *call,
                                   void *userData) {
  const braid_tensor *values = call->operands[0], *slots = call->operands[1];
  ScratchParts parts(call->workspace);
  Insertion insertion(parts, *call, smallOps(userData));
  for (int64_t t = 0; t < values->sizes[0]; ++t) {
    int64_t slot = *at<const int64_t>(slots, t);
    if (slot < 0)
      continue;
    std::memcpy(insertion.row, insertion.values.load(t),
                values->sizes[1] * sizeof(float));
    insertion.cache.store(slot, insertion.row);
  }
  return BRAID_OK;
}

braid_kernel braid::runtime::makeCacheInsert() {
  return {sizeof(braid_kernel),
          "cache_insert",
          checkCacheInsert,
          scratchOf<Insertion>,
          runCacheInsert,
          nullptr,
          checkSlots};
}
