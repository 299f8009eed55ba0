//===- Gemm.h - linear and grouped_linear on a GPU --------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of both ops, and the plans that they share: for each form of
// product the descriptors and the algorithm of cuBLASLt.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CUDA_GEMM_H
#define BRAID_RUNTIME_CUDA_GEMM_H

#include "GemmChoices.h"

#include <memory>

namespace braid::runtime {

class GemmState;

/// The products of one context. Plans are made once and never dropped, so that
/// equal calls have equal results, bit for bit, whatever stream they are on and
/// whether they are captured. Used from one thread at a time.
class GemmPlans {
public:
  ~GemmPlans();
  GemmPlans(const GemmPlans &) = delete;
  GemmPlans &operator=(const GemmPlans &) = delete;

  /// Makes `plans` for the current device. `scratchBytes` is the context's
  /// option; half of it, but at most the 32 MiB that cuBLAS recommends for
  /// Hopper, is the workspace of cuBLASLt.
  static Error create(size_t scratchBytes, std::unique_ptr<GemmPlans> &plans);

  /// Whether `kernel` is one of the two below.
  static bool runs(const braid_kernel &kernel);

  /// Chooses the algorithm of a call that one of the two kernels accepts, by
  /// timing (GemmTuner.h), and loads its code; nothing is left to do for a form
  /// that was chosen, or loaded from a file and prepared, before. Reads and
  /// writes no operand. Without it `run` takes the heuristic's favourite.
  Error prepare(const braid_kernel_call &call);

  /// Grows where `prepare` changes the algorithm of a form that ran before.
  int64_t version() const;

  /// Sets `answer` to whether cuBLASLt does all of a call; otherwise a plain
  /// kernel does it, or a part of its rows.
  Error usesLibrary(const braid_kernel_call &call, bool &answer);

  /// Writes all algorithms that were chosen by timing, or loaded, to a file.
  Error save(const std::string &path) const;

  /// Reads such a file. Algorithms that are in use already stay. A file of
  /// another device, driver or library fails with BRAID_UNSUPPORTED and changes
  /// nothing.
  Error load(const std::string &path);

  // What the kernels call.
  size_t workspaceBytes(const braid_kernel_call &call) const;
  Error run(const braid_kernel_call &call);

private:
  explicit GemmPlans(std::unique_ptr<GemmState> state);

  const std::unique_ptr<GemmState> state;
};

// Each makes one kernel, which is good as long as `plans`.
braid_kernel makeLinear(GemmPlans &plans);
braid_kernel makeGroupedLinear(GemmPlans &plans);

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CUDA_GEMM_H
