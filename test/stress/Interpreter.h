//===- Interpreter.h - Runs a schedule without compiling it -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks a scheduled function and calls the runtime as compiled code would.
// Native code takes longer to generate than everything else that is done with a
// random program; a sample of them goes that way too.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_TEST_STRESS_INTERPRETER_H
#define BRAID_TEST_STRESS_INTERPRETER_H

#include "Layout.h"
#include "braid/Dialect/Sched/IR/Sched.h"
#include "braid/compiled.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <deque>
#include <memory>

namespace braid::stress {

/// One scheduled function. The module must outlive it and stay as it is.
class Interpreter {
public:
  explicit Interpreter(mlir::func::FuncOp function);

  /// Takes arguments and name from `like`, which was compiled from the same
  /// source.
  void describeAs(const braid_function &like);

  /// As braid_prepare and braid_execute; `call.function` is set here.
  braid_status prepare(braid_context *context, braid_call call);
  braid_status execute(braid_context *context, braid_call call);

private:
  static void enter(braid_frame *frame, const braid_tensor *arguments);
  void runBlock(mlir::Block &block);
  void runSchedule(sched::ScheduleOp schedule);
  void runSegment(sched::SegmentOp segment);
  void runLaunch(sched::LaunchOp launch);
  const braid_tensor *getTensor(mlir::Value memref);

  mlir::func::FuncOp function;
  braid_function description = {};

  // Tables, with addresses that stay.
  std::vector<braid_argument> argumentTable;
  std::deque<std::vector<int64_t>> extents;
  std::deque<std::string> strings;
  std::deque<std::vector<int32_t>> numbers;
  struct LaunchTable {
    braid_op op = {};
    std::vector<int32_t> accesses, metadata;
    std::vector<braid_param> params;
    llvm::SmallVector<mlir::Value> operands; ///< null where absent
  };
  struct RegionTable {
    braid_region region = {};
    std::vector<int32_t> metadata;
    llvm::SmallVector<mlir::Value> liveIns;
  };
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<LaunchTable>> launches;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<RegionTable>> regions;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<braid_schedule>> schedules;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<braid_dispatch>> dispatches;
  std::vector<int32_t> accessesOfArguments;

  // One way through.
  braid_frame *frame = nullptr;
  const braid_tensor *actual = nullptr;
  char *workspace = nullptr;
  int64_t tokens = 0;
  std::unique_ptr<LayoutEvaluator> layouts;
  std::deque<braid_tensor> tensors;
  llvm::DenseMap<mlir::Value, const braid_tensor *> tensorOf;
};

/// The token count's argument of a function, if there is one.
mlir::Value findTokenCarrier(mlir::func::FuncOp function);

} // namespace braid::stress

#endif // BRAID_TEST_STRESS_INTERPRETER_H
