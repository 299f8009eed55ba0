//===- Allocator.h - Memory for workspace and scratch -----------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The engine's allocator where it gave one, the backend's own otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CORE_ALLOCATOR_H
#define BRAID_RUNTIME_CORE_ALLOCATOR_H

#include "Backend.h"
#include "Error.h"

namespace braid::runtime {

/// Alignment of everything that an Allocator returns.
constexpr int64_t MemoryAlignment = 256;

/// Rounds `bytes` up to the alignment.
inline int64_t alignUp(int64_t bytes) {
  return (bytes + MemoryAlignment - 1) / MemoryAlignment * MemoryAlignment;
}

/// Allocates through the callbacks of the options, or from the backend.
class Allocator {
public:
  Allocator(const braid_context_options &options, Backend &backend)
      : options(options), backend(backend) {}

  /// Sets `memory` to `bytes` (more than 0) of aligned memory.
  Error allocate(int64_t bytes, char *&memory);
  void deallocate(char *memory, int64_t bytes);

private:
  const braid_context_options &options;
  Backend &backend;
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CORE_ALLOCATOR_H
