//===- Arguments.cpp - Memory for the arguments of a program -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the arguments of one sequence.
//
//===----------------------------------------------------------------------===//

#include "braid/Execution/Arguments.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstdlib>
#include <limits>

using namespace llvm;
using namespace braid;

template <typename... Parts>
static Error makeError(Parts &&...parts) {
  return createStringError(inconvertibleErrorCode(), (Twine(parts) + ...));
}

static int64_t getElementBytes(int32_t dtype) {
  switch (dtype) {
  case BRAID_I64:
    return 8;
  case BRAID_F32:
  case BRAID_I32:
    return 4;
  case BRAID_BF16:
  case BRAID_F16:
    return 2;
  default:
    return 1;
  }
}

static std::string formatShape(ArrayRef<int64_t> shape) {
  return "[" +
         join(map_range(shape,
                        [](int64_t extent) {
                          return extent == mlir::ShapedType::kDynamic
                                     ? std::string("?")
                                     : std::to_string(extent);
                        }),
              ", ") +
         "]";
}

//===----------------------------------------------------------------------===//
// Made-up numbers
//===----------------------------------------------------------------------===//

/// splitmix64: equal on every machine, and fast enough for whole layers.
static uint64_t hash(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Fills with uniform numbers of mean `mean` and standard deviation `sigma`
/// that depend on `seed` and `name`.
static void fillRandom(float *data, size_t count, uint64_t seed, StringRef name,
                       float mean, float sigma) {
  uint64_t key = hash(seed);
  for (char c : name)
    key = hash(key ^ static_cast<unsigned char>(c));
  const float scale = sigma * std::sqrt(12.0f) * 0x1p-24f;
  const float base = mean - sigma * std::sqrt(3.0f);
  for (size_t i = 0; i < count; ++i)
    data[i] = base + scale * static_cast<float>(hash(key + i) >> 40);
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

/// Gives an argument memory for `sizes` and describes it, contiguous.
Error SequenceArguments::allocate(unsigned index, ArrayRef<int64_t> sizes) {
  const ProgramArgument &argument = program.getArguments()[index];
  std::optional<int64_t> bytes = getElementBytes(argument.dtype);
  for (int64_t size : sizes)
    if (bytes)
      bytes = checkedMul(*bytes, size);
  // Leave room for rounding up to the alignment.
  if (!bytes || *bytes > std::numeric_limits<int64_t>::max() - 64)
    return makeError("argument '", argument.name, "' of shape ",
                     formatShape(sizes), " is too large");
  void *data =
      std::aligned_alloc(64, alignTo(std::max<int64_t>(*bytes, 1), 64));
  if (!data)
    return makeError("no memory for argument '", argument.name, "' of ", *bytes,
                     " bytes");
  storage[index] = Bytes(static_cast<char *>(data), std::free);

  braid_tensor &tensor = tensors[index];
  tensor.data = data;
  tensor.dtype = argument.dtype;
  tensor.rank = sizes.size();
  int64_t stride = 1;
  for (int64_t dim = sizes.size() - 1; dim >= 0; --dim) {
    tensor.sizes[dim] = sizes[dim];
    tensor.strides[dim] = stride;
    stride *= sizes[dim];
  }
  return Error::success();
}

static int64_t countElements(const braid_tensor &tensor) {
  int64_t count = 1;
  for (int32_t dim = 0; dim < tensor.rank; ++dim)
    count *= tensor.sizes[dim];
  return count;
}

//===----------------------------------------------------------------------===//
// Weights and tables
//===----------------------------------------------------------------------===//

/// Copies the rows of one checkpoint tensor to `target`, which holds `room`
/// elements, and returns how many there were.
static Expected<int64_t> copyWeight(const TensorView &view,
                                    const ProgramArgument &argument,
                                    char *target, int64_t room) {
  auto error = [&](const Twine &what) {
    return makeError("tensor '", view.name, "' has ", what, " for argument '",
                     argument.name, "' of shape ", formatShape(argument.shape));
  };
  // Rows follow each other, so all extents but the first have to agree.
  ArrayRef<int64_t> shape(argument.shape);
  if (view.shape.size() != shape.size() ||
      ArrayRef<int64_t>(view.shape).drop_front() != shape.drop_front())
    return error("shape " + formatShape(view.shape) + ", which does not fit");
  int64_t count = view.getNumElements();
  if (count > room)
    return error("shape " + formatShape(view.shape) + ", too many rows");

  if (argument.dtype == BRAID_F32) {
    // Scaled formats are not numbers by themselves.
    if (view.type != TensorType::F32 && view.type != TensorType::BF16 &&
        view.type != TensorType::F16)
      return error("type " + getTensorTypeName(view.type) +
                   ", expected F32, BF16 or F16");
    Expected<std::vector<float>> values = readAsFloat(view);
    if (!values)
      return values.takeError();
    std::memcpy(target, values->data(), count * sizeof(float));
    return count;
  }
  TensorType expected = argument.dtype == BRAID_BF16     ? TensorType::BF16
                        : argument.dtype == BRAID_F16    ? TensorType::F16
                        : argument.dtype == BRAID_F8E4M3 ? TensorType::F8E4M3
                        : argument.dtype == BRAID_F8E8M0 ? TensorType::F8E8M0
                                                         : TensorType::I8;
  if (view.type != expected)
    return error("type " + getTensorTypeName(view.type) + ", expected " +
                 getTensorTypeName(expected));
  std::memcpy(target, view.data.data(), view.data.size());
  return count;
}

Error SequenceArguments::addWeight(unsigned index,
                                   const ArgumentSources &sources) {
  const ProgramArgument &argument = program.getArguments()[index];
  for (int64_t extent : argument.shape)
    if (mlir::ShapedType::isDynamic(extent))
      return makeError("weight '", argument.name, "' has the shape ",
                       formatShape(argument.shape),
                       "; expected one that is known");
  if (Error error = allocate(index, argument.shape))
    return error;
  braid_tensor &tensor = tensors[index];
  int64_t count = countElements(tensor);
  int64_t elementBytes = getElementBytes(argument.dtype);
  weightBytes += count * elementBytes;
  ++numWeights;

  if (sources.checkpoint) {
    int64_t done = 0;
    for (const std::string &name : argument.weights) {
      Expected<TensorView> view =
          sources.checkpoint->lookup(sources.spellings(name));
      if (!view)
        return view.takeError();
      Expected<int64_t> copied =
          copyWeight(*view, argument,
                     getData<char>(index) + done * elementBytes, count - done);
      if (!copied)
        return copied.takeError();
      done += *copied;
    }
    if (done != count)
      return makeError("tensors ", join(argument.weights, ", "), " have ", done,
                       " elements together; argument '", argument.name,
                       "' of shape ", formatShape(argument.shape), " needs ",
                       count);
    return Error::success();
  }

  // Only f32 has kernels that look at contents; other types are left zero.
  if (argument.dtype != BRAID_F32) {
    std::memset(tensor.data, 0, count * elementBytes);
    return Error::success();
  }
  StringRef name = argument.name;
  float mean = 0, sigma = 1;
  if (name.contains("norm")) {
    mean = 1;
    sigma = 0.2f;
  } else if (argument.shape.size() == 2 && !name.contains("ape")) {
    // Keeps the variance of activations: 1 / (input channels).
    sigma = 1.5f / std::sqrt(static_cast<float>(argument.shape.back()));
  }
  fillRandom(getData<float>(index), count, sources.seed, name, mean, sigma);
  return Error::success();
}

Error SequenceArguments::addRopeTable(unsigned index) {
  const ProgramArgument &argument = program.getArguments()[index];
  int64_t positions = std::max<int64_t>(length, 1);
  if (Error error = allocate(index, {positions, argument.shape[1]}))
    return error;
  if (braid_fill_rope_table(&*argument.rope, positions,
                            getData<float>(index)) != BRAID_OK)
    return makeError("argument '", argument.name,
                     "': ", braid_last_error(nullptr));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Caches and metadata
//===----------------------------------------------------------------------===//

/// Compressed caches have a row for `ratio` tokens; the window and the states
/// one a token.
int64_t SequenceArguments::getTokensPerRow(StringRef name) const {
  bool isCompressed =
      name.starts_with("compressed_") ||
      (name.starts_with("index_") && !name.starts_with("index_state"));
  return isCompressed ? std::max<int64_t>(program.getRatio(), 1) : 1;
}

int64_t SequenceArguments::getNumRows(StringRef name) const {
  return length / getTokensPerRow(name);
}

int64_t SequenceArguments::getNumBlocks(StringRef name) const {
  return std::max<int64_t>(divideCeil(getNumRows(name), blockSize), 1);
}

int64_t SequenceArguments::getSlot(StringRef name, int64_t row) const {
  int64_t block = getNumBlocks(name) - 1 - row / blockSize;
  return block * blockSize + row % blockSize;
}

Error SequenceArguments::addCache(unsigned index) {
  const ProgramArgument &argument = program.getArguments()[index];
  if (argument.shape.size() != 3 ||
      mlir::ShapedType::isDynamic(argument.shape[2]))
    return makeError("cache '", argument.name, "' has the shape ",
                     formatShape(argument.shape),
                     "; expected [blocks, block size, row]");
  return allocate(index,
                  {getNumBlocks(argument.name), blockSize, argument.shape[2]});
}

Error SequenceArguments::addSlots(unsigned index) {
  const ProgramArgument &argument = program.getArguments()[index];
  if (Error error = allocate(index, {maxChunk}))
    return error;
  int64_t ratio = getTokensPerRow(argument.name);
  std::vector<char> &all = rows[index];
  all.resize(length * sizeof(int64_t));
  auto *slots = reinterpret_cast<int64_t *>(all.data());
  for (int64_t position = 0; position < length; ++position)
    slots[position] = (position + 1) % ratio == 0
                          ? getSlot(argument.name, position / ratio)
                          : -1;
  return Error::success();
}

Error SequenceArguments::addTable(unsigned index) {
  StringRef name = program.getArguments()[index].name;
  int64_t numBlocks = getNumBlocks(name);
  if (Error error = allocate(index, {1, numBlocks}))
    return error;
  for (int64_t block = 0; block < numBlocks; ++block)
    getData<int32_t>(index)[block] = numBlocks - 1 - block;
  return Error::success();
}

/// Inputs with one row a token: all rows of the sequence are made here, and
/// copied chunk by chunk.
Error SequenceArguments::addInput(unsigned index,
                                  const ArgumentSources &sources) {
  const ProgramArgument &argument = program.getArguments()[index];
  SmallVector<int64_t> sizes(argument.shape);
  sizes[0] = maxChunk;
  int64_t row = 1;
  for (int64_t extent : ArrayRef<int64_t>(argument.shape).drop_front()) {
    if (mlir::ShapedType::isDynamic(extent))
      return makeError("argument '", argument.name, "' has the shape ",
                       formatShape(argument.shape),
                       "; expected all extents but the first to be known");
    row *= extent;
  }
  if (Error error = allocate(index, sizes))
    return error;
  if (argument.isOutput)
    return Error::success();

  std::vector<char> &all = rows[index];
  all.resize(length * row * getElementBytes(argument.dtype));
  if (argument.name == "positions") {
    for (int64_t position = 0; position < length; ++position)
      reinterpret_cast<int64_t *>(all.data())[position] = position;
  } else if (argument.name == "hidden" && !sources.hidden.empty()) {
    if (argument.dtype != BRAID_F32)
      return makeError("input 'hidden' is not f32; files of inputs are read "
                       "with --dtype=f32 only");
    if (static_cast<int64_t>(sources.hidden.size()) < length * row)
      return makeError("the input has ", sources.hidden.size(), " numbers; ",
                       length, " tokens of ", row, " channels need ",
                       length * row);
    std::memcpy(all.data(), sources.hidden.data(), all.size());
  } else if (argument.dtype == BRAID_F32) {
    fillRandom(reinterpret_cast<float *>(all.data()), length * row,
               sources.seed, argument.name, 0, 1);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// SequenceArguments
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<SequenceArguments>>
SequenceArguments::create(const Program &program, int64_t length,
                          int64_t maxChunk, const ArgumentSources &sources) {
  std::unique_ptr<SequenceArguments> result(new SequenceArguments(program));
  ArrayRef<ProgramArgument> arguments = program.getArguments();
  result->length = length;
  result->maxChunk = maxChunk;
  result->blockSize = sources.blockSize;
  result->tensors.resize(arguments.size());
  result->rows.resize(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    result->storage.emplace_back(nullptr, std::free);

  double allWeights = 0, doneWeights = 0;
  auto countWeight = [](const ProgramArgument &argument) {
    double count = 1;
    for (int64_t extent : argument.shape)
      count *= extent;
    return argument.weights.empty() ? 0 : count;
  };
  for (const ProgramArgument &argument : arguments)
    allWeights += countWeight(argument);

  for (auto [index, argument] : enumerate(arguments)) {
    auto add = [&, index = index, &argument = argument]() -> Error {
      StringRef name = argument.name;
      if (!argument.weights.empty())
        return result->addWeight(index, sources);
      if (argument.rope)
        return result->addRopeTable(index);
      if (argument.isCache || name.ends_with("_cache"))
        return result->addCache(index);
      if (name.ends_with("_slots"))
        return result->addSlots(index);
      if (name.ends_with("_table"))
        return result->addTable(index);
      if (name == "token_to_request") {
        if (Error error = result->allocate(index, {maxChunk}))
          return error;
        result->rows[index].resize(length * sizeof(int32_t)); // request 0
        return Error::success();
      }
      if (name == "query_offsets")
        return result->allocate(index, {2});
      if (name == "sequence_lengths")
        return result->allocate(index, {1});
      if (argument.hasTokens)
        return result->addInput(index, sources);
      // Programs of other people do not say what their weights are called.
      bool isStatic = llvm::none_of(argument.shape, [](int64_t extent) {
        return mlir::ShapedType::isDynamic(extent);
      });
      if (isStatic && !sources.checkpoint)
        return result->addWeight(index, sources);
      return makeError("argument '", name, "' of shape ",
                       formatShape(argument.shape),
                       " is no weight, input, cache or metadata that is known; "
                       "mark it with prefill.weight, prefill.rope or "
                       "sched.tokens");
    };
    if (Error error = add())
      return std::move(error);
    doneWeights += countWeight(argument);
    if (sources.progress && allWeights > 0)
      sources.progress(doneWeights / allWeights);
  }
  result->clearCaches();
  return result;
}

void SequenceArguments::setChunk(int64_t start, int64_t count) {
  for (auto [index, argument] : enumerate(program.getArguments())) {
    braid_tensor &tensor = tensors[index];
    if (argument.name == "query_offsets") {
      getData<int32_t>(index)[0] = 0;
      getData<int32_t>(index)[1] = count;
    } else if (argument.name == "sequence_lengths") {
      getData<int32_t>(index)[0] = start + count;
    }
    if (!argument.hasTokens)
      continue;
    tensor.sizes[0] = count;
    int64_t row = tensor.strides[0] * getElementBytes(argument.dtype);
    if (!rows[index].empty())
      std::memcpy(tensor.data, rows[index].data() + start * row, count * row);
  }
}

void SequenceArguments::clearCaches() {
  for (auto [index, argument] : enumerate(program.getArguments())) {
    if (!argument.isCache)
      continue;
    int64_t count = countElements(tensors[index]);
    if (argument.dtype == BRAID_F32)
      std::fill_n(getData<float>(index), count,
                  std::numeric_limits<float>::quiet_NaN());
    else
      std::memset(tensors[index].data, 0xff,
                  count * getElementBytes(argument.dtype));
  }
}

braid_tensor *SequenceArguments::findTensor(StringRef name) {
  for (auto [index, argument] : enumerate(program.getArguments()))
    if (argument.name == name)
      return &tensors[index];
  return nullptr;
}

braid_call SequenceArguments::getCall() const {
  braid_call call = {};
  call.struct_size = sizeof(call);
  call.function = program.getFunction();
  call.arguments = tensors.data();
  call.num_arguments = tensors.size();
  return call;
}

ArrayRef<float> SequenceArguments::getOutput() const {
  for (auto [index, argument] : enumerate(program.getArguments()))
    if (argument.isOutput && argument.dtype == BRAID_F32)
      return {getData<float>(index),
              static_cast<size_t>(countElements(tensors[index]))};
  return {};
}
