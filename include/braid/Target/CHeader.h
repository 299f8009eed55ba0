//===- CHeader.h - The C header of a compiled module ------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the header with which an engine calls compiled functions: C99, one
// struct of arguments for each function, and what to do with it.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_TARGET_CHEADER_H
#define BRAID_TARGET_CHEADER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace braid {

/// An identifier of C and C++ like `text`.
std::string makeCIdentifier(llvm::StringRef text);

/// Whether an engine calls `function`: it is public, and no kernel.
bool isCompiledEntry(mlir::func::FuncOp function);

/// Writes the header of the public functions of `module`, which holds schedules
/// on buffers and whose public functions have names that C knows. `name` is the
/// header's, without `.h`; it makes the include guard. Fails if two arguments
/// of a function would have the same name in C.
llvm::Error printCHeader(mlir::ModuleOp module, llvm::StringRef name,
                         llvm::raw_ostream &os);

} // namespace braid

#endif // BRAID_TARGET_CHEADER_H
