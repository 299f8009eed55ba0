//===- BackendLibrary.cpp - Backends in libraries of their own ------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds and opens the library of the cuda backend. It is never closed: queued
// work and the libraries that it loads outlive any context.
//
//===----------------------------------------------------------------------===//

#include "BackendLibrary.h"

#include <dlfcn.h>

using namespace braid::runtime;

static constexpr const char *CudaLibrary = "libbraid_cuda.so.0";
static constexpr const char *CudaEntry = "braid_cuda_backend_create";

/// Folder of the library that this function is in, with a slash; "" if unknown.
static std::string ownFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&ownFolder), &info) ||
      !info.dli_fname)
    return "";
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

Error braid::runtime::loadCudaBackend(const braid_context_options &options,
                                      std::unique_ptr<Backend> &backend) {
  std::string beside = ownFolder() + CudaLibrary;
  void *library = dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library && beside != CudaLibrary)
    library = dlopen(CudaLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return makeError(BRAID_UNSUPPORTED,
                     "there is no cuda backend here: %s could not be loaded "
                     "(%s)",
                     CudaLibrary, reason ? reason : "no reason was given");
  }
  auto create = reinterpret_cast<CreateBackend>(dlsym(library, CudaEntry));
  if (!create)
    return makeError(BRAID_ABI_MISMATCH,
                     "%s has no function '%s'; install it together with this "
                     "runtime, version %s",
                     CudaLibrary, CudaEntry, BRAID_BACKEND_LIBRARY_VERSION);
  Error error;
  create(BRAID_BACKEND_LIBRARY_VERSION, &options, &backend, &error);
  return error;
}
