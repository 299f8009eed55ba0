//===- ImportOptions.cpp - Command-line options of the import -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares and reads the options.
//
//===----------------------------------------------------------------------===//

#include "braid/Import/ImportOptions.h"

using namespace llvm;
using namespace braid;

ImportCommandLine::ImportCommandLine(cl::OptionCategory &category)
    : layer("layer", cl::desc("Layer to import, or 'all'"), cl::init("all"),
            cl::value_desc("N|all"), cl::cat(category)),
      dtype("dtype", cl::desc("Element types of weights and activations:"),
            cl::values(clEnumValN(WeightType::F32, "f32", "f32 throughout"),
                       clEnumValN(WeightType::BF16, "bf16",
                                  "bf16; compressor and scores in f32"),
                       clEnumValN(WeightType::FP8, "fp8",
                                  "as published: fp8 blocks, else bf16")),
            cl::init(WeightType::F32), cl::cat(category)),
      cache("cache", cl::desc("Rows of the caches of keys and values:"),
            cl::values(clEnumValN(CacheForm::Plain, "plain",
                                  "elements of the activations' type"),
                       clEnumValN(CacheForm::FP8, "fp8",
                                  "packed: fp8 with scales, rotated channels "
                                  "in bf16")),
            cl::init(CacheForm::Plain), cl::cat(category)),
      eager("eager", cl::desc("What the program places in an eager region:"),
            cl::values(
                clEnumValN(EagerForm::Wide, "wide",
                           "the whole layer, from the first linear to the "
                           "output projection"),
                clEnumValN(EagerForm::AfterNorm, "after-norm",
                           "from the query's second projection to attention"),
                clEnumValN(EagerForm::None, "none",
                           "nothing; passes find out what stays eager")),
            cl::init(EagerForm::None), cl::cat(category)),
      metadata("metadata", cl::desc("Device metadata, from call to call:"),
               cl::values(clEnumValN(MetadataLifetime::Persistent, "persistent",
                                     "has the same address, with contents "
                                     "refreshed before each replay"),
                          clEnumValN(MetadataLifetime::Transient, "transient",
                                     "may have another address")),
               cl::init(MetadataLifetime::Persistent), cl::cat(category)) {}

Expected<ImportOptions> ImportCommandLine::get() const {
  ImportOptions options;
  options.weightType = dtype;
  options.cache = cache;
  options.eager = eager;
  options.metadata = metadata;
  if (layer == "all")
    return options;
  int64_t index = 0;
  if (StringRef(layer).getAsInteger(10, index))
    return createStringError(inconvertibleErrorCode(),
                             "--layer is '" + Twine(layer) +
                                 "'; expected a number or 'all'");
  options.layer = index;
  return options;
}
