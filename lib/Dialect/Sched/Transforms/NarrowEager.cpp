//===- NarrowEager.cpp - Narrow eager regions -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-narrow-eager: moves everything that may be captured out of
// an eager region, up what needs nothing from it and down what only consumes
// it, and splits it where that pays.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "braid/Analysis/CaptureAnalysis.h"
#include "braid/Analysis/CostModel.h"
#include "braid/Analysis/EffectConflicts.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_NARROWEAGERPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

using namespace braid;
using namespace braid::sched;

namespace {

/// Where an op of the region goes.
enum class Place {
  Up,      ///< before the region
  Stays,   ///< in the region
  Between, ///< between two parts of the region
  Down,    ///< after the region
};

/// An op of the region and what decides its place.
struct Node {
  Operation *op;
  EffectSet effects;
  /// Why it must stay; empty if it may leave.
  std::string obstacle;
  /// A call of a function that forms its own regions.
  bool isCall = false;
  /// Microseconds that capturing it saves.
  double gain = 0;
  Place place = Place::Stays;
  /// Earlier ops of the region that it has to come after.
  SmallVector<unsigned> predecessors = {};
  /// The cuts that it may go to if it lies in the middle, and the chosen one.
  unsigned first = 0, last = 0, cut = 0;

  /// Has its place among those that stay, whatever else is decided.
  bool isAnchor() const {
    return place == Place::Stays && (isCall || !obstacle.empty());
  }
  /// May be captured, but lies between ops that may not.
  bool isMiddle() const {
    return place == Place::Stays && !isCall && obstacle.empty();
  }
};

/// Narrows one region.
class RegionNarrower {
public:
  RegionNarrower(Operation *eager, StringRef function,
                 const DenseMap<Operation *, std::string> &obstacles,
                 const CostModel &model, int64_t tokens)
      : eager(eager), function(function), obstacles(obstacles), model(model),
        tokens(tokens) {}

  void run();

private:
  void collect();
  void place();
  void split();
  void report();
  void rebuild();
  Operation *createPart(ArrayRef<Operation *> ops);
  double getSplitCost() const;
  std::pair<unsigned, double> getGain(unsigned cut) const;

  Operation *eager;
  StringRef function;
  const DenseMap<Operation *, std::string> &obstacles;
  const CostModel &model;
  int64_t tokens;
  std::vector<Node> nodes;
  /// Where the region is split, ascending.
  SmallVector<unsigned> cuts;
  /// Those of them that a call makes.
  llvm::SmallDenseSet<unsigned> callCuts;
};

} // namespace

/// The function that `op` calls if it is a call; null for other ops.
static func::FuncOp getCallee(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  return call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                    call, call.getCalleeAttr())
              : nullptr;
}

/// Whether `op` calls a function that forms regions of its own.
static bool isPlainCall(Operation *op) {
  func::FuncOp callee = getCallee(op);
  return callee && !callee->hasAttr(SchedDialect::getKernelAttrName());
}

