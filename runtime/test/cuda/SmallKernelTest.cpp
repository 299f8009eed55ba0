//===- SmallKernelTest.cpp - CUDA kernels against the host's --------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operand exists twice, with the same bytes: once for the host kernel,
// which other tests compare with references, and once in pinned memory, which
// the GPU reads in place. After both ran, all bytes have to be the same, those
// between rows and around the operand included; only elements of norms and
// rotations may differ by their rounding. Needs a GPU.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <sstream>

using namespace braid::test;

namespace {

int64_t bytesOf(int32_t dtype) {
  switch (dtype) {
  case BRAID_I64:
    return 8;
  case BRAID_F32:
  case BRAID_I32:
    return 4;
  case BRAID_BF16:
    return 2;
  default:
    return 1;
  }
}

const char *nameOf(int32_t dtype) {
  return dtype == BRAID_F32      ? "f32"
         : dtype == BRAID_BF16   ? "bf16"
         : dtype == BRAID_F8E4M3 ? "fp8"
         : dtype == BRAID_F8E8M0 ? "e8m0"
         : dtype == BRAID_I8     ? "i8"
         : dtype == BRAID_I32    ? "i32"
                                 : "i64";
}

uint16_t encodeBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (value != value)
    return bits >> 16 | 0x40;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

float decodeBf16(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, 4);
  return value;
}

/// Visits the offset, in elements, of each element of `tensor`, row-major.
template <typename Visitor>
void forEachElement(const braid_tensor &tensor, Visitor &&visit) {
  int64_t count = 1;
  for (int d = 0; d < tensor.rank; ++d)
    count *= tensor.sizes[d];
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n, offset = 0;
    for (int d = tensor.rank - 1; d >= 0; --d) {
      offset += rest % tensor.sizes[d] * tensor.strides[d];
      rest /= tensor.sizes[d];
    }
    visit(n, offset);
  }
}

/// Where an operand lies: elements between its rows and before its first one.
struct Place {
  int64_t padding = 0, offset = 0;
};
const Place Places[] = {{0, 0}, {8, 8}, {1, 0}, {0, 1}, {4, 2}};

/// One operand in two places.
class Twin {
public:
  static constexpr int64_t Guard = 256;

  Twin(const char *name, int32_t dtype, const Sizes &sizes, Place place = {})
      : Twin(name, dtype, sizes, stridesOf(sizes, place.padding), place) {}

  Twin(const char *name, int32_t dtype, const Sizes &sizes,
       const Sizes &strides, Place place)
      : name(name), width(bytesOf(dtype)) {
    int64_t span = 1;
    bool isEmpty = false;
    for (size_t d = 0; d < sizes.size(); ++d) {
      span += (sizes[d] - 1) * strides[d];
      isEmpty |= sizes[d] == 0;
    }
    start = Guard + place.offset * width;
    bytes = start + (isEmpty ? 1 : span) * width + Guard;
    host.assign(bytes, 0xcd);
    EXPECT_EQ(cudaMallocHost(reinterpret_cast<void **>(&device), bytes),
              cudaSuccess);
    onHost = makeTensor(host.data() + start, dtype, sizes, strides);
    onDevice = makeTensor(device + start, dtype, sizes, strides);
    if (sizes.empty()) // makeTensor takes no strides for no dimensions
      onHost.rank = onDevice.rank = 0;
    copyToDevice();
  }
  ~Twin() { (void)cudaFreeHost(device); }
  Twin(const Twin &) = delete;

  static Sizes stridesOf(const Sizes &sizes, int64_t padding) {
    Sizes strides(sizes.size(), 1);
    int64_t stride = 1;
    for (int d = static_cast<int>(sizes.size()) - 1; d >= 0; --d) {
      strides[d] = stride;
      stride = stride * sizes[d] + (d + 1 == int(sizes.size()) ? padding : 0);
    }
    return strides;
  }

  void copyToDevice() { std::memcpy(device, host.data(), bytes); }
  int32_t dtype() const { return onHost.dtype; }

  void set(int64_t offset, float value) {
    void *to = host.data() + start + offset * width;
    uint16_t bf16 = encodeBf16(value);
    if (dtype() == BRAID_F32)
      std::memcpy(to, &value, 4);
    else
      std::memcpy(to, &bf16, 2);
  }
  void setLong(int64_t i, int64_t value) {
    std::memcpy(host.data() + start + i * 8, &value, 8);
  }

