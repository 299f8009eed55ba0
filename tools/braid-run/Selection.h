//===- Selection.h - A stored selection for index_select -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounding makes an indexer choose a few other entries, which changes outputs
// far more than the rounding of everything else. To compare a layer with a
// reference, both attend to the same entries: this kernel for `index_select`
// returns those of a file.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_TOOLS_BRAID_RUN_SELECTION_H
#define BRAID_TOOLS_BRAID_RUN_SELECTION_H

#include "braid/runtime.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace braid {

struct ContextDeleter {
  void operator()(braid_context *context) const {
    braid_context_destroy(context);
  }
};
using ContextPointer = std::unique_ptr<braid_context, ContextDeleter>;

/// The entries that the tokens of one sequence attend to, from position
/// `firstPosition` on. Tokens before it attend to none. For programs with one
/// `index_select`, which run one call at a time.
class Selection {
public:
  /// `entries` [tokens, columns] has a row for each of these tokens, ascending
  /// and filled up with -1.
  Selection(std::vector<int32_t> entries, int64_t columns,
            int64_t firstPosition);

  /// Registers the kernel. The selection has to outlive the work of `context`.
  llvm::Error registerWith(braid_context *context);

  int64_t getNumColumns() const { return columns; }
  /// What the layer would have selected, in the same form, from its own queries
  /// and keys; empty before the first call.
  llvm::ArrayRef<int32_t> getOwn() const { return own; }
  /// In how many entries the layer's own selection differs.
  int64_t countDifferences() const;

private:
  braid_status check(const braid_kernel_call &call) const;
  braid_status run(const braid_kernel_call &call);
  /// Runs the kernel that the runtime brings along.
  braid_status runBuiltIn(const braid_kernel_call &call, int64_t firstRow,
                          int64_t numReal);

  std::vector<int32_t> entries, own;
  int64_t columns, firstPosition;
  ContextPointer builtIn;
};

} // namespace braid

#endif // BRAID_TOOLS_BRAID_RUN_SELECTION_H
