//===- Generator.h - Random programs -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs in the prefill dialect on tensors, one function each, that a seed
// decides.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_TEST_STRESS_GENERATOR_H
#define BRAID_TEST_STRESS_GENERATOR_H

#include "braid/runtime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace braid::stress {

/// An argument of a random program.
struct Argument {
  std::string name, type;
  std::vector<int64_t> sizes; ///< -1: the token count; -2: unknown
  int32_t dtype = BRAID_F32;
  int32_t metadata = BRAID_METADATA_NONE;
  bool isCache = false, isOutput = false;
};

/// A program, and what the generator put into it.
struct RandomProgram {
  uint64_t seed = 0;
  std::string text;
  std::vector<Argument> arguments;
  unsigned ops = 0, views = 0, inPlaceUpdates = 0, eagerRegions = 0;
  /// All of it lies in one eager region.
  bool isWide = false;
  unsigned absentBranches = 0, caches = 0, cacheUses = 0, fixedBuffers = 0;
  unsigned splitDestinations = 0, outputs = 0, dense = 0;
  unsigned hostMetadata = 0, persistentMetadata = 0, transientMetadata = 0;
};

/// Function @f for `seed`.
RandomProgram generateProgram(uint64_t seed);

} // namespace braid::stress

#endif // BRAID_TEST_STRESS_GENERATOR_H
