//===- BackendLibrary.h - Backends in libraries of their own ----*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cuda backend is a library that is loaded when a context first asks for
// it. So the runtime itself depends on no GPU software, and one package serves
// machines with and without a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CORE_BACKENDLIBRARY_H
#define BRAID_RUNTIME_CORE_BACKENDLIBRARY_H

#include "Backend.h"

#include <memory>

namespace braid::runtime {

/// What both sides have to agree on beside their source: the version.
#define BRAID_BACKEND_LIBRARY_VERSION "0.1.0"

/// The one function of a backend library. Makes a backend, or sets `error`.
/// `version` is that of the runtime that calls.
using CreateBackend = void (*)(const char *version,
                               const braid_context_options *options,
                               std::unique_ptr<Backend> *backend, Error *error);

/// Loads libbraid_cuda, from where this library lies or else from where the
/// system looks, and makes its backend.
Error loadCudaBackend(const braid_context_options &options,
                      std::unique_ptr<Backend> &backend);

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CORE_BACKENDLIBRARY_H
