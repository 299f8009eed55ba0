//===- SafetensorsTest.cpp - Tests of reading checkpoints -------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Round trips, hostile headers with the sentence for each, and checkpoints of
// several shards.
//
//===----------------------------------------------------------------------===//

#include "braid/Support/Safetensors.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace braid;
using namespace llvm;

namespace {

/// A file's contents: the length of `header`, `header`, `dataSize` bytes.
std::string makeFile(StringRef header, size_t dataSize = 0) {
  char length[8];
  support::endian::write64le(length, header.size());
  return std::string(length, 8) + header.str() + std::string(dataSize, '\0');
}

/// Parses contents under the name "f".
Expected<SafetensorsFile> parse(StringRef contents) {
  return SafetensorsFile::parse(MemoryBuffer::getMemBufferCopy(contents), "f");
}

/// The error in contents; empty if there is none.
std::string parseError(StringRef contents) {
  Expected<SafetensorsFile> file = parse(contents);
  return file ? "" : toString(file.takeError());
}

/// A tensor over the elements of an array.
template <typename T>
TensorView makeTensor(StringRef name, TensorType type, ArrayRef<int64_t> shape,
                      ArrayRef<T> elements) {
  TensorView tensor;
  tensor.name = name.str();
  tensor.type = type;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.data = ArrayRef<char>(reinterpret_cast<const char *>(elements.data()),
                               elements.size() * sizeof(T));
  return tensor;
}

/// A folder that is removed with everything in it.
class TemporaryFolder {
public:
  TemporaryFolder() {
    EXPECT_FALSE(sys::fs::createUniqueDirectory("safetensors", folder));
  }
  ~TemporaryFolder() { sys::fs::remove_directories(folder); }

  std::string path(StringRef file) const {
    SmallString<128> result = folder;
    sys::path::append(result, file);
    return std::string(result);
  }

  std::string write(StringRef file, StringRef contents) const {
    std::error_code error;
    raw_fd_ostream(path(file), error) << contents;
    EXPECT_FALSE(error);
    return path(file);
  }

private:
  SmallString<128> folder;
};

//===----------------------------------------------------------------------===//
// One file
//===----------------------------------------------------------------------===//

TEST(Safetensors, RoundTrip) {
  TemporaryFolder folder;
  std::string path = folder.path("a.safetensors");
  const std::vector<float> matrix = {1, 2, 3, 4, 5, 6};
  const std::vector<int64_t> scalar = {-7};
  const std::vector<uint8_t> bytes = {1, 2, 3};
  ASSERT_FALSE(bool(writeSafetensors(
      path,
      {makeTensor<uint8_t>("bytes", TensorType::U8, {3}, bytes),
       makeTensor<float>("matrix", TensorType::F32, {2, 3}, matrix),
       makeTensor<float>("empty", TensorType::F32, {0, 4}, {}),
       makeTensor<int64_t>("scalar", TensorType::I64, {}, scalar)},
      {{"lengths", "[1, 2]"}})));

  Expected<SafetensorsFile> file = SafetensorsFile::open(path);
  ASSERT_TRUE(bool(file)) << toString(file.takeError());
  EXPECT_EQ(file->getTensors().size(), 4u);
  EXPECT_EQ(file->getMetadata().at("lengths"), "[1, 2]");
  EXPECT_EQ(file->lookup("absent"), nullptr);

  // Behind three bytes, so at an odd address.
  const TensorView *found = file->lookup("matrix");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->type, TensorType::F32);
  EXPECT_EQ(found->shape, (SmallVector<int64_t, 4>{2, 3}));
  EXPECT_EQ(found->getNumElements(), 6);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(found->data.data()) % 4, 3u);
  Expected<std::vector<float>> elements = readElements<float>(*found);
  ASSERT_TRUE(bool(elements));
  EXPECT_EQ(*elements, matrix);

  EXPECT_EQ(file->lookup("empty")->data.size(), 0u);
  EXPECT_EQ(file->lookup("scalar")->getNumElements(), 1);
  EXPECT_EQ(cantFail(readElements<int64_t>(*file->lookup("scalar"))), scalar);

  Expected<std::vector<double>> wrong = readElements<double>(*found);
  EXPECT_EQ(toString(wrong.takeError()),
            "tensor 'matrix' has elements of type F32, expected a type of 64 "
            "bits");
  Expected<std::vector<float>> noFloat = readAsFloat(*file->lookup("scalar"));
  EXPECT_EQ(toString(noFloat.takeError()),
            "tensor 'scalar' has elements of type I64, expected a float of at "
            "most 32 bits");
}

