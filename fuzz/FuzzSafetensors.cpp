//===- FuzzSafetensors.cpp - Any bytes as a checkpoint --------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is either refused with a sentence, or every tensor in it can be read
// to its last byte.
//
//===----------------------------------------------------------------------===//

#include "braid/Support/Safetensors.h"

#include <cstdint>
#include <cstdlib>

using namespace braid;
using namespace llvm;

/// Ends the program in a way that a fuzzer keeps the input of.
static void require(bool condition) {
  if (!condition)
    std::abort();
}

static void checkTensor(const SafetensorsFile &file, const TensorView &tensor) {
  require(file.lookup(tensor.name) == &tensor);
  int64_t bits = tensor.getNumElements() * getTensorTypeBits(tensor.type);
  require(static_cast<int64_t>(tensor.data.size()) * 8 == bits);
  Expected<std::vector<float>> floats = readAsFloat(tensor);
  if (floats)
    require(static_cast<int64_t>(floats->size()) == tensor.getNumElements());
  else
    require(!toString(floats.takeError()).empty());
  Expected<std::vector<uint8_t>> bytes = readElements<uint8_t>(tensor);
  if (!bytes)
    return consumeError(bytes.takeError());
  require(bytes->size() == tensor.data.size());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  Expected<SafetensorsFile> file =
      SafetensorsFile::parse(MemoryBuffer::getMemBufferCopy(text), "input");
  if (!file) {
    require(StringRef(toString(file.takeError())).starts_with("input"));
    return 0;
  }
  for (const TensorView &tensor : file->getTensors())
    checkTensor(*file, tensor);
  return 0;
}
