//===- BadInputTest.cpp - What a caller can get wrong ---------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables of bad calls, each row a test: the status, the sentence, and that no
// byte of an output or a cache changed. The rows about calls run on every
// backend; those about kernels on the one that has them.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "braid/parallel.hpp"

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <thread>

using namespace braid::test;

namespace {

/// What a bad call came to.
struct Outcome {
  braid_status status;
  std::string sentence;
};

/// The outcome of a function that has no context.
Outcome ofThread(braid_status status) {
  return {status, braid_last_error(nullptr)};
}

/// The bytes of arrays, to be compared later.
class Watched {
public:
  template <typename T>
  void watch(const Array<T> &array) {
    ranges.push_back({reinterpret_cast<const char *>(array.data.data()),
                      array.data.size() * sizeof(T)});
    before.emplace_back(ranges.back().first, ranges.back().second);
  }
  bool changed() const {
    for (size_t i = 0; i < ranges.size(); ++i)
      if (std::memcmp(ranges[i].first, before[i].data(), ranges[i].second))
        return true;
    return false;
  }

private:
  std::vector<std::pair<const char *, size_t>> ranges;
  std::vector<std::string> before;
};

//===----------------------------------------------------------------------===//
// A function that writes an output and a cache
//===----------------------------------------------------------------------===//

/// f(x: read, cache: read and write, y: write, lengths: host metadata), with
/// T = 3. Its kernel writes all of cache and y.
struct Layer {
  explicit Layer(braid_backend backend,
                 std::function<void(braid_context_options &)> more = nullptr)
      : backend(backend), context([&](braid_context_options &options) {
          options.backend = backend;
          options.trace = [](const char *, void *) {};
          if (more)
            more(options);
        }) {
    context.add("touch", [](const braid_kernel_call &call) {
      for (int i : {1, 2})
        static_cast<float *>(call.operands[i]->data)[0] += 1;
      return BRAID_OK;
    });
    watched.watch(cache);
    watched.watch(y);
  }

  braid_call makeCall() { return function.call(tensors); }

  /// The arguments as the header of compiled code declares them.
  struct Arguments {
    size_t structSize;
    braid_tensor tensors[4];
  };
  Arguments makeArguments() const {
    return {sizeof(Arguments),
            {tensors[0], tensors[1], tensors[2], tensors[3]}};
  }

  /// Prepares and executes the call; both have to fail alike.
  Outcome run(const braid_call &call) {
    braid_status prepared = braid_prepare(context, &call);
    std::string sentence = context.error();
    braid_status executed = braid_execute(context, &call);
    EXPECT_EQ(executed, prepared);
    if (prepared != BRAID_OK) {
      EXPECT_EQ(context.error(), sentence);
    }
    EXPECT_EQ(braid_synchronize(context), BRAID_OK);
    return {executed, prepared == BRAID_OK ? "" : sentence};
  }
  Outcome run() { return run(makeCall()); }

