//===- PrintStatistics.cpp - What schedules consist of --------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list of figures, printed in three ways.
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "braid/Target/TimelinePrinters.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace braid;
using namespace braid::sched;

namespace {

/// One figure of a schedule.
struct Figure {
  const char *key;   ///< in CSV and JSON
  const char *label; ///< in the table
  /// Unknown ones are absent: "-" in the table, empty in CSV, null in JSON.
  std::optional<double> value;
  unsigned decimals = 0;
  /// The value in the table, if it is not the number.
  std::string text = "";
};

} // namespace

/// Bytes of all buffers of a schedule; nothing if they exceed 2^63.
static std::optional<std::pair<int64_t, int64_t>>
sumBuffers(ScheduleOp schedule) {
  std::optional<int64_t> perToken = 0, fixed = 0;
  schedule->walk([&](AllocOp alloc) {
    LinearAttr bytes = alloc.getBytes();
    if (bytes && perToken && fixed) {
      perToken = llvm::checkedAdd(*perToken, bytes.getPerToken());
      fixed = llvm::checkedAdd(*fixed, bytes.getFixed());
    } else {
      perToken = std::nullopt;
    }
  });
  if (!perToken || !fixed)
    return std::nullopt;
  return std::make_pair(*perToken, *fixed);
}

/// The figures of a schedule; without one, all are 0 or unknown.
static std::vector<Figure> getFigures(const Timeline &timeline) {
  double calls = 0, captured = 0, eager = 0, segments = 0, eagerRegions = 0;
  for (const TimedLaunch &launch : timeline.launches) {
    if (launch.isCall)
      ++calls;
    else if (timeline.regions[launch.region].kind == TimedRegion::Segment)
      ++captured;
    else
      ++eager;
  }
  for (const TimedRegion &region : timeline.regions) {
    segments += region.kind == TimedRegion::Segment;
    eagerRegions += region.kind == TimedRegion::Eager;
  }
  ScheduleOp schedule = timeline.schedule;
  std::optional<double> slots, workspacePerToken, workspaceFixed,
      buffersPerToken, buffersFixed, speedup;
  if (schedule) {
    if (std::optional<uint64_t> events = schedule.getEvents())
      slots = *events;
    if (LinearAttr workspace = schedule.getWorkspaceAttr()) {
      workspacePerToken = workspace.getPerToken();
      workspaceFixed = workspace.getFixed();
    }
    if (auto buffers = sumBuffers(schedule)) {
      buffersPerToken = buffers->first;
      buffersFixed = buffers->second;
    }
  }
  if (timeline.end > 0)
    speedup = timeline.serial / timeline.end;
  double live = timeline.getLargestLiveSet();
  return {
      {"launches", "launches", captured + eager},
      {"captured_launches", "  captured", captured},
      {"eager_launches", "  eager", eager},
      {"calls", "calls", calls},
      {"segments", "segments", segments},
      {"eager_regions", "eager regions", eagerRegions},
      {"streams", "streams used", double(timeline.countUsedStreams())},
      {"records", "records", double(timeline.numRecords)},
      {"waits", "waits", double(timeline.waits.size())},
      {"event_slots", "event slots", slots},
      {"workspace_bytes_per_token", "workspace, bytes per token",
       workspacePerToken},
      {"workspace_fixed_bytes", "workspace, fixed bytes", workspaceFixed},
      {"buffer_bytes_per_token", "all buffers, bytes per token",
       buffersPerToken},
      {"buffer_fixed_bytes", "all buffers, fixed bytes", buffersFixed},
      {"live_bytes", "largest live set", live, 0, formatScaled(live, "B")},
      {"estimated_us", "estimate, us", timeline.end, 1},
      {"serial_us", "  in order, us", timeline.serial, 1},
      {"speedup", "  faster by", speedup, 2,
       speedup ? formatFixed(*speedup, 2) + "x" : ""},
      {"flops", "arithmetic", timeline.flops, 0,
       formatScaled(timeline.flops, "FLOP")},
      {"bytes", "memory traffic", timeline.bytes, 0,
       formatScaled(timeline.bytes, "B")},
  };
}

