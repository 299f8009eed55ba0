//===- Mutants.cpp - Schedules with one mistake -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the mutations.
//
//===----------------------------------------------------------------------===//

#include "Mutants.h"

#include "braid/Dialect/Sched/IR/Sched.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace braid;
using namespace braid::sched;
using namespace braid::stress;

const char *braid::stress::getName(MutantKind kind) {
  static const char *names[] = {"wait removed", "record moved",
                                "swap on a stream", "swap of enqueueing",
                                "bytes shared"};
  return names[unsigned(kind)];
}

static std::vector<Operation *> numberOps(ModuleOp module) {
  std::vector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  return ops;
}

/// The next launch behind `launch`, on the same or on another stream; null if a
/// launch of the other sort comes first where neighbours are asked for.
static LaunchOp findNext(LaunchOp launch, bool sameStream) {
  for (Operation *op = launch->getNextNode(); op; op = op->getNextNode())
    if (auto next = dyn_cast<LaunchOp>(op)) {
      if (sameStream && next.getStream() == launch.getStream())
        return next;
      if (!sameStream)
        return next.getStream() != launch.getStream() ? next : LaunchOp();
    }
  return nullptr;
}

std::vector<Mutant> braid::stress::findMutants(ModuleOp module, unsigned limit,
                                               Random &random) {
  std::vector<Operation *> ops = numberOps(module);
  DenseMap<Operation *, unsigned> numbers;
  for (auto [number, op] : llvm::enumerate(ops))
    numbers[op] = number;
  std::vector<Mutant> all[NumMutantKinds];
  auto add = [&](MutantKind kind, unsigned op, unsigned other = 0) {
    all[unsigned(kind)].push_back({kind, op, other});
  };
  for (auto [number, op] : llvm::enumerate(ops)) {
    if (auto wait = dyn_cast<WaitOp>(op)) {
      for (unsigned i = 0; i < wait.getEvents().size(); ++i)
        add(MutantKind::RemoveWait, number, i);
    } else if (isa<RecordOp>(op)) {
      if (op->getPrevNode())
        add(MutantKind::MoveRecord, number);
    } else if (auto launch = dyn_cast<LaunchOp>(op)) {
      if (LaunchOp next = findNext(launch, true))
        add(MutantKind::SwapStream, number, numbers[next]);
      if (LaunchOp next = findNext(launch, false))
        add(MutantKind::SwapEnqueue, number, numbers[next]);
    } else if (auto alloc = dyn_cast<AllocOp>(op)) {
      for (auto other : op->getBlock()->getOps<AllocOp>())
        if (other != alloc && other.getOffsetAttr() != alloc.getOffsetAttr())
          add(MutantKind::Share, number, numbers[other]);
    }
  }
  std::vector<Mutant> chosen;
  for (std::vector<Mutant> &mutants : all) {
    for (size_t i = 0; i < mutants.size() && i < limit; ++i) {
      std::swap(mutants[i], mutants[i + random.below(mutants.size() - i)]);
      chosen.push_back(mutants[i]);
    }
  }
  return chosen;
}

OwningOpRef<ModuleOp> braid::stress::apply(ModuleOp module,
                                           const Mutant &mutant) {
  OwningOpRef<ModuleOp> copy = module.clone();
  std::vector<Operation *> ops = numberOps(*copy);
  Operation *op = ops[mutant.op];
  switch (mutant.kind) {
  case MutantKind::RemoveWait: {
    auto wait = cast<WaitOp>(op);
    if (wait.getEvents().size() == 1)
      wait.erase();
    else
      wait.getEventsMutable().erase(mutant.other);
    break;
  }
  case MutantKind::MoveRecord:
    op->moveBefore(op->getPrevNode());
    break;
  case MutantKind::SwapStream:
  case MutantKind::SwapEnqueue: {
    Operation *other = ops[mutant.other];
    Operation *behind = op->getNextNode();
    if (behind == other) {
      other->moveBefore(op);
    } else {
      op->moveAfter(other);
      other->moveBefore(behind);
    }
    break;
  }
  case MutantKind::Share: {
    auto alloc = cast<AllocOp>(op), other = cast<AllocOp>(ops[mutant.other]);
    alloc.setOffsetAttr(other.getOffsetAttr());
    // Room is not the mistake.
    auto schedule = alloc->getParentOfType<ScheduleOp>();
    LinearAttr bytes = alloc.getBytes(),
               workspace = schedule.getWorkspaceAttr();
    schedule.setWorkspaceAttr(LinearAttr::get(
        alloc.getContext(), workspace.getPerToken() + bytes.getPerToken(),
        workspace.getFixed() + bytes.getFixed()));
    break;
  }
  }
  return copy;
}
