//===- CudaBackend.cpp - Kernels on an NVIDIA GPU -------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enqueues launches, events and graphs.
//
//===----------------------------------------------------------------------===//

#include "CudaBackend.h"

#include "CudaStatus.h"
#include "Kernels.h"

#include "core/BackendLibrary.h"
#include "core/KernelRegistry.h"

#include <nvtx3/nvToolsExt.h>

using namespace braid::runtime;

namespace {
/// A captured segment.
class CudaGraph final : public Graph {
public:
  explicit CudaGraph(cudaGraphExec_t executable) : executable(executable) {}
  ~CudaGraph() override { (void)cudaGraphExecDestroy(executable); }

  const cudaGraphExec_t executable;
};
} // namespace

//===----------------------------------------------------------------------===//
// The context
//===----------------------------------------------------------------------===//

Error CudaBackend::create(const braid_context_options &,
                          std::unique_ptr<Backend> &backend) {
  int device = 0;
  if (Error error = checkCuda(cudaGetDevice(&device), "cudaGetDevice"))
    return makeError(BRAID_UNSUPPORTED, "there is no cuda backend here: %s",
                     error.text().c_str());
  std::unique_ptr<CudaBackend> made(new CudaBackend(device));
  RelaxedCapture relaxed;
  if (Error error = checkCuda(
          cudaStreamCreateWithFlags(&made->origin, cudaStreamNonBlocking),
          "cudaStreamCreateWithFlags"))
    return makeError(BRAID_UNSUPPORTED, "there is no cuda backend here: %s",
                     error.text().c_str());
  if (Error error = checkCuda(
          cudaEventCreateWithFlags(&made->callDone, cudaEventDisableTiming),
          "cudaEventCreateWithFlags"))
    return error;
  // Loaded as late as their first launch, kernels would be loaded inside a
  // capture.
  if (Error error = loadCudaKernels())
    return error;
  backend = std::move(made);
  return Error::success();
}

CudaBackend::CudaBackend(int device) : device(device) {}

CudaBackend::~CudaBackend() {
  RelaxedCapture relaxed;
  (void)synchronize();
  freeRetired();
  for (std::vector<cudaEvent_t> *events : {&slots, &callerEvents})
    for (cudaEvent_t event : *events)
      (void)cudaEventDestroy(event);
  if (callDone)
    (void)cudaEventDestroy(callDone);
  for (cudaStream_t stream : auxiliary)
    (void)cudaStreamDestroy(stream);
  if (origin)
    (void)cudaStreamDestroy(origin);
}

Error CudaBackend::addKernels(KernelRegistry &registry) {
  return addCudaKernels(registry);
}

void *CudaBackend::allocate(size_t bytes) {
  RelaxedCapture relaxed;
  void *memory = nullptr;
  return checkCuda(cudaMalloc(&memory, bytes), "cudaMalloc") ? nullptr : memory;
}

void CudaBackend::deallocate(void *memory, size_t) {
  RelaxedCapture relaxed;
  (void)cudaFree(memory);
}

Error CudaBackend::useCallerStream(void *stream) {
  int current = 0;
  if (Error error = checkCuda(cudaGetDevice(&current), "cudaGetDevice"))
    return error;
  if (current != device)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "the current device is %d, but the context was made for "
                     "device %d",
                     current, device);
  cudaStream_t next = static_cast<cudaStream_t>(stream);
  if (next == caller)
    return Error::success();
  caller = next;
  if (!hasCall)
    return Error::success();
  bool capturing = false;
  if (Error error = isCallerCapturing(capturing))
    return error;
  // Calls share workspace. An event from outside cannot be waited for in a
  // capture; there it is up to the engine.
  return capturing ? Error::success()
                   : checkCuda(cudaStreamWaitEvent(caller, callDone, 0),
                               "cudaStreamWaitEvent");
}

Error CudaBackend::isCallerCapturing(bool &capturing) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (Error error = checkCuda(cudaStreamIsCapturing(caller, &status),
                              "cudaStreamIsCapturing"))
    return error;
  capturing = status == cudaStreamCaptureStatusActive;
  if (status == cudaStreamCaptureStatusInvalidated)
    return Error(BRAID_INVALID_ARGUMENT,
                 "the capture of the caller's stream was invalidated before "
                 "this call");
  return Error::success();
}

Error CudaBackend::reserveStreams(int32_t count) {
  RelaxedCapture relaxed;
  while (static_cast<int32_t>(auxiliary.size()) + 1 < count) {
    cudaStream_t stream = nullptr;
    if (Error error =
            checkCuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                      "cudaStreamCreateWithFlags"))
      return error;
    auxiliary.push_back(stream);
  }
  return Error::success();
}

Error CudaBackend::makeEvents(std::vector<cudaEvent_t> &events, int32_t count) {
  while (static_cast<int32_t>(events.size()) < count) {
    cudaEvent_t event = nullptr;
    if (Error error =
            checkCuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
                      "cudaEventCreateWithFlags"))
      return error;
    events.push_back(event);
  }
  return Error::success();
}

Error CudaBackend::reserveEvents(int32_t count) {
  return makeEvents(slots, count);
}

//===----------------------------------------------------------------------===//
// Launches and events
//===----------------------------------------------------------------------===//

