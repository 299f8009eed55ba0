//===- Numbers.h - Made-up numbers and element types ------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that are made up from a seed, and how they are written in each
// element type. All types round the same f32 numbers, so that a program in bf16
// or fp8 computes what the f32 program does, but for rounding.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_LIB_EXECUTION_NUMBERS_H
#define BRAID_LIB_EXECUTION_NUMBERS_H

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>

namespace braid {

/// A well mixed function of `x`, equal on every machine.
uint64_t hashNumber(uint64_t x);

/// A sequence of uniform numbers that depends on a seed and a name.
class MadeUpNumbers {
public:
  /// The name is `name` followed by `more`.
  MadeUpNumbers(uint64_t seed, llvm::StringRef name, llvm::StringRef more,
                float mean, float sigma);

  /// Writes the numbers from place `first` on.
  void fill(float *data, size_t count, uint64_t first = 0) const;

private:
  uint64_t key;
  float base, scale;
};

/// Bytes of an element of a braid_dtype.
int64_t getElementBytes(int32_t dtype);

/// Rounds to bf16, ties to even; and back.
uint16_t toBf16(float value);
float fromBf16(uint16_t bits);

/// Rounds to e4m3, ties to even; beyond 448 to 448.
uint8_t toE4m3(float value);

/// The power of two by which e4m3 numbers are scaled whose largest magnitude is
/// `largest`: 2^ceil(log2(max(largest, 1e-4) / 448)).
float getPowerOfTwoScale(float largest);

/// The e8m0 byte of a power of two.
uint8_t toE8m0(float scale);

/// Writes numbers as BRAID_F32 or BRAID_BF16.
void writeNumbers(const float *from, size_t count, int32_t dtype, char *to);

} // namespace braid

#endif // BRAID_LIB_EXECUTION_NUMBERS_H
