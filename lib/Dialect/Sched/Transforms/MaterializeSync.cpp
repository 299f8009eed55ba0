//===- MaterializeSync.cpp - Streams, records and waits -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-materialize-sync.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "braid/Analysis/Dependences.h"

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_MATERIALIZESYNCPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

using namespace braid;
using namespace braid::sched;

namespace {
/// Materializes the plan of one segment or eager region.
class RegionMaterializer {
public:
  RegionMaterializer(Operation *region, ScheduleOp schedule)
      : body(region->getRegion(0).front()), schedule(schedule) {}

  /// Moves the launches and orders them. Regions without a plan stay as they
  /// are; a plan that is incomplete or impossible is an error.
  LogicalResult run();

private:
  LogicalResult readPlan();
  Value getEvent(unsigned launch);

  Block &body;
  ScheduleOp schedule;
  SmallVector<LaunchOp> launches; ///< in program order
  std::vector<unsigned> stream, position;
  std::vector<Value> events; ///< a record after each launch, once needed
};
} // namespace

LogicalResult RegionMaterializer::readPlan() {
  llvm::append_range(launches, body.getOps<LaunchOp>());
  unsigned numPlanned = llvm::count_if(launches, [](LaunchOp launch) {
    return launch.getPlannedStream() && launch.getPlannedPosition();
  });
  if (numPlanned == 0) {
    launches.clear();
    return success();
  }
  BitVector taken(launches.size());
  for (LaunchOp launch : launches) {
    if (!launch.getPlannedStream() || !launch.getPlannedPosition())
      return launch.emitOpError(
          "has no planned stream and position, but others in its region have");
    uint64_t place = *launch.getPlannedPosition();
    if (place >= launches.size() || taken.test(place))
      return launch.emitOpError()
             << "planned position is " << place << "; expected each of 0 to "
             << launches.size() - 1 << " once";
    taken.set(place);
    stream.push_back(*launch.getPlannedStream());
    position.push_back(place);
  }
  return success();
}

/// The record after a launch; one, however many wait for it.
Value RegionMaterializer::getEvent(unsigned launch) {
  if (!events[launch]) {
    OpBuilder builder(launches[launch]->getContext());
    builder.setInsertionPointAfter(launches[launch]);
    events[launch] =
        RecordOp::create(builder, launches[launch].getLoc(),
                         launches[launch].getStream(), /*slot=*/IntegerAttr());
  }
  return events[launch];
}

LogicalResult RegionMaterializer::run() {
  if (failed(readPlan()))
    return failure();
  if (launches.empty())
    return success();
  auto dependences = computeDependences(launches);
  for (auto [index, predecessors] : llvm::enumerate(dependences))
    for (unsigned predecessor : predecessors)
      if (position[predecessor] > position[index]) {
        InFlightDiagnostic diagnostic =
            launches[index].emitOpError()
            << "is planned before an op that it depends on";
        diagnostic.attachNote(launches[predecessor].getLoc())
            << "the op that it depends on";
        return diagnostic;
      }

  // Streams and order first.
  std::vector<unsigned> order(launches.size());
  for (unsigned index = 0; index < launches.size(); ++index)
    order[position[index]] = index;
  for (unsigned index : order) {
    LaunchOp launch = launches[index];
    launch->moveBefore(&body, body.end());
    launch.getStreamMutable().assign(schedule.getStream(stream[index]));
    launch.removePlannedStreamAttr();
    launch.removePlannedPositionAttr();
  }

  // Then waits, in the order in which they are enqueued.
  events.resize(launches.size());
  Value origin = schedule.getStream(0);
  Value start; // what the region's start is on stream 0
  llvm::SmallDenseMap<unsigned, unsigned> lastOnStream;
  for (unsigned index : order) {
    LaunchOp launch = launches[index];
    OpBuilder builder(launch);
    if (stream[index] != 0 && !lastOnStream.contains(stream[index])) {
      if (!start) {
        OpBuilder atStart = OpBuilder::atBlockBegin(&body);
        start = RecordOp::create(atStart, launch.getLoc(), origin,
                                 /*slot=*/IntegerAttr());
      }
      WaitOp::create(builder, launch.getLoc(), launch.getStream(), start);
    }
    for (unsigned predecessor : dependences[index])
      if (stream[predecessor] != stream[index])
        WaitOp::create(builder, launch.getLoc(), launch.getStream(),
                       getEvent(predecessor));
    lastOnStream[stream[index]] = index;
  }
  SmallVector<std::pair<unsigned, unsigned>> joins(lastOnStream.begin(),
                                                   lastOnStream.end());
  llvm::sort(joins);
  OpBuilder atEnd = OpBuilder::atBlockEnd(&body);
  for (auto [joined, last] : joins)
    if (joined != 0) {
      Value event = getEvent(last);
      WaitOp::create(atEnd, launches[last].getLoc(), origin, event);
    }
  return success();
}

namespace {
class MaterializeSyncPass
    : public braid::sched::impl::MaterializeSyncPassBase<MaterializeSyncPass> {
public:
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](ScheduleOp schedule) {
      unsigned numStreams = schedule.getNumStreams();
      schedule.walk([&](LaunchOp launch) {
        if (std::optional<uint64_t> planned = launch.getPlannedStream())
          numStreams = std::max<unsigned>(numStreams, *planned + 1);
      });
      Type type = StreamType::get(schedule.getContext());
      while (schedule.getNumStreams() < numStreams)
        schedule.getBody().addArgument(type, schedule.getLoc());
      return schedule.walk([&](Operation *op) {
        if (!isa<SegmentOp, EagerOp>(op))
          return WalkResult::advance();
        return failed(RegionMaterializer(op, schedule).run())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      });
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