  braid_backend backend;
  Floats x{{3, 4}}, y{{3, 4}};
  Floats cache{{2, 4, 4}};
  Ints lengths{{2}, 1};
  Watched watched;
  Context context;
  braid_schedule schedule = makeSchedule(1, 1, 64, 64);
  Region segment{"f.segment0", "...h"};
  Op touch{"touch", "ruwr", {param("amount", 1.0)}, "...h"};
  Function function{
      "f",
      {{"x",
        BRAID_F32,
        {BRAID_SIZE_TOKENS, 4},
        BRAID_METADATA_NONE,
        BRAID_ACCESS_READ,
        {BRAID_STRIDE_DENSE, BRAID_STRIDE_DENSE}},
       {"cache",
        BRAID_F32,
        {BRAID_SIZE_ANY, BRAID_SIZE_ANY, 4},
        BRAID_METADATA_NONE,
        BRAID_ACCESS_READ_WRITE,
        {BRAID_STRIDE_ANY, 4, 1}},
       {"y",
        BRAID_F32,
        {BRAID_SIZE_TOKENS, 4},
        BRAID_METADATA_NONE,
        BRAID_ACCESS_WRITE,
        {BRAID_STRIDE_DENSE, 1}},
       {"lengths",
        BRAID_I32,
        {BRAID_SIZE_ANY},
        BRAID_METADATA_HOST,
        BRAID_ACCESS_READ}},
      [this](braid_frame *frame, const braid_tensor *t) {
        if (body)
          return body(frame, t);
        const braid_tensor *liveIns[] = {t, t + 1, t + 2, t + 3};
        braid_rt_schedule_begin(frame, &schedule, t[0].sizes[0]);
        if (braid_rt_segment_begin(frame, &segment.region, liveIns)) {
          touch.launch(frame, 0, {t, t + 1, t + 2, t + 3});
          braid_rt_segment_end(frame);
        }
        braid_rt_schedule_end(frame);
      },
      64,
      64};
  /// In place of the body above.
  Function::Body body;
  std::vector<braid_tensor> tensors = {x.tensor, cache.tensor, y.tensor,
                                       lengths.tensor};
};

/// A bad call. `act` breaks something and calls.
struct Row {
  const char *name;
  braid_status status;
  const char *sentence; ///< part of it
  std::function<Outcome(Layer &)> act;
};

/// A row that changes an argument of f.
Row argument(const char *name, const char *sentence,
             std::function<void(std::vector<braid_tensor> &)> change) {
  return {name, BRAID_INVALID_ARGUMENT, sentence, [change](Layer &layer) {
            change(layer.tensors);
            return layer.run();
          }};
}

/// A row that changes the call, the function or its arguments' tables.
Row table(const char *name, braid_status status, const char *sentence,
          std::function<void(braid_call &, braid_function &, braid_argument *)>
              change) {
  return {
      name, status, sentence, [change](Layer &layer) {
        braid_call call = layer.makeCall();
        change(call, layer.function.function,
               const_cast<braid_argument *>(layer.function.function.arguments));
        return layer.run(call);
      }};
}

/// A row in which compiled code does something wrong.
Row compiled(
    const char *name, braid_status status, const char *sentence,
    std::function<void(Layer &, braid_frame *, const braid_tensor *)> body) {
  return {name, status, sentence, [body](Layer &layer) {
            layer.body = [&](braid_frame *frame, const braid_tensor *t) {
              body(layer, frame, t);
            };
            return layer.run();
          }};
}

/// A row about an option of a context.
Row option(const char *name, braid_status status, const char *sentence,
           std::function<void(braid_context_options &)> change) {
  return {name, status, sentence, [change](Layer &) {
            braid_context_options options;
            braid_context_options_initialize(&options);
            change(options);
            // Something that is no context, to see that it is cleared.
            braid_context *context =
                reinterpret_cast<braid_context *>(&options);
            Outcome outcome =
                ofThread(braid_context_create(&options, &context));
            EXPECT_EQ(context, nullptr);
            return outcome;
          }};
}

/// A row about a rope table.
Row rope(const char *name, const char *sentence,
         std::function<void(braid_rope &, int64_t &, float *&)> change) {
  return {name, BRAID_INVALID_ARGUMENT, sentence, [change](Layer &) {
            float values[8] = {7, 7, 7, 7, 7, 7, 7, 7}, *place = values;
            braid_rope rope = {sizeof(rope), 4, 10000.0, 16.0, 32, 1, 64};
            int64_t positions = 2;
            change(rope, positions, place);
            Outcome outcome =
                ofThread(braid_fill_rope_table(&rope, positions, place));
            for (float value : values)
              EXPECT_EQ(value, 7);
            return outcome;
          }};
}

/// A row about work that is enqueued by hand.
Row byHand(const char *name, braid_status status, const char *sentence,
           std::function<braid_status(Layer &, braid_context *)> act) {
  return {name, status, sentence, [act](Layer &layer) {
            EXPECT_EQ(braid_streams_reserve(layer.context, 1, 1), BRAID_OK);
            braid_status status = act(layer, layer.context);
            std::string sentence = layer.context.error();
            EXPECT_EQ(braid_synchronize(layer.context), BRAID_OK);
            return Outcome{status, sentence};
          }};
}

/// Launches `touch` by hand with something changed.
Row launch(const char *name, const char *sentence,
           std::function<void(braid_op &, const braid_tensor **)> change) {
  return byHand(name, BRAID_INVALID_ARGUMENT, sentence,
                [change](Layer &layer, braid_context *context) {
                  braid_op op = layer.touch.op;
                  const braid_tensor *operands[] = {&layer.x, &layer.cache,
                                                    &layer.y, &layer.lengths};
                  change(op, operands);
                  return braid_stream_launch(context, 0, &op, operands);
                });
}

using Tensors = std::vector<braid_tensor>;
using Options = braid_context_options;
constexpr int64_t Huge = std::numeric_limits<int64_t>::max();
constexpr auto Invalid = BRAID_INVALID_ARGUMENT;
constexpr auto Internal = BRAID_INTERNAL;

char *bytesOf(const braid_tensor &tensor) {
  return static_cast<char *>(tensor.data);
}

//===----------------------------------------------------------------------===//
// Rows: arguments of a call
//===----------------------------------------------------------------------===//

void addArgumentRows(std::vector<Row> &rows) {
  const std::vector<Row> more = {
      argument("WrongType", "argument 0 'x' of f is bf16, expected f32",
               [](Tensors &t) { t[0].dtype = BRAID_BF16; }),
      argument("NoType", "argument 0 'x' of f is unknown type, expected f32",
               [](Tensors &t) { t[0].dtype = -1; }),
      argument("WrongRank", "argument 0 'x' of f has rank 3, expected 2",
               [](Tensors &t) { t[0].rank = 3; }),
      argument("NegativeRank", "'x' of f has rank -1, expected 2",
               [](Tensors &t) { t[0].rank = -1; }),
      argument("HugeRank", "'x' of f has rank 2147483647, expected 2",
               [](Tensors &t) { t[0].rank = INT32_MAX; }),
      argument("WrongSize", "'x' of f: size 1 is 5, expected 4",
               [](Tensors &t) { t[0].sizes[1] = 5; }),
      argument("NegativeSize",
               "'cache' of f: size 0 is -1, expected no negative number",
               [](Tensors &t) { t[1].sizes[0] = -1; }),
      argument("LeastSize",
               "'cache' of f: size 1 is -9223372036854775808, expected no",
               [](Tensors &t) { t[1].sizes[1] = INT64_MIN; }),
      argument("HugeSize",
               "'cache' of f: sizes 9223372036854775807x4x4 with strides 16, "
               "4, 1 of f32 at",
               [](Tensors &t) { t[1].sizes[0] = Huge; }),
      argument(
          "SizesThatOverflow",
          "'cache' of f: sizes 4294967296x4294967296x4 with",
          [](Tensors &t) { t[1].sizes[0] = t[1].sizes[1] = int64_t(1) << 32; }),
      argument("SizesTimesStridesOverflow", "with strides 9223372036854775807",
               [](Tensors &t) { t[1].strides[0] = Huge; }),
      argument("BytesOverflow", "are more than memory can be",
               [](Tensors &t) { t[1].strides[0] = Huge / 3; }),
      argument("PastTheEndOfMemory", "are more than memory can be",
               [](Tensors &t) {
                 t[0].data = reinterpret_cast<void *>(UINTPTR_MAX - 15);
               }),
      argument("OtherTokenCount",
               "'y' of f: size 0 is 2, expected the token count of the "
               "arguments before it, 3",
               [](Tensors &t) { t[2].sizes[0] = 2; }),
      argument("NegativeTokens", "'x' of f: size 0 is -3, expected no negative",
               [](Tensors &t) { t[0].sizes[0] = t[2].sizes[0] = -3; }),
      argument("HugeTokens", "are more than memory can be",
               [](Tensors &t) { t[0].sizes[0] = t[2].sizes[0] = Huge; }),
      argument("NoData", "'y' of f: data is NULL, expected memory for 3x4xf32",
               [](Tensors &t) { t[2].data = nullptr; }),
      argument("MisalignedInput",
               ", expected a multiple of 4, the bytes of an element of f32",
               [](Tensors &t) { t[0].data = bytesOf(t[0]) + 1; }),
      argument("MisalignedCache", "argument 1 'cache' of f: data is 0x",
               [](Tensors &t) { t[1].data = bytesOf(t[1]) + 2; }),
      argument("NegativeStride",
               "'y' of f: stride 0 is -4, expected no negative number",
               [](Tensors &t) { t[2].strides[0] = -4; }),
      argument("StridedRowsOfADenseArgument",
               "'x' of f: stride 0 is 8, expected 4, for which the function "
               "was compiled",
               [](Tensors &t) { t[0].strides[0] = 8; }),
      argument("TransposedDenseArgument", "'x' of f: stride 1 is 3, expected 1",
               [](Tensors &t) {
                 t[0].strides[0] = 1;
                 t[0].strides[1] = 3;
               }),
      argument("BroadcastInput", "'x' of f: stride 0 is 0, expected 4",
               [](Tensors &t) { t[0].strides[0] = 0; }),
      argument("StridesOfACache", "'cache' of f: stride 1 is 8, expected 4",
               [](Tensors &t) { t[1].strides[1] = 8; }),
      argument("BlocksOfACacheOverlap",
               "'cache' of f: strides are 15, 4, 1 for 2x4x4xf32, expected "
               "strides at which what is written does not overlap",
               [](Tensors &t) { t[1].strides[0] = 15; }),
      argument("OutputIsInput", "argument 2 'y' of f: 3x4xf32 at",
               [](Tensors &t) { t[2].data = t[0].data; }),
      argument("OutputOverlapsCache", "overlaps argument 1 'cache' of f at",
               [](Tensors &t) { t[2].data = bytesOf(t[1]) + 16; }),
      argument("OutputOverlapsLengths", "overlaps argument 3 'lengths' of f",
               [](Tensors &t) { t[3].data = bytesOf(t[2]) + 44; }),
  };
  rows.insert(rows.end(), more.begin(), more.end());
}

//===----------------------------------------------------------------------===//
// Rows: calls and what describes them
//===----------------------------------------------------------------------===//

void addTableRows(std::vector<Row> &rows) {
  using C = braid_call;
  using F = braid_function;
  using A = braid_argument;
  const std::vector<Row> more = {
      {"NullCall", Invalid, "the call is NULL",
       [](Layer &layer) {
         EXPECT_EQ(braid_prepare(layer.context, nullptr), Invalid);
         braid_status status = braid_execute(layer.context, nullptr);
         return Outcome{status, layer.context.error()};
       }},
      table("CallSizeZero", Invalid, "braid_call.struct_size is 0, expected",
            [](C &c, F &, A *) { c.struct_size = 0; }),
      table("CallSizeTooSmall", Invalid, "braid_call.struct_size is 39",
            [](C &c, F &, A *) { c.struct_size = 39; }),
      table("NullFunction", Invalid, "the function is NULL",
            [](C &c, F &, A *) { c.function = nullptr; }),
      table("NullArguments", Invalid, "braid_call.arguments of f is NULL",
            [](C &c, F &, A *) { c.arguments = nullptr; }),
      table("TooFewArguments", Invalid,
            "f was called with 3 arguments, expected 4",
            [](C &c, F &, A *) { c.num_arguments = 3; }),
      table("NegativeArguments", Invalid, "called with -1 arguments",
            [](C &c, F &, A *) { c.num_arguments = -1; }),
      table("HugeArguments", Invalid,
            "called with 9223372036854775807 arguments",
            [](C &c, F &, A *) { c.num_arguments = Huge; }),
      table("StreamOfTheCaller", Invalid,
            "braid_call.stream is not NULL, but this backend owns stream 0",
            [](C &c, F &, A *) { c.stream = &c; }),
      table("FunctionSizeZero", Invalid, "braid_function.struct_size is 0",
            [](C &, F &f, A *) { f.struct_size = 0; }),
      table("OtherMajor", BRAID_ABI_MISMATCH,
            "function 'f' was compiled for version 9.1 of the runtime's ABI",
            [](C &, F &f, A *) { f.abi_major = 9; }),
      table("NewerMinor", BRAID_ABI_MISMATCH, "compiled for version 0.99",
            [](C &, F &f, A *) { f.abi_minor = 99; }),
      table("NoEntry", Invalid, "function 'f' is incomplete",
            [](C &, F &f, A *) { f.entry = nullptr; }),
      table("NoName", Invalid, "function '?' is incomplete",
            [](C &, F &f, A *) { f.name = nullptr; }),
      table("NoTables", Invalid, "function 'f' is incomplete",
            [](C &, F &f, A *) { f.arguments = nullptr; }),
      table("NegativeDeclared", Invalid, "function 'f' is incomplete",
            [](C &c, F &f, A *) { c.num_arguments = f.num_arguments = -1; }),
      table("NegativeWorkspace", Invalid,
            "workspace of f is -1 * 3 + 64 bytes, expected no negative number",
            [](C &, F &f, A *) { f.workspace_per_token = -1; }),
      table("HugeWorkspace", Invalid, "is larger than memory can be",
            [](C &, F &f, A *) { f.workspace_per_token = Huge; }),
      table("ArgumentSizeZero", Invalid, "braid_argument.struct_size is 0",
            [](C &, F &, A *a) { a[0].struct_size = 0; }),
      table("NoSizes", Invalid, "argument 1 of f is declared without sizes",
            [](C &, F &, A *a) { a[1].sizes = nullptr; }),
      table("DeclaredRank", Invalid, "argument 1 of f is declared with rank 7",
            [](C &, F &, A *a) { a[1].rank = 7; }),
      table("DeclaredNegativeRank", Invalid, "is declared with rank -1",
            [](C &, F &, A *a) { a[1].rank = -1; }),
      table("DeclaredType", Invalid, "dtype 0, access 1",
            [](C &, F &, A *a) { a[0].dtype = 0; }),
      table("DeclaredAccess", Invalid, "access 4 and metadata 0",
            [](C &, F &, A *a) { a[0].access = 4; }),
      table("DeclaredMetadata", Invalid, "access 1 and metadata -1",
            [](C &, F &, A *a) { a[0].metadata = -1; }),
  };
  rows.insert(rows.end(), more.begin(), more.end());
}

//===----------------------------------------------------------------------===//
// Rows: contexts, kernels, counters, workspace sizes
//===----------------------------------------------------------------------===//

void *allocateNothing(size_t, void *) { return nullptr; }
void *allocateMisaligned(size_t bytes, void *) {
  return static_cast<char *>(
             std::aligned_alloc(256, (bytes + 511) / 256 * 256)) +
         8;
}
void freeMisaligned(void *memory, size_t, void *) {
  std::free(static_cast<char *>(memory) - 8);
}
void freeNothing(void *, size_t, void *) {}

/// Runs f in a context with other options.
Outcome runWith(Layer &layer, std::function<void(Options &)> change) {
  braid_context_options options;
  braid_context_options_initialize(&options);
  options.backend = layer.backend;
  options.trace = [](const char *, void *) {};
  change(options);
  braid_context *context = nullptr;
  EXPECT_EQ(braid_context_create(&options, &context), BRAID_OK);
  braid_call call = layer.makeCall();
  braid_status status = braid_prepare(context, &call);
  std::string sentence = braid_last_error(context);
  EXPECT_EQ(braid_execute(context, &call), status);
  // It goes on after a failure.
  EXPECT_EQ(braid_synchronize(context), BRAID_OK);
  braid_context_destroy(context);
  return {status, sentence};
}

void addContextRows(std::vector<Row> &rows) {
  const std::vector<Row> more = {
      {"NullContextPointer", Invalid,
       "the pointer that receives the context is NULL",
       [](Layer &) {
         return ofThread(braid_context_create(nullptr, nullptr));
       }},
      option("OptionsSizeZero", Invalid,
             "braid_context_options.struct_size is 0",
             [](Options &o) { o.struct_size = 0; }),
      option("OptionsSizeTooSmall", Invalid,
             "braid_context_options.struct_size is 16",
             [](Options &o) { o.struct_size = 16; }),
      option("NoSuchBackend", Invalid, "backend is 7, expected a braid_backend",
             [](Options &o) { o.backend = 7; }),
      option("BackendNotBuilt", BRAID_UNSUPPORTED, "there is no cuda backend here",
             [](Options &o) { o.backend = BRAID_BACKEND_CUDA; }),
      option("Capture", Invalid, "capture is 2, expected 0 or 1",
             [](Options &o) { o.capture = 2; }),
      option("RequirePrepared", Invalid, "require_prepared is -1, expected 0",
             [](Options &o) { o.require_prepared = -1; }),
      option("Poison", Invalid, "poison is 9, expected 0 or 1",
             [](Options &o) { o.poison = 9; }),
      option("Reserved", Invalid, "reserved is 1, expected 0",
             [](Options &o) { o.reserved = 1; }),
      option("NegativeStreams", Invalid,
             "max_auxiliary_streams is -1, expected 0 to 1023",
             [](Options &o) { o.max_auxiliary_streams = -1; }),
      option("HugeStreams", Invalid,
             "max_auxiliary_streams is 2147483647, expected 0 to 1023",
             [](Options &o) { o.max_auxiliary_streams = INT32_MAX; }),
      option("NoGraphs", Invalid, "max_graphs is 0, expected at least 1",
             [](Options &o) { o.max_graphs = 0; }),
      option("NegativeGraphs", Invalid, "max_graphs is -5",
             [](Options &o) { o.max_graphs = -5; }),
      option("EagerMinimum", Invalid, "eager_token_minimum is -2, expected",
             [](Options &o) { o.eager_token_minimum = -2; }),
      option("Threshold", Invalid, "token_threshold is -2, expected -1 or",
             [](Options &o) { o.token_threshold = -2; }),
      option("AllocateOnly", Invalid,
             "one of allocate and deallocate is NULL, expected both or neither",
             [](Options &o) { o.allocate = allocateNothing; }),
      option("DeallocateOnly", Invalid, "one of allocate and deallocate",
             [](Options &o) { o.deallocate = freeNothing; }),
      {"AllocatorHasNothing", BRAID_OUT_OF_MEMORY,
       "cannot allocate 256 bytes of workspace",
       [](Layer &layer) {
         return runWith(layer, [](Options &o) {
           o.allocate = allocateNothing;
           o.deallocate = freeNothing;
         });
       }},
      {"AllocatorIsMisaligned", Invalid,
       "the allocator of the context returned memory that is not aligned to "
       "256 bytes",
       [](Layer &layer) {
         return runWith(layer, [](Options &o) {
           o.allocate = allocateMisaligned;
           o.deallocate = freeMisaligned;
         });
       }},
      {"NullKernel", Invalid, "the kernel is NULL",
       [](Layer &layer) {
         braid_status status = braid_register_kernel(layer.context, nullptr);
         return Outcome{status, layer.context.error()};
       }},
      {"NullStatistics", Invalid, "the statistics are NULL",
       [](Layer &layer) {
         braid_status status = braid_get_statistics(layer.context, nullptr);
         return Outcome{status, layer.context.error()};
       }},
      {"WorkspaceOfNull", Invalid, "the function is NULL",
       [](Layer &) {
         size_t bytes = 7;
         braid_status status = braid_workspace_size(nullptr, 1, &bytes);
         EXPECT_EQ(bytes, 7u);
         return ofThread(status);
       }},
      {"WorkspaceToNull", Invalid, "the pointer that receives the size is NULL",
       [](Layer &layer) {
         return ofThread(
             braid_workspace_size(&layer.function.function, 1, nullptr));
       }},
      {"WorkspaceOfNegativeTokens", Invalid,
       "workspace of f is 64 * -1 + 64 bytes, expected no negative number",
       [](Layer &layer) {
         size_t bytes = 7;
         braid_status status =
             braid_workspace_size(&layer.function.function, -1, &bytes);
         EXPECT_EQ(bytes, 7u);
         return ofThread(status);
       }},
      {"WorkspaceOfHugeTokens", Invalid, "is larger than memory can be",
       [](Layer &layer) {
         size_t bytes = 7;
         return ofThread(
             braid_workspace_size(&layer.function.function, Huge, &bytes));
       }},
  };
  rows.insert(rows.end(), more.begin(), more.end());
  using K = braid_kernel;
  auto kernel = [&](const char *name, const char *sentence,
                    void (*change)(K &)) {
    rows.push_back({name, Invalid, sentence, [change](Layer &layer) {
                      K kernel = {};
                      kernel.struct_size = sizeof(kernel);
                      kernel.name = "mine";
                      kernel.run = [](const braid_kernel_call *, void *) {
                        return BRAID_OK;
                      };
                      change(kernel);
                      braid_status status =
                          braid_register_kernel(layer.context, &kernel);
                      return Outcome{status, layer.context.error()};
                    }});
  };
  kernel("KernelSizeZero", "braid_kernel.struct_size is 0",
         [](K &k) { k.struct_size = 0; });
  kernel("KernelWithoutName", "braid_kernel.name is empty",
         [](K &k) { k.name = nullptr; });
  kernel("KernelWithEmptyName", "braid_kernel.name is empty",
         [](K &k) { k.name = ""; });
  kernel("KernelWithoutRun", "braid_kernel.run of kernel 'mine' is NULL",
         [](K &k) { k.run = nullptr; });
  for (size_t size : {size_t(0), size_t(8)})
    rows.push_back({size ? "StatisticsSizeTooSmall" : "StatisticsSizeZero",
                    Invalid, "braid_statistics.struct_size is ",
                    [size](Layer &layer) {
                      braid_statistics statistics = {};
                      statistics.struct_size = size;
                      statistics.launches = 77;
                      braid_status status =
                          braid_get_statistics(layer.context, &statistics);
                      EXPECT_EQ(statistics.launches, 77);
                      return Outcome{status, layer.context.error()};
                    }});
}

//===----------------------------------------------------------------------===//
// Rows: work by hand, rope tables
//===----------------------------------------------------------------------===//

void addHandRows(std::vector<Row> &rows) {
  using L = Layer;
  using C = braid_context;
  const std::vector<Row> more = {
      byHand("ReserveNegativeStreams", Invalid,
             "-1 streams and 0 events, expected no negative number",
             [](L &, C *c) { return braid_streams_reserve(c, -1, 0); }),
      byHand("ReserveNegativeEvents", Invalid, "0 streams and -1 events",
             [](L &, C *c) { return braid_streams_reserve(c, 0, -1); }),
      byHand("ReserveHugeStreams", BRAID_UNSUPPORTED,
             "2147483646 auxiliary streams, but the context allows 3",
             [](L &, C *c) { return braid_streams_reserve(c, INT32_MAX, 0); }),
      byHand("ReserveHugeEvents", BRAID_UNSUPPORTED,
             "2147483647 events, expected at most 65536",
             [](L &, C *c) { return braid_streams_reserve(c, 0, INT32_MAX); }),
      byHand("RecordNegativeStream", Invalid, "record on stream -1",
             [](L &, C *c) { return braid_stream_record(c, -1, 0); }),
      byHand("RecordOtherStream", Invalid,
             "record on stream 1 of a context with 1 streams",
             [](L &, C *c) { return braid_stream_record(c, 1, 0); }),
      byHand("RecordNegativeEvent", Invalid, "record of event -1",
             [](L &, C *c) { return braid_stream_record(c, 0, -1); }),
      byHand("RecordHugeEvent", Invalid,
             "record of event 2147483647 of a context with 1 events",
             [](L &, C *c) { return braid_stream_record(c, 0, INT32_MAX); }),
      byHand("WaitNeverRecorded", Invalid,
             "stream 0 waits on event 0, which was not recorded",
             [](L &, C *c) { return braid_stream_wait(c, 0, 0); }),
      byHand("WaitHugeStream", Invalid, "wait on stream 2147483647",
             [](L &, C *c) { return braid_stream_wait(c, INT32_MAX, 0); }),
      byHand("LaunchNullOp", Invalid, "the op of a launch is NULL",
             [](L &, C *c) {
               return braid_stream_launch(c, 0, nullptr, nullptr);
             }),
      byHand("LaunchNullOperands", Invalid,
             "the tables of op 'touch' are incomplete",
             [](L &l, C *c) {
               return braid_stream_launch(c, 0, &l.touch.op, nullptr);
             }),
      byHand("LaunchOtherStream", Invalid, "launch on stream 2",
             [](L &l, C *c) {
               const braid_tensor *operands[] = {&l.x, &l.cache, &l.y,
                                                 &l.lengths};
               return braid_stream_launch(c, 2, &l.touch.op, operands);
             }),
      launch("OpSizeZero", "braid_op.struct_size is 0",
             [](braid_op &op, const braid_tensor **) { op.struct_size = 0; }),
      launch("OpWithoutName", "the tables of op '?' are incomplete",
             [](braid_op &op, const braid_tensor **) { op.name = nullptr; }),
      launch(
          "OpWithoutAccesses", "the tables of op 'touch' are incomplete",
          [](braid_op &op, const braid_tensor **) { op.accesses = nullptr; }),
      launch("OpWithNegativeOperands", "tables of op 'touch' are incomplete",
             [](braid_op &op, const braid_tensor **) { op.num_operands = -1; }),
      launch("OpWithoutParams", "the tables of op 'touch' are incomplete",
             [](braid_op &op, const braid_tensor **) { op.params = nullptr; }),
      launch("ParamWithoutName",
             "parameter 0 of op 'touch' has the name 'NULL' and the kind 0",
             [](braid_op &op, const braid_tensor **) {
               static const braid_param params[] = {{nullptr, 0, 0, {}}};
               op.params = params;
             }),
      launch("ParamKind", "has the name 'eps' and the kind 2, expected",
             [](braid_op &op, const braid_tensor **) {
               static const braid_param params[] = {{"eps", 2, 0, {}}};
               op.params = params;
             }),
      launch("OperandAccess", "operand 1 of op 'touch' has access 9",
             [](braid_op &op, const braid_tensor **) {
               static const int32_t accesses[] = {1, 9, 2, 1};
               op.accesses = accesses;
             }),
      launch("OperandMetadata", "has access 1 and metadata 4",
             [](braid_op &op, const braid_tensor **) {
               static const int32_t metadata[] = {4, 0, 0, 0};
               op.metadata = metadata;
             }),
      launch("OperandRank",
             "operand 2 of op 'touch' at test.mlir:1:1: rank is 7, expected 0 "
             "to 6",
             [](braid_op &, const braid_tensor **operands) {
               static braid_tensor tensor = {};
               tensor.rank = 7;
               operands[2] = &tensor;
             }),
      launch("OperandType", "dtype is 0, expected a braid_dtype",
             [](braid_op &, const braid_tensor **operands) {
               static braid_tensor tensor = {};
               operands[2] = &tensor;
             }),
      launch("OperandData", "data is NULL, expected memory for f32",
             [](braid_op &, const braid_tensor **operands) {
               static braid_tensor tensor = {};
               tensor.dtype = BRAID_F32;
               operands[0] = &tensor;
             }),
      rope("RopeSizeZero", "braid_rope.struct_size is 0",
           [](braid_rope &r, int64_t &, float *&) { r.struct_size = 0; }),
      rope("RopeOddDims", "dims is 3, expected an even number from 2",
           [](braid_rope &r, int64_t &, float *&) { r.dims = 3; }),
      rope("RopeNegativeDims", "dims is -2",
           [](braid_rope &r, int64_t &, float *&) { r.dims = -2; }),
      rope("RopeHugeDims", "dims is 9223372036854775806",
           [](braid_rope &r, int64_t &, float *&) { r.dims = Huge - 1; }),
      rope("RopeTheta", "theta is nan, expected a number above 1",
           [](braid_rope &r, int64_t &, float *&) { r.theta = NAN; }),
      rope("RopeFactor", "factor is inf, expected a number above 0",
           [](braid_rope &r, int64_t &, float *&) { r.factor = INFINITY; }),
      rope("RopeBetas", "beta_fast is nan and beta_slow 1",
           [](braid_rope &r, int64_t &, float *&) { r.beta_fast = NAN; }),
      rope(
          "RopeOriginal", "original_positions is 0",
          [](braid_rope &r, int64_t &, float *&) { r.original_positions = 0; }),
      rope("RopeNegativePositions", "positions is -1, expected 0 to",
           [](braid_rope &, int64_t &p, float *&) { p = -1; }),
      rope("RopeHugePositions", "positions is 9223372036854775807",
           [](braid_rope &, int64_t &p, float *&) { p = Huge; }),
      rope("RopeNullTable", "the table is NULL",
           [](braid_rope &, int64_t &, float *&t) { t = nullptr; }),
      rope("RopeMisalignedTable", "expected a multiple of 4",
           [](braid_rope &, int64_t &, float *&t) {
             t = reinterpret_cast<float *>(reinterpret_cast<char *>(t) + 1);
           }),
      {"NullRope", Invalid, "the rope is NULL",
       [](Layer &) {
         float value = 7;
         return ofThread(braid_fill_rope_table(nullptr, 1, &value));
       }},
  };
  rows.insert(rows.end(), more.begin(), more.end());
}

//===----------------------------------------------------------------------===//
// Rows: compiled code
//===----------------------------------------------------------------------===//

/// Prepares some token counts of f.
Row buckets(const char *name, const char *sentence, std::vector<int64_t> counts,
            int64_t number) {
  return {name, Invalid, sentence, [counts, number](Layer &layer) {
            braid_call call = layer.makeCall();
            braid_status status = braid_prepare_buckets(
                layer.context, &call, counts.empty() ? nullptr : counts.data(),
                number);
            // Not even the counts that are right.
            EXPECT_EQ(layer.context.statistics().captures, 0);
            return Outcome{status, layer.context.error()};
          }};
}

void addBucketRows(std::vector<Row> &rows) {
  const std::vector<Row> more = {
      buckets("BucketZero",
              "f: token count 1 is 0, expected 1 to 3, the rows of the "
              "arguments",
              {3, 0}, 2),
      buckets("BucketNegative", "token count 0 is -1", {-1, 3}, 2),
      buckets("BucketAboveTheArguments", "token count 1 is 4, expected 1 to 3",
              {3, 4}, 2),
      buckets("BucketHuge", "token count 0 is 9223372036854775807", {Huge}, 1),
      buckets("BucketsNull", "token_counts is NULL, expected 2 numbers", {}, 2),
      buckets("BucketsNegative",
              "num_token_counts is -1, expected no negative number", {1}, -1),
      {"BucketsOfNull", Invalid, "the call is NULL",
       [](Layer &layer) {
         const int64_t count = 1;
         braid_status status =
             braid_prepare_buckets(layer.context, nullptr, &count, 1);
         return Outcome{status, layer.context.error()};
       }},
  };
  rows.insert(rows.end(), more.begin(), more.end());
}

/// Inside a schedule of f.
std::function<void(Layer &, braid_frame *, const braid_tensor *)> inSchedule(
    std::function<void(Layer &, braid_frame *, const braid_tensor *)> body) {
  return [body](Layer &layer, braid_frame *frame, const braid_tensor *t) {
    braid_rt_schedule_begin(frame, &layer.schedule, 3);
    body(layer, frame, t);
    braid_rt_schedule_end(frame);
  };
}

void addCompiledRows(std::vector<Row> &rows) {
  using L = Layer;
  using F = braid_frame;
  using T = const braid_tensor;
  auto schedule = [](auto change) {
    return [change](Layer &, F *frame, T *) {
      braid_schedule schedule = makeSchedule(1, 0);
      change(schedule);
      braid_rt_schedule_begin(frame, &schedule, 3);
      braid_rt_schedule_end(frame);
    };
  };
  auto segment = [](auto change) {
    return inSchedule([change](Layer &layer, F *frame, T *t) {
      braid_region region = layer.segment.region;
      braid_tensor bad = t[1];
      const braid_tensor *liveIns[] = {t, &bad, t + 2, t + 3};
      change(region, bad);
      if (braid_rt_segment_begin(frame, &region, liveIns))
        braid_rt_segment_end(frame);
    });
  };
  const std::vector<Row> more = {
      compiled("NullSchedule", Internal, "compiled code starts a NULL schedule",
               [](L &, F *f, T *) { braid_rt_schedule_begin(f, nullptr, 3); }),
      compiled("ScheduleSize", Invalid, "braid_schedule.struct_size is 0",
               schedule([](braid_schedule &s) { s.struct_size = 0; })),
      compiled("ScheduleName", Internal, "a schedule has no name",
               schedule([](braid_schedule &s) { s.name = nullptr; })),
      compiled("ScheduleStreams", Internal, "has 0 streams and 0 events",
               schedule([](braid_schedule &s) { s.num_streams = 0; })),
      compiled("ScheduleHugeStreams", BRAID_UNSUPPORTED,
               "needs 2147483646 auxiliary streams, but the context allows 3",
               schedule([](braid_schedule &s) { s.num_streams = INT32_MAX; })),
      compiled("ScheduleNegativeEvents", Internal, "and -1 events",
               schedule([](braid_schedule &s) { s.num_events = -1; })),
      compiled("ScheduleHugeEvents", BRAID_UNSUPPORTED,
               "needs 2147483647 events and those around it 0, expected at "
               "most 65536",
               schedule([](braid_schedule &s) { s.num_events = INT32_MAX; })),
      compiled(
          "ScheduleNegativeTokens", Invalid,
          "workspace of test is 64 * -1 + 64 bytes",
          [](L &l, F *f, T *) { braid_rt_schedule_begin(f, &l.schedule, -1); }),
      compiled("ScheduleWorkspace", Invalid, "is larger than memory can be",
               schedule([](braid_schedule &s) { s.workspace_fixed = Huge; })),
      compiled("NullSegment", Internal, "compiled code starts a NULL segment",
               inSchedule([](L &, F *f, T *) {
                 braid_rt_segment_begin(f, nullptr, nullptr);
               })),
      compiled(
          "SegmentSize", Invalid, "braid_region.struct_size is 0",
          segment([](braid_region &r, braid_tensor &) { r.struct_size = 0; })),
      compiled(
          "SegmentName", Internal, "a segment has no name",
          segment([](braid_region &r, braid_tensor &) { r.name = nullptr; })),
      compiled("NegativeLiveIns", Internal,
               "segment 'f.segment0' has -1 live-ins",
               segment([](braid_region &r, braid_tensor &) {
                 r.num_live_ins = -1;
               })),
      compiled("NullLiveIns", Internal, "starts without live-ins",
               inSchedule([](L &l, F *f, T *) {
                 braid_rt_segment_begin(f, &l.segment.region, nullptr);
               })),
      compiled("LiveInRank", Internal,
               "live-in 1 of segment 'f.segment0': rank is 99, expected 0 to 6",
               segment([](braid_region &, braid_tensor &t) { t.rank = 99; })),
      compiled(
          "NullEager", Internal, "starts a NULL eager region",
          inSchedule([](L &, F *f, T *) { braid_rt_eager_begin(f, nullptr); })),
      compiled("EndOfNothing", Internal, "ends a schedule that did not begin",
               [](L &, F *f, T *) { braid_rt_schedule_end(f); }),
      compiled("LaunchNothing", Internal, "the op of a launch is NULL",
               inSchedule([](L &, F *f, T *) {
                 braid_rt_launch(f, nullptr, 0, nullptr);
               })),
      compiled("LaunchOutside", Internal, "launch outside a schedule",
               [](L &l, F *f, T *t) {
                 l.touch.launch(f, 0, {t, t + 1, t + 2, t + 3});
               }),
      compiled("RecordNegative", Internal, "record of event -1",
               inSchedule([](L &, F *f, T *) { braid_rt_record(f, 0, -1); })),
      compiled("WaitOnStream", Internal, "wait on stream 5",
               inSchedule([](L &, F *f, T *) { braid_rt_wait(f, 5, 0); })),
      compiled("NullDispatch", Internal, "dispatches by a NULL table",
               [](L &, F *f, T *) { braid_rt_dispatch(f, nullptr, 3); }),
  };
  rows.insert(rows.end(), more.begin(), more.end());
}

const std::vector<Row> &allRows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> rows;
    addArgumentRows(rows);
    addTableRows(rows);
    addContextRows(rows);
    addHandRows(rows);
    addBucketRows(rows);
    addCompiledRows(rows);
    return rows;
  }();
  return rows;
}

