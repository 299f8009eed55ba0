//===- Support.cpp - What the tests share ---------------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables and trampolines of hand-written compiled functions.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace braid::test;

braid_tensor braid::test::makeTensor(void *data, int32_t dtype,
                                     const Sizes &sizes, const Sizes &strides) {
  braid_tensor tensor = {};
  tensor.data = data;
  tensor.dtype = dtype;
  tensor.rank = static_cast<int32_t>(sizes.size());
  int64_t stride = 1;
  for (int d = tensor.rank - 1; d >= 0; --d) {
    tensor.sizes[d] = sizes[d];
    tensor.strides[d] = strides.empty() ? stride : strides[d];
    stride *= sizes[d];
  }
  return tensor;
}

void braid::test::fill(Floats &array, std::mt19937 &random, float scale) {
  std::normal_distribution<float> normal(0, scale);
  for (float &value : array.data)
    value = normal(random);
}

braid_param braid::test::param(const char *name, int64_t value) {
  braid_param result = {name, BRAID_PARAM_INT, 0, {}};
  result.value.i = value;
  return result;
}

braid_param braid::test::param(const char *name, double value) {
  braid_param result = {name, BRAID_PARAM_FLOAT, 0, {}};
  result.value.f = value;
  return result;
}

static std::vector<int32_t> metadataOf(const std::string &letters,
                                       size_t count) {
  std::vector<int32_t> result(count, BRAID_METADATA_NONE);
  for (size_t i = 0; i < letters.size() && i < count; ++i)
    result[i] = letters[i] == 'h'   ? BRAID_METADATA_HOST
                : letters[i] == 'p' ? BRAID_METADATA_DEVICE_PERSISTENT
                : letters[i] == 't' ? BRAID_METADATA_DEVICE_TRANSIENT
                                    : BRAID_METADATA_NONE;
  return result;
}

Op::Op(const char *name, const std::string &letters,
       std::vector<braid_param> given, const std::string &metadataLetters,
       const char *location)
    : metadata(metadataOf(metadataLetters, letters.size())),
      params(std::move(given)) {
  for (char letter : letters)
    accesses.push_back(letter == 'r'   ? BRAID_ACCESS_READ
                       : letter == 'w' ? BRAID_ACCESS_WRITE
                       : letter == 'u' ? BRAID_ACCESS_READ_WRITE
                                       : BRAID_ACCESS_NONE);
  op = {sizeof(op),
        name,
        location,
        static_cast<int64_t>(letters.size()),
        accesses.data(),
        metadata.data(),
        static_cast<int64_t>(params.size()),
        params.data()};
}

Region::Region(const char *name, const std::string &letters)
    : metadata(metadataOf(letters, letters.size())) {
  region = {sizeof(region), name, "", static_cast<int64_t>(letters.size()),
            metadata.data()};
}

// A braid_function has no user data, so each Function takes one of these.
static constexpr int MaxFunctions = 8;
static Function::Body bodies[MaxFunctions];
template <int N>
static void trampoline(braid_frame *frame, const braid_tensor *arguments) {
  bodies[N](frame, arguments);
}
static void (*const trampolines[MaxFunctions])(braid_frame *,
                                               const braid_tensor *) = {
    trampoline<0>, trampoline<1>, trampoline<2>, trampoline<3>,
    trampoline<4>, trampoline<5>, trampoline<6>, trampoline<7>};

Function::Function(const char *name, std::vector<Arg> given, Body body,
                   int64_t perToken, int64_t fixed)
    : index(0), declared(std::move(given)) {
  while (index < MaxFunctions && bodies[index])
    ++index;
  EXPECT_LT(index, MaxFunctions);
  bodies[index] = std::move(body);
  for (const Arg &arg : declared)
    arguments.push_back({sizeof(braid_argument), arg.name, arg.dtype,
                         static_cast<int32_t>(arg.sizes.size()),
                         arg.sizes.data(), arg.access, arg.metadata,
                         arg.strides.empty() ? nullptr : arg.strides.data()});
  function = {sizeof(function),
              BRAID_ABI_MAJOR,
              BRAID_ABI_MINOR,
              name,
              static_cast<int64_t>(arguments.size()),
              arguments.data(),
              perToken,
              fixed,
              trampolines[index]};
}