  /// Normal values in all elements, and the special ones in some rows if asked
  /// for: only small row lengths have them everywhere.
  void fill(std::mt19937 &random, float scale = 1, bool hasSpecial = false) {
    static const float special[] = {
        0.0f,   -0.0f,   INFINITY, -INFINITY, NAN,    -NAN,  1e-30f,
        1e-45f, -1e-40f, 3.3e38f,  -3.3e38f,  448.0f, 17.0f, 1e-4f};
    std::normal_distribution<float> normal(0, scale);
    int64_t row =
        onHost.rank ? std::max<int64_t>(1, onHost.sizes[onHost.rank - 1]) : 1;
    forEachElement(onHost, [&](int64_t n, int64_t offset) {
      // Of four rows one has magnitudes of all sizes, one special values, one
      // is zero but for a few.
      int64_t kind = hasSpecial ? n / row % 4 : 0;
      float value = normal(random);
      if (kind == 1)
        value = std::ldexp(value, static_cast<int>(random() % 120) - 60);
      if (kind == 2 && random() % 16 == 0)
        value = special[random() % std::size(special)];
      if (kind == 3 && random() % 8)
        value = 0;
      set(offset, value);
    });
    copyToDevice();
  }
  void fillBytes(std::mt19937 &random) {
    for (uint8_t &byte : host)
      byte = random();
    copyToDevice();
  }

  /// Where byte `at` lies, for messages.
  std::string placeOf(int64_t at) const {
    std::ostringstream text;
    text << "operand '" << name << "' (" << nameOf(onHost.dtype);
    for (int d = 0; d < onHost.rank; ++d)
      text << (d ? "x" : " ") << onHost.sizes[d] << ":" << onHost.strides[d];
    text << "), byte " << at - start;
    bool found = false;
    forEachElement(onHost, [&](int64_t n, int64_t offset) {
      int64_t first = start + offset * width;
      if (!found && at >= first && at < first + width) {
        text << ", element";
        for (int d = 0; d < onHost.rank; ++d) {
          int64_t below = 1;
          for (int e = d + 1; e < onHost.rank; ++e)
            below *= onHost.sizes[e];
          text << " " << n / below % onHost.sizes[d];
        }
        found = true;
      }
    });
    if (!found)
      text << ", which belongs to no element";
    return text.str();
  }

  /// The bytes of an element.
  std::string hexOf(const uint8_t *element) const {
    std::ostringstream text;
    for (int64_t i = 0; i < width; ++i)
      text << " " << std::hex << int(element[i]);
    return text.str();
  }

  /// All bytes are the same.
  testing::AssertionResult isEqual() const {
    if (std::memcmp(host.data(), device, bytes) == 0)
      return testing::AssertionSuccess();
    int64_t first = -1, count = 0;
    for (int64_t i = 0; i < bytes; ++i)
      if (host[i] != device[i]) {
        first = first < 0 ? i : first;
        ++count;
      }
    int64_t element = start + (first - start) / width * width;
    auto failure = testing::AssertionFailure();
    failure << count << " bytes differ, the first one in " << placeOf(first)
            << ": host" << hexOf(host.data() + element) << ", device"
            << hexOf(device + element);
    return failure;
  }

  /// Elements are the same but for their rounding, at most `relative` of
  /// themselves and `ofRow` of the row's largest one, and a step of bf16; all
  /// other bytes are the same.
  testing::AssertionResult isNear(double relative, double ofRow) const {
    std::vector<uint8_t> left(host), right(device, device + bytes);
    testing::AssertionResult result = testing::AssertionSuccess();
    int64_t row = onHost.sizes[onHost.rank - 1], failures = 0;
    double largest = 0;
    std::vector<double> rows;
    forEachElement(onHost, [&](int64_t n, int64_t offset) {
      if (n % row == 0)
        rows.push_back(0);
      double value = std::fabs(valueAt(host.data(), offset));
      if (std::isfinite(value))
        rows.back() = std::max(rows.back(), value);
    });
    forEachElement(onHost, [&](int64_t n, int64_t offset) {
      double a = valueAt(host.data(), offset), b = valueAt(device, offset);
      largest = rows[n / row];
      double allowed = relative * std::fabs(a) + ofRow * largest + 1e-38;
      if (dtype() == BRAID_BF16)
        allowed += std::fabs(a) / 128;
      std::memset(&left[start + offset * width], 0, width);
      std::memset(&right[start + offset * width], 0, width);
      if (a == b || (std::isnan(a) && std::isnan(b)) ||
          std::fabs(a - b) <= allowed)
        return;
      if (failures++ == 0)
        result = testing::AssertionFailure()
                 << "first in " << placeOf(start + offset * width) << ": host "
                 << a << ", device " << b << ", allowed difference " << allowed
                 << "; ";
    });
    if (failures)
      return result << failures << " elements differ";
    for (int64_t i = 0; i < bytes; ++i)
      if (left[i] != right[i])
        return testing::AssertionFailure()
               << placeOf(i) << " was changed: host " << int(left[i])
               << ", device " << int(right[i]);
    return result;
  }

