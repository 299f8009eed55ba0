//===- StandIn.c - In the place of attention --------------------*- C -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that does nothing, for the eager break in the middle of a layer:
// what is measured around it is the layer's own part.
//
//===----------------------------------------------------------------------===//

#include "braid/runtime.h"

braid_status stand_in_run(const braid_kernel_call *call, void *user_data);

braid_status stand_in_run(const braid_kernel_call *call, void *user_data) {
  (void)call;
  (void)user_data;
  return BRAID_OK;
}
