//===- Program.h - A program compiled in memory -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the compile pipeline on a module and compiles the result for this
// machine, so that a function of it can be handed to the runtime. For tools and
// tests.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_EXECUTION_PROGRAM_H
#define BRAID_EXECUTION_PROGRAM_H

#include "braid/Pipelines/Pipelines.h"
#include "braid/runtime.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace braid {

/// Rows of a cache that are packed in bytes.
struct PackedRow {
  int64_t channels = 0;
  /// Channels in fp8, the first ones of a latent row; 0 for an index row.
  int64_t fp8Channels = 0;
};

/// An argument of a program's function, as the source says it.
struct ProgramArgument {
  std::string name;
  /// Extents; mlir::ShapedType::kDynamic where unknown.
  llvm::SmallVector<int64_t> shape;
  int32_t dtype = BRAID_F32; ///< a braid_dtype
  bool hasTokens = false;    ///< the leading extent is the token count
  bool isCache = false;      ///< lives from call to call
  bool isOutput = false;     ///< written, and not a cache
  int32_t metadata = BRAID_METADATA_NONE; ///< a braid_metadata
  /// Checkpoint tensors whose rows follow each other in it; empty if it is no
  /// weight.
  std::vector<std::string> weights;
  /// How it is computed, if it is a rotary table.
  std::optional<braid_rope> rope;
  /// What is in its rows, if it is a cache of i8.
  std::optional<PackedRow> packed;
};

/// What the schedule of a function consists of; of several token ranges, the
/// first one.
struct ProgramSummary {
  int64_t launches = 0;
  int64_t segments = 0;
  int64_t eagerRegions = 0;
  int64_t streams = 1;
  int64_t waits = 0;
  /// Most tokens for which work is overlapped, if there is such a limit.
  std::optional<int64_t> tokenThreshold;
};

/// One function, ready to be prepared and executed.
class Program {
public:
  ~Program();

  /// Compiles `module`, of which `function` names one public function; an empty
  /// name stands for the only one. Errors in the program itself are reported
  /// through the context's diagnostics; the returned error then says that
  /// compilation failed.
  static llvm::Expected<std::unique_ptr<Program>>
  compile(mlir::OwningOpRef<mlir::ModuleOp> module, llvm::StringRef function,
          const PipelineOptions &options);

  /// Valid as long as the program.
  const braid_function *getFunction() const { return function; }
  llvm::ArrayRef<ProgramArgument> getArguments() const { return arguments; }
  const ProgramSummary &getSummary() const { return summary; }
  llvm::StringRef getName() const { return name; }
  /// Tokens in a compressed entry; 0 if the function compresses nothing.
  int64_t getRatio() const { return ratio; }
  /// Most recent positions that a token attends to; 0 if it attends to none.
  int64_t getWindow() const { return window; }
  /// Seconds in passes, and in generating native code.
  double getPassSeconds() const { return passSeconds; }
  double getCodegenSeconds() const { return codegenSeconds; }

private:
  Program() = default;

  std::string name;
  std::vector<ProgramArgument> arguments;
  ProgramSummary summary;
  int64_t ratio = 0, window = 0;
  double passSeconds = 0, codegenSeconds = 0;
  std::unique_ptr<mlir::ExecutionEngine> engine;
  const braid_function *function = nullptr;
};

} // namespace braid

#endif // BRAID_EXECUTION_PROGRAM_H
