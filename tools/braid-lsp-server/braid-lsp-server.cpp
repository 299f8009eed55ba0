//===- braid-lsp-server.cpp - The language server ---------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's language server with the dialects that braid-opt knows, so that
// editors show the errors, definitions and ops of Braid's programs.
//
//===----------------------------------------------------------------------===//

#include "braid/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/LogicalResult.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  braid::registerAllDialects(registry);
  return llvm::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
