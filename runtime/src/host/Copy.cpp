//===- Copy.cpp - copy, pack, all_reduce and quantize ---------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that move elements of any type.
//
//===----------------------------------------------------------------------===//

#include "KernelSupport.h"
#include "Kernels.h"

#include "core/Tensor.h"

using namespace braid::runtime;

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

static braid_status runCopy(const braid_kernel_call *call, void *) {
  copyTensor(*call->operands[0], *call->operands[1]);
  return BRAID_OK;
}

static braid_status checkCopy(const braid_kernel_call *call, void *) {
  Checker checker(*call, 2);
  checkSame(checker, *call, "source", "target");
  return checker.status();
}

braid_kernel braid::runtime::makeCopy() {
  return {sizeof(braid_kernel), "copy", checkCopy, nullptr, runCopy, nullptr};
}

/// The communicator of the host backend has one rank, whose sum is a copy.
static braid_status checkAllReduce(const braid_kernel_call *call, void *) {
  Checker checker(*call, 2);
  checkSame(checker, *call, "x", "y");
  return checker.status();
}

braid_kernel braid::runtime::makeAllReduce() {
  return {sizeof(braid_kernel),
          "all_reduce",
          checkAllReduce,
          nullptr,
          runCopy,
          nullptr};
}

//===----------------------------------------------------------------------===//
// pack: inputs..., y
//===----------------------------------------------------------------------===//

static braid_status checkPack(const braid_kernel_call *call, void *) {
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

static braid_status runPack(const braid_kernel_call *call, void *) {
  int64_t inputs = call->op->num_operands - 1;
  braid_tensor part = *call->operands[inputs];
  for (int64_t i = 0; i < inputs; ++i) {
    const braid_tensor &x = *call->operands[i];
    part.sizes[0] = x.sizes[0];
    copyTensor(x, part);
    part.data = static_cast<char *>(part.data) +
                x.sizes[0] * part.strides[0] * elementSize(part.dtype);
  }
  return BRAID_OK;
}

braid_kernel braid::runtime::makePack() {
  return {sizeof(braid_kernel), "pack", checkPack, nullptr, runPack, nullptr};
}
