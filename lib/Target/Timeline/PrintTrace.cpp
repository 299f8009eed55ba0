//===- PrintTrace.cpp - Timelines as Chrome traces ------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The trace event format that Perfetto and chrome://tracing read: a process for
// each schedule, a thread for each stream and one for the regions, and flow
// events for waits.
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "braid/Target/TimelinePrinters.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace braid;

namespace {
/// Writes the events of one timeline.
class TraceWriter {
public:
  TraceWriter(const Timeline &timeline, unsigned process,
              llvm::json::OStream &json)
      : timeline(timeline), process(process), json(json) {}

  void write(unsigned &flow);

private:
  /// Regions come above the streams.
  static constexpr unsigned regionThread = 0;
  static unsigned getThread(unsigned stream) { return stream + 1; }

  /// An event of phase `phase`; `rest` adds what is particular to it.
  void writeEvent(StringRef phase, StringRef name, unsigned thread,
                  llvm::function_ref<void()> rest) {
    json.object([&] {
      json.attribute("ph", phase);
      json.attribute("name", llvm::json::fixUTF8(name));
      json.attribute("pid", process);
      json.attribute("tid", thread);
      rest();
    });
  }
  void writeNumber(StringRef key, double value, unsigned decimals) {
    json.attributeBegin(key);
    json.rawValue(formatFixed(value, decimals));
    json.attributeEnd();
  }
  void writeText(StringRef key, StringRef value) {
    json.attribute(key, llvm::json::fixUTF8(value));
  }
  void writeThreadName(unsigned thread, StringRef name);
  void writeFlow(StringRef phase, unsigned flow, unsigned stream, double time);

  const Timeline &timeline;
  unsigned process;
  llvm::json::OStream &json;
};
} // namespace

void TraceWriter::writeThreadName(unsigned thread, StringRef name) {
  writeEvent("M", "thread_name", thread, [&] {
    json.attributeObject("args", [&] { json.attribute("name", name); });
  });
  writeEvent("M", "thread_sort_index", thread, [&] {
    json.attributeObject("args", [&] { json.attribute("sort_index", thread); });
  });
}

void TraceWriter::writeFlow(StringRef phase, unsigned flow, unsigned stream,
                            double time) {
  writeEvent(phase, "wait", getThread(stream), [&] {
    json.attribute("cat", "wait");
    json.attribute("id", flow);
    // The arrow ends at the launch around this time.
    if (phase == "f")
      json.attribute("bp", "e");
    writeNumber("ts", time, 3);
  });
}

void TraceWriter::write(unsigned &flow) {
  writeEvent("M", "process_name", 0, [&] {
    json.attributeObject("args", [&] {
      writeText("name", formatTitle(timeline) + " (predicted)");
    });
  });
  writeThreadName(regionThread, "regions");
  for (unsigned stream = 0; stream < timeline.numStreams; ++stream)
    writeThreadName(getThread(stream), "stream " + std::to_string(stream));

  for (const TimedRegion &region : timeline.regions) {
    if (region.end <= region.start)
      continue;
    writeEvent("X", formatRegion(region), regionThread, [&] {
      json.attribute("cat", region.getKindName());
      writeNumber("ts", region.start, 3);
      writeNumber("dur", region.end - region.start, 3);
    });
  }
  for (const TimedLaunch &launch : timeline.launches)
    writeEvent("X", launch.name, getThread(launch.stream), [&] {
      writeText("cat", launch.kind);
      writeNumber("ts", launch.start, 3);
      writeNumber("dur", launch.end - launch.start, 3);
      json.attributeObject("args", [&] {
        writeText("op", launch.op->getName().getStringRef());
        std::string location = formatLocation(launch.op->getLoc());
        if (!location.empty())
          writeText("location", location);
        writeText("region", formatRegion(timeline.regions[launch.region]));
        writeNumber("flops", launch.flops, 0);
        writeNumber("bytes", launch.bytes, 0);
      });
    });
  // A flow needs a slice at both ends, so forks and joins have none: the
  // region's edge says the same.
  for (const TimedWait &wait : timeline.waits) {
    if (!wait.from || !wait.to)
      continue;
    // Inside the slices: at its end a slice is over.
    const TimedLaunch &from = timeline.launches[*wait.from];
    const TimedLaunch &to = timeline.launches[*wait.to];
    writeFlow("s", flow, wait.fromStream, (from.start + from.end) / 2);
    writeFlow("f", flow, wait.toStream, (to.start + to.end) / 2);
    ++flow;
  }
}

void braid::printTimelineTrace(ArrayRef<Timeline> timelines,
                               llvm::raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/1);
  unsigned flow = 0;
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeArray("traceEvents", [&] {
      for (auto [index, timeline] : llvm::enumerate(timelines))
        TraceWriter(timeline, index + 1, json).write(flow);
    });
  });
  os << "\n";
}
