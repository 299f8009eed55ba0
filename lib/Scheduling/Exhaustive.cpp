//===- Exhaustive.cpp - The best solution of a small problem ----*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Depth first through all orders and assignments, as the oracle for the other
// algorithms. Leaves out what is the same up to the names of streams or up to
// the order of independent neighbours on different streams, and what a lower
// bound shows to be no better than the best solution so far.
//
//===----------------------------------------------------------------------===//

#include "Timeline.h"
#include "braid/Scheduling/Schedulers.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace braid::scheduling {

namespace {

/// Largest problem that is solved.
constexpr size_t maxOperations = 8;

class Search {
public:
  Search(const Problem &problem)
      : problem(problem), priorities(computePriorities(problem)),
        timeline(problem, std::min<size_t>(problem.numStreams, problem.size())),
        isEnqueued(problem.size()), best(scheduleSerial(problem)),
        bestQuality(evaluate(problem, best)) {
    current.stream.resize(problem.size());
    extend(0);
  }

  Solution takeBest() { return std::move(best); }

private:
  void extend(StreamIndex numUsed);
  bool canBeNext(OpIndex op) const;
  bool isRedundant(OpIndex op, StreamIndex stream) const;
  Quality getBound() const;

  const Problem &problem;
  std::vector<double> priorities;
  Timeline timeline;
  std::vector<char> isEnqueued;
  Solution current, best;
  Quality bestQuality;
};

} // namespace

/// Whether `op` is not enqueued, and all that it depends on is.
bool Search::canBeNext(OpIndex op) const {
  return !isEnqueued[op] &&
         all_of(problem.getPredecessors(op),
                [&](OpIndex before) { return isEnqueued[before]; });
}

/// Whether `op` and the operation before it can change places and nothing else
/// changes, and the other order is the one that is looked at. Waits of one
/// operation are in program order, so they stay the same too.
bool Search::isRedundant(OpIndex op, StreamIndex stream) const {
  if (current.order.empty())
    return false;
  OpIndex before = current.order.back();
  return op < before && current.stream[before] != stream;
}

/// No solution that starts as `current` has less of anything.
Quality Search::getBound() const {
  Quality bound;
  // The work on all streams, done and to come, and the longest paths.
  double sum = 0;
  unsigned numUsed = 0;
  for (StreamIndex stream = 0; stream < timeline.getNumStreams(); ++stream) {
    sum += timeline.getEnd(stream);
    numUsed += stream != 0 && timeline.isUsed(stream);
  }
  for (OpIndex op = 0; op < problem.size(); ++op) {
    double start = 0;
    if (isEnqueued[op])
      start = timeline.getFinish(op) - problem.getDuration(op);
    else
      sum += problem.getDuration(op);
    bound.makespan = std::max(bound.makespan, start + priorities[op]);
  }
  bound.makespan = std::max(bound.makespan, sum / timeline.getNumStreams());
  // Whatever is not joined yet takes a wait at least.
  bound.numWaits = timeline.getNumWaits() + !timeline.getJoins().empty();
  bound.numStreams = 1 + numUsed;
  return bound;
}

/// Tries all ways to go on. Streams 1 to `numUsed` have work; of the others
/// only the first is tried, since they are all alike.
void Search::extend(StreamIndex numUsed) {
  if (current.order.size() == problem.size()) {
    Quality quality = timeline.getQuality();
    if (isBetter(quality, bestQuality)) {
      best = current;
      bestQuality = quality;
    }
    return;
  }
  if (!isBetter(getBound(), bestQuality))
    return;
  StreamIndex end = std::min(numUsed + 2, timeline.getNumStreams());
  for (OpIndex op = 0; op < problem.size(); ++op) {
    if (!canBeNext(op))
      continue;
    SmallVector<OpIndex, 4> predecessors = timeline.getLastPredecessors(op);
    for (StreamIndex stream = 0; stream < end; ++stream) {
      if (isRedundant(op, stream))
        continue;
      timeline.enqueue(op, stream, timeline.place(op, predecessors, stream));
      isEnqueued[op] = true;
      current.order.push_back(op);
      current.stream[op] = stream;
      extend(std::max(numUsed, stream));
      current.order.pop_back();
      isEnqueued[op] = false;
      timeline.undo(stream);
    }
  }
}

std::optional<Solution> scheduleExhaustive(const Problem &problem) {
  if (problem.size() > maxOperations)
    return std::nullopt;
  return Search(problem).takeBest();
}

} // namespace braid::scheduling
