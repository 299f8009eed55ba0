//===- BufferizableOpInterfaceImpl.h - Bufferization of prefill ops -*- C++
//-*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attaches upstream's bufferization interface to the ops of the prefill
// dialect.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_PREFILL_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define BRAID_DIALECT_PREFILL_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace braid::prefill {

/// Makes one-shot bufferization work on prefill ops: destination-style ops
/// write their inits in place without reading them, cache ops keep their
/// memrefs, and eager regions yield buffers.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace braid::prefill

#endif // BRAID_DIALECT_PREFILL_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
