//===- CudaBackendTest.cpp - What only the cuda backend does --------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Caller's streams and captures, device memory, failures inside a capture, and
// what is left when a context goes. Needs a GPU.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "braid/cuda.hpp"

#include <cuda_runtime_api.h>

#include <atomic>

using namespace braid::test;

#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_NE(std::string(text).find(part), std::string::npos)                   \
      << "in: " << std::string(text)
#define CUDA_OK(call) ASSERT_EQ(call, cudaSuccess)

namespace {

/// Makes kernels of the conformance suite run as host functions of a stream.
struct HostFunctions {
  HostFunctions() {
    runOnStream = [](void *stream, void (*run)(void *), void *data) {
      EXPECT_EQ(
          cudaLaunchHostFunc(static_cast<cudaStream_t>(stream), run, data),
          cudaSuccess);
    };
  }
} hostFunctions;

/// A stream that is destroyed at the end.
struct Stream {
  cudaStream_t handle = nullptr;
  Stream() {
    EXPECT_EQ(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking),
              cudaSuccess);
  }
  ~Stream() { (void)cudaStreamDestroy(handle); }
};

void useCuda(braid_context_options &options) {
  options.backend = BRAID_BACKEND_CUDA;
}

/// Copies x to y on the device.
braid_kernel copyKernel() {
  braid_kernel kernel = {};
  kernel.struct_size = sizeof(kernel);
  kernel.name = "device_copy";
  kernel.run = [](const braid_kernel_call *call, void *) {
    return cudaMemcpyAsync(call->operands[1]->data, call->operands[0]->data,
                           call->operands[0]->sizes[0] * sizeof(float),
                           cudaMemcpyDeviceToDevice,
                           static_cast<cudaStream_t>(call->stream)) ==
                   cudaSuccess
               ? BRAID_OK
               : BRAID_KERNEL_FAILED;
  };
  return kernel;
}

