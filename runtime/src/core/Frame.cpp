//===- Frame.cpp - One way through a compiled function --------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compiled code says, by mode of the frame.
//
//===----------------------------------------------------------------------===//

#include "Frame.h"

#include "Tensor.h"

#include <algorithm>
#include <cstddef>

using namespace braid::runtime;

static constexpr size_t ScheduleFirstVersion =
    offsetof(braid_schedule, workspace_fixed) + sizeof(int64_t);
static constexpr size_t RegionFirstVersion =
    offsetof(braid_region, metadata) + sizeof(void *);
static constexpr size_t DispatchFirstVersion =
    offsetof(braid_dispatch, gate) + sizeof(int32_t);

void Frame::fail(Error error) {
  if (!failure)
    failure = std::move(error);
}

Error Frame::finish(const char *function) {
  if (!failure && (kind != RegionKind::None || !schedules.empty()))
    fail(makeError(BRAID_INTERNAL, "%s returned inside %s '%s'", function,
                   region ? "region" : "schedule",
                   region ? region->name : schedules.back().description->name));
  if (capturing) {
    std::unique_ptr<Graph> discarded;
    (void)backend.endCapture(false, discarded);
    capturing = false;
  }
  return std::move(failure);
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

Error Frame::checkDispatch(const braid_dispatch &dispatch,
                           int64_t tokens) const {
  const char *name = dispatch.name;
  if (!name)
    return Error(BRAID_INTERNAL, "a dispatch has no name");
  if (dispatch.num_bounds < 0 || (dispatch.num_bounds && !dispatch.bounds))
    return makeError(BRAID_INTERNAL,
                     "the tables of dispatch '%s' are incomplete", name);
  if (dispatch.gate != 0 && dispatch.gate != 1)
    return makeError(BRAID_INTERNAL, "gate of dispatch '%s' is %d", name,
                     dispatch.gate);
  if (dispatch.gate && dispatch.num_bounds != 1)
    return makeError(BRAID_INTERNAL,
                     "gate '%s' has %d bounds, expected its threshold only",
                     name, dispatch.num_bounds);
  for (int32_t i = 0; i < dispatch.num_bounds; ++i)
    if (dispatch.bounds[i] < 0 ||
        (i && dispatch.bounds[i] <= dispatch.bounds[i - 1]))
      return makeError(BRAID_INTERNAL,
                       "bound %d of dispatch '%s' is %lld, expected ascending "
                       "numbers, none negative",
                       i, name, static_cast<long long>(dispatch.bounds[i]));
  if (tokens < 0)
    return makeError(BRAID_INTERNAL, "dispatch '%s' for %lld tokens", name,
                     static_cast<long long>(tokens));
  return Error::success();
}

Error Frame::tryDispatch(const braid_dispatch *dispatch, int64_t tokens,
                         int32_t &range) {
  if (!dispatch)
    return Error(BRAID_INTERNAL, "compiled code dispatches by a NULL table");
  if (Error error = checkStructSize("braid_dispatch", dispatch->struct_size,
                                    DispatchFirstVersion))
    return error;
  if (Error error = checkDispatch(*dispatch, tokens))
    return error;
  int64_t threshold = 0;
  if (dispatch->gate) {
    threshold = context.tokenThreshold(dispatch->bounds[0]);
    bool overlaps = threshold > 0 && tokens <= threshold &&
                    (useGraphs || joinsCapture ||
                     tokens >= context.eagerTokenMinimum());
    range = overlaps ? 0 : 1;
  } else {
    range = 0;
    while (range < dispatch->num_bounds && tokens > dispatch->bounds[range])
      ++range;
  }
  if (!isCheck())
    backend.enterDispatch(*dispatch, range, threshold);
  return Error::success();
}

int32_t Frame::dispatch(const braid_dispatch *table, int64_t tokens) {
  int32_t range = 0;
  if (!failed())
    fail(guarded([&] { return tryDispatch(table, tokens, range); }));
  if (!failed())
    return range;
  return table && table->struct_size >= DispatchFirstVersion
             ? std::max(table->num_bounds, 0)
             : 0;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

Error Frame::tryBeginSchedule(const braid_schedule *schedule, int64_t tokens,
                              void *&base) {
  if (!schedule)
    return Error(BRAID_INTERNAL, "compiled code starts a NULL schedule");
  if (Error error = checkStructSize("braid_schedule", schedule->struct_size,
                                    ScheduleFirstVersion))
    return error;
  const char *name = schedule->name;
  if (!name)
    return Error(BRAID_INTERNAL, "a schedule has no name");
  if (kind != RegionKind::None)
    return makeError(BRAID_INTERNAL, "schedule '%s' starts inside region '%s'",
                     name, region->name);
  if (schedule->num_streams < 1 || schedule->num_events < 0)
    return makeError(BRAID_INTERNAL,
                     "schedule '%s' has %d streams and %d events", name,
                     schedule->num_streams, schedule->num_events);
  if (schedule->num_streams - 1 > context.options.max_auxiliary_streams)
    return makeError(BRAID_UNSUPPORTED,
                     "schedule '%s' needs %d auxiliary streams, but the "
                     "context allows %d (max_auxiliary_streams)",
                     name, schedule->num_streams - 1,
                     context.options.max_auxiliary_streams);
  int32_t firstEvent = 0;
  if (!schedules.empty())
    firstEvent =
        schedules.back().firstEvent + schedules.back().description->num_events;
  if (schedule->num_events > MaxEvents - firstEvent)
    return makeError(BRAID_UNSUPPORTED,
                     "schedule '%s' needs %d events and those around it %d, "
                     "expected at most %d",
                     name, schedule->num_events, firstEvent, MaxEvents);
  int64_t bytes = 0;
  if (Error error = workspaceBytes(name, schedule->workspace_per_token,
                                   schedule->workspace_fixed, tokens, bytes))
    return error;
  if (Error error = context.reserve(schedule->num_streams,
                                    firstEvent + schedule->num_events))
    return error;
  Schedule opened = {
      schedule, tokens, nullptr, firstEvent,
      std::vector<Recorded>(schedule->num_events, Recorded::Never)};
  schedules.reserve(schedules.size() + 1);
  if (Error error = context.workspace.push(bytes, opened.base))
    return error;
  base = opened.base;
  schedules.push_back(std::move(opened));
  if (!isCheck())
    backend.enterSchedule(*schedule, bytes);
  if (mode == FrameMode::Execute && context.options.poison && bytes)
    return backend.poison(base, bytes);
  return Error::success();
}

void *Frame::beginSchedule(const braid_schedule *schedule, int64_t tokens) {
  if (failed())
    return nullptr;
  void *base = nullptr;
  if (Error error =
          guarded([&] { return tryBeginSchedule(schedule, tokens, base); })) {
    fail(std::move(error));
    return nullptr;
  }
  return base;
}

void Frame::endSchedule() {
  if (failed())
    return;
  if (schedules.empty() || kind != RegionKind::None)
    return fail(guarded([&]() -> Error {
      return makeError(BRAID_INTERNAL, "compiled code ends %s",
                       schedules.empty() ? "a schedule that did not begin"
                                         : "a schedule inside a region");
    }));
  context.workspace.pop();
  schedules.pop_back();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

Error Frame::checkBegin(const braid_region *begun, const char *what) const {
  if (!begun)
    return makeError(BRAID_INTERNAL, "compiled code starts a NULL %s", what);
  if (Error error = checkStructSize("braid_region", begun->struct_size,
                                    RegionFirstVersion))
    return error;
  if (!begun->name)
    return makeError(BRAID_INTERNAL, "a %s has no name", what);
  if (schedules.empty())
    return makeError(BRAID_INTERNAL, "%s '%s' starts outside a schedule", what,
                     begun->name);
  if (kind != RegionKind::None)
    return makeError(BRAID_INTERNAL, "%s '%s' starts inside region '%s'", what,
                     begun->name, region->name);
  return Error::success();
}

std::string Frame::segmentKey(const braid_region &segment,
                              const braid_tensor *const *liveIns) const {
  std::string key;
  const braid_region *identity = &segment;
  appendToKey(key, identity);
  appendToKey(key, schedules.back().tokens);
  appendToKey(key, schedules.back().base);
  for (int64_t i = 0; i < segment.num_live_ins; ++i) {
    if (segment.metadata &&
        segment.metadata[i] == BRAID_METADATA_DEVICE_TRANSIENT)
      continue;
    if (liveIns[i])
      appendTensorToKey(key, *liveIns[i]);
    else
      appendToKey(key, liveIns[i]);
  }
  return key;
}

Error Frame::tryBeginSegment(const braid_region *segment,
                             const braid_tensor *const *liveIns,
                             bool &runBody) {
  if (mode == FrameMode::Execute)
    return executeSegment(segment, runBody);
  if (Error error = checkBegin(segment, "segment"))
    return error;
  if (segment->num_live_ins < 0)
    return makeError(BRAID_INTERNAL, "segment '%s' has %lld live-ins",
                     segment->name,
                     static_cast<long long>(segment->num_live_ins));
  if (segment->num_live_ins && !liveIns)
    return makeError(BRAID_INTERNAL, "segment '%s' starts without live-ins",
                     segment->name);
  for (int64_t i = 0; i < segment->num_live_ins; ++i)
    if (liveIns[i])
      if (Error error = checkTensor(*liveIns[i]))
        return makeError(BRAID_INTERNAL, "live-in %lld of segment '%s': %s",
                         static_cast<long long>(i), segment->name,
                         error.text().c_str());
  std::string key;
  std::unique_ptr<Graph> *graph = nullptr;
  if (useGraphs) {
    key = segmentKey(*segment, liveIns);
    graph = context.graphs.find(key);
  }
  if (finds()) {
    context.findings.segments.push_back(
        {segment, graph != nullptr,
         graph ? context.graphs.lastUsed()
               : decltype(context.graphs.lastUsed())()});
    // More segments than are kept: a call has to say so.
    if (mode == FrameMode::PrepareEager && useGraphs && !graph)
      context.findings.isRepeatable = false;
  }
  switch (mode) {
  case FrameMode::Check:
    if (useGraphs && !graph && context.options.require_prepared)
      return makeError(BRAID_NOT_PREPARED,
                       "segment '%s' is no longer captured for these "
                       "arguments; max_graphs, %lld, is too small",
                       segment->name,
                       static_cast<long long>(context.options.max_graphs));
    [[fallthrough]];
  case FrameMode::CheckForPrepare:
  case FrameMode::PrepareEager:
    if (graph)
      return Error::success();
    break;
  case FrameMode::Prepare:
    if (graph || !useGraphs)
      return Error::success();
    backend.enterSegment(*segment, SegmentUse::Capture);
    if (Error error = backend.beginCapture())
      return error;
    capturing = true;
    break;
  case FrameMode::Execute:
    break; // has gone another way
  }
  kind = RegionKind::Segment;
  region = segment;
  regionKey = std::move(key);
  const braid_schedule &schedule = *schedules.back().description;
  rules.begin(segment->name, schedule.num_streams, schedule.num_events);
  runBody = true;
  return Error::success();
}

/// Compiled code contradicts what it said when it was checked.
static Error differsFromCheck(const char *what) {
  return makeError(
      BRAID_INTERNAL,
      "compiled code has another %s than when the call was checked", what);
}

Error Frame::executeSegment(const braid_region *segment, bool &runBody) {
  const auto &found = context.findings.segments;
  if (segmentsDone == found.size() || found[segmentsDone].region != segment)
    return differsFromCheck("segment");
  const auto &finding = found[segmentsDone++];
  if (finding.isCaptured) {
    const Graph &graph = *context.graphs.use(finding.graph);
    backend.enterSegment(*segment, SegmentUse::Replay);
    context.counters.replayed += graph.launches;
    ++context.counters.replays;
    return backend.replay(graph);
  }
  backend.enterSegment(*segment, SegmentUse::Eager);
  ++context.counters.eager_segments;
  kind = RegionKind::Segment;
  region = segment;
  runBody = true;
  return Error::success();
}

bool Frame::beginSegment(const braid_region *segment,
                         const braid_tensor *const *liveIns) {
  bool runBody = false;
  if (!failed())
    fail(guarded([&] { return tryBeginSegment(segment, liveIns, runBody); }));
  return runBody && !failed();
}

Error Frame::tryEndSegment() {
  if (!inSegment())
    return Error(BRAID_INTERNAL,
                 "compiled code ends a segment that did not begin");
  if (mode != FrameMode::Execute)
    if (Error error = rules.end())
      return error;
  kind = RegionKind::None;
  region = nullptr;
  if (!capturing)
    return Error::success();
  capturing = false;
  std::unique_ptr<Graph> graph;
  if (Error error = backend.endCapture(true, graph))
    return error;
  context.keepGraph(regionKey, std::move(graph));
  return Error::success();
}

void Frame::endSegment() {
  if (!failed())
    fail(guarded([&] { return tryEndSegment(); }));
}

Error Frame::tryBeginEager(const braid_region *begun, bool &runBody) {
  if (Error error = checkBegin(begun, "eager region"))
    return error;
  if (mode == FrameMode::Prepare)
    return Error::success();
  if (joinsCapture && !context.options.eager_break)
    return makeError(
        BRAID_UNSUPPORTED,
        "eager region '%s' cannot be captured, but the caller is "
        "capturing its stream; end the capture before the call, or "
        "set eager_break of the context's options",
        begun->name);
  kind = RegionKind::Eager;
  region = begun;
  runBody = true;
  if (mode == FrameMode::Execute) {
    if (Error error = breakCapture(0))
      return error;
    backend.enterEager(*begun);
    ++context.counters.breaks;
  }
  return Error::success();
}

Error Frame::breakCapture(int32_t isEnd) {
  if (!joinsCapture)
    return Error::success();
  braid_status status = context.options.eager_break(
      region->name, isEnd, context.options.eager_break_user_data);
  if (status == BRAID_OK)
    return Error::success();
  return makeError(status,
                   "eager_break of the context's options returned '%s' at the "
                   "%s of region '%s'",
                   braid_status_name(status), isEnd ? "end" : "begin",
                   region->name);
}

bool Frame::beginEager(const braid_region *begun) {
  bool runBody = false;
  if (!failed())
    fail(guarded([&] { return tryBeginEager(begun, runBody); }));
  return runBody && !failed();
}

Error Frame::tryEndEager() {
  if (kind != RegionKind::Eager)
    return Error(BRAID_INTERNAL,
                 "compiled code ends an eager region that did not begin");
  if (mode == FrameMode::Execute)
    if (Error error = breakCapture(1))
      return error;
  kind = RegionKind::None;
  region = nullptr;
  return Error::success();
}

void Frame::endEager() {
  if (!failed())
    fail(guarded([&] { return tryEndEager(); }));
}

//===----------------------------------------------------------------------===//
// Launches and events
//===----------------------------------------------------------------------===//

Error Frame::checkStream(int32_t stream, const char *what) const {
  if (schedules.empty())
    return makeError(BRAID_INTERNAL, "%s outside a schedule", what);
  const braid_schedule &schedule = *schedules.back().description;
  if (stream >= 0 && stream < schedule.num_streams)
    return Error::success();
  return makeError(BRAID_INTERNAL,
                   "%s on stream %d of schedule '%s', which has %d streams",
                   what, stream, schedule.name, schedule.num_streams);
}

Error Frame::checkSlot(int32_t slot, const char *what) const {
  const braid_schedule &schedule = *schedules.back().description;
  if (slot >= 0 && slot < schedule.num_events)
    return Error::success();
  return makeError(BRAID_INTERNAL,
                   "%s of event %d of schedule '%s', which has %d events", what,
                   slot, schedule.name, schedule.num_events);
}

Error Frame::tryLaunch(const braid_op *op, int32_t stream,
                       const braid_tensor *const *operands) {
  if (mode == FrameMode::Execute)
    return executeLaunch(op, stream, operands);
  if (Error error = checkOp(op, operands, BRAID_INTERNAL))
    return error;
  if (Error error = checkStream(stream, "launch"))
    return error;
  if (skips())
    return Error::success();
  Launch launch = {nullptr, op, operands, stream, nullptr, 0};
  if (Error error = context.resolve(launch))
    return error;
  if (finds()) {
    context.findings.launches.push_back(
        {op, launch.kernel, launch.scratchBytes});
    for (int64_t i = 0; i < op->num_operands; ++i)
      if (operands[i] && (op->metadata[i] == BRAID_METADATA_HOST ||
                          op->metadata[i] == BRAID_METADATA_DEVICE_TRANSIENT))
        context.findings.isRepeatable = false;
  }
  if (mode == FrameMode::CheckForPrepare)
    if (Error error = backend.prepareLaunch(launch))
      return error;
  if (mode == FrameMode::PrepareEager)
    if (Error error = backend.prepareEagerLaunch(launch))
      return error;
  if (inSegment())
    if (Error error = rules.launch(stream, op->name))
      return error;
  return performs() ? backend.launch(launch) : Error::success();
}

Error Frame::executeLaunch(const braid_op *op, int32_t stream,
                           const braid_tensor *const *operands) {
  const auto &found = context.findings.launches;
  if (launchesDone == found.size() || found[launchesDone].op != op)
    return differsFromCheck("launch");
  const auto &finding = found[launchesDone++];
  Launch launch = {finding.kernel, op,      operands,
                   stream,         nullptr, finding.scratchBytes};
  if (Error error =
          context.scratch.get(stream, launch.scratchBytes, launch.scratch))
    return error;
  ++context.counters.launches;
  return backend.launch(launch);
}

void Frame::launch(const braid_op *op, int32_t stream,
                   const braid_tensor *const *operands) {
  if (!failed())
    fail(guarded([&] { return tryLaunch(op, stream, operands); }));
}

Error Frame::tryRecord(int32_t stream, int32_t slot) {
  // What is enqueued now was checked before.
  if (mode == FrameMode::Execute)
    return backend.record(stream, schedules.back().firstEvent + slot);
  if (Error error = checkStream(stream, "record"))
    return error;
  if (Error error = checkSlot(slot, "record"))
    return error;
  if (skips())
    return Error::success();
  Schedule &schedule = schedules.back();
  if (inSegment())
    if (Error error = rules.record(stream, slot))
      return error;
  schedule.slots[slot] = inSegment() ? Recorded::InSegment : Recorded::Outside;
  return performs() ? backend.record(stream, schedule.firstEvent + slot)
                    : Error::success();
}

void Frame::record(int32_t stream, int32_t slot) {
  if (!failed())
    fail(guarded([&] { return tryRecord(stream, slot); }));
}

Error Frame::tryWait(int32_t stream, int32_t slot) {
  // What is enqueued now was checked before.
  if (mode == FrameMode::Execute)
    return backend.wait(stream, schedules.back().firstEvent + slot);
  if (Error error = checkStream(stream, "wait"))
    return error;
  if (Error error = checkSlot(slot, "wait"))
    return error;
  if (skips())
    return Error::success();
  Schedule &schedule = schedules.back();
  if (inSegment()) {
    if (Error error = rules.wait(stream, slot))
      return error;
  } else if (schedule.slots[slot] != Recorded::Outside) {
    return makeError(BRAID_INTERNAL,
                     "schedule '%s' waits on event %d, which %s",
                     schedule.description->name, slot,
                     schedule.slots[slot] == Recorded::Never
                         ? "was not recorded"
                         : "was recorded inside a segment");
  }
  return performs() ? backend.wait(stream, schedule.firstEvent + slot)
                    : Error::success();
}

void Frame::wait(int32_t stream, int32_t slot) {
  if (!failed())
    fail(guarded([&] { return tryWait(stream, slot); }));
}
