//===- Progress.h - Progress of long phases -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints what a tool is doing to stderr once it takes longer than a second.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_TOOLS_BRAID_RUN_PROGRESS_H
#define BRAID_TOOLS_BRAID_RUN_PROGRESS_H

#include "braid/Support/Timer.h"
#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace braid {

/// From construction to destruction prints "<phase> ... 3 s (40 %)" each second
/// from the first second on.
class Progress {
public:
  explicit Progress(llvm::StringRef phase);
  ~Progress();

  /// Sets the share that is done, from 0 to 1. May be called from any thread.
  void update(double share) { done = share; }

  double getSeconds() const { return timer.getSeconds(); }

private:
  std::string phase;
  Timer timer;
  std::atomic<double> done{-1};
  std::mutex mutex;
  std::condition_variable condition;
  bool finished = false;
  std::thread thread; // last: starts when everything else exists
};

} // namespace braid

#endif // BRAID_TOOLS_BRAID_RUN_PROGRESS_H
