//===- PrintSvg.cpp - Timelines as pictures -------------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain SVG with its own background, so that it looks the same on light and
// dark pages. Everything that is too small to be labelled has a tooltip.
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "braid/Target/TimelinePrinters.h"
#include "llvm/ADT/MapVector.h"

#include <cmath>

using namespace mlir;
using namespace braid;

// Pixels.
static constexpr double leftMargin = 84, rightMargin = 24;
static constexpr double laneHeight = 84, laneGap = 20;
static constexpr double regionTop = 70, lanesTop = 104;
static constexpr double characterWidth = 6.6; ///< of the labels' font
static constexpr double lineHeight = 12;

/// Text for XML; what XML 1.0 cannot hold becomes '?'.
static std::string escape(StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return result;
}

/// As much of `text` as fits into `pixels`; empty if that says too little.
static std::string clip(StringRef text, double pixels) {
  size_t room = pixels < 0 ? 0 : size_t(pixels / characterWidth);
  if (text.size() <= room)
    return text.str();
  if (room < 4)
    return "";
  // Not inside a UTF-8 sequence.
  size_t size = room - 1;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80)
    --size;
  return (text.take_front(size) + "\xE2\x80\xA6").str();
}

/// `text` in lines of `length` pixels, as many as fit into `height`, broken
/// after underscores and dots; what does not fit is clipped.
static std::vector<std::string> wrap(StringRef text, double length,
                                     double height) {
  std::vector<std::string> lines;
  size_t maxLines = height < lineHeight ? 0 : size_t(height / lineHeight);
  size_t room = length < 0 ? 0 : size_t(length / characterWidth);
  while (!text.empty() && lines.size() < maxLines) {
    size_t end = text.size();
    if (end > room && lines.size() + 1 < maxLines) {
      // The last place to break; none clips this line, and ends the name.
      size_t place = text.take_front(room).find_last_of("_.");
      if (place != StringRef::npos)
        end = place + 1;
    }
    std::string line = clip(text.take_front(end), length);
    if (line.empty())
      break;
    lines.push_back(line);
    text = text.drop_front(end);
  }
  return lines;
}

/// How much of a name can be read.
static size_t countShown(ArrayRef<std::string> lines) {
  size_t count = 0;
  for (StringRef line : lines)
    count += line.size() - (line.ends_with("\xE2\x80\xA6") ? 3 : 0);
  return count;
}

