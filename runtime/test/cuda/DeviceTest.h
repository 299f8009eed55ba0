//===- DeviceTest.h - What tests of CUDA's parts share ----------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A check of CUDA's calls, and bf16 on the host.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_TEST_CUDA_DEVICETEST_H
#define BRAID_RUNTIME_TEST_CUDA_DEVICETEST_H

#include <cstdint>
#include <cstring>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#define ASSERT_CUDA(call)                                                      \
  do {                                                                         \
    cudaError_t status_ = (call);                                              \
    ASSERT_EQ(status_, cudaSuccess)                                            \
        << #call << ": " << cudaGetErrorString(status_);                       \
  } while (false)

namespace braid::test {

/// The nearest bf16, ties to even.
inline uint16_t toBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float fromBf16(uint16_t value) {
  uint32_t bits = uint32_t(value) << 16;
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

} // namespace braid::test

#endif // BRAID_RUNTIME_TEST_CUDA_DEVICETEST_H
