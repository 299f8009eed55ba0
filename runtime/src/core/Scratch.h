//===- Scratch.h - Scratch of kernels, one a stream -------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work on one stream runs in order, so its kernels share one piece of scratch;
// two streams never do. A piece that grew stays behind, since captured
// segments hold its address.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CORE_SCRATCH_H
#define BRAID_RUNTIME_CORE_SCRATCH_H

#include "Allocator.h"

#include <vector>

namespace braid::runtime {

/// The scratch of a context's streams.
class Scratch {
public:
  explicit Scratch(Allocator &allocator) : allocator(allocator) {}
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  /// Sets `memory` to at least `bytes` for kernels on `stream`, or to NULL for
  /// none.
  Error get(int32_t stream, int64_t bytes, void *&memory);

private:
  struct Piece {
    char *data = nullptr;
    int64_t size = 0;
  };

  Allocator &allocator;
  std::vector<Piece> current;
  std::vector<Piece> outgrown;
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CORE_SCRATCH_H