TEST(Safetensors, ReadsFloatsOfEachType) {
  auto read = [](TensorType type, const auto &elements) {
    using T = std::decay_t<decltype(elements[0])>;
    return cantFail(readAsFloat(makeTensor<T>(
        "x", type, {static_cast<int64_t>(elements.size())}, elements)));
  };
  using Floats = std::vector<float>;
  EXPECT_EQ(read(TensorType::F32, Floats{1.5f, -0.1f}), (Floats{1.5f, -0.1f}));
  EXPECT_EQ(read(TensorType::BF16, std::vector<uint16_t>{0x3fc0, 0xc000}),
            (Floats{1.5f, -2}));
  EXPECT_EQ(read(TensorType::F16, std::vector<uint16_t>{0x3e00, 0x0001}),
            (Floats{1.5f, 0x1p-24f}));
  std::vector<uint8_t> bytes = {0x38, 0x7e, 0x01, 0xb8};
  EXPECT_EQ(read(TensorType::F8E4M3, bytes), (Floats{1, 448, 0x1p-9f, -1}));
  EXPECT_EQ(read(TensorType::F8E5M2, std::vector<uint8_t>{0x3c, 0x7b}),
            (Floats{1, 57344}));
  EXPECT_EQ(read(TensorType::F8E8M0, std::vector<uint8_t>{127, 128, 0}),
            (Floats{1, 2, 0x1p-127f}));
  const std::vector<uint8_t> ones = {255};
  EXPECT_TRUE(std::isnan(read(TensorType::F8E8M0, ones)[0]));
  EXPECT_TRUE(std::isnan(read(TensorType::F8E4M3, ones)[0]));
  EXPECT_TRUE(std::isnan(read(TensorType::F8E5M2, ones)[0]));
  EXPECT_TRUE(
      std::isinf(read(TensorType::F16, std::vector<uint16_t>{0x7c00})[0]));
}

TEST(Safetensors, KeepsOrderOfData) {
  Expected<SafetensorsFile> file = parse(makeFile(
      R"({"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]},
          "a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})",
      3));
  ASSERT_TRUE(bool(file)) << toString(file.takeError());
  EXPECT_EQ(file->getTensors()[0].name, "a");
  EXPECT_EQ(file->getTensors()[1].name, "b");
  EXPECT_TRUE(file->getMetadata().empty());
}

TEST(Safetensors, PackedTypesAreBytes) {
  Expected<SafetensorsFile> file = parse(makeFile(
      R"({"a":{"dtype":"F4","shape":[3,2],"data_offsets":[0,3]}})", 3));
  ASSERT_TRUE(bool(file)) << toString(file.takeError());
  EXPECT_EQ(file->lookup("a")->data.size(), 3u);
}

TEST(Safetensors, NamesAndBitsOfTypes) {
  EXPECT_EQ(getTensorTypeName(TensorType::Bool), "BOOL");
  EXPECT_EQ(getTensorTypeName(TensorType::F8E8M0), "F8_E8M0");
  EXPECT_EQ(getTensorTypeName(TensorType::F6E3M2), "F6_E3M2");
  EXPECT_EQ(getTensorTypeBits(TensorType::BF16), 16u);
  EXPECT_EQ(getTensorTypeBits(TensorType::F64), 64u);
}

