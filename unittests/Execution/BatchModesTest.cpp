//===- BatchModesTest.cpp - Batches in every mode of the scheduler ----C++
//-*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// However a batch is scheduled, its bits are those of the program as it was
// written, on one stream and without captures.
//
//===----------------------------------------------------------------------===//

#include "BatchTesting.h"

using namespace llvm;
using namespace braid;
using namespace braid::testing;

namespace {

class BatchModesTest : public BatchTest {
protected:
  /// Outputs and caches of the serial program.
  void SetUp() override {
    BatchTest::SetUp();
    batch = makeMixedBatch();
    std::unique_ptr<Program> program = compile({1, false, EagerForm::Wide});
    ContextPointer runtime = makeContext();
    auto arguments = makeArguments(*program, batch);
    expected = run(runtime.get(), *arguments);
    caches = arguments->getCacheBytes();
  }

  /// Eager and replayed, with random pauses in every stream and a poisoned
  /// workspace.
  void check(const Mode &mode) {
    std::unique_ptr<Program> program = compile(mode);
    EXPECT_LE(program->getSummary().streams, mode.maxStreams);
    ContextPointer runtime = makeContext([](braid_context_options &options) {
      options.delay_seed = 1;
      options.poison = 1;
    });
    auto arguments = makeArguments(*program, batch);
    EXPECT_EQ(run(runtime.get(), *arguments), expected);
    EXPECT_EQ(arguments->getCacheBytes(), caches);
    arguments->setStep(makeEmptyStep(batch, batch.buckets.back()));
    braid_call call = arguments->getCall();
    ASSERT_EQ(braid_prepare_buckets(runtime.get(), &call, batch.buckets.data(),
                                    batch.buckets.size()),
              BRAID_OK)
        << braid_last_error(runtime.get());
    EXPECT_EQ(run(runtime.get(), *arguments), expected);
    EXPECT_EQ(arguments->getCacheBytes(), caches);
  }

  Batch batch;
  Outputs expected;
  std::vector<char> caches;
};

TEST_P(BatchModesTest, Streams) {
  // Only the sparse layer has work for every number of streams.
  std::vector<unsigned> numbers = {1, 4};
  if (std::get<0>(GetParam()) == 1)
    numbers = {1, 2, 3, 4};
  for (unsigned maxStreams : numbers)
    for (bool narrow : {false, true}) {
      SCOPED_TRACE(std::to_string(maxStreams) +
                   (narrow ? " streams, narrowed" : " streams, as written"));
      check({maxStreams, narrow, EagerForm::AfterNorm});
    }
}

TEST_P(BatchModesTest, Forms) {
  for (EagerForm form : {EagerForm::Wide, EagerForm::None}) {
    SCOPED_TRACE(form == EagerForm::Wide ? "wide" : "none");
    check({4, true, form});
  }
}

// Metadata lie elsewhere in every other call.
TEST_P(BatchModesTest, TransientMetadata) {
  for (bool narrow : {false, true})
    check({4, narrow, EagerForm::None, MetadataLifetime::Transient});
}

INSTANTIATE_TEST_SUITE_P(Forms, BatchModesTest, allForms(), getFormName);

} // namespace
