//===- Error.h - Status and its sentence ------------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result type inside the runtime: a status and, if it is a failure, the
// sentence that explains it. Nothing here throws; `guarded` turns what the
// standard library throws into an Error, since no exception may cross the ABI.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CORE_ERROR_H
#define BRAID_RUNTIME_CORE_ERROR_H

#include "braid/runtime.h"

#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <utility>

namespace braid::runtime {

/// Success, or a status with one sentence. True means failure, as with
/// llvm::Error.
class [[nodiscard]] Error {
public:
  Error() = default;
  Error(braid_status status, std::string text)
      : code(status), sentence(std::move(text)) {}

  static Error success() { return Error(); }

  explicit operator bool() const { return code != BRAID_OK; }
  braid_status status() const { return code; }
  const std::string &text() const { return sentence; }

private:
  braid_status code = BRAID_OK;
  std::string sentence;
};

/// Makes a failure from a printf format.
Error makeError(braid_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Fails unless a caller's struct is at least as large as the first version of
/// this interface had it.
Error checkStructSize(const char *what, size_t given, size_t firstVersion);

/// Keeps the sentence of a failure without a context, for
/// braid_last_error(NULL) on this thread, and returns the status.
braid_status reportToThread(const Error &error);

/// Runs `body`, which returns an Error, and turns exceptions into Errors.
template <typename Body>
Error guarded(Body &&body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return Error(BRAID_OUT_OF_MEMORY, "out of memory");
  } catch (const std::system_error &error) {
    return Error(BRAID_OUT_OF_MEMORY,
                 std::string("the system refused a resource: ") + error.what());
  } catch (const std::exception &error) {
    return Error(BRAID_INTERNAL,
                 std::string("unexpected exception: ") + error.what());
  } catch (...) {
    return Error(BRAID_INTERNAL,
                 "unexpected exception that is no std::exception");
  }
}

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CORE_ERROR_H
