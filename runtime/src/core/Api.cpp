//===- Api.cpp - The calls of an engine -----------------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C entry points of runtime.h: NULL pointers, the version of structs, one
// thread at a time, and where the sentence of a failure goes.
//
//===----------------------------------------------------------------------===//

#include "BackendLibrary.h"
#include "Context.h"
#include "Tensor.h"

#include "host/HostBackend.h"
#include "trace/TraceBackend.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <unordered_set>

using namespace braid::runtime;

/// This thread's last failure that no context keeps.
static thread_local std::string threadError;
/// The context that refused this thread because another one was inside, or 0.
static thread_local uint64_t refusedBy = 0;

braid_status braid::runtime::reportToThread(const Error &error) {
  if (error)
    threadError = error.text();
  return error.status();
}

//===----------------------------------------------------------------------===//
// Entering a context
//===----------------------------------------------------------------------===//

namespace {
/// The contexts that exist, so that one that does not is never looked into.
struct LiveContexts {
  std::shared_mutex mutex;
  std::unordered_set<const braid_context *> contexts;

  /// Never destroyed: a context may be used while the program ends.
  static LiveContexts &get() {
    static LiveContexts *live = new LiveContexts;
    return *live;
  }
};
} // namespace

static constexpr char NoContext[] =
    "the context was destroyed, or is not one that braid_context_create made";

/// Makes the caller the only one inside `context`, or says why not.
static Error acquire(const braid_context *context) {
  LiveContexts &live = LiveContexts::get();
  std::shared_lock<std::shared_mutex> lock(live.mutex);
  if (!live.contexts.count(context))
    return Error(BRAID_INVALID_ARGUMENT, NoContext);
  if (context->busy.exchange(true, std::memory_order_acquire)) {
    refusedBy = context->id;
    return Error(BRAID_INVALID_ARGUMENT,
                 "the context is in use by another call; a context is used "
                 "from one thread at a time");
  }
  refusedBy = 0;
  return Error::success();
}

/// Runs `body` as the only one inside `context`.
template <typename Body>
static braid_status enter(const braid_context *context, Body &&body) {
  if (!context)
    return reportToThread(Error(BRAID_INVALID_ARGUMENT, "the context is NULL"));
  if (Error refused = guarded([&] { return acquire(context); }))
    return reportToThread(refused);
  Error error = guarded(body);
  braid_status status = error.status();
  if (error)
    context->lastError = error.text();
  context->busy.store(false, std::memory_order_release);
  return status;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

/// Bytes of the options in the first version of the interface.
static constexpr size_t OptionsFirstVersion =
    offsetof(braid_context_options, allocator_user_data) + sizeof(void *);

void braid_context_options_initialize_sized(braid_context_options *options,
                                            size_t size) {
  if (!options)
    return;
  braid_context_options defaults = {};
  defaults.struct_size = size;
  defaults.backend = BRAID_BACKEND_HOST;
  defaults.capture = 1;
  defaults.max_auxiliary_streams = 3;
  defaults.max_graphs = 1024;
  defaults.scratch_bytes = size_t(64) << 20;
  defaults.token_threshold = -1;
  defaults.eager_token_minimum = -1;
  std::memset(options, 0, size);
  std::memcpy(options, &defaults, std::min(size, sizeof(defaults)));
}

// The parentheses keep the macro away.
void(braid_context_options_initialize)(braid_context_options *options) {
  braid_context_options_initialize_sized(options, OptionsFirstVersion);
}

/// Fails unless an option that is on or off is 1 or 0.
static Error checkSwitch(const char *name, int32_t value) {
  if (value == 0 || value == 1)
    return Error::success();
  return makeError(BRAID_INVALID_ARGUMENT, "%s is %d, expected 0 or 1", name,
                   value);
}

static Error checkOptions(const braid_context_options &options) {
  for (auto [name, value] :
       {std::pair("capture", options.capture),
        std::pair("require_prepared", options.require_prepared),
        std::pair("poison", options.poison)})
    if (Error error = checkSwitch(name, value))
      return error;
  if (options.reserved != 0)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "reserved is %d, expected 0 (were the options filled with "
                     "braid_context_options_initialize?)",
                     options.reserved);
  if (options.max_auxiliary_streams < 0 ||
      options.max_auxiliary_streams >= MaxStreams)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "max_auxiliary_streams is %d, expected 0 to %d",
                     options.max_auxiliary_streams, MaxStreams - 1);
  if (options.max_graphs < 1)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "max_graphs is %lld, expected at least 1",
                     static_cast<long long>(options.max_graphs));
  if (!options.allocate != !options.deallocate)
    return Error(BRAID_INVALID_ARGUMENT,
                 "one of allocate and deallocate is NULL, expected both or "
                 "neither");
  if (options.token_threshold < -1)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "token_threshold is %lld, expected -1 or no negative "
                     "number",
                     static_cast<long long>(options.token_threshold));
  if (options.eager_token_minimum < -1)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "eager_token_minimum is %lld, expected -1 or no negative "
                     "number",
                     static_cast<long long>(options.eager_token_minimum));
  return Error::success();
}

