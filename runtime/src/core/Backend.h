//===- Backend.h - What a backend has to do ---------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The border between the core, which knows calls, regions and keys, and the
// place where kernels run. The core has checked everything before it calls:
// streams and event slots exist, waits have a record, capture rules hold.
//
// While a capture is open, launch, record and wait add to the graph and execute
// nothing; so a backend may build on a stream capture of its device or keep a
// list of its own.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CORE_BACKEND_H
#define BRAID_RUNTIME_CORE_BACKEND_H

#include "Error.h"

#include "braid/compiled.h"

#include <memory>

namespace braid::runtime {

class KernelRegistry;

/// A launch with everything resolved.
struct Launch {
  const braid_kernel *kernel; ///< lives as long as the context
  const braid_op *op;
  const braid_tensor *const *operands; ///< valid during the call only
  int32_t stream;
  void *scratch;
  size_t scratchBytes;
};

/// A captured segment. Each backend derives its own.
class Graph {
public:
  virtual ~Graph();
  /// Kernels that one replay launches.
  int64_t launches = 0;
};

/// How a segment is gone through; for traces and timelines.
enum class SegmentUse { Capture, Replay, Eager };

/// Runs kernels somewhere. Used from one thread at a time.
class Backend {
public:
  virtual ~Backend();

  /// Registers the kernels that come with the backend.
  virtual Error addKernels(KernelRegistry &) { return Error::success(); }

  /// False if launches execute nothing and therefore need no kernel.
  virtual bool needsKernels() const { return true; }

  /// The fewest tokens for which it pays to overlap launches outside graphs,
  /// unless the context's options say.
  virtual int64_t eagerTokenMinimum() const { return 0; }

  /// Memory for workspace and scratch, aligned to MemoryAlignment, or NULL.
  virtual void *allocate(size_t bytes);
  virtual void deallocate(void *memory, size_t bytes);

  /// Copies between memory of the backend and of the host. Nothing is running.
  virtual Error copy(void *to, const void *from, size_t bytes);

  /// Makes the caller's stream stream 0 of the calls that follow.
  virtual Error useCallerStream(void *stream);

  /// Whether the caller is capturing that stream, so that what is enqueued
  /// joins its capture.
  virtual Error isCallerCapturing(bool &capturing);

  /// Makes streams 0 .. count - 1 and event slots 0 .. count - 1 exist.
  virtual Error reserveStreams(int32_t count) = 0;
  virtual Error reserveEvents(int32_t count) = 0;

  /// Told at prepare, before anything is captured, of each launch: makes what
  /// the launch itself must not make.
  virtual Error prepareLaunch(const Launch &) { return Error::success(); }

  /// Told at the end of prepare of each launch that will be outside graphs,
  /// with its scratch: makes what saves the launch time.
  virtual Error prepareEagerLaunch(const Launch &) { return Error::success(); }

  virtual Error launch(const Launch &launch) = 0;
  virtual Error record(int32_t stream, int32_t slot) = 0;
  virtual Error wait(int32_t stream, int32_t slot) = 0;

  /// Fills workspace with 0xFF bytes, on stream 0. Only backends whose option
  /// `poison` says something do it.
  virtual Error poison(void *memory, int64_t bytes);

  /// Events of code that is written by hand, beside those of schedules. They
  /// may be waited on after calls and synchronizations in between. Backends
  /// whose streams belong to the engine have none.
  virtual Error reserveCallerEvents(int32_t count);
  virtual Error recordForCaller(int32_t stream, int32_t event);
  virtual Error waitForCaller(int32_t stream, int32_t event);

  /// What braid_prepare found out by timing, to and from a file.
  virtual Error saveTuning(const char *path) const;
  virtual Error loadTuning(const char *path);

  /// Told now and then outside calls: what finished work held may go.
  virtual void freeFinished() {}

  virtual Error beginCapture() = 0;
  /// Ends the capture and sets `graph`, or, if `keep` is false, discards it.
  virtual Error endCapture(bool keep, std::unique_ptr<Graph> &graph) = 0;
  virtual Error replay(const Graph &graph) = 0;
  /// Takes a graph that may still be running and frees it when it is done.
  virtual void retire(std::unique_ptr<Graph> graph) = 0;

  /// Waits for everything enqueued; returns the first failure since the last
  /// call.
  virtual Error synchronize() = 0;

  /// Waits for everything enqueued before the context goes. The caller's stream
  /// may be gone already.
  virtual void finish() { (void)synchronize(); }

  /// Told before the work itself.
  virtual void enterCall(const char *, const braid_function &, int64_t) {}
  virtual void enterDispatch(const braid_dispatch &, int32_t /*range*/,
                             int64_t /*threshold*/) {}
  virtual void enterSchedule(const braid_schedule &, int64_t) {}
  virtual void enterSegment(const braid_region &, SegmentUse) {}
  virtual void enterEager(const braid_region &) {}
  /// Told after the work of a call.
  virtual void leaveCall() {}
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CORE_BACKEND_H
