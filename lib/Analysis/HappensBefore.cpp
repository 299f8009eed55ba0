//===- HappensBefore.cpp - What is ordered in a schedule -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interprets a schedule once in the order in which the host enqueues it, loop
// bodies twice, then replays the accesses against a history for each place in
// memory.
//
//===----------------------------------------------------------------------===//

#include "braid/Analysis/HappensBefore.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

#include <array>
#include <map>

using namespace mlir;
using namespace braid;
using namespace braid::sched;

//===----------------------------------------------------------------------===//
// VectorClock
//===----------------------------------------------------------------------===//

void VectorClock::set(unsigned lane, unsigned tick) {
  if (lane >= ticks.size())
    ticks.resize(lane + 1);
  ticks[lane] = tick;
}

void VectorClock::setAll(unsigned begin, unsigned end) {
  if (begin >= end)
    return;
  if (end > ticks.size())
    ticks.resize(end);
  std::fill(ticks.begin() + begin, ticks.begin() + end, All);
}

void VectorClock::truncate(unsigned end) {
  if (end < ticks.size())
    ticks.truncate(end);
}

void VectorClock::join(const VectorClock &other) {
  if (other.ticks.size() > ticks.size())
    ticks.resize(other.ticks.size());
  for (auto [mine, others] : llvm::zip(ticks, other.ticks))
    mine = std::max(mine, others);
}

void VectorClock::meet(const VectorClock &other) {
  truncate(other.ticks.size());
  for (auto [mine, others] : llvm::zip(ticks, other.ticks))
    mine = std::min(mine, others);
}

