//===- Timeline.cpp - When a schedule's work is predicted to run ----------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One clock a stream. Only straight-line schedules have one timeline; anything
// that the host decides while it enqueues is an error.
//
//===----------------------------------------------------------------------===//

#include "braid/Target/Timeline.h"

#include "braid/Analysis/CaptureAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <limits>

using namespace mlir;
using namespace braid;
using namespace braid::sched;

StringRef TimedRegion::getKindName() const {
  switch (kind) {
  case Segment:
    return "segment";
  case Eager:
    return "eager";
  case Body:
    return "body";
  }
  llvm_unreachable("unknown kind of region");
}

std::string Timeline::getRange() const {
  if (!lastTokens)
    return firstTokens == 0 ? "any T" : ("T > " + Twine(firstTokens - 1)).str();
  if (*lastTokens < firstTokens)
    return "no T";
  if (firstTokens == 0)
    return ("T <= " + Twine(*lastTokens)).str();
  return ("T = " + Twine(firstTokens) + " to " + Twine(*lastTokens)).str();
}

bool Timeline::isChosen() const {
  return tokens >= firstTokens && (!lastTokens || tokens <= *lastTokens);
}

unsigned Timeline::countUsedStreams() const {
  llvm::SmallDenseSet<unsigned> used = {0};
  for (const TimedLaunch &launch : launches)
    used.insert(launch.stream);
  return used.size();
}

double Timeline::getLargestLiveSet() const {
  llvm::MapVector<Value, std::pair<double, double>> lifetimes;
  for (const TimedLaunch &launch : launches)
    for (Value operand : launch.op->getOperands()) {
      if (!isa<BaseMemRefType>(operand.getType()))
        continue;
      Value source = getViewSource(operand);
      if (!source.getDefiningOp<AllocOp>())
        continue;
      auto [it, isNew] = lifetimes.insert({source, {launch.start, launch.end}});
      it->second.first = std::min(it->second.first, launch.start);
      it->second.second = std::max(it->second.second, launch.end);
    }
  // Where one ends and another begins, the two are not live together.
  std::vector<std::pair<double, double>> changes; // time, bytes
  for (auto &[buffer, lifetime] : lifetimes) {
    double bytes = countBytes(buffer.getType(), tokens);
    changes.push_back({lifetime.first, bytes});
    changes.push_back({lifetime.second, -bytes});
  }
  llvm::sort(changes);
  double live = 0, largest = 0;
  for (auto [time, bytes] : changes)
    largest = std::max(largest, live += bytes);
  return largest;
}

/// The first name in a location; empty if there is none.
static StringRef getLocationName(Location loc) {
  if (auto name = loc->findInstanceOf<NameLoc>())
    return name.getName().getValue();
  return "";
}

namespace {

/// What a call of a function with schedules costs.
struct CalleeCost {
  double end = 0, serial = 0, flops = 0, bytes = 0;
};

/// Plays schedules; remembers what callees cost.
class Player {
public:
  Player(const CostModel &model, int64_t tokens)
      : model(model), tokens(tokens) {}

  FailureOr<Timeline> play(ScheduleOp schedule);

  /// The token counts for which the schedule runs; all other fields empty.
  Timeline begin(ScheduleOp schedule);

private:
  FailureOr<CalleeCost> playCallee(func::CallOp call);

  const CostModel &model;
  int64_t tokens;
  llvm::DenseMap<Operation *, CalleeCost> callees;
  llvm::SmallPtrSet<Operation *, 8> active; ///< functions being played
  friend class SchedulePlayer;
};

/// An event as it stands when it is recorded.
struct RecordedEvent {
  unsigned stream;
  std::optional<unsigned> launch;
  double time;
};

/// Plays one schedule.
class SchedulePlayer {
public:
  SchedulePlayer(Player &player, Timeline &timeline)
      : player(player), timeline(timeline), time(timeline.numStreams, 0.0),
        lastLaunch(timeline.numStreams), openWaits(timeline.numStreams) {}

