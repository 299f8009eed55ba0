//===- runtime.h - C ABI of the Braid runtime -------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an engine includes to run layers that Braid compiled: contexts,
// tensors, kernels, prepare and execute. Plain C99. Rules that hold for every
// function here:
//
//  * Status. Functions that can fail return a `braid_status`; the sentence that
//    explains the last failure of a context is `braid_last_error(context)`,
//    and of a failure without a context `braid_last_error(NULL)` (per thread).
//    No exception crosses this interface.
//  * Versions. Structs that may grow start with `struct_size`, which the caller
//    sets to `sizeof` of the struct it was compiled with. Fields are only ever
//    added at the end. `braid_tensor` and `braid_param` are arrays' elements
//    and therefore frozen.
//  * Ownership. The runtime never owns memory behind a `braid_tensor`. Strings
//    and tables behind a `braid_function` live as long as the compiled code.
//  * Threads. A context is used from one thread at a time; a second thread
//    that enters gets `BRAID_INVALID_ARGUMENT`. Different contexts are
//    independent.
//  * Bad input. docs/RuntimeABI.md says what is checked, and what cannot be.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_H
#define BRAID_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define BRAID_API
#else
#define BRAID_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Version of this interface. Major: something was changed or removed. Minor:
/// something was added.
#define BRAID_ABI_MAJOR 0
#define BRAID_ABI_MINOR 1

/// Largest rank of a tensor that can be passed to a compiled function.
#define BRAID_MAX_RANK 6

/// Outcome of a call. Values never change their meaning.
typedef enum braid_status {
  BRAID_OK = 0,
  /// An argument is null, out of range, or of the wrong shape or type.
  BRAID_INVALID_ARGUMENT = 1,
  /// The token count or the arguments were not prepared, and the context was
  /// told to fail in that case.
  BRAID_NOT_PREPARED = 2,
  /// No kernel is registered for an op with these element types.
  BRAID_NO_KERNEL = 3,
  /// Memory for the workspace, a stream or a graph could not be had.
  BRAID_OUT_OF_MEMORY = 4,
  /// A kernel failed while it ran; outputs are undefined.
  BRAID_KERNEL_FAILED = 5,
  /// The backend was not built in, or cannot do this.
  BRAID_UNSUPPORTED = 6,
  /// Compiled code and runtime were built for different versions of the ABI.
  BRAID_ABI_MISMATCH = 7,
  /// An inconsistency in Braid itself.
  BRAID_INTERNAL = 8
} braid_status;

/// Element types.
typedef enum braid_dtype {
  BRAID_F32 = 1,
  BRAID_BF16 = 2,
  BRAID_F16 = 3,
  /// 8-bit float, 4 exponent and 3 mantissa bits, no infinities.
  BRAID_F8E4M3 = 4,
  /// 8-bit power-of-two scale: 2^(byte - 127).
  BRAID_F8E8M0 = 5,
  BRAID_I8 = 6,
  BRAID_I32 = 7,
  BRAID_I64 = 8
} braid_dtype;

/// How an op touches the memory behind one operand.
typedef enum braid_access {
  BRAID_ACCESS_NONE = 0,
  BRAID_ACCESS_READ = 1,
  BRAID_ACCESS_WRITE = 2,
  BRAID_ACCESS_READ_WRITE = 3
} braid_access;

/// What kind of attention metadata an argument is.
typedef enum braid_metadata {
  /// An ordinary graph input, weight, cache or output.
  BRAID_METADATA_NONE = 0,
  /// Read by the host while work is enqueued; contents are taken at that
  /// moment.
  BRAID_METADATA_HOST = 1,
  /// Device memory at the same address for every call; contents are refreshed
  /// before each replay.
  BRAID_METADATA_DEVICE_PERSISTENT = 2,
  /// Device memory whose address may change from call to call. Never part of
  /// the key under which a captured segment is found.
  BRAID_METADATA_DEVICE_TRANSIENT = 3
} braid_metadata;

