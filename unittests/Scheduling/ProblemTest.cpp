//===- ProblemTest.cpp - Tests of problems and their solutions --*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is refused, and which waits there are and what they cost. Waits are held
// against a graph of everything that happens, in which nothing is clever.
//
//===----------------------------------------------------------------------===//

#include "SchedulingTest.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

using namespace braid::scheduling;
using namespace braid::scheduling::test;
using namespace llvm;

namespace {

/// Operations of these durations, called a, b, c and so on.
Problem makeProblem(std::initializer_list<double> durations,
                    std::initializer_list<std::pair<OpIndex, OpIndex>> pairs,
                    StreamIndex numStreams = 4, double waitCost = 0) {
  Problem problem;
  problem.numStreams = numStreams;
  problem.waitCost = waitCost;
  for (double duration : durations)
    problem.addOperation(std::string(1, 'a' + problem.size()), duration);
  for (auto [before, after] : pairs)
    problem.addDependence(before, after);
  return problem;
}

/// In program order.
Solution makeSolution(std::vector<StreamIndex> stream) {
  Solution solution;
  solution.stream = std::move(stream);
  for (OpIndex op = 0; op < solution.stream.size(); ++op)
    solution.order.push_back(op);
  return solution;
}

//===----------------------------------------------------------------------===//
// Problem, verify
//===----------------------------------------------------------------------===//

TEST(Problem, ListsNeighboursOnceAndAscending) {
  Problem problem = makeProblem(
      {1, 1, 1, 1}, {{1, 3}, {0, 3}, {1, 3}, {0, 1}, {0, 2}, {0, 3}});
  EXPECT_EQ(toText(problem.check()), "");
  EXPECT_EQ(problem.getPredecessors(3), ArrayRef<OpIndex>({0, 1}));
  EXPECT_EQ(problem.getSuccessors(0), ArrayRef<OpIndex>({1, 2, 3}));
  EXPECT_EQ(problem.getName(2), "c");
}

TEST(Problem, ChecksWhetherItMakesSense) {
  const double inf = std::numeric_limits<double>::infinity();
  const double big = std::numeric_limits<double>::max();
  const std::string finite = ", expected a finite number of at least 0";
  const std::string earlier =
      ", expected an operation that comes earlier in program order";
  const std::pair<Problem, std::string> table[] = {
      {makeProblem({}, {}), ""},
      {makeProblem({0}, {}, 1, 0), ""},
      {makeProblem({1}, {}, 0), "there are 0 streams, expected at least 1"},
      {makeProblem({1}, {}, 1, -0.5), "a wait costs -0.5" + finite},
      {makeProblem({1}, {}, 1, inf), "a wait costs inf" + finite},
      {makeProblem({1}, {}, 1, std::nan("")), "a wait costs nan" + finite},
      {makeProblem({1, -2}, {}),
       "the duration of operation 1 ('b') is -2" + finite},
      {makeProblem({inf}, {}),
       "the duration of operation 0 ('a') is inf" + finite},
      {makeProblem({std::nan("")}, {}),
       "the duration of operation 0 ('a') is nan" + finite},
      {makeProblem({big, big}, {}),
       "the sum of the durations is too large for a double"},
      {makeProblem({1, 1}, {{1, 0}}),
       "operation 0 ('a') depends on operation 1 ('b')" + earlier},
      {makeProblem({1, 1}, {{1, 1}}),
       "operation 1 ('b') depends on operation 1 ('b')" + earlier},
      {makeProblem({1, 1}, {{7, 1}}),
       "operation 1 ('b') depends on operation 7 (which does not exist)" +
           earlier},
      {makeProblem({1, 1}, {{0, 2}}),
       "operation 2 (which does not exist) depends on operation 0 ('a')" +
           earlier},
  };
  for (const auto &[problem, expected] : table)
    EXPECT_EQ(toText(problem.check()), expected);
}

TEST(Problem, VerifiesSolutions) {
  Problem problem = makeProblem({1, 1, 1}, {{0, 2}}, 2);
  const std::pair<Solution, std::string> table[] = {
      {{{0, 1, 1}, {1, 0, 2}}, ""},
      {{{0, 1}, {0, 1, 2}}, "there are streams for 2 operations of 3"},
      {{{0, 1, 1}, {0, 1}}, "2 operations of 3 are enqueued"},
      {{{0, 1, 2}, {0, 1, 2}}, "operation 2 ('c') is on stream 2 of 2"},
      {{{0, 1, 1}, {0, 1, 5}},
       "the order names operation 5 (which does not exist)"},
      {{{0, 1, 1}, {0, 1, 0}}, "operation 0 ('a') is enqueued twice"},
      {{{0, 1, 1}, {1, 2, 0}},
       "operation 2 ('c') is enqueued before operation 0 ('a'), which it "
       "depends on"},
  };
  for (const auto &[solution, expected] : table)
    EXPECT_EQ(toText(verify(problem, solution)), expected);
}

//===----------------------------------------------------------------------===//
// isBetter, computePriorities
//===----------------------------------------------------------------------===//

TEST(Quality, ComparesTimeThenWaitsThenStreams) {
  EXPECT_TRUE(isBetter({1, 9, 9}, {2, 0, 1}));
  EXPECT_FALSE(isBetter({2, 0, 1}, {1, 9, 9}));
  EXPECT_TRUE(isBetter({1, 2, 4}, {1, 3, 1}));
  EXPECT_TRUE(isBetter({1, 2, 3}, {1, 2, 4}));
  EXPECT_FALSE(isBetter({1, 2, 3}, {1, 2, 3}));
  EXPECT_FALSE(isBetter({0, 0, 1}, {0, 0, 1}));
  // Sums that differ by rounding only.
  EXPECT_TRUE(isBetter({0.1 + 0.2, 1, 1}, {0.3, 2, 1}));
  EXPECT_FALSE(isBetter({0.3, 2, 1}, {0.1 + 0.2, 1, 1}));
  EXPECT_TRUE(isBetter({1, 5, 1}, {1 + 1e-8, 0, 1}));
}

TEST(Priorities, AreLongestPaths) {
  Problem problem =
      makeProblem({1, 2, 5, 3, 7}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  EXPECT_EQ(computePriorities(problem), (std::vector<double>{9, 5, 8, 3, 7}));
}

TEST(Priorities, DoNotGrowWithTheNumberOfPaths) {
  // 2^64 paths, of 3 * 64 operations each: the sum over a tree of uses would be
  // out of range of an integer, and a search through the paths would not end.
  Problem problem;
  for (unsigned i = 0; i < 64; ++i) {
    OpIndex top = problem.addOperation("top", 1);
    if (i != 0)
      problem.addDependence(top - 1, top);
    problem.addOperation("left", 1);
    problem.addOperation("right", 1);
    problem.addOperation("bottom", 1);
    for (OpIndex side : {top + 1, top + 2}) {
      problem.addDependence(top, side);
      problem.addDependence(side, top + 3);
    }
  }
  EXPECT_EQ(computePriorities(problem).front(), 3 * 64);
}

//===----------------------------------------------------------------------===//
// computeWaits, evaluate
//===----------------------------------------------------------------------===//

TEST(Waits, AreNotNeededOnOneStream) {
  Problem problem = makeProblem({1, 2, 3}, {{0, 1}, {1, 2}}, 4, 10);
  Solution solution = makeSolution({0, 0, 0});
  EXPECT_EQ(computeWaits(problem, solution), std::vector<Wait>());
  Quality quality = evaluate(problem, solution);
  EXPECT_EQ(quality.makespan, 6);
  EXPECT_EQ(quality.numWaits, 0u);
  EXPECT_EQ(quality.numStreams, 1u);
}

TEST(Waits, ForkAndJoinEachStream) {
  // All are independent. 3 stands for the fork and for the join.
  Problem problem = makeProblem({4, 3, 5}, {}, 3, 0.5);
  Solution solution = makeSolution({0, 1, 2});
  EXPECT_EQ(computeWaits(problem, solution),
            (std::vector<Wait>{{3, 1}, {3, 2}, {1, 3}, {2, 3}}));
  // The first join (4 + 0.5) hides behind the second one.
  Quality quality = evaluate(problem, solution);
  EXPECT_EQ(quality.makespan, 0.5 + 5 + 0.5);
  EXPECT_EQ(quality.numWaits, 4u);
  EXPECT_EQ(quality.numStreams, 3u);
}

TEST(Waits, TakeTheLastOfAStream) {
  // c needs a and b, which run one after the other; d needs a, which c waited
  // for.
  Problem problem =
      makeProblem({1, 1, 1, 1}, {{0, 2}, {1, 2}, {0, 3}}, 2, 0.25);
  Solution solution = makeSolution({0, 0, 1, 1});
  EXPECT_EQ(computeWaits(problem, solution),
            (std::vector<Wait>{{1, 2}, {3, 4}}));
  EXPECT_EQ(evaluate(problem, solution).makespan, 2 + 0.25 + 2 + 0.25);
}

TEST(Waits, FollowFromOneAnother) {
  // a on 0, b on 1, c on 2 needs both, and b waited for a.
  Problem problem = makeProblem({1, 1, 1}, {{0, 1}, {0, 2}, {1, 2}});
  EXPECT_EQ(computeWaits(problem, makeSolution({0, 1, 2})),
            (std::vector<Wait>{{0, 1}, {1, 2}, {2, 3}}));
}

TEST(Waits, ForAnotherStreamStandForTheFork) {
  // Stream 0 has no work: stream 1 is forked, and stream 2 waits for it. Its
  // join covers that of stream 1.
  Problem problem = makeProblem({1, 1}, {{0, 1}});
  EXPECT_EQ(computeWaits(problem, makeSolution({1, 2})),
            (std::vector<Wait>{{2, 0}, {0, 1}, {1, 2}}));
}

TEST(Waits, OfStreamZeroStandForJoins) {
  // c on 0 waits for b on 1, its last operation.
  Problem problem = makeProblem({1, 1, 1}, {{0, 2}, {1, 2}});
  EXPECT_EQ(computeWaits(problem, makeSolution({0, 1, 0})),
            (std::vector<Wait>{{3, 1}, {1, 2}}));
}

TEST(Waits, CostTimeOneAfterTheOther) {
  // c waits for a (done at 2) and then for b (done at 0.5 + 1, and so at once).
  Problem problem = makeProblem({2, 1, 1}, {{0, 2}, {1, 2}}, 3, 0.5);
  EXPECT_EQ(evaluate(problem, makeSolution({0, 1, 2})).makespan,
            2 + 0.5 + 0.5 + 1 + 0.5);
}

/// What happens before what, given waits: nodes are the operations, the fork
/// and the join.
class HappensBefore {
public:
  HappensBefore(const Problem &problem, const Solution &solution,
                ArrayRef<Wait> waits)
      : problem(problem), fork(problem.size()), join(problem.size() + 1),
        edges(problem.size() + 2) {
    // Stream 0 is the stream of the fork and the join.
    std::map<StreamIndex, unsigned> last = {{0, fork}};
    for (OpIndex op : solution.order) {
      StreamIndex stream = solution.stream[op];
      if (last.count(stream))
        edges[last[stream]].push_back(op);
      last[stream] = op;
    }
    edges[last[0]].push_back(join);
    for (Wait wait : waits)
      edges[wait.producer].push_back(
          wait.consumer == problem.size() ? join : wait.consumer);
  }

  /// Whether dependences, forks and joins follow.
  bool isComplete() const {
    std::vector<bool> fromFork = reach(fork);
    for (OpIndex op = 0; op < problem.size(); ++op) {
      std::vector<bool> fromOp = reach(op);
      if (!fromFork[op] || !fromOp[join])
        return false;
      for (OpIndex after : problem.getSuccessors(op))
        if (!fromOp[after])
          return false;
    }
    return true;
  }

private:
  std::vector<bool> reach(unsigned from) const {
    std::vector<bool> isReached(edges.size());
    std::vector<unsigned> worklist = {from};
    while (!worklist.empty()) {
      unsigned node = worklist.back();
      worklist.pop_back();
      for (unsigned next : edges[node])
        if (!isReached[next]) {
          isReached[next] = true;
          worklist.push_back(next);
        }
    }
    return isReached;
  }

  const Problem &problem;
  unsigned fork, join;
  std::vector<std::vector<unsigned>> edges;
};

TEST(Waits, OrderEverythingAndNoneIsLeftOver) {
  for (unsigned seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Problem problem = random.makeProblem(seed % 2 ? 8 : 24, 6);
    Solution solution = random.makeSolution(problem);
    ASSERT_EQ(toText(problem.check()), "");
    ASSERT_EQ(toText(verify(problem, solution)), "");
    std::vector<Wait> waits = computeWaits(problem, solution);
    ASSERT_TRUE(HappensBefore(problem, solution, waits).isComplete());
    for (size_t i = 0; i < waits.size(); ++i) {
      std::vector<Wait> others = waits;
      others.erase(others.begin() + i);
      EXPECT_FALSE(HappensBefore(problem, solution, others).isComplete())
          << waits[i].producer << " -> " << waits[i].consumer
          << " is not needed";
    }
    // Nothing is ordered that need not be: waits are dependences, forks or
    // joins.
    for (Wait wait : waits)
      EXPECT_TRUE(
          wait.producer == problem.size() || wait.consumer == problem.size() ||
          is_contained(problem.getPredecessors(wait.consumer), wait.producer));
  }
}

TEST(Waits, AreWhatEvaluateCounts) {
  for (unsigned seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Problem problem = random.makeProblem(24, 6);
    Solution solution = random.makeSolution(problem);
    std::vector<Wait> waits = computeWaits(problem, solution);
    // Waits are in the order in which the host meets their consumers.
    std::vector<OpIndex> consumers = solution.order;
    consumers.push_back(problem.size());
    std::map<StreamIndex, double> end = {{0, 0.0}};
    std::vector<double> finish(problem.size() + 1, 0.0);
    size_t next = 0;
    for (OpIndex op : consumers) {
      bool isJoin = op == problem.size();
      double &time = end[isJoin ? 0 : solution.stream[op]];
      for (; next < waits.size() && waits[next].consumer == op; ++next)
        time = std::max(time, finish[waits[next].producer]) + problem.waitCost;
      if (!isJoin)
        finish[op] = time += problem.getDuration(op);
    }
    EXPECT_EQ(next, waits.size());
    Quality quality = evaluate(problem, solution);
    EXPECT_EQ(quality.makespan, end[0]);
    EXPECT_EQ(quality.numWaits, waits.size());
    EXPECT_EQ(quality.numStreams, end.size());
  }
}

TEST(Waits, OfManyOperationsTakeNoTime) {
  // Operations that depend on the eight before them, dealt out to four streams.
  Problem problem;
  problem.numStreams = 4;
  std::vector<StreamIndex> streams;
  for (OpIndex op = 0; op < 10000; ++op) {
    problem.addOperation("op", 1);
    streams.push_back(op % 4);
    for (OpIndex before = op < 8 ? 0 : op - 8; before < op; ++before)
      problem.addDependence(before, op);
  }
  // Each one waits for the one before it; the last is on stream 3.
  std::vector<Wait> waits = computeWaits(problem, makeSolution(streams));
  EXPECT_EQ(waits.size(), 10000u);
  EXPECT_EQ(waits.front(), (Wait{0, 1}));
  EXPECT_EQ(waits.back(), (Wait{9999, 10000}));
}

} // namespace
