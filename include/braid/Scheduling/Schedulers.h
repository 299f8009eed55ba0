//===- Schedulers.h - Algorithms that solve scheduling problems -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a problem that passes check() to a legal solution. All are
// deterministic: equal problems have equal solutions, whatever the machine.
// They know nothing of any dialect.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_SCHEDULING_SCHEDULERS_H
#define BRAID_SCHEDULING_SCHEDULERS_H

#include "braid/Scheduling/Problem.h"

#include <optional>

namespace braid::scheduling {

/// Everything on stream 0, in program order.
Solution scheduleSerial(const Problem &problem);

/// Critical-path list scheduling for at most `numStreams` streams: among the
/// operations that can start when a stream is next free, the one with the
/// longest path to the end comes first, and goes to the stream on which it
/// finishes first, its waits and fork counted. Ties go to the stream with fewer
/// waits, to the stream of a predecessor, then to the lower one; between
/// operations, to program order. The operation with the longest path of all is
/// on stream 0, and the other streams are numbered by first use. It is the
/// serial solution unless this is better. O((V + E) log V + V * numStreams),
/// apart from operations that depend on many streams, which take that number
/// times `numStreams`.
Solution scheduleCriticalPath(const Problem &problem);

/// Minimum chain cover, for comparison: as few chains as possible by a maximum
/// matching on the transitive closure, one stream each, whatever `numStreams`
/// says, enqueued in program order. Pays no attention to durations. O(E *
/// sqrt(V)) on the closure, which takes V^2 bits; for up to some thousand
/// operations. Source: Nimble, arXiv:2012.02732.
Solution scheduleChainCover(const Problem &problem);

/// A solution than which no other is better by `isBetter`, from all: every
/// topological order and every assignment up to renaming streams. Nothing for
/// more than 8 operations.
std::optional<Solution> scheduleExhaustive(const Problem &problem);

} // namespace braid::scheduling

#endif // BRAID_SCHEDULING_SCHEDULERS_H
