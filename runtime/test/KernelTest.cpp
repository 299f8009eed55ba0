//===- KernelTest.cpp - The built-in host kernels -------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kernel against a reference that is written without regard to speed, in
// double precision. Shapes are odd, rows strided, values random with a seed
// that is printed where a test fails.
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

using namespace braid::test;

static bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}
#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_TRUE(contains(text, part)) << "in: " << std::string(text)

namespace {

class Kernels : public KernelFixture {};

/// Rotates the last r values of a row.
void rotate(std::vector<double> &row, Floats &table, int64_t p, int sign = 1) {
  int64_t r = table.size(1);
  double *last = row.data() + row.size() - r;
  for (int64_t i = 0; i < r / 2; ++i) {
    double c = table(p, i), s = sign * table(p, r / 2 + i);
    double a = last[2 * i], b = last[2 * i + 1];
    last[2 * i] = a * c - b * s;
    last[2 * i + 1] = a * s + b * c;
  }
}

void normalize(std::vector<double> &row, const float *weight, double eps) {
  double sum = 0;
  for (double value : row)
    sum += value * value;
  double scale = 1 / std::sqrt(sum / row.size() + eps);
  for (size_t i = 0; i < row.size(); ++i)
    row[i] *= scale * (weight ? weight[i] : 1);
}

void expectRow(const float *row, const std::vector<double> &expected,
               const std::string &what, double tolerance = 2e-6) {
  double top = 1;
  for (double value : expected)
    top = std::max(top, std::fabs(value));
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(row[i], expected[i], tolerance * top)
        << what << ", channel " << i;
}

std::vector<double> rowOf(const float *row, int64_t n) {
  return std::vector<double>(row, row + n);
}

} // namespace

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

TEST_P(Kernels, Linear) {
  Op linear("linear", "rrnnw");
  for (auto [t, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                         {3, 40, 17},
                         {64, 33, 64},
                         {70, 5, 129},
                         {2, 4100, 8}}) {
    Floats x({t, k}, 0, 3), w({n, k}, 0, 2), y({t, n}, -7, 5);
    fill(x, random);
    fill(w, random);
    ASSERT_EQ(run(linear, {&x, &w, nullptr, nullptr, &y}), BRAID_OK) << error();
    for (int64_t i = 0; i < t; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t c = 0; c < k; ++c)
          sum += double(x(i, c)) * w(j, c);
        ASSERT_NEAR(y(i, j), sum, 1e-5 * k) << t << " " << n << " " << k;
      }
    for (int64_t i = 0; i + 1 < t; ++i)
      for (int64_t p = 0; p < 5; ++p)
        ASSERT_EQ(y.data[i * (n + 5) + n + p], -7) << "wrote beyond a row";
  }
}

TEST_P(Kernels, LinearRowsDoNotDependOnTheirNumber) {
  Op linear("linear", "rrnnw");
  const int64_t n = 96, k = 200;
  Floats x({130, k}), w({n, k}), all({130, n});
  fill(x, random);
  fill(w, random);
  ASSERT_EQ(run(linear, {&x, &w, nullptr, nullptr, &all}), BRAID_OK);
  for (int64_t t : {1, 2, 5, 37, 64, 65, 130}) {
    Floats y({t, n});
    braid_tensor rows = x.tensor;
    rows.sizes[0] = t;
    ASSERT_EQ(run(linear, {&rows, &w, nullptr, nullptr, &y}), BRAID_OK);
    EXPECT_EQ(std::memcmp(y.data.data(), all.data.data(), t * n * 4), 0) << t;
  }
}

TEST_P(Kernels, GroupedLinear) {
  Op grouped("grouped_linear", "rrnnw");
  const int64_t t = 67, g = 3, n = 10, k = 21;
  Floats x({t, g, k}, 0, 3), w({g * n, k}), y({t, g, n}, 0, 6);
  fill(x, random);
  fill(w, random);
  ASSERT_EQ(run(grouped, {&x, &w, nullptr, nullptr, &y}), BRAID_OK) << error();
  for (int64_t i = 0; i < t; ++i)
    for (int64_t j = 0; j < g; ++j)
      for (int64_t o = 0; o < n; ++o) {
        double sum = 0;
        for (int64_t c = 0; c < k; ++c)
          sum += double(x(i, j, c)) * w(j * n + o, c);
        ASSERT_NEAR(y(i, j, o), sum, 1e-4);
      }
}

