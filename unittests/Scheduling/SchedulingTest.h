//===- SchedulingTest.h - What the scheduling tests share -------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random instances that are the same on every machine: a test prints the seed
// of the one that fails, and that seed alone makes it again.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_UNITTESTS_SCHEDULING_SCHEDULINGTEST_H
#define BRAID_UNITTESTS_SCHEDULING_SCHEDULINGTEST_H

#include "braid/Scheduling/Problem.h"

#include <ostream>
#include <random>
#include <string>
#include <utility>

namespace braid::scheduling {
/// How GoogleTest prints one.
inline void PrintTo(const Wait &wait, std::ostream *os) {
  *os << wait.producer << " -> " << wait.consumer;
}
} // namespace braid::scheduling

namespace braid::scheduling::test {

/// The message; empty for success.
inline std::string toText(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "";
}

class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}

  /// A number from `low` to `high`. (Distributions of the standard library
  /// differ from one library to the other.)
  unsigned get(unsigned low, unsigned high) {
    return low + engine() % (high - low + 1);
  }

  /// Up to `maxOperations` operations of any density, with durations and wait
  /// costs of any ratio.
  Problem makeProblem(unsigned maxOperations, unsigned maxStreams) {
    Problem problem;
    problem.numStreams = get(2, maxStreams);
    problem.waitCost = get(0, 3) * 0.5;
    unsigned numOperations = get(1, maxOperations);
    unsigned percent = get(0, 100);
    for (OpIndex op = 0; op < numOperations; ++op) {
      problem.addOperation("op" + std::to_string(op), get(0, 20) * 0.5);
      for (OpIndex before = 0; before < op; ++before)
        if (get(1, 100) <= percent)
          problem.addDependence(before, op);
    }
    return problem;
  }

  /// Any legal solution.
  Solution makeSolution(const Problem &problem) {
    Solution solution;
    std::vector<unsigned> numMissing;
    std::vector<OpIndex> ready;
    for (OpIndex op = 0; op < problem.size(); ++op) {
      solution.stream.push_back(get(0, problem.numStreams - 1));
      numMissing.push_back(problem.getPredecessors(op).size());
      if (numMissing[op] == 0)
        ready.push_back(op);
    }
    while (!ready.empty()) {
      std::swap(ready[get(0, ready.size() - 1)], ready.back());
      OpIndex op = ready.back();
      ready.pop_back();
      solution.order.push_back(op);
      for (OpIndex after : problem.getSuccessors(op))
        if (--numMissing[after] == 0)
          ready.push_back(after);
    }
    return solution;
  }

private:
  std::mt19937 engine;
};

} // namespace braid::scheduling::test

#endif // BRAID_UNITTESTS_SCHEDULING_SCHEDULINGTEST_H