  double valueAt(const uint8_t *data, int64_t offset) const {
    const uint8_t *from = data + start + offset * width;
    if (dtype() == BRAID_BF16) {
      uint16_t bits;
      std::memcpy(&bits, from, 2);
      return decodeBf16(bits);
    }
    float value;
    std::memcpy(&value, from, 4);
    return value;
  }

  const char *name;
  int64_t width, start, bytes;
  std::vector<uint8_t> host;
  uint8_t *device = nullptr;
  braid_tensor onHost, onDevice;
};

class SmallKernels : public testing::Test {
protected:
  /// Runs `op` on both sides; null operands are absent.
  void run(const Op &op, const std::vector<const Twin *> &operands) {
    std::vector<const braid_tensor *> left, right;
    for (const Twin *twin : operands) {
      left.push_back(twin ? &twin->onHost : nullptr);
      right.push_back(twin ? &twin->onDevice : nullptr);
    }
    ASSERT_EQ(host.runOp(op, left), BRAID_OK) << host.error();
    ASSERT_EQ(cuda.runOp(op, right), BRAID_OK) << cuda.error();
  }

  Context host{[](braid_context_options &options) {
    options.backend = BRAID_BACKEND_HOST;
  }};
  Context cuda{[](braid_context_options &options) {
    options.backend = BRAID_BACKEND_CUDA;
  }};
  std::mt19937 random{4321};
};

constexpr int32_t FloatTypes[] = {BRAID_F32, BRAID_BF16};

#define SMALL_TRACE(text) SCOPED_TRACE((std::ostringstream() << text).str())

} // namespace

//===----------------------------------------------------------------------===//
// rms_norm
//===----------------------------------------------------------------------===//

TEST_F(SmallKernels, RmsNorm) {
  Op norm("rms_norm", "rrw", {param("eps", 1e-6)});
  for (int64_t width : {1, 7, 8, 33, 512, 1536, 4096, 5001, 7168})
    for (int32_t xType : FloatTypes)
      for (int32_t weightType : FloatTypes)
        for (int32_t yType : FloatTypes)
          for (const Place &place : Places) {
            SMALL_TRACE("width " << width << ", x " << nameOf(xType)
                                 << ", weight " << nameOf(weightType) << ", y "
                                 << nameOf(yType) << ", padding "
                                 << place.padding << ", offset "
                                 << place.offset);
            Twin x("x", xType, {5, 3, width}, place),
                weight("weight", weightType, {width}, {0, place.offset}),
                y("y", yType, {5, 3, width}, place),
                plain("y", yType, {5, 3, width}, place);
            x.fill(random, 3);
            weight.fill(random);
            run(norm, {&x, &weight, &y});
            ASSERT_TRUE(y.isNear(1e-5, 0));
            run(norm, {&x, nullptr, &plain});
            ASSERT_TRUE(plain.isNear(1e-5, 0));
            ASSERT_TRUE(x.isEqual() && weight.isEqual());
          }
}

// Rows as of a prefill, empty ones, sums that overflow, and rows of padding
// that hold anything.
TEST_F(SmallKernels, RmsNormRows) {
  Op norm("rms_norm", "rrw", {param("eps", 1e-6)});
  for (int64_t rows : {0, 1, 300, 3000}) {
    SMALL_TRACE(rows << " rows");
    Twin x("x", BRAID_BF16, {rows, 512}), y("y", BRAID_BF16, {rows, 512});
    x.fill(random);
    run(norm, {&x, nullptr, &y});
    ASSERT_TRUE(rows ? y.isNear(1e-5, 0) : y.isEqual());
    // In place.
    run(norm, {&x, nullptr, &x});
    ASSERT_TRUE(rows ? x.isNear(1e-5, 0) : x.isEqual());
    ASSERT_EQ(std::memcmp(x.device, y.device, x.bytes), 0) << "in place";
  }
  Twin none("x", BRAID_F32, {4, 0}), empty("y", BRAID_F32, {4, 0});
  run(norm, {&none, nullptr, &empty});
  ASSERT_TRUE(empty.isEqual());
  Twin x("x", BRAID_F32, {4, 40}), y("y", BRAID_F32, {4, 40});
  x.fill(random);
  for (int64_t c = 0; c < 40; ++c) {
    x.set(c, c % 2 ? 1e25f : -1e25f);
    x.set(40 + c, 0);
    x.set(120 + c, 1e-25f);
  }
  x.set(80, NAN);
  x.copyToDevice();
  run(norm, {&x, nullptr, &y});
  ASSERT_TRUE(y.isNear(1e-5, 0));
}

