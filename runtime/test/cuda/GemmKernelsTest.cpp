//===- GemmKernelsTest.cpp - Braid's own kernels of products --------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels beside cuBLASLt's, called directly: so that they can be looked at
// with tools that those of cuBLASLt do not run under.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

#include "cuda/GemmKernels.h"

#include "braid/runtime.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

using namespace braid::runtime;
using namespace braid::test;

namespace {
class GemmKernels : public testing::Test {
protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
      GTEST_SKIP() << "this machine has no GPU";
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
              cudaSuccess);
  }
  void TearDown() override {
    for (void *piece : memory)
      (void)cudaFree(piece);
    if (stream)
      (void)cudaStreamDestroy(stream);
  }

  /// The device's copy of `values`.
  template <typename T>
  T *upload(const std::vector<T> &values) {
    void *to = nullptr;
    size_t bytes = values.size() * sizeof(T);
    EXPECT_EQ(cudaMalloc(&to, bytes), cudaSuccess);
    memory.push_back(to);
    EXPECT_EQ(cudaMemcpy(to, values.data(), bytes, cudaMemcpyHostToDevice),
              cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return static_cast<T *>(to);
  }
  template <typename T>
  std::vector<T> download(const T *from, size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(values.data(), from, count * sizeof(T),
                         cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
  }

  cudaStream_t stream = nullptr;
  std::vector<void *> memory;
};

/// e4m3 of the integers -8 .. 8, which it holds exactly.
uint8_t toFp8(int value) {
  if (value == 0)
    return 0;
  int exponent = 0, magnitude = std::abs(value);
  while (magnitude >> (exponent + 1))
    ++exponent;
  int mantissa = ((magnitude << 3) >> exponent) & 7;
  return static_cast<uint8_t>((value < 0 ? 0x80 : 0) | (exponent + 7) << 3 |
                              mantissa);
}

/// `values` as elements of `dtype`.
std::vector<uint8_t> encode(const std::vector<int> &values, int32_t dtype) {
  std::vector<uint8_t> bytes;
  auto append = [&](auto element) {
    const auto *from = reinterpret_cast<const uint8_t *>(&element);
    bytes.insert(bytes.end(), from, from + sizeof(element));
  };
  for (int value : values)
    if (dtype == BRAID_F32)
      append(static_cast<float>(value));
    else if (dtype == BRAID_BF16)
      append(toBf16(static_cast<float>(value)));
    else
      append(toFp8(value));
  return bytes;
}

std::vector<int> numbers(size_t count, int seed) {
  std::vector<int> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<int>((i * 7 + seed) % 9) - 4;
  return values;
}
} // namespace

// Scales of x are transposed and padded with zeros, those of the weight are
// widened, each from rows with gaps; either may be left out.
TEST_F(GemmKernels, Scales) {
  constexpr int64_t Groups = 2, Rows = 37, Padded = 48, Blocks = 35, XRow = 80,
                    WeightRows = 3, WeightStride = 36, WeightRow = 40;
  std::vector<float> x(Rows * XRow), poison(Groups * Blocks * Padded, NAN);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i + 1);
  std::vector<uint8_t> weight(Groups * WeightRows * WeightRow);
  for (size_t i = 0; i < weight.size(); ++i)
    weight[i] = static_cast<uint8_t>(i * 5);
  std::vector<float> weightPoison(Groups * WeightRows * WeightStride, NAN);

  ScaleConversion conversion;
  conversion.groups = Groups;
  conversion.blocks = Blocks;
  conversion.xTo = upload(poison);
  conversion.x = {upload(x), BRAID_F32, XRow, 1, 40};
  conversion.rows = Rows;
  conversion.paddedRows = Padded;
  conversion.weightTo = upload(weightPoison);
  conversion.weight = {upload(weight), BRAID_F8E8M0, WeightRow, 1,
                       WeightRows * WeightRow};
  conversion.weightRows = WeightRows;
  conversion.weightStride = WeightStride;
  auto check = [&](bool hasX, bool hasWeight) {
    std::vector<float> xs = download(conversion.xTo, poison.size());
    for (int64_t g = 0; g < Groups; ++g)
      for (int64_t b = 0; b < Blocks; ++b)
        for (int64_t r = 0; r < Padded; ++r) {
          float got = xs[(g * Blocks + b) * Padded + r];
          if (hasX)
            ASSERT_EQ(got, r < Rows ? x[r * XRow + g * 40 + b] : 0.0f)
                << g << " " << b << " " << r;
          else
            ASSERT_TRUE(std::isnan(got));
        }
    std::vector<float> weights =
        download(conversion.weightTo, weightPoison.size());
    for (int64_t row = 0; row < Groups * WeightRows; ++row)
      for (int64_t b = 0; b < WeightStride; ++b) {
        float got = weights[row * WeightStride + b];
        uint8_t byte = b < Blocks ? weight[row * WeightRow + b] : 0;
        if (!hasWeight || byte == 255)
          ASSERT_TRUE(std::isnan(got)) << row << " " << b;
        else
          ASSERT_EQ(got, b < Blocks ? std::ldexp(1.0f, byte - 127) : 0.0f)
              << row << " " << b;
      }
  };
  float *xTo = conversion.xTo, *weightTo = conversion.weightTo;
  conversion.xTo = conversion.weightTo = nullptr;
  ASSERT_EQ(launchScales(conversion, stream), cudaSuccess);
  conversion.xTo = xTo;
  ASSERT_EQ(launchScales(conversion, stream), cudaSuccess);
  conversion.weightTo = weightTo;
  check(true, false);
  conversion.xTo = nullptr;
  ASSERT_EQ(launchScales(conversion, stream), cudaSuccess);
  conversion.xTo = xTo;
  check(true, true);
}

