//===- Kernels.cpp - The built-in kernels ---------------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the kernels of the host backend.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "SmallOps.h"

#include "core/KernelRegistry.h"

using namespace braid::runtime;

Error braid::runtime::addHostKernels(KernelRegistry &registry,
                                     const SmallOps &ops) {
  for (braid_kernel (*make)() :
       {makeLinear, makeGroupedLinear, makeRmsNorm, makeRope, makeCacheInsert,
        makeCompress, makeIndexQuery, makeIndexSelect, makeAttend,
        makeAllReduce, makeCopy, makePack, makeQuantize, makeHostCall}) {
    braid_kernel kernel = make();
    kernel.user_data = const_cast<SmallOps *>(&ops);
    if (Error error = registry.add(kernel))
      return error;
  }
  return Error::success();
}
