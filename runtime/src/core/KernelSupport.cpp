//===- KernelSupport.cpp - What the kernels of all backends share ---------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of operands and parameters, and the sentences of failures.
//
//===----------------------------------------------------------------------===//

#include "KernelSupport.h"

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

using namespace braid::runtime;

Checker::Checker(const braid_kernel_call &call, int64_t numOperands)
    : call(call) {
  if (call.op->num_operands != numOperands)
    fail(BRAID_INVALID_ARGUMENT, "has %lld operands, expected %lld",
         static_cast<long long>(call.op->num_operands),
         static_cast<long long>(numOperands));
}

void Checker::fail(braid_status status, const char *format, ...) {
  if (!ok())
    return;
  result = status;
  va_list list;
  va_start(list, format);
  std::vsnprintf(call.message, call.message_size, format, list);
  va_end(list);
}

Checker &Checker::anyOperand(int64_t i, const char *name) {
  if (!ok())
    return *this;
  if (i < MaxNames)
    names[i] = name;
  if (!call.operands[i])
    fail(BRAID_INVALID_ARGUMENT, "operand '%s' is missing", name);
  return *this;
}

/// Whether `dtype` is among `dtypes`; otherwise their names, for a message.
static bool isAmong(int32_t dtype, std::initializer_list<int32_t> dtypes,
                    std::string &names) {
  for (int32_t allowed : dtypes) {
    if (dtype == allowed)
      return true;
    names += (names.empty() ? "" : " and ") + std::string(dtypeName(allowed));
  }
  return false;
}

Checker &Checker::operand(int64_t i, const char *name,
                          std::initializer_list<int32_t> dtypes, int minRank,
                          int maxRank, Presence presence) {
  scattered(i, name, dtypes, minRank, maxRank, presence);
  // After a failure there may be fewer operands than this one.
  const braid_tensor *tensor = ok() ? call.operands[i] : nullptr;
  if (!tensor)
    return *this;
  int last = tensor->rank - 1;
  if (last >= 0 && tensor->sizes[last] > 1 && tensor->strides[last] != 1)
    fail(BRAID_INVALID_ARGUMENT,
         "operand '%s' has stride %lld in its last dimension, expected 1", name,
         static_cast<long long>(tensor->strides[last]));
  return *this;
}

Checker &Checker::scattered(int64_t i, const char *name,
                            std::initializer_list<int32_t> dtypes, int minRank,
                            int maxRank, Presence presence) {
  if (!ok())
    return *this;
  names[i] = name;
  const braid_tensor *tensor = call.operands[i];
  if (!tensor && presence == Presence::Optional)
    return *this;
  if (!tensor) {
    fail(BRAID_INVALID_ARGUMENT, "operand '%s' is missing", name);
    return *this;
  }
  if (std::string allowed; !isAmong(tensor->dtype, dtypes, allowed))
    fail(BRAID_NO_KERNEL,
         "operand '%s' is %s, but the %s backend supports %s only", name,
         dtypeName(tensor->dtype), kernelBackendName, allowed.c_str());
  if (tensor->rank < minRank || tensor->rank > maxRank) {
    if (minRank == maxRank)
      fail(BRAID_INVALID_ARGUMENT, "operand '%s' has rank %d, expected %d",
           name, tensor->rank, minRank);
    else
      fail(BRAID_INVALID_ARGUMENT,
           "operand '%s' has rank %d, expected %d to %d", name, tensor->rank,
           minRank, maxRank);
    return *this;
  }
  for (int d = 0; d < tensor->rank; ++d)
    if (tensor->sizes[d] < 0 || tensor->strides[d] < 0)
      fail(BRAID_INVALID_ARGUMENT, "operand '%s' has a negative size or stride",
           name);
  return *this;
}

Checker &Checker::extent(int64_t i, int dim, int64_t expected) {
  if (ok() && call.operands[i] && call.operands[i]->sizes[dim] != expected)
    fail(BRAID_INVALID_ARGUMENT, "operand '%s': size %d is %lld, expected %lld",
         names[i], dim, static_cast<long long>(call.operands[i]->sizes[dim]),
         static_cast<long long>(expected));
  return *this;
}

