//===- PrintText.cpp - Timelines in a terminal ----------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One lane a stream. The axis is stretched where a box would become too narrow
// for its number, and is to scale in between; what gets too wide goes on below.
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "braid/Target/TimelinePrinters.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace braid;

/// Columns of the lanes, without their labels.
static constexpr int numColumns = 100;

/// Every character takes one column; others than printable ASCII become '?'.
static std::string toAscii(StringRef text) {
  std::string result;
  for (unsigned char c : text) {
    // The rest of a UTF-8 sequence.
    if ((c & 0xC0) == 0x80)
      continue;
    result += c >= 0x20 && c < 0x7F ? char(c) : '?';
  }
  return result;
}

namespace {

/// Something begins or ends on the axis.
struct Point {
  double time;
  /// The order of points of one time.
  enum Kind { LaunchEnd, RegionEnd, RegionBegin, LaunchBegin } kind;
  unsigned index; ///< of the launch or region
};

/// The picture of one timeline.
class TextPicture {
public:
  explicit TextPicture(const Timeline &timeline);

  void print(llvm::raw_ostream &os);

private:
  double place(double scale);
  void drawRows();
  void drawAxis();
  void printBands(llvm::raw_ostream &os);
  void printList(llvm::raw_ostream &os);
  void write(std::string &row, int column, StringRef text) {
    for (char c : text)
      if (column < int(row.size()))
        row[column++] = c;
  }

  const Timeline &timeline;
  std::vector<std::string> markers; ///< what each launch waits for: "<1,4"
  std::vector<std::string> joins;   ///< what stream 0 waits for at the end
  std::vector<Point> points;        ///< in the order of the axis
  /// Columns: the first one of a box and the one after it; borders of regions.
  std::vector<int> launchBegin, launchEnd, regionBegin, regionEnd;
  int width = 0;
  /// Rows with their labels, from top to bottom.
  std::vector<std::pair<std::string, std::string>> rows;
};

} // namespace

TextPicture::TextPicture(const Timeline &timeline)
    : timeline(timeline), joins(timeline.regions.size()),
      launchBegin(timeline.launches.size()),
      launchEnd(timeline.launches.size()),
      regionBegin(timeline.regions.size(), -1),
      regionEnd(timeline.regions.size(), -1) {
  for (const std::vector<std::string> &producers : getProducers(timeline))
    markers.push_back(producers.empty() ? ""
                                        : "<" + llvm::join(producers, ","));
  for (const TimedWait &wait : timeline.waits) {
    if (wait.to || wait.toStream != 0)
      continue;
    std::string &text = joins[wait.region];
    text += text.empty() ? "<" : ",";
    text += wait.from ? std::to_string(*wait.from) : "fork";
  }

  for (auto [index, region] : llvm::enumerate(timeline.regions)) {
    if (region.end <= region.start)
      continue;
    points.push_back({region.start, Point::RegionBegin, unsigned(index)});
    points.push_back({region.end, Point::RegionEnd, unsigned(index)});
  }
  for (auto [index, launch] : llvm::enumerate(timeline.launches)) {
    points.push_back({launch.start, Point::LaunchBegin, unsigned(index)});
    points.push_back({launch.end, Point::LaunchEnd, unsigned(index)});
  }
  llvm::stable_sort(points, [](const Point &a, const Point &b) {
    return std::tie(a.time, a.kind) < std::tie(b.time, b.kind);
  });

  // The largest scale that fits into as few bands as possible.
  double limit = numColumns * std::max(1.0, std::ceil(place(0) / numColumns));
  double low = 0, high = timeline.end > 0 ? limit / timeline.end : 0;
  for (int step = 0; step < 40; ++step) {
    double middle = (low + high) / 2;
    (place(middle) <= limit ? low : high) = middle;
  }
  width = std::lround(place(low)) + 1;
}

