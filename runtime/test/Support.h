//===- Support.h - What the tests share -------------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds by hand what the compiler would emit: functions, ops and regions as
// tables, with bodies that are C++ lambdas.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_TEST_SUPPORT_H
#define BRAID_RUNTIME_TEST_SUPPORT_H

#include "braid/compiled.h"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace braid::test {

using Sizes = std::vector<int64_t>;

/// Describes memory as a tensor; dense unless `strides` are given.
braid_tensor makeTensor(void *data, int32_t dtype, const Sizes &sizes,
                        const Sizes &strides = {});

template <typename T>
constexpr int32_t dtypeOf();
template <>
constexpr int32_t dtypeOf<float>() {
  return BRAID_F32;
}
template <>
constexpr int32_t dtypeOf<int32_t>() {
  return BRAID_I32;
}
template <>
constexpr int32_t dtypeOf<int64_t>() {
  return BRAID_I64;
}

/// One element of a type that C++ does not have.
struct Bf16 {
  uint16_t bits = 0;
};
struct Fp8 {
  uint8_t bits = 0;
};
struct E8m0 {
  uint8_t bits = 0;
};
template <>
constexpr int32_t dtypeOf<Bf16>() {
  return BRAID_BF16;
}
template <>
constexpr int32_t dtypeOf<Fp8>() {
  return BRAID_F8E4M3;
}
template <>
constexpr int32_t dtypeOf<E8m0>() {
  return BRAID_F8E8M0;
}
template <>
constexpr int32_t dtypeOf<uint8_t>() {
  return BRAID_I8;
}

/// An array that owns its memory. Its rows may be `padding` elements apart.
template <typename T>
struct Array {
  std::vector<T> data;
  braid_tensor tensor;

  explicit Array(const Sizes &sizes, T value = T(), int64_t padding = 0) {
    Sizes strides(sizes.size(), 1);
    int64_t stride = 1;
    for (int d = static_cast<int>(sizes.size()) - 1; d >= 0; --d) {
      strides[d] = stride;
      stride = stride * sizes[d] + (d + 1 == int(sizes.size()) ? padding : 0);
    }
    data.assign(stride > 0 ? stride : 1, value);
    tensor = makeTensor(data.data(), dtypeOf<T>(), sizes, strides);
  }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;

  T &operator()(int64_t i, int64_t j = 0, int64_t k = 0) {
    int64_t at = i * tensor.strides[0];
    if (tensor.rank > 1)
      at += j * tensor.strides[1];
    if (tensor.rank > 2)
      at += k * tensor.strides[2];
    return data[at];
  }
  int64_t size(int d) const { return tensor.sizes[d]; }
  const braid_tensor *operator&() const { return &tensor; }
};

using Floats = Array<float>;
using Ints = Array<int32_t>;
using Longs = Array<int64_t>;
using Bytes = Array<uint8_t>;

/// Fills with normal values.
void fill(Floats &array, std::mt19937 &random, float scale = 1.0f);

/// A named parameter.
braid_param param(const char *name, int64_t value);
braid_param param(const char *name, double value);

/// An op's table. `accesses` has one of "nrwu" (u: read and write) for each
/// operand; `metadata` one of ".hpt" (none, host, persistent, transient), and
/// may be shorter.
class Op {
public:
  Op(const char *name, const std::string &accesses,
     std::vector<braid_param> params = {}, const std::string &metadata = "",
     const char *location = "test.mlir:1:1");
  Op(const Op &) = delete;

  void launch(braid_frame *frame, int32_t stream,
              const std::vector<const braid_tensor *> &operands) const {
    braid_rt_launch(frame, &op, stream, operands.data());
  }

  braid_op op = {};

private:
  std::vector<int32_t> accesses, metadata;
  std::vector<braid_param> params;
};

/// A region's table, for `liveIns` with metadata as in Op.
class Region {
public:
  explicit Region(const char *name, const std::string &metadata = "");
  Region(const Region &) = delete;
  braid_region region = {};

private:
  std::vector<int32_t> metadata;
};

/// A declared argument.
struct Arg {
  const char *name;
  int32_t dtype;
  Sizes sizes;
  int32_t metadata = BRAID_METADATA_NONE;
  int32_t access = BRAID_ACCESS_READ_WRITE;
  Sizes strides = {}; ///< empty: not declared
};

/// A compiled function with a body in C++.
class Function {
public:
  using Body = std::function<void(braid_frame *, const braid_tensor *)>;

  Function(const char *name, std::vector<Arg> arguments, Body body,
           int64_t workspacePerToken = 0, int64_t workspaceFixed = 0);
  ~Function();
  Function(const Function &) = delete;

  /// A call; `tensors` must outlive it.
  braid_call call(const std::vector<braid_tensor> &tensors) const;

  braid_function function = {};

private:
  int index;
  std::vector<Arg> declared;
  std::vector<braid_argument> arguments;
};

/// A schedule's table.
braid_schedule makeSchedule(int32_t streams, int32_t events,
                            int64_t perToken = 0, int64_t fixed = 0);

/// How a backend that only enqueues runs C++ on a stream: calls `run(data)`,
/// which stay valid, when the stream gets there. NULL: kernels run in place.
extern void (*runOnStream)(void *stream, void (*run)(void *data), void *data);

/// A context that is destroyed at the end. Kernels are C++ on every backend.
class Context {
public:
  explicit Context(
      const std::function<void(braid_context_options &)> &change = nullptr);
  ~Context() { braid_context_destroy(context); }
  Context(const Context &) = delete;

  operator braid_context *() const { return context; }
  std::string error() const { return braid_last_error(context); }
  braid_statistics statistics() const;

  /// Registers a kernel that stays alive with the context.
  void
  add(const char *name,
      std::function<braid_status(const braid_kernel_call &)> run,
      std::function<braid_status(const braid_kernel_call &)> check = nullptr);

  /// Runs one op by itself and waits for it.
  braid_status runOp(const Op &op,
                     const std::vector<const braid_tensor *> &operands);

private:
  /// A call that is kept until its stream gets there, or is replayed.
  struct Enqueued;
  struct Callbacks {
    std::function<braid_status(const braid_kernel_call &)> run, check;
    std::vector<std::shared_ptr<Enqueued>> enqueued;
  };
  static braid_status enqueue(const braid_kernel_call &call, Callbacks &to);

  braid_context *context = nullptr;
  std::vector<std::unique_ptr<Callbacks>> callbacks;
};

} // namespace braid::test

#endif // BRAID_RUNTIME_TEST_SUPPORT_H
