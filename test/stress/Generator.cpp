//===- Generator.cpp - Random programs -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes text. Values are destination-style results in buffers; a buffer that
// was read may be overwritten as a whole, after which its older values are
// gone.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "Kernels.h"
#include "Random.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>

using namespace braid;
using namespace braid::stress;

namespace {

/// Shape of a value; the token count is its first extent if `hasTokens`.
struct Shape {
  bool hasTokens = true;
  std::vector<int64_t> extents; ///< without the token count

  std::string print(const char *kind = "tensor") const {
    std::string text = std::string(kind) + "<" + (hasTokens ? "?x" : "");
    for (int64_t extent : extents)
      text += std::to_string(extent) + "x";
    return text + "f32>";
  }
  bool operator==(const Shape &other) const {
    return hasTokens == other.hasTokens && extents == other.extents;
  }
};

struct Value {
  std::string name;
  Shape shape;
  unsigned buffer, version;
  bool isView = false;
  bool isContiguous = true;
  unsigned uses = 0;
};

struct Buffer {
  unsigned version = 0;
  bool isWritable = false;
  unsigned uses = 0;
  std::string output; ///< name of the output argument, if it is one
};

/// One line or more. Names of values stand as "$name$".
struct Statement {
  std::string text;
  std::vector<std::string> results;
  std::vector<std::string> operands;
};

class Generator {
public:
  explicit Generator(uint64_t seed) : random(seed) { program.seed = seed; }

  RandomProgram run();

private:
  std::string newName(const char *prefix) {
    return prefix + std::to_string(nextName++);
  }
  std::string addArgument(const char *prefix, Shape shape,
                          bool isOutput = false);
  void addMetadata(int32_t kind, bool hasTokens);
  void addCache();
  unsigned addBuffer(bool isWritable) {
    buffers.emplace_back();
    buffers.back().isWritable = isWritable;
    return buffers.size() - 1;
  }
  unsigned addValue(std::string name, Shape shape, unsigned buffer,
                    bool isView = false, bool isContiguous = true);

  bool isUsable(const Value &value) const {
    return value.version == buffers[value.buffer].version;
  }
  template <typename Predicate>
  int pick(Predicate predicate);
  int pickInput();
  int pickTokens(unsigned rank);
  std::string use(unsigned value);
  Shape randomShape();
  std::string costs();

  /// Text of a destination; the result is then a value in `buffer`.
  struct Destination {
    std::string name, setup;
    unsigned buffer;
    Shape shape;
  };
  Destination newDestination(Shape shape);
  void emit(std::string text, std::vector<std::string> results,
            std::vector<std::string> operands);

  unsigned addMix(std::vector<unsigned> inputs, int output = -1);
  bool addLinear(int input = -1);
  bool addRmsNorm(int input = -1);
  bool addView();
  void addSplitDestination();
  void addFanOut();
  void addOp();
  void finish();
  void placeEagerRegions();
  std::string print();

  Random random;
  RandomProgram program;
  std::vector<Value> values;
  std::vector<Buffer> buffers;
  std::vector<Statement> statements;
  std::map<std::string, std::string> types;
  struct Cache {
    std::string name, type, view, viewType;
  };
  std::vector<Cache> caches;
  std::map<int32_t, std::vector<std::pair<std::string, std::string>>> metadata;
  std::vector<std::pair<unsigned, unsigned>> eagerRanges;
  std::set<std::string> outputsInUse;
  unsigned nextName = 0;
  enum { Wide, Deep, Mixed } style = Mixed;
  unsigned budget = 0; ///< ops that are still to be made
};

} // namespace

std::string Generator::addArgument(const char *prefix, Shape shape,
                                   bool isOutput) {
  Argument argument;
  argument.name = newName(prefix);
  argument.type = shape.print();
  if (shape.hasTokens)
    argument.sizes.push_back(-1);
  llvm::append_range(argument.sizes, shape.extents);
  argument.isOutput = isOutput;
  types[argument.name] = argument.type;
  program.arguments.push_back(argument);
  return argument.name;
}

