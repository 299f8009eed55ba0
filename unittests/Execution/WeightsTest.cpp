//===- WeightsTest.cpp - Weights as they are published ----------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes made-up weights under their published names and in their published
// types, and loads them again.
//
//===----------------------------------------------------------------------===//

#include "BatchTesting.h"
#include "braid/Import/WeightNames.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"

#include <cmath>

using namespace llvm;
using namespace braid;
using namespace braid::testing;

namespace {

class WeightsTest : public BatchTest {
protected:
  void SetUp() override {
    BatchTest::SetUp();
    program = compile({});
    batch.requests = {makeRequest("prompt", 9)};
    SmallString<128> path;
    ASSERT_FALSE(sys::fs::createTemporaryFile("weights", "safetensors", path));
    file = std::make_unique<FileRemover>(path);
    this->path = path.str().str();
  }

  /// A checkpoint with the weights of `arguments`. Scales are written in
  /// `scaleType`, e8m0 or f32.
  std::vector<TensorView> getTensors(BatchArguments &arguments,
                                     TensorType scaleType);

  Expected<std::unique_ptr<BatchArguments>> load() {
    checkpoint.reset();
    checkpoint = std::make_unique<Checkpoint>(unwrap(Checkpoint::open(path)));
    ArgumentSources sources;
    sources.seed = 3; // for inputs
    sources.checkpoint = checkpoint.get();
    int64_t layer = std::get<0>(GetParam());
    sources.spellings = [=](StringRef name) {
      return getWeightSpellings(name, layer);
    };
    return BatchArguments::create(*program, batch, sources);
  }

  std::unique_ptr<Program> program;
  Batch batch;
  std::unique_ptr<FileRemover> file;
  std::string path;
  std::unique_ptr<Checkpoint> checkpoint;
  std::vector<std::vector<float>> floatScales;
};

std::vector<TensorView> WeightsTest::getTensors(BatchArguments &arguments,
                                                TensorType scaleType) {
  std::vector<TensorView> views;
  for (const ProgramArgument &argument : program->getArguments()) {
    const braid_tensor &tensor = *arguments.findTensor(argument.name);
    const char *data = static_cast<const char *>(tensor.data);
    int64_t rows = argument.shape[0];
    for (auto [index, name] : enumerate(argument.weights)) {
      TensorView &view = views.emplace_back();
      view.name = getWeightSpellings(name, std::get<0>(GetParam())).front();
      view.shape.assign(argument.shape.begin(), argument.shape.end());
      // Of two tensors in one argument wq_a has the rows of the rank, or a
      // row of scales; else both have half.
      if (argument.weights.size() == 2) {
        int64_t first = argument.name == "wq_a_wkv" ? config.qLoraRank
                        : argument.name == "wq_a_wkv_scale"
                            ? config.qLoraRank / 128
                            : rows / 2;
        view.shape[0] = index == 0 ? first : rows - first;
      }
      int64_t count = view.getNumElements();
      int64_t bytes = argument.dtype == BRAID_F32    ? 4
                      : argument.dtype == BRAID_BF16 ? 2
                                                     : 1;
      view.type = argument.dtype == BRAID_F32      ? TensorType::F32
                  : argument.dtype == BRAID_BF16   ? TensorType::BF16
                  : argument.dtype == BRAID_F8E4M3 ? TensorType::F8E4M3
                                                   : TensorType::F8E8M0;
      view.data = {data, size_t(count * bytes)};
      if (view.type == TensorType::F8E8M0 && scaleType == TensorType::F32) {
        std::vector<float> &scales = floatScales.emplace_back();
        for (char byte : view.data)
          scales.push_back(std::ldexp(1.0f, uint8_t(byte) - 127));
        view.type = TensorType::F32;
        view.data = {reinterpret_cast<const char *>(scales.data()),
                     scales.size() * sizeof(float)};
      }
      data += count * bytes;
    }
  }
  return views;
}

// What is loaded gives the same output as what was written, with scales in
// either type.
TEST_P(WeightsTest, LoadAsPublished) {
  auto madeUp = makeArguments(*program, batch);
  ContextPointer runtime = makeContext();
  Outputs expected = run(runtime.get(), *madeUp);
  for (TensorType scaleType : {TensorType::F8E8M0, TensorType::F32}) {
    ASSERT_FALSE(
        errorToBool(writeSafetensors(path, getTensors(*madeUp, scaleType))));
    auto loaded = unwrap(load());
    EXPECT_EQ(loaded->getWeightBytes(), madeUp->getWeightBytes());
    EXPECT_EQ(run(runtime.get(), *loaded), expected);
  }
}

class Fp8WeightsTest : public WeightsTest {};

// Scales of the wrong kind, weights that are not quantized, or no scales.
TEST_P(Fp8WeightsTest, RejectsOtherForms) {
  auto madeUp = makeArguments(*program, batch);
  auto expectError = [&](const std::vector<TensorView> &tensors,
                         StringRef part) {
    ASSERT_FALSE(errorToBool(writeSafetensors(path, tensors)));
    auto loaded = load();
    ASSERT_FALSE(bool(loaded));
    std::string text = toString(loaded.takeError());
    EXPECT_NE(text.find(part.str()), std::string::npos) << text;
  };
  std::string layer =
      "layers." + std::to_string(std::get<0>(GetParam())) + ".attn.";
  auto find = [&](std::vector<TensorView> &tensors, StringRef name) {
    return find_if(tensors, [&](const TensorView &view) {
      return view.name == layer + name.str();
    });
  };
  std::vector<TensorView> tensors = getTensors(*madeUp, TensorType::F32);
  std::vector<float> scales(find(tensors, "wq_b.scale")->getNumElements(), 0.3);
  find(tensors, "wq_b.scale")->data = {
      reinterpret_cast<const char *>(scales.data()),
      scales.size() * sizeof(float)};
  expectError(tensors, "wq_b.scale' has the scale 0.3");

  tensors = getTensors(*madeUp, TensorType::F8E8M0);
  tensors.erase(find(tensors, "wq_b.scale"));
  expectError(tensors, "wq_b.scale");

  tensors = getTensors(*madeUp, TensorType::F8E8M0);
  std::vector<char> wide(find(tensors, "wq_b.weight")->getNumElements() * 2);
  find(tensors, "wq_b.weight")->type = TensorType::BF16;
  find(tensors, "wq_b.weight")->data = wide;
  expectError(tensors, "wq_b.weight' has type BF16, expected F8_E4M3");
}

INSTANTIATE_TEST_SUITE_P(
    Forms, WeightsTest,
    ::testing::Combine(::testing::Range(0, 3),
                       ::testing::Values(WeightType::F32, WeightType::BF16,
                                         WeightType::FP8),
                       ::testing::Values(CacheForm::Plain)),
    getFormName);
INSTANTIATE_TEST_SUITE_P(Forms, Fp8WeightsTest,
                         ::testing::Values(Form(1, WeightType::FP8,
                                                CacheForm::Plain)),
                         getFormName);

} // namespace
