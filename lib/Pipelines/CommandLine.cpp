//===- CommandLine.cpp - Options of the pipelines in tools ----------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares and checks the options.
//
//===----------------------------------------------------------------------===//

#include "braid/Pipelines/CommandLine.h"

using namespace llvm;
using namespace braid;

PipelineCommandLine::PipelineCommandLine(cl::OptionCategory &category)
    : capture("capture",
              cl::desc("Form captured segments and replay them (default on)"),
              cl::init(true), cl::cat(category)),
      narrow("narrow",
             cl::desc("Move what may be captured out of eager regions (default "
                      "on)"),
             cl::init(true), cl::cat(category)),
      maxStreams("max-streams",
                 cl::desc("Most streams, stream 0 included (default 4)"),
                 cl::init(4), cl::value_desc("n"), cl::cat(category)),
      tokenThreshold("token-threshold",
                     cl::desc("Most tokens for which work is overlapped; 0 is "
                              "never, -1 what the target says (default)"),
                     cl::init(-1), cl::value_desc("n"), cl::cat(category)) {}

Error PipelineCommandLine::apply(PipelineOptions &options) const {
  auto error = [](const Twine &what) {
    return createStringError(inconvertibleErrorCode(), what);
  };
  if (maxStreams < 1)
    return error("--max-streams is 0; expected at least 1");
  if (tokenThreshold < -1)
    return error("--token-threshold is " + Twine(int64_t(tokenThreshold)) +
                 "; expected -1 or more");
  options.capture = bool(capture);
  options.narrow = bool(narrow);
  options.maxStreams = unsigned(maxStreams);
  options.tokenThreshold = int64_t(tokenThreshold);
  return Error::success();
}
