//===- Backend.cpp - What a backend has to do -----------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defaults for backends whose memory is the host's.
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "Allocator.h"

#include <cstdlib>
#include <cstring>

using namespace braid::runtime;

Graph::~Graph() = default;
Backend::~Backend() = default;

void *Backend::allocate(size_t bytes) {
  return std::aligned_alloc(MemoryAlignment, alignUp(bytes));
}

void Backend::deallocate(void *memory, size_t) { std::free(memory); }

Error Backend::copy(void *to, const void *from, size_t bytes) {
  std::memcpy(to, from, bytes);
  return Error::success();
}

Error Backend::useCallerStream(void *stream) {
  if (!stream)
    return Error::success();
  return Error(BRAID_INVALID_ARGUMENT,
               "braid_call.stream is not NULL, but this backend owns stream 0");
}

Error Backend::isCallerCapturing(bool &capturing) {
  capturing = false;
  return Error::success();
}

Error Backend::poison(void *, int64_t) { return Error::success(); }

static Error noCallerStreams() {
  return Error(BRAID_UNSUPPORTED,
               "this backend has no streams for code that is written by hand; "
               "such code uses the engine's own streams");
}

Error Backend::reserveCallerEvents(int32_t) { return noCallerStreams(); }
Error Backend::recordForCaller(int32_t, int32_t) { return noCallerStreams(); }
Error Backend::waitForCaller(int32_t, int32_t) { return noCallerStreams(); }

static Error noTuning() {
  return Error(BRAID_UNSUPPORTED,
               "this backend times nothing, so that there is nothing to save "
               "or load");
}

Error Backend::saveTuning(const char *) const { return noTuning(); }
Error Backend::loadTuning(const char *) { return noTuning(); }