TEST_P(Kernels, LinearRejects) {
  Op linear("linear", "rrnnw");
  Floats x({3, 4}), w({5, 4}), y({3, 5}), bad({3, 6});
  braid_tensor half = w.tensor, scattered = x.tensor;
  half.dtype = BRAID_BF16;
  EXPECT_EQ(run(linear, {&x, &half, nullptr, nullptr, &y}),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "op 'linear' at test.mlir:1:1: operand 'weight' is "
                           "bf16, expected f32, the type of 'x'");
  half.dtype = BRAID_F16;
  EXPECT_EQ(run(linear, {&x, &half, nullptr, nullptr, &y}), BRAID_NO_KERNEL);
  EXPECT_CONTAINS(error(), "operand 'weight' is f16, but the host backend "
                           "supports f32 and bf16 and f8E4M3FN only");
  EXPECT_EQ(run(linear, {&x, &w, &y, nullptr, &y}), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "operand 'x_scale' is present, but 'x' is f32; "
                           "scales belong to f8E4M3FN");
  EXPECT_EQ(run(linear, {&x, &w, nullptr, nullptr, &bad}),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "operand 'y': size 1 is 6, expected 5");
  EXPECT_EQ(run(linear, {&x, nullptr, nullptr, nullptr, &y}),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "operand 'weight' is missing");
  EXPECT_EQ(run(linear, {&x, &w, &x, nullptr, &y}), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "'x_scale' is present");
  scattered.strides[1] = 2;
  EXPECT_EQ(run(linear, {&scattered, &w, nullptr, nullptr, &y}),
            BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "has stride 2 in its last dimension");
  Op three("linear", "rrw");
  EXPECT_EQ(run(three, {&x, &w, &y}), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "has 3 operands, expected 5");
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

TEST_P(Kernels, RmsNorm) {
  Op norm("rms_norm", "rrw", {param("eps", 1e-6)});
  for (int64_t d : {1, 3, 16, 33, 512}) {
    Floats x({5, 2, d}, 0, 3), w({d}), y({5, 2, d}, 0, 1);
    fill(x, random);
    fill(w, random);
    for (bool weighted : {true, false}) {
      ASSERT_EQ(run(norm, {&x, weighted ? &w : nullptr, &y}), BRAID_OK);
      for (int64_t i = 0; i < 5; ++i)
        for (int64_t j = 0; j < 2; ++j) {
          auto expected = rowOf(&x.data[i * (2 * d + 6) + j * (d + 3)], d);
          normalize(expected, weighted ? w.data.data() : nullptr, 1e-6);
          expectRow(&y.data[i * (2 * d + 2) + j * (d + 1)], expected, "norm");
        }
    }
  }
  Floats x({4, 8}), y({4, 8}), flat({4, 2, 4});
  fill(x, random);
  ASSERT_EQ(run(norm, {&x, nullptr, &y}), BRAID_OK);
  ASSERT_EQ(run(norm, {&x, nullptr, &x}), BRAID_OK);
  EXPECT_EQ(x.data, y.data) << "in place";
  EXPECT_EQ(run(norm, {&x, nullptr, &flat}), BRAID_INVALID_ARGUMENT);
  Op noEps("rms_norm", "rrw");
  EXPECT_EQ(run(noEps, {&x, nullptr, &y}), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "parameter 'eps' is missing");
}

TEST_P(Kernels, Rope) {
  Op rope("rope", "rrrw", {param("inverse", int64_t(0))});
  Op inverse("rope", "rrrw", {param("inverse", int64_t(1))});
  Floats table({20, 6}), x({5, 3, 11}, 0, 2), y({5, 3, 11}), z({5, 3, 11});
  Longs positions({5});
  fillTable(table);
  fill(x, random);
  for (int64_t t = 0; t < 5; ++t)
    positions(t) = (t * 7) % 20;
  ASSERT_EQ(run(rope, {&x, &positions, &table, &y}), BRAID_OK) << error();
  for (int64_t t = 0; t < 5; ++t)
    for (int64_t h = 0; h < 3; ++h) {
      auto expected = rowOf(&x(t, h), 11);
      rotate(expected, table, positions(t));
      expectRow(&y(t, h), expected, "rope");
    }
  ASSERT_EQ(run(inverse, {&y, &positions, &table, &z}), BRAID_OK);
  for (int64_t t = 0; t < 5; ++t)
    for (int64_t h = 0; h < 3; ++h)
      expectRow(&z(t, h), rowOf(&x(t, h), 11), "inverse");
  Floats flat({5, 11}), turned({5, 11});
  fill(flat, random);
  ASSERT_EQ(run(rope, {&flat, &positions, &table, &turned}), BRAID_OK);
  ASSERT_EQ(run(rope, {&flat, &positions, &table, &flat}), BRAID_OK);
  EXPECT_EQ(flat.data, turned.data) << "in place";
  positions(3) = 20;
  EXPECT_EQ(run(rope, {&x, &positions, &table, &y}), BRAID_KERNEL_FAILED);
  EXPECT_CONTAINS(error(), "operand 'positions': element 3 is 20");
  Floats odd({20, 5});
  EXPECT_EQ(run(rope, {&x, &positions, &odd, &y}), BRAID_INVALID_ARGUMENT);
}

TEST_P(Kernels, IndexQuery) {
  Op query("index_query", "rrrrww", {param("scale", 0.125)});
  Floats table({9, 4}), q({3, 2, 7}, 0, 1), w({3, 2}, 0, 3), qOut({3, 2, 7}),
      wOut({3, 2});
  Longs positions({3});
  fillTable(table);
  fill(q, random);
  fill(w, random);
  positions(0) = 8, positions(1) = 0, positions(2) = 5;
  ASSERT_EQ(run(query, {&q, &w, &positions, &table, &qOut, &wOut}), BRAID_OK)
      << error();
  for (int64_t t = 0; t < 3; ++t)
    for (int64_t i = 0; i < 2; ++i) {
      auto expected = rowOf(&q(t, i), 7);
      rotate(expected, table, positions(t));
      expectRow(&qOut(t, i), expected, "index_query");
      EXPECT_FLOAT_EQ(wOut(t, i), w(t, i) * 0.125f);
    }
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

TEST_P(Kernels, CacheInsert) {
  Op insert("cache_insert", "rru");
  Floats values({4, 5}, 0, 2), cache({3, 2, 5}, 9, 1);
  Longs slots({4});
  fill(values, random);
  slots(0) = 5, slots(1) = -1, slots(2) = 0, slots(3) = 3;
  std::vector<float> before = cache.data;
  slots(1) = 6;
  EXPECT_EQ(run(insert, {&values, &slots, &cache}), BRAID_KERNEL_FAILED);
  EXPECT_CONTAINS(error(), "operand 'slots': element 1 is 6, expected -1 to 5");
  slots(1) = -2;
  EXPECT_EQ(run(insert, {&values, &slots, &cache}), BRAID_KERNEL_FAILED);
  EXPECT_EQ(cache.data, before) << "a failure writes nothing";
  slots(1) = -1;
  ASSERT_EQ(run(insert, {&values, &slots, &cache}), BRAID_OK);
  for (int64_t c = 0; c < 5; ++c) {
    EXPECT_EQ(cache(2, 1, c), values(0, c));
    EXPECT_EQ(cache(0, 0, c), values(2, c));
    EXPECT_EQ(cache(1, 1, c), values(3, c));
    for (int64_t untouched : {1, 2, 4})
      EXPECT_EQ(cache(untouched / 2, untouched % 2, c), 9);
  }
}

TEST_P(Kernels, CopyPackAndReduce) {
  Op copy("copy", "rw"), pack("pack", "rrrw"), reduce("all_reduce", "rw");
  Longs x({3, 4, 2}), y({3, 4, 2}, 0, 3);
  for (size_t i = 0; i < x.data.size(); ++i)
    x.data[i] = i;
  ASSERT_EQ(run(copy, {&x, &y}), BRAID_OK) << error();
  EXPECT_EQ(y(2, 3, 1), 23);
  EXPECT_EQ(y(1, 2, 0), 12);
  // Transposed, so that no run is contiguous.
  braid_tensor turned =
      makeTensor(x.data.data(), BRAID_I64, {2, 4, 3}, {1, 2, 8});
  Longs z({2, 4, 3});
  ASSERT_EQ(run(reduce, {&turned, &z}), BRAID_OK);
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 4; ++j)
      for (int64_t k = 0; k < 2; ++k)
        EXPECT_EQ(z(k, j, i), x(i, j, k));
  Ints scalar({}, 5), target({});
  ASSERT_EQ(run(copy, {&scalar, &target}), BRAID_OK);
  EXPECT_EQ(target.data[0], 5);
  EXPECT_EQ(run(copy, {&x, &z}), BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(run(copy, {&scalar, &x}), BRAID_INVALID_ARGUMENT);
  Ints a({2, 3}, 1), b({0, 3}), c({4, 3}, 3, 2), packed({6, 3}), wide({6, 4});
  ASSERT_EQ(run(pack, {&a, &b, &c, &packed}), BRAID_OK) << error();
  EXPECT_EQ(packed(1, 2), 1);
  EXPECT_EQ(packed(2, 0), 3);
  EXPECT_EQ(packed(5, 2), 3);
  EXPECT_EQ(run(pack, {&a, &a, &c, &packed}), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "size 0 is 6, expected 8, the sum of the inputs");
  EXPECT_EQ(run(pack, {&a, &b, &c, &wide}), BRAID_INVALID_ARGUMENT);
}

//===----------------------------------------------------------------------===//
// Compressor
//===----------------------------------------------------------------------===//

namespace {

/// Several requests that go through the compressor in pieces, and what has to
/// come out.
struct CompressorModel {
  int64_t ratio, overlap, width, parts, channels;
  int64_t stateBlock = 3, cacheBlock = 2;
  double eps = 1e-6;
  std::vector<int64_t> lengths;
  std::vector<std::vector<std::vector<float>>> rows; // request, token
  Floats bias, weight, table, state, cache;
  Ints stateTable;
  Op op;

  CompressorModel(int64_t ratio, int64_t overlap, int64_t width,
                  std::vector<int64_t> lengths, std::mt19937 &random)
      : ratio(ratio), overlap(overlap), width(width), parts(1 + overlap),
        channels(parts * width), lengths(lengths),
        bias({ratio, channels}, 0, 1), weight({width}), table({100, 4}),
        state({int64_t(lengths.size()) * blocks(), stateBlock, 2 * channels},
              NAN, 1),
        cache({int64_t(lengths.size()) * 40, cacheBlock, width}, 77),
        stateTable({int64_t(lengths.size()), 100}),
        op("compress", "rrrrrrrrruu",
           {param("ratio", ratio), param("overlap", overlap),
            param("eps", eps)}) {
    fill(bias, random);
    fill(weight, random);
    fillTable(table);
    std::normal_distribution<float> normal;
    for (int64_t length : lengths) {
      rows.emplace_back();
      for (int64_t p = 0; p < length; ++p) {
        rows.back().emplace_back(2 * channels);
        for (float &value : rows.back().back())
          value = normal(random);
      }
    }
    // A ring of blocks just large enough for what a window looks back at,
    // plus one that is being filled.
    for (size_t r = 0; r < lengths.size(); ++r)
      for (int64_t b = 0; b < 100; ++b)
        stateTable(r, b) = r * blocks() + b % blocks();
  }

  int64_t blocks() const { return parts * ratio / stateBlock + 2; }
  int64_t slotOf(int64_t r, int64_t e) const { return r * 80 + e; }

  /// Entry `e` of request `r`.
  std::vector<double> entry(int64_t r, int64_t e) {
    int64_t p = e * ratio + ratio - 1;
    std::vector<double> result(width);
    for (int64_t c = 0; c < width; ++c) {
      double sum = 0, total = 0;
      for (int64_t q = p - parts * ratio + 1; q <= p; ++q) {
        if (q < 0)
          continue;
        int64_t channel = c + (overlap && q > p - ratio ? width : 0);
        double weight = std::exp(double(rows[r][q][channels + channel]) +
                                 bias(q % ratio, channel));
        total += weight;
        sum += weight * rows[r][q][channel];
      }
      result[c] = sum / total;
    }
    normalize(result, weight.data.data(), eps);
    rotate(result, table, e * ratio);
    return result;
  }

  /// Runs tokens [from[r], to[r]) of each request in one call, with `padding`
  /// rows at the end.
  braid_status run(Context &context, const std::vector<int64_t> &from,
                   const std::vector<int64_t> &to, int64_t padding = 0) {
    int64_t tokens = padding;
    for (size_t r = 0; r < from.size(); ++r)
      tokens += to[r] - from[r];
    Floats kvScore({tokens, 2 * channels}, NAN, 3);
    Longs positions({tokens}), stateSlots({tokens}, -1), slots({tokens}, -1);
    Ints requests({tokens});
    int64_t t = 0;
    for (size_t r = 0; r < from.size(); ++r)
      for (int64_t p = from[r]; p < to[r]; ++p, ++t) {
        std::copy(rows[r][p].begin(), rows[r][p].end(), &kvScore(t));
        positions(t) = p;
        requests(t) = r;
        // Only the last tokens of a piece have a place in the ring.
        if (to[r] - p <= (blocks() - 1) * stateBlock)
          stateSlots(t) =
              stateTable(r, p / stateBlock) * stateBlock + p % stateBlock;
        if ((p + 1) % ratio == 0)
          slots(t) = slotOf(r, p / ratio);
      }
    return context.runOp(op, {&kvScore, &bias, &weight, &positions, &table,
                              &stateSlots, &stateTable, &requests, &slots,
                              &state, &cache});
  }

  void check(const std::string &what) {
    std::map<int64_t, bool> written;
    for (size_t r = 0; r < lengths.size(); ++r)
      for (int64_t e = 0; e < lengths[r] / ratio; ++e) {
        int64_t slot = slotOf(r, e);
        written[slot] = true;
        expectRow(&cache(slot / cacheBlock, slot % cacheBlock), entry(r, e),
                  what + ", request " + std::to_string(r) + ", entry " +
                      std::to_string(e),
                  5e-6);
      }
    for (int64_t slot = 0; slot < cache.size(0) * cacheBlock; ++slot)
      if (!written.count(slot)) {
        ASSERT_EQ(cache(slot / cacheBlock, slot % cacheBlock), 77) << slot;
      }
  }
};

} // namespace

TEST_P(Kernels, CompressInOneCallAndInPieces) {
  for (auto [ratio, overlap, width] :
       {std::array<int64_t, 3>{4, 1, 13}, {8, 0, 16}, {1, 0, 5}, {4, 1, 37}}) {
    std::vector<int64_t> lengths = {9, 5, 70}, zero = {0, 0, 0};
    std::string name = std::to_string(ratio) + "/" + std::to_string(width);
    std::mt19937 whole = random, pieces = random;
    CompressorModel model(ratio, overlap, width, lengths, whole);
    ASSERT_EQ(model.run(*context, zero, lengths, 3), BRAID_OK) << error();
    model.check("whole " + name);
    CompressorModel chunked(ratio, overlap, width, lengths, pieces);
    std::vector<int64_t> at = zero;
    for (int step = 0; at != lengths; ++step) {
      std::vector<int64_t> next = at;
      for (size_t r = 0; r < at.size(); ++r)
        next[r] = std::min(lengths[r], at[r] + int64_t(step % 4 + r));
      ASSERT_EQ(chunked.run(*context, at, next, step % 2), BRAID_OK) << error();
      at = next;
    }
    chunked.check("in pieces " + name);
    EXPECT_EQ(model.cache.data, chunked.cache.data)
        << "the same bits, however the tokens arrive";
    random.discard(1);
  }
}

TEST_P(Kernels, CompressFailsBeforeWriting) {
  CompressorModel model(4, 1, 6, {9}, random);
  std::vector<float> cache = model.cache.data;
  // Entry 1 needs the state of tokens that no one has put anywhere.
  for (int64_t b = 0; b < 100; ++b)
    model.stateTable(0, b) = -1;
  Floats kvScore({4, 2 * model.channels});
  Longs positions({4}), stateSlots({4}, 0), slots({4}, -1);
  Ints requests({4});
  for (int64_t t = 0; t < 4; ++t)
    positions(t) = 4 + t;
  slots(3) = 1;
  auto run = [&] {
    return context->runOp(model.op,
                          {&kvScore, &model.bias, &model.weight, &positions,
                           &model.table, &stateSlots, &model.stateTable,
                           &requests, &slots, &model.state, &model.cache});
  };
  EXPECT_EQ(run(), BRAID_KERNEL_FAILED);
  EXPECT_CONTAINS(error(), "'state_table': position 0 of request 0");
  for (int64_t b = 0; b < 100; ++b)
    model.stateTable(0, b) = 0;
  requests(3) = 1;
  EXPECT_EQ(run(), BRAID_KERNEL_FAILED);
  requests(3) = 0;
  slots(2) = 1000;
  EXPECT_EQ(run(), BRAID_KERNEL_FAILED);
  EXPECT_CONTAINS(error(), "operand 'slots': element 2 is 1000");
  slots(2) = -1;
  stateSlots(1) = -2;
  EXPECT_EQ(run(), BRAID_KERNEL_FAILED);
  EXPECT_CONTAINS(error(), "operand 'state_slots': element 1 is -2");
  stateSlots(1) = 0;
  for (int64_t t = 0; t < 4; ++t)
    positions(t) = 400 + t;
  EXPECT_EQ(run(), BRAID_KERNEL_FAILED);
  EXPECT_CONTAINS(error(), "beyond the 100 rows of the table");
  positions(0) = -1;
  EXPECT_EQ(run(), BRAID_KERNEL_FAILED);
  EXPECT_EQ(model.cache.data, cache);
  EXPECT_TRUE(std::isnan(model.state(0)));
  Op wrong("compress", "rrrrrrrrruu",
           {param("ratio", int64_t(0)), param("overlap", int64_t(1)),
            param("eps", 1e-6)});
  EXPECT_EQ(
      context->runOp(wrong, {&kvScore, &model.bias, &model.weight, &positions,
                             &model.table, &stateSlots, &model.stateTable,
                             &requests, &slots, &model.state, &model.cache}),
      BRAID_INVALID_ARGUMENT);
}

//===----------------------------------------------------------------------===//
// Indexer and attention
//===----------------------------------------------------------------------===//

namespace {

/// Requests with paged caches, as index_select and attend see them.
struct Batch {
  int64_t requests, tokens = 0, padding;
  Ints offsets, lengths;
  std::vector<int64_t> request, position; // of each real token

  /// Request r has `queries[r]` query tokens at the end of `total[r]`.
  Batch(const std::vector<int64_t> &queries, const std::vector<int64_t> &total,
        int64_t padding)
      : requests(queries.size()), padding(padding), offsets({requests + 1}),
        lengths({requests}) {
    for (int64_t r = 0; r < requests; ++r) {
      lengths(r) = total[r];
      for (int64_t i = 0; i < queries[r]; ++i, ++tokens) {
        request.push_back(r);
        position.push_back(total[r] - queries[r] + i);
      }
      offsets(r + 1) = tokens;
    }
  }
  int64_t rows() const { return tokens + padding; }
};

/// A cache whose blocks are in no particular order.
struct Paged {
  Floats cache;
  Ints table;

  Paged(int64_t requests, int64_t entries, int64_t block, int64_t width,
        std::mt19937 &random)
      : cache({requests * ((entries + block - 1) / block) + 1, block, width}, 0,
              3),
        table({requests, (entries + block - 1) / block}, 0, 2) {
    fill(cache, random);
    std::vector<int32_t> order(cache.size(0));
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    for (int64_t r = 0, next = 0; r < requests; ++r)
      for (int64_t b = 0; b < table.size(1); ++b)
        table(r, b) = order[next++];
  }
  const float *row(int64_t r, int64_t e) {
    int64_t block = cache.size(1);
    return &cache(table(r, e / block), e % block);
  }
};

std::vector<int64_t> selection(Ints &topk, int64_t t) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < topk.size(1); ++i)
    result.push_back(topk(t, i));
  return result;
}

} // namespace