TEST(Safetensors, ExplainsHostileFiles) {
  EXPECT_EQ(parseError(""), "f: the file has 0 bytes, expected a safetensors "
                            "file of at least 8 bytes");
  EXPECT_EQ(parseError("1234567"), "f: the file has 7 bytes, expected a "
                                   "safetensors file of at least 8 bytes");
  EXPECT_EQ(parseError(StringRef("\x10\0\0\0\0\0\0\0{}", 10)),
            "f: the header's length is 16, expected at most the 2 bytes that "
            "follow it in the file (is it truncated?)");
  EXPECT_EQ(parseError("\xff\xff\xff\xff\xff\xff\xff\xff{}"),
            "f: the header's length is 18446744073709551615, expected at most "
            "100000000 bytes (is this a safetensors file?)");

  struct {
    StringRef header;
    size_t dataSize;
    StringRef error;
  } table[] = {
      {"", 0, "f (header): the text is empty, expected a JSON object"},
      {"[]", 0, "f (header): the text is [], expected a JSON object"},
      {"{\"a\"", 0,
       "f (header):1:5: the text ends inside a JSON value, expected the rest "
       "of it (is the file truncated?)"},
      {"{}", 1,
       "f: the file holds 1 bytes of data, expected the 0 bytes of its "
       "tensors"},
      {R"({"a":3})", 0,
       "f: tensor 'a': its entry is 3, expected an object with dtype, shape "
       "and data_offsets"},
      {R"({"a":{"dtype":"F32","data_offsets":[0,0]}})", 0,
       "f: tensor 'a': its entry has no 'shape', expected dtype, shape and "
       "data_offsets"},
      {R"({"a":{"dtype":"F33","shape":[],"data_offsets":[0,4]}})", 4,
       "f: tensor 'a': dtype is \"F33\", expected one of the format's such as "
       "\"F32\" or \"BF16\""},
      {R"({"a":{"dtype":32,"shape":[],"data_offsets":[0,4]}})", 4,
       "f: tensor 'a': dtype is 32, expected one of the format's such as "
       "\"F32\" or \"BF16\""},
      {R"({"a":{"dtype":"F32","shape":1,"data_offsets":[0,4]}})", 4,
       "f: tensor 'a': shape is 1, expected an array of sizes"},
      {R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4,
       "f: tensor 'a': shape has the size -1, expected an integer of at least "
       "0"},
      {R"({"a":{"dtype":"F32","shape":[-1,-1],"data_offsets":[0,4]}})", 4,
       "f: tensor 'a': shape has the size -1, expected an integer of at least "
       "0"},
      {R"({"a":{"dtype":"F32","shape":[0.5],"data_offsets":[0,4]}})", 4,
       "f: tensor 'a': shape has the size 0.5, expected an integer of at least "
       "0"},
      {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],)"
       R"("data_offsets":[0,4]}})",
       4,
       "f: tensor 'a': shape [4294967296,4294967296] of type F32 is too large "
       "or does not fill whole bytes, expected a size in bytes that fits 63 "
       "bits"},
      {R"({"a":{"dtype":"F4","shape":[3],"data_offsets":[0,1]}})", 1,
       "f: tensor 'a': shape [3] of type F4 is too large or does not fill "
       "whole bytes, expected a size in bytes that fits 63 bits"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4,
       "f: tensor 'a': data_offsets is [0], expected two integers [begin, end] "
       "with 0 <= begin <= end"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4,
       "f: tensor 'a': data_offsets is [4,0], expected two integers [begin, "
       "end] with 0 <= begin <= end"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}})", 4,
       "f: tensor 'a': data_offsets is [-4,0], expected two integers [begin, "
       "end] with 0 <= begin <= end"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 3,
       "f: tensor 'a': data_offsets is [0,4], expected an end within the 3 "
       "bytes of data in the file (is it truncated?)"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4,
       "f: tensor 'a': data_offsets is [0,4], expected 8 bytes for shape [2] "
       "of type F32"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
       R"("b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})",
       6,
       "f: tensor 'b' begins at byte 2 of the data, expected byte 4 where the "
       "tensor before it ends (they overlap)"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
       R"("b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
       4,
       "f: tensor 'b' begins at byte 0 of the data, expected byte 4 where the "
       "tensor before it ends (they overlap)"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8,
       "f: tensor 'a' begins at byte 4 of the data, expected byte 0 where the "
       "tensor before it ends (there is a hole)"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
       R"("a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
       2,
       "f (header):1:54: the key \"a\" occurs twice in one object, expected "
       "once"},
      {R"({"a":{"dtype":"F32","shape":[1],)"
       R"("data_offsets":[9223372036854775804,9223372036854775808]}})",
       4,
       "f: tensor 'a': data_offsets is "
       "[9223372036854775804,9223372036854775808], expected two integers "
       "[begin, end] with 0 <= begin <= end"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[1.5,2.5]}})", 4,
       "f: tensor 'a': data_offsets is [1.5,2.5], expected two integers "
       "[begin, end] with 0 <= begin <= end"},
      {R"({"a":{"dtype":"F32","shape":[1],)"
       R"("data_offsets":[0,9223372036854774784]}})",
       4,
       "f: tensor 'a': data_offsets is [0,9223372036854774784], expected an "
       "end within the 4 bytes of data in the file (is it truncated?)"},
      {R"({"a":{"dtype":"F32","shape":[4611686018427387904,2,0],)"
       R"("data_offsets":[0,0]}})",
       0,
       "f: tensor 'a': shape [4611686018427387904,2,0] of type F32 is too "
       "large or does not fill whole bytes, expected a size in bytes that fits "
       "63 bits"},
      {R"({"a":{"dtype":"F32","shape":[9223372036854775808],)"
       R"("data_offsets":[0,4]}})",
       4,
       "f: tensor 'a': shape has the size 9223372036854775808, expected an "
       "integer of at least 0"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},)"
       R"("b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
       R"("c":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
       3,
       "f: tensor 'c' begins at byte 1 of the data, expected byte 2 where the "
       "tensor before it ends (they overlap)"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
       R"("\u0061":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
       2,
       "f (header):1:54: the key \"a\" occurs twice in one object, expected "
       "once"},
      {"{\"a\xff\":1}", 0,
       "f (header):1:3: no valid JSON: Invalid UTF-8 sequence"},
      {StringRef("{\0}", 3), 0,
       "f (header):1:2: no valid JSON: Expected object key"},
      {R"({"__metadata__":[]})", 0,
       "f: '__metadata__' is [], expected an object of strings"},
      {R"({"__metadata__":{"k":1}})", 0,
       "f: '__metadata__.k' is 1, expected a string"},
  };
  for (const auto &entry : table)
    EXPECT_EQ(parseError(makeFile(entry.header, entry.dataSize)),
              entry.error.str())
        << entry.header.str();
}

