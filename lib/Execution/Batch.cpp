//===- Batch.cpp - Requests that are prefilled together ---------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps of a batch, and reading one from JSON.
//
//===----------------------------------------------------------------------===//

#include "braid/Execution/Batch.h"

#include "braid/Support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <limits>
#include <set>

using namespace llvm;
using namespace braid;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

int64_t BatchStep::getNumTokens() const {
  int64_t count = 0;
  for (const RequestTokens &range : ranges)
    count += range.count;
  return count;
}

Batch braid::makeSingle(int64_t tokens) {
  Batch batch;
  batch.requests.emplace_back().tokens = tokens;
  return batch;
}

std::vector<BatchStep> braid::makeSteps(const Batch &batch) {
  size_t numSteps = 1;
  for (const Request &request : batch.requests)
    numSteps = std::max(numSteps, request.chunks.size());
  std::vector<BatchStep> steps(numSteps);
  for (const Request &request : batch.requests) {
    int64_t begin = 0;
    for (auto [index, step] : enumerate(steps)) {
      int64_t count = 0;
      if (request.chunks.empty())
        count = index == 0 ? request.tokens : 0;
      else if (index < request.chunks.size())
        count = request.chunks[index];
      step.ranges.push_back({begin, count});
      begin += count;
    }
  }
  for (BatchStep &step : steps) {
    step.padded = step.getNumTokens();
    auto bucket = llvm::lower_bound(batch.buckets, step.padded);
    if (step.padded > 0 && bucket != batch.buckets.end())
      step.padded = *bucket;
  }
  return steps;
}

BatchStep braid::makeEmptyStep(const Batch &batch, int64_t padded) {
  BatchStep step;
  step.ranges.resize(batch.requests.size());
  step.padded = padded;
  return step;
}

