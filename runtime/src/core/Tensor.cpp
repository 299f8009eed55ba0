//===- Tensor.cpp - Questions about braid_tensor --------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes, names and copies of strided arrays.
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"

#include <cstring>

using namespace braid::runtime;

int64_t braid::runtime::elementSize(int32_t dtype) {
  switch (dtype) {
  case BRAID_F32:
  case BRAID_I32:
    return 4;
  case BRAID_BF16:
  case BRAID_F16:
    return 2;
  case BRAID_F8E4M3:
  case BRAID_F8E8M0:
  case BRAID_I8:
    return 1;
  case BRAID_I64:
    return 8;
  default:
    return 0;
  }
}

const char *braid::runtime::dtypeName(int32_t dtype) {
  switch (dtype) {
  case BRAID_F32:
    return "f32";
  case BRAID_BF16:
    return "bf16";
  case BRAID_F16:
    return "f16";
  case BRAID_F8E4M3:
    return "f8E4M3FN";
  case BRAID_F8E8M0:
    return "f8E8M0FNU";
  case BRAID_I8:
    return "i8";
  case BRAID_I32:
    return "i32";
  case BRAID_I64:
    return "i64";
  default:
    return "unknown type";
  }
}

int64_t braid::runtime::numElements(const braid_tensor &tensor) {
  int64_t count = 1;
  for (int d = 0; d < tensor.rank; ++d)
    count *= tensor.sizes[d];
  return count;
}

std::string braid::runtime::typeString(const braid_tensor &tensor) {
  std::string text;
  for (int d = 0; d < tensor.rank; ++d)
    text += std::to_string(tensor.sizes[d]) + "x";
  return text + dtypeName(tensor.dtype);
}

void braid::runtime::makeDense(braid_tensor &tensor, void *data) {
  tensor.data = data;
  int64_t stride = 1;
  for (int d = tensor.rank - 1; d >= 0; --d) {
    tensor.strides[d] = stride;
    stride *= tensor.sizes[d];
  }
}

void braid::runtime::copyTensor(const braid_tensor &source,
                                const braid_tensor &target) {
  if (numElements(source) == 0)
    return;
  int outer = source.rank;
  int64_t run = 1;
  while (outer > 0 &&
         (source.sizes[outer - 1] == 1 || (source.strides[outer - 1] == run &&
                                           target.strides[outer - 1] == run)))
    run *= source.sizes[--outer];
  int64_t bytes = elementSize(source.dtype);
  int64_t index[BRAID_MAX_RANK] = {};
  while (true) {
    int64_t from = 0, to = 0;
    for (int d = 0; d < outer; ++d) {
      from += index[d] * source.strides[d];
      to += index[d] * target.strides[d];
    }
    std::memmove(static_cast<char *>(target.data) + to * bytes,
                 static_cast<const char *>(source.data) + from * bytes,
                 run * bytes);
    int d = outer - 1;
    while (d >= 0 && ++index[d] == source.sizes[d])
      index[d--] = 0;
    if (d < 0)
      return;
  }
}