/// Takes the token threshold from the environment if the options have none.
static Error readTokenThreshold(braid_context_options &options) {
  if (options.token_threshold >= 0)
    return Error::success();
  const char *text = std::getenv("BRAID_TOKEN_THRESHOLD");
  if (!text || !*text)
    return Error::success();
  // strtoll alone would take blanks and signs.
  bool digits = text[std::strspn(text, "0123456789")] == '\0';
  errno = 0;
  long long value = digits ? std::strtoll(text, nullptr, 10) : 0;
  if (!digits || errno)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "BRAID_TOKEN_THRESHOLD is '%s', expected a number of at "
                     "least 0",
                     text);
  options.token_threshold = value;
  return Error::success();
}

static Error makeBackend(const braid_context_options &options,
                         std::unique_ptr<Backend> &backend) {
  switch (options.backend) {
  case BRAID_BACKEND_HOST:
    return HostBackend::create(options, backend);
  case BRAID_BACKEND_TRACE:
    backend = std::make_unique<TraceBackend>(options);
    return Error::success();
  case BRAID_BACKEND_CUDA:
    return loadCudaBackend(options, backend);
  default:
    return makeError(BRAID_INVALID_ARGUMENT,
                     "backend is %d, expected a braid_backend",
                     options.backend);
  }
}

static Error createContext(const braid_context_options *given,
                           braid_context **context) {
  if (!context)
    return Error(BRAID_INVALID_ARGUMENT,
                 "the pointer that receives the context is NULL");
  *context = nullptr;
  braid_context_options options;
  braid_context_options_initialize(&options);
  if (given) {
    if (Error error = checkStructSize("braid_context_options",
                                      given->struct_size, OptionsFirstVersion))
      return error;
    std::memcpy(&options, given, std::min(given->struct_size, sizeof(options)));
    options.struct_size = sizeof(options);
  }
  if (Error error = checkOptions(options))
    return error;
  if (Error error = readTokenThreshold(options))
    return error;
  std::unique_ptr<Backend> backend;
  if (Error error = makeBackend(options, backend))
    return error;
  auto made = std::make_unique<braid_context>(options, std::move(backend));
  if (Error error = made->backend->addKernels(made->kernels))
    return error;
  LiveContexts &live = LiveContexts::get();
  std::unique_lock<std::shared_mutex> lock(live.mutex);
  live.contexts.insert(made.get());
  *context = made.release();
  return Error::success();
}

braid_status braid_context_create(const braid_context_options *options,
                                  braid_context **context) {
  return reportToThread(
      guarded([&] { return createContext(options, context); }));
}

/// Takes `context` from those that exist.
static Error retire(const braid_context *context) {
  if (Error error = acquire(context))
    return makeError(error.status(), "braid_context_destroy: %s",
                     error.text().c_str());
  LiveContexts &live = LiveContexts::get();
  std::unique_lock<std::shared_mutex> lock(live.mutex);
  live.contexts.erase(context);
  return Error::success();
}

