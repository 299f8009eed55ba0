//===- Linear.cpp - linear and grouped_linear -----------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix products with oneDNN, in tiles of 64 rows. The last tile is padded, so
// that each product has the same shape and a row never depends, in any bit, on
// how many rows there are.
//
//===----------------------------------------------------------------------===//

#include "KernelSupport.h"
#include "Kernels.h"

#include <algorithm>
#include <cstring>
#include <dnnl.h>
#include <initializer_list>

using namespace braid::runtime;

static constexpr int64_t TileRows = 64;
/// Columns of y at a time; bounds the scratch of wide weights.
static constexpr int64_t TileColumns = 4096;

namespace {

/// y[rows, n] = x[rows, k] . weight[n, k]^T with any row strides.
struct Product {
  int64_t rows, n, k;
  const float *x;
  int64_t xRow;
  const float *weight;
  int64_t weightRow;
  float *y;
  int64_t yRow;
};

/// Scratch for a padded tile.
struct Tile {
  float *x;
  float *y;

  Tile(ScratchParts &parts, int64_t n, int64_t k)
      : x(parts.take<float>(TileRows * k)),
        y(parts.take<float>(TileRows * std::min(n, TileColumns))) {}
};

} // namespace

/// One product of a whole tile.
static bool multiplyTile(int64_t n, int64_t k, const float *x, int64_t xRow,
                         const float *weight, int64_t weightRow, float *y,
                         int64_t yRow) {
  return dnnl_sgemm('N', 'T', TileRows, n, k, 1.0f, x, xRow, weight, weightRow,
                    0.0f, y, yRow) == dnnl_success;
}

static bool multiply(const Product &p, const Tile &tile) {
  // A row stride below the row length occurs with one row, or where rows are
  // repeated; the library takes neither.
  int64_t weightRow = std::max(p.weightRow, p.k);
  bool direct = p.xRow >= p.k && p.yRow >= p.n;
  for (int64_t column = 0; column < p.n; column += TileColumns) {
    int64_t n = std::min(TileColumns, p.n - column);
    const float *weight = p.weight + column * weightRow;
    for (int64_t row = 0; row < p.rows; row += TileRows) {
      int64_t count = std::min(TileRows, p.rows - row);
      const float *x = p.x + row * p.xRow;
      float *y = p.y + row * p.yRow + column;
      if (count == TileRows && direct) {
        if (!multiplyTile(n, p.k, x, p.xRow, weight, weightRow, y, p.yRow))
          return false;
        continue;
      }
      for (int64_t i = 0; i < count; ++i)
        std::memcpy(tile.x + i * p.k, x + i * p.xRow, p.k * sizeof(float));
      std::memset(tile.x + count * p.k, 0,
                  (TileRows - count) * p.k * sizeof(float));
      if (!multiplyTile(n, p.k, tile.x, p.k, weight, weightRow, tile.y, n))
        return false;
      for (int64_t i = 0; i < count; ++i)
        std::memcpy(y + i * p.yRow, tile.y + i * n, n * sizeof(float));
    }
  }
  return true;
}

/// Checks what both ops share; `dims` is the rank of x and y.
static void checkProduct(Checker &checker, int dims) {
  checker.operand(0, "x", BRAID_F32, dims, dims)
      .operand(1, "weight", BRAID_F32, 2, 2)
      .operand(2, "x_scale", BRAID_F32, 1, BRAID_MAX_RANK, Presence::Optional)
      .operand(3, "weight_scale", BRAID_F32, 1, BRAID_MAX_RANK,
               Presence::Optional)
      .operand(4, "y", BRAID_F32, dims, dims);
}

