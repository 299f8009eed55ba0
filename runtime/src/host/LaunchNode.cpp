//===- LaunchNode.cpp - A launch that outlives its call -------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies a launch and runs it on a worker.
//
//===----------------------------------------------------------------------===//

#include "LaunchNode.h"

#include "Sanitizer.h"

#include "core/KernelRegistry.h"
#include "core/Tensor.h"

using namespace braid::runtime;

LaunchNode::LaunchNode(const Launch &launch)
    : kernel(launch.kernel), op(launch.op), scratch(launch.scratch),
      scratchBytes(launch.scratchBytes), tensors(op->num_operands),
      operands(op->num_operands, nullptr) {
  for (int64_t i = 0; i < op->num_operands; ++i) {
    if (!launch.operands[i])
      continue;
    tensors[i] = *launch.operands[i];
    operands[i] = &tensors[i];
    if (op->metadata[i] != BRAID_METADATA_HOST || !tensors[i].data)
      continue;
    int64_t bytes = numElements(tensors[i]) * elementSize(tensors[i].dtype);
    snapshots.push_back(
        std::make_unique<int64_t[]>((bytes + 7) / sizeof(int64_t)));
    makeDense(tensors[i], snapshots.back().get());
    copyTensor(*launch.operands[i], tensors[i]);
  }
}

void LaunchNode::run(FirstFailure &failure) const {
  if (failure.raised())
    return;
  for (int64_t i = 0; i < op->num_operands; ++i)
    if (operands[i])
      annotateAccess(*operands[i], op->accesses[i]);
  if (kernel->check_contents &&
      !call(kernel->check_contents, operands.data(), failure))
    return;
  call(kernel->run, operands.data(), failure);
}

void LaunchNode::checkContents(const std::vector<bool> &notWritten,
                               FirstFailure &failure) const {
  std::vector<braid_tensor> copies = tensors;
  std::vector<const braid_tensor *> known = operands;
  for (size_t i = 0; i < known.size(); ++i)
    if (notWritten[i] && known[i]) {
      copies[i].data = nullptr;
      known[i] = &copies[i];
    }
  call(kernel->check_contents, known.data(), failure);
}

bool LaunchNode::call(Function function, const braid_tensor *const *with,
                      FirstFailure &failure) const {
  char message[KernelMessageBytes];
  message[0] = '\0';
  braid_kernel_call call = {};
  call.struct_size = sizeof(call);
  call.op = op;
  call.operands = with;
  call.workspace = scratch;
  call.workspace_bytes = scratchBytes;
  call.message = message;
  call.message_size = sizeof(message);
  braid_status status = BRAID_OK;
  // What a kernel throws must not end the thread of the stream.
  Error thrown = guarded([&] {
    status = function(&call, kernel->user_data);
    return Error::success();
  });
  if (!thrown && status == BRAID_OK)
    return true;
  failure.raise(guarded([&]() -> Error {
    if (thrown)
      return makeError(thrown.status(), "op '%s'%s failed: %s", op->name,
                       locationSuffix(*op).c_str(), thrown.text().c_str());
    message[sizeof(message) - 1] = '\0';
    return makeError(status, "op '%s'%s failed: %s", op->name,
                     locationSuffix(*op).c_str(),
                     *message ? message : braid_status_name(status));
  }));
  return false;
}
