//===- TestCosts.cpp - Prints work and time of ops ---*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One remark for each op and token count: FLOPs, bytes and the time on the
// module's target, launch included.
//
//===----------------------------------------------------------------------===//

#include "braid/Analysis/CostModel.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace braid;

namespace {
struct TestPrintCostsPass
    : public PassWrapper<TestPrintCostsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintCostsPass)

  TestPrintCostsPass() = default;
  TestPrintCostsPass(const TestPrintCostsPass &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "test-print-costs"; }
  StringRef getDescription() const final {
    return "Print FLOPs, bytes and time of each op as remarks";
  }

  void runOnOperation() override {
    FailureOr<CostModel> model = CostModel::get(getOperation());
    if (failed(model))
      return signalPassFailure();
    getOperation().walk([&](sched::SchedulableOpInterface op) {
      for (int64_t count : tokens) {
        sched::Cost cost = op.getCost(count);
        op->emitRemark() << llvm::formatv(
                                "{0} tokens: {1:f0} flops, {2:f0} bytes, "
                                "{3:f2} us.",
                                count, cost.flops, cost.bytes,
                                model->getMicroseconds(op, count))
                                .str();
      }
    });
  }

  ListOption<int64_t> tokens{*this, "tokens", llvm::cl::desc("Token counts")};
};
} // namespace

namespace braid::test {
void registerTestCosts() { PassRegistration<TestPrintCostsPass>(); }
} // namespace braid::test