void braid_context_destroy(braid_context *context) {
  if (!context)
    return;
  if (Error error = guarded([&] { return retire(context); }))
    (void)reportToThread(error);
  else
    delete context;
}

const char *braid_last_error(const braid_context *context) {
  if (!context)
    return threadError.c_str();
  LiveContexts &live = LiveContexts::get();
  std::shared_lock<std::shared_mutex> lock(live.mutex);
  if (!live.contexts.count(context))
    return NoContext;
  if (refusedBy == context->id)
    return threadError.c_str();
  return context->lastError.c_str();
}

const char *braid_status_name(braid_status status) {
  switch (status) {
  case BRAID_OK:
    return "ok";
  case BRAID_INVALID_ARGUMENT:
    return "invalid argument";
  case BRAID_NOT_PREPARED:
    return "not prepared";
  case BRAID_NO_KERNEL:
    return "no kernel";
  case BRAID_OUT_OF_MEMORY:
    return "out of memory";
  case BRAID_KERNEL_FAILED:
    return "kernel failed";
  case BRAID_UNSUPPORTED:
    return "unsupported";
  case BRAID_ABI_MISMATCH:
    return "ABI mismatch";
  case BRAID_INTERNAL:
    return "internal error";
  }
  return "unknown status";
}

void braid_abi_version(int32_t *major, int32_t *minor) {
  if (major)
    *major = BRAID_ABI_MAJOR;
  if (minor)
    *minor = BRAID_ABI_MINOR;
}

void braid_tensor_set_dense(braid_tensor *tensor) {
  if (tensor && tensor->rank >= 0 && tensor->rank <= BRAID_MAX_RANK)
    makeDense(*tensor, tensor->data);
}

//===----------------------------------------------------------------------===//
// Calls on a context
//===----------------------------------------------------------------------===//

braid_status braid_register_kernel(braid_context *context,
                                   const braid_kernel *kernel) {
  return enter(context, [&]() -> Error {
    if (!kernel)
      return Error(BRAID_INVALID_ARGUMENT, "the kernel is NULL");
    return context->addKernel(*kernel);
  });
}

braid_status braid_prepare(braid_context *context, const braid_call *call) {
  return enter(context, [&] { return context->prepare(call); });
}

braid_status braid_prepare_buckets(braid_context *context,
                                   const braid_call *call,
                                   const int64_t *token_counts,
                                   int64_t num_token_counts) {
  return enter(context, [&] {
    return context->prepareBuckets(call, token_counts, num_token_counts);
  });
}

braid_status braid_execute(braid_context *context, const braid_call *call) {
  return enter(context, [&] { return context->execute(call); });
}

braid_status braid_prepare_arguments(braid_context *context,
                                     const braid_function *function,
                                     const void *arguments, void *stream) {
  return enter(context, [&]() -> Error {
    braid_call call;
    if (Error error = makeCall(function, arguments, stream, call))
      return error;
    return context->prepare(&call);
  });
}

braid_status braid_prepare_buckets_arguments(braid_context *context,
                                             const braid_function *function,
                                             const void *arguments,
                                             const int64_t *token_counts,
                                             int64_t num_token_counts,
                                             void *stream) {
  return enter(context, [&]() -> Error {
    braid_call call;
    if (Error error = makeCall(function, arguments, stream, call))
      return error;
    return context->prepareBuckets(&call, token_counts, num_token_counts);
  });
}

braid_status braid_execute_arguments(braid_context *context,
                                     const braid_function *function,
                                     const void *arguments, void *stream) {
  return enter(context, [&]() -> Error {
    braid_call call;
    if (Error error = makeCall(function, arguments, stream, call))
      return error;
    return context->execute(&call);
  });
}

/// Fails unless `path` can be that of a file.
static Error checkPath(const char *path) {
  if (path && *path)
    return Error::success();
  return makeError(BRAID_INVALID_ARGUMENT,
                   "the path is %s, expected that of a file",
                   path ? "empty" : "NULL");
}

braid_status braid_tuning_save(braid_context *context, const char *path) {
  return enter(context, [&]() -> Error {
    if (Error error = checkPath(path))
      return error;
    return context->backend->saveTuning(path);
  });
}

