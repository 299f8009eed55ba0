//===- ContentsCheck.cpp - A look at a call's metadata --------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds out which operands have their contents when a call begins, and checks
// these.
//
//===----------------------------------------------------------------------===//

#include "ContentsCheck.h"

#include "core/Tensor.h"

#include <algorithm>
#include <iterator>

using namespace braid::runtime;

ContentsCheck::Range ContentsCheck::rangeOf(const braid_tensor &tensor) {
  const char *begin = static_cast<const char *>(tensor.data);
  return {begin, begin + spanBytes(tensor)};
}

bool ContentsCheck::isWritten(Range range) const {
  // The last range that begins before the end of this one.
  auto next = written.lower_bound(range.end);
  return next != written.begin() && std::prev(next)->second > range.begin;
}

void ContentsCheck::write(Range range) {
  if (range.begin == range.end)
    return;
  // Takes in every range that it touches.
  auto it = written.upper_bound(range.begin);
  if (it != written.begin() && std::prev(it)->second >= range.begin)
    --it;
  while (it != written.end() && it->first <= range.end) {
    range.begin = std::min(range.begin, it->first);
    range.end = std::max(range.end, it->second);
    it = written.erase(it);
  }
  written.emplace(range.begin, range.end);
}

void ContentsCheck::add(const LaunchNode &node) {
  if (node.checksContents()) {
    Entry entry = {&node, std::vector<bool>(node.numOperands(), false)};
    for (int64_t i = 0; i < node.numOperands(); ++i)
      if (const braid_tensor *operand = node.operand(i))
        entry.notWritten[i] = isWritten(rangeOf(*operand));
    entries.push_back(std::move(entry));
  }
  for (int64_t i = 0; i < node.numOperands(); ++i)
    if (node.operand(i) && node.access(i) & BRAID_ACCESS_WRITE)
      write(rangeOf(*node.operand(i)));
}

void ContentsCheck::run(FirstFailure &failure) const {
  for (const Entry &entry : entries) {
    if (failure.raised())
      return;
    entry.node->checkContents(entry.notWritten, failure);
  }
}
