//===- ExpandForkJoin.cpp - Fork and join as records and waits -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-expand-fork-join.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_EXPANDFORKJOINPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

using namespace braid::sched;

/// A record on `stream`, whose event is not bound to a slot yet.
static Value createRecord(OpBuilder &builder, Location loc, Value stream) {
  return RecordOp::create(builder, loc, stream, /*slot=*/IntegerAttr());
}

static void expand(ForkOp fork) {
  OpBuilder builder(fork);
  Value event = createRecord(builder, fork.getLoc(), fork.getOrigin());
  for (Value branch : fork.getBranches())
    WaitOp::create(builder, fork.getLoc(), branch, event);
  fork.erase();
}

static void expand(JoinOp join) {
  OpBuilder builder(join);
  SmallVector<Value> events;
  for (Value branch : join.getBranches())
    events.push_back(createRecord(builder, join.getLoc(), branch));
  WaitOp::create(builder, join.getLoc(), join.getOrigin(), events);
  join.erase();
}

namespace {
class ExpandForkJoinPass
    : public braid::sched::impl::ExpandForkJoinPassBase<ExpandForkJoinPass> {
public:
  void runOnOperation() override {
    getOperation()->walk([](ForkOp fork) { expand(fork); });
    getOperation()->walk([](JoinOp join) { expand(join); });
  }
};
} // namespace
