//===- CacheRows.h - Rows of a paged cache ----------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes rows of a cache [blocks, block size, ...] in f32, in every
// form in which a cache holds them:
//
//   f32, bf16    plain rows of D elements.
//   i8, D + 4    D e4m3 channels, one power-of-two scale in f32: an index row.
//   i8, packed   n e4m3 channels in blocks of 64 with a scale (e8m0) each, then
//                D - n bf16 channels; the scales are padded to 8 bytes. With
//                D = 512 and n = 448 this is the 584-byte latent row.
//
// In a block of i8 rows the values of all rows come first, then all scales.
// Blocks may be farther apart than their rows need.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_HOST_CACHEROWS_H
#define BRAID_RUNTIME_HOST_CACHEROWS_H

#include "KernelSupport.h"

#include "core/KernelChecks.h"

namespace braid::runtime {

class CacheRows {
public:
  /// Rows of `width` channels. `fp8Channels` is n of a packed row; 0 for all
  /// other forms. `cache` may be NULL if no row is ever touched.
  CacheRows(const SmallOps &ops, const braid_tensor *cache, int64_t width,
            int64_t fp8Channels)
      : ops(ops), cache(cache), layout{width, fp8Channels} {}

  void load(int64_t slot, float *to) const;
  /// Rows of i8 change `from` to what was rounded on the way.
  void store(int64_t slot, float *from) const;

private:
  uint8_t *values(int64_t slot) const;
  uint8_t *scales(int64_t slot) const;

  const SmallOps &ops;
  const braid_tensor *cache;
  CacheRowLayout layout;
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_HOST_CACHEROWS_H
