//===- Handwritten.cpp - The same CUDA calls without Braid ----------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of cublasLtMatmul, cudaEventRecord, cudaStreamWaitEvent and
// cudaGraphLaunch as one writes it by hand, for scripts/gpu-checks: the host
// cost of Braid's ops, forks and segments stands beside that of this. Not part
// of the build; compiled by `gpu-checks pack`, or where it runs.
//
//===----------------------------------------------------------------------===//

#include <cublasLt.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <string>

namespace {

std::string lastError;

/// Leaves the calling function with 1 if `call` failed, and says what.
#define CHECK(call)                                                            \
  do {                                                                         \
    int status = static_cast<int>(call);                                       \
    if (status != 0) {                                                         \
      lastError = std::string(#call) + " returned " + std::to_string(status);  \
      return 1;                                                                \
    }                                                                          \
  } while (false)

constexpr size_t workspaceBytes = 32 << 20;

/// y = x . W^T for x [T, width], W [width, width], y [T, width], all bf16.
struct Loop {
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t weightLayout = nullptr;
  cublasLtMatrixLayout_t rowsLayout = nullptr;
  cublasLtMatmulHeuristicResult_t result = {};
  void *workspace = nullptr;
  void *auxiliaryWorkspace = nullptr;
  void *x = nullptr;
  void *weight = nullptr;
  void *y = nullptr;
  void *z = nullptr;
  cudaStream_t stream = nullptr;
  cudaStream_t auxiliary = nullptr;
  cudaEvent_t start = nullptr;
  cudaEvent_t done = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
};

int prepare(Loop &loop, int64_t tokens, int64_t width) {
  CHECK(cublasLtCreate(&loop.handle));
  CHECK(cublasLtMatmulDescCreate(&loop.operation, CUBLAS_COMPUTE_32F,
                                 CUDA_R_32F));
  // Column-major, so the weight comes first and is transposed.
  cublasOperation_t transposed = CUBLAS_OP_T;
  CHECK(cublasLtMatmulDescSetAttribute(loop.operation,
                                       CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                       sizeof(transposed)));
  CHECK(cublasLtMatrixLayoutCreate(&loop.weightLayout, CUDA_R_16BF, width,
                                   width, width));
  CHECK(cublasLtMatrixLayoutCreate(&loop.rowsLayout, CUDA_R_16BF, width, tokens,
                                   width));
  cublasLtMatmulPreference_t preference = nullptr;
  CHECK(cublasLtMatmulPreferenceCreate(&preference));
  CHECK(cublasLtMatmulPreferenceSetAttribute(
      preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspaceBytes,
      sizeof(workspaceBytes)));
  int found = 0;
  CHECK(cublasLtMatmulAlgoGetHeuristic(
      loop.handle, loop.operation, loop.weightLayout, loop.rowsLayout,
      loop.rowsLayout, loop.rowsLayout, preference, 1, &loop.result, &found));
  CHECK(cublasLtMatmulPreferenceDestroy(preference));
  if (found == 0) {
    lastError = "cublasLt has no algorithm for this GEMM";
    return 1;
  }
  CHECK(cudaMalloc(&loop.workspace, workspaceBytes));
  CHECK(cudaMalloc(&loop.auxiliaryWorkspace, workspaceBytes));
  CHECK(cudaStreamCreateWithFlags(&loop.auxiliary, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&loop.start, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&loop.done, cudaEventDisableTiming));
  return 0;
}

int multiply(Loop &loop, const void *from, void *to, cudaStream_t stream,
             void *workspace) {
  const float one = 1, zero = 0;
  CHECK(cublasLtMatmul(loop.handle, loop.operation, &one, loop.weight,
                       loop.weightLayout, from, loop.rowsLayout, &zero, to,
                       loop.rowsLayout, to, loop.rowsLayout, &loop.result.algo,
                       workspace, workspaceBytes, stream));
  return 0;
}

int enqueueChain(Loop &loop, int length) {
  const void *from = loop.x;
  for (int i = 0; i < length; ++i) {
    void *to = i % 2 == 0 ? loop.y : loop.z;
    if (multiply(loop, from, to, loop.stream, loop.workspace))
      return 1;
    from = to;
  }
  return 0;
}

/// `count` times two GEMMs, the second on the other stream if `forked`.
int enqueueForks(Loop &loop, int count, bool forked) {
  cudaStream_t second = forked ? loop.auxiliary : loop.stream;
  void *workspace = forked ? loop.auxiliaryWorkspace : loop.workspace;
  for (int i = 0; i < count; ++i) {
    if (multiply(loop, i == 0 ? loop.x : loop.y, loop.z, loop.stream,
                 loop.workspace))
      return 1;
    if (forked) {
      CHECK(cudaEventRecord(loop.start, loop.stream));
      CHECK(cudaStreamWaitEvent(loop.auxiliary, loop.start, 0));
    }
    if (multiply(loop, loop.z, loop.y, second, workspace))
      return 1;
    if (forked) {
      CHECK(cudaEventRecord(loop.done, loop.auxiliary));
      CHECK(cudaStreamWaitEvent(loop.stream, loop.done, 0));
    }
  }
  return 0;
}

} // namespace

extern "C" {

/// The sentence about the last failure.
const char *handwritten_error() { return lastError.c_str(); }

/// NULL on failure.
void *handwritten_create(int64_t tokens, int64_t width, void *x, void *weight,
                         void *y, void *z, void *stream) {
  auto *loop = new Loop;
  loop->x = x;
  loop->weight = weight;
  loop->y = y;
  loop->z = z;
  loop->stream = static_cast<cudaStream_t>(stream);
  if (prepare(*loop, tokens, width) == 0)
    return loop;
  delete loop;
  return nullptr;
}

int handwritten_chain(void *handle, int length) {
  return enqueueChain(*static_cast<Loop *>(handle), length);
}

int handwritten_forks(void *handle, int count, int forked) {
  return enqueueForks(*static_cast<Loop *>(handle), count, forked != 0);
}

/// Captures the chain, in the place of what was captured before.
int handwritten_capture(void *handle, int length) {
  Loop &loop = *static_cast<Loop *>(handle);
  if (loop.executable)
    CHECK(cudaGraphExecDestroy(loop.executable));
  loop.executable = nullptr;
  CHECK(cudaStreamBeginCapture(loop.stream, cudaStreamCaptureModeThreadLocal));
  int status = enqueueChain(loop, length);
  cudaError_t ended = cudaStreamEndCapture(loop.stream, &loop.graph);
  if (status)
    return 1;
  CHECK(ended);
  CHECK(cudaGraphInstantiate(&loop.executable, loop.graph, 0));
  CHECK(cudaGraphDestroy(loop.graph));
  return 0;
}

int handwritten_replay(void *handle) {
  Loop &loop = *static_cast<Loop *>(handle);
  CHECK(cudaGraphLaunch(loop.executable, loop.stream));
  return 0;
}

void handwritten_destroy(void *handle) {
  auto *loop = static_cast<Loop *>(handle);
  if (!loop)
    return;
  if (loop->executable)
    cudaGraphExecDestroy(loop->executable);
  cudaFree(loop->workspace);
  cudaFree(loop->auxiliaryWorkspace);
  cudaStreamDestroy(loop->auxiliary);
  cudaEventDestroy(loop->start);
  cudaEventDestroy(loop->done);
  cublasLtMatrixLayoutDestroy(loop->rowsLayout);
  cublasLtMatrixLayoutDestroy(loop->weightLayout);
  cublasLtMatmulDescDestroy(loop->operation);
  cublasLtDestroy(loop->handle);
  delete loop;
}

} // extern "C"
