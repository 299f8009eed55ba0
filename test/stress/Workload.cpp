//===- Workload.cpp - What a schedule is called with -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the two kinds of arguments.
//
//===----------------------------------------------------------------------===//

#include "Workload.h"

#include "Kernels.h"
#include "Random.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstdlib>
#include <cstring>

using namespace braid;
using namespace braid::stress;

ContextPointer braid::stress::makeContext(uint64_t delaySeed) {
  braid_context_options options;
  options.struct_size = sizeof(options);
  braid_context_options_initialize(&options);
  options.delay_seed = delaySeed;
  options.poison = delaySeed != 0;
  braid_context *context = nullptr;
  if (braid_context_create(&options, &context) != BRAID_OK)
    llvm::report_fatal_error(braid_last_error(nullptr));
  ContextPointer result(context);
  if (registerKernels(context) != BRAID_OK)
    llvm::report_fatal_error(braid_last_error(context));
  return result;
}

//===----------------------------------------------------------------------===//
// Random programs
//===----------------------------------------------------------------------===//

namespace {

class RandomWorkload final : public Workload {
public:
  RandomWorkload(const RandomProgram &program, int64_t tokens);

  void reset() override;
  void setPhase(unsigned phase) override;
  braid_call getCall() override;
  Snapshot read() override;

private:
  void fill(unsigned index, uint64_t key);

  const RandomProgram &program;
  std::vector<braid_tensor> tensors;
  using Bytes = std::unique_ptr<char, void (*)(void *)>;
  std::vector<Bytes> storage, elsewhere;
  std::vector<int64_t> counts;
};

} // namespace

static std::unique_ptr<char, void (*)(void *)> allocate(int64_t bytes) {
  void *data = std::aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (!data)
    llvm::report_fatal_error("out of memory");
  return {static_cast<char *>(data), std::free};
}

RandomWorkload::RandomWorkload(const RandomProgram &program, int64_t tokens)
    : program(program) {
  for (const Argument &argument : program.arguments) {
    braid_tensor tensor = {};
    tensor.dtype = argument.dtype;
    tensor.rank = argument.sizes.size();
    int64_t count = 1;
    for (int dim = tensor.rank; dim-- > 0;) {
      int64_t size = argument.sizes[dim];
      tensor.sizes[dim] = size == -1 ? tokens : size == -2 ? 11 : size;
      tensor.strides[dim] = count;
      count *= tensor.sizes[dim];
    }
    counts.push_back(count);
    storage.push_back(allocate(count * 4));
    // What is not persistent moves from call to call.
    bool moves = argument.metadata == BRAID_METADATA_HOST ||
                 argument.metadata == BRAID_METADATA_DEVICE_TRANSIENT;
    elsewhere.push_back(allocate(moves ? count * 4 : 0));
    tensor.data = storage.back().get();
    tensors.push_back(tensor);
  }
}

void RandomWorkload::fill(unsigned index, uint64_t key) {
  char *data = static_cast<char *>(tensors[index].data);
  key = mix(mix(program.seed) ^ mix(key) ^ index);
  for (int64_t i = 0; i < counts[index]; ++i) {
    float number = toFloat(key + i);
    int32_t integer = mix(key + i);
    if (tensors[index].dtype == BRAID_F32)
      std::memcpy(data + 4 * i, &number, 4);
    else
      std::memcpy(data + 4 * i, &integer, 4);
  }
}

void RandomWorkload::reset() {
  for (unsigned i = 0; i < tensors.size(); ++i)
    if (program.arguments[i].isCache || program.arguments[i].isOutput)
      fill(i, ~0u);
}

void RandomWorkload::setPhase(unsigned phase) {
  for (unsigned i = 0; i < tensors.size(); ++i) {
    const Argument &argument = program.arguments[i];
    if (argument.isCache || argument.isOutput)
      continue;
    if (argument.metadata == BRAID_METADATA_HOST ||
        argument.metadata == BRAID_METADATA_DEVICE_TRANSIENT) {
      // The old place holds nothing any more.
      std::memset(tensors[i].data, 0x77, counts[i] * 4);
      tensors[i].data = (phase & 1 ? elsewhere : storage)[i].get();
    }
    fill(i, phase);
  }
}

braid_call RandomWorkload::getCall() {
  braid_call call = {};
  call.struct_size = sizeof(call);
  call.arguments = tensors.data();
  call.num_arguments = tensors.size();
  return call;
}

Snapshot RandomWorkload::read() {
  Snapshot snapshot;
  for (unsigned i = 0; i < tensors.size(); ++i)
    if (program.arguments[i].isCache || program.arguments[i].isOutput) {
      auto *data = static_cast<const char *>(tensors[i].data);
      snapshot.insert(snapshot.end(), data, data + counts[i] * 4);
    }
  return snapshot;
}

std::unique_ptr<Workload>
braid::stress::makeWorkload(const RandomProgram &program, int64_t tokens) {
  return std::make_unique<RandomWorkload>(program, tokens);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

namespace {

class LayerWorkload final : public Workload {
public:
  LayerWorkload(const Program &program, int64_t tokens)
      : program(program), tokens(tokens) {
    ArgumentSources sources;
    sources.seed = 1;
    sources.blockSize = 16;
    arguments = llvm::cantFail(
        BatchArguments::create(program, makeSingle(2 * tokens), sources));
  }

  void reset() override { arguments->clearCaches(); }
  void setPhase(unsigned phase) override {
    arguments->setChunk((phase & 1) * tokens, tokens);
  }
  braid_call getCall() override { return arguments->getCall(); }
  Snapshot read() override {
    Snapshot snapshot;
    for (const ProgramArgument &argument : program.getArguments()) {
      if (!argument.isCache && !argument.isOutput)
        continue;
      const braid_tensor &tensor = *arguments->findTensor(argument.name);
      auto *data = static_cast<const char *>(tensor.data);
      snapshot.insert(snapshot.end(), data,
                      data + tensor.sizes[0] * tensor.strides[0] * 4);
    }
    return snapshot;
  }

private:
  const Program &program;
  int64_t tokens;
  std::unique_ptr<BatchArguments> arguments;
};

} // namespace

std::unique_ptr<Workload>
braid::stress::makeLayerWorkload(const Program &program, int64_t tokens) {
  return std::make_unique<LayerWorkload>(program, tokens);
}
