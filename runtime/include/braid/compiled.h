//===- compiled.h - What compiled code calls --------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions and tables through which a compiled function enqueues its
// work. Engines do not call these; the pass convert-to-runtime emits the calls
// and the tables, and the layouts here and there have to agree. A failure is
// kept in the frame: later calls on the same frame do nothing, so compiled
// code needs no branch after each call.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_COMPILED_H
#define BRAID_COMPILED_H

#include "braid/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Static description of a schedule: what has to exist before it starts.
typedef struct braid_schedule {
  size_t struct_size;
  const char *name;    ///< function it belongs to
  int32_t num_streams; ///< stream 0 included; at least 1
  int32_t num_events;  ///< physical event slots
  /// Workspace of this schedule alone: per_token * T + fixed bytes.
  int64_t workspace_per_token;
  int64_t workspace_fixed;
} braid_schedule;

/// Static description of a segment (one graph) or an eager region (a break).
typedef struct braid_region {
  size_t struct_size;
  const char *name;     ///< unique in the compiled module
  const char *location; ///< "" if unknown
  int64_t num_live_ins;
  const int32_t *metadata; ///< a braid_metadata for each live-in
} braid_region;

/// Static description of a choice by token count: range i holds counts up to
/// bounds[i], the last one all others.
typedef struct braid_dispatch {
  size_t struct_size;
  const char *name;
  const int64_t *bounds; ///< ascending, none negative
  int32_t num_bounds;
  int32_t gate; ///< 1: the one bound is a token threshold that may be replaced
                ///< at run time
} braid_dispatch;

/// Starts a schedule for `tokens` tokens and returns the base of its
/// workspace, aligned to 256 bytes (NULL after a failure). Schedules nest when
/// compiled functions call each other.
BRAID_API void *braid_rt_schedule_begin(braid_frame *frame,
                                        const braid_schedule *schedule,
                                        int64_t tokens);
BRAID_API void braid_rt_schedule_end(braid_frame *frame);

/// Starts a captured segment. `live_ins` are the tensors that the segment's
/// launches use. Returns 1 if the body has to be run (it is being recorded, or
/// runs eagerly) and braid_rt_segment_end called after it; 0 if the segment
/// was replayed or must be skipped.
BRAID_API int32_t braid_rt_segment_begin(braid_frame *frame,
                                         const braid_region *segment,
                                         const braid_tensor *const *live_ins);
BRAID_API void braid_rt_segment_end(braid_frame *frame);

/// Starts an eager region. Returns as braid_rt_segment_begin does.
BRAID_API int32_t braid_rt_eager_begin(braid_frame *frame,
                                       const braid_region *region);
BRAID_API void braid_rt_eager_end(braid_frame *frame);

/// Launches one op on a stream of the current schedule.
BRAID_API void braid_rt_launch(braid_frame *frame, const braid_op *op,
                               int32_t stream,
                               const braid_tensor *const *operands);

/// Records event slot `slot` on `stream`.
BRAID_API void braid_rt_record(braid_frame *frame, int32_t stream,
                               int32_t slot);

/// Makes `stream` wait for the record of `slot` that was enqueued last.
BRAID_API void braid_rt_wait(braid_frame *frame, int32_t stream, int32_t slot);

/// Number of the range for `tokens`. For a gate: 0 (overlap) if tokens <=
/// threshold and threshold > 0, else 1; the threshold is the context's option,
/// else the environment's BRAID_TOKEN_THRESHOLD (read when the context is
/// created; not a number >= 0: error at creation naming it), else bounds[0].
/// After a failure: the last range, num_bounds.
BRAID_API int32_t braid_rt_dispatch(braid_frame *frame,
                                    const braid_dispatch *dispatch,
                                    int64_t tokens);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // BRAID_COMPILED_H
