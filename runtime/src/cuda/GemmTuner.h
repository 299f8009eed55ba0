//===- GemmTuner.h - The fastest algorithm of a product ---------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times the algorithms that cuBLASLt offers the way a captured segment will run
// them: inside a graph, and with weights that come from memory, since a layer's
// weights are not in the cache when its turn comes.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CUDA_GEMMTUNER_H
#define BRAID_RUNTIME_CUDA_GEMMTUNER_H

#include "GemmMatmul.h"

namespace braid::runtime {

/// Sets `chosen` to the index of the best of `candidates`: the first one, the
/// heuristic's favourite, unless another one costs at least 5 % less.
///
/// What a candidate costs is its time by itself plus what it takes of the
/// device, a fourth of the time of four at once: a product gains from splitting
/// its sums over the whole device, and loses that again beside others, which is
/// how a layer runs it. The same algorithm serves serial and overlapped
/// schedules, so that both give the same bits.
///
/// Launches each candidate once in any case, so that its code is loaded before
/// anything is captured. Then replays two graphs of each, with up to 32
/// launches one after another and on each of four streams, in rounds, on
/// weights that rotate through at least twice the size of the L2 cache, and
/// compares medians. Aims at 12 ms of device time; products that take long are
/// timed in at least 3 rounds of one launch each, which then takes 120 times
/// the product's time for 8 candidates.
///
/// Uses memory of its own, freed before it returns: weights, x, y, workspace
/// and scales. Sets `wasTimed` to false, and `chosen` to 0, where that memory
/// could not be had; that is no failure. May synchronize the device.
Error tuneGemm(GemmMatmul &matmul, const GemmKey &key,
               const std::vector<cublasLtMatmulAlgo_t> &candidates,
               size_t workspaceBytes, size_t &chosen, bool &wasTimed);

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CUDA_GEMMTUNER_H
