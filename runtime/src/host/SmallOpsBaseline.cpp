//===- SmallOpsBaseline.cpp - Inner loops for every machine ---------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled for the instruction set that the whole library is compiled for.
//
//===----------------------------------------------------------------------===//

#define BRAID_SMALL_OPS smallOpsBaseline
#define BRAID_SMALL_OPS_NAME "baseline"
#define BRAID_LANES 4
#define BRAID_BLOCK 2
#include "SmallOps.inc"
