//===- KernelRegistry.h - Kernels by name -----------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All kernels of a context. Kernels are never removed: queued work and
// captured segments point at them.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CORE_KERNELREGISTRY_H
#define BRAID_RUNTIME_CORE_KERNELREGISTRY_H

#include "Error.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace braid::runtime {

/// Longest sentence that a kernel can write.
constexpr size_t KernelMessageBytes = 512;

/// " at LOCATION", or "" if the op's location is unknown.
std::string locationSuffix(const braid_op &op);

/// Fails with `status` unless `op` and its tables are complete.
Error checkOp(const braid_op *op, const braid_tensor *const *operands,
              braid_status status);

/// Kernels by name, the newest first.
class KernelRegistry {
public:
  /// Adds a copy of `kernel` in front of those of the same name.
  Error add(const braid_kernel &kernel);

  /// Sets `kernel` to the newest one whose check accepts a call of `op` with
  /// these operands, and `scratch` to the bytes it asks for.
  Error resolve(const braid_op &op, const braid_tensor *const *operands,
                size_t budget, const braid_kernel *&kernel,
                size_t &scratch) const;

private:
  struct Entry {
    std::string name;
    braid_kernel kernel;
  };
  std::unordered_map<std::string, std::vector<std::unique_ptr<Entry>>> kernels;
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CORE_KERNELREGISTRY_H
