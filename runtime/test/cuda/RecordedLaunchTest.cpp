//===- RecordedLaunchTest.cpp - Launches of a library, repeated -----------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is recorded and what is not. That records of products compute the same
// as the products is in GemmTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "cuda/RecordedLaunch.h"
#include "DeviceTest.h"

#include "cuda/GemmKernels.h"

#include <gtest/gtest.h>
#include <vector>

using namespace braid::runtime;

namespace {
class RecordedLaunches : public testing::Test {
protected:
  static constexpr int64_t Count = 300;

  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
      GTEST_SKIP() << "this machine has no GPU";
    ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ASSERT_CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    ASSERT_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    for (void **piece : {&first, &second})
      ASSERT_CUDA(cudaMalloc(piece, Count * sizeof(float)));
  }
  void TearDown() override {
    for (void *piece : {first, second})
      (void)cudaFree(piece);
    if (event)
      (void)cudaEventDestroy(event);
    for (cudaStream_t made : {stream, other})
      if (made)
        (void)cudaStreamDestroy(made);
  }

  /// Enqueues a kernel that writes random numbers, the same each time.
  Error fill(void *memory, cudaStream_t on) {
    return launchFill(memory, BRAID_F32, Count, on) == cudaSuccess
               ? Error::success()
               : Error(BRAID_KERNEL_FAILED, "the kernel was not launched");
  }

  std::vector<float> read(const void *memory) {
    std::vector<float> values(Count);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(values.data(), memory, Count * sizeof(float),
                         cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
  }

  std::unique_ptr<RecordedLaunch> record(const std::function<Error()> &work) {
    std::unique_ptr<RecordedLaunch> recorded;
    Error error = RecordedLaunch::record(stream, work, recorded);
    EXPECT_FALSE(error) << error.text();
    return recorded;
  }

  cudaStream_t stream = nullptr, other = nullptr;
  cudaEvent_t event = nullptr;
  void *first = nullptr, *second = nullptr;
};
} // namespace

// Recording runs nothing; a launch runs all kernels in order, on any stream.
TEST_F(RecordedLaunches, KernelsInARow) {
  for (void *piece : {first, second})
    ASSERT_CUDA(cudaMemset(piece, 0, Count * sizeof(float)));
  std::unique_ptr<RecordedLaunch> recorded = record([&]() -> Error {
    if (Error error = fill(first, stream))
      return error;
    return fill(second, stream);
  });
  ASSERT_TRUE(recorded);
  EXPECT_EQ(read(first), std::vector<float>(Count));
  Error error = recorded->launch(other);
  EXPECT_FALSE(error) << error.text();
  EXPECT_NE(read(first), std::vector<float>(Count));
  EXPECT_EQ(read(first), read(second));
}

// Its launches can be captured as well.
TEST_F(RecordedLaunches, InACapture) {
  std::unique_ptr<RecordedLaunch> recorded =
      record([&] { return fill(first, stream); });
  ASSERT_TRUE(recorded);
  ASSERT_CUDA(cudaMemset(first, 0, Count * sizeof(float)));
  ASSERT_CUDA(cudaStreamBeginCapture(other, cudaStreamCaptureModeThreadLocal));
  Error error = recorded->launch(other);
  EXPECT_FALSE(error) << error.text();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_CUDA(cudaStreamEndCapture(other, &graph));
  ASSERT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  recorded.reset(); // the graph has its own parameters
  EXPECT_EQ(read(first), std::vector<float>(Count));
  ASSERT_CUDA(cudaGraphLaunch(executable, other));
  EXPECT_NE(read(first), std::vector<float>(Count));
  ASSERT_CUDA(cudaGraphExecDestroy(executable));
  ASSERT_CUDA(cudaGraphDestroy(graph));
}

// What is more than kernels in a row has no record: something else than a
// kernel, a fork, and nothing at all.
TEST_F(RecordedLaunches, OtherWork) {
  EXPECT_FALSE(record([] { return Error::success(); }));
  EXPECT_FALSE(record([&]() -> Error {
    EXPECT_EQ(cudaMemsetAsync(first, 0, Count * sizeof(float), stream),
              cudaSuccess);
    return fill(second, stream);
  }));
  EXPECT_FALSE(record([&]() -> Error {
    EXPECT_EQ(cudaEventRecord(event, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(other, event, 0), cudaSuccess);
    Error error = fill(first, other);
    EXPECT_EQ(cudaEventRecord(event, other), cudaSuccess);
    Error another = fill(second, stream);
    EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaSuccess);
    return error ? std::move(error) : std::move(another);
  }));
}

// A failure while recording is returned, and the stream can be used further.
TEST_F(RecordedLaunches, Failures) {
  std::unique_ptr<RecordedLaunch> recorded;
  Error error = RecordedLaunch::record(
      stream, [] { return Error(BRAID_UNSUPPORTED, "not this"); }, recorded);
  EXPECT_EQ(error.status(), BRAID_UNSUPPORTED);
  EXPECT_EQ(error.text(), "not this");
  EXPECT_FALSE(recorded);
  // What must not be in a capture ends it.
  error = RecordedLaunch::record(
      stream,
      [&] {
        EXPECT_NE(cudaStreamSynchronize(stream), cudaSuccess);
        return Error::success();
      },
      recorded);
  EXPECT_TRUE(error);
  EXPECT_FALSE(recorded);
  EXPECT_TRUE(record([&] { return fill(first, stream); }));
  ASSERT_CUDA(cudaStreamSynchronize(stream));
}

// The bound of records, and what tells launches apart.
TEST_F(RecordedLaunches, Records) {
  LaunchRecords records(2);
  braid_op op = {};
  op.num_operands = 2;
  braid_tensor tensor = {};
  tensor.data = first;
  tensor.rank = 2;
  tensor.dtype = BRAID_BF16;
  for (int dim : {0, 1})
    tensor.sizes[dim] = tensor.strides[dim] = 1;
  const braid_tensor *operands[] = {&tensor, nullptr};
  Launch launch = {nullptr, &op, operands, 0, nullptr, 0};
  EXPECT_FALSE(records.contains(launch));
  records.add(launch, record([&] { return fill(first, stream); }));
  const RecordedLaunch *found = records.find(launch);
  EXPECT_TRUE(found);
  // Scratch is that of the stream, wherever it lies.
  launch.scratch = second;
  EXPECT_EQ(records.find(launch), found);
  auto isAnother = [&](auto &field, auto value) {
    std::swap(field, value);
    EXPECT_FALSE(records.contains(launch));
    std::swap(field, value);
  };
  isAnother(launch.stream, 1);
  isAnother(tensor.data, second);
  isAnother(tensor.dtype, int32_t(BRAID_F32));
  isAnother(tensor.rank, 1);
  isAnother(tensor.sizes[1], int64_t(2));
  isAnother(tensor.strides[0], int64_t(2));
  isAnother(operands[1], static_cast<const braid_tensor *>(&tensor));
  // NULL is kept too: it cannot be recorded.
  launch.stream = 1;
  records.add(launch, nullptr);
  EXPECT_TRUE(records.contains(launch));
  EXPECT_FALSE(records.find(launch));
  launch.stream = 2;
  records.add(launch, nullptr);
  EXPECT_EQ(records.size(), 2u);
  launch.stream = 0;
  EXPECT_FALSE(records.contains(launch)) << "unused for longest";
  records.clear();
  EXPECT_EQ(records.size(), 0u);
}