TEST_P(Kernels, IndexSelect) {
  const int64_t heads = 5, width = 19, ratio = 2;
  for (int64_t k : {1, 3, 20, 200}) {
    Batch batch({9, 5, 70, 0}, {9, 25, 400, 3}, 2);
    Paged paged(4, 200, 7, width, random);
    Floats q({batch.rows(), heads, width}, 0, 2), w({batch.rows(), heads});
    Ints topk({batch.rows(), k}, 55, 1);
    fill(q, random);
    fill(w, random);
    Op select("index_select", "rrrrrrw", {param("ratio", ratio)}, "....hh");
    ASSERT_EQ(run(select, {&q, &w, &paged.cache, &paged.table, &batch.offsets,
                           &batch.lengths, &topk}),
              BRAID_OK)
        << error();
    for (int64_t t = 0; t < batch.tokens; ++t) {
      int64_t r = batch.request[t];
      int64_t available = (batch.position[t] + 1) / ratio;
      std::vector<std::pair<double, int64_t>> scores;
      for (int64_t e = 0; e < available; ++e) {
        double score = 0;
        for (int64_t h = 0; h < heads; ++h) {
          double dot = 0;
          for (int64_t c = 0; c < width; ++c)
            dot += double(q(t, h, c)) * paged.row(r, e)[c];
          score += w(t, h) * std::max(dot, 0.0);
        }
        scores.push_back({-score, e});
      }
      std::sort(scores.begin(), scores.end());
      int64_t count = std::min(k, available);
      std::vector<int64_t> expected;
      for (int64_t i = 0; i < count; ++i)
        expected.push_back(scores[i].second);
      // A gap too small for float decides nothing.
      if (count < available &&
          scores[count].first - scores[count - 1].first < 1e-4)
        continue;
      std::sort(expected.begin(), expected.end());
      expected.resize(k, -1);
      ASSERT_EQ(selection(topk, t), expected) << "token " << t << " k " << k;
    }
    for (int64_t t = batch.tokens; t < batch.rows(); ++t)
      EXPECT_EQ(selection(topk, t), std::vector<int64_t>(k, -1));
  }
}

