//===- TestDependences.cpp - Prints dependences of launches ---*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One remark for each launch: which earlier launches of its block it depends
// on, through others too, and which it is independent of.
//
//===----------------------------------------------------------------------===//

#include "braid/Analysis/Dependences.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace braid;

/// "0, 2", or "none".
static std::string printNumbers(ArrayRef<unsigned> numbers) {
  return numbers.empty()
             ? "none"
             : llvm::join(llvm::map_range(numbers,
                                          [](unsigned number) {
                                            return std::to_string(number);
                                          }),
                          ", ");
}

namespace {
struct TestPrintDependencesPass
    : public PassWrapper<TestPrintDependencesPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintDependencesPass)

  StringRef getArgument() const final { return "test-print-dependences"; }
  StringRef getDescription() const final {
    return "Print dependence and independence of each block's launches";
  }

  void runOnOperation() override {
    llvm::MapVector<Block *, SmallVector<sched::LaunchOp>> blocks;
    getOperation()->walk([&](sched::LaunchOp launch) {
      blocks[launch->getBlock()].push_back(launch);
    });
    for (auto &[block, launches] : blocks) {
      std::vector<SmallVector<unsigned>> edges = computeDependences(launches);
      std::vector<llvm::BitVector> closure;
      for (auto [index, launch] : llvm::enumerate(launches)) {
        llvm::BitVector &mine = closure.emplace_back(launches.size());
        for (unsigned before : edges[index]) {
          mine |= closure[before];
          mine.set(before);
        }
        SmallVector<unsigned> dependent, independent;
        for (unsigned before = 0; before < index; ++before)
          (mine[before] ? dependent : independent).push_back(before);
        launch.emitRemark()
            << "launch " << index << " depends on " << printNumbers(dependent)
            << "; independent of " << printNumbers(independent) << ".";
      }
    }
  }
};
} // namespace

namespace braid::test {
void registerTestDependences() { PassRegistration<TestPrintDependencesPass>(); }
} // namespace braid::test