/// A float array on the device.
struct DeviceFloats {
  float *data = nullptr;
  braid_tensor tensor;
  explicit DeviceFloats(int64_t size) {
    EXPECT_EQ(
        cudaMalloc(reinterpret_cast<void **>(&data), size * sizeof(float)),
        cudaSuccess);
    tensor = makeTensor(data, BRAID_F32, {size});
  }
  ~DeviceFloats() { (void)cudaFree(data); }
  void set(float value) {
    std::vector<float> values(tensor.sizes[0], value);
    EXPECT_EQ(cudaMemcpy(data, values.data(), values.size() * sizeof(float),
                         cudaMemcpyHostToDevice),
              cudaSuccess);
    // Until then the device need not have it.
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  float get() {
    float value = 0;
    EXPECT_EQ(cudaMemcpy(&value, data, sizeof(float), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return value;
  }
};

/// y = x through workspace, on two streams with a fork and a join, in a
/// segment; then, if asked for, z = x in an eager region.
struct Program {
  braid_schedule schedule;
  Region segment{"p.segment0", ".."};
  Region eager{"p.eager0"};
  Op copy{"device_copy", "rw"};
  bool withBreak;
  Function function;

  explicit Program(bool withBreak)
      : schedule(makeSchedule(2, 2, 4, 256)), withBreak(withBreak),
        function(
            "p",
            {{"x", BRAID_F32, {BRAID_SIZE_TOKENS}},
             {"y", BRAID_F32, {BRAID_SIZE_TOKENS}},
             {"z", BRAID_F32, {BRAID_SIZE_TOKENS}}},
            [this](braid_frame *frame, const braid_tensor *a) {
              run(frame, a);
            },
            4, 256) {}

  void run(braid_frame *frame, const braid_tensor *a) {
    const braid_tensor *liveIns[] = {a, a + 1};
    void *base = braid_rt_schedule_begin(frame, &schedule, a->sizes[0]);
    braid_tensor between = makeTensor(base, BRAID_F32, {a->sizes[0]});
    if (braid_rt_segment_begin(frame, &segment.region, liveIns)) {
      braid_rt_record(frame, 0, 0);
      braid_rt_wait(frame, 1, 0);
      copy.launch(frame, 1, {a, &between});
      braid_rt_record(frame, 1, 1);
      braid_rt_wait(frame, 0, 1);
      copy.launch(frame, 0, {&between, a + 1});
      braid_rt_segment_end(frame);
    }
    if (withBreak && braid_rt_eager_begin(frame, &eager.region)) {
      copy.launch(frame, 0, {a, a + 2});
      braid_rt_eager_end(frame);
    }
    braid_rt_schedule_end(frame);
  }
};

class CudaBackend : public testing::Test {
protected:
  void
  start(const std::function<void(braid_context_options &)> &more = nullptr) {
    context = std::make_unique<Context>([&](braid_context_options &options) {
      useCuda(options);
      if (more)
        more(options);
    });
    braid_kernel kernel = copyKernel();
    ASSERT_EQ(braid_register_kernel(*context, &kernel), BRAID_OK);
    for (DeviceFloats *floats : {&x, &y, &z})
      floats->set(0);
    tensors = {x.tensor, y.tensor, z.tensor};
  }
  braid_call call(Program &program, cudaStream_t stream) {
    braid_call call = program.function.call(tensors);
    call.stream = stream;
    return call;
  }

  DeviceFloats x{64}, y{64}, z{64};
  std::vector<braid_tensor> tensors;
  std::unique_ptr<Context> context;
};

} // namespace

// Two hundred replays of one graph read what the buffer holds by then.
TEST_F(CudaBackend, ReplaysSeeNewContents) {
  start();
  Program program(true);
  Stream stream;
  braid_call prefill = call(program, stream.handle);
  ASSERT_EQ(braid_prepare(*context, &prefill), BRAID_OK) << context->error();
  for (int i = 1; i <= 200; ++i) {
    x.set(float(i));
    ASSERT_EQ(braid_execute(*context, &prefill), BRAID_OK) << context->error();
    ASSERT_EQ(braid_synchronize(*context), BRAID_OK);
    EXPECT_EQ(y.get(), i);
    EXPECT_EQ(z.get(), i);
  }
  EXPECT_EQ(context->statistics().replays, 200);
  EXPECT_EQ(context->statistics().captures, 1);
}

// Calls on different streams share workspace, so the second waits for the
// first.
TEST_F(CudaBackend, CallsOnOtherStreamsComeAfter) {
  start();
  Program program(false);
  Stream first, second;
  braid_call one = call(program, first.handle),
             two = call(program, second.handle);
  ASSERT_EQ(braid_prepare(*context, &one), BRAID_OK) << context->error();
  x.set(3);
  // Holds up the first stream until the second call is enqueued.
  static std::atomic<bool> open;
  open = false;
  CUDA_OK(cudaLaunchHostFunc(
      first.handle,
      [](void *) {
        while (!open) {
        }
      },
      nullptr));
  ASSERT_EQ(braid_execute(*context, &one), BRAID_OK);
  ASSERT_EQ(braid_execute(*context, &two), BRAID_OK);
  EXPECT_EQ(cudaStreamQuery(second.handle), cudaErrorNotReady);
  open = true;
  CUDA_OK(cudaStreamSynchronize(second.handle));
  EXPECT_EQ(cudaStreamQuery(first.handle), cudaSuccess);
  EXPECT_EQ(y.get(), 3);
  ASSERT_EQ(braid_synchronize(*context), BRAID_OK);
}

// The legacy default stream cannot be captured, but segments can all the same.
TEST_F(CudaBackend, DefaultStream) {
  start();
  Program program(true);
  braid_call prefill = call(program, nullptr);
  ASSERT_EQ(braid_prepare(*context, &prefill), BRAID_OK) << context->error();
  x.set(5);
  ASSERT_EQ(braid_execute(*context, &prefill), BRAID_OK) << context->error();
  ASSERT_EQ(braid_synchronize(*context), BRAID_OK);
  EXPECT_EQ(y.get(), 5);
  EXPECT_EQ(context->statistics().replays, 1);
}

// In the caller's capture the work joins it, prepared or not, fork and join
// included, and runs when the caller's graph does.
TEST_F(CudaBackend, JoinsTheCallersCapture) {
  for (bool prepared : {false, true}) {
    start();
    Program program(false);
    Stream stream;
    braid_call prefill = call(program, stream.handle);
    // Workspace and streams exist before the capture.
    if (prepared) {
      ASSERT_EQ(braid_prepare(*context, &prefill), BRAID_OK)
          << context->error();
    }
    x.set(7);
    CUDA_OK(cudaStreamBeginCapture(stream.handle,
                                   cudaStreamCaptureModeThreadLocal));
    EXPECT_EQ(braid_execute(*context, &prefill), BRAID_OK) << context->error();
    EXPECT_EQ(braid_synchronize(*context), BRAID_INVALID_ARGUMENT);
    EXPECT_CONTAINS(context->error(), "is being captured");
    EXPECT_EQ(braid_prepare(*context, &prefill), BRAID_INVALID_ARGUMENT);
    EXPECT_CONTAINS(context->error(), "expected braid_prepare before that");
    cudaGraph_t graph = nullptr;
    CUDA_OK(cudaStreamEndCapture(stream.handle, &graph));
    EXPECT_EQ(y.get(), 0);
    size_t nodes = 0;
    CUDA_OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT_EQ(nodes, 2u);
    cudaGraphExec_t executable = nullptr;
    CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
    CUDA_OK(cudaGraphLaunch(executable, stream.handle));
    CUDA_OK(cudaStreamSynchronize(stream.handle));
    EXPECT_EQ(y.get(), 7);
    CUDA_OK(cudaGraphExecDestroy(executable));
    CUDA_OK(cudaGraphDestroy(graph));
    EXPECT_EQ(context->statistics().replays, 0);
  }
}

// A break inside it is refused, before anything is enqueued.
TEST_F(CudaBackend, BreakInTheCallersCaptureIsRefused) {
  start();
  Program program(true);
  Stream stream;
  braid_call prefill = call(program, stream.handle);
  ASSERT_EQ(braid_prepare(*context, &prefill), BRAID_OK) << context->error();
  CUDA_OK(
      cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeThreadLocal));
  EXPECT_EQ(braid_execute(*context, &prefill), BRAID_UNSUPPORTED);
  EXPECT_CONTAINS(context->error(),
                  "eager region 'p.eager0' cannot be captured");
  cudaGraph_t graph = nullptr;
  CUDA_OK(cudaStreamEndCapture(stream.handle, &graph));
  size_t nodes = 1;
  CUDA_OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 0u);
  CUDA_OK(cudaGraphDestroy(graph));
  x.set(2);
  ASSERT_EQ(braid_execute(*context, &prefill), BRAID_OK) << context->error();
  ASSERT_EQ(braid_synchronize(*context), BRAID_OK);
  EXPECT_EQ(z.get(), 2);
}

