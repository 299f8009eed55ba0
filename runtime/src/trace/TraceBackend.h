//===- TraceBackend.h - Prints what would run -------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes nothing and prints one line for each thing that compiled code asks
// for, without addresses, so that FileCheck can read it.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_TRACE_TRACEBACKEND_H
#define BRAID_RUNTIME_TRACE_TRACEBACKEND_H

#include "core/Backend.h"

#include <string>

namespace braid::runtime {

/// The trace backend. Launches need no kernel, so programs with types that no
/// kernel here supports can be traced too.
class TraceBackend final : public Backend {
public:
  explicit TraceBackend(const braid_context_options &options)
      : sink(options.trace), userData(options.trace_user_data) {}

  bool needsKernels() const override { return false; }
  Error reserveStreams(int32_t) override { return Error::success(); }
  Error reserveEvents(int32_t) override { return Error::success(); }
  Error launch(const Launch &launch) override;
  Error record(int32_t stream, int32_t slot) override;
  Error wait(int32_t stream, int32_t slot) override;
  Error reserveCallerEvents(int32_t) override { return Error::success(); }
  Error recordForCaller(int32_t stream, int32_t event) override {
    return record(stream, event);
  }
  Error waitForCaller(int32_t stream, int32_t event) override {
    return wait(stream, event);
  }
  Error beginCapture() override;
  Error endCapture(bool keep, std::unique_ptr<Graph> &graph) override;
  Error replay(const Graph &graph) override;
  void retire(std::unique_ptr<Graph>) override {}
  Error synchronize() override { return Error::success(); }

  void enterCall(const char *verb, const braid_function &function,
                 int64_t tokens) override;
  void enterDispatch(const braid_dispatch &dispatch, int32_t range,
                     int64_t threshold) override;
  void enterSchedule(const braid_schedule &schedule,
                     int64_t workspace) override;
  void enterSegment(const braid_region &segment, SegmentUse use) override;
  void enterEager(const braid_region &region) override;
  void leaveCall() override { indent = ""; }

private:
  void print(const std::string &line);
  void printStep(const std::string &line) { print(indent + line); }

  void (*sink)(const char *line, void *userData);
  void *userData;
  /// Before launches, records and waits: inside a call they are indented.
  std::string indent;
  std::unique_ptr<Graph> capture;
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_TRACE_TRACEBACKEND_H