const char *backendName(braid_backend backend) {
  return backend == BRAID_BACKEND_HOST ? "Host" : "Trace";
}

class BadInput
    : public testing::TestWithParam<std::tuple<braid_backend, size_t>> {};

} // namespace

TEST_P(BadInput, IsRefused) {
  auto [backend, index] = GetParam();
  const Row &row = allRows()[index];
  Layer layer(backend);
  Outcome outcome = row.act(layer);
  EXPECT_EQ(outcome.status, row.status) << outcome.sentence;
  EXPECT_NE(outcome.sentence.find(row.sentence), std::string::npos)
      << "in: " << outcome.sentence;
  EXPECT_FALSE(layer.watched.changed());
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadInput,
    testing::Combine(testing::Values(BRAID_BACKEND_HOST, BRAID_BACKEND_TRACE),
                     testing::Range(size_t(0), allRows().size())),
    [](const auto &info) {
      return std::string(allRows()[std::get<1>(info.param)].name) +
             backendName(std::get<0>(info.param));
    });

//===----------------------------------------------------------------------===//
// What looks odd and is right
//===----------------------------------------------------------------------===//

namespace {

class GoodInput : public testing::TestWithParam<braid_backend> {
protected:
  /// Runs f, which has to succeed and, where kernels run, to write.
  void expectRuns(Layer &layer, const braid_call &call) {
    Outcome outcome = layer.run(call);
    EXPECT_EQ(outcome.status, BRAID_OK) << layer.context.error();
    EXPECT_EQ(layer.watched.changed(), GetParam() == BRAID_BACKEND_HOST);
  }
};

} // namespace

