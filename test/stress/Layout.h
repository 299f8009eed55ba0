//===- Layout.h - Where the elements of a buffer or view lie -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows views from a memref to the buffer behind it for one token count, with
// numbers only. Written for the stress test alone, so that it shares no mistake
// with lib/Analysis.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_TEST_STRESS_LAYOUT_H
#define BRAID_TEST_STRESS_LAYOUT_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>

namespace braid::stress {

/// Extents and strides of a memref, in elements from its base's start.
struct Layout {
  mlir::Value base; ///< an allocation or a function argument
  int64_t offset = 0;
  llvm::SmallVector<int64_t, 4> sizes, strides;
};

/// Row-major, without gaps.
Layout makeContiguous(mlir::Value base, llvm::ArrayRef<int64_t> sizes);

/// Layouts of one call.
class LayoutEvaluator {
public:
  /// `getBase` gives the layout of what is no view.
  LayoutEvaluator(int64_t tokens, std::function<Layout(mlir::Value)> getBase)
      : tokens(tokens), getBase(std::move(getBase)) {}

  const Layout &get(mlir::Value memref);
  int64_t getIndex(mlir::Value index);

private:
  Layout compute(mlir::Value memref);

  int64_t tokens;
  std::function<Layout(mlir::Value)> getBase;
  llvm::DenseMap<mlir::Value, Layout> layouts;
};

} // namespace braid::stress

#endif // BRAID_TEST_STRESS_LAYOUT_H
