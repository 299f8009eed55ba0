//===- GemmTest.cpp - Products on a GPU -----------------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every form of linear and grouped_linear against sums in f64 of what the
// operands hold. Values of fp8 are small integers, whose sums are exact in the
// narrow accumulators of tensor cores, so that bounds can be as tight as for
// bf16 and a scale that is applied in the wrong place shows.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

#include "core/KernelSupport.h"
#include "cuda/Gemm.h"
#include "cuda/RecordedLaunch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cuda_runtime_api.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <vector>

using namespace braid::runtime;
using namespace braid::test;

const char *const braid::runtime::kernelBackendName = "cuda";

namespace {

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Memory of the device.
class Device {
public:
  Device() = default;
  ~Device() { (void)cudaFree(data); }
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  void allocate(size_t size) {
    bytes = size;
    ASSERT_CUDA(cudaMalloc(&data, std::max<size_t>(size, 1)));
    poison();
  }
  void poison() { ASSERT_CUDA(cudaMemset(data, 0xff, bytes)); }
  void upload(const std::vector<uint8_t> &from) {
    allocate(from.size());
    ASSERT_CUDA(cudaMemcpy(data, from.data(), bytes, cudaMemcpyHostToDevice));
  }
  std::vector<uint8_t> download() const {
    std::vector<uint8_t> to(bytes);
    EXPECT_EQ(cudaMemcpy(to.data(), data, bytes, cudaMemcpyDeviceToHost),
              cudaSuccess);
    return to;
  }

  void *data = nullptr;
  size_t bytes = 0;
};

size_t sizeOfType(int32_t dtype) {
  return dtype == BRAID_F32 ? 4 : dtype == BRAID_BF16 ? 2 : 1;
}

/// e4m3 of -3 .. 3, and back of any byte.
uint8_t toFp8(int value) {
  static constexpr uint8_t Magnitudes[] = {0x00, 0x38, 0x40, 0x44};
  return Magnitudes[std::abs(value)] | (value < 0 ? 0x80 : 0);
}

double fromFp8(uint8_t byte) {
  int exponent = byte >> 3 & 15, mantissa = byte & 7;
  double magnitude = exponent ? std::ldexp(8 + mantissa, exponent - 10)
                              : std::ldexp(mantissa, -9);
  return byte & 0x80 ? -magnitude : magnitude;
}

/// How scales are given.
enum class Form {
  None,
  Whole,       ///< f32 for each operand
  WholeE8m0,   ///< e8m0 for the weight
  Blocks,      ///< f32
  BlocksE8m0,  ///< e8m0 for the weight
  WholeX,      ///< one for x, blocks for the weight
  WholeWeight, ///< blocks for x, one for the weight
};

const char *formName(Form form) {
  switch (form) {
  case Form::None:
    return "no scales";
  case Form::Whole:
    return "whole";
  case Form::WholeE8m0:
    return "whole, e8m0";
  case Form::Blocks:
    return "blocks";
  case Form::BlocksE8m0:
    return "blocks, e8m0";
  case Form::WholeX:
    return "whole x, blocks of weight";
  case Form::WholeWeight:
    return "blocks of x, whole weight";
  }
  return "?";
}

/// A call to make.
struct Shape {
  int32_t type = BRAID_BF16, yType = BRAID_BF16;
  Form form = Form::None;
  int64_t rows = 16, groups = 0, n = 64, k = 128; ///< groups 0: linear
  /// Elements behind each row.
  int64_t xPadding = 0, weightPadding = 0, yPadding = 0, scalePadding = 0;
  /// Elements before the first one.
  int64_t xOffset = 0, weightOffset = 0, yOffset = 0;
  bool repeatsX = false;    ///< all rows of x are the same memory
  bool isFullRange = false; ///< any bytes of fp8
  /// Scales of x lie by block rather than by row, as cuBLASLt reads them.
  bool scalesByBlock = false;

  std::string text() const {
    std::stringstream out;
    auto name = [](int32_t dtype) {
      return dtype == BRAID_F32 ? "f32" : dtype == BRAID_BF16 ? "bf16" : "fp8";
    };
    out << name(type) << " -> " << name(yType) << ", " << formName(form)
        << ", T " << rows << ", G " << groups << ", N " << n << ", K " << k
        << ", padding " << xPadding << "/" << weightPadding << "/" << yPadding
        << "/" << scalePadding << ", offset " << xOffset << "/" << weightOffset
        << "/" << yOffset << (repeatsX ? ", repeated rows" : "")
        << (isFullRange ? ", full range" : "")
        << (scalesByBlock ? ", scales by block" : "");
    return out.str();
  }
};

/// An operand: elements in memory with gaps, and its tensor.
struct Operand {
  braid_tensor tensor = {};
  Device memory;