TEST_P(Kernels, IndexSelectTies) {
  Batch batch({1}, {300}, 0);
  Paged paged(1, 300, 16, 4, random);
  std::fill(paged.cache.data.begin(), paged.cache.data.end(), 1.0f);
  Floats q({1, 1, 4}, 1), w({1, 1}, 1);
  Ints topk({1, 3});
  Op select("index_select", "rrrrrrw", {param("ratio", int64_t(1))}, "....hh");
  ASSERT_EQ(run(select, {&q, &w, &paged.cache, &paged.table, &batch.offsets,
                         &batch.lengths, &topk}),
            BRAID_OK);
  EXPECT_EQ(selection(topk, 0), (std::vector<int64_t>{0, 1, 2}));
}

namespace {

/// Attention over a batch, with everything that attend takes.
struct Attention {
  Batch batch;
  int64_t heads, width, window, ratio;
  Paged windowCache, compressed;
  Floats q, sink, y;
  Ints topk;
  bool useCompressed, useTopK;
  Op op;

  Attention(const std::vector<int64_t> &queries,
            const std::vector<int64_t> &total, int64_t heads, int64_t width,
            int64_t window, int64_t ratio, bool useCompressed, bool useTopK,
            std::mt19937 &random)
      : batch(queries, total, 2), heads(heads), width(width), window(window),
        ratio(ratio), windowCache(batch.requests, 420, 6, width, random),
        compressed(batch.requests, 420 / ratio + 1, 5, width, random),
        q({batch.rows(), heads, width}, 0, 1), sink({heads}),
        y({batch.rows(), heads, width}, 99, 2), topk({batch.rows(), 11}, -1),
        useCompressed(useCompressed), useTopK(useTopK),
        op("attend", "rrrrrrrrrw",
           {param("scale", 0.3), param("window", window),
            param("ratio", ratio)},
           ".......hh") {
    fill(q, random);
    fill(sink, random);
    if (heads > 1)
      sink(1) = -INFINITY;
    for (int64_t t = 0; t < batch.tokens; ++t) {
      int64_t available = (batch.position[t] + 1) / ratio;
      int64_t at = 0;
      for (int64_t e = 0; e < available && at < 11; e += 1 + random() % 3)
        topk(t, at++) = e;
    }
  }

