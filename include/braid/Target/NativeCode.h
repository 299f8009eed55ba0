//===- NativeCode.h - Object files and libraries ----------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a module in the LLVM dialect to what a linker takes.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_TARGET_NATIVECODE_H
#define BRAID_TARGET_NATIVECODE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace braid {

/// Makes the LLVM dialect translatable in `registry`'s contexts.
void registerNativeCodeTranslations(mlir::DialectRegistry &registry);

/// Writes position-independent code for `triple` (empty: the host) to `object`.
/// Only the `braid_function_*` constants stay visible outside of it. Fails for
/// a triple that is not x86-64 or AArch64 with 64-bit pointers and ELF files.
llvm::Error emitObject(mlir::ModuleOp module, llvm::StringRef triple,
                       llvm::SmallVectorImpl<char> &object);

/// Writes the module's LLVM IR as text, as emitObject would compile it.
llvm::Error emitLlvmIr(mlir::ModuleOp module, llvm::StringRef triple,
                       llvm::raw_ostream &os);

/// Writes an archive with one member, called `member`.
llvm::Error writeStaticLibrary(llvm::StringRef path, llvm::StringRef member,
                               llvm::ArrayRef<char> object);

/// Links a shared library with the C compiler driver `linker` (a name that is
/// looked up in PATH, or a path).
llvm::Error linkSharedLibrary(llvm::StringRef path, llvm::StringRef linker,
                              llvm::ArrayRef<char> object);

} // namespace braid

#endif // BRAID_TARGET_NATIVECODE_H
