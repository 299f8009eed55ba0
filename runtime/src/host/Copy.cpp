//===- Copy.cpp - copy, pack, all_reduce and quantize ---------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that move elements of any type.
//
//===----------------------------------------------------------------------===//

#include "KernelSupport.h"
#include "Kernels.h"

#include "core/KernelChecks.h"

using namespace braid::runtime;

static braid_status runCopy(const braid_kernel_call *call, void *) {
  copyTensor(*call->operands[0], *call->operands[1]);
  return BRAID_OK;
}

braid_kernel braid::runtime::makeCopy() {
  return {sizeof(braid_kernel),
          "copy",
          checkCopy,
          nullptr,
          runCopy,
          nullptr,
          nullptr};
}

/// The communicator of the host backend has one rank, whose sum is a copy.
braid_kernel braid::runtime::makeAllReduce() {
  return {sizeof(braid_kernel),
          "all_reduce",
          checkAllReduce,
          nullptr,
          runCopy,
          nullptr,
          nullptr};
}

//===----------------------------------------------------------------------===//
// pack: inputs..., y
//===----------------------------------------------------------------------===//

static braid_status runPack(const braid_kernel_call *call, void *) {
  int64_t inputs = call->op->num_operands - 1;
  braid_tensor part = *call->operands[inputs];
  for (int64_t i = 0; i < inputs; ++i) {
    const braid_tensor &x = *call->operands[i];
    part.sizes[0] = x.sizes[0];
    copyTensor(x, part);
    part.data = static_cast<char *>(part.data) +
                x.sizes[0] * part.strides[0] * elementSize(part.dtype);
  }
  return BRAID_OK;
}

braid_kernel braid::runtime::makePack() {
  return {sizeof(braid_kernel),
          "pack",
          checkPack,
          nullptr,
          runPack,
          nullptr,
          nullptr};
}