TEST_P(GoodInput, BlocksOfACacheMayBeApart) {
  Layer layer(GetParam());
  std::vector<float> pool(100, 5);
  layer.tensors[1] = makeTensor(pool.data(), BRAID_F32, {2, 4, 4}, {50, 4, 1});
  expectRuns(layer, layer.makeCall());
}

TEST_P(GoodInput, AStrideThatIsNeverTakenDoesNotMatter) {
  Layer layer(GetParam());
  layer.tensors[0].sizes[0] = layer.tensors[2].sizes[0] = 1;
  layer.tensors[0].strides[0] = 0;
  layer.tensors[2].strides[0] = 999;
  expectRuns(layer, layer.makeCall());
}

TEST_P(GoodInput, OutputsMayBeNeighbours) {
  Layer layer(GetParam());
  std::vector<float> both(24);
  layer.tensors[0].data = both.data();
  layer.tensors[2].data = both.data() + 12;
  Outcome outcome = layer.run();
  EXPECT_EQ(outcome.status, BRAID_OK) << layer.context.error();
}

TEST_P(GoodInput, StructsOfANewerCaller) {
  Layer layer(GetParam());
  // As a caller would have it whose structs end in fields not known here.
  struct {
    braid_function function;
    int64_t future = -1;
  } function;
  function.function = layer.function.function;
  function.function.struct_size = sizeof(function);
  struct NewerArgument {
    braid_argument argument;
    int64_t future = -1;
  };
  NewerArgument arguments[4];
  for (int i = 0; i < 4; ++i) {
    arguments[i].argument = layer.function.function.arguments[i];
    arguments[i].argument.struct_size = sizeof(NewerArgument);
  }
  function.function.arguments = &arguments[0].argument;
  struct {
    braid_call call;
    int64_t future = -1;
  } call;
  call.call = layer.makeCall();
  call.call.struct_size = sizeof(call);
  call.call.function = &function.function;
  layer.schedule.struct_size = layer.segment.region.struct_size =
      layer.touch.op.struct_size = 4096;
  expectRuns(layer, call.call);
}

