//===- KernelChecks.cpp - Which calls kernels accept ----------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types, shapes, strides and parameters of the ops that several backends have
// kernels for.
//
//===----------------------------------------------------------------------===//

#include "KernelChecks.h"

#include <cstdint>

using namespace braid::runtime;

//===----------------------------------------------------------------------===//
// rms_norm: x, weight?, y
//===----------------------------------------------------------------------===//

braid_status braid::runtime::checkRmsNorm(const braid_kernel_call *call,
                                          void *) {
  Checker checker(*call, 3);
  checker.operand(0, "x", FloatTypes, 2, 3)
      .operand(1, "weight", FloatTypes, 1, 1, Presence::Optional)
      .operand(2, "y", FloatTypes, 2, 3)
      .param("eps");
  if (!checker.ok())
    return checker.status();
  const braid_tensor &x = *call->operands[0];
  checker.require(call->operands[2]->rank == x.rank,
                  "operand 'y' has rank %d, expected %d",
                  call->operands[2]->rank, x.rank);
  checker.extent(1, 0, x.sizes[x.rank - 1]);
  for (int d = 0; d < x.rank; ++d)
    checker.extent(2, d, x.sizes[d]);
  return checker.status();
}

//===----------------------------------------------------------------------===//
// rope: x, positions, table, y
//===----------------------------------------------------------------------===//

void braid::runtime::checkRotation(Checker &checker,
                                   const braid_kernel_call &call, int64_t x,
                                   int64_t positions, int64_t table,
                                   int64_t y) {
  if (!checker.ok())
    return;
  const braid_tensor &source = *call.operands[x];
  checker.require(call.operands[y]->rank == source.rank,
                  "the result has rank %d, expected %d", call.operands[y]->rank,
                  source.rank);
  for (int d = 0; d < source.rank; ++d)
    checker.extent(y, d, source.sizes[d]);
  checker.extent(positions, 0, source.sizes[0]);
  int64_t r = sizeOf(call, table, 1), width = source.sizes[source.rank - 1];
  checker.require(r % 2 == 0 && r <= width,
                  "operand 'table': size 1 is %lld, expected an even number of "
                  "at most %lld channels",
                  static_cast<long long>(r), static_cast<long long>(width));
}

braid_status braid::runtime::checkRope(const braid_kernel_call *call, void *) {
  Checker checker(*call, 4);
  checker.operand(0, "x", FloatTypes, 2, 3)
      .operand(1, "positions", BRAID_I64, 1, 1)
      .operand(2, "table", BRAID_F32, 2, 2)
      .operand(3, "y", FloatTypes, 2, 3)
      .param("inverse");
  checkRotation(checker, *call, 0, 1, 2, 3);
  return checker.status();
}

//===----------------------------------------------------------------------===//
// quantize: x, values, scales
//===----------------------------------------------------------------------===//

braid_status braid::runtime::checkQuantize(const braid_kernel_call *call,
                                           void *) {
  Checker checker(*call, 3);
  checker.operand(0, "x", FloatTypes, 2, 3)
      .operand(1, "values", BRAID_F8E4M3, 2, 3)
      .operand(2, "scales", {BRAID_F32, BRAID_F8E8M0}, 2, 3)
      .param("block");
  if (!checker.ok())
    return checker.status();
  const braid_tensor &x = *call->operands[0];
  int64_t block = intParam(*call, "block");
  checker.require(block >= 1, "parameter 'block' is %lld, expected at least 1",
                  static_cast<long long>(block));
  for (int64_t i : {1, 2})
    checker.require(call->operands[i]->rank == x.rank,
                    "operand '%s' has rank %d, expected %d",
                    i == 1 ? "values" : "scales", call->operands[i]->rank,
                    x.rank);
  if (!checker.ok())
    return checker.status();
  int last = x.rank - 1;
  for (int d = 0; d < last; ++d)
    checker.extent(1, d, x.sizes[d]).extent(2, d, x.sizes[d]);
  checker.extent(1, last, x.sizes[last])
      .extent(2, last, (x.sizes[last] + block - 1) / block);
  return checker.status();
}