// With a callback the engine ends its graph, and begins the next one.
TEST_F(CudaBackend, BreakCallsBack) {
  struct Engine {
    Stream stream;
    std::vector<cudaGraph_t> graphs;
    std::string calls;
  } engine;
  start([&](braid_context_options &options) {
    options.eager_break_user_data = &engine;
    options.eager_break = [](const char *region, int32_t isEnd, void *data) {
      Engine &engine = *static_cast<Engine *>(data);
      engine.calls += std::string(region) + (isEnd ? " end; " : " begin; ");
      if (isEnd) {
        EXPECT_EQ(cudaStreamBeginCapture(engine.stream.handle,
                                         cudaStreamCaptureModeThreadLocal),
                  cudaSuccess);
        return BRAID_OK;
      }
      engine.graphs.emplace_back();
      EXPECT_EQ(
          cudaStreamEndCapture(engine.stream.handle, &engine.graphs.back()),
          cudaSuccess);
      return BRAID_OK;
    };
  });
  Program program(true);
  braid_call prefill = call(program, engine.stream.handle);
  ASSERT_EQ(braid_prepare(*context, &prefill), BRAID_OK) << context->error();
  x.set(9);
  CUDA_OK(cudaStreamBeginCapture(engine.stream.handle,
                                 cudaStreamCaptureModeThreadLocal));
  ASSERT_EQ(braid_execute(*context, &prefill), BRAID_OK) << context->error();
  engine.graphs.emplace_back();
  CUDA_OK(cudaStreamEndCapture(engine.stream.handle, &engine.graphs.back()));
  EXPECT_EQ(engine.calls, "p.eager0 begin; p.eager0 end; ");
  CUDA_OK(cudaStreamSynchronize(engine.stream.handle));
  EXPECT_EQ(y.get(), 0) << "the segment was captured";
  EXPECT_EQ(z.get(), 9) << "the region was not";
  ASSERT_EQ(engine.graphs.size(), 2u);
  for (cudaGraph_t graph : engine.graphs)
    CUDA_OK(cudaGraphDestroy(graph));
}

