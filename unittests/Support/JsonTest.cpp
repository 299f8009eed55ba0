//===- JsonTest.cpp - Tests of the strict JSON reader -----------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is refused and where, and which numbers are integers.
//
//===----------------------------------------------------------------------===//

#include "braid/Support/Json.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdint>

using namespace braid;
using namespace llvm;

namespace {

/// The error in `text`; empty if there is none.
std::string parseError(StringRef text) {
  Expected<json::Object> object = parseJsonObject(text, "f.json");
  return object ? "" : toString(object.takeError());
}

TEST(Json, ExplainsBadText) {
  const StringRef truncated = "the text ends inside a JSON value, expected the "
                              "rest of it (is the file truncated?)";
  const std::pair<StringRef, std::string> table[] = {
      {"", "f.json: the text is empty, expected a JSON object"},
      {" \n", "f.json: the text is empty, expected a JSON object"},
      {"[1]", "f.json: the text is [1], expected a JSON object"},
      {"null", "f.json: the text is null, expected a JSON object"},
      {"{\"a\": 12", "f.json:1:9: " + truncated.str()},
      {"{\n\"a\": \"x", "f.json:2:8: " + truncated.str()},
      {"{\"a\": \"x\\", "f.json:1:10: " + truncated.str()},
      {"{\"a\": tru", "f.json:1:10: " + truncated.str()},
      {"{\"a\": [", "f.json:1:8: " + truncated.str()},
      {"{\"a\" 1}", "f.json:1:6: no valid JSON: Expected : after object key"},
      {"{\n \"a\": 1,\n}", "f.json:3:1: no valid JSON: Expected object key"},
      {"{\"a\": 1]",
       "f.json:1:8: no valid JSON: Expected , or } after object property"},
      {"{\"a\": 1} x", "f.json:1:9: no valid JSON: Text after end of document"},
      {"{\"a\":1,\n\"a\":2}",
       "f.json:2:1: the key \"a\" occurs twice in one object, expected once"},
      {"{\"b\":[{\"a\":1,\"\\u0061\":2}]}",
       "f.json:1:14: the key \"a\" occurs twice in one object, expected "
       "once"},
  };
  for (const auto &[text, error] : table)
    EXPECT_EQ(parseError(text), error) << text.str();
  EXPECT_TRUE(StringRef(parseError("{\"a\": \"\xff\"}"))
                  .contains("Invalid UTF-8 sequence"));
}

TEST(Json, SameKeyInTwoObjectsIsFine) {
  EXPECT_EQ(parseError(R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": "b"}]})"), "");
}

TEST(Json, BracketsInsideStringsAreText) {
  EXPECT_EQ(parseError(R"({"a[": "]}{\"\\", "b": "{"})"), "");
}

TEST(Json, NestingIsLimited) {
  auto nest = [](size_t depth) {
    return "{\"a\":" + std::string(depth - 1, '[') +
           std::string(depth - 1, ']') + "}";
  };
  EXPECT_EQ(parseError(nest(64)), "");
  EXPECT_EQ(parseError(nest(65)),
            "f.json:1:69: nested more deeply than the expected 64 levels at "
            "most");
  EXPECT_NE(parseError(nest(1000000)), "");
}

TEST(Json, Integers) {
  EXPECT_EQ(getInteger(16), 16);
  EXPECT_EQ(getInteger(16.0), 16);
  EXPECT_EQ(getInteger(-1e3), -1000);
  EXPECT_EQ(getInteger(INT64_MAX - 1024), INT64_MAX - 1024);
  EXPECT_EQ(getInteger(INT64_MIN / 2), INT64_MIN / 2);
  EXPECT_EQ(getInteger(16.5), std::nullopt);
  EXPECT_EQ(getInteger("16"), std::nullopt);
  EXPECT_EQ(getInteger(true), std::nullopt);
  EXPECT_EQ(getInteger(nullptr), std::nullopt);
  EXPECT_EQ(getInteger(0x1p63), std::nullopt);
  EXPECT_EQ(getInteger(UINT64_MAX), std::nullopt);
  EXPECT_EQ(getInteger(HUGE_VAL), std::nullopt);
}

TEST(Json, PrintsKeys) {
  EXPECT_EQ(printKey("wq_a.weight"), "wq_a.weight");
  EXPECT_EQ(printKey("a\n\"b"), "a\\n\\\"b");
  EXPECT_EQ(printKey("\xff"), "\xef\xbf\xbd");
  EXPECT_EQ(printKey(std::string(300, 'x')), std::string(197, 'x') + "...");
}

TEST(Json, PrintsShort) {
  EXPECT_EQ(printShort(json::Array{1, "x"}), "[1,\"x\"]");
  std::string text = printShort(std::string(100, 'x'));
  EXPECT_EQ(text, "\"" + std::string(56, 'x') + "...");
  // A character of two bytes is kept or dropped as a whole.
  for (size_t pad : {0, 1}) {
    std::string wide(pad, 'x');
    for (int i = 0; i < 60; ++i)
      wide += "\xc3\xa9";
    std::string shortened = printShort(wide);
    EXPECT_TRUE(json::isUTF8(shortened));
    EXPECT_LE(shortened.size(), 60u);
  }
}

} // namespace