/// Why `op` must stay in an eager region, whatever its neighbours do.
static std::string findObstacle(Operation *op,
                                const EffectClassAnalysis &classes) {
  auto findInOperands = [&]() -> std::string {
    for (OpOperand &operand : op->getOpOperands())
      if (std::optional<CaptureObstacle> obstacle =
              findOperandObstacle(operand, classes))
        return obstacle->reason;
    return "";
  };
  if (auto schedulable = dyn_cast<SchedulableOpInterface>(op)) {
    if (std::optional<CaptureObstacle> obstacle =
            findCaptureObstacle(schedulable, classes))
      return obstacle->reason;
    return "";
  }
  // What a callee does is decided where it stands.
  if (isPlainCall(op))
    return "";
  // Host code that is launched as a kernel says on itself what it reads.
  if (func::FuncOp callee = getCallee(op)) {
    auto effect = callee->getAttrOfType<EffectClassAttr>(
        SchedDialect::getEffectAttrName());
    if (effect && effect.getValue() == EffectClass::Init)
      return "it runs once at load";
    if (std::string reason = findInOperands(); !reason.empty())
      return reason;
    return effect && effect.getValue() == EffectClass::HostMetadata
               ? "it needs a host value"
               : "";
  }
  // A slice that is put into another tensor is copied by a kernel.
  if (isa<tensor::InsertSliceOp>(op))
    return findInOperands();
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
    Node node{&op, EffectSet(&op), obstacles.lookup(&op), isPlainCall(&op)};
    if (auto schedulable = dyn_cast<SchedulableOpInterface>(op))
      node.gain = std::max(0.0, model.getFacts().eagerLaunchMicroseconds -
                                    model.getMicroseconds(schedulable, tokens));
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
        // A callee may read an argument, overwrite it, or both.
        bool isCall = isa<func::CallOp>(inner);
        bool isInit = destinations && destinations.isDpsInit(&operand);
        if (isCall || isInit)
          predecessors.insert(others.begin(), others.end());
        if (isCall || !isInit)
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

/// Chooses where to split what stays. Cut c lies between the anchors c - 1 and
/// c; an op in the middle may go to any cut from `first` to `last`, and goes to
/// the first one that is chosen, so that what it needs is there before it. A
/// cut next to a call is given, since the call ends the region anyway. The rest
/// is a matter of dynamic programming over the last cut chosen.
void RegionNarrower::split() {
  std::vector<unsigned> anchors;
  for (auto [index, node] : llvm::enumerate(nodes))
    if (node.isAnchor())
      anchors.push_back(index);
  unsigned numAnchors = anchors.size();
  if (numAnchors < 2)
    return;

  unsigned anchor = 0;
  for (Node &node : nodes) {
    if (node.place != Place::Stays)
      continue;
    if (node.isAnchor()) {
      node.first = node.last = ++anchor; // for those that come after it
      continue;
    }
    for (unsigned predecessor : node.predecessors)
      if (nodes[predecessor].place == Place::Stays)
        node.first = std::max(node.first, nodes[predecessor].first);
    node.last = numAnchors;
  }
  for (Node &node : llvm::reverse(nodes)) {
    if (node.place != Place::Stays)
      continue;
    unsigned bound = node.isAnchor() ? node.first - 1 : node.last;
    for (unsigned predecessor : node.predecessors)
      if (Node &other = nodes[predecessor];
          other.place == Place::Stays && !other.isAnchor())
        other.last = std::min(other.last, bound);
  }

  double costOfCut = getSplitCost();
  auto isGiven = [&](unsigned cut) {
    return nodes[anchors[cut - 1]].isCall || nodes[anchors[cut]].isCall;
  };
  std::vector<SmallVector<const Node *>> byFirst(numAnchors);
  for (const Node &node : nodes)
    if (node.isMiddle() && node.gain > 0)
      byFirst[node.first].push_back(&node);

  std::vector<double> best(numAnchors, 0); // if the cut is the last one
  std::vector<unsigned> previous(numAnchors, 0);
  for (unsigned cut = 1; cut < numAnchors; ++cut) {
    best[cut] = -std::numeric_limits<double>::infinity();
    double gain = isGiven(cut) ? 0 : -costOfCut;
    for (unsigned before = cut; before-- > 0;) {
      for (const Node *node : byFirst[before + 1])
        if (node->last >= cut)
          gain += node->gain;
      if (best[before] + gain > best[cut]) {
        best[cut] = best[before] + gain;
        previous[cut] = before;
      }
      if (before != 0 && isGiven(before))
        break;
    }
  }
  unsigned last = 0;
  for (unsigned cut = 1; cut < numAnchors; ++cut)
    if (isGiven(cut) || best[cut] > best[last] + 1e-9)
      last = cut;
  for (unsigned cut = last; cut != 0; cut = previous[cut]) {
    cuts.push_back(cut);
    if (isGiven(cut))
      callCuts.insert(cut);
  }
  std::reverse(cuts.begin(), cuts.end());

  for (Node &node : nodes)
    if (node.isMiddle()) {
      auto cut = llvm::lower_bound(cuts, node.first);
      if (cut != cuts.end() && *cut <= node.last) {
        node.place = Place::Between;
        node.cut = *cut;
      }
    }
}

double RegionNarrower::getSplitCost() const {
  return model.getFacts().replayMicroseconds +
         model.getFacts().breakMicroseconds;
}

/// What capturing those ops in the middle would save that may go to `cut`.
std::pair<unsigned, double> RegionNarrower::getGain(unsigned cut) const {
  std::pair<unsigned, double> result = {0, 0};
  for (const Node &node : nodes)
    if ((node.isMiddle() || node.place == Place::Between) &&
        isa<SchedulableOpInterface>(node.op) && node.first <= cut &&
        cut <= node.last) {
      ++result.first;
      result.second += node.gain;
    }
  return result;
}

/// Says for each kernel what became of it and why.
void RegionNarrower::report() {
  auto options = [&](StringRef name) {
    return remark::RemarkOpts::name(name)
        .category("sched-eager")
        .function(function);
  };
  auto format = [](double microseconds) {
    return llvm::formatv("{0:f1} us", microseconds).str();
  };
  unsigned numUp = 0, numBetween = 0, numDown = 0, numStaying = 0;
  for (Node &node : nodes) {
    if (node.isCall)
      remark::passed(node.op->getLoc(), options("CallLeaves"))
          << "the call of @" + getCallee(node.op).getName().str() +
                 " leaves the eager region: the callee forms its own";
    if (!isa<SchedulableOpInterface>(node.op))
      continue;
    std::string name = node.op->getName().getStringRef().str();
    switch (node.place) {
    case Place::Up:
      ++numUp;
      break;
    case Place::Between:
      ++numBetween;
      break;
    case Place::Down:
      ++numDown;
      break;
    case Place::Stays:
      ++numStaying;
      std::string reason = node.obstacle;
      if (reason.empty()) {
        std::pair<unsigned, double> best = getGain(node.first);
        for (unsigned cut = node.first + 1; cut <= node.last; ++cut)
          if (std::pair<unsigned, double> gain = getGain(cut);
              gain.second > best.second)
            best = gain;
        reason = "it lies between ops that stay; capturing the " +
                 std::to_string(best.first) + " in this place would save " +
                 format(best.second) + ", one more segment costs " +
                 format(getSplitCost());
      }
      remark::missed(node.op->getLoc(), options("StaysEager"))
          << name + " stays in the eager region: " + reason;
      break;
    }
  }
  for (unsigned cut : cuts) {
    double gain = 0;
    unsigned numOps = 0;
    Operation *first = nullptr;
    for (Node &node : nodes)
      if (node.place == Place::Between && node.cut == cut &&
          isa<SchedulableOpInterface>(node.op)) {
        first = first ? first : node.op;
        gain += node.gain;
        ++numOps;
      }
    if (first)
      remark::passed(first->getLoc(), options("SplitEager"))
          << "the eager region is split before " +
                 first->getName().getStringRef().str() + ": capturing the " +
                 std::to_string(numOps) + " in this place saves " +
                 format(gain) + ", " +
                 (callCuts.contains(cut)
                      ? "and a call ends the region anyway"
                      : "one more segment costs " + format(getSplitCost()));
  }
  remark::passed(eager->getLoc(), options("NarrowedEager"))
      << remark::metric("MovedBetween", numBetween)
      << remark::metric("MovedDown", numDown)
      << remark::metric("MovedUp", numUp)
      << remark::metric("Staying", numStaying);
}

/// Moves `ops` into a new region like the author's before it, and gives that
/// the results that are used outside.
Operation *RegionNarrower::createPart(ArrayRef<Operation *> ops) {
  Block *body = new Block();
  for (Operation *op : ops)
    op->moveBefore(body, body->end());
  SmallVector<Value> liveOuts;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return body->findAncestorOpInBlock(*user) == nullptr;
          }))
        liveOuts.push_back(result);

  OpBuilder builder(eager);
  OperationState state(eager->getLoc(), eager->getName());
  state.addTypes(ValueRange(liveOuts).getTypes());
  state.addAttributes(eager->getAttrs());
  state.addRegion()->push_back(body);
  Operation *part = builder.create(state);
  for (auto [value, result] : llvm::zip(liveOuts, part->getResults()))
    value.replaceUsesWithIf(result, [&](OpOperand &use) {
      return !part->isProperAncestor(use.getOwner());
    });

  Operation *terminator = eager->getRegion(0).front().getTerminator();
  builder.setInsertionPointToEnd(body);
  OperationState yield(terminator->getLoc(), terminator->getName());
  yield.addOperands(liveOuts);
  builder.create(yield);
  return part;
}

