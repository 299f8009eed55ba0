//===- Kernels.h - The kernels of the cuda backend --------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the source files of the kernels offer. Operands and parameters are those
// of the ops in the compiler's documentation.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CUDA_KERNELS_H
#define BRAID_RUNTIME_CUDA_KERNELS_H

#include "braid/runtime.h"

namespace braid::runtime {

class Error;
class GemmPlans;
class KernelRegistry;

/// Registers all kernels of the backend. Those of products are good as long as
/// `gemms`.
Error addCudaKernels(KernelRegistry &registry, GemmPlans &gemms);

/// Loads the code of all kernels to the current device.
Error loadCudaKernels();

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CUDA_KERNELS_H
