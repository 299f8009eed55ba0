//===- MeasuredTimeline.h - When launches really ran -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects what a context measures, and writes it as `sched-export-trace`
// writes what was predicted, so that both can be opened side by side.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_TOOLS_BRAID_RUN_MEASUREDTIMELINE_H
#define BRAID_TOOLS_BRAID_RUN_MEASUREDTIMELINE_H

#include "braid/runtime.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace braid {

/// The launches of a run. Has to stay where it is as long as the context lives.
class MeasuredTimeline {
public:
  /// Makes a context that is created with `options` report here.
  void attachTo(braid_context_options &options);

  void clear() { launches.clear(); }
  size_t size() const { return launches.size(); }

  /// Writes a trace for Perfetto and chrome://tracing.
  llvm::Error write(llvm::StringRef path, llvm::StringRef title) const;

private:
  struct Launch {
    std::string op, location;
    int32_t stream;
    double start, duration; ///< in us
  };
  std::vector<Launch> launches;
};

} // namespace braid

#endif // BRAID_TOOLS_BRAID_RUN_MEASUREDTIMELINE_H
