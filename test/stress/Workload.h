//===- Workload.h - What a schedule is called with -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments that change from call to call in the same buffers, and the memory
// that the calls leave behind.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_TEST_STRESS_WORKLOAD_H
#define BRAID_TEST_STRESS_WORKLOAD_H

#include "Generator.h"
#include "braid/Execution/Arguments.h"

#include <functional>
#include <memory>

namespace braid::stress {

struct ContextDeleter {
  void operator()(braid_context *context) const {
    braid_context_destroy(context);
  }
};
using ContextPointer = std::unique_ptr<braid_context, ContextDeleter>;

/// A context of the host backend with the stress test's kernels. With a delay
/// seed, random delays and poison.
ContextPointer makeContext(uint64_t delaySeed);

/// Outputs and caches, one after another.
using Snapshot = std::vector<char>;

/// Arguments of one call.
class Workload {
public:
  virtual ~Workload() = default;
  /// Sets caches and outputs to what they are at first.
  virtual void reset() = 0;
  /// Sets inputs and metadata for one of several calls.
  virtual void setPhase(unsigned phase) = 0;
  virtual braid_call getCall() = 0;
  virtual Snapshot read() = 0;
};

/// Arguments of a random program.
std::unique_ptr<Workload> makeWorkload(const RandomProgram &program,
                                       int64_t tokens);

/// Arguments of a layer, whose weights are made up: phase 0 is the first half
/// of a sequence of 2 * `tokens` tokens, phase 1 the second one. `program` has
/// to outlive the result.
std::unique_ptr<Workload> makeLayerWorkload(const Program &program,
                                            int64_t tokens);

} // namespace braid::stress

#endif // BRAID_TEST_STRESS_WORKLOAD_H
