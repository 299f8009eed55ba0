//===- CudaBackend.h - Kernels on an NVIDIA GPU -----------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams, events and graphs as the schedule says. Stream 0 is the caller's,
// the others belong to the context. A segment is captured on a stream of its
// own, so that a caller's stream that cannot be captured (the default stream)
// will do, and replayed on the caller's.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CUDA_CUDABACKEND_H
#define BRAID_RUNTIME_CUDA_CUDABACKEND_H

#include "Gemm.h"
#include "RecordedLaunch.h"

#include "core/Backend.h"

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

namespace braid::runtime {

/// The cuda backend. Belongs to the device that is current when it is made.
class CudaBackend final : public Backend {
public:
  static Error create(const braid_context_options &options,
                      std::unique_ptr<Backend> &backend);
  ~CudaBackend() override;

  Error addKernels(KernelRegistry &registry) override;
  /// Source: docs/GpuSpeed.md. Below, a fork costs the host more than the
  /// device saves.
  int64_t eagerTokenMinimum() const override { return 256; }
  void *allocate(size_t bytes) override;
  void deallocate(void *memory, size_t bytes) override;
  Error copy(void *to, const void *from, size_t bytes) override;
  Error useCallerStream(void *stream) override;
  Error isCallerCapturing(bool &capturing) override;
  Error reserveStreams(int32_t count) override;
  Error reserveEvents(int32_t count) override;
  Error prepareLaunch(const Launch &launch) override;
  Error prepareEagerLaunch(const Launch &launch) override;
  Error launch(const Launch &launch) override;
  Error record(int32_t stream, int32_t slot) override;
  Error wait(int32_t stream, int32_t slot) override;
  Error poison(void *memory, int64_t bytes) override;
  Error reserveCallerEvents(int32_t count) override;
  Error recordForCaller(int32_t stream, int32_t event) override;
  Error waitForCaller(int32_t stream, int32_t event) override;
  Error beginCapture() override;
  Error endCapture(bool keep, std::unique_ptr<Graph> &graph) override;
  Error replay(const Graph &graph) override;
  void retire(std::unique_ptr<Graph> graph) override;
  Error synchronize() override;
  void finish() override;
  Error saveTuning(const char *path) const override;
  Error loadTuning(const char *path) override;
  void enterCall(const char *verb, const braid_function &function,
                 int64_t tokens) override;
  void leaveCall() override;

private:
  CudaBackend(int device, const braid_context_options &options);

  /// Most records that are kept: 61 layers with eight products each and a dozen
  /// token counts. A record holds some KiB of the host's memory.
  static constexpr size_t MaxRecords = 8192;

  /// The stream that stream `index` of the schedule is now.
  cudaStream_t streamAt(int32_t index) const {
    return index ? auxiliary[index - 1] : isCapturing ? origin : caller;
  }
  Error makeEvents(std::vector<cudaEvent_t> &events, int32_t count);
  void freeRetired();
  /// Waits for all work of the context.
  Error waitForAll();
  /// Records what other streams and waitForAll wait for.
  Error recordCallDone();
  Error run(const Launch &launch, cudaStream_t stream);
  Error runKernel(const Launch &launch, cudaStream_t stream);
  /// Runs a launch between two events that take the time.
  Error measure(const Launch &launch, cudaStream_t stream);
  Error makeTimer(cudaEvent_t &event);
  Error reportTimeline();

  const int device;
  const braid_context_options options;
  std::unique_ptr<GemmPlans> gemms;
  /// Products that are launched outside graphs.
  LaunchRecords records{MaxRecords};
  cudaStream_t caller = nullptr;
  /// Where segments are captured.
  cudaStream_t origin = nullptr;
  std::vector<cudaStream_t> auxiliary;
  std::vector<cudaEvent_t> slots, callerEvents;
  /// Recorded behind each call, so that one on another stream can wait.
  cudaEvent_t callDone = nullptr;
  bool hasCall = false;
  bool isCapturing = false;
  /// Between enterCall and leaveCall.
  bool inCall = false;
  /// The caller captures its stream during this call.
  bool joinsCapture = false;
  int64_t capturedLaunches = 0;
  /// Graphs that may still run, each with an event recorded behind its last
  /// replay.
  struct Retired {
    std::unique_ptr<Graph> graph;
    cudaEvent_t done;
  };
  std::vector<Retired> retired;
  /// Launches that were measured since the last report.
  struct Measured {
    const braid_op *op;
    int32_t stream;
    cudaEvent_t begin, end;
  };
  std::vector<Measured> measured;
  /// The begin of the first of all.
  cudaEvent_t timeOrigin = nullptr;
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CUDA_CUDABACKEND_H
