//===- TypedKernelTest.cpp - Host kernels in bf16 and fp8 -----------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions against a search through all values of a type, products against
// sums in double precision, and everything else against the same kernel in f32,
// which KernelTest.cpp tests: what is read is exact, so results are equal but
// for one rounding.
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace braid::test;

//===----------------------------------------------------------------------===//
// Element types, written from their definitions
//===----------------------------------------------------------------------===//

static double decodeFp8(uint8_t bits) {
  int exponent = bits >> 3 & 15, mantissa = bits & 7;
  if ((bits & 0x7f) == 0x7f)
    return std::nan("");
  double magnitude = exponent == 0 ? std::ldexp(mantissa, -9)
                                   : std::ldexp(8 + mantissa, exponent - 10);
  return bits & 0x80 ? -magnitude : magnitude;
}

/// The nearest of all values; of two the one whose last bit is 0.
static uint8_t encodeFp8(double value) {
  int best = 0;
  for (int code = 0; code < 0x7f; ++code) {
    double now = std::fabs(decodeFp8(code) - std::fabs(value));
    double before = std::fabs(decodeFp8(best) - std::fabs(value));
    if (now < before || (now == before && code % 2 == 0))
      best = code;
  }
  return best | (std::signbit(value) ? 0x80 : 0);
}

static float decodeBf16(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, 4);
  return value;
}

static uint16_t encodeBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  uint16_t down = bits >> 16;
  if (std::isnan(value))
    return down | 0x40;
  uint32_t rest = bits & 0xffff;
  bool isUp = rest > 0x8000 || (rest == 0x8000 && down % 2 == 1);
  return down + isUp;
}

/// 2^ceil(log2(max(largest, 1e-4) / 448)), by trying.
static double blockScale(double largest) {
  double wanted = std::max(largest, double(1e-4f)) / 448;
  double scale = std::ldexp(1.0, -100);
  while (scale < wanted)
    scale *= 2;
  return scale;
}

static void fill(Array<Bf16> &array, std::mt19937 &random, float scale = 1) {
  std::normal_distribution<float> normal(0, scale);
  for (Bf16 &element : array.data)
    element.bits = encodeBf16(normal(random));
}

static void fill(Array<Fp8> &array, std::mt19937 &random) {
  for (Fp8 &element : array.data)
    do
      element.bits = random();
    while ((element.bits & 0x7f) == 0x7f);
}

/// The values of an array, dense.
static std::vector<float> decode(Array<Bf16> &array) {
  std::vector<float> result;
  int64_t width = array.size(array.tensor.rank - 1);
  int64_t middle = array.tensor.rank == 3 ? array.size(1) : 1;
  int64_t outer = array.tensor.rank == 1 ? 1 : array.size(0);
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t j = 0; j < middle; ++j)
      for (int64_t c = 0; c < width; ++c)
        result.push_back(decodeBf16(array.tensor.rank == 3 ? array(i, j, c).bits
                                    : array.tensor.rank == 2 ? array(i, c).bits
                                                             : array(c).bits));
  return result;
}

namespace {

class TypedKernels : public KernelFixture {};

/// A dense copy of values as an array of f32.
std::unique_ptr<Floats> floats(const Sizes &sizes,
                               const std::vector<float> &values) {
  auto result = std::make_unique<Floats>(sizes);
  result->data = values;
  result->tensor.data = result->data.data();
  return result;
}

#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_NE(std::string(text).find(part), std::string::npos)                   \
      << "in: " << std::string(text)

} // namespace

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

// Values around every step of bf16, and the special ones.
TEST_P(TypedKernels, RoundsToBf16) {
  std::vector<float> values = {0.0f, -0.0f,   INFINITY, -INFINITY,
                               NAN,  3.3e38f, 1e-45f,   -1e-40f};
  for (int i = 0; i < 500; ++i) {
    uint32_t bits = random();
    bits = i % 3 ? bits : (bits & 0xffff0000) | 0x8000; // a tie
    float value;
    std::memcpy(&value, &bits, 4);
    if (!std::isnan(value))
      values.push_back(value);
  }
  int64_t n = values.size();
  auto x = floats({1, n}, values);
  Array<Bf16> cache({1, 1, n});
  Longs slots({1}, 0);
  ASSERT_EQ(run(Op("cache_insert", "rrw"), {&*x, &slots, &cache}), BRAID_OK)
      << error();
  for (int64_t i = 0; i < n; ++i) {
    if (std::isnan(values[i]))
      EXPECT_TRUE(std::isnan(decodeBf16(cache(0, 0, i).bits)));
    else
      EXPECT_EQ(cache(0, 0, i).bits, encodeBf16(values[i])) << values[i];
  }
}