void Generator::addMetadata(int32_t kind, bool hasTokens) {
  Argument argument;
  argument.name = newName("m");
  argument.type = hasTokens ? "tensor<?xi32>" : "tensor<5xi32>";
  argument.sizes = {hasTokens ? -1 : 5};
  argument.dtype = BRAID_I32;
  argument.metadata = kind;
  types[argument.name] = argument.type;
  metadata[kind].emplace_back(argument.name, argument.type);
  program.arguments.push_back(argument);
  (kind == BRAID_METADATA_HOST                ? program.hostMetadata
   : kind == BRAID_METADATA_DEVICE_PERSISTENT ? program.persistentMetadata
                                              : program.transientMetadata)++;
}

void Generator::addCache() {
  Argument argument;
  argument.name = newName("c");
  bool isDynamic = random.chance(0.3);
  argument.type = isDynamic ? "memref<?x8xf32>" : "memref<16x8xf32>";
  argument.sizes = {isDynamic ? -2 : 16, 8};
  argument.isCache = true;
  Cache cache{argument.name, argument.type, "", ""};
  // A view of some columns, beside the whole.
  if (!isDynamic && random.chance(0.4)) {
    unsigned first = random.below(6), width = random.between(1, 8 - first);
    cache.view = newName("cv");
    cache.viewType =
        llvm::formatv("memref<16x{0}xf32, strided<[8, 1], offset: {1}>>", width,
                      first)
            .str();
    statements.push_back(
        {llvm::formatv("%{0} = memref.subview %{1}[0, {2}] [16, {3}] [1, 1] : "
                       "{4} to {5}",
                       cache.view, argument.name, first, width, argument.type,
                       cache.viewType)
             .str(),
         {},
         {}});
    ++program.views;
  }
  caches.push_back(cache);
  program.arguments.push_back(argument);
  ++program.caches;
}

unsigned Generator::addValue(std::string name, Shape shape, unsigned buffer,
                             bool isView, bool isContiguous) {
  types[name] = shape.print();
  values.push_back({std::move(name), std::move(shape), buffer,
                    buffers[buffer].version, isView, isContiguous, 0});
  return values.size() - 1;
}

/// One of the usable values, recent ones first in deep programs.
template <typename Predicate>
int Generator::pick(Predicate predicate) {
  std::vector<unsigned> candidates;
  for (unsigned i = 0; i < values.size(); ++i)
    if (isUsable(values[i]) && predicate(values[i]))
      candidates.push_back(i);
  if (candidates.empty())
    return -1;
  unsigned size = candidates.size();
  bool recent = style == Deep   ? random.chance(0.8)
                : style == Wide ? random.chance(0.1)
                                : random.chance(0.4);
  if (recent)
    return candidates[size - 1 - random.below(std::min(size, 3u))];
  if (style == Wide && random.chance(0.5))
    return candidates[random.below(std::min(size, 4u))];
  return candidates[random.below(size)];
}

int Generator::pickInput() {
  return pick([](const Value &) { return true; });
}

int Generator::pickTokens(unsigned rank) {
  return pick([&](const Value &value) {
    return value.shape.hasTokens && value.shape.extents.size() + 1 == rank;
  });
}

/// Counts a use and gives the value's text.
std::string Generator::use(unsigned value) {
  ++values[value].uses;
  ++buffers[values[value].buffer].uses;
  return "$" + values[value].name + "$";
}

Shape Generator::randomShape() {
  static const int64_t widths[] = {4, 8, 12, 16, 24, 32, 64};
  Shape shape;
  if (random.chance(0.15)) {
    shape.hasTokens = false;
    shape.extents = {widths[random.below(7)]};
    if (random.chance(0.4))
      shape.extents.insert(shape.extents.begin(), random.between(2, 5));
    return shape;
  }
  shape.extents = {widths[random.below(6)]};
  if (random.chance(0.2))
    shape.extents.insert(shape.extents.begin(), random.between(2, 3));
  return shape;
}

std::string Generator::costs() {
  // From launch-bound to long: whether an overlap pays depends on it.
  double flops = 1 << random.between(4, 24), bytes = 1 << random.between(4, 20);
  return llvm::formatv("flops_per_token = {0:e} : f64, bytes_per_token = {1:e} "
                       ": f64, salt = {2} : i64",
                       flops, bytes, random.below(1 << 30))
      .str();
}

