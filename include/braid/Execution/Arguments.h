//===- Arguments.h - Memory for the arguments of a program -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocates and fills what a compiled layer is called with: weights from a
// checkpoint or made up, rotary tables, paged caches, and the metadata of a
// batch of requests that are prefilled step by step. For tools and tests; an
// engine brings its own.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_EXECUTION_ARGUMENTS_H
#define BRAID_EXECUTION_ARGUMENTS_H

#include "braid/Execution/Batch.h"
#include "braid/Execution/Program.h"
#include "braid/Support/Safetensors.h"

#include <functional>

namespace braid {

class Pool;

/// Where an argument's contents come from.
struct ArgumentSources {
  /// Weights; null if they are made up.
  Checkpoint *checkpoint = nullptr;
  /// Spellings of a weight to try, for example of one layer.
  std::function<llvm::SmallVector<std::string>(llvm::StringRef)> spellings;
  /// Made-up weights depend on this and the argument's name only, and so do
  /// inputs and histories where the batch has no seed.
  uint64_t seed = 0;
  /// Rows in a block of a cache where the batch does not say; 0 stands for the
  /// usual: 64 in the window, entries of 256 tokens in compressed caches, 4
  /// (ratio 4) or 8 in states.
  int64_t blockSize = 0;
  /// What inputs hold in rows of padding; made up if nothing.
  std::optional<float> padding;
  /// Called with the share that is done, from 0 to 1, while weights are made.
  std::function<void(double)> progress;
};

/// A batch's arguments. Buffers keep their addresses from step to step, but for
/// metadata of which the program says that it need not.
class BatchArguments {
public:
  /// Errors: a weight that is missing or has the wrong shape or type, an
  /// argument that is not known, rows of "hidden" that are too few, sizes that
  /// overflow. The program has to outlive the result.
  static llvm::Expected<std::unique_ptr<BatchArguments>>
  create(const Program &program, Batch batch, const ArgumentSources &sources);
  ~BatchArguments();

  /// Sets inputs and metadata for `step`. Outputs become NaN. Work of earlier
  /// calls has to be done.
  void setStep(const BatchStep &step);

  /// The same for `count` tokens from `begin` on of the only request.
  void setChunk(int64_t begin, int64_t count) {
    setStep({{{begin, count}}, count});
  }

  /// Caches as they are before the first step: rows of histories, and NaN
  /// everywhere else, so that reading what was never written shows.
  void clearCaches();

  /// The call for the current step.
  braid_call getCall() const;

  /// Rows of the first output for the current step, as f32: those of a request,
  /// and those of the padding.
  std::vector<float> getOutput(size_t request = 0) const;
  std::vector<float> getPaddingOutput() const;

  /// All bytes of all caches, one cache after another.
  std::vector<char> getCacheBytes() const;

  /// The tensor of an argument; null if there is none of this name. Tests
  /// change contents through it.
  braid_tensor *findTensor(llvm::StringRef name);

  const Batch &getBatch() const { return batch; }
  /// Bytes and number of the weights.
  size_t getWeightBytes() const { return weightBytes; }
  unsigned getNumWeights() const { return numWeights; }

private:
  BatchArguments(const Program &program, Batch batch,
                 const ArgumentSources &sources);

  /// Memory of one argument.
  struct Memory {
    std::unique_ptr<char, void (*)(void *)> data{nullptr, std::free};
    /// Where metadata lie in every other step, if their address may change.
    std::unique_ptr<char, void (*)(void *)> other{nullptr, std::free};
    size_t bytes = 0;
  };

  llvm::Error addArgument(unsigned index);
  llvm::Error addWeight(unsigned index);
  llvm::Error loadWeight(unsigned index);
  llvm::Error makeUpFp8Weight(unsigned index, float sigma);
  llvm::Error addRopeTable(unsigned index);
  llvm::Error addCache(unsigned index);
  llvm::Error addPerToken(unsigned index);
  llvm::Error makeInput(unsigned index);
  /// Contiguous, but for blocks of packed rows.
  llvm::Error allocate(unsigned index, llvm::ArrayRef<int64_t> sizes);

  /// The pool of a cache, its slots and its table, such as "window".
  const Pool &getPool(llvm::StringRef name);
  void fillHistory(unsigned index);
  void setMetadata(unsigned index, const BatchStep &step);
  void setInput(unsigned index, const BatchStep &step);
  std::vector<float> readOutput(int64_t firstRow, int64_t numRows) const;

  template <typename T>
  T *getData(unsigned index) const {
    return static_cast<T *>(tensors[index].data);
  }

  const Program &program;
  const Batch batch;
  const ArgumentSources sources;
  uint64_t inputSeed;
  /// Most tokens in a step, and positions of the longest request.
  int64_t capacity = 0, numPositions = 0;
  std::map<std::string, std::unique_ptr<Pool>, std::less<>> pools;
  std::vector<braid_tensor> tensors;
  std::vector<Memory> storage;
  /// All rows of each per-token input: those of each request, then padding.
  std::vector<std::vector<std::vector<char>>> rows;
  BatchStep step;
  size_t weightBytes = 0;
  unsigned numWeights = 0;
};

} // namespace braid

#endif // BRAID_EXECUTION_ARGUMENTS_H
