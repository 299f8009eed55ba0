//===- BindEvents.cpp - Physical events -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-bind-events: linear scan over the host's order of enqueuing.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"

#include <set>

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_BINDEVENTSPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

using namespace braid::sched;

/// Gives the records of one straight-line block slots from 0 on, and returns
/// how many. A wait refers to the record as it stood when it was enqueued, so a
/// slot is free as soon as the last wait for it has been enqueued.
static int64_t bindBlock(Block &block) {
  std::set<int64_t> free;
  int64_t numSlots = 0;
  Builder builder(block.getParentOp()->getContext());
  /// Slots that are free once an op has been enqueued.
  DenseMap<Operation *, SmallVector<int64_t>> freedBy;
  for (Operation &op : block) {
    if (auto record = dyn_cast<RecordOp>(op)) {
      int64_t slot;
      if (free.empty()) {
        slot = numSlots++;
      } else {
        slot = *free.begin();
        free.erase(free.begin());
      }
      record.setSlotAttr(builder.getI64IntegerAttr(slot));
      // A wait may lie in a loop, and a loop may carry the event on.
      Operation *last = record;
      bool isCarried = false;
      for (Operation *user : record.getEvent().getUsers()) {
        isCarried |= !isa<WaitOp>(user);
        Operation *place = block.findAncestorOpInBlock(*user);
        if (last->isBeforeInBlock(place))
          last = place;
      }
      if (!isCarried)
        freedBy[last].push_back(slot);
    }
    for (int64_t slot : freedBy.lookup(&op))
      free.insert(slot);
  }
  return numSlots;
}

namespace {
class BindEventsPass
    : public braid::sched::impl::BindEventsPassBase<BindEventsPass> {
public:
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](ScheduleOp schedule) {
      int64_t numSlots = 0, numRecords = 0;
      // No event crosses the edge of a region, so regions share slots.
      WalkResult inner = schedule.walk([&](RecordOp record) {
        ++numRecords;
        Operation *parent = record->getParentOp();
        if (isa<SegmentOp, EagerOp, ScheduleOp>(parent))
          return WalkResult::advance();
        record.emitOpError() << "lies in '" << parent->getName()
                             << "'; events are bound in straight-line code "
                                "only";
        return WalkResult::interrupt();
      });
      if (inner.wasInterrupted())
        return WalkResult::interrupt();
      if (numRecords == 0)
        return WalkResult::advance();
      numSlots = bindBlock(schedule.getBody().front());
      schedule.walk([&](Operation *op) {
        if (isa<SegmentOp, EagerOp>(op))
          numSlots = std::max(numSlots, bindBlock(op->getRegion(0).front()));
      });
      schedule.setEvents(numSlots);
      remark::passed(
          schedule.getLoc(),
          remark::RemarkOpts::name("EventsBound")
              .category("sched-sync")
              .function(schedule->getParentOfType<func::FuncOp>().getSymName()))
          << remark::metric("Records", numRecords)
          << remark::metric("Slots", numSlots);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
