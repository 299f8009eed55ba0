//===- Mutants.h - Schedules with one mistake -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every way to take one wait away, move one record, swap two launches or share
// one buffer too many.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_TEST_STRESS_MUTANTS_H
#define BRAID_TEST_STRESS_MUTANTS_H

#include "Random.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace braid::stress {

enum class MutantKind {
  RemoveWait,  ///< one event of one wait
  MoveRecord,  ///< one op earlier
  SwapStream,  ///< two neighbours on one stream
  SwapEnqueue, ///< two neighbours in the order of enqueueing
  Share,       ///< one buffer gets the place of another
};
constexpr unsigned NumMutantKinds = 5;
const char *getName(MutantKind kind);

/// Ops are counted in the order of a walk over the module.
struct Mutant {
  MutantKind kind;
  unsigned op, other;
};

/// All mutants of a scheduled module; of each kind at most `limit`, chosen by
/// `random`.
std::vector<Mutant> findMutants(mlir::ModuleOp module, unsigned limit,
                                Random &random);

/// A copy of `module` with the mistake in it.
mlir::OwningOpRef<mlir::ModuleOp> apply(mlir::ModuleOp module,
                                        const Mutant &mutant);

} // namespace braid::stress

#endif // BRAID_TEST_STRESS_MUTANTS_H
