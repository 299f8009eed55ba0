//===- parallel.hpp - Functions on several streams --------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For code that is written by hand: runs a main function and some auxiliary
// ones, each on a stream of its own, and joins them. Header only, C++17.
//
//   braid::ContextStreams streams(context);
//   streams.reserve(/*numStreams=*/4, /*numEvents=*/4);
//   auto results = braid::execute_in_parallel(
//       streams, braid::numberedStreams(/*branches=*/3),
//       braid::overlapsAt(tokens, braid_token_threshold(context, 1024)),
//       [&](int32_t stream) { return query(stream); },
//       std::vector<std::function<Tensor(int32_t)>>{compress, nullptr, index});
//
// On a device whose streams belong to the engine, derive from StreamOps:
//
//   struct CudaStreams : braid::StreamOps<cudaStream_t, cudaEvent_t> {
//     braid::StreamStatus record(cudaStream_t s, cudaEvent_t e) override {
//       return check(cudaEventRecord(e, s));
//     }
//     braid::StreamStatus wait(cudaStream_t s, cudaEvent_t e) override {
//       return check(cudaStreamWaitEvent(s, e, 0));
//     }
//   };
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_PARALLEL_HPP
#define BRAID_PARALLEL_HPP

#include "braid/compiled.h"

#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace braid {

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// Success, or a status with one sentence that explains it.
struct [[nodiscard]] StreamStatus {
  braid_status status = BRAID_OK;
  std::string message;

  bool ok() const { return status == BRAID_OK; }
};

/// How events are recorded on streams and waited for. Handles are small values
/// that can be copied, such as cudaStream_t.
template <typename Stream, typename Event>
class StreamOps {
public:
  virtual ~StreamOps() = default;
  virtual StreamStatus record(Stream stream, Event event) = 0;
  /// Makes `stream` wait for the record of `event` that was enqueued last.
  virtual StreamStatus wait(Stream stream, Event event) = 0;
};

/// The streams and events of one fork. Auxiliary function i uses auxiliary[i]
/// and done[i]. Forks that are open at the same time, one inside another, need
/// events of their own.
template <typename Stream, typename Event>
struct ParallelStreams {
  Stream main = Stream();
  std::vector<Stream> auxiliary; ///< empty: there are none, nothing overlaps
  Event start = Event();
  std::vector<Event> done;
};

/// Streams `main` and firstStream, firstStream + 1, ..., with the start event
/// firstEvent and the done events after it.
inline ParallelStreams<int32_t, int32_t>
numberedStreams(int32_t branches, int32_t main = 0, int32_t firstStream = 1,
                int32_t firstEvent = 0) {
  ParallelStreams<int32_t, int32_t> streams;
  streams.main = main;
  streams.start = firstEvent;
  for (int32_t i = 0; i < branches; ++i) {
    // Past the largest number comes a negative one, which is no stream.
    streams.auxiliary.push_back(static_cast<int32_t>(int64_t(firstStream) + i));
    streams.done.push_back(static_cast<int32_t>(int64_t(firstEvent) + 1 + i));
  }
  return streams;
}

/// The streams of a context on host or trace, by number. Functions enqueue with
/// braid_stream_launch.
class ContextStreams final : public StreamOps<int32_t, int32_t> {
public:
  explicit ContextStreams(braid_context *context) : context(context) {}

  /// Makes streams 0 .. numStreams - 1 and events 0 .. numEvents - 1 exist.
  StreamStatus reserve(int32_t numStreams, int32_t numEvents) {
    return explain(braid_streams_reserve(context, numStreams, numEvents));
  }
  StreamStatus record(int32_t stream, int32_t event) override {
    return explain(braid_stream_record(context, stream, event));
  }
  StreamStatus wait(int32_t stream, int32_t event) override {
    return explain(braid_stream_wait(context, stream, event));
  }

private:
  StreamStatus explain(braid_status status) const {
    if (status == BRAID_OK)
      return {};
    return {status, braid_last_error(context)};
  }

  braid_context *context;
};