// Blocks of a width that does not divide the row, in both types of scales.
TEST_P(TypedKernels, Quantize) {
  for (int64_t block : {1, 7, 64, 128}) {
    const int64_t t = 5, heads = 3, k = 150, blocks = (k + block - 1) / block;
    Floats x({t, heads, k}, 0, 3);
    fill(x, random, 20);
    for (int64_t c = 0; c < k; ++c)
      x(1, 1, c) = 0;
    x(2, 0, 0) = 448; // a scale of exactly 1
    x(2, 0, 1) = 1e-30f;
    x(3, 2, 0) = 5e7f;
    Array<Fp8> values({t, heads, k}, Fp8(), 2);
    Floats scales({t, heads, blocks});
    Array<E8m0> exponents({t, heads, blocks});
    Op quantize("quantize", "rww", {param("block", block)});
    ASSERT_EQ(run(quantize, {&x, &values, &exponents}), BRAID_OK) << error();
    ASSERT_EQ(run(quantize, {&x, &values, &scales}), BRAID_OK) << error();
    for (int64_t i = 0; i < t; ++i)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t b = 0; b < blocks; ++b) {
          int64_t end = std::min(k, (b + 1) * block);
          double top = 0;
          for (int64_t c = b * block; c < end; ++c)
            top = std::max(top, std::fabs(double(x(i, h, c))));
          double scale = blockScale(top);
          ASSERT_EQ(scales(i, h, b), scale);
          ASSERT_EQ(std::ldexp(1.0, exponents(i, h, b).bits - 127), scale);
          for (int64_t c = b * block; c < end; ++c)
            ASSERT_EQ(values(i, h, c).bits, encodeFp8(x(i, h, c) / scale))
                << x(i, h, c) << " / " << scale;
        }
  }
}