  braid_status run(Context &context) {
    return context.runOp(op, {&q, &sink, &windowCache.cache, &windowCache.table,
                              useCompressed ? &compressed.cache : nullptr,
                              useCompressed ? &compressed.table : nullptr,
                              useTopK ? &topk : nullptr, &batch.offsets,
                              &batch.lengths, &y});
  }

  std::vector<double> expected(int64_t t, int64_t h) {
    int64_t r = batch.request[t], p = batch.position[t];
    std::vector<const float *> rows;
    for (int64_t j = std::max<int64_t>(0, p - window + 1); j <= p; ++j)
      rows.push_back(windowCache.row(r, j));
    if (useTopK) {
      for (int64_t i = 0; i < topk.size(1); ++i)
        if (topk(t, i) >= 0)
          rows.push_back(compressed.row(r, topk(t, i)));
    } else if (useCompressed) {
      for (int64_t e = 0; e < (p + 1) / ratio; ++e)
        rows.push_back(compressed.row(r, e));
    }
    std::vector<double> logits, result(width);
    double top = sink(h);
    for (const float *row : rows) {
      double dot = 0;
      for (int64_t c = 0; c < width; ++c)
        dot += double(q(t, h, c)) * row[c];
      logits.push_back(0.3 * dot);
      top = std::max(top, logits.back());
    }
    double total = std::exp(sink(h) - top);
    for (size_t j = 0; j < rows.size(); ++j) {
      double weight = std::exp(logits[j] - top);
      total += weight;
      for (int64_t c = 0; c < width; ++c)
        result[c] += weight * rows[j][c];
    }
    for (double &value : result)
      value /= total;
    return result;
  }

