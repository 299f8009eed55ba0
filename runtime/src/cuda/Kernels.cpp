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

#include "Gemm.h"
#include "SmallKernels.h"

#include "core/KernelRegistry.h"
#include "core/KernelSupport.h"

using namespace braid::runtime;

const char *const braid::runtime::kernelBackendName = "cuda";

Error braid::runtime::addCudaKernels(KernelRegistry &registry,
                                     GemmPlans &gemms) {
  for (const braid_kernel &kernel :
       {makeLinear(gemms), makeGroupedLinear(gemms), makeRmsNorm(), makeRope(),
        makeQuantize(), makeCacheInsert(), makePack(), makeCopy()})
    if (Error error = registry.add(kernel))
      return error;
  return Error::success();
}

Error braid::runtime::loadCudaKernels() { return loadSmallKernels(); }
