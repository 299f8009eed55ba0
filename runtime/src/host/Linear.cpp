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

#include "core/Tensor.h"

using namespace braid::runtime;

namespace {
enum Operand { X, Weight, XScale, WeightScale, Y, NumOperands };
} // namespace

/// Columns and rows of a weight, and columns of x, that share a scale.
static constexpr int64_t ScaleBlock = 128;

/// Checks what both ops share; `dims` is the rank of x and y.
static void checkProduct(Checker &checker, const braid_kernel_call &call,
                         int dims) {
  checker.operand(X, "x", {BRAID_F32, BRAID_BF16, BRAID_F8E4M3}, dims, dims)
      .operand(Weight, "weight", {BRAID_F32, BRAID_BF16, BRAID_F8E4M3}, 2, 2)
      .operand(XScale, "x_scale", BRAID_F32, 1, dims, Presence::Optional)
      .operand(WeightScale, "weight_scale", {BRAID_F32, BRAID_F8E8M0}, 1, 2,
               Presence::Optional)
      .operand(Y, "y", FloatTypes, dims, dims);
  if (!checker.ok())
    return;
  int32_t dtype = call.operands[X]->dtype;
  checker.require(call.operands[Weight]->dtype == dtype,
                  "operand 'weight' is %s, expected %s, the type of 'x'",
                  dtypeName(call.operands[Weight]->dtype), dtypeName(dtype));
  checker.require(dtype != BRAID_F32 || call.operands[Y]->dtype == BRAID_F32,
                  "operand 'y' is %s, expected f32, the type of 'x'",
                  dtypeName(call.operands[Y]->dtype));
  for (int64_t i : {XScale, WeightScale})
    checker.require(
        !call.operands[i] == (dtype != BRAID_F8E4M3),
        "operand '%s' is %s, but 'x' is %s; scales belong to f8E4M3FN",
        i == XScale ? "x_scale" : "weight_scale",
        call.operands[i] ? "present" : "missing", dtypeName(dtype));
}

/// Strides, and the extents of scales.
static void checkLayout(Checker &checker, const braid_kernel_call &call) {
  using LL = long long;
  if (!checker.ok())
    return;
  const braid_tensor &x = *call.operands[X], &weight = *call.operands[Weight],
                     &y = *call.operands[Y];
  checker.require(weight.sizes[0] <= 1 || weight.strides[0] >= weight.sizes[1],
                  "operand 'weight': stride 0 is %lld, expected at least %lld",
                  LL(weight.strides[0]), LL(weight.sizes[1]));
  int last = y.rank - 1;
  for (int d = 0; d < last; ++d)
    checker.require(y.sizes[d] <= 1 || y.strides[d] >= y.sizes[last],
                    "operand 'y': stride %d is %lld, expected at least %lld", d,
                    LL(y.strides[d]), LL(y.sizes[last]));
  if (!call.operands[XScale] || !checker.ok())
    return;
  auto blocks = [](int64_t size) {
    return (size + ScaleBlock - 1) / ScaleBlock;
  };
  if (call.operands[XScale]->rank == 1) {
    checker.extent(XScale, 0, 1);
  } else {
    checker.require(call.operands[XScale]->rank == x.rank,
                    "operand 'x_scale' has rank %d, expected 1 or %d",
                    call.operands[XScale]->rank, x.rank);
    for (int d = 0; checker.ok() && d < x.rank - 1; ++d)
      checker.extent(XScale, d, x.sizes[d]);
    checker.extent(XScale, x.rank - 1, blocks(weight.sizes[1]));
  }
  if (call.operands[WeightScale]->rank == 1) {
    checker.extent(WeightScale, 0, 1);
  } else {
    int64_t groups = x.rank == 3 ? x.sizes[1] : 1;
    checker.require(groups == 1 || weight.sizes[0] / groups % ScaleBlock == 0,
                    "each group has %lld rows of 'weight', expected a multiple "
                    "of %lld, so that no scale belongs to two",
                    LL(weight.sizes[0] / groups), LL(ScaleBlock));
    checker.extent(WeightScale, 0, blocks(weight.sizes[0]))
        .extent(WeightScale, 1, blocks(weight.sizes[1]));
  }
}

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
  }
  return scales;
}

//===----------------------------------------------------------------------===//
// linear
//===----------------------------------------------------------------------===//

static braid_status checkLinear(const braid_kernel_call *call, void *) {
  Checker checker(*call, NumOperands);
  checkProduct(checker, *call, 2);
  if (checker.ok())
    checker.extent(Weight, 1, sizeOf(*call, X, 1))
        .extent(Y, 0, sizeOf(*call, X, 0))
        .extent(Y, 1, sizeOf(*call, Weight, 0));
  checkLayout(checker, *call);
  return checker.status();
}

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
  return {sizeof(braid_kernel), "linear",  checkLinear,
          linearWorkspace,      runLinear, nullptr};
}

//===----------------------------------------------------------------------===//
// grouped_linear
//===----------------------------------------------------------------------===//

static braid_status checkGroupedLinear(const braid_kernel_call *call, void *) {
  Checker checker(*call, NumOperands);
  checkProduct(checker, *call, 3);
  if (checker.ok())
    checker.extent(Weight, 1, sizeOf(*call, X, 2))
        .extent(Y, 0, sizeOf(*call, X, 0))
        .extent(Y, 1, sizeOf(*call, X, 1))
        .extent(Weight, 0, sizeOf(*call, X, 1) * sizeOf(*call, Y, 2));
  checkLayout(checker, *call);
  return checker.status();
}

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
  return {sizeof(braid_kernel),   "grouped_linear", checkGroupedLinear,
          groupedLinearWorkspace, runGroupedLinear, nullptr};
}
