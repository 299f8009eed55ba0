//===- Random.h - Numbers that a seed decides -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// splitmix64: equal on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_TEST_STRESS_RANDOM_H
#define BRAID_TEST_STRESS_RANDOM_H

#include <cassert>
#include <cstdint>

namespace braid::stress {

inline uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// A sequence of numbers.
class Random {
public:
  explicit Random(uint64_t seed) : state(mix(seed)) {}

  uint64_t next() { return mix(state += 0x9e3779b97f4a7c15); }
  /// From 0 to `bound` - 1.
  unsigned below(unsigned bound) {
    assert(bound > 0);
    return next() % bound;
  }
  /// From `first` to `last`, both included.
  unsigned between(unsigned first, unsigned last) {
    return first + below(last - first + 1);
  }
  bool chance(double probability) {
    return (next() >> 11) * 0x1p-53 < probability;
  }

private:
  uint64_t state;
};

/// A number in (-1, 1) that depends on every bit of `key`.
inline float toFloat(uint64_t key) {
  return static_cast<float>(mix(key) >> 40) * 0x1p-23f - 1.0f + 0x1p-24f;
}

} // namespace braid::stress

#endif // BRAID_TEST_STRESS_RANDOM_H
