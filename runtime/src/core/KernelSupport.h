//===- KernelSupport.h - What the kernels of all backends share -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of operands, parameters, and access to paged caches. A check names the
// operand, its value and what was expected.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CORE_KERNELSUPPORT_H
#define BRAID_RUNTIME_CORE_KERNELSUPPORT_H

#include "braid/runtime.h"

#include "Tensor.h"

#include <initializer_list>

namespace braid::runtime {

/// The backend whose kernels these are, for messages. Each library that holds
/// kernels defines it.
extern const char *const kernelBackendName;

/// Whether an operand may be absent.
enum class Presence { Required, Optional };

/// Checks the operands of a call one by one. After the first failure all
/// further checks pass without looking.
class Checker {
public:
  Checker(const braid_kernel_call &call, int64_t numOperands);

  /// Operand `i`, called `name`, has one of these types and a rank in this
  /// range, and its rows are contiguous.
  Checker &operand(int64_t i, const char *name,
                   std::initializer_list<int32_t> dtypes, int minRank,
                   int maxRank, Presence presence = Presence::Required);
  Checker &operand(int64_t i, const char *name, int32_t dtype, int minRank,
                   int maxRank, Presence presence = Presence::Required) {
    return operand(i, name, {dtype}, minRank, maxRank, presence);
  }
  /// The same with any strides.
  Checker &scattered(int64_t i, const char *name,
                     std::initializer_list<int32_t> dtypes, int minRank,
                     int maxRank, Presence presence = Presence::Required);
  /// The same without a condition on type and strides.
  Checker &anyOperand(int64_t i, const char *name);
  /// Extent `dim` of operand `i` is `expected`. Absent operands pass.
  Checker &extent(int64_t i, int dim, int64_t expected);
  /// The op has a parameter of this name.
  Checker &param(const char *name);
  /// `condition` holds; otherwise the sentence is `format`.
  Checker &require(bool condition, const char *format, ...)
      __attribute__((format(printf, 3, 4)));

  bool ok() const { return result == BRAID_OK; }
  braid_status status() const { return result; }

private:
  void fail(braid_status status, const char *format, ...)
      __attribute__((format(printf, 3, 4)));

  static constexpr int MaxNames = 16;
  const braid_kernel_call &call;
  const char *names[MaxNames] = {};
  braid_status result = BRAID_OK;
};

/// Writes the sentence of a kernel that fails while it runs.
braid_status kernelFailed(const braid_kernel_call &call, const char *format,
                          ...) __attribute__((format(printf, 2, 3)));

/// Value of a parameter that the check found to exist.
int64_t intParam(const braid_kernel_call &call, const char *name);
/// Value of a parameter, or `otherwise` if the op does not have it.
int64_t intParam(const braid_kernel_call &call, const char *name,
                 int64_t otherwise);
double floatParam(const braid_kernel_call &call, const char *name);

/// Extent of an operand that is present.
inline int64_t sizeOf(const braid_kernel_call &call, int64_t i, int dim) {
  return call.operands[i]->sizes[dim];
}

/// The element of `tensor` at these indices.
template <typename T>
T *at(const braid_tensor *tensor, int64_t i, int64_t j = 0, int64_t k = 0) {
  int64_t offset = i * tensor->strides[0];
  if (tensor->rank > 1)
    offset += j * tensor->strides[1];
  if (tensor->rank > 2)
    offset += k * tensor->strides[2];
  return static_cast<T *>(tensor->data) + offset;
}

/// Number of rows of a cache.
inline int64_t cacheSlots(const braid_tensor *cache) {
  return cache->sizes[0] * cache->sizes[1];
}

/// Slot of element `index` of request `request` through a block table, or -1 if
/// the table has no such entry or the entry is not a block of the cache.
inline int64_t pagedSlot(const braid_tensor *table, const braid_tensor *cache,
                         int64_t request, int64_t index) {
  int64_t size = cache->sizes[1];
  if (request < 0 || request >= table->sizes[0] || index < 0 ||
      index / size >= table->sizes[1])
    return -1;
  int64_t block = *at<const int32_t>(table, request, index / size);
  if (block < 0 || block >= cache->sizes[0])
    return -1;
  return block * size + index % size;
}

/// False in a check of contents if an earlier launch of the call is yet to
/// write one of these operands. Operands that are absent have nothing to write.
inline bool areWritten(const braid_kernel_call &call,
                       std::initializer_list<int64_t> operands) {
  for (int64_t i : operands)
    if (call.operands[i] && !call.operands[i]->data &&
        numElements(*call.operands[i]) > 0)
      return false;
  return true;
}

/// The element types of activations.
inline constexpr std::initializer_list<int32_t> FloatTypes = {BRAID_F32,
                                                              BRAID_BF16};

/// Rounds up to a multiple of `unit`.
inline int64_t padded(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Positions of query tokens, from host metadata.
class QueryLayout {
public:
  /// Operands `offsets` ([R+1]) and `lengths` ([R]) of `call`.
  QueryLayout(const braid_kernel_call &call, int64_t offsets, int64_t lengths)
      : offsets(call.operands[offsets]), lengths(call.operands[lengths]) {}

  int64_t requests() const { return lengths->sizes[0]; }
  int64_t begin(int64_t r) const { return *at<const int32_t>(offsets, r); }
  int64_t end(int64_t r) const { return begin(r + 1); }
  int64_t length(int64_t r) const { return *at<const int32_t>(lengths, r); }
  /// Position of query token `t`, which belongs to request `r`.
  int64_t position(int64_t r, int64_t t) const {
    return length(r) - end(r) + t;
  }
  /// Number of real tokens; those after it are padding.
  int64_t tokens() const { return begin(requests()); }

private:
  const braid_tensor *offsets;
  const braid_tensor *lengths;
};

/// Checks the contents of query offsets and sequence lengths: that they fit
/// `tokens` rows (a request without queries may have the length -1, which is
/// padding), and that for each request with queries the block table
/// operand `table` has a block for each of its length / `ratio` entries in
/// `cache`. Operands -1 are absent.
void checkQueryLayout(Checker &checker, const braid_kernel_call &call,
                      int64_t offsets, int64_t lengths, int64_t tokens,
                      int64_t table, const char *tableName, int64_t cache,
                      int64_t ratio);

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CORE_KERNELSUPPORT_H
