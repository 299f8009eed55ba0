//===- HappensBefore.h - What is ordered in a schedule -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks over the streams of a schedule, in the order in which the host
// enqueues its ops, and the search for conflicting accesses that they leave
// unordered. Reads streams, records, waits, forks, joins, slots, buffers and
// control flow, and nothing that a pass left as a note.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_ANALYSIS_HAPPENSBEFORE_H
#define BRAID_ANALYSIS_HAPPENSBEFORE_H

#include "braid/Analysis/BufferAccess.h"

namespace braid {

/// How many ops of each lane are known to be done. A lane is what one stream
/// runs in one straight piece of code.
class VectorClock {
public:
  /// All ops of the lane, also of one that does not run on this path.
  static constexpr unsigned All = ~0u;

  unsigned operator[](unsigned lane) const {
    return lane < ticks.size() ? ticks[lane] : 0;
  }
  void set(unsigned lane, unsigned tick);
  /// Knows all ops of the lanes in [begin, end).
  void setAll(unsigned begin, unsigned end);
  /// Forgets the lanes from `end` on.
  void truncate(unsigned end);
  void clear() { ticks.clear(); }

  /// Knows what either clock knows.
  void join(const VectorClock &other);
  /// Knows what both clocks know.
  void meet(const VectorClock &other);

  bool operator==(const VectorClock &other) const;
  bool operator!=(const VectorClock &other) const { return !(*this == other); }

private:
  llvm::SmallVector<unsigned, 8> ticks;
};

/// One execution of a launch or call. An op in a loop has two: one for any
/// iteration, and one for any later iteration.
struct Execution {
  mlir::Operation *op;
  unsigned stream; ///< index among the schedule's streams
  unsigned lane, tick;
  /// The straight piece of code that it lies in.
  unsigned block;
  /// What is done before it starts.
  VectorClock clock;
};

/// What happens to memory, in the order in which the host gets there.
struct Step {
  enum Kind {
    Execute, ///< the next execution
    Alloc,   ///< a buffer's contents become undefined
    Save,    ///< paths part here
    Swap,    ///< the other path begins where they parted
    Merge,   ///< the paths meet
    Drop,    ///< the place where they parted no longer counts
  };
  Kind kind;
  /// Index of the execution.
  unsigned execution = 0;
  mlir::Value buffer = nullptr;
};

/// A breach of the rules for streams and events.
struct SyncViolation {
  enum Kind {
    UnknownOp,        ///< an op whose meaning is not known
    NoStream,         ///< work that lies in no launch
    UnknownStream,    ///< a stream that the schedule does not own
    UnknownEvent,     ///< an event that no record of the schedule gives
    EventCrossesEdge, ///< waited for in another region than recorded in
    EarlyStart,       ///< a stream's first op does not wait for the region
    Unjoined,         ///< stream 0 does not wait for a stream's last op
    OpenAtCapture,    ///< the same where a segment begins
    SlotReused,       ///< the event's slot was recorded again
    TooDeep,          ///< loops nested too deeply to follow
  };
  Kind kind;
  mlir::Operation *op;
  unsigned stream = 0;
  /// Segment, eager region or schedule.
  mlir::Operation *region = nullptr;
  /// Last op of the stream, or the record that gave the event.
  mlir::Operation *other = nullptr;
  /// The record that took the slot.
  mlir::Operation *second = nullptr;
};

/// The order of everything in one schedule.
class HappensBefore {
public:
  explicit HappensBefore(sched::ScheduleOp schedule,
                         BufferAccessAnalysis &accesses);

  sched::ScheduleOp getSchedule() const { return schedule; }
  llvm::ArrayRef<Execution> getExecutions() const { return executions; }
  llvm::ArrayRef<Step> getSteps() const { return steps; }
  llvm::ArrayRef<SyncViolation> getViolations() const { return violations; }

  /// Whether the execution `before` is done when `after` starts. They are
  /// indices, in the order of enqueueing.
  bool isOrdered(unsigned before, unsigned after) const;

  /// Whether each execution of `before` is done before any execution of `after`
  /// that is enqueued later starts. Both are launches or calls of the schedule.
  bool isOrdered(mlir::Operation *before, mlir::Operation *after) const;

  /// Whether the straight piece of code `outer` runs whenever `inner` does.
  bool isAncestor(unsigned outer, unsigned inner) const;

private:
  friend class ScheduleWalker;

  sched::ScheduleOp schedule;
  std::vector<Execution> executions;
  std::vector<Step> steps;
  std::vector<SyncViolation> violations;
  /// The piece of code around each piece; the first one is its own parent.
  std::vector<unsigned> parents;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned, 2>> byOp;
};

/// Two accesses that must not stay as they are, or one that reads what is not
/// there.
struct Hazard {
  enum Kind {
    ReadAfterWrite,
    WriteAfterRead,
    WriteAfterWrite,
    HostRead,      ///< the host reads what `before` writes on a stream
    SharedInOneOp, ///< two buffers of one op share bytes
    Overwritten,   ///< reads a buffer whose bytes `before` took
    Uninitialized, ///< reads a buffer that nothing wrote
    UnknownBuffer, ///< an operand cannot be followed to a buffer
    ForeignBuffer, ///< a buffer of another schedule, or of none
  };
  Kind kind;
  const Execution *before = nullptr;
  const Execution *after = nullptr;
  /// The buffers as the two ops know them; equal unless they share bytes.
  mlir::Value beforeBase, afterBase;
  mlir::OpOperand *operand = nullptr;
  /// Smallest token count for which two different buffers share bytes.
  int64_t tokens = 0;
  /// Whether a buffer is missing its contents on some paths only.
  bool onSomePath = false;
};

/// The hazards of a schedule, in the order in which the host enqueues the
/// later op, each pair of ops once for each pair of buffers; at most `limit`.
/// `order` has to outlive the result.
std::vector<Hazard> findHazards(const HappensBefore &order,
                                BufferAccessAnalysis &accesses, unsigned limit);

} // namespace braid

#endif // BRAID_ANALYSIS_HAPPENSBEFORE_H
