//===- SeparateDestinations.cpp - A destination for each op -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements sched-separate-destinations.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/Transforms/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace braid::sched {
#define GEN_PASS_DEF_SEPARATEDESTINATIONSPASS
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"
} // namespace braid::sched

/// Slices, insertions and reshapes are views of what they take.
static bool isTensorOp(Operation *op) {
  return isa<tensor::TensorDialect>(op->getDialect());
}

namespace {
class SeparateDestinationsPass
    : public braid::sched::impl::SeparateDestinationsPassBase<
          SeparateDestinationsPass> {
public:
  void runOnOperation() override {
    SmallVector<tensor::EmptyOp> shared;
    getOperation().walk([&](tensor::EmptyOp empty) {
      if (!empty->hasOneUse() && !empty->use_empty())
        shared.push_back(empty);
    });
    for (tensor::EmptyOp empty : shared) {
      OpBuilder builder(empty);
      // A slice and what is inserted into it again are one buffer; they keep
      // the op. Where there is none, the first use does.
      bool isTaken = llvm::any_of(empty->getUsers(), isTensorOp);
      for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
        if (isTensorOp(use.getOwner()))
          continue;
        if (isTaken)
          use.set(builder.clone(*empty)->getResult(0));
        isTaken = true;
      }
    }
  }
};
} // namespace
