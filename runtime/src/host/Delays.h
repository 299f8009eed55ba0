//===- Delays.h - Pauses that shake mistakes out ----------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test aid: streams that overtake each other in ways that depend on a seed
// alone. Where an event is missing, some seed shows it.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_HOST_DELAYS_H
#define BRAID_RUNTIME_HOST_DELAYS_H

#include <chrono>
#include <cstdint>
#include <thread>

namespace braid::runtime {

/// The pauses of one stream.
class Delays {
public:
  /// No pauses.
  Delays() = default;
  /// Those of `stream` under `seed`; 0 for none.
  Delays(uint64_t seed, uint64_t stream)
      : state(seed ? mix(mix(seed) + stream) | 1 : 0) {}

  /// Length of the pause before a command, from 0 to 200 microseconds.
  ///
  /// Were all drawn alike, two streams would keep pace over a few commands. So
  /// each run of 16 commands is either slow or fast: a stream can then be late
  /// by one long pause while another one does many commands.
  std::chrono::microseconds of(uint64_t command) const {
    constexpr uint64_t longest = 200, run = 16;
    if (!state)
      return std::chrono::microseconds(0);
    uint64_t pace = mix(state + 2 * (command / run)) % 3;
    if (pace == 0)
      return std::chrono::microseconds(0);
    uint64_t drawn = mix(state ^ mix(command + 1)) % (longest + 1);
    return std::chrono::microseconds(pace == 1 ? drawn / 8 : drawn);
  }

  void before(uint64_t command) const {
    std::chrono::microseconds pause = of(command);
    if (pause.count())
      std::this_thread::sleep_for(pause);
  }

private:
  /// Steele, Lea, Flood: Fast splittable pseudorandom number generators.
  static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  uint64_t state = 0;
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_HOST_DELAYS_H
