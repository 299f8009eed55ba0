//===- GemmMatmul.cpp - One form of product in cuBLASLt -------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Descriptors, heuristic and call.
//
//===----------------------------------------------------------------------===//

#include "GemmMatmul.h"

#include <utility>

using namespace braid::runtime;

Error braid::runtime::checkCublas(cublasStatus_t status, const char *what) {
  if (status == CUBLAS_STATUS_SUCCESS)
    return Error::success();
  return makeError(status == CUBLAS_STATUS_ALLOC_FAILED ? BRAID_OUT_OF_MEMORY
                                                        : BRAID_KERNEL_FAILED,
                   "%s failed: %s", what, cublasLtGetStatusName(status));
}

static cudaDataType_t cudaType(int32_t dtype) {
  switch (dtype) {
  case BRAID_BF16:
    return CUDA_R_16BF;
  case BRAID_F8E4M3:
    return CUDA_R_8F_E4M3;
  default:
    return CUDA_R_32F;
  }
}

/// Describes a matrix whose rows in memory are `width` elements.
static cublasStatus_t makeLayout(cublasLtMatrixLayout_t &layout, int32_t dtype,
                                 int64_t width, int64_t rows, int64_t stride,
                                 int32_t groups, int64_t groupStride) {
  cublasStatus_t status = cublasLtMatrixLayoutCreate(
      &layout, cudaType(dtype), static_cast<uint64_t>(width),
      static_cast<uint64_t>(rows), stride);
  if (status != CUBLAS_STATUS_SUCCESS || groups == 1)
    return status;
  status = cublasLtMatrixLayoutSetAttribute(
      layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &groups, sizeof(groups));
  if (status != CUBLAS_STATUS_SUCCESS)
    return status;
  return cublasLtMatrixLayoutSetAttribute(
      layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &groupStride,
      sizeof(groupStride));
}

GemmMatmul::~GemmMatmul() {
  for (cublasLtMatrixLayout_t layout : {weightLayout, xLayout, yLayout})
    if (layout)
      cublasLtMatrixLayoutDestroy(layout);
  if (product)
    cublasLtMatmulDescDestroy(product);
}

Error GemmMatmul::create(cublasLtHandle_t newHandle, const GemmKey &newKey,
                         const void *placeholder) {
  handle = newHandle;
  key = newKey;
  // Sums of f32 stay in f32: this type allows no TF32.
  if (Error error = checkCublas(
          cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F),
          "cublasLtMatmulDescCreate"))
    return error;
  auto set = [&](cublasLtMatmulDescAttributes_t attribute, int32_t value) {
    return checkCublas(cublasLtMatmulDescSetAttribute(product, attribute,
                                                      &value, sizeof(value)),
                       "cublasLtMatmulDescSetAttribute");
  };
  if (Error error = set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T))
    return error;
  if (Error error = set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N))
    return error;
  if (key.scales == GemmScales::Blocks) {
    if (Error error = set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE,
                          CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F))
      return error;
    if (Error error = set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE,
                          CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F))
      return error;
  }
  if (key.scales != GemmScales::None)
    if (Error error = checkCublas(setScales(placeholder, placeholder),
                                  "cublasLtMatmulDescSetAttribute"))
      return error;
  cublasStatus_t status =
      makeLayout(weightLayout, key.type, key.k, key.n, key.weightRow,
                 key.groups, key.n * key.weightRow);
  if (status == CUBLAS_STATUS_SUCCESS)
    status = makeLayout(xLayout, key.type, key.k, key.rows, key.xRow,
                        key.groups, key.xGroup);
  if (status == CUBLAS_STATUS_SUCCESS)
    status = makeLayout(yLayout, key.yType, key.n, key.rows, key.yRow,
                        key.groups, key.yGroup);
  return checkCublas(status, "cublasLtMatrixLayoutCreate");
}

