//===- SmallOpsAvx512.cpp - Inner loops for AVX-512 -----------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled with AVX-512 F, DQ, BW and VL.
//
//===----------------------------------------------------------------------===//

#define BRAID_SMALL_OPS smallOpsAvx512
#define BRAID_SMALL_OPS_NAME "avx512"
#define BRAID_LANES 16
#define BRAID_BLOCK 4
#include "SmallOps.inc"
