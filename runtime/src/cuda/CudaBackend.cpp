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

#include <algorithm>

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

Error CudaBackend::create(const braid_context_options &options,
                          std::unique_ptr<Backend> &backend) {
  int device = 0;
  if (Error error = checkCuda(cudaGetDevice(&device), "cudaGetDevice"))
    return makeError(BRAID_UNSUPPORTED, "there is no cuda backend here: %s",
                     error.text().c_str());
  std::unique_ptr<CudaBackend> made(new CudaBackend(device, options));
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
  if (Error error = GemmPlans::create(options.scratch_bytes, made->gemms))
    return error;
  backend = std::move(made);
  return Error::success();
}

CudaBackend::CudaBackend(int device, const braid_context_options &options)
    : device(device), options(options) {}

CudaBackend::~CudaBackend() {
  RelaxedCapture relaxed;
  (void)waitForAll();
  freeRetired();
  for (std::vector<cudaEvent_t> *events : {&slots, &callerEvents})
    for (cudaEvent_t event : *events)
      (void)cudaEventDestroy(event);
  for (const Measured &launch : measured)
    for (cudaEvent_t event : {launch.begin, launch.end})
      (void)cudaEventDestroy(event);
  for (cudaEvent_t event : {callDone, timeOrigin})
    if (event)
      (void)cudaEventDestroy(event);
  for (cudaStream_t stream : auxiliary)
    (void)cudaStreamDestroy(stream);
  if (origin)
    (void)cudaStreamDestroy(origin);
}

