//===- KernelChecks.h - Which calls kernels accept --------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `check` of each op that several backends have kernels for, so that all of
// them refuse the same calls with the same sentences. The functions that take a
// call are those of a braid_kernel.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CORE_KERNELCHECKS_H
#define BRAID_RUNTIME_CORE_KERNELCHECKS_H

#include "KernelSupport.h"

namespace braid::runtime {

/// x, weight?, y; parameter eps.
braid_status checkRmsNorm(const braid_kernel_call *call, void *);
/// x, positions, table, y; parameter inverse.
braid_status checkRope(const braid_kernel_call *call, void *);
/// x, values, scales; parameter block.
braid_status checkQuantize(const braid_kernel_call *call, void *);
/// values, slots, cache; parameter fp8_channels, 0 if absent.
braid_status checkCacheInsert(const braid_kernel_call *call, void *);
/// source, target.
braid_status checkCopy(const braid_kernel_call *call, void *);
/// x, y.
braid_status checkAllReduce(const braid_kernel_call *call, void *);
/// inputs..., y.
braid_status checkPack(const braid_kernel_call *call, void *);

namespace product {
/// Operands of linear and grouped_linear.
enum Operand { X, Weight, XScale, WeightScale, Y, NumOperands };

/// Columns and rows of a weight, and columns of x, that share a scale.
inline constexpr int64_t ScaleBlock = 128;
} // namespace product

braid_status checkLinear(const braid_kernel_call *call, void *);
braid_status checkGroupedLinear(const braid_kernel_call *call, void *);

/// Checks that operand `y` has the shape of operand `x`, and the extents of
/// positions and table next to them.
void checkRotation(Checker &checker, const braid_kernel_call &call, int64_t x,
                   int64_t positions, int64_t table, int64_t y);

/// Parts of a row in a block of i8 rows, in which the values of all rows come
/// first, then all scales. Sources: vLLM's fp8_ds_mla rows and its indexer
/// cache.
struct CacheRowLayout {
  /// Channels that share a scale in a packed row.
  static constexpr int64_t ScaleBlock = 64;

  int64_t width; ///< channels
  /// Channels of a packed row that are e4m3; 0 for all other forms.
  int64_t fp8Channels;

  int64_t valueBytes() const {
    return fp8Channels ? fp8Channels + 2 * (width - fp8Channels) : width;
  }
  int64_t scaleBytes() const {
    return fp8Channels ? padded((fp8Channels + ScaleBlock - 1) / ScaleBlock, 8)
                       : sizeof(float);
  }
};

/// Checks that operand `i` is a cache of rows of `width` channels;
/// `fp8Channels` as in CacheRowLayout. Adds the operand to what `checker`
/// knows.
void checkCacheRows(Checker &checker, const braid_kernel_call &call, int64_t i,
                    const char *name, int64_t width, int64_t fp8Channels,
                    Presence presence = Presence::Required);

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CORE_KERNELCHECKS_H
