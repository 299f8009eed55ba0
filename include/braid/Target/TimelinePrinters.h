//===- TimelinePrinters.h - Pictures of timelines -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes timelines for people and for other programs. The same timelines give
// the same bytes on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_TARGET_TIMELINEPRINTERS_H
#define BRAID_TARGET_TIMELINEPRINTERS_H

#include "braid/Target/Timeline.h"
#include "llvm/Support/raw_ostream.h"

namespace braid {

/// Lanes for a terminal, and a list of the launches below them.
void printTimelineText(llvm::ArrayRef<Timeline> timelines,
                       llvm::raw_ostream &os);

/// A self-contained picture: lanes, launches coloured by kind, arrows for
/// waits.
void printTimelineSvg(llvm::ArrayRef<Timeline> timelines,
                      llvm::raw_ostream &os);

/// A Graphviz graph of what is ordered, and by what.
void printTimelineDot(llvm::ArrayRef<Timeline> timelines,
                      llvm::raw_ostream &os);

/// A trace for Perfetto and chrome://tracing.
void printTimelineTrace(llvm::ArrayRef<Timeline> timelines,
                        llvm::raw_ostream &os);

/// Counts, bytes and times: a table for people.
void printStatisticsTable(llvm::ArrayRef<Timeline> timelines,
                          llvm::raw_ostream &os);
/// The same, one row a schedule.
void printStatisticsCsv(llvm::ArrayRef<Timeline> timelines,
                        llvm::raw_ostream &os);
/// The same, one object a schedule.
void printStatisticsJson(llvm::ArrayRef<Timeline> timelines, int64_t tokens,
                         llvm::raw_ostream &os);

/// Calls `print` with a stream to `path`: "" is stderr, "-" is stdout. Emits
/// an error without notes if the file cannot be opened or written.
mlir::LogicalResult
writeOutput(mlir::Location loc, llvm::StringRef path,
            llvm::function_ref<void(llvm::raw_ostream &)> print);

} // namespace braid

#endif // BRAID_TARGET_TIMELINEPRINTERS_H