void braid::printStatisticsTable(ArrayRef<Timeline> timelines,
                                 llvm::raw_ostream &os) {
  if (timelines.empty())
    return;
  // A column for each schedule, as many beside each other as fit.
  std::vector<std::vector<std::string>> columns;
  std::vector<std::string> labels = {"", ""};
  for (const Timeline &timeline : timelines) {
    std::vector<std::string> column = {timeline.function, timeline.getRange()};
    for (const Figure &figure : getFigures(timeline)) {
      if (columns.empty())
        labels.push_back(figure.label);
      column.push_back(!figure.value ? "-"
                       : !figure.text.empty()
                           ? figure.text
                           : formatFixed(*figure.value, figure.decimals));
    }
    columns.push_back(std::move(column));
  }
  auto getWidth = [](const std::vector<std::string> &column) {
    size_t width = 0;
    for (const std::string &cell : column)
      width = std::max(width, cell.size());
    return width;
  };
  size_t labelWidth = getWidth(labels);
  os << "At " << timelines.front().tokens
     << (timelines.front().tokens == 1 ? " token:\n" : " tokens:\n");
  for (size_t begin = 0; begin < columns.size();) {
    size_t width = labelWidth, end = begin;
    while (end < columns.size() &&
           (end == begin || width + 3 + getWidth(columns[end]) <= 100))
      width += 3 + getWidth(columns[end++]);
    if (begin > 0)
      os << "\n";
    for (size_t row = 0; row < labels.size(); ++row) {
      os << labels[row] << std::string(labelWidth - labels[row].size(), ' ');
      for (size_t i = begin; i < end; ++i)
        os << std::string(3 + getWidth(columns[i]) - columns[i][row].size(),
                          ' ')
           << columns[i][row];
      os << "\n";
      if (row == 1)
        os << std::string(width, '-') << "\n";
    }
    begin = end;
  }
}

/// A field of a CSV file, as RFC 4180 has it.
static std::string quoteField(StringRef text) {
  if (text.find_first_of(",\"\r\n") == StringRef::npos)
    return text.str();
  std::string result = "\"";
  for (char c : text) {
    if (c == '"')
      result += '"';
    result += c;
  }
  return result + "\"";
}

void braid::printStatisticsCsv(ArrayRef<Timeline> timelines,
                               llvm::raw_ostream &os) {
  os << "function,first_tokens,last_tokens,tokens";
  for (const Figure &figure :
       getFigures(timelines.empty() ? Timeline() : timelines.front()))
    os << "," << figure.key;
  os << "\n";
  for (const Timeline &timeline : timelines) {
    os << quoteField(timeline.function) << "," << timeline.firstTokens << ",";
    if (timeline.lastTokens)
      os << *timeline.lastTokens;
    os << "," << timeline.tokens;
    for (const Figure &figure : getFigures(timeline)) {
      os << ",";
      if (figure.value)
        os << formatFixed(*figure.value, figure.decimals);
    }
    os << "\n";
  }
}

void braid::printStatisticsJson(ArrayRef<Timeline> timelines, int64_t tokens,
                                llvm::raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("tokens", tokens);
    json.attributeArray("schedules", [&] {
      for (const Timeline &timeline : timelines)
        json.object([&] {
          json.attribute("function", llvm::json::fixUTF8(timeline.function));
          json.attribute("first_tokens", timeline.firstTokens);
          if (timeline.lastTokens)
            json.attribute("last_tokens", *timeline.lastTokens);
          else
            json.attribute("last_tokens", nullptr);
          for (const Figure &figure : getFigures(timeline)) {
            json.attributeBegin(figure.key);
            if (figure.value)
              json.rawValue(formatFixed(*figure.value, figure.decimals));
            else
              json.value(nullptr);
            json.attributeEnd();
          }
        });
    });
  });
  os << "\n";
}