  /// Rows of `sizes` lie `padding` elements apart; `offset` elements come
  /// first. Returns the bytes that the memory has.
  size_t layOut(int32_t dtype, const std::vector<int64_t> &sizes,
                int64_t padding, int64_t newOffset) {
    tensor.dtype = dtype;
    tensor.rank = static_cast<int32_t>(sizes.size());
    int64_t stride = 1;
    for (int d = tensor.rank - 1; d >= 0; --d) {
      tensor.sizes[d] = sizes[d];
      tensor.strides[d] = stride;
      stride *= sizes[d];
      if (d == tensor.rank - 1)
        stride += padding;
    }
    offset = newOffset;
    return (offset + stride) * sizeOfType(dtype);
  }
  void place() {
    tensor.data =
        static_cast<char *>(memory.data) + offset * sizeOfType(tensor.dtype);
  }
  /// Byte of an element in memory.
  int64_t at(int64_t i, int64_t j = 0, int64_t k = 0) const {
    int64_t index = offset + i * tensor.strides[0];
    if (tensor.rank > 1)
      index += j * tensor.strides[1];
    if (tensor.rank > 2)
      index += k * tensor.strides[2];
    return index * static_cast<int64_t>(sizeOfType(tensor.dtype));
  }

  int64_t offset = 0;
};

/// A call with its operands in the device's memory and the results that it is
/// to have.
class Call {
public:
  explicit Call(const Shape &shape) : shape(shape) {}

  void make();

  /// Puts other scales of the weight to where the old ones were.
  void replaceWeightScales();

  braid_kernel_call call() {
    braid_kernel_call made = {};
    made.struct_size = sizeof(made);
    made.op = &op;
    made.operands = operands;
    made.message = message;
    made.message_size = sizeof(message);
    return made;
  }

  /// Compares y, and that gaps between its rows are as they were.
  void check(const std::vector<uint8_t> &bytes, const char *what) const;

  const Shape shape;
  Operand x, weight, xScale, weightScale, y;
  char message[512] = {};

private:
  int64_t groups() const { return std::max<int64_t>(shape.groups, 1); }
  int64_t xAt(int64_t t, int64_t g, int64_t k) const {
    return shape.groups ? x.at(t, g, k) : x.at(t, k);
  }
  int64_t yAt(int64_t t, int64_t g, int64_t n) const {
    return shape.groups ? y.at(t, g, n) : y.at(t, n);
  }

  bool isWholeX() const {
    return shape.form == Form::Whole || shape.form == Form::WholeE8m0 ||
           shape.form == Form::WholeX;
  }
  bool isWholeWeight() const {
    return shape.form == Form::Whole || shape.form == Form::WholeE8m0 ||
           shape.form == Form::WholeWeight;
  }
  void computeResults();

  braid_op op = {};
  const braid_tensor *operands[5] = {};
  /// What the memory of the operands holds.
  std::vector<uint8_t> xBytes, weightBytes, xScaleBytes, weightScaleBytes;
  std::vector<double> results, magnitudes; ///< [T, G, N]
};

} // namespace

static void fillElements(std::vector<uint8_t> &bytes, int32_t dtype,
                         bool isFullRange, std::mt19937 &random) {
  std::uniform_int_distribution<int> small(-3, 3), any(0, 255);
  std::normal_distribution<float> normal;
  size_t size = sizeOfType(dtype);
  for (size_t i = 0; i + size <= bytes.size(); i += size) {
    if (dtype == BRAID_F32) {
      float value = normal(random);
      std::memcpy(&bytes[i], &value, size);
    } else if (dtype == BRAID_BF16) {
      uint16_t value = toBf16(normal(random));
      std::memcpy(&bytes[i], &value, size);
    } else if (isFullRange) {
      int byte = any(random);
      bytes[i] = (byte & 0x7f) == 0x7f ? 0 : byte; // no NaN
    } else {
      bytes[i] = toFp8(small(random));
    }
  }
}