/// One strided array. `data` points at element (0, ..., 0); `strides` count
/// elements. Entries at and beyond `rank` are ignored.
typedef struct braid_tensor {
  void *data;
  int64_t sizes[BRAID_MAX_RANK];
  int64_t strides[BRAID_MAX_RANK];
  int32_t dtype; ///< a braid_dtype
  int32_t rank;
} braid_tensor;

/// Sets the strides of `*tensor` so that its elements follow each other, the
/// last dimension first, from its sizes. NULL and a rank that no tensor has are
/// ignored.
BRAID_API void braid_tensor_set_dense(braid_tensor *tensor);

/// Kind of the value in a braid_param.
typedef enum braid_param_kind {
  BRAID_PARAM_INT = 0,
  BRAID_PARAM_FLOAT = 1
} braid_param_kind;

/// A named scalar of an op, such as `eps` of rms_norm.
typedef struct braid_param {
  const char *name;
  int32_t kind; ///< a braid_param_kind
  int32_t reserved;
  union {
    int64_t i; ///< integers, and booleans as 0 or 1
    double f;
  } value;
} braid_param;

/// Static description of one op in a compiled program.
typedef struct braid_op {
  size_t struct_size;
  const char *name;     ///< name of the kernel, for example "linear"
  const char *location; ///< where the op stands in the source, "" if unknown
  int64_t num_operands;
  const int32_t *accesses; ///< a braid_access for each operand
  const int32_t *metadata; ///< a braid_metadata for each operand
  int64_t num_params;
  const braid_param *params;
  /// Host code of the compiled module that "host_call" runs; NULL otherwise.
  void (*function)(const braid_tensor *const *operands);
} braid_op;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// One call of a kernel.
typedef struct braid_kernel_call {
  size_t struct_size;
  const braid_op *op;
  /// `op->num_operands` tensors; NULL where an optional operand is absent.
  /// Dense order and meaning are those of the op's page in the documentation.
  const braid_tensor *const *operands;
  /// Scratch of at least the bytes that `workspace` asked for, 64-byte
  /// aligned; contents undefined. NULL in `check` and `workspace`.
  void *workspace;
  size_t workspace_bytes;
  /// Stream to launch on: a CUstream on cuda, NULL on host (the kernel runs on
  /// the stream's own thread).
  void *stream;
  /// Where a failing kernel writes one sentence that explains why,
  /// zero-terminated. Never NULL.
  char *message;
  size_t message_size;
} braid_kernel_call;

/// A kernel for an op. `run` may be called from any thread, several times at
/// once. The struct is copied by braid_register_kernel.
typedef struct braid_kernel {
  size_t struct_size;
  const char *name; ///< name of the op it implements
  /// Optional. Says whether this kernel can run such a call, from shapes,
  /// types and parameters, and the contents of host metadata only. Called
  /// before anything is enqueued. BRAID_NO_KERNEL makes the runtime look for
  /// an older kernel under the same name (the built-in one is the oldest).
  braid_status (*check)(const braid_kernel_call *call, void *user_data);
  /// Optional. Scratch bytes that `run` needs. `budget` is the context's
  /// `scratch_bytes`; work that would need more has to be chunked.
  size_t (*workspace)(const braid_kernel_call *call, size_t budget,
                      void *user_data);
  /// Required. Does the work, or enqueues it on `call->stream`.
  braid_status (*run)(const braid_kernel_call *call, void *user_data);
  void *user_data;
  /// Optional. Looks at the contents of operands that lead somewhere (slots,
  /// positions, block tables) and writes nothing. The host backend calls it
  /// twice: for all launches of a call before the first of them runs, so that a
  /// wrong entry fails the call before a byte is written; and right before
  /// `run`. The first time operands that the call itself writes have the data
  /// NULL, since their contents are not there yet; what depends on them is to
  /// be accepted. Other backends do not call it.
  braid_status (*check_contents)(const braid_kernel_call *call,
                                 void *user_data);
} braid_kernel;

//===----------------------------------------------------------------------===//
// Compiled functions
//===----------------------------------------------------------------------===//

