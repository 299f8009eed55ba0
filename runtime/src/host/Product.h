//===- Product.h - y = x . W^T for all element types ------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One matrix product of linear or grouped_linear, in f32 whatever its elements
// are: bf16 and scaled fp8 become f32 on the way, which is exact but for scales
// that are no powers of two.
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
  int64_t blockStride = 1;
  int64_t rowsPerScale = 1;

  float get(int64_t row, int64_t block) const;
};

/// y[rows, n] = x[rows, k] . weight[n, k]^T.
struct Product {
  int64_t rows, n, k;
  Matrix x, weight, y;
  Scales xScale, weightScale;
};

/// Bytes of scratch that `multiply` needs.
size_t productScratch(const Product &product, const SmallOps &ops);

/// Returns false if the library refused.
bool multiply(const Product &product, const SmallOps &ops, void *scratch);

} // namespace braid::runtime

#endif // BRAID_RUNTIME_HOST_PRODUCT_H
