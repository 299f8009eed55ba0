//===- Arguments.cpp - Checks of a call's arguments -----------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each failure names the argument, its value and what was expected.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "Tensor.h"

#include <algorithm>
#include <cstddef>

using namespace braid::runtime;

static constexpr size_t FunctionFirstVersion =
    offsetof(braid_function, entry) + sizeof(void *);
static constexpr size_t ArgumentFirstVersion =
    offsetof(braid_argument, metadata) + sizeof(int32_t);
static constexpr size_t CallFirstVersion =
    offsetof(braid_call, stream) + sizeof(void *);

Error braid::runtime::checkFunction(const braid_function *function) {
  if (!function)
    return Error(BRAID_INVALID_ARGUMENT, "the function is NULL");
  if (Error error = checkStructSize("braid_function", function->struct_size,
                                    FunctionFirstVersion))
    return error;
  const char *name = function->name ? function->name : "?";
  if (function->abi_major != BRAID_ABI_MAJOR ||
      function->abi_minor > BRAID_ABI_MINOR)
    return makeError(BRAID_ABI_MISMATCH,
                     "function '%s' was compiled for version %d.%d of the "
                     "runtime's ABI, but this runtime has %d.%d",
                     name, function->abi_major, function->abi_minor,
                     BRAID_ABI_MAJOR, BRAID_ABI_MINOR);
  if (!function->name || !function->entry || function->num_arguments < 0 ||
      (function->num_arguments && !function->arguments))
    return makeError(BRAID_INVALID_ARGUMENT,
                     "function '%s' is incomplete: name, entry or arguments "
                     "are missing",
                     name);
  return Error::success();
}

/// The declaration of argument `i`. Steps by the size that the compiler of the
/// function knew.
static const braid_argument &declaration(const braid_function &function,
                                         int64_t i) {
  size_t step = function.arguments->struct_size;
  return *reinterpret_cast<const braid_argument *>(
      reinterpret_cast<const char *>(function.arguments) + i * step);
}

static Error checkArgument(const braid_function &function, int64_t i,
                           const braid_argument &expected,
                           const braid_tensor &tensor, int64_t &tokens) {
  std::string where = "argument " + std::to_string(i) + " '" +
                      (expected.name ? expected.name : "?") + "' of " +
                      function.name;
  const char *what = where.c_str();
  if (tensor.dtype != expected.dtype)
    return makeError(BRAID_INVALID_ARGUMENT, "%s is %s, expected %s", what,
                     dtypeName(tensor.dtype), dtypeName(expected.dtype));
  if (tensor.rank != expected.rank || tensor.rank < 0 ||
      tensor.rank > BRAID_MAX_RANK)
    return makeError(BRAID_INVALID_ARGUMENT, "%s has rank %d, expected %d",
                     what, tensor.rank, expected.rank);
  for (int d = 0; d < tensor.rank; ++d) {
    long long size = tensor.sizes[d];
    if (size < 0)
      return makeError(BRAID_INVALID_ARGUMENT,
                       "%s: size %d is %lld, expected no negative number", what,
                       d, size);
    if (tensor.strides[d] < 0)
      return makeError(BRAID_INVALID_ARGUMENT,
                       "%s: stride %d is %lld, expected no negative number",
                       what, d, static_cast<long long>(tensor.strides[d]));
    int64_t extent = expected.sizes[d];
    if (extent == BRAID_SIZE_ANY)
      continue;
    if (extent == BRAID_SIZE_TOKENS) {
      if (tokens < 0)
        tokens = size;
      if (size != tokens)
        return makeError(BRAID_INVALID_ARGUMENT,
                         "%s: size %d is %lld, expected the token count of the "
                         "arguments before it, %lld",
                         what, d, size, static_cast<long long>(tokens));
    } else if (size != extent) {
      return makeError(BRAID_INVALID_ARGUMENT,
                       "%s: size %d is %lld, expected %lld", what, d, size,
                       static_cast<long long>(extent));
    }
  }
  if (!tensor.data && numElements(tensor) > 0)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "%s: data is NULL, expected memory for %s", what,
                     typeString(tensor).c_str());
  return Error::success();
}

void braid::runtime::appendTensorToKey(std::string &key,
                                       const braid_tensor &tensor) {
  appendToKey(key, tensor.data);
  appendToKey(key, tensor.dtype);
  appendToKey(key, tensor.rank);
  for (int d = 0; d < tensor.rank; ++d) {
    appendToKey(key, tensor.sizes[d]);
    appendToKey(key, tensor.strides[d]);
  }
}

Error braid::runtime::checkCall(const braid_call *call, CheckedCall &checked) {
  if (!call)
    return Error(BRAID_INVALID_ARGUMENT, "the call is NULL");
  if (Error error =
          checkStructSize("braid_call", call->struct_size, CallFirstVersion))
    return error;
  if (Error error = checkFunction(call->function))
    return error;
  const braid_function &function = *call->function;
  if (call->num_arguments != function.num_arguments)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "%s was called with %lld arguments, expected %lld",
                     function.name, static_cast<long long>(call->num_arguments),
                     static_cast<long long>(function.num_arguments));
  if (call->num_arguments && !call->arguments)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "braid_call.arguments of %s is NULL", function.name);
  checked.function = &function;
  checked.arguments = call->arguments;
  checked.stream = call->stream;
  for (int64_t i = 0; i < call->num_arguments; ++i) {
    const braid_argument &expected = declaration(function, i);
    if (Error error = checkStructSize("braid_argument", expected.struct_size,
                                      ArgumentFirstVersion))
      return error;
    if (expected.rank > 0 && !expected.sizes)
      return makeError(BRAID_INVALID_ARGUMENT,
                       "argument %lld of %s is declared without sizes",
                       static_cast<long long>(i), function.name);
    if (Error error = checkArgument(function, i, expected, call->arguments[i],
                                    checked.tokens))
      return error;
  }
  const braid_function *identity = &function;
  appendToKey(checked.key, identity);
  appendToKey(checked.key, checked.tokens);
  for (int64_t i = 0; i < call->num_arguments; ++i) {
    int32_t metadata = declaration(function, i).metadata;
    if (metadata != BRAID_METADATA_DEVICE_TRANSIENT &&
        metadata != BRAID_METADATA_HOST)
      appendTensorToKey(checked.key, call->arguments[i]);
  }
  return Error::success();
}

std::vector<braid_tensor> braid::runtime::takeTokens(const CheckedCall &call,
                                                     int64_t tokens) {
  int64_t count = call.function->num_arguments;
  std::vector<braid_tensor> arguments(call.arguments, call.arguments + count);
  for (int64_t i = 0; i < count; ++i)
    for (int32_t d = 0; d < arguments[i].rank; ++d)
      if (declaration(*call.function, i).sizes[d] == BRAID_SIZE_TOKENS)
        arguments[i].sizes[d] = tokens;
  return arguments;
}
