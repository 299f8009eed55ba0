//===- EffectConflicts.h - Do two ops have to keep their order? -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides from memory effects whether two ops conflict: one writes what the
// other reads or writes, through views and without an edge between values. For
// programs on tensors, where caches are the only memory.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_ANALYSIS_EFFECTCONFLICTS_H
#define BRAID_ANALYSIS_EFFECTCONFLICTS_H

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace braid {

/// The memory that one op touches, collected once.
class EffectSet {
public:
  /// Effects of `op` and of the ops in its regions. Unknown effects conflict
  /// with every effect.
  explicit EffectSet(mlir::Operation *op);

  /// Whether the op touches memory at all.
  bool isEmpty() const { return !isUnknown && accesses.empty(); }

  /// Whether the two ops have to keep their order: both touch the same memory
  /// (or resource, where an effect names no value) and at least one writes.
  bool conflictsWith(const EffectSet &other) const;

private:
  enum Kind : unsigned { Read = 1, Write = 2 };
  /// The memory: where a value's view chain starts, or a resource.
  struct Location {
    const void *identity;
    bool isResource;
    mlir::SideEffects::Resource *resource;
  };
  llvm::SmallVector<std::pair<Location, unsigned>, 4> accesses;
  bool isUnknown = false;
};

} // namespace braid

#endif // BRAID_ANALYSIS_EFFECTCONFLICTS_H
