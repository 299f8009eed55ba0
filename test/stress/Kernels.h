//===- Kernels.h - Kernels that notice every wrong byte -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels @mix0 to @mix3 of random programs: every element that they write
// depends on every bit that they read.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_TEST_STRESS_KERNELS_H
#define BRAID_TEST_STRESS_KERNELS_H

#include "braid/runtime.h"

namespace braid::stress {

constexpr unsigned NumMixKernels = 4;

/// Registers the kernels.
braid_status registerKernels(braid_context *context);

} // namespace braid::stress

#endif // BRAID_TEST_STRESS_KERNELS_H
