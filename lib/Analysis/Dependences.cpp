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
  SmallVector<unsigned> writers, readers;
};

/// What was done last with each part of a buffer.
struct BufferHistory {
  PartIndex parts;
  std::vector<History> ofPart;
};
} // namespace

std::vector<SmallVector<unsigned>>
braid::computeDependences(ArrayRef<LaunchOp> launches) {
  BufferAccessAnalysis analysis;
  DenseMap<Value, BufferHistory> histories;
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
        BufferHistory &history = histories[access.base];
        for (unsigned part : history.parts.findOverlaps(access.elements)) {
          before.insert_range(history.ofPart[part].writers);
          if (access.writes())
            before.insert_range(history.ofPart[part].readers);
        }
        unsigned part = history.parts.insert(access.elements);
        history.ofPart.resize(history.parts.size());
        History &same = history.ofPart[part];
        if (access.writes()) {
          same.readers.clear();
          same.writers.assign(1, index);
        } else if (access.reads()) {
          same.readers.push_back(index);
        }
      }
      before.erase(index); // an op with two accesses to one buffer
    }
    result[index].assign(before.begin(), before.end());
    llvm::sort(result[index]);
  }
  return result;
}
