//===- LargeOffsetTest.cpp - Offsets of more than 32 bits -----------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Queries of 65,536 tokens have 2^31 elements, and caches of a server have
// more. Here rows are so far apart that an offset in 32 bits would lead
// elsewhere: each kernel runs once on rows that lie close together and once on
// the same rows far apart, and has to give the same bits. Only the pages that
// are touched exist.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <cstring>
#include <sys/mman.h>

using namespace braid::test;

namespace {

/// Rows are this many elements apart: the third one is beyond 2^32 elements,
/// the second one beyond 2^31.
constexpr int64_t Far = (int64_t(1) << 31) + 64;

/// Memory of which most does not exist.
class Sparse {
public:
  explicit Sparse(size_t bytes) : bytes(bytes) {
    data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  ~Sparse() {
    if (exists())
      munmap(data, bytes);
  }
  Sparse(const Sparse &) = delete;
  bool exists() const { return data != MAP_FAILED; }

  void *data;
  size_t bytes;
};

/// One operand in both places.
class Operand {
public:
  /// Copies `near` to rows that are far apart in its first dimension. Vectors
  /// have no rows and stay.
  template <typename T>
  explicit Operand(Array<T> &near)
      : near(near.tensor), rowBytes(near.tensor.strides[0] * sizeof(T)),
        farRowBytes(rowBytes), memory(size_t(near.size(0)) * Far * sizeof(T)),
        far(near.tensor) {
    if (near.tensor.rank == 1 || !memory.exists())
      return;
    far.data = memory.data;
    far.strides[0] = Far;
    farRowBytes = Far * sizeof(T);
    for (int64_t i = 0; i < near.size(0); ++i)
      std::memcpy(farRow(i), nearRow(i), rowBytes);
  }

  char *nearRow(int64_t i) const {
    return static_cast<char *>(near.data) + i * rowBytes;
  }
  char *farRow(int64_t i) const {
    return static_cast<char *>(far.data) + i * farRowBytes;
  }
  bool exists() const { return memory.exists(); }
  bool isEqual() const {
    for (int64_t i = 0; i < near.sizes[0]; ++i)
      if (std::memcmp(farRow(i), nearRow(i), rowBytes))
        return false;
    return true;
  }

  braid_tensor near;
  size_t rowBytes, farRowBytes;
  Sparse memory;
  braid_tensor far;
};

class LargeOffset : public testing::Test {
protected:
  /// Runs `op` in both places. Null: an operand that is absent.
  void compare(const Op &op, const std::vector<const Operand *> &operands) {
    std::vector<const braid_tensor *> near, far;
    for (const Operand *operand : operands) {
      if (operand && !operand->exists())
        GTEST_SKIP() << "this machine gives no process so many addresses";
      near.push_back(operand ? &operand->near : nullptr);
      far.push_back(operand ? &operand->far : nullptr);
    }
    ASSERT_EQ(context.runOp(op, near), BRAID_OK) << context.error();
    ASSERT_EQ(context.runOp(op, far), BRAID_OK) << context.error();
    for (size_t i = 0; i < operands.size(); ++i)
      EXPECT_TRUE(!operands[i] || operands[i]->isEqual()) << "operand " << i;
  }

  Floats &random(Floats &array) {
    fill(array, generator);
    return array;
  }

  Context context;
  std::mt19937 generator{7};
};

} // namespace

TEST_F(LargeOffset, LinearAndQuantize) {
  Floats x({3, 256}), weight({3, 256}), y({3, 3});
  compare(Op("linear", "rrnnw"),
          {std::make_unique<Operand>(random(x)).get(),
           std::make_unique<Operand>(random(weight)).get(), nullptr, nullptr,
           std::make_unique<Operand>(y).get()});
  Array<Fp8> values({3, 256});
  Floats scales({3, 2});
  compare(Op("quantize", "rww", {param("block", int64_t(128))}),
          {std::make_unique<Operand>(x).get(),
           std::make_unique<Operand>(values).get(),
           std::make_unique<Operand>(scales).get()});
}

TEST_F(LargeOffset, GroupedLinear) {
  Floats x({3, 2, 32}), weight({8, 32}), y({3, 2, 4});
  compare(Op("grouped_linear", "rrnnw"),
          {std::make_unique<Operand>(random(x)).get(),
           std::make_unique<Operand>(random(weight)).get(), nullptr, nullptr,
           std::make_unique<Operand>(y).get()});
}

TEST_F(LargeOffset, RmsNorm) {
  Floats x({3, 2, 16}), y({3, 2, 16});
  compare(Op("rms_norm", "rrw", {param("eps", 1e-6)}),
          {std::make_unique<Operand>(random(x)).get(), nullptr,
           std::make_unique<Operand>(y).get()});
}

// Positions beyond 2^31 in a table whose rows need 64 bits too.
TEST_F(LargeOffset, RopePositions) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP()
      << "the backend reports whole operands to ThreadSanitizer, which "
         "keeps more memory for a dense one of 32 GiB than there is";
#endif
  constexpr int64_t Position = (int64_t(1) << 31) + 5;
  Sparse memory(size_t(Position + 1) * 4 * sizeof(float));
  if (!memory.exists())
    GTEST_SKIP() << "this machine gives no process so many addresses";
  const float angles[4] = {0, 1, 1, 0}; // a quarter turn, and none
  std::memcpy(static_cast<float *>(memory.data) + Position * 4, angles,
              sizeof(angles));
  braid_tensor table = makeTensor(memory.data, BRAID_F32, {Position + 1, 4});
  Floats x({1, 6}), y({1, 6});
  random(x);
  Longs positions({1}, Position);
  ASSERT_EQ(context.runOp(Op("rope", "rrrw", {param("inverse", int64_t(0))}),
                          {&x, &positions, &table, &y}),
            BRAID_OK)
      << context.error();
  const float expected[6] = {x(0, 0), x(0, 1), -x(0, 3),
                             x(0, 2), x(0, 4), x(0, 5)};
  for (int c = 0; c < 6; ++c)
    EXPECT_EQ(y(0, c), expected[c]) << c;
}

