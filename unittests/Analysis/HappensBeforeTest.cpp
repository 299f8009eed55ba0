//===- HappensBeforeTest.cpp - Random schedules, two judges -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random small schedules of three streams, judged by sched-verify and by a
// reachability check over all pairs of ops that shares no code with it. Both
// have to say the same. Programs with loops and branches are judged path by
// path.
//
//===----------------------------------------------------------------------===//

#include "braid/Analysis/HappensBefore.h"
#include "braid/Dialect/Prefill/IR/Prefill.h"
#include "braid/Dialect/Sched/Transforms/Passes.h"
#include "braid/InitAll.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <bitset>
#include <map>
#include <random>

using namespace mlir;
using namespace braid;
using namespace braid::sched;

namespace {

constexpr unsigned kFirstSeed = 1;
constexpr unsigned kNumPrograms = 2000;
constexpr unsigned kNumStreams = 3;
constexpr unsigned kNumArguments = 3; ///< function arguments
constexpr unsigned kNumBuffers = 6;   ///< those, then workspace buffers

constexpr size_t kMaxItems = 128;

/// One thing the host does. Not MLIR, so that the judge reads other data.
struct Item {
  enum Kind { Launch, Record, Wait, Begin, End } kind = Launch;
  unsigned stream = 0;
  std::vector<unsigned> reads, writes;
  int event = -1; ///< of a record or wait
  bool isSegment = false;
};

/// Places of the workspace buffers, in units of 256 bytes.
struct Place {
  unsigned start, size;
};

struct Program {
  std::vector<Item> items;
  Place places[kNumBuffers];
};

//===----------------------------------------------------------------------===//
// Making programs
//===----------------------------------------------------------------------===//

class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}

  Program run();

private:
  unsigned draw(unsigned end) { return random() % end; }
  bool chance(unsigned percent) { return draw(100) < percent; }
  int record(unsigned stream) {
    Item item{Item::Record, stream};
    item.event = numEvents++;
    program.items.push_back(item);
    return item.event;
  }
  void wait(unsigned stream, int event) {
    Item item{Item::Wait, stream};
    item.event = event;
    program.items.push_back(item);
  }
  void addLaunch(unsigned stream);
  void addScope(unsigned numLaunches);

  std::mt19937 random;
  Program program;
  int numEvents = 0;
};

void Generator::addLaunch(unsigned stream) {
  Item item{Item::Launch, stream};
  for (unsigned k = draw(3); k > 0; --k)
    item.reads.push_back(draw(kNumBuffers));
  if (chance(60))
    item.writes.push_back(draw(kNumBuffers));
  program.items.push_back(item);
}

void Generator::addScope(unsigned numLaunches) {
  // Mostly forked and joined as it should be, or nothing would be accepted.
  std::vector<int> events;
  for (unsigned stream = 1; stream < kNumStreams; ++stream)
    if (!chance(4))
      wait(stream, record(0));
  for (unsigned i = 0; i < numLaunches; ++i) {
    unsigned stream = draw(kNumStreams);
    addLaunch(stream);
    if (chance(60))
      events.push_back(record(stream));
    if (!events.empty() && chance(70))
      wait(
          draw(kNumStreams),
          events[events.size() - 1 - draw(std::min<size_t>(3, events.size()))]);
  }
  for (unsigned stream = 1; stream < kNumStreams; ++stream)
    if (!chance(4))
      wait(0, record(stream));
}

