//===- Arguments.h - Memory for the arguments of a program -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocates and fills what a compiled layer is called with: weights from a
// checkpoint or made up, rotary tables, paged caches, and the metadata of one
// sequence that is prefilled in chunks. For tools and tests; an engine brings
// its own.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_EXECUTION_ARGUMENTS_H
#define BRAID_EXECUTION_ARGUMENTS_H

#include "braid/Execution/Program.h"
#include "braid/Support/Safetensors.h"

#include <functional>

namespace braid {

/// Where an argument's contents come from.
struct ArgumentSources {
  /// Weights; null if they are made up.
  Checkpoint *checkpoint = nullptr;
  /// Spellings of a weight to try, for example of one layer.
  std::function<llvm::SmallVector<std::string>(llvm::StringRef)> spellings;
  /// Made-up weights and inputs depend on this and the argument's name only.
  uint64_t seed = 0;
  /// Rows of the whole sequence for the input "hidden"; empty if made up.
  std::vector<float> hidden;
  /// Rows in a block of a cache.
  int64_t blockSize = 64;
  /// Called with the share that is done, from 0 to 1, while weights are made.
  std::function<void(double)> progress;
};

/// One sequence's arguments. Buffers keep their addresses from chunk to chunk.
class SequenceArguments {
public:
  /// For a sequence of `length` tokens in chunks of at most `maxChunk`. Errors:
  /// a weight that is missing or has the wrong shape or type, an argument that
  /// is not known, sizes that overflow.
  static llvm::Expected<std::unique_ptr<SequenceArguments>>
  create(const Program &program, int64_t length, int64_t maxChunk,
         const ArgumentSources &sources);

  /// Sets inputs and metadata for the tokens from `start` to `start + count`.
  void setChunk(int64_t start, int64_t count);

  /// Empties the caches: NaN where numbers will be, so that reading what was
  /// never written shows.
  void clearCaches();

  /// The call for the current chunk.
  braid_call getCall() const;

  /// Rows of the first output for the current chunk.
  llvm::ArrayRef<float> getOutput() const;

  /// The tensor of an argument; null if there is none of this name. Tests
  /// change contents through it.
  braid_tensor *findTensor(llvm::StringRef name);

  /// Bytes and number of the weights.
  size_t getWeightBytes() const { return weightBytes; }
  unsigned getNumWeights() const { return numWeights; }

private:
  SequenceArguments(const Program &program) : program(program) {}

  using Bytes = std::unique_ptr<char, void (*)(void *)>;

  llvm::Error addWeight(unsigned index, const ArgumentSources &sources);
  llvm::Error addRopeTable(unsigned index);
  llvm::Error addInput(unsigned index, const ArgumentSources &sources);
  llvm::Error addCache(unsigned index);
  /// Slots and block tables of a paged cache.
  llvm::Error addSlots(unsigned index);
  llvm::Error addTable(unsigned index);
  llvm::Error allocate(unsigned index, llvm::ArrayRef<int64_t> sizes);

  /// Rows of the paged cache that an argument called `name` belongs to, and
  /// how many tokens make a row.
  int64_t getTokensPerRow(llvm::StringRef name) const;
  int64_t getNumRows(llvm::StringRef name) const;
  int64_t getNumBlocks(llvm::StringRef name) const;
  /// Slot of row `row`: blocks lie in reverse order, so that a block table
  /// which is not used shows.
  int64_t getSlot(llvm::StringRef name, int64_t row) const;

  template <typename T>
  T *getData(unsigned index) const {
    return static_cast<T *>(tensors[index].data);
  }

  const Program &program;
  int64_t length = 0, maxChunk = 0, blockSize = 0;
  std::vector<braid_tensor> tensors;
  std::vector<Bytes> storage;
  /// All rows of each per-token input.
  std::vector<std::vector<char>> rows;
  size_t weightBytes = 0;
  unsigned numWeights = 0;
};

} // namespace braid

#endif // BRAID_EXECUTION_ARGUMENTS_H
