//===- Quantize.cpp - quantize --------------------------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Activations to fp8, a power-of-two scale for each block of channels.
//
// Operands: x, values, scales.
//
//===----------------------------------------------------------------------===//

#include "KernelSupport.h"
#include "Kernels.h"

#include "core/KernelChecks.h"

#include <algorithm>

using namespace braid::runtime;

namespace {
struct QuantizeScratch {
  RowView x;

  QuantizeScratch(ScratchParts &parts, const braid_kernel_call &call,
                  const SmallOps &ops)
      : x(ops, call.operands[0], parts) {}
};
} // namespace

/// The element of `tensor`, of rank 2 or 3, where a row begins.
template <typename T>
static T *rowOf(const braid_tensor *tensor, int64_t i, int64_t j) {
  return tensor->rank == 3 ? at<T>(tensor, i, j) : at<T>(tensor, i);
}

static braid_status runQuantize(const braid_kernel_call *call, void *userData) {
  const SmallOps &ops = smallOps(userData);
  const braid_tensor *x = call->operands[0], *values = call->operands[1],
                     *scales = call->operands[2];
  ScratchParts parts(call->workspace);
  QuantizeScratch scratch(parts, *call, ops);
  int64_t block = intParam(*call, "block"), width = x->sizes[x->rank - 1];
  int64_t middle = x->rank == 3 ? x->sizes[1] : 1;
  for (int64_t i = 0; i < x->sizes[0]; ++i)
    for (int64_t j = 0; j < middle; ++j) {
      const float *row = scratch.x.load(i, j);
      uint8_t *to = rowOf<uint8_t>(values, i, j);
      for (int64_t c = 0; c < width; c += block) {
        int64_t count = std::min(block, width - c);
        float scale = quantizationScale(ops.largest(row + c, count));
        ops.narrowFp8(row + c, scale, to + c, count);
        if (scales->dtype == BRAID_F32)
          rowOf<float>(scales, i, j)[c / block] = scale;
        else
          rowOf<uint8_t>(scales, i, j)[c / block] = scaleToE8m0(scale);
      }
    }
  return BRAID_OK;
}

braid_kernel braid::runtime::makeQuantize() {
  return {sizeof(braid_kernel),
          "quantize",
          checkQuantize,
          scratchOf<QuantizeScratch>,
          runQuantize,
          nullptr,
          nullptr};
}
