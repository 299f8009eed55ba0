//===- GemmChoices.cpp - Forms of products and their algorithms -----------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hash of a key, and the text file: four lines that say what it is for, then a
// line of hexadecimal words for each choice, the words of the key before those
// of the algorithm.
//
//===----------------------------------------------------------------------===//

#include "GemmChoices.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string_view>
#include <vector>

using namespace braid::runtime;

static constexpr const char *Title = "braid gemm choices 1";
static constexpr size_t NumWords =
    GemmKey::NumWords + std::tuple_size<GemmAlgorithm>::value;

size_t GemmKeyHash::operator()(const GemmKey &key) const {
  uint64_t words[GemmKey::NumWords];
  std::memcpy(words, &key, sizeof(key));
  uint64_t hash = 0;
  for (uint64_t word : words) {
    // Source: the constant of MurmurHash2 for 64 bits.
    hash = (hash ^ word) * UINT64_C(0xc6a4a7935bd1e995);
    hash ^= hash >> 29;
  }
  return hash;
}

static std::string header(const GemmEnvironment &environment) {
  return std::string(Title) + "\ndevice " + environment.device + "\ndriver " +
         std::to_string(environment.driver) + "\ncublasLt " +
         std::to_string(environment.cublasLt) + "\n";
}

std::string braid::runtime::formatChoices(const GemmChoices &choices,
                                          const GemmEnvironment &environment) {
  std::vector<std::string> lines;
  for (const auto &[key, algorithm] : choices) {
    uint64_t words[NumWords];
    std::memcpy(words, &key, sizeof(key));
    std::memcpy(words + GemmKey::NumWords, algorithm.data(), sizeof(algorithm));
    std::string line;
    for (uint64_t word : words) {
      char text[20];
      std::snprintf(text, sizeof(text), "%s%" PRIx64, line.empty() ? "" : " ",
                    word);
      line += text;
    }
    lines.push_back(line + "\n");
  }
  // The same choices make the same file.
  std::sort(lines.begin(), lines.end());
  std::string text = header(environment);
  for (const std::string &line : lines)
    text += line;
  return text;
}

/// Cuts the first line off `text`; false if there is none with an end.
static bool takeLine(std::string_view &text, std::string_view &line) {
  size_t end = text.find('\n');
  if (end == std::string_view::npos)
    return false;
  line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return true;
}

/// Reads exactly `NumWords` words of at most 16 lower-case hexadecimal digits.
static bool parseWords(std::string_view line, uint64_t *words) {
  for (size_t i = 0; i < NumWords; ++i) {
    size_t end = std::min(line.find(' '), line.size());
    if (end == 0 || end > 16 || (end == line.size()) != (i + 1 == NumWords))
      return false;
    words[i] = 0;
    for (char c : line.substr(0, end)) {
      int digit = c >= '0' && c <= '9'   ? c - '0'
                  : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                         : -1;
      if (digit < 0)
        return false;
      words[i] = words[i] * 16 + digit;
    }
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return true;
}

Error braid::runtime::parseChoices(const std::string &text,
                                   const std::string &name,
                                   const GemmEnvironment &environment,
                                   GemmChoices &choices) {
  std::string_view rest = text, line;
  std::string expected = header(environment);
  std::string_view want = expected, wantLine;
  for (int number = 1; takeLine(want, wantLine); ++number) {
    if (!takeLine(rest, line))
      return makeError(BRAID_INVALID_ARGUMENT,
                       "'%s' ends before line %d, expected a file that "
                       "braid_tuning_save wrote",
                       name.c_str(), number);
    if (number == 1 && line.substr(0, 18) != wantLine.substr(0, 18))
      return makeError(BRAID_INVALID_ARGUMENT,
                       "'%s' is no file that braid_tuning_save wrote",
                       name.c_str());
    if (line != wantLine)
      return makeError(BRAID_UNSUPPORTED,
                       "'%s' was tuned elsewhere: it says '%.*s', expected "
                       "'%.*s'; nothing was loaded",
                       name.c_str(), static_cast<int>(line.size()), line.data(),
                       static_cast<int>(wantLine.size()), wantLine.data());
  }
  GemmChoices read;
  for (int number = 5; !rest.empty(); ++number) {
    uint64_t words[NumWords];
    if (!takeLine(rest, line) || !parseWords(line, words))
      return makeError(BRAID_INVALID_ARGUMENT,
                       "'%s' is broken: line %d is not a line of %zu "
                       "hexadecimal words; nothing was loaded",
                       name.c_str(), number, NumWords);
    GemmKey key;
    GemmAlgorithm algorithm;
    std::memcpy(static_cast<void *>(&key), words, sizeof(key));
    std::memcpy(algorithm.data(), words + GemmKey::NumWords, sizeof(algorithm));
    read[key] = algorithm;
  }
  choices = std::move(read);
  return Error::success();
}
