//===- CudaStatus.h - What CUDA's functions return --------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the status of a CUDA call into an error that names the call.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CUDA_CUDASTATUS_H
#define BRAID_RUNTIME_CUDA_CUDASTATUS_H

#include "core/Error.h"

#include <cuda_runtime_api.h>

namespace braid::runtime {

/// Success, or a sentence such as "cudaGraphInstantiate failed: out of memory
/// (cudaErrorMemoryAllocation)" in which `what` is the call. Clears the
/// thread's last error, so that no later call reports it again. Says so where
/// the device is lost to this process, and with it the context.
Error checkCuda(cudaError_t status, const char *what);

/// True if no further call in this process can succeed.
bool isDeviceLost(cudaError_t status);

/// Lets this thread allocate and synchronize while some stream is captured, as
/// long as the object lives. Nothing that is done meanwhile may be on a
/// captured stream.
class RelaxedCapture {
public:
  RelaxedCapture() { exchange(); }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  void exchange() { (void)cudaThreadExchangeStreamCaptureMode(&mode); }

  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CUDA_CUDASTATUS_H
