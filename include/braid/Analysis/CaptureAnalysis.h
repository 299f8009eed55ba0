//===- CaptureAnalysis.h - May an op be captured into a graph? -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides from an op's effect class and the classes of its operands whether a
// CUDA graph may hold it, and says which operand forbids it. Knows ops only
// through SchedulableOpInterface.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_ANALYSIS_CAPTUREANALYSIS_H
#define BRAID_ANALYSIS_CAPTUREANALYSIS_H

#include "braid/Analysis/EffectClassAnalysis.h"

namespace braid {

/// Why an op must not be captured.
struct CaptureObstacle {
  /// The operand that forbids it; null if the op itself does.
  mlir::OpOperand *operand;
  /// One sentence for remarks, without the op's name.
  std::string reason;
};

/// The value whose memory `value` is a view of: follows subviews, casts,
/// reshapes and slices back to an allocation or an argument.
mlir::Value getViewSource(mlir::Value value);

/// The metadata attribute of the function argument that `value` is, or is a
/// view of; null for ordinary values.
sched::MetadataAttrInterface getMetadata(mlir::Value value);

/// Name of the function argument that `value` is, or is a view of: the string
/// in its `*.name` attribute, or "argument N"; "" for other values.
std::string getArgumentName(mlir::Value value);

/// Why `op` must not be captured, or nothing if it may be.
std::optional<CaptureObstacle>
findCaptureObstacle(sched::SchedulableOpInterface op,
                    const EffectClassAnalysis &classes);

/// Why no graph may hold an op that has `operand` and is no host code: the
/// class of the operand's value; nothing if that allows it.
std::optional<CaptureObstacle>
findOperandObstacle(mlir::OpOperand &operand,
                    const EffectClassAnalysis &classes);

} // namespace braid

#endif // BRAID_ANALYSIS_CAPTUREANALYSIS_H
