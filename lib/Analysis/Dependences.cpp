//===- Dependences.cpp - Which launches have to keep their order -*- C++
//-*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps for each part of each buffer the last writes and the reads after them,
// so that the work is proportional to the accesses and not to pairs of
// launches.
//
//===----------------------------------------------------------------------===//

#include "braid/Analysis/Dependences.h"

#include "braid/Analysis/BufferAccess.h"

using namespace mlir;
using namespace braid;
using namespace braid::sched;

namespace {
/// What was done last with one part of a buffer.
struct History {
  ElementSet elements;
  SmallVector<unsigned> writers, readers;
};
} // namespace

std::vector<SmallVector<unsigned>>
braid::computeDependences(ArrayRef<LaunchOp> launches) {
  BufferAccessAnalysis analysis;
  DenseMap<Value, SmallVector<History, 1>> histories;
  std::vector<SmallVector<unsigned>> result(launches.size());
  // A launch whose buffers are not known keeps its place among all others.
  std::optional<unsigned> barrier;
  for (auto [index, launch] : llvm::enumerate(launches)) {
    llvm::SmallDenseSet<unsigned> before;
    std::optional<SmallVector<BufferAccess>> accesses =
        analysis.getAccesses(launch);
    if (barrier)
      before.insert(*barrier);
    if (!accesses) {
      for (unsigned other = barrier.value_or(0); other < index; ++other)
        before.insert(other);
      barrier = index;
      histories.clear();
    } else {
      for (const BufferAccess &access : *accesses) {
        History *same = nullptr;
        for (History &history : histories[access.base]) {
          if (history.elements == access.elements)
            same = &history;
          if (!mayOverlap(history.elements, access.elements))
            continue;
          before.insert_range(history.writers);
          if (access.writes())
            before.insert_range(history.readers);
        }
        if (!same) {
          same = &histories[access.base].emplace_back();
          same->elements = access.elements;
        }
        if (access.writes()) {
          same->readers.clear();
          same->writers.assign(1, index);
        } else if (access.reads()) {
          same->readers.push_back(index);
        }
      }
      before.erase(index); // an op with two accesses to one buffer
    }
    result[index].assign(before.begin(), before.end());
    llvm::sort(result[index]);
  }
  return result;
}