/// The streams and event slots of the open schedule of a frame, for a
/// braid_function that is written by hand. Works inside segments, which then
/// replay the fork. Functions enqueue with braid_rt_launch, and are called for
/// the check of a call as well as for its work. Failures stay in the frame.
class FrameStreams final : public StreamOps<int32_t, int32_t> {
public:
  explicit FrameStreams(braid_frame *frame) : frame(frame) {}

  StreamStatus record(int32_t stream, int32_t slot) override {
    braid_rt_record(frame, stream, slot);
    return {};
  }
  StreamStatus wait(int32_t stream, int32_t slot) override {
    braid_rt_wait(frame, stream, slot);
    return {};
  }

private:
  braid_frame *frame;
};

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Stands for the result of a function that returns nothing.
struct NoResult {};

/// What the functions returned.
template <typename Main, typename Auxiliary>
struct ParallelResults {
  StreamStatus status;
  std::optional<Main> main; ///< nullopt: not run, after a failure
  /// In slot order. nullopt: absent, or not run after a failure.
  std::vector<std::optional<Auxiliary>> auxiliary;

  bool ok() const { return status.ok(); }
};

namespace detail {

template <typename Function, typename Stream>
using Result =
    std::conditional_t<std::is_void_v<std::invoke_result_t<Function &, Stream>>,
                       NoResult,
                       std::decay_t<std::invoke_result_t<Function &, Stream>>>;

/// True unless `function` can be empty (std::function, a pointer) and is.
template <typename Function>
bool isPresent(const Function &function) {
  if constexpr (std::is_constructible_v<bool, const Function &>)
    return static_cast<bool>(function);
  else
    return true;
}

/// Makes a failure; without its sentence if there is no memory for it.
template <typename... Parts>
StreamStatus failure(braid_status status, const Parts &...parts) noexcept {
  StreamStatus result;
  result.status = status;
#if defined(__cpp_exceptions)
  try {
    (result.message.append(parts), ...);
  } catch (...) {
    result.message.clear();
  }
#else
  (result.message.append(parts), ...);
#endif
  return result;
}

/// Runs `body` and turns what it throws into a status.
template <typename Body>
StreamStatus guarded(Body &&body) noexcept {
#if defined(__cpp_exceptions)
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return failure(BRAID_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &error) {
    return failure(
        BRAID_KERNEL_FAILED,
        "a function that runs in parallel with others threw: ", error.what());
  } catch (...) {
    return failure(BRAID_KERNEL_FAILED,
                   "a function that runs in parallel with others threw "
                   "something that is no std::exception");
  }
#else
  return body();
#endif
}

/// Lets `function` enqueue on `stream` and keeps what it returns.
template <typename Function, typename Stream, typename Value>
StreamStatus enqueue(Function &function, Stream stream,
                     std::optional<Value> &result) noexcept {
  return guarded([&]() -> StreamStatus {
    if constexpr (std::is_void_v<std::invoke_result_t<Function &, Stream>>) {
      function(stream);
      result.emplace();
    } else {
      result.emplace(function(stream));
    }
    return {};
  });
}

/// Everything on the main stream, in order.
template <typename Stream, typename Main, typename Auxiliary, typename Results>
StreamStatus inOrder(Stream stream, Main &main,
                     const std::vector<Auxiliary> &auxiliary,
                     Results &results) {
  StreamStatus status = enqueue(main, stream, results.main);
  for (size_t i = 0; i < auxiliary.size() && status.ok(); ++i)
    if (isPresent(auxiliary[i]))
      status = enqueue(auxiliary[i], stream, results.auxiliary[i]);
  return status;
}

/// Fork and join. After a failure nothing more is enqueued, but the main stream
/// still waits for the branches whose end was recorded.
template <typename Stream, typename Event, typename Main, typename Auxiliary,
          typename Results>
StreamStatus overlapped(StreamOps<Stream, Event> &ops,
                        const ParallelStreams<Stream, Event> &streams,
                        Main &main, const std::vector<Auxiliary> &auxiliary,
                        Results &results) {
  std::vector<bool> recorded(auxiliary.size(), false);
  StreamStatus status =
      guarded([&] { return ops.record(streams.main, streams.start); });
  if (!status.ok())
    return status;
  for (size_t i = 0; i < auxiliary.size() && status.ok(); ++i) {
    if (!isPresent(auxiliary[i]))
      continue;
    Stream stream = streams.auxiliary[i];
    status = guarded([&] { return ops.wait(stream, streams.start); });
    if (!status.ok())
      break;
    status = enqueue(auxiliary[i], stream, results.auxiliary[i]);
    // Even if it failed: it may have enqueued something before.
    StreamStatus done =
        guarded([&] { return ops.record(stream, streams.done[i]); });
    recorded[i] = done.ok();
    if (status.ok())
      status = std::move(done);
  }
  if (status.ok())
    status = enqueue(main, streams.main, results.main);
  for (size_t i = 0; i < auxiliary.size(); ++i) {
    if (!recorded[i])
      continue;
    StreamStatus joined =
        guarded([&] { return ops.wait(streams.main, streams.done[i]); });
    if (status.ok())
      status = std::move(joined);
  }
  return status;
}

/// Fails if a slot has no stream or no event.
inline StreamStatus checkLengths(size_t functions, size_t streams,
                                 size_t events) {
  if (functions > streams)
    return failure(BRAID_INVALID_ARGUMENT, std::to_string(functions),
                   " auxiliary functions for ", std::to_string(streams),
                   " auxiliary streams");
  if (functions > events)
    return failure(BRAID_INVALID_ARGUMENT, std::to_string(functions),
                   " auxiliary functions for ", std::to_string(events),
                   " done events");
  return {};
}

} // namespace detail

