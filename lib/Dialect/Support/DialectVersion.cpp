//===- DialectVersion.cpp - Bytecode versions of dialects -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the version check that both dialects share.
//
//===----------------------------------------------------------------------===//

#include "braid/Dialect/Support/DialectVersion.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

void braid::VersionedBytecodeInterface::writeVersion(
    DialectBytecodeWriter &writer) const {
  writer.writeVarInt(kDialectMajor);
  writer.writeVarInt(kDialectMinor);
}

std::unique_ptr<mlir::DialectVersion>
braid::VersionedBytecodeInterface::readVersion(
    DialectBytecodeReader &reader) const {
  auto version = std::make_unique<braid::DialectVersion>();
  if (failed(reader.readVarInt(version->major)) ||
      failed(reader.readVarInt(version->minor)))
    return nullptr;
  // A later version may have ops and attributes that cannot be read at all, so
  // it is refused here, before anything else is.
  if (version->major > kDialectMajor ||
      (version->major == kDialectMajor && version->minor > kDialectMinor)) {
    reader.emitError() << "bytecode has version " << version->major << "."
                       << version->minor << " of dialect '"
                       << getDialect()->getNamespace()
                       << "', but this build reads versions up to "
                       << kDialectMajor << "." << kDialectMinor;
    return nullptr;
  }
  return version;
}

LogicalResult braid::VersionedBytecodeInterface::upgradeFromVersion(
    Operation *, const mlir::DialectVersion &) const {
  // 0.1 is the first version: there is nothing to upgrade from.
  return success();
}