TEST_F(LargeOffset, CacheInsert) {
  Floats values({3, 8}), cache({3, 2, 8}, 9);
  Longs slots({3});
  slots(0) = 5, slots(1) = -1, slots(2) = 2;
  compare(Op("cache_insert", "rru"),
          {std::make_unique<Operand>(random(values)).get(),
           std::make_unique<Operand>(slots).get(),
           std::make_unique<Operand>(cache).get()});
}

TEST_F(LargeOffset, PackedCacheInsert) {
  Floats values({3, 96});
  Bytes cache({3, 2, 64 + 2 * 32 + 8}, 9);
  Longs slots({3});
  slots(0) = 5, slots(1) = -1, slots(2) = 2;
  compare(Op("cache_insert", "rru", {param("fp8_channels", int64_t(64))}),
          {std::make_unique<Operand>(random(values)).get(),
           std::make_unique<Operand>(slots).get(),
           std::make_unique<Operand>(cache).get()});
}

// A request that is at the end of a history, whose blocks lie far apart.
TEST_F(LargeOffset, SelectAndAttend) {
  Floats q({3, 2, 8}), w({3, 2}), entries({4, 3, 8});
  Ints tables({1, 4}), offsets({2}), lengths({1}), chosen({3, 2});
  tables(0, 0) = 2, tables(0, 1) = 0, tables(0, 2) = 3, tables(0, 3) = 1;
  offsets(1) = 3;
  lengths(0) = 20;
  Operand qs(random(q)), ws(random(w)), cache(random(entries)), table(tables),
      offset(offsets), length(lengths), choice(chosen);
  compare(Op("index_select", "rrrrrrw", {param("ratio", int64_t(2))}, "....hh"),
          {&qs, &ws, &cache, &table, &offset, &length, &choice});

  Floats sinks({2}), window({4, 5, 8}), y({3, 2, 8});
  Operand sink(sinks), windows(random(window)), result(y);
  compare(Op("attend", "rrrrrrrrrw",
             {param("scale", 0.3), param("window", int64_t(6)),
              param("ratio", int64_t(2))},
             ".......hh"),
          {&qs, &sink, &windows, &table, &cache, &table, &choice, &offset,
           &length, &result});
}

TEST_F(LargeOffset, Compress) {
  Floats kvScore({3, 16}), bias({2, 8}), weight({8}, 1), angles({16, 4}, 0.5f);
  Floats states({3, 2, 16}), cache({3, 2, 8}, 9);
  Longs positions({3}), stateSlots({3}), slots({3}, -1);
  Ints stateTable({1, 3}), requests({3});
  for (int64_t t = 0; t < 3; ++t) {
    positions(t) = 3 + t;
    stateSlots(t) = t == 0 ? 1 : 1 + t;
  }
  stateTable(0, 0) = 2, stateTable(0, 1) = 0, stateTable(0, 2) = 1;
  slots(0) = 4;
  slots(2) = 1;
  compare(Op("compress", "rrrrrrrrruu",
             {param("ratio", int64_t(2)), param("overlap", int64_t(0)),
              param("eps", 1e-6)}),
          {std::make_unique<Operand>(random(kvScore)).get(),
           std::make_unique<Operand>(random(bias)).get(),
           std::make_unique<Operand>(weight).get(),
           std::make_unique<Operand>(positions).get(),
           std::make_unique<Operand>(angles).get(),
           std::make_unique<Operand>(stateSlots).get(),
           std::make_unique<Operand>(stateTable).get(),
           std::make_unique<Operand>(requests).get(),
           std::make_unique<Operand>(slots).get(),
           std::make_unique<Operand>(random(states)).get(),
           std::make_unique<Operand>(cache).get()});
}