/// Moves the ops, and puts new regions around those that stay: an op cannot
/// change its number of results.
void RegionNarrower::rebuild() {
  Operation *terminator = eager->getRegion(0).front().getTerminator();
  eager->replaceAllUsesWith(terminator->getOperands());
  terminator->setOperands({});
  for (Node &node : nodes)
    if (node.place == Place::Up)
      node.op->moveBefore(eager);

  // Parts 2r are eager, parts 2r - 1 what is captured at cut r - 1.
  std::vector<SmallVector<Operation *>> parts(2 * cuts.size() + 1);
  for (Node &node : nodes) {
    if (node.place == Place::Between)
      parts[2 * (llvm::lower_bound(cuts, node.cut) - cuts.begin()) + 1]
          .push_back(node.op);
    else if (node.place == Place::Stays) {
      // Anchor c - 1 has c in `first`, and comes before cut c.
      unsigned position = node.isAnchor() ? node.first - 1 : node.first;
      parts[2 * (llvm::upper_bound(cuts, position) - cuts.begin())].push_back(
          node.op);
    }
  }
  for (auto [index, ops] : llvm::enumerate(parts)) {
    bool isCaptured = index % 2 == 1 || (!ops.empty() && isPlainCall(ops[0]));
    if (isCaptured)
      for (Operation *op : ops)
        op->moveBefore(eager);
    else if (!ops.empty())
      createPart(ops);
  }

  Operation *last = eager;
  for (Node &node : nodes)
    if (node.place == Place::Down) {
      node.op->moveAfter(last);
      last = node.op;
    }
  eager->erase();
}

void RegionNarrower::run() {
  collect();
  place();
  split();
  report();
  rebuild();
}

namespace {
class NarrowEagerPass
    : public braid::sched::impl::NarrowEagerPassBase<NarrowEagerPass> {
public:
  using NarrowEagerPassBase::NarrowEagerPassBase;

  void runOnOperation() override {
    FailureOr<CostModel> model = CostModel::get(getOperation());
    if (failed(model))
      return signalPassFailure();
    // All that is asked of the analysis, before anything moves.
    const auto &classes = getAnalysis<EffectClassAnalysis>();
    SmallVector<Operation *> regions;
    DenseMap<Operation *, std::string> obstacles;
    getOperation().walk([&](EagerRegionOpInterface eager) {
      regions.push_back(eager);
      for (Operation &op : eager->getRegion(0).front().without_terminator())
        obstacles[&op] = findObstacle(&op, classes);
    });
    for (Operation *eager : regions)
      RegionNarrower(eager, eager->getParentOfType<func::FuncOp>().getSymName(),
                     obstacles, *model, tokens)
          .run();
  }
};
} // namespace
