//===- CostModel.h - Time of an op on a target -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates how long an op takes on the target that the module names: a
// roofline of arithmetic and memory, with a rate for each element type, and a
// fixed cost for each launch.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_ANALYSIS_COSTMODEL_H
#define BRAID_ANALYSIS_COSTMODEL_H

#include "braid/Dialect/Sched/IR/Sched.h"
#include "mlir/IR/BuiltinOps.h"

namespace braid {

/// Facts about a device. The defaults stand for an H200. Rates of memory,
/// 16-bit and 8-bit arithmetic and the costs of a wait, of a launch without a
/// graph and of a replay were measured there (8 GiB copy, cuBLASLt 8192^3,
/// cudaStreamWaitEvent, an empty kernel, a graph of one); the others are
/// assumptions.
struct TargetFacts {
  double bytesPerSecond = 4.29e12;
  double flopsPerSecondF32 = 6.0e13; ///< assumed
  double flopsPerSecond16 = 8.39e14; ///< bf16 and f16
  double flopsPerSecond8 = 1.36e15;  ///< fp8 with block scales
  /// What each scaled block of a sum takes at least. Source: the products with
  /// block scales in docs/GpuSpeed.md, 12 us for 32 blocks and 13 us for 56,
  /// the latter summed in parts.
  double scaledBlockMicroseconds = 0.3;
  /// From one kernel to the next one on the same stream of a graph; assumed.
  double launchMicroseconds = 2.0;
  /// What the host needs to enqueue one kernel outside any graph.
  double eagerLaunchMicroseconds = 3.95;
  /// What one more graph replay costs.
  double replayMicroseconds = 2.0;
  /// What one more break costs: the host leaves the eager code and comes back;
  /// assumed.
  double breakMicroseconds = 2.0;
  /// A wait for another stream's event.
  double waitMicroseconds = 0.2;
  /// Up to how many tokens parallel streams pay; nothing if the target does not
  /// say.
  std::optional<int64_t> tokenThreshold;
  /// Whether auxiliary streams may be captured.
  bool capturesStreams = true;
};

class CostModel {
public:
  explicit CostModel(TargetFacts facts = {}) : facts(facts) {}

  /// Reads the facts from the module's `dlti.target_system_spec`, device "GPU",
  /// entries "braid.*"; what it does not say keeps its default. Emits an error
  /// for an entry that is not known or no number.
  static mlir::FailureOr<CostModel> get(mlir::ModuleOp module);

  /// Microseconds that the work of one execution takes for a token count,
  /// launch not included.
  double getWorkMicroseconds(sched::SchedulableOpInterface op,
                             int64_t tokens) const;

  /// Microseconds of one execution in a graph for a token count, launch
  /// included.
  double getMicroseconds(sched::SchedulableOpInterface op,
                         int64_t tokens) const;

  const TargetFacts &getFacts() const { return facts; }

private:
  TargetFacts facts;
};

} // namespace braid

#endif // BRAID_ANALYSIS_COSTMODEL_H
