//===- AssignStreams.cpp - Streams for launches -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-assign-streams: builds a scheduling problem for each segment
// and each eager region, and writes the solution to the launches.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "braid/Analysis/CostModel.h"
#include "braid/Analysis/Dependences.h"
#include "braid/Scheduling/Schedulers.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_ASSIGNSTREAMSPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

using namespace braid;
using namespace braid::sched;

namespace {
class AssignStreamsPass
    : public braid::sched::impl::AssignStreamsPassBase<AssignStreamsPass> {
public:
  using AssignStreamsPassBase::AssignStreamsPassBase;

  void runOnOperation() override;

private:
  LogicalResult assign(Operation *region, const CostModel &model);
};
} // namespace

/// Estimated time, as the remark prints it.
static std::string formatTime(double microseconds) {
  return llvm::formatv("{0:F1} us", microseconds).str();
}

LogicalResult AssignStreamsPass::assign(Operation *region,
                                        const CostModel &model) {
  SmallVector<LaunchOp> launches;
  for (Operation &op : region->getRegion(0).front()) {
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      launches.push_back(launch);
      continue;
    }
    // Streams were chosen already, or by hand; loops and branches order their
    // launches themselves.
    return success();
  }
  if (launches.empty())
    return success();

  scheduling::Problem problem;
  bool isSegment = isa<SegmentOp>(region);
  problem.numStreams =
      isSegment && !model.getFacts().capturesStreams ? 1 : maxStreams;
  problem.waitCost = model.getFacts().waitMicroseconds;
  for (LaunchOp launch : launches) {
    auto op = cast<SchedulableOpInterface>(launch.getLaunchedOp());
    problem.addOperation(op->getName().getStringRef(),
                         model.getMicroseconds(op, tokens));
  }
  for (auto [index, predecessors] :
       llvm::enumerate(computeDependences(launches)))
    for (unsigned predecessor : predecessors)
      problem.addDependence(predecessor, index);
  if (llvm::Error error = problem.check())
    return region->emitOpError()
           << "cannot be scheduled: " << llvm::toString(std::move(error));

  scheduling::Solution solution =
      algorithm == StreamAlgorithm::Serial ? scheduling::scheduleSerial(problem)
      : algorithm == StreamAlgorithm::ChainCover
          ? scheduling::scheduleChainCover(problem)
          : scheduling::scheduleCriticalPath(problem);
  if (llvm::Error error = scheduling::verify(problem, solution))
    return region->emitOpError()
           << "got an illegal schedule: " << llvm::toString(std::move(error));

  Builder builder(region->getContext());
  for (auto [position, op] : llvm::enumerate(solution.order)) {
    LaunchOp launch = launches[op];
    launch.setPlannedStreamAttr(builder.getI64IntegerAttr(solution.stream[op]));
    launch.setPlannedPositionAttr(builder.getI64IntegerAttr(position));
  }

  scheduling::Quality quality = scheduling::evaluate(problem, solution);
  scheduling::Quality serial =
      scheduling::evaluate(problem, scheduling::scheduleSerial(problem));
  remark::passed(
      region->getLoc(),
      remark::RemarkOpts::name("StreamsAssigned")
          .category("sched-streams")
          .function(region->getParentOfType<func::FuncOp>().getSymName()))
      << remark::metric("Launches", launches.size())
      << remark::metric("Streams", quality.numStreams)
      << remark::metric("Waits", quality.numWaits)
      << remark::metric("Estimate", formatTime(quality.makespan))
      << remark::metric("Serial", formatTime(serial.makespan));
  return success();
}

void AssignStreamsPass::runOnOperation() {
  if (maxStreams == 0) {
    getOperation().emitError("max-streams is 0; expected at least 1");
    return signalPassFailure();
  }
  if (tokens < 0) {
    getOperation().emitError()
        << "tokens is " << int64_t(tokens) << "; expected 0 or more";
    return signalPassFailure();
  }
  FailureOr<CostModel> model = CostModel::get(getOperation());
  if (failed(model))
    return signalPassFailure();
  WalkResult result = getOperation().walk([&](Operation *op) {
    if (!isa<SegmentOp, EagerOp>(op))
      return WalkResult::advance();
    return failed(assign(op, *model)) ? WalkResult::interrupt()
                                      : WalkResult::advance();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
