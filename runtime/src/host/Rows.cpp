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

#include "core/KernelChecks.h"

#include <cstring>

using namespace braid::runtime;

/// Number of rows in the second of up to three dimensions.
static int64_t middle(const braid_tensor *tensor) {
  return tensor->rank == 3 ? tensor->sizes[1] : 1;
}

//===----------------------------------------------------------------------===//
// rms_norm: x, weight?, y
//===----------------------------------------------------------------------===//

namespace {
/// Operands of a norm, with their scratch.
struct Norm {
  RowView x, weight, y;

  Norm(ScratchParts &parts, const braid_kernel_call &call, const SmallOps &ops)
      : x(ops, call.operands[0], parts), weight(ops, call.operands[1], parts),
        y(ops, call.operands[2], parts) {}
};
} // namespace

static braid_status runRmsNorm(const braid_kernel_call *call, void *userData) {
  const braid_tensor *x = call->operands[0];
  const SmallOps &ops = smallOps(userData);
  ScratchParts parts(call->workspace);
  Norm norm(parts, *call, ops);
  float eps = static_cast<float>(floatParam(*call, "eps"));
  const float *weight = call->operands[1] ? norm.weight.load() : nullptr;
  for (int64_t i = 0; i < x->sizes[0]; ++i)
    for (int64_t j = 0; j < middle(x); ++j) {
      ops.rmsNorm(norm.x.load(i, j), weight, norm.y.begin(i, j),
                  x->sizes[x->rank - 1], eps);
      norm.y.finish(i, j);
    }
  return BRAID_OK;
}

braid_kernel braid::runtime::makeRmsNorm() {
  return {sizeof(braid_kernel), "rms_norm", checkRmsNorm, scratchOf<Norm>,
          runRmsNorm,           nullptr,    nullptr};
}

//===----------------------------------------------------------------------===//
// rope: x, positions, table, y
//===----------------------------------------------------------------------===//

namespace {
/// The first `plain` channels of a row are copied, the others rotated.
struct Rotation {
  RowView x, y;
  const braid_tensor *source, *positions, *table;

  Rotation(ScratchParts &parts, const SmallOps &ops, const braid_tensor *x,
           const braid_tensor *positions, const braid_tensor *table,
           const braid_tensor *y)
      : x(ops, x, parts), y(ops, y, parts), source(x), positions(positions),
        table(table) {}

  /// Rotates a row into `to`, which may be the row itself.
  void rotate(const SmallOps &ops, int64_t t, int64_t j, float sign,
              float *to) const;
};
} // namespace

/// Says which element of the operand `positions` has no row in `table`, if one
/// has none.
static braid_status checkPositions(const braid_kernel_call &call,
                                   int64_t positions, int64_t table) {
  if (!areWritten(call, {positions}))
    return BRAID_OK;
  int64_t limit = sizeOf(call, table, 0);
  for (int64_t t = 0; t < sizeOf(call, positions, 0); ++t) {
    int64_t p = *at<const int64_t>(call.operands[positions], t);
    if (p < 0 || p >= limit)
      return kernelFailed(call,
                          "operand 'positions': element %lld is %lld, expected "
                          "0 to %lld, the rows of the table",
                          static_cast<long long>(t), static_cast<long long>(p),
                          static_cast<long long>(limit - 1));
  }
  return BRAID_OK;
}

void Rotation::rotate(const SmallOps &ops, int64_t t, int64_t j, float sign,
                      float *to) const {
  int64_t r = table->sizes[1];
  int64_t plain = source->sizes[source->rank - 1] - r;
  const float *from = x.load(t, j);
  if (from != to)
    std::memmove(to, from, plain * sizeof(float));
  ops.rope(from + plain,
           at<const float>(table, *at<const int64_t>(positions, t)), to + plain,
           r, sign);
}

namespace {
struct RopeScratch : Rotation {
  RopeScratch(ScratchParts &parts, const braid_kernel_call &call,
              const SmallOps &ops)
      : Rotation(parts, ops, call.operands[0], call.operands[1],
                 call.operands[2], call.operands[3]) {}
};
} // namespace

