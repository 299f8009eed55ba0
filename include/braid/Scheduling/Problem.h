//===- Problem.h - A scheduling problem and its solutions -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stream scheduling is about, apart from any dialect: operations with
// durations, dependences between them, and a number of streams. `check` says
// whether an instance makes sense, `verify` whether a solution is legal, and
// `evaluate` how good it is. The algorithms are in Schedulers.h.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_SCHEDULING_PROBLEM_H
#define BRAID_SCHEDULING_PROBLEM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <vector>

namespace braid::scheduling {

/// Index of an operation, in program order from 0.
using OpIndex = unsigned;
/// Index of a stream; 0 is the caller's.
using StreamIndex = unsigned;

/// Work that is forked from stream 0 and joined to it at the end: one segment
/// or one eager region.
class Problem {
public:
  /// Streams there are, stream 0 included; at least 1.
  StreamIndex numStreams = 1;
  /// Time that a wait for another stream's event costs the waiting stream.
  double waitCost = 0;

  /// Adds an operation after all others in program order. `duration` is in any
  /// unit, the same one as `waitCost`.
  OpIndex addOperation(llvm::StringRef name, double duration);

  /// `after` must not start before `before` is done. Repeated ones count once.
  /// One that check() refuses is kept for it and otherwise has no effect.
  void addDependence(OpIndex before, OpIndex after);

  size_t size() const { return operations.size(); }
  llvm::StringRef getName(OpIndex op) const { return operations[op].name; }
  double getDuration(OpIndex op) const { return operations[op].duration; }
  /// Direct predecessors and successors, ascending, each once.
  llvm::ArrayRef<OpIndex> getPredecessors(OpIndex op) const {
    return operations[op].predecessors;
  }
  llvm::ArrayRef<OpIndex> getSuccessors(OpIndex op) const {
    return operations[op].successors;
  }

  /// Whether the instance makes sense: at least one stream, a finite `waitCost`
  /// and finite durations of at least 0 whose sum is finite, dependences
  /// between operations that exist and that go forward in program order (so
  /// that there is no cycle).
  llvm::Error check() const;

private:
  struct Operation {
    std::string name;
    double duration;
    llvm::SmallVector<OpIndex, 4> predecessors, successors;
  };
  std::vector<Operation> operations;
  /// Dependences that name an operation that does not exist or that do not go
  /// forward, for check().
  std::vector<std::pair<OpIndex, OpIndex>> invalidDependences;
};

/// Where and in which order operations are enqueued.
struct Solution {
  /// Stream of each operation.
  std::vector<StreamIndex> stream;
  /// All operations in the order in which the host enqueues them. Operations of
  /// one stream run in this order.
  std::vector<OpIndex> order;
};

/// One stream waits for the work that another one has been given up to an
/// operation.
struct Wait {
  /// The operation whose completion is waited for; `size()` of the problem
  /// stands for the fork, the work before the region.
  OpIndex producer;
  /// The operation before which the wait is enqueued; `size()` stands for the
  /// join at the end, which is on stream 0.
  OpIndex consumer;

  bool operator==(const Wait &other) const {
    return producer == other.producer && consumer == other.consumer;
  }
};

/// What a solution costs.
struct Quality {
  /// Time from the fork to the join; see evaluate().
  double makespan = 0;
  /// Waits after transitive reduction, forks and joins included.
  unsigned numWaits = 0;
  /// Streams that have work, stream 0 included (also without work).
  unsigned numStreams = 1;
};

/// Whether `a` is better: makespan, then waits, then streams. Makespans that
/// differ by less than one part in 10^9 are equal.
bool isBetter(const Quality &a, const Quality &b);

/// Whether `solution` is legal for `problem`: every operation once, streams
/// that exist, no operation enqueued before one it depends on. The error names
/// the operations.
llvm::Error verify(const Problem &problem, const Solution &solution);

/// The waits that order what must be ordered and no more: for the given streams
/// and order, the transitive reduction of the dependences between streams, the
/// fork of each stream that is used (before its first operation, unless that
/// waits for an operation of stream 0, directly or not) and its join (unless
/// its last operation is waited for by stream 0, directly or not). A wait for
/// an operation of any other stream stands for the fork too, since that stream
/// was forked itself. In the order in which they are enqueued: by consumer, and
/// those of one consumer by producer in program order. The solution has to be
/// legal. Time O(V * streams + E log E), apart from operations that depend on
/// many streams, which take the square of their number.
std::vector<Wait> computeWaits(const Problem &problem,
                               const Solution &solution);

/// What a legal solution costs. Every stream is free at time 0 and does what it
/// was given in order: an operation takes its duration, and a wait lasts until
/// its producer is done and then `waitCost` more (the fork is done at 0). So
/// waits of one operation follow each other, and hide only behind producers
/// that are done later. The makespan is the time at which stream 0 is past the
/// joins.
Quality evaluate(const Problem &problem, const Solution &solution);

/// Length of the longest path that starts with each operation, its own duration
/// included.
std::vector<double> computePriorities(const Problem &problem);

} // namespace braid::scheduling

#endif // BRAID_SCHEDULING_PROBLEM_H
