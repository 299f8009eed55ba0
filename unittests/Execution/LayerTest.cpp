//===- LayerTest.cpp - Whole layers against golden tensors -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles every kind of layer of two small models, in each eager form,
// executes it on the host backend, and compares with tensors of an independent
// implementation: every length, chunks, first run and replay, and the corner
// cases of a layer.
//
//===----------------------------------------------------------------------===//

#include "braid/Execution/Arguments.h"
#include "braid/Import/ImportModel.h"
#include "braid/Import/WeightNames.h"
#include "braid/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace braid;

namespace {

/// Largest absolute difference from the golden tensors, which are f32 too.
constexpr float kGoldenTolerance = 5e-5f;
/// Between two ways of computing the same rows here.
constexpr float kSelfTolerance = 1e-5f;

const int64_t kLengths[] = {1, 3, 4, 5, 8, 9, 37, 70};
const int64_t kChunks[] = {16, 13, 1, 4, 36};
constexpr int64_t kLongest = 70;

struct ContextDeleter {
  void operator()(braid_context *context) const {
    braid_context_destroy(context);
  }
};
using ContextPointer = std::unique_ptr<braid_context, ContextDeleter>;

/// With a delay seed, random delays in every stream and a workspace full of
/// NaN before each schedule.
ContextPointer makeContext(bool capture = true, uint64_t delaySeed = 0,
                           int64_t tokenThreshold = -1) {
  braid_context_options options;
  options.struct_size = sizeof(options);
  braid_context_options_initialize(&options);
  options.capture = capture;
  options.delay_seed = delaySeed;
  options.poison = delaySeed != 0;
  options.token_threshold = tokenThreshold;
  braid_context *context = nullptr;
  EXPECT_EQ(braid_context_create(&options, &context), BRAID_OK)
      << braid_last_error(nullptr);
  return ContextPointer(context);
}

braid_statistics getStatistics(const ContextPointer &context) {
  braid_statistics statistics = {};
  statistics.struct_size = sizeof(statistics);
  braid_get_statistics(context.get(), &statistics);
  return statistics;
}

template <typename T>
T unwrap(Expected<T> value) {
  if (!value) {
    ADD_FAILURE() << toString(value.takeError());
    std::abort();
  }
  return std::move(*value);
}

float maxDifference(ArrayRef<float> a, ArrayRef<float> b) {
  EXPECT_EQ(a.size(), b.size());
  float largest = 0;
  for (auto [x, y] : zip(a, b)) {
    float difference = std::abs(x - y);
    if (!(difference <= largest)) // a NaN stays
      largest = difference;
  }
  return largest;
}

/// Model ("small", "odd"), layer (0 window only, 1 sparse, 2 heavy), form.
using Case = std::tuple<const char *, int, EagerForm>;

class LayerTest : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    auto [model, layer, form] = GetParam();
    kind = layer == 0 ? "swa" : layer == 1 ? "c4a" : "c128a";
    std::string folder = std::string(BRAID_TEST_INPUTS) + "/" + model;
    config = unwrap(readModelConfig(folder + "/config.json"));
    isPrefixed = StringRef(model) == "small";
    golden = std::make_unique<Checkpoint>(
        unwrap(Checkpoint::open(folder + "/" + kind + ".safetensors")));
    // One model has a file a layer, the other one an index of shards.
    weights = std::make_unique<Checkpoint>(unwrap(Checkpoint::open(
        isPrefixed ? folder + "/" + kind + ".safetensors"
                   : folder + "/model.safetensors.index.json")));
    registerAllDialects(registry);
    // The program as it was written: one stream, regions as they are.
    program = compile(form, /*maxStreams=*/1, /*narrow=*/false);
  }

  std::unique_ptr<Program>
  compile(EagerForm form, unsigned maxStreams, bool narrow,
          MetadataLifetime metadata = MetadataLifetime::Persistent) {
    context = std::make_unique<mlir::MLIRContext>(registry);
    ImportOptions options;
    options.layer = std::get<1>(GetParam());
    options.eager = form;
    options.metadata = metadata;
    PipelineOptions pipeline;
    pipeline.maxStreams = maxStreams;
    pipeline.narrow = narrow;
    pipeline.verifyPhases = true;
    return unwrap(Program::compile(
        unwrap(importModel(context.get(), config, options)), "", pipeline));
  }

  std::vector<float> read(const Twine &name) {
    return unwrap(readAsFloat(unwrap(golden->lookup(StringRef(name.str())))));
  }

  std::unique_ptr<BatchArguments> makeArguments(int64_t length,
                                                int64_t blockSize = 16) {
    ArgumentSources sources;
    sources.checkpoint = weights.get();
    int64_t layer = std::get<1>(GetParam());
    bool prefixed = isPrefixed;
    sources.spellings = [=](StringRef name) {
      return prefixed ? getPrefixedWeightSpellings(name, "weight.")
                      : getWeightSpellings(name, layer);
    };
    sources.blockSize = blockSize;
    Batch batch = makeSingle(length);
    batch.requests[0].hidden = read("input");
    return unwrap(BatchArguments::create(*program, batch, sources));
  }

  /// Prefills `length` tokens in chunks and returns all output rows.
  std::vector<float> run(braid_context *runtime, BatchArguments &arguments,
                         ArrayRef<int64_t> chunks, bool prepare) {
    std::vector<float> output;
    arguments.clearCaches();
    int64_t start = 0;
    for (int64_t chunk : chunks) {
      arguments.setChunk(start, chunk);
      braid_call call = arguments.getCall();
      if (prepare) {
        EXPECT_EQ(braid_prepare(runtime, &call), BRAID_OK)
            << braid_last_error(runtime);
      }
      EXPECT_EQ(braid_execute(runtime, &call), BRAID_OK)
          << braid_last_error(runtime);
      EXPECT_EQ(braid_synchronize(runtime), BRAID_OK)
          << braid_last_error(runtime);
      std::vector<float> rows = arguments.getOutput();
      output.insert(output.end(), rows.begin(), rows.end());
      start += chunk;
    }
    return output;
  }

  std::string kind;
  ModelConfig config;
  bool isPrefixed = false;
  std::unique_ptr<Checkpoint> golden, weights;
  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<Program> program;
};

} // namespace