static double loadElement(const std::vector<uint8_t> &bytes, int64_t at,
                          int32_t dtype) {
  if (dtype == BRAID_F32) {
    float value;
    std::memcpy(&value, &bytes[at], sizeof(value));
    return value;
  }
  if (dtype == BRAID_BF16) {
    uint16_t value;
    std::memcpy(&value, &bytes[at], sizeof(value));
    return fromBf16(value);
  }
  return dtype == BRAID_F8E8M0 ? std::ldexp(1.0, bytes[at] - 127)
                               : fromFp8(bytes[at]);
}

/// Scales between 1/4 and 4, powers of two for e8m0.
static void fillScales(std::vector<uint8_t> &bytes, int32_t dtype,
                       std::mt19937 &random) {
  std::uniform_real_distribution<float> real(0.25f, 4.0f);
  std::uniform_int_distribution<int> power(125, 129);
  if (dtype == BRAID_F8E8M0) {
    for (uint8_t &byte : bytes)
      byte = power(random);
    return;
  }
  for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    float value = real(random);
    std::memcpy(&bytes[i], &value, 4);
  }
}

void Call::make() {
  std::mt19937 random(
      static_cast<unsigned>(shape.rows * 7919 + shape.n * 104729 +
                            shape.k * 1299709 + static_cast<int>(shape.form)));
  bool isGrouped = shape.groups != 0;
  auto sizes = [&](int64_t width) {
    return isGrouped ? std::vector<int64_t>{shape.rows, shape.groups, width}
                     : std::vector<int64_t>{shape.rows, width};
  };
  int64_t weightRows = groups() * shape.n;
  int64_t blocks = (shape.k + 127) / 128;
  int32_t weightScaleType =
      shape.form == Form::WholeE8m0 || shape.form == Form::BlocksE8m0
          ? BRAID_F8E8M0
          : BRAID_F32;
  xBytes.resize(
      x.layOut(shape.type, sizes(shape.k), shape.xPadding, shape.xOffset));
  weightBytes.resize(weight.layOut(shape.type, {weightRows, shape.k},
                                   shape.weightPadding, shape.weightOffset));
  xScaleBytes.resize(isWholeX() ? xScale.layOut(BRAID_F32, {1}, 0, 0)
                                : xScale.layOut(BRAID_F32, sizes(blocks),
                                                shape.scalePadding, 0));
  if (shape.scalesByBlock) {
    xScale.tensor.strides[0] = 1;
    xScale.tensor.strides[1] = shape.rows;
  }
  weightScaleBytes.resize(
      isWholeWeight() ? weightScale.layOut(weightScaleType, {1}, 0, 0)
                      : weightScale.layOut(weightScaleType,
                                           {(weightRows + 127) / 128, blocks},
                                           shape.scalePadding, 0));
  if (shape.repeatsX)
    x.tensor.strides[0] = 0;
  fillElements(xBytes, shape.type, shape.isFullRange, random);
  fillElements(weightBytes, shape.type, shape.isFullRange, random);
  fillScales(xScaleBytes, BRAID_F32, random);
  fillScales(weightScaleBytes, weightScaleType, random);

  x.memory.upload(xBytes);
  weight.memory.upload(weightBytes);
  xScale.memory.upload(xScaleBytes);
  weightScale.memory.upload(weightScaleBytes);
  y.memory.allocate(
      y.layOut(shape.yType, sizes(shape.n), shape.yPadding, shape.yOffset));
  for (Operand *operand : {&x, &weight, &xScale, &weightScale, &y})
    operand->place();
  bool hasScales = shape.form != Form::None;
  op.struct_size = sizeof(op);
  op.name = isGrouped ? "grouped_linear" : "linear";
  op.location = "";
  op.num_operands = 5;
  operands[0] = &x.tensor;
  operands[1] = &weight.tensor;
  operands[2] = hasScales ? &xScale.tensor : nullptr;
  operands[3] = hasScales ? &weightScale.tensor : nullptr;
  operands[4] = &y.tensor;
  computeResults();
}

void Call::replaceWeightScales() {
  std::mt19937 random(4321);
  std::vector<uint8_t> old = weightScaleBytes;
  // One power of two may well be drawn again.
  while (weightScaleBytes == old)
    fillScales(weightScaleBytes, weightScale.tensor.dtype, random);
  ASSERT_CUDA(cudaMemcpy(weightScale.memory.data, weightScaleBytes.data(),
                         weightScaleBytes.size(), cudaMemcpyHostToDevice));
  computeResults();
}