//===----------------------------------------------------------------------===//
// Fork and join
//===----------------------------------------------------------------------===//

/// True if `tokens` tokens are few enough to overlap work: at most `threshold`,
/// and 0 turns overlap off. See braid_token_threshold.
inline bool overlapsAt(int64_t tokens, int64_t threshold) {
  return threshold > 0 && tokens <= threshold;
}

/// Enqueues `main` and those of `auxiliary` that are not empty; each is called
/// with the stream that it has to enqueue on.
///
/// If `enable` is true and there are auxiliary streams: records the start event
/// on the main stream; for each auxiliary function in order, lets its stream
/// wait for the start event, calls it, and records its done event; then calls
/// `main`; then lets the main stream wait for the done events that were used,
/// in order. Otherwise all are called in order on the main stream, `main`
/// first.
///
/// Throws nothing. What a function throws is a failure: nothing more is
/// enqueued, and the main stream is joined with the branches begun. More slots
/// than streams or done events are a failure before anything is enqueued.
template <typename Stream, typename Event, typename Main, typename Auxiliary>
ParallelResults<detail::Result<std::remove_reference_t<Main>, Stream>,
                detail::Result<const Auxiliary, Stream>>
execute_in_parallel(StreamOps<Stream, Event> &ops,
                    const ParallelStreams<Stream, Event> &streams, bool enable,
                    Main &&main,
                    const std::vector<Auxiliary> &auxiliary) noexcept {
  ParallelResults<detail::Result<std::remove_reference_t<Main>, Stream>,
                  detail::Result<const Auxiliary, Stream>>
      results;
  results.status = detail::guarded([&]() -> StreamStatus {
    if (!detail::isPresent(main))
      return detail::failure(BRAID_INVALID_ARGUMENT,
                             "the main function is empty");
    bool haveStreams = !streams.auxiliary.empty();
    if (haveStreams) {
      StreamStatus lengths = detail::checkLengths(
          auxiliary.size(), streams.auxiliary.size(), streams.done.size());
      if (!lengths.ok())
        return lengths;
    }
    results.auxiliary.resize(auxiliary.size());
    if (enable && haveStreams)
      return detail::overlapped(ops, streams, main, auxiliary, results);
    return detail::inOrder(streams.main, main, auxiliary, results);
  });
  return results;
}

} // namespace braid

#endif // BRAID_PARALLEL_HPP