// The same bits alone and among others, aligned or not, first time or second.
TEST_F(SmallKernels, RmsNormDependsOnTheRowOnly) {
  Op norm("rms_norm", "rrw", {param("eps", 1e-6)});
  for (int64_t width : {40, 1536, 7168}) {
    Twin all("x", BRAID_F32, {64, width}), y("y", BRAID_F32, {64, width}),
        one("x", BRAID_F32, {1, width}, {0, 1}),
        yOne("y", BRAID_F32, {1, width}, {0, 3});
    all.fill(random);
    run(norm, {&all, nullptr, &y});
    for (int64_t row : {0, 17, 63}) {
      std::memcpy(one.host.data() + one.start,
                  all.host.data() + all.start + row * width * 4, width * 4);
      one.copyToDevice();
      run(norm, {&one, nullptr, &yOne});
      ASSERT_EQ(std::memcmp(yOne.device + yOne.start,
                            y.device + y.start + row * width * 4, width * 4),
                0)
          << "width " << width << ", row " << row;
    }
  }
}

//===----------------------------------------------------------------------===//
// rope
//===----------------------------------------------------------------------===//

namespace {
/// Angles of a table; rows of `twin` may be padded.
void fillAngles(Twin &twin) {
  int64_t half = twin.onHost.sizes[1] / 2;
  for (int64_t p = 0; p < twin.onHost.sizes[0]; ++p)
    for (int64_t i = 0; i < half; ++i) {
      double angle = p * std::pow(100.0, -double(i) / half);
      int64_t at = p * twin.onHost.strides[0] + i;
      twin.set(at, std::cos(angle));
      twin.set(at + half, std::sin(angle));
    }
  twin.copyToDevice();
}
} // namespace

TEST_F(SmallKernels, Rope) {
  struct Case {
    int64_t rotated, width;
  };
  for (Case c : {Case{2, 2}, Case{6, 11}, Case{8, 24}, Case{10, 18},
                 Case{64, 128}, Case{64, 512}, Case{0, 9}, Case{128, 128}})
    for (int32_t xType : FloatTypes)
      for (int32_t yType : FloatTypes)
        for (const Place &place : Places)
          for (int64_t inverse : {0, 1}) {
            SMALL_TRACE("rotated " << c.rotated << ", width " << c.width
                                   << ", x " << nameOf(xType) << ", y "
                                   << nameOf(yType) << ", padding "
                                   << place.padding << ", offset "
                                   << place.offset << ", inverse " << inverse);
            Op rope("rope", "rrrw", {param("inverse", inverse)});
            Twin x("x", xType, {7, 3, c.width}, place),
                positions("positions", BRAID_I64, {7}),
                table("table", BRAID_F32, {20, c.rotated}, place),
                y("y", yType, {7, 3, c.width}, place);
            x.fill(random, 2);
            fillAngles(table);
            for (int64_t t = 0; t < 7; ++t)
              positions.setLong(t, random() % 20);
            positions.copyToDevice();
            run(rope, {&x, &positions, &table, &y});
            ASSERT_TRUE(y.isNear(0, 1e-6));
            ASSERT_TRUE(x.isEqual() && table.isEqual());
            if (xType != yType)
              continue;
            run(rope, {&x, &positions, &table, &x});
            ASSERT_TRUE(x.isNear(0, 1e-6)) << "in place";
          }
}

// Many rows of rank 2 and 3, and none.
TEST_F(SmallKernels, RopeRows) {
  Op rope("rope", "rrrw", {param("inverse", int64_t(0))});
  for (int64_t tokens : {0, 1, 500}) {
    SMALL_TRACE(tokens << " tokens");
    Twin x("x", BRAID_BF16, {tokens, 16, 512}),
        flat("x", BRAID_BF16, {tokens, 512}, {8, 0}),
        positions("positions", BRAID_I64, {tokens}),
        table("table", BRAID_F32, {600, 64});
    x.fill(random);
    flat.fill(random);
    fillAngles(table);
    for (int64_t t = 0; t < tokens; ++t)
      positions.setLong(t, t + 7);
    positions.copyToDevice();
    for (Twin *twin : {&x, &flat}) {
      run(rope, {twin, &positions, &table, twin});
      ASSERT_TRUE(tokens ? twin->isNear(0, 1e-6) : twin->isEqual());
    }
  }
}

