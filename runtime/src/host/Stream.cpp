//===- Stream.cpp - A FIFO queue with a thread ----------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The worker of a stream and the ring between it and the enqueuing thread.
//
//===----------------------------------------------------------------------===//

#include "Stream.h"

#include "ContentsCheck.h"
#include "LaunchNode.h"

#include <cstring>

using namespace braid::runtime;

// Of OpenMP, where the GEMM library is built with it. Weak: there is no other
// reason to depend on OpenMP, and a library with other threads does without.
extern "C" __attribute__((weak)) void omp_set_num_threads(int count);

/// Commands between two drains.
static constexpr size_t RingSize = 1 << 13;

Stream::Stream(FirstFailure &failure, Delays delays, bool measures)
    : failure(failure), delays(delays), measures(measures), ring(RingSize),
      worker([this] { work(); }) {}

Stream::~Stream() {
  append(Command(Command::Stop));
  worker.join();
}

void Stream::append(const Command &command) {
  uint32_t count = pushed.load(std::memory_order_relaxed);
  ring[count % RingSize] = command;
  storeAndWake(pushed, count + 1);
}

void Stream::push(const Command &command) {
  ++sinceDrain;
  append(command);
}

void Stream::drain() {
  if (sinceDrain == 0)
    return;
  append(Command(Command::ReachDrain));
  uint32_t before = drains++;
  waitWhileEqual(drained, before);
  sinceDrain = 0;
}

void Stream::work() {
  // The parallelism is in the streams; a row of a GEMM must not depend on how
  // many threads a library takes.
  if (omp_set_num_threads)
    omp_set_num_threads(1);
  uint32_t reached = 0;
  uint64_t number = 0;
  for (uint32_t next = 0;; ++next) {
    waitWhileEqual(pushed, next);
    const Command command = ring[next % RingSize];
    if (command.kind != Command::ReachDrain && command.kind != Command::Stop)
      delays.before(number++);
    switch (command.kind) {
    case Command::Check:
      command.contents->run(failure);
      break;
    case Command::Run: {
      auto start =
          measures ? Measured::Clock::now() : Measured::Clock::time_point();
      command.node->run(failure);
      if (measures)
        measured.push_back(
            {command.node->getOp(), start, Measured::Clock::now()});
      break;
    }
    case Command::Signal:
      command.event->signal();
      break;
    case Command::Wait:
      command.event->wait();
      break;
    case Command::Poison:
      std::memset(command.memory, 0xFF, command.bytes);
      break;
    case Command::ReachDrain:
      storeAndWake(drained, ++reached);
      break;
    case Command::Stop:
      return;
    }
  }
}
