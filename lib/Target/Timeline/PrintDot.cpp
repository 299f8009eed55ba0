//===- PrintDot.cpp - Timelines as Graphviz graphs ------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes are launches and the edges of regions, a cluster a stream. Dashed: the
// stream's own order. Solid: a wait.
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "braid/Target/TimelinePrinters.h"

using namespace mlir;
using namespace braid;

/// A string of the DOT language. Line breaks are written as "\n" in it.
static std::string quote(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (c == '\n')
      result += "\\n";
    else if (static_cast<unsigned char>(c) >= 0x20)
      result += c;
  }
  return result + "\"";
}

namespace {
class DotWriter {
public:
  DotWriter(const Timeline &timeline, unsigned number, llvm::raw_ostream &os)
      : timeline(timeline), prefix("g" + std::to_string(number)), os(os) {}

  void write();

private:
  std::string getLaunch(unsigned index) const {
    return prefix + "_launch" + std::to_string(index);
  }
  std::string getBegin(unsigned region) const {
    return prefix + "_begin" + std::to_string(region);
  }
  std::string getEnd(unsigned region) const {
    return prefix + "_end" + std::to_string(region);
  }
  void writeStream(unsigned stream);

  const Timeline &timeline;
  std::string prefix;
  llvm::raw_ostream &os;
};
} // namespace

/// The nodes of one stream. The edges of the regions are stream 0's.
void DotWriter::writeStream(unsigned stream) {
  os << "    subgraph cluster_" << prefix << "_s" << stream << " {\n"
     << "      label=\"stream " << stream << "\"; style=rounded;\n";
  std::vector<std::string> nodes;
  size_t launch = 0;
  for (auto [index, region] : llvm::enumerate(timeline.regions)) {
    if (stream == 0) {
      os << "      " << getBegin(index)
         << " [shape=cds, label=" << quote(formatRegion(region)) << "];\n";
      nodes.push_back(getBegin(index));
    }
    for (; launch < timeline.launches.size() &&
           timeline.launches[launch].region == index;
         ++launch) {
      const TimedLaunch &timed = timeline.launches[launch];
      if (timed.stream != stream)
        continue;
      os << "      " << getLaunch(launch) << " [label="
         << quote(timed.name + "\n" +
                  (timed.name == timed.kind ? "" : timed.kind + "\n") +
                  formatFixed(timed.end - timed.start) + " us")
         << (region.kind == TimedRegion::Eager ? ", fillcolor=\"#fff3d6\"" : "")
         << "];\n";
      nodes.push_back(getLaunch(launch));
    }
    if (stream == 0) {
      os << "      " << getEnd(index) << " [shape=point, width=0.12, tooltip="
         << quote("end of " + formatRegion(region)) << "];\n";
      nodes.push_back(getEnd(index));
    }
  }
  os << "    }\n";
  for (size_t i = 1; i < nodes.size(); ++i)
    os << "    " << nodes[i - 1] << " -> " << nodes[i] << " [style=dashed];\n";
}

void DotWriter::write() {
  os << "  subgraph cluster_" << prefix << " {\n"
     << "    label="
     << quote(formatTitle(timeline) + "\n" + formatGain(timeline)) << ";\n";
  for (unsigned stream = 0; stream < timeline.numStreams; ++stream)
    writeStream(stream);
  for (const TimedWait &wait : timeline.waits)
    os << "    " << (wait.from ? getLaunch(*wait.from) : getBegin(wait.region))
       << " -> " << (wait.to ? getLaunch(*wait.to) : getEnd(wait.region))
       << ";\n";
  os << "  }\n";
}

void braid::printTimelineDot(ArrayRef<Timeline> timelines,
                             llvm::raw_ostream &os) {
  os << "digraph schedule {\n"
     << "  rankdir=LR; fontname=\"Helvetica\";\n"
     << "  node [shape=box, style=filled, fillcolor=\"#eaf1fb\", "
        "fontname=\"Helvetica\", fontsize=11];\n";
  for (auto [index, timeline] : llvm::enumerate(timelines))
    DotWriter(timeline, index, os).write();
  os << "}\n";
}