Error CudaBackend::addKernels(KernelRegistry &registry) {
  return addCudaKernels(registry, *gemms);
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

Error CudaBackend::copy(void *to, const void *from, size_t bytes) {
  if (Error error = checkCuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault),
                              "cudaMemcpy"))
    return error;
  // From pageable memory it returns when that was read, not when the device
  // has it.
  return checkCuda(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
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
  capturing = joinsCapture = status == cudaStreamCaptureStatusActive;
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
// Launches
//===----------------------------------------------------------------------===//

Error CudaBackend::prepareLaunch(const Launch &launch) {
  if (!GemmPlans::runs(*launch.kernel))
    return Error::success();
  braid_kernel_call call = {};
  call.struct_size = sizeof(call);
  call.op = launch.op;
  call.operands = launch.operands;
  int64_t version = gemms->version();
  Error error = gemms->prepare(call);
  // A record of a plan that has changed is of the algorithm before.
  if (gemms->version() != version)
    records.clear();
  if (!error)
    return error;
  return makeError(error.status(), "op '%s'%s cannot be prepared: %s",
                   launch.op->name, locationSuffix(*launch.op).c_str(),
                   error.text().c_str());
}

Error CudaBackend::prepareEagerLaunch(const Launch &launch) {
  // Of kernels that the engine registers nothing is known.
  if (!GemmPlans::runs(*launch.kernel) || records.contains(launch))
    return Error::success();
  std::unique_ptr<RecordedLaunch> recorded;
  // Without a record the library launches it, and says what fails, if anything
  // does.
  (void)RecordedLaunch::record(
      origin, [&] { return runKernel(launch, origin); }, recorded);
  records.add(launch, std::move(recorded));
  return Error::success();
}

Error CudaBackend::saveTuning(const char *path) const {
  return gemms->save(path);
}

Error CudaBackend::loadTuning(const char *path) { return gemms->load(path); }

Error CudaBackend::launch(const Launch &launch) {
  cudaStream_t stream = streamAt(launch.stream);
  if (!inCall) {
    // Code that is written by hand.
    if (Error error = isCallerCapturing(joinsCapture))
      return error;
    if (Error error = run(launch, stream))
      return error;
    return recordCallDone();
  }
  if (options.timeline && !isCapturing && !joinsCapture)
    return measure(launch, stream);
  return run(launch, stream);
}

static Error failedLaunch(const Launch &launch, braid_status status,
                          const char *why) {
  return makeError(status, "op '%s'%s failed: %s", launch.op->name,
                   locationSuffix(*launch.op).c_str(), why);
}

Error CudaBackend::run(const Launch &launch, cudaStream_t stream) {
  nvtxRangePushA(launch.op->name);
  // Captured from the library itself, kernels may begin before those in front
  // of them have ended, where the library says so.
  const RecordedLaunch *recorded = nullptr;
  if (!isCapturing && !joinsCapture && GemmPlans::runs(*launch.kernel))
    recorded = records.find(launch);
  Error error;
  if (!recorded)
    error = runKernel(launch, stream);
  else if (Error failed = recorded->launch(stream))
    error = failedLaunch(launch, failed.status(), failed.text().c_str());
  nvtxRangePop();
  if (!error)
    capturedLaunches += isCapturing;
  return error;
}

Error CudaBackend::runKernel(const Launch &launch, cudaStream_t stream) {
  char message[KernelMessageBytes];
  message[0] = '\0';
  braid_kernel_call call = {};
  call.struct_size = sizeof(call);
  call.op = launch.op;
  call.operands = launch.operands;
  call.workspace = launch.scratch;
  call.workspace_bytes = launch.scratchBytes;
  call.stream = stream;
  call.message = message;
  call.message_size = sizeof(message);
  braid_status status = launch.kernel->run(&call, launch.kernel->user_data);
  if (status == BRAID_OK)
    return Error::success();
  message[sizeof(message) - 1] = '\0';
  return failedLaunch(launch, status,
                      *message ? message : braid_status_name(status));
}

//===----------------------------------------------------------------------===//
// The measured timeline
//===----------------------------------------------------------------------===//

Error CudaBackend::makeTimer(cudaEvent_t &event) {
  return checkCuda(cudaEventCreate(&event), "cudaEventCreate");
}

Error CudaBackend::measure(const Launch &launch, cudaStream_t stream) {
  if (!timeOrigin) {
    if (Error error = makeTimer(timeOrigin))
      return error;
    if (Error error =
            checkCuda(cudaEventRecord(timeOrigin, stream), "cudaEventRecord"))
      return error;
  }
  Measured entry = {launch.op, launch.stream, nullptr, nullptr};
  if (Error error = makeTimer(entry.begin))
    return error;
  measured.push_back(entry);
  if (Error error = makeTimer(measured.back().end))
    return error;
  if (Error error =
          checkCuda(cudaEventRecord(entry.begin, stream), "cudaEventRecord"))
    return error;
  if (Error error = run(launch, stream))
    return error;
  return checkCuda(cudaEventRecord(measured.back().end, stream),
                   "cudaEventRecord");
}

Error CudaBackend::reportTimeline() {
  Error first;
  std::vector<braid_timeline_entry> entries;
  for (const Measured &launch : measured) {
    float start = 0, duration = 0; // ms
    Error error =
        checkCuda(cudaEventElapsedTime(&start, timeOrigin, launch.begin),
                  "cudaEventElapsedTime");
    if (!error)
      error =
          checkCuda(cudaEventElapsedTime(&duration, launch.begin, launch.end),
                    "cudaEventElapsedTime");
    for (cudaEvent_t event : {launch.begin, launch.end})
      if (event)
        (void)cudaEventDestroy(event);
    if (error) {
      if (!first)
        first = std::move(error);
      continue;
    }
    entries.push_back({sizeof(braid_timeline_entry), launch.op->name,
                       launch.op->location ? launch.op->location : "",
                       launch.stream, 0, 1e3 * start, 1e3 * duration});
  }
  measured.clear();
  std::stable_sort(
      entries.begin(), entries.end(),
      [](const auto &a, const auto &b) { return a.start < b.start; });
  for (const braid_timeline_entry &entry : entries)
    options.timeline(&entry, options.timeline_user_data);
  return first;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

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
  if (joinsCapture) {
    bool capturing = false;
    if (Error error = isCallerCapturing(capturing))
      return error;
    if (capturing)
      return Error(BRAID_INVALID_ARGUMENT,
                   "the caller's stream is being captured, expected "
                   "braid_synchronize after the end of its capture");
  }
  return waitForAll();
}

void CudaBackend::finish() { (void)waitForAll(); }

Error CudaBackend::waitForAll() {
  // By events and streams of our own: the caller's stream may be gone by now.
  Error first;
  if (hasCall)
    first = checkCuda(cudaEventSynchronize(callDone), "cudaEventSynchronize");
  for (cudaStream_t stream : auxiliary) {
    Error error =
        checkCuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    if (!first)
      first = std::move(error);
  }
  freeRetired();
  if (!first && options.timeline)
    return reportTimeline();
  return first;
}

void CudaBackend::enterCall(const char *verb, const braid_function &function,
                            int64_t) {
  nvtxRangePushA(function.name ? function.name : verb);
  inCall = true;
  // Graphs that were retired long ago and are done.
  while (!retired.empty() && retired.front().done &&
         cudaEventQuery(retired.front().done) == cudaSuccess) {
    (void)cudaEventDestroy(retired.front().done);
    retired.erase(retired.begin());
  }
}

void CudaBackend::leaveCall() {
  // A failure here shows again wherever the event is waited for.
  (void)recordCallDone();
  inCall = false;
  nvtxRangePop();
}

Error CudaBackend::recordCallDone() {
  if (joinsCapture)
    return Error::success();
  hasCall = true;
  return checkCuda(cudaEventRecord(callDone, caller), "cudaEventRecord");
}
