//===- Json.h - Strict reading of JSON --------------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin layer over llvm::json for files that come from somewhere else (a
// model's config.json, the header of a safetensors file): syntax errors say
// where they are, nesting cannot exhaust the stack, and a key that occurs twice
// is an error instead of a silent choice.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_SUPPORT_JSON_H
#define BRAID_SUPPORT_JSON_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <optional>
#include <string>

namespace braid {

/// Parses `text`, which must be one JSON object. `fileName` opens each error
/// sentence, followed by line and column (both from 1) where there is one. It
/// is an error if the text is empty, ends early, is no valid JSON or UTF-8,
/// nests deeper than 64 levels, names a key twice in one object, or holds
/// something other than an object.
llvm::Expected<llvm::json::Object> parseJsonObject(llvm::StringRef text,
                                                   llvm::StringRef fileName);

/// The integer in `value`, whether it is written as 16 or as 16.0; nothing if
/// it is no number, has a fraction, or rounds to 2^63 or beyond as a double.
std::optional<int64_t> getInteger(const llvm::json::Value &value);

/// `value` as JSON text for use in a sentence, shortened to about 60 bytes.
std::string printShort(const llvm::json::Value &value);

/// A key or name for use in a sentence: JSON's escapes, so that it stays on one
/// line, but no quotes; shortened to about 200 bytes.
std::string printKey(llvm::StringRef key);

} // namespace braid

#endif // BRAID_SUPPORT_JSON_H