Generator::Destination Generator::newDestination(Shape shape) {
  // An output that nothing wrote yet.
  for (const Argument &argument : program.arguments)
    if (argument.isOutput && argument.type == shape.print() &&
        !outputsInUse.count(argument.name) && random.chance(0.3)) {
      outputsInUse.insert(argument.name);
      unsigned buffer = addBuffer(true);
      buffers[buffer].output = argument.name;
      return {"%" + argument.name, "", buffer, shape};
    }
  std::string name = newName("e");
  if (!shape.hasTokens)
    ++program.fixedBuffers;
  return {"%" + name,
          "%" + name + " = tensor.empty(" + (shape.hasTokens ? "%t" : "") +
              ") : " + shape.print() + "\n    ",
          addBuffer(true), shape};
}

void Generator::emit(std::string text, std::vector<std::string> results,
                     std::vector<std::string> operands) {
  statements.push_back(
      {std::move(text), std::move(results), std::move(operands)});
}

/// A kernel that reads `inputs`, some metadata and caches, and writes one or
/// two destinations; with `output`, that output argument only.
unsigned Generator::addMix(std::vector<unsigned> inputs, int output) {
  std::string ins, inTypes, cacheNames, cacheTypes, accesses, outs, outTypes;
  std::vector<std::string> operands, results;
  auto add = [](std::string &list, const std::string &item) {
    list += (list.empty() ? "" : ", ") + item;
  };
  std::set<unsigned> readBuffers;
  for (unsigned input : inputs) {
    add(ins, use(input));
    add(inTypes, values[input].shape.print());
    operands.push_back(values[input].name);
    readBuffers.insert(values[input].buffer);
  }
  const char *effect = "graph_safe";
  bool isFinal = output >= 0;
  for (auto &[kind, list] : metadata)
    if (!isFinal &&
        random.chance(kind == BRAID_METADATA_HOST                ? 0.05
                      : kind == BRAID_METADATA_DEVICE_PERSISTENT ? 0.2
                                                                 : 0.06)) {
      auto [name, type] = list[random.below(list.size())];
      add(ins, "%" + name);
      add(inTypes, type);
      if (kind == BRAID_METADATA_HOST)
        effect = "host_metadata";
      else if (llvm::StringRef(effect) == "graph_safe")
        effect = "device_metadata";
    }
  if (!isFinal && random.chance(0.02))
    effect = "host_metadata";
  if (!isFinal)
    for (const Cache &cache : caches)
      if (random.chance(0.25)) {
        bool view = !cache.view.empty() && random.chance(0.6);
        add(cacheNames, "%" + (view ? cache.view : cache.name));
        add(cacheTypes, view ? cache.viewType : cache.type);
        static const char *kinds[] = {"read", "read", "write", "read_write",
                                      "read_write"};
        add(accesses,
            std::string("#sched.access<") + kinds[random.below(5)] + ">");
        ++program.cacheUses;
      }

  // Destinations.
  std::string setup;
  std::vector<std::pair<unsigned, Shape>> targets;
  if (isFinal) {
    const Argument &argument = program.arguments[output];
    Shape shape;
    shape.hasTokens = argument.sizes.front() == -1;
    shape.extents.assign(argument.sizes.begin() + shape.hasTokens,
                         argument.sizes.end());
    unsigned buffer = addBuffer(true);
    buffers[buffer].output = argument.name;
    outputsInUse.insert(argument.name);
    add(outs, "%" + argument.name);
    add(outTypes, argument.type);
    targets.emplace_back(buffer, shape);
  } else {
    unsigned count = random.chance(0.12) ? 2 : 1;
    for (unsigned i = 0; i < count; ++i) {
      // Overwrite a whole buffer that others have read.
      int old = -1;
      if (random.chance(0.3))
        old = pick([&](const Value &value) {
          return buffers[value.buffer].isWritable && !value.isView &&
                 buffers[value.buffer].uses > 0 &&
                 !readBuffers.count(value.buffer) &&
                 llvm::none_of(targets, [&](auto &target) {
                   return target.first == value.buffer;
                 });
        });
      // What nothing reads would be lost: no delay could show it.
      if (old >= 0 && llvm::any_of(values, [&](const Value &value) {
            return value.buffer == values[old].buffer && isUsable(value) &&
                   value.uses == 0;
          }))
        old = -1;
      if (old >= 0) {
        ++program.inPlaceUpdates;
        add(outs, "$" + values[old].name + "$");
        add(outTypes, values[old].shape.print());
        operands.push_back(values[old].name);
        targets.emplace_back(values[old].buffer, values[old].shape);
        continue;
      }
      Destination destination = newDestination(randomShape());
      setup += destination.setup;
      add(outs, destination.name);
      add(outTypes, destination.shape.print());
      targets.emplace_back(destination.buffer, destination.shape);
    }
  }
  unsigned last = 0;
  for (auto &[buffer, shape] : targets) {
    ++buffers[buffer].version;
    buffers[buffer].uses = 0;
    results.push_back(newName("v"));
    last = addValue(results.back(), shape, buffer);
  }
  std::string text = setup;
  for (unsigned i = 0; i < results.size(); ++i)
    text += (i ? ", %" : "%") + results[i];
  text +=
      llvm::formatv(" = prefill.kernel @mix{0}", random.below(NumMixKernels))
          .str();
  if (!ins.empty())
    text += " ins(" + ins + " : " + inTypes + ")";
  if (!cacheNames.empty())
    text += " caches(" + cacheNames + " : " + cacheTypes + ")";
  text += " outs(" + outs + " : " + outTypes + ") {" +
          (accesses.empty() ? "" : "cache_access = [" + accesses + "], ") +
          "effect = #sched.effect_class<" + effect + ">, " + costs() + "} -> " +
          outTypes;
  emit(std::move(text), std::move(results), std::move(operands));
  ++program.ops;
  return last;
}

