//===- Sanitizer.h - Accesses that ThreadSanitizer cannot see ---*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells ThreadSanitizer which memory a launch touches, since it cannot see into
// a BLAS library. Does nothing in other builds.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_HOST_SANITIZER_H
#define BRAID_RUNTIME_HOST_SANITIZER_H

#include "core/Tensor.h"

#if defined(__SANITIZE_THREAD__)
#define BRAID_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BRAID_THREAD_SANITIZER 1
#endif
#endif

#ifdef BRAID_THREAD_SANITIZER
extern "C" void __tsan_read_range(void *address, unsigned long size);
extern "C" void __tsan_write_range(void *address, unsigned long size);
#endif

namespace braid::runtime {

/// Reports a braid_access to the elements of `tensor`.
inline void annotateAccess(const braid_tensor &tensor, int32_t access) {
#ifdef BRAID_THREAD_SANITIZER
  forEachRun(tensor, [access](char *start, size_t bytes) {
    if (access & BRAID_ACCESS_READ)
      __tsan_read_range(start, bytes);
    if (access & BRAID_ACCESS_WRITE)
      __tsan_write_range(start, bytes);
  });
#else
  (void)tensor;
  (void)access;
#endif
}

} // namespace braid::runtime

#endif // BRAID_RUNTIME_HOST_SANITIZER_H
