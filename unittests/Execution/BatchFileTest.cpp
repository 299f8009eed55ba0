//===- BatchFileTest.cpp - Batches from JSON --------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a batch file says, the steps that follow, and every way in which it can
// be wrong.
//
//===----------------------------------------------------------------------===//

#include "BatchTesting.h"

using namespace llvm;
using namespace braid;
using namespace braid::testing;

TEST(BatchFile, StepsAndPadding) {
  Batch batch = unwrap(parseBatch(R"({
    "requests": [{"tokens": 9, "chunks": [4, 5]},
                 {"name": "late", "tokens": 3, "chunks": [0, 3], "history": 7},
                 {"tokens": 20}],
    "pad_to": [8, 24], "block_sizes": {"window": 32}, "seed": 5})",
                                  "batch.json"));
  ASSERT_EQ(batch.requests.size(), 3u);
  EXPECT_EQ(batch.requests[0].name, "request 0");
  EXPECT_EQ(batch.requests[1].name, "late");
  EXPECT_EQ(batch.requests[1].history, 7);
  EXPECT_EQ(batch.blockSizes.at("window"), 32);
  EXPECT_EQ(batch.seed, 5u);
  std::vector<BatchStep> steps = makeSteps(batch);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].padded, 24);
  EXPECT_EQ(steps[0].ranges[2].count, 20);
  EXPECT_EQ(steps[1].getNumTokens(), 8);
  EXPECT_EQ(steps[1].padded, 8);
  EXPECT_EQ(steps[1].ranges[0].begin, 4);
  EXPECT_EQ(steps[1].ranges[1].begin, 0);
  EXPECT_EQ(steps[1].ranges[2].count, 0);
  // Above the largest bucket there is no padding.
  batch.buckets = {8};
  EXPECT_EQ(makeSteps(batch)[0].padded, 24);
  batch.buckets = {20, 30};
  EXPECT_EQ(makeSteps(batch)[0].padded, 30);
}

TEST(BatchFile, Errors) {
  const std::pair<const char *, const char *> rows[] = {
      {"", "the text is empty"},
      {"[]", "expected a JSON object"},
      {R"({"requests": [})", "no valid JSON"},
      {R"({})", "requests is missing; expected an array of 1 to 1024 objects"},
      {R"({"requests": []})", "requests is []; expected an array"},
      {R"({"requests": 3})", "requests is 3; expected an array"},
      {R"({"requests": [7]})", "requests[0] is 7; expected an object"},
      {R"({"requests": [{}]})", "requests[0] has no \"tokens\""},
      {R"({"requests": [{"tokens": 0}]})",
       "requests[0].tokens is 0; expected an integer from 1 to 1048576"},
      {R"({"requests": [{"tokens": 1e300}]})",
       "e+300; expected an integer from 1 to 1048576"},
      {R"({"requests": [{"tokens": "9"}]})",
       "requests[0].tokens is \"9\"; expected an integer"},
      {R"({"requests": [{"tokens": 2.5}]})",
       "requests[0].tokens is 2.5; expected an integer"},
      {R"({"requests": [{"tokens": 1, "history": -1}]})",
       "requests[0].history is -1; expected an integer from 0"},
      {R"({"requests": [{"tokens": 1, "history": 4294967296}]})",
       "requests[0].history is 4294967296; expected an integer from 0 to "
       "1073741824"},
      {R"({"requests": [{"tokens": 9, "chunks": [4, 4]}]})",
       "requests[0].chunks add up to 8; expected \"tokens\", 9"},
      {R"({"requests": [{"tokens": 9, "chunks": [10, -1]}]})",
       "requests[0].chunks[1] is -1; expected an integer from 0"},
      {R"({"requests": [{"tokens": 9, "chunks": 9}]})",
       "requests[0].chunks is 9; expected an array of integers"},
      {R"({"requests": [{"tokens": 1, "name": ""}]})",
       "requests[0].name is \"\"; expected a string of 1 to 40"},
      {R"({"requests": [{"tokens": 1, "name": "a"}, {"tokens": 1,
          "name": "a"}]})",
       "requests[1].name is \"a\", as that of another request"},
      {R"({"requests": [{"tokens": 1, "chunk": [1]}]})",
       "requests[0] has the key \"chunk\"; expected only name, tokens, "
       "history, chunks"},
      {R"({"requests": [{"tokens": 1}], "bucket": [1]})",
       "the batch has the key \"bucket\"; expected only requests, pad_to, "
       "block_sizes, seed"},
      {R"({"requests": [{"tokens": 1}], "requests": []})", "occurs twice"},
      {R"({"requests": [{"tokens": 1}], "pad_to": []})",
       "pad_to is []; expected an array of integers"},
      {R"({"requests": [{"tokens": 1}], "pad_to": [8, 8]})",
       "pad_to[1] is 8; expected more than the number before it, 8"},
      {R"({"requests": [{"tokens": 1}], "pad_to": [0]})",
       "pad_to[0] is 0; expected an integer from 1"},
      {R"({"requests": [{"tokens": 1}], "block_sizes": {"windows": 1}})",
       "block_sizes has the key \"windows\"; expected only window, state, "
       "compressed, index_state, index"},
      {R"({"requests": [{"tokens": 1}], "block_sizes": {"window": 0}})",
       "block_sizes.window is 0; expected an integer from 1 to 65536"},
      {R"({"requests": [{"tokens": 1}], "block_sizes": 64})",
       "block_sizes is 64; expected an object"},
      {R"({"requests": [{"tokens": 1}], "seed": -1})",
       "seed is -1; expected an integer from 0"},
  };
  for (auto [text, expected] : rows) {
    SCOPED_TRACE(text);
    Expected<Batch> batch = parseBatch(text, "batch.json");
    ASSERT_FALSE(bool(batch));
    std::string message = toString(batch.takeError());
    EXPECT_EQ(message.rfind("batch.json:", 0), 0u) << message;
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  }
}

TEST(BatchFile, MissingFile) {
  Expected<Batch> batch = readBatch("/nowhere/batch.json");
  ASSERT_FALSE(bool(batch));
  EXPECT_EQ(toString(batch.takeError()),
            "/nowhere/batch.json: No such file or directory");
}