// A kernel that may not be captured: one sentence, and the context goes on.
TEST_F(CudaBackend, FailedCapture) {
  start();
  static bool synchronizes;
  synchronizes = true;
  braid_kernel kernel = copyKernel();
  kernel.run = [](const braid_kernel_call *call, void *) {
    if (synchronizes)
      (void)cudaStreamSynchronize(static_cast<cudaStream_t>(call->stream));
    return copyKernel().run(call, nullptr);
  };
  ASSERT_EQ(braid_register_kernel(*context, &kernel), BRAID_OK);
  Program program(false);
  Stream stream;
  braid_call prefill = call(program, stream.handle);
  EXPECT_EQ(braid_prepare(*context, &prefill), BRAID_KERNEL_FAILED);
  EXPECT_CONTAINS(context->error(), "failed");
  EXPECT_EQ(context->statistics().graphs, 0);
  (void)cudaGetLastError();
  synchronizes = false;
  x.set(4);
  ASSERT_EQ(braid_prepare(*context, &prefill), BRAID_OK) << context->error();
  ASSERT_EQ(braid_execute(*context, &prefill), BRAID_OK) << context->error();
  ASSERT_EQ(braid_synchronize(*context), BRAID_OK);
  EXPECT_EQ(y.get(), 4);
}

// More workspace than the device has: a status, and the next call works.
TEST_F(CudaBackend, OutOfMemory) {
  start();
  braid_schedule huge = makeSchedule(1, 0, 0, int64_t(1) << 42);
  Function function(
      "huge", {},
      [&](braid_frame *frame, const braid_tensor *) {
        braid_rt_schedule_begin(frame, &huge, 1);
        braid_rt_schedule_end(frame);
      },
      0, int64_t(1) << 42);
  std::vector<braid_tensor> none;
  braid_call tooMuch = function.call(none);
  EXPECT_EQ(braid_execute(*context, &tooMuch), BRAID_OUT_OF_MEMORY);
  EXPECT_CONTAINS(context->error(), "4398046511104");
  Program program(true);
  Stream stream;
  braid_call prefill = call(program, stream.handle);
  x.set(6);
  ASSERT_EQ(braid_execute(*context, &prefill), BRAID_OK) << context->error();
  ASSERT_EQ(braid_synchronize(*context), BRAID_OK);
  EXPECT_EQ(y.get(), 6);
}