bool VectorClock::operator==(const VectorClock &other) const {
  for (size_t i = 0, e = std::max(ticks.size(), other.ticks.size()); i < e; ++i)
    if ((*this)[i] != other[i])
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Walking a schedule
//===----------------------------------------------------------------------===//

namespace {

/// What a record gives.
struct Event {
  VectorClock clock;
  /// Slots that it may be bound to: several where paths meet.
  SmallVector<int64_t, 1> slots;
  /// A record that gives it, and the region that one lies in.
  Operation *record = nullptr, *region = nullptr;
};

/// The last op of a stream on some path.
struct Use {
  Operation *op;
  unsigned lane, tick;
};

/// What is true at one place of the host's program.
struct State {
  std::vector<VectorClock> streams;
  /// Last ops of each stream in the innermost region; several where paths met.
  std::vector<SmallVector<Use, 1>> uses;
  /// Events whose slot was recorded again, and by which op.
  DenseMap<Value, Operation *> stale;
  /// Events that each slot holds.
  DenseMap<int64_t, SmallVector<Value, 2>> slots;
};

/// Deepest nest of loops: each loop doubles the work.
constexpr unsigned kMaxLoopDepth = 6;

} // namespace

namespace braid {

/// Walks a schedule as the host does.
class ScheduleWalker {
public:
  ScheduleWalker(HappensBefore &result, BufferAccessAnalysis &accesses)
      : result(result), accesses(accesses), schedule(result.schedule),
        numStreams(schedule.getNumStreams()) {}

  void run();

private:
  using Kind = SyncViolation::Kind;

  // Reporting.
  SyncViolation *report(Kind kind, Operation *op, unsigned stream = 0);

  // Lanes and blocks.
  unsigned enterBlock();
  unsigned getLane(unsigned stream);
  Use tick(unsigned stream, Operation *op);

  // Ops.
  void walkBlock(Block &block);
  void walkOp(Operation *op);
  void walkRegion(Operation *op);
  void walkLoop(scf::ForOp loop);
  void walkBranch(scf::IfOp branch);
  void execute(Operation *op, unsigned stream);
  void record(Operation *op, unsigned stream, Value event,
              std::optional<int64_t> slot);
  void wait(unsigned stream, Operation *op, ArrayRef<VectorClock> clocks);
  void waitForEvents(WaitOp op);

  // Pieces of ops.
  std::optional<unsigned> getStream(Operation *op, Value stream);
  void requireStart(Operation *op, unsigned stream);
  void checkJoined(Kind kind, Operation *op);
  VectorClock getClock(unsigned stream) const { return state.streams[stream]; }
  void define(Value value, Event event, Operation *staleBy);
  Event getEvent(Value value) const;
  void mergeState(State &&other);
  void settleEvents(scf::ForOp loop, ArrayRef<Value> carried);
  void addStep(Step::Kind kind) {
    if (!isQuiet)
      result.steps.push_back({kind});
  }

  HappensBefore &result;
  BufferAccessAnalysis &accesses;
  ScheduleOp schedule;
  unsigned numStreams;

  State state;
  /// Events by value; a value's event does not change along a path.
  DenseMap<Value, Event> events;
  /// The innermost region, and the lane and tick of its start.
  Operation *region = nullptr;
  Use start = {nullptr, 0, 0};
  /// For each block two lanes a stream: outside of and inside segments.
  std::vector<SmallVector<int, 8>> lanes;
  unsigned block = 0;
  unsigned numLanes = 0;
  std::vector<unsigned> ticks; ///< of each lane
  bool isInSegment = false;
  /// Nothing is noted down: the walk only finds what loops carry.
  bool isQuiet = false;
  unsigned loopDepth = 0;
  /// Streams of a region, and ops, that were reported.
  DenseSet<std::pair<Operation *, unsigned>> reportedStarts;
  DenseSet<std::pair<Operation *, unsigned>> reported;
  SyncViolation ignored{SyncViolation::UnknownOp, nullptr};
};

} // namespace braid

SyncViolation *ScheduleWalker::report(Kind kind, Operation *op,
                                      unsigned stream) {
  if (isQuiet || !reported.insert({op, unsigned(kind) << 16 | stream}).second)
    return &ignored;
  SyncViolation violation{kind, op};
  violation.stream = stream;
  violation.region = region;
  result.violations.push_back(violation);
  return &result.violations.back();
}

unsigned ScheduleWalker::enterBlock() {
  unsigned outer = block;
  result.parents.push_back(block);
  block = result.parents.size() - 1;
  lanes.emplace_back(2 * numStreams, -1);
  return outer;
}

unsigned ScheduleWalker::getLane(unsigned stream) {
  // Stream 0 stays itself in a segment: the graph runs on it.
  int &lane =
      lanes[block][isInSegment && stream != 0 ? numStreams + stream : stream];
  if (lane < 0) {
    lane = numLanes++;
    ticks.push_back(0);
  }
  return lane;
}

Use ScheduleWalker::tick(unsigned stream, Operation *op) {
  unsigned lane = getLane(stream);
  state.streams[stream].set(lane, ++ticks[lane]);
  Use use{op, lane, ticks[lane]};
  state.uses[stream].assign(1, use);
  return use;
}

std::optional<unsigned> ScheduleWalker::getStream(Operation *op, Value stream) {
  auto argument = dyn_cast<BlockArgument>(stream);
  if (argument && argument.getOwner()->getParentOp() == schedule)
    return argument.getArgNumber();
  report(SyncViolation::UnknownStream, op);
  return std::nullopt;
}

/// The first op of a stream in a region has to come after the region's start.
void ScheduleWalker::requireStart(Operation *op, unsigned stream) {
  if (state.streams[stream][start.lane] >= start.tick)
    return;
  if (!isQuiet && reportedStarts.insert({region, stream}).second)
    report(SyncViolation::EarlyStart, op, stream);
  // Go on as if it had waited.
  state.streams[stream].set(start.lane, start.tick);
}

/// Stream 0 has to know the last op of each stream.
void ScheduleWalker::checkJoined(Kind kind, Operation *op) {
  for (unsigned stream = 1; stream < numStreams; ++stream)
    for (Use &use : state.uses[stream]) {
      if (state.streams[0][use.lane] >= use.tick)
        continue;
      report(kind, op, stream)->other = use.op;
      if (kind == SyncViolation::Unjoined)
        state.streams[0].join(getClock(stream));
      break;
    }
}

void ScheduleWalker::execute(Operation *op, unsigned stream) {
  requireStart(op, stream);
  VectorClock clock = getClock(stream);
  Use use = tick(stream, op);
  if (isQuiet)
    return;
  unsigned index = result.executions.size();
  result.executions.push_back(
      {op, stream, use.lane, use.tick, block, std::move(clock)});
  result.steps.push_back({Step::Execute, index});
  result.byOp[op].push_back(index);
}

void ScheduleWalker::define(Value value, Event event, Operation *staleBy) {
  state.stale.erase(value);
  if (staleBy)
    state.stale[value] = staleBy;
  else
    for (int64_t slot : event.slots)
      if (!llvm::is_contained(state.slots[slot], value))
        state.slots[slot].push_back(value);
  events[value] = std::move(event);
}

void ScheduleWalker::record(Operation *op, unsigned stream, Value event,
                            std::optional<int64_t> slot) {
  requireStart(op, stream);
  // A record adds no work, but a stream on which it comes first is in use.
  if (state.uses[stream].empty())
    tick(stream, op);
  Event result;
  result.clock = getClock(stream);
  result.record = op;
  result.region = region;
  if (slot) {
    result.slots.push_back(*slot);
    for (Value old : state.slots[*slot])
      state.stale.try_emplace(old, op);
    state.slots[*slot].clear();
  }
  if (event)
    define(event, std::move(result), nullptr);
}

void ScheduleWalker::wait(unsigned stream, Operation *op,
                          ArrayRef<VectorClock> clocks) {
  for (const VectorClock &clock : clocks)
    state.streams[stream].join(clock);
  tick(stream, op);
}

Event ScheduleWalker::getEvent(Value value) const {
  return events.lookup(value);
}

void ScheduleWalker::waitForEvents(WaitOp op) {
  std::optional<unsigned> stream = getStream(op, op.getStream());
  if (!stream)
    return;
  SmallVector<VectorClock> clocks;
  for (Value value : op.getEvents()) {
    auto it = events.find(value);
    if (it == events.end()) {
      report(SyncViolation::UnknownEvent, op);
      continue;
    }
    if (it->second.region != region) {
      report(SyncViolation::EventCrossesEdge, op)->other = it->second.record;
      continue;
    }
    if (Operation *later = state.stale.lookup(value)) {
      SyncViolation *violation = report(SyncViolation::SlotReused, op);
      violation->other = it->second.record;
      violation->second = later;
    }
    clocks.push_back(it->second.clock);
  }
  wait(*stream, op, clocks);
}

//===----------------------------------------------------------------------===//
// Regions and control flow
//===----------------------------------------------------------------------===//

/// A schedule, segment or eager region.
void ScheduleWalker::walkRegion(Operation *op) {
  bool isSegment = isa<SegmentOp>(op);
  if (isSegment)
    checkJoined(SyncViolation::OpenAtCapture, op);

  Operation *outerRegion = std::exchange(region, op);
  Use outerStart = start;
  std::vector<SmallVector<Use, 1>> outerUses(numStreams);
  std::swap(outerUses, state.uses);
  // In a segment the other streams are branches of the graph, and know nothing
  // of what was enqueued on them before.
  std::vector<VectorClock> outerStreams = state.streams;
  isInSegment = isSegment;
  if (isSegment)
    for (unsigned stream = 1; stream < numStreams; ++stream)
      state.streams[stream].clear();
  start = tick(0, op);
  state.uses[0].clear();

  walkBlock(op->getRegion(0).front());
  checkJoined(SyncViolation::Unjoined, op);

  // Nor do the streams outside know of the graph.
  if (isSegment)
    for (unsigned stream = 1; stream < numStreams; ++stream)
      state.streams[stream] = std::move(outerStreams[stream]);
  isInSegment = false;
  std::swap(outerUses, state.uses);
  start = outerStart;
  region = outerRegion;
}

/// The state where either path may have been taken.
void ScheduleWalker::mergeState(State &&other) {
  for (auto [mine, others] : llvm::zip(state.streams, other.streams))
    mine.meet(others);
  for (auto [mine, others] : llvm::zip(state.uses, other.uses))
    for (Use &use : others)
      if (llvm::none_of(mine, [&](Use &known) {
            return known.lane == use.lane && known.tick == use.tick;
          }))
        mine.push_back(use);
  for (auto [value, by] : other.stale)
    state.stale.try_emplace(value, by);
  for (auto &[slot, values] : other.slots)
    for (Value value : values)
      if (!llvm::is_contained(state.slots[slot], value))
        state.slots[slot].push_back(value);
}

/// What is true of an event that may also be `other`.
static void meetEvent(Event &event, const Event &other) {
  event.clock.meet(other.clock);
  for (int64_t slot : other.slots)
    if (!llvm::is_contained(event.slots, slot))
      event.slots.push_back(slot);
  // Waiting for events of two regions is an error wherever it is done.
  if (event.region != other.region)
    event.region = nullptr;
}

void ScheduleWalker::walkBranch(scf::IfOp branch) {
  addStep(Step::Save);
  State entry = state;
  unsigned outer = enterBlock();
  unsigned firstLane = numLanes;
  walkBlock(branch.getThenRegion().front());
  unsigned secondLane = numLanes;
  auto getYielded = [&](Region &region) {
    std::vector<Event> yielded;
    for (Value value : region.front().getTerminator()->getOperands())
      yielded.push_back(getEvent(value));
    return yielded;
  };
  std::vector<Event> thenEvents = getYielded(branch.getThenRegion()),
                     elseEvents = thenEvents;
  std::vector<Operation *> stale(branch.getNumResults());
  auto addStale = [&](Region &region) {
    for (auto [by, value] :
         llvm::zip(stale, region.front().getTerminator()->getOperands()))
      if (Operation *later = state.stale.lookup(value))
        by = later;
  };
  if (branch.getNumResults() != 0)
    addStale(branch.getThenRegion());

  // What only the first path runs is no concern of the second one, and the
  // other way round.
  addStep(Step::Swap);
  State afterThen = std::exchange(state, std::move(entry));
  for (VectorClock &clock : state.streams)
    clock.setAll(firstLane, secondLane);
  block = outer;
  enterBlock();
  if (!branch.getElseRegion().empty()) {
    walkBlock(branch.getElseRegion().front());
    if (branch.getNumResults() != 0) {
      elseEvents = getYielded(branch.getElseRegion());
      addStale(branch.getElseRegion());
    }
  }
  for (VectorClock &clock : afterThen.streams)
    clock.setAll(secondLane, numLanes);
  mergeState(std::move(afterThen));
  block = outer;
  addStep(Step::Merge);

  for (auto [i, value] : llvm::enumerate(branch.getResults())) {
    if (!isa<EventType>(value.getType()))
      continue;
    Event one = thenEvents[i], other = elseEvents[i];
    one.clock.setAll(secondLane, numLanes);
    other.clock.setAll(firstLane, secondLane);
    meetEvent(one, other);
    define(value, one, stale[i]);
  }
}

/// Gives the loop's event arguments what is true of them in every iteration
/// from this state on, when they are `carried` in the first one.
void ScheduleWalker::settleEvents(scf::ForOp loop, ArrayRef<Value> carried) {
  SmallVector<unsigned> indices;
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (isa<EventType>(argument.getType()))
      indices.push_back(i);
  std::vector<std::pair<Event, Operation *>> current;
  for (unsigned i : indices)
    current.push_back({getEvent(carried[i]), state.stale.lookup(carried[i])});
  auto defineAll = [&] {
    for (auto [i, event] : llvm::zip(indices, current))
      define(loop.getRegionIterArg(i), event.first, event.second);
  };
  defineAll();
  if (indices.empty())
    return;

  bool wasQuiet = std::exchange(isQuiet, true);
  unsigned firstLane = numLanes, firstBlock = result.parents.size();
  for (bool isStable = false; !isStable;) {
    State entry = state;
    unsigned outer = enterBlock();
    walkBlock(*loop.getBody());
    isStable = true;
    for (auto [i, event] : llvm::zip(indices, current)) {
      Value yielded = loop.getYieldedValues()[i];
      Event old = event.first, next = getEvent(yielded);
      next.clock.truncate(firstLane);
      meetEvent(event.first, next);
      isStable &= event.first.clock == old.clock &&
                  event.first.slots.size() == old.slots.size() &&
                  event.first.region == old.region;
      Operation *staleBy = state.stale.lookup(yielded);
      if (!event.second && staleBy) {
        event.second = staleBy;
        isStable = false;
      }
    }
    block = outer;
    state = std::move(entry);
    numLanes = firstLane;
    ticks.resize(firstLane);
    lanes.resize(firstBlock);
    result.parents.resize(firstBlock);
    defineAll();
  }
  isQuiet = wasQuiet;
}

/// Any iteration, then any later one: their bodies stand for all pairs.
void ScheduleWalker::walkLoop(scf::ForOp loop) {
  if (loopDepth == kMaxLoopDepth) {
    report(SyncViolation::TooDeep, loop);
    return;
  }
  ++loopDepth;
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound());
  bool mayBeSkipped = !lower || !upper || *lower >= *upper;

  addStep(Step::Save);
  State entry = state;
  unsigned outer = block;
  unsigned firstLane = numLanes;
  SmallVector<Value> carried(loop.getInitArgs());
  SmallVector<Value> yielded(loop.getYieldedValues());
  std::vector<Event> results;
  std::vector<Operation *> stale(loop.getNumResults());
  auto addResults = [&](ArrayRef<Value> values) {
    for (auto [i, value] : llvm::enumerate(values)) {
      results.push_back(getEvent(value));
      if (Operation *by = state.stale.lookup(value))
        stale[i] = by;
    }
  };
  if (mayBeSkipped)
    addResults(carried);

  settleEvents(loop, carried);
  enterBlock();
  walkBlock(*loop.getBody());
  block = outer;
  addResults(yielded);
  State afterFirst = state;
  unsigned secondLane = numLanes;

  settleEvents(loop, yielded);
  enterBlock();
  walkBlock(*loop.getBody());
  block = outer;
  addResults(yielded);

  for (VectorClock &clock : afterFirst.streams)
    clock.setAll(secondLane, numLanes);
  mergeState(std::move(afterFirst));
  if (mayBeSkipped) {
    for (VectorClock &clock : entry.streams)
      clock.setAll(firstLane, numLanes);
    mergeState(std::move(entry));
  }
  addStep(mayBeSkipped ? Step::Merge : Step::Drop);

  unsigned numResults = loop.getNumResults();
  for (auto [i, value] : llvm::enumerate(loop.getResults())) {
    if (!isa<EventType>(value.getType()))
      continue;
    Event event = results[results.size() - numResults + i];
    for (size_t j = i; j + numResults < results.size(); j += numResults) {
      Event &other = results[j];
      bool isSkipped = mayBeSkipped && j < numResults;
      other.clock.setAll(isSkipped ? firstLane : secondLane, numLanes);
      meetEvent(event, other);
    }
    define(value, event, stale[i]);
  }
  --loopDepth;
}

