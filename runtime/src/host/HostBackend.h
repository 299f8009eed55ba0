//===- HostBackend.h - Kernels on the CPU -----------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams are queues with a thread each, events are real, and a captured
// segment is a list of calls that is replayed with its recorded arguments, as a
// CUDA graph would be. A missing edge or a stale argument thus shows on any
// machine.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_HOST_HOSTBACKEND_H
#define BRAID_RUNTIME_HOST_HOSTBACKEND_H

#include "ContentsCheck.h"
#include "LaunchNode.h"
#include "Stream.h"

#include "core/Backend.h"

#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace braid::runtime {

struct SmallOps;
class HostGraph;

/// The default backend.
class HostBackend final : public Backend {
public:
  /// Makes a backend with the small ops that this machine is best at, or that
  /// the environment asks for.
  static Error create(const braid_context_options &options,
                      std::unique_ptr<Backend> &backend);

  HostBackend(const SmallOps &ops, const braid_context_options &options);
  ~HostBackend() override;

  Error addKernels(KernelRegistry &registry) override;
  Error reserveStreams(int32_t count) override;
  Error reserveEvents(int32_t count) override;
  Error launch(const Launch &launch) override;
  Error record(int32_t stream, int32_t slot) override;
  Error wait(int32_t stream, int32_t slot) override;
  Error poison(void *memory, int64_t bytes) override;
  Error reserveCallerEvents(int32_t count) override;
  Error recordForCaller(int32_t stream, int32_t event) override;
  Error waitForCaller(int32_t stream, int32_t event) override;
  void freeFinished() override;
  Error beginCapture() override;
  Error endCapture(bool keep, std::unique_ptr<Graph> &graph) override;
  Error replay(const Graph &graph) override;
  void retire(std::unique_ptr<Graph> graph) override;
  Error synchronize() override;
  void enterCall(const char *verb, const braid_function &function,
                 int64_t tokens) override;
  void leaveCall() override;

private:
  /// Enqueues a command, or keeps it until the end of the call.
  void push(int32_t stream, const Command &command);
  void enqueue(int32_t stream, const Command &command);
  void drain();

  /// Tells the engine when launches ran.
  void reportTimeline();

  const SmallOps &ops;
  const braid_context_options options;
  /// When the first launch that was measured began.
  Measured::Clock::time_point origin;
  bool hasOrigin = false;
  FirstFailure failure;
  /// The record of each slot that was enqueued last.
  std::vector<Event *> slots;
  /// The same for events of code that is written by hand; NULL: it is done.
  std::vector<Event *> callerEvents;
  std::unique_ptr<HostGraph> capture;
  /// Commands of the call that is gone through: its checks come first, and are
  /// known last.
  std::vector<std::pair<int32_t, Command>> pending;
  bool inCall = false;

  // What queued commands point at; freed by a drain, by this thread only.
  std::deque<Event> events;
  std::deque<LaunchNode> nodes;
  std::deque<ContentsCheck> checks;
  std::vector<std::unique_ptr<Graph>> retired;

  // Last, so that the workers stop before anything else goes.
  std::vector<std::unique_ptr<Stream>> streams;
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_HOST_HOSTBACKEND_H
