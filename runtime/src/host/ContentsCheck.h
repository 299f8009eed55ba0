//===- ContentsCheck.h - A look at a call's metadata ------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slots, positions and block tables lie in memory that the host backend reads
// only when everything enqueued earlier is done. A call therefore begins, on
// its first stream, by checking those of all its launches, replayed ones too. A
// wrong entry then fails the call before any of its kernels wrote a byte.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_HOST_CONTENTSCHECK_H
#define BRAID_RUNTIME_HOST_CONTENTSCHECK_H

#include "LaunchNode.h"

#include <map>
#include <vector>

namespace braid::runtime {

/// The checks of one call.
class ContentsCheck {
public:
  /// Adds the launch that comes next in the call. It lives until the next
  /// drain.
  void add(const LaunchNode &node);

  /// True if no launch has anything to check.
  bool empty() const { return entries.empty(); }

  /// Runs the checks in order, up to the first that fails.
  void run(FirstFailure &failure) const;

private:
  /// Bytes from the first to the last element.
  struct Range {
    const char *begin, *end;
  };
  static Range rangeOf(const braid_tensor &tensor);
  bool isWritten(Range range) const;
  void write(Range range);

  struct Entry {
    const LaunchNode *node;
    /// For each operand, whether a launch before this one writes it.
    std::vector<bool> notWritten;
  };
  std::vector<Entry> entries;
  /// What the launches so far write: disjoint ranges, end by begin.
  std::map<const char *, const char *> written;
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_HOST_CONTENTSCHECK_H