void ScheduleWalker::walkBlock(Block &body) {
  for (Operation &op : body)
    walkOp(&op);
}

void ScheduleWalker::walkOp(Operation *op) {
  if (auto launch = dyn_cast<LaunchOp>(op)) {
    if (auto stream = getStream(op, launch.getStream()))
      execute(op, *stream);
  } else if (auto recordOp = dyn_cast<RecordOp>(op)) {
    std::optional<int64_t> slot;
    if (recordOp.getSlot())
      slot = *recordOp.getSlot();
    if (auto stream = getStream(op, recordOp.getStream()))
      record(op, *stream, recordOp.getEvent(), slot);
  } else if (auto waitOp = dyn_cast<WaitOp>(op)) {
    waitForEvents(waitOp);
  } else if (auto fork = dyn_cast<ForkOp>(op)) {
    auto origin = getStream(op, fork.getOrigin());
    if (!origin)
      return;
    record(op, *origin, Value(), std::nullopt);
    VectorClock clock = getClock(*origin);
    for (Value branch : fork.getBranches())
      if (auto stream = getStream(op, branch))
        wait(*stream, op, clock);
  } else if (auto join = dyn_cast<JoinOp>(op)) {
    SmallVector<VectorClock> clocks;
    for (Value branch : join.getBranches())
      if (auto stream = getStream(op, branch)) {
        record(op, *stream, Value(), std::nullopt);
        clocks.push_back(getClock(*stream));
      }
    if (auto origin = getStream(op, join.getOrigin()))
      wait(*origin, op, clocks);
  } else if (isa<SegmentOp, EagerOp>(op)) {
    walkRegion(op);
  } else if (auto call = dyn_cast<func::CallOp>(op)) {
    if (accesses.mayCapture(SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
            call, call.getCalleeAttr())))
      checkJoined(SyncViolation::OpenAtCapture, op);
    execute(op, 0);
  } else if (auto alloc = dyn_cast<AllocOp>(op)) {
    if (!isQuiet)
      result.steps.push_back({Step::Alloc, 0, alloc.getBuffer()});
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    walkLoop(loop);
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    walkBranch(branch);
  } else if (isa<SchedulableOpInterface>(op)) {
    report(SyncViolation::NoStream, op);
  } else if (!isa<scf::YieldOp>(op) &&
             (op->getNumRegions() != 0 || !isMemoryEffectFree(op))) {
    report(SyncViolation::UnknownOp, op);
  }
}