Program Generator::run() {
  // Some share bytes, in part or in full; in most programs few do.
  unsigned end = 0;
  bool isCrowded = chance(25);
  for (unsigned i = kNumArguments; i < kNumBuffers; ++i) {
    unsigned size = 1 + draw(isCrowded ? 3 : 2);
    unsigned start = isCrowded               ? draw(3)
                     : end > 0 && chance(20) ? end - 1
                                             : end;
    program.places[i] = {start, size};
    end = start + size;
  }
  // Contents of the workspace, so that few reads are refused for want of it.
  for (unsigned i = kNumArguments; i < kNumBuffers; ++i)
    if (!chance(5)) {
      Item item{Item::Launch, 0};
      item.writes.push_back(i);
      program.items.push_back(item);
    }
  if (chance(50)) {
    addScope(1 + draw(5));
    return std::move(program);
  }
  // Regions, with or without work on all streams before, between and after
  // them.
  bool hasOuterWork = chance(60);
  auto addOuterWork = [&] {
    if (!hasOuterWork)
      return;
    if (chance(50))
      wait(1, record(0));
    for (unsigned i = draw(3); i > 0; --i)
      addLaunch(draw(2));
    if (chance(90))
      wait(0, record(1));
  };
  if (hasOuterWork)
    wait(1, record(0));
  for (unsigned i = 0; i < 2; ++i) {
    addOuterWork();
    Item begin{Item::Begin};
    begin.isSegment = chance(50);
    program.items.push_back(begin);
    addScope(1 + draw(3));
    program.items.push_back({Item::End});
  }
  addOuterWork();
  return std::move(program);
}

//===----------------------------------------------------------------------===//
// The judge
//===----------------------------------------------------------------------===//

/// Whether everything in `program` is as it must be, by paths between items.
class Judge {
public:
  explicit Judge(const Program &program) : program(program) {}

  bool accepts();

private:
  void findPaths();
  bool checkScopes();
  bool checkMemory();
  bool share(unsigned a, unsigned b) const {
    if (a == b)
      return true;
    if (a < kNumArguments || b < kNumArguments)
      return false;
    const Place &x = program.places[a], &y = program.places[b];
    return x.start < y.start + y.size && y.start < x.start + x.size;
  }

  const Program &program;
  std::vector<std::bitset<kMaxItems>> reaches;
};

/// Edges between items, then their closure. Begin and end lie on stream 0.
void Judge::findPaths() {
  size_t size = program.items.size();
  ASSERT_LE(size, kMaxItems);
  // In a segment, streams other than 0 are not those outside.
  std::vector<int> segments;
  int segment = -1;
  for (const Item &item : program.items) {
    if (item.kind == Item::Begin && item.isSegment)
      segment = segments.size();
    if (item.kind == Item::End)
      segment = -1;
    segments.push_back(item.stream == 0 ? -1 : segment);
  }
  reaches.assign(size, {});
  for (size_t i = 0; i < size; ++i)
    for (size_t j = i + 1; j < size; ++j) {
      const Item &a = program.items[i], &b = program.items[j];
      reaches[i][j] = (a.kind == Item::Record && b.kind == Item::Wait &&
                       a.event == b.event) ||
                      (a.stream == b.stream && segments[i] == segments[j]);
    }
  for (size_t k = 0; k < size; ++k)
    for (size_t i = 0; i < k; ++i)
      if (reaches[i][k])
        reaches[i] |= reaches[k];
}

/// Forks and joins of each region and of the whole; nothing else in flight
/// where a segment begins.
bool Judge::checkScopes() {
  const std::vector<Item> &items = program.items;
  size_t size = items.size();
  // The region of each item, by the index of its beginning; -1: none.
  std::vector<int> regions;
  int region = -1;
  for (size_t i = 0; i < size; ++i) {
    regions.push_back(items[i].kind == Item::Begin ? -1 : region);
    if (items[i].kind == Item::Begin)
      region = i;
    if (items[i].kind == Item::End)
      region = -1;
  }
  for (int scope = -1; scope < int(size); ++scope) {
    if (scope >= 0 && items[scope].kind != Item::Begin)
      continue;
    size_t first = scope + 1, last = size;
    if (scope >= 0)
      for (last = first; items[last].kind != Item::End;)
        ++last;
    for (unsigned stream = 1; stream < kNumStreams; ++stream) {
      std::vector<size_t> used;
      for (size_t i = first; i < last; ++i)
        if (items[i].stream == stream && regions[i] == scope)
          used.push_back(i);
      // The first launch or record has a path from an op of stream 0 in the
      // scope, from which all that precedes the scope is known.
      for (size_t i : used) {
        if (items[i].kind == Item::Wait)
          continue;
        bool isForked = false;
        for (size_t j = first; j < i; ++j)
          isForked |= items[j].stream == 0 && reaches[j][i];
        if (!isForked)
          return false;
        break;
      }
      // The last launch or wait has a path to an op of stream 0 in the scope;
      // if a segment begins after it, to its beginning.
      for (size_t k = 0; k < used.size(); ++k) {
        size_t i = used[k];
        if (items[i].kind == Item::Record && k > 0)
          continue;
        size_t next = last;
        for (size_t n = k + 1; n < used.size(); ++n)
          if (items[used[n]].kind != Item::Record) {
            next = used[n];
            break;
          }
        bool isJoined = false;
        for (size_t j = i + 1; j < last; ++j)
          isJoined |= items[j].stream == 0 && reaches[i][j];
        if (next == last && !isJoined)
          return false;
        for (size_t j = i + 1; j < next; ++j)
          if (items[j].kind == Item::Begin && items[j].isSegment &&
              !reaches[i][j])
            return false;
      }
    }
  }
  return true;
}

