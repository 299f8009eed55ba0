//===- WaitWord.h - Sleep until a word changes ------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one way in which host streams wait for each other. A mutex would also
// order the waiting thread before the one that it waits for, and each such edge
// can hide a missing event from ThreadSanitizer; a word that is stored with
// release and loaded with acquire orders one way only. (C++20 has this as
// atomic::wait.)
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_HOST_WAITWORD_H
#define BRAID_RUNTIME_HOST_WAITWORD_H

#include <atomic>
#include <cstdint>

#if defined(__linux__)
#include <climits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <chrono>
#include <thread>
#endif

namespace braid::runtime {

using WaitWord = std::atomic<uint32_t>;

/// Returns once `word` differs from `value`; acquires what was released with
/// the change.
inline void waitWhileEqual(WaitWord &word, uint32_t value) {
  while (word.load(std::memory_order_acquire) == value) {
#if defined(__linux__)
    static_assert(sizeof(WaitWord) == sizeof(uint32_t), "futex needs 32 bits");
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
#else
    std::this_thread::sleep_for(std::chrono::microseconds(20));
#endif
  }
}

/// Stores `value` with release and wakes everyone who waits on `word`.
inline void storeAndWake(WaitWord &word, uint32_t value) {
  word.store(value, std::memory_order_release);
#if defined(__linux__)
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
#endif
}

} // namespace braid::runtime

#endif // BRAID_RUNTIME_HOST_WAITWORD_H
