//===- ArgumentAccess.h - How a function touches its arguments --*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a function on buffers reads or writes the memory behind an argument,
// through views and calls.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_ANALYSIS_ARGUMENTACCESS_H
#define BRAID_ANALYSIS_ARGUMENTACCESS_H

#include "braid/Dialect/Sched/IR/Sched.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace braid {

/// Remembers what it found; the functions must not change meanwhile.
class ArgumentAccessAnalysis {
public:
  sched::Access get(mlir::func::FuncOp function, unsigned index);

private:
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, sched::Access> known;
};

} // namespace braid

#endif // BRAID_ANALYSIS_ARGUMENTACCESS_H