/// Every pair of conflicting accesses is ordered, and contents are there.
bool Judge::checkMemory() {
  const std::vector<Item> &items = program.items;
  for (size_t j = 0; j < items.size(); ++j) {
    if (items[j].kind != Item::Launch)
      continue;
    for (size_t i = 0; i <= j; ++i) {
      if (items[i].kind != Item::Launch)
        continue;
      bool conflicts = false;
      auto meet = [&](const std::vector<unsigned> &first,
                      const std::vector<unsigned> &second) {
        for (unsigned a : first)
          for (unsigned b : second)
            conflicts |= share(a, b) && (i != j || a != b);
      };
      meet(items[i].writes, items[j].reads);
      meet(items[i].reads, items[j].writes);
      meet(items[i].writes, items[j].writes);
      if (conflicts && (i == j || !reaches[i][j]))
        return false;
    }
    // The last op that wrote any of its bytes has to be one that wrote the
    // buffer itself.
    for (unsigned buffer : items[j].reads) {
      if (buffer < kNumArguments)
        continue;
      bool isThere = false;
      for (size_t i = 0; i < j; ++i)
        for (unsigned written : items[i].writes)
          if (written == buffer)
            isThere = true;
          else if (share(written, buffer))
            isThere = false;
      if (!isThere)
        return false;
    }
  }
  return true;
}

