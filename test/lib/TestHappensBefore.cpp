//===- TestHappensBefore.cpp - Prints the order of launches ---*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One remark for each launch of a schedule: which earlier launches are done
// when it starts and which need not be. In a loop also those of the iteration
// before that stand at or behind it.
//
//===----------------------------------------------------------------------===//

#include "braid/Analysis/HappensBefore.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
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

/// Whether some loop runs both.
static bool shareLoop(Operation *a, Operation *b) {
  for (auto loop = a->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (loop->isProperAncestor(b))
      return true;
  return false;
}

namespace {
struct TestPrintHappensBeforePass
    : public PassWrapper<TestPrintHappensBeforePass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintHappensBeforePass)

  StringRef getArgument() const final { return "test-print-happens-before"; }
  StringRef getDescription() const final {
    return "Print which launches of a schedule are ordered";
  }

  void runOnOperation() override {
    BufferAccessAnalysis accesses;
    getOperation()->walk([&](sched::ScheduleOp schedule) {
      HappensBefore order(schedule, accesses);
      SmallVector<sched::LaunchOp> launches;
      schedule.walk(
          [&](sched::LaunchOp launch) { launches.push_back(launch); });
      for (auto [index, launch] : llvm::enumerate(launches)) {
        SmallVector<unsigned> after, unordered, nextAfter, nextUnordered;
        for (auto [other, earlier] : llvm::enumerate(launches)) {
          bool isEarlier = other < index;
          if (!isEarlier && !shareLoop(earlier, launch))
            continue;
          bool isOrdered = order.isOrdered(earlier, launch);
          if (isEarlier)
            (isOrdered ? after : unordered).push_back(other);
          else
            (isOrdered ? nextAfter : nextUnordered).push_back(other);
        }
        InFlightDiagnostic remark = launch.emitRemark();
        remark << "launch " << index << " after " << printNumbers(after)
               << "; unordered with " << printNumbers(unordered);
        if (!nextAfter.empty() || !nextUnordered.empty())
          remark << "; of the iteration before after "
                 << printNumbers(nextAfter) << "; unordered with "
                 << printNumbers(nextUnordered);
        remark << ".";
      }
    });
  }
};
} // namespace

namespace braid::test {
void registerTestHappensBefore() {
  PassRegistration<TestPrintHappensBeforePass>();
}
} // namespace braid::test
