//===- PrintSchedule.cpp - Pictures of schedules -------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-print-schedule; the work is in braid/Target.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "braid/Target/TimelinePrinters.h"

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_PRINTSCHEDULEPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

using namespace braid;
using namespace braid::sched;

namespace {
class PrintSchedulePass
    : public braid::sched::impl::PrintSchedulePassBase<PrintSchedulePass> {
public:
  using PrintSchedulePassBase::PrintSchedulePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    markAllAnalysesPreserved();
    FailureOr<std::vector<Timeline>> timelines =
        computeTimelines(module, tokens, /*onlyChosen=*/true);
    if (failed(timelines))
      return signalPassFailure();
    auto print = [&](llvm::raw_ostream &os) {
      switch (format) {
      case PictureFormat::Text:
        return printTimelineText(*timelines, os);
      case PictureFormat::SVG:
        return printTimelineSvg(*timelines, os);
      case PictureFormat::Dot:
        return printTimelineDot(*timelines, os);
      }
    };
    if (failed(writeOutput(module.getLoc(), output, print)))
      signalPassFailure();
  }
};
} // namespace
