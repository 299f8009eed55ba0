//===- Arguments.cpp - Memory for the arguments of a program -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the arguments of a batch, but for weights.
//
//===----------------------------------------------------------------------===//

#include "braid/Execution/Arguments.h"

#include "Numbers.h"
#include "Pool.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <cstdlib>
#include <cstring>
#include <limits>

using namespace llvm;
using namespace braid;

template <typename... Parts>
static Error makeError(Parts &&...parts) {
  return createStringError(inconvertibleErrorCode(), (Twine(parts) + ...));
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
// Allocation
//===----------------------------------------------------------------------===//

/// Blocks of latent rows begin at multiples of this many bytes.
static constexpr int64_t packedBlockAlignment = 576;

static char *allocateBytes(int64_t bytes) {
  return static_cast<char *>(
      std::aligned_alloc(64, alignTo(std::max<int64_t>(bytes, 1), 64)));
}

/// Metadata may lie somewhere else in each call, unless they are persistent.
static bool mayMove(const ProgramArgument &argument) {
  return argument.metadata == BRAID_METADATA_HOST ||
         argument.metadata == BRAID_METADATA_DEVICE_TRANSIENT;
}

Error BatchArguments::allocate(unsigned index, ArrayRef<int64_t> sizes) {
  const ProgramArgument &argument = program.getArguments()[index];
  braid_tensor &tensor = tensors[index];
  tensor.dtype = argument.dtype;
  tensor.rank = sizes.size();
  std::optional<int64_t> stride = 1;
  for (int64_t dim = sizes.size() - 1; dim >= 0; --dim) {
    if (dim == 0 && argument.packed && argument.packed->fp8Channels && stride)
      stride = alignTo(*stride, packedBlockAlignment);
    tensor.sizes[dim] = sizes[dim];
    tensor.strides[dim] = stride.value_or(0);
    if (stride)
      stride = checkedMul(*stride, sizes[dim]);
  }
  std::optional<int64_t> bytes;
  if (stride)
    bytes = checkedMul(*stride, getElementBytes(argument.dtype));
  // Leave room for rounding up to the alignment.
  if (!bytes || *bytes > std::numeric_limits<int64_t>::max() - 64)
    return makeError("argument '", argument.name, "' of shape ",
                     formatShape(sizes), " is too large");
  Memory &memory = storage[index];
  memory.bytes = *bytes;
  memory.data.reset(allocateBytes(*bytes));
  if (mayMove(argument))
    memory.other.reset(allocateBytes(*bytes));
  if (!memory.data || (mayMove(argument) && !memory.other))
    return makeError("no memory for argument '", argument.name, "' of ", *bytes,
                     " bytes");
  tensor.data = memory.data.get();
  return Error::success();
}

Error BatchArguments::addRopeTable(unsigned index) {
  const ProgramArgument &argument = program.getArguments()[index];
  if (Error error = allocate(index, {numPositions, argument.shape[1]}))
    return error;
  if (braid_fill_rope_table(&*argument.rope, numPositions,
                            getData<float>(index)) != BRAID_OK)
    return makeError("argument '", argument.name,
                     "': ", braid_last_error(nullptr));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

/// "window" for "window_cache", "window_slots" and "window_table".
static StringRef getPoolName(StringRef argument) {
  if (argument == "compressor_state")
    return "state";
  for (StringRef suffix : {"_cache", "_slots", "_table"})
    argument.consume_back(suffix);
  return argument;
}

/// Rows in a block, as engines choose them.
static int64_t getUsualBlockSize(StringRef pool, int64_t ratio) {
  if (pool == "state" || pool == "index_state")
    return ratio == 4 ? 4 : 8;
  if (pool == "compressed" || pool == "index")
    return std::max<int64_t>(256 / std::max<int64_t>(ratio, 1), 1);
  return 64;
}

const Pool &BatchArguments::getPool(StringRef name) {
  StringRef key = getPoolName(name);
  std::unique_ptr<Pool> &pool = pools[key.str()];
  if (pool)
    return *pool;
  const int64_t ratio = program.getRatio();
  int64_t blockSize =
      sources.blockSize ? sources.blockSize : getUsualBlockSize(key, ratio);
  if (auto given = batch.blockSizes.find(key); given != batch.blockSizes.end())
    blockSize = given->second;
  // What an engine no longer needs of a history is not there: its entries in
  // block tables lead nowhere.
  bool isCompressed = key == "compressed" || key == "index";
  int64_t kept = -1;
  if (key == "window" && program.getWindow() > 0)
    kept = program.getWindow();
  else if (key == "state" || key == "index_state")
    kept = 2 * ratio;
  pool = std::make_unique<Pool>(
      batch, blockSize, isCompressed ? std::max<int64_t>(ratio, 1) : 1, kept);
  return *pool;
}

Error BatchArguments::addCache(unsigned index) {
  const ProgramArgument &argument = program.getArguments()[index];
  if (argument.shape.size() != 3 ||
      mlir::ShapedType::isDynamic(argument.shape[2]))
    return makeError("cache '", argument.name, "' has the shape ",
                     formatShape(argument.shape),
                     "; expected [blocks, block size, row]");
  bool isFloat = argument.dtype == BRAID_F32 || argument.dtype == BRAID_BF16;
  bool hasHistory = any_of(batch.requests, [](const Request &request) {
    return request.history > 0;
  });
  if (hasHistory && !isFloat && !argument.packed)
    return makeError("cache '", argument.name,
                     "' has rows of an unknown form; expected f32, bf16, or "
                     "packed rows that an op of the function writes, as a "
                     "request has a history");
  const Pool &pool = getPool(argument.name);
  return allocate(
      index, {pool.getNumBlocks(), pool.getBlockSize(), argument.shape[2]});
}

/// Writes the numbers of a packed row. `values` and `scales` are where it lies
/// in its block.
static void writePackedRow(const PackedRow &form, MutableArrayRef<float> row,
                           uint8_t *values, uint8_t *scales) {
  for (float &number : row)
    number = fromBf16(toBf16(number));
  int64_t fp8 = form.fp8Channels ? form.fp8Channels : form.channels;
  int64_t block = form.fp8Channels ? 64 : form.channels;
  for (int64_t begin = 0; begin < fp8; begin += block) {
    MutableArrayRef<float> part =
        row.slice(begin, std::min(block, fp8 - begin));
    float largest = 0;
    for (float number : part)
      largest = std::max(largest, std::abs(number));
    float scale = getPowerOfTwoScale(largest);
    for (float number : part)
      *values++ = toE4m3(number / scale);
    if (form.fp8Channels)
      scales[begin / block] = toE8m0(scale);
    else
      std::memcpy(scales, &scale, sizeof(scale));
  }
  writeNumbers(row.data() + fp8, row.size() - fp8, BRAID_BF16,
               reinterpret_cast<char *>(values));
}

void BatchArguments::fillHistory(unsigned index) {
  const ProgramArgument &argument = program.getArguments()[index];
  const braid_tensor &tensor = tensors[index];
  const Pool &pool = getPool(argument.name);
  const int64_t blockSize = pool.getBlockSize(), rowExtent = tensor.sizes[2];
  std::vector<float> row(argument.packed ? argument.packed->channels
                                         : rowExtent);
  for (auto [r, request] : enumerate(batch.requests)) {
    MadeUpNumbers numbers(inputSeed, argument.name, request.name, 0, 1);
    auto [first, last] = pool.getHistory(r);
    for (int64_t i = first; i < last; ++i) {
      numbers.fill(row.data(), row.size(), i * row.size());
      int64_t slot = pool.getSlot(r, i);
      char *block = getData<char>(index) + slot / blockSize *
                                               tensor.strides[0] *
                                               getElementBytes(tensor.dtype);
      int64_t place = slot % blockSize;
      if (!argument.packed) {
        writeNumbers(row.data(), row.size(), tensor.dtype,
                     block + place * rowExtent * getElementBytes(tensor.dtype));
        continue;
      }
      const PackedRow &form = *argument.packed;
      int64_t valueBytes = form.channels;
      if (form.fp8Channels)
        valueBytes += form.channels - form.fp8Channels;
      auto *bytes = reinterpret_cast<uint8_t *>(block);
      writePackedRow(form, row, bytes + place * valueBytes,
                     bytes + blockSize * valueBytes +
                         place * (rowExtent - valueBytes));
    }
  }
}

void BatchArguments::clearCaches() {
  for (auto [index, argument] : enumerate(program.getArguments())) {
    if (!argument.isCache)
      continue;
    // NaN in every element type.
    std::memset(tensors[index].data, 0xff, storage[index].bytes);
    fillHistory(index);
  }
}

std::vector<char> BatchArguments::getCacheBytes() const {
  std::vector<char> bytes;
  for (auto [index, argument] : enumerate(program.getArguments()))
    if (argument.isCache)
      bytes.insert(bytes.end(), getData<char>(index),
                   getData<char>(index) + storage[index].bytes);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

/// Rows of padding that are made; they are repeated as needed.
static constexpr int64_t numPaddingRows = 8;

Error BatchArguments::addPerToken(unsigned index) {
  const ProgramArgument &argument = program.getArguments()[index];
  SmallVector<int64_t> sizes(argument.shape);
  sizes[0] = capacity;
  if (is_contained(sizes, mlir::ShapedType::kDynamic))
    return makeError("argument '", argument.name, "' has the shape ",
                     formatShape(argument.shape),
                     "; expected all extents but the first to be known");
  if (Error error = allocate(index, sizes))
    return error;
  bool isMade = argument.isOutput || argument.name == "positions" ||
                argument.name == "token_to_request" ||
                StringRef(argument.name).ends_with("_slots");
  return isMade ? Error::success() : makeInput(index);
}

/// All rows are made here, and copied step by step.
Error BatchArguments::makeInput(unsigned index) {
  const ProgramArgument &argument = program.getArguments()[index];
  const int64_t width = tensors[index].strides[0];
  auto add = [&](int64_t count, const float *numbers) {
    std::vector<char> &bytes = rows[index].emplace_back(
        count * width * getElementBytes(argument.dtype));
    if (argument.dtype == BRAID_F32 || argument.dtype == BRAID_BF16)
      writeNumbers(numbers, count * width, argument.dtype, bytes.data());
  };
  auto makeUp = [&](int64_t count, StringRef more) {
    std::vector<float> numbers(count * width);
    MadeUpNumbers(inputSeed, argument.name, more, 0, 1)
        .fill(numbers.data(), numbers.size());
    return numbers;
  };
  for (const Request &request : batch.requests) {
    if (argument.name != "hidden" || request.hidden.empty()) {
      add(request.tokens, makeUp(request.tokens, request.name).data());
      continue;
    }
    int64_t needed = request.tokens * width;
    if (static_cast<int64_t>(request.hidden.size()) < needed)
      return makeError("the input has ", request.hidden.size(), " numbers; ",
                       request.tokens, " tokens of ", width, " channels need ",
                       needed);
    add(request.tokens, request.hidden.data());
  }
  std::vector<float> padding = makeUp(numPaddingRows, "padding");
  if (sources.padding)
    padding.assign(padding.size(), *sources.padding);
  add(numPaddingRows, padding.data());
  return Error::success();
}

void BatchArguments::setInput(unsigned index, const BatchStep &step) {
  int64_t rowBytes =
      tensors[index].strides[0] * getElementBytes(tensors[index].dtype);
  char *to = getData<char>(index);
  for (auto [range, from] : zip(step.ranges, rows[index])) {
    to = std::copy_n(from.data() + range.begin * rowBytes,
                     range.count * rowBytes, to);
  }
  int64_t numPadding = step.padded - step.getNumTokens();
  for (int64_t i = 0; i < numPadding; ++i)
    std::memcpy(to + i * rowBytes,
                rows[index].back().data() + i % numPaddingRows * rowBytes,
                rowBytes);
}

std::vector<float> BatchArguments::readOutput(int64_t firstRow,
                                              int64_t numRows) const {
  std::vector<float> result;
  for (auto [index, argument] : enumerate(program.getArguments())) {
    if (!argument.isOutput ||
        (argument.dtype != BRAID_F32 && argument.dtype != BRAID_BF16))
      continue;
    int64_t width = tensors[index].strides[0];
    for (int64_t i = firstRow * width; i < (firstRow + numRows) * width; ++i)
      result.push_back(argument.dtype == BRAID_F32
                           ? getData<float>(index)[i]
                           : fromBf16(getData<uint16_t>(index)[i]));
    break;
  }
  return result;
}

std::vector<float> BatchArguments::getOutput(size_t request) const {
  int64_t first = 0;
  for (size_t r = 0; r < request; ++r)
    first += step.ranges[r].count;
  return readOutput(first, step.ranges[request].count);
}

std::vector<float> BatchArguments::getPaddingOutput() const {
  int64_t first = step.getNumTokens();
  return readOutput(first, step.padded - first);
}

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

/// Everything but inputs, outputs and what stays the same. Padding has valid
/// positions, no slots, and belongs to no request.
void BatchArguments::setMetadata(unsigned index, const BatchStep &step) {
  const ProgramArgument &argument = program.getArguments()[index];
  StringRef name = argument.name;
  if (Memory &memory = storage[index]; memory.other) {
    std::swap(memory.data, memory.other);
    std::memset(memory.other.get(), 0x77, memory.bytes);
    tensors[index].data = memory.data.get();
  }
  auto fillTokens = [&](auto *data, auto valueOf, int64_t padding) {
    int64_t t = 0;
    for (auto [r, range] : enumerate(step.ranges)) {
      int64_t begin = batch.requests[r].history + range.begin;
      for (int64_t i = 0; i < range.count; ++i)
        data[t++] = valueOf(r, begin + i);
    }
    while (t < step.padded)
      data[t++] = padding;
  };
  if (name == "query_offsets") {
    int32_t *offsets = getData<int32_t>(index);
    offsets[0] = 0;
    for (auto [r, range] : enumerate(step.ranges))
      offsets[r + 1] = offsets[r] + range.count;
  } else if (name == "sequence_lengths") {
    for (auto [r, range] : enumerate(step.ranges))
      getData<int32_t>(index)[r] =
          batch.requests[r].history + range.begin + range.count;
  } else if (name == "positions") {
    fillTokens(
        getData<int64_t>(index),
        [](size_t, int64_t position) { return position; }, 0);
  } else if (name == "token_to_request") {
    fillTokens(
        getData<int32_t>(index), [](size_t r, int64_t) { return r; }, -1);
  } else if (name.ends_with("_slots")) {
    const Pool &pool = getPool(name);
    fillTokens(
        getData<int64_t>(index),
        [&](size_t r, int64_t position) {
          return pool.getSlotOfToken(r, position);
        },
        -1);
  } else if (name.ends_with("_table") && !argument.rope) {
    const Pool &pool = getPool(name);
    for (size_t r = 0; r < batch.requests.size(); ++r)
      for (int64_t i = 0; i < pool.getNumColumns(); ++i)
        getData<int32_t>(index)[r * pool.getNumColumns() + i] =
            pool.getBlock(r, i);
  }
}

//===----------------------------------------------------------------------===//
// BatchArguments
//===----------------------------------------------------------------------===//

BatchArguments::BatchArguments(const Program &program, Batch batch,
                               const ArgumentSources &sources)
    : program(program), batch(std::move(batch)), sources(sources),
      inputSeed(this->batch.seed.value_or(sources.seed)) {
  for (const Request &request : this->batch.requests) {
    capacity += request.tokens;
    numPositions = std::max(numPositions, request.history + request.tokens);
  }
  // Padding is at position 0.
  numPositions = std::max<int64_t>(numPositions, 1);
  if (!this->batch.buckets.empty())
    capacity = std::max(capacity, this->batch.buckets.back());
  size_t numArguments = program.getArguments().size();
  tensors.resize(numArguments);
  storage.resize(numArguments);
  rows.resize(numArguments);
  step = makeEmptyStep(this->batch, 0);
}

BatchArguments::~BatchArguments() = default;

Error BatchArguments::addArgument(unsigned index) {
  const ProgramArgument &argument = program.getArguments()[index];
  StringRef name = argument.name;
  const int64_t numRequests = batch.requests.size();
  if (!argument.weights.empty())
    return addWeight(index);
  if (argument.rope)
    return addRopeTable(index);
  if (argument.isCache || name.ends_with("_cache"))
    return addCache(index);
  if (name.ends_with("_table"))
    return allocate(index, {numRequests, getPool(name).getNumColumns()});
  if (name == "query_offsets")
    return allocate(index, {numRequests + 1});
  if (name == "sequence_lengths")
    return allocate(index, {numRequests});
  if (argument.hasTokens)
    return addPerToken(index);
  // Programs of other people do not say what their weights are called.
  if (!is_contained(argument.shape, mlir::ShapedType::kDynamic) &&
      !sources.checkpoint)
    return addWeight(index);
  return makeError("argument '", name, "' of shape ",
                   formatShape(argument.shape),
                   " is no weight, input, cache or metadata that is known; "
                   "mark it with prefill.weight, prefill.rope or "
                   "sched.tokens");
}

Expected<std::unique_ptr<BatchArguments>>
BatchArguments::create(const Program &program, Batch batch,
                       const ArgumentSources &sources) {
  std::unique_ptr<BatchArguments> result(
      new BatchArguments(program, std::move(batch), sources));
  double allWeights = 0, doneWeights = 0;
  auto countWeight = [](const ProgramArgument &argument) {
    double count = 1;
    for (int64_t extent : argument.shape)
      count *= extent;
    return argument.weights.empty() ? 0 : count;
  };
  for (const ProgramArgument &argument : program.getArguments())
    allWeights += countWeight(argument);
  for (auto [index, argument] : enumerate(program.getArguments())) {
    if (Error error = result->addArgument(index))
      return std::move(error);
    doneWeights += countWeight(argument);
    if (sources.progress && allWeights > 0)
      sources.progress(doneWeights / allWeights);
  }
  result->clearCaches();
  return result;
}

void BatchArguments::setStep(const BatchStep &newStep) {
  assert(newStep.padded <= capacity && "more tokens than there are rows");
  step = newStep;
  for (auto [index, argument] : enumerate(program.getArguments())) {
    if (argument.hasTokens)
      tensors[index].sizes[0] = step.padded;
    if (argument.isOutput)
      std::memset(tensors[index].data, 0xff, storage[index].bytes);
    else if (!rows[index].empty())
      setInput(index, step);
    else if (argument.weights.empty())
      setMetadata(index, step);
  }
}

braid_tensor *BatchArguments::findTensor(StringRef name) {
  for (auto [index, argument] : enumerate(program.getArguments()))
    if (argument.name == name)
      return &tensors[index];
  return nullptr;
}

braid_call BatchArguments::getCall() const {
  braid_call call = {};
  call.struct_size = sizeof(call);
  call.function = program.getFunction();
  call.arguments = tensors.data();
  call.num_arguments = tensors.size();
  return call;
}
