//===- GemmTuner.cpp - The fastest algorithm of a product -----------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory to time with, a graph for each candidate, and rounds over all of them.
//
//===----------------------------------------------------------------------===//

#include "GemmTuner.h"

#include "CudaStatus.h"
#include "GemmKernels.h"

#include "core/Tensor.h"

#include <algorithm>

using namespace braid::runtime;

/// Device time that the rounds of all candidates should take.
static constexpr float BudgetMs = 12.0f;
/// Time of one replay that is long beside the start of a graph.
static constexpr float ReplayMs = 0.1f;
static constexpr int MaxLaunches = 32;
static constexpr int MinRounds = 3, MaxRounds = 9;
/// What another algorithm may take at most, as a part of the first one's time.
/// A product by itself gains a few percent from one that takes more of the
/// device, and loses them again beside others: seen on an H200 with four
/// products.
static constexpr float Margin = 0.95f;

namespace {

/// Times candidates of one product.
class Tuner {
public:
  Tuner(GemmMatmul &matmul, const GemmKey &key,
        const std::vector<cublasLtMatmulAlgo_t> &candidates,
        size_t workspaceBytes)
      : matmul(matmul), key(key), candidates(candidates),
        workspaceBytes(workspaceBytes), isUsable(candidates.size(), true),
        graphs(candidates.size()) {}
  ~Tuner();

  /// Makes stream, events and memory. Runs out of memory with
  /// BRAID_OUT_OF_MEMORY.
  Error create();
  /// Launches every candidate, and measures a second run of the first one. One
  /// that cannot be launched is none from then on, unless it is the first.
  Error warmUp();
  /// Captures a graph for each candidate.
  Error capture();
  /// Replays all graphs in rounds and sets `chosen`.
  Error run(size_t &chosen);

private:
  Error enqueue(size_t candidate);
  Error allocate(void *&memory, int64_t bytes);
  Error fill(void *&memory, int32_t dtype, int64_t elements);

  GemmMatmul &matmul;
  const GemmKey &key;
  const std::vector<cublasLtMatmulAlgo_t> &candidates;
  size_t workspaceBytes;
  cudaStream_t stream = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  std::vector<bool> isUsable;
  std::vector<cudaGraphExec_t> graphs; ///< NULL: not usable
  std::vector<cudaEvent_t> events;
  std::vector<void *> memory;
  void *x = nullptr, *weights = nullptr, *y = nullptr, *workspace = nullptr,
       *scales = nullptr;
  int64_t weightBytes = 0; ///< of one copy
  int64_t copies = 1;
  int64_t nextCopy = 0;
  float firstMs = 0.0f; ///< of one launch of the first candidate
  int launches = 1;     ///< in each graph
};

} // namespace

Tuner::~Tuner() {
  // What is still running must not lose its memory.
  if (stream)
    (void)cudaStreamSynchronize(stream);
  for (cudaGraphExec_t graph : graphs)
    if (graph)
      (void)cudaGraphExecDestroy(graph);
  for (cudaEvent_t event : events)
    (void)cudaEventDestroy(event);
  for (cudaEvent_t event : {start, stop})
    if (event)
      (void)cudaEventDestroy(event);
  for (void *piece : memory)
    (void)cudaFree(piece);
  if (stream)
    (void)cudaStreamDestroy(stream);
}

Error Tuner::allocate(void *&piece, int64_t bytes) {
  // At least one byte, so that the address is one.
  Error error = checkCuda(cudaMalloc(&piece, std::max<int64_t>(bytes, 1)),
                          "cudaMalloc for tuning");
  if (!error)
    memory.push_back(piece);
  return error;
}

Error Tuner::fill(void *&piece, int32_t dtype, int64_t elements) {
  if (Error error = allocate(piece, elements * elementSize(dtype)))
    return error;
  return checkCuda(launchFill(piece, dtype, elements, stream),
                   "filling memory for tuning");
}

/// Elements of rows, and of groups of them, that lie these distances apart.
static int64_t span(int64_t groups, int64_t group, int64_t rows, int64_t row,
                    int64_t width) {
  return (groups - 1) * group + (rows - 1) * row + width;
}

Error Tuner::create() {
  int device = 0, cacheBytes = 0;
  if (Error error = checkCuda(cudaGetDevice(&device), "cudaGetDevice"))
    return error;
  if (Error error = checkCuda(
          cudaDeviceGetAttribute(&cacheBytes, cudaDevAttrL2CacheSize, device),
          "cudaDeviceGetAttribute"))
    return error;
  if (Error error =
          checkCuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                    "cudaStreamCreateWithFlags"))
    return error;
  for (cudaEvent_t *event : {&start, &stop})
    if (Error error = checkCuda(cudaEventCreate(event), "cudaEventCreate"))
      return error;

  // Copies lie whole multiples of 256 bytes apart, as allocations do.
  int64_t elements = key.groups * key.n * key.weightRow;
  weightBytes = (elements * elementSize(key.type) + 255) / 256 * 256;
  int64_t most = static_cast<int64_t>(candidates.size()) * MaxLaunches;
  copies = std::clamp<int64_t>(2 * int64_t(cacheBytes) / weightBytes + 1, 1,
                               candidates.size() > 1 ? most : 1);
  if (Error error =
          fill(weights, key.type, copies * weightBytes / elementSize(key.type)))
    return error;
  if (Error error = fill(
          x, key.type, span(key.groups, key.xGroup, key.rows, key.xRow, key.k)))
    return error;
  if (Error error =
          allocate(y, span(key.groups, key.yGroup, key.rows, key.yRow, key.n) *
                          elementSize(key.yType)))
    return error;
  if (Error error = allocate(workspace, workspaceBytes))
    return error;
  if (key.scales == GemmScales::None)
    return Error::success();
  // Random scales serve as well as real ones; those of x are the most.
  int64_t blocks = (key.k + 127) / 128;
  int64_t weightScales = (key.n + 127) / 128 * ((blocks + 3) / 4 * 4);
  return fill(scales, BRAID_F32, std::max(blocks * key.rows, weightScales));
}

