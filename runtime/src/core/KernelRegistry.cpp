//===- KernelRegistry.cpp - Kernels by name -------------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks kernels up, newest first, and asks each whether it can run a call.
//
//===----------------------------------------------------------------------===//

#include "KernelRegistry.h"

#include "Tensor.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

using namespace braid::runtime;

static constexpr size_t FirstVersion =
    offsetof(braid_kernel, user_data) + sizeof(void *);

std::string braid::runtime::locationSuffix(const braid_op &op) {
  if (!op.location || !*op.location)
    return "";
  return std::string(" at ") + op.location;
}

Error braid::runtime::checkOp(const braid_op *op,
                              const braid_tensor *const *operands,
                              braid_status status) {
  constexpr size_t firstVersion = offsetof(braid_op, params) + sizeof(void *);
  if (!op)
    return makeError(status, "the op of a launch is NULL");
  if (Error error = checkStructSize("braid_op", op->struct_size, firstVersion))
    return error;
  if (!op->name || op->num_operands < 0 ||
      (op->num_operands && (!operands || !op->accesses || !op->metadata)) ||
      op->num_params < 0 || (op->num_params && !op->params))
    return makeError(status, "the tables of op '%s' are incomplete",
                     op->name ? op->name : "?");
  for (int64_t i = 0; i < op->num_params; ++i) {
    const braid_param &param = op->params[i];
    if (!param.name ||
        (param.kind != BRAID_PARAM_INT && param.kind != BRAID_PARAM_FLOAT))
      return makeError(status,
                       "parameter %lld of op '%s' has the name '%s' and the "
                       "kind %d, expected a name and a braid_param_kind",
                       static_cast<long long>(i), op->name,
                       param.name ? param.name : "NULL", param.kind);
  }
  for (int64_t i = 0; i < op->num_operands; ++i) {
    if (op->accesses[i] < BRAID_ACCESS_NONE ||
        op->accesses[i] > BRAID_ACCESS_READ_WRITE ||
        op->metadata[i] < BRAID_METADATA_NONE ||
        op->metadata[i] > BRAID_METADATA_DEVICE_TRANSIENT)
      return makeError(status,
                       "operand %lld of op '%s' has access %d and metadata "
                       "%d, expected a braid_access and a braid_metadata",
                       static_cast<long long>(i), op->name, op->accesses[i],
                       op->metadata[i]);
    if (!operands[i])
      continue;
    if (Error error = checkTensor(*operands[i]))
      return makeError(status, "operand %lld of op '%s'%s: %s",
                       static_cast<long long>(i), op->name,
                       locationSuffix(*op).c_str(), error.text().c_str());
  }
  return Error::success();
}

Error KernelRegistry::add(const braid_kernel &kernel) {
  if (Error error =
          checkStructSize("braid_kernel", kernel.struct_size, FirstVersion))
    return error;
  if (!kernel.name || !*kernel.name)
    return Error(BRAID_INVALID_ARGUMENT,
                 "braid_kernel.name is empty, expected the name of an op");
  if (!kernel.run)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "braid_kernel.run of kernel '%s' is NULL", kernel.name);
  auto entry = std::make_unique<Entry>();
  entry->name = kernel.name;
  entry->kernel = {};
  std::memcpy(&entry->kernel, &kernel,
              std::min(kernel.struct_size, sizeof(braid_kernel)));
  entry->kernel.name = entry->name.c_str();
  std::vector<std::unique_ptr<Entry>> &list = kernels[entry->name];
  list.insert(list.begin(), std::move(entry));
  return Error::success();
}

Error KernelRegistry::resolve(const braid_op &op,
                              const braid_tensor *const *operands,
                              size_t budget, const braid_kernel *&kernel,
                              size_t &scratch) const {
  auto found = kernels.find(op.name);
  if (found == kernels.end())
    return makeError(BRAID_NO_KERNEL, "no kernel is registered for op '%s'%s",
                     op.name, locationSuffix(op).c_str());
  char message[KernelMessageBytes];
  braid_kernel_call call = {};
  call.struct_size = sizeof(call);
  call.op = &op;
  call.operands = operands;
  call.message = message;
  call.message_size = sizeof(message);
  for (const std::unique_ptr<Entry> &entry : found->second) {
    const braid_kernel &candidate = entry->kernel;
    message[0] = '\0';
    braid_status status = candidate.check
                              ? candidate.check(&call, candidate.user_data)
                              : BRAID_OK;
    message[sizeof(message) - 1] = '\0';
    if (status == BRAID_NO_KERNEL)
      continue;
    if (status != BRAID_OK)
      return makeError(status, "op '%s'%s: %s", op.name,
                       locationSuffix(op).c_str(),
                       *message ? message : braid_status_name(status));
    kernel = &candidate;
    scratch = candidate.workspace
                  ? candidate.workspace(&call, budget, candidate.user_data)
                  : 0;
    // More than half of all numbers is no size, whatever the budget.
    if (scratch > std::min<size_t>(budget, SIZE_MAX / 4))
      return makeError(BRAID_OUT_OF_MEMORY,
                       "op '%s'%s needs %zu bytes of scratch, more than the "
                       "scratch_bytes of the context, %zu",
                       op.name, locationSuffix(op).c_str(), scratch, budget);
    return Error::success();
  }
  // The sentence of the last one asked, the oldest, is the one that explains.
  return makeError(BRAID_NO_KERNEL, "op '%s'%s: %s", op.name,
                   locationSuffix(op).c_str(),
                   *message ? message : "no kernel accepts these operands");
}
