//===- Judge.cpp - Is a schedule ordered? -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the judge: O(n^2) and without cleverness.
//
//===----------------------------------------------------------------------===//

#include "Judge.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>

using namespace mlir;
using namespace braid;
using namespace braid::sched;
using namespace braid::stress;

namespace {

/// Of the token counts at which two buffers may share bytes, one end is always
/// 1 or without limit: offsets and sizes are linear. The last count stands for
/// the latter.
constexpr int64_t kTokenCounts[] = {1, 3, 70, 1000};

/// Bytes [first, second).
using Interval = std::pair<int64_t, int64_t>;

struct Touch {
  Value base;
  bool reads, writes;
  std::vector<Interval> intervals; ///< ascending; of the workspace for buffers
  std::vector<Interval> span;      ///< of the whole buffer
  bool isInWorkspace;
};

struct Launch {
  Operation *op;
  unsigned node, region;
  std::vector<Touch> accesses[std::size(kTokenCounts)];
};

class Schedule {
public:
  explicit Schedule(ScheduleOp schedule);

  std::string judge(Granularity granularity);
  void addTo(ScheduleShape &shape);

private:
  void addNode(unsigned stream);
  void addRegion(Operation *region);
  void addLaunch(LaunchOp launch);
  bool isOrdered(unsigned a, unsigned b) const {
    return a < b ? before[b].test(a) : before[a].test(b);
  }
  /// Bytes of the workspace that a buffer takes for a token count.
  std::vector<Interval> getSpan(Value buffer, unsigned count);
  std::string findUnordered(Granularity granularity);
  std::string findWrongContents(Granularity granularity);

  ScheduleOp schedule;
  /// For each node, all that is done before it. Nodes are in the order in
  /// which the host enqueues them.
  std::vector<BitVector> before;
  std::map<unsigned, unsigned> lastOnStream;
  std::map<int64_t, std::pair<Operation *, unsigned>> slots;
  std::vector<Launch> launches;
  struct Region {
    unsigned begin, end;
  };
  std::vector<Region> regions;
  std::string failure;
  std::vector<LayoutEvaluator> layouts;
};

} // namespace

static unsigned getStream(Value stream) {
  return cast<BlockArgument>(stream).getArgNumber();
}

static std::string describe(Operation *op) {
  Operation *work = op;
  if (auto launch = dyn_cast<LaunchOp>(op))
    work = launch.getLaunchedOp();
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << work->getName() << " at " << op->getLoc();
  return text;
}

/// Bytes of a view, as few intervals as possible.
static std::vector<Interval> getIntervals(const Layout &layout,
                                          int64_t elementBytes) {
  std::vector<Interval> intervals{
      {layout.offset * elementBytes, (layout.offset + 1) * elementBytes}};
  for (unsigned dim = layout.sizes.size(); dim-- > 0;) {
    int64_t size = layout.sizes[dim],
            stride = layout.strides[dim] * elementBytes;
    if (size == 0)
      return {};
    if (intervals.size() == 1 &&
        intervals[0].second - intervals[0].first == stride) {
      intervals[0].second += (size - 1) * stride;
      continue;
    }
    std::vector<Interval> all;
    for (int64_t i = 0; i < size; ++i)
      for (Interval interval : intervals)
        all.push_back(
            {interval.first + i * stride, interval.second + i * stride});
    intervals = std::move(all);
  }
  llvm::sort(intervals);
  return intervals;
}

static bool overlap(const std::vector<Interval> &a,
                    const std::vector<Interval> &b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].first < b[j].second && b[j].first < a[i].second)
      return true;
    if (a[i].second <= b[j].second)
      ++i;
    else
      ++j;
  }
  return false;
}

static bool conflict(const Touch &a, const Touch &b, Granularity granularity) {
  if (!a.writes && !b.writes)
    return false;
  if (granularity == Granularity::Buffers && a.isInWorkspace &&
      b.isInWorkspace && a.base != b.base)
    return overlap(a.span, b.span);
  if (a.isInWorkspace != b.isInWorkspace ||
      (!a.isInWorkspace && a.base != b.base))
    return false;
  return overlap(a.intervals, b.intervals);
}

