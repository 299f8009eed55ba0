//===- ExternalModels.cpp - Upstream ops that can be scheduled -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// External models of SchedulableOpInterface.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Sched/IR/ExternalModels.h"

#include "braid/Dialect/Sched/IR/Sched.h"

using namespace mlir;
using namespace braid::sched;

namespace {
/// memref.copy: operand 0 is read, operand 1 written.
struct CopyModel
    : public SchedulableOpInterface::ExternalModel<CopyModel, memref::CopyOp> {
  Access getAccess(Operation *, OpOperand &operand) const {
    return operand.getOperandNumber() == 0 ? Access::Read : Access::Write;
  }
};
} // namespace

void braid::sched::registerExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, memref::MemRefDialect *) {
    memref::CopyOp::attachInterface<CopyModel>(*context);
  });
}
