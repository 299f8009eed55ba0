//===- PlanMemory.cpp - Places in the workspace -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-plan-memory: best fit over the buffers in the order of their
// first use, reusing bytes only where happens-before allows it.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "braid/Analysis/HappensBefore.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <map>
#include <queue>

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

using namespace braid;
using namespace braid::sched;

namespace {

/// A buffer that is to get a place.
struct Buffer {
  AllocOp alloc;
  int64_t size; ///< bytes, or bytes a token
  bool isPerToken;
  /// The first and the last execution in each lane that touches it, in the
  /// order of enqueueing. A lane is ordered in itself, so that these stand for
  /// all others.
  SmallVector<unsigned, 4> first, last;
  int64_t offset = 0;

  bool isUsed() const { return !first.empty(); }
  void use(unsigned index, ArrayRef<Execution> executions) {
    auto isSameLane = [&](unsigned other) {
      return executions[other].lane == executions[index].lane;
    };
    if (llvm::none_of(first, isSameLane))
      first.push_back(index);
    llvm::erase_if(last, isSameLane);
    last.push_back(index);
  }
};

/// Bytes that a buffer may be able to reuse, and the buffers that lay there.
struct Chunk {
  int64_t size;
  SmallVector<unsigned, 2> users;
};

/// The bytes of one workspace while buffers get their places.
struct Bytes {
  int64_t size = 0;
  /// What nothing uses that is still to be enqueued, by offset.
  std::map<int64_t, Chunk> free;
  /// The buffers that are not done yet, the one with the earliest end first:
  /// (last execution, index).
  using End = std::pair<unsigned, unsigned>;
  std::priority_queue<End, std::vector<End>, std::greater<>> live;
};

/// Plans one schedule.
class SchedulePlanner {
public:
  SchedulePlanner(ScheduleOp schedule, bool share)
      : schedule(schedule), share(share) {}

  LogicalResult run();

private:
  LogicalResult collect();
  void findUses();
  bool isReusable(const Chunk &chunk, const Buffer &buffer) const;
  LogicalResult place(unsigned index, Bytes &bytes);
  LogicalResult placeAll(bool perToken, int64_t &total);
  int64_t getLargestLiveSet(bool perToken) const;

  ScheduleOp schedule;
  bool share;
  BufferAccessAnalysis accesses;
  std::optional<HappensBefore> order;
  std::vector<Buffer> buffers;
};

} // namespace