TEST(Safetensors, NestingOfTheHeaderIsLimited) {
  std::string deep = "{\"a\":" + std::string(1000000, '[') + "}";
  EXPECT_EQ(parseError(makeFile(deep)),
            "f (header):1:69: nested more deeply than the expected 64 levels "
            "at most");
}

// The length is believed only up to the end of the file.
TEST(Safetensors, LengthOfTheHeader) {
  for (uint64_t length :
       {uint64_t(3), uint64_t(100'000'000), uint64_t(100'000'001),
        uint64_t(INT64_MAX), UINT64_MAX - 7}) {
    std::string file(8, '\0');
    support::endian::write64le(file.data(), length);
    std::string error = parseError(file + "{}");
    EXPECT_TRUE(StringRef(error).starts_with("f: the header's length is " +
                                             std::to_string(length) +
                                             ", expected at most "))
        << error;
  }
}

TEST(Safetensors, DamagedFilesNeverCrash) {
  std::string good =
      makeFile(R"({"__metadata__":{"a":"b"},)"
               R"("x":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
               R"("y":{"dtype":"BF16","shape":[4],"data_offsets":[24,32]}})",
               32);
  ASSERT_EQ(parseError(good), "");
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(parseError(StringRef(good).take_front(size)), "") << size;
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bad = good;
    for (int change = random() % 4; change >= 0; --change)
      bad[random() % bad.size()] = static_cast<char>(random());
    Expected<SafetensorsFile> file = parse(bad);
    if (!file) {
      consumeError(file.takeError());
      continue;
    }
    for (const TensorView &tensor : file->getTensors()) {
      int sum = 0;
      for (char byte : tensor.data)
        sum += byte;
      EXPECT_EQ(sum, sum);
    }
  }
}

