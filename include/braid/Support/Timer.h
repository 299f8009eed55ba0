//===- Timer.h - Wall-clock seconds -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stop watch for what tools say they spent.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_SUPPORT_TIMER_H
#define BRAID_SUPPORT_TIMER_H

#include <chrono>

namespace braid {

/// Runs from its construction on.
class Timer {
public:
  double getSeconds() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};

} // namespace braid

#endif // BRAID_SUPPORT_TIMER_H