LogicalResult SchedulePlanner::collect() {
  WalkResult result = schedule.walk([&](AllocOp alloc) {
    LinearAttr bytes = alloc.getBytes();
    if (!bytes) {
      alloc.emitOpError() << "buffer of type " << alloc.getType()
                          << " exceeds 2^63 bytes";
      return WalkResult::interrupt();
    }
    bool isPerToken = !alloc.getType().hasStaticShape();
    buffers.push_back({alloc,
                       isPerToken ? bytes.getPerToken() : bytes.getFixed(),
                       isPerToken,
                       {},
                       {}});
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Which executions touch which buffer. Sharing needs to know all of them, so
/// it is off where the order of work is not one straight line.
void SchedulePlanner::findUses() {
  bool isStraight =
      !schedule
           .walk([](Operation *op) {
             return isa<ScheduleOp, SegmentOp, EagerOp, LaunchOp>(op) ||
                            op->getNumRegions() == 0 ||
                            isa<SchedulableOpInterface>(op)
                        ? WalkResult::advance()
                        : WalkResult::interrupt();
           })
           .wasInterrupted();
  if (!isStraight) {
    share = false;
    return;
  }
  // Old places must not count.
  for (Buffer &buffer : buffers)
    buffer.alloc.removeOffsetAttr();
  order.emplace(schedule, accesses);
  DenseMap<Value, unsigned> indices;
  for (auto [index, buffer] : llvm::enumerate(buffers))
    indices[buffer.alloc.getBuffer()] = index;
  for (auto [index, execution] : llvm::enumerate(order->getExecutions())) {
    std::optional<SmallVector<BufferAccess>> touched =
        accesses.getAccesses(execution.op);
    if (!touched) {
      share = false;
      return;
    }
    for (const BufferAccess &access : *touched)
      if (auto it = indices.find(access.base); it != indices.end())
        buffers[it->second].use(index, order->getExecutions());
  }
}

/// Whether all work on the chunk's buffers is done before any on `buffer`
/// starts.
bool SchedulePlanner::isReusable(const Chunk &chunk,
                                 const Buffer &buffer) const {
  for (unsigned user : chunk.users)
    for (unsigned before : buffers[user].last)
      for (unsigned after : buffer.first)
        if (!order->isOrdered(before, after))
          return false;
  return true;
}

/// Finds the run of reusable chunks that wastes least; what is missing at the
/// end of the workspace is added there.
LogicalResult SchedulePlanner::place(unsigned index, Bytes &bytes) {
  Buffer &buffer = buffers[index];
  auto &free = bytes.free;
  auto bestBegin = free.end(), bestEnd = free.end();
  int64_t bestWaste = std::numeric_limits<int64_t>::max();
  // A buffer that nothing touches could lie anywhere; it gets its own bytes.
  if (share && buffer.isUsed()) {
    // What is enqueued before the buffer's first use may be done by then;
    // nothing else can be.
    while (!bytes.live.empty() &&
           bytes.live.top().first < buffer.first.front()) {
      unsigned done = bytes.live.top().second;
      bytes.live.pop();
      free[buffers[done].offset] = {buffers[done].size, {done}};
    }
    for (auto begin = free.begin(); begin != free.end() && bestWaste != 0;
         ++begin) {
      int64_t room = 0;
      for (auto last = begin;
           last != free.end() && last->first == begin->first + room &&
           isReusable(last->second, buffer);
           ++last) {
        room += last->second.size;
        // Growing the workspace is worse than any waste.
        bool fits = room >= buffer.size;
        bool isAtEnd = begin->first + room == bytes.size;
        int64_t waste = fits ? room - buffer.size
                             : (int64_t(1) << 61) + (buffer.size - room);
        if ((fits || isAtEnd) && waste < bestWaste) {
          bestWaste = waste;
          bestBegin = begin;
          bestEnd = std::next(last);
        }
        if (fits)
          break;
      }
    }
  }
  buffer.offset = bestBegin != free.end() ? bestBegin->first : bytes.size;
  std::optional<int64_t> end = llvm::checkedAdd(buffer.offset, buffer.size);
  if (!end)
    return buffer.alloc.emitOpError()
           << "buffer of type " << buffer.alloc.getType()
           << " makes the workspace exceed 2^63 bytes";
  bytes.size = std::max(bytes.size, *end);

  // What is left of the last chunk stays.
  if (bestBegin != bestEnd) {
    auto last = std::prev(bestEnd);
    Chunk rest = last->second;
    rest.size += last->first - *end;
    free.erase(bestBegin, bestEnd);
    if (rest.size > 0)
      free[*end] = std::move(rest);
  }
  if (buffer.isUsed())
    bytes.live.push({buffer.last.back(), index});
  else
    free[buffer.offset] = {buffer.size, {index}};
  return success();
}

LogicalResult SchedulePlanner::placeAll(bool perToken, int64_t &total) {
  SmallVector<unsigned> inOrder;
  for (unsigned index = 0; index < buffers.size(); ++index)
    if (buffers[index].isPerToken == perToken && buffers[index].size > 0)
      inOrder.push_back(index);
  llvm::stable_sort(inOrder, [&](unsigned a, unsigned b) {
    auto first = [&](unsigned index) {
      return buffers[index].isUsed() ? buffers[index].first.front() + 1 : 0;
    };
    return first(a) < first(b);
  });
  Bytes bytes;
  for (unsigned index : inOrder)
    if (failed(place(index, bytes)))
      return failure();
  total = bytes.size;
  return success();
}

/// No plan needs less: what is alive at one moment of the enqueue order.
int64_t SchedulePlanner::getLargestLiveSet(bool perToken) const {
  std::vector<int64_t> change;
  for (const Buffer &buffer : buffers) {
    if (buffer.isPerToken != perToken || !buffer.isUsed())
      continue;
    unsigned end = buffer.last.back() + 1;
    if (change.size() < end + 1)
      change.resize(end + 1);
    change[buffer.first.front()] += buffer.size;
    change[end] -= buffer.size;
  }
  int64_t live = 0, largest = 0;
  for (int64_t delta : change) {
    live += delta;
    largest = std::max(largest, live);
  }
  return largest;
}

LogicalResult SchedulePlanner::run() {
  if (failed(collect()))
    return failure();
  findUses();
  int64_t perToken = 0, fixed = 0;
  if (failed(placeAll(/*perToken=*/true, perToken)) ||
      failed(placeAll(/*perToken=*/false, fixed)))
    return failure();
  MLIRContext *context = schedule.getContext();
  int64_t sum = 0;
  for (Buffer &buffer : buffers) {
    buffer.alloc.setOffsetAttr(
        buffer.isPerToken ? LinearAttr::get(context, buffer.offset, 0)
                          : LinearAttr::get(context, perToken, buffer.offset));
    if (buffer.isPerToken)
      sum += buffer.size;
  }
  schedule.setWorkspaceAttr(LinearAttr::get(context, perToken, fixed));
  remark::passed(
      schedule.getLoc(),
      remark::RemarkOpts::name("WorkspacePlanned")
          .category("sched-memory")
          .function(schedule->getParentOfType<func::FuncOp>().getSymName()))
      << remark::metric("Buffers", buffers.size())
      << remark::metric("BytesPerToken", perToken)
      << remark::metric("FixedBytes", fixed)
      << remark::metric("SumPerToken", sum)
      << remark::metric("LargestLiveSetPerToken",
                        order ? getLargestLiveSet(/*perToken=*/true) : sum);
  return success();
}

namespace {
class PlanMemoryPass
    : public braid::sched::impl::PlanMemoryPassBase<PlanMemoryPass> {
public:
  using PlanMemoryPassBase::PlanMemoryPassBase;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](ScheduleOp schedule) {
      return failed(SchedulePlanner(schedule, share).run())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
