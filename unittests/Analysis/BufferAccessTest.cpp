//===- BufferAccessTest.cpp - Bytes and linear inequalities -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the comparison of places in the workspace, and of views, with one
// that tries every token count and every element.
//
//===----------------------------------------------------------------------===//

#include "braid/Analysis/BufferAccess.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace braid;

namespace {

constexpr unsigned kSeed = 20261;

/// The first token count in [first, last] for which `test` holds.
template <typename Test>
std::optional<int64_t> findFirst(TokenRange range, Test test) {
  for (int64_t tokens = range.first; tokens <= range.last; ++tokens)
    if (test(tokens))
      return tokens;
  return std::nullopt;
}

int64_t getStart(const ByteSpan &span, int64_t tokens) {
  return span.startPerToken * tokens + span.startFixed;
}
int64_t getEnd(const ByteSpan &span, int64_t tokens) {
  return getStart(span, tokens) + span.sizePerToken * tokens + span.sizeFixed;
}

TEST(ByteSpanTest, AgreesWithEveryTokenCount) {
  RecordProperty("seed", kSeed);
  std::mt19937 random(kSeed);
  auto draw = [&](int64_t last) {
    return int64_t(random() % unsigned(last + 1));
  };
  unsigned numShared = 0, numCovered = 0;
  for (int i = 0; i < 20000; ++i) {
    ByteSpan spans[2];
    for (ByteSpan &span : spans)
      span = {draw(4), draw(20), draw(2), draw(4)};
    const ByteSpan &a = spans[0], &b = spans[1];
    TokenRange range;
    range.first = 1 + draw(5);
    range.last = range.first - 1 + draw(12);

    std::optional<int64_t> expected = findFirst(range, [&](int64_t tokens) {
      return std::max(getStart(a, tokens), getStart(b, tokens)) <
             std::min(getEnd(a, tokens), getEnd(b, tokens));
    });
    EXPECT_EQ(findSharedByte(a, b, range), expected) << "case " << i;
    EXPECT_EQ(findSharedByte(b, a, range), expected) << "case " << i;
    numShared += expected.has_value();

    bool isCovered = !findFirst(range, [&](int64_t tokens) {
      return getStart(b, tokens) < getStart(a, tokens) ||
             getEnd(b, tokens) > getEnd(a, tokens);
    });
    EXPECT_EQ(covers(a, b, range), isCovered) << "case " << i;
    numCovered += isCovered;
  }
  EXPECT_GT(numShared, 2000u);
  EXPECT_GT(numCovered, 500u);
}

TEST(ByteSpanTest, DoesNotOverflow) {
  int64_t large = std::numeric_limits<int64_t>::max() - 255;
  ByteSpan a{large, large, large, 0}, b{0, 0, 256, 0};
  EXPECT_EQ(findSharedByte(a, b, TokenRange()), std::nullopt);
  EXPECT_EQ(findSharedByte(a, a, TokenRange()), 1);
  EXPECT_TRUE(covers(a, a, TokenRange()));
  EXPECT_FALSE(covers(a, b, TokenRange()));
}

/// The elements that a set stands for, up to `limit`.
std::set<int64_t> listElements(const ElementSet &set) {
  std::set<int64_t> elements{set.offset};
  for (auto [stride, extent] : set.dims) {
    std::set<int64_t> next;
    for (int64_t element : elements)
      for (int64_t i = 0; i < extent; ++i)
        next.insert(element + i * stride);
    elements = std::move(next);
  }
  return elements;
}

// Views of one row-major buffer, [4, 6, 8], that share an element are never
// called distinct, and nearly all others are.
TEST(ElementSetTest, AgreesWithEveryElement) {
  RecordProperty("seed", kSeed);
  std::mt19937 random(kSeed);
  auto draw = [&](int64_t first, int64_t last) {
    return first + int64_t(random() % unsigned(last - first + 1));
  };
  const int64_t extents[] = {4, 6, 8}, strides[] = {48, 8, 1};
  unsigned numDistinct = 0, numFound = 0;
  for (int i = 0; i < 5000; ++i) {
    ElementSet sets[2];
    for (ElementSet &set : sets) {
      set.isWhole = false;
      set.isKnown = true;
      for (int k = 0; k < 3; ++k) {
        int64_t step = draw(1, 2);
        int64_t offset = draw(0, extents[k] - 1);
        int64_t size = draw(1, (extents[k] - offset - 1) / step + 1);
        set.offset += offset * strides[k];
        if (size > 1)
          set.dims.push_back({strides[k] * step, size});
      }
    }
    std::set<int64_t> a = listElements(sets[0]), b = listElements(sets[1]);
    bool isDistinct = std::none_of(a.begin(), a.end(), [&](int64_t element) {
      return b.count(element) != 0;
    });
    bool isFound = !mayOverlap(sets[0], sets[1]);
    EXPECT_EQ(isFound, !mayOverlap(sets[1], sets[0])) << "case " << i;
    EXPECT_TRUE(isDistinct || !isFound) << "case " << i;
    numDistinct += isDistinct;
    numFound += isFound;
  }
  // The price of looking at one pitch at a time.
  EXPECT_GT(numFound, numDistinct * 9 / 10)
      << numFound << " of " << numDistinct;
}

// Columns of rows of two lengths, whole buffers and unknown parts: the index
// finds what comparing with each of them finds.
TEST(PartIndexTest, AgreesWithEveryPair) {
  RecordProperty("seed", kSeed);
  std::mt19937 random(kSeed);
  auto draw = [&](int64_t first, int64_t last) {
    return first + int64_t(random() % unsigned(last - first + 1));
  };
  unsigned numFound = 0, numMissed = 0;
  for (int i = 0; i < 200; ++i) {
    PartIndex index;
    std::vector<ElementSet> known;
    for (int k = 0; k < 40; ++k) {
      ElementSet part;
      int64_t kind = draw(0, 9);
      if (kind < 8) {
        part.isWhole = false;
        part.isKnown = true;
        part.pitch = kind < 6 ? 64 : 32;
        int64_t width = draw(1, kind < 4 ? 4 : 24);
        part.columnBegin = draw(0, part.pitch - width);
        part.columnEnd = part.columnBegin + width;
        part.offset = draw(0, 3) * part.pitch + part.columnBegin;
        part.dims = {{part.pitch, 2}, {1, width}};
      } else {
        part.isWhole = kind == 8;
      }

      llvm::SmallVector<unsigned> expected;
      for (auto [number, other] : llvm::enumerate(known))
        if (mayOverlap(other, part))
          expected.push_back(number);
      EXPECT_EQ(index.findOverlaps(part), expected) << "case " << i;
      numFound += expected.size();
      numMissed += known.size() - expected.size();

      unsigned number = llvm::find(known, part) - known.begin();
      if (number == known.size())
        known.push_back(part);
      EXPECT_EQ(index.insert(part), number) << "case " << i;
      EXPECT_EQ(index.size(), known.size()) << "case " << i;
    }
  }
  EXPECT_GT(numFound, 10000u);
  EXPECT_GT(numMissed, 10000u);
}

} // namespace