bool Generator::addLinear(int input) {
  if (input < 0)
    input = pickTokens(2);
  if (input < 0)
    return false;
  static const int64_t widths[] = {8, 16, 24, 32};
  Shape shape;
  shape.extents = {widths[random.below(4)]};
  Shape weight;
  weight.hasTokens = false;
  weight.extents = {shape.extents[0], values[input].shape.extents[0]};
  std::string w = addArgument("w", weight);
  Destination destination = newDestination(shape);
  std::string x = use(input), operand = values[input].name;
  std::string type = values[input].shape.print();
  ++buffers[destination.buffer].version;
  std::string result = newName("v");
  addValue(result, shape, destination.buffer);
  emit(destination.setup + "%" + result + " = prefill.linear " + x + " by %" +
           w + " into " + destination.name + " : " + type + ", " +
           weight.print() + " -> " + shape.print(),
       {result}, {operand});
  ++program.ops;
  ++program.dense;
  return true;
}

bool Generator::addRmsNorm(int input) {
  if (input < 0)
    input = pickTokens(random.chance(0.7) ? 2 : 3);
  if (input < 0)
    return false;
  Shape shape = values[input].shape;
  Destination destination = newDestination(shape);
  std::string x = use(input), operand = values[input].name;
  ++buffers[destination.buffer].version;
  std::string result = newName("v");
  addValue(result, shape, destination.buffer);
  emit(destination.setup + "%" + result + " = prefill.rms_norm " + x +
           " into " + destination.name +
           " {eps = 1.0e-6 : f64} : " + shape.print() + " -> " + shape.print(),
       {result}, {operand});
  ++program.ops;
  ++program.dense;
  return true;
}

