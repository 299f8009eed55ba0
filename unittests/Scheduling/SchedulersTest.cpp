//===- SchedulersTest.cpp - Tests of the scheduling algorithms --*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes of real layers, with the streams that an expert would choose, and
// random problems against the best solution there is.
//
//===----------------------------------------------------------------------===//

#include "braid/Scheduling/Schedulers.h"
#include "SchedulingTest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstdio>
#include <set>

using namespace braid::scheduling;
using namespace braid::scheduling::test;
using namespace llvm;

namespace {

/// What `op` waits for.
std::vector<OpIndex> getWaitsOf(const Problem &problem,
                                const Solution &solution, OpIndex op) {
  std::vector<OpIndex> producers;
  for (Wait wait : computeWaits(problem, solution))
    if (wait.consumer == op)
      producers.push_back(wait.producer);
  return producers;
}

size_t getPosition(const Solution &solution, OpIndex op) {
  return llvm::find(solution.order, op) - solution.order.begin();
}

bool isEqual(const Solution &a, const Solution &b) {
  return a.stream == b.stream && a.order == b.order;
}

/// Adds an operation that depends on those before it in the call.
OpIndex add(Problem &problem, StringRef name, double duration,
            ArrayRef<OpIndex> predecessors = {}) {
  OpIndex op = problem.addOperation(name, duration);
  for (OpIndex before : predecessors)
    problem.addDependence(before, op);
  return op;
}

//===----------------------------------------------------------------------===//
// Serial
//===----------------------------------------------------------------------===//

TEST(Serial, IsProgramOrder) {
  Problem problem;
  problem.numStreams = 3;
  problem.waitCost = 1;
  add(problem, "a", 1);
  add(problem, "b", 2);
  add(problem, "c", 3);
  Solution solution = scheduleSerial(problem);
  EXPECT_TRUE(isEqual(solution, {{0, 0, 0}, {0, 1, 2}}));
  EXPECT_EQ(evaluate(problem, solution).makespan, 6);
}

//===----------------------------------------------------------------------===//
// CriticalPath
//===----------------------------------------------------------------------===//

/// What comes before attention in a DeepSeek-V4 layer with a compressor and an
/// indexer (in microseconds).
struct FourLinears {
  Problem problem;
  OpIndex a, b, c, d, norm, f, qnorm, compress, icompress, iwqb, iquery;