TEST_P(GoodInput, TablesWithoutStridesAreNotChecked) {
  Layer layer(GetParam());
  auto *arguments =
      const_cast<braid_argument *>(layer.function.function.arguments);
  std::vector<float> rows(100);
  layer.tensors[0] = makeTensor(rows.data(), BRAID_F32, {3, 4}, {8, 1});
  arguments[0].strides = nullptr;
  expectRuns(layer, layer.makeCall());
}

INSTANTIATE_TEST_SUITE_P(Backends, GoodInput,
                         testing::Values(BRAID_BACKEND_HOST,
                                         BRAID_BACKEND_TRACE),
                         [](const auto &info) {
                           return std::string(backendName(info.param));
                         });

//===----------------------------------------------------------------------===//
// Every entry point, on a context that it must not use
//===----------------------------------------------------------------------===//

namespace {

/// A function of the ABI that takes a context.
struct EntryPoint {
  const char *name;
  std::function<braid_status(Layer &, braid_context *)> call;
};

const std::vector<EntryPoint> entryPoints = {
    {"register_kernel",
     [](Layer &, braid_context *context) {
       braid_kernel kernel = {};
       kernel.struct_size = sizeof(kernel);
       kernel.name = "mine";
       kernel.run = [](const braid_kernel_call *, void *) { return BRAID_OK; };
       return braid_register_kernel(context, &kernel);
     }},
    {"prepare",
     [](Layer &layer, braid_context *context) {
       braid_call call = layer.makeCall();
       return braid_prepare(context, &call);
     }},
    {"prepare_buckets",
     [](Layer &layer, braid_context *context) {
       braid_call call = layer.makeCall();
       const int64_t count = 1;
       return braid_prepare_buckets(context, &call, &count, 1);
     }},
    {"execute",
     [](Layer &layer, braid_context *context) {
       braid_call call = layer.makeCall();
       return braid_execute(context, &call);
     }},
    {"prepare_arguments",
     [](Layer &layer, braid_context *context) {
       Layer::Arguments arguments = layer.makeArguments();
       return braid_prepare_arguments(context, &layer.function.function,
                                      &arguments, nullptr);
     }},
    {"prepare_buckets_arguments",
     [](Layer &layer, braid_context *context) {
       const int64_t count = 1;
       Layer::Arguments arguments = layer.makeArguments();
       return braid_prepare_buckets_arguments(context, &layer.function.function,
                                              &arguments, &count, 1, nullptr);
     }},
    {"execute_arguments",
     [](Layer &layer, braid_context *context) {
       Layer::Arguments arguments = layer.makeArguments();
       return braid_execute_arguments(context, &layer.function.function,
                                      &arguments, nullptr);
     }},
    {"synchronize",
     [](Layer &, braid_context *context) {
       return braid_synchronize(context);
     }},
    {"get_statistics",
     [](Layer &, braid_context *context) {
       braid_statistics statistics = {};
       statistics.struct_size = sizeof(statistics);
       return braid_get_statistics(context, &statistics);
     }},
    {"streams_reserve",
     [](Layer &, braid_context *context) {
       return braid_streams_reserve(context, 1, 1);
     }},
    {"stream_launch",
     [](Layer &layer, braid_context *context) {
       const braid_tensor *operands[] = {&layer.x, &layer.cache, &layer.y,
                                         &layer.lengths};
       return braid_stream_launch(context, 0, &layer.touch.op, operands);
     }},
    {"stream_record",
     [](Layer &, braid_context *context) {
       return braid_stream_record(context, 0, 0);
     }},
    {"stream_wait",
     [](Layer &, braid_context *context) {
       return braid_stream_wait(context, 0, 0);
     }},
    {"ContextStreams",
     [](Layer &, braid_context *context) {
       braid::ContextStreams streams(context);
       EXPECT_FALSE(streams.reserve(1, 1).ok());
       EXPECT_FALSE(streams.wait(0, 0).ok());
       return streams.record(0, 0).status;
     }},
};

class EntryPoints
    : public testing::TestWithParam<std::tuple<braid_backend, size_t>> {
protected:
  EntryPoints() : layer(std::get<0>(GetParam())) {}

  /// The entry point fails on `context` with this sentence.
  void expectRefused(braid_context *context, const char *sentence) {
    const EntryPoint &entry = entryPoints[std::get<1>(GetParam())];
    EXPECT_EQ(entry.call(layer, context), Invalid);
    EXPECT_NE(std::string(braid_last_error(context)).find(sentence),
              std::string::npos)
        << braid_last_error(context);
    EXPECT_NE(std::string(braid_last_error(nullptr)).find(sentence),
              std::string::npos)
        << braid_last_error(nullptr);
    EXPECT_FALSE(layer.watched.changed());
  }

  Layer layer;
};

} // namespace