// What no check sees on this backend: such rows are copied as they are.
TEST_F(SmallKernels, RopePositionsBeyondTheTable) {
  Op rope("rope", "rrrw", {param("inverse", int64_t(0))});
  Twin x("x", BRAID_F32, {5, 16}), positions("positions", BRAID_I64, {5}),
      table("table", BRAID_F32, {4, 8}), y("y", BRAID_F32, {5, 16});
  x.fill(random);
  fillAngles(table);
  const int64_t values[] = {-1, 4, INT64_MAX, INT64_MIN, int64_t(1) << 40};
  for (int64_t t = 0; t < 5; ++t)
    positions.setLong(t, values[t]);
  positions.copyToDevice();
  ASSERT_EQ(cuda.runOp(rope, {&x.onDevice, &positions.onDevice, &table.onDevice,
                              &y.onDevice}),
            BRAID_OK)
      << cuda.error();
  EXPECT_EQ(std::memcmp(x.device, y.device, x.bytes), 0);
}

//===----------------------------------------------------------------------===//
// quantize
//===----------------------------------------------------------------------===//

TEST_F(SmallKernels, Quantize) {
  for (int64_t block : {1, 7, 8, 64, 128, 300, 1000})
    for (int64_t width : {1, 20, 128, 150, 512, 4096})
      for (int32_t xType : FloatTypes)
        for (int32_t scaleType : {BRAID_F32, BRAID_F8E8M0})
          for (const Place &place : Places) {
            SMALL_TRACE("block " << block << ", width " << width << ", x "
                                 << nameOf(xType) << ", scales "
                                 << nameOf(scaleType) << ", padding "
                                 << place.padding << ", offset "
                                 << place.offset);
            Op quantize("quantize", "rww", {param("block", block)});
            int64_t blocks = (width + block - 1) / block;
            Twin x("x", xType, {3, 4, width}, place),
                values("values", BRAID_F8E4M3, {3, 4, width}, place),
                scales("scales", scaleType, {3, 4, blocks}, place);
            x.fill(random, 20, true);
            run(quantize, {&x, &values, &scales});
            ASSERT_TRUE(values.isEqual());
            ASSERT_TRUE(scales.isEqual());
            ASSERT_TRUE(x.isEqual());
          }
}

// Bit patterns of all kinds, many rows, and none.
TEST_F(SmallKernels, QuantizeAnyBits) {
  for (int32_t xType : FloatTypes)
    for (int64_t rows : {0, 1, 2000}) {
      SMALL_TRACE("x " << nameOf(xType) << ", rows " << rows);
      Op quantize("quantize", "rww", {param("block", int64_t(128))});
      Twin x("x", xType, {rows, 512}),
          values("values", BRAID_F8E4M3, {rows, 512}),
          scales("scales", BRAID_F32, {rows, 4});
      x.fillBytes(random);
      run(quantize, {&x, &values, &scales});
      ASSERT_TRUE(values.isEqual());
      ASSERT_TRUE(scales.isEqual());
    }
  // Every bf16 value with a scale of 1: the ties of e4m3 are among them.
  Op quantize("quantize", "rww", {param("block", int64_t(2))});
  Twin x("x", BRAID_BF16, {65536, 2}),
      values("values", BRAID_F8E4M3, {65536, 2}),
      scales("scales", BRAID_F8E8M0, {65536, 1});
  for (int64_t i = 0; i < 65536; ++i) {
    float value = decodeBf16(static_cast<uint16_t>(i));
    x.set(2 * i, value);
    x.set(2 * i + 1, std::fabs(value) < 448 ? 448.0f : 0.0f);
  }
  x.copyToDevice();
  run(quantize, {&x, &values, &scales});
  ASSERT_TRUE(values.isEqual());
  ASSERT_TRUE(scales.isEqual());
}

//===----------------------------------------------------------------------===//
// cache_insert
//===----------------------------------------------------------------------===//

namespace {
/// A form of cache rows; `fp8` as the parameter fp8_channels.
struct CacheForm {
  int32_t dtype;
  int64_t width, fp8;

  int64_t rowElements() const {
    if (dtype != BRAID_I8)
      return width;
    return fp8 ? fp8 + 2 * (width - fp8) + ((fp8 + 63) / 64 + 7) / 8 * 8
               : width + 4;
  }
};

const CacheForm CacheForms[] = {
    {BRAID_F32, 512, 0}, {BRAID_F32, 37, 0},   {BRAID_BF16, 512, 0},
    {BRAID_BF16, 5, 0},  {BRAID_I8, 512, 448}, {BRAID_I8, 48, 30},
    {BRAID_I8, 70, 70},  {BRAID_I8, 65, 2},    {BRAID_I8, 700, 640},
    {BRAID_I8, 128, 0},  {BRAID_I8, 1, 0},     {BRAID_I8, 61, 0},
    {BRAID_I8, 1000, 0}};
} // namespace

