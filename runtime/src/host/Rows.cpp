//===- Rows.cpp - rms_norm, rope and index_query --------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that treat each row by itself.
//
//===----------------------------------------------------------------------===//

#include "KernelSupport.h"
#include "Kernels.h"

#include <cstring>
#include <initializer_list>

using namespace braid::runtime;

/// Number of rows in the second of up to three dimensions.
static int64_t middle(const braid_tensor *tensor) {
  return tensor->rank == 3 ? tensor->sizes[1] : 1;
}

static float *rowAt(const braid_tensor *tensor, int64_t i, int64_t j) {
  return tensor->rank == 3 ? at<float>(tensor, i, j) : at<float>(tensor, i);
}

//===----------------------------------------------------------------------===//
// rms_norm: x, weight?, y
//===----------------------------------------------------------------------===//

static braid_status checkRmsNorm(const braid_kernel_call *call, void *) {
  Checker checker(*call, 3);
  checker.operand(0, "x", BRAID_F32, 2, 3)
      .operand(1, "weight", BRAID_F32, 1, 1, Presence::Optional)
      .operand(2, "y", BRAID_F32, 2, 3)
      .param("eps");
  if (!checker.ok())
    return checker.status();
  const braid_tensor &x = *call->operands[0];
  checker.require(call->operands[2]->rank == x.rank,
                  "operand 'y' has rank %d, expected %d",
                  call->operands[2]->rank, x.rank);
  checker.extent(1, 0, x.sizes[x.rank - 1]);
  for (int d = 0; d < x.rank; ++d)
    checker.extent(2, d, x.sizes[d]);
  return checker.status();
}

static braid_status runRmsNorm(const braid_kernel_call *call, void *userData) {
  const braid_tensor *x = call->operands[0], *weight = call->operands[1],
                     *y = call->operands[2];
  const SmallOps &ops = smallOps(userData);
  float eps = static_cast<float>(floatParam(*call, "eps"));
  const float *scale =
      weight ? static_cast<const float *>(weight->data) : nullptr;
  for (int64_t i = 0; i < x->sizes[0]; ++i)
    for (int64_t j = 0; j < middle(x); ++j)
      ops.rmsNorm(rowAt(x, i, j), scale, rowAt(y, i, j), x->sizes[x->rank - 1],
                  eps);
  return BRAID_OK;
}

braid_kernel braid::runtime::makeRmsNorm() {
  return {sizeof(braid_kernel), "rms_norm", checkRmsNorm, nullptr,
          runRmsNorm,           nullptr};
}

//===----------------------------------------------------------------------===//
// rope: x, positions, table, y
//===----------------------------------------------------------------------===//

/// Checks that operand `y` has the shape of operand `x`, and the extents of
/// positions and table next to them.
static void checkRotation(Checker &checker, const braid_kernel_call &call,
                          int64_t x, int64_t positions, int64_t table,
                          int64_t y) {
  if (!checker.ok())
    return;
  const braid_tensor &source = *call.operands[x];
  checker.require(call.operands[y]->rank == source.rank,
                  "the result has rank %d, expected %d", call.operands[y]->rank,
                  source.rank);
  for (int d = 0; d < source.rank; ++d)
    checker.extent(y, d, source.sizes[d]);
  checker.extent(positions, 0, source.sizes[0]);
  int64_t r = sizeOf(call, table, 1), width = source.sizes[source.rank - 1];
  checker.require(r % 2 == 0 && r <= width,
                  "operand 'table': size 1 is %lld, expected an even number of "
                  "at most %lld channels",
                  static_cast<long long>(r), static_cast<long long>(width));
}

