//===- ChainCover.cpp - As few chains as possible ---------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By Dilworth's theorem the operations can be put on as many streams as there
// are in the largest set of independent ones, such that no stream orders what
// was not ordered before. Each matched pair of the transitive closure joins two
// chains, so that a maximum matching (Hopcroft and Karp, over bit sets) gives
// the fewest. Durations play no part.
//
//===----------------------------------------------------------------------===//

#include "braid/Scheduling/Schedulers.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

using namespace llvm;

namespace braid::scheduling {

namespace {

/// Successors of each operation, direct or not.
std::vector<BitVector> computeClosure(const Problem &problem) {
  std::vector<BitVector> closure(problem.size(), BitVector(problem.size()));
  for (OpIndex op = problem.size(); op-- > 0;)
    for (OpIndex successor : problem.getSuccessors(op)) {
      closure[op].set(successor);
      closure[op] |= closure[successor];
    }
  return closure;
}

/// A maximum matching of operations with operations after them.
class Matching {
public:
  static constexpr OpIndex none = std::numeric_limits<OpIndex>::max();

  Matching(const std::vector<BitVector> &closure)
      : closure(closure), next(closure.size(), none),
        previous(closure.size(), none), layer(closure.size()),
        isSeen(closure.size()) {
    while (findLayers()) {
      isSeen.reset();
      for (OpIndex op = 0; op < closure.size(); ++op)
        if (next[op] == none)
          augment(op);
    }
  }

  /// The operation that follows `op` in its chain, or none.
  OpIndex getNext(OpIndex op) const { return next[op]; }
  OpIndex getPrevious(OpIndex op) const { return previous[op]; }

private:
  bool findLayers();
  bool augment(OpIndex root);

  const std::vector<BitVector> &closure;
  std::vector<OpIndex> next, previous;
  /// Length of the shortest alternating path to each operation as the earlier
  /// one of a pair.
  std::vector<unsigned> layer;
  /// Operations that a search has come to as the later one of a pair.
  BitVector isSeen;
};

} // namespace

/// Sets the layers; whether a path that augments the matching exists.
bool Matching::findLayers() {
  std::vector<OpIndex> worklist;
  for (OpIndex op = 0; op < closure.size(); ++op) {
    layer[op] = next[op] == none ? 0 : none;
    if (next[op] == none)
      worklist.push_back(op);
  }
  isSeen.reset();
  bool found = false;
  for (size_t i = 0; i < worklist.size(); ++i) {
    OpIndex op = worklist[i];
    BitVector unseen = closure[op];
    unseen.reset(isSeen);
    isSeen |= unseen;
    for (unsigned after : unseen.set_bits()) {
      OpIndex before = previous[after];
      if (before == none) {
        found = true;
      } else {
        layer[before] = layer[op] + 1;
        worklist.push_back(before);
      }
    }
  }
  return found;
}

/// Looks for a path from `root` along the layers and flips it. Paths are as
/// long as chains, so there is no recursion.
bool Matching::augment(OpIndex root) {
  // Earlier operations, each with the later one that is being tried.
  SmallVector<std::pair<OpIndex, int>, 16> path = {{root, -1}};
  while (!path.empty()) {
    auto &[op, after] = path.back();
    after = after < 0 ? closure[op].find_first() : closure[op].find_next(after);
    if (after < 0) {
      // A dead end for all other paths of this round too.
      layer[op] = none;
      path.pop_back();
      continue;
    }
    if (isSeen.test(after))
      continue;
    OpIndex before = previous[after];
    if (before == none) {
      for (auto [first, second] : path) {
        isSeen.set(second);
        next[first] = second;
        previous[second] = first;
      }
      return true;
    }
    if (layer[before] == layer[op] + 1) {
      isSeen.set(after);
      path.push_back({before, -1});
    }
  }
  return false;
}

Solution scheduleChainCover(const Problem &problem) {
  Solution solution = scheduleSerial(problem);
  if (problem.size() == 0)
    return solution;
  std::vector<BitVector> closure = computeClosure(problem);
  Matching matching(closure);

  // The chain of the operation with the longest path is on stream 0, and the
  // others follow by first use.
  std::vector<double> priorities = computePriorities(problem);
  OpIndex costliest = std::max_element(priorities.begin(), priorities.end()) -
                      priorities.begin();
  while (matching.getPrevious(costliest) != Matching::none)
    costliest = matching.getPrevious(costliest);
  StreamIndex numStreams = 1;
  for (OpIndex first = 0; first < problem.size(); ++first) {
    if (matching.getPrevious(first) != Matching::none)
      continue;
    StreamIndex stream = first == costliest ? 0 : numStreams++;
    for (OpIndex op = first; op != Matching::none; op = matching.getNext(op))
      solution.stream[op] = stream;
  }
  return solution;
}

} // namespace braid::scheduling
