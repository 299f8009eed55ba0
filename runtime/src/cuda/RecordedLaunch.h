//===- RecordedLaunch.h - Launches of a library, repeated -------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of cuBLASLt costs the host twice what the launch of its kernels does.
// Where the same call comes again with the same operands, its kernels are
// launched directly, from the nodes of a graph that captured the first one.
// What makes that sound is what makes the replay of a graph sound: a node holds
// all that its kernel depends on.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CUDA_RECORDEDLAUNCH_H
#define BRAID_RUNTIME_CUDA_RECORDEDLAUNCH_H

#include "core/Backend.h"
#include "core/Error.h"
#include "core/LruCache.h"

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <string>

namespace braid::runtime {

/// The kernels of one launch, in order.
class RecordedLaunch {
public:
  virtual ~RecordedLaunch();

  /// Captures what `enqueue` enqueues on `stream`, where nothing of it runs.
  /// Sets `recorded` to NULL where that is anything but kernels one after
  /// another, or the driver is too old to say.
  static Error record(cudaStream_t stream,
                      const std::function<Error()> &enqueue,
                      std::unique_ptr<RecordedLaunch> &recorded);

  /// Enqueues the kernels on a stream of the same device.
  virtual Error launch(cudaStream_t stream) const = 0;
};

/// Recorded launches of a context, by stream and operands. Bounded: the one
/// that was unused for longest goes.
class LaunchRecords {
public:
  explicit LaunchRecords(size_t capacity) : records(capacity) {}

  /// The record of a launch whose kernel depends on nothing but the operands'
  /// addresses, sizes, strides and types; NULL without one.
  const RecordedLaunch *find(const Launch &launch);

  /// Whether a record was added, be it NULL.
  bool contains(const Launch &launch) {
    return records.contains(keyOf(launch));
  }

  /// Adds one for `launch`, for which there is none. NULL says that it cannot
  /// be recorded.
  void add(const Launch &launch, std::unique_ptr<RecordedLaunch> recorded);

  size_t size() const { return records.size(); }
  void clear() { records.clear(); }

private:
  const std::string &keyOf(const Launch &launch);

  LruCache<std::unique_ptr<RecordedLaunch>> records;
  std::string key; ///< of the launch asked for last; kept for its memory
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CUDA_RECORDEDLAUNCH_H