/// Columns, rows, heads apart or heads together. Whole columns may overlap with
/// those of another view.
bool Generator::addView() {
  int source =
      pick([](const Value &value) { return value.shape.extents.back() >= 4; });
  if (source < 0)
    return false;
  Value from = values[source];
  std::string name = newName("v");
  std::string x = use(source);
  Shape shape = from.shape;
  std::string text;
  bool isContiguous = true;
  unsigned rank = shape.extents.size() + shape.hasTokens;
  if (shape.hasTokens && rank == 2 && from.isContiguous &&
      shape.extents[0] % 2 == 0 && random.chance(0.35)) {
    int64_t heads = shape.extents[0] % 8 == 0 ? 4 : 2;
    shape.extents = {heads, from.shape.extents[0] / heads};
    text = llvm::formatv("tensor.expand_shape {0} [[0], [1, 2]] output_shape "
                         "[%t, {1}, {2}] : {3} into {4}",
                         x, shape.extents[0], shape.extents[1],
                         from.shape.print(), shape.print())
               .str();
  } else if (shape.hasTokens && rank == 3 && from.isContiguous &&
             random.chance(0.5)) {
    shape.extents = {shape.extents[0] * shape.extents[1]};
    text =
        llvm::formatv("tensor.collapse_shape {0} [[0], [1, 2]] : {1} into {2}",
                      x, from.shape.print(), shape.print())
            .str();
  } else {
    int64_t width = shape.extents.back();
    int64_t first = random.below(width / 2 + 1);
    int64_t count = random.between(2, width - first);
    shape.extents.back() = count;
    isContiguous = count == width && from.isContiguous;
    std::string offsets, sizes, strides;
    for (unsigned dim = 0; dim < rank; ++dim) {
      const char *comma = dim ? ", " : "";
      bool last = dim + 1 == rank;
      offsets += comma + (last ? std::to_string(first) : "0");
      sizes +=
          comma + (dim == 0 && shape.hasTokens
                       ? "%t"
                       : std::to_string(shape.extents[dim - shape.hasTokens]));
      strides += std::string(comma) + "1";
    }
    text = llvm::formatv("tensor.extract_slice {0}[{1}] [{2}] [{3}] : {4} to "
                         "{5}",
                         x, offsets, sizes, strides, from.shape.print(),
                         shape.print())
               .str();
  }
  addValue(name, shape, from.buffer, true, isContiguous);
  emit("%" + name + " = " + text, {name}, {from.name});
  ++program.views;
  return true;
}

/// Two kernels that write the left and the right columns of one buffer.
void Generator::addSplitDestination() {
  int a = pickInput(), b = pickInput();
  Shape whole;
  int64_t left = 4 * random.between(1, 4), right = 4 * random.between(1, 4);
  whole.extents = {left + right};
  std::string empty = newName("e"), text;
  emit("%" + empty + " = tensor.empty(%t) : " + whole.print(), {empty}, {});
  types[empty] = whole.print();
  std::string current = empty;
  for (auto [input, first, width] :
       {std::tuple<int, int64_t, int64_t>(a, 0, left), {b, left, right}}) {
    Shape part;
    part.extents = {width};
    std::string slice = newName("s"), result = newName("k"),
                next = newName("v");
    emit(
        llvm::formatv("%{0} = tensor.extract_slice ${1}$[0, {2}] [%t, {3}] [1, "
                      "1] : {4} to {5}",
                      slice, current, first, width, whole.print(), part.print())
            .str(),
        {slice}, {current});
    types[slice] = types[result] = part.print();
    std::string x = use(input);
    emit(llvm::formatv(
             "%{0} = prefill.kernel @mix{1} ins({2} : {3}) outs(${4}$ : {5}) "
             "{{effect = #sched.effect_class<graph_safe>, {6}} -> {5}",
             result, random.below(NumMixKernels), x,
             values[input].shape.print(), slice, part.print(), costs())
             .str(),
         {result}, {values[input].name, slice});
    emit(llvm::formatv("%{0} = tensor.insert_slice ${1}$ into ${2}$[0, {3}] "
                       "[%t, {4}] [1, 1] : {5} into {6}",
                       next, result, current, first, width, part.print(),
                       whole.print())
             .str(),
         {next}, {result, current});
    types[next] = whole.print();
    current = next;
    ++program.ops;
  }
  addValue(current, whole, addBuffer(true));
  ++program.splitDestinations;
}

/// What a layer begins with: several branches from one value, some absent.
void Generator::addFanOut() {
  int root = pickTokens(2);
  if (root < 0)
    return;
  bool isAbsent = false;
  for (unsigned slot = 0; slot < 4 && program.ops + 4 < budget; ++slot) {
    if (random.chance(0.4)) {
      isAbsent = true;
      continue;
    }
    if (random.chance(0.4))
      addLinear(root);
    else
      addMix({unsigned(root)});
    unsigned last = values.size() - 1;
    if (random.chance(0.5) && isUsable(values[last]) &&
        values[last].shape.hasTokens)
      addRmsNorm(last);
  }
  program.absentBranches += isAbsent;
}

