//===- SmallKernels.h - Kernels that go over rows once ----------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Norms, rotations, quantization, cache rows and copies: everything that is
// bound by memory. Operands, parameters, types and checks are those of the host
// kernels.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CUDA_SMALLKERNELS_H
#define BRAID_RUNTIME_CUDA_SMALLKERNELS_H

#include "core/Error.h"

namespace braid::runtime {

// What each kernel reads and writes in a call with T tokens; sizes without the
// word "bytes" are numbers of elements.

/// Reads x and writes y once: T * heads * width of each type, and the weight.
braid_kernel makeRmsNorm();
/// Reads x and writes y once, 8 bytes for each position, and a row of the table
/// for each token. In place only the rotated channels are touched.
braid_kernel makeRope();
/// Reads x once, writes a byte for each of its elements, and the scales.
braid_kernel makeQuantize();
/// Reads a row and its slot, 8 bytes, and writes one cache row for each token
/// whose slot is not -1: 584 bytes of the packed form with 512 channels, 132 of
/// an index row with 128. Tokens of one call need different slots; of two with
/// the same slot either one, or parts of both, may stay.
braid_kernel makeCacheInsert();
/// Reads and writes the bytes of y once.
braid_kernel makePack();
/// Reads and writes the bytes of the target once.
braid_kernel makeCopy();

/// Loads the code of all these kernels to the current device, so that no first
/// launch has to, which may be inside a capture.
Error loadSmallKernels();

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CUDA_SMALLKERNELS_H
