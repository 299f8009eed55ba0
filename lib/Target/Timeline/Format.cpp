//===- Format.cpp - Numbers and names in pictures -------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formatting that does not depend on the locale, and output files.
//
//===----------------------------------------------------------------------===//

#include "Format.h"

#include "braid/Target/TimelinePrinters.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace braid;

std::string braid::formatFixed(double value, unsigned decimals) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", int(decimals), value);
  return text;
}

std::string braid::formatScaled(double value, StringRef unit) {
  static const char *prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  unsigned prefix = 0;
  while (value >= 999.5 && prefix + 1 < std::size(prefixes)) {
    value /= 1000;
    ++prefix;
  }
  unsigned decimals = prefix == 0 || value >= 99.95 ? 0
                      : value >= 9.995              ? 1
                                                    : 2;
  return (formatFixed(value, decimals) + " " + prefixes[prefix] + unit).str();
}

std::string braid::formatTitle(const Timeline &timeline) {
  std::string title = timeline.function;
  if (!title.empty())
    title += ", ";
  return (title + timeline.getRange() + ", at " + Twine(timeline.tokens) +
          (timeline.tokens == 1 ? " token" : " tokens"))
      .str();
}

std::string braid::formatGain(const Timeline &timeline) {
  unsigned used = timeline.countUsedStreams();
  std::string text = formatFixed(timeline.end) + " us on " +
                     std::to_string(used) +
                     (used == 1 ? " stream" : " streams");
  // Callees may use more streams than their caller.
  if ((used > 1 || timeline.serial > 1.001 * timeline.end) && timeline.end > 0)
    text += "; " + formatFixed(timeline.serial) + " us in order on one (" +
            formatFixed(timeline.serial / timeline.end, 2) + "x)";
  return text;
}

std::string braid::formatRegion(const TimedRegion &region) {
  if (region.name.empty())
    return region.getKindName().str();
  return (region.getKindName() + " " + region.name).str();
}

std::string braid::formatLocation(Location loc) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (!file)
    return "";
  return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
          Twine(file.getColumn()))
      .str();
}

std::vector<std::vector<std::string>>
braid::getProducers(const Timeline &timeline) {
  std::vector<std::vector<std::string>> producers(timeline.launches.size());
  for (const TimedWait &wait : timeline.waits)
    if (wait.to)
      producers[*wait.to].push_back(wait.from ? std::to_string(*wait.from)
                                              : "fork");
  return producers;
}

LogicalResult
braid::writeOutput(Location loc, StringRef path,
                   llvm::function_ref<void(llvm::raw_ostream &)> print) {
  if (path.empty() || path == "-") {
    llvm::raw_ostream &os = path.empty() ? llvm::errs() : llvm::outs();
    print(os);
    os.flush();
    return success();
  }
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path, &message);
  if (!file)
    return emitError(loc) << message;
  print(file->os());
  file->os().flush();
  if (file->os().has_error()) {
    std::string reason = file->os().error().message();
    file->os().clear_error();
    return emitError(loc) << "cannot write output file '" << path
                          << "': " << reason;
  }
  file->keep();
  return success();
}