void Generator::addOp() {
  if (random.chance(0.3))
    addView();
  unsigned kind = random.below(100);
  if (kind < 10 && addLinear())
    return;
  if (kind >= 10 && kind < 18 && addRmsNorm())
    return;
  if (kind >= 18 && kind < 24 && program.ops + 3 < budget)
    return addSplitDestination();
  if (kind >= 24 && kind < 30 && program.ops + 8 < budget)
    return addFanOut();
  std::vector<unsigned> inputs;
  unsigned count = random.between(1, 3);
  for (unsigned i = 0; i < count; ++i) {
    int input = pickInput();
    if (!llvm::is_contained(inputs, unsigned(input)))
      inputs.push_back(input);
  }
  addMix(inputs);
}

/// Everything that nothing reads goes into the outputs that are left.
void Generator::finish() {
  std::vector<unsigned> outputs;
  for (unsigned i = 0; i < program.arguments.size(); ++i)
    if (program.arguments[i].isOutput &&
        !outputsInUse.count(program.arguments[i].name))
      outputs.push_back(i);
  if (outputs.empty())
    return;
  std::vector<unsigned> leaves;
  for (unsigned i = 0; i < values.size(); ++i)
    if (isUsable(values[i]) && values[i].uses == 0 &&
        buffers[values[i].buffer].output.empty())
      leaves.push_back(i);
  for (size_t i = 0; i < outputs.size(); ++i) {
    // The last one takes the rest.
    size_t share = i + 1 == outputs.size()
                       ? leaves.size()
                       : leaves.size() / (outputs.size() - i);
    std::vector<unsigned> inputs(leaves.begin(), leaves.begin() + share);
    leaves.erase(leaves.begin(), leaves.begin() + share);
    if (inputs.empty())
      inputs.push_back(pickInput());
    addMix(inputs, outputs[i]);
  }
}

/// Around runs of statements, as an author does who wants attention and what
/// lies near it outside the graph.
void Generator::placeEagerRegions() {
  unsigned count = random.chance(0.45) ? random.between(1, 3) : 0;
  unsigned begin = 0;
  while (begin < statements.size() && statements[begin].results.empty())
    ++begin; // views of caches stay in front
  // The wide form: everything, as engines first write it.
  if (begin < statements.size() && random.chance(0.2)) {
    eagerRanges.emplace_back(begin, statements.size());
    program.eagerRegions = 1;
    program.isWide = true;
    return;
  }
  for (unsigned i = 0; i < count && begin < statements.size(); ++i) {
    unsigned first = begin + random.below(statements.size() - begin);
    unsigned length =
        1 + random.below(std::max<unsigned>(1, statements.size() / 2));
    unsigned end = std::min<unsigned>(first + length, statements.size());
    eagerRanges.emplace_back(first, end);
    begin = end;
    ++program.eagerRegions;
  }
}

