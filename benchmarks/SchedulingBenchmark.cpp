//===- SchedulingBenchmark.cpp - How long scheduling takes ------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times scheduling and its waits on shapes that are extreme and on shapes that
// models have, where the time has to grow near-linearly. Counters say how good
// the solutions are, and how those of a minimum chain cover compare, which
// knows no number of streams.
//
//===----------------------------------------------------------------------===//

#include "braid/Scheduling/Schedulers.h"

#include <benchmark/benchmark.h>

#include <set>
#include <string>
#include <utility>

using namespace braid::scheduling;

namespace {

/// A problem of about `numOperations` operations.
using Maker = Problem (*)(unsigned numOperations);

/// Microseconds for a wait, as all durations here.
constexpr double waitCost = 0.5;

Problem makeEmpty(StreamIndex numStreams = 4) {
  Problem problem;
  problem.numStreams = numStreams;
  problem.waitCost = waitCost;
  return problem;
}

OpIndex add(Problem &problem, double duration,
            llvm::ArrayRef<OpIndex> predecessors = {}) {
  OpIndex op = problem.addOperation("op", duration);
  for (OpIndex before : predecessors)
    problem.addDependence(before, op);
  return op;
}

/// Ten chains that do not depend on each other.
Problem makeChains(unsigned numOperations) {
  Problem problem = makeEmpty();
  for (OpIndex op = 0; op < numOperations; ++op) {
    add(problem, 2 + op % 3);
    if (op >= 10)
      problem.addDependence(op - 10, op);
  }
  return problem;
}

/// One operation, all others after it, and one after those.
Problem makeFanOut(unsigned numOperations) {
  Problem problem = makeEmpty();
  OpIndex first = add(problem, 5);
  llvm::SmallVector<OpIndex> all;
  while (problem.size() + 1 < numOperations)
    all.push_back(add(problem, 2 + problem.size() % 7, {first}));
  add(problem, 5, all);
  return problem;
}

/// Diamonds one after the other: 2^(n / 3) paths.
Problem makeDiamonds(unsigned numOperations) {
  Problem problem = makeEmpty();
  OpIndex last = add(problem, 1);
  while (problem.size() < numOperations) {
    OpIndex left = add(problem, 4, {last});
    OpIndex right = add(problem, 3, {last});
    last = add(problem, 1, {left, right});
  }
  return problem;
}

/// `numLayers` layers in which four linears are independent, filled up with
/// small operations to `numOperations`.
Problem makeLayers(unsigned numLayers, unsigned numOperations) {
  Problem problem = makeEmpty();
  OpIndex input = add(problem, 1);
  for (unsigned layer = 0; layer < numLayers; ++layer) {
    OpIndex latent = add(problem, 7, {input});
    OpIndex compressed = add(problem, 6, {input});
    OpIndex weights = add(problem, 2, {input});
    OpIndex indexed = add(problem, 3, {input});
    OpIndex norm = add(problem, 2, {latent});
    OpIndex query = add(problem, 12, {norm});
    OpIndex indexQuery = add(problem, 4, {norm});
    compressed = add(problem, 2, {compressed});
    indexed = add(problem, 2, {indexed});
    OpIndex selected = add(problem, 5, {indexQuery, weights, indexed});
    OpIndex last = add(problem, 20, {query, compressed, selected});
    // Small ones between: what is left over is pairs of independent ones.
    while (problem.size() * numLayers < size_t(numOperations) * (layer + 1)) {
      OpIndex left = add(problem, 1.5, {last});
      OpIndex right = add(problem, 1.5, {last});
      last = add(problem, 1, {left, right});
    }
    input = last;
  }
  return problem;
}

Problem make43Layers(unsigned numOperations) {
  return makeLayers(43, numOperations);
}
Problem make61Layers(unsigned numOperations) {
  return makeLayers(61, numOperations);
}

/// Blocks of four branches, as in Inception-v3: 1x1; 1x1, 5x5; 1x1, 3x3, 3x3;
/// pool, 1x1; then the concatenation.
Problem makeInception(unsigned numOperations) {
  Problem problem = makeEmpty();
  OpIndex input = add(problem, 10);
  while (problem.size() < numOperations) {
    OpIndex a = add(problem, 6, {input});
    OpIndex b = add(problem, 5, {input});
    b = add(problem, 9, {b});
    OpIndex c = add(problem, 6, {input});
    c = add(problem, 8, {c});
    c = add(problem, 10, {c});
    OpIndex d = add(problem, 4, {input});
    d = add(problem, 5, {d});
    input = add(problem, 3, {a, b, c, d});
  }
  return problem;
}

/// Cells of five pairs of separable convolutions and pools over the outputs of
/// the two cells before, as in NASNet-A.
Problem makeNasNet(unsigned numOperations) {
  Problem problem = makeEmpty();
  OpIndex before = add(problem, 10), input = add(problem, 10, {before});
  while (problem.size() < numOperations) {
    OpIndex h0 = add(problem, 3, {before}), h1 = add(problem, 3, {input});
    auto addSeparable = [&](OpIndex from, double duration) {
      for (unsigned i = 0; i < 2; ++i)
        from = add(problem, 2, {add(problem, duration, {from})});
      return from;
    };
    OpIndex sums[] = {
        add(problem, 1, {addSeparable(h1, 5), addSeparable(h0, 3)}),
        add(problem, 1, {addSeparable(h0, 5), addSeparable(h0, 3)}),
        add(problem, 1, {add(problem, 2, {h1}), h0}),
        add(problem, 1, {add(problem, 2, {h0}), add(problem, 2, {h0})}),
        add(problem, 1, {addSeparable(h1, 3), h1}),
    };
    before = input;
    input = add(problem, 2, {h0, sums[0], sums[1], sums[2], sums[3], sums[4]});
  }
  return problem;
}

/// Layers of a decoder with three separate projections and a gated MLP.
Problem makeTransformer(unsigned numOperations) {
  Problem problem = makeEmpty();
  OpIndex input = add(problem, 1);
  while (problem.size() < numOperations) {
    OpIndex norm = add(problem, 2, {input});
    OpIndex q = add(problem, 8, {norm}), k = add(problem, 3, {norm});
    OpIndex v = add(problem, 3, {norm});
    q = add(problem, 1.5, {q});
    k = add(problem, 1.5, {k});
    OpIndex attention = add(problem, 12, {q, k, v});
    OpIndex output = add(problem, 8, {attention});
    OpIndex sum = add(problem, 1, {input, output});
    norm = add(problem, 2, {sum});
    OpIndex gate = add(problem, 15, {norm}), up = add(problem, 15, {norm});
    OpIndex product = add(problem, 2, {gate, up});
    input = add(problem, 1, {sum, add(problem, 15, {product})});
  }
  return problem;
}

void count(benchmark::State &state, const Problem &problem,
           const Solution &solution) {
  Quality quality = evaluate(problem, solution);
  Quality serial = evaluate(problem, scheduleSerial(problem));
  state.counters["ops"] = problem.size();
  state.counters["streams"] = quality.numStreams;
  state.counters["waits"] = quality.numWaits;
  // One for each operation that is awaited, and the fork.
  std::set<OpIndex> awaited;
  for (const Wait &wait : computeWaits(problem, solution))
    awaited.insert(wait.producer);
  state.counters["events"] = awaited.size();
  // Makespan as a part of the serial one.
  state.counters["of_serial"] = quality.makespan / serial.makespan;
  state.SetItemsProcessed(state.iterations() * problem.size());
}

void criticalPath(benchmark::State &state, Maker make) {
  Problem problem = make(state.range(0));
  Solution solution;
  for (auto _ : state) {
    solution = scheduleCriticalPath(problem);
    benchmark::DoNotOptimize(computeWaits(problem, solution));
  }
  count(state, problem, solution);
}

void chainCover(benchmark::State &state, Maker make) {
  Problem problem = make(state.range(0));
  Solution solution;
  for (auto _ : state) {
    solution = scheduleChainCover(problem);
    benchmark::DoNotOptimize(computeWaits(problem, solution));
  }
  count(state, problem, solution);
}

const std::pair<const char *, Maker> extremes[] = {
    {"chains", makeChains},      {"fan-out", makeFanOut},
    {"diamonds", makeDiamonds},  {"43-layers", make43Layers},
    {"61-layers", make61Layers},
};
const std::pair<const char *, Maker> models[] = {
    {"inception", makeInception},
    {"nasnet", makeNasNet},
    {"transformer", makeTransformer},
};

void registerAll() {
  auto addBenchmark = [](const std::string &name, int64_t numOperations,
                         void (*run)(benchmark::State &, Maker), Maker make) {
    benchmark::RegisterBenchmark(
        name.c_str(), [=](benchmark::State &state) { run(state, make); })
        ->Unit(benchmark::kMicrosecond)
        ->Arg(numOperations);
  };
  for (auto [name, make] : extremes)
    for (int64_t numOperations : {100, 1000, 10000})
      addBenchmark(std::string(name) + "/critical-path", numOperations,
                   criticalPath, make);
  // Both algorithms on one graph, one below the other. The chain cover needs a
  // transitive closure, so it is for small graphs.
  for (auto [name, make] : models)
    for (int64_t numOperations : {100, 1000, 10000}) {
      addBenchmark(std::string(name) + "/critical-path", numOperations,
                   criticalPath, make);
      if (numOperations <= 1000)
        addBenchmark(std::string(name) + "/chain-cover", numOperations,
                     chainCover, make);
    }
}

} // namespace

int main(int argc, char **argv) {
  registerAll();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
