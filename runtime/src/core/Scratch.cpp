//===- Scratch.cpp - Scratch of kernels, one a stream ---------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Grows the scratch of a stream by doubling, so that what is outgrown stays
// smaller than what is in use.
//
//===----------------------------------------------------------------------===//

#include "Scratch.h"

#include <algorithm>

using namespace braid::runtime;

Scratch::~Scratch() {
  for (auto *list : {&current, &outgrown})
    for (Piece &piece : *list)
      if (piece.data)
        allocator.deallocate(piece.data, piece.size);
}

Error Scratch::get(int32_t stream, int64_t bytes, void *&memory) {
  memory = nullptr;
  if (bytes == 0)
    return Error::success();
  if (static_cast<size_t>(stream) >= current.size())
    current.resize(stream + 1);
  Piece &piece = current[stream];
  if (piece.size < bytes) {
    outgrown.reserve(outgrown.size() + 1);
    Piece larger;
    larger.size = alignUp(std::max(bytes, 2 * piece.size));
    if (Error error = allocator.allocate(larger.size, larger.data))
      return error;
    if (piece.data)
      outgrown.push_back(piece);
    piece = larger;
  }
  memory = piece.data;
  return Error::success();
}
