//===- DeviceArguments.h - Arguments where kernels reach them -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments are made up, filled and compared on the host. A backend that does
// not reach its memory gets copies: weights once, everything else before each
// call, and what a call wrote comes back after it.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_EXECUTION_DEVICEARGUMENTS_H
#define BRAID_EXECUTION_DEVICEARGUMENTS_H

#include "braid/Execution/Arguments.h"

#include <vector>

namespace braid {

/// Copies of a batch's arguments in memory of a context's backend.
class DeviceArguments {
public:
  /// Both have to outlive the result.
  DeviceArguments(braid_context *context, const Program &program)
      : context(context), program(program) {}
  ~DeviceArguments();
  DeviceArguments(const DeviceArguments &) = delete;
  DeviceArguments &operator=(const DeviceArguments &) = delete;

  /// Makes `call`, whose tensors are on the host, one whose tensors are copies.
  /// Host metadata stay where they are. Addresses of copies never change.
  llvm::Error upload(braid_call &call);

  /// Copies what the last call wrote back to where it came from. Waits for it.
  llvm::Error download();

private:
  struct Copy {
    void *memory = nullptr;
    size_t bytes = 0;
  };

  braid_context *context;
  const Program &program;
  std::vector<Copy> copies;
  std::vector<braid_tensor> originals, tensors;
};

} // namespace braid

#endif // BRAID_EXECUTION_DEVICEARGUMENTS_H