// A prepared product that stays outside graphs sees new contents on every
// stream, also after the scratch that it was prepared with has moved, and other
// operands are not mistaken for those that were prepared.
TEST_F(CudaBackend, PreparedProductsOutsideGraphs) {
  start([](braid_context_options &options) { options.capture = 0; });
  braid_kernel large = copyKernel();
  large.name = "large";
  large.workspace = [](const braid_kernel_call *, size_t available, void *) {
    return available;
  };
  ASSERT_EQ(braid_register_kernel(*context, &large), BRAID_OK);
  constexpr int64_t Size = 64;
  DeviceFloats weight(Size * Size), rows(Size * Size), others(Size * Size);
  weight.set(1);
  std::vector<braid_tensor> arguments;
  for (DeviceFloats *floats : {&rows, &weight, &others})
    arguments.push_back(makeTensor(floats->data, BRAID_F32, {Size, Size}));
  braid_schedule schedule = makeSchedule(2, 2);
  Op linear("linear", "rrnnw"), grow("large", "rw");
  Function function(
      "products",
      {{"x", BRAID_F32, {BRAID_SIZE_TOKENS, Size}},
       {"weight", BRAID_F32, {Size, Size}},
       {"y", BRAID_F32, {BRAID_SIZE_TOKENS, Size}}},
      [&](braid_frame *frame, const braid_tensor *a) {
        braid_rt_schedule_begin(frame, &schedule, a->sizes[0]);
        braid_rt_record(frame, 0, 0);
        braid_rt_wait(frame, 1, 0);
        linear.launch(frame, 1, {a, a + 1, nullptr, nullptr, a + 2});
        braid_rt_record(frame, 1, 1);
        braid_rt_wait(frame, 0, 1);
        linear.launch(frame, 0, {a + 2, a + 1, nullptr, nullptr, a});
        braid_rt_schedule_end(frame);
      });
  braid_call call = function.call(arguments);
  ASSERT_EQ(braid_prepare(*context, &call), BRAID_OK) << context->error();
  auto check = [&](DeviceFloats &x, DeviceFloats &y, float value) {
    x.set(value);
    ASSERT_EQ(braid_execute(*context, &call), BRAID_OK) << context->error();
    ASSERT_EQ(braid_synchronize(*context), BRAID_OK) << context->error();
    EXPECT_EQ(y.get(), Size * value);
    EXPECT_EQ(x.get(), Size * Size * value);
  };
  check(rows, others, 1);
  check(rows, others, 2);
  Function growing("growing", {},
                   [&](braid_frame *frame, const braid_tensor *) {
                     braid_rt_schedule_begin(frame, &schedule, 1);
                     for (int32_t stream : {0, 1})
                       grow.launch(frame, stream, {&x.tensor, &y.tensor});
                     braid_rt_record(frame, 1, 0);
                     braid_rt_wait(frame, 0, 0);
                     braid_rt_schedule_end(frame);
                   });
  std::vector<braid_tensor> none;
  braid_call larger = growing.call(none);
  ASSERT_EQ(braid_execute(*context, &larger), BRAID_OK) << context->error();
  check(rows, others, 3);
  std::swap(arguments[0], arguments[2]);
  call = function.call(arguments);
  check(others, rows, 4);
}

TEST_F(CudaBackend, AnOpWithoutAKernel) {
  start();
  Op attend("attend", "rw", {}, "", "layer.mlir:7:3");
  EXPECT_EQ(context->runOp(attend, {&x.tensor, &y.tensor}), BRAID_NO_KERNEL);
  EXPECT_CONTAINS(context->error(),
                  "no kernel is registered for op 'attend' at layer.mlir:7:3");
}