  void check(const std::string &what) {
    for (int64_t t = 0; t < batch.tokens; ++t)
      for (int64_t h = 0; h < heads; ++h)
        expectRow(&y(t, h), expected(t, h),
                  what + ", token " + std::to_string(t) + ", head " +
                      std::to_string(h),
                  5e-6);
    for (int64_t t = batch.tokens; t < batch.rows(); ++t)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t c = 0; c < width; ++c)
          ASSERT_EQ(y(t, h, c), 0) << "padding";
    ASSERT_EQ(y.data[width], 99) << "wrote beyond a row";
  }
};

} // namespace

TEST_P(Kernels, Attend) {
  std::vector<int64_t> queries = {9, 5, 70, 0}, total = {9, 25, 400, 4};
  for (auto [heads, width] :
       {std::pair<int64_t, int64_t>{2, 16}, {3, 21}, {17, 8}}) {
    std::string shape = std::to_string(heads) + "x" + std::to_string(width);
    Attention plain(queries, total, heads, width, 130, 4, false, false, random);
    ASSERT_EQ(plain.run(*context), BRAID_OK) << error();
    plain.check("window " + shape);
    Attention all(queries, total, heads, width, 7, 4, true, false, random);
    ASSERT_EQ(all.run(*context), BRAID_OK) << error();
    all.check("all entries " + shape);
    Attention some(queries, total, heads, width, 7, 4, true, true, random);
    ASSERT_EQ(some.run(*context), BRAID_OK) << error();
    some.check("selected entries " + shape);
  }
}