bool Judge::accepts() {
  findPaths();
  return checkScopes() && checkMemory();
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

constexpr unsigned kNumTrips = 4; ///< loops run 0 to 3 times

/// A piece of a program. Events go by name; in a loop, each iteration gives the
/// names anew.
struct Node {
  enum Kind { Simple, If, Loop } kind = Simple;
  Item item;
  std::vector<Node> body, otherwise;
  /// Of a loop: names of events before it, of its arguments, of what it yields,
  /// and of its results.
  std::vector<int> inits, arguments, yields, results;
};

class TreeGenerator {
public:
  explicit TreeGenerator(unsigned seed) : random(seed) {}

  std::vector<Node> run();

private:
  unsigned draw(unsigned end) { return random() % end; }
  bool chance(unsigned percent) { return draw(100) < percent; }
  int pick(const std::vector<int> &visible) {
    // Rather late ones than early ones.
    size_t last = visible.size();
    return visible[last - 1 - draw(std::min<size_t>(last, 4))];
  }
  void record(std::vector<Node> &nodes, std::vector<int> &visible,
              unsigned stream);
  void wait(std::vector<Node> &nodes, unsigned stream, int event);
  void addBody(std::vector<Node> &nodes, std::vector<int> visible,
               unsigned numNodes, unsigned depth);

  std::mt19937 random;
  int numEvents = 0;
};

void TreeGenerator::record(std::vector<Node> &nodes, std::vector<int> &visible,
                           unsigned stream) {
  Node node;
  node.item = {Item::Record, stream};
  node.item.event = numEvents++;
  visible.push_back(node.item.event);
  nodes.push_back(node);
}

void TreeGenerator::wait(std::vector<Node> &nodes, unsigned stream, int event) {
  Node node;
  node.item = {Item::Wait, stream};
  node.item.event = event;
  nodes.push_back(node);
}

void TreeGenerator::addBody(std::vector<Node> &nodes, std::vector<int> visible,
                            unsigned numNodes, unsigned depth) {
  for (unsigned i = 0; i < numNodes; ++i) {
    unsigned what = draw(100);
    Node node;
    if (depth < 2 && what < 18) {
      node.kind = Node::If;
      addBody(node.body, visible, 1 + draw(3), depth + 1);
      if (chance(70))
        addBody(node.otherwise, visible, 1 + draw(3), depth + 1);
      nodes.push_back(node);
    } else if (depth < 2 && what < 40) {
      node.kind = Node::Loop;
      std::vector<int> inner = visible;
      for (unsigned k = draw(4); k > 0; --k) {
        node.inits.push_back(pick(visible));
        node.arguments.push_back(numEvents);
        inner.push_back(numEvents++);
      }
      addBody(node.body, inner, 1 + draw(4), depth + 1);
      // What the body's own records give, the arguments in another order, or
      // what was there before.
      std::vector<int> candidates = inner;
      for (Node &child : node.body)
        if (child.kind == Node::Simple && child.item.kind == Item::Record)
          candidates.push_back(child.item.event);
        else if (child.kind == Node::Loop)
          candidates.insert(candidates.end(), child.results.begin(),
                            child.results.end());
      for (size_t k = 0; k < node.inits.size(); ++k) {
        node.yields.push_back(pick(candidates));
        node.results.push_back(numEvents);
        visible.push_back(numEvents++);
      }
      nodes.push_back(node);
    } else if (what < 65) {
      node.item = {Item::Launch, draw(kNumStreams)};
      if (chance(60))
        node.item.reads.push_back(draw(kNumBuffers));
      if (chance(50))
        node.item.writes.push_back(draw(kNumBuffers));
      nodes.push_back(node);
      if (chance(50))
        record(nodes, visible, node.item.stream);
    } else if (what < 85) {
      wait(nodes, draw(kNumStreams), pick(visible));
    } else {
      // One stream after another.
      unsigned from = draw(kNumStreams), to = draw(kNumStreams);
      record(nodes, visible, from);
      wait(nodes, to, visible.back());
    }
  }
}

std::vector<Node> TreeGenerator::run() {
  std::vector<Node> nodes;
  std::vector<int> visible;
  for (unsigned i = kNumArguments; i < kNumBuffers; ++i) {
    Node node;
    node.item = {Item::Launch, 0};
    node.item.writes.push_back(i);
    nodes.push_back(node);
  }
  record(nodes, visible, 0);
  for (unsigned stream = 1; stream < kNumStreams; ++stream)
    wait(nodes, stream, visible.front());
  addBody(nodes, visible, 2 + draw(5), 0);
  for (unsigned stream = 1; stream < kNumStreams; ++stream) {
    record(nodes, visible, stream);
    wait(nodes, 0, visible.back());
  }
  return nodes;
}

/// One path through a program, chosen by a list of digits.
class Path {
public:
  explicit Path(std::vector<unsigned> &choices) : choices(choices) {}

  void run(const std::vector<Node> &nodes) {
    for (const Node &node : nodes)
      run(node);
  }
  std::vector<Item> items;

private:
  unsigned choose(unsigned end) {
    if (next == choices.size()) {
      choices.push_back(0);
      ends.push_back(end);
    }
    return choices[next++];
  }
  void run(const Node &node);

  std::vector<unsigned> &choices;
  size_t next = 0;
  std::map<int, int> events; ///< by name
  int numEvents = 0;

public:
  std::vector<unsigned> ends; ///< of the choices made anew
};

void Path::run(const Node &node) {
  if (node.kind == Node::If)
    return run(choose(2) ? node.body : node.otherwise);
  if (node.kind == Node::Loop) {
    std::vector<int> carried;
    for (int init : node.inits)
      carried.push_back(events[init]);
    for (unsigned trips = choose(kNumTrips); trips > 0; --trips) {
      for (size_t k = 0; k < carried.size(); ++k)
        events[node.arguments[k]] = carried[k];
      run(node.body);
      for (size_t k = 0; k < carried.size(); ++k)
        carried[k] = events[node.yields[k]];
    }
    for (size_t k = 0; k < carried.size(); ++k)
      events[node.results[k]] = carried[k];
    return;
  }
  Item item = node.item;
  if (item.kind == Item::Record)
    item.event = events[item.event] = numEvents++;
  else if (item.kind == Item::Wait)
    item.event = events[item.event];
  items.push_back(item);
}

/// Judges every path. Nothing if there are too many.
std::optional<bool> judgePaths(const std::vector<Node> &nodes,
                               Program program) {
  std::vector<unsigned> choices, ends;
  bool accepts = true;
  for (unsigned numPaths = 0;; ++numPaths) {
    if (numPaths == 300)
      return std::nullopt;
    Path path(choices);
    path.run(nodes);
    ends.insert(ends.end(), path.ends.begin(), path.ends.end());
    program.items = path.items;
    if (program.items.size() > kMaxItems)
      return std::nullopt;
    accepts = accepts && Judge(program).accepts();
    // The next path.
    while (!choices.empty() && choices.back() + 1 == ends.back()) {
      choices.pop_back();
      ends.pop_back();
    }
    if (choices.empty())
      return accepts;
    ++choices.back();
  }
}

//===----------------------------------------------------------------------===//
// The same as IR
//===----------------------------------------------------------------------===//

class Builder {
public:
  explicit Builder(MLIRContext &context) : builder(&context) {}

  /// The items of the program, or the tree instead of them.
  OwningOpRef<ModuleOp> build(const Program &program,
                              const std::vector<Node> *tree = nullptr);
  /// The launches of the program, by item.
  std::vector<Operation *> launches;

private:
  void launch(const Item &item, ArrayRef<Value> buffers, Value stream);
  void buildTree(const std::vector<Node> &nodes, ScheduleOp schedule,
                 ArrayRef<Value> buffers, Value condition, Value bound);

  OpBuilder builder;
  DenseMap<int, Value> events;
};

void Builder::launch(const Item &item, ArrayRef<Value> buffers, Value stream) {
  Location loc = builder.getUnknownLoc();
  auto launch = LaunchOp::create(builder, loc, stream);
  launches.push_back(launch);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&launch.getBody().front());
  SmallVector<Value> inputs, inits;
  for (unsigned buffer : item.reads)
    inputs.push_back(buffers[buffer]);
  for (unsigned buffer : item.writes)
    inits.push_back(buffers[buffer]);
  OperationState state(loc, prefill::KernelOp::getOperationName());
  state.addOperands(inputs);
  state.addOperands(inits);
  state.addAttribute("callee", FlatSymbolRefAttr::get(
                                   builder.getContext(),
                                   "k" + std::to_string(launches.size() - 1)));
  state.addAttribute("effect", EffectClassAttr::get(builder.getContext(),
                                                    EffectClass::GraphSafe));
  state.addAttribute("operandSegmentSizes",
                     builder.getDenseI32ArrayAttr(
                         {int32_t(inputs.size()), 0, int32_t(inits.size())}));
  builder.create(state);
}