/// Scales both operands in f64, then sums.
void Call::computeResults() {
  int64_t rows = shape.rows, n = shape.n, k = shape.k;
  bool isGrouped = shape.groups != 0, hasScales = shape.form != Form::None;
  std::vector<double> xs(rows * groups() * k), ws(groups() * n * k);
  for (int64_t t = 0; t < rows; ++t)
    for (int64_t g = 0; g < groups(); ++g)
      for (int64_t c = 0; c < k; ++c) {
        double scale = 1.0;
        if (hasScales)
          scale = loadElement(xScaleBytes,
                              isWholeX()  ? 0
                              : isGrouped ? xScale.at(t, g, c / 128)
                                          : xScale.at(t, c / 128),
                              BRAID_F32);
        xs[(t * groups() + g) * k + c] =
            loadElement(xBytes, xAt(t, g, c), shape.type) * scale;
      }
  for (int64_t r = 0; r < groups() * n; ++r)
    for (int64_t c = 0; c < k; ++c) {
      double scale = 1.0;
      if (hasScales)
        scale =
            loadElement(weightScaleBytes,
                        isWholeWeight() ? 0 : weightScale.at(r / 128, c / 128),
                        weightScale.tensor.dtype);
      ws[r * k + c] =
          loadElement(weightBytes, weight.at(r, c), shape.type) * scale;
    }
  results.resize(rows * groups() * n);
  magnitudes.resize(results.size());
  for (int64_t t = 0; t < rows; ++t)
    for (int64_t g = 0; g < groups(); ++g)
      for (int64_t j = 0; j < n; ++j) {
        const double *a = xs.data() + (t * groups() + g) * k;
        const double *b = ws.data() + (g * n + j) * k;
        double sum = 0, magnitude = 0;
        for (int64_t c = 0; c < k; ++c) {
          double product = a[c] * b[c];
          sum += product;
          magnitude += std::fabs(product);
        }
        int64_t i = (t * groups() + g) * n + j;
        results[i] = sum;
        magnitudes[i] = magnitude;
      }
}

