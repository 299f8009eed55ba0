//===- InitAll.h - Registration of everything in Braid -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call each for dialects, passes and the external models that they need.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_INITALL_H
#define BRAID_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace braid {

/// Braid's dialects, the upstream dialects that Braid's programs are made of,
/// and external models for both.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Braid's passes and pipelines, and upstream's passes that Braid's pipelines
/// are made of.
void registerAllPasses();

} // namespace braid

#endif // BRAID_INITALL_H
