//===- Layout.cpp - Where the elements of a buffer or view lie -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements LayoutEvaluator.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace braid::stress;

[[noreturn]] static void failOn(Value value) {
  llvm::errs() << "braid-stress cannot follow " << value << "\n";
  llvm::report_fatal_error("a view that the stress test does not know");
}

Layout braid::stress::makeContiguous(Value base, ArrayRef<int64_t> sizes) {
  Layout layout;
  layout.base = base;
  layout.sizes.assign(sizes.begin(), sizes.end());
  layout.strides.resize(sizes.size());
  int64_t stride = 1;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    layout.strides[dim] = stride;
    stride *= sizes[dim];
  }
  return layout;
}

int64_t LayoutEvaluator::getIndex(Value index) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  if (auto dim = index.getDefiningOp<memref::DimOp>())
    return get(dim.getSource()).sizes[*dim.getConstantIndex()];
  if (auto product = index.getDefiningOp<arith::MulIOp>())
    return getIndex(product.getLhs()) * getIndex(product.getRhs());
  if (auto sum = index.getDefiningOp<arith::AddIOp>())
    return getIndex(sum.getLhs()) + getIndex(sum.getRhs());
  failOn(index);
}

const Layout &LayoutEvaluator::get(Value memref) {
  auto it = layouts.find(memref);
  if (it != layouts.end())
    return it->second;
  Layout layout = compute(memref);
  return layouts[memref] = std::move(layout);
}

Layout LayoutEvaluator::compute(Value memref) {
  Operation *op = memref.getDefiningOp();
  auto resolve = [&](OpFoldResult value) {
    if (auto attribute = dyn_cast<Attribute>(value))
      return cast<IntegerAttr>(attribute).getInt();
    return getIndex(cast<Value>(value));
  };
  if (auto subview = dyn_cast_or_null<memref::SubViewOp>(op)) {
    Layout source = get(subview.getSource()), result;
    result.base = source.base;
    result.offset = source.offset;
    llvm::SmallBitVector dropped = subview.getDroppedDims();
    for (unsigned dim = 0; dim < source.sizes.size(); ++dim) {
      result.offset +=
          resolve(subview.getMixedOffsets()[dim]) * source.strides[dim];
      if (dropped.test(dim))
        continue;
      result.sizes.push_back(resolve(subview.getMixedSizes()[dim]));
      result.strides.push_back(resolve(subview.getMixedStrides()[dim]) *
                               source.strides[dim]);
    }
    return result;
  }
  if (auto expand = dyn_cast_or_null<memref::ExpandShapeOp>(op)) {
    Layout source = get(expand.getSrc()), result;
    result.base = source.base;
    result.offset = source.offset;
    for (OpFoldResult size : expand.getMixedOutputShape())
      result.sizes.push_back(resolve(size));
    result.strides.resize(result.sizes.size());
    for (auto [dim, group] :
         llvm::enumerate(expand.getReassociationIndices())) {
      int64_t stride = source.strides[dim];
      for (int64_t inner : llvm::reverse(group)) {
        result.strides[inner] = stride;
        stride *= result.sizes[inner];
      }
    }
    return result;
  }
  if (auto collapse = dyn_cast_or_null<memref::CollapseShapeOp>(op)) {
    Layout source = get(collapse.getSrc()), result;
    result.base = source.base;
    result.offset = source.offset;
    for (ReassociationIndices group : collapse.getReassociationIndices()) {
      int64_t size = 1;
      for (int64_t inner : group)
        size *= source.sizes[inner];
      result.sizes.push_back(size);
      result.strides.push_back(source.strides[group.back()]);
    }
    return result;
  }
  if (auto castOp = dyn_cast_or_null<memref::CastOp>(op))
    return get(castOp.getSource());
  return getBase(memref);
}
