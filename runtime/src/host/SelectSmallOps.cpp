//===- SelectSmallOps.cpp - Which inner loops to use ----------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the environment, then the processor.
//
//===----------------------------------------------------------------------===//

#include "SmallOps.h"

#include "core/Error.h"

#include <cstdlib>
#include <cstring>

using namespace braid::runtime;

Error braid::runtime::selectSmallOps(const SmallOps *&ops) {
  // From worst to best.
  const SmallOps *possible[3] = {&smallOpsBaseline};
  int count = 1;
#ifdef BRAID_X86_KERNELS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    possible[count++] = &smallOpsAvx2;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    possible[count++] = &smallOpsAvx512;
#endif
  ops = possible[count - 1];
  const char *wanted = std::getenv("BRAID_KERNELS");
  if (!wanted || !*wanted)
    return Error::success();
  std::string names;
  for (int i = 0; i < count; ++i) {
    if (std::strcmp(wanted, possible[i]->name) == 0) {
      ops = possible[i];
      return Error::success();
    }
    names += (i ? ", " : "") + std::string(possible[i]->name);
  }
  return makeError(BRAID_INVALID_ARGUMENT,
                   "BRAID_KERNELS is '%s', but this machine and build can run: "
                   "%s",
                   wanted, names.c_str());
}