TEST_P(EntryPoints, NullContext) {
  expectRefused(nullptr, "the context is NULL");
  EXPECT_EQ(braid_token_threshold(nullptr, 9), 9);
}

TEST_P(EntryPoints, AfterDestroy) {
  braid_context_options options;
  braid_context_options_initialize(&options);
  options.backend = layer.backend;
  options.token_threshold = 5;
  braid_context *context = nullptr;
  ASSERT_EQ(braid_context_create(&options, &context), BRAID_OK);
  EXPECT_EQ(braid_token_threshold(context, 9), 5);
  braid_context_destroy(context);
  expectRefused(context, "the context was destroyed, or is not one that "
                         "braid_context_create made");
  EXPECT_EQ(braid_token_threshold(context, 9), 9);
  braid_context_destroy(context);
  EXPECT_STREQ(braid_last_error(nullptr),
               "braid_context_destroy: the context was destroyed, or is not "
               "one that braid_context_create made");
}

TEST_P(EntryPoints, NotAContext) {
  int64_t words[64] = {};
  expectRefused(reinterpret_cast<braid_context *>(words),
                "is not one that braid_context_create made");
}

TEST_P(EntryPoints, WhileAnotherThreadIsInside) {
  std::atomic<int> stage{0};
  layer.body = [&](braid_frame *, const braid_tensor *) {
    // Only the first of the two ways through.
    if (stage != 0)
      return;
    stage = 1;
    while (stage != 2)
      std::this_thread::yield();
  };
  braid_call call = layer.makeCall();
  std::thread first(
      [&] { EXPECT_EQ(braid_execute(layer.context, &call), BRAID_OK); });
  while (stage != 1)
    std::this_thread::yield();
  expectRefused(layer.context, "the context is in use by another call");
  braid_context_destroy(layer.context);
  EXPECT_STREQ(braid_last_error(nullptr),
               "braid_context_destroy: the context is in use by another call; "
               "a context is used from one thread at a time");
  stage = 2;
  first.join();
  EXPECT_EQ(braid_synchronize(layer.context), BRAID_OK);
}

INSTANTIATE_TEST_SUITE_P(
    Contexts, EntryPoints,
    testing::Combine(testing::Values(BRAID_BACKEND_HOST, BRAID_BACKEND_TRACE),
                     testing::Range(size_t(0), entryPoints.size())),
    [](const auto &info) {
      return std::string(entryPoints[std::get<1>(info.param)].name) +
             backendName(std::get<0>(info.param));
    });

TEST(BadFrame, NullIsRefusedByEach) {
  braid_schedule schedule = makeSchedule(1, 0);
  Region region("r");
  Op op("touch", "r");
  Floats x({3});
  const braid_tensor *operands[] = {&x};
  const int64_t bounds[] = {4, 8};
  braid_dispatch dispatch = {sizeof(dispatch), "d", bounds, 2, 0};
  auto expectSentence = [](const char *function) {
    EXPECT_EQ(std::string(braid_last_error(nullptr)),
              "the frame of " + std::string(function) + " is NULL");
  };
  EXPECT_EQ(braid_rt_schedule_begin(nullptr, &schedule, 3), nullptr);
  expectSentence("braid_rt_schedule_begin");
  braid_rt_schedule_end(nullptr);
  expectSentence("braid_rt_schedule_end");
  EXPECT_EQ(braid_rt_segment_begin(nullptr, &region.region, operands), 0);
  expectSentence("braid_rt_segment_begin");
  braid_rt_segment_end(nullptr);
  expectSentence("braid_rt_segment_end");
  EXPECT_EQ(braid_rt_eager_begin(nullptr, &region.region), 0);
  expectSentence("braid_rt_eager_begin");
  braid_rt_eager_end(nullptr);
  expectSentence("braid_rt_eager_end");
  braid_rt_launch(nullptr, &op.op, 0, operands);
  expectSentence("braid_rt_launch");
  EXPECT_TRUE(braid::FrameStreams(nullptr).record(0, 0).ok());
  expectSentence("braid_rt_record");
  EXPECT_TRUE(braid::FrameStreams(nullptr).wait(0, 0).ok());
  expectSentence("braid_rt_wait");
  EXPECT_EQ(braid_rt_dispatch(nullptr, &dispatch, 3), 2);
  EXPECT_EQ(braid_rt_dispatch(nullptr, nullptr, 3), 0);
  expectSentence("braid_rt_dispatch");
}

TEST(BadFrame, NumbersOfStreamsDoNotOverflow) {
  auto streams = braid::numberedStreams(2, 0, INT32_MAX, INT32_MAX);
  EXPECT_EQ(streams.auxiliary, (std::vector<int32_t>{INT32_MAX, INT32_MIN}));
  EXPECT_EQ(streams.done[0], INT32_MIN);
  EXPECT_TRUE(braid::numberedStreams(-3).auxiliary.empty());
}

//===----------------------------------------------------------------------===//
// More tokens than were prepared
//===----------------------------------------------------------------------===//

class Prepared : public testing::TestWithParam<braid_backend> {};

TEST_P(Prepared, MoreTokensAreRefused) {
  Layer layer(GetParam(), [](Options &o) { o.require_prepared = 1; });
  braid_call call = layer.makeCall();
  ASSERT_EQ(braid_prepare(layer.context, &call), BRAID_OK);
  int64_t held = layer.context.statistics().workspace_bytes;
  Floats x({300, 4}), y({300, 4});
  layer.watched.watch(y);
  layer.tensors[0] = x.tensor;
  layer.tensors[2] = y.tensor;
  call = layer.makeCall();
  EXPECT_EQ(braid_execute(layer.context, &call), BRAID_NOT_PREPARED);
  EXPECT_EQ(layer.context.error(),
            "f was not prepared for 300 tokens with arguments at these "
            "addresses, expected a call that braid_prepare saw");
  EXPECT_EQ(braid_synchronize(layer.context), BRAID_OK);
  EXPECT_FALSE(layer.watched.changed());
  EXPECT_EQ(layer.context.statistics().workspace_bytes, held);
}