void ScheduleWalker::run() {
  state.streams.resize(numStreams);
  state.uses.resize(numStreams);
  result.parents.push_back(0);
  lanes.emplace_back(2 * numStreams, -1);
  walkRegion(schedule);
}

//===----------------------------------------------------------------------===//
// HappensBefore
//===----------------------------------------------------------------------===//

HappensBefore::HappensBefore(ScheduleOp schedule,
                             BufferAccessAnalysis &accesses)
    : schedule(schedule) {
  ScheduleWalker(*this, accesses).run();
}

bool HappensBefore::isOrdered(unsigned before, unsigned after) const {
  const Execution &first = executions[before];
  return executions[after].clock[first.lane] >= first.tick;
}

bool HappensBefore::isOrdered(Operation *before, Operation *after) const {
  for (unsigned first : byOp.lookup(before))
    for (unsigned second : byOp.lookup(after))
      if (first < second && !isOrdered(first, second))
        return false;
  return true;
}

bool HappensBefore::isAncestor(unsigned outer, unsigned inner) const {
  while (inner > outer)
    inner = parents[inner];
  return inner == outer;
}

//===----------------------------------------------------------------------===//
// Hazards
//===----------------------------------------------------------------------===//

namespace {

/// Checks accesses one by one against what is left of the earlier ones. A place
/// is one base, or one span of the workspace.
class HazardFinder {
public:
  HazardFinder(const HappensBefore &order, BufferAccessAnalysis &accesses,
               unsigned limit)
      : order(order), accesses(accesses), limit(limit),
        range(getTokenRange(order.getSchedule())) {}

