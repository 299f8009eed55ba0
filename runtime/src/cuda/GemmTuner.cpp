//===- GemmTuner.cpp - The fastest algorithm of a product -----------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory to time with, two graphs for each candidate, and rounds over all of
// them.
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
/// What another algorithm may cost at most, as a part of what the first one
/// does.
static constexpr float Margin = 0.95f;
/// Products that run side by side: one on each stream of a layer.
static constexpr int NumStreams = 4;

namespace {

/// Times candidates of one product.
class Tuner {
public:
  Tuner(GemmMatmul &matmul, const GemmKey &key,
        const std::vector<cublasLtMatmulAlgo_t> &candidates,
        size_t workspaceBytes)
      : matmul(matmul), key(key), candidates(candidates),
        workspaceBytes(workspaceBytes), isUsable(candidates.size(), true),
        alone(candidates.size()), together(candidates.size()) {}
  ~Tuner();

  /// Makes stream, events and memory. Runs out of memory with
  /// BRAID_OUT_OF_MEMORY.
  Error create();
  /// Launches every candidate, and measures a second run of the first one. One
  /// that cannot be launched is none from then on, unless it is the first.
  Error warmUp();
  /// Captures the graphs of each candidate.
  Error capture();
  /// Replays all graphs in rounds and sets `chosen`.
  Error run(size_t &chosen);

private:
  /// Enqueues one product on `streams[lane]`.
  Error enqueue(size_t candidate, int lane = 0);
  /// Enqueues all products of a graph, on `lanes` streams.
  Error enqueueAll(size_t candidate, int lanes);
  /// Sets `graph` to one of them, or to NULL if that cannot be captured.
  Error capture(size_t candidate, int lanes, cudaGraphExec_t &graph);
  Error allocate(void *&memory, int64_t bytes);
  Error fill(void *&memory, int32_t dtype, int64_t elements);

  GemmMatmul &matmul;
  const GemmKey &key;
  const std::vector<cublasLtMatmulAlgo_t> &candidates;
  size_t workspaceBytes;
  cudaStream_t streams[NumStreams] = {};
  cudaStream_t &stream = streams[0];
  cudaEvent_t start = nullptr, stop = nullptr;
  std::vector<bool> isUsable;
  /// One after another, and on all streams; NULL: not usable.
  std::vector<cudaGraphExec_t> alone, together;
  std::vector<cudaEvent_t> events;
  std::vector<void *> memory;
  void *x = nullptr, *weights = nullptr, *y = nullptr, *scales = nullptr;
  void *workspaces[NumStreams] = {};
  int64_t weightBytes = 0; ///< of one copy
  int64_t copies = 1;
  int64_t nextCopy = 0;
  float firstMs = 0.0f; ///< of one launch of the first candidate
  int launches = 1;     ///< in each graph and on each of its streams
};

} // namespace

Tuner::~Tuner() {
  // What is still running must not lose its memory.
  for (cudaStream_t made : streams)
    if (made)
      (void)cudaStreamSynchronize(made);
  for (auto *graphs : {&alone, &together})
    for (cudaGraphExec_t graph : *graphs)
      if (graph)
        (void)cudaGraphExecDestroy(graph);
  for (cudaEvent_t event : events)
    (void)cudaEventDestroy(event);
  for (cudaEvent_t event : {start, stop})
    if (event)
      (void)cudaEventDestroy(event);
  for (void *piece : memory)
    (void)cudaFree(piece);
  for (cudaStream_t made : streams)
    if (made)
      (void)cudaStreamDestroy(made);
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
  for (cudaStream_t &made : streams)
    if (Error error =
            checkCuda(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking),
                      "cudaStreamCreateWithFlags"))
      return error;
  for (cudaEvent_t *event : {&start, &stop})
    if (Error error = checkCuda(cudaEventCreate(event), "cudaEventCreate"))
      return error;

  // Copies lie whole multiples of 256 bytes apart, as allocations do.
  int64_t elements = key.groups * key.n * key.weightRow;
  weightBytes = (elements * elementSize(key.type) + 255) / 256 * 256;
  int64_t most =
      static_cast<int64_t>(candidates.size()) * MaxLaunches * NumStreams;
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
  for (void *&workspace : workspaces)
    if (Error error = allocate(workspace, workspaceBytes))
      return error;
  if (key.scales == GemmScales::None)
    return Error::success();
  // Random scales serve as well as real ones; those of x are the most.
  int64_t blocks = (key.k + 127) / 128;
  int64_t weightScales = (key.n + 127) / 128 * ((blocks + 3) / 4 * 4);
  return fill(scales, BRAID_F32, std::max(blocks * key.rows, weightScales));
}