Function::~Function() { bodies[index] = nullptr; }

braid_call Function::call(const std::vector<braid_tensor> &tensors) const {
  return {sizeof(braid_call), &function, tensors.data(),
          static_cast<int64_t>(tensors.size()), nullptr};
}

braid_schedule braid::test::makeSchedule(int32_t streams, int32_t events,
                                         int64_t perToken, int64_t fixed) {
  return {sizeof(braid_schedule), "test", streams, events, perToken, fixed};
}

Context::Context(const std::function<void(braid_context_options &)> &change) {
  braid_context_options options;
  braid_context_options_initialize(&options);
  if (change)
    change(options);
  EXPECT_EQ(braid_context_create(&options, &context), BRAID_OK)
      << braid_last_error(nullptr);
}

braid_statistics Context::statistics() const {
  braid_statistics result = {};
  result.struct_size = sizeof(result);
  EXPECT_EQ(braid_get_statistics(context, &result), BRAID_OK);
  return result;
}

void (*braid::test::runOnStream)(void *, void (*)(void *), void *) = nullptr;

/// Copies what the call points at: descriptors and host metadata.
struct Context::Enqueued {
  braid_kernel_call call;
  Callbacks &to;
  std::vector<braid_tensor> tensors;
  std::vector<const braid_tensor *> operands;
  std::vector<std::vector<char>> snapshots;
  char message[512];

  Enqueued(const braid_kernel_call &given, Callbacks &to)
      : call(given), to(to), tensors(given.op->num_operands),
        operands(given.op->num_operands, nullptr) {
    for (int64_t i = 0; i < call.op->num_operands; ++i) {
      if (!given.operands[i])
        continue;
      tensors[i] = *given.operands[i];
      operands[i] = &tensors[i];
      if (call.op->metadata[i] != BRAID_METADATA_HOST)
        continue;
      // Only rank 1 and four bytes are needed here.
      const char *data = static_cast<const char *>(tensors[i].data);
      snapshots.emplace_back(data, data + tensors[i].sizes[0] * 4);
      tensors[i].data = snapshots.back().data();
    }
    call.operands = operands.data();
    call.message = message;
  }
};

braid_status Context::enqueue(const braid_kernel_call &call, Callbacks &to) {
  to.enqueued.push_back(std::make_shared<Enqueued>(call, to));
  runOnStream(
      call.stream,
      [](void *data) {
        auto &enqueued = *static_cast<Enqueued *>(data);
        EXPECT_EQ(enqueued.to.run(enqueued.call), BRAID_OK);
      },
      to.enqueued.back().get());
  return BRAID_OK;
}

void Context::add(
    const char *name,
    std::function<braid_status(const braid_kernel_call &)> run,
    std::function<braid_status(const braid_kernel_call &)> check) {
  callbacks.push_back(std::make_unique<Callbacks>(
      Callbacks{std::move(run), std::move(check), {}}));
  braid_kernel kernel = {};
  kernel.struct_size = sizeof(kernel);
  kernel.name = name;
  kernel.user_data = callbacks.back().get();
  kernel.run = [](const braid_kernel_call *call, void *data) {
    auto &callbacks = *static_cast<Callbacks *>(data);
    return runOnStream ? enqueue(*call, callbacks) : callbacks.run(*call);
  };
  if (callbacks.back()->check)
    kernel.check = [](const braid_kernel_call *call, void *data) {
      return static_cast<Callbacks *>(data)->check(*call);
    };
  EXPECT_EQ(braid_register_kernel(context, &kernel), BRAID_OK);
}

braid_status Context::runOp(const Op &op,
                            const std::vector<const braid_tensor *> &operands) {
  braid_schedule schedule = makeSchedule(1, 0);
  Function function("one", {}, [&](braid_frame *frame, const braid_tensor *) {
    braid_rt_schedule_begin(frame, &schedule, 1);
    op.launch(frame, 0, operands);
    braid_rt_schedule_end(frame);
  });
  std::vector<braid_tensor> none;
  braid_call call = function.call(none);
  braid_status status = braid_execute(context, &call);
  return status == BRAID_OK ? braid_synchronize(context) : status;
}
