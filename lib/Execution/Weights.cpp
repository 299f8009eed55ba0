//===- Weights.cpp - Weights among the arguments ----------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies weights from a checkpoint as they are published, or makes them up.
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"
#include "braid/Execution/Arguments.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace llvm;
using namespace braid;

template <typename... Parts>
static Error makeError(Parts &&...parts) {
  return createStringError(inconvertibleErrorCode(), (Twine(parts) + ...));
}

static std::string formatShape(ArrayRef<int64_t> shape) {
  return "[" +
         join(map_range(shape,
                        [](int64_t extent) { return std::to_string(extent); }),
              ", ") +
         "]";
}

static int64_t countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

//===----------------------------------------------------------------------===//
// From a checkpoint
//===----------------------------------------------------------------------===//

/// Whether an argument holds the scales of an fp8 weight.
static bool isScale(const ProgramArgument &argument) {
  return StringRef(argument.name).ends_with("_scale");
}

/// The types from which an argument can be read; the first one is its own.
static SmallVector<TensorType>
getReadableTypes(const ProgramArgument &argument) {
  switch (argument.dtype) {
  case BRAID_F32:
    // Elements of scaled formats are not numbers by themselves, but scales are.
    if (isScale(argument))
      return {TensorType::F32, TensorType::BF16, TensorType::F16,
              TensorType::F8E8M0};
    return {TensorType::F32, TensorType::BF16, TensorType::F16};
  case BRAID_BF16:
    return {TensorType::BF16, TensorType::F32};
  case BRAID_F8E8M0:
    return {TensorType::F8E8M0, TensorType::F32};
  case BRAID_F16:
    return {TensorType::F16};
  case BRAID_F8E4M3:
    return {TensorType::F8E4M3};
  default:
    return {TensorType::I8};
  }
}

/// Copies the rows of one checkpoint tensor to `target`, which has room for
/// `room` elements, and returns how many there were.
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

  SmallVector<TensorType> types = getReadableTypes(argument);
  if (!is_contained(types, view.type)) {
    SmallVector<StringRef> names;
    for (TensorType type : types)
      names.push_back(getTensorTypeName(type));
    return error("type " + getTensorTypeName(view.type) + ", expected " +
                 join(names, " or "));
  }
  if (view.type == types.front()) {
    std::memcpy(target, view.data.data(), view.data.size());
    return count;
  }
  Expected<std::vector<float>> values = readAsFloat(view);
  if (!values)
    return values.takeError();
  if (argument.dtype != BRAID_F8E8M0) {
    writeNumbers(values->data(), count, argument.dtype, target);
    return count;
  }
  for (auto [index, value] : enumerate(*values)) {
    int exponent;
    if (!(value > 0) || std::frexp(value, &exponent) != 0.5f ||
        exponent < -126 || exponent > 128)
      return error("the scale " + Twine(std::to_string(value)) +
                   " at element " + Twine(index) + ", expected a power of two");
    target[index] = toE8m0(value);
  }
  return count;
}