  std::vector<Hazard> run();

private:
  /// An access that later ones have to be ordered after.
  struct Entry {
    unsigned execution;
    BufferAccess access;
  };
  /// The accesses of one base, by part.
  struct BaseEntries {
    Value base;
    PartIndex parts;
    std::vector<std::vector<Entry>> ofPart;
    unsigned numEntries = 0;
  };
  struct Place {
    std::optional<ByteSpan> span;
    unsigned cluster;
    std::vector<BaseEntries> bases; ///< those with entries
  };
  /// Places that may share bytes with each other and with no others.
  struct Cluster {
    std::vector<unsigned> live; ///< places with entries
  };
  /// Whose contents a place holds, on every path to here.
  struct Contents {
    Value owner;
    /// The execution that wrote them, or that took the bytes; ~0 if none.
    unsigned by = ~0u;
    bool isOnSomePath = false;

    bool operator==(const Contents &other) const {
      return owner == other.owner && by == other.by;
    }
  };

  /// What an op touches, and an operand that cannot be followed.
  struct OpAccesses {
    SmallVector<BufferAccess> all;
    OpOperand *unknown = nullptr;
  };

  void findAccesses();
  void findPlaces();
  void findKnownToAll();
  bool isKnownToAll(const Entry &entry, unsigned index) const;
  unsigned getPlace(Value base);
  bool shareBytes(unsigned a, unsigned b) const;
  template <typename Function>
  void forEachNeighbor(unsigned place, Function function);
  void execute(unsigned index);
  void checkContents(unsigned index, ArrayRef<BufferAccess> all);
  void checkOrder(unsigned index, const BufferAccess &access);
  void insert(unsigned index, const BufferAccess &access);
  void write(unsigned index, const BufferAccess &access);
  void merge(std::vector<Contents> &&other);
  void report(Hazard hazard);
  bool isDone() const { return hazards.size() >= limit; }

