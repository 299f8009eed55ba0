//===- SmallOps.h - Inner loops of the host kernels -------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops in which the small kernels spend their time, compiled several times
// for different instruction sets and chosen when a context is created. The
// sources of the variants may use nothing inline from elsewhere: the linker
// keeps one copy of an inline function, and it might keep the one that needs
// AVX-512.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_HOST_SMALLOPS_H
#define BRAID_RUNTIME_HOST_SMALLOPS_H

#include <stdint.h>

namespace braid::runtime {

class Error;

/// Padding of extents in `gemm` operands, in floats.
constexpr int64_t GemmPadding = 16;

/// One row of a compressor window.
struct PoolRow {
  const float *kv;
  const float *score;
  const float *bias; ///< added to the score; NULL for none
};

/// Operands of `gemm`: c[m][n] = factor[m] * c[m][n] + sum_k a[m][k] * b[k][n].
struct GemmArgs {
  int64_t m; ///< multiple of 4
  int64_t n; ///< multiple of GemmPadding
  int64_t k;
  const float *a; ///< a[m][k] at m * aRow + k * aColumn
  int64_t aRow;
  int64_t aColumn;
  const float *b;
  int64_t bRow;
  float *c;
  int64_t cRow;
  const float *factor; ///< NULL: what c holds is ignored
};

/// One set of loops.
struct SmallOps {
  const char *name;

  /// y = x * rsqrt(mean(x^2) + eps) * weight (1 if NULL). y may be x.
  void (*rmsNorm)(const float *x, const float *weight, float *y, int64_t n,
                  float eps);

  /// Rotates the pairs of r channels by the angle whose r/2 cosines and r/2
  /// sines are at `table`, times `sign`. y may be x.
  void (*rope)(const float *x, const float *table, float *y, int64_t r,
               float sign);

  /// For each of n channels the mean of kv over the rows, weighted by the
  /// softmax of the scores.
  void (*pool)(const PoolRow *rows, int64_t count, int64_t n, float *y);

  /// A small matrix product; see GemmArgs.
  void (*gemm)(const GemmArgs *args);

  /// scores[j] = sum_h weights[h] * max(products[j][h], 0), for padded heads.
  void (*indexScores)(const float *products, const float *weights,
                      int64_t heads, int64_t rows, float *scores);

  /// One step of a softmax that goes over its rows in pieces. `logits[j][h]`
  /// become exp(scale * logits - maximum); `maximum` and `sum` of each head are
  /// brought up to date, and `factor` is what earlier results have to be
  /// multiplied with. For padded heads.
  void (*softmaxStep)(float *logits, int64_t heads, int64_t rows, float scale,
                      float *maximum, float *sum, float *factor);

  /// factor = 1 / (sum + exp(sink - maximum)), in terms of the larger of
  /// maximum and sink; 0 where nothing was attended to. For padded heads.
  void (*softmaxEnd)(const float *sink, int64_t heads, const float *maximum,
                     const float *sum, float *factor);

  /// bf16 to f32, exact.
  void (*widenBf16)(const uint16_t *x, float *y, int64_t n);
  /// f32 to bf16, to the nearest, ties to even; NaN stays NaN.
  void (*narrowBf16)(const float *x, uint16_t *y, int64_t n);
  /// y = x * scale from e4m3.
  void (*widenFp8)(const uint8_t *x, float scale, float *y, int64_t n);
  /// y = x / scale in e4m3, to the nearest, ties to even; beyond 448 is 448.
  void (*narrowFp8)(const float *x, float scale, uint8_t *y, int64_t n);
  /// The largest |x|; NaN counts as none.
  float (*largest)(const float *x, int64_t n);
};

extern const SmallOps smallOpsBaseline;
extern const SmallOps smallOpsAvx2;
extern const SmallOps smallOpsAvx512;

/// Sets `ops` to the loops that BRAID_KERNELS names, or to the best ones that
/// this machine can run.
Error selectSmallOps(const SmallOps *&ops);

} // namespace braid::runtime

#endif // BRAID_RUNTIME_HOST_SMALLOPS_H