//===----------------------------------------------------------------------===//
// cache_insert: values, slots, cache
//===----------------------------------------------------------------------===//

void braid::runtime::checkCacheRows(Checker &checker,
                                    const braid_kernel_call &call, int64_t i,
                                    const char *name, int64_t width,
                                    int64_t fp8Channels, Presence presence) {
  using LL = long long;
  checker.operand(i, name, {BRAID_F32, BRAID_BF16, BRAID_I8}, 3, 3, presence);
  const braid_tensor *cache = checker.ok() ? call.operands[i] : nullptr;
  if (!cache)
    return;
  checker.require(cache->sizes[1] > 0,
                  "operand '%s': size 1 is 0, expected a block size", name);
  if (cache->dtype != BRAID_I8) {
    checker
        .require(fp8Channels == 0,
                 "operand '%s': parameter 'fp8_channels' is %lld, expected "
                 "none, as its rows are not packed",
                 name, LL(fp8Channels))
        .extent(i, 2, width);
    return;
  }
  checker.require(fp8Channels >= 0 && fp8Channels <= width,
                  "parameter 'fp8_channels' is %lld, expected 0 to %lld, the "
                  "channels of a row",
                  LL(fp8Channels), LL(width));
  if (!checker.ok())
    return;
  CacheRowLayout layout = {width, fp8Channels};
  int64_t bytes = layout.valueBytes() + layout.scaleBytes();
  checker.extent(i, 2, bytes)
      .require(cache->sizes[1] <= 1 || cache->strides[1] == bytes,
               "operand '%s': stride 1 is %lld, expected %lld, a row's bytes",
               name, LL(cache->strides[1]), LL(bytes))
      .require(cache->sizes[0] <= 1 ||
                   cache->strides[0] >= cache->sizes[1] * bytes,
               "operand '%s': stride 0 is %lld, expected at least %lld, a "
               "block's bytes",
               name, LL(cache->strides[0]), LL(cache->sizes[1] * bytes));
  if (!fp8Channels)
    return;
  // The other channels are bf16.
  checker
      .require(fp8Channels % 2 == 0,
               "parameter 'fp8_channels' is %lld, expected an even number",
               LL(fp8Channels))
      .require(reinterpret_cast<uintptr_t>(cache->data) % 2 == 0,
               "operand '%s': data is %p, expected a multiple of 2, as its "
               "rows hold bf16",
               name, cache->data)
      .require(cache->sizes[0] <= 1 || cache->strides[0] % 2 == 0,
               "operand '%s': stride 0 is %lld, expected a multiple of 2, as "
               "its rows hold bf16",
               name, LL(cache->strides[0]));
}

braid_status braid::runtime::checkCacheInsert(const braid_kernel_call *call,
                                              void *) {
  Checker checker(*call, 3);
  checker.operand(0, "values", FloatTypes, 2, 2)
      .operand(1, "slots", BRAID_I64, 1, 1);
  if (!checker.ok())
    return checker.status();
  checkCacheRows(checker, *call, 2, "cache", sizeOf(*call, 0, 1),
                 intParam(*call, "fp8_channels", 0));
  checker.extent(1, 0, sizeOf(*call, 0, 0));
  return checker.status();
}

//===----------------------------------------------------------------------===//
// copy: source, target; all_reduce: x, y
//===----------------------------------------------------------------------===//

