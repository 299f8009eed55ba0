//===- CacheRows.cpp - Rows of a paged cache ------------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layout and conversion of cached rows. Sources: vLLM's fp8_ds_mla rows and its
// indexer cache.
//
//===----------------------------------------------------------------------===//

#include "CacheRows.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

using namespace braid::runtime;

int64_t CacheRows::scaleBytes() const {
  if (!fp8Channels)
    return sizeof(float);
  return padded((fp8Channels + ScaleBlock - 1) / ScaleBlock, 8);
}

uint8_t *CacheRows::values(int64_t slot) const {
  int64_t size = cache->sizes[1];
  return static_cast<uint8_t *>(cache->data) + slot / size * cache->strides[0] +
         slot % size * valueBytes();
}

uint8_t *CacheRows::scales(int64_t slot) const {
  int64_t size = cache->sizes[1];
  return static_cast<uint8_t *>(cache->data) + slot / size * cache->strides[0] +
         size * valueBytes() + slot % size * scaleBytes();
}

void CacheRows::check(Checker &checker, const braid_kernel_call &call,
                      int64_t i, const char *name, int64_t width,
                      int64_t fp8Channels, Presence presence) {
  using LL = long long;
  checker.operand(i, name, {BRAID_F32, BRAID_BF16, BRAID_I8}, 3, 3, presence);
  const braid_tensor *cache = checker.ok() ? call.operands[i] : nullptr;
  if (!cache)
    return;
  checker.require(cache->sizes[1] > 0,
                  "operand '%s': size 1 is 0, expected a block size", name);
  if (cache->dtype != BRAID_I8) {
    checker
        .require(fp8Channels == 0,
                 "operand '%s': parameter 'fp8_channels' is %lld, expected "
                 "none, as its rows are not packed",
                 name, LL(fp8Channels))
        .extent(i, 2, width);
    return;
  }
  checker.require(fp8Channels >= 0 && fp8Channels <= width,
                  "parameter 'fp8_channels' is %lld, expected 0 to %lld, the "
                  "channels of a row",
                  LL(fp8Channels), LL(width));
  if (!checker.ok())
    return;
  SmallOps none = {};
  CacheRows rows(none, cache, width, fp8Channels);
  int64_t bytes = rows.valueBytes() + rows.scaleBytes();
  checker.extent(i, 2, bytes)
      .require(cache->sizes[1] <= 1 || cache->strides[1] == bytes,
               "operand '%s': stride 1 is %lld, expected %lld, a row's bytes",
               name, LL(cache->strides[1]), LL(bytes))
      .require(cache->sizes[0] <= 1 ||
                   cache->strides[0] >= cache->sizes[1] * bytes,
               "operand '%s': stride 0 is %lld, expected at least %lld, a "
               "block's bytes",
               name, LL(cache->strides[0]), LL(cache->sizes[1] * bytes));
  if (!fp8Channels)
    return;
  // The other channels are bf16.
  checker
      .require(fp8Channels % 2 == 0,
               "parameter 'fp8_channels' is %lld, expected an even number",
               LL(fp8Channels))
      .require(reinterpret_cast<uintptr_t>(cache->data) % 2 == 0,
               "operand '%s': data is %p, expected a multiple of 2, as its "
               "rows hold bf16",
               name, cache->data)
      .require(cache->sizes[0] <= 1 || cache->strides[0] % 2 == 0,
               "operand '%s': stride 0 is %lld, expected a multiple of 2, as "
               "its rows hold bf16",
               name, LL(cache->strides[0]));
}

void CacheRows::load(int64_t slot, float *to) const {
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
  std::memset(scale + used, 0, scaleBytes() - used);
  ops.narrowBf16(from + fp8Channels,
                 reinterpret_cast<uint16_t *>(to + fp8Channels),
                 width - fp8Channels);
}
