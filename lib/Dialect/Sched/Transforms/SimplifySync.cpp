//===- SimplifySync.cpp - Waits that are implied -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-simplify-sync with one clock a stream: how much of each
// stream is known to be done.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_SIMPLIFYSYNCPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

using namespace braid::sched;

namespace {
/// For each stream, how many of its launches are done.
using Clock = SmallVector<unsigned, 4>;

/// Simplifies the records and waits of one straight-line block.
class BlockSimplifier {
public:
  BlockSimplifier(Block &block, ScheduleOp schedule)
      : block(block), schedule(schedule),
        clocks(schedule.getNumStreams(), Clock(schedule.getNumStreams(), 0)),
        hasStarted(schedule.getNumStreams(), false) {
    // Stream 0 has what came before the region; the others have nothing until
    // they wait, which a 1 of stream 0 stands for.
    clocks[0][0] = 1;
    hasStarted[0] = true;
  }

  void run();

private:
  unsigned getIndex(Value stream) {
    return cast<BlockArgument>(stream).getArgNumber();
  }
  /// Whether everything in `event` is in `clock`.
  static bool covers(const Clock &clock, const Clock &event) {
    for (auto [known, needed] : llvm::zip(clock, event))
      if (known < needed)
        return false;
    return true;
  }
  static void merge(Clock &clock, const Clock &event) {
    for (auto [known, other] : llvm::zip(clock, event))
      known = std::max(known, other);
  }
  void settle(unsigned stream);

  Block &block;
  ScheduleOp schedule;
  std::vector<Clock> clocks;
  std::vector<bool> hasStarted;
  DenseMap<Value, Clock> events;
  /// Waits of each stream that its next work, or record, depends on.
  DenseMap<unsigned, SmallVector<std::pair<WaitOp, Value>>> pending;
};
} // namespace

/// Decides which of the pending waits of a stream are needed: not those that
/// the stream is ordered behind already, nor those that another one implies.
void BlockSimplifier::settle(unsigned stream) {
  SmallVector<std::pair<WaitOp, Value>> waits = std::move(pending[stream]);
  pending.erase(stream);
  if (waits.empty())
    return;
  // First the last record of each stream, so that the quadratic part sees
  // streams and not waits. Of two equal ones the first wait stays.
  SmallVector<std::optional<unsigned>, 4> lastOf(clocks.size());
  for (unsigned i = 0; i < waits.size(); ++i) {
    Value event = waits[i].second;
    std::optional<unsigned> &last =
        lastOf[getIndex(event.getDefiningOp<RecordOp>().getStream())];
    if (!last || !covers(events[waits[*last].second], events[event]))
      last = i;
  }
  SmallVector<unsigned> needed;
  for (std::optional<unsigned> i : lastOf) {
    if (!i)
      continue;
    const Clock &event = events[waits[*i].second];
    if (covers(clocks[stream], event))
      continue;
    bool isImplied = llvm::any_of(lastOf, [&](std::optional<unsigned> j) {
      if (!j || j == i)
        return false;
      const Clock &other = events[waits[*j].second];
      return covers(other, event) && (*j < *i || !covers(event, other));
    });
    if (!isImplied)
      needed.push_back(*i);
  }
  llvm::sort(needed);
  DenseMap<Operation *, SmallVector<Value>> kept;
  for (unsigned i : needed) {
    kept[waits[i].first].push_back(waits[i].second);
    merge(clocks[stream], events[waits[i].second]);
  }
  llvm::SmallPtrSet<Operation *, 4> seen;
  for (auto &[wait, event] : waits) {
    if (!seen.insert(wait).second)
      continue;
    auto it = kept.find(wait);
    if (it == kept.end())
      wait.erase();
    else
      wait.getEventsMutable().assign(it->second);
  }
}

void BlockSimplifier::run() {
  /// The latest record of each stream, while no work follows it.
  DenseMap<unsigned, Value> latest;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto wait = dyn_cast<WaitOp>(op)) {
      unsigned stream = getIndex(wait.getStream());
      for (Value event : wait.getEvents())
        pending[stream].emplace_back(wait, event);
      latest.erase(stream);
      continue;
    }
    if (auto record = dyn_cast<RecordOp>(op)) {
      unsigned stream = getIndex(record.getStream());
      if (Value same = latest.lookup(stream)) {
        record.getEvent().replaceAllUsesWith(same);
        record.erase();
        continue;
      }
      settle(stream);
      events[record.getEvent()] = clocks[stream];
      latest[stream] = record.getEvent();
      continue;
    }
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      unsigned stream = getIndex(launch.getStream());
      settle(stream);
      ++clocks[stream][stream];
      latest.erase(stream);
    }
  }
  // Waits at the end join other streams to what follows the region.
  for (unsigned stream = 0; stream < clocks.size(); ++stream)
    settle(stream);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (auto record = dyn_cast<RecordOp>(op))
      if (record.getEvent().use_empty())
        record.erase();
}

namespace {
class SimplifySyncPass
    : public braid::sched::impl::SimplifySyncPassBase<SimplifySyncPass> {
public:
  void runOnOperation() override {
    getOperation().walk([](ScheduleOp schedule) {
      auto count = [&](auto kind) {
        int64_t n = 0;
        schedule.walk([&](decltype(kind)) { ++n; });
        return n;
      };
      int64_t waits = count(WaitOp()), records = count(RecordOp());
      schedule.walk([&](Operation *op) {
        if (!isa<SegmentOp, EagerOp>(op))
          return;
        Block &block = op->getRegion(0).front();
        // Clocks of straight-line code only; loops keep their waits.
        if (llvm::all_of(block, llvm::IsaPred<LaunchOp, RecordOp, WaitOp>) &&
            llvm::none_of(block.getOps<RecordOp>(), [](RecordOp record) {
              return record.getSlot().has_value();
            }))
          BlockSimplifier(block, schedule).run();
      });
      if (waits + records == 0)
        return;
      remark::passed(
          schedule.getLoc(),
          remark::RemarkOpts::name("SyncSimplified")
              .category("sched-sync")
              .function(schedule->getParentOfType<func::FuncOp>().getSymName()))
          << remark::metric("WaitsBefore", waits)
          << remark::metric("WaitsAfter", count(WaitOp()))
          << remark::metric("RecordsBefore", records)
          << remark::metric("RecordsAfter", count(RecordOp()));
    });
  }
};
} // namespace
