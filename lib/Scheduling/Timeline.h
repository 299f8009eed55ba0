//===- Timeline.h - A solution while it is built ----------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations enqueued one after the other, with what each one knows to be done
// (a vector clock) and when it is done. What scheduling decides and what
// `evaluate` says later so comes from one piece of code.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_LIB_SCHEDULING_TIMELINE_H
#define BRAID_LIB_SCHEDULING_TIMELINE_H

#include "braid/Scheduling/Problem.h"

namespace braid::scheduling {

/// Whether `a` is earlier than `b` by at least one part in 10^9: sums that were
/// formed in different orders are one time.
bool isEarlier(double a, double b);

class Timeline {
public:
  /// An empty one, for streams below `numStreams`.
  Timeline(const Problem &problem, StreamIndex numStreams);

  /// What it means to enqueue an operation on a stream next.
  struct Placement {
    /// What the stream waits for before it, in program order; `size()` of the
    /// problem is the fork.
    llvm::SmallVector<OpIndex, 4> producers;
    double finish;
  };

  /// The predecessors of `op` (all of them enqueued) that no other predecessor
  /// is known to come after, in program order.
  llvm::SmallVector<OpIndex, 4> getLastPredecessors(OpIndex op) const;

  /// Placement of `op` on `stream`. `lastPredecessors` are those of `op`, which
  /// do not depend on the stream.
  Placement place(OpIndex op, llvm::ArrayRef<OpIndex> lastPredecessors,
                  StreamIndex stream) const;

  /// Makes `placement` come true.
  void enqueue(OpIndex op, StreamIndex stream, const Placement &placement);

  /// Takes back the last enqueue() on `stream`.
  void undo(StreamIndex stream);

  /// The operations that stream 0 has to wait for at the end, in program order.
  llvm::SmallVector<OpIndex, 4> getJoins() const;

  /// What all that was enqueued so far costs, with the joins.
  Quality getQuality() const;

  StreamIndex getNumStreams() const { return streams.size(); }
  bool isUsed(StreamIndex stream) const { return !streams[stream].empty(); }
  /// Time at which `stream` is done with what it has.
  double getEnd(StreamIndex stream) const {
    return isUsed(stream) ? finish[streams[stream].back()] : 0;
  }
  double getFinish(OpIndex op) const { return finish[op]; }
  StreamIndex getStream(OpIndex op) const { return streamOf[op]; }
  /// Waits before operations, forks included, joins not.
  unsigned getNumWaits() const { return numWaits; }

private:
  /// How many operations of `stream` are done when `op` is.
  unsigned getClock(OpIndex op, StreamIndex stream) const {
    return clocks[op * streams.size() + stream];
  }
  /// Whether `before` is done when `op` is.
  bool isDone(OpIndex before, OpIndex op) const {
    return getClock(op, streamOf[before]) >= getClock(before, streamOf[before]);
  }

  const Problem &problem;
  /// Operations of each stream.
  std::vector<std::vector<OpIndex>> streams;
  std::vector<StreamIndex> streamOf;
  std::vector<double> finish;
  /// One row of streams for each operation.
  std::vector<unsigned> clocks;
  std::vector<unsigned> numWaitsOf;
  unsigned numWaits = 0;
};

} // namespace braid::scheduling

#endif // BRAID_LIB_SCHEDULING_TIMELINE_H