TEST_F(SmallKernels, CacheInsert) {
  for (const CacheForm &form : CacheForms)
    for (int32_t type : FloatTypes)
      for (int64_t tokens : {0, 1, 6, 90})
        for (const Place &place : Places) {
          SMALL_TRACE("cache " << nameOf(form.dtype) << ", width " << form.width
                               << ", fp8 channels " << form.fp8 << ", values "
                               << nameOf(type) << ", tokens " << tokens
                               << ", padding " << place.padding << ", offset "
                               << place.offset);
          const int64_t blocks = 12, size = 9, row = form.rowElements();
          // Blocks farther apart than they need to be; bf16 in i8 is aligned
          // to 2.
          int64_t gap = 10 * place.padding;
          int64_t offset = place.offset * (form.fp8 ? 2 : 1);
          Twin values("values", type, {tokens, form.width}, place),
              slots("slots", BRAID_I64, {tokens}),
              cache("cache", form.dtype, {blocks, size, row},
                    {size * row + gap, row, 1}, {0, offset});
          values.fill(random, 5, true);
          std::vector<int64_t> free(blocks * size);
          std::iota(free.begin(), free.end(), 0);
          std::shuffle(free.begin(), free.end(), random);
          for (int64_t t = 0; t < tokens; ++t)
            slots.setLong(t, t % 5 == 1 ? -1 : free[t]);
          slots.copyToDevice();
          std::vector<braid_param> params;
          if (form.fp8)
            params.push_back(param("fp8_channels", form.fp8));
          Op insert("cache_insert", "rru", params);
          run(insert, {&values, &slots, &cache});
          ASSERT_TRUE(cache.isEqual());
        }
}

// Slots that no check sees on this backend write nothing, and do not keep
// others from being written.
TEST_F(SmallKernels, CacheInsertSkipsForeignSlots) {
  for (const CacheForm &form : CacheForms) {
    SMALL_TRACE("cache " << nameOf(form.dtype) << ", width " << form.width
                         << ", fp8 channels " << form.fp8);
    const int64_t tokens = 7;
    Twin values("values", BRAID_BF16, {tokens, form.width}),
        slots("slots", BRAID_I64, {tokens}),
        cache("cache", form.dtype, {3, 4, form.rowElements()});
    values.fill(random);
    const int64_t foreign[] = {
        12, -2, 3, INT64_MAX, INT64_MIN, 11, int64_t(1) << 33};
    for (int64_t t = 0; t < tokens; ++t)
      slots.setLong(t, foreign[t]);
    slots.copyToDevice();
    for (int64_t t = 0; t < tokens; ++t)
      if (foreign[t] < 0 || foreign[t] >= 12)
        slots.setLong(t, -1); // on the host, which would refuse them
    std::vector<braid_param> params;
    if (form.fp8)
      params.push_back(param("fp8_channels", form.fp8));
    run(Op("cache_insert", "rru", params), {&values, &slots, &cache});
    ASSERT_TRUE(cache.isEqual());
  }
}

//===----------------------------------------------------------------------===//
// copy, pack
//===----------------------------------------------------------------------===//

TEST_F(SmallKernels, Copy) {
  Op copy("copy", "rw");
  struct Case {
    Sizes sizes, from, to;
  };
  const Case cases[] = {
      {{}, {}, {}},
      {{1}, {1}, {1}},
      {{0, 5}, {5, 1}, {5, 1}},
      {{100003}, {1}, {1}},
      {{3, 4, 2}, {8, 2, 1}, {8, 2, 1}},
      {{2, 4, 3}, {1, 2, 8}, {12, 3, 1}}, // transposed
      {{64, 48}, {1, 64}, {48, 1}},       // the same, larger
      {{50, 64}, {80, 1}, {64, 1}},       // gaps on one side
      {{50, 7}, {9, 1}, {13, 1}},         // odd ones on both
      {{5, 33}, {0, 1}, {33, 1}},         // one row for all
      {{2, 3, 2, 2, 2, 5}, {400, 130, 60, 30, 10, 2}, {120, 40, 20, 10, 5, 1}},
      {{1, 6, 1, 16}, {7, 16, 3, 1}, {1, 32, 1, 1}}, // extents of 1
      {{300, 4096}, {4096, 1}, {4100, 1}},
  };
  for (const Case &c : cases)
    for (int32_t dtype :
         {BRAID_I8, BRAID_F8E4M3, BRAID_BF16, BRAID_F32, BRAID_I32, BRAID_I64})
      for (const Place &place : Places) {
        std::ostringstream sizes;
        for (int64_t size : c.sizes)
          sizes << size << " ";
        SMALL_TRACE("sizes " << sizes.str() << ", " << nameOf(dtype)
                             << ", offset " << place.offset);
        Twin source("source", dtype, c.sizes, c.from, {0, place.offset}),
            target("target", dtype, c.sizes, c.to, {0, place.padding});
        source.fillBytes(random);
        run(copy, {&source, &target});
        ASSERT_TRUE(target.isEqual());
        ASSERT_TRUE(source.isEqual());
      }
}