Schedule::Schedule(ScheduleOp schedule) : schedule(schedule) {
  for (int64_t tokens : kTokenCounts)
    layouts.emplace_back(tokens, [tokens](Value base) {
      SmallVector<int64_t> sizes;
      for (auto [dim, extent] :
           llvm::enumerate(cast<MemRefType>(base.getType()).getShape()))
        // Extents of caches that only the caller knows: any will do.
        sizes.push_back(!ShapedType::isDynamic(extent) ? extent
                        : dim == 0                     ? tokens
                                                       : 4);
      return makeContiguous(base, sizes);
    });
  for (Operation &op : schedule.getBody().front())
    if (isa<SegmentOp, EagerOp>(op))
      addRegion(&op);
}

void Schedule::addNode(unsigned stream) {
  unsigned node = before.size();
  BitVector &done = before.emplace_back();
  auto last = lastOnStream.find(stream);
  if (last != lastOnStream.end()) {
    done = before[last->second];
    done.resize(node + 1);
    done.set(last->second);
  }
  done.resize(node + 1);
  lastOnStream[stream] = node;
}

void Schedule::addRegion(Operation *region) {
  regions.push_back({unsigned(before.size()), 0});
  addNode(0);
  for (Operation &op : region->getRegion(0).front()) {
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      addLaunch(launch);
    } else if (auto record = dyn_cast<RecordOp>(op)) {
      slots[*record.getSlot()] = {record, unsigned(before.size())};
      addNode(getStream(record.getStream()));
    } else if (auto wait = dyn_cast<WaitOp>(op)) {
      addNode(getStream(wait.getStream()));
      BitVector &done = before.back();
      for (Value event : wait.getEvents()) {
        auto record = event.getDefiningOp<RecordOp>();
        auto [held, node] = slots[*record.getSlot()];
        if (held != record.getOperation() && failure.empty())
          failure = "the slot of a wait holds another record";
        if (!held)
          continue;
        BitVector more = before[node];
        more.resize(done.size());
        done |= more;
        done.set(node);
      }
    }
  }
  regions.back().end = before.size();
  addNode(0);
}

void Schedule::addLaunch(LaunchOp op) {
  Launch &launch = launches.emplace_back();
  launch.op = op;
  launch.node = before.size();
  launch.region = regions.size() - 1;
  addNode(getStream(op.getStream()));
  auto work = cast<SchedulableOpInterface>(op.getLaunchedOp());
  for (OpOperand &operand : work->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    auto kind = work.getAccess(operand);
    for (unsigned i = 0; i < std::size(kTokenCounts); ++i) {
      const Layout &layout = layouts[i].get(operand.get());
      Touch access;
      access.base = layout.base;
      access.reads =
          kind == sched::Access::Read || kind == sched::Access::ReadWrite;
      access.writes =
          kind == sched::Access::Write || kind == sched::Access::ReadWrite;
      access.intervals =
          getIntervals(layout, type.getElementTypeBitWidth() / 8);
      auto alloc = layout.base.getDefiningOp<AllocOp>();
      access.isInWorkspace = bool(alloc);
      if (alloc) {
        access.span = getSpan(layout.base, i);
        int64_t start = access.span.front().first;
        for (Interval &interval : access.intervals) {
          interval.first += start;
          interval.second += start;
        }
      }
      launch.accesses[i].push_back(std::move(access));
    }
  }
}

std::vector<Interval> Schedule::getSpan(Value buffer, unsigned count) {
  LinearAttr place = buffer.getDefiningOp<AllocOp>().getOffsetAttr();
  int64_t start = place.getPerToken() * kTokenCounts[count] + place.getFixed();
  auto type = cast<MemRefType>(buffer.getType());
  std::vector<Interval> span = getIntervals(layouts[count].get(buffer),
                                            type.getElementTypeBitWidth() / 8);
  for (Interval &interval : span) {
    interval.first += start;
    interval.second += start;
  }
  return span;
}

std::string Schedule::findUnordered(Granularity granularity) {
  for (const Launch &launch : launches) {
    const Region &region = regions[launch.region];
    if (!before[launch.node].test(region.begin))
      return "does not come after its region's begin: " + describe(launch.op);
    if (!before[region.end].test(launch.node))
      return "does not come before its region's end: " + describe(launch.op);
  }
  for (unsigned i = 0; i < std::size(kTokenCounts); ++i)
    for (size_t b = 0; b < launches.size(); ++b)
      for (size_t a = 0; a <= b; ++a) {
        if (a != b && isOrdered(launches[a].node, launches[b].node))
          continue;
        for (const Touch &first : launches[a].accesses[i])
          for (const Touch &second : launches[b].accesses[i])
            // One op may read and write one buffer as it likes.
            if ((a != b || first.base != second.base) &&
                conflict(first, second, granularity))
              return llvm::formatv("not ordered, for {0} tokens: {1} and {2}",
                                   kTokenCounts[i], describe(launches[a].op),
                                   describe(launches[b].op))
                  .str();
      }
  return "";
}