// Every length: eager, then prepared and replayed, then replayed once more
// after the caches were emptied. All runs are equal bit for bit.
TEST_P(LayerTest, MatchesGoldenAtEveryLength) {
  ContextPointer runtime = makeContext();
  for (int64_t length : kLengths) {
    SCOPED_TRACE("length " + std::to_string(length));
    std::vector<float> expected = read("output." + Twine(length));
    auto arguments = makeArguments(length);
    std::vector<float> first = run(runtime.get(), *arguments, length, false);
    EXPECT_LE(maxDifference(first, expected), kGoldenTolerance);
    std::vector<float> replayed = run(runtime.get(), *arguments, length, true);
    EXPECT_EQ(first, replayed);
    std::vector<float> again = run(runtime.get(), *arguments, length, false);
    EXPECT_EQ(first, again);
  }
  // Replays happened wherever the form leaves something to capture.
  int64_t segments = program->getSummary().segments;
  EXPECT_EQ(segments, std::get<2>(GetParam()) == EagerForm::Wide ? 0 : 2);
  EXPECT_EQ(getStatistics(runtime).replays,
            2 * segments * int64_t(std::size(kLengths)));
}

// The prompt in chunks, through the caches.
TEST_P(LayerTest, MatchesGoldenInChunks) {
  ContextPointer runtime = makeContext();
  std::vector<float> expected = read("output.chunked.70");
  auto arguments = makeArguments(kLongest);
  for (bool prepare : {false, true})
    EXPECT_LE(maxDifference(run(runtime.get(), *arguments, kChunks, prepare),
                            expected),
              kGoldenTolerance);
}

