//===- RopeTable.cpp - Tables of rotary position embeddings ---------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills the cosine and sine table that rope kernels index by position: plain
// RoPE, or YaRN (arXiv:2309.00071) without magnitude scaling.
//
//===----------------------------------------------------------------------===//

#include "Error.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace braid::runtime;

/// Most rotated channels.
static constexpr int64_t MaxDims = 65536;

static Error checkRope(const braid_rope *rope) {
  if (!rope)
    return Error(BRAID_INVALID_ARGUMENT, "the rope is NULL");
  constexpr size_t firstVersion =
      offsetof(braid_rope, original_positions) + sizeof(int64_t);
  if (Error error =
          checkStructSize("braid_rope", rope->struct_size, firstVersion))
    return error;
  if (rope->dims <= 0 || rope->dims % 2 || rope->dims > MaxDims)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "braid_rope.dims is %lld, expected an even number from 2 "
                     "to %lld",
                     static_cast<long long>(rope->dims),
                     static_cast<long long>(MaxDims));
  if (!(rope->theta > 1) || !std::isfinite(rope->theta))
    return makeError(BRAID_INVALID_ARGUMENT,
                     "braid_rope.theta is %g, expected a number above 1",
                     rope->theta);
  if (rope->factor == 1)
    return Error::success();
  if (!(rope->factor > 0) || !std::isfinite(rope->factor))
    return makeError(BRAID_INVALID_ARGUMENT,
                     "braid_rope.factor is %g, expected a number above 0",
                     rope->factor);
  if (!(rope->beta_slow > 0) || !(rope->beta_fast >= rope->beta_slow))
    return makeError(BRAID_INVALID_ARGUMENT,
                     "braid_rope.beta_fast is %g and beta_slow %g, expected "
                     "beta_fast >= beta_slow > 0",
                     rope->beta_fast, rope->beta_slow);
  if (rope->original_positions <= 0)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "braid_rope.original_positions is %lld, expected a number "
                     "above 0",
                     static_cast<long long>(rope->original_positions));
  return Error::success();
}

/// Angle per position for each pair of channels.
static std::vector<double> frequencies(const braid_rope &rope) {
  double dims = static_cast<double>(rope.dims);
  std::vector<double> result(rope.dims / 2);
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = std::pow(rope.theta, -2.0 * static_cast<double>(i) / dims);
  if (rope.factor == 1)
    return result;
  const double pi = std::acos(-1.0);
  // The channel whose wave turns `rotations` times in the original context.
  auto channel = [&](double rotations) {
    return dims *
           std::log(static_cast<double>(rope.original_positions) /
                    (2 * pi * rotations)) /
           (2 * std::log(rope.theta));
  };
  double low = std::max(std::floor(channel(rope.beta_fast)), 0.0);
  double high = std::min(std::ceil(channel(rope.beta_slow)), dims - 1);
  // Keeps the ramp finite where both ends meet.
  double width = std::max(high - low, 1e-3);
  for (size_t i = 0; i < result.size(); ++i) {
    double ramp = std::clamp((static_cast<double>(i) - low) / width, 0.0, 1.0);
    result[i] = result[i] / rope.factor * ramp + result[i] * (1 - ramp);
  }
  return result;
}

braid_status braid_fill_rope_table(const braid_rope *rope, int64_t positions,
                                   float *table) {
  return reportToThread(guarded([&]() -> Error {
    if (Error error = checkRope(rope))
      return error;
    int64_t limit = INT64_MAX / rope->dims / static_cast<int>(sizeof(float));
    if (positions < 0 || positions > limit)
      return makeError(BRAID_INVALID_ARGUMENT,
                       "positions is %lld, expected 0 to %lld for rows of %lld "
                       "channels",
                       static_cast<long long>(positions),
                       static_cast<long long>(limit),
                       static_cast<long long>(rope->dims));
    if (positions > 0 && !table)
      return Error(BRAID_INVALID_ARGUMENT, "the table is NULL");
    if (reinterpret_cast<uintptr_t>(table) % alignof(float))
      return makeError(BRAID_INVALID_ARGUMENT,
                       "the table is at %p, expected a multiple of %zu",
                       static_cast<void *>(table), alignof(float));
    std::vector<double> frequency = frequencies(*rope);
    size_t half = frequency.size();
    for (int64_t p = 0; p < positions; ++p) {
      float *row = table + p * rope->dims;
      for (size_t i = 0; i < half; ++i) {
        double angle = static_cast<double>(p) * frequency[i];
        row[i] = static_cast<float>(std::cos(angle));
        row[half + i] = static_cast<float>(std::sin(angle));
      }
    }
    return Error::success();
  }));
}
