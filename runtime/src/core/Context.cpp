//===- Context.cpp - One user of the runtime ------------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prepares and executes calls.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include "Frame.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

using namespace braid::runtime;

/// Prepared calls that are remembered at least. A key is small next to a
/// graph, so this bound matters only to engines that never repeat a call.
static constexpr size_t MinPreparedCalls = 4096;

static uint64_t nextId() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

Context::Context(const braid_context_options &options,
                 std::unique_ptr<Backend> backend)
    : options(options), backend(std::move(backend)),
      allocator(this->options, *this->backend), workspace(allocator),
      scratch(allocator), graphs(options.max_graphs), id(nextId()),
      preparedCalls(std::max<size_t>(options.max_graphs, MinPreparedCalls)) {}

Context::~Context() {
  // Queued work reads what the members below own.
  backend->finish();
}

Error Context::reserve(int32_t numStreams, int32_t numEvents) {
  if (numStreams > counters.streams) {
    if (Error error = backend->reserveStreams(numStreams))
      return error;
    counters.streams = numStreams;
  }
  if (numEvents > counters.events) {
    if (Error error = backend->reserveEvents(numEvents))
      return error;
    counters.events = numEvents;
  }
  return Error::success();
}

Error Context::resolve(Launch &launch) {
  if (!backend->needsKernels())
    return Error::success();
  if (Error error =
          kernels.resolve(*launch.op, launch.operands, options.scratch_bytes,
                          launch.kernel, launch.scratchBytes))
    return error;
  return scratch.get(launch.stream, launch.scratchBytes, launch.scratch);
}

Error Context::addKernel(const braid_kernel &kernel) {
  ++generation;
  return kernels.add(kernel);
}

void Context::keepGraph(const std::string &key, std::unique_ptr<Graph> graph) {
  graphs.insert(key, std::move(graph), [&](std::unique_ptr<Graph> oldest) {
    backend->retire(std::move(oldest));
  });
  ++counters.captures;
  ++generation;
}

braid_statistics Context::statistics() const {
  braid_statistics result = counters;
  result.graphs = graphs.size();
  result.workspace_bytes = workspace.bytesHeld();
  return result;
}

Error Context::run(const CheckedCall &call, FrameMode mode, bool useGraphs,
                   bool joinsCapture) {
  const braid_function &function = *call.function;
  int64_t bytes = 0;
  if (Error error = workspaceBytes(function.name, function.workspace_per_token,
                                   function.workspace_fixed,
                                   std::max<int64_t>(call.tokens, 0), bytes))
    return error;
  if (Error error = workspace.reserve(bytes))
    return error;
  braid_frame frame(*this, mode, useGraphs, joinsCapture);
  if (mode == FrameMode::Prepare || mode == FrameMode::Execute)
    backend->enterCall(mode == FrameMode::Prepare ? "prepare" : "call",
                       function, call.tokens);
  function.entry(&frame, call.arguments);
  if (mode == FrameMode::Prepare || mode == FrameMode::Execute)
    backend->leaveCall();
  return frame.finish(function.name);
}

void Context::keepFindings(Findings &prepared) {
  if (!findings.isRepeatable)
    return;
  findings.generation = generation;
  findings.workspaceBytes = workspace.bytesHeld();
  prepared = findings;
}

Error Context::prepare(const braid_call *call) {
  CheckedCall checked;
  if (Error error = checkCall(call, checked))
    return error;
  if (checked.tokens == 0)
    return Error::success();
  if (Error error = backend->useCallerStream(checked.stream))
    return error;
  bool isCapturing = false;
  if (Error error = backend->isCallerCapturing(isCapturing))
    return error;
  if (isCapturing)
    return Error(BRAID_INVALID_ARGUMENT,
                 "the caller is capturing its stream, expected braid_prepare "
                 "before that");
  if (Error error = run(checked, FrameMode::CheckForPrepare, true))
    return error;
  if (Error error = run(checked, FrameMode::Prepare, true))
    return error;
  // Scratch has its final place now.
  findings = Findings();
  if (Error error = run(checked, FrameMode::PrepareEager, true))
    return error;
  Findings *prepared = preparedCalls.find(checked.key);
  if (!prepared) {
    preparedCalls.insert(checked.key, Findings(), [](Findings) {});
    prepared = preparedCalls.find(checked.key);
  }
  keepFindings(*prepared);
  return Error::success();
}

