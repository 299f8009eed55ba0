//===- acme-opt.cpp - Braid and one pass more -------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs passes and pipelines of Braid and of this project.
//
//===----------------------------------------------------------------------===//

#include "Acme.h"

#include "braid/InitAll.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  braid::registerAllDialects(registry);
  braid::registerAllPasses();
  acme::registerDialect(registry);
  acme::registerFuseNormPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Acme: Braid and one pass more\n", registry));
}
