//===- MeasuredTimeline.cpp - When launches really ran --------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the trace.
//
//===----------------------------------------------------------------------===//

#include "MeasuredTimeline.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace braid;
using namespace llvm;

void MeasuredTimeline::attachTo(braid_context_options &options) {
  options.timeline = [](const braid_timeline_entry *entry, void *data) {
    static_cast<MeasuredTimeline *>(data)->launches.push_back(
        {entry->op, entry->location, entry->stream, entry->start,
         entry->duration});
  };
  options.timeline_user_data = this;
}

Error MeasuredTimeline::write(StringRef path, StringRef title) const {
  std::error_code failed;
  ToolOutputFile file(path, failed, sys::fs::OF_Text);
  if (failed)
    return createStringError(failed,
                             "cannot open '" + path + "': " + failed.message());
  double origin = launches.empty() ? 0 : launches.front().start;
  int32_t numStreams = 0;
  for (const Launch &launch : launches)
    numStreams = std::max(numStreams, launch.stream + 1);
  json::OStream json(file.os(), /*IndentSize=*/1);
  auto writeEvent = [&](StringRef phase, StringRef name, int64_t thread,
                        function_ref<void()> rest) {
    json.object([&] {
      json.attribute("ph", phase);
      json.attribute("name", json::fixUTF8(name));
      json.attribute("pid", 0);
      json.attribute("tid", thread);
      rest();
    });
  };
  auto writeNumber = [&](StringRef key, double value) {
    std::string text;
    raw_string_ostream(text) << format("%.3f", value);
    json.attributeBegin(key);
    json.rawValue(text);
    json.attributeEnd();
  };
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeArray("traceEvents", [&] {
      writeEvent("M", "process_name", 0, [&] {
        json.attributeObject("args", [&] {
          json.attribute("name", json::fixUTF8((title + " (measured)").str()));
        });
      });
      // Threads are numbered as in the predicted trace, where 0 is regions.
      for (int32_t stream = 0; stream < numStreams; ++stream)
        writeEvent("M", "thread_name", stream + 1, [&] {
          json.attributeObject("args", [&] {
            json.attribute("name", "stream " + std::to_string(stream));
          });
        });
      for (const Launch &launch : launches)
        writeEvent("X", launch.op, launch.stream + 1, [&] {
          writeNumber("ts", launch.start - origin);
          writeNumber("dur", launch.duration);
          json.attributeObject("args", [&] {
            if (!launch.location.empty())
              json.attribute("location", json::fixUTF8(launch.location));
          });
        });
    });
  });
  file.os() << "\n";
  file.os().flush();
  if (file.os().has_error())
    return createStringError(file.os().error(), "cannot write '" + path + "'");
  file.keep();
  return Error::success();
}