TEST(Safetensors, UnreadableFile) {
  Expected<SafetensorsFile> file = SafetensorsFile::open("no/such/file");
  EXPECT_EQ(toString(file.takeError()),
            "no/such/file: cannot be read: No such file or directory");
  TemporaryFolder folder;
  std::string path = folder.path("");
  file = SafetensorsFile::open(path);
  EXPECT_EQ(toString(file.takeError()),
            path + ": cannot be read: Is a directory");
  std::string empty = folder.write("empty", "");
  file = SafetensorsFile::open(empty);
  EXPECT_EQ(toString(file.takeError()),
            empty + ": the file has 0 bytes, expected a safetensors file of at "
                    "least 8 bytes");
}

TEST(Safetensors, ExplainsWhatCannotBeWritten) {
  TemporaryFolder folder;
  std::string path = folder.path("a.safetensors");
  auto write = [&](ArrayRef<TensorView> tensors) {
    std::string error = toString(writeSafetensors(path, tensors));
    EXPECT_FALSE(sys::fs::exists(path));
    return StringRef(error).drop_front(path.size()).str();
  };
  const std::vector<float> two = {1, 2};
  EXPECT_EQ(write({makeTensor<float>("a", TensorType::F32, {3}, two)}),
            ": tensor 'a' cannot be written: it has 8 bytes of data, expected "
            "what shape [3] of type F32 needs");
  EXPECT_EQ(write({makeTensor<float>("a", TensorType::F32, {-1, -2}, two)}),
            ": tensor 'a' cannot be written: it has 8 bytes of data, expected "
            "what shape [-1, -2] of type F32 needs");
  TensorView good = makeTensor<float>("a", TensorType::F32, {2}, two);
  EXPECT_EQ(write({good, good}),
            ": tensor 'a' cannot be written: expected each name once");
  good.name = "__metadata__";
  EXPECT_EQ(write({good}), ": tensor '__metadata__' cannot be written: "
                           "expected a name in UTF-8 other than "
                           "'__metadata__'");
  good.name = "a";
  path = folder.path("no/such/folder");
  EXPECT_TRUE(StringRef(write({good})).starts_with(": cannot be written: "));
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

/// Two shards and their index; a third shard is listed, but not there.
class CheckpointTest : public testing::Test {
protected:
  void SetUp() override {
    const std::vector<float> values = {1, 2};
    auto write = [&](StringRef file, ArrayRef<StringRef> names) {
      std::vector<TensorView> tensors;
      for (StringRef name : names)
        tensors.push_back(
            makeTensor<float>(name, TensorType::F32, {2}, values));
      ASSERT_FALSE(bool(writeSafetensors(folder.path(file), tensors)));
    };
    write("1.safetensors",
          {"layers.0.attn.wq_a.weight", "layers.0.attn.wq_b.weight"});
    write("2.safetensors",
          {"layers.1.attn.wq_a.weight", "layers.1.attn.wo_a.weight"});
    index = folder.write("model.safetensors.index.json", R"({
      "metadata": {"total_size": 32},
      "weight_map": {
        "layers.0.attn.wq_a.weight": "1.safetensors",
        "layers.0.attn.wq_b.weight": "1.safetensors",
        "layers.1.attn.wq_a.weight": "2.safetensors",
        "layers.1.attn.wo_a.weight": "2.safetensors",
        "layers.1.attn.wo_b.weight": "2.safetensors",
        "head": "3.safetensors"
      }})");
  }

  Checkpoint open(StringRef path) {
    Expected<Checkpoint> checkpoint = Checkpoint::open(path);
    if (!checkpoint)
      report_fatal_error(checkpoint.takeError());
    return std::move(*checkpoint);
  }

  TemporaryFolder folder;
  std::string index;
};

TEST_F(CheckpointTest, SingleFile) {
  Checkpoint checkpoint = open(folder.path("1.safetensors"));
  EXPECT_TRUE(checkpoint.contains("layers.0.attn.wq_b.weight"));
  EXPECT_FALSE(checkpoint.contains("layers.1.attn.wq_a.weight"));
  EXPECT_EQ(checkpoint.getNames(),
            (std::vector<StringRef>{"layers.0.attn.wq_a.weight",
                                    "layers.0.attn.wq_b.weight"}));
  TensorView tensor = cantFail(checkpoint.lookup("layers.0.attn.wq_b.weight"));
  EXPECT_EQ(cantFail(readElements<float>(tensor)), (std::vector<float>{1, 2}));
}