void Builder::buildTree(const std::vector<Node> &nodes, ScheduleOp schedule,
                        ArrayRef<Value> buffers, Value condition, Value bound) {
  Location loc = builder.getUnknownLoc();
  for (const Node &node : nodes) {
    if (node.kind == Node::If) {
      OpBuilder::InsertionGuard guard(builder);
      auto branch = scf::IfOp::create(builder, loc, condition,
                                      /*withElseRegion=*/true);
      builder.setInsertionPointToStart(&branch.getThenRegion().front());
      buildTree(node.body, schedule, buffers, condition, bound);
      builder.setInsertionPointToStart(&branch.getElseRegion().front());
      buildTree(node.otherwise, schedule, buffers, condition, bound);
    } else if (node.kind == Node::Loop) {
      OpBuilder::InsertionGuard guard(builder);
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      Value one = arith::ConstantIndexOp::create(builder, loc, 1);
      SmallVector<Value> inits;
      for (int init : node.inits)
        inits.push_back(events[init]);
      auto loop = scf::ForOp::create(builder, loc, zero, bound, one, inits);
      Block *body = loop.getBody();
      for (auto [name, value] :
           llvm::zip(node.arguments, loop.getRegionIterArgs()))
        events[name] = value;
      if (!inits.empty())
        builder.setInsertionPointToStart(body);
      else
        builder.setInsertionPoint(body->getTerminator());
      buildTree(node.body, schedule, buffers, condition, bound);
      if (!inits.empty()) {
        SmallVector<Value> yields;
        for (int yield : node.yields)
          yields.push_back(events[yield]);
        builder.setInsertionPointToEnd(body);
        scf::YieldOp::create(builder, loc, yields);
      }
      for (auto [name, value] : llvm::zip(node.results, loop.getResults()))
        events[name] = value;
    } else {
      Value stream = schedule.getStream(node.item.stream);
      if (node.item.kind == Item::Launch)
        launch(node.item, buffers, stream);
      else if (node.item.kind == Item::Record)
        events[node.item.event] =
            RecordOp::create(builder, loc, stream, IntegerAttr());
      else
        WaitOp::create(builder, loc, stream, events[node.item.event]);
    }
  }
}

