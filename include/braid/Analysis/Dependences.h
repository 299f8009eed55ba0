//===- Dependences.h - Which launches have to keep their order -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dependences between launches that follow each other in one block: read
// after write, write after read and write after write on overlapping memory.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_ANALYSIS_DEPENDENCES_H
#define BRAID_ANALYSIS_DEPENDENCES_H

#include "braid/Dialect/Sched/IR/Sched.h"

namespace braid {

/// For each launch, ascending, the earlier ones that it must come after. Edges
/// that others imply may be missing: the transitive closure is complete.
std::vector<llvm::SmallVector<unsigned>>
computeDependences(llvm::ArrayRef<sched::LaunchOp> launches);

} // namespace braid

#endif // BRAID_ANALYSIS_DEPENDENCES_H
