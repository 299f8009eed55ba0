//===- TestPasses.cpp - Passes that print what interfaces say ---*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turn the answers of interfaces into remarks, so that tests can check them
// with -verify-diagnostics, and register the passes for the analyses. Each
// remark ends in a full stop: a test that quotes it to the end allows nothing
// more.
//
//===----------------------------------------------------------------------===//

#include "braid/Analysis/CaptureAnalysis.h"
#include "braid/Dialect/Sched/IR/Sched.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace braid;

/// "read operand 0", "write <Stream>": kind, then value or resource.
static std::string printEffect(Operation *op,
                               const MemoryEffects::EffectInstance &effect) {
  std::string text =
      llvm::TypeSwitch<MemoryEffects::Effect *, std::string>(effect.getEffect())
          .Case<MemoryEffects::Read>([](auto) { return "read"; })
          .Case<MemoryEffects::Write>([](auto) { return "write"; })
          .Case<MemoryEffects::Allocate>([](auto) { return "allocate"; })
          .Case<MemoryEffects::Free>([](auto) { return "free"; });
  if (auto *operand = effect.getEffectValue<OpOperand *>())
    text += " operand " + std::to_string(operand->getOperandNumber());
  else if (auto result = effect.getEffectValue<OpResult>())
    text += " result " + std::to_string(result.getResultNumber());
  if (effect.getResource() != SideEffects::DefaultResource::get() ||
      !effect.getValue())
    text += " " + effect.getResource()->getName().str();
  return text;
}

namespace {

/// Prints the memory effects of every op that has them.
struct TestPrintEffectsPass
    : public PassWrapper<TestPrintEffectsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintEffectsPass)

  StringRef getArgument() const final { return "test-print-effects"; }
  StringRef getDescription() const final {
    return "Print the memory effects of each op as a remark";
  }

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      auto interface = dyn_cast<MemoryEffectOpInterface>(op);
      bool isRecursive = op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
      if (!interface && !isRecursive)
        return;
      SmallVector<std::string> parts;
      if (interface) {
        SmallVector<MemoryEffects::EffectInstance> effects;
        interface.getEffects(effects);
        for (const MemoryEffects::EffectInstance &effect : effects)
          parts.push_back(printEffect(op, effect));
      }
      if (isRecursive)
        parts.push_back("those of its regions");
      if (parts.empty())
        parts.push_back("none");
      op->emitRemark("effects: ") << llvm::join(parts, ", ") << ".";
    });
  }
};

/// Prints what SchedulableOpInterface and the capture analysis say.
struct TestPrintSchedulablePass
    : public PassWrapper<TestPrintSchedulablePass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintSchedulablePass)

  TestPrintSchedulablePass() = default;
  TestPrintSchedulablePass(const TestPrintSchedulablePass &other)
      : PassWrapper(other) {}

  StringRef getArgument() const final { return "test-print-schedulable"; }
  StringRef getDescription() const final {
    return "Print class, accesses, cost and capture obstacle of each op as "
           "remarks";
  }

  void runOnOperation() override {
    const auto &classes = getAnalysis<EffectClassAnalysis>();
    getOperation()->walk([&](sched::SchedulableOpInterface op) {
      SmallVector<std::string> accesses;
      for (OpOperand *operand : op.getKernelOperands()) {
        if (!operand) {
          accesses.push_back("absent");
          continue;
        }
        accesses.push_back(stringifyAccess(op.getAccess(*operand)).str() +
                           (op.isHostOperand(*operand) ? " by host" : ""));
      }
      op->emitRemark() << "kernel '" << op.getKernelName()
                       << "': " << stringifyEffectClass(op.getEffectClass())
                       << "; " << llvm::join(accesses, ", ") << ".";

      sched::Cost cost = op.getCost(tokens);
      op->emitRemark() << "cost: " << llvm::formatv("{0:f0}", cost.flops).str()
                       << " flops, "
                       << llvm::formatv("{0:f0}", cost.bytes).str()
                       << " bytes.";

      if (std::optional<CaptureObstacle> obstacle =
              findCaptureObstacle(op, classes)) {
        InFlightDiagnostic diagnostic = op->emitRemark("not captured: ");
        diagnostic << obstacle->reason;
        if (obstacle->operand)
          diagnostic << " (operand " << obstacle->operand->getOperandNumber()
                     << ")";
        diagnostic << ".";
      } else {
        op->emitRemark("may be captured.");
      }
    });
  }

  Option<int64_t> tokens{*this, "tokens",
                         llvm::cl::desc("Token count for costs"),
                         llvm::cl::init(1)};
};

} // namespace

namespace braid::test {
void registerTestCosts();
void registerTestDependences();
void registerTestEffectClass();
void registerTestHappensBefore();
void registerTestPipeline();

void registerTestPasses() {
  registerTestCosts();
  registerTestDependences();
  registerTestEffectClass();
  registerTestHappensBefore();
  registerTestPipeline();
  PassRegistration<TestPrintEffectsPass>();
  PassRegistration<TestPrintSchedulablePass>();
}
} // namespace braid::test
