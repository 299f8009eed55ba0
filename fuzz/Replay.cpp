//===- Replay.cpp - A fuzz target as a test -------------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main of a fuzz target that is built without libFuzzer: runs the files
// and folders that it is given, each as it is, cut off, and changed in a few
// bytes by a generator with a fixed seed. Keeps the targets from going stale
// where there is no clang; it finds little by itself.
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Changed copies of each seed, half of them cut off.
static constexpr int numMutants = 400;

static void run(StringRef text) {
  // A copy of its own, so that a sanitizer sees a read past the end.
  std::vector<uint8_t> bytes(text.bytes_begin(), text.bytes_end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

static void runMutants(StringRef seed, std::mt19937 &random) {
  for (int i = 0; i < numMutants && !seed.empty(); ++i) {
    std::string mutant = seed.str();
    if (i % 2)
      mutant.resize(random() % mutant.size() + 1);
    for (int change = i % 4; change > 0; --change)
      mutant[random() % mutant.size()] = static_cast<char>(random());
    run(mutant);
  }
}

int main(int argc, char **argv) {
  std::vector<std::string> files;
  for (const char *path : ArrayRef<const char *>(argv, argc).drop_front()) {
    if (!sys::fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::error_code error;
    for (sys::fs::directory_iterator entry(path, error), end;
         entry != end && !error; entry.increment(error))
      files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    errs() << "error: no seeds were given, expected files or folders\n";
    return 1;
  }
  std::mt19937 random(1);
  run("");
  for (const std::string &file : files) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
        MemoryBuffer::getFile(file, /*IsText=*/false,
                              /*RequiresNullTerminator=*/false);
    if (!buffer) {
      errs() << "error: " << file
             << ": cannot be read: " << buffer.getError().message() << "\n";
      return 1;
    }
    run((*buffer)->getBuffer());
    runMutants((*buffer)->getBuffer(), random);
  }
  outs() << files.size() << " seeds and " << files.size() * numMutants
         << " mutants\n";
  return 0;
}