cublasStatus_t GemmMatmul::setScales(const void *x, const void *weight) {
  if (x != xScale) {
    cublasStatus_t status = cublasLtMatmulDescSetAttribute(
        product, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &x, sizeof(x));
    if (status != CUBLAS_STATUS_SUCCESS)
      return status;
    xScale = x;
  }
  if (weight != weightScale) {
    cublasStatus_t status = cublasLtMatmulDescSetAttribute(
        product, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &weight, sizeof(weight));
    if (status != CUBLAS_STATUS_SUCCESS)
      return status;
    weightScale = weight;
  }
  return CUBLAS_STATUS_SUCCESS;
}

Error GemmMatmul::candidates(
    int count, size_t workspaceBytes,
    std::vector<cublasLtMatmulAlgo_t> &algorithms) const {
  algorithms.clear();
  cublasLtMatmulPreference_t preference = nullptr;
  if (Error error = checkCublas(cublasLtMatmulPreferenceCreate(&preference),
                                "cublasLtMatmulPreferenceCreate"))
    return error;
  uint64_t workspace = workspaceBytes;
  uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  uint32_t xAlignment = key.xAlignment, yAlignment = key.yAlignment,
           weightAlignment = key.weightAlignment;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute,
                 const void *value, size_t bytes) {
    if (status == CUBLAS_STATUS_SUCCESS)
      status = cublasLtMatmulPreferenceSetAttribute(preference, attribute,
                                                    value, bytes);
  };
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof(workspace));
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reductions,
      sizeof(reductions));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &weightAlignment,
      sizeof(weightAlignment));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &xAlignment,
      sizeof(xAlignment));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &yAlignment,
      sizeof(yAlignment));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &yAlignment,
      sizeof(yAlignment));
  Error error = checkCublas(status, "cublasLtMatmulPreferenceSetAttribute");
  if (!error) {
    std::vector<cublasLtMatmulHeuristicResult_t> results(count);
    int found = 0;
    status = cublasLtMatmulAlgoGetHeuristic(
        handle, product, weightLayout, xLayout, yLayout, yLayout, preference,
        count, results.data(), &found);
    // These two say that no algorithm can do it.
    if (status == CUBLAS_STATUS_NOT_SUPPORTED ||
        status == CUBLAS_STATUS_INVALID_VALUE)
      found = 0;
    else
      error = checkCublas(status, "cublasLtMatmulAlgoGetHeuristic");
    for (int i = 0; i < found && !error; ++i)
      if (results[i].state == CUBLAS_STATUS_SUCCESS &&
          results[i].workspaceSize <= workspaceBytes)
        algorithms.push_back(results[i].algo);
  }
  cublasLtMatmulPreferenceDestroy(preference);
  return error;
}

bool GemmMatmul::accepts(const cublasLtMatmulAlgo_t &algorithm,
                         size_t workspaceBytes) const {
  cublasLtMatmulHeuristicResult_t result = {};
  return cublasLtMatmulAlgoCheck(handle, product, weightLayout, xLayout,
                                 yLayout, yLayout, &algorithm,
                                 &result) == CUBLAS_STATUS_SUCCESS &&
         result.state == CUBLAS_STATUS_SUCCESS &&
         result.workspaceSize <= workspaceBytes;
}

cublasStatus_t GemmMatmul::enqueue(const GemmOperands &operands,
                                   const cublasLtMatmulAlgo_t &algorithm,
                                   void *workspace, size_t workspaceBytes,
                                   cudaStream_t stream) {
  if (key.scales != GemmScales::None) {
    cublasStatus_t status = setScales(operands.xScale, operands.weightScale);
    if (status != CUBLAS_STATUS_SUCCESS)
      return status;
  }
  const float one = 1.0f, zero = 0.0f;
  return cublasLtMatmul(handle, product, &one, operands.weight, weightLayout,
                        operands.x, xLayout, &zero, operands.y, yLayout,
                        operands.y, yLayout, &algorithm, workspace,
                        workspaceBytes, stream);
}
