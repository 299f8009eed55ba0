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
#include <cstring>

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

/// "argument 0 'x' of layer", for messages.
static std::string describe(const braid_function &function, int64_t i) {
  const char *name = declaration(function, i).name;
  return "argument " + std::to_string(i) + " '" + (name ? name : "?") +
         "' of " + function.name;
}

/// Checks the table of argument `i`.
static Error checkDeclaration(const braid_function &function, int64_t i) {
  const braid_argument &declared = declaration(function, i);
  if (Error error = checkStructSize("braid_argument", declared.struct_size,
                                    ArgumentFirstVersion))
    return error;
  if (declared.rank > 0 && !declared.sizes)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "argument %lld of %s is declared without sizes",
                     static_cast<long long>(i), function.name);
  if (declared.rank < 0 || declared.rank > BRAID_MAX_RANK ||
      elementSize(declared.dtype) == 0 || declared.access < BRAID_ACCESS_NONE ||
      declared.access > BRAID_ACCESS_READ_WRITE ||
      declared.metadata < BRAID_METADATA_NONE ||
      declared.metadata > BRAID_METADATA_DEVICE_TRANSIENT)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "argument %lld of %s is declared with rank %d, dtype %d, "
                     "access %d and metadata %d, of which one is out of range",
                     static_cast<long long>(i), function.name, declared.rank,
                     declared.dtype, declared.access, declared.metadata);
  return Error::success();
}

/// The declared strides, or NULL.
static const int64_t *declaredStrides(const braid_argument &declared) {
  constexpr size_t end = offsetof(braid_argument, strides) + sizeof(void *);
  return declared.struct_size >= end ? declared.strides : nullptr;
}

/// Checks the strides of a tensor that passed checkTensor. What a stride is
/// does not matter where it is never taken.
static Error checkStrides(const braid_function &function, int64_t i,
                          const braid_argument &declared,
                          const braid_tensor &tensor) {
  if (numElements(tensor) == 0)
    return Error::success();
  const int64_t *strides = declaredStrides(declared);
  int64_t dense = 1;
  for (int d = tensor.rank - 1; strides && d >= 0; --d) {
    int64_t stride = strides[d] == BRAID_STRIDE_ANY     ? tensor.strides[d]
                     : strides[d] == BRAID_STRIDE_DENSE ? dense
                                                        : strides[d];
    if (tensor.sizes[d] > 1 && tensor.strides[d] != stride)
      return makeError(BRAID_INVALID_ARGUMENT,
                       "%s: stride %d is %lld, expected %lld, for which the "
                       "function was compiled",
                       describe(function, i).c_str(), d,
                       static_cast<long long>(tensor.strides[d]),
                       static_cast<long long>(stride));
    dense = stride * tensor.sizes[d];
  }
  if ((declared.access & BRAID_ACCESS_WRITE) && !hasDistinctElements(tensor)) {
    std::string list;
    for (int d = 0; d < tensor.rank; ++d)
      list += (d ? ", " : "") + std::to_string(tensor.strides[d]);
    return makeError(BRAID_INVALID_ARGUMENT,
                     "%s: strides are %s for %s, expected strides at which "
                     "what is written does not overlap",
                     describe(function, i).c_str(), list.c_str(),
                     typeString(tensor).c_str());
  }
  return Error::success();
}

static Error checkArgument(const braid_function &function, int64_t i,
                           const braid_argument &expected,
                           const braid_tensor &tensor, int64_t &tokens) {
  if (tensor.dtype != expected.dtype)
    return makeError(BRAID_INVALID_ARGUMENT, "%s is %s, expected %s",
                     describe(function, i).c_str(), dtypeName(tensor.dtype),
                     dtypeName(expected.dtype));
  if (tensor.rank != expected.rank)
    return makeError(BRAID_INVALID_ARGUMENT, "%s has rank %d, expected %d",
                     describe(function, i).c_str(), tensor.rank, expected.rank);
  if (Error error = checkTensor(tensor))
    return makeError(error.status(), "%s: %s", describe(function, i).c_str(),
                     error.text().c_str());
  for (int d = 0; d < tensor.rank; ++d) {
    long long size = tensor.sizes[d];
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
                         describe(function, i).c_str(), d, size,
                         static_cast<long long>(tokens));
    } else if (size != extent) {
      return makeError(BRAID_INVALID_ARGUMENT,
                       "%s: size %d is %lld, expected %lld",
                       describe(function, i).c_str(), d, size,
                       static_cast<long long>(extent));
    }
  }
  return checkStrides(function, i, expected, tensor);
}