  const HappensBefore &order;
  BufferAccessAnalysis &accesses;
  unsigned limit;
  TokenRange range;
  std::vector<Hazard> hazards;
  std::vector<Place> places;
  std::vector<Cluster> clusters;
  DenseMap<Value, unsigned> placeOf;
  std::vector<Contents> contents; ///< of each place
  std::vector<std::vector<Contents>> saved;
  DenseSet<Value> everWritten;
  DenseMap<Operation *, OpAccesses> accessesOf;
  /// Bases that the host reads, and whether one of them is in the workspace.
  DenseSet<Value> hostReads;
  bool readsWorkspaceOnHost = false;
  /// What each execution and all after it know to be done.
  std::vector<VectorClock> knownToAll;
  DenseSet<std::tuple<Operation *, Operation *, Value, Value>> reported;
};

} // namespace

void HazardFinder::findAccesses() {
  for (const Execution &execution : order.getExecutions()) {
    auto [it, isNew] = accessesOf.try_emplace(execution.op);
    if (!isNew)
      continue;
    if (auto found = accesses.getAccesses(execution.op, &it->second.unknown))
      it->second.all = std::move(*found);
    for (const BufferAccess &access : it->second.all)
      if (access.isHostRead) {
        hostReads.insert(access.base);
        readsWorkspaceOnHost |= bool(access.base.getDefiningOp<AllocOp>());
      }
  }
}

void HazardFinder::findKnownToAll() {
  ArrayRef<Execution> executions = order.getExecutions();
  knownToAll.resize(executions.size());
  for (size_t index = executions.size(); index-- > 0;) {
    knownToAll[index] = executions[index].clock;
    if (index + 1 < executions.size())
      knownToAll[index].meet(knownToAll[index + 1]);
  }
}

/// Whether everything from the execution `index` on is ordered behind an
/// earlier access, so that it can be forgotten. A host read is in danger though
/// it is ordered.
bool HazardFinder::isKnownToAll(const Entry &entry, unsigned index) const {
  const Execution &execution = order.getExecutions()[entry.execution];
  if (knownToAll[index][execution.lane] < execution.tick)
    return false;
  Value base = entry.access.base;
  return !entry.access.writes() ||
         !(hostReads.contains(base) ||
           (readsWorkspaceOnHost && base.getDefiningOp<AllocOp>()));
}

/// Buffers with equal spans are one place. Places are sorted by their start;
/// where all before end below all after, for every token count, a new cluster
/// begins.
void HazardFinder::findPlaces() {
  struct Bounds {
    __int128 start[2], end[2]; ///< for the first and last token count
    unsigned place;
  };
  std::vector<Bounds> bounds;
  using Key = std::tuple<int64_t, int64_t, int64_t, int64_t>;
  std::map<Key, unsigned> known;
  auto addPlace = [&](std::optional<ByteSpan> span) {
    places.push_back({span, unsigned(clusters.size()), {}});
    clusters.emplace_back();
    return unsigned(places.size() - 1);
  };
  for (const Step &step : order.getSteps()) {
    if (step.kind != Step::Alloc || placeOf.count(step.buffer))
      continue;
    std::optional<ByteSpan> span =
        getByteSpan(step.buffer.getDefiningOp<AllocOp>());
    if (!span || !findSharedByte(*span, *span, range)) {
      // No place, or no bytes.
      placeOf[step.buffer] = addPlace(std::nullopt);
      continue;
    }
    auto [it, isNew] = known.try_emplace({span->startPerToken, span->startFixed,
                                          span->sizePerToken, span->sizeFixed});
    if (isNew) {
      it->second = addPlace(span);
      Bounds bound;
      bound.place = it->second;
      for (int i : {0, 1}) {
        int64_t tokens = i == 0 ? range.first : range.last;
        bound.start[i] =
            __int128(span->startPerToken) * tokens + span->startFixed;
        bound.end[i] = bound.start[i] + __int128(span->sizePerToken) * tokens +
                       span->sizeFixed;
      }
      bounds.push_back(bound);
    }
    placeOf[step.buffer] = it->second;
  }
  // No token count, no bytes.
  if (range.first > range.last || bounds.empty())
    return;
  llvm::stable_sort(bounds, [](const Bounds &a, const Bounds &b) {
    return std::tie(a.start[0], a.start[1]) < std::tie(b.start[0], b.start[1]);
  });
  // Least starts of what comes after each.
  std::vector<std::array<__int128, 2>> least(bounds.size());
  for (size_t i = bounds.size(); i-- > 0;)
    for (int k : {0, 1})
      least[i][k] = i + 1 < bounds.size()
                        ? std::min(bounds[i].start[k], least[i + 1][k])
                        : bounds[i].start[k];
  __int128 end[2] = {0, 0};
  unsigned cluster = 0;
  for (auto [i, bound] : llvm::enumerate(bounds)) {
    if (i == 0 || (end[0] <= least[i][0] && end[1] <= least[i][1]))
      cluster = places[bound.place].cluster;
    places[bound.place].cluster = cluster;
    for (int k : {0, 1})
      end[k] = std::max(end[k], bound.end[k]);
  }
}

