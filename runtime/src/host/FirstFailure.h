//===- FirstFailure.h - The first kernel that failed ------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written once by the worker whose kernel failed first, read by all workers,
// which skip later kernels, and reported by synchronize.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_HOST_FIRSTFAILURE_H
#define BRAID_RUNTIME_HOST_FIRSTFAILURE_H

#include "core/Error.h"

#include <atomic>

namespace braid::runtime {

/// Holds at most one failure.
class FirstFailure {
public:
  bool raised() const { return state.load(std::memory_order_acquire) != None; }

  /// Keeps `failed` if it is the first.
  void raise(Error failed) {
    int expected = None;
    if (!state.compare_exchange_strong(expected, Writing,
                                       std::memory_order_acq_rel))
      return;
    error = std::move(failed);
    state.store(Set, std::memory_order_release);
  }

  /// Takes the failure out. Only while all streams are drained.
  Error take() {
    if (!raised())
      return Error::success();
    Error result = std::move(error);
    error = Error::success();
    state.store(None, std::memory_order_release);
    return result;
  }

private:
  enum { None, Writing, Set };
  std::atomic<int> state{None};
  Error error;
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_HOST_FIRSTFAILURE_H
