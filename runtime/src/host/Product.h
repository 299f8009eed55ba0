//===- Product.h - y = x . W^T for all element types ------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One matrix product of linear or grouped_linear. f32 goes to the library as it
// is. bf16 is multiplied as bf16 with sums in f32 where the library can, and as
// f32 where it cannot. Scaled fp8 is brought to one of the two first: to bf16,
// which is exact, if its scales are powers of two or one for the whole tensor.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_HOST_PRODUCT_H
#define BRAID_RUNTIME_HOST_PRODUCT_H

#include "KernelSupport.h"

namespace braid::runtime {

/// A matrix with any row stride.
struct Matrix {
  void *data;
  int32_t dtype;
  int64_t rowStride; ///< in elements
};

/// Scales of a matrix: none, one for all of it, or one for each 128 columns of
/// `rowsPerScale` rows.
struct Scales {
  const void *data = nullptr;
  int32_t dtype = BRAID_F32;
  bool isWhole = false;
  int64_t rowStride = 0; ///< in elements
  int64_t rowsPerScale = 1;

  float get(int64_t row, int64_t block) const;
};

/// y[rows, n] = x[rows, k] . weight[n, k]^T.
struct Product {
  int64_t rows, n, k;
  Matrix x, weight, y;
  Scales xScale, weightScale;
};

/// Bytes of scratch for products of these types with at most n columns.
size_t productScratch(int32_t dtype, int64_t n, int64_t k);

/// Returns false if the library refused.
bool multiply(const Product &product, const SmallOps &ops, void *scratch);

} // namespace braid::runtime

#endif // BRAID_RUNTIME_HOST_PRODUCT_H