void Call::check(const std::vector<uint8_t> &bytes, const char *what) const {
  // Sums in f32, whose partial sums tensor cores may cut off rather than round;
  // any fp8 loses what is far below the largest product of an instruction.
  double relative = shape.isFullRange         ? 0x1p-8
                    : shape.type == BRAID_F32 ? 4e-6
                                              : 2e-5;
  double rounding = shape.yType == BRAID_BF16 ? 0x1p-8 : 0x1p-22;
  std::vector<bool> isWritten(bytes.size());
  int64_t wrong = 0;
  std::stringstream first;
  for (int64_t t = 0; t < shape.rows; ++t)
    for (int64_t g = 0; g < groups(); ++g)
      for (int64_t j = 0; j < shape.n; ++j) {
        int64_t at = yAt(t, g, j), i = (t * groups() + g) * shape.n + j;
        for (size_t b = 0; b < sizeOfType(shape.yType); ++b)
          isWritten[at + b] = true;
        double got = loadElement(bytes, at, shape.yType);
        double bound =
            relative * magnitudes[i] + rounding * std::fabs(results[i]) + 1e-30;
        if (std::fabs(got - results[i]) <= bound)
          continue;
        if (wrong++ < 4)
          first << "\n  y[" << t << ", " << g << ", " << j << "] is " << got
                << ", expected " << results[i] << " +- " << bound;
      }
  EXPECT_EQ(wrong, 0) << what << ", " << shape.text() << ": of "
                      << results.size() << " elements" << first.str();
  int64_t touched = 0;
  for (size_t b = 0; b < bytes.size(); ++b)
    touched += !isWritten[b] && bytes[b] != 0xff;
  EXPECT_EQ(touched, 0) << what << ", " << shape.text()
                        << ": bytes between rows of y were written";
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {
/// Plans, scratch and a stream.
class Runner {
public:
  ~Runner() {
    if (stream)
      (void)cudaStreamDestroy(stream);
  }

  void make(size_t scratchBytes = size_t(64) << 20) {
    budget = scratchBytes;
    Error error = GemmPlans::create(scratchBytes, plans);
    ASSERT_FALSE(error) << error.text();
    scratch.allocate(scratchBytes);
    ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }

  braid_kernel kernelOf(const Call &call) {
    return call.shape.groups ? makeGroupedLinear(*plans) : makeLinear(*plans);
  }

  void prepare(Call &call) {
    Error error = plans->prepare(call.call());
    ASSERT_FALSE(error) << call.shape.text() << ": " << error.text();
  }

  /// Enqueues a call.
  void enqueue(Call &call) {
    braid_kernel kernel = kernelOf(call);
    braid_kernel_call made = call.call();
    ASSERT_EQ(kernel.check(&made, kernel.user_data), BRAID_OK)
        << call.shape.text() << ": " << call.message;
    size_t bytes = kernel.workspace(&made, budget, kernel.user_data);
    ASSERT_LE(bytes, budget) << call.shape.text();
    made.workspace = bytes ? scratch.data : nullptr;
    made.workspace_bytes = bytes;
    made.stream = stream;
    ASSERT_EQ(kernel.run(&made, kernel.user_data), BRAID_OK)
        << call.shape.text() << ": " << call.message;
  }

  /// Runs a call with poison in y and scratch, and returns y.
  std::vector<uint8_t> run(Call &call) {
    poison(call);
    enqueue(call);
    return result(call);
  }

  /// Captures a call; NULL, with a failure, if that cannot be.
  cudaGraphExec_t capture(Call &call) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
              cudaSuccess);
    enqueue(call);
    cudaError_t status = cudaStreamEndCapture(stream, &graph);
    if (status == cudaSuccess)
      status = cudaGraphInstantiate(&executable, graph, 0);
    EXPECT_EQ(status, cudaSuccess)
        << call.shape.text() << ": " << cudaGetErrorString(status);
    if (graph)
      (void)cudaGraphDestroy(graph);
    return executable;
  }

  /// What `run` does, with a graph instead of the call.
  std::vector<uint8_t> replay(cudaGraphExec_t graph, Call &call) {
    poison(call);
    EXPECT_EQ(cudaGraphLaunch(graph, stream), cudaSuccess);
    return result(call);
  }

  /// Captures a call and replays it, twice.
  std::vector<uint8_t> runCaptured(Call &call) {
    cudaGraphExec_t graph = capture(call);
    std::vector<uint8_t> bytes;
    if (!graph)
      return bytes;
    bytes = replay(graph, call);
    EXPECT_TRUE(replay(graph, call) == bytes)
        << "the second replay differs, " << call.shape.text();
    (void)cudaGraphExecDestroy(graph);
    return bytes;
  }

  /// Records a call and launches the record, twice. Nothing, without a
  /// failure, where the call cannot be recorded.
  std::vector<uint8_t> runRecorded(Call &call) {
    std::unique_ptr<RecordedLaunch> recorded;
    auto capture = [&]() -> Error {
      enqueue(call);
      return Error::success();
    };
    Error error = RecordedLaunch::record(stream, capture, recorded);
    EXPECT_FALSE(error) << call.shape.text() << ": " << error.text();
    std::vector<uint8_t> bytes;
    if (!recorded)
      return bytes;
    for (bool again : {false, true}) {
      poison(call);
      error = recorded->launch(stream);
      EXPECT_FALSE(error) << call.shape.text() << ": " << error.text();
      std::vector<uint8_t> y = result(call);
      EXPECT_TRUE(!again || y == bytes)
          << "the second launch differs, " << call.shape.text();
      bytes = y;
    }
    return bytes;
  }

  bool usesLibrary(Call &call) {
    bool answer = false;
    Error error = plans->usesLibrary(call.call(), answer);
    EXPECT_FALSE(error) << call.shape.text() << ": " << error.text();
    return answer;
  }

  std::unique_ptr<GemmPlans> plans;

private:
  void poison(Call &call) {
    call.y.memory.poison();
    scratch.poison();
    ASSERT_CUDA(cudaDeviceSynchronize());
  }
  std::vector<uint8_t> result(Call &call) {
    cudaError_t status = cudaStreamSynchronize(stream);
    EXPECT_EQ(status, cudaSuccess)
        << call.shape.text() << ": " << cudaGetErrorString(status);
    return call.y.memory.download();
  }

  size_t budget = 0;
  Device scratch;
  cudaStream_t stream = nullptr;
};

/// What shall do a call.
enum class By { Library, Plain, Either };

