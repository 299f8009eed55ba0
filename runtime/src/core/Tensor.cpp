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

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

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

int64_t braid::runtime::spanBytes(const braid_tensor &tensor) {
  if (numElements(tensor) == 0)
    return 0;
  int64_t last = 0;
  for (int d = 0; d < tensor.rank; ++d)
    last += (tensor.sizes[d] - 1) * tensor.strides[d];
  return (last + 1) * elementSize(tensor.dtype);
}

/// Leaves room for the small factors by which kernels multiply.
static constexpr int64_t MaxElements = int64_t(1) << 48;

/// The sentence about sizes that no memory has, or success.
static Error checkSpan(const braid_tensor &tensor) {
  int64_t count = 1, last = 0, bytes = 0;
  bool isEmpty = false, fits = true;
  for (int d = 0; d < tensor.rank; ++d)
    isEmpty |= tensor.sizes[d] == 0;
  for (int d = 0; d < tensor.rank && !isEmpty && fits; ++d) {
    int64_t step;
    fits = !__builtin_mul_overflow(count, tensor.sizes[d], &count) &&
           count <= MaxElements &&
           !__builtin_mul_overflow(tensor.sizes[d] - 1, tensor.strides[d],
                                   &step) &&
           !__builtin_add_overflow(last, step, &last);
  }
  auto start = reinterpret_cast<uintptr_t>(tensor.data);
  if (fits && !isEmpty)
    fits =
        last < INT64_MAX &&
        !__builtin_mul_overflow(last + 1, elementSize(tensor.dtype), &bytes) &&
        static_cast<uintptr_t>(bytes) <= UINTPTR_MAX - start;
  if (fits)
    return Error::success();
  std::string sizes, strides;
  for (int d = 0; d < tensor.rank; ++d) {
    sizes += (d ? "x" : "") + std::to_string(tensor.sizes[d]);
    strides += (d ? ", " : "") + std::to_string(tensor.strides[d]);
  }
  return makeError(BRAID_INVALID_ARGUMENT,
                   "sizes %s with strides %s of %s at %p are more than memory "
                   "can be",
                   sizes.c_str(), strides.c_str(), dtypeName(tensor.dtype),
                   tensor.data);
}

Error braid::runtime::checkTensor(const braid_tensor &tensor) {
  if (tensor.rank < 0 || tensor.rank > BRAID_MAX_RANK)
    return makeError(BRAID_INVALID_ARGUMENT, "rank is %d, expected 0 to %d",
                     tensor.rank, BRAID_MAX_RANK);
  int64_t bytes = elementSize(tensor.dtype);
  if (bytes == 0)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "dtype is %d, expected a braid_dtype", tensor.dtype);
  for (int d = 0; d < tensor.rank; ++d) {
    for (auto [what, value] : {std::pair("size", tensor.sizes[d]),
                               std::pair("stride", tensor.strides[d])})
      if (value < 0)
        return makeError(BRAID_INVALID_ARGUMENT,
                         "%s %d is %lld, expected no negative number", what, d,
                         static_cast<long long>(value));
  }
  if (Error error = checkSpan(tensor))
    return error;
  if (numElements(tensor) == 0)
    return Error::success();
  if (!tensor.data)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "data is NULL, expected memory for %s",
                     typeString(tensor).c_str());
  if (reinterpret_cast<uintptr_t>(tensor.data) % bytes != 0)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "data is %p, expected a multiple of %lld, the bytes of "
                     "an element of %s",
                     tensor.data, static_cast<long long>(bytes),
                     dtypeName(tensor.dtype));
  return Error::success();
}

bool braid::runtime::hasDistinctElements(const braid_tensor &tensor) {
  // From the smallest stride on, each one has to step over what lies below it.
  std::pair<int64_t, int64_t> dims[BRAID_MAX_RANK];
  int rank = 0;
  for (int d = 0; d < tensor.rank; ++d)
    if (tensor.sizes[d] > 1)
      dims[rank++] = {tensor.strides[d], tensor.sizes[d]};
  std::sort(dims, dims + rank);
  int64_t span = 1;
  for (int i = 0; i < rank; ++i) {
    auto [stride, size] = dims[i];
    if (stride < span)
      return false;
    span += (size - 1) * stride;
  }
  return true;
}

Run braid::runtime::firstRun(const braid_tensor &tensor) {
  if (numElements(tensor) == 0)
    return Run();
  int64_t run = 1;
  for (int d = tensor.rank - 1; d >= 0; --d) {
    if (tensor.sizes[d] != 1 && tensor.strides[d] != run)
      break;
    run *= tensor.sizes[d];
  }
  auto begin = reinterpret_cast<uintptr_t>(tensor.data);
  return {begin, begin + run * elementSize(tensor.dtype)};
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
