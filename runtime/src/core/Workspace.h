//===- Workspace.h - Planned buffers of schedules ---------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stack over blocks of memory. Compiled code plans its buffers at fixed
// offsets from the base that a schedule gets here. Captured segments hold
// addresses inside the blocks, so a block is neither moved nor freed while the
// context lives, and a call gets the same base each time: the first block that
// is large enough, in order of creation.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CORE_WORKSPACE_H
#define BRAID_RUNTIME_CORE_WORKSPACE_H

#include "Allocator.h"

#include <vector>

namespace braid::runtime {

/// Computes perToken * tokens + fixed; fails on overflow or a negative value.
Error workspaceBytes(const char *name, int64_t perToken, int64_t fixed,
                     int64_t tokens, int64_t &bytes);

/// The workspace of a context.
class Workspace {
public:
  explicit Workspace(Allocator &allocator) : allocator(allocator) {}
  ~Workspace();
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;

  /// Starts a call that needs `bytes` in all, so that its nested schedules
  /// find room in one block.
  Error reserve(int64_t bytes);

  /// Takes `bytes` and sets `base` to where they start.
  Error push(int64_t bytes, void *&base);

  /// Gives back what the last push took.
  void pop();

  int64_t bytesHeld() const { return held; }

private:
  struct Block {
    char *data;
    int64_t size;
  };
  struct Place {
    size_t block;
    int64_t offset;
  };

  /// Moves to the first block from `start` on with room for `bytes`, and makes
  /// one if there is none.
  Error moveToBlock(size_t start, int64_t bytes);

  Allocator &allocator;
  std::vector<Block> blocks;
  std::vector<Place> marks;
  Place place = {0, 0};
  int64_t held = 0;
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CORE_WORKSPACE_H