TEST_P(TypedKernels, QuantizeRejects) {
  Floats x({2, 130}), scales({2, 2}), few({2, 1});
  Array<Fp8> values({2, 130});
  Op quantize("quantize", "rww", {param("block", int64_t(128))});
  EXPECT_EQ(run(quantize, {&x, &x, &scales}), BRAID_NO_KERNEL);
  EXPECT_CONTAINS(error(), "operand 'values' is f32, but the host backend "
                           "supports f8E4M3FN only");
  EXPECT_EQ(run(quantize, {&x, &values, &few}), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "operand 'scales': size 1 is 1, expected 2");
  Op zero("quantize", "rww", {param("block", int64_t(0))});
  EXPECT_EQ(run(zero, {&x, &values, &scales}), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "parameter 'block' is 0, expected at least 1");
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// A sum of k products in f32 in any order, rounded to bf16 or not.
static void expectSum(double got, double sum, double magnitude, bool isBf16) {
  double tolerance = 1e-6 * magnitude + (isBf16 ? std::fabs(sum) / 256 : 0);
  ASSERT_NEAR(got, sum, tolerance + 1e-30);
}

TEST_P(TypedKernels, LinearBf16) {
  Op linear("linear", "rrnnw");
  for (auto [t, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                         {3, 40, 17},
                         {64, 33, 64},
                         {70, 5, 129},
                         {300, 530, 40},
                         {2, 700, 8}}) {
    Array<Bf16> x({t, k}, Bf16(), 3), w({n, k}, Bf16(), 2),
        narrow({t, n}, Bf16{0x1234}, 5);
    Floats wide({t, n}, -7, 5);
    fill(x, random);
    fill(w, random);
    ASSERT_EQ(run(linear, {&x, &w, nullptr, nullptr, &wide}), BRAID_OK)
        << error();
    ASSERT_EQ(run(linear, {&x, &w, nullptr, nullptr, &narrow}), BRAID_OK)
        << error();
    for (int64_t i = 0; i < t; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0, magnitude = 0;
        for (int64_t c = 0; c < k; ++c) {
          double product =
              double(decodeBf16(x(i, c).bits)) * decodeBf16(w(j, c).bits);
          sum += product;
          magnitude += std::fabs(product);
        }
        expectSum(wide(i, j), sum, magnitude, false);
        ASSERT_EQ(narrow(i, j).bits, encodeBf16(wide(i, j)));
      }
    for (int64_t i = 0; i + 1 < t; ++i)
      for (int64_t p = 0; p < 5; ++p)
        ASSERT_EQ(narrow.data[i * (n + 5) + n + p].bits, 0x1234)
            << "wrote beyond a row";
  }
}

namespace {
enum class ScaleKind { Whole, F32, PowerOfTwo, E8m0 };

/// A product of fp8 with scales of each kind.
struct ScaledProduct {
  int64_t t, g, n, k;
  ScaleKind kind;
  Array<Fp8> x, w;
  std::unique_ptr<Floats> xScale, wScale;
  std::unique_ptr<Array<E8m0>> wExponent;

  ScaledProduct(int64_t t, int64_t g, int64_t n, int64_t k, ScaleKind kind,
                std::mt19937 &random)
      : t(t), g(g), n(n), k(k), kind(kind), x({t, g, k}, Fp8(), 3),
        w({g * n, k}, Fp8(), 5) {
    fill(x, random);
    fill(w, random);
    int64_t blocks = (k + 127) / 128, rows = (g * n + 127) / 128;
    bool whole = kind == ScaleKind::Whole;
    xScale = std::make_unique<Floats>(whole ? Sizes{1} : Sizes{t, g, blocks});
    wScale = std::make_unique<Floats>(whole ? Sizes{1} : Sizes{rows, blocks});
    for (Floats *scales : {xScale.get(), wScale.get()})
      for (float &scale : scales->data) {
        scale = std::ldexp(1.0f, int(random() % 12) - 8);
        if (kind == ScaleKind::F32 || whole)
          scale *= 1 + (random() % 1000) / 1000.0f;
      }
    if (kind == ScaleKind::E8m0) {
      wExponent = std::make_unique<Array<E8m0>>(Sizes{rows, blocks});
      for (size_t i = 0; i < wScale->data.size(); ++i)
        wExponent->data[i].bits = std::ilogb(wScale->data[i]) + 127;
    }
  }
  const braid_tensor *weightScale() {
    return wExponent ? &wExponent->tensor : &wScale->tensor;
  }
  double xAt(int64_t i, int64_t h, int64_t c) {
    double scale =
        kind == ScaleKind::Whole ? (*xScale)(0) : (*xScale)(i, h, c / 128);
    return decodeFp8(x(i, h, c).bits) * scale;
  }
  double wAt(int64_t row, int64_t c) {
    double scale =
        kind == ScaleKind::Whole ? (*wScale)(0) : (*wScale)(row / 128, c / 128);
    return decodeFp8(w(row, c).bits) * scale;
  }
  void expect(int64_t i, int64_t h, int64_t j, double got, bool isBf16) {
    double sum = 0, magnitude = 0;
    for (int64_t c = 0; c < k; ++c) {
      double product = xAt(i, h, c) * wAt(h * n + j, c);
      sum += product;
      magnitude += std::fabs(product);
    }
    expectSum(got, sum, magnitude, isBf16);
  }
};
} // namespace

TEST_P(TypedKernels, LinearFp8) {
  Op linear("linear", "rrrrw");
  for (ScaleKind kind : {ScaleKind::Whole, ScaleKind::F32,
                         ScaleKind::PowerOfTwo, ScaleKind::E8m0})
    for (auto [t, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                           {67, 130, 300},
                           {300, 40, 128},
                           {3, 600, 20}}) {
      ScaledProduct product(t, 1, n, k, kind, random);
      braid_tensor x =
          makeTensor(product.x.data.data(), BRAID_F8E4M3, {t, k}, {k + 3, 1});
      braid_tensor xScale = product.xScale->tensor;
      if (kind != ScaleKind::Whole)
        xScale = makeTensor(product.xScale->data.data(), BRAID_F32,
                            {t, (k + 127) / 128});
      Array<Bf16> y({t, n}, Bf16(), 1);
      Floats wide({t, n});
      ASSERT_EQ(
          run(linear, {&x, &product.w, &xScale, product.weightScale(), &y}),
          BRAID_OK)
          << error();
      ASSERT_EQ(
          run(linear, {&x, &product.w, &xScale, product.weightScale(), &wide}),
          BRAID_OK)
          << error();
      for (int64_t i = 0; i < t; i += 1 + i % 7)
        for (int64_t j = 0; j < n; ++j) {
          product.expect(i, 0, j, wide(i, j), false);
          ASSERT_EQ(y(i, j).bits, encodeBf16(wide(i, j)));
        }
      if (kind == ScaleKind::Whole)
        continue;
      // Scales of x may lie by block.
      int64_t blocks = (k + 127) / 128;
      Floats byBlock({blocks, t}), same({t, n});
      for (int64_t i = 0; i < t; ++i)
        for (int64_t b = 0; b < blocks; ++b)
          byBlock(b, i) = (*product.xScale)(i, 0, b);
      braid_tensor scattered =
          makeTensor(byBlock.data.data(), BRAID_F32, {t, blocks}, {1, t});
      ASSERT_EQ(run(linear,
                    {&x, &product.w, &scattered, product.weightScale(), &same}),
                BRAID_OK)
          << error();
      EXPECT_EQ(same.data, wide.data);
    }
}

TEST_P(TypedKernels, GroupedLinearFp8) {
  Op grouped("grouped_linear", "rrrrw");
  for (ScaleKind kind : {ScaleKind::Whole, ScaleKind::E8m0}) {
    const int64_t t = 66, g = 3, n = 128, k = 140;
    ScaledProduct product(t, g, n, k, kind, random);
    Array<Bf16> y({t, g, n}, Bf16(), 6);
    ASSERT_EQ(run(grouped, {&product.x, &product.w, &*product.xScale,
                            product.weightScale(), &y}),
              BRAID_OK)
        << error();
    for (int64_t i = 0; i < t; i += 5)
      for (int64_t h = 0; h < g; ++h)
        for (int64_t j = 0; j < n; ++j)
          product.expect(i, h, j, decodeBf16(y(i, h, j).bits), true);
  }
}

// A scale for rows of two groups would be no group's own.
TEST_P(TypedKernels, LinearRejectsScales) {
  const int64_t t = 2, g = 2, n = 64, k = 128;
  ScaledProduct product(t, g, n, k, ScaleKind::E8m0, random);
  Array<Bf16> y({t, g, n});
  EXPECT_EQ(run(Op("grouped_linear", "rrrrw"),
                {&product.x, &product.w, &*product.xScale,
                 product.weightScale(), &y}),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "each group has 64 rows of 'weight', expected a "
                           "multiple of 128");
  EXPECT_EQ(run(Op("grouped_linear", "rrrrw"),
                {&product.x, &product.w, nullptr, product.weightScale(), &y}),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "operand 'x_scale' is missing, but 'x' is f8E4M3FN");
  Floats short1({t, g, 3});
  EXPECT_EQ(run(Op("grouped_linear", "rrrrw"),
                {&product.x, &product.w, &short1, product.weightScale(), &y}),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "operand 'x_scale': size 2 is 3, expected 1");
}

TEST_P(TypedKernels, RowsDoNotDependOnTheirNumber) {
  Op linear("linear", "rrnnw");
  const int64_t n = 96, k = 200;
  Array<Bf16> x({700, k}), w({n, k});
  Floats all({700, n});
  fill(x, random);
  fill(w, random);
  ASSERT_EQ(run(linear, {&x, &w, nullptr, nullptr, &all}), BRAID_OK);
  for (int64_t count : {1, 63, 64, 65, 257}) {
    Array<Bf16> part({count, k}, Bf16(), 4);
    Floats y({count, n}, 0, 1);
    int64_t first = random() % (700 - count);
    for (int64_t i = 0; i < count; ++i)
      for (int64_t c = 0; c < k; ++c)
        part(i, c) = x(first + i, c);
    ASSERT_EQ(run(linear, {&part, &w, nullptr, nullptr, &y}), BRAID_OK);
    for (int64_t i = 0; i < count; ++i)
      ASSERT_EQ(std::memcmp(&y.data[i * (n + 1)], &all.data[(first + i) * n],
                            n * sizeof(float)),
                0)
          << count << " rows, row " << i;
  }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

TEST_P(TypedKernels, RmsNormAndRope) {
  const int64_t t = 9, heads = 3, width = 37, r = 8;
  Array<Bf16> x({t, heads, width}, Bf16(), 2), weight({width}),
      y({t, heads, width}, Bf16(), 1);
  fill(x, random, 3);
  fill(weight, random);
  auto wideX = floats({t, heads, width}, decode(x));
  auto wideWeight = floats({width}, decode(weight));
  Floats wideY({t, heads, width});
  Op norm("rms_norm", "rrw", {param("eps", 1e-6)});
  ASSERT_EQ(run(norm, {&x, &weight, &y}), BRAID_OK) << error();
  ASSERT_EQ(run(norm, {&*wideX, &*wideWeight, &wideY}), BRAID_OK) << error();
  for (int64_t i = 0; i < t; ++i)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t c = 0; c < width; ++c)
        ASSERT_EQ(y(i, h, c).bits, encodeBf16(wideY(i, h, c)));

  Floats table({20, r});
  fillTable(table);
  Longs positions({t});
  for (int64_t i = 0; i < t; ++i)
    positions(i) = random() % 20;
  Op rope("rope", "rrrw", {param("inverse", int64_t(0))});
  ASSERT_EQ(run(rope, {&x, &positions, &table, &y}), BRAID_OK) << error();
  ASSERT_EQ(run(rope, {&*wideX, &positions, &table, &wideY}), BRAID_OK);
  for (int64_t i = 0; i < t; ++i)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t c = 0; c < width; ++c)
        ASSERT_EQ(y(i, h, c).bits, encodeBf16(wideY(i, h, c)));
}

