//===- PlanMemory.cpp - Places in the workspace -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-plan-memory: every buffer of a schedule gets bytes of its
// own.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

using namespace braid::sched;

/// Lays the buffers of `schedule` behind each other.
static LogicalResult planSchedule(ScheduleOp schedule) {
  MLIRContext *context = schedule.getContext();
  int64_t perToken = 0, fixed = 0, numBuffers = 0;
  WalkResult result = schedule.walk([&](AllocOp alloc) {
    LinearAttr bytes = alloc.getBytes();
    std::optional<int64_t> nextPerToken, nextFixed;
    if (bytes) {
      nextPerToken = llvm::checkedAdd(perToken, bytes.getPerToken());
      nextFixed = llvm::checkedAdd(fixed, bytes.getFixed());
    }
    if (!nextPerToken || !nextFixed) {
      alloc.emitOpError() << "buffer of type " << alloc.getType()
                          << " makes the workspace exceed 2^63 bytes";
      return WalkResult::interrupt();
    }
    alloc.setOffsetAttr(LinearAttr::get(context, perToken, fixed));
    perToken = *nextPerToken;
    fixed = *nextFixed;
    ++numBuffers;
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  schedule.setWorkspaceAttr(LinearAttr::get(context, perToken, fixed));
  remark::passed(
      schedule.getLoc(),
      remark::RemarkOpts::name("WorkspacePlanned").category("sched-memory"))
      << remark::metric("Buffers", numBuffers)
      << remark::metric("BytesPerToken", perToken)
      << remark::metric("FixedBytes", fixed);
  return success();
}

namespace {
class PlanMemoryPass
    : public braid::sched::impl::PlanMemoryPassBase<PlanMemoryPass> {
public:
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](ScheduleOp schedule) {
      return failed(planSchedule(schedule)) ? WalkResult::interrupt()
                                            : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
