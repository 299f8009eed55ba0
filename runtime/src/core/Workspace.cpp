//===- Workspace.cpp - Planned buffers of schedules -----------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stack of blocks behind schedules.
//
//===----------------------------------------------------------------------===//

#include "Workspace.h"

#include <algorithm>
#include <climits>

using namespace braid::runtime;

Error braid::runtime::workspaceBytes(const char *name, int64_t perToken,
                                     int64_t fixed, int64_t tokens,
                                     int64_t &bytes) {
  // The margin lets callers round up without a second check.
  if (perToken < 0 || fixed < 0 || tokens < 0)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "workspace of %s is %lld * %lld + %lld bytes, expected no "
                     "negative number",
                     name, static_cast<long long>(perToken),
                     static_cast<long long>(tokens),
                     static_cast<long long>(fixed));
  if (__builtin_mul_overflow(perToken, tokens, &bytes) ||
      __builtin_add_overflow(bytes, fixed, &bytes) ||
      bytes > INT64_MAX - MemoryAlignment)
    return makeError(BRAID_INVALID_ARGUMENT,
                     "workspace of %s, %lld * %lld + %lld bytes, is larger "
                     "than memory can be",
                     name, static_cast<long long>(perToken),
                     static_cast<long long>(tokens),
                     static_cast<long long>(fixed));
  return Error::success();
}

Workspace::~Workspace() {
  for (Block &block : blocks)
    allocator.deallocate(block.data, block.size);
}

Error Workspace::moveToBlock(size_t start, int64_t bytes) {
  size_t index = start;
  while (index < blocks.size() && blocks[index].size < bytes)
    ++index;
  if (index == blocks.size()) {
    blocks.reserve(blocks.size() + 1);
    char *data = nullptr;
    if (Error error = allocator.allocate(bytes, data))
      return error;
    blocks.push_back({data, bytes});
    held += bytes;
  }
  place = {index, 0};
  return Error::success();
}

Error Workspace::reserve(int64_t bytes) {
  marks.clear();
  return moveToBlock(0, std::max(alignUp(bytes), MemoryAlignment));
}

Error Workspace::push(int64_t bytes, void *&base) {
  bytes = alignUp(bytes);
  marks.reserve(marks.size() + 1);
  Place before = place;
  if (bytes > blocks[place.block].size - place.offset)
    if (Error error = moveToBlock(place.block + 1, bytes))
      return error;
  marks.push_back(before);
  base = blocks[place.block].data + place.offset;
  place.offset += bytes;
  return Error::success();
}

void Workspace::pop() {
  place = marks.back();
  marks.pop_back();
}