/// Coordinates need a tenth of a pixel and no more.
static std::string px(double value) {
  std::string text = formatFixed(value);
  if (StringRef(text).ends_with(".0"))
    text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

/// Distance of ticks: 1, 2 or 5 times a power of ten, about `count` of them.
static double getTickStep(double end, double count) {
  double least = end / count;
  double power = std::pow(10.0, std::floor(std::log10(least)));
  for (double factor : {1, 2, 5})
    if (factor * power >= least)
      return factor * power;
  return 10 * power;
}

namespace {
class SvgPicture {
public:
  SvgPicture(const Timeline &timeline,
             const llvm::MapVector<StringRef, StringRef> &colors);

  double getWidth() const { return leftMargin + plotWidth + rightMargin; }
  double getHeight() const { return lanesBottom() + 78; }
  void print(double top, llvm::raw_ostream &os);

private:
  double x(double time) const {
    return leftMargin +
           (timeline.end > 0 ? time / timeline.end : 0) * plotWidth;
  }
  double y(unsigned stream) const {
    return lanesTop + stream * (laneHeight + laneGap);
  }
  double lanesBottom() const { return y(numLanes - 1) + laneHeight; }
  void printRegion(const TimedRegion &region, llvm::raw_ostream &os);
  void printLane(unsigned stream, llvm::raw_ostream &os);
  void printLaunch(const TimedLaunch &launch, llvm::raw_ostream &os);
  void printWait(const TimedWait &wait, llvm::raw_ostream &os);
  void printAxis(llvm::raw_ostream &os);
  void printLegend(llvm::raw_ostream &os);

  const Timeline &timeline;
  const llvm::MapVector<StringRef, StringRef> &colors;
  unsigned numLanes = 1; ///< up to the last stream that is used
  double plotWidth = 1100;
};
} // namespace

SvgPicture::SvgPicture(const Timeline &timeline,
                       const llvm::MapVector<StringRef, StringRef> &colors)
    : timeline(timeline), colors(colors) {
  double shortest = timeline.end;
  for (const TimedLaunch &launch : timeline.launches) {
    numLanes = std::max(numLanes, launch.stream + 1);
    shortest = std::min(shortest, launch.end - launch.start);
  }
  for (const TimedWait &wait : timeline.waits)
    numLanes = std::max({numLanes, wait.fromStream + 1, wait.toStream + 1});
  // Wider than usual where short launches could not be labelled.
  if (shortest > 0)
    plotWidth =
        std::min(2400.0, std::max(plotWidth, timeline.end / shortest * 16));
}

void SvgPicture::printRegion(const TimedRegion &region, llvm::raw_ostream &os) {
  double left = x(region.start), width = x(region.end) - left;
  if (width <= 0)
    return;
  os << "<g><title>" << escape(formatRegion(region)) << ", "
     << formatFixed(region.start) << " to " << formatFixed(region.end)
     << " us</title><rect class=\"" << region.getKindName() << "\" x=\""
     << px(left + 1) << "\" y=\"" << px(regionTop) << "\" width=\""
     << px(std::max(width - 2, 1.0)) << "\" height=\""
     << px(lanesBottom() + 14 - regionTop) << "\" rx=\"4\"/>";
  std::string label = clip(formatRegion(region), width - 14);
  if (label.empty())
    label = clip(region.getKindName(), width - 6);
  if (!label.empty())
    os << "<text class=\"region\" x=\"" << px(left + width / 2) << "\" y=\""
       << px(regionTop + 18) << "\">" << escape(label) << "</text>";
  os << "</g>\n";
}

void SvgPicture::printLane(unsigned stream, llvm::raw_ostream &os) {
  double middle = y(stream) + laneHeight / 2;
  os << "<line class=\"lane\" x1=\"" << px(leftMargin) << "\" y1=\""
     << px(middle) << "\" x2=\"" << px(leftMargin + plotWidth) << "\" y2=\""
     << px(middle) << "\"/><text class=\"stream\" x=\"" << px(leftMargin - 10)
     << "\" y=\"" << px(middle + 4) << "\">stream " << stream << "</text>\n";
}

void SvgPicture::printLaunch(const TimedLaunch &launch, llvm::raw_ostream &os) {
  double left = x(launch.start), top = y(launch.stream);
  double width = std::max(x(launch.end) - left - 1, 1.0);
  std::string time = formatFixed(launch.end - launch.start) + " us";
  os << "<g><title>" << escape(launch.name) << " (" << escape(launch.kind)
     << ")\n"
     << time << " from " << formatFixed(launch.start) << " us\n"
     << formatScaled(launch.flops, "FLOP") << ", "
     << formatScaled(launch.bytes, "B") << "</title><rect x=\""
     << px(left + 0.5) << "\" y=\"" << px(top) << "\" width=\"" << px(width)
     << "\" height=\"" << px(laneHeight) << "\" rx=\"3\" fill=\""
     << colors.lookup(launch.kind) << "\" stroke=\"#5b6573\"/>";
  double centerX = left + 0.5 + width / 2, centerY = top + laneHeight / 2;

  // Across if all of the name can be read so; upright if more of it can.
  std::vector<std::string> across =
      wrap(launch.name, width - 4, laneHeight - 4);
  std::vector<std::string> upright =
      wrap(launch.name, laneHeight - 4, width + 0.5);
  bool isUpright = countShown(upright) > countShown(across);
  std::vector<std::string> &lines = isUpright ? upright : across;
  if (!isUpright && !lines.empty() &&
      (lines.size() + 1) * lineHeight <= laneHeight - 4 &&
      time.size() * characterWidth <= width)
    lines.push_back(time);
  double first = (1 - double(lines.size())) / 2 * lineHeight + 4;
  for (auto [index, line] : llvm::enumerate(lines)) {
    double offset = first + index * lineHeight;
    bool isTime = index + 1 == lines.size() && line == time;
    os << "<text class=\"" << (isTime ? "time" : "launch") << "\"";
    if (isUpright)
      os << " transform=\"translate(" << px(centerX + offset) << " "
         << px(centerY) << ") rotate(-90)\">";
    else
      os << " x=\"" << px(centerX) << "\" y=\"" << px(centerY + offset)
         << "\">";
    os << escape(line) << "</text>";
  }
  os << "</g>\n";
}

void SvgPicture::printWait(const TimedWait &wait, llvm::raw_ostream &os) {
  double fromX = x(wait.recorded), toX = x(wait.end);
  bool isDown = wait.toStream > wait.fromStream;
  double fromY = y(wait.fromStream), toY = y(wait.toStream);
  if (wait.fromStream == wait.toStream)
    return; // says nothing
  (isDown ? fromY : toY) += laneHeight;
  // The arrow's head is in front of the box, or a little before the join.
  double lift = isDown ? -1 : 1;
  double bend = (toY - fromY) / 2;
  os << "<path class=\"wait\" d=\"M" << px(fromX) << " " << px(fromY) << "C"
     << px(fromX) << " " << px(fromY + bend) << " " << px(toX) << " "
     << px(toY - bend) << " " << px(toX) << " " << px(toY + lift) << "\"/>\n";
}

void SvgPicture::printAxis(llvm::raw_ostream &os) {
  double top = lanesBottom() + 22;
  os << "<line class=\"axis\" x1=\"" << px(leftMargin) << "\" y1=\"" << px(top)
     << "\" x2=\"" << px(leftMargin + plotWidth) << "\" y2=\"" << px(top)
     << "\"/><text class=\"stream\" x=\"" << px(leftMargin - 10) << "\" y=\""
     << px(top + 18) << "\">us</text>\n";
  if (timeline.end <= 0)
    return;
  double step = getTickStep(timeline.end, plotWidth / 90);
  unsigned decimals = step < 1 ? unsigned(std::ceil(-std::log10(step))) : 0;
  for (unsigned i = 0; i * step <= timeline.end; ++i)
    os << "<line class=\"axis\" x1=\"" << px(x(i * step)) << "\" y1=\""
       << px(top) << "\" x2=\"" << px(x(i * step)) << "\" y2=\"" << px(top + 5)
       << "\"/><text class=\"tick\" x=\"" << px(x(i * step)) << "\" y=\""
       << px(top + 18) << "\">" << formatFixed(i * step, decimals)
       << "</text>\n";
}

void SvgPicture::printLegend(llvm::raw_ostream &os) {
  double left = leftMargin, top = lanesBottom() + 52;
  llvm::SmallDenseSet<StringRef> kinds;
  for (const TimedLaunch &launch : timeline.launches)
    kinds.insert(launch.kind);
  for (auto &[kind, color] : colors) {
    if (!kinds.contains(kind))
      continue;
    double next = left + 18 + kind.size() * characterWidth + 16;
    if (next > getWidth())
      break;
    os << "<rect x=\"" << px(left) << "\" y=\"" << px(top)
       << "\" width=\"12\" height=\"12\" rx=\"2\" fill=\"" << color
       << "\" stroke=\"#5b6573\"/><text class=\"legend\" x=\"" << px(left + 17)
       << "\" y=\"" << px(top + 10) << "\">" << escape(kind) << "</text>";
    left = next;
  }
  os << "\n";
}

void SvgPicture::print(double top, llvm::raw_ostream &os) {
  os << "<g transform=\"translate(0 " << px(top) << ")\">\n"
     << "<text class=\"title\" x=\"" << px(leftMargin) << "\" y=\"30\">"
     << escape(formatTitle(timeline)) << "</text>\n"
     << "<text class=\"subtitle\" x=\"" << px(leftMargin)
     << "\" y=\"52\">predicted: " << escape(formatGain(timeline))
     << "</text>\n";
  for (const TimedRegion &region : timeline.regions)
    printRegion(region, os);
  for (unsigned stream = 0; stream < numLanes; ++stream)
    printLane(stream, os);
  for (const TimedLaunch &launch : timeline.launches)
    printLaunch(launch, os);
  for (const TimedWait &wait : timeline.waits)
    printWait(wait, os);
  printAxis(os);
  printLegend(os);
  os << "</g>\n";
}

void braid::printTimelineSvg(ArrayRef<Timeline> timelines,
                             llvm::raw_ostream &os) {
  // Okabe and Ito's colours, lightened: black text can be read on all, and they
  // differ for the colour-blind. Kinds have theirs in the order in which they
  // appear; from the eleventh on they repeat.
  static const char *palette[] = {"#9ecae9", "#ffcf87", "#a8dcc4", "#f4b6c9",
                                  "#f6ed9a", "#c9b8e8", "#f5b59a", "#c4d68b",
                                  "#d9d9d9", "#8fd3dc"};
  llvm::MapVector<StringRef, StringRef> colors;
  for (const Timeline &timeline : timelines)
    for (const TimedLaunch &launch : timeline.launches)
      colors.insert({launch.kind, palette[colors.size() % std::size(palette)]});

  double width = leftMargin + rightMargin, height = 0;
  std::vector<SvgPicture> pictures;
  for (const Timeline &timeline : timelines) {
    pictures.emplace_back(timeline, colors);
    width = std::max(width, pictures.back().getWidth());
    height += pictures.back().getHeight();
  }
  height = std::max(height, 1.0);
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << px(width)
     << "\" height=\"" << px(height) << "\" viewBox=\"0 0 " << px(width) << " "
     << px(height) << "\">\n"
     << R"(<style>
text { font-family: "DejaVu Sans", Verdana, Helvetica, Arial, sans-serif; fill: #1f2733; }
.title { font-size: 19px; font-weight: bold; }
.subtitle { font-size: 14px; }
.region { font-size: 12px; text-anchor: middle; fill: #3d4757; }
.stream { font-size: 13px; text-anchor: end; }
.launch { font-size: 11px; text-anchor: middle; }
.time { font-size: 10px; text-anchor: middle; fill: #3d4757; }
.tick { font-size: 12px; text-anchor: middle; }
.legend { font-size: 11px; }
.segment { fill: #f2f5f9; stroke: #c3ccd8; }
.eager { fill: #fde9d3; stroke: #d98c3f; stroke-dasharray: 5 3; }
.body { fill: none; stroke: #c3ccd8; }
.lane { stroke: #c3ccd8; }
.axis { stroke: #3d4757; }
.wait { fill: none; stroke: #b3262e; stroke-width: 1.5; stroke-opacity: 0.85; marker-end: url(#head); }
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z" fill="#b3262e"/></marker></defs>
)" << "<rect width=\""
     << px(width) << "\" height=\"" << px(height) << "\" fill=\"#ffffff\"/>\n";
  double top = 0;
  for (SvgPicture &picture : pictures) {
    picture.print(top, os);
    top += picture.getHeight();
  }
  os << "</svg>\n";
}