braid_status braid_tuning_load(braid_context *context, const char *path) {
  return enter(context, [&]() -> Error {
    if (Error error = checkPath(path))
      return error;
    return context->backend->loadTuning(path);
  });
}

braid_status braid_synchronize(braid_context *context) {
  return enter(context, [&] { return context->synchronize(); });
}

braid_status braid_memory_allocate(braid_context *context, size_t bytes,
                                   void **memory) {
  return enter(context, [&]() -> Error {
    if (!memory)
      return Error(BRAID_INVALID_ARGUMENT,
                   "the pointer that receives the memory is NULL");
    *memory = bytes <= size_t(INT64_MAX - MemoryAlignment)
                  ? context->backend->allocate(bytes ? bytes : 1)
                  : nullptr;
    if (*memory)
      return Error::success();
    return makeError(BRAID_OUT_OF_MEMORY, "cannot allocate %zu bytes", bytes);
  });
}

braid_status braid_memory_free(braid_context *context, void *memory) {
  return enter(context, [&] {
    if (memory)
      context->backend->deallocate(memory, 0);
    return Error::success();
  });
}

braid_status braid_memory_copy(braid_context *context, void *to,
                               const void *from, size_t bytes) {
  return enter(context, [&]() -> Error {
    if (bytes && (!to || !from))
      return makeError(BRAID_INVALID_ARGUMENT,
                       "copying %zu bytes: the %s is NULL", bytes,
                       to ? "source" : "target");
    if (Error error = context->synchronize())
      return error;
    return bytes ? context->backend->copy(to, from, bytes) : Error::success();
  });
}

int64_t braid_token_threshold(const braid_context *context, int64_t compiled) {
  LiveContexts &live = LiveContexts::get();
  std::shared_lock<std::shared_mutex> lock(live.mutex);
  return live.contexts.count(context) ? context->tokenThreshold(compiled)
                                      : compiled;
}

braid_status braid_streams_reserve(braid_context *context, int32_t num_streams,
                                   int32_t num_events) {
  return enter(context, [&] {
    return context->reserveForCaller(num_streams, num_events);
  });
}

braid_status braid_streams_use(braid_context *context, void *stream) {
  return enter(context,
               [&] { return context->backend->useCallerStream(stream); });
}

braid_status braid_stream_launch(braid_context *context, int32_t stream,
                                 const braid_op *op,
                                 const braid_tensor *const *operands) {
  return enter(context,
               [&] { return context->launchForCaller(stream, op, operands); });
}

braid_status braid_stream_record(braid_context *context, int32_t stream,
                                 int32_t event) {
  return enter(context,
               [&] { return context->recordForCaller(stream, event); });
}

braid_status braid_stream_wait(braid_context *context, int32_t stream,
                               int32_t event) {
  return enter(context, [&] { return context->waitForCaller(stream, event); });
}

braid_status braid_get_statistics(const braid_context *context,
                                  braid_statistics *statistics) {
  return enter(context, [&]() -> Error {
    if (!statistics)
      return Error(BRAID_INVALID_ARGUMENT, "the statistics are NULL");
    constexpr size_t firstVersion =
        offsetof(braid_statistics, events) + sizeof(int64_t);
    size_t size = statistics->struct_size;
    if (Error error = checkStructSize("braid_statistics", size, firstVersion))
      return error;
    braid_statistics now = context->statistics();
    now.struct_size = size;
    std::memcpy(statistics, &now, std::min(size, sizeof(now)));
    return Error::success();
  });
}

braid_status braid_workspace_size(const braid_function *function,
                                  int64_t tokens, size_t *bytes) {
  return reportToThread(guarded([&]() -> Error {
    if (!bytes)
      return Error(BRAID_INVALID_ARGUMENT,
                   "the pointer that receives the size is NULL");
    if (Error error = checkFunction(function))
      return error;
    int64_t size = 0;
    if (Error error =
            workspaceBytes(function->name, function->workspace_per_token,
                           function->workspace_fixed, tokens, size))
      return error;
    *bytes = static_cast<size_t>(size);
    return Error::success();
  }));
}