Error CudaBackend::launch(const Launch &launch) {
  char message[KernelMessageBytes];
  message[0] = '\0';
  braid_kernel_call call = {};
  call.struct_size = sizeof(call);
  call.op = launch.op;
  call.operands = launch.operands;
  call.workspace = launch.scratch;
  call.workspace_bytes = launch.scratchBytes;
  call.stream = streamAt(launch.stream);
  call.message = message;
  call.message_size = sizeof(message);
  nvtxRangePushA(launch.op->name);
  braid_status status = launch.kernel->run(&call, launch.kernel->user_data);
  nvtxRangePop();
  if (status == BRAID_OK) {
    capturedLaunches += isCapturing;
    return Error::success();
  }
  message[sizeof(message) - 1] = '\0';
  return makeError(status, "op '%s'%s failed: %s", launch.op->name,
                   locationSuffix(*launch.op).c_str(),
                   *message ? message : braid_status_name(status));
}

Error CudaBackend::record(int32_t stream, int32_t slot) {
  return checkCuda(cudaEventRecord(slots[slot], streamAt(stream)),
                   "cudaEventRecord");
}

Error CudaBackend::wait(int32_t stream, int32_t slot) {
  return checkCuda(cudaStreamWaitEvent(streamAt(stream), slots[slot], 0),
                   "cudaStreamWaitEvent");
}

Error CudaBackend::poison(void *memory, int64_t bytes) {
  return checkCuda(cudaMemsetAsync(memory, 0xFF, bytes, caller),
                   "cudaMemsetAsync");
}

Error CudaBackend::reserveCallerEvents(int32_t count) {
  return makeEvents(callerEvents, count);
}

Error CudaBackend::recordForCaller(int32_t stream, int32_t event) {
  return checkCuda(cudaEventRecord(callerEvents[event], streamAt(stream)),
                   "cudaEventRecord");
}

Error CudaBackend::waitForCaller(int32_t stream, int32_t event) {
  return checkCuda(
      cudaStreamWaitEvent(streamAt(stream), callerEvents[event], 0),
      "cudaStreamWaitEvent");
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

Error CudaBackend::beginCapture() {
  // Thread-local: what other threads of the engine do meanwhile is their own
  // business.
  if (Error error = checkCuda(
          cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture"))
    return error;
  isCapturing = true;
  capturedLaunches = 0;
  return Error::success();
}

Error CudaBackend::endCapture(bool keep, std::unique_ptr<Graph> &graph) {
  isCapturing = false;
  cudaGraph_t captured = nullptr;
  Error error = checkCuda(cudaStreamEndCapture(origin, &captured),
                          "cudaStreamEndCapture");
  cudaGraphExec_t executable = nullptr;
  if (!error && keep)
    error = checkCuda(cudaGraphInstantiate(&executable, captured, 0),
                      "cudaGraphInstantiate");
  if (captured)
    (void)cudaGraphDestroy(captured);
  if (error || !keep)
    return error;
  auto made = std::make_unique<CudaGraph>(executable);
  made->launches = capturedLaunches;
  // Sent to the device now rather than by the first replay.
  if (Error failed =
          checkCuda(cudaGraphUpload(executable, origin), "cudaGraphUpload"))
    return failed;
  if (Error failed =
          checkCuda(cudaStreamSynchronize(origin), "cudaStreamSynchronize"))
    return failed;
  graph = std::move(made);
  return Error::success();
}

Error CudaBackend::replay(const Graph &graph) {
  return checkCuda(
      cudaGraphLaunch(static_cast<const CudaGraph &>(graph).executable, caller),
      "cudaGraphLaunch");
}

void CudaBackend::retire(std::unique_ptr<Graph> graph) {
  RelaxedCapture relaxed;
  cudaEvent_t done = nullptr;
  // Without an event it stays until the next synchronization.
  if (!checkCuda(cudaEventCreateWithFlags(&done, cudaEventDisableTiming),
                 "cudaEventCreateWithFlags") &&
      checkCuda(cudaEventRecord(done, caller), "cudaEventRecord")) {
    (void)cudaEventDestroy(done);
    done = nullptr;
  }
  retired.push_back({std::move(graph), done});
}

void CudaBackend::freeRetired() {
  for (Retired &entry : retired)
    if (entry.done)
      (void)cudaEventDestroy(entry.done);
  retired.clear();
}

Error CudaBackend::synchronize() {
  bool capturing = false;
  if (Error error = isCallerCapturing(capturing))
    return error;
  if (capturing)
    return Error(BRAID_INVALID_ARGUMENT,
                 "the caller's stream is being captured, expected "
                 "braid_synchronize after the end of its capture");
  Error first =
      checkCuda(cudaStreamSynchronize(caller), "cudaStreamSynchronize");
  for (cudaStream_t stream : auxiliary) {
    Error error =
        checkCuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    if (!first)
      first = std::move(error);
  }
  freeRetired();
  return first;
}

void CudaBackend::enterCall(const char *verb, const braid_function &function,
                            int64_t) {
  nvtxRangePushA(function.name ? function.name : verb);
  // Graphs that were retired long ago and are done.
  while (!retired.empty() && retired.front().done &&
         cudaEventQuery(retired.front().done) == cudaSuccess) {
    (void)cudaEventDestroy(retired.front().done);
    retired.erase(retired.begin());
  }
}

void CudaBackend::leaveCall() {
  bool capturing = false;
  if (!isCallerCapturing(capturing) && !capturing)
    hasCall |= !checkCuda(cudaEventRecord(callDone, caller), "cudaEventRecord");
  nvtxRangePop();
}
