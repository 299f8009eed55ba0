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

#include "KernelSupport.h"
#include "Kernels.h"

#include <cstring>

using namespace braid::runtime;

static braid_status checkCacheInsert(const braid_kernel_call *call, void *) {
  Checker checker(*call, 3);
  checker.operand(0, "values", BRAID_F32, 2, 2)
      .operand(1, "slots", BRAID_I64, 1, 1)
      .operand(2, "cache", BRAID_F32, 3, 3);
  if (checker.ok())
    checker.extent(1, 0, sizeOf(*call, 0, 0))
        .extent(2, 2, sizeOf(*call, 0, 1))
        .require(sizeOf(*call, 2, 1) > 0,
                 "operand 'cache': size 1 is 0, expected a block size");
  return checker.status();
}

static braid_status runCacheInsert(const braid_kernel_call *call, void *) {
  const braid_tensor *values = call->operands[0], *slots = call->operands[1],
                     *cache = call->operands[2];
  int64_t rows = values->sizes[0], limit = cacheSlots(cache);
  for (int64_t t = 0; t < rows; ++t) {
    int64_t slot = *at<const int64_t>(slots, t);
    if (slot < -1 || slot >= limit)
      return kernelFailed(*call,
                          "operand 'slots': element %lld is %lld, expected -1 "
                          "to %lld, the rows of the cache",
                          static_cast<long long>(t),
                          static_cast<long long>(slot),
                          static_cast<long long>(limit - 1));
  }
  for (int64_t t = 0; t < rows; ++t) {
    int64_t slot = *at<const int64_t>(slots, t);
    if (slot >= 0)
      std::memcpy(cacheRow(cache, slot), at<const float>(values, t),
                  values->sizes[1] * sizeof(float));
  }
  return BRAID_OK;
}

braid_kernel braid::runtime::makeCacheInsert() {
  return {sizeof(braid_kernel), "cache_insert", checkCacheInsert, nullptr,
          runCacheInsert,       nullptr};
}