TEST_F(SmallKernels, Pack) {
  for (int32_t dtype : {BRAID_I8, BRAID_BF16, BRAID_F32, BRAID_I64})
    for (int64_t inputs : {1, 3, 16, 17, 40})
      for (int64_t width : {1, 5, 64, 1024})
        for (const Place &place : Places) {
          SMALL_TRACE(inputs << " inputs of " << nameOf(dtype) << ", width "
                             << width << ", padding " << place.padding
                             << ", offset " << place.offset);
          std::vector<std::unique_ptr<Twin>> parts;
          std::vector<const Twin *> operands;
          int64_t rows = 0;
          for (int64_t i = 0; i < inputs; ++i) {
            int64_t count = i * 7 % 5; // 0 first
            // Every other one lies elsewhere.
            parts.push_back(std::make_unique<Twin>(
                "input", dtype, Sizes{count, width}, i % 2 ? place : Place{}));
            parts.back()->fillBytes(random);
            operands.push_back(parts.back().get());
            rows += count;
          }
          Twin y("y", dtype, {rows, width}, place);
          operands.push_back(&y);
          Op pack("pack", (std::string(inputs, 'r') + "w").c_str());
          run(pack, operands);
          ASSERT_TRUE(y.isEqual());
        }
}

//===----------------------------------------------------------------------===//
// Offsets of more than 32 bits
//===----------------------------------------------------------------------===//

namespace {
/// Three rows in device memory, the second one beyond 2^31 elements, the third
/// one beyond 2^32, and the same rows together.
class FarRows {
public:
  static constexpr int64_t Far = (int64_t(1) << 31) + 64;

  FarRows(int32_t dtype, const Sizes &sizes)
      : width(bytesOf(dtype)), rows(sizes[0]), rowBytes(width) {
    for (size_t d = 1; d < sizes.size(); ++d)
      rowBytes *= sizes[d];
    exists = cudaMalloc(&farData, ((rows - 1) * Far * width) + rowBytes) ==
                 cudaSuccess &&
             cudaMalloc(&nearData, rows * rowBytes) == cudaSuccess;
    if (!exists)
      (void)cudaGetLastError();
    near = makeTensor(nearData, dtype, sizes);
    far = makeTensor(farData, dtype, sizes);
    far.strides[0] = Far;
  }
  ~FarRows() {
    (void)cudaFree(farData);
    (void)cudaFree(nearData);
  }
  FarRows(const FarRows &) = delete;

  /// Writes the same rows to both.
  void set(const std::vector<uint8_t> &bytes) {
    for (int64_t i = 0; i < rows; ++i)
      for (void *to : {at(nearData, i, rowBytes), at(farData, i, Far * width)})
        EXPECT_EQ(cudaMemcpy(to, bytes.data() + i * rowBytes, rowBytes,
                             cudaMemcpyHostToDevice),
                  cudaSuccess);
  }
  bool isEqual() const {
    std::vector<uint8_t> a(rowBytes), b(rowBytes);
    bool result = true;
    for (int64_t i = 0; i < rows; ++i) {
      EXPECT_EQ(cudaMemcpy(a.data(), at(nearData, i, rowBytes), rowBytes,
                           cudaMemcpyDeviceToHost),
                cudaSuccess);
      EXPECT_EQ(cudaMemcpy(b.data(), at(farData, i, Far * width), rowBytes,
                           cudaMemcpyDeviceToHost),
                cudaSuccess);
      EXPECT_EQ(a, b) << "row " << i;
      result &= a == b;
    }
    return result;
  }
  static void *at(void *data, int64_t i, int64_t step) {
    return static_cast<char *>(data) + i * step;
  }

  int64_t width, rows, rowBytes;
  void *farData = nullptr, *nearData = nullptr;
  bool exists;
  braid_tensor near, far;
};
} // namespace

