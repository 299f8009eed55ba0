//===- DeviceArguments.cpp - Arguments where kernels reach them -----------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies arguments to a device and back.
//
//===----------------------------------------------------------------------===//

#include "braid/Execution/DeviceArguments.h"

#include "Numbers.h"

using namespace braid;
using namespace llvm;

/// Bytes from the first element to the end of the last one.
static size_t getSpan(const braid_tensor &tensor) {
  int64_t last = 0;
  for (int32_t i = 0; i < tensor.rank; ++i) {
    if (tensor.sizes[i] == 0)
      return 0;
    last += (tensor.sizes[i] - 1) * tensor.strides[i];
  }
  return (last + 1) * getElementBytes(tensor.dtype);
}

static Error check(const braid_context *context, braid_status status) {
  if (status == BRAID_OK)
    return Error::success();
  return createStringError(inconvertibleErrorCode(),
                           Twine(braid_status_name(status)) + ": " +
                               braid_last_error(context));
}

DeviceArguments::~DeviceArguments() {
  for (const Copy &copy : copies)
    (void)braid_memory_free(context, copy.memory);
}

Error DeviceArguments::upload(braid_call &call) {
  originals.assign(call.arguments, call.arguments + call.num_arguments);
  tensors = originals;
  copies.resize(originals.size());
  for (auto [index, tensor] : enumerate(tensors)) {
    const ProgramArgument &argument = program.getArguments()[index];
    size_t bytes = getSpan(tensor);
    if (argument.metadata == BRAID_METADATA_HOST || bytes == 0)
      continue;
    Copy &copy = copies[index];
    bool isNew = copy.bytes < bytes;
    if (isNew) {
      if (Error error = check(context, braid_memory_free(context, copy.memory)))
        return error;
      copy = Copy();
      if (Error error = check(
              context, braid_memory_allocate(context, bytes, &copy.memory)))
        return error;
      copy.bytes = bytes;
    }
    bool isConstant = !argument.weights.empty() || argument.rope;
    if (isNew || !isConstant)
      if (Error error = check(context, braid_memory_copy(context, copy.memory,
                                                         tensor.data, bytes)))
        return error;
    tensor.data = copy.memory;
  }
  call.arguments = tensors.data();
  return Error::success();
}

Error DeviceArguments::download() {
  for (auto [index, original] : enumerate(originals)) {
    const ProgramArgument &argument = program.getArguments()[index];
    size_t bytes = getSpan(original);
    if ((!argument.isCache && !argument.isOutput) || bytes == 0)
      continue;
    if (Error error =
            check(context, braid_memory_copy(context, original.data,
                                             copies[index].memory, bytes)))
      return error;
  }
  return Error::success();
}
