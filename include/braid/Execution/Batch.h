//===- Batch.h - Requests that are prefilled together -----------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says which tokens of which requests go into which call, as an engine's
// scheduler does: some requests bring a chunk of their prompt, others one
// token, others nothing. For tools and tests.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_EXECUTION_BATCH_H
#define BRAID_EXECUTION_BATCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace braid {

/// One request of a batch.
struct Request {
  /// Made-up numbers depend on it, and not on the request's place in a batch.
  std::string name;
  /// Tokens to prefill.
  int64_t tokens = 0;
  /// Tokens before these. What caches hold of them is made up.
  int64_t history = 0;
  /// How many tokens each call takes; they add up to `tokens`. A request with 0
  /// sits the call out. Empty: all in the first call.
  std::vector<int64_t> chunks;
  /// Rows of the input "hidden", one a token; empty if made up.
  std::vector<float> hidden;
};

/// Requests, and how their tokens and caches are laid out.
struct Batch {
  std::vector<Request> requests;
  /// Token counts that calls are padded to, ascending. A call takes the
  /// smallest one that is large enough, and is not padded if there is none.
  std::vector<int64_t> buckets;
  /// Rows in a block of a cache, for the pools in getPoolNames() that are to
  /// differ from the usual.
  std::map<std::string, int64_t, std::less<>> blockSizes;
  /// Made-up inputs and histories depend on it.
  std::optional<uint64_t> seed;
};

/// Tokens of one request in one call, counted from the end of its history.
struct RequestTokens {
  int64_t begin = 0;
  int64_t count = 0;
};

/// One call.
struct BatchStep {
  /// For each request of the batch.
  std::vector<RequestTokens> ranges;
  /// Tokens with padding.
  int64_t padded = 0;

  /// Tokens without padding.
  int64_t getNumTokens() const;
};

/// A batch of one request of `tokens` tokens without a history.
Batch makeSingle(int64_t tokens);

/// The calls that prefill all requests of a batch.
std::vector<BatchStep> makeSteps(const Batch &batch);

/// The step in which no request has tokens and all `padded` rows are padding.
/// Its metadata fit every token count, as preparing needs it.
BatchStep makeEmptyStep(const Batch &batch, int64_t padded);

/// Names of the paged caches' pools: "window", "state", ...
llvm::ArrayRef<llvm::StringLiteral> getPoolNames();

/// Reads a batch from JSON text:
///
///     {"requests": [{"name": "chat", "tokens": 9, "chunks": [8, 1],
///                    "history": 100}],
///      "pad_to": [16, 64], "block_sizes": {"window": 64}, "seed": 1}
///
/// Only "requests" and their "tokens" are needed. Errors open with `fileName`,
/// name the field, its value and what was expected; a key that is not known is
/// one.
llvm::Expected<Batch> parseBatch(llvm::StringRef text,
                                 llvm::StringRef fileName);

/// The same for a file, of at most 1 MiB.
llvm::Expected<Batch> readBatch(llvm::StringRef path);

} // namespace braid

#endif // BRAID_EXECUTION_BATCH_H
