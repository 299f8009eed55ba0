//===- Compiled.cpp - The calls of compiled code --------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C entry points of compiled.h. Compiled code has no unwind tables, so the
// frame lets no exception out; nothing else happens here.
//
//===----------------------------------------------------------------------===//

#include "Frame.h"

#include <algorithm>

using namespace braid::runtime;

/// Whether `frame` is there; otherwise the failure is this thread's.
static bool isGiven(const braid_frame *frame, const char *function) {
  if (!frame)
    (void)reportToThread(guarded([&] {
      return makeError(BRAID_INVALID_ARGUMENT, "the frame of %s is NULL",
                       function);
    }));
  return frame;
}

int32_t braid_rt_dispatch(braid_frame *frame, const braid_dispatch *dispatch,
                          int64_t tokens) {
  if (isGiven(frame, __func__))
    return frame->dispatch(dispatch, tokens);
  return dispatch ? std::max(dispatch->num_bounds, 0) : 0;
}

void *braid_rt_schedule_begin(braid_frame *frame,
                              const braid_schedule *schedule, int64_t tokens) {
  return isGiven(frame, __func__) ? frame->beginSchedule(schedule, tokens)
                                  : nullptr;
}

void braid_rt_schedule_end(braid_frame *frame) {
  if (isGiven(frame, __func__))
    frame->endSchedule();
}

int32_t braid_rt_segment_begin(braid_frame *frame, const braid_region *segment,
                               const braid_tensor *const *live_ins) {
  return isGiven(frame, __func__) && frame->beginSegment(segment, live_ins);
}

void braid_rt_segment_end(braid_frame *frame) {
  if (isGiven(frame, __func__))
    frame->endSegment();
}

int32_t braid_rt_eager_begin(braid_frame *frame, const braid_region *region) {
  return isGiven(frame, __func__) && frame->beginEager(region);
}

void braid_rt_eager_end(braid_frame *frame) {
  if (isGiven(frame, __func__))
    frame->endEager();
}

void braid_rt_launch(braid_frame *frame, const braid_op *op, int32_t stream,
                     const braid_tensor *const *operands) {
  if (isGiven(frame, __func__))
    frame->launch(op, stream, operands);
}

void braid_rt_record(braid_frame *frame, int32_t stream, int32_t slot) {
  if (isGiven(frame, __func__))
    frame->record(stream, slot);
}

void braid_rt_wait(braid_frame *frame, int32_t stream, int32_t slot) {
  if (isGiven(frame, __func__))
    frame->wait(stream, slot);
}
