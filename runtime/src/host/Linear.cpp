//===- Linear.cpp - linear and grouped_linear -----------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands, their scales and groups; the products are in Product.cpp.
//
// Operands: x, weight, x_scale?, weight_scale?, y.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Product.h"

#include "core/KernelChecks.h"

using namespace braid::runtime;
using namespace braid::runtime::product;

/// The matrix of `tensor` that begins at these indices and whose rows are the
/// elements of dimension 0.
static Matrix matrixAt(const braid_tensor *tensor, int64_t i, int64_t j = 0) {
  int64_t offset = i * tensor->strides[0] + (j ? j * tensor->strides[1] : 0);
  return {static_cast<char *>(tensor->data) +
              offset * elementSize(tensor->dtype),
          tensor->dtype, tensor->strides[0]};
}

static Scales scalesAt(const braid_tensor *tensor, int64_t rowsPerScale,
                       int64_t i, int64_t j = 0) {
  Scales scales;
  if (!tensor)
    return scales;
  scales.dtype = tensor->dtype;
  scales.isWhole = tensor->rank == 1;
  scales.rowsPerScale = rowsPerScale;
  if (scales.isWhole) {
    scales.data = tensor->data;
  } else {
    Matrix matrix = matrixAt(tensor, i, j);
    scales.data = matrix.data;
    scales.rowStride = matrix.rowStride;
    scales.blockStride = tensor->strides[tensor->rank - 1];
  }
  return scales;
}

//===----------------------------------------------------------------------===//
// linear
//===----------------------------------------------------------------------===//

static Product makeProduct(const braid_kernel_call &call) {
  return {sizeOf(call, X, 0),
          sizeOf(call, Weight, 0),
          sizeOf(call, Weight, 1),
          matrixAt(call.operands[X], 0),
          matrixAt(call.operands[Weight], 0),
          matrixAt(call.operands[Y], 0),
          scalesAt(call.operands[XScale], 1, 0),
          scalesAt(call.operands[WeightScale], ScaleBlock, 0)};
}

static size_t linearWorkspace(const braid_kernel_call *call, size_t,
                              void *userData) {
  return productScratch(makeProduct(*call), smallOps(userData));
}

static braid_status runLinear(const braid_kernel_call *call, void *userData) {
  if (!multiply(makeProduct(*call), smallOps(userData), call->workspace))
    return kernelFailed(*call, "oneDNN refused the product");
  return BRAID_OK;
}

braid_kernel braid::runtime::makeLinear() {
  return {sizeof(braid_kernel),
          "linear",
          checkLinear,
          linearWorkspace,
          runLinear,
          nullptr,
          nullptr};
}

//===----------------------------------------------------------------------===//
// grouped_linear
//===----------------------------------------------------------------------===//

/// The product of group `g`.
static Product makeProduct(const braid_kernel_call &call, int64_t g) {
  const braid_tensor *x = call.operands[X], *weight = call.operands[Weight],
                     *y = call.operands[Y];
  int64_t n = y->sizes[2];
  return {x->sizes[0],
          n,
          weight->sizes[1],
          matrixAt(x, 0, g),
          matrixAt(weight, g * n),
          matrixAt(y, 0, g),
          scalesAt(call.operands[XScale], 1, 0, g),
          scalesAt(call.operands[WeightScale], ScaleBlock, g * n / ScaleBlock)};
}

static size_t groupedLinearWorkspace(const braid_kernel_call *call, size_t,
                                     void *userData) {
  return productScratch(makeProduct(*call, 0), smallOps(userData));
}

static braid_status runGroupedLinear(const braid_kernel_call *call,
                                     void *userData) {
  for (int64_t g = 0; g < sizeOf(*call, X, 1); ++g)
    if (!multiply(makeProduct(*call, g), smallOps(userData), call->workspace))
      return kernelFailed(*call, "oneDNN refused the product");
  return BRAID_OK;
}

braid_kernel braid::runtime::makeGroupedLinear() {
  return {sizeof(braid_kernel),
          "grouped_linear",
          checkGroupedLinear,
          groupedLinearWorkspace,
          runGroupedLinear,
          nullptr,
          nullptr};
}
