//===- WeightNames.h - Names of a layer's weights ---------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiled layer names its weights as the published checkpoints do, relative
// to the layer: `wq_a.weight`, `compressor.ape`, `indexer.wq_b.scale`. Hugging
// Face modules name them otherwise (`q_a_proj.weight`,
// `compressor.position_bias`, `compressor.indexer.q_b_proj.weight_scale_inv`).
// This is the table between the two.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_IMPORT_WEIGHTNAMES_H
#define BRAID_IMPORT_WEIGHTNAMES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace braid {

/// The name of a weight in Hugging Face's attention module; nothing for a name
/// that is not in the table. A `.scale` beside an fp8 `.weight` becomes
/// `.weight_scale_inv`.
std::optional<std::string> getHuggingFaceWeightName(llvm::StringRef canonical);

/// Names under which a checkpoint may hold a weight of layer `layer` (from 0,
/// as in the configuration), in the order in which to try them:
/// `layers.N.attn.` and the canonical name, then `model.layers.N.self_attn.`
/// and Hugging Face's if there is one.
llvm::SmallVector<std::string> getWeightSpellings(llvm::StringRef canonical,
                                                  int64_t layer);

/// The same for a file whose names all start with `prefix` (`weight.`, or
/// nothing): the prefix and the canonical name, then the prefix and Hugging
/// Face's if there is one and it differs.
llvm::SmallVector<std::string>
getPrefixedWeightSpellings(llvm::StringRef canonical, llvm::StringRef prefix);

} // namespace braid

#endif // BRAID_IMPORT_WEIGHTNAMES_H