typedef struct braid_frame braid_frame;

/// Extent that equals the call's token count T.
#define BRAID_SIZE_TOKENS (-1)
/// Extent that may be anything.
#define BRAID_SIZE_ANY (-2)
/// Stride of rows that follow each other without a gap: extent times stride of
/// the next dimension, 1 in the last one.
#define BRAID_STRIDE_DENSE (-1)
/// Stride that may be any number of at least 0; where the function writes, one
/// at which no two elements lie in the same place.
#define BRAID_STRIDE_ANY (-2)

/// Static description of one argument of a compiled function.
typedef struct braid_argument {
  size_t struct_size;
  const char *name;
  int32_t dtype; ///< a braid_dtype
  int32_t rank;
  /// `rank` extents: a number, BRAID_SIZE_TOKENS or BRAID_SIZE_ANY.
  const int64_t *sizes;
  int32_t access;   ///< a braid_access
  int32_t metadata; ///< a braid_metadata
  /// `rank` strides that the function was compiled for: a number of elements,
  /// BRAID_STRIDE_DENSE or BRAID_STRIDE_ANY. NULL: not known, any.
  const int64_t *strides;
} braid_argument;

/// A compiled function. Compiled code exports one constant of this type for
/// each public function, under the symbol `braid_function_<name>`.
typedef struct braid_function {
  size_t struct_size;
  int32_t abi_major; ///< BRAID_ABI_MAJOR of the compiler that made it
  int32_t abi_minor;
  const char *name;
  int64_t num_arguments;
  const braid_argument *arguments;
  /// Workspace in bytes for T tokens: per_token * T + fixed. Counts this
  /// function's own buffers and those of the functions that it calls.
  int64_t workspace_per_token;
  int64_t workspace_fixed;
  /// Enqueues the whole function. Called by the runtime only.
  void (*entry)(braid_frame *frame, const braid_tensor *arguments);
} braid_function;

/// One call of a compiled function.
typedef struct braid_call {
  size_t struct_size;
  const braid_function *function;
  const braid_tensor *arguments; ///< one for each declared argument, in order
  int64_t num_arguments;
  /// The caller's stream, which becomes stream 0 of the schedule: a CUstream
  /// on cuda; NULL on host and trace, where the context owns stream 0.
  void *stream;
} braid_call;

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

typedef struct braid_context braid_context;

typedef enum braid_backend {
  /// Kernels on the CPU; each stream is a FIFO queue with a thread.
  BRAID_BACKEND_HOST = 0,
  /// Executes nothing and prints each call.
  BRAID_BACKEND_TRACE = 1,
  BRAID_BACKEND_CUDA = 2
} braid_backend;

/// When one launch ran. Times are in microseconds since the first launch that
/// the context measured.
typedef struct braid_timeline_entry {
  size_t struct_size;
  const char *op;       ///< name of the op; valid during the call
  const char *location; ///< where it stands in the source, "" if unknown
  int32_t stream;       ///< of the schedule
  int32_t reserved;     ///< 0
  double start;
  double duration;
} braid_timeline_entry;

