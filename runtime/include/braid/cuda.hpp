//===- cuda.hpp - execute_in_parallel on CUDA streams -----------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For an engine that forks work on its own CUDA streams by hand. Header only,
// C++17; the engine links CUDA's runtime.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_CUDA_HPP
#define BRAID_CUDA_HPP

#include "braid/parallel.hpp"

#include <cuda_runtime_api.h>

namespace braid {

/// Streams and events of CUDA's runtime. Works inside a capture of the main
/// stream too, which then contains the fork. Events are best made with
/// cudaEventDisableTiming.
class CudaStreams final : public StreamOps<cudaStream_t, cudaEvent_t> {
public:
  StreamStatus record(cudaStream_t stream, cudaEvent_t event) override {
    return explain("cudaEventRecord", cudaEventRecord(event, stream));
  }
  StreamStatus wait(cudaStream_t stream, cudaEvent_t event) override {
    return explain("cudaStreamWaitEvent",
                   cudaStreamWaitEvent(stream, event, 0));
  }

private:
  static StreamStatus explain(const char *what, cudaError_t error) {
    if (error == cudaSuccess)
      return {};
    return {BRAID_KERNEL_FAILED, std::string(what) +
                                     " failed: " + cudaGetErrorString(error) +
                                     " (" + cudaGetErrorName(error) + ")"};
  }
};

} // namespace braid

#endif // BRAID_CUDA_HPP