/// Checks that what is only written shares no memory with another argument.
/// Caches may: an engine cuts several from one pool.
static Error checkOutputs(const braid_function &function,
                          const braid_tensor *arguments) {
  std::vector<Run> runs(function.num_arguments);
  for (int64_t i = 0; i < function.num_arguments; ++i)
    runs[i] = firstRun(arguments[i]);
  for (int64_t i = 0; i < function.num_arguments; ++i) {
    if (declaration(function, i).access != BRAID_ACCESS_WRITE)
      continue;
    for (int64_t j = 0; j < function.num_arguments; ++j)
      if (i != j && runs[i].overlaps(runs[j]))
        return makeError(BRAID_INVALID_ARGUMENT,
                         "%s: %s at %p overlaps %s at %p, expected memory of "
                         "its own, as the function writes it",
                         describe(function, i).c_str(),
                         typeString(arguments[i]).c_str(), arguments[i].data,
                         describe(function, j).c_str(), arguments[j].data);
  }
  return Error::success();
}

void braid::runtime::appendTensorToKey(std::string &key,
                                       const braid_tensor &tensor) {
  // Together, since each append costs as much as what it appends.
  int64_t packed[2 + 2 * BRAID_MAX_RANK];
  int n = 0;
  packed[n++] = static_cast<int64_t>(reinterpret_cast<uintptr_t>(tensor.data));
  packed[n++] = int64_t(tensor.dtype) << 32 | tensor.rank;
  for (int d = 0; d < tensor.rank; ++d) {
    packed[n++] = tensor.sizes[d];
    packed[n++] = tensor.strides[d];
  }
  key.append(reinterpret_cast<const char *>(packed), n * sizeof(int64_t));
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
    if (Error error = checkDeclaration(function, i))
      return error;
    if (Error error = checkArgument(function, i, declaration(function, i),
                                    call->arguments[i], checked.tokens))
      return error;
  }
  if (Error error = checkOutputs(function, call->arguments))
    return error;
  // Rank 3 is the most that is common.
  checked.key.reserve(16 + 64 * call->num_arguments);
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

namespace {
/// The beginning of every generated struct.
struct GeneratedArguments {
  size_t structSize;
  braid_tensor first;
};
} // namespace

Error braid::runtime::makeCall(const braid_function *function,
                               const void *arguments, void *stream,
                               braid_call &call) {
  if (Error error = checkFunction(function))
    return error;
  if (!arguments)
    return makeError(BRAID_INVALID_ARGUMENT, "the arguments of %s are NULL",
                     function->name);
  size_t given;
  std::memcpy(&given, arguments, sizeof(given));
  size_t expected = offsetof(GeneratedArguments, first) +
                    function->num_arguments * sizeof(braid_tensor);
  if (given != expected)
    return makeError(
        BRAID_INVALID_ARGUMENT,
        "struct_size of %s_arguments is %zu, expected %zu; call %s_initialize "
        "first, and use the header that was written together with the "
        "compiled library",
        function->name, given, expected, function->name);
  call = {};
  call.struct_size = sizeof(call);
  call.function = function;
  call.arguments = reinterpret_cast<const braid_tensor *>(
      static_cast<const char *>(arguments) +
      offsetof(GeneratedArguments, first));
  call.num_arguments = function->num_arguments;
  call.stream = stream;
  return Error::success();
}
