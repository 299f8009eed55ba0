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

int32_t braid_rt_dispatch(braid_frame *frame, const braid_dispatch *dispatch,
                          int64_t tokens) {
  return frame->dispatch(dispatch, tokens);
}

void *braid_rt_schedule_begin(braid_frame *frame,
                              const braid_schedule *schedule, int64_t tokens) {
  return frame->beginSchedule(schedule, tokens);
}

void braid_rt_schedule_end(braid_frame *frame) { frame->endSchedule(); }

int32_t braid_rt_segment_begin(braid_frame *frame, const braid_region *segment,
                               const braid_tensor *const *live_ins) {
  return frame->beginSegment(segment, live_ins);
}

void braid_rt_segment_end(braid_frame *frame) { frame->endSegment(); }

int32_t braid_rt_eager_begin(braid_frame *frame, const braid_region *region) {
  return frame->beginEager(region);
}

void braid_rt_eager_end(braid_frame *frame) { frame->endEager(); }

void braid_rt_launch(braid_frame *frame, const braid_op *op, int32_t stream,
                     const braid_tensor *const *operands) {
  frame->launch(op, stream, operands);
}

void braid_rt_record(braid_frame *frame, int32_t stream, int32_t slot) {
  frame->record(stream, slot);
}

void braid_rt_wait(braid_frame *frame, int32_t stream, int32_t slot) {
  frame->wait(stream, slot);
}
