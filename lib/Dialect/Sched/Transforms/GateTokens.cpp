//===- GateTokens.cpp - The token threshold -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-gate-tokens: a schedule that overlaps work becomes a choice
// between it and the serial order.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "braid/Analysis/CostModel.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_GATETOKENSPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

using namespace braid;
using namespace braid::sched;

/// The threshold where neither the option nor the target has one: the most
/// tokens for which overlap was measured on an H200, and it paid
/// (docs/GpuSpeed.md).
static constexpr int64_t kDefaultThreshold = 16384;

/// Whether a launch of the schedule is to leave stream 0.
static bool usesSeveralStreams(ScheduleOp schedule) {
  return schedule
      .walk([](LaunchOp launch) {
        return launch.getPlannedStream().value_or(0) > 0
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Names of segments and eager regions are unique in a module; those of the
/// serial body say what they are.
static void markSerial(ScheduleOp schedule) {
  Builder builder(schedule.getContext());
  schedule.walk([&](Operation *op) {
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      launch.removePlannedStreamAttr();
      launch.removePlannedPositionAttr();
    } else if (isa<SegmentOp, EagerOp>(op)) {
      if (auto name = op->getAttrOfType<StringAttr>("name"))
        op->setAttr("name", builder.getStringAttr(name.getValue() + ".serial"));
    }
  });
}

static void gate(ScheduleOp schedule, int64_t threshold, bool fixed) {
  if (fixed && threshold == 0) {
    schedule.walk([](LaunchOp launch) {
      launch.removePlannedStreamAttr();
      launch.removePlannedPositionAttr();
    });
    return;
  }
  OpBuilder builder(schedule);
  OperationState state(schedule.getLoc(), DispatchOp::getOperationName());
  state.addOperands(schedule.getTokens());
  state.addAttribute("bounds", builder.getDenseI64ArrayAttr(threshold));
  if (!fixed)
    state.addAttribute("gate", builder.getUnitAttr());
  state.addRegion()->emplaceBlock();
  state.addRegion()->emplaceBlock();
  auto dispatch = cast<DispatchOp>(builder.create(state));

  builder.setInsertionPointToEnd(&dispatch.getRanges()[1].front());
  auto serial = cast<ScheduleOp>(builder.clone(*schedule));
  markSerial(serial);
  Block &overlapped = dispatch.getRanges()[0].front();
  schedule->moveBefore(&overlapped, overlapped.end());
}

namespace {
class GateTokensPass
    : public braid::sched::impl::GateTokensPassBase<GateTokensPass> {
public:
  using GateTokensPassBase::GateTokensPassBase;

  void runOnOperation() override {
    if (threshold < -1) {
      getOperation().emitError()
          << "threshold is " << int64_t(threshold)
          << "; expected 0 or more, or -1 for what the target says";
      return signalPassFailure();
    }
    FailureOr<CostModel> model = CostModel::get(getOperation());
    if (failed(model))
      return signalPassFailure();
    int64_t bound = threshold;
    if (bound < 0)
      bound = model->getFacts().tokenThreshold.value_or(kDefaultThreshold);

    SmallVector<ScheduleOp> schedules;
    getOperation().walk([&](ScheduleOp schedule) {
      // Without a token count, or already under a choice: nothing to choose by.
      if (schedule.getTokens() && !schedule->getParentOfType<DispatchOp>() &&
          usesSeveralStreams(schedule))
        schedules.push_back(schedule);
    });
    for (ScheduleOp schedule : schedules) {
      remark::passed(
          schedule.getLoc(),
          remark::RemarkOpts::name("OverlapGated")
              .category("sched-gate")
              .function(schedule->getParentOfType<func::FuncOp>().getSymName()))
          << remark::metric("Threshold", bound);
      gate(schedule, bound, fixed);
    }
  }
};
} // namespace
