//===- Kernels.h - The built-in kernels -------------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the source files of the host kernels offer. The order of operands and
// the names of parameters are those of the ops in the compiler's documentation.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_HOST_KERNELS_H
#define BRAID_RUNTIME_HOST_KERNELS_H

#include "braid/runtime.h"

namespace braid::runtime {

class Error;
class KernelRegistry;
struct SmallOps;

/// Registers all built-in kernels of the host backend.
Error addHostKernels(KernelRegistry &registry, const SmallOps &ops);

// Each makes one kernel; `user_data` is the SmallOps.
braid_kernel makeLinear();
braid_kernel makeGroupedLinear();
braid_kernel makeRmsNorm();
braid_kernel makeRope();
braid_kernel makeCacheInsert();
braid_kernel makeCompress();
braid_kernel makeIndexQuery();
braid_kernel makeIndexSelect();
braid_kernel makeAttend();
braid_kernel makeAllReduce();
braid_kernel makeCopy();
braid_kernel makePack();
braid_kernel makeQuantize();
braid_kernel makeHostCall();

} // namespace braid::runtime

#endif // BRAID_RUNTIME_HOST_KERNELS_H
