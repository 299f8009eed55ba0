//===- SmallOpsAvx2.cpp - Inner loops for AVX2 and FMA --------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled with -mavx2 -mfma.
//
//===----------------------------------------------------------------------===//

#define BRAID_SMALL_OPS smallOpsAvx2
#define BRAID_SMALL_OPS_NAME "avx2"
#define BRAID_LANES 8
#define BRAID_BLOCK 2
#include "SmallOps.inc"