/// Settings of a context. Fill with braid_context_options_initialize, then
/// change what is to differ.
typedef struct braid_context_options {
  size_t struct_size;
  int32_t backend; ///< a braid_backend; default host
  /// 1: segments are captured by braid_prepare and replayed (default).
  /// 0: every segment runs eagerly.
  int32_t capture;
  /// 1: a call that was not prepared returns BRAID_NOT_PREPARED.
  /// 0: it runs eagerly (default).
  int32_t require_prepared;
  /// Most streams beside stream 0; default 3, at most 1023. A schedule that
  /// needs more is rejected by braid_prepare and braid_execute.
  int32_t max_auxiliary_streams;
  /// Most captured segments kept; the one unused for longest goes first.
  /// Default 1024; at least 1.
  int64_t max_graphs;
  /// Upper limit for the scratch of one kernel, in bytes. Default 64 MiB.
  size_t scratch_bytes;
  /// Receives each line of the trace backend, without the newline. Default
  /// (NULL): standard output.
  void (*trace)(const char *line, void *user_data);
  void *trace_user_data;
  /// Allocator for workspace and scratch; both or neither. `allocate` returns
  /// memory aligned to 256 bytes, or NULL. Default (NULL): aligned_alloc.
  void *(*allocate)(size_t bytes, void *user_data);
  void (*deallocate)(void *pointer, size_t bytes, void *user_data);
  void *allocator_user_data;
  /// Largest token count at which compiled code overlaps work on several
  /// streams, in place of the compiled threshold of every gate; 0: never.
  /// Default -1: BRAID_TOKEN_THRESHOLD of the environment when the context is
  /// created, and without it the compiled threshold.
  int64_t token_threshold;
  /// For tests, host only. Not 0: each stream pauses for 0 to 200 us before
  /// each command, as the seed, the stream and the number of the command say,
  /// so that a missing wait shows. Default 0: no pauses.
  uint64_t delay_seed;
  /// For tests, host only. 1: each schedule that is executed first fills its
  /// workspace with 0xFF bytes (NaN as a float) on stream 0, so that a read
  /// before the write shows. Default 0.
  int32_t poison;
  int32_t reserved; ///< 0
  /// What to do with an eager region while the caller is capturing its stream,
  /// on cuda. Called with `is_end` 0 before the region, when the work of the
  /// call so far has joined the stream: it ends the capture, so that the
  /// region's launches run at once. Called with `is_end` 1 after them: it may
  /// begin the next capture on the same stream. A status other than BRAID_OK
  /// ends the call with it. Default (NULL): such a call fails with
  /// BRAID_UNSUPPORTED before anything is enqueued.
  braid_status (*eager_break)(const char *region, int32_t is_end,
                              void *user_data);
  void *eager_break_user_data;
  /// Receives, while braid_synchronize runs and in the order in which they
  /// started, when the launches since the last call of it ran. On cuda a
  /// replayed segment is not measured: set `capture` to 0. Measuring costs
  /// time. Default (NULL): nothing is measured. The trace backend measures
  /// nothing.
  void (*timeline)(const braid_timeline_entry *entry, void *user_data);
  void *timeline_user_data;
  /// Smallest token count at which gates overlap work that is launched one by
  /// one: with `capture` 0, and in calls that were not prepared. For fewer
  /// tokens launching takes longer than the work, and a fork only adds to it.
  /// What is captured, by braid_prepare or by the caller, is overlapped from
  /// one token on. Default -1: what was measured for the backend, 256 on cuda,
  /// 0 on host and trace.
  int64_t eager_token_minimum;
} braid_context_options;

/// Counters of a context since it was created.
typedef struct braid_statistics {
  size_t struct_size;
  int64_t launches;        ///< kernels launched one by one
  int64_t replayed;        ///< kernels launched by replaying a segment
  int64_t captures;        ///< segments captured
  int64_t replays;         ///< segments replayed
  int64_t eager_segments;  ///< segments that ran without a capture
  int64_t breaks;          ///< eager regions executed
  int64_t graphs;          ///< captured segments held now
  int64_t workspace_bytes; ///< bytes of workspace held now
  int64_t streams;         ///< streams held now, stream 0 included
  int64_t events;          ///< event slots held now
} braid_statistics;

/// Writes the defaults to the first `size` bytes of `*options`, `struct_size`
/// included; NULL is ignored.
BRAID_API void
braid_context_options_initialize_sized(braid_context_options *options,
                                       size_t size);

/// Writes the defaults to `*options`; NULL is ignored. The macro passes the
/// size that its caller was compiled with; the function behind it, for callers
/// that load it by name, writes the fields up to `allocator_user_data`.
BRAID_API void braid_context_options_initialize(braid_context_options *options);
#define braid_context_options_initialize(options)                              \
  braid_context_options_initialize_sized((options),                            \
                                         sizeof(braid_context_options))

