//===- CommandLine.h - Options of the pipelines in tools --------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options of the pipelines as tools other than braid-opt have them.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_PIPELINES_COMMANDLINE_H
#define BRAID_PIPELINES_COMMANDLINE_H

#include "braid/Pipelines/Pipelines.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace braid {

/// Declares `--capture`, `--narrow`, `--max-streams` and `--token-threshold` in
/// `category`. Make one before the command line is parsed.
class PipelineCommandLine {
public:
  explicit PipelineCommandLine(llvm::cl::OptionCategory &category);

  /// Writes what was given to `options`. Fails, naming the option, for a value
  /// that is out of range.
  llvm::Error apply(PipelineOptions &options) const;

private:
  llvm::cl::opt<bool> capture;
  llvm::cl::opt<bool> narrow;
  llvm::cl::opt<unsigned> maxStreams;
  llvm::cl::opt<int64_t> tokenThreshold;
};

} // namespace braid

#endif // BRAID_PIPELINES_COMMANDLINE_H
