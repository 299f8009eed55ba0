//===- Numbers.cpp - Made-up numbers and element types ----------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A whole layer has 10^8 weights, so the loops here are made to be vectorized.
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

#include "braid/runtime.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace braid;

// splitmix64: equal on every machine, and fast enough for whole layers.
uint64_t braid::hashNumber(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

MadeUpNumbers::MadeUpNumbers(uint64_t seed, StringRef name, StringRef more,
                             float mean, float sigma)
    : key(hashNumber(seed)), base(mean - sigma * std::sqrt(3.0f)),
      scale(sigma * std::sqrt(12.0f) * 0x1p-24f) {
  for (StringRef part : {name, more})
    for (char c : part)
      key = hashNumber(key ^ static_cast<unsigned char>(c));
}

void MadeUpNumbers::fill(float *data, size_t count, uint64_t first) const {
  for (size_t i = 0; i < count; ++i)
    data[i] =
        base + scale * static_cast<float>(hashNumber(key + first + i) >> 40);
}

int64_t braid::getElementBytes(int32_t dtype) {
  switch (dtype) {
  case BRAID_I64:
    return 8;
  case BRAID_F32:
  case BRAID_I32:
    return 4;
  case BRAID_BF16:
  case BRAID_F16:
    return 2;
  default:
    return 1;
  }
}

uint16_t braid::toBf16(float value) {
  uint32_t bits = bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (bits >> 16) | 0x40; // a NaN stays one
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

float braid::fromBf16(uint16_t bits) {
  return bit_cast<float>(uint32_t(bits) << 16);
}

uint8_t braid::toE4m3(float value) {
  uint32_t bits = bit_cast<uint32_t>(value);
  uint32_t sign = bits >> 24 & 0x80;
  float magnitude = std::min(std::fabs(value), 448.0f);
  // Below 2^-6 the numbers are multiples of 2^-9; adding 2^23 rounds to one.
  uint32_t small =
      bit_cast<uint32_t>(magnitude * 512.0f + 0x1p23f) - 0x4b000000;
  bits = bit_cast<uint32_t>(magnitude);
  bits += 0x7ffff + ((bits >> 20) & 1);
  uint32_t normal = (bits >> 20) - ((127 - 7) << 3);
  return sign | (magnitude < 0x1p-6f ? small : normal);
}

float braid::getPowerOfTwoScale(float largest) {
  int exponent;
  float fraction = std::frexp(std::max(largest, 1e-4f) / 448.0f, &exponent);
  return std::ldexp(1.0f, fraction == 0.5f ? exponent - 1 : exponent);
}

uint8_t braid::toE8m0(float scale) {
  return std::clamp(std::ilogb(scale) + 127, 0, 254);
}

void braid::writeNumbers(const float *from, size_t count, int32_t dtype,
                         char *to) {
  if (count == 0)
    return; // there may be no memory at all
  if (dtype == BRAID_F32) {
    std::memcpy(to, from, count * sizeof(float));
    return;
  }
  auto *target = reinterpret_cast<uint16_t *>(to);
  for (size_t i = 0; i < count; ++i)
    target[i] = toBf16(from[i]);
}
