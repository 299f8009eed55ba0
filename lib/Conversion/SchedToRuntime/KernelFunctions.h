//===- KernelFunctions.h - Host functions as kernels -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers functions that carry sched.kernel to LLVM, with a wrapper that the
// runtime can call with an array of tensors.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_LIB_CONVERSION_SCHEDTORUNTIME_KERNELFUNCTIONS_H
#define BRAID_LIB_CONVERSION_SCHEDTORUNTIME_KERNELFUNCTIONS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace braid {

/// Lowers every kernel function of `module` by upstream's passes and adds
/// `void @<name>.kernel(const braid_tensor *const *operands)`. `tensorType` is
/// the LLVM type of a braid_tensor; `runPipeline` runs passes on an op inside
/// the module.
mlir::LogicalResult lowerKernelFunctions(
    mlir::ModuleOp module, mlir::LLVM::LLVMStructType tensorType,
    llvm::function_ref<mlir::LogicalResult(mlir::OpPassManager &,
                                           mlir::Operation *)>
        runPipeline);

/// Symbol of the wrapper of a kernel function.
std::string getKernelWrapperName(llvm::StringRef function);

} // namespace braid

#endif // BRAID_LIB_CONVERSION_SCHEDTORUNTIME_KERNELFUNCTIONS_H
