//===- KernelSupport.cpp - What the host kernels share --------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows seen as f32, and scales.
//
//===----------------------------------------------------------------------===//

#include "KernelSupport.h"

#include <cmath>
#include <cstdint>

using namespace braid::runtime;

const char *const braid::runtime::kernelBackendName = "host";

const float *RowView::load(int64_t i, int64_t j) const {
  switch (tensor->dtype) {
  case BRAID_BF16:
    ops.widenBf16(row<const uint16_t>(i, j), scratch, width);
    return scratch;
  case BRAID_F8E4M3:
    ops.widenFp8(row<const uint8_t>(i, j), 1.0f, scratch, width);
    return scratch;
  default:
    return row<const float>(i, j);
  }
}

float *RowView::begin(int64_t i, int64_t j) const {
  return tensor->dtype == BRAID_F32 ? row<float>(i, j) : scratch;
}

void RowView::finish(int64_t i, int64_t j) const {
  if (tensor->dtype == BRAID_BF16)
    ops.narrowBf16(scratch, row<uint16_t>(i, j), width);
  else if (tensor->dtype == BRAID_F8E4M3)
    ops.narrowFp8(scratch, 1.0f, row<uint8_t>(i, j), width);
}

float braid::runtime::quantizationScale(float largest) {
  int exponent;
  float fraction =
      std::frexp(std::fmax(largest, 1e-4f) / 448.0f, &exponent); // [0.5, 1)
  return std::ldexp(1.0f, fraction == 0.5f ? exponent - 1 : exponent);
}

float braid::runtime::quantizeRow(const SmallOps &ops, float *values, int64_t n,
                                  uint8_t *to) {
  constexpr int64_t Piece = 64;
  uint16_t bf16[Piece];
  for (int64_t i = 0; i < n; i += Piece) {
    int64_t count = n - i < Piece ? n - i : Piece;
    ops.narrowBf16(values + i, bf16, count);
    ops.widenBf16(bf16, values + i, count);
  }
  float scale = quantizationScale(ops.largest(values, n));
  ops.narrowFp8(values, scale, to, n);
  return scale;
}

float braid::runtime::scaleFromE8m0(uint8_t byte) {
  return byte == 0xff ? std::nanf("") : std::ldexp(1.0f, byte - 127);
}

uint8_t braid::runtime::scaleToE8m0(float scale) {
  int exponent = std::ilogb(scale) + 127;
  return static_cast<uint8_t>(exponent < 0     ? 0
                              : exponent > 254 ? 254
                                               : exponent);
}
