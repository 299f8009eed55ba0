//===- HostCall.cpp - Host code of a compiled module -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel behind host_call: runs a function that was compiled with the
// program.
//
//===----------------------------------------------------------------------===//

#include "KernelSupport.h"
#include "Kernels.h"

#include <cstddef>
#include <cstdio>

using namespace braid::runtime;

static braid_status checkHostCall(const braid_kernel_call *call, void *) {
  const braid_op &op = *call->op;
  // Tables of compilers that knew no host code end before the field.
  bool hasFunction =
      op.struct_size >= offsetof(braid_op, function) + sizeof(void *) &&
      op.function;
  if (!hasFunction) {
    std::snprintf(call->message, call->message_size,
                  "the op names no function");
    return BRAID_INTERNAL;
  }
  for (int64_t i = 0; i < op.num_operands; ++i)
    if (!call->operands[i]) {
      std::snprintf(call->message, call->message_size,
                    "operand %lld is absent; host code takes all of them",
                    static_cast<long long>(i));
      return BRAID_INTERNAL;
    }
  return BRAID_OK;
}

static braid_status runHostCall(const braid_kernel_call *call, void *) {
  call->op->function(call->operands);
  return BRAID_OK;
}

braid_kernel braid::runtime::makeHostCall() {
  return {sizeof(braid_kernel), "host_call", checkHostCall, nullptr,
          runHostCall,          nullptr,     nullptr};
}
