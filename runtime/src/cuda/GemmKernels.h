//===- GemmKernels.h - What products need beside cuBLASLt -------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scales in the layout that cuBLASLt reads, a plain product for the shapes that
// it does not take, and numbers to time it with.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CUDA_GEMMKERNELS_H
#define BRAID_RUNTIME_CUDA_GEMMKERNELS_H

#include <cstdint>
#include <cuda_runtime_api.h>

namespace braid::runtime {

/// A matrix of scales for each group, as they lie in an operand. Distances are
/// in elements and may be 0, so that one scale stands for many.
struct ScaleMatrix {
  const void *data = nullptr;
  int32_t dtype = 0; ///< BRAID_F32 or BRAID_F8E8M0
  int64_t row = 0;
  int64_t block = 0; ///< distance of the scales of a row
  int64_t group = 0;
};

/// Scales to write as f32. Either half may be left out.
struct ScaleConversion {
  int64_t groups = 1;
  int64_t blocks = 0; ///< scales in a row, K / 128

  /// [groups, blocks, paddedRows], zeros beyond `rows`; NULL for none.
  float *xTo = nullptr;
  ScaleMatrix x;
  int64_t rows = 0;
  int64_t paddedRows = 0;

  /// [groups, weightRows, weightStride], zeros beyond `blocks`; NULL for none.
  float *weightTo = nullptr;
  ScaleMatrix weight;
  int64_t weightRows = 0;
  int64_t weightStride = 0;
};

/// y[g] = x[g] . weight[g]^T for any strides and alignment. Scales may be
/// missing; row r of x has the scales of row r, row n of weight in its group
/// those of row n / 128.
struct PlainProduct {
  int64_t groups = 1, rows = 0, n = 0, k = 0;
  int32_t type = 0, yType = 0;
  const void *x = nullptr, *weight = nullptr;
  void *y = nullptr;
  int64_t xRow = 0, xGroup = 0, weightRow = 0, yRow = 0, yGroup = 0;
  ScaleMatrix xScale, weightScale;
};

cudaError_t launchScales(const ScaleConversion &conversion,
                         cudaStream_t stream);
cudaError_t launchPlainProduct(const PlainProduct &product,
                               cudaStream_t stream);
/// Fills `count` elements of `dtype` with numbers of magnitude below 2, no two
/// runs of them alike.
cudaError_t launchFill(void *data, int32_t dtype, int64_t count,
                       cudaStream_t stream);

/// Loads all of the above to the current device, so that a first launch inside
/// a capture has nothing left to load.
cudaError_t loadGemmKernels();

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CUDA_GEMMKERNELS_H
