//===- HostBackend.cpp - Kernels on the CPU -------------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enqueues launches, events and replays to the streams.
//
//===----------------------------------------------------------------------===//

#include "HostBackend.h"

#include "Kernels.h"
#include "SmallOps.h"

#include "core/KernelRegistry.h"

#include <algorithm>

using namespace braid::runtime;

/// Launches, events and retired graphs that wait for a drain.
static constexpr size_t MaxUnfreed = 1 << 14;

namespace braid::runtime {

/// A captured segment: what was enqueued, in order.
class HostGraph final : public Graph {
public:
  struct Step {
    Command::Kind kind;
    int32_t stream;
    const LaunchNode *node;
    /// Which record of the segment is meant; each replay has its own events.
    size_t record;
  };

  std::vector<Step> steps;
  std::deque<LaunchNode> nodes;
  size_t numRecords = 0;
  /// While capturing: the last record of each slot.
  std::vector<size_t> slots;
};

} // namespace braid::runtime

Error HostBackend::create(const braid_context_options &options,
                          std::unique_ptr<Backend> &backend) {
  const SmallOps *ops = nullptr;
  if (Error error = selectSmallOps(ops))
    return error;
  backend = std::make_unique<HostBackend>(*ops, options);
  return Error::success();
}

HostBackend::HostBackend(const SmallOps &ops,
                         const braid_context_options &options)
    : ops(ops), options(options) {}

HostBackend::~HostBackend() { drain(); }

Error HostBackend::addKernels(KernelRegistry &registry) {
  return addHostKernels(registry, ops);
}

Error HostBackend::reserveStreams(int32_t count) {
  while (streams.size() < static_cast<size_t>(count))
    streams.push_back(std::make_unique<Stream>(
        failure, Delays(options.delay_seed, streams.size()),
        options.timeline != nullptr));
  return Error::success();
}

Error HostBackend::reserveEvents(int32_t count) {
  slots.resize(count, nullptr);
  return Error::success();
}

void HostBackend::push(int32_t stream, const Command &command) {
  if (inCall)
    pending.emplace_back(stream, command);
  else
    enqueue(stream, command);
}

void HostBackend::enqueue(int32_t stream, const Command &command) {
  // As a device's launch queue does, a full queue holds up its caller.
  if (streams[stream]->isFull())
    for (std::unique_ptr<Stream> &other : streams)
      other->drain();
  streams[stream]->push(command);
}

void HostBackend::drain() {
  for (std::unique_ptr<Stream> &stream : streams)
    stream->drain();
  for (Event *&slot : slots)
    slot = nullptr;
  for (Event *&event : callerEvents)
    event = nullptr;
  events.clear();
  nodes.clear();
  checks.clear();
  retired.clear();
}

void HostBackend::enterCall(const char *, const braid_function &, int64_t) {
  freeFinished();
  pending.clear();
  inCall = true;
}

void HostBackend::leaveCall() {
  inCall = false;
  ContentsCheck check;
  for (const auto &[stream, command] : pending)
    if (command.kind == Command::Run)
      check.add(*command.node);
  if (!check.empty())
    enqueue(0, Command::check(&checks.emplace_back(std::move(check))));
  for (const auto &[stream, command] : pending)
    enqueue(stream, command);
  pending.clear();
}

void HostBackend::freeFinished() {
  // An engine that never synchronizes must not pile up finished work. Between
  // two calls nothing but queued commands points at it.
  if (nodes.size() + events.size() + checks.size() + retired.size() >
      MaxUnfreed)
    drain();
}

Error HostBackend::launch(const Launch &launch) {
  if (capture) {
    capture->nodes.emplace_back(launch);
    capture->steps.push_back(
        {Command::Run, launch.stream, &capture->nodes.back(), 0});
    ++capture->launches;
    return Error::success();
  }
  nodes.emplace_back(launch);
  push(launch.stream, Command::run(&nodes.back()));
  return Error::success();
}

Error HostBackend::record(int32_t stream, int32_t slot) {
  if (capture) {
    capture->slots[slot] = capture->numRecords++;
    capture->steps.push_back(
        {Command::Signal, stream, nullptr, capture->slots[slot]});
    return Error::success();
  }
  slots[slot] = &events.emplace_back();
  push(stream, Command::signal(slots[slot]));
  return Error::success();
}

Error HostBackend::wait(int32_t stream, int32_t slot) {
  if (capture) {
    capture->steps.push_back(
        {Command::Wait, stream, nullptr, capture->slots[slot]});
    return Error::success();
  }
  push(stream, Command::wait(slots[slot]));
  return Error::success();
}

Error HostBackend::poison(void *memory, int64_t bytes) {
  push(0, Command::poison(memory, bytes));
  return Error::success();
}

Error HostBackend::reserveCallerEvents(int32_t count) {
  callerEvents.resize(count, nullptr);
  return Error::success();
}

Error HostBackend::recordForCaller(int32_t stream, int32_t event) {
  callerEvents[event] = &events.emplace_back();
  push(stream, Command::signal(callerEvents[event]));
  return Error::success();
}

Error HostBackend::waitForCaller(int32_t stream, int32_t event) {
  if (callerEvents[event])
    push(stream, Command::wait(callerEvents[event]));
  return Error::success();
}

Error HostBackend::beginCapture() {
  capture = std::make_unique<HostGraph>();
  capture->slots.resize(slots.size(), 0);
  return Error::success();
}

Error HostBackend::endCapture(bool keep, std::unique_ptr<Graph> &graph) {
  if (keep)
    graph = std::move(capture);
  capture.reset();
  return Error::success();
}

Error HostBackend::replay(const Graph &graph) {
  const auto &host = static_cast<const HostGraph &>(graph);
  std::vector<Event *> records(host.numRecords);
  for (Event *&event : records)
    event = &events.emplace_back();
  for (const HostGraph::Step &step : host.steps)
    push(step.stream, step.kind == Command::Run ? Command::run(step.node)
                      : step.kind == Command::Signal
                          ? Command::signal(records[step.record])
                          : Command::wait(records[step.record]));
  return Error::success();
}

void HostBackend::retire(std::unique_ptr<Graph> graph) {
  retired.push_back(std::move(graph));
}

void HostBackend::reportTimeline() {
  std::vector<std::pair<Measured, int32_t>> all;
  for (size_t i = 0; i < streams.size(); ++i) {
    for (const Measured &measured : streams[i]->getMeasured())
      all.emplace_back(measured, static_cast<int32_t>(i));
    streams[i]->getMeasured().clear();
  }
  std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) {
    return a.first.start < b.first.start;
  });
  using Microseconds = std::chrono::duration<double, std::micro>;
  for (const auto &[measured, stream] : all) {
    if (!hasOrigin)
      origin = measured.start;
    hasOrigin = true;
    braid_timeline_entry entry = {};
    entry.struct_size = sizeof(entry);
    entry.op = measured.op->name;
    entry.location = measured.op->location ? measured.op->location : "";
    entry.stream = stream;
    entry.start = Microseconds(measured.start - origin).count();
    entry.duration = Microseconds(measured.end - measured.start).count();
    options.timeline(&entry, options.timeline_user_data);
  }
}

Error HostBackend::synchronize() {
  drain();
  if (options.timeline)
    reportTimeline();
  return failure.take();
}