std::string Generator::print() {
  std::string text = "func.func @f(";
  std::vector<std::string> outputs;
  for (auto [i, argument] : llvm::enumerate(program.arguments)) {
    std::string attributes = "prefill.name = \"" + argument.name + "\"";
    if (!argument.sizes.empty() && argument.sizes[0] == -1)
      attributes += ", sched.tokens";
    static const char *kinds[] = {"", "host", "device, persistent",
                                  "device, transient"};
    if (argument.metadata)
      attributes += std::string(", prefill.metadata = #prefill.metadata<") +
                    kinds[argument.metadata] + ">";
    if (argument.isOutput)
      attributes += ", bufferization.writable = true";
    text += (i ? ",\n    %" : "%") + argument.name + ": " + argument.type +
            " {" + attributes + "}";
  }
  // What the outputs hold at the end.
  std::string returned, returnedTypes;
  std::vector<std::string> used;
  for (const Value &value : values)
    if (!value.isView && isUsable(value) &&
        !buffers[value.buffer].output.empty()) {
      returned += (returned.empty() ? "$" : ", $") + value.name + "$";
      returnedTypes +=
          (returnedTypes.empty() ? "" : ", ") + value.shape.print();
      used.push_back(value.name);
    }
  text += ")";
  if (!returned.empty())
    text += "\n    -> (" + returnedTypes + ")";
  text += " {\n  %c0 = arith.constant 0 : index\n  %t = tensor.dim %" +
          program.arguments.front().name +
          ", %c0 : " + program.arguments.front().type + "\n";

  std::map<std::string, std::string> names; // inside "$"
  auto substitute = [&](const std::string &line) {
    std::string result;
    size_t begin = 0;
    while (true) {
      size_t first = line.find('$', begin);
      if (first == std::string::npos)
        return result + line.substr(begin);
      size_t last = line.find('$', first + 1);
      std::string name = line.substr(first + 1, last - first - 1);
      auto it = names.find(name);
      result += line.substr(begin, first - begin) + "%" +
                (it == names.end() ? name : it->second);
      begin = last + 1;
    }
  };
  unsigned range = 0;
  for (unsigned i = 0; i < statements.size();) {
    if (range == eagerRanges.size() || i < eagerRanges[range].first) {
      text += "  " + substitute(statements[i++].text) + "\n";
      continue;
    }
    unsigned end = eagerRanges[range].second;
    std::vector<std::string> yielded;
    for (unsigned k = i; k < end; ++k)
      for (const std::string &result : statements[k].results) {
        bool isUsed = llvm::is_contained(used, result);
        for (unsigned later = end; later < statements.size(); ++later)
          isUsed |= llvm::is_contained(statements[later].operands, result);
        if (isUsed)
          yielded.push_back(result);
      }
    std::string region = "eager" + std::to_string(range), yieldedTypes, yields;
    for (const std::string &result : yielded) {
      yields += (yields.empty() ? "%" : ", %") + result;
      yieldedTypes += (yieldedTypes.empty() ? "" : ", ") + types[result];
    }
    text += "  ";
    if (!yielded.empty())
      text += "%" + region + ":" + std::to_string(yielded.size()) + " = ";
    text += "prefill.eager ";
    if (!yielded.empty())
      text += "-> " + yieldedTypes + " ";
    text += "{\n";
    for (unsigned k = i; k < end; ++k)
      text += "    " + substitute(statements[k].text) + "\n";
    text += "    prefill.yield";
    if (!yielded.empty())
      text += " " + yields + " : " + yieldedTypes;
    text += "\n  }\n";
    for (auto [number, result] : llvm::enumerate(yielded))
      names[result] = region + "#" + std::to_string(number);
    i = end;
    ++range;
  }
  text += "  return";
  if (!returned.empty())
    text += " " + substitute(returned) + " : " + returnedTypes;
  return text + "\n}\n";
}

RandomProgram Generator::run() {
  style = random.chance(0.3) ? Deep : random.chance(0.5) ? Wide : Mixed;
  // Small programs are as likely as large ones.
  budget = random.chance(0.5) ? random.between(2, 14) : random.between(2, 60);

  static const int64_t widths[] = {8, 16, 24, 32};
  for (unsigned i = 0, count = random.between(1, 2); i < count; ++i) {
    Shape shape;
    shape.extents = {widths[random.below(4)]};
    addValue(addArgument("x", shape), shape, addBuffer(false));
  }
  if (random.chance(0.3)) {
    Shape shape;
    shape.hasTokens = false;
    shape.extents = {widths[random.below(4)]};
    addValue(addArgument("x", shape), shape, addBuffer(false));
  }
  for (int32_t kind : {BRAID_METADATA_HOST, BRAID_METADATA_DEVICE_PERSISTENT,
                       BRAID_METADATA_DEVICE_TRANSIENT})
    if (random.chance(0.6))
      for (unsigned i = 0, count = random.between(1, 2); i < count; ++i)
        addMetadata(kind, random.chance(0.5));
  for (unsigned i = 0, count = random.below(4); i < count; ++i)
    addCache();
  program.outputs = random.between(1, std::min(3u, std::max(1u, budget / 3)));
  for (unsigned i = 0; i < program.outputs; ++i) {
    Shape shape;
    shape.extents = {widths[random.below(4)]};
    addArgument("o", shape, /*isOutput=*/true);
  }
  while (program.ops + program.outputs < budget)
    addOp();
  finish();
  placeEagerRegions();
  program.text = print();
  return program;
}

RandomProgram braid::stress::generateProgram(uint64_t seed) {
  return Generator(seed).run();
}
