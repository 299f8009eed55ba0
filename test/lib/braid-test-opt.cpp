//===- braid-test-opt.cpp - braid-opt with test passes ----------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// braid-opt and the passes of this folder, which print what analyses and
// interfaces say. A program of its own, so that the installed braid-opt has
// none of them.
//
//===----------------------------------------------------------------------===//

#include "braid/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

namespace braid::test {
void registerTestPasses();
} // namespace braid::test

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  braid::registerAllDialects(registry);
  braid::registerAllPasses();
  braid::test::registerTestPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Braid: passes for tests\n", registry));
}
