//===- CacheRows.cpp - Rows of a paged cache ------------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversion of cached rows.
//
//===----------------------------------------------------------------------===//

#include "CacheRows.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

using namespace braid::runtime;

static constexpr int64_t ScaleBlock = CacheRowLayout::ScaleBlock;

uint8_t *CacheRows::values(int64_t slot) const {
  int64_t size = cache->sizes[1];
  return static_cast<uint8_t *>(cache->data) + slot / size * cache->strides[0] +
         slot % size * layout.valueBytes();
}

uint8_t *CacheRows::scales(int64_t slot) const {
  int64_t size = cache->sizes[1];
  return static_cast<uint8_t *>(cache->data) + slot / size * cache->strides[0] +
         size * layout.valueBytes() + slot % size * layout.scaleBytes();
}

void CacheRows::load(int64_t slot, float *to) const {
  auto [width, fp8Channels] = layout;
  int64_t block = slot / cache->sizes[1], row = slot % cache->sizes[1];
  if (cache->dtype == BRAID_F32) {
    std::memcpy(to, at<const float>(cache, block, row), width * sizeof(float));
    return;
  }
  if (cache->dtype == BRAID_BF16) {
    ops.widenBf16(at<const uint16_t>(cache, block, row), to, width);
    return;
  }
  const uint8_t *from = values(slot), *scale = scales(slot);
  if (!fp8Channels) {
    float factor;
    std::memcpy(&factor, scale, sizeof(float));
    ops.widenFp8(from, factor, to, width);
    return;
  }
  for (int64_t c = 0; c < fp8Channels; c += ScaleBlock)
    ops.widenFp8(from + c, scaleFromE8m0(scale[c / ScaleBlock]), to + c,
                 std::min(ScaleBlock, fp8Channels - c));
  ops.widenBf16(reinterpret_cast<const uint16_t *>(from + fp8Channels),
                to + fp8Channels, width - fp8Channels);
}

void CacheRows::store(int64_t slot, float *from) const {
  auto [width, fp8Channels] = layout;
  int64_t block = slot / cache->sizes[1], row = slot % cache->sizes[1];
  if (cache->dtype == BRAID_F32) {
    std::memcpy(at<float>(cache, block, row), from, width * sizeof(float));
    return;
  }
  if (cache->dtype == BRAID_BF16) {
    ops.narrowBf16(from, at<uint16_t>(cache, block, row), width);
    return;
  }
  uint8_t *to = values(slot), *scale = scales(slot);
  if (!fp8Channels) {
    float factor = quantizeRow(ops, from, width, to);
    std::memcpy(scale, &factor, sizeof(float));
    return;
  }
  for (int64_t c = 0; c < fp8Channels; c += ScaleBlock)
    scale[c / ScaleBlock] = scaleToE8m0(quantizeRow(
        ops, from + c, std::min(ScaleBlock, fp8Channels - c), to + c));
  int64_t used = (fp8Channels + ScaleBlock - 1) / ScaleBlock;
  std::memset(scale + used, 0, layout.scaleBytes() - used);
  ops.narrowBf16(from + fp8Channels,
                 reinterpret_cast<uint16_t *>(to + fp8Channels),
                 width - fp8Channels);
}