TEST_P(TypedKernels, IndexQuery) {
  const int64_t t = 6, heads = 4, width = 24, r = 8;
  Array<Bf16> q({t, heads, width}, Bf16(), 2), w({t, heads}, Bf16(), 1);
  fill(q, random, 2);
  fill(w, random);
  for (int64_t c = 0; c < width; ++c)
    q(1, 1, c) = Bf16();
  auto wideQ = floats({t, heads, width}, decode(q));
  auto wideW = floats({t, heads}, decode(w));
  Floats table({20, r}), wideOut({t, heads, width}), wideScaled({t, heads}),
      scaled({t, heads});
  fillTable(table);
  Longs positions({t});
  for (int64_t i = 0; i < t; ++i)
    positions(i) = random() % 20;
  Op query("index_query", "rrrrww", {param("scale", 0.25)});
  ASSERT_EQ(
      run(query, {&*wideQ, &*wideW, &positions, &table, &wideOut, &wideScaled}),
      BRAID_OK)
      << error();
  Array<Bf16> out({t, heads, width});
  ASSERT_EQ(run(query, {&q, &w, &positions, &table, &out, &scaled}), BRAID_OK);
  for (int64_t i = 0; i < t; ++i)
    for (int64_t h = 0; h < heads; ++h) {
      ASSERT_EQ(scaled(i, h), wideScaled(i, h));
      for (int64_t c = 0; c < width; ++c)
        ASSERT_EQ(out(i, h, c).bits, encodeBf16(wideOut(i, h, c)));
    }
  // Quantized, with the head's scale in its weight.
  Array<Fp8> quantized({t, heads, width}, Fp8(), 3);
  ASSERT_EQ(run(query, {&q, &w, &positions, &table, &quantized, &scaled}),
            BRAID_OK);
  for (int64_t i = 0; i < t; ++i)
    for (int64_t h = 0; h < heads; ++h) {
      double top = 0;
      for (int64_t c = 0; c < width; ++c)
        top = std::max(top, std::fabs(double(decodeBf16(out(i, h, c).bits))));
      double scale = blockScale(top);
      ASSERT_FLOAT_EQ(scaled(i, h), decodeBf16(w(i, h).bits) * 0.25 * scale);
      for (int64_t c = 0; c < width; ++c)
        ASSERT_EQ(quantized(i, h, c).bits,
                  encodeFp8(decodeBf16(out(i, h, c).bits) / scale));
    }
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

namespace {

/// The forms of a cache of `width` channels.
enum class Form { Bf16, Index, Packed };

/// A cache of one form, read and written by its documented layout.
class TypedCache {
public:
  TypedCache(Form form, int64_t blocks, int64_t block, int64_t width,
             int64_t fp8 = 0)
      : form(form), block(block), width(width), fp8(fp8) {
    values = form == Form::Bf16    ? 2 * width
             : form == Form::Index ? width
                                   : fp8 + 2 * (width - fp8);
    scales = form == Form::Bf16    ? 0
             : form == Form::Index ? 4
                                   : ((fp8 + 63) / 64 + 7) / 8 * 8;
    // Blocks farther apart than they need to be.
    page = block * (values + scales) + 10;
    data.assign(blocks * page, 0xcd);
    tensor = form == Form::Bf16
                 ? makeTensor(data.data(), BRAID_BF16, {blocks, block, width},
                              {page / 2, width, 1})
                 : makeTensor(data.data(), BRAID_I8,
                              {blocks, block, values + scales},
                              {page, values + scales, 1});
  }

  std::vector<float> row(int64_t slot) {
    const uint8_t *from = data.data() + slot / block * page;
    const uint8_t *scale = from + block * values + slot % block * scales;
    from += slot % block * values;
    std::vector<float> result;
    int64_t quantized = form == Form::Bf16    ? 0
                        : form == Form::Index ? width
                                              : fp8;
    for (int64_t c = 0; c < width; ++c) {
      if (c >= quantized) {
        uint16_t bits;
        std::memcpy(&bits, from + quantized + 2 * (c - quantized), 2);
        result.push_back(decodeBf16(bits));
        continue;
      }
      float factor;
      if (form == Form::Index)
        std::memcpy(&factor, scale, 4);
      else
        factor = std::ldexp(1.0f, scale[c / 64] - 127);
      result.push_back(decodeFp8(from[c]) * factor);
    }
    return result;
  }

  /// What storing `row` has to make of it.
  std::vector<float> stored(const float *row) {
    std::vector<float> rounded, result;
    for (int64_t c = 0; c < width; ++c)
      rounded.push_back(decodeBf16(encodeBf16(row[c])));
    result = rounded;
    int64_t quantized = form == Form::Bf16    ? 0
                        : form == Form::Index ? width
                                              : fp8;
    int64_t step = form == Form::Index ? width : 64;
    for (int64_t begin = 0; begin < quantized; begin += step) {
      int64_t end = std::min(quantized, begin + step);
      double top = 0;
      for (int64_t c = begin; c < end; ++c)
        top = std::max(top, std::fabs(double(rounded[c])));
      double scale = blockScale(top);
      for (int64_t c = begin; c < end; ++c)
        result[c] = decodeFp8(encodeFp8(rounded[c] / scale)) * scale;
    }
    return result;
  }

  const braid_tensor *operator&() const { return &tensor; }
  int64_t slots() const { return tensor.sizes[0] * block; }

  /// All rows as a dense cache of f32.
  std::unique_ptr<Floats> decoded() {
    std::vector<float> all;
    for (int64_t slot = 0; slot < slots(); ++slot) {
      std::vector<float> next = row(slot);
      all.insert(all.end(), next.begin(), next.end());
    }
    return floats({tensor.sizes[0], block, width}, all);
  }

  Form form;
  int64_t block, width, fp8, values, scales, page;
  std::vector<uint8_t> data;
  braid_tensor tensor;
};

} // namespace

// The published row: 448 channels in blocks of 64, 64 in bf16, 584 bytes; and
// odd ones.
TEST_P(TypedKernels, CacheInsert) {
  struct Case {
    Form form;
    int64_t width, fp8;
  };
  for (Case c : {Case{Form::Bf16, 48, 0}, Case{Form::Packed, 512, 448},
                 Case{Form::Packed, 48, 30}, Case{Form::Packed, 70, 70},
                 Case{Form::Index, 128, 0}}) {
    TypedCache cache(c.form, 4, 3, c.width, c.fp8);
    if (c.width == 512) {
      EXPECT_EQ(cache.tensor.sizes[2], 584);
    }
    if (c.width == 128) {
      EXPECT_EQ(cache.tensor.sizes[2], 132);
    }
    std::vector<uint8_t> before = cache.data;
    Array<Bf16> rows({6, c.width}, Bf16(), 2);
    fill(rows, random, 5);
    std::vector<float> wide = decode(rows);
    Longs slots({6}, -1);
    slots(0) = 7;
    slots(2) = 0;
    slots(5) = 11;
    std::vector<braid_param> params;
    if (c.fp8)
      params.push_back(param("fp8_channels", c.fp8));
    Op insert("cache_insert", "rrw", params);
    ASSERT_EQ(run(insert, {&rows, &slots, &cache}), BRAID_OK) << error();
    for (int64_t t : {0, 2, 5})
      ASSERT_EQ(cache.row(slots(t)), cache.stored(&wide[t * c.width]));
    // No other byte changes.
    int64_t changed = 0;
    for (size_t i = 0; i < before.size(); ++i)
      changed += before[i] != cache.data[i];
    ASSERT_LE(changed, 3 * (cache.values + cache.scales));
    std::vector<uint8_t> after = cache.data;
    for (int64_t t = 0; t < 6; ++t)
      slots(t) = -1;
    ASSERT_EQ(run(insert, {&rows, &slots, &cache}), BRAID_OK);
    ASSERT_EQ(cache.data, after);
  }
}

TEST_P(TypedKernels, CacheInsertRejects) {
  Array<Bf16> rows({1, 512});
  Longs slots({1}, 0);
  Bytes bytes({1, 2, 584}), narrow({1, 2, 580});
  Floats plain({1, 2, 512});
  Op packed("cache_insert", "rrw", {param("fp8_channels", int64_t(448))});
  Op index("cache_insert", "rrw");
  Op beyond("cache_insert", "rrw", {param("fp8_channels", int64_t(513))});
  EXPECT_EQ(run(packed, {&rows, &slots, &bytes}), BRAID_OK) << error();
  EXPECT_EQ(run(packed, {&rows, &slots, &narrow}), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "operand 'cache': size 2 is 580, expected 584");
  EXPECT_EQ(run(index, {&rows, &slots, &bytes}), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "operand 'cache': size 2 is 584, expected 516");
  EXPECT_EQ(run(packed, {&rows, &slots, &plain}), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "parameter 'fp8_channels' is 448, expected none");
  EXPECT_EQ(run(beyond, {&rows, &slots, &bytes}), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(),
                  "parameter 'fp8_channels' is 513, expected 0 to 512");
  braid_tensor overlapping = bytes.tensor;
  overlapping.sizes[0] = 2;
  overlapping.strides[0] = 584;
  EXPECT_EQ(run(packed, {&rows, &slots, &overlapping}), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "stride 0 is 584, expected at least 1168");
}

TEST_P(TypedKernels, Compress) {
  struct Case {
    Form form;
    int64_t width, fp8;
  };
  for (Case c : {Case{Form::Bf16, 16, 0}, Case{Form::Packed, 80, 64},
                 Case{Form::Index, 32, 0}}) {
    const int64_t t = 13, ratio = 4, channels = 2 * c.width, r = 8;
    Floats kvScore({t, 2 * channels}), bias({ratio, channels}), table({20, r});
    fill(kvScore, random);
    fill(bias, random);
    fillTable(table);
    Array<Bf16> weight({c.width});
    fill(weight, random);
    auto wideWeight = floats({c.width}, decode(weight));
    Longs positions({t}), stateSlots({t}, -1), slots({t}, -1);
    Ints stateTable({1, 1}, 0), requests({t}, 0);
    for (int64_t i = 0; i < t; ++i) {
      positions(i) = i;
      if (i % ratio == ratio - 1)
        slots(i) = 5 - i / ratio;
    }
    Floats state({1, 1, 2 * channels}), plain({2, 3, c.width});
    TypedCache cache(c.form, 2, 3, c.width, c.fp8);
    std::vector<braid_param> params = {param("ratio", ratio),
                                       param("overlap", int64_t(1)),
                                       param("eps", 1e-6)};
    ASSERT_EQ(
        run(Op("compress", "rrrrrrrrruw", params),
            {&kvScore, &bias, &*wideWeight, &positions, &table, &stateSlots,
             &stateTable, &requests, &slots, &state, &plain}),
        BRAID_OK)
        << error();
    if (c.fp8)
      params.push_back(param("fp8_channels", c.fp8));
    ASSERT_EQ(run(Op("compress", "rrrrrrrrruw", params),
                  {&kvScore, &bias, &weight, &positions, &table, &stateSlots,
                   &stateTable, &requests, &slots, &state, &cache}),
              BRAID_OK)
        << error();
    for (int64_t e = 0; e < t / ratio; ++e) {
      int64_t slot = 5 - e;
      ASSERT_EQ(cache.row(slot), cache.stored(&plain(slot / 3, slot % 3)));
    }
  }
}

// What is in a cache is read exactly: scores and sums are those of f32 caches
// that hold the same values.
TEST_P(TypedKernels, SelectAndAttend) {
  struct Case {
    Form form;
    int64_t fp8;
  };
  for (Case c : {Case{Form::Bf16, 0}, Case{Form::Packed, 30}}) {
    const int64_t width = 48, heads = 3, block = 4, blocks = 8, window = 6,
                  ratio = 2, k = 5;
    Ints offsets({3}), lengths({2});
    offsets(1) = 4;
    offsets(2) = 5;
    lengths(0) = 15;
    lengths(1) = 9;
    const int64_t t = 6; // one of padding
    Ints table({2, 4});
    for (int64_t i = 0; i < 8; ++i)
      table(i / 4, i % 4) = (i * 3 + 1) % 8;
    auto filled = [&](Form form, int64_t fp8) {
      auto cache =
          std::make_unique<TypedCache>(form, blocks, block, width, fp8);
      Floats rows({blocks * block, width});
      fill(rows, random);
      Longs slots({blocks * block});
      for (int64_t i = 0; i < blocks * block; ++i)
        slots(i) = i;
      std::vector<braid_param> params;
      if (fp8)
        params.push_back(param("fp8_channels", fp8));
      EXPECT_EQ(
          run(Op("cache_insert", "rrw", params), {&rows, &slots, &*cache}),
          BRAID_OK)
          << error();
      return cache;
    };
    auto index = filled(c.form == Form::Bf16 ? Form::Bf16 : Form::Index, 0);
    auto windowCache = filled(c.form, c.fp8),
         compressed = filled(c.form, c.fp8);
    auto wideIndex = index->decoded(), wideWindow = windowCache->decoded(),
         wideCompressed = compressed->decoded();

    Floats w({t, heads});
    fill(w, random);
    Ints topk({t, k}), wideTopk({t, k});
    Op select("index_select", "rrrrrrw", {param("ratio", ratio)}, "....hh");
    if (c.form == Form::Bf16) {
      Array<Bf16> q({t, heads, width});
      fill(q, random);
      auto wideQ = floats({t, heads, width}, decode(q));
      ASSERT_EQ(
          run(select, {&q, &w, &*index, &table, &offsets, &lengths, &topk}),
          BRAID_OK)
          << error();
      ASSERT_EQ(run(select, {&*wideQ, &w, &*wideIndex, &table, &offsets,
                             &lengths, &wideTopk}),
                BRAID_OK);
    } else {
      Array<Fp8> q({t, heads, width});
      fill(q, random);
      std::vector<float> values;
      for (Fp8 element : q.data)
        values.push_back(decodeFp8(element.bits));
      auto wideQ = floats({t, heads, width}, values);
      ASSERT_EQ(
          run(select, {&q, &w, &*index, &table, &offsets, &lengths, &topk}),
          BRAID_OK)
          << error();
      ASSERT_EQ(run(select, {&*wideQ, &w, &*wideIndex, &table, &offsets,
                             &lengths, &wideTopk}),
                BRAID_OK);
    }
    ASSERT_EQ(topk.data, wideTopk.data);
    ASSERT_GE(topk(0, 0), 0);

    Array<Bf16> q({t, heads, width}, Bf16(), 1),
        y({t, heads, width}, Bf16(), 2);
    fill(q, random);
    auto wideQ = floats({t, heads, width}, decode(q));
    Floats sink({heads}), wideY({t, heads, width});
    fill(sink, random);
    std::vector<braid_param> params = {
        param("scale", 0.2), param("window", window), param("ratio", ratio)};
    ASSERT_EQ(run(Op("attend", "rrrrrrrrrw", params, ".......hh"),
                  {&*wideQ, &sink, &*wideWindow, &table, &*wideCompressed,
                   &table, &topk, &offsets, &lengths, &wideY}),
              BRAID_OK)
        << error();
    if (c.fp8)
      params.push_back(param("fp8_channels", c.fp8));
    ASSERT_EQ(run(Op("attend", "rrrrrrrrrw", params, ".......hh"),
                  {&q, &sink, &*windowCache, &table, &*compressed, &table,
                   &topk, &offsets, &lengths, &y}),
              BRAID_OK)
        << error();
    for (int64_t i = 0; i < t; ++i)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t d = 0; d < width; ++d)
          ASSERT_EQ(y(i, h, d).bits, encodeBf16(wideY(i, h, d)));
    ASSERT_EQ(y(t - 1, 0, 0).bits, 0) << "padding is zero";
  }
}

INSTANTIATE_TEST_SUITE_P(Loops, TypedKernels,
                         testing::Values("baseline", "avx2", "avx512"),
                         [](const auto &info) { return info.param; });
