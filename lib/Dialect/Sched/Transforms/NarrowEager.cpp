//===- NarrowEager.cpp - Narrow eager regions -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-narrow-eager: moves everything that may be captured out of
// an eager region, up what needs nothing from it and down what only consumes
// it.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "braid/Analysis/CaptureAnalysis.h"
#include "braid/Analysis/EffectConflicts.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_NARROWEAGERPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

using namespace braid;
using namespace braid::sched;

namespace {

/// Where an op of the region goes.
enum class Place { Up, Stays, Down };

/// An op of the region and what decides its place.
struct Node {
  Operation *op;
  EffectSet effects;
  /// Why it must stay; empty if it may leave.
  std::string obstacle;
  Place place = Place::Stays;
  /// Earlier ops of the region that it has to come after.
  SmallVector<unsigned> predecessors;
};

/// Narrows one region.
class RegionNarrower {
public:
  RegionNarrower(Operation *eager, StringRef function)
      : eager(eager), function(function) {}

  void run();

private:
  void collect();
  void place();
  void report();
  void rebuild();

  Operation *eager;
  StringRef function;
  std::vector<Node> nodes;
};

} // namespace

/// Why `op` must stay in an eager region, whatever its neighbours do.
static std::string findObstacle(Operation *op) {
  if (auto schedulable = dyn_cast<SchedulableOpInterface>(op)) {
    if (std::optional<CaptureObstacle> obstacle =
            findCaptureObstacle(schedulable))
      return obstacle->reason;
    return "";
  }
  // Views, sizes and destinations go where they are needed.
  if (op->getNumRegions() == 0 && isMemoryEffectFree(op))
    return "";
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op);
      effects && effects.onlyHasEffect<MemoryEffects::Allocate>())
    return "";
  return "nothing says whether it may be captured";
}

/// Reads the region: for each op, what it has to come after. Edges are values
/// and memory; a cache that is written and read again has no value between, nor
/// has a tensor that one op reads and a later one takes as its destination.
void RegionNarrower::collect() {
  DenseMap<Operation *, unsigned> indices;
  DenseMap<Value, SmallVector<unsigned>> readers; // of tensors, without views
  Block &body = eager->getRegion(0).front();
  for (Operation &op : body.without_terminator()) {
    Node node{&op, EffectSet(&op), findObstacle(&op)};
    unsigned index = nodes.size();
    llvm::SmallDenseSet<unsigned> predecessors;
    op.walk([&](Operation *inner) {
      auto destinations = dyn_cast<DestinationStyleOpInterface>(inner);
      for (OpOperand &operand : inner->getOpOperands()) {
        if (Operation *producer = operand.get().getDefiningOp())
          if (auto it = indices.find(producer); it != indices.end())
            predecessors.insert(it->second);
        if (!isa<TensorType>(operand.get().getType()))
          continue;
        auto &others = readers[getViewSource(operand.get())];
        if (destinations && destinations.isDpsInit(&operand))
          predecessors.insert(others.begin(), others.end());
        else
          others.push_back(index);
      }
    });
    predecessors.erase(index); // what an op does by itself
    if (!node.effects.isEmpty())
      for (unsigned other = 0; other < index; ++other)
        if (node.effects.conflictsWith(nodes[other].effects))
          predecessors.insert(other);
    node.predecessors.assign(predecessors.begin(), predecessors.end());
    llvm::sort(node.predecessors);
    indices[&op] = index;
    nodes.push_back(std::move(node));
  }
}

void RegionNarrower::place() {
  // Up: what may leave and comes after nothing that stays.
  for (Node &node : nodes)
    if (node.obstacle.empty() &&
        llvm::all_of(node.predecessors, [&](unsigned predecessor) {
          return nodes[predecessor].place == Place::Up;
        }))
      node.place = Place::Up;

  // Down: what may leave and has nothing after it that stays.
  std::vector<bool> isNeeded(nodes.size(), false);
  for (int index = nodes.size() - 1; index >= 0; --index) {
    Node &node = nodes[index];
    if (node.place == Place::Up)
      continue;
    if (node.obstacle.empty() && !isNeeded[index]) {
      node.place = Place::Down;
      continue;
    }
    for (unsigned predecessor : node.predecessors)
      isNeeded[predecessor] = true;
  }
}

/// Says for each kernel what became of it and why.
void RegionNarrower::report() {
  auto options = [&](StringRef name) {
    return remark::RemarkOpts::name(name)
        .category("sched-eager")
        .function(function);
  };
  unsigned numUp = 0, numDown = 0, numStaying = 0;
  for (Node &node : nodes) {
    if (!isa<SchedulableOpInterface>(node.op))
      continue;
    std::string name = node.op->getName().getStringRef().str();
    switch (node.place) {
    case Place::Up:
      ++numUp;
      break;
    case Place::Down:
      ++numDown;
      break;
    case Place::Stays:
      ++numStaying;
      std::string reason = node.obstacle;
      if (reason.empty())
        reason = "it lies between ops that stay";
      remark::missed(node.op->getLoc(), options("StaysEager"))
          << name + " stays in the eager region: " + reason;
      break;
    }
  }
  remark::passed(eager->getLoc(), options("NarrowedEager"))
      << remark::metric("MovedUp", numUp)
      << remark::metric("MovedDown", numDown)
      << remark::metric("Staying", numStaying);
}

/// Moves the ops, and gives the region the results that are used after it.
void RegionNarrower::rebuild() {
  Block &body = eager->getRegion(0).front();
  Operation *terminator = body.getTerminator();
  eager->replaceAllUsesWith(terminator->getOperands());
  for (Node &node : nodes)
    if (node.place == Place::Up)
      node.op->moveBefore(eager);
  Operation *last = eager;
  for (Node &node : nodes)
    if (node.place == Place::Down) {
      node.op->moveAfter(last);
      last = node.op;
    }

  terminator->setOperands({});
  SmallVector<Value> liveOuts;
  for (Operation &op : body.without_terminator())
    for (Value result : op.getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !eager->isProperAncestor(user);
          }))
        liveOuts.push_back(result);
  if (body.without_terminator().empty()) {
    eager->erase();
    return;
  }

  // An op cannot change its number of results; make one like it.
  OperationState state(eager->getLoc(), eager->getName());
  state.addTypes(ValueRange(liveOuts).getTypes());
  state.addAttributes(eager->getAttrs());
  state.addRegion()->takeBody(eager->getRegion(0));
  OpBuilder builder(eager);
  Operation *narrowed = builder.create(state);
  terminator->setOperands(liveOuts);
  for (auto [value, result] : llvm::zip(liveOuts, narrowed->getResults()))
    value.replaceUsesWithIf(result, [&](OpOperand &use) {
      return !narrowed->isProperAncestor(use.getOwner());
    });
  eager->erase();
}

void RegionNarrower::run() {
  collect();
  place();
  report();
  rebuild();
}

namespace {
class NarrowEagerPass
    : public braid::sched::impl::NarrowEagerPassBase<NarrowEagerPass> {
public:
  void runOnOperation() override {
    SmallVector<Operation *> regions;
    getOperation().walk(
        [&](EagerRegionOpInterface eager) { regions.push_back(eager); });
    for (Operation *eager : regions)
      RegionNarrower(eager, getOperation().getSymName()).run();
  }
};
} // namespace
