//===- KernelSupport.h - What the host kernels share ------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops that the context chose, scratch, and rows of every element type
// seen as f32. Checks and access to operands are in core/KernelSupport.h.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_HOST_KERNELSUPPORT_H
#define BRAID_RUNTIME_HOST_KERNELSUPPORT_H

#include "SmallOps.h"

#include "core/KernelSupport.h"

namespace braid::runtime {

/// The loops that the context chose.
inline const SmallOps &smallOps(void *userData) {
  return *static_cast<const SmallOps *>(userData);
}

/// Hands out consecutive parts of a kernel's scratch, each aligned to 64 bytes.
/// With a NULL start it only counts.
class ScratchParts {
public:
  explicit ScratchParts(void *memory) : memory(static_cast<char *>(memory)) {}

  template <typename T>
  T *take(int64_t count) {
    char *part = memory ? memory + used : nullptr;
    used += (count * sizeof(T) + 63) / 64 * 64;
    return reinterpret_cast<T *>(part);
  }
  size_t bytes() const { return used; }

private:
  char *memory;
  size_t used = 0;
};

/// Rows of a tensor in f32, bf16 or e4m3, seen as f32. Rows of f32 are used
/// where they lie, others go through scratch of one row.
class RowView {
public:
  /// Takes the scratch from `parts`. `tensor` may be NULL if it is never used.
  RowView(const SmallOps &ops, const braid_tensor *tensor, ScratchParts &parts)
      : ops(ops), tensor(tensor),
        width(tensor ? tensor->sizes[tensor->rank - 1] : 0),
        scratch(tensor && tensor->dtype != BRAID_F32 ? parts.take<float>(width)
                                                     : nullptr) {}

  /// The row at these indices; good until the next call.
  const float *load(int64_t i = 0, int64_t j = 0) const;
  /// Where to write the row at these indices; `finish` puts it in place.
  float *begin(int64_t i, int64_t j = 0) const;
  void finish(int64_t i, int64_t j = 0) const;

private:
  template <typename T>
  T *row(int64_t i, int64_t j) const {
    return tensor->rank == 3   ? at<T>(tensor, i, j)
           : tensor->rank == 2 ? at<T>(tensor, i)
                               : at<T>(tensor, 0);
  }

  const SmallOps &ops;
  const braid_tensor *tensor;
  int64_t width;
  float *scratch;
};

/// The scale of a block whose largest magnitude is `largest`: the power of two
/// 2^ceil(log2(max(largest, 1e-4) / 448)).
float quantizationScale(float largest);

/// The power of two that an e8m0 byte stands for, and back.
float scaleFromE8m0(uint8_t byte);
uint8_t scaleToE8m0(float scale);

/// Rounds `n` values to bf16, as engines do before they quantize, writes them
/// in e4m3 and returns their scale. Changes `values` to what was rounded.
float quantizeRow(const SmallOps &ops, float *values, int64_t n, uint8_t *to);

/// The `workspace` of a kernel whose scratch is a `Scratch(parts, call, ops)`.
template <typename Scratch>
size_t scratchOf(const braid_kernel_call *call, size_t, void *userData) {
  ScratchParts parts(nullptr);
  Scratch scratch(parts, *call, smallOps(userData));
  return parts.bytes();
}

} // namespace braid::runtime

#endif // BRAID_RUNTIME_HOST_KERNELSUPPORT_H