INSTANTIATE_TEST_SUITE_P(Backends, Prepared,
                         testing::Values(BRAID_BACKEND_HOST,
                                         BRAID_BACKEND_TRACE),
                         [](const auto &info) {
                           return std::string(backendName(info.param));
                         });

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {

/// Runs an op by itself; on a failure nothing that is watched may have changed.
Outcome runKernel(const Op &op,
                  const std::vector<const braid_tensor *> &operands,
                  const Watched &watched) {
  Context context;
  braid_status status = context.runOp(op, operands);
  if (status != BRAID_OK) {
    EXPECT_FALSE(watched.changed());
  }
  return {status, context.error()};
}

template <typename T>
void set(Array<T> &array, std::vector<T> values) {
  std::copy(values.begin(), values.end(), array.data.begin());
}

/// attend: request 0 has the tokens 0 and 1, request 1 token 2.
struct AttendCase {
  Floats q{{3, 2, 4}, 1}, sink{{2}}, window{{2, 4, 4}, 1},
      compressed{{2, 4, 4}, 1}, y{{3, 2, 4}, 9};
  Ints windowTable{{2, 2}}, compressedTable{{2, 2}}, topk{{3, 2}, -1},
      offsets{{3}}, lengths{{2}};
  std::vector<braid_param> params = {param("scale", 1.0),
                                     param("window", int64_t(4)),
                                     param("ratio", int64_t(4))};

  AttendCase() {
    set(windowTable, {0, 0, 1, 1});
    set(compressedTable, {0, 0, 1, 1});
    set(offsets, {0, 2, 3});
    set(lengths, {2, 1});
  }
  /// `host`: offsets and lengths are known before anything is enqueued.
  Outcome run(bool host = false) {
    Watched watched;
    watched.watch(y);
    watched.watch(window);
    watched.watch(compressed);
    Op op("attend", "rrrrrrrrrw", params, host ? ".......hh." : "");
    return runKernel(op,
                     {&q, &sink, &window, &windowTable, &compressed,
                      &compressedTable, &topk, &offsets, &lengths, &y},
                     watched);
  }
};

struct InsertCase {
  Floats values{{3, 4}, 1}, cache{{2, 4, 4}, 9};
  Longs slots{{3}};
  Outcome run(std::vector<int64_t> at) {
    set(slots, std::move(at));
    Watched watched;
    watched.watch(cache);
    return runKernel(Op("cache_insert", "rru"), {&values, &slots, &cache},
                     watched);
  }
};

/// index_select with an entry a position and more entries than it selects.
struct SelectCase {
  Floats q{{3, 2, 4}, 1}, w{{3, 2}, 1}, cache{{2, 4, 4}, 1};
  Ints table{{2, 1}}, offsets{{3}}, lengths{{2}}, topk{{3, 2}, 77};
  std::vector<braid_param> params = {param("ratio", int64_t(1))};

  SelectCase() {
    set(table, {0, 1});
    set(offsets, {0, 2, 3});
    set(lengths, {4, 4});
  }
  Outcome run(bool host = false) {
    Watched watched;
    watched.watch(topk);
    watched.watch(cache);
    Op op("index_select", "rrrrrrw", params, host ? "....hh." : "");
    return runKernel(op, {&q, &w, &cache, &table, &offsets, &lengths, &topk},
                     watched);
  }
};

/// compress: four tokens at positions 4 to 7, whose last one closes a window.
struct CompressCase {
  Floats kvScore{{4, 8}, 1}, bias{{4, 4}}, weight{{4}, 1}, table{{8, 2}, 1},
      state{{2, 4, 8}, 3}, cache{{2, 4, 4}, 9};
  Longs positions{{4}}, stateSlots{{4}}, slots{{4}, -1};
  Ints stateTable{{1, 2}}, requests{{4}};
  std::vector<braid_param> params = {param("ratio", int64_t(4)),
                                     param("overlap", int64_t(0)),
                                     param("eps", 1e-6)};

  CompressCase() {
    set(positions, {4, 5, 6, 7});
    set(stateSlots, {4, 5, 6, 7});
    set(stateTable, {0, 1});
    slots(3) = 1;
  }
  Outcome run() {
    Watched watched;
    watched.watch(state);
    watched.watch(cache);
    return runKernel(Op("compress", "rrrrrrrrruu", params),
                     {&kvScore, &bias, &weight, &positions, &table, &stateSlots,
                      &stateTable, &requests, &slots, &state, &cache},
                     watched);
  }
};

struct RopeCase {
  Floats x{{3, 4}, 1}, table{{8, 2}, 1}, y{{3, 4}, 9};
  Longs positions{{3}};
  Outcome run(std::vector<int64_t> at) {
    set(positions, std::move(at));
    Watched watched;
    watched.watch(y);
    return runKernel(Op("rope", "rrrw", {param("inverse", int64_t(0))}),
                     {&x, &positions, &table, &y}, watched);
  }
};

/// A bad call of a kernel.
struct KernelRow {
  const char *name;
  braid_status status;
  const char *sentence;
  std::function<Outcome()> act;
};

KernelRow attend(const char *name, braid_status status, const char *sentence,
                 std::function<void(AttendCase &)> change, bool host = false) {
  return {name, status, sentence, [change, host] {
            AttendCase attend;
            change(attend);
            return attend.run(host);
          }};
}
KernelRow select(const char *name, braid_status status, const char *sentence,
                 std::function<void(SelectCase &)> change, bool host = false) {
  return {name, status, sentence, [change, host] {
            SelectCase select;
            change(select);
            return select.run(host);
          }};
}
KernelRow compress(const char *name, braid_status status, const char *sentence,
                   std::function<void(CompressCase &)> change) {
  return {name, status, sentence, [change] {
            CompressCase compress;
            change(compress);
            return compress.run();
          }};
}
KernelRow insert(const char *name, const char *sentence,
                 std::vector<int64_t> slots) {
  return {name, BRAID_KERNEL_FAILED, sentence,
          [slots] { return InsertCase().run(slots); }};
}
KernelRow rotate(const char *name, const char *sentence,
                 std::vector<int64_t> positions) {
  return {name, BRAID_KERNEL_FAILED, sentence,
          [positions] { return RopeCase().run(positions); }};
}

/// A packed cache of 8 channels, 4 of them fp8, in rows of 20 bytes.
KernelRow packed(const char *name, const char *sentence,
                 std::function<void(braid_tensor &, int64_t &)> change) {
  return {name, Invalid, sentence, [change] {
            Floats values({1, 8}, 1);
            Longs slots({1}, 1);
            Bytes pool({100}, 9);
            int64_t fp8 = 4;
            braid_tensor cache =
                makeTensor(pool.data.data(), BRAID_I8, {2, 2, 20}, {40, 20, 1});
            change(cache, fp8);
            Watched watched;
            watched.watch(pool);
            return runKernel(
                Op("cache_insert", "rru", {param("fp8_channels", fp8)}),
                {&values, &slots, &cache}, watched);
          }};
}

constexpr auto Failed = BRAID_KERNEL_FAILED;

const std::vector<KernelRow> kernelRows = {
    // Block tables.
    attend("AttendBlockPastTheEnd", Failed,
           "operand 'window_table': entry 0 of request 1, which token 2 "
           "attends to, has no valid block",
           [](AttendCase &c) { c.windowTable(1, 0) = 2; }),
    attend("AttendNegativeBlock", Failed, "operand 'window_table': entry 0",
           [](AttendCase &c) { c.windowTable(0, 0) = -1; }),
    attend("AttendHugeBlock", Failed, "operand 'window_table': entry 0",
           [](AttendCase &c) { c.windowTable(0, 0) = INT32_MAX; }),
    attend("AttendLeastBlock", Failed, "operand 'window_table': entry 0",
           [](AttendCase &c) { c.windowTable(0, 0) = INT32_MIN; }),
    attend("AttendChosenPastTheEnd", Failed,
           "operand 'compressed_table': entry 99 of request 1",
           [](AttendCase &c) { c.topk(2, 0) = 99; }),
    attend("AttendChosenBlock", Failed,
           "operand 'compressed_table': entry 5 of request 0",
           [](AttendCase &c) {
             c.topk(1, 1) = 5;
             c.compressedTable(0, 1) = 2;
           }),
    select("SelectBlockPastTheEnd", Failed,
           "operand 'block_table': entry 0 of request 1 has no valid block",
           [](SelectCase &c) { c.table(1, 0) = 2; }),
    select("SelectNegativeBlock", Failed, "entry 0 of request 0",
           [](SelectCase &c) { c.table(0, 0) = -7; }),
    compress("CompressStateBlock", Failed,
             "operand 'state_table': position 4 of request 0, which token 3 "
             "needs, has no valid block",
             [](CompressCase &c) {
               set(c.positions, {0, 1, 2, 7});
               c.stateTable(0, 1) = 2;
             }),
    compress("CompressRequest", Failed,
             "operand 'state_table': position 4 of request 9",
             [](CompressCase &c) { c.requests(3) = 9; }),
    compress("CompressNegativeRequest", Failed, "of request -1, which token 3",
             [](CompressCase &c) { c.requests(3) = -1; }),
    // Slots.
    insert("SlotPastTheEnd",
           "operand 'slots': element 2 is 8, expected -1 to 7, the rows of the "
           "cache",
           {0, 1, 8}),
    insert("SlotBelowPadding", "element 2 is -2, expected -1 to 7", {0, 1, -2}),
    insert("HugeSlot", "element 2 is 9223372036854775807", {0, 1, Huge}),
    insert("LeastSlot", "element 1 is -9223372036854775808", {0, INT64_MIN, 1}),
    compress("CompressSlot", Failed,
             "operand 'slots': element 3 is 8, expected -1 to 7",
             [](CompressCase &c) { c.slots(3) = 8; }),
    compress("CompressStateSlot", Failed,
             "operand 'state_slots': element 3 is 8, expected -1 to 7",
             [](CompressCase &c) { c.stateSlots(3) = 8; }),
    compress("CompressNegativeStateSlot", Failed,
             "operand 'state_slots': element 0 is -3",
             [](CompressCase &c) { c.stateSlots(0) = -3; }),
    // Positions.
    compress("CompressNegativePosition", Failed,
             "operand 'positions': element 2 is -1, expected no negative",
             [](CompressCase &c) { c.positions(2) = -1; }),
    compress("CompressHugePosition", Failed,
             "operand 'positions': element 3 is 9223372036854775807, beyond "
             "the 8 rows of the table",
             [](CompressCase &c) { c.positions(3) = Huge; }),
    rotate("RopePosition",
           "operand 'positions': element 2 is 8, expected 0 to 7, the rows of "
           "the table",
           {0, 1, 8}),
    rotate("RopeNegativePosition", "element 2 is -1, expected 0 to 7",
           {0, 1, -1}),
    rotate("RopeHugePosition", "element 1 is 9223372036854775807",
           {0, Huge, 1}),
    // Offsets and lengths, before anything is enqueued and in the kernel.
    attend(
        "OffsetsDecrease", Invalid,
        "operand 'query_offsets': element 2 is 1, expected at least 2, the "
        "element before it",
        [](AttendCase &c) { set(c.offsets, {0, 2, 1}); }, true),
    attend("OffsetsDecreaseOnDevice", Failed,
           "operand 'query_offsets': element 2 is 1, expected at least 2",
           [](AttendCase &c) { set(c.offsets, {0, 2, 1}); }),
    attend(
        "OffsetsBegin", Invalid,
        "operand 'query_offsets': element 0 is 1, expected 0",
        [](AttendCase &c) { c.offsets(0) = 1; }, true),
    attend(
        "OffsetsBeginNegative", Invalid, "element 0 is -2147483648",
        [](AttendCase &c) { c.offsets(0) = INT32_MIN; }, true),
    attend(
        "OffsetsPastTheTokens", Invalid,
        "element 2 is 4, expected at most 3, the number of tokens",
        [](AttendCase &c) { c.offsets(2) = 4; }, true),
    attend("OffsetsHuge", Failed, "element 2 is 2147483647, expected at most 3",
           [](AttendCase &c) { c.offsets(2) = INT32_MAX; }),
    attend("OffsetsNegative", Failed, "element 1 is -5, expected at least 0",
           [](AttendCase &c) { c.offsets(1) = -5; }),
    attend(
        "LengthBelowItsQueries", Invalid,
        "operand 'sequence_lengths': element 0 is 1, expected at least 2, "
        "the request's query tokens",
        [](AttendCase &c) { c.lengths(0) = 1; }, true),
    attend("LengthOfPaddingWithQueries", Failed,
           "operand 'sequence_lengths': element 1 is -1, expected at least 1",
           [](AttendCase &c) { c.lengths(1) = -1; }),
    attend(
        "LeastLengthWithoutQueries", Invalid,
        "element 1 is -2147483648, expected at least 0",
        [](AttendCase &c) {
          c.offsets(2) = 2;
          c.lengths(1) = INT32_MIN;
        },
        true),
    attend(
        "LengthPastTheTable", Invalid,
        "operand 'window_table': size 1 is 2, expected at least 536870912 "
        "for the 2147483647 entries of request 0",
        [](AttendCase &c) { c.lengths(0) = INT32_MAX; }, true),
    select("SelectLengthPastTheTable", Failed,
           "operand 'block_table': size 1 is 1, expected at least 2 for the 8 "
           "entries of request 1",
           [](SelectCase &c) { c.lengths(1) = 8; }),
    select(
        "SelectOffsetsDecrease", Invalid, "element 2 is 1, expected at least 2",
        [](SelectCase &c) { set(c.offsets, {0, 2, 1}); }, true),
    // Shapes, types and parameters.
    attend("AttendOtherTokens", Invalid,
           "operand 'topk': size 0 is 2, expected 3",
           [](AttendCase &c) { c.topk.tensor.sizes[0] = 2; }),
    attend("AttendOtherRequests", Invalid,
           "operand 'window_table': size 0 is 1, expected 2",
           [](AttendCase &c) { c.windowTable.tensor.sizes[0] = 1; }),
    attend("AttendOffsetsSize", Invalid,
           "operand 'query_offsets': size 0 is 2, expected 3",
           [](AttendCase &c) { c.offsets.tensor.sizes[0] = 2; }),
    attend("AttendType", BRAID_NO_KERNEL,
           "operand 'q' is i32, but the host backend supports f32 and bf16",
           [](AttendCase &c) { c.q.tensor.dtype = BRAID_I32; }),
    attend("AttendRank", Invalid, "operand 'q' has rank 2, expected 3",
           [](AttendCase &c) { c.q.tensor.rank = 2; }),
    attend("AttendStride", Invalid,
           "operand 'q' has stride 2 in its last dimension, expected 1",
           [](AttendCase &c) {
             c.q.tensor.sizes[2] = 2;
             c.q.tensor.strides[2] = 2;
           }),
    attend("AttendBlockSize", Invalid,
           "operand 'window_cache': size 1 is 0, expected a block size",
           [](AttendCase &c) { c.window.tensor.sizes[1] = 0; }),
    attend("AttendWindow", Invalid,
           "parameter 'window' is 0, expected at least",
           [](AttendCase &c) { c.params[1] = param("window", int64_t(0)); }),
    attend("AttendRatio", Invalid, "parameter 'ratio' is 0, expected at least",
           [](AttendCase &c) { c.params[2] = param("ratio", int64_t(0)); }),
    attend("AttendRatioThatIsNoNumber", Invalid,
           "parameter 'ratio' is -9223372036854775808, expected at least 1",
           [](AttendCase &c) { c.params[2] = param("ratio", NAN); }),
    attend("AttendRatioThatIsHuge", Invalid, "parameter 'ratio' is -92233720",
           [](AttendCase &c) { c.params[2] = param("ratio", 1e300); }),
    attend("AttendMissingParameter", Invalid, "parameter 'ratio' is missing",
           [](AttendCase &c) { c.params.pop_back(); }),
    select("SelectRatio", Invalid, "parameter 'ratio' is -1, expected at least",
           [](SelectCase &c) { c.params[0] = param("ratio", int64_t(-1)); }),
    compress("CompressRatio", Invalid, "parameter 'ratio' is 0, expected at",
             [](CompressCase &c) { c.params[0] = param("ratio", int64_t(0)); }),
    compress("CompressHugeRatio", Invalid,
             "operand 'bias': size 0 is 4, expected 9223372036854775807",
             [](CompressCase &c) { c.params[0] = param("ratio", Huge); }),
    packed("PackedMisaligned",
           "expected a multiple of 2, as its rows hold bf16",
           [](braid_tensor &cache, int64_t &) {
             cache.data = bytesOf(cache) + 1;
           }),
    packed("PackedOddBlocks", "stride 0 is 41, expected a multiple of 2",
           [](braid_tensor &cache, int64_t &) { cache.strides[0] = 41; }),
    packed("PackedOverlappingBlocks", "stride 0 is 38, expected at least 40",
           [](braid_tensor &cache, int64_t &) { cache.strides[0] = 38; }),
    packed("PackedStride", "stride 1 is 22, expected 20, a row's bytes",
           [](braid_tensor &cache, int64_t &) { cache.strides[1] = 22; }),
    packed("PackedOddChannels",
           "parameter 'fp8_channels' is 5, expected an even number",
           [](braid_tensor &cache, int64_t &fp8) {
             fp8 = 5;
             cache.sizes[2] = 19;
             cache.strides[0] = 38;
             cache.strides[1] = 19;
           }),
    packed("PackedManyChannels",
           "parameter 'fp8_channels' is 9, expected 0 to 8",
           [](braid_tensor &, int64_t &fp8) { fp8 = 9; }),
};

class BadKernelInput : public testing::TestWithParam<size_t> {};

} // namespace

