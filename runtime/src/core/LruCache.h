//===- LruCache.h - Bounded map ---------------------------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A map of bounded size that drops what was unused for longest. Keys are byte
// strings.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_CORE_LRUCACHE_H
#define BRAID_RUNTIME_CORE_LRUCACHE_H

#include <list>
#include <string>
#include <unordered_map>
#include <utility>

namespace braid::runtime {

/// Bounded map from byte strings to values.
template <typename Value>
class LruCache {
public:
  explicit LruCache(size_t capacity) : capacity(capacity) {}

  bool contains(const std::string &key) const { return index.count(key); }
  size_t size() const { return entries.size(); }

  /// The value of `key`, which becomes the one used last, or NULL.
  Value *find(const std::string &key) {
    auto found = index.find(key);
    if (found == index.end())
      return nullptr;
    entries.splice(entries.begin(), entries, found->second);
    return &entries.front().second;
  }

  /// Where a value is, as long as it is in the cache.
  using Handle = typename std::list<std::pair<std::string, Value>>::iterator;

  /// Makes the value at `handle` the one used last, as find does.
  Value &use(Handle handle) {
    entries.splice(entries.begin(), entries, handle);
    return handle->second;
  }
  /// The handle of what find or use returned last.
  Handle lastUsed() { return entries.begin(); }

  /// Adds `key`, which must be absent. Calls `drop(Value)` for an entry that
  /// has to go.
  template <typename Drop>
  void insert(const std::string &key, Value value, Drop &&drop) {
    entries.emplace_front(key, std::move(value));
    index[key] = entries.begin();
    if (entries.size() <= capacity)
      return;
    index.erase(entries.back().first);
    drop(std::move(entries.back().second));
    entries.pop_back();
  }

  void clear() {
    index.clear();
    entries.clear();
  }

private:
  using Entries = std::list<std::pair<std::string, Value>>;
  size_t capacity;
  Entries entries;
  std::unordered_map<std::string, typename Entries::iterator> index;
};

} // namespace braid::runtime

#endif // BRAID_RUNTIME_CORE_LRUCACHE_H