ArrayRef<StringLiteral> braid::getPoolNames() {
  static constexpr StringLiteral names[] = {"window", "state", "compressed",
                                            "index_state", "index"};
  return names;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// Bounds that keep sums within 32 bits, as sequence lengths are.
static constexpr int64_t maxTokens = int64_t(1) << 20;
static constexpr int64_t maxHistory = int64_t(1) << 30;
static constexpr int64_t maxBlockSize = 65536;
static constexpr size_t maxRequests = 1024;

namespace {

/// Reads one file; the first thing that is wrong becomes the error.
class BatchReader {
public:
  explicit BatchReader(StringRef fileName) : fileName(fileName) {}

  Expected<Batch> read(StringRef text);

private:
  Error makeError(const Twine &what) const {
    return createStringError(fileName + ": " + what);
  }
  /// Fails for a key of `object` that is not among `known`.
  Error checkKeys(const json::Object &object, const Twine &where,
                  ArrayRef<StringRef> known) const;
  Expected<int64_t> readInteger(const json::Value &value, const Twine &where,
                                int64_t least, int64_t most) const;
  Expected<std::vector<int64_t>> readIntegers(const json::Value &value,
                                              const Twine &where, int64_t least,
                                              int64_t most) const;
  Error readRequest(const json::Value &value, size_t index, Batch &batch);

  StringRef fileName;
  std::set<std::string> names;
};

} // namespace

Error BatchReader::checkKeys(const json::Object &object, const Twine &where,
                             ArrayRef<StringRef> known) const {
  // Sorted, so that of several unknown keys it is always the same one.
  std::set<StringRef> keys;
  for (const auto &entry : object)
    keys.insert(entry.first);
  for (StringRef key : keys)
    if (!is_contained(known, key))
      return makeError(where + "has the key \"" + printKey(key) +
                       "\"; expected only " + join(known, ", "));
  return Error::success();
}

Expected<int64_t> BatchReader::readInteger(const json::Value &value,
                                           const Twine &where, int64_t least,
                                           int64_t most) const {
  std::optional<int64_t> number = getInteger(value);
  if (!number || *number < least || *number > most)
    return makeError(where + " is " + printShort(value) +
                     "; expected an integer from " + Twine(least) + " to " +
                     Twine(most));
  return *number;
}

Expected<std::vector<int64_t>>
BatchReader::readIntegers(const json::Value &value, const Twine &where,
                          int64_t least, int64_t most) const {
  const json::Array *array = value.getAsArray();
  if (!array || array->empty())
    return makeError(where + " is " + printShort(value) +
                     "; expected an array of integers");
  std::vector<int64_t> result;
  for (auto [index, element] : enumerate(*array)) {
    Expected<int64_t> number =
        readInteger(element, where + "[" + Twine(index) + "]", least, most);
    if (!number)
      return number.takeError();
    result.push_back(*number);
  }
  return result;
}

Error BatchReader::readRequest(const json::Value &value, size_t index,
                               Batch &batch) {
  const std::string where = "requests[" + std::to_string(index) + "]";
  const json::Object *object = value.getAsObject();
  if (!object)
    return makeError(where + " is " + printShort(value) +
                     "; expected an object");
  if (Error error = checkKeys(*object, where + " ",
                              {"name", "tokens", "history", "chunks"}))
    return error;
  Request &request = batch.requests.emplace_back();
  request.name = "request " + std::to_string(index);
  if (const json::Value *name = object->get("name")) {
    std::optional<StringRef> string = name->getAsString();
    if (!string || string->empty() || string->size() > 40 ||
        !all_of(*string, isPrint))
      return makeError(where + ".name is " + printShort(*name) +
                       "; expected a string of 1 to 40 printable characters");
    request.name = string->str();
  }
  if (!names.insert(request.name).second)
    return makeError(where + ".name is \"" + request.name +
                     "\", as that of another request; expected names that "
                     "differ");
  const json::Value *tokens = object->get("tokens");
  if (!tokens)
    return makeError(where + " has no \"tokens\"; expected the number of "
                             "tokens to prefill");
  Expected<int64_t> count =
      readInteger(*tokens, where + ".tokens", 1, maxTokens);
  if (!count)
    return count.takeError();
  request.tokens = *count;
  if (const json::Value *history = object->get("history")) {
    Expected<int64_t> before =
        readInteger(*history, where + ".history", 0, maxHistory);
    if (!before)
      return before.takeError();
    request.history = *before;
  }
  const json::Value *chunks = object->get("chunks");
  if (!chunks)
    return Error::success();
  Expected<std::vector<int64_t>> list =
      readIntegers(*chunks, where + ".chunks", 0, maxTokens);
  if (!list)
    return list.takeError();
  request.chunks = std::move(*list);
  int64_t sum = 0;
  for (int64_t chunk : request.chunks)
    sum += chunk;
  if (sum != request.tokens)
    return makeError(where + ".chunks add up to " + Twine(sum) +
                     "; expected \"tokens\", " + Twine(request.tokens));
  return Error::success();
}

Expected<Batch> BatchReader::read(StringRef text) {
  Expected<json::Object> object = parseJsonObject(text, fileName);
  if (!object)
    return object.takeError();
  if (Error error = checkKeys(*object, "the batch ",
                              {"requests", "pad_to", "block_sizes", "seed"}))
    return std::move(error);
  Batch batch;
  const json::Value *requests = object->get("requests");
  const json::Array *array = requests ? requests->getAsArray() : nullptr;
  if (!array || array->empty() || array->size() > maxRequests)
    return makeError(
        "requests is " + (requests ? printShort(*requests) : "missing") +
        "; expected an array of 1 to " + Twine(maxRequests) + " objects");
  for (auto [index, value] : enumerate(*array))
    if (Error error = readRequest(value, index, batch))
      return std::move(error);

  if (const json::Value *buckets = object->get("pad_to")) {
    Expected<std::vector<int64_t>> list =
        readIntegers(*buckets, "pad_to", 1, maxTokens);
    if (!list)
      return list.takeError();
    batch.buckets = std::move(*list);
    for (size_t i = 1; i < batch.buckets.size(); ++i)
      if (batch.buckets[i] <= batch.buckets[i - 1])
        return makeError("pad_to[" + Twine(i) + "] is " +
                         Twine(batch.buckets[i]) +
                         "; expected more than the number before it, " +
                         Twine(batch.buckets[i - 1]));
  }
  if (const json::Value *sizes = object->get("block_sizes")) {
    const json::Object *pools = sizes->getAsObject();
    if (!pools)
      return makeError("block_sizes is " + printShort(*sizes) +
                       "; expected an object");
    SmallVector<StringRef> known(getPoolNames().begin(), getPoolNames().end());
    if (Error error = checkKeys(*pools, "block_sizes ", known))
      return std::move(error);
    for (StringRef name : known) {
      const json::Value *value = pools->get(name);
      if (!value)
        continue;
      Expected<int64_t> size =
          readInteger(*value, "block_sizes." + name, 1, maxBlockSize);
      if (!size)
        return size.takeError();
      batch.blockSizes[name.str()] = *size;
    }
  }
  if (const json::Value *seed = object->get("seed")) {
    Expected<int64_t> number =
        readInteger(*seed, "seed", 0, std::numeric_limits<int64_t>::max());
    if (!number)
      return number.takeError();
    batch.seed = *number;
  }
  return batch;
}

Expected<Batch> braid::parseBatch(StringRef text, StringRef fileName) {
  return BatchReader(fileName).read(text);
}

Expected<Batch> braid::readBatch(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path);
  if (!file)
    return createStringError(path + ": " + file.getError().message());
  constexpr size_t limit = size_t(1) << 20;
  if ((*file)->getBufferSize() > limit)
    return createStringError(path + ": the file has " +
                             Twine((*file)->getBufferSize()) +
                             " bytes; expected at most " + Twine(limit));
  return parseBatch((*file)->getBuffer(), path);
}
