//===- Safetensors.h - Reading and writing checkpoints ----------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads tensors from `.safetensors` files and from checkpoints sharded over
// several of them, without copying: files are mapped into memory. Nothing that
// a file says is trusted; whatever is wrong with it becomes an error when the
// file is opened, so that a TensorView always lies inside its file.
//
// The format: 8 bytes with the length N of the header (little-endian), N bytes
// of JSON (name -> dtype, shape, data_offsets; `__metadata__` -> strings), then
// the data, little-endian, row-major, without holes or overlaps.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_SUPPORT_SAFETENSORS_H
#define BRAID_SUPPORT_SAFETENSORS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace braid {

/// Element type of a stored tensor.
enum class TensorType {
  Bool,
  U8,
  I8,
  /// 4 exponent and 3 mantissa bits, no infinities.
  F8E4M3,
  F8E5M2,
  /// A power of two: 2^(byte - 127); 255 is NaN.
  F8E8M0,
  U16,
  I16,
  F16,
  BF16,
  U32,
  I32,
  F32,
  U64,
  I64,
  F64,
  Complex64,
  /// Packed; the bytes are all that is offered.
  F4,
  F6E2M3,
  F6E3M2
};

/// The name in the file's header: "F32", "F8_E4M3", ...
llvm::StringRef getTensorTypeName(TensorType type);

/// Bits of one element.
unsigned getTensorTypeBits(TensorType type);

/// One tensor inside an open file; valid as long as the SafetensorsFile or
/// Checkpoint that it came from.
struct TensorView {
  std::string name;
  TensorType type = TensorType::F32;
  /// Sizes, each at least 0; empty for a scalar.
  llvm::SmallVector<int64_t, 4> shape;
  /// Exactly as many bytes as shape and type say, at *any* alignment. Use
  /// `readElements` or `readAsFloat` for typed access.
  llvm::ArrayRef<char> data;

  /// Product of the sizes; it fits, as the file's reader has checked.
  int64_t getNumElements() const;
};

namespace detail {
llvm::Error checkElementSize(const TensorView &tensor, unsigned bits);
} // namespace detail

/// Copies the elements, whatever their alignment. `T` must have the element's
/// size and be an integer or a float accordingly; else an error that names the
/// tensor, its type and the size expected.
template <typename T>
llvm::Expected<std::vector<T>> readElements(const TensorView &tensor) {
  static_assert(std::is_arithmetic_v<T>, "elements are numbers");
  if (llvm::Error error = detail::checkElementSize(tensor, 8 * sizeof(T)))
    return error;
  std::vector<T> elements(tensor.data.size() / sizeof(T));
  if (!elements.empty())
    std::memcpy(elements.data(), tensor.data.data(), tensor.data.size());
  return elements;
}

/// Copies the elements of a floating-point tensor of at most 32 bits per
/// element (F32, BF16, F16, F8_E4M3, F8_E5M2, F8_E8M0), each exactly; else an
/// error that names the tensor and its type.
llvm::Expected<std::vector<float>> readAsFloat(const TensorView &tensor);

/// One open `.safetensors` file.
class SafetensorsFile {
public:
  /// Maps the file and checks its header completely. Errors open with `path`
  /// and name the tensor, the value and what was expected.
  static llvm::Expected<SafetensorsFile> open(llvm::StringRef path);

  /// The same for contents in memory; `name` stands for the path in errors.
  static llvm::Expected<SafetensorsFile>
  parse(std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::StringRef name);

  /// The tensor of this name, or null.
  const TensorView *lookup(llvm::StringRef name) const;

  /// All tensors, in the order of their data.
  llvm::ArrayRef<TensorView> getTensors() const { return tensors; }

  /// The strings under `__metadata__`; empty if there are none.
  const std::map<std::string, std::string> &getMetadata() const {
    return metadata;
  }

private:
  SafetensorsFile() = default;

  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::vector<TensorView> tensors;
  llvm::StringMap<size_t> indexByName;
  std::map<std::string, std::string> metadata;
};

/// The tensors of a model: one `.safetensors` file, or shards that an index
/// (`model.safetensors.index.json`) lists. Shards are opened when a tensor in
/// them is looked up, and stay open. Not safe for concurrent look-ups.
class Checkpoint {
public:
  /// Opens a single file, or an index if `path` ends in `.json`. `weight_map`
  /// in an index maps tensors to files beside it; a name there that has a path
  /// separator or `..` in it is an error.
  static llvm::Expected<Checkpoint> open(llvm::StringRef path);

  /// Whether there is a tensor of this name (of an index: whether it lists
  /// one).
  bool contains(llvm::StringRef name) const;

  /// The tensor of this name. If there is none, the error says so, how many
  /// there are, and names up to three that are spelled almost alike.
  llvm::Expected<TensorView> lookup(llvm::StringRef name);

  /// The first of several spellings (see WeightNames.h) that is there.
  llvm::Expected<TensorView> lookup(llvm::ArrayRef<std::string> spellings);

  /// All names, sorted.
  std::vector<llvm::StringRef> getNames() const;

private:
  Checkpoint() = default;

  llvm::Error makeMissingError(llvm::ArrayRef<std::string> spellings) const;

  std::string path;
  /// Tensor -> shard, a file name beside the index or `path` itself.
  std::map<std::string, std::string, std::less<>> shardByTensor;
  /// Shards that were opened so far, by the same name.
  std::map<std::string, SafetensorsFile> shards;
};

/// Writes a file that holds `tensors` in this order, replacing it as a whole.
/// Errors: a tensor's data do not match its shape and type, a name occurs
/// twice, is `__metadata__` or no UTF-8, or the file cannot be written.
llvm::Error
writeSafetensors(llvm::StringRef path, llvm::ArrayRef<TensorView> tensors,
                 const std::map<std::string, std::string> &metadata = {});

} // namespace braid

#endif // BRAID_SUPPORT_SAFETENSORS_H
