//===- ImportOptions.h - Command-line options of the import -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options that braid-import and braid-run share, as llvm::cl knows them.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_IMPORT_IMPORTOPTIONS_H
#define BRAID_IMPORT_IMPORTOPTIONS_H

#include "braid/Import/ImportModel.h"
#include "llvm/Support/CommandLine.h"

namespace braid {

/// Declares `--layer`, `--dtype`, `--cache`, `--eager` and `--metadata` in
/// `category`. Make one before the command line is parsed.
class ImportCommandLine {
public:
  explicit ImportCommandLine(llvm::cl::OptionCategory &category);

  /// The options as parsed. Fails if `--layer` is no number and not "all".
  llvm::Expected<ImportOptions> get() const;

private:
  llvm::cl::opt<std::string> layer;
  llvm::cl::opt<WeightType> dtype;
  llvm::cl::opt<CacheForm> cache;
  llvm::cl::opt<EagerForm> eager;
  llvm::cl::opt<MetadataLifetime> metadata;
};

} // namespace braid

#endif // BRAID_IMPORT_IMPORTOPTIONS_H
