//===- BraidPlugin.cpp - Braid in the stock mlir-opt ------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two entry points through which mlir-opt and tools like it load Braid's
// dialects (--load-dialect-plugin) and passes and pipelines
// (--load-pass-plugin). What the tool registered itself stays as it is.
//
//===----------------------------------------------------------------------===//

#include "braid/InitAll.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

/// Found by name in the file that --load-dialect-plugin names.
extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Braid", BRAID_VERSION,
          [](mlir::DialectRegistry *registry) {
            braid::registerAllDialects(*registry);
          }};
}

/// Found by name in the file that --load-pass-plugin names.
extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Braid", BRAID_VERSION,
          braid::registerAllPasses};
}
