//===- Timeline.cpp - A solution while it is built --------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks give the transitive reduction for streams that run in order: a
// wait is left out exactly if the stream itself, or another wait before the
// same operation, already comes after its producer.
//
//===----------------------------------------------------------------------===//

#include "Timeline.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace braid::scheduling {

bool isEarlier(double a, double b) { return b - a > 1e-9 * std::max(a, b); }

Timeline::Timeline(const Problem &problem, StreamIndex numStreams)
    : problem(problem), streams(std::max(numStreams, 1u)),
      streamOf(problem.size()), finish(problem.size()),
      clocks(problem.size() * streams.size()), numWaitsOf(problem.size()) {}

SmallVector<OpIndex, 4> Timeline::getLastPredecessors(OpIndex op) const {
  SmallVector<OpIndex, 4> candidates(problem.getPredecessors(op));
  if (candidates.size() < 2)
    return candidates;
  // First the last one of each stream, so that the quadratic part sees streams
  // and not operations.
  auto key = [&](OpIndex op) {
    return std::make_pair(streamOf[op], getClock(op, streamOf[op]));
  };
  llvm::sort(candidates, [&](OpIndex a, OpIndex b) { return key(a) > key(b); });
  candidates.erase(std::unique(candidates.begin(), candidates.end(),
                               [&](OpIndex a, OpIndex b) {
                                 return streamOf[a] == streamOf[b];
                               }),
                   candidates.end());
  SmallVector<OpIndex, 4> last;
  for (OpIndex candidate : candidates)
    if (none_of(candidates, [&](OpIndex other) {
          return other != candidate && isDone(candidate, other);
        }))
      last.push_back(candidate);
  llvm::sort(last);
  return last;
}

Timeline::Placement Timeline::place(OpIndex op,
                                    ArrayRef<OpIndex> lastPredecessors,
                                    StreamIndex stream) const {
  Placement placement;
  for (OpIndex producer : lastPredecessors)
    if (streamOf[producer] != stream &&
        !(isUsed(stream) && isDone(producer, streams[stream].back())))
      placement.producers.push_back(producer);
  if (stream != 0 && !isUsed(stream) && placement.producers.empty())
    placement.producers.push_back(problem.size());

  double time = getEnd(stream);
  for (OpIndex producer : placement.producers) {
    double done = producer == problem.size() ? 0 : finish[producer];
    time = std::max(time, done) + problem.waitCost;
  }
  placement.finish = time + problem.getDuration(op);
  return placement;
}

void Timeline::enqueue(OpIndex op, StreamIndex stream,
                       const Placement &placement) {
  unsigned *clock = &clocks[op * streams.size()];
  if (isUsed(stream))
    std::copy_n(&clocks[streams[stream].back() * streams.size()],
                streams.size(), clock);
  else
    std::fill_n(clock, streams.size(), 0);
  for (OpIndex producer : placement.producers)
    if (producer != problem.size())
      for (StreamIndex i = 0; i < streams.size(); ++i)
        clock[i] = std::max(clock[i], getClock(producer, i));
  streams[stream].push_back(op);
  clock[stream] = streams[stream].size();
  streamOf[op] = stream;
  finish[op] = placement.finish;
  numWaitsOf[op] = placement.producers.size();
  numWaits += numWaitsOf[op];
}

void Timeline::undo(StreamIndex stream) {
  numWaits -= numWaitsOf[streams[stream].back()];
  streams[stream].pop_back();
}

SmallVector<OpIndex, 4> Timeline::getJoins() const {
  SmallVector<OpIndex, 4> last, joins;
  for (const std::vector<OpIndex> &ops : streams)
    if (!ops.empty())
      last.push_back(ops.back());
  for (OpIndex op : last)
    if (streamOf[op] != 0 && none_of(last, [&](OpIndex other) {
          return other != op && isDone(op, other);
        }))
      joins.push_back(op);
  llvm::sort(joins);
  return joins;
}

Quality Timeline::getQuality() const {
  SmallVector<OpIndex, 4> joins = getJoins();
  Quality quality;
  quality.makespan = getEnd(0);
  for (OpIndex producer : joins)
    quality.makespan =
        std::max(quality.makespan, finish[producer]) + problem.waitCost;
  quality.numWaits = numWaits + joins.size();
  for (StreamIndex stream = 1; stream < streams.size(); ++stream)
    quality.numStreams += isUsed(stream);
  return quality;
}

} // namespace braid::scheduling
