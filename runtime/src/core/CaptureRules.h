//===- CaptureRules.h - Order inside a segment ------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has to hold inside one captured segment, on every backend: auxiliary
// streams are entered through an event that comes from stream 0, and all their
// work is joined to stream 0 before the end. Vector clocks over the streams
// tell whether it is.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CORE_CAPTURERULES_H
#define BRAID_RUNTIME_CORE_CAPTURERULES_H

#include "Error.h"

#include <vector>

namespace braid::runtime {

/// Follows the launches, records and waits of one segment.
class CaptureRules {
public:
  /// Starts the segment `name`.
  void begin(const char *name, int32_t numStreams, int32_t numEvents);

  Error launch(int32_t stream, const char *op);
  Error record(int32_t stream, int32_t slot);
  Error wait(int32_t stream, int32_t slot);
  /// Fails if a stream was not joined to stream 0.
  Error end() const;

private:
  /// For each stream, how much of its work is known to come before.
  using Clock = std::vector<int64_t>;

  const char *segment = "";
  std::vector<Clock> streams;
  std::vector<bool> entered;
  std::vector<Clock> events; ///< empty: not recorded in this segment
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CORE_CAPTURERULES_H