// Contexts that come and go leave no device memory behind.
TEST_F(CudaBackend, NothingLeaks) {
  auto useOne = [&] {
    start();
    Program program(true);
    Stream stream;
    braid_call prefill = call(program, stream.handle);
    EXPECT_EQ(braid_prepare(*context, &prefill), BRAID_OK);
    EXPECT_EQ(braid_execute(*context, &prefill), BRAID_OK);
    EXPECT_EQ(braid_synchronize(*context), BRAID_OK);
    context.reset();
  };
  useOne(); // what the driver keeps for the process
  size_t before = 0, after = 0, total = 0;
  CUDA_OK(cudaDeviceSynchronize());
  CUDA_OK(cudaMemGetInfo(&before, &total));
  for (int i = 0; i < 30; ++i)
    useOne();
  CUDA_OK(cudaDeviceSynchronize());
  CUDA_OK(cudaMemGetInfo(&after, &total));
  EXPECT_EQ(before, after);
}

// A bound on graphs holds on the device too: old ones are freed while the
// context lives.
TEST_F(CudaBackend, RetiredGraphsAreFreed) {
  start([](braid_context_options &options) { options.max_graphs = 2; });
  Program program(false);
  Stream stream;
  for (int64_t tokens = 1; tokens <= 64; ++tokens) {
    for (braid_tensor &tensor : tensors)
      tensor.sizes[0] = tokens;
    braid_call prefill = call(program, stream.handle);
    ASSERT_EQ(braid_prepare(*context, &prefill), BRAID_OK) << context->error();
    ASSERT_EQ(braid_execute(*context, &prefill), BRAID_OK);
  }
  EXPECT_EQ(context->statistics().graphs, 2);
  ASSERT_EQ(braid_synchronize(*context), BRAID_OK);
}

// execute_in_parallel with an engine's own streams and events, and with those
// of a context.
TEST_F(CudaBackend, ExecuteInParallel) {
  start();
  Stream main, side;
  braid::CudaStreams ops;
  braid::ParallelStreams<cudaStream_t, cudaEvent_t> streams;
  streams.main = main.handle;
  streams.auxiliary = {side.handle};
  streams.done.resize(1);
  CUDA_OK(cudaEventCreateWithFlags(&streams.start, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreateWithFlags(&streams.done[0], cudaEventDisableTiming));
  x.set(8);
  auto copyTo = [&](DeviceFloats &to) {
    return [&](cudaStream_t stream) {
      return cudaMemcpyAsync(to.data, x.data, 4, cudaMemcpyDeviceToDevice,
                             stream);
    };
  };
  std::vector<std::function<cudaError_t(cudaStream_t)>> branches = {copyTo(z)};
  auto results =
      braid::execute_in_parallel(ops, streams, true, copyTo(y), branches);
  EXPECT_TRUE(results.ok()) << results.status.message;
  CUDA_OK(cudaStreamSynchronize(main.handle));
  EXPECT_EQ(y.get(), 8);
  EXPECT_EQ(z.get(), 8);
  CUDA_OK(cudaEventDestroy(streams.start));
  CUDA_OK(cudaEventDestroy(streams.done[0]));

  braid::ContextStreams own(*context);
  ASSERT_TRUE(own.reserve(2, 2).ok()) << context->error();
  ASSERT_EQ(braid_streams_use(*context, main.handle), BRAID_OK);
  x.set(11);
  Op copy("device_copy", "rw");
  auto launch = [&](DeviceFloats &to) {
    return [&](int32_t stream) {
      const braid_tensor *operands[] = {&x.tensor, &to.tensor};
      return braid_stream_launch(*context, stream, &copy.op, operands);
    };
  };
  std::vector<std::function<braid_status(int32_t)>> others = {launch(z)};
  auto mine = braid::execute_in_parallel(own, braid::numberedStreams(1), true,
                                         launch(y), others);
  EXPECT_TRUE(mine.ok()) << mine.status.message;
  CUDA_OK(cudaStreamSynchronize(main.handle));
  EXPECT_EQ(y.get(), 11);
  EXPECT_EQ(z.get(), 11);
}