  LogicalResult run();

private:
  LogicalResult playOp(Operation &op);
  LogicalResult playLaunch(LaunchOp launch);
  LogicalResult playCall(func::CallOp call);
  LogicalResult playWait(Operation *op, Value stream, ValueRange events);
  void wait(unsigned stream, const RecordedEvent &event);
  FailureOr<RecordedEvent> record(Operation *op, Value stream);
  void addLaunch(Operation *op, unsigned stream, double duration, double serial,
                 double flops, double bytes, bool isCall);
  void openRegion(TimedRegion::Kind kind, StringRef name);
  void closeRegion();
  FailureOr<unsigned> getStream(Operation *op, Value stream);

  Player &player;
  Timeline &timeline;
  std::vector<double> time; ///< when each stream is done with what it has
  bool isOpen = false;      ///< whether the last region still grows
  std::vector<std::optional<unsigned>> lastLaunch; ///< in the open region
  /// Waits of each stream that no launch follows yet.
  std::vector<SmallVector<unsigned>> openWaits;
  DenseMap<Value, RecordedEvent> events;
  llvm::StringMap<unsigned> numbers; ///< launches without a name, by kind
};

} // namespace

void SchedulePlayer::openRegion(TimedRegion::Kind kind, StringRef name) {
  timeline.regions.push_back({kind, name.str(), time[0], time[0]});
  isOpen = true;
  llvm::fill(lastLaunch, std::nullopt);
  for (SmallVector<unsigned> &waits : openWaits)
    waits.clear();
  // Work that lies in the schedule itself may run beside later regions.
  if (kind != TimedRegion::Body)
    for (double &t : time)
      t = std::max(t, time[0]);
}

void SchedulePlayer::closeRegion() {
  if (!isOpen)
    return;
  isOpen = false;
  TimedRegion &region = timeline.regions.back();
  region.end = std::max(region.end, time[0]);
  if (region.kind != TimedRegion::Body)
    time[0] = region.end;
}

FailureOr<unsigned> SchedulePlayer::getStream(Operation *op, Value stream) {
  auto argument = dyn_cast<BlockArgument>(stream);
  if (argument && argument.getOwner()->getParentOp() == timeline.schedule)
    return argument.getArgNumber();
  return op->emitOpError(
      "cannot be timed: its stream is no block argument of the schedule");
}

void SchedulePlayer::addLaunch(Operation *op, unsigned stream, double duration,
                               double serial, double flops, double bytes,
                               bool isCall) {
  TimedLaunch launch;
  launch.op = op;
  launch.kind = op->getName().stripDialect().str();
  launch.name = getLocationName(op->getLoc()).str();
  // Calls and registered kernels have a name of their own.
  if (launch.name.empty())
    for (NamedAttribute attribute : op->getAttrs())
      if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute.getValue())) {
        launch.name = ("@" + symbol.getValue()).str();
        break;
      }
  if (launch.name.empty())
    launch.name = (launch.kind + Twine(numbers[launch.kind]++)).str();
  launch.stream = stream;
  launch.region = timeline.regions.size() - 1;
  launch.start = time[stream];
  launch.end = launch.start + duration;
  launch.flops = flops;
  launch.bytes = bytes;
  launch.isCall = isCall;
  unsigned index = timeline.launches.size();
  for (unsigned wait : openWaits[stream])
    timeline.waits[wait].to = index;
  openWaits[stream].clear();
  lastLaunch[stream] = index;
  time[stream] = launch.end;
  TimedRegion &region = timeline.regions.back();
  region.end = std::max(region.end, launch.end);
  timeline.serial += serial;
  timeline.flops += flops;
  timeline.bytes += bytes;
  timeline.launches.push_back(std::move(launch));
}

LogicalResult SchedulePlayer::playLaunch(LaunchOp launch) {
  FailureOr<unsigned> stream = getStream(launch, launch.getStream());
  if (failed(stream))
    return failure();
  auto op = cast<SchedulableOpInterface>(launch.getLaunchedOp());
  double duration = player.model.getMicroseconds(op, player.tokens);
  Cost cost = op.getCost(player.tokens);
  addLaunch(op, *stream, duration, duration, cost.flops, cost.bytes,
            /*isCall=*/false);
  return success();
}

