//===- Allocator.cpp - Memory for workspace and scratch -------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls the engine's allocator or the backend's, and checks what they return.
//
//===----------------------------------------------------------------------===//

#include "Allocator.h"

using namespace braid::runtime;

Error Allocator::allocate(int64_t bytes, char *&memory) {
  void *pointer = options.allocate
                      ? options.allocate(bytes, options.allocator_user_data)
                      : backend.allocate(bytes);
  memory = static_cast<char *>(pointer);
  if (!memory)
    return makeError(BRAID_OUT_OF_MEMORY,
                     "cannot allocate %lld bytes of workspace: %s returned "
                     "NULL; prepare fewer tokens, or provide more memory",
                     static_cast<long long>(bytes),
                     options.allocate ? "the engine's allocate" : "the system");
  if (reinterpret_cast<uintptr_t>(memory) % MemoryAlignment == 0)
    return Error::success();
  deallocate(memory, bytes);
  memory = nullptr;
  return makeError(BRAID_INVALID_ARGUMENT,
                   "the allocator of the context returned memory that is not "
                   "aligned to %lld bytes",
                   static_cast<long long>(MemoryAlignment));
}

void Allocator::deallocate(char *memory, int64_t bytes) {
  if (options.allocate)
    options.deallocate(memory, bytes, options.allocator_user_data);
  else
    backend.deallocate(memory, bytes);
}
