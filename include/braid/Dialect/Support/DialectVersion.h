//===- DialectVersion.h - Bytecode versions of dialects -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a dialect's version into bytecode and refuses bytecode of a later one.
// Both dialects use it, so that a file says with which version it was written
// from the first release on.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_SUPPORT_DIALECTVERSION_H
#define BRAID_DIALECT_SUPPORT_DIALECTVERSION_H

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace braid {

/// Version of a dialect: bytecode of an earlier minor or major version is
/// upgraded on reading, of a later one rejected.
struct DialectVersion : public mlir::DialectVersion {
  DialectVersion() = default;
  DialectVersion(uint64_t major, uint64_t minor) : major(major), minor(minor) {}
  uint64_t major = 0;
  uint64_t minor = 0;
};

/// Version 0.1, the first.
inline constexpr uint64_t kDialectMajor = 0;
inline constexpr uint64_t kDialectMinor = 1;

/// Reads and writes the version of one dialect. Attributes and types use their
/// textual form in bytecode.
class VersionedBytecodeInterface : public mlir::BytecodeDialectInterface {
public:
  explicit VersionedBytecodeInterface(mlir::Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(mlir::DialectBytecodeWriter &writer) const override;
  std::unique_ptr<mlir::DialectVersion>
  readVersion(mlir::DialectBytecodeReader &reader) const override;
  mlir::LogicalResult
  upgradeFromVersion(mlir::Operation *topLevel,
                     const mlir::DialectVersion &version) const override;
};

} // namespace braid

#endif // BRAID_DIALECT_SUPPORT_DIALECTVERSION_H