Error Context::prepareBuckets(const braid_call *call,
                              const int64_t *tokenCounts,
                              int64_t numTokenCounts) {
  CheckedCall checked;
  if (Error error = checkCall(call, checked))
    return error;
  if (numTokenCounts < 0)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "num_token_counts is %lld, expected no negative number",
                     static_cast<long long>(numTokenCounts));
  if (numTokenCounts > 0 && !tokenCounts)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "token_counts is NULL, expected %lld numbers",
                     static_cast<long long>(numTokenCounts));
  for (int64_t i = 0; i < numTokenCounts; ++i)
    if (tokenCounts[i] < 1 || tokenCounts[i] > checked.tokens)
      return makeError(BRAID_INVALID_ARGUMENT,
                       "%s: token count %lld is %lld, expected 1 to %lld, the "
                       "rows of the arguments",
                       checked.function->name, static_cast<long long>(i),
                       static_cast<long long>(tokenCounts[i]),
                       static_cast<long long>(checked.tokens));
  // The largest one first: smaller ones use the same workspace.
  std::vector<int64_t> counts(tokenCounts, tokenCounts + numTokenCounts);
  std::sort(counts.begin(), counts.end(), std::greater<>());
  for (int64_t count : counts) {
    std::vector<braid_tensor> arguments = takeTokens(checked, count);
    braid_call part = *call;
    part.arguments = arguments.data();
    if (Error error = prepare(&part))
      return error;
  }
  return Error::success();
}

Error Context::execute(const braid_call *call) {
  CheckedCall checked;
  if (Error error = checkCall(call, checked))
    return error;
  if (checked.tokens == 0)
    return Error::success();
  if (Error error = backend->useCallerStream(checked.stream))
    return error;
  bool joins = false;
  if (Error error = backend->isCallerCapturing(joins))
    return error;
  Findings *prepared = preparedCalls.find(checked.key);
  if (!prepared && options.require_prepared)
    return makeError(BRAID_NOT_PREPARED,
                     "%s was not prepared for %lld tokens with arguments at "
                     "these addresses, expected a call that braid_prepare saw",
                     checked.function->name,
                     static_cast<long long>(checked.tokens));
  // A caller's capture takes in each launch, not our graphs.
  bool useGraphs = prepared && !joins;
  // The same call as one that was checked, and nothing has changed since.
  if (useGraphs && prepared->generation == generation &&
      prepared->workspaceBytes == workspace.bytesHeld()) {
    std::swap(findings, *prepared);
    Error error = run(checked, FrameMode::Execute, true);
    std::swap(findings, *prepared);
    return error;
  }
  findings = Findings();
  if (Error error = run(checked, FrameMode::Check, useGraphs, joins))
    return error;
  if (useGraphs)
    keepFindings(*prepared);
  return run(checked, FrameMode::Execute, useGraphs, joins);
}

//===----------------------------------------------------------------------===//
// Code that is written by hand
//===----------------------------------------------------------------------===//

Error Context::checkForCaller(int32_t stream, const char *what) const {
  if (stream >= 0 && stream < counters.streams)
    return Error::success();
  return makeError(BRAID_INVALID_ARGUMENT,
                   "%s on stream %d of a context with %lld streams; "
                   "braid_streams_reserve makes more",
                   what, stream, static_cast<long long>(counters.streams));
}

Error Context::checkForCaller(int32_t stream, int32_t event,
                              const char *what) const {
  if (Error error = checkForCaller(stream, what))
    return error;
  if (event >= 0 && static_cast<size_t>(event) < callerEvents.size())
    return Error::success();
  return makeError(BRAID_INVALID_ARGUMENT,
                   "%s of event %d of a context with %zu events; "
                   "braid_streams_reserve makes more",
                   what, event, callerEvents.size());
}

Error Context::reserveForCaller(int32_t numStreams, int32_t numEvents) {
  if (numStreams < 0 || numEvents < 0)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "%d streams and %d events, expected no negative number",
                     numStreams, numEvents);
  if (numStreams - 1 > options.max_auxiliary_streams)
    return makeError(BRAID_UNSUPPORTED,
                     "%d auxiliary streams, but the context allows %d "
                     "(max_auxiliary_streams)",
                     numStreams - 1, options.max_auxiliary_streams);
  if (numEvents > MaxEvents)
    return makeError(BRAID_UNSUPPORTED, "%d events, expected at most %d",
                     numEvents, MaxEvents);
  // First: it is what some backends cannot do.
  size_t count = std::max<size_t>(callerEvents.size(), numEvents);
  if (Error error = backend->reserveCallerEvents(static_cast<int32_t>(count)))
    return error;
  callerEvents.resize(count, false);
  return reserve(numStreams, 0);
}

Error Context::launchForCaller(int32_t stream, const braid_op *op,
                               const braid_tensor *const *operands) {
  if (Error error = checkOp(op, operands, BRAID_INVALID_ARGUMENT))
    return error;
  if (Error error = checkForCaller(stream, "launch"))
    return error;
  Launch launch = {nullptr, op, operands, stream, nullptr, 0};
  if (Error error = resolve(launch))
    return error;
  ++counters.launches;
  backend->freeFinished();
  return backend->launch(launch);
}

Error Context::recordForCaller(int32_t stream, int32_t event) {
  if (Error error = checkForCaller(stream, event, "record"))
    return error;
  callerEvents[event] = true;
  backend->freeFinished();
  return backend->recordForCaller(stream, event);
}

Error Context::waitForCaller(int32_t stream, int32_t event) {
  if (Error error = checkForCaller(stream, event, "wait"))
    return error;
  if (!callerEvents[event])
    return makeError(BRAID_INVALID_ARGUMENT,
                     "stream %d waits on event %d, which was not recorded",
                     stream, event);
  return backend->waitForCaller(stream, event);
}
