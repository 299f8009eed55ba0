//===- TraceBackend.cpp - Prints what would run ---------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lines of the trace.
//
//===----------------------------------------------------------------------===//

#include "TraceBackend.h"

#include "core/Tensor.h"

#include <cstdio>

using namespace braid::runtime;

void TraceBackend::print(const std::string &line) {
  if (sink)
    return sink(line.c_str(), userData);
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

static std::string operandString(const braid_tensor *tensor, int32_t access) {
  if (!tensor)
    return "none";
  std::string text = typeString(*tensor);
  if (access != BRAID_ACCESS_NONE)
    text += ' ';
  if (access & BRAID_ACCESS_READ)
    text += 'r';
  if (access & BRAID_ACCESS_WRITE)
    text += 'w';
  return text;
}

static std::string paramString(const braid_param &param) {
  char value[64];
  if (param.kind == BRAID_PARAM_INT)
    std::snprintf(value, sizeof(value), "%lld",
                  static_cast<long long>(param.value.i));
  else
    std::snprintf(value, sizeof(value), "%g", param.value.f);
  return std::string(param.name) + "=" + value;
}

Error TraceBackend::launch(const Launch &launch) {
  const braid_op &op = *launch.op;
  std::string line =
      "launch s" + std::to_string(launch.stream) + " " + op.name + " [";
  for (int64_t i = 0; i < op.num_operands; ++i) {
    if (i)
      line += ", ";
    line += operandString(launch.operands[i], op.accesses[i]);
  }
  line += "]";
  for (int64_t i = 0; i < op.num_params; ++i)
    line += " " + paramString(op.params[i]);
  if (op.location && *op.location)
    line += std::string(" loc(") + op.location + ")";
  printStep(line);
  if (capture)
    ++capture->launches;
  return Error::success();
}

Error TraceBackend::record(int32_t stream, int32_t slot) {
  printStep("record s" + std::to_string(stream) + " e" + std::to_string(slot));
  return Error::success();
}

Error TraceBackend::wait(int32_t stream, int32_t slot) {
  printStep("wait s" + std::to_string(stream) + " e" + std::to_string(slot));
  return Error::success();
}

Error TraceBackend::beginCapture() {
  capture = std::make_unique<Graph>();
  return Error::success();
}

Error TraceBackend::endCapture(bool keep, std::unique_ptr<Graph> &graph) {
  if (keep)
    graph = std::move(capture);
  capture.reset();
  return Error::success();
}

Error TraceBackend::replay(const Graph &) { return Error::success(); }

void TraceBackend::enterCall(const char *verb, const braid_function &function,
                             int64_t tokens) {
  indent = "  ";
  print(std::string(verb) + " " + function.name +
        " tokens=" + (tokens < 0 ? "none" : std::to_string(tokens)));
}

void TraceBackend::enterDispatch(const braid_dispatch &dispatch, int32_t range,
                                 int64_t threshold) {
  print(std::string("dispatch ") + dispatch.name +
        " range=" + std::to_string(range) +
        (dispatch.gate ? " threshold=" + std::to_string(threshold) : ""));
}

void TraceBackend::enterSchedule(const braid_schedule &schedule,
                                 int64_t workspace) {
  print(std::string("schedule ") + schedule.name +
        " streams=" + std::to_string(schedule.num_streams) +
        " events=" + std::to_string(schedule.num_events) +
        " workspace=" + std::to_string(workspace));
}

void TraceBackend::enterSegment(const braid_region &segment, SegmentUse use) {
  const char *how = use == SegmentUse::Capture  ? " capture"
                    : use == SegmentUse::Replay ? " replay"
                                                : " eager";
  print(std::string("segment ") + segment.name + how);
}

void TraceBackend::enterEager(const braid_region &region) {
  print(std::string("eager region ") + region.name);
}
