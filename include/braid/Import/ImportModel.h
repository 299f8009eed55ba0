//===- ImportModel.h - From a model's configuration to prefill -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the attention layers of a model as functions in the prefill dialect,
// as an engineer first writes them: one op after another on one stream.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_IMPORT_IMPORTMODEL_H
#define BRAID_IMPORT_IMPORTMODEL_H

#include "braid/Import/ModelConfig.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace braid {

/// What the imported program places in an eager region.
enum class EagerForm {
  /// The whole layer, from the first linear to the output projection.
  Wide,
  /// From the query's second projection to attention: the linears that read the
  /// hidden states, the norm and the output projection lie outside.
  AfterNorm,
  /// Nothing; passes find out what has to stay eager.
  None
};

/// Element types of weights and activations.
enum class WeightType {
  F32,  ///< f32 throughout
  BF16, ///< bf16, compressor and scores in f32
  FP8   ///< as published: fp8 blocks where the model has them, else bf16
};

/// Where device metadata lies from call to call.
enum class MetadataLifetime {
  Persistent, ///< at the same address, refreshed before each replay
  Transient   ///< possibly elsewhere
};

/// How rows lie in the caches of keys and values.
enum class CacheForm {
  /// Elements of the activations' type.
  Plain,
  /// Packed in i8: latent rows in fp8 but for their rotated channels, index
  /// keys in fp8 with one scale.
  FP8
};

struct ImportOptions {
  /// One layer, or all of them.
  std::optional<int64_t> layer;
  WeightType weightType = WeightType::F32;
  EagerForm eager = EagerForm::None;
  MetadataLifetime metadata = MetadataLifetime::Persistent;
  CacheForm cache = CacheForm::Plain;
};

/// Makes a module with one public function for each kind of layer that occurs
/// ("swa", "c4a", "c128a") and a `prefill.layer` op for each layer. Fails, with
/// one sentence, for a layer that the model does not have, and for fp8 without
/// a quantization in the configuration.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importModel(mlir::MLIRContext *context, const ModelConfig &config,
            const ImportOptions &options);

} // namespace braid

#endif // BRAID_IMPORT_IMPORTMODEL_H
