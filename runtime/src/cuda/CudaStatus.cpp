//===- CudaStatus.cpp - What CUDA's functions return ----------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statuses as sentences.
//
//===----------------------------------------------------------------------===//

#include "CudaStatus.h"

using namespace braid::runtime;

bool braid::runtime::isDeviceLost(cudaError_t status) {
  // Source: the remarks on each of these in CUDA's documentation of
  // cudaError_t, "the process must be terminated and relaunched".
  switch (status) {
  case cudaErrorIllegalAddress:
  case cudaErrorLaunchTimeout:
  case cudaErrorAssert:
  case cudaErrorHardwareStackError:
  case cudaErrorIllegalInstruction:
  case cudaErrorMisalignedAddress:
  case cudaErrorInvalidAddressSpace:
  case cudaErrorInvalidPc:
  case cudaErrorLaunchFailure:
  case cudaErrorECCUncorrectable:
  case cudaErrorDevicesUnavailable:
    return true;
  default:
    return false;
  }
}

Error braid::runtime::checkCuda(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return Error::success();
  (void)cudaGetLastError();
  return makeError(
      status == cudaErrorMemoryAllocation ? BRAID_OUT_OF_MEMORY
                                          : BRAID_KERNEL_FAILED,
      "%s failed: %s (%s)%s", what, cudaGetErrorString(status),
      cudaGetErrorName(status),
      isDeviceLost(status) ? "; no context of this process can go on" : "");
}
