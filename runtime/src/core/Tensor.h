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

#include "Error.h"

#include <cstdint>
#include <string>

namespace braid::runtime {

/// Bytes of an element; 0 for an unknown type.
int64_t elementSize(int32_t dtype);

/// Name as it is written in MLIR, such as "f32".
const char *dtypeName(int32_t dtype);

/// Number of elements.
int64_t numElements(const braid_tensor &tensor);

/// Bytes from `data` to the end of the last element; 0 if there is none.
int64_t spanBytes(const braid_tensor &tensor);

/// Checks what has to hold before anything else is asked about a tensor that a
/// caller gave: rank, type, no negative numbers, sizes that memory can have,
/// and data that are there and aligned to an element. The sentence lacks its
/// subject: "size 1 is -1, expected ...".
Error checkTensor(const braid_tensor &tensor);

/// Whether writing one element never changes another one.
bool hasDistinctElements(const braid_tensor &tensor);

/// Bytes without a gap; none if both ends are the same.
struct Run {
  uintptr_t begin = 0, end = 0;

  bool overlaps(const Run &other) const {
    return begin < end && other.begin < other.end && begin < other.end &&
           other.begin < end;
  }
};

/// The bytes of `tensor` up to its first gap. If those of two tensors overlap
/// they share memory; otherwise they may do so further on.
Run firstRun(const braid_tensor &tensor);

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