unsigned HazardFinder::getPlace(Value base) {
  auto [it, isNew] = placeOf.try_emplace(base, places.size());
  if (isNew) {
    places.push_back({std::nullopt, unsigned(clusters.size()), {}});
    clusters.emplace_back();
    contents.emplace_back();
  }
  return it->second;
}

bool HazardFinder::shareBytes(unsigned a, unsigned b) const {
  return a == b || (places[a].span && places[b].span &&
                    findSharedByte(*places[a].span, *places[b].span, range));
}

/// Calls `function` with each place in use that shares bytes with `place`.
template <typename Function>
void HazardFinder::forEachNeighbor(unsigned place, Function function) {
  std::vector<unsigned> &live = clusters[places[place].cluster].live;
  for (size_t i = 0; i < live.size();) {
    unsigned other = live[i];
    if (places[other].bases.empty()) {
      live[i] = live.back();
      live.pop_back();
      continue;
    }
    ++i;
    if (shareBytes(place, other))
      function(other);
  }
}

void HazardFinder::report(Hazard hazard) {
  if (!isDone() &&
      reported
          .insert({hazard.before ? hazard.before->op : nullptr,
                   hazard.after->op, hazard.beforeBase, hazard.afterBase})
          .second)
    hazards.push_back(hazard);
}

/// Nothing reads a buffer before it is written, or after its bytes went to
/// another one.
void HazardFinder::checkContents(unsigned index, ArrayRef<BufferAccess> all) {
  for (const BufferAccess &access : all) {
    if (!access.needsContents || !access.base.getDefiningOp<AllocOp>())
      continue;
    // One of several buffers: any that holds its contents will do.
    auto holds = [&](const BufferAccess &other) {
      return other.operand == access.operand &&
             contents[getPlace(other.base)].owner == other.base;
    };
    if (holds(access) || (access.isOneOfSeveral && llvm::any_of(all, holds)))
      continue;
    const Contents &now = contents[getPlace(access.base)];
    Hazard hazard{Hazard::Uninitialized};
    hazard.after = &order.getExecutions()[index];
    hazard.afterBase = hazard.beforeBase = access.base;
    hazard.operand = access.operand;
    hazard.onSomePath = now.isOnSomePath;
    if (now.by != ~0u && everWritten.count(access.base)) {
      hazard.kind = Hazard::Overwritten;
      hazard.before = &order.getExecutions()[now.by];
      for (const BufferAccess &write : accessesOf[hazard.before->op].all)
        if (write.writes() && write.base != access.base &&
            mayOverlap(write, access, range)) {
          hazard.beforeBase = write.base;
          hazard.tokens =
              *findSharedByte(*places[getPlace(write.base)].span,
                              *places[getPlace(access.base)].span, range);
        }
    }
    report(hazard);
  }
}

void HazardFinder::checkOrder(unsigned index, const BufferAccess &access) {
  const Execution &after = order.getExecutions()[index];
  unsigned place = getPlace(access.base);
  forEachNeighbor(place, [&](unsigned other) {
    auto isSuperseded = [&](const Entry &entry) {
      if (isKnownToAll(entry, index))
        return true;
      bool isSameBase = entry.access.base == access.base;
      const Execution &before = order.getExecutions()[entry.execution];
      if (!entry.access.writes() && !access.writes())
        return false;
      // What one op does with one buffer is its own affair.
      bool isSameOp = entry.execution == index;
      if (isSameOp && isSameBase)
        return false;
      bool isOrdered = !isSameOp && order.isOrdered(entry.execution, index);
      // The host does not wait for streams.
      bool isHostRead = access.isHostRead && entry.access.writes() && !isSameOp;
      if (!isOrdered || isHostRead) {
        Hazard hazard{};
        hazard.kind = isSameOp     ? Hazard::SharedInOneOp
                      : isHostRead ? Hazard::HostRead
                      : entry.access.writes() && access.reads()
                          ? Hazard::ReadAfterWrite
                      : entry.access.writes() ? Hazard::WriteAfterWrite
                                              : Hazard::WriteAfterRead;
        hazard.before = &before;
        hazard.after = &after;
        hazard.beforeBase = entry.access.base;
        hazard.afterBase = access.base;
        hazard.operand = access.operand;
        if (!isSameBase)
          hazard.tokens =
              findSharedByte(*places[other].span, *places[place].span, range)
                  .value_or(0);
        report(hazard);
        return false;
      }
      // Whatever conflicts with the earlier access conflicts with this one
      // too, and comes after both.
      if (!access.writes() || !order.isAncestor(after.block, before.block))
        return false;
      if (isSameBase)
        return !access.elements.isKnown ||
               access.elements == entry.access.elements;
      return !access.elements.isKnown &&
             (other == place ||
              covers(*places[place].span, *places[other].span, range));
    };
    llvm::erase_if(places[other].bases, [&](BaseEntries &entries) {
      auto check = [&](unsigned part) {
        std::vector<Entry> &ofPart = entries.ofPart[part];
        entries.numEntries -= ofPart.size();
        llvm::erase_if(ofPart, isSuperseded);
        entries.numEntries += ofPart.size();
      };
      if (entries.base == access.base)
        llvm::for_each(entries.parts.findOverlaps(access.elements), check);
      else
        llvm::for_each(llvm::seq(entries.parts.size()), check);
      return entries.numEntries == 0;
    });
  });
}

