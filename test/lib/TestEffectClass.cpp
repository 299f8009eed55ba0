//===- TestEffectClass.cpp - Prints classes of values ---*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the classes of function arguments, where they are not graph-safe, and
// of the values of ops that carry an attribute `tag`: the results, or the
// operands of an op without results.
//
//===----------------------------------------------------------------------===//

#include "braid/Analysis/CaptureAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace braid;

namespace {
struct TestPrintEffectClassPass
    : public PassWrapper<TestPrintEffectClassPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintEffectClassPass)

  StringRef getArgument() const final { return "test-print-effect-class"; }
  StringRef getDescription() const final {
    return "Print the classes of arguments and of tagged ops' values";
  }

  void runOnOperation() override {
    const auto &classes = getAnalysis<EffectClassAnalysis>();
    auto print = [&](Value value) {
      ValueClass known = classes.lookup(value);
      llvm::outs() << stringify(known.kind);
      if (known.kind != ValueKind::GraphSafe && known.origin)
        llvm::outs() << ", from " << getArgumentName(known.origin);
      llvm::outs() << "\n";
    };
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto function = dyn_cast<func::FuncOp>(op)) {
        llvm::outs() << "@" << function.getSymName() << "\n";
        for (BlockArgument argument : function.getArguments())
          if (classes.lookup(argument).kind != ValueKind::GraphSafe) {
            llvm::outs() << "  argument " << argument.getArgNumber() << ": ";
            print(argument);
          }
      }
      auto tag = op->getAttrOfType<StringAttr>("tag");
      if (!tag)
        return;
      auto printAll = [&](ValueRange values, StringRef kind) {
        for (auto [index, value] : llvm::enumerate(values)) {
          llvm::outs() << "  " << tag.getValue();
          if (!kind.empty())
            llvm::outs() << " " << kind << " " << index;
          llvm::outs() << ": ";
          print(value);
        }
      };
      if (op->getNumResults() != 0)
        printAll(op->getResults(), op->getNumResults() > 1 ? "result" : "");
      else
        printAll(op->getOperands(), "operand");
    });
  }
};
} // namespace

namespace braid::test {
void registerTestEffectClass() { PassRegistration<TestPrintEffectClassPass>(); }
} // namespace braid::test
