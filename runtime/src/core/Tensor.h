//===- Tensor.h - Questions about braid_tensor ------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes, names and memory ranges of strided arrays; nothing here knows what a
// tensor is used for.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CORE_TENSOR_H
#define BRAID_RUNTIME_CORE_TENSOR_H

#include "braid/runtime.h"

#include <string>

namespace braid::runtime {

/// Bytes of an element; 0 for an unknown type.
int64_t elementSize(int32_t dtype);

/// Name as it is written in MLIR, such as "f32".
const char *dtypeName(int32_t dtype);

/// Number of elements.
int64_t numElements(const braid_tensor &tensor);

/// Shape and type, such as "8x64xf32".
std::string typeString(const braid_tensor &tensor);

/// Copies `source` to `target`, which has the same shape and element type, by
/// the longest runs that are contiguous in both.
void copyTensor(const braid_tensor &source, const braid_tensor &target);

/// Makes `tensor` a dense row-major one with its data at `data`.
void makeDense(braid_tensor &tensor, void *data);

/// Calls `visit(char *start, size_t bytes)` for each contiguous run of memory
/// of `tensor`.
template <typename Visitor>
void forEachRun(const braid_tensor &tensor, Visitor &&visit) {
  if (!tensor.data || numElements(tensor) == 0)
    return;
  int64_t bytes = elementSize(tensor.dtype);
  int outer = tensor.rank;
  int64_t run = 1;
  while (outer > 0 &&
         (tensor.sizes[outer - 1] == 1 || tensor.strides[outer - 1] == run))
    run *= tensor.sizes[--outer];
  int64_t index[BRAID_MAX_RANK] = {};
  while (true) {
    int64_t offset = 0;
    for (int d = 0; d < outer; ++d)
      offset += index[d] * tensor.strides[d];
    visit(static_cast<char *>(tensor.data) + offset * bytes,
          static_cast<size_t>(run * bytes));
    int d = outer - 1;
    while (d >= 0 && ++index[d] == tensor.sizes[d])
      index[d--] = 0;
    if (d < 0)
      return;
  }
}

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CORE_TENSOR_H
