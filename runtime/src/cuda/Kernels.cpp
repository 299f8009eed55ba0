//===- Kernels.cpp - The kernels of the cuda backend ----------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the kernels and loads their code.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "SmallKernels.h"

#include "core/KernelRegistry.h"

using namespace braid::runtime;

Error braid::runtime::addCudaKernels(KernelRegistry &registry) {
  for (braid_kernel (*make)() : {makeRmsNorm, makeRope, makeQuantize,
                                 makeCacheInsert, makePack, makeCopy})
    if (Error error = registry.add(make()))
      return error;
  return Error::success();
}

Error braid::runtime::loadCudaKernels() { return loadSmallKernels(); }