TEST_P(Kernels, AttendRequestsAloneAndInPieces) {
  Attention together({9, 5, 70}, {9, 5, 70}, 3, 20, 8, 4, true, false, random);
  ASSERT_EQ(together.run(*context), BRAID_OK);
  // The same requests one by one, and each in two calls.
  for (int64_t r = 0; r < 3; ++r) {
    int64_t length = together.batch.lengths(r);
    for (auto [from, to] : {std::pair<int64_t, int64_t>{0, length},
                            {0, length / 2},
                            {length / 2, length}}) {
      int64_t begin = together.batch.offsets(r) + from;
      Floats y({to - from, 3, 20});
      braid_tensor q = together.q.tensor, windowTable, table;
      q.data = &together.q(begin);
      q.sizes[0] = to - from;
      windowTable = together.windowCache.table.tensor;
      windowTable.data = &together.windowCache.table(r);
      table = together.compressed.table.tensor;
      table.data = &together.compressed.table(r);
      windowTable.sizes[0] = table.sizes[0] = 1;
      Ints offsets({2}), lengths({1});
      offsets(1) = to - from;
      lengths(0) = to;
      ASSERT_EQ(
          run(together.op, {&q, &together.sink, &together.windowCache.cache,
                            &windowTable, &together.compressed.cache, &table,
                            nullptr, &offsets, &lengths, &y}),
          BRAID_OK)
          << error();
      for (int64_t t = 0; t < to - from; ++t)
        for (int64_t h = 0; h < 3; ++h)
          for (int64_t c = 0; c < 20; ++c)
            ASSERT_EQ(y(t, h, c), together.y(begin + t, h, c));
    }
  }
}

