//===- LaunchNode.h - A launch that outlives its call -----------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code keeps the descriptors of operands on its stack, and the engine
// may reuse host metadata as soon as braid_execute returns. A node therefore
// copies both. In a captured segment it is replayed as it was recorded.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_HOST_LAUNCHNODE_H
#define BRAID_RUNTIME_HOST_LAUNCHNODE_H

#include "FirstFailure.h"

#include "core/Backend.h"

#include <memory>
#include <vector>

namespace braid::runtime {

/// One kernel with recorded arguments. Nothing changes it after construction,
/// so that it may run on a worker while it is enqueued again.
class LaunchNode {
public:
  explicit LaunchNode(const Launch &launch);
  LaunchNode(const LaunchNode &) = delete;
  LaunchNode &operator=(const LaunchNode &) = delete;

  /// Runs the kernel, unless one failed before.
  void run(FirstFailure &failure) const;

  /// True if the kernel can check the contents of its operands.
  bool checksContents() const { return kernel->check_contents; }
  /// Lets it do so. Those that `notWritten` marks have no contents yet.
  void checkContents(const std::vector<bool> &notWritten,
                     FirstFailure &failure) const;

  const braid_op *getOp() const { return op; }
  int64_t numOperands() const { return op->num_operands; }
  /// NULL if the operand is absent.
  const braid_tensor *operand(int64_t i) const { return operands[i]; }
  int32_t access(int64_t i) const { return op->accesses[i]; }

private:
  using Function = braid_status (*)(const braid_kernel_call *call,
                                    void *user_data);
  /// Calls a function of the kernel; false if it failed.
  bool call(Function function, const braid_tensor *const *with,
            FirstFailure &failure) const;

  const braid_kernel *kernel;
  const braid_op *op;
  void *scratch;
  size_t scratchBytes;
  std::vector<braid_tensor> tensors;
  std::vector<const braid_tensor *> operands;
  /// Contents of host metadata, in whole words for their alignment.
  std::vector<std::unique_ptr<int64_t[]>> snapshots;
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_HOST_LAUNCHNODE_H
