//===- Format.h - Numbers and names in pictures -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the printers of timelines share, so that a number reads the same in all
// of them.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_LIB_TARGET_TIMELINE_FORMAT_H
#define BRAID_LIB_TARGET_TIMELINE_FORMAT_H

#include "braid/Target/Timeline.h"

namespace braid {

/// With the given number of decimals: "12.3".
std::string formatFixed(double value, unsigned decimals = 1);
/// With three digits and a prefix: "12.3 G" followed by `unit`.
std::string formatScaled(double value, llvm::StringRef unit);
/// What the schedule is: "c4a, T <= 4096, at 256 tokens".
std::string formatTitle(const Timeline &timeline);
/// What it gains: "50.6 us on 4 streams; 87.5 us in order on one (1.73x)".
std::string formatGain(const Timeline &timeline);
/// The region with its name: "segment c4a.segment0".
std::string formatRegion(const TimedRegion &region);
/// "file.mlir:3:5", or "" if the op comes from no file.
std::string formatLocation(mlir::Location loc);
/// What each launch waits for: indices of launches, or "fork" for the work
/// before the region.
std::vector<std::vector<std::string>> getProducers(const Timeline &timeline);

} // namespace braid

#endif // BRAID_LIB_TARGET_TIMELINE_FORMAT_H
