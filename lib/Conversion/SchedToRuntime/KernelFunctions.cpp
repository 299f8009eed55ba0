//===- KernelFunctions.cpp - Host functions as kernels -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the lowering. Inside a kernel function a memref is upstream's
// descriptor; the wrapper makes it from a braid_tensor.
//
//===----------------------------------------------------------------------===//

#include "KernelFunctions.h"

#include "braid/Dialect/Sched/IR/Sched.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace braid;

std::string braid::getKernelWrapperName(StringRef function) {
  return (function + ".kernel").str();
}

/// Builds the wrapper: one descriptor, in its parts, for each memref.
static void buildWrapper(ModuleOp module, StringRef name, Location loc,
                         ArrayRef<MemRefType> arguments,
                         LLVM::LLVMStructType tensorType) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(module.getContext());
  Type i64 = builder.getI64Type();
  auto wrapper = LLVM::LLVMFuncOp::create(
      builder, loc, getKernelWrapperName(name),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(module.getContext()),
                                  {pointer}),
      LLVM::Linkage::Internal);
  Block *block = wrapper.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  SmallVector<Value> operands;
  for (auto [index, type] : llvm::enumerate(arguments)) {
    Value slot = LLVM::GEPOp::create(
        builder, loc, pointer, pointer, block->getArgument(0),
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    Value tensor = LLVM::LoadOp::create(builder, loc, pointer, slot);
    auto load = [&](Type fieldType, ArrayRef<LLVM::GEPArg> indices) {
      Value address = LLVM::GEPOp::create(builder, loc, pointer, tensorType,
                                          tensor, indices);
      return LLVM::LoadOp::create(builder, loc, fieldType, address);
    };
    Value data = load(pointer, {0, 0});
    // The data pointer has the offset in it. Where the type fixes one, the
    // function adds it again, whatever the descriptor says.
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    (void)type.getStridesAndOffset(strides, offset);
    if (ShapedType::isDynamic(offset))
      offset = 0;
    if (offset != 0) {
      int64_t bytes =
          offset * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      Value back = LLVM::ConstantOp::create(builder, loc,
                                            builder.getI64IntegerAttr(-bytes));
      data = LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(),
                                 data, ArrayRef<LLVM::GEPArg>{back});
    }
    operands.append({data, data,
                     LLVM::ConstantOp::create(
                         builder, loc, builder.getI64IntegerAttr(offset))});
    for (int32_t field : {1, 2})
      for (int32_t dim = 0; dim < type.getRank(); ++dim)
        operands.push_back(load(i64, {0, field, dim}));
  }
  LLVM::CallOp::create(builder, loc, TypeRange(),
                       SymbolRefAttr::get(builder.getContext(), name),
                       operands);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

/// What a kernel function takes: memrefs with strides.
static LogicalResult verifyArguments(func::FuncOp function,
                                     SmallVectorImpl<MemRefType> &types) {
  if (function.isExternal())
    return function.emitOpError("is a kernel without a body; register a kernel "
                                "and use prefill.kernel instead");
  if (function.getNumResults() != 0)
    return function.emitOpError("is a kernel that returns values; expected it "
                                "to write its arguments");
  WalkResult result = function.walk([&](func::CallOp call) {
    InFlightDiagnostic diagnostic =
        call.emitOpError("lies in a kernel, which is compiled by itself; "
                         "inline the callee");
    diagnostic.attachNote(function.getLoc()) << "the kernel is here";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    if (!memref || failed(memref.getStridesAndOffset(strides, offset)))
      return function.emitOpError()
             << "is a kernel whose argument " << index << " has type " << type
             << "; expected a strided memref";
    types.push_back(memref);
  }
  return success();
}

LogicalResult braid::lowerKernelFunctions(
    ModuleOp module, LLVM::LLVMStructType tensorType,
    function_ref<LogicalResult(OpPassManager &, Operation *)> runPipeline) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(sched::SchedDialect::getKernelAttrName()))
      functions.push_back(function);
  if (functions.empty())
    return success();

  // In a module of their own, since upstream's passes convert whole modules.
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto kernels = ModuleOp::create(builder, module.getLoc());
  SmallVector<std::pair<std::string, SmallVector<MemRefType>>> wrapped;
  for (func::FuncOp function : functions) {
    SmallVector<MemRefType> types;
    if (failed(verifyArguments(function, types)))
      return failure();
    wrapped.emplace_back(function.getSymName().str(), types);
    function->removeAttr(sched::SchedDialect::getKernelAttrName());
    function->removeAttr(sched::SchedDialect::getEffectAttrName());
    function.removeArgAttrsAttr();
    function->moveBefore(kernels.getBody(), kernels.getBody()->end());
  }
  OpPassManager pm(ModuleOp::getOperationName());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  if (failed(runPipeline(pm, kernels)))
    return failure();
  for (Operation &op : llvm::make_early_inc_range(*kernels.getBody()))
    op.moveBefore(kernels);
  kernels.erase();
  for (auto &[name, types] : wrapped)
    buildWrapper(module, name, module.getLoc(), types, tensorType);
  return success();
}
