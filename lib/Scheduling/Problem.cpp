//===- Problem.cpp - A scheduling problem and its solutions -----*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instances, and what is true of their solutions whichever algorithm they come
// from.
//
//===----------------------------------------------------------------------===//

#include "braid/Scheduling/Problem.h"

#include "Timeline.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace llvm;

namespace braid::scheduling {

OpIndex Problem::addOperation(StringRef name, double duration) {
  operations.push_back({name.str(), duration, {}, {}});
  return operations.size() - 1;
}

/// Inserts into an ascending list what is not in it.
static void insertSorted(SmallVectorImpl<OpIndex> &list, OpIndex op) {
  auto *position = llvm::lower_bound(list, op);
  if (position == list.end() || *position != op)
    list.insert(position, op);
}

void Problem::addDependence(OpIndex before, OpIndex after) {
  if (after >= size() || before >= after) {
    invalidDependences.push_back({before, after});
    return;
  }
  insertSorted(operations[after].predecessors, before);
  insertSorted(operations[before].successors, after);
}

/// "operation 3 ('name')", or that there is none.
static std::string describe(const Problem &problem, OpIndex op) {
  std::string text = ("operation " + Twine(op)).str();
  if (op >= problem.size())
    return text + " (which does not exist)";
  return (text + " ('" + problem.getName(op) + "')").str();
}

/// What a number that should be a time is instead.
static std::string describeBadTime(double time) {
  std::string text;
  raw_string_ostream(text) << format("%g", time)
                           << ", expected a finite number of at least 0";
  return text;
}

Error Problem::check() const {
  if (numStreams == 0)
    return createStringError("there are 0 streams, expected at least 1");
  if (!std::isfinite(waitCost) || waitCost < 0)
    return createStringError("a wait costs " + describeBadTime(waitCost));
  double sum = 0;
  for (OpIndex op = 0; op < size(); ++op) {
    double duration = getDuration(op);
    if (!std::isfinite(duration) || duration < 0)
      return createStringError("the duration of " + describe(*this, op) +
                               " is " + describeBadTime(duration));
    sum += duration;
  }
  if (!std::isfinite(sum))
    return createStringError(
        "the sum of the durations is too large for a double");
  for (auto [before, after] : invalidDependences)
    return createStringError(
        describe(*this, after) + " depends on " + describe(*this, before) +
        ", expected an operation that comes earlier in program order");
  return Error::success();
}

bool isBetter(const Quality &a, const Quality &b) {
  if (isEarlier(a.makespan, b.makespan) || isEarlier(b.makespan, a.makespan))
    return a.makespan < b.makespan;
  return std::tie(a.numWaits, a.numStreams) <
         std::tie(b.numWaits, b.numStreams);
}

Error verify(const Problem &problem, const Solution &solution) {
  if (solution.stream.size() != problem.size())
    return createStringError("there are streams for " +
                             Twine(solution.stream.size()) + " operations of " +
                             Twine(problem.size()));
  if (solution.order.size() != problem.size())
    return createStringError(Twine(solution.order.size()) + " operations of " +
                             Twine(problem.size()) + " are enqueued");
  for (OpIndex op = 0; op < problem.size(); ++op)
    if (solution.stream[op] >= problem.numStreams)
      return createStringError(describe(problem, op) + " is on stream " +
                               Twine(solution.stream[op]) + " of " +
                               Twine(problem.numStreams));
  std::vector<char> isEnqueued(problem.size());
  for (OpIndex op : solution.order) {
    if (op >= problem.size())
      return createStringError("the order names " + describe(problem, op));
    if (isEnqueued[op])
      return createStringError(describe(problem, op) + " is enqueued twice");
    for (OpIndex before : problem.getPredecessors(op))
      if (!isEnqueued[before])
        return createStringError(
            describe(problem, op) + " is enqueued before " +
            describe(problem, before) + ", which it depends on");
    isEnqueued[op] = true;
  }
  return Error::success();
}

/// Calls `enqueued` for each operation in order, with its placement, and
/// returns the timeline at the end.
template <typename Callback>
static Timeline replay(const Problem &problem, const Solution &solution,
                       Callback enqueued) {
  StreamIndex numStreams = 1;
  for (StreamIndex stream : solution.stream)
    numStreams = std::max(numStreams, stream + 1);
  Timeline timeline(problem, numStreams);
  for (OpIndex op : solution.order) {
    StreamIndex stream = solution.stream[op];
    Timeline::Placement placement =
        timeline.place(op, timeline.getLastPredecessors(op), stream);
    timeline.enqueue(op, stream, placement);
    enqueued(op, placement);
  }
  return timeline;
}

std::vector<Wait> computeWaits(const Problem &problem,
                               const Solution &solution) {
  std::vector<Wait> waits;
  Timeline timeline = replay(
      problem, solution, [&](OpIndex op, const Timeline::Placement &placement) {
        for (OpIndex producer : placement.producers)
          waits.push_back({producer, op});
      });
  for (OpIndex producer : timeline.getJoins())
    waits.push_back({producer, static_cast<OpIndex>(problem.size())});
  return waits;
}

Quality evaluate(const Problem &problem, const Solution &solution) {
  return replay(problem, solution, [](OpIndex, const Timeline::Placement &) {})
      .getQuality();
}

std::vector<double> computePriorities(const Problem &problem) {
  std::vector<double> priorities(problem.size());
  for (OpIndex op = problem.size(); op-- > 0;) {
    for (OpIndex successor : problem.getSuccessors(op))
      priorities[op] = std::max(priorities[op], priorities[successor]);
    priorities[op] += problem.getDuration(op);
  }
  return priorities;
}

} // namespace braid::scheduling
