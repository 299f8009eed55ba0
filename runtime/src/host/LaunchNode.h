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

private:
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
