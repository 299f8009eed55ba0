//===- braid-import.cpp - From a model's configuration to MLIR -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a model's config.json and writes its attention layers in the prefill
// dialect.
//
//===----------------------------------------------------------------------===//

#include "braid/Import/ImportOptions.h"
#include "braid/InitAll.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

/// Prints `error: <sentence>` and returns the exit status.
static int fail(const Twine &what) {
  WithColor::error(errs(), "braid-import") << what << "\n";
  return 1;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  static cl::OptionCategory category("braid-import options");
  static cl::opt<std::string> input(cl::Positional, cl::Required,
                                    cl::desc("<config.json>"),
                                    cl::cat(category));
  static cl::opt<std::string> output(
      "o", cl::desc("Output file; '-' is stdout"), cl::value_desc("file"),
      cl::init("-"), cl::cat(category));
  static cl::opt<bool> bytecode("emit-bytecode", cl::desc("Write bytecode"),
                                cl::cat(category));
  static braid::ImportCommandLine importOptions(category);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Braid: from a model's configuration to MLIR\n\n"
      "Writes one function for each kind of attention layer in the model, and "
      "which layer uses which.\n");

  Expected<braid::ModelConfig> config = braid::readModelConfig(input);
  if (!config)
    return fail(toString(config.takeError()));
  Expected<braid::ImportOptions> options = importOptions.get();
  if (!options)
    return fail(toString(options.takeError()));

  mlir::DialectRegistry registry;
  braid::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      braid::importModel(&context, *config, *options);
  if (!module)
    return fail(input + ": " + toString(module.takeError()));
  if (failed(mlir::verify(**module)))
    return fail("the imported program is not valid; this is a bug in Braid");

  std::string message;
  std::unique_ptr<ToolOutputFile> file = mlir::openOutputFile(output, &message);
  if (!file)
    return fail(message);
  if (bytecode) {
    if (failed(mlir::writeBytecodeToFile(**module, file->os())))
      return fail("writing bytecode to '" + output + "' failed");
  } else {
    // Values are named after the weights and ops that they come from.
    (*module)->print(file->os(),
                     mlir::OpPrintingFlags().printNameLocAsPrefix());
  }
  file->keep();
  return 0;
}
