//===- GemmMatmul.h - One form of product in cuBLASLt -----------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The descriptors of a product, the algorithms that cuBLASLt offers for it, and
// the call that enqueues it. cuBLASLt sees columns first, so y = x . weight^T
// is D = A^T . B with A = weight, B = x and D = y as they lie in memory, the
// form that fp8 has to have.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CUDA_GEMMMATMUL_H
#define BRAID_RUNTIME_CUDA_GEMMMATMUL_H

#include "GemmChoices.h"

#include <cublasLt.h>
#include <vector>

namespace braid::runtime {

/// Success, or a sentence such as "cublasLtMatmul failed: CUBLAS_STATUS_..."
/// in which `what` is the call.
Error checkCublas(cublasStatus_t status, const char *what);

/// Memory of one product.
struct GemmOperands {
  const void *x = nullptr;
  const void *weight = nullptr;
  void *y = nullptr;
  const void *xScale = nullptr; ///< in cuBLASLt's layout; NULL without scales
  const void *weightScale = nullptr;
};

/// The product of a key.
class GemmMatmul {
public:
  GemmMatmul() = default;
  ~GemmMatmul();
  GemmMatmul(const GemmMatmul &) = delete;
  GemmMatmul &operator=(const GemmMatmul &) = delete;

  /// Makes the descriptors. `placeholder` is device memory that stands for
  /// scales as long as none were given.
  Error create(cublasLtHandle_t handle, const GemmKey &key,
               const void *placeholder);

  /// Sets `algorithms` to at most `count` of those that the heuristic offers,
  /// best first; to none if cuBLASLt cannot do the product. Only those whose
  /// results are the same in every run: without split sums, or with partial
  /// sums that are in f32 and added in a fixed order.
  Error candidates(int count, size_t workspaceBytes,
                   std::vector<cublasLtMatmulAlgo_t> &algorithms) const;

  /// Whether `algorithm` can do this product in so much workspace.
  bool accepts(const cublasLtMatmulAlgo_t &algorithm,
               size_t workspaceBytes) const;

  /// Sets the scales if they are others than last time, then enqueues the
  /// product. Not for two threads at once.
  cublasStatus_t enqueue(const GemmOperands &operands,
                         const cublasLtMatmulAlgo_t &algorithm, void *workspace,
                         size_t workspaceBytes, cudaStream_t stream);

private:
  cublasStatus_t setScales(const void *x, const void *weight);

  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t weightLayout = nullptr;
  cublasLtMatrixLayout_t xLayout = nullptr;
  cublasLtMatrixLayout_t yLayout = nullptr;
  const void *xScale = nullptr;
  const void *weightScale = nullptr;
  GemmKey key;
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CUDA_GEMMMATMUL_H
