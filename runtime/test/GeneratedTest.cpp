//===- GeneratedTest.cpp - Calls with generated structs -------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls that take a struct as the header of a compiled model declares it,
// with such a struct and with what is wrong about one.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <cstring>

using namespace braid::test;

namespace {
/// What the header of a function with two arguments declares.
struct PairArguments {
  size_t struct_size;
  braid_tensor x, y;
};

/// The same before the function got its second argument.
struct OldArguments {
  size_t struct_size;
  braid_tensor x;
};

braid_status prepareOneBucket(braid_context *context,
                              const braid_function *function,
                              const void *arguments, void *stream) {
  const int64_t count = 3;
  return braid_prepare_buckets_arguments(context, function, arguments, &count,
                                         1, stream);
}

/// Each call that takes a generated struct.
constexpr decltype(&braid_prepare_arguments) allCalls[] = {
    braid_prepare_arguments, prepareOneBucket, braid_execute_arguments};

/// A function that counts how often it runs, and one call of it.
class GeneratedTest : public testing::Test {
protected:
  Context context;
  int calls = 0;
  Function pair{"pair",
                {{"x", BRAID_F32, {BRAID_SIZE_TOKENS, 4}},
                 {"y", BRAID_F32, {BRAID_SIZE_TOKENS, 4}}},
                [this](braid_frame *, const braid_tensor *tensors) {
                  ++calls;
                  EXPECT_EQ(tensors[0].data, x.data.data());
                  EXPECT_EQ(tensors[1].data, y.data.data());
                }};
  Floats x{{3, 4}}, y{{3, 4}};
  PairArguments arguments = {sizeof(PairArguments), x.tensor, y.tensor};
};
} // namespace

TEST_F(GeneratedTest, PreparesAndExecutes) {
  EXPECT_EQ(
      braid_prepare_arguments(context, &pair.function, &arguments, nullptr),
      BRAID_OK);
  int prepared = calls;
  EXPECT_GT(prepared, 0);
  EXPECT_EQ(
      braid_execute_arguments(context, &pair.function, &arguments, nullptr),
      BRAID_OK);
  EXPECT_GT(calls, prepared);
}

TEST_F(GeneratedTest, ExecuteNeedsThePreparedArguments) {
  Context strict(
      [](braid_context_options &options) { options.require_prepared = 1; });
  EXPECT_EQ(
      braid_execute_arguments(strict, &pair.function, &arguments, nullptr),
      BRAID_NOT_PREPARED);
  EXPECT_EQ(
      braid_prepare_arguments(strict, &pair.function, &arguments, nullptr),
      BRAID_OK);
  EXPECT_EQ(
      braid_execute_arguments(strict, &pair.function, &arguments, nullptr),
      BRAID_OK);
}

TEST_F(GeneratedTest, NullPointers) {
  for (auto call : allCalls) {
    EXPECT_EQ(call(nullptr, &pair.function, &arguments, nullptr),
              BRAID_INVALID_ARGUMENT);
    EXPECT_STREQ(braid_last_error(nullptr), "the context is NULL");
    EXPECT_EQ(call(context, nullptr, &arguments, nullptr),
              BRAID_INVALID_ARGUMENT);
    EXPECT_EQ(context.error(), "the function is NULL");
    EXPECT_EQ(call(context, &pair.function, nullptr, nullptr),
              BRAID_INVALID_ARGUMENT);
    EXPECT_EQ(context.error(), "the arguments of pair are NULL");
  }
  EXPECT_EQ(calls, 0);
}

TEST_F(GeneratedTest, WrongStructSize) {
  // Never initialized, one byte off, and the header of an older library.
  OldArguments old = {sizeof(old), x.tensor};
  arguments.struct_size = 0;
  PairArguments off = arguments;
  off.struct_size = sizeof(off) + 1;
  for (auto call : allCalls) {
    for (const void *wrong : {static_cast<const void *>(&old),
                              static_cast<const void *>(&arguments),
                              static_cast<const void *>(&off)}) {
      EXPECT_EQ(call(context, &pair.function, wrong, nullptr),
                BRAID_INVALID_ARGUMENT);
      EXPECT_EQ(context.error(),
                "struct_size of pair_arguments is " +
                    std::to_string(*static_cast<const size_t *>(wrong)) +
                    ", expected " + std::to_string(sizeof(PairArguments)) +
                    "; call pair_initialize first, and use the header that was "
                    "written together with the compiled library");
    }
  }
  EXPECT_EQ(calls, 0);
}

TEST_F(GeneratedTest, FunctionsAreCheckedFirst) {
  pair.function.abi_minor = BRAID_ABI_MINOR + 1;
  EXPECT_EQ(
      braid_prepare_arguments(context, &pair.function, &arguments, nullptr),
      BRAID_ABI_MISMATCH);
  pair.function.abi_minor = BRAID_ABI_MINOR;
  pair.function.arguments = nullptr;
  EXPECT_EQ(
      braid_prepare_arguments(context, &pair.function, &arguments, nullptr),
      BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(calls, 0);
}

TEST_F(GeneratedTest, TensorsAreChecked) {
  arguments.y.sizes[1] = 5;
  EXPECT_EQ(
      braid_execute_arguments(context, &pair.function, &arguments, nullptr),
      BRAID_INVALID_ARGUMENT);
  EXPECT_EQ(context.error(), "argument 1 'y' of pair: size 1 is 5, expected 4");
  arguments.y.sizes[1] = 4;
  arguments.x.data = nullptr;
  EXPECT_EQ(
      braid_execute_arguments(context, &pair.function, &arguments, nullptr),
      BRAID_INVALID_ARGUMENT);
  EXPECT_NE(context.error().find("argument 0 'x' of pair"), std::string::npos);
  EXPECT_EQ(calls, 0);
}

TEST(Tensor, SetDense) {
  braid_tensor tensor = {};
  tensor.rank = 3;
  tensor.sizes[0] = 2;
  tensor.sizes[1] = 5;
  tensor.sizes[2] = 7;
  tensor.data = &tensor;
  braid_tensor_set_dense(&tensor);
  EXPECT_EQ(tensor.strides[0], 35);
  EXPECT_EQ(tensor.strides[1], 7);
  EXPECT_EQ(tensor.strides[2], 1);
  EXPECT_EQ(tensor.strides[3], 0);
  EXPECT_EQ(tensor.data, &tensor);
  braid_tensor_set_dense(nullptr);
  braid_tensor before = tensor;
  for (int32_t rank : {-1, 0, BRAID_MAX_RANK + 1}) {
    tensor.rank = before.rank = rank;
    braid_tensor_set_dense(&tensor);
    EXPECT_EQ(std::memcmp(&before, &tensor, sizeof(tensor)), 0);
  }
}