TEST_F(SmallKernels, LargeOffsets) {
  const int64_t width = 256;
  FarRows x(BRAID_BF16, {3, width}), y(BRAID_BF16, {3, width}),
      values(BRAID_F8E4M3, {3, width}), scales(BRAID_F32, {3, 2}),
      cache(BRAID_I8, {3, 4, width + 4});
  if (!x.exists || !y.exists || !values.exists || !scales.exists ||
      !cache.exists)
    GTEST_SKIP() << "the device has no memory for rows so far apart";
  Twin source("x", BRAID_BF16, {3, width}), table("table", BRAID_F32, {4, 64}),
      positions("positions", BRAID_I64, {3}), slots("slots", BRAID_I64, {3});
  source.fill(random);
  fillAngles(table);
  for (int64_t t = 0; t < 3; ++t) {
    positions.setLong(t, t + 1);
    slots.setLong(t, 11 - 5 * t); // blocks 2, 1 and 0
  }
  positions.copyToDevice();
  slots.copyToDevice();
  x.set(std::vector<uint8_t>(source.host.begin() + source.start,
                             source.host.begin() + source.start + 6 * width));
  auto poison = [](FarRows &rows) {
    rows.set(std::vector<uint8_t>(rows.rows * rows.rowBytes, 0xcd));
  };
  auto both = [&](const Op &op, std::vector<const braid_tensor *> near,
                  std::vector<const braid_tensor *> far) {
    ASSERT_EQ(cuda.runOp(op, near), BRAID_OK) << cuda.error();
    ASSERT_EQ(cuda.runOp(op, far), BRAID_OK) << cuda.error();
  };
  poison(y);
  both(Op("rms_norm", "rrw", {param("eps", 1e-6)}), {&x.near, nullptr, &y.near},
       {&x.far, nullptr, &y.far});
  EXPECT_TRUE(y.isEqual()) << "rms_norm";
  poison(y);
  both(Op("rope", "rrrw", {param("inverse", int64_t(0))}),
       {&x.near, &positions.onDevice, &table.onDevice, &y.near},
       {&x.far, &positions.onDevice, &table.onDevice, &y.far});
  EXPECT_TRUE(y.isEqual()) << "rope";
  poison(values);
  poison(scales);
  both(Op("quantize", "rww", {param("block", int64_t(128))}),
       {&x.near, &values.near, &scales.near},
       {&x.far, &values.far, &scales.far});
  EXPECT_TRUE(values.isEqual()) << "quantize";
  EXPECT_TRUE(scales.isEqual()) << "scales";
  poison(cache);
  both(Op("cache_insert", "rru"), {&x.near, &slots.onDevice, &cache.near},
       {&x.far, &slots.onDevice, &cache.far});
  EXPECT_TRUE(cache.isEqual()) << "cache_insert";
  poison(y);
  both(Op("copy", "rw"), {&x.near, &y.near}, {&x.far, &y.far});
  EXPECT_TRUE(y.isEqual()) << "copy";
  poison(y);
  braid_tensor first = x.near, second = x.near, farFirst = x.far,
               farSecond = x.far;
  first.sizes[0] = farFirst.sizes[0] = 1;
  second.sizes[0] = farSecond.sizes[0] = 2;
  both(Op("pack", "rrw"), {&first, &second, &y.near},
       {&farFirst, &farSecond, &y.far});
  EXPECT_TRUE(y.isEqual()) << "pack";
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

// Both backends refuse the same calls with the same sentences.
TEST_F(SmallKernels, RefuseWhatTheHostRefuses) {
  Twin x("x", BRAID_F32, {4, 8}), wrong("y", BRAID_F32, {4, 9}),
      ints("x", BRAID_I32, {4, 8}), slots("slots", BRAID_I64, {4}),
      cache("cache", BRAID_I8, {2, 2, 11}),
      values("values", BRAID_F8E4M3, {4, 8}), scales("s", BRAID_F32, {4, 1});
  auto expectSame = [&](const Op &op, const std::vector<const Twin *> &twins) {
    std::vector<const braid_tensor *> left, right;
    for (const Twin *twin : twins) {
      left.push_back(twin ? &twin->onHost : nullptr);
      right.push_back(twin ? &twin->onDevice : nullptr);
    }
    braid_status expected = host.runOp(op, left);
    EXPECT_NE(expected, BRAID_OK);
    EXPECT_EQ(cuda.runOp(op, right), expected);
    std::string text = host.error();
    if (size_t at = text.find("the host backend"); at != std::string::npos)
      text.replace(at, 16, "the cuda backend");
    EXPECT_EQ(cuda.error(), text);
  };
  Op norm("rms_norm", "rrw", {param("eps", 1e-6)});
  expectSame(norm, {&x, nullptr, &wrong});
  expectSame(norm, {&ints, nullptr, &x});
  expectSame(norm, {&x, nullptr, nullptr});
  expectSame(Op("rms_norm", "rrw"), {&x, nullptr, &x});
  expectSame(Op("rope", "rrrw", {param("inverse", int64_t(0))}),
             {&x, &slots, &wrong, &x});
  expectSame(Op("quantize", "rww", {param("block", int64_t(0))}),
             {&x, &values, &scales});
  expectSame(Op("quantize", "rww", {param("block", int64_t(4))}),
             {&x, &values, &scales});
  expectSame(Op("cache_insert", "rru"), {&x, &slots, &cache});
  expectSame(Op("copy", "rw"), {&x, &ints});
  expectSame(Op("pack", "rrw"), {&x, &x, &wrong});
}