static const braid_param *findParam(const braid_kernel_call &call,
                                    const char *name) {
  for (int64_t i = 0; i < call.op->num_params; ++i)
    if (std::strcmp(call.op->params[i].name, name) == 0)
      return &call.op->params[i];
  return nullptr;
}

Checker &Checker::param(const char *name) {
  if (ok() && !findParam(call, name))
    fail(BRAID_INVALID_ARGUMENT, "parameter '%s' is missing", name);
  return *this;
}

Checker &Checker::require(bool condition, const char *format, ...) {
  if (!ok() || condition)
    return *this;
  result = BRAID_INVALID_ARGUMENT;
  va_list list;
  va_start(list, format);
  std::vsnprintf(call.message, call.message_size, format, list);
  va_end(list);
  return *this;
}

braid_status braid::runtime::kernelFailed(const braid_kernel_call &call,
                                          const char *format, ...) {
  va_list list;
  va_start(list, format);
  std::vsnprintf(call.message, call.message_size, format, list);
  va_end(list);
  return BRAID_KERNEL_FAILED;
}

int64_t braid::runtime::intParam(const braid_kernel_call &call,
                                 const char *name) {
  const braid_param *param = findParam(call, name);
  if (param->kind == BRAID_PARAM_INT)
    return param->value.i;
  // Not a number, and all that does not fit, is out of every range.
  double value = param->value.f;
  return value > -0x1p62 && value < 0x1p62 ? static_cast<int64_t>(value)
                                           : INT64_MIN;
}

int64_t braid::runtime::intParam(const braid_kernel_call &call,
                                 const char *name, int64_t otherwise) {
  return findParam(call, name) ? intParam(call, name) : otherwise;
}

double braid::runtime::floatParam(const braid_kernel_call &call,
                                  const char *name) {
  const braid_param *param = findParam(call, name);
  return param->kind == BRAID_PARAM_FLOAT ? param->value.f
                                          : static_cast<double>(param->value.i);
}

void braid::runtime::checkQueryLayout(Checker &checker,
                                      const braid_kernel_call &call,
                                      int64_t offsets, int64_t lengths,
                                      int64_t tokens, int64_t table,
                                      const char *tableName, int64_t cache,
                                      int64_t ratio) {
  if (!checker.ok())
    return;
  QueryLayout layout(call, offsets, lengths);
  using LL = long long;
  checker.require(layout.begin(0) == 0,
                  "operand 'query_offsets': element 0 is %lld, expected 0",
                  LL(layout.begin(0)));
  for (int64_t r = 0; r < layout.requests() && checker.ok(); ++r) {
    int64_t count = layout.end(r) - layout.begin(r);
    checker.require(count >= 0,
                    "operand 'query_offsets': element %lld is %lld, expected "
                    "at least %lld, the element before it",
                    LL(r + 1), LL(layout.end(r)), LL(layout.begin(r)));
    checker.require(layout.end(r) <= tokens,
                    "operand 'query_offsets': element %lld is %lld, expected "
                    "at most %lld, the number of tokens",
                    LL(r + 1), LL(layout.end(r)), LL(tokens));
    // Engines pad the lengths with -1.
    checker.require(layout.length(r) >= count ||
                        (count == 0 && layout.length(r) == -1),
                    "operand 'sequence_lengths': element %lld is %lld, "
                    "expected at least %lld, the request's query tokens",
                    LL(r), LL(layout.length(r)), LL(count));
    if (table < 0 || count <= 0)
      continue;
    int64_t entries = layout.length(r) / ratio;
    int64_t size = call.operands[cache]->sizes[1];
    int64_t blocks = (entries + size - 1) / size;
    checker.require(blocks <= call.operands[table]->sizes[1],
                    "operand '%s': size 1 is %lld, expected at least %lld for "
                    "the %lld entries of request %lld",
                    tableName, LL(call.operands[table]->sizes[1]), LL(blocks),
                    LL(entries), LL(r));
  }
}