Error Tuner::enqueue(size_t candidate, int lane) {
  GemmOperands operands;
  operands.x = x;
  operands.weight = static_cast<char *>(weights) + nextCopy * weightBytes;
  operands.y = y;
  operands.xScale = operands.weightScale = scales;
  nextCopy = (nextCopy + 1) % copies;
  return checkCublas(matmul.enqueue(operands, candidates[candidate],
                                    workspaces[lane], workspaceBytes,
                                    streams[lane]),
                     "cublasLtMatmul, while tuning,");
}

Error Tuner::enqueueAll(size_t candidate, int lanes) {
  // Events that no time is read from.
  cudaError_t status = cudaEventRecord(start, stream);
  for (int lane = 1; lane < lanes && status == cudaSuccess; ++lane)
    status = cudaStreamWaitEvent(streams[lane], start, 0);
  if (Error error = checkCuda(status, "a fork, while tuning,"))
    return error;
  for (int launch = 0; launch < launches; ++launch)
    for (int lane = 0; lane < lanes; ++lane)
      if (Error error = enqueue(candidate, lane))
        return error;
  for (int lane = 1; lane < lanes && status == cudaSuccess; ++lane) {
    status = cudaEventRecord(stop, streams[lane]);
    if (status == cudaSuccess)
      status = cudaStreamWaitEvent(stream, stop, 0);
  }
  return checkCuda(status, "a join, while tuning,");
}

Error Tuner::warmUp() {
  // On each stream, with its workspace.
  for (size_t i = 0; i < candidates.size(); ++i)
    if (Error error = enqueueAll(i, NumStreams)) {
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

Error Tuner::capture(size_t candidate, int lanes, cudaGraphExec_t &graph) {
  if (Error error = checkCuda(
          cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture"))
    return error;
  Error failed = enqueueAll(candidate, lanes);
  cudaGraph_t captured = nullptr;
  cudaError_t status = cudaStreamEndCapture(stream, &captured);
  if (status == cudaSuccess && !failed)
    status = cudaGraphInstantiate(&graph, captured, 0);
  if (captured)
    (void)cudaGraphDestroy(captured);
  if (status != cudaSuccess || failed) {
    (void)cudaGetLastError();
    graph = nullptr;
  }
  return Error::success();
}

Error Tuner::capture() {
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!isUsable[i])
      continue;
    if (Error error = capture(i, 1, alone[i]))
      return error;
    if (alone[i])
      if (Error error = capture(i, NumStreams, together[i]))
        return error;
    // A candidate that cannot be captured is no candidate.
    isUsable[i] = together[i] != nullptr;
  }
  if (isUsable[0])
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
  size_t count = candidates.size();
  float roundMs = firstMs * launches * count * (1 + NumStreams);
  int rounds =
      std::clamp(static_cast<int>(BudgetMs / roundMs), MinRounds, MaxRounds);
  // The first round, which starts with an idle device, does not count.
  for (size_t i = 0; i < 4 * count * (rounds + 1); ++i) {
    cudaEvent_t event;
    if (Error error = checkCuda(cudaEventCreate(&event), "cudaEventCreate"))
      return error;
    events.push_back(event);
  }
  auto eventOf = [&](int round, size_t candidate, bool isTogether) {
    return 2 * (2 * (round * count + candidate) + isTogether);
  };
  for (int round = 0; round <= rounds; ++round)
    for (size_t i = 0; i < count; ++i)
      for (bool isTogether : {false, true}) {
        if (!isUsable[i])
          continue;
        size_t first = eventOf(round, i, isTogether);
        cudaError_t status = cudaEventRecord(events[first], stream);
        if (status == cudaSuccess)
          status = cudaGraphLaunch((isTogether ? together : alone)[i], stream);
        if (status == cudaSuccess)
          status = cudaEventRecord(events[first + 1], stream);
        if (Error error = checkCuda(status, "cudaGraphLaunch, while tuning,"))
          return error;
      }
  if (Error error =
          checkCuda(cudaStreamSynchronize(stream), "a product that was tuned"))
    return error;
  auto timeOf = [&](size_t candidate, bool isTogether, float &time) {
    std::vector<float> times;
    for (int round = 1; round <= rounds; ++round) {
      size_t first = eventOf(round, candidate, isTogether);
      float ms = 0.0f;
      if (Error error = checkCuda(
              cudaEventElapsedTime(&ms, events[first], events[first + 1]),
              "cudaEventElapsedTime"))
        return error;
      times.push_back(ms);
    }
    time = median(times);
    return Error::success();
  };
  chosen = 0;
  float limit = 0.0f;
  for (size_t i = 0; i < count; ++i) {
    if (!isUsable[i])
      continue;
    float latency = 0.0f, occupancy = 0.0f;
    if (Error error = timeOf(i, false, latency))
      return error;
    if (Error error = timeOf(i, true, occupancy))
      return error;
    float cost = latency + occupancy / NumStreams;
    if (i == 0) {
      limit = cost * Margin;
    } else if (cost < limit) {
      chosen = i;
      limit = cost;
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
