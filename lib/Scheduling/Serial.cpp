//===- Serial.cpp - Everything on one stream --------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the program does without streams: the solution that every other one has
// to beat.
//
//===----------------------------------------------------------------------===//

#include "braid/Scheduling/Schedulers.h"

#include <numeric>

namespace braid::scheduling {

Solution scheduleSerial(const Problem &problem) {
  Solution solution;
  solution.stream.assign(problem.size(), 0);
  solution.order.resize(problem.size());
  std::iota(solution.order.begin(), solution.order.end(), 0);
  return solution;
}

} // namespace braid::scheduling