class GemmTest : public testing::Test {
protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
      GTEST_SKIP() << "this machine has no GPU";
    eager.make();
    prepared.make();
  }

  /// Runs a call in all ways. Returns nothing; all is said by failures.
  void checkCall(const Shape &shape, By by) {
    Call call(shape);
    call.make();
    if (HasFatalFailure())
      return;
    if (by != By::Either) {
      EXPECT_EQ(eager.usesLibrary(call), by == By::Library) << shape.text();
    }
    std::vector<uint8_t> first = eager.run(call);
    if (HasFatalFailure())
      return;
    call.check(first, "not prepared");
    EXPECT_TRUE(eager.run(call) == first)
        << "the second run differs, " << shape.text();

    prepared.prepare(call);
    std::vector<uint8_t> second = prepared.run(call);
    if (HasFatalFailure())
      return;
    call.check(second, "prepared");
    EXPECT_TRUE(prepared.run(call) == second)
        << "the second run of what was prepared differs, " << shape.text();
    EXPECT_TRUE(prepared.runCaptured(call) == second)
        << "the captured run differs, " << shape.text();
    std::vector<uint8_t> recorded = prepared.runRecorded(call);
    EXPECT_TRUE(recorded.empty() || recorded == second)
        << "the recorded run differs, " << shape.text();
    ++(recorded.empty() ? notRecorded : wereRecorded);
  }

  /// A record is made of all that is kernels only: all but rows that are
  /// copied to scratch.
  int wereRecorded = 0, notRecorded = 0;

  Runner eager, prepared;
};
} // namespace

static const int64_t RowCounts[] = {1, 3, 16, 17, 64, 300};

/// Types and scales that a layer has.
static std::vector<Shape> forms() {
  std::vector<Shape> forms(11);
  auto set = [&](int i, int32_t type, int32_t yType, Form form) {
    forms[i].type = type;
    forms[i].yType = yType;
    forms[i].form = form;
  };
  set(0, BRAID_F32, BRAID_F32, Form::None);
  set(1, BRAID_BF16, BRAID_BF16, Form::None);
  set(2, BRAID_BF16, BRAID_F32, Form::None);
  set(3, BRAID_F8E4M3, BRAID_BF16, Form::Whole);
  set(4, BRAID_F8E4M3, BRAID_F32, Form::Whole);
  set(5, BRAID_F8E4M3, BRAID_BF16, Form::WholeE8m0);
  set(6, BRAID_F8E4M3, BRAID_BF16, Form::Blocks);
  set(7, BRAID_F8E4M3, BRAID_F32, Form::Blocks);
  set(8, BRAID_F8E4M3, BRAID_BF16, Form::BlocksE8m0);
  set(9, BRAID_F8E4M3, BRAID_BF16, Form::WholeX);
  set(10, BRAID_F8E4M3, BRAID_BF16, Form::WholeWeight);
  return forms;
}

// Sizes that models have, scaled down: cuBLASLt does all of them. 640 makes
// five blocks of K, whose scales need padding, and 576 half a block of N.
TEST_F(GemmTest, Linear) {
  for (Shape shape : forms())
    for (auto [n, k] : {std::pair<int64_t, int64_t>(1536, 512),
                        {64, 1024},
                        {576, 256},
                        {192, 640}})
      for (int64_t rows : RowCounts) {
        shape.rows = rows;
        shape.n = n;
        shape.k = k;
        checkCall(shape, By::Library);
        if (HasFatalFailure())
          return;
      }
}

// Sizes of real models, and any bytes of fp8.
TEST_F(GemmTest, RealSizes) {
  for (Shape shape : forms()) {
    if (shape.form == Form::WholeE8m0 || shape.form == Form::WholeX ||
        shape.form == Form::WholeWeight)
      continue;
    shape.rows = 16;
    shape.n = 2048;
    shape.k = 7168;
    checkCall(shape, By::Library);
    shape.n = 1536;
    shape.k = 4096;
    shape.rows = 20;
    shape.isFullRange = shape.type == BRAID_F8E4M3;
    checkCall(shape, By::Library);
    if (HasFatalFailure())
      return;
  }
  EXPECT_EQ(notRecorded, 0) << "of " << wereRecorded + notRecorded;
}