LogicalResult SchedulePlayer::playCall(func::CallOp call) {
  FailureOr<CalleeCost> cost = player.playCallee(call);
  if (failed(cost))
    return failure();
  addLaunch(call, /*stream=*/0, cost->end, cost->serial, cost->flops,
            cost->bytes, /*isCall=*/true);
  return success();
}

FailureOr<RecordedEvent> SchedulePlayer::record(Operation *op, Value value) {
  FailureOr<unsigned> stream = getStream(op, value);
  if (failed(stream))
    return failure();
  ++timeline.numRecords;
  return RecordedEvent{*stream, lastLaunch[*stream], time[*stream]};
}

void SchedulePlayer::wait(unsigned stream, const RecordedEvent &event) {
  TimedWait wait;
  wait.region = timeline.regions.size() - 1;
  wait.fromStream = event.stream;
  wait.toStream = stream;
  wait.from = event.launch;
  wait.recorded = event.time;
  wait.begin = time[stream];
  wait.end = std::max(wait.begin, event.time) +
             player.model.getFacts().waitMicroseconds;
  time[stream] = wait.end;
  if (event.launch)
    timeline.launches[*event.launch].isAwaited = true;
  openWaits[stream].push_back(timeline.waits.size());
  timeline.waits.push_back(wait);
}

LogicalResult SchedulePlayer::playWait(Operation *op, Value value,
                                       ValueRange waited) {
  FailureOr<unsigned> stream = getStream(op, value);
  if (failed(stream))
    return failure();
  for (Value event : waited) {
    auto it = events.find(event);
    if (it == events.end())
      return op->emitOpError("cannot be timed: it waits for an event that no "
                             "record before it gives");
    wait(*stream, it->second);
  }
  return success();
}

LogicalResult SchedulePlayer::playOp(Operation &op) {
  if (auto launch = dyn_cast<LaunchOp>(op))
    return playLaunch(launch);
  if (auto call = dyn_cast<func::CallOp>(op))
    return playCall(call);
  if (auto recordOp = dyn_cast<RecordOp>(op)) {
    FailureOr<RecordedEvent> event = record(&op, recordOp.getStream());
    if (succeeded(event))
      events[recordOp.getEvent()] = *event;
    return event;
  }
  if (auto waitOp = dyn_cast<WaitOp>(op))
    return playWait(&op, waitOp.getStream(), waitOp.getEvents());
  if (auto fork = dyn_cast<ForkOp>(op)) {
    FailureOr<RecordedEvent> event = record(&op, fork.getOrigin());
    if (failed(event))
      return failure();
    for (Value branch : fork.getBranches()) {
      FailureOr<unsigned> stream = getStream(&op, branch);
      if (failed(stream))
        return failure();
      wait(*stream, *event);
    }
    return success();
  }
  auto join = cast<JoinOp>(op);
  FailureOr<unsigned> origin = getStream(&op, join.getOrigin());
  if (failed(origin))
    return failure();
  for (Value branch : join.getBranches()) {
    FailureOr<RecordedEvent> event = record(&op, branch);
    if (failed(event))
      return failure();
    wait(*origin, *event);
  }
  return success();
}

/// Whether an op only computes values, buffers or views of them.
static bool isValue(Operation &op) {
  return isa<AllocOp>(op) ||
         (op.getNumRegions() == 0 && isMemoryEffectFree(&op));
}

static InFlightDiagnostic emitUnknownOp(Operation &op) {
  return op.emitOpError("cannot be timed: expected straight-line code of "
                        "launches, records, waits, calls and views");
}

