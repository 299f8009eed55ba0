//===- Stream.h - A FIFO queue with a thread --------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host stream runs its commands one by one on a thread of its own. Streams
// share nothing but the events that they signal and wait for: a common lock,
// or even a reference count, would order them where the schedule does not.
//
// For the same reason the queue is a ring whose places are reused only after a
// drain, which orders everything anyway. The thread that enqueues thus never
// learns from a worker how far it is.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_HOST_STREAM_H
#define BRAID_RUNTIME_HOST_STREAM_H

#include "Delays.h"
#include "FirstFailure.h"
#include "WaitWord.h"

#include <chrono>
#include <thread>
#include <vector>

namespace braid::runtime {

class ContentsCheck;
class LaunchNode;

/// One record of an event. Used once.
class Event {
public:
  void signal() { storeAndWake(done, 1); }
  void wait() { waitWhileEqual(done, 0); }

private:
  WaitWord done{0};
};

/// What a stream can be told to do. What it points at lives until the next
/// drain.
struct Command {
  enum Kind { Check, Run, Signal, Wait, Poison, ReachDrain, Stop } kind = Stop;
  union {
    const ContentsCheck *contents; ///< of Check
    const LaunchNode *node;        ///< of Run
    Event *event;                  ///< of Signal and Wait
    void *memory = nullptr;        ///< of Poison
  };
  size_t bytes = 0; ///< of Poison

  explicit Command(Kind kind = Stop) : kind(kind) {}
  static Command check(const ContentsCheck *contents) {
    Command command(Check);
    command.contents = contents;
    return command;
  }
  static Command run(const LaunchNode *node) {
    Command command(Run);
    command.node = node;
    return command;
  }
  static Command signal(Event *event) {
    Command command(Signal);
    command.event = event;
    return command;
  }
  static Command wait(Event *event) {
    Command command(Wait);
    command.event = event;
    return command;
  }
  static Command poison(void *memory, size_t bytes) {
    Command command(Poison);
    command.memory = memory;
    command.bytes = bytes;
    return command;
  }
};

/// When a launch ran.
struct Measured {
  using Clock = std::chrono::steady_clock;
  const braid_op *op;
  Clock::time_point start, end;
};

/// One stream. All member functions belong to the thread that enqueues.
class Stream {
public:
  explicit Stream(FirstFailure &failure, Delays delays = Delays(),
                  bool measures = false);
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  /// True if the stream has to be drained before the next push.
  bool isFull() const { return sinceDrain + 1 >= ring.size(); }

  void push(const Command &command);

  /// Waits until everything pushed so far is done.
  void drain();

  /// When the launches ran, if the stream measures. Only after a drain.
  std::vector<Measured> &getMeasured() { return measured; }

private:
  void work();
  void append(const Command &command);

  FirstFailure &failure;
  const Delays delays;
  const bool measures;
  /// Written by the worker.
  std::vector<Measured> measured;
  std::vector<Command> ring;
  size_t sinceDrain = 0;
  /// Commands pushed, modulo 2^32.
  WaitWord pushed{0};
  /// Drains that the worker has reached.
  WaitWord drained{0};
  uint32_t drains = 0;
  std::thread worker;
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_HOST_STREAM_H
