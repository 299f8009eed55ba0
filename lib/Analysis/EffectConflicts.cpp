//===- EffectConflicts.cpp - Do two ops have to keep their order? -*- C++
//-*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects effects through regions and compares them through views.
//
//===----------------------------------------------------------------------===//

#include "braid/Analysis/EffectConflicts.h"

#include "braid/Analysis/CaptureAnalysis.h"

using namespace mlir;
using namespace braid;

EffectSet::EffectSet(Operation *op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  if (!effects) {
    isUnknown = true;
    return;
  }
  for (const MemoryEffects::EffectInstance &effect : *effects) {
    bool isRead = isa<MemoryEffects::Read>(effect.getEffect());
    Location location;
    location.resource = effect.getResource();
    location.isResource = !effect.getValue();
    location.identity =
        effect.getValue()
            ? getViewSource(effect.getValue()).getAsOpaquePointer()
            : static_cast<const void *>(effect.getResource());
    // Allocations of tensors' buffers order nothing; freeing does.
    if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      continue;
    accesses.emplace_back(location, isRead ? Read : Write);
  }
}

bool EffectSet::conflictsWith(const EffectSet &other) const {
  if (isEmpty() || other.isEmpty())
    return false;
  if (isUnknown || other.isUnknown)
    return true;
  for (auto [mine, myKind] : accesses)
    for (auto [theirs, theirKind] : other.accesses) {
      if (((myKind | theirKind) & Write) == 0)
        continue;
      // An effect on a resource as a whole touches all values in it.
      bool isSame = mine.isResource || theirs.isResource
                        ? mine.resource == theirs.resource
                        : mine.identity == theirs.identity;
      if (isSame)
        return true;
    }
  return false;
}