/// Creates a context. `options` may be NULL for the defaults. `*context` is
/// set to NULL first; the caller destroys it with braid_context_destroy.
BRAID_API braid_status braid_context_create(
    const braid_context_options *options, braid_context **context);

/// Waits for enqueued work, then frees everything the context holds. NULL is
/// ignored. A context that a call is inside of, or that was destroyed before,
/// is left alone; braid_last_error(NULL) then says so.
BRAID_API void braid_context_destroy(braid_context *context);

/// The sentence about the last failed call on `context`, or, for NULL, about
/// this thread's last failure without a context; "" if none failed. Valid
/// until the next call on the same context (thread).
BRAID_API const char *braid_last_error(const braid_context *context);

/// Name of a status, such as "invalid argument".
BRAID_API const char *braid_status_name(braid_status status);

/// Version of the runtime library that is linked in; each pointer may be NULL.
BRAID_API void braid_abi_version(int32_t *major, int32_t *minor);

/// Puts `kernel` before all others of the same name. Segments captured before
/// keep the kernel that they were captured with.
BRAID_API braid_status braid_register_kernel(braid_context *context,
                                             const braid_kernel *kernel);

/// Makes the context ready for `call`: checks arguments, finds kernels,
/// reserves workspace and streams, and captures every segment of the function
/// for these arguments. On cuda it chooses the algorithm of each product, and
/// keeps what saves launches outside segments time. Executes no kernel and
/// changes no argument's contents. May allocate and wait. The key of a captured
/// segment is the segment, the token count, and addresses, extents and strides
/// of all tensors it uses but transient metadata.
BRAID_API braid_status braid_prepare(braid_context *context,
                                     const braid_call *call);

/// The same as braid_prepare for several token counts, the sizes to which an
/// engine pads its batches: for each of `token_counts`, 1 to the T of `call`,
/// with the first rows of the same arguments. Prepares the largest one first.
/// Host metadata have to fit each count; those of a batch without tokens do.
/// Checks the list before anything is prepared; on a later failure counts that
/// were done stay prepared.
BRAID_API braid_status braid_prepare_buckets(braid_context *context,
                                             const braid_call *call,
                                             const int64_t *token_counts,
                                             int64_t num_token_counts);

/// Enqueues `call` and returns. Host metadata has been read when it returns;
/// everything else must stay valid until braid_synchronize or the caller's
/// stream says that the work is done. Zero tokens: returns BRAID_OK at once.
/// On failure nothing was enqueued, and outputs and caches are as before.
BRAID_API braid_status braid_execute(braid_context *context,
                                     const braid_call *call);

/// braid_prepare, braid_prepare_buckets and braid_execute for a struct as
/// headers of compiled code declare it: `size_t struct_size`, then a
/// braid_tensor for each argument of `function`. The functions of those headers
/// call these.
BRAID_API braid_status braid_prepare_arguments(braid_context *context,
                                               const braid_function *function,
                                               const void *arguments,
                                               void *stream);
BRAID_API braid_status braid_prepare_buckets_arguments(
    braid_context *context, const braid_function *function,
    const void *arguments, const int64_t *token_counts,
    int64_t num_token_counts, void *stream);
BRAID_API braid_status braid_execute_arguments(braid_context *context,
                                               const braid_function *function,
                                               const void *arguments,
                                               void *stream);

/// Writes to the file `path` what braid_prepare found out by timing: for each
/// form of matrix product the algorithm that was fastest. Such a file is good
/// for the same device, driver and libraries only. BRAID_UNSUPPORTED on
/// backends that time nothing.
BRAID_API braid_status braid_tuning_save(braid_context *context,
                                         const char *path);

/// Reads a file of braid_tuning_save, so that braid_prepare need not time what
/// is in it; meant to be called before the first braid_prepare. Algorithms that
/// this context has chosen already stay. BRAID_UNSUPPORTED, with nothing
/// changed, if the file is for another device, driver or library: an engine may
/// go on without it.
BRAID_API braid_status braid_tuning_load(braid_context *context,
                                         const char *path);