/// Checks that two operands have the same type, rank and extents.
static void checkSame(Checker &checker, const braid_kernel_call &call,
                      const char *source, const char *target) {
  checker.anyOperand(0, source).anyOperand(1, target);
  if (!checker.ok())
    return;
  const braid_tensor &from = *call.operands[0], &to = *call.operands[1];
  checker.require(from.dtype == to.dtype, "operand '%s' is %s, expected %s",
                  target, dtypeName(to.dtype), dtypeName(from.dtype));
  checker.require(from.rank == to.rank, "operand '%s' has rank %d, expected %d",
                  target, to.rank, from.rank);
  for (int d = 0; checker.ok() && d < from.rank; ++d)
    checker.extent(1, d, from.sizes[d]);
}

braid_status braid::runtime::checkCopy(const braid_kernel_call *call, void *) {
  Checker checker(*call, 2);
  checkSame(checker, *call, "source", "target");
  return checker.status();
}

braid_status braid::runtime::checkAllReduce(const braid_kernel_call *call,
                                            void *) {
  Checker checker(*call, 2);
  checkSame(checker, *call, "x", "y");
  return checker.status();
}

//===----------------------------------------------------------------------===//
// pack: inputs..., y
//===----------------------------------------------------------------------===//

braid_status braid::runtime::checkPack(const braid_kernel_call *call, void *) {
  int64_t inputs = call->op->num_operands - 1;
  Checker checker(*call, call->op->num_operands);
  checker.require(inputs >= 1, "has %lld inputs, expected at least 1",
                  static_cast<long long>(inputs));
  if (!checker.ok())
    return checker.status();
  checker.anyOperand(inputs, "y");
  int64_t rows = 0;
  for (int64_t i = 0; checker.ok() && i < inputs; ++i) {
    checker.anyOperand(i, "input");
    if (!checker.ok())
      break;
    const braid_tensor &x = *call->operands[i], &y = *call->operands[inputs];
    checker.require(x.dtype == y.dtype, "input %lld is %s, expected %s",
                    static_cast<long long>(i), dtypeName(x.dtype),
                    dtypeName(y.dtype));
    checker.require(x.rank == y.rank && x.rank > 0,
                    "input %lld has rank %d, expected %d, above 0",
                    static_cast<long long>(i), x.rank, y.rank);
    for (int d = 1; checker.ok() && d < x.rank; ++d)
      checker.require(x.sizes[d] == y.sizes[d],
                      "input %lld: size %d is %lld, expected %lld",
                      static_cast<long long>(i), d,
                      static_cast<long long>(x.sizes[d]),
                      static_cast<long long>(y.sizes[d]));
    if (checker.ok())
      rows += x.sizes[0];
  }
  if (checker.ok())
    checker.require(rows == sizeOf(*call, inputs, 0),
                    "operand 'y': size 0 is %lld, expected %lld, the sum of "
                    "the inputs",
                    static_cast<long long>(sizeOf(*call, inputs, 0)),
                    static_cast<long long>(rows));
  return checker.status();
}

//===----------------------------------------------------------------------===//
// linear, grouped_linear: x, weight, x_scale?, weight_scale?, y
//===----------------------------------------------------------------------===//

using namespace braid::runtime::product;

/// Checks what both ops share; `dims` is the rank of x and y.
static void checkProduct(Checker &checker, const braid_kernel_call &call,
                         int dims) {
  checker.operand(X, "x", {BRAID_F32, BRAID_BF16, BRAID_F8E4M3}, dims, dims)
      .operand(Weight, "weight", {BRAID_F32, BRAID_BF16, BRAID_F8E4M3}, 2, 2)
      .scattered(XScale, "x_scale", {BRAID_F32}, 1, dims, Presence::Optional)
      .operand(WeightScale, "weight_scale", {BRAID_F32, BRAID_F8E8M0}, 1, 2,
               Presence::Optional)
      .operand(Y, "y", FloatTypes, dims, dims);
  if (!checker.ok())
    return;
  int32_t dtype = call.operands[X]->dtype;
  checker.require(call.operands[Weight]->dtype == dtype,
                  "operand 'weight' is %s, expected %s, the type of 'x'",
                  dtypeName(call.operands[Weight]->dtype), dtypeName(dtype));
  checker.require(dtype != BRAID_F32 || call.operands[Y]->dtype == BRAID_F32,
                  "operand 'y' is %s, expected f32, the type of 'x'",
                  dtypeName(call.operands[Y]->dtype));
  for (int64_t i : {XScale, WeightScale})
    checker.require(
        !call.operands[i] == (dtype != BRAID_F8E4M3),
        "operand '%s' is %s, but 'x' is %s; scales belong to f8E4M3FN",
        i == XScale ? "x_scale" : "weight_scale",
        call.operands[i] ? "present" : "missing", dtypeName(dtype));
}

