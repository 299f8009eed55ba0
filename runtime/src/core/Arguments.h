//===- Arguments.h - Checks of a call's arguments ---------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares a call with the declared arguments of its function before anything
// else happens, so that later code can trust shapes and addresses.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CORE_ARGUMENTS_H
#define BRAID_RUNTIME_CORE_ARGUMENTS_H

#include "Error.h"

#include <string>
#include <vector>

namespace braid::runtime {

/// A call that passed all checks.
struct CheckedCall {
  const braid_function *function = nullptr;
  const braid_tensor *arguments = nullptr;
  void *stream = nullptr;
  /// The token count, or -1 if no argument has an extent of T.
  int64_t tokens = -1;
  /// What a prepared call is found under: function, token count, and where
  /// and how its arguments lie. Not the transient ones, and not those of the
  /// host, which no captured segment holds on to.
  std::string key;
};

/// Checks that `function` is complete and of this version of the ABI.
Error checkFunction(const braid_function *function);

/// Checks `call` and everything it points at.
Error checkCall(const braid_call *call, CheckedCall &checked);

/// The arguments of `call` with the first `tokens` of its T rows.
std::vector<braid_tensor> takeTokens(const CheckedCall &call, int64_t tokens);

/// Appends the bytes of `value` to `key`.
template <typename T>
void appendToKey(std::string &key, const T &value) {
  key.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

/// Appends type, address, extents and strides of `tensor` to `key`.
void appendTensorToKey(std::string &key, const braid_tensor &tensor);

/// The call for a generated struct of arguments: its size, then one tensor for
/// each argument.
Error makeCall(const braid_function *function, const void *arguments,
               void *stream, braid_call &call);

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CORE_ARGUMENTS_H