// Capturing changes nothing: a context without capture gives the same bits.
TEST_P(LayerTest, CaptureOffGivesTheSameBits) {
  ContextPointer captured = makeContext(true), eager = makeContext(false);
  auto arguments = makeArguments(kLongest);
  std::vector<float> a = run(captured.get(), *arguments, kLongest, true);
  std::vector<float> b = run(eager.get(), *arguments, kLongest, true);
  EXPECT_EQ(a, b);
  EXPECT_EQ(getStatistics(eager).captures, 0);
}

// One token at a time equals the whole prompt, for two sizes of blocks.
TEST_P(LayerTest, OneTokenAtATime) {
  ContextPointer runtime = makeContext();
  std::vector<float> whole = read("output.70");
  for (int64_t blockSize : {3, 64}) {
    auto arguments = makeArguments(kLongest, blockSize);
    std::vector<int64_t> ones(kLongest, 1);
    EXPECT_LE(maxDifference(run(runtime.get(), *arguments, ones, true), whole),
              kSelfTolerance);
  }
}

// Lengths around the ends of windows. Attention is causal, so the rows of a
// shorter prompt are the first rows of a longer one.
TEST_P(LayerTest, RatioBoundaries) {
  ContextPointer runtime = makeContext();
  std::vector<float> longest = read("output.70");
  int64_t ratio = std::max<int64_t>(program->getRatio(), 4);
  for (int64_t length : {ratio - 1, ratio, ratio + 1, 2 * ratio}) {
    SCOPED_TRACE("length " + std::to_string(length));
    auto arguments = makeArguments(length);
    std::vector<float> output = run(runtime.get(), *arguments, length, true);
    EXPECT_LE(maxDifference(output,
                            ArrayRef<float>(longest).take_front(output.size())),
              kSelfTolerance);
  }
}

// No tokens: nothing runs, nothing is written.
TEST_P(LayerTest, ZeroTokensReturnAtOnce) {
  ContextPointer runtime = makeContext();
  auto arguments = makeArguments(0);
  EXPECT_TRUE(run(runtime.get(), *arguments, {0}, true).empty());
  EXPECT_EQ(getStatistics(runtime).launches, 0);
  EXPECT_EQ(getStatistics(runtime).breaks, 0);
}

// Slot -1 leaves every byte of every cache alone.
TEST_P(LayerTest, SlotMinusOneTouchesNoCache) {
  ContextPointer runtime = makeContext();
  auto arguments = makeArguments(kLongest);
  run(runtime.get(), *arguments, kLongest, false);
  // The caches hold a finished prompt; go over it again without slots.
  std::vector<std::pair<braid_tensor *, std::vector<char>>> caches;
  for (const ProgramArgument &argument : program->getArguments()) {
    braid_tensor *tensor = arguments->findTensor(argument.name);
    if (argument.isCache) {
      size_t bytes = tensor->sizes[0] * tensor->strides[0] * sizeof(float);
      auto *data = static_cast<const char *>(tensor->data);
      caches.emplace_back(tensor, std::vector<char>(data, data + bytes));
    }
    if (StringRef(argument.name).ends_with("_slots"))
      std::fill_n(static_cast<int64_t *>(tensor->data), kLongest, -1);
  }
  ASSERT_FALSE(caches.empty());
  braid_call call = arguments->getCall();
  ASSERT_EQ(braid_execute(runtime.get(), &call), BRAID_OK);
  ASSERT_EQ(braid_synchronize(runtime.get()), BRAID_OK)
      << braid_last_error(runtime.get());
  for (auto &[tensor, bytes] : caches)
    EXPECT_EQ(std::memcmp(tensor->data, bytes.data(), bytes.size()), 0);
}

