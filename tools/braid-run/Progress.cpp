//===- Progress.cpp - Progress of long phases -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the ticking thread.
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace braid;

Progress::Progress(llvm::StringRef phase)
    : phase(phase.str()), thread([this] {
        std::unique_lock<std::mutex> lock(mutex);
        while (!condition.wait_for(lock, std::chrono::seconds(1),
                                   [this] { return finished; })) {
          llvm::errs() << "  " << this->phase << " ... "
                       << llvm::format("%.0f s", timer.getSeconds());
          if (double share = done; share >= 0)
            llvm::errs() << llvm::format(" (%.0f %%)", 100 * share);
          llvm::errs() << "\n";
        }
      }) {}

Progress::~Progress() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    finished = true;
  }
  condition.notify_one();
  thread.join();
}