void HazardFinder::insert(unsigned index, const BufferAccess &access) {
  unsigned place = getPlace(access.base);
  std::vector<BaseEntries> &bases = places[place].bases;
  if (bases.empty() &&
      !llvm::is_contained(clusters[places[place].cluster].live, place))
    clusters[places[place].cluster].live.push_back(place);
  const Execution &after = order.getExecutions()[index];
  auto entries = llvm::find_if(bases, [&](const BaseEntries &known) {
    return known.base == access.base;
  });
  if (entries == bases.end())
    entries = bases.insert(entries, BaseEntries{access.base, {}, {}});
  unsigned part = entries->parts.insert(access.elements);
  entries->ofPart.resize(entries->parts.size());
  std::vector<Entry> &ofPart = entries->ofPart[part];
  entries->numEntries -= ofPart.size();
  // The last of equal accesses of a lane stands for all of them.
  llvm::erase_if(ofPart, [&](const Entry &entry) {
    return order.getExecutions()[entry.execution].lane == after.lane &&
           entry.access.writes() == access.writes() &&
           entry.access.reads() == access.reads();
  });
  ofPart.push_back({index, access});
  entries->numEntries += ofPart.size();
}

/// The bytes now belong to the buffer that was written.
void HazardFinder::write(unsigned index, const BufferAccess &access) {
  unsigned place = getPlace(access.base);
  forEachNeighbor(place, [&](unsigned other) {
    if (other != place && contents[other].owner)
      contents[other] = {Value(), index};
  });
  contents[place] = {access.base, index};
  everWritten.insert(access.base);
}

void HazardFinder::execute(unsigned index) {
  const Execution &execution = order.getExecutions()[index];
  const auto &[all, unknown] = accessesOf[execution.op];
  if (unknown) {
    Hazard hazard{Hazard::UnknownBuffer};
    hazard.after = &execution;
    hazard.operand = unknown;
    report(hazard);
  }
  for (const BufferAccess &access : all) {
    auto alloc = access.base.getDefiningOp<AllocOp>();
    if (alloc && alloc->getParentOfType<ScheduleOp>() != order.getSchedule()) {
      Hazard hazard{Hazard::ForeignBuffer};
      hazard.after = &execution;
      hazard.afterBase = hazard.beforeBase = access.base;
      hazard.operand = access.operand;
      report(hazard);
      return;
    }
    getPlace(access.base);
  }
  checkContents(index, all);
  // First whose bytes these are now, as long as places know what they held.
  for (const BufferAccess &access : all)
    if (access.writes())
      write(index, access);
  for (const BufferAccess &access : all) {
    checkOrder(index, access);
    insert(index, access);
  }
}

/// What holds on both paths.
void HazardFinder::merge(std::vector<Contents> &&other) {
  // A place that the other path did not know.
  other.resize(contents.size());
  for (auto [mine, others] : llvm::zip(contents, other)) {
    if (mine.owner == others.owner)
      continue;
    // Prefer the one that says who took the bytes.
    bool mineTaken = !mine.owner && mine.by != ~0u;
    mine = {Value(),
            mineTaken       ? mine.by
            : !others.owner ? others.by
                            : ~0u,
            /*isOnSomePath=*/true};
  }
}

std::vector<Hazard> HazardFinder::run() {
  findAccesses();
  findPlaces();
  findKnownToAll();
  contents.resize(places.size());
  for (const Step &step : order.getSteps()) {
    if (isDone())
      break;
    switch (step.kind) {
    case Step::Execute:
      execute(step.execution);
      break;
    case Step::Alloc: {
      Contents &now = contents[getPlace(step.buffer)];
      if (now.owner == step.buffer)
        now = {};
      everWritten.erase(step.buffer);
      break;
    }
    case Step::Save:
      saved.push_back(contents);
      break;
    case Step::Swap:
      saved.back().resize(contents.size());
      std::swap(saved.back(), contents);
      break;
    case Step::Merge:
      merge(std::move(saved.back()));
      saved.pop_back();
      break;
    case Step::Drop:
      saved.pop_back();
      break;
    }
  }
  return std::move(hazards);
}

std::vector<Hazard> braid::findHazards(const HappensBefore &order,
                                       BufferAccessAnalysis &accesses,
                                       unsigned limit) {
  return HazardFinder(order, accesses, limit).run();
}
