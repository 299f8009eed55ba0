//===- DumpStatistics.cpp - Figures of schedules -------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-dump-statistics; the work is in braid/Target.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "braid/Target/TimelinePrinters.h"

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_DUMPSTATISTICSPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

using namespace braid;
using namespace braid::sched;

namespace {
class DumpStatisticsPass
    : public braid::sched::impl::DumpStatisticsPassBase<DumpStatisticsPass> {
public:
  using DumpStatisticsPassBase::DumpStatisticsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    markAllAnalysesPreserved();
    FailureOr<std::vector<Timeline>> timelines =
        computeTimelines(module, tokens, /*onlyChosen=*/false);
    if (failed(timelines))
      return signalPassFailure();
    auto print = [&](llvm::raw_ostream &os) {
      switch (format) {
      case StatisticsFormat::Table:
        return printStatisticsTable(*timelines, os);
      case StatisticsFormat::CSV:
        return printStatisticsCsv(*timelines, os);
      case StatisticsFormat::JSON:
        return printStatisticsJson(*timelines, tokens, os);
      }
    };
    if (failed(writeOutput(module.getLoc(), output, print)))
      signalPassFailure();
  }
};
} // namespace