TEST_P(BadKernelInput, IsRefused) {
  const KernelRow &row = kernelRows[GetParam()];
  Outcome outcome = row.act();
  EXPECT_EQ(outcome.status, row.status) << outcome.sentence;
  EXPECT_NE(outcome.sentence.find(row.sentence), std::string::npos)
      << "in: " << outcome.sentence;
}

INSTANTIATE_TEST_SUITE_P(Rows, BadKernelInput,
                         testing::Range(size_t(0), kernelRows.size()),
                         [](const auto &info) {
                           return std::string(kernelRows[info.param].name);
                         });

// The cases above fail for what the rows changed and for nothing else.
TEST(GoodKernelInput, RunsUnchanged) {
  for (bool host : {false, true}) {
    Outcome outcome = AttendCase().run(host);
    EXPECT_EQ(outcome.status, BRAID_OK) << outcome.sentence;
    outcome = SelectCase().run(host);
    EXPECT_EQ(outcome.status, BRAID_OK) << outcome.sentence;
  }
  for (const Outcome &outcome :
       {InsertCase().run({0, -1, 7}), CompressCase().run(),
        RopeCase().run({0, 7, 3})})
    EXPECT_EQ(outcome.status, BRAID_OK) << outcome.sentence;
}

// Engines pad the requests of a batch: no queries, and a length of -1 or 0.
TEST(GoodKernelInput, PaddedRequests) {
  for (bool host : {false, true})
    for (int32_t length : {-1, 0}) {
      AttendCase attend;
      set(attend.offsets, {0, 0, 3});
      set(attend.lengths, {length, 3});
      attend.windowTable(0, 0) = -1;
      Outcome outcome = attend.run(host);
      EXPECT_EQ(outcome.status, BRAID_OK) << outcome.sentence;
      for (float value : attend.y.data)
        EXPECT_TRUE(std::isfinite(value) && value != 9) << value;
      SelectCase select;
      set(select.offsets, {0, 0, 3});
      set(select.lengths, {length, 4});
      select.table(0, 0) = -1;
      outcome = select.run(host);
      EXPECT_EQ(outcome.status, BRAID_OK) << outcome.sentence;
    }
}

TEST(GoodKernelInput, AllRequestsArePadding) {
  AttendCase attend;
  set(attend.offsets, {0, 0, 0});
  set(attend.lengths, {0, 0});
  EXPECT_EQ(attend.run(true).status, BRAID_OK);
  for (float value : attend.y.data)
    EXPECT_EQ(value, 0);
  SelectCase select;
  set(select.offsets, {0, 0, 0});
  set(select.lengths, {0, -1});
  EXPECT_EQ(select.run(true).status, BRAID_OK);
  for (int32_t value : select.topk.data)
    EXPECT_EQ(value, -1);
}

TEST(BadKernel, ThatThrowsIsAFailure) {
  Context context;
  context.add("mine", [](const braid_kernel_call &) -> braid_status {
    throw std::bad_alloc();
  });
  Floats x({3});
  EXPECT_EQ(context.runOp(Op("mine", "r"), {&x}), BRAID_OUT_OF_MEMORY);
  EXPECT_EQ(context.error(),
            "op 'mine' at test.mlir:1:1 failed: out of memory");
  context.add(
      "check", [](const braid_kernel_call &) { return BRAID_OK; },
      [](const braid_kernel_call &) -> braid_status { throw 7; });
  EXPECT_EQ(context.runOp(Op("check", "r"), {&x}), BRAID_INTERNAL);
  EXPECT_EQ(context.error(), "unexpected exception that is no std::exception");
}
