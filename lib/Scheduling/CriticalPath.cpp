//===- CriticalPath.cpp - Critical-path list scheduling ---------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The default. Goes forward in time: of the operations that could start when a
// stream is next free, the most critical one goes where it finishes first, with
// the waits counted that it takes there. So the order in which operations are
// enqueued is that of their starts, and of those that become ready together the
// critical one is first, which keeps the main chain on its lane in a graph.
//
//===----------------------------------------------------------------------===//

#include "Timeline.h"
#include "braid/Scheduling/Schedulers.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <functional>
#include <queue>

using namespace llvm;

namespace braid::scheduling {

namespace {

class ListScheduler {
public:
  ListScheduler(const Problem &problem)
      : problem(problem), priorities(computePriorities(problem)),
        timeline(problem, std::min<size_t>(problem.numStreams, problem.size())),
        numMissing(problem.size()) {}

  Solution run();

private:
  /// An operation that all predecessors of are enqueued, with what ranks it.
  /// Ties go to program order.
  using Ranked = std::pair<double, OpIndex>;
  using Queue =
      std::priority_queue<Ranked, std::vector<Ranked>, std::greater<Ranked>>;

  /// Takes the operation to enqueue next.
  OpIndex takeNext();
  /// The stream for `op`, with what it means.
  std::pair<StreamIndex, Timeline::Placement> chooseStream(OpIndex op) const;

  const Problem &problem;
  std::vector<double> priorities;
  Timeline timeline;
  /// Streams below this one have work; the others are all alike.
  StreamIndex numUsed = 0;
  /// Predecessors that are not enqueued.
  std::vector<unsigned> numMissing;
  /// Operations that can start by `now`, by priority, and the others, by when
  /// they can.
  Queue ready, pending;
  double now = 0;
};

} // namespace

OpIndex ListScheduler::takeNext() {
  // No operation has to be chosen before a stream is free.
  if (numUsed == timeline.getNumStreams()) {
    double firstEnd = timeline.getEnd(0);
    for (StreamIndex stream = 1; stream < numUsed; ++stream)
      firstEnd = std::min(firstEnd, timeline.getEnd(stream));
    now = std::max(now, firstEnd);
  }
  if (ready.empty())
    now = std::max(now, pending.top().first);
  while (!pending.empty() && !isEarlier(now, pending.top().first)) {
    OpIndex op = pending.top().second;
    pending.pop();
    ready.push({-priorities[op], op});
  }
  OpIndex op = ready.top().second;
  ready.pop();
  return op;
}

std::pair<StreamIndex, Timeline::Placement>
ListScheduler::chooseStream(OpIndex op) const {
  SmallVector<OpIndex, 4> predecessors = timeline.getLastPredecessors(op);
  auto holdsPredecessor = [&](StreamIndex stream) {
    return any_of(predecessors, [&](OpIndex predecessor) {
      return timeline.getStream(predecessor) == stream;
    });
  };

  // At most one stream without work has to be looked at.
  StreamIndex end = std::min(numUsed + 1, timeline.getNumStreams());
  StreamIndex best = 0;
  Timeline::Placement bestPlacement = timeline.place(op, predecessors, 0);
  for (StreamIndex stream = 1; stream < end; ++stream) {
    Timeline::Placement placement = timeline.place(op, predecessors, stream);
    if (isEarlier(bestPlacement.finish, placement.finish))
      continue;
    if (!isEarlier(placement.finish, bestPlacement.finish)) {
      auto rank = [&](StreamIndex stream,
                      const Timeline::Placement &placement) {
        return std::make_pair(placement.producers.size(),
                              !holdsPredecessor(stream));
      };
      if (rank(stream, placement) >= rank(best, bestPlacement))
        continue;
    }
    best = stream;
    bestPlacement = std::move(placement);
  }
  return {best, std::move(bestPlacement)};
}

Solution ListScheduler::run() {
  Solution solution;
  solution.stream.resize(problem.size());
  solution.order.reserve(problem.size());
  for (OpIndex op = 0; op < problem.size(); ++op) {
    numMissing[op] = problem.getPredecessors(op).size();
    if (numMissing[op] == 0)
      pending.push({0.0, op});
  }
  while (solution.order.size() < problem.size()) {
    OpIndex op = takeNext();
    auto [stream, placement] = chooseStream(op);
    timeline.enqueue(op, stream, placement);
    numUsed = std::max(numUsed, stream + 1);
    solution.stream[op] = stream;
    solution.order.push_back(op);
    for (OpIndex successor : problem.getSuccessors(op)) {
      if (--numMissing[successor] != 0)
        continue;
      double start = 0;
      for (OpIndex before : problem.getPredecessors(successor))
        start = std::max(start, timeline.getFinish(before));
      pending.push({start, successor});
    }
  }
  return solution;
}

Solution scheduleCriticalPath(const Problem &problem) {
  Solution serial = scheduleSerial(problem);
  if (problem.numStreams == 1 || problem.size() < 2)
    return serial;
  // Streams need no renumbering: the operation with the longest path is the
  // first one, stream 0 has no fork to pay, and others follow by first use.
  Solution solution = ListScheduler(problem).run();
  return isBetter(evaluate(problem, solution), evaluate(problem, serial))
             ? solution
             : serial;
}

} // namespace braid::scheduling
