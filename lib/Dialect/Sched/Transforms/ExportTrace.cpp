//===- ExportTrace.cpp - Traces of schedules -----------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-export-trace; the work is in braid/Target.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "braid/Target/TimelinePrinters.h"

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_EXPORTTRACEPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

using namespace braid;
using namespace braid::sched;

namespace {
class ExportTracePass
    : public braid::sched::impl::ExportTracePassBase<ExportTracePass> {
public:
  using ExportTracePassBase::ExportTracePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    markAllAnalysesPreserved();
    FailureOr<std::vector<Timeline>> timelines =
        computeTimelines(module, tokens, /*onlyChosen=*/true);
    if (failed(timelines))
      return signalPassFailure();
    auto print = [&](llvm::raw_ostream &os) {
      printTimelineTrace(*timelines, os);
    };
    if (failed(writeOutput(module.getLoc(), output, print)))
      signalPassFailure();
  }
};
} // namespace