Error BatchArguments::loadWeight(unsigned index) {
  const ProgramArgument &argument = program.getArguments()[index];
  int64_t count = countElements(argument.shape), done = 0;
  for (const std::string &name : argument.weights) {
    Expected<TensorView> view =
        sources.checkpoint->lookup(sources.spellings(name));
    if (!view)
      return view.takeError();
    Expected<int64_t> copied = copyWeight(
        *view, argument,
        getData<char>(index) + done * getElementBytes(argument.dtype),
        count - done);
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

//===----------------------------------------------------------------------===//
// Made up
//===----------------------------------------------------------------------===//

/// Rows and columns of an fp8 weight that share a scale.
static constexpr int64_t scaleBlock = 128;

/// Quantizes the numbers that the weight has in f32, block by block or, with
/// one scale, as a whole. Also writes the argument with its scales.
Error BatchArguments::makeUpFp8Weight(unsigned index, float sigma) {
  ArrayRef<ProgramArgument> arguments = program.getArguments();
  const ProgramArgument &argument = arguments[index];
  std::string scaleName = argument.name + "_scale";
  const auto *scale = find_if(arguments, [&](const ProgramArgument &other) {
    return other.name == scaleName;
  });
  if (scale == arguments.end() || argument.shape.size() != 2 ||
      (scale->dtype != BRAID_F32 && scale->dtype != BRAID_F8E8M0))
    return makeError("argument '", argument.name,
                     "' is an fp8 weight that cannot be made up; expected two "
                     "extents and an argument '",
                     scaleName, "' in f32 or e8m0");
  unsigned scaleIndex = scale - arguments.begin();
  int64_t rows = argument.shape[0], columns = argument.shape[1];
  bool isWhole = countElements(scale->shape) == 1;
  SmallVector<int64_t> expected;
  for (int64_t extent : argument.shape)
    expected.push_back(divideCeil(extent, scaleBlock));
  if (!isWhole && ArrayRef<int64_t>(scale->shape) != ArrayRef(expected))
    return makeError("argument '", scaleName, "' has the shape ",
                     formatShape(scale->shape), "; expected ",
                     formatShape(expected), " or one element");
  if (Error error = allocate(scaleIndex, scale->shape))
    return error;

  int64_t blockRows = isWhole ? rows : scaleBlock;
  int64_t blockColumns = isWhole ? columns : scaleBlock;
  MadeUpNumbers numbers(sources.seed, argument.name, "", 0, sigma);
  std::vector<float> band(blockRows * columns);
  auto *values = getData<uint8_t>(index);
  int64_t block = 0;
  for (int64_t top = 0; top < rows; top += blockRows) {
    int64_t height = std::min(blockRows, rows - top);
    numbers.fill(band.data(), height * columns, top * columns);
    for (int64_t left = 0; left < columns; left += blockColumns, ++block) {
      int64_t width = std::min(blockColumns, columns - left);
      float largest = 0;
      for (int64_t i = 0; i < height; ++i)
        for (int64_t j = 0; j < width; ++j)
          largest = std::max(largest, std::abs(band[i * columns + left + j]));
      float factor = getPowerOfTwoScale(largest);
      for (int64_t i = 0; i < height; ++i)
        for (int64_t j = 0; j < width; ++j)
          values[(top + i) * columns + left + j] =
              toE4m3(band[i * columns + left + j] / factor);
      if (scale->dtype == BRAID_F32)
        getData<float>(scaleIndex)[block] = factor;
      else
        getData<uint8_t>(scaleIndex)[block] = toE8m0(factor);
    }
  }
  return Error::success();
}

Error BatchArguments::addWeight(unsigned index) {
  const ProgramArgument &argument = program.getArguments()[index];
  StringRef name = argument.name;
  if (is_contained(argument.shape, mlir::ShapedType::kDynamic))
    return makeError("weight '", name, "' has an extent that is not known");
  int64_t count = countElements(argument.shape);
  weightBytes += count * getElementBytes(argument.dtype);
  ++numWeights;
  // Scales are made up with their weight.
  if (storage[index].data)
    return Error::success();
  if (Error error = allocate(index, argument.shape))
    return error;
  if (sources.checkpoint)
    return loadWeight(index);

  float mean = 0, sigma = 1;
  if (name.contains("norm")) {
    mean = 1;
    sigma = 0.2f;
  } else if (argument.shape.size() == 2 && !name.contains("ape")) {
    // Keeps the variance of activations: 1 / (input channels).
    sigma = 1.5f / std::sqrt(static_cast<float>(argument.shape.back()));
  }
  if (argument.dtype == BRAID_F8E4M3)
    return makeUpFp8Weight(index, sigma);
  if (argument.dtype != BRAID_F32 && argument.dtype != BRAID_BF16) {
    std::memset(getData<char>(index), 0, storage[index].bytes);
    return Error::success();
  }
  MadeUpNumbers numbers(sources.seed, name, "", mean, sigma);
  if (argument.dtype == BRAID_F32) {
    numbers.fill(getData<float>(index), count);
    return Error::success();
  }
  float piece[1024];
  for (int64_t i = 0; i < count; i += std::size(piece)) {
    int64_t size = std::min<int64_t>(std::size(piece), count - i);
    numbers.fill(piece, size, i);
    writeNumbers(piece, size, argument.dtype,
                 reinterpret_cast<char *>(getData<uint16_t>(index) + i));
  }
  return Error::success();
}
