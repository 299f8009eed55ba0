//===- EffectClassAnalysis.h - Which values are metadata? -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The class of every value of a program: whether it is metadata, of which kind,
// and of which function argument it comes. A forward data-flow analysis over
// SSA values, through regions, calls and views.
//
// The class of a buffer speaks of its address and its shape, since those are
// what a graph keeps. So a view of a transient buffer is transient, while a
// buffer that a kernel fills from it is ordinary memory: only the kernel must
// not be captured. The class of a scalar speaks of its value. A scalar that the
// host reads out of memory is host metadata, and so is all that it computes
// from it: views, sizes, induction variables.
//
// Calls are not told apart: an argument has the worst class of all that the
// callers pass and of what the function declares.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_ANALYSIS_EFFECTCLASSANALYSIS_H
#define BRAID_ANALYSIS_EFFECTCLASSANALYSIS_H

#include "braid/Dialect/Sched/IR/Sched.h"
#include "mlir/Analysis/DataFlowFramework.h"

namespace braid {

/// From what every graph may hold to what none may.
enum class ValueKind {
  /// The same at every replay, or an ordinary input of the graph.
  GraphSafe,
  /// Metadata in device memory: same address, new contents.
  DevicePersistent,
  /// Metadata in device memory whose address or shape may change.
  DeviceTransient,
  /// Known to the host, and may differ from call to call.
  HostMetadata,
};

/// "graph-safe", "device metadata, persistent", ...
llvm::StringRef stringify(ValueKind kind);

/// What is known about a value.
struct ValueClass {
  ValueKind kind = ValueKind::GraphSafe;
  /// The function argument that it comes from; null if it comes from none.
  mlir::Value origin;
  /// Place of the origin among the module's arguments: of two with equal kinds
  /// the first one is named.
  unsigned order = ~0u;

  bool operator==(const ValueClass &other) const {
    return kind == other.kind && origin == other.origin;
  }
  /// The worse of two.
  static ValueClass join(const ValueClass &a, const ValueClass &b);
  void print(llvm::raw_ostream &os) const;
};

/// Runs the analysis once, on a module or a function; what is looked up later
/// is what the program said then.
class EffectClassAnalysis {
public:
  explicit EffectClassAnalysis(mlir::Operation *top);

  ValueClass lookup(mlir::Value value) const;

private:
  mlir::DataFlowSolver solver;
};

} // namespace braid

#endif // BRAID_ANALYSIS_EFFECTCLASSANALYSIS_H
