//===- Timeline.h - When a schedule's work is predicted to run -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plays a schedule for one token count with the times of the cost model. What
// shows a schedule to people (statistics, pictures, traces) reads this and
// nothing else, so that all of them say the same.
//
// The rules are those of braid/Scheduling/Problem.h: a stream does what it was
// given in order, an op takes its duration, and a wait lasts until the event is
// done and then the target's wait time more. A segment or eager region starts
// when stream 0 gets there, and stream 0 goes on when all of it is done. The
// host is taken to be ahead of the device at all times, also in eager regions,
// and streams do not slow each other down.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_TARGET_TIMELINE_H
#define BRAID_TARGET_TIMELINE_H

#include "braid/Analysis/CostModel.h"
#include "braid/Dialect/Sched/IR/Sched.h"

#include <optional>
#include <string>
#include <vector>

namespace braid {

/// A segment, an eager region, or what lies between them in the schedule.
struct TimedRegion {
  enum Kind { Segment, Eager, Body };
  Kind kind;
  std::string name; ///< as in the program; may be empty
  double start = 0, end = 0;

  /// "segment", "eager" or "body".
  llvm::StringRef getKindName() const;
};

/// One launch, or one call of a function that has a schedule.
struct TimedLaunch {
  mlir::Operation *op; ///< what is launched, or the call
  /// Name of the op's location, else "@" and the symbol that it calls, else the
  /// kind and a number.
  std::string name;
  std::string kind; ///< name of the op without its dialect
  unsigned stream, region;
  double start, end; ///< microseconds
  double flops, bytes;
  bool isCall = false;
  /// Whether another stream waits for it, directly.
  bool isAwaited = false;
};

/// One stream waits for one event.
struct TimedWait {
  unsigned region;
  unsigned fromStream, toStream;
  /// The last launch before the record, in the same region; nothing for a fork.
  std::optional<unsigned> from;
  /// The first launch after the wait, in the same region; nothing for a join.
  std::optional<unsigned> to;
  double recorded;   ///< when the event is done
  double begin, end; ///< when the waiting stream gets there and goes on
};

/// One schedule for one token count.
struct Timeline {
  sched::ScheduleOp schedule;
  std::string function;
  int64_t tokens;
  /// The token counts for which the program runs this schedule, both included,
  /// with the thresholds as compiled; every dispatch around it counts.
  /// Without `lastTokens` there is no upper bound. Empty if first > last.
  int64_t firstTokens = 0;
  std::optional<int64_t> lastTokens;

  unsigned numStreams = 1;
  std::vector<TimedRegion> regions;
  std::vector<TimedLaunch> launches; ///< in the order of enqueueing
  std::vector<TimedWait> waits;      ///< in the order of enqueueing
  unsigned numRecords = 0;

  double end = 0;    ///< microseconds of the whole schedule
  double serial = 0; ///< the same work in order on one stream
  double flops = 0, bytes = 0;

  /// "T <= 4096", "T > 4096", "T = 1 to 8", "any T".
  std::string getRange() const;
  /// Whether the program runs this schedule for `tokens`.
  bool isChosen() const;
  /// Streams that have work, stream 0 included.
  unsigned countUsedStreams() const;
  /// Most bytes of the schedule's own buffers that are in use at one time: from
  /// the start of the first launch that touches a buffer to the end of the
  /// last one.
  double getLargestLiveSet() const;
};

/// The timelines of all schedules of a module, in program order, on the target
/// that the module names; with `onlyChosen` without those that the program does
/// not run for `tokens`. Emits an error for a negative token count, a target
/// that cannot be read, and a schedule with loops, branches or unknown ops.
mlir::FailureOr<std::vector<Timeline>>
computeTimelines(mlir::ModuleOp module, int64_t tokens, bool onlyChosen);

} // namespace braid

#endif // BRAID_TARGET_TIMELINE_H
