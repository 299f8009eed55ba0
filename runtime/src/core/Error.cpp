//===- Error.cpp - Status and its sentence --------------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats the sentences of failures.
//
//===----------------------------------------------------------------------===//

#include "Error.h"

#include <cstdarg>
#include <cstdio>
#include <vector>

using namespace braid::runtime;

Error braid::runtime::makeError(braid_status status, const char *format, ...) {
  va_list list;
  va_start(list, format);
  va_list again;
  va_copy(again, list);
  int length = std::vsnprintf(nullptr, 0, format, list);
  va_end(list);
  std::string text(length > 0 ? length : 0, '\0');
  if (length > 0)
    std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return Error(status, std::move(text));
}

Error braid::runtime::checkStructSize(const char *what, size_t given,
                                      size_t firstVersion) {
  if (given >= firstVersion)
    return Error::success();
  return makeError(BRAID_INVALID_ARGUMENT,
                   "%s.struct_size is %zu, expected sizeof(%s), at least %zu",
                   what, given, what, firstVersion);
}
