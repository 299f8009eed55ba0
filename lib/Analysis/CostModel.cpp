//===- CostModel.cpp - Time of an op on a target -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the target's facts and applies the roofline.
//
//===----------------------------------------------------------------------===//

#include "braid/Analysis/CostModel.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace braid;

/// Where the number of entry `name` goes; null for other names.
static double *findFact(TargetFacts &facts, StringRef name) {
  return llvm::StringSwitch<double *>(name)
      .Case("bytes_per_second", &facts.bytesPerSecond)
      .Case("flops_per_second_f32", &facts.flopsPerSecondF32)
      .Case("flops_per_second_16", &facts.flopsPerSecond16)
      .Case("flops_per_second_8", &facts.flopsPerSecond8)
      .Case("scaled_block_microseconds", &facts.scaledBlockMicroseconds)
      .Case("launch_microseconds", &facts.launchMicroseconds)
      .Case("eager_launch_microseconds", &facts.eagerLaunchMicroseconds)
      .Case("replay_microseconds", &facts.replayMicroseconds)
      .Case("break_microseconds", &facts.breakMicroseconds)
      .Case("wait_microseconds", &facts.waitMicroseconds)
      .Default(nullptr);
}

FailureOr<CostModel> CostModel::get(ModuleOp module) {
  TargetFacts facts;
  auto system = module->getAttrOfType<TargetSystemSpecInterface>(
      DLTIDialect::kTargetSystemDescAttrName);
  if (!system)
    return CostModel(facts);
  std::optional<TargetDeviceSpecInterface> device =
      system.getDeviceSpecForDeviceID(
          StringAttr::get(module.getContext(), "GPU"));
  if (!device)
    return CostModel(facts);
  for (DataLayoutEntryInterface entry : device->getEntries()) {
    auto key = dyn_cast<StringAttr>(entry.getKey());
    if (!key || !key.getValue().starts_with("braid."))
      continue;
    StringRef name = key.getValue().drop_front(strlen("braid."));
    auto error = [&](StringRef expected) {
      return module.emitError()
             << "target entry " << key << " is " << entry.getValue()
             << "; expected " << expected;
    };
    if (name == "token_threshold") {
      auto value = dyn_cast<IntegerAttr>(entry.getValue());
      if (!value || value.getInt() < 0)
        return error("an integer of at least 0");
      facts.tokenThreshold = value.getInt();
      continue;
    }
    if (name == "captures_streams") {
      auto value = dyn_cast<BoolAttr>(entry.getValue());
      if (!value)
        return error("true or false");
      facts.capturesStreams = value.getValue();
      continue;
    }
    double *fact = findFact(facts, name);
    if (!fact)
      return module.emitError() << "target entry " << key << " is not known";
    auto value = dyn_cast<FloatAttr>(entry.getValue());
    if (!value || !(value.getValueAsDouble() > 0))
      return error("a positive float");
    *fact = value.getValueAsDouble();
  }
  return CostModel(facts);
}

double CostModel::getWorkMicroseconds(sched::SchedulableOpInterface op,
                                      int64_t tokens) const {
  sched::Cost cost = op.getCost(tokens);
  // The arithmetic runs at the rate of the narrowest floating-point input: a
  // bf16 GEMM with f32 results runs at bf16's rate.
  unsigned bits = 32;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<ShapedType>(operand.getType()))
      if (isa<FloatType>(type.getElementType()) &&
          !isa<Float8E8M0FNUType>(type.getElementType()))
        bits = std::min(bits, type.getElementTypeBitWidth());
  double rate = bits <= 8    ? facts.flopsPerSecond8
                : bits <= 16 ? facts.flopsPerSecond16
                             : facts.flopsPerSecondF32;
  return std::max(
      1e6 * std::max(cost.flops / rate, cost.bytes / facts.bytesPerSecond),
      cost.scaledBlocks * facts.scaledBlockMicroseconds);
}

double CostModel::getMicroseconds(sched::SchedulableOpInterface op,
                                  int64_t tokens) const {
  return facts.launchMicroseconds + getWorkMicroseconds(op, tokens);
}