OwningOpRef<ModuleOp> Builder::build(const Program &program,
                                     const std::vector<Node> *tree) {
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto getType = [&](unsigned units) {
    return MemRefType::get({64 * int64_t(units)}, builder.getF32Type());
  };
  SmallVector<Type> types(kNumArguments, getType(1));
  types.append({builder.getI1Type(), builder.getIndexType()});
  auto function = func::FuncOp::create(
      builder, loc, "f", builder.getFunctionType(types, TypeRange()));
  Block *entry = function.addEntryBlock();
  SmallVector<Value> buffers(entry->getArguments().take_front(kNumArguments));
  Value condition = entry->getArgument(kNumArguments),
        bound = entry->getArgument(kNumArguments + 1);
  builder.setInsertionPointToEnd(entry);
  auto schedule = ScheduleOp::create(builder, loc, Value(), kNumStreams);
  func::ReturnOp::create(builder, loc);
  builder.setInsertionPointToEnd(&schedule.getBody().front());
  for (unsigned i = kNumArguments; i < kNumBuffers; ++i)
    buffers.push_back(
        AllocOp::create(builder, loc, getType(program.places[i].size), Value(),
                        LinearAttr::get(builder.getContext(), 0,
                                        256 * program.places[i].start)));
  if (tree)
    buildTree(*tree, schedule, buffers, condition, bound);
  for (const Item &item : program.items) {
    Value stream = schedule.getStream(item.stream);
    Operation *region = nullptr;
    switch (item.kind) {
    case Item::Launch:
      launch(item, buffers, stream);
      continue;
    case Item::Record:
      events[item.event] =
          RecordOp::create(builder, loc, stream, IntegerAttr());
      continue;
    case Item::Wait:
      WaitOp::create(builder, loc, stream, events[item.event]);
      continue;
    case Item::Begin:
      region = item.isSegment ? SegmentOp::create(builder, loc).getOperation()
                              : EagerOp::create(builder, loc).getOperation();
      builder.setInsertionPointToEnd(&region->getRegion(0).front());
      continue;
    case Item::End:
      builder.setInsertionPointAfter(builder.getBlock()->getParentOp());
      continue;
    }
  }
  return module;
}

class HappensBeforeTest : public ::testing::Test {
protected:
  void SetUp() override {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.disableMultithreading();
  }

  MLIRContext context;
};