TEST_F(CheckpointTest, Shards) {
  Checkpoint checkpoint = open(index);
  EXPECT_EQ(checkpoint.getNames().size(), 6u);
  TensorView first = cantFail(checkpoint.lookup("layers.0.attn.wq_a.weight"));
  TensorView second = cantFail(checkpoint.lookup("layers.1.attn.wo_a.weight"));
  // A view stays valid when further shards are opened, and when the
  // checkpoint moves.
  Checkpoint moved = std::move(checkpoint);
  EXPECT_EQ(cantFail(readElements<float>(first)), (std::vector<float>{1, 2}));
  EXPECT_EQ(second.name, "layers.1.attn.wo_a.weight");
  TensorView found = cantFail(moved.lookup(
      {std::string("absent"), std::string("layers.1.attn.wq_a.weight")}));
  EXPECT_EQ(found.name, "layers.1.attn.wq_a.weight");
}

TEST_F(CheckpointTest, ExplainsMissingTensors) {
  Checkpoint checkpoint = open(index);
  auto error = [](Expected<TensorView> tensor) {
    return tensor ? "" : toString(tensor.takeError());
  };
  EXPECT_EQ(error(checkpoint.lookup("layers.0.attn.wq_c.weight")),
            index + ": no tensor 'layers.0.attn.wq_c.weight' among the 6 "
                    "there, nearest: 'layers.0.attn.wq_a.weight', "
                    "'layers.0.attn.wq_b.weight', "
                    "'layers.1.attn.wq_a.weight'");
  EXPECT_EQ(error(checkpoint.lookup("x")),
            index + ": no tensor 'x' among the 6 there");
  EXPECT_EQ(error(checkpoint.lookup("")),
            index + ": no tensor '' among the 6 there");
  EXPECT_EQ(error(checkpoint.lookup({std::string("y"), std::string("heat")})),
            index + ": no tensor 'y' or 'heat' among the 6 there, nearest: "
                    "'head'");
  EXPECT_EQ(error(checkpoint.lookup("layers.1.attn.wo_b.weight")),
            index + ": tensor 'layers.1.attn.wo_b.weight' is listed in "
                    "'2.safetensors', expected to find it among the 2 tensors "
                    "of that file");
  EXPECT_EQ(error(checkpoint.lookup("head")),
            folder.path("3.safetensors") +
                ": cannot be read: No such file or directory");
}

TEST_F(CheckpointTest, ExplainsBadIndexes) {
  const std::pair<std::string, std::string> table[] = {
      {"{}", "'weight_map' is missing, expected an object that maps tensors to "
             "files"},
      {R"({"weight_map": []})", "'weight_map' is [], expected an object that "
                                "maps tensors to files"},
      {R"({"weight_map": {"a": 1}})",
       "'weight_map.a' is 1, expected the name of a file beside the index, "
       "without separators or '..'"},
      {"[]", "the text is [], expected a JSON object"},
  };
  auto openError = [&](StringRef text) {
    std::string path = folder.write("bad.json", text);
    Expected<Checkpoint> checkpoint = Checkpoint::open(path);
    EXPECT_FALSE(bool(checkpoint)) << text.str();
    std::string error = checkpoint ? "" : toString(checkpoint.takeError());
    return StringRef(error).drop_front(path.size() + 2).str();
  };
  for (const auto &[text, error] : table)
    EXPECT_EQ(openError(text), error);
  for (StringRef name :
       {"../a", "/etc/passwd", "a/b", "..", ".", "", "a\\\\b", "a\\u0000b"})
    EXPECT_TRUE(
        StringRef(
            openError(("{\"weight_map\": {\"a\": \"" + name + "\"}}").str()))
            .contains("expected the name of a file beside the index"))
        << name.str();
}

} // namespace