  FourLinears(StreamIndex numStreams) {
    problem.numStreams = numStreams;
    problem.waitCost = 0.2;
    a = add(problem, "wq_a + wkv", 7);
    b = add(problem, "compressor", 6);
    c = add(problem, "indexer weights", 2);
    d = add(problem, "indexer compressor", 3);
    norm = add(problem, "norm", 2, {a});
    f = add(problem, "wq_b", 12, {norm});
    qnorm = add(problem, "qnorm and rope", 3, {f});
    compress = add(problem, "compress", 2, {b});
    icompress = add(problem, "indexer compress", 2, {d});
    iwqb = add(problem, "indexer wq_b", 4, {norm});
    iquery = add(problem, "indexer query", 2, {c, norm, iwqb});
  }
};

TEST(CriticalPath, GivesFourLinearsFourStreams) {
  FourLinears layer(4);
  Solution solution = scheduleCriticalPath(layer.problem);
  ASSERT_EQ(toText(verify(layer.problem, solution)), "");
  const std::vector<StreamIndex> &stream = solution.stream;
  EXPECT_EQ((std::set<StreamIndex>{stream[layer.a], stream[layer.b],
                                   stream[layer.c], stream[layer.d]}),
            (std::set<StreamIndex>{0, 1, 2, 3}));
  // The main chain stays on the caller's stream and waits for nobody.
  for (OpIndex op : {layer.a, layer.norm, layer.f, layer.qnorm}) {
    EXPECT_EQ(stream[op], 0u);
    EXPECT_TRUE(getWaitsOf(layer.problem, solution, op).empty());
  }
  // The compressors do not wait for a norm that they do not read.
  EXPECT_EQ(stream[layer.compress], stream[layer.b]);
  EXPECT_TRUE(getWaitsOf(layer.problem, solution, layer.compress).empty());
  EXPECT_EQ(stream[layer.icompress], stream[layer.d]);
  EXPECT_TRUE(getWaitsOf(layer.problem, solution, layer.icompress).empty());
  // The query part waits for the norm's chain and its weights only.
  EXPECT_EQ(getWaitsOf(layer.problem, solution, layer.iwqb),
            std::vector<OpIndex>{layer.norm});
  for (OpIndex producer : getWaitsOf(layer.problem, solution, layer.iquery))
    EXPECT_TRUE(producer == layer.iwqb || producer == layer.c);
  // The critical one comes first wherever several could.
  EXPECT_EQ(solution.order.front(), layer.a);
  EXPECT_LT(getPosition(solution, layer.f), getPosition(solution, layer.iwqb));
  // Two joins after the main chain, and nothing else, are on top of it: that of
  // the indexer's query covers that of its weights.
  EXPECT_NEAR(evaluate(layer.problem, solution).makespan, 24 + 2 * 0.2, 1e-9);
}

TEST(CriticalPath, GivesTheCompressorItsStream) {
  Problem problem;
  problem.numStreams = 2;
  problem.waitCost = 0.2;
  OpIndex b = add(problem, "compressor", 6);
  OpIndex a = add(problem, "wq_a + wkv", 7);
  OpIndex norm = add(problem, "norm", 2, {a});
  OpIndex f = add(problem, "wq_b", 12, {norm});
  OpIndex qnorm = add(problem, "qnorm and rope", 3, {f});
  OpIndex compress = add(problem, "compress", 2, {b});
  Solution solution = scheduleCriticalPath(problem);
  EXPECT_EQ(solution.stream, (std::vector<StreamIndex>{1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(solution.order,
            (std::vector<OpIndex>{a, b, compress, norm, f, qnorm}));
  OpIndex end = problem.size();
  EXPECT_EQ(computeWaits(problem, solution),
            (std::vector<Wait>{{end, b}, {compress, end}}));
}

TEST(CriticalPath, KeepsTinyOperationsTogether) {
  // Each alone is shorter than the wait for it.
  Problem problem;
  problem.numStreams = 4;
  problem.waitCost = 1;
  for (unsigned i = 0; i < 3; ++i)
    add(problem, "tiny", 0.5);
  add(problem, "sum", 0.5, {0, 1, 2});
  EXPECT_TRUE(isEqual(scheduleCriticalPath(problem), scheduleSerial(problem)));
}

TEST(CriticalPath, KeepsAChainTogether) {
  Problem problem;
  problem.numStreams = 4;
  OpIndex last = add(problem, "link", 1);
  for (unsigned i = 0; i < 10; ++i)
    last = add(problem, "link", 1, {last});
  EXPECT_TRUE(isEqual(scheduleCriticalPath(problem), scheduleSerial(problem)));
}

TEST(CriticalPath, WithOneStreamIsProgramOrder) {
  FourLinears layer(1);
  EXPECT_TRUE(isEqual(scheduleCriticalPath(layer.problem),
                      scheduleSerial(layer.problem)));
}

TEST(CriticalPath, BreaksTiesByProgramOrder) {
  Problem problem;
  problem.numStreams = 3;
  for (unsigned i = 0; i < 3; ++i)
    add(problem, "same", 1);
  EXPECT_TRUE(isEqual(scheduleCriticalPath(problem), {{0, 1, 2}, {0, 1, 2}}));
}

TEST(CriticalPath, PrefersThePredecessorsStream) {
  // Waits are free, so that c would be done as early on any stream.
  Problem problem;
  problem.numStreams = 3;
  add(problem, "a", 2);
  OpIndex b = add(problem, "b", 1);
  OpIndex c = add(problem, "c", 1, {b});
  Solution solution = scheduleCriticalPath(problem);
  EXPECT_EQ(solution.stream[c], solution.stream[b]);
  EXPECT_EQ(evaluate(problem, solution).numWaits, 2u);
}

TEST(CriticalPath, PrefersThePredecessorsStreamAmongThoseWithoutWaits) {
  // Both streams are free at 4, and stream 0 has waited for b already.
  Problem problem;
  problem.numStreams = 2;
  OpIndex a = add(problem, "a", 3);
  OpIndex b = add(problem, "b", 1);
  OpIndex sum = add(problem, "sum", 1, {a, b});
  OpIndex e = add(problem, "e", 3, {b});
  OpIndex c = add(problem, "c", 1, {b});
  Solution solution = scheduleCriticalPath(problem);
  EXPECT_EQ(solution.stream, (std::vector<StreamIndex>{0, 1, 0, 1, 1}));
  EXPECT_EQ(solution.order, (std::vector<OpIndex>{a, b, e, sum, c}));
}

TEST(CriticalPath, LeavesAStreamToWhatIsCriticalWhenItIsFree) {
  // At 0 only "filler" is left, but no stream is free before 2, and then "main"
  // can start too.
  Problem problem;
  problem.numStreams = 2;
  OpIndex filler = add(problem, "filler", 1);
  OpIndex side = add(problem, "side", 4);
  OpIndex first = add(problem, "first", 2);
  OpIndex main = add(problem, "main", 10, {first});
  Solution solution = scheduleCriticalPath(problem);
  EXPECT_EQ(solution.order, (std::vector<OpIndex>{first, side, main, filler}));
  EXPECT_EQ(evaluate(problem, solution).makespan, 12);
}

TEST(CriticalPath, DoesNotSearchThroughPaths) {
  // 2^64 paths.
  Problem problem;
  problem.numStreams = 2;
  problem.waitCost = 0.25;
  OpIndex last = add(problem, "first", 1);
  for (unsigned i = 0; i < 64; ++i) {
    OpIndex left = add(problem, "left", 3, {last});
    OpIndex right = add(problem, "right", 2, {last});
    last = add(problem, "bottom", 1, {left, right});
  }
  // The right side and its fork hide behind the left one, the join does not.
  EXPECT_EQ(evaluate(problem, scheduleCriticalPath(problem)).makespan,
            1 + 64 * (3 + 0.25 + 1));
}

TEST(CriticalPath, IsNearTheBest) {
  const unsigned numProblems = 2000, firstSeed = 1;
  double sum = 0, max = 0;
  unsigned numBest = 0, worst = firstSeed;
  for (unsigned seed = firstSeed; seed < firstSeed + numProblems; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = Random(seed).makeProblem(7, 4);
    std::optional<Solution> best = scheduleExhaustive(problem);
    ASSERT_TRUE(best);
    ASSERT_EQ(toText(verify(problem, *best)), "");
    Quality bestQuality = evaluate(problem, *best);
    Quality quality = evaluate(problem, scheduleCriticalPath(problem));
    EXPECT_FALSE(isBetter(quality, bestQuality));
    double ratio =
        bestQuality.makespan == 0 ? 1 : quality.makespan / bestQuality.makespan;
    EXPECT_LE(ratio, 1.5);
    sum += ratio;
    numBest += ratio < 1 + 1e-9;
    if (ratio > max) {
      max = ratio;
      worst = seed;
    }
  }
  std::printf("makespan to the best one, seeds %u to %u: mean %.4f, max %.4f "
              "(seed %u), the best one in %u of %u\n",
              firstSeed, firstSeed + numProblems - 1, sum / numProblems, max,
              worst, numBest, numProblems);
}

TEST(CriticalPath, SchedulesTenThousandOperations) {
  Random random(1);
  Problem problem;
  problem.numStreams = 8;
  problem.waitCost = 0.5;
  for (OpIndex op = 0; op < 10000; ++op) {
    add(problem, "op", random.get(1, 20));
    for (unsigned i = 0; op != 0 && i < 3; ++i)
      problem.addDependence(random.get(op < 50 ? 0 : op - 50, op - 1), op);
  }
  Solution solution = scheduleCriticalPath(problem);
  EXPECT_EQ(toText(verify(problem, solution)), "");
  EXPECT_TRUE(isBetter(evaluate(problem, solution),
                       evaluate(problem, scheduleSerial(problem))));
}

//===----------------------------------------------------------------------===//
// Exhaustive
//===----------------------------------------------------------------------===//

TEST(Exhaustive, RefusesNineOperations) {
  Problem problem;
  for (unsigned i = 0; i < 8; ++i)
    add(problem, "op", 1);
  EXPECT_TRUE(scheduleExhaustive(problem));
  add(problem, "op", 1);
  EXPECT_FALSE(scheduleExhaustive(problem));
}

TEST(Exhaustive, SolvesEightOperations) {
  // On three streams 22 / 3 is at best 8, for instance 5 + 3, 4 + 3 and
  // 2 + 2 + 2 + 1.
  Problem problem;
  problem.numStreams = 3;
  for (double duration : {1, 2, 2, 2, 3, 3, 4, 5})
    add(problem, "op", duration);
  std::optional<Solution> solution = scheduleExhaustive(problem);
  ASSERT_TRUE(solution);
  EXPECT_EQ(evaluate(problem, *solution).makespan, 8);
}

TEST(Exhaustive, LeavesOutNothingThatIsBetter) {
  // Against really everything.
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = Random(seed).makeProblem(5, 3);
    Quality best = evaluate(problem, scheduleSerial(problem));
    Solution solution = scheduleSerial(problem);
    do {
      std::fill(solution.stream.begin(), solution.stream.end(), 0);
      while (!toText(verify(problem, solution)).size()) {
        Quality quality = evaluate(problem, solution);
        if (isBetter(quality, best))
          best = quality;
        // The next assignment; one that does not exist ends it.
        size_t i = 0;
        while (i + 1 < problem.size() &&
               solution.stream[i] + 1 == problem.numStreams)
          solution.stream[i++] = 0;
        ++solution.stream[i];
      }
    } while (
        std::next_permutation(solution.order.begin(), solution.order.end()));
    Quality quality = evaluate(problem, *scheduleExhaustive(problem));
    EXPECT_FALSE(isBetter(quality, best));
    EXPECT_FALSE(isBetter(best, quality));
  }
}

//===----------------------------------------------------------------------===//
// ChainCover
//===----------------------------------------------------------------------===//

/// For each pair whether the second depends on the first, directly or not.
std::vector<std::vector<bool>> computeReachability(const Problem &problem) {
  size_t size = problem.size();
  std::vector<std::vector<bool>> reaches(size, std::vector<bool>(size));
  for (OpIndex after = 0; after < size; ++after)
    for (OpIndex before : problem.getPredecessors(after)) {
      reaches[before][after] = true;
      for (OpIndex first = 0; first < before; ++first)
        if (reaches[first][before])
          reaches[first][after] = true;
    }
  return reaches;
}

/// Size of the largest set of independent operations.
unsigned computeWidth(const std::vector<std::vector<bool>> &reaches) {
  std::vector<bool> isIndependent = {true};
  unsigned width = 0;
  for (unsigned set = 1; set < 1u << reaches.size(); ++set) {
    unsigned last = Log2_32(set), others = set & ~(1u << last);
    bool independent = isIndependent[others];
    for (OpIndex op = 0; op < last; ++op)
      if (others >> op & 1 && reaches[op][last])
        independent = false;
    isIndependent.push_back(independent);
    if (independent)
      width = std::max(width, static_cast<unsigned>(popcount(set)));
  }
  return width;
}

TEST(ChainCover, HasAsManyChainsAsTheWidth) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = Random(seed).makeProblem(10, 4);
    Solution solution = scheduleChainCover(problem);
    auto reaches = computeReachability(problem);
    EXPECT_EQ(
        std::set<StreamIndex>(solution.stream.begin(), solution.stream.end())
            .size(),
        computeWidth(reaches));
    // No stream orders what was not ordered.
    for (OpIndex after = 0; after < problem.size(); ++after)
      for (OpIndex before = 0; before < after; ++before)
        EXPECT_TRUE(solution.stream[before] != solution.stream[after] ||
                    reaches[before][after]);
  }
}

TEST(ChainCover, CoversAThousandOperations) {
  // 20 chains, with a dependence from each link to that of the next chain.
  Problem problem;
  problem.numStreams = 20;
  for (OpIndex op = 0; op < 1000; ++op) {
    problem.addOperation("op", 1);
    if (op >= 20)
      problem.addDependence(op - 20, op);
    if (op >= 20 && op % 20)
      problem.addDependence(op - 21, op);
  }
  Solution solution = scheduleChainCover(problem);
  EXPECT_EQ(toText(verify(problem, solution)), "");
  EXPECT_EQ(evaluate(problem, solution).numStreams, 20u);
  EXPECT_EQ(solution.stream[0], 0u);
}

TEST(ChainCover, PutsTheCostliestChainOnStreamZero) {
  Problem problem;
  OpIndex cheap = add(problem, "cheap", 1);
  OpIndex first = add(problem, "first", 0);
  OpIndex costly = add(problem, "costly", 5, {first});
  OpIndex last = add(problem, "last", 2);
  Solution solution = scheduleChainCover(problem);
  EXPECT_EQ(solution.stream[first], 0u);
  EXPECT_EQ(solution.stream[costly], 0u);
  EXPECT_EQ(solution.stream[cheap], 1u);
  EXPECT_EQ(solution.stream[last], 2u);
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

TEST(Schedulers, AcceptEmptyProblems) {
  Problem problem;
  problem.numStreams = 4;
  for (const Solution &solution :
       {scheduleSerial(problem), scheduleCriticalPath(problem),
        scheduleChainCover(problem), *scheduleExhaustive(problem)}) {
    EXPECT_EQ(toText(verify(problem, solution)), "");
    EXPECT_TRUE(computeWaits(problem, solution).empty());
    EXPECT_EQ(evaluate(problem, solution).makespan, 0);
  }
}

TEST(Schedulers, AreLegalDeterministicAndNeverWorseThanSerial) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = Random(seed).makeProblem(seed % 2 ? 6 : 40, 6);
    Problem again = Random(seed).makeProblem(seed % 2 ? 6 : 40, 6);
    Quality serial = evaluate(problem, scheduleSerial(problem));

    Solution solution = scheduleCriticalPath(problem);
    EXPECT_EQ(toText(verify(problem, solution)), "");
    EXPECT_TRUE(isEqual(solution, scheduleCriticalPath(again)));
    EXPECT_FALSE(isBetter(serial, evaluate(problem, solution)));
    // The caller's stream begins, and others follow in order of first use.
    StreamIndex numUsed = 0;
    for (OpIndex op : solution.order) {
      EXPECT_LE(solution.stream[op], numUsed);
      numUsed = std::max(numUsed, solution.stream[op] + 1);
    }
    std::vector<double> priorities = computePriorities(problem);
    EXPECT_EQ(
        solution.stream[std::max_element(priorities.begin(), priorities.end()) -
                        priorities.begin()],
        0u);

    if (std::optional<Solution> best = scheduleExhaustive(problem)) {
      EXPECT_EQ(toText(verify(problem, *best)), "");
      EXPECT_TRUE(isEqual(*best, *scheduleExhaustive(again)));
      EXPECT_FALSE(isBetter(serial, evaluate(problem, *best)));
    }

    solution = scheduleChainCover(problem);
    EXPECT_TRUE(isEqual(solution, scheduleChainCover(again)));
    problem.numStreams = problem.size();
    EXPECT_EQ(toText(verify(problem, solution)), "");
  }
}

} // namespace