std::string Schedule::findWrongContents(Granularity granularity) {
  for (unsigned i = 0; i < std::size(kTokenCounts); ++i) {
    /// Who wrote the bytes from the key to `first`.
    std::map<int64_t, std::pair<int64_t, Value>> owners;
    DenseSet<Value> written;
    for (const Launch &launch : launches) {
      for (const Touch &access : launch.accesses[i]) {
        if (!access.reads || !access.isInWorkspace)
          continue;
        if (!written.count(access.base))
          return "reads what was never written: " + describe(launch.op);
        for (Interval interval : granularity == Granularity::Buffers
                                     ? access.span
                                     : access.intervals) {
          auto it = owners.upper_bound(interval.first);
          if (it != owners.begin())
            --it;
          for (; it != owners.end() && it->first < interval.second; ++it)
            if (it->second.first > interval.first &&
                it->second.second != access.base)
              return "reads bytes that another buffer took: " +
                     describe(launch.op);
        }
      }
      for (const Touch &access : launch.accesses[i]) {
        if (!access.writes || !access.isInWorkspace)
          continue;
        // As sched-verify, take a write to a part of a buffer for a write to
        // all that is read later.
        written.insert(access.base);
        for (Interval interval : access.span) {
          auto it = owners.upper_bound(interval.first);
          if (it != owners.begin())
            --it;
          while (it != owners.end() && it->first < interval.second) {
            auto [begin, rest] = *it;
            if (rest.first <= interval.first) {
              ++it;
              continue;
            }
            it = owners.erase(it);
            if (begin < interval.first)
              owners[begin] = {interval.first, rest.second};
            if (rest.first > interval.second)
              owners[interval.second] = rest;
          }
          owners[interval.first] = {interval.second, access.base};
        }
      }
    }
  }
  return "";
}

std::string Schedule::judge(Granularity granularity) {
  if (!failure.empty())
    return failure;
  std::string reason = findUnordered(granularity);
  return reason.empty() ? findWrongContents(granularity) : reason;
}

void Schedule::addTo(ScheduleShape &shape) {
  shape.streams = std::max(shape.streams, schedule.getNumStreams());
  shape.launches += launches.size();
  schedule.walk([&](WaitOp wait) { shape.waits += wait.getEvents().size(); });
  schedule.walk([&](RecordOp) { ++shape.records; });
  schedule.walk([&](SegmentOp) { ++shape.segments; });
  schedule.walk([&](EagerOp) { ++shape.eagerRegions; });
  llvm::MapVector<Value, std::set<std::vector<Interval>>> views;
  llvm::MapVector<Value, std::set<unsigned>> regionsOf;
  llvm::MapVector<Value, std::vector<Interval>> spans;
  for (const Launch &launch : launches)
    for (const Touch &access : launch.accesses[1]) {
      views[access.base].insert(access.intervals);
      if (!access.isInWorkspace)
        continue;
      regionsOf[access.base].insert(launch.region);
      std::vector<Interval> &span = spans[access.base];
      if (span.empty())
        span = {
            {access.intervals.front().first, access.intervals.back().second}};
      span[0].first = std::min(span[0].first, access.intervals.front().first);
      span[0].second = std::max(span[0].second, access.intervals.back().second);
    }
  for (auto &[base, sets] : views)
    for (auto a = sets.begin(); a != sets.end(); ++a)
      for (auto b = std::next(a); b != sets.end(); ++b)
        shape.partialOverlaps += overlap(*a, *b);
  for (auto &[base, inRegions] : regionsOf)
    shape.buffersAcrossRegions += inRegions.size() > 1;
  for (auto a = spans.begin(); a != spans.end(); ++a)
    for (auto b = std::next(a); b != spans.end(); ++b)
      shape.sharedBytes += overlap(a->second, b->second);
}

std::string braid::stress::judge(func::FuncOp function,
                                 Granularity granularity) {
  std::string failure;
  function.walk([&](ScheduleOp schedule) {
    if (failure.empty())
      failure = Schedule(schedule).judge(granularity);
  });
  return failure;
}

/// The first schedule: of two token ranges, the one that overlaps work.
ScheduleShape braid::stress::getShape(func::FuncOp function) {
  ScheduleShape shape;
  function.walk([&](ScheduleOp schedule) {
    Schedule(schedule).addTo(shape);
    return WalkResult::interrupt();
  });
  return shape;
}
