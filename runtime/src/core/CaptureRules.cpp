//===- CaptureRules.cpp - Order inside a segment --------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vector clocks behind the capture rules.
//
//===----------------------------------------------------------------------===//

#include "CaptureRules.h"

#include <algorithm>

using namespace braid::runtime;

void CaptureRules::begin(const char *name, int32_t numStreams,
                         int32_t numEvents) {
  segment = name;
  streams.assign(numStreams, Clock(numStreams, 0));
  entered.assign(numStreams, false);
  entered[0] = true;
  events.assign(numEvents, Clock());
}

Error CaptureRules::launch(int32_t stream, const char *op) {
  if (!entered[stream])
    return makeError(BRAID_INTERNAL,
                     "segment '%s' launches '%s' on stream %d, which has not "
                     "waited on an event that comes from stream 0",
                     segment, op, stream);
  ++streams[stream][stream];
  return Error::success();
}

Error CaptureRules::record(int32_t stream, int32_t slot) {
  if (!entered[stream])
    return makeError(BRAID_INTERNAL,
                     "segment '%s' records event %d on stream %d, which has "
                     "not waited on an event that comes from stream 0",
                     segment, slot, stream);
  events[slot] = streams[stream];
  return Error::success();
}

Error CaptureRules::wait(int32_t stream, int32_t slot) {
  const Clock &event = events[slot];
  if (event.empty())
    return makeError(BRAID_INTERNAL,
                     "segment '%s' waits on event %d, which was not recorded "
                     "in this segment",
                     segment, slot);
  Clock &clock = streams[stream];
  for (size_t s = 0; s < clock.size(); ++s)
    clock[s] = std::max(clock[s], event[s]);
  entered[stream] = true;
  // A wait is work too: a stream that is entered has to be joined.
  ++clock[stream];
  return Error::success();
}

Error CaptureRules::end() const {
  for (size_t s = 1; s < streams.size(); ++s)
    if (streams[0][s] < streams[s][s])
      return makeError(BRAID_INTERNAL,
                       "stream %zu of segment '%s' was not joined to stream 0 "
                       "before the end of the segment",
                       s, segment);
  return Error::success();
}
