//===- Kernels.cpp - Kernels that notice every wrong byte -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel hashes the bits of what it reads, then writes numbers in (-1, 1)
// that the hash and the place decide. The four kernels read in different
// orders, so that a write that arrives while they read shows in more places.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "Random.h"
#include "llvm/ADT/bit.h"

#include <array>
#include <cstring>

using namespace braid::stress;

/// Calls `function(pointer)` for every element, from the front or the back.
template <typename Function>
static void forEachElement(const braid_tensor &tensor, int64_t elementBytes,
                           bool backwards, Function function) {
  int64_t count = 1;
  for (int dim = 0; dim < tensor.rank; ++dim)
    count *= tensor.sizes[dim];
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = backwards ? count - 1 - i : i, offset = 0;
    for (int dim = tensor.rank; dim-- > 0;) {
      offset += rest % tensor.sizes[dim] * tensor.strides[dim];
      rest /= tensor.sizes[dim];
    }
    function(static_cast<char *>(tensor.data) + offset * elementBytes, i);
  }
}

static braid_status runMix(const braid_kernel_call *call, void *userData) {
  unsigned kind = *static_cast<const unsigned *>(userData);
  uint64_t hash = kind;
  for (int64_t i = 0; i < call->op->num_params; ++i)
    if (std::strcmp(call->op->params[i].name, "salt") == 0)
      hash = mix(hash ^ call->op->params[i].value.i);
  auto getBytes = [](const braid_tensor &tensor) {
    return tensor.dtype == BRAID_I64 ? 8 : 4;
  };
  for (int64_t i = 0; i < call->op->num_operands; ++i) {
    int64_t operand = kind & 2 ? call->op->num_operands - 1 - i : i;
    if (!(call->op->accesses[operand] & BRAID_ACCESS_READ))
      continue;
    const braid_tensor &tensor = *call->operands[operand];
    int64_t bytes = getBytes(tensor);
    forEachElement(tensor, bytes, kind & 1, [&](char *element, int64_t) {
      uint64_t bits = 0;
      std::memcpy(&bits, element, bytes);
      hash = llvm::rotl((hash ^ bits) * 0x9fb21c651e98df25u, 31);
    });
  }
  for (int64_t i = 0; i < call->op->num_operands; ++i) {
    if (!(call->op->accesses[i] & BRAID_ACCESS_WRITE))
      continue;
    const braid_tensor &tensor = *call->operands[i];
    if (tensor.dtype != BRAID_F32)
      return BRAID_INVALID_ARGUMENT;
    uint64_t key = mix(hash + i);
    forEachElement(tensor, 4, false, [&](char *element, int64_t index) {
      float value = toFloat(key + index);
      std::memcpy(element, &value, sizeof(value));
    });
  }
  return BRAID_OK;
}

braid_status braid::stress::registerKernels(braid_context *context) {
  static std::array<unsigned, NumMixKernels> kinds = {0, 1, 2, 3};
  static const char *names[] = {"mix0", "mix1", "mix2", "mix3"};
  for (unsigned &kind : kinds) {
    braid_kernel kernel = {};
    kernel.struct_size = sizeof(kernel);
    kernel.name = names[kind];
    kernel.run = runMix;
    kernel.user_data = &kind;
    if (braid_status status = braid_register_kernel(context, &kernel))
      return status;
  }
  return BRAID_OK;
}
