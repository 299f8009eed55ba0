//===- Passes.h - Passes of the sched dialect -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructors and registration of the passes declared in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_SCHED_TRANSFORMS_PASSES_H
#define BRAID_DIALECT_SCHED_TRANSFORMS_PASSES_H

#include "braid/Dialect/Sched/IR/Sched.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace braid::sched {

/// How sched-assign-streams chooses streams; see braid/Scheduling/Schedulers.h.
enum class StreamAlgorithm { Serial, CriticalPath, ChainCover };

/// How sched-dump-statistics writes its figures.
enum class StatisticsFormat { Table, CSV, JSON };

/// How sched-print-schedule draws.
enum class PictureFormat { Text, SVG, Dot };

#define GEN_PASS_DECL
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "braid/Dialect/Sched/Transforms/Passes.h.inc"

} // namespace braid::sched

#endif // BRAID_DIALECT_SCHED_TRANSFORMS_PASSES_H