TEST_P(Kernels, LoopsAgree) {
  Attention mine({40}, {300}, 5, 40, 20, 4, true, false, random);
  ASSERT_EQ(mine.run(*context), BRAID_OK);
  std::vector<float> result = mine.y.data;
  setenv("BRAID_KERNELS", "baseline", 1);
  Context baseline;
  ASSERT_EQ(mine.run(baseline), BRAID_OK);
  for (size_t i = 0; i < result.size(); ++i)
    ASSERT_NEAR(result[i], mine.y.data[i], 2e-6);
}

TEST_P(Kernels, AttendExtremes) {
  Attention attention({4}, {4}, 2, 8, 3, 4, true, true, random);
  // Without a sink the weights of one row are 1.
  attention.sink(0) = -INFINITY;
  ASSERT_EQ(attention.run(*context), BRAID_OK);
  expectRow(&attention.y(0, 0), rowOf(attention.windowCache.row(0, 0), 8),
            "one row");
  attention.sink(0) = INFINITY;
  attention.sink(1) = 1e30f;
  ASSERT_EQ(attention.run(*context), BRAID_OK);
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t c = 0; c < 8; ++c)
      EXPECT_EQ(attention.y(3, h, c), 0) << "the sink takes everything";
  // Large logits stay finite.
  for (float &value : attention.q.data)
    value *= 1e10f;
  attention.sink(0) = attention.sink(1) = 0;
  ASSERT_EQ(attention.run(*context), BRAID_OK);
  for (int64_t c = 0; c < 8; ++c)
    EXPECT_TRUE(std::isfinite(attention.y(3, 1, c)));
}

TEST_P(Kernels, AttendRejects) {
  Attention a({4, 2}, {4, 9}, 2, 8, 3, 4, true, true, random);
  auto status = [&] { return a.run(*context); };
  a.batch.offsets(0) = 1;
  EXPECT_EQ(status(), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "'query_offsets': element 0 is 1, expected 0");
  a.batch.offsets(0) = 0;
  a.batch.offsets(1) = 7;
  EXPECT_EQ(status(), BRAID_INVALID_ARGUMENT);
  a.batch.offsets(1) = 4;
  a.batch.offsets(2) = 9;
  EXPECT_EQ(status(), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "element 2 is 9, expected at most 8, the number of "
                           "tokens");
  a.batch.offsets(2) = 6;
  a.batch.lengths(1) = 1;
  EXPECT_EQ(status(), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "'sequence_lengths': element 1 is 1, expected at "
                           "least 2");
  a.batch.lengths(1) = 421;
  EXPECT_EQ(status(), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(),
                  "'window_table': size 1 is 70, expected at least 71");
  a.batch.lengths(1) = 9;
  std::fill(a.y.data.begin(), a.y.data.end(), 5.0f);
  a.windowCache.table(1, 1) = 1000;
  EXPECT_EQ(status(), BRAID_KERNEL_FAILED);
  EXPECT_CONTAINS(error(), "'window_table': entry 6 of request 1");
  EXPECT_EQ(a.y(0), 5) << "a failure writes nothing";
  a.windowCache.table(1, 1) = 0;
  a.topk(5, 0) = 5000;
  EXPECT_EQ(status(), BRAID_KERNEL_FAILED);
  EXPECT_CONTAINS(error(), "'compressed_table': entry 5000 of request 1");
  a.topk(5, 0) = -1;
  EXPECT_EQ(status(), BRAID_OK);
  a.useCompressed = false;
  EXPECT_EQ(status(), BRAID_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error(), "'topk' is present without 'compressed_cache'");
}

INSTANTIATE_TEST_SUITE_P(Loops, Kernels,
                         testing::Values("baseline", "avx2", "avx512"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });
