//===- Json.cpp - Strict reading of JSON ------------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llvm::json parses recursively and keeps the last of two equal keys. So one
// pass over brackets and keys comes first; it leaves everything else that may
// be wrong to the parser.
//
//===----------------------------------------------------------------------===//

#include "braid/Support/Json.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <vector>

using namespace llvm;

namespace braid {

/// Largest nesting of objects and arrays that is read.
static constexpr size_t maxDepth = 64;

/// "file:line:column: message" for a byte offset into `text`.
static Error makeErrorAt(StringRef text, StringRef fileName, size_t offset,
                         const Twine &message) {
  StringRef before = text.take_front(offset);
  size_t line = before.count('\n') + 1;
  size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return createStringError(fileName + ":" + Twine(line) + ":" + Twine(column) +
                           ": " + message);
}

/// The offset of the quote that ends the string which starts at `begin`, or
/// npos.
static size_t findStringEnd(StringRef text, size_t begin) {
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i;
  }
  return StringRef::npos;
}

/// Checks the depth of nesting and that keys are unique. Sets `endsInside` if
/// the text ends before each bracket and quote is closed.
static Error checkOutline(StringRef text, StringRef fileName,
                          bool &endsInside) {
  struct Level {
    bool isObject;
    StringSet<> keys;
  };
  std::vector<Level> levels;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '{' || c == '[') {
      if (levels.size() == maxDepth)
        return makeErrorAt(text, fileName, i,
                           "nested more deeply than the expected " +
                               Twine(maxDepth) + " levels at most");
      levels.push_back({c == '{', {}});
    } else if (c == '}' || c == ']') {
      // The parser reports a bracket that closes nothing.
      if (levels.empty() || levels.back().isObject != (c == '}'))
        return Error::success();
      levels.pop_back();
    } else if (c == '"') {
      size_t begin = i, end = findStringEnd(text, begin);
      if (end == StringRef::npos) {
        endsInside = true;
        return Error::success();
      }
      i = end;
      size_t next = text.find_first_not_of(" \t\r\n", end + 1);
      if (levels.empty() || !levels.back().isObject ||
          next == StringRef::npos || text[next] != ':')
        continue;
      // Two spellings of one key are the same key: resolve escapes.
      StringRef quoted = text.slice(begin, end + 1);
      std::string key = quoted.drop_front().drop_back().str();
      if (quoted.contains('\\')) {
        Expected<json::Value> value = json::parse(quoted);
        if (!value) {
          consumeError(value.takeError());
          return Error::success();
        }
        if (std::optional<StringRef> string = value->getAsString())
          key = string->str();
      }
      if (!levels.back().keys.insert(key).second)
        return makeErrorAt(text, fileName, begin,
                           "the key \"" + printKey(key) +
                               "\" occurs twice in one object, expected once");
    }
  }
  endsInside = !levels.empty();
  return Error::success();
}

Expected<json::Object> parseJsonObject(StringRef text, StringRef fileName) {
  if (text.trim(" \t\r\n").empty())
    return createStringError(fileName +
                             ": the text is empty, expected a JSON object");
  bool endsInside = false;
  if (Error error = checkOutline(text, fileName, endsInside))
    return error;

  Expected<json::Value> value = json::parse(text);
  if (!value) {
    // The error reads "[line:column, byte=offset]: message".
    std::string printed = toString(value.takeError());
    auto [place, message] = StringRef(printed).split("]: ");
    size_t offset = 0;
    if (place.split("byte=").second.getAsInteger(10, offset))
      return createStringError(fileName + ": " + printed);
    if (endsInside && offset >= text.rtrim(" \t\r\n").size())
      return makeErrorAt(text, fileName, text.size(),
                         "the text ends inside a JSON value, expected the rest "
                         "of it (is the file truncated?)");
    return makeErrorAt(text, fileName, offset ? offset - 1 : 0,
                       "no valid JSON: " + message);
  }
  json::Object *object = value->getAsObject();
  if (!object)
    return createStringError(fileName + ": the text is " + printShort(*value) +
                             ", expected a JSON object");
  return std::move(*object);
}

std::optional<int64_t> getInteger(const json::Value &value) {
  // Values from 2^63 on must not reach the conversion from double.
  std::optional<double> number = value.getAsNumber();
  if (!number || !(std::fabs(*number) < 0x1p63))
    return std::nullopt;
  return value.getAsInteger();
}

/// `text`, cut before the first byte of a UTF-8 sequence if it is too long.
static std::string shorten(std::string text, size_t limit) {
  if (text.size() <= limit)
    return text;
  size_t end = limit - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return text.substr(0, end) + "...";
}

std::string printShort(const json::Value &value) {
  std::string text;
  raw_string_ostream(text) << value;
  return shorten(std::move(text), 60);
}

std::string printKey(StringRef key) {
  std::string text;
  raw_string_ostream(text) << json::Value(json::fixUTF8(key));
  return shorten(text.substr(1, text.size() - 2), 200);
}

} // namespace braid