Error Tuner::enqueue(size_t candidate) {
  GemmOperands operands;
  operands.x = x;
  operands.weight = static_cast<char *>(weights) + nextCopy * weightBytes;
  operands.y = y;
  operands.xScale = operands.weightScale = scales;
  nextCopy = (nextCopy + 1) % copies;
  return checkCublas(matmul.enqueue(operands, candidates[candidate], workspace,
                                    workspaceBytes, stream),
                     "cublasLtMatmul, while tuning,");
}

Error Tuner::warmUp() {
  for (size_t i = 0; i < candidates.size(); ++i)
    if (Error error = enqueue(i)) {
      if (i == 0)
        return error;
      isUsable[i] = false;
    }
  // Behind the others, so that the host is ahead of the device.
  if (Error error =
          checkCuda(cudaEventRecord(start, stream), "cudaEventRecord"))
    return error;
  if (Error error = enqueue(0))
    return error;
  if (Error error = checkCuda(cudaEventRecord(stop, stream), "cudaEventRecord"))
    return error;
  if (Error error =
          checkCuda(cudaStreamSynchronize(stream), "a product that was tuned"))
    return error;
  if (Error error = checkCuda(cudaEventElapsedTime(&firstMs, start, stop),
                              "cudaEventElapsedTime"))
    return error;
  firstMs = std::max(firstMs, 0.001f);
  launches = std::clamp(static_cast<int>(ReplayMs / firstMs), 1, MaxLaunches);
  return Error::success();
}

Error Tuner::capture() {
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!isUsable[i])
      continue;
    if (Error error = checkCuda(
            cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
            "cudaStreamBeginCapture"))
      return error;
    Error failed;
    for (int launch = 0; launch < launches && !failed; ++launch)
      failed = enqueue(i);
    cudaGraph_t graph = nullptr;
    cudaError_t status = cudaStreamEndCapture(stream, &graph);
    if (status == cudaSuccess && !failed)
      status = cudaGraphInstantiate(&graphs[i], graph, 0);
    if (graph)
      (void)cudaGraphDestroy(graph);
    // A candidate that cannot be captured is no candidate.
    if (status != cudaSuccess || failed) {
      (void)cudaGetLastError();
      graphs[i] = nullptr;
    }
  }
  if (graphs[0])
    return Error::success();
  return Error(BRAID_KERNEL_FAILED,
               "the algorithm that cuBLASLt prefers cannot be captured");
}

static float median(std::vector<float> &values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

Error Tuner::run(size_t &chosen) {
  float roundMs = firstMs * launches * candidates.size();
  int rounds =
      std::clamp(static_cast<int>(BudgetMs / roundMs), MinRounds, MaxRounds);
  // The first round, which starts with an idle device, does not count.
  size_t count = candidates.size();
  for (size_t i = 0; i < 2 * count * (rounds + 1); ++i) {
    cudaEvent_t event;
    if (Error error = checkCuda(cudaEventCreate(&event), "cudaEventCreate"))
      return error;
    events.push_back(event);
  }
  for (int round = 0; round <= rounds; ++round)
    for (size_t i = 0; i < count; ++i) {
      if (!graphs[i])
        continue;
      size_t first = 2 * (round * count + i);
      cudaError_t status = cudaEventRecord(events[first], stream);
      if (status == cudaSuccess)
        status = cudaGraphLaunch(graphs[i], stream);
      if (status == cudaSuccess)
        status = cudaEventRecord(events[first + 1], stream);
      if (Error error = checkCuda(status, "cudaGraphLaunch, while tuning,"))
        return error;
    }
  if (Error error =
          checkCuda(cudaStreamSynchronize(stream), "a product that was tuned"))
    return error;
  chosen = 0;
  float limit = 0.0f;
  for (size_t i = 0; i < count; ++i) {
    if (!graphs[i])
      continue;
    std::vector<float> times;
    for (int round = 1; round <= rounds; ++round) {
      size_t first = 2 * (round * count + i);
      float ms = 0.0f;
      if (Error error = checkCuda(
              cudaEventElapsedTime(&ms, events[first], events[first + 1]),
              "cudaEventElapsedTime"))
        return error;
      times.push_back(ms);
    }
    float time = median(times);
    if (i == 0) {
      limit = time * Margin;
    } else if (time < limit) {
      chosen = i;
      limit = time;
    }
  }
  return Error::success();
}

Error braid::runtime::tuneGemm(
    GemmMatmul &matmul, const GemmKey &key,
    const std::vector<cublasLtMatmulAlgo_t> &candidates, size_t workspaceBytes,
    size_t &chosen, bool &wasTimed) {
  chosen = 0;
  wasTimed = false;
  RelaxedCapture relaxed;
  Tuner tuner(matmul, key, candidates, workspaceBytes);
  Error error = tuner.create();
  // An engine may have given all memory to its caches before it prepares.
  if (error.status() == BRAID_OUT_OF_MEMORY)
    return Error::success();
  if (!error)
    error = tuner.warmUp();
  if (!error && candidates.size() > 1) {
    error = tuner.capture();
    if (!error)
      error = tuner.run(chosen);
  }
  wasTimed = !error;
  return error;
}