// Every type, groups, strides, and sizes that fill no tile; small integers,
// whose sums are exact.
TEST_F(GemmKernels, PlainProduct) {
  constexpr int64_t Groups = 2, Rows = 33, N = 35, K = 70, XRow = 150,
                    WeightRow = 72, YRow = 80;
  std::vector<int> x = numbers(Rows * XRow, 1),
                   weight = numbers(Groups * N * WeightRow, 2);
  float xScale = 0.5f, weightScale = 4.0f;
  for (auto [type, yType] : {std::pair<int32_t, int32_t>(BRAID_F32, BRAID_F32),
                             {BRAID_BF16, BRAID_F32},
                             {BRAID_BF16, BRAID_BF16},
                             {BRAID_F8E4M3, BRAID_F32},
                             {BRAID_F8E4M3, BRAID_BF16}}) {
    size_t yBytes = yType == BRAID_F32 ? 4 : 2;
    bool hasScales = type == BRAID_F8E4M3;
    PlainProduct product;
    product.groups = Groups;
    product.rows = Rows;
    product.n = N;
    product.k = K;
    product.type = type;
    product.yType = yType;
    product.x = upload(encode(x, type));
    product.weight = upload(encode(weight, type));
    std::vector<uint8_t> poison(Rows * YRow * yBytes, 0xFF);
    product.y = upload(poison);
    product.xRow = XRow;
    product.xGroup = 75;
    product.weightRow = WeightRow;
    product.yRow = YRow;
    product.yGroup = 40;
    if (hasScales) {
      product.xScale = {upload(std::vector<float>{xScale}), BRAID_F32, 0, 0, 0};
      product.weightScale = {upload(std::vector<float>{weightScale}), BRAID_F32,
                             0, 0, 0};
    }
    ASSERT_EQ(launchPlainProduct(product, stream), cudaSuccess);
    std::vector<uint8_t> y =
        download(static_cast<const uint8_t *>(product.y), poison.size());
    for (int64_t r = 0; r < Rows; ++r)
      for (int64_t c = 0; c < YRow; ++c) {
        const uint8_t *at = &y[(r * YRow + c) * yBytes];
        int64_t g = c / 40, n = c % 40;
        if (n >= N) {
          for (size_t b = 0; b < yBytes; ++b)
            ASSERT_EQ(at[b], 0xFF) << "between rows of y";
          continue;
        }
        int sum = 0;
        for (int64_t k = 0; k < K; ++k)
          sum += x[r * XRow + g * 75 + k] * weight[(g * N + n) * WeightRow + k];
        float expected =
            hasScales ? sum * xScale * weightScale : static_cast<float>(sum);
        float got;
        if (yType == BRAID_F32) {
          std::memcpy(&got, at, sizeof(got));
          ASSERT_EQ(got, expected) << r << " " << g << " " << n;
        } else {
          uint16_t half;
          std::memcpy(&half, at, sizeof(half));
          ASSERT_NEAR(fromBf16(half), expected, std::fabs(expected) / 256)
              << r << " " << g << " " << n;
        }
      }
  }
}

// Numbers to time with are small, and not all the same.
TEST_F(GemmKernels, Fill) {
  std::vector<float> poison(1000, NAN);
  float *data = upload(poison);
  ASSERT_EQ(launchFill(data, BRAID_F32, 1000, stream), cudaSuccess);
  std::vector<float> values = download(data, 1000);
  for (float value : values)
    ASSERT_LT(std::fabs(value), 2.0f);
  EXPECT_NE(values[0], values[1]);
}