// Metadata whose address may change: more stays eager, the numbers are the
// same.
TEST_P(LayerTest, TransientMetadataGivesTheSameBits) {
  ContextPointer runtime = makeContext();
  auto arguments = makeArguments(kLongest);
  std::vector<float> persistent =
      run(runtime.get(), *arguments, kLongest, true);
  arguments.reset();
  program = compile(std::get<2>(GetParam()), /*maxStreams=*/1,
                    /*narrow=*/false, MetadataLifetime::Transient);
  arguments = makeArguments(kLongest);
  EXPECT_EQ(persistent, run(runtime.get(), *arguments, kLongest, true));
}

// Every mode of the scheduler gives the serial program's bits: streams,
// narrowed or not, eager and captured, with random delays in every stream and a
// poisoned workspace, and once more with new inputs in the same buffers.
TEST_P(LayerTest, EveryScheduleGivesTheSameBits) {
  std::vector<float> serial;
  {
    ContextPointer runtime = makeContext();
    auto arguments = makeArguments(kLongest);
    serial = run(runtime.get(), *arguments, kChunks, false);
  }
  for (unsigned maxStreams : {1, 2, 3, 4})
    for (bool narrow : {false, true}) {
      SCOPED_TRACE(std::to_string(maxStreams) + " streams, " +
                   (narrow ? "narrowed" : "as written"));
      program = compile(std::get<2>(GetParam()), maxStreams, narrow);
      EXPECT_LE(program->getSummary().streams, maxStreams);
      for (uint64_t seed : {0, 1}) {
        ContextPointer runtime = makeContext(/*capture=*/true, seed);
        auto arguments = makeArguments(kLongest);
        EXPECT_EQ(serial, run(runtime.get(), *arguments, kChunks, false));
        EXPECT_EQ(serial, run(runtime.get(), *arguments, kChunks, true));
        EXPECT_EQ(serial, run(runtime.get(), *arguments, kChunks, true));
      }
    }
}

// Off means the program's own order, whatever was compiled: by the context, at
// every token count, and above the threshold.
TEST_P(LayerTest, TokenThresholdSwitchesOverlapOff) {
  program = compile(EagerForm::Wide, /*maxStreams=*/4, /*narrow=*/true);
  bool overlaps = program->getSummary().streams > 1;
  EXPECT_EQ(program->getSummary().tokenThreshold.has_value(), overlaps);
  for (int64_t threshold : {-1, 0, 36, 35}) {
    SCOPED_TRACE("threshold " + std::to_string(threshold));
    ContextPointer runtime =
        makeContext(/*capture=*/true, /*delaySeed=*/0, threshold);
    auto arguments = makeArguments(36);
    run(runtime.get(), *arguments, {36}, true);
    bool isOn = threshold == -1 || threshold == 36;
    EXPECT_EQ(getStatistics(runtime).streams > 1, overlaps && isOn);
  }
}

// The workspace that the header promises is what the runtime holds.
TEST_P(LayerTest, WorkspaceIsAsPromised) {
  ContextPointer runtime = makeContext();
  auto arguments = makeArguments(37);
  run(runtime.get(), *arguments, {37}, true);
  size_t bytes = 0;
  ASSERT_EQ(braid_workspace_size(program->getFunction(), 37, &bytes), BRAID_OK);
  EXPECT_GT(bytes, 0u);
  EXPECT_GE(getStatistics(runtime).workspace_bytes, int64_t(bytes));
}

static std::string getCaseName(const testing::TestParamInfo<Case> &info) {
  auto [model, layer, form] = info.param;
  return std::string(model) + "_" +
         (layer == 0   ? "swa"
          : layer == 1 ? "c4a"
                       : "c128a") +
         "_" +
         (form == EagerForm::Wide        ? "wide"
          : form == EagerForm::AfterNorm ? "after_norm"
                                         : "none");
}

INSTANTIATE_TEST_SUITE_P(Models, LayerTest,
                         testing::Combine(testing::Values("small", "odd"),
                                          testing::Range(0, 3),
                                          testing::Values(EagerForm::Wide,
                                                          EagerForm::AfterNorm,
                                                          EagerForm::None)),
                         getCaseName);