// Sizes that no model has: whoever does it, results are right.
TEST_F(GemmTest, OddSizes) {
  for (Shape shape : forms())
    for (auto [n, k] : {std::pair<int64_t, int64_t>(100, 80),
                        {33, 50},
                        {1, 128},
                        {130, 200},
                        {40, 384}})
      for (int64_t rows : {1, 5, 66}) {
        shape.rows = rows;
        shape.n = n;
        shape.k = k;
        checkCall(shape, By::Either);
        if (HasFatalFailure())
          return;
      }
}

// Rows with gaps between them, as slices of wider buffers have.
TEST_F(GemmTest, Strides) {
  for (Shape shape : forms())
    for (int64_t rows : {1, 6, 64, 129}) {
      shape.rows = rows;
      shape.n = 320;
      shape.k = 384;
      shape.xPadding = 64;
      shape.weightPadding = 128;
      shape.yPadding = 32;
      shape.scalePadding = 3;
      checkCall(shape, By::Library);
      if (HasFatalFailure())
        return;
    }
}

// Addresses and distances that the widest loads cannot have, and rows of x that
// are all the same memory.
TEST_F(GemmTest, Misaligned) {
  for (Shape shape : forms()) {
    shape.rows = 70;
    shape.n = 96;
    shape.k = 256;
    Shape offset = shape, padded = shape, repeated = shape;
    offset.xOffset = offset.weightOffset = offset.yOffset = 1;
    checkCall(offset, By::Either);
    offset.rows = 6;
    offset.weightOffset = offset.yOffset = 0;
    // Rows that are padded in scratch are aligned there.
    checkCall(offset, By::Either);
    padded.xPadding = padded.weightPadding = padded.yPadding = 1;
    checkCall(padded, By::Either);
    repeated.repeatsX = true;
    checkCall(repeated, By::Plain);
    if (HasFatalFailure())
      return;
  }
}

// Groups, whose rows of x and y lie between those of the others.
TEST_F(GemmTest, Grouped) {
  for (Shape shape : forms())
    for (int64_t groups : {1, 4})
      for (int64_t rows : RowCounts) {
        shape.rows = rows;
        shape.groups = groups;
        shape.n = 128;
        shape.k = 256;
        checkCall(shape, By::Library);
        shape.xPadding = 16;
        shape.yPadding = 16;
        shape.weightPadding = 16;
        shape.scalePadding = 1;
        checkCall(shape, By::Library);
        shape.xPadding = shape.yPadding = 0;
        shape.weightPadding = shape.scalePadding = 0;
        if (HasFatalFailure())
          return;
      }
  Shape odd;
  odd.groups = 3;
  odd.rows = 7;
  odd.n = 33;
  odd.k = 50;
  for (int32_t type : {BRAID_F32, BRAID_BF16}) {
    odd.type = odd.yType = type;
    checkCall(odd, By::Either);
  }
}

// A call without tokens, columns or groups does nothing and is no failure.
TEST_F(GemmTest, Empty) {
  for (Shape shape : forms()) {
    shape.rows = 0;
    checkCall(shape, By::Either);
    shape.rows = 4;
    shape.n = 0;
    checkCall(shape, By::Either);
  }
}

// Sums of nothing are 0.
TEST_F(GemmTest, NothingToSum) {
  Shape shape;
  shape.k = 0;
  checkCall(shape, By::Plain);
}

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

// Scratch for the scales of a part of the rows only: they are done one part
// after the other, the last one padded.
TEST_F(GemmTest, ScratchForPartsOnly) {
  Shape shape;
  shape.type = BRAID_F8E4M3;
  shape.form = Form::BlocksE8m0;
  shape.n = 128;
  shape.k = 256;
  for (int64_t rows : {2000, 2001, 1009}) {
    shape.rows = rows;
    Call call(shape);
    call.make();
    Runner small;
    small.make(80 << 10);
    if (HasFatalFailure())
      return;
    EXPECT_TRUE(small.usesLibrary(call)) << shape.text();
    small.prepare(call);
    std::vector<uint8_t> bytes = small.run(call);
    call.check(bytes, "in parts");
    EXPECT_TRUE(small.runCaptured(call) == bytes) << shape.text();
  }
}

// Hardly any scratch: slower, but right.
TEST_F(GemmTest, HardlyAnyScratch) {
  for (Shape shape : forms()) {
    Call call(shape);
    call.make();
    Runner small;
    small.make(512);
    if (HasFatalFailure())
      return;
    small.prepare(call);
    call.check(small.run(call), "hardly any scratch");
  }
}