static braid_status checkRopeContents(const braid_kernel_call *call, void *) {
  return checkPositions(*call, 1, 2);
}

static braid_status runRope(const braid_kernel_call *call, void *userData) {
  const SmallOps &ops = smallOps(userData);
  ScratchParts parts(call->workspace);
  RopeScratch rope(parts, *call, ops);
  float sign = intParam(*call, "inverse") ? -1.0f : 1.0f;
  const braid_tensor *x = call->operands[0];
  for (int64_t t = 0; t < x->sizes[0]; ++t)
    for (int64_t j = 0; j < middle(x); ++j) {
      rope.rotate(ops, t, j, sign, rope.y.begin(t, j));
      rope.y.finish(t, j);
    }
  return BRAID_OK;
}

braid_kernel braid::runtime::makeRope() {
  return {sizeof(braid_kernel),   "rope",  checkRope,
          scratchOf<RopeScratch>, runRope, nullptr,
          checkRopeContents};
}

//===----------------------------------------------------------------------===//
// index_query: q, w, positions, table, q_out, w_out
//===----------------------------------------------------------------------===//

static braid_status checkIndexQuery(const braid_kernel_call *call, void *) {
  Checker checker(*call, 6);
  checker.operand(0, "q", FloatTypes, 3, 3)
      .operand(1, "w", FloatTypes, 2, 2)
      .operand(2, "positions", BRAID_I64, 1, 1)
      .operand(3, "table", BRAID_F32, 2, 2)
      .operand(4, "q_out", {BRAID_F32, BRAID_BF16, BRAID_F8E4M3}, 3, 3)
      .operand(5, "w_out", BRAID_F32, 2, 2)
      .param("scale");
  checkRotation(checker, *call, 0, 2, 3, 4);
  if (checker.ok())
    for (int64_t i : {1, 5})
      checker.extent(i, 0, sizeOf(*call, 0, 0))
          .extent(i, 1, sizeOf(*call, 0, 1));
  return checker.status();
}

namespace {
struct IndexQuery : Rotation {
  RowView w;
  float *row; ///< [D], a rotated head

  IndexQuery(ScratchParts &parts, const braid_kernel_call &call,
             const SmallOps &ops)
      : Rotation(parts, ops, call.operands[0], call.operands[2],
                 call.operands[3], call.operands[4]),
        w(ops, call.operands[1], parts),
        row(parts.take<float>(sizeOf(call, 0, 2))) {}
};
} // namespace

static braid_status checkIndexQueryContents(const braid_kernel_call *call,
                                            void *) {
  return checkPositions(*call, 2, 3);
}

static braid_status runIndexQuery(const braid_kernel_call *call,
                                  void *userData) {
  const SmallOps &ops = smallOps(userData);
  ScratchParts parts(call->workspace);
  IndexQuery query(parts, *call, ops);
  float scale = static_cast<float>(floatParam(*call, "scale"));
  const braid_tensor *q = call->operands[4];
  int64_t heads = q->sizes[1], width = q->sizes[2];
  for (int64_t t = 0; t < q->sizes[0]; ++t) {
    const float *w = query.w.load(t);
    float *wOut = at<float>(call->operands[5], t);
    for (int64_t h = 0; h < heads; ++h) {
      float factor = scale;
      if (q->dtype == BRAID_F8E4M3) {
        query.rotate(ops, t, h, 1.0f, query.row);
        factor *= quantizeRow(ops, query.row, width, at<uint8_t>(q, t, h));
      } else {
        query.rotate(ops, t, h, 1.0f, query.y.begin(t, h));
        query.y.finish(t, h);
      }
      wOut[h] = w[h] * factor;
    }
  }
  return BRAID_OK;
}

braid_kernel braid::runtime::makeIndexQuery() {
  return {sizeof(braid_kernel),   "index_query", checkIndexQuery,
          scratchOf<IndexQuery>,  runIndexQuery, nullptr,
          checkIndexQueryContents};
}
