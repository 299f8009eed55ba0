//===- Library.cpp - The library's one function ---------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What libbraid_runtime calls after it loaded this library.
//
//===----------------------------------------------------------------------===//

#include "CudaBackend.h"

#include "core/BackendLibrary.h"

#include <cstring>

using namespace braid::runtime;

extern "C" BRAID_API void
braid_cuda_backend_create(const char *version,
                          const braid_context_options *options,
                          std::unique_ptr<Backend> *backend, Error *error) {
  *error = guarded([&]() -> Error {
    if (std::strcmp(version, BRAID_BACKEND_LIBRARY_VERSION) != 0)
      return makeError(BRAID_ABI_MISMATCH,
                       "libbraid_cuda has version %s, but libbraid_runtime has "
                       "version %s; install both together",
                       BRAID_BACKEND_LIBRARY_VERSION, version);
    return CudaBackend::create(*options, *backend);
  });
}