static void checkStrides(Checker &checker, const braid_kernel_call &call) {
  if (!checker.ok())
    return;
  for (int64_t i : {2, 3})
    checker.require(!call.operands[i],
                    "operand '%s' is present, but the host backend has no "
                    "scaled types",
                    i == 2 ? "x_scale" : "weight_scale");
  const braid_tensor &weight = *call.operands[1], &y = *call.operands[4];
  checker.require(weight.sizes[0] <= 1 || weight.strides[0] >= weight.sizes[1],
                  "operand 'weight': stride 0 is %lld, expected at least %lld",
                  static_cast<long long>(weight.strides[0]),
                  static_cast<long long>(weight.sizes[1]));
  int last = y.rank - 1;
  for (int d = 0; d < last; ++d)
    checker.require(y.sizes[d] <= 1 || y.strides[d] >= y.sizes[last],
                    "operand 'y': stride %d is %lld, expected at least %lld", d,
                    static_cast<long long>(y.strides[d]),
                    static_cast<long long>(y.sizes[last]));
}

//===----------------------------------------------------------------------===//
// linear
//===----------------------------------------------------------------------===//

static braid_status checkLinear(const braid_kernel_call *call, void *) {
  Checker checker(*call, 5);
  checkProduct(checker, 2);
  if (checker.ok())
    checker.extent(1, 1, sizeOf(*call, 0, 1))
        .extent(4, 0, sizeOf(*call, 0, 0))
        .extent(4, 1, sizeOf(*call, 1, 0));
  checkStrides(checker, *call);
  return checker.status();
}

static size_t linearWorkspace(const braid_kernel_call *call, size_t, void *) {
  ScratchParts parts(nullptr);
  Tile tile(parts, sizeOf(*call, 1, 0), sizeOf(*call, 1, 1));
  return parts.bytes();
}

static braid_status runLinear(const braid_kernel_call *call, void *) {
  const braid_tensor &x = *call->operands[0], &weight = *call->operands[1],
                     &y = *call->operands[4];
  ScratchParts parts(call->workspace);
  Tile tile(parts, weight.sizes[0], weight.sizes[1]);
  Product product = {x.sizes[0],        weight.sizes[0],
                     weight.sizes[1],   static_cast<const float *>(x.data),
                     x.strides[0],      static_cast<const float *>(weight.data),
                     weight.strides[0], static_cast<float *>(y.data),
                     y.strides[0]};
  if (!multiply(product, tile))
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
  Checker checker(*call, 5);
  checkProduct(checker, 3);
  if (checker.ok())
    checker.extent(1, 1, sizeOf(*call, 0, 2))
        .extent(4, 0, sizeOf(*call, 0, 0))
        .extent(4, 1, sizeOf(*call, 0, 1))
        .extent(1, 0, sizeOf(*call, 0, 1) * sizeOf(*call, 4, 2));
  checkStrides(checker, *call);
  return checker.status();
}

static size_t groupedLinearWorkspace(const braid_kernel_call *call, size_t,
                                     void *) {
  ScratchParts parts(nullptr);
  Tile tile(parts, sizeOf(*call, 4, 2), sizeOf(*call, 1, 1));
  return parts.bytes();
}

static braid_status runGroupedLinear(const braid_kernel_call *call, void *) {
  const braid_tensor *x = call->operands[0], *weight = call->operands[1],
                     *y = call->operands[4];
  int64_t n = y->sizes[2], k = weight->sizes[1];
  ScratchParts parts(call->workspace);
  Tile tile(parts, n, k);
  for (int64_t g = 0; g < x->sizes[1]; ++g) {
    Product product = {x->sizes[0],
                       n,
                       k,
                       at<const float>(x, 0, g),
                       x->strides[0],
                       at<const float>(weight, g * n),
                       weight->strides[0],
                       at<float>(y, 0, g),
                       y->strides[0]};
    if (!multiply(product, tile))
      return kernelFailed(*call, "oneDNN refused the product");
  }
  return BRAID_OK;
}

braid_kernel braid::runtime::makeGroupedLinear() {
  return {sizeof(braid_kernel),   "grouped_linear", checkGroupedLinear,
          groupedLinearWorkspace, runGroupedLinear, nullptr};
}