/// Places all points at `scale` columns a microsecond, or further apart where
/// what is between them needs more room. Returns the last column.
double TextPicture::place(double scale) {
  double column = 0, time = 0;
  std::vector<int> lastBox(timeline.regions.size(), 0);
  for (const Point &point : points) {
    column += scale * (point.time - time);
    time = point.time;
    unsigned index = point.index;
    auto put = [&](int &place, int earliest) {
      column = std::max<double>(column, earliest);
      place = std::lround(column);
    };
    switch (point.kind) {
    case Point::RegionBegin:
      put(regionBegin[index], 0);
      break;
    case Point::LaunchBegin:
      put(launchBegin[index], regionBegin[timeline.launches[index].region] + 1);
      break;
    case Point::LaunchEnd: {
      const TimedLaunch &launch = timeline.launches[index];
      int box = std::to_string(index).size() + 2;
      int marker = markers[index].size() + 1;
      put(launchEnd[index],
          launchBegin[index] +
              (markers[index].empty() ? box : std::max(box, marker)));
      if (launch.stream == 0)
        lastBox[launch.region] = launchEnd[index];
      break;
    }
    case Point::RegionEnd:
      put(regionEnd[index],
          std::max(regionBegin[index] + 1,
                   lastBox[index] + int(joins[index].size())));
      break;
    }
  }
  return column;
}

void TextPicture::drawRows() {
  std::string blank(width, ' ');
  for (int index : llvm::concat<int>(regionBegin, regionEnd))
    if (index >= 0)
      blank[index] = '|';

  std::string names = blank;
  for (auto [index, region] : llvm::enumerate(timeline.regions)) {
    if (regionBegin[index] < 0)
      continue;
    int room = regionEnd[index] - regionBegin[index] - 1;
    std::string name = toAscii(formatRegion(region));
    // The kind says more than the first letters of both.
    if (int(name.size()) > room)
      name = region.getKindName().str();
    write(names, regionBegin[index] + 1, StringRef(name).take_front(room));
  }
  rows.push_back({"", names});

  for (unsigned stream = 0; stream < timeline.numStreams; ++stream) {
    std::string boxes = blank, waits = blank;
    bool isUsed = stream == 0;
    for (auto [index, launch] : llvm::enumerate(timeline.launches)) {
      if (launch.stream != stream)
        continue;
      isUsed = true;
      int room = launchEnd[index] - launchBegin[index] - 2;
      std::string label = std::to_string(index);
      std::string name = " " + toAscii(launch.name);
      if (room >= int(label.size()) + 3)
        label += StringRef(name).take_front(room - label.size());
      label.resize(std::max(room, 0), '=');
      write(boxes, launchBegin[index],
            "[" + label + (launch.isAwaited ? "*" : "]"));
      write(waits, launchBegin[index], markers[index]);
    }
    if (stream == 0)
      for (auto [index, text] : llvm::enumerate(joins))
        if (regionEnd[index] >= 0)
          write(waits, regionEnd[index] - text.size(), text);
    // Forks are recorded where a region begins.
    for (const TimedWait &wait : timeline.waits)
      if (!wait.from && wait.fromStream == stream &&
          regionBegin[wait.region] >= 0)
        boxes[regionBegin[wait.region]] = '*';
    if (!isUsed)
      continue;
    rows.push_back({"s" + std::to_string(stream), boxes});
    if (waits != blank)
      rows.push_back({"", waits});
  }
}

/// Times over the places that they belong to, as many as fit.
void TextPicture::drawAxis() {
  std::string axis(width + 12, ' ');
  int free = 0;
  auto add = [&](int column, double time) {
    std::string text = formatFixed(time);
    if (column < free || column + text.size() > axis.size())
      return;
    write(axis, column, text);
    free = column + text.size() + 2;
  };
  for (const Point &point : points)
    if (point.kind == Point::LaunchBegin)
      add(launchBegin[point.index], point.time);
    else if (point.kind == Point::RegionBegin)
      add(regionBegin[point.index], point.time);
  add(width - 1, timeline.end);
  rows.push_back({"us", axis});
}

