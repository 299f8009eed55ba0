//===- GemmChoices.h - Forms of products and their algorithms ---*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The key under which the algorithm of a product is found, and the text file
// that keeps algorithms from run to run. Needs no CUDA.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CUDA_GEMMCHOICES_H
#define BRAID_RUNTIME_CUDA_GEMMCHOICES_H

#include "core/Error.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <unordered_map>

namespace braid::runtime {

/// Scales of the operands of a product.
enum class GemmScales : int32_t {
  None = 0,
  Whole = 1,  ///< one for x and one for the weight
  Blocks = 2, ///< one for each 128 columns of x, 128 x 128 of the weight
};

/// Everything that an algorithm for y[g] = x[g] . weight[g]^T depends on. Has
/// no padding, since it is compared and hashed as memory.
struct GemmKey {
  int64_t rows = 0; ///< of x and y
  int64_t n = 0;    ///< columns of y
  int64_t k = 0;
  int64_t xRow = 0; ///< distance of rows, in elements
  int64_t weightRow = 0;
  int64_t yRow = 0;
  int64_t xGroup = 0; ///< distance of groups, in elements
  int64_t yGroup = 0;
  int32_t groups = 1;
  int32_t type = 0;  ///< braid_dtype of x and weight
  int32_t yType = 0; ///< braid_dtype of y
  GemmScales scales = GemmScales::None;
  int32_t xAlignment = 0; ///< in bytes
  int32_t weightAlignment = 0;
  int32_t yAlignment = 0;
  int32_t reserved = 0;

  static constexpr int NumWords = 12;
  bool operator==(const GemmKey &other) const {
    return std::memcmp(this, &other, sizeof(*this)) == 0;
  }
};
static_assert(sizeof(GemmKey) == GemmKey::NumWords * sizeof(uint64_t),
              "GemmKey must have no padding");

/// Hashes all words of a key.
struct GemmKeyHash {
  size_t operator()(const GemmKey &key) const;
};

/// A cublasLtMatmulAlgo_t as it lies in memory.
using GemmAlgorithm = std::array<uint64_t, 8>;

/// Chosen algorithms by key.
using GemmChoices = std::unordered_map<GemmKey, GemmAlgorithm, GemmKeyHash>;

/// What the algorithms in a file are good for.
struct GemmEnvironment {
  std::string device; ///< name of the GPU
  int64_t cublasLt = 0;
  int64_t driver = 0;
};

/// The text of a file that keeps `choices`.
std::string formatChoices(const GemmChoices &choices,
                          const GemmEnvironment &environment);

/// Sets `choices` to those in `text`. Fails without changing them: with
/// BRAID_UNSUPPORTED if the file is for another device, driver or library, with
/// BRAID_INVALID_ARGUMENT if it is broken. `name` is the file's, for messages.
Error parseChoices(const std::string &text, const std::string &name,
                   const GemmEnvironment &environment, GemmChoices &choices);

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CUDA_GEMMCHOICES_H
