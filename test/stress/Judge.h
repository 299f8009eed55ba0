//===- Judge.h - Is a schedule ordered? -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second opinion on sched-verify: plain reachability over the order of
// streams and the edges from records to waits, and conflicts on exact byte
// intervals for a few token counts. Shares no code with lib/Analysis.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_TEST_STRESS_JUDGE_H
#define BRAID_TEST_STRESS_JUDGE_H

#include "Layout.h"
#include "braid/Dialect/Sched/IR/Sched.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace braid::stress {

/// What counts as shared by two buffers of the workspace. Views of one buffer
/// are always taken apart byte by byte.
enum class Granularity {
  Bytes,   ///< the bytes that are touched
  Buffers, ///< those that belong to the buffers, touched or not: sched-verify's
};

/// What the judge found; empty if every schedule of the function is ordered.
/// Ordered means: of two launches that touch a common byte, one of them
/// writing, one comes after the other; every launch comes after the begin and
/// before the end of its region; a wait means the record that its slot holds;
/// and a buffer is read only after it was written, and not after its bytes went
/// to another.
std::string judge(mlir::func::FuncOp function, Granularity granularity);

/// What the distribution of random programs counts.
struct ScheduleShape {
  unsigned streams = 1, launches = 0, waits = 0, records = 0, segments = 0;
  unsigned eagerRegions = 0;
  /// Pairs of views of one buffer that differ and share bytes.
  unsigned partialOverlaps = 0;
  /// Buffers that launches of several regions touch.
  unsigned buffersAcrossRegions = 0;
  /// Pairs of buffers that share bytes of the workspace.
  unsigned sharedBytes = 0;
};
ScheduleShape getShape(mlir::func::FuncOp function);

} // namespace braid::stress

#endif // BRAID_TEST_STRESS_JUDGE_H