void TextPicture::printBands(llvm::raw_ostream &os) {
  size_t labels = 0;
  for (auto &[label, row] : rows)
    labels = std::max(labels, label.size());
  // A band ends where it cuts no box, if there is such a place.
  std::vector<bool> isCut(width + 1);
  for (auto [begin, end] : llvm::zip(launchBegin, launchEnd))
    for (int column = begin + 1; column < end; ++column)
      isCut[column] = true;
  for (int begin = 0; begin < width;) {
    // Rather a little wider than a band with next to nothing in it.
    int end = width - begin <= numColumns + 12 ? width : begin + numColumns + 1;
    if (end < width) {
      int place = end;
      while (place > begin + numColumns / 2 && isCut[place])
        --place;
      if (!isCut[place])
        end = place;
    }
    if (begin > 0)
      os << "\n";
    for (auto &[label, row] : rows) {
      StringRef part = StringRef(row).slice(begin, end);
      // The last time may stand out.
      if (end == width)
        part = StringRef(row).drop_front(begin);
      std::string line =
          (Twine(label) + std::string(labels - label.size() + 2, ' ') + part)
              .str();
      os << StringRef(line).rtrim(' ') << "\n";
    }
    begin = end;
  }
}

void TextPicture::printList(llvm::raw_ostream &os) {
  size_t names = 4, kinds = 2;
  for (const TimedLaunch &launch : timeline.launches) {
    names = std::max(names, toAscii(launch.name).size());
    kinds = std::max(kinds, launch.kind.size());
  }
  auto printRow = [&](const Twine &number, const Twine &name, const Twine &kind,
                      const Twine &stream, const Twine &start,
                      const Twine &duration, const Twine &waits) {
    std::string line;
    llvm::raw_string_ostream(line)
        << llvm::right_justify(number.str(), 4) << " "
        << llvm::left_justify(name.str(), names) << " "
        << llvm::left_justify(kind.str(), kinds) << " "
        << llvm::right_justify(stream.str(), 6) << " "
        << llvm::right_justify(start.str(), 9) << " "
        << llvm::right_justify(duration.str(), 9) << "  " << waits;
    os << StringRef(line).rtrim(' ') << "\n";
  };
  printRow("#", "name", "op", "stream", "start us", "us", "waits for");
  std::optional<unsigned> region;
  auto endRegion = [&] {
    if (region && !joins[*region].empty())
      os << "     then stream 0 waits for "
         << StringRef(joins[*region]).drop_front() << "\n";
  };
  for (auto [index, launch] : llvm::enumerate(timeline.launches)) {
    if (region != launch.region) {
      endRegion();
      region = launch.region;
      const TimedRegion &timed = timeline.regions[*region];
      os << "  " << toAscii(formatRegion(timed)) << ": "
         << formatFixed(timed.start) << " to " << formatFixed(timed.end)
         << " us\n";
    }
    printRow(Twine(index), toAscii(launch.name), launch.kind,
             "s" + Twine(launch.stream), formatFixed(launch.start),
             formatFixed(launch.end - launch.start),
             StringRef(markers[index]).drop_front(!markers[index].empty()));
  }
  endRegion();
}

void TextPicture::print(llvm::raw_ostream &os) {
  os << toAscii(formatTitle(timeline)) << ": " << formatGain(timeline) << "\n";
  if (timeline.launches.empty())
    return;
  os << "\n";
  drawAxis();
  drawRows();
  printBands(os);
  os << "\n";
  printList(os);
}

void braid::printTimelineText(ArrayRef<Timeline> timelines,
                              llvm::raw_ostream &os) {
  for (auto [index, timeline] : llvm::enumerate(timelines)) {
    if (index > 0)
      os << "\n";
    TextPicture(timeline).print(os);
  }
  if (!timelines.empty())
    os << "\n[n name] is launch n, wider than to scale where its number needs "
          "it; ...* if another stream\nwaits for it. <n waits for launch n, "
          "<fork for what is before the region.\n";
}
