//===- BatchTest.cpp - Several requests in one call -------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What must not matter to a request: who else is in the batch and in which
// order, how its prompt is cut, how far calls are padded and with what. All of
// it bit for bit, in every element type.
//
//===----------------------------------------------------------------------===//

#include "BatchTesting.h"

#include <cmath>
#include <limits>

using namespace llvm;
using namespace braid;
using namespace braid::testing;

namespace {

bool isFinite(ArrayRef<float> values) {
  return all_of(values, [](float value) { return std::isfinite(value); });
}

// Requests of 9, 5 and 70 tokens in one call give what each gives by itself,
// and the order in which they stand in the batch is of no account.
TEST_P(BatchTest, RequestsTogetherEqualEachAlone) {
  std::unique_ptr<Program> program = compile({});
  Batch batch = makeThreeRequests();
  Outputs together = run(*program, batch);
  Batch reordered = batch;
  std::rotate(reordered.requests.begin(), reordered.requests.begin() + 1,
              reordered.requests.end());
  Outputs rotated = run(*program, reordered);
  for (size_t i = 0; i < batch.requests.size(); ++i) {
    SCOPED_TRACE(batch.requests[i].name);
    EXPECT_TRUE(isFinite(together[i]));
    Batch single;
    single.requests = {batch.requests[i]};
    EXPECT_EQ(run(*program, single)[0], together[i]);
    EXPECT_EQ(rotated[(i + 2) % 3], together[i]);
  }
  // They are different requests.
  EXPECT_NE(ArrayRef<float>(together[0]).take_front(together[1].size()),
            ArrayRef<float>(together[1]));
}

// A prompt in chunks of every size, and one that comes after a history.
TEST_P(BatchTest, ChunkSizeDoesNotMatter) {
  std::unique_ptr<Program> program = compile({});
  constexpr int64_t tokens = 140;
  for (auto [history, sizes] :
       {std::pair<int64_t, std::vector<int64_t>>{0, {1, 3, 4, 5, 128}},
        {6, {3, 70}}}) {
    Batch whole;
    whole.requests = {makeRequest("prompt", tokens, history)};
    Outputs expected = run(*program, whole);
    for (int64_t size : sizes) {
      SCOPED_TRACE("history " + std::to_string(history) + ", chunks of " +
                   std::to_string(size));
      Batch chunked = whole;
      for (int64_t left = tokens; left > 0; left -= size)
        chunked.requests[0].chunks.push_back(std::min(size, left));
      EXPECT_EQ(run(*program, chunked), expected);
    }
  }
}

// Rows of padding change no row and no byte of a cache, whatever they hold, and
// stay finite if they hold numbers of the usual size.
TEST_P(BatchTest, PaddingChangesNothing) {
  std::unique_ptr<Program> program = compile({});
  Batch padded = makeMixedBatch(), exact = padded;
  exact.buckets.clear();
  ContextPointer runtime = makeContext();
  auto arguments = makeArguments(*program, exact);
  Outputs expected = run(runtime.get(), *arguments);
  std::vector<char> caches = arguments->getCacheBytes();
  for (std::optional<float> padding :
       {std::optional<float>(), std::optional<float>(1e30f),
        std::optional<float>(std::numeric_limits<float>::quiet_NaN())}) {
    SCOPED_TRACE(padding ? *padding : 0);
    auto withPadding = makeArguments(*program, padded, padding);
    EXPECT_EQ(run(runtime.get(), *withPadding), expected);
    EXPECT_EQ(withPadding->getCacheBytes(), caches);
    std::vector<float> rest = withPadding->getPaddingOutput();
    EXPECT_FALSE(rest.empty());
    EXPECT_TRUE(padding || isFinite(rest));
  }
}

// Buckets are prepared once, in one call, and then replayed with whatever
// requests have tokens: no call runs eagerly, and none may be unprepared.
TEST_P(BatchTest, ReplaysFollowTheMetadata) {
  std::unique_ptr<Program> program = compile({});
  Batch batch = makeMixedBatch();
  Outputs expected = run(*program, batch);
  ContextPointer runtime = makeContext(
      [](braid_context_options &options) { options.require_prepared = 1; });
  auto arguments = makeArguments(*program, batch);
  arguments->setStep(makeEmptyStep(batch, 40));
  std::vector<char> caches = arguments->getCacheBytes();
  braid_call call = arguments->getCall();
  ASSERT_EQ(braid_prepare_buckets(runtime.get(), &call, batch.buckets.data(),
                                  batch.buckets.size()),
            BRAID_OK)
      << braid_last_error(runtime.get());
  EXPECT_EQ(arguments->getCacheBytes(), caches);
  int64_t segments = program->getSummary().segments;
  EXPECT_EQ(getStatistics(runtime).captures, 3 * segments);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(run(runtime.get(), *arguments), expected);
  EXPECT_EQ(getStatistics(runtime).eager_segments, 0);
  EXPECT_EQ(getStatistics(runtime).replays,
            3 * segments * int64_t(makeSteps(batch).size()));
}

// A count between buckets: refused if the context says so, else eager.
TEST_P(BatchTest, CountsThatWereNotPrepared) {
  std::unique_ptr<Program> program = compile({});
  Batch batch = makeThreeRequests();
  Outputs expected = run(*program, batch);
  for (bool isRequired : {false, true}) {
    ContextPointer runtime = makeContext([&](braid_context_options &options) {
      options.require_prepared = isRequired;
    });
    auto arguments = makeArguments(*program, batch);
    arguments->setStep(makeEmptyStep(batch, 84));
    braid_call call = arguments->getCall();
    const int64_t counts[] = {32, 80};
    ASSERT_EQ(braid_prepare_buckets(runtime.get(), &call, counts, 2), BRAID_OK)
        << braid_last_error(runtime.get());
    if (!isRequired) {
      EXPECT_EQ(run(runtime.get(), *arguments), expected);
      EXPECT_EQ(getStatistics(runtime).replays, 0);
      continue;
    }
    arguments->setStep(makeSteps(batch)[0]);
    std::vector<char> caches = arguments->getCacheBytes();
    call = arguments->getCall();
    EXPECT_EQ(braid_execute(runtime.get(), &call), BRAID_NOT_PREPARED);
    EXPECT_NE(StringRef(braid_last_error(runtime.get())).find("for 84 tokens"),
              StringRef::npos);
    EXPECT_EQ(arguments->getCacheBytes(), caches);
  }
}

/// All bytes of the arguments that a call writes: outputs and caches.
std::vector<char> getWrittenBytes(const Program &program,
                                  const BatchArguments &arguments) {
  std::vector<char> bytes = arguments.getCacheBytes();
  const braid_function &function = *program.getFunction();
  braid_call call = arguments.getCall();
  for (int64_t i = 0; i < function.num_arguments; ++i) {
    if (function.arguments[i].access != BRAID_ACCESS_WRITE)
      continue;
    const braid_tensor &output = call.arguments[i];
    const char *data = static_cast<const char *>(output.data);
    int64_t elements = 1;
    for (int32_t d = 0; d < output.rank; ++d)
      elements *= output.sizes[d];
    bytes.insert(bytes.end(), data, data + elements * 2); // of at least bf16
  }
  return bytes;
}

/// Puts `value` in every element of `tensor`.
template <typename T>
void fill(const braid_tensor &tensor, T value) {
  int64_t columns = tensor.rank == 2 ? tensor.sizes[1] : 1;
  for (int64_t i = 0; i < tensor.sizes[0]; ++i)
    for (int64_t j = 0; j < columns; ++j)
      static_cast<T *>(tensor.data)[i * tensor.strides[0] + j] = value;
}

// Metadata that lead outside what they point into, whichever they are and
// whichever kernel reads them: the call fails before a byte of a cache or an
// output changes, though other kernels of it had nothing to complain about. The
// right metadata give the right result afterwards.
TEST_P(BatchTest, WrongMetadataChangeNothing) {
  for (unsigned streams : {1, 4}) {
    Mode mode;
    mode.maxStreams = streams;
    std::unique_ptr<Program> program = compile(mode);
    const braid_function &function = *program->getFunction();
    Batch batch;
    batch.requests = {makeRequest("long", 13, 515, {5, 8}),
                      makeRequest("prompt", 9, 0, {4, 5})};
    Outputs expected = run(*program, batch);
    for (bool isPrepared : {false, true}) {
      ContextPointer runtime = makeContext();
      auto arguments = makeArguments(*program, batch);
      arguments->clearCaches();
      std::vector<BatchStep> steps = makeSteps(batch);
      arguments->setStep(steps[0]);
      braid_call call = arguments->getCall();
      ASSERT_EQ(braid_execute(runtime.get(), &call), BRAID_OK);
      ASSERT_EQ(braid_synchronize(runtime.get()), BRAID_OK);
      unsigned numWrong = 0;
      for (int64_t i = 0; i < function.num_arguments; ++i) {
        const braid_argument &argument = function.arguments[i];
        if (argument.metadata == BRAID_METADATA_NONE)
          continue;
        SCOPED_TRACE(std::string(argument.name) +
                     (isPrepared ? ", prepared, " : ", ") +
                     std::to_string(streams) + " streams");
        arguments->setStep(steps[1]);
        call = arguments->getCall();
        if (isPrepared) {
          ASSERT_EQ(braid_prepare(runtime.get(), &call), BRAID_OK)
              << braid_last_error(runtime.get());
        }
        std::vector<char> before = getWrittenBytes(*program, *arguments);
        if (argument.dtype == BRAID_I64)
          fill<int64_t>(call.arguments[i], int64_t(1) << 40);
        else
          fill<int32_t>(call.arguments[i], 1 << 20);
        braid_status status = braid_execute(runtime.get(), &call);
        if (status == BRAID_OK)
          status = braid_synchronize(runtime.get());
        EXPECT_TRUE(status == BRAID_KERNEL_FAILED ||
                    status == BRAID_INVALID_ARGUMENT)
            << braid_status_name(status);
        EXPECT_EQ(getWrittenBytes(*program, *arguments), before)
            << braid_last_error(runtime.get());
        ++numWrong;
      }
      EXPECT_GE(numWrong, 4u);
      arguments->setStep(steps[1]);
      call = arguments->getCall();
      ASSERT_EQ(braid_execute(runtime.get(), &call), BRAID_OK);
      ASSERT_EQ(braid_synchronize(runtime.get()), BRAID_OK);
      for (size_t r = 0; r < expected.size(); ++r)
        EXPECT_EQ(arguments->getOutput(r),
                  std::vector<float>(expected[r].end() -
                                         arguments->getOutput(r).size(),
                                     expected[r].end()));
    }
  }
}

// Positions beyond the 65,536 that the model was trained with, next to a short
// prompt: the same in any company and in any chunks.
TEST_P(BatchTest, LongHistory) {
  std::unique_ptr<Program> program = compile({});
  Batch single;
  single.requests = {makeRequest("long", 9, 70001)};
  Outputs alone = run(*program, single);
  EXPECT_TRUE(isFinite(alone[0]));
  Batch batch = single;
  batch.requests.insert(batch.requests.begin(), makeRequest("short", 6));
  batch.requests[1].chunks = {1, 5, 3};
  EXPECT_EQ(run(*program, batch)[1], alone[0]);
}

INSTANTIATE_TEST_SUITE_P(Forms, BatchTest, allForms(), getFormName);

} // namespace
