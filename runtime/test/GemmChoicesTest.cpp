//===- GemmChoicesTest.cpp - Algorithms by key, and their file ------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the cuda backend keeps of its timing, as far as it needs no GPU.
//
//===----------------------------------------------------------------------===//

#include "cuda/GemmChoices.h"

#include <gtest/gtest.h>
#include <set>

using namespace braid::runtime;

static const GemmEnvironment Environment = {"Some GPU 9000", 130100, 13000};

static GemmKey makeKey(int64_t rows) {
  GemmKey key;
  key.rows = rows;
  key.n = 1536;
  key.k = 4096;
  key.xRow = key.weightRow = 4096;
  key.yRow = 1536;
  key.type = BRAID_F8E4M3;
  key.yType = BRAID_BF16;
  key.scales = GemmScales::Blocks;
  key.xAlignment = key.weightAlignment = key.yAlignment = 16;
  return key;
}

static GemmChoices makeChoices() {
  GemmChoices choices;
  choices[makeKey(16)] = {1, 2, 3, 4, 5, 6, 7, UINT64_MAX};
  choices[makeKey(64)] = {0, 0, 0, 0, 0, 0, 0, 0};
  return choices;
}

/// Parses into choices that hold one entry before; they must keep it if the
/// text is refused.
static Error parse(const std::string &text, GemmChoices &choices) {
  choices.clear();
  choices[makeKey(1)] = {};
  Error error = parseChoices(text, "some.file", Environment, choices);
  if (error) {
    EXPECT_EQ(choices.size(), 1u);
    EXPECT_EQ(choices.count(makeKey(1)), 1u);
    EXPECT_NE(error.text().find("some.file"), std::string::npos)
        << error.text();
  }
  return error;
}

// Each field tells two keys apart.
TEST(GemmChoices, EveryFieldCounts) {
  std::vector<GemmKey> keys(1, makeKey(16));
  for (int64_t GemmKey::*field :
       {&GemmKey::rows, &GemmKey::n, &GemmKey::k, &GemmKey::xRow,
        &GemmKey::weightRow, &GemmKey::yRow, &GemmKey::xGroup,
        &GemmKey::yGroup}) {
    keys.push_back(makeKey(16));
    keys.back().*field += 1;
  }
  for (int32_t GemmKey::*field :
       {&GemmKey::groups, &GemmKey::type, &GemmKey::yType, &GemmKey::xAlignment,
        &GemmKey::weightAlignment, &GemmKey::yAlignment}) {
    keys.push_back(makeKey(16));
    keys.back().*field += 1;
  }
  keys.push_back(makeKey(16));
  keys.back().scales = GemmScales::Whole;
  GemmChoices choices;
  std::set<size_t> hashes;
  for (const GemmKey &key : keys) {
    choices[key] = {};
    hashes.insert(GemmKeyHash()(key));
  }
  EXPECT_EQ(choices.size(), keys.size());
  EXPECT_EQ(hashes.size(), keys.size());
}

// A file gives back what was written to it, and the same choices make the same
// file.
TEST(GemmChoices, RoundTrip) {
  std::string text = formatChoices(makeChoices(), Environment);
  GemmChoices read;
  Error error = parse(text, read);
  ASSERT_FALSE(error) << error.text();
  EXPECT_EQ(read, makeChoices());
  EXPECT_EQ(formatChoices(read, Environment), text);
}

// A file without choices is a file.
TEST(GemmChoices, Empty) {
  GemmChoices read;
  EXPECT_FALSE(parse(formatChoices({}, Environment), read));
  EXPECT_TRUE(read.empty());
}

// A file of another device, driver or library is refused, and the sentence says
// what differs.
TEST(GemmChoices, Elsewhere) {
  GemmEnvironment device = Environment, driver = Environment,
                  library = Environment;
  device.device = "Some GPU 9001";
  driver.driver = 12080;
  library.cublasLt = 130101;
  for (const auto &[environment, word] :
       {std::pair(device, "9001"), std::pair(driver, "12080"),
        std::pair(library, "130101")}) {
    GemmChoices read;
    Error error = parse(formatChoices(makeChoices(), environment), read);
    EXPECT_EQ(error.status(), BRAID_UNSUPPORTED);
    EXPECT_NE(error.text().find(word), std::string::npos) << error.text();
  }
}

// Whatever is cut off the end, the rest is refused unless it ends with a line.
TEST(GemmChoices, CutOff) {
  std::string text = formatChoices(makeChoices(), Environment);
  for (size_t size = 0; size < text.size(); ++size) {
    GemmChoices read;
    Error error = parse(text.substr(0, size), read);
    bool isWhole = size > 0 && text[size - 1] == '\n' &&
                   size >= formatChoices({}, Environment).size();
    EXPECT_EQ(error.status(), isWhole ? BRAID_OK : BRAID_INVALID_ARGUMENT)
        << "at " << size << ": " << error.text();
  }
}

// Lines that are no choices are named.
TEST(GemmChoices, Broken) {
  std::string header = formatChoices({}, Environment);
  std::string line =
      formatChoices(makeChoices(), Environment).substr(header.size());
  line.resize(line.find('\n') + 1);
  for (const std::string &broken :
       {std::string("\n"), std::string("hello\n"), "1 " + line, " " + line,
        line.substr(line.find(' ') + 1),
        line.substr(0, line.size() - 1) + " \n",
        line.substr(0, line.size() - 1) + "G\n", "00000000000000000" + line}) {
    GemmChoices read;
    Error error = parse(header + line + broken, read);
    EXPECT_EQ(error.status(), BRAID_INVALID_ARGUMENT) << broken;
    EXPECT_NE(error.text().find("line 6"), std::string::npos) << error.text();
  }
  for (const char *other : {"", "\n", "{}\n", "braid gemm choice 1\n"}) {
    GemmChoices read;
    EXPECT_EQ(parse(other, read).status(), BRAID_INVALID_ARGUMENT) << other;
  }
  // A later version of this format is no broken file.
  GemmChoices read;
  EXPECT_EQ(parse("braid gemm choices 2\n", read).status(), BRAID_UNSUPPORTED);
}