TEST_F(HappensBeforeTest, AgreesWithReachability) {
  unsigned numAccepted = 0, numRefused = 0;
  std::string messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return success();
  });
  for (unsigned i = 0; i < kNumPrograms; ++i) {
    unsigned seed = kFirstSeed + i;
    Program program = Generator(seed).run();
    Builder builder(context);
    OwningOpRef<ModuleOp> module = builder.build(program);
    messages.clear();
    PassManager manager(&context);
    manager.addPass(createVerifyPass());
    bool accepted = succeeded(manager.run(*module));
    bool expected = Judge(program).accepts();
    (expected ? numAccepted : numRefused)++;
    if (accepted != expected) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      module->print(stream);
      ADD_FAILURE() << "seed " << seed << ": sched-verify "
                    << (accepted ? "accepts" : "refuses")
                    << ", the judge does not agree\n"
                    << text << messages;
      break;
    }
  }
  RecordProperty("accepted", numAccepted);
  RecordProperty("refused", numRefused);
  std::printf("seeds %u to %u: %u accepted, %u refused\n", kFirstSeed,
              kFirstSeed + kNumPrograms - 1, numAccepted, numRefused);
  // Neither verdict may be the only one worth giving.
  EXPECT_GT(numAccepted, kNumPrograms / 10);
  EXPECT_GT(numRefused, kNumPrograms / 10);
}

TEST_F(HappensBeforeTest, AgreesWithEveryPath) {
  unsigned numAccepted = 0, numRefused = 0, numSkipped = 0;
  std::string messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return success();
  });
  for (unsigned i = 0; i < kNumPrograms; ++i) {
    unsigned seed = kFirstSeed + i;
    std::vector<Node> nodes = TreeGenerator(seed).run();
    Program program;
    for (unsigned k = kNumArguments; k < kNumBuffers; ++k)
      program.places[k] = {k == kNumBuffers - 1 && seed % 3 == 0 ? k - 1 : k,
                           1};
    std::optional<bool> expected = judgePaths(nodes, program);
    if (!expected) {
      ++numSkipped;
      continue;
    }
    Builder builder(context);
    OwningOpRef<ModuleOp> module = builder.build(program, &nodes);
    messages.clear();
    PassManager manager(&context);
    manager.addPass(createVerifyPass());
    bool accepted = succeeded(manager.run(*module));
    (*expected ? numAccepted : numRefused)++;
    if (accepted != *expected) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      module->print(stream);
      ADD_FAILURE() << "seed " << seed << ": sched-verify "
                    << (accepted ? "accepts" : "refuses")
                    << ", the judge does not agree\n"
                    << text << messages;
      break;
    }
  }
  std::printf("seeds %u to %u: %u accepted, %u refused, %u with too many "
              "paths\n",
              kFirstSeed, kFirstSeed + kNumPrograms - 1, numAccepted,
              numRefused, numSkipped);
  EXPECT_GT(numAccepted, kNumPrograms / 20);
  EXPECT_GT(numRefused, kNumPrograms / 20);
}

TEST_F(HappensBeforeTest, OrdersPairsOfLaunches) {
  Program program;
  for (unsigned i = kNumArguments; i < kNumBuffers; ++i)
    program.places[i] = {i, 1};
  auto add = [&](Item::Kind kind, unsigned stream, int event = -1) {
    Item item{kind, stream};
    item.event = event;
    program.items.push_back(item);
  };
  add(Item::Launch, 0); // 0
  add(Item::Record, 0, 0);
  add(Item::Wait, 1, 0);
  add(Item::Launch, 1); // 1
  add(Item::Launch, 0); // 2
  add(Item::Record, 1, 1);
  add(Item::Wait, 0, 1);
  add(Item::Launch, 0); // 3
  Builder builder(context);
  OwningOpRef<ModuleOp> module = builder.build(program);
  BufferAccessAnalysis accesses;
  HappensBefore order(cast<ScheduleOp>(builder.launches.front()->getParentOp()),
                      accesses);
  EXPECT_TRUE(order.getViolations().empty());
  auto isOrdered = [&](unsigned a, unsigned b) {
    return order.isOrdered(builder.launches[a], builder.launches[b]);
  };
  EXPECT_TRUE(isOrdered(0, 1));
  EXPECT_TRUE(isOrdered(0, 2));
  EXPECT_FALSE(isOrdered(1, 2));
  EXPECT_TRUE(isOrdered(1, 3));
  EXPECT_TRUE(isOrdered(2, 3));
}

} // namespace