/// Strides, and the extents of scales.
static void checkLayout(Checker &checker, const braid_kernel_call &call) {
  using LL = long long;
  if (!checker.ok())
    return;
  const braid_tensor &x = *call.operands[X], &weight = *call.operands[Weight],
                     &y = *call.operands[Y];
  checker.require(weight.sizes[0] <= 1 || weight.strides[0] >= weight.sizes[1],
                  "operand 'weight': stride 0 is %lld, expected at least %lld",
                  LL(weight.strides[0]), LL(weight.sizes[1]));
  int last = y.rank - 1;
  for (int d = 0; d < last; ++d)
    checker.require(y.sizes[d] <= 1 || y.strides[d] >= y.sizes[last],
                    "operand 'y': stride %d is %lld, expected at least %lld", d,
                    LL(y.strides[d]), LL(y.sizes[last]));
  if (!call.operands[XScale] || !checker.ok())
    return;
  auto blocks = [](int64_t size) {
    return (size + ScaleBlock - 1) / ScaleBlock;
  };
  if (call.operands[XScale]->rank == 1) {
    checker.extent(XScale, 0, 1);
  } else {
    checker.require(call.operands[XScale]->rank == x.rank,
                    "operand 'x_scale' has rank %d, expected 1 or %d",
                    call.operands[XScale]->rank, x.rank);
    for (int d = 0; checker.ok() && d < x.rank - 1; ++d)
      checker.extent(XScale, d, x.sizes[d]);
    checker.extent(XScale, x.rank - 1, blocks(weight.sizes[1]));
  }
  if (call.operands[WeightScale]->rank == 1) {
    checker.extent(WeightScale, 0, 1);
  } else {
    int64_t groups = x.rank == 3 ? x.sizes[1] : 1;
    checker.require(groups == 1 || weight.sizes[0] / groups % ScaleBlock == 0,
                    "each group has %lld rows of 'weight', expected a multiple "
                    "of %lld, so that no scale belongs to two",
                    LL(weight.sizes[0] / groups), LL(ScaleBlock));
    checker.extent(WeightScale, 0, blocks(weight.sizes[0]))
        .extent(WeightScale, 1, blocks(weight.sizes[1]));
  }
}

braid_status braid::runtime::checkLinear(const braid_kernel_call *call,
                                         void *) {
  Checker checker(*call, NumOperands);
  checkProduct(checker, *call, 2);
  if (checker.ok())
    checker.extent(Weight, 1, sizeOf(*call, X, 1))
        .extent(Y, 0, sizeOf(*call, X, 0))
        .extent(Y, 1, sizeOf(*call, Weight, 0));
  checkLayout(checker, *call);
  return checker.status();
}

braid_status braid::runtime::checkGroupedLinear(const braid_kernel_call *call,
                                                void *) {
  Checker checker(*call, NumOperands);
  checkProduct(checker, *call, 3);
  if (checker.ok())
    checker.extent(Weight, 1, sizeOf(*call, X, 2))
        .extent(Y, 0, sizeOf(*call, X, 0))
        .extent(Y, 1, sizeOf(*call, X, 1))
        .extent(Weight, 0, sizeOf(*call, X, 1) * sizeOf(*call, Y, 2));
  checkLayout(checker, *call);
  return checker.status();
}