/// Waits until all work enqueued so far is done. Returns the first failure of
/// a kernel since the last call of this function.
BRAID_API braid_status braid_synchronize(braid_context *context);

/// Allocates `bytes`, aligned to 256, where kernels of the context's backend
/// reach them: on the device on cuda, elsewhere on the host. For tools and
/// tests; an engine brings its own memory. Freed with braid_memory_free, before
/// the context goes.
BRAID_API braid_status braid_memory_allocate(braid_context *context,
                                             size_t bytes, void **memory);
/// Frees memory of braid_memory_allocate; no work may be using it. NULL is
/// ignored.
BRAID_API braid_status braid_memory_free(braid_context *context, void *memory);
/// Copies `bytes` between such memory and memory of the host, either way, after
/// all work enqueued so far, and returns when they are there.
BRAID_API braid_status braid_memory_copy(braid_context *context, void *to,
                                         const void *from, size_t bytes);

/// Writes to `*bytes` the workspace that `function` needs for `tokens` tokens.
BRAID_API braid_status braid_workspace_size(const braid_function *function,
                                            int64_t tokens, size_t *bytes);

/// The token threshold of a gate that was compiled with `compiled`: the
/// context's option, else the environment's BRAID_TOKEN_THRESHOLD at the time
/// the context was created, else `compiled`. NULL: `compiled`.
BRAID_API int64_t braid_token_threshold(const braid_context *context,
                                        int64_t compiled);

/// Writes counters; `statistics->struct_size` says how much fits.
BRAID_API braid_status braid_get_statistics(const braid_context *context,
                                            braid_statistics *statistics);

//===----------------------------------------------------------------------===//
// Streams for code that is written by hand
//===----------------------------------------------------------------------===//

// The streams of a context, for work beside compiled functions. Stream 0 is the
// one on which braid_execute puts its calls; on cuda it is the engine's, see
// braid_streams_use. The events are not those of compiled schedules.
// braid/parallel.hpp builds on them.

/// Makes streams 0 .. num_streams - 1 and events 0 .. num_events - 1 exist.
/// At most 1 + `max_auxiliary_streams` streams and 65536 events. Never makes
/// fewer.
BRAID_API braid_status braid_streams_reserve(braid_context *context,
                                             int32_t num_streams,
                                             int32_t num_events);

/// Makes `stream` (a CUstream on cuda; NULL elsewhere) stream 0 of what
/// braid_stream_launch and braid/parallel.hpp enqueue, until the next call with
/// another stream.
BRAID_API braid_status braid_streams_use(braid_context *context, void *stream);

/// Enqueues one op. `op` has to live until the work is done; `operands` are
/// copied, as is host metadata.
BRAID_API braid_status braid_stream_launch(braid_context *context,
                                           int32_t stream, const braid_op *op,
                                           const braid_tensor *const *operands);

/// Records `event` on `stream`.
BRAID_API braid_status braid_stream_record(braid_context *context,
                                           int32_t stream, int32_t event);

/// Makes `stream` wait for the record of `event` that was enqueued last. Fails
/// if there was none.
BRAID_API braid_status braid_stream_wait(braid_context *context, int32_t stream,
                                         int32_t event);

//===----------------------------------------------------------------------===//
// Rotary position tables
//===----------------------------------------------------------------------===//

/// Parameters of a rotary embedding. factor == 1 means plain RoPE, and the
/// three fields after it are ignored. Source: `rope_theta`, `rope_scaling` or
/// `rope_parameters` of a model's config; YaRN, arXiv:2309.00071, without
/// magnitude scaling.
typedef struct braid_rope {
  size_t struct_size;
  int64_t dims; ///< rotated channels, even, at most 65536
  double theta;
  double factor;
  double beta_fast;
  double beta_slow;
  int64_t original_positions;
} braid_rope;

/// Fills `table`, [positions, dims] row-major: for each position first dims/2
/// cosines, then dims/2 sines.
BRAID_API braid_status braid_fill_rope_table(const braid_rope *rope,
                                             int64_t positions, float *table);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // BRAID_RUNTIME_H