LogicalResult SchedulePlayer::run() {
  for (Operation &op : timeline.schedule.getBody().front()) {
    if (isValue(op))
      continue;
    if (isa<LaunchOp, RecordOp, WaitOp, ForkOp, JoinOp, func::CallOp>(op)) {
      if (!isOpen)
        openRegion(TimedRegion::Body, "");
      if (failed(playOp(op)))
        return failure();
      continue;
    }
    auto segment = dyn_cast<SegmentOp>(op);
    auto eager = dyn_cast<EagerOp>(op);
    if (!segment && !eager)
      return emitUnknownOp(op);
    closeRegion();
    openRegion(segment ? TimedRegion::Segment : TimedRegion::Eager,
               (segment ? segment.getName() : eager.getName()).value_or(""));
    for (Operation &inner : op.getRegion(0).front()) {
      if (isValue(inner))
        continue;
      if (!isa<LaunchOp, RecordOp, WaitOp, ForkOp, JoinOp, func::CallOp>(inner))
        return emitUnknownOp(inner);
      if (failed(playOp(inner)))
        return failure();
    }
    closeRegion();
  }
  closeRegion();
  timeline.end = time[0];
  for (const TimedRegion &region : timeline.regions)
    timeline.end = std::max(timeline.end, region.end);
  return success();
}

Timeline Player::begin(ScheduleOp schedule) {
  Timeline timeline;
  timeline.schedule = schedule;
  timeline.tokens = tokens;
  timeline.numStreams = schedule.getNumStreams();
  if (auto function = schedule->getParentOfType<func::FuncOp>())
    timeline.function = function.getSymName().str();
  for (Region *region = schedule->getParentRegion(); region;
       region = region->getParentRegion()) {
    auto dispatch = dyn_cast<DispatchOp>(region->getParentOp());
    if (!dispatch)
      continue;
    ArrayRef<int64_t> bounds = dispatch.getBounds();
    unsigned index = region->getRegionNumber();
    if (index > 0 && bounds[index - 1] < std::numeric_limits<int64_t>::max())
      timeline.firstTokens =
          std::max(timeline.firstTokens, bounds[index - 1] + 1);
    if (index < bounds.size())
      timeline.lastTokens =
          std::min(timeline.lastTokens.value_or(bounds[index]), bounds[index]);
  }
  return timeline;
}

FailureOr<Timeline> Player::play(ScheduleOp schedule) {
  Timeline timeline = begin(schedule);
  auto function = schedule->getParentOfType<func::FuncOp>();
  bool isNew = active.insert(function).second;
  LogicalResult result = SchedulePlayer(*this, timeline).run();
  if (isNew)
    active.erase(function);
  if (failed(result))
    return failure();
  return timeline;
}

FailureOr<CalleeCost> Player::playCallee(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  auto fail = [&](StringRef why) {
    return call.emitOpError()
           << "cannot be timed: '@" << call.getCallee() << "' " << why;
  };
  if (!callee)
    return fail("is no function");
  auto known = callees.find(callee);
  if (known != callees.end())
    return known->second;
  if (active.contains(callee))
    return fail("calls itself");
  CalleeCost cost;
  bool hasSchedule = false;
  WalkResult result = callee.walk([&](ScheduleOp schedule) {
    hasSchedule = true;
    if (!begin(schedule).isChosen())
      return WalkResult::advance();
    FailureOr<Timeline> timeline = play(schedule);
    if (failed(timeline))
      return WalkResult::interrupt();
    cost.end += timeline->end;
    cost.serial += timeline->serial;
    cost.flops += timeline->flops;
    cost.bytes += timeline->bytes;
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (!hasSchedule)
    return fail("has no schedule");
  callees[callee] = cost;
  return cost;
}

FailureOr<std::vector<Timeline>>
braid::computeTimelines(ModuleOp module, int64_t tokens, bool onlyChosen) {
  if (tokens < 0) {
    emitError(module.getLoc())
        << "tokens is " << tokens << "; expected 0 or more";
    return failure();
  }
  FailureOr<CostModel> model = CostModel::get(module);
  if (failed(model))
    return failure();
  Player player(*model, tokens);
  std::vector<Timeline> timelines;
  WalkResult result = module.walk([&](ScheduleOp schedule) {
    if (onlyChosen && !player.begin(schedule).isChosen())
      return WalkResult::advance();
    FailureOr<Timeline> timeline = player.play(schedule);
    if (failed(timeline))
      return WalkResult::interrupt();
    timelines.push_back(std::move(*timeline));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return timelines;
}
