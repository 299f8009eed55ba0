//===- Frame.h - One way through a compiled function ------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behind a braid_frame. Compiled code is the same for checking, capturing and
// executing; the mode of its frame decides what each call does. The first
// failure is kept and makes all later calls do nothing.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CORE_FRAME_H
#define BRAID_RUNTIME_CORE_FRAME_H

#include "CaptureRules.h"
#include "Context.h"

#include "braid/compiled.h"

#include <string>
#include <vector>

namespace braid::runtime {

/// What a frame does with what compiled code tells it.
enum class FrameMode {
  Check,           ///< before Execute: validates, enqueues nothing
  CheckForPrepare, ///< before Prepare: the same
  Prepare,         ///< captures segments, skips the rest
  PrepareEager,    ///< after Prepare: goes through what stays outside graphs
  Execute          ///< enqueues
};

/// The state of one way through a function.
class Frame {
public:
  /// `useGraphs`: captured segments take the place of their bodies.
  /// `joinsCapture`: the caller is capturing its stream.
  Frame(Context &context, FrameMode mode, bool useGraphs, bool joinsCapture)
      : context(context), backend(*context.backend), mode(mode),
        useGraphs(useGraphs && context.options.capture),
        joinsCapture(joinsCapture) {}

  int32_t dispatch(const braid_dispatch *table, int64_t tokens);
  void *beginSchedule(const braid_schedule *schedule, int64_t tokens);
  void endSchedule();
  bool beginSegment(const braid_region *segment,
                    const braid_tensor *const *liveIns);
  void endSegment();
  bool beginEager(const braid_region *region);
  void endEager();
  void launch(const braid_op *op, int32_t stream,
              const braid_tensor *const *operands);
  void record(int32_t stream, int32_t slot);
  void wait(int32_t stream, int32_t slot);

  /// Keeps `error` if it is the first failure.
  void fail(Error error);
  bool failed() const { return static_cast<bool>(failure); }

  /// Ends the way through `function`; returns the first failure.
  Error finish(const char *function);

private:
  /// Where an event slot was recorded last.
  enum class Recorded : char { Never, Outside, InSegment };
  enum class RegionKind { None, Segment, Eager };

  /// A schedule that is open. Nested ones use the same streams but slots of
  /// their own: an outer schedule may still wait on its events.
  struct Schedule {
    const braid_schedule *description;
    int64_t tokens;
    void *base;
    int32_t firstEvent;
    std::vector<Recorded> slots;
  };

  bool isCheck() const {
    return mode == FrameMode::Check || mode == FrameMode::CheckForPrepare ||
           mode == FrameMode::PrepareEager;
  }
  /// True if what is found out is kept for the next execution.
  bool finds() const {
    return mode == FrameMode::Check || mode == FrameMode::PrepareEager;
  }
  bool inSegment() const { return kind == RegionKind::Segment; }
  /// True if what compiled code says now goes to the backend.
  bool performs() const {
    return mode == FrameMode::Execute ||
           (mode == FrameMode::Prepare && inSegment());
  }
  /// True if it is neither performed nor checked.
  bool skips() const { return mode == FrameMode::Prepare && !inSegment(); }

  Error checkDispatch(const braid_dispatch &dispatch, int64_t tokens) const;
  Error checkBegin(const braid_region *region, const char *what) const;
  Error checkStream(int32_t stream, const char *what) const;
  Error checkSlot(int32_t slot, const char *what) const;
  std::string segmentKey(const braid_region &segment,
                         const braid_tensor *const *liveIns) const;
  Error tryDispatch(const braid_dispatch *dispatch, int64_t tokens,
                    int32_t &range);
  Error tryLaunch(const braid_op *op, int32_t stream,
                  const braid_tensor *const *operands);
  Error tryRecord(int32_t stream, int32_t slot);
  Error tryWait(int32_t stream, int32_t slot);
  Error tryBeginSchedule(const braid_schedule *schedule, int64_t tokens,
                         void *&base);
  Error tryBeginSegment(const braid_region *segment,
                        const braid_tensor *const *liveIns, bool &runBody);
  Error tryEndSegment();
  Error executeSegment(const braid_region *segment, bool &runBody);
  Error executeLaunch(const braid_op *op, int32_t stream,
                      const braid_tensor *const *operands);
  Error tryBeginEager(const braid_region *region, bool &runBody);
  Error tryEndEager();
  /// Tells the engine of an eager region inside its own capture.
  Error breakCapture(int32_t isEnd);

  Context &context;
  Backend &backend;
  FrameMode mode;
  bool useGraphs;
  bool joinsCapture;
  Error failure;
  std::vector<Schedule> schedules;
  RegionKind kind = RegionKind::None;
  const braid_region *region = nullptr;
  std::string regionKey;
  CaptureRules rules;
  bool capturing = false;
  /// How many of the findings were used by now.
  size_t launchesDone = 0, segmentsDone = 0;
};

} // namespace braid::runtime

/// The C name of a frame.
struct braid_frame : braid::runtime::Frame {
  using Frame::Frame;
};

#endif // BRAID_RUNTIME_CORE_FRAME_H