/// Rotates the last channels of each row of `x` into `y` and copies the rest.
static braid_status rotate(const braid_kernel_call &call, const SmallOps &ops,
                           const braid_tensor *x, const braid_tensor *positions,
                           const braid_tensor *table, const braid_tensor *y,
                           float sign) {
  int64_t limit = table->sizes[0], r = table->sizes[1];
  int64_t plain = x->sizes[x->rank - 1] - r;
  for (int64_t t = 0; t < x->sizes[0]; ++t) {
    int64_t p = *at<const int64_t>(positions, t);
    if (p < 0 || p >= limit)
      return kernelFailed(call,
                          "operand 'positions': element %lld is %lld, expected "
                          "0 to %lld, the rows of the table",
                          static_cast<long long>(t), static_cast<long long>(p),
                          static_cast<long long>(limit - 1));
  }
  for (int64_t t = 0; t < x->sizes[0]; ++t) {
    const float *angles =
        at<const float>(table, *at<const int64_t>(positions, t));
    for (int64_t j = 0; j < middle(x); ++j) {
      const float *from = rowAt(x, t, j);
      float *to = rowAt(y, t, j);
      if (from != to)
        std::memmove(to, from, plain * sizeof(float));
      ops.rope(from + plain, angles, to + plain, r, sign);
    }
  }
  return BRAID_OK;
}

static braid_status checkRope(const braid_kernel_call *call, void *) {
  Checker checker(*call, 4);
  checker.operand(0, "x", BRAID_F32, 2, 3)
      .operand(1, "positions", BRAID_I64, 1, 1)
      .operand(2, "table", BRAID_F32, 2, 2)
      .operand(3, "y", BRAID_F32, 2, 3)
      .param("inverse");
  checkRotation(checker, *call, 0, 1, 2, 3);
  return checker.status();
}

static braid_status runRope(const braid_kernel_call *call, void *userData) {
  return rotate(*call, smallOps(userData), call->operands[0], call->operands[1],
                call->operands[2], call->operands[3],
                intParam(*call, "inverse") ? -1.0f : 1.0f);
}

braid_kernel braid::runtime::makeRope() {
  return {sizeof(braid_kernel), "rope", checkRope, nullptr, runRope, nullptr};
}

//===----------------------------------------------------------------------===//
// index_query: q, w, positions, table, q_out, w_out
//===----------------------------------------------------------------------===//

static braid_status checkIndexQuery(const braid_kernel_call *call, void *) {
  Checker checker(*call, 6);
  checker.operand(0, "q", BRAID_F32, 3, 3)
      .operand(1, "w", BRAID_F32, 2, 2)
      .operand(2, "positions", BRAID_I64, 1, 1)
      .operand(3, "table", BRAID_F32, 2, 2)
      .operand(4, "q_out", BRAID_F32, 3, 3)
      .operand(5, "w_out", BRAID_F32, 2, 2)
      .param("scale");
  checkRotation(checker, *call, 0, 2, 3, 4);
  if (checker.ok())
    for (int64_t i : {1, 5})
      checker.extent(i, 0, sizeOf(*call, 0, 0))
          .extent(i, 1, sizeOf(*call, 0, 1));
  return checker.status();
}

static braid_status runIndexQuery(const braid_kernel_call *call,
                                  void *userData) {
  const braid_tensor *w = call->operands[1], *wOut = call->operands[5];
  braid_status status =
      rotate(*call, smallOps(userData), call->operands[0], call->operands[2],
             call->operands[3], call->operands[4], 1.0f);
  if (status != BRAID_OK)
    return status;
  float scale = static_cast<float>(floatParam(*call, "scale"));
  for (int64_t t = 0; t < w->sizes[0]; ++t) {
    const float *from = at<const float>(w, t);
    float *to = at<float>(wOut, t);
    for (int64_t i = 0; i < w->sizes[1]; ++i)
      to[i] = from[i] * scale;
  }
  return BRAID_OK;
}

braid_kernel braid::runtime::makeIndexQuery() {
  return {sizeof(braid_kernel), "index_query", checkIndexQuery, nullptr,
          runIndexQuery,        nullptr};
}
