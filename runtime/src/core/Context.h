//===- Context.h - One user of the runtime ----------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owns everything that lives longer than a call: backend, kernels, workspace,
// captured segments and counters. A call goes through the compiled function two
// times: once to check, so that a failure leaves nothing half enqueued, and
// once to capture or to enqueue.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CORE_CONTEXT_H
#define BRAID_RUNTIME_CORE_CONTEXT_H

#include "Allocator.h"
#include "Arguments.h"
#include "Backend.h"
#include "KernelRegistry.h"
#include "LruCache.h"
#include "Scratch.h"
#include "Workspace.h"

#include <atomic>
#include <memory>
#include <string>

namespace braid::runtime {

enum class FrameMode;

/// Most streams and event slots of a context. No schedule comes near them; they
/// keep a wrong number from taking all threads or memory.
constexpr int32_t MaxStreams = 1024;
constexpr int32_t MaxEvents = 65536;

/// Everything behind a braid_context.
class Context {
public:
  Context(const braid_context_options &options,
          std::unique_ptr<Backend> backend);
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  Error prepare(const braid_call *call);
  Error prepareBuckets(const braid_call *call, const int64_t *tokenCounts,
                       int64_t numTokenCounts);
  Error execute(const braid_call *call);
  Error synchronize() { return backend->synchronize(); }

  /// The counters as they are now.
  braid_statistics statistics() const;

  /// The threshold of a gate that was compiled with `compiled`.
  int64_t tokenThreshold(int64_t compiled) const {
    return options.token_threshold >= 0 ? options.token_threshold : compiled;
  }

  /// The fewest tokens for which launches outside graphs are overlapped.
  int64_t eagerTokenMinimum() const {
    return options.eager_token_minimum >= 0 ? options.eager_token_minimum
                                            : backend->eagerTokenMinimum();
  }

  /// Finds kernel and scratch for `launch`, whose op and operands are set.
  Error resolve(Launch &launch);

  /// Puts `kernel` before all others of its name.
  Error addKernel(const braid_kernel &kernel);

  // What code that is written by hand enqueues.
  Error reserveForCaller(int32_t numStreams, int32_t numEvents);
  Error launchForCaller(int32_t stream, const braid_op *op,
                        const braid_tensor *const *operands);
  Error recordForCaller(int32_t stream, int32_t event);
  Error waitForCaller(int32_t stream, int32_t event);

  /// Makes streams and event slots exist, and counts them.
  Error reserve(int32_t numStreams, int32_t numEvents);

  /// Keeps a captured segment, and retires the one unused for longest if there
  /// are too many.
  void keepGraph(const std::string &key, std::unique_ptr<Graph> graph);

  /// What the check of a call found, in order, so that its execution need not
  /// look for it again. Compiled code says the same both times.
  struct Findings {
    struct Launch {
      const braid_op *op;
      const braid_kernel *kernel;
      size_t scratchBytes;
    };
    struct Segment {
      const braid_region *region;
      bool isCaptured;
      LruCache<std::unique_ptr<Graph>>::Handle graph; ///< if it is captured
    };
    std::vector<Launch> launches;
    std::vector<Segment> segments;
    /// False if a kernel was asked about what the key of the call does not
    /// hold: contents of host metadata, or addresses of transient ones.
    bool isRepeatable = true;
    /// Of the context when this was found.
    uint64_t generation = 0;
    int64_t workspaceBytes = 0;
  };
  Findings findings;

  const braid_context_options options;
  const std::unique_ptr<Backend> backend;
  Allocator allocator;
  KernelRegistry kernels;
  Workspace workspace;
  Scratch scratch;
  LruCache<std::unique_ptr<Graph>> graphs;
  braid_statistics counters = {};

  /// Tells contexts apart even if one has the address of an earlier one.
  const uint64_t id;
  /// Set while a thread is inside.
  mutable std::atomic<bool> busy{false};
  /// The sentence about the last failed call.
  mutable std::string lastError;

private:
  /// Lets `call` go through its function once.
  Error run(const CheckedCall &call, FrameMode mode, bool useGraphs,
            bool joinsCapture = false);

  /// Keeps what was found with a prepared call, where it holds for the next.
  void keepFindings(Findings &prepared);

  Error checkForCaller(int32_t stream, const char *what) const;
  Error checkForCaller(int32_t stream, int32_t event, const char *what) const;

  /// For each event of the caller, whether it was recorded.
  std::vector<bool> callerEvents;
  /// Prepared calls, with what the check of the last one found.
  LruCache<Findings> preparedCalls;
  /// Counts changes of kernels and graphs, after which findings are old.
  uint64_t generation = 1;
};

} // namespace braid::runtime

/// The C name of a context.
struct braid_context : braid::runtime::Context {
  using Context::Context;
};

#endif // BRAID_RUNTIME_CORE_CONTEXT_H