// Other scales at the same addresses are seen by what was prepared and captured
// before, since engines load weights when they like.
TEST_F(GemmTest, NewScales) {
  Shape shape;
  shape.type = BRAID_F8E4M3;
  for (Form form :
       {Form::Whole, Form::WholeE8m0, Form::Blocks, Form::BlocksE8m0}) {
    shape.form = form;
    Call call(shape);
    call.make();
    prepared.prepare(call);
    cudaGraphExec_t graph = prepared.capture(call);
    ASSERT_NE(graph, nullptr);
    std::vector<uint8_t> before = prepared.replay(graph, call);
    call.check(before, "before");
    call.replaceWeightScales();
    call.check(prepared.run(call), "after, eager");
    std::vector<uint8_t> after = prepared.replay(graph, call);
    call.check(after, "after, captured");
    EXPECT_FALSE(before == after) << shape.text();
    (void)cudaGraphExecDestroy(graph);
  }
}

// Scales of x that lie as cuBLASLt reads them are read where they lie, and with
// rows that need padding converted like others.
TEST_F(GemmTest, ScalesByBlock) {
  for (Form form : {Form::Blocks, Form::BlocksE8m0})
    for (int64_t rows : {1, 4, 17, 64, 300}) {
      Shape shape;
      shape.type = BRAID_F8E4M3;
      shape.form = form;
      shape.rows = rows;
      shape.n = 192;
      shape.k = 512;
      shape.scalesByBlock = true;
      checkCall(shape, By::Either);
    }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Plans that load what others saved compute the same bits and save the same
// file.
TEST_F(GemmTest, SaveAndLoad) {
  std::string path = testing::TempDir() + "braid_gemm_choices";
  std::string again = path + "_again";
  std::vector<std::unique_ptr<Call>> calls;
  std::vector<std::vector<uint8_t>> results;
  for (Shape shape : forms()) {
    shape.n = 384;
    shape.k = 512;
    calls.push_back(std::make_unique<Call>(shape));
    calls.back()->make();
    prepared.prepare(*calls.back());
    results.push_back(prepared.run(*calls.back()));
  }
  Error error = prepared.plans->save(path);
  ASSERT_FALSE(error) << error.text();
  EXPECT_NE(readFile(path).find("braid gemm choices 1\ndevice "),
            std::string::npos)
      << readFile(path).substr(0, 200);

  Runner loaded;
  loaded.make();
  error = loaded.plans->load(path);
  ASSERT_FALSE(error) << error.text();
  for (size_t i = 0; i < calls.size(); ++i) {
    // In use without being prepared as well.
    EXPECT_TRUE(loaded.run(*calls[i]) == results[i]) << calls[i]->shape.text();
    loaded.prepare(*calls[i]);
    EXPECT_TRUE(loaded.run(*calls[i]) == results[i]) << calls[i]->shape.text();
  }
  error = loaded.plans->save(again);
  ASSERT_FALSE(error) << error.text();
  EXPECT_EQ(readFile(path), readFile(again));
  std::remove(path.c_str());
  std::remove(again.c_str());
}

// A file of another driver, none, and one that is broken are refused.
TEST_F(GemmTest, RefusesFiles) {
  std::string path = testing::TempDir() + "braid_gemm_choices_other";
  EXPECT_EQ(prepared.plans->load(path + "_none").status(),
            BRAID_INVALID_ARGUMENT);
  Error error = prepared.plans->save(path);
  ASSERT_FALSE(error) << error.text();
  std::string text = readFile(path);
  size_t at = text.find("driver ");
  ASSERT_NE(at, std::string::npos) << text;
  std::ofstream(path) << text.substr(0, at) << "driver 1"
                      << text.substr(at + 7);
  error = prepared.plans->load(path);
  EXPECT_EQ(error.status(), BRAID_UNSUPPORTED) << error.text();
  EXPECT_NE(error.text().find("tuned elsewhere"), std::string::npos)
      << error.text();
  std::ofstream(path) << text << "1 2 3\n";
  error = prepared.plans->load(path);
  EXPECT_EQ(error.status(), BRAID_INVALID_ARGUMENT) << error.text();
  EXPECT_EQ(prepared.plans->save("/nowhere/at/all").status(),
            BRAID_INVALID_ARGUMENT);
  std::remove(path.c_str());
}
