//===- Safetensors.cpp - Reading and writing checkpoints --------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a header completely before any tensor is handed out. Sizes are
// computed in 64 bits with overflow checks, and compared with the file's real
// size, never the other way round.
//
//===----------------------------------------------------------------------===//

#include "braid/Support/Safetensors.h"

#include "braid/Support/Json.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SwapByteOrder.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

using namespace llvm;

namespace braid {

static_assert(sys::IsLittleEndianHost,
              "tensors are little-endian and handed out as they lie in memory");

/// Largest header that is read, as in the format's reference implementation.
static constexpr uint64_t maxHeaderSize = 100'000'000;

static constexpr StringLiteral metadataKey = "__metadata__";

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

namespace {
struct TypeInfo {
  TensorType type;
  StringLiteral name;
  unsigned bits;
};
} // namespace

/// In the order of the enum.
static constexpr TypeInfo typeInfos[] = {
    {TensorType::Bool, "BOOL", 8},      {TensorType::U8, "U8", 8},
    {TensorType::I8, "I8", 8},          {TensorType::F8E4M3, "F8_E4M3", 8},
    {TensorType::F8E5M2, "F8_E5M2", 8}, {TensorType::F8E8M0, "F8_E8M0", 8},
    {TensorType::U16, "U16", 16},       {TensorType::I16, "I16", 16},
    {TensorType::F16, "F16", 16},       {TensorType::BF16, "BF16", 16},
    {TensorType::U32, "U32", 32},       {TensorType::I32, "I32", 32},
    {TensorType::F32, "F32", 32},       {TensorType::U64, "U64", 64},
    {TensorType::I64, "I64", 64},       {TensorType::F64, "F64", 64},
    {TensorType::Complex64, "C64", 64}, {TensorType::F4, "F4", 4},
    {TensorType::F6E2M3, "F6_E2M3", 6}, {TensorType::F6E3M2, "F6_E3M2", 6},
};

StringRef getTensorTypeName(TensorType type) {
  return typeInfos[static_cast<size_t>(type)].name;
}

unsigned getTensorTypeBits(TensorType type) {
  return typeInfos[static_cast<size_t>(type)].bits;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

int64_t TensorView::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// "[2, 3]"
static std::string printShape(ArrayRef<int64_t> shape) {
  std::string text = "[";
  raw_string_ostream os(text);
  interleaveComma(shape, os);
  return text + "]";
}

/// Bytes of a tensor; nothing if a size is negative, the product overflows, or
/// the elements do not fill whole bytes.
static std::optional<int64_t> getByteSize(ArrayRef<int64_t> shape,
                                          TensorType type) {
  int64_t bits = getTensorTypeBits(type);
  for (int64_t size : shape)
    if (size < 0 || MulOverflow(bits, size, bits))
      return std::nullopt;
  if (bits % 8 != 0)
    return std::nullopt;
  return bits / 8;
}

/// Widens elements of type `Bits` by way of APFloat.
template <typename Bits>
static std::vector<float> convertElements(ArrayRef<char> data,
                                          const fltSemantics &semantics) {
  std::vector<float> result(data.size() / sizeof(Bits));
  for (size_t i = 0; i < result.size(); ++i) {
    Bits raw;
    std::memcpy(&raw, data.data() + i * sizeof(Bits), sizeof(Bits));
    result[i] =
        APFloat(semantics, APInt(8 * sizeof(Bits), raw)).convertToFloat();
  }
  return result;
}

Error detail::checkElementSize(const TensorView &tensor, unsigned bits) {
  if (getTensorTypeBits(tensor.type) == bits)
    return Error::success();
  return createStringError("tensor '" + printKey(tensor.name) +
                           "' has elements of type " +
                           getTensorTypeName(tensor.type) +
                           ", expected a type of " + Twine(bits) + " bits");
}

Expected<std::vector<float>> readAsFloat(const TensorView &tensor) {
  switch (tensor.type) {
  case TensorType::F32:
    return readElements<float>(tensor);
  case TensorType::BF16: {
    std::vector<float> result(tensor.data.size() / 2);
    for (size_t i = 0; i < result.size(); ++i) {
      uint16_t raw;
      std::memcpy(&raw, tensor.data.data() + 2 * i, sizeof(raw));
      uint32_t widened = static_cast<uint32_t>(raw) << 16;
      std::memcpy(&result[i], &widened, sizeof(widened));
    }
    return result;
  }
  case TensorType::F16:
    return convertElements<uint16_t>(tensor.data, APFloat::IEEEhalf());
  case TensorType::F8E4M3:
    return convertElements<uint8_t>(tensor.data, APFloat::Float8E4M3FN());
  case TensorType::F8E5M2:
    return convertElements<uint8_t>(tensor.data, APFloat::Float8E5M2());
  case TensorType::F8E8M0: {
    std::vector<float> result(tensor.data.size());
    for (size_t i = 0; i < result.size(); ++i) {
      uint8_t raw = tensor.data[i];
      result[i] = raw == 255 ? std::numeric_limits<float>::quiet_NaN()
                             : std::ldexp(1.0f, raw - 127);
    }
    return result;
  }
  default:
    return createStringError("tensor '" + printKey(tensor.name) +
                             "' has elements of type " +
                             getTensorTypeName(tensor.type) +
                             ", expected a float of at most 32 bits");
  }
}

//===----------------------------------------------------------------------===//
// SafetensorsFile
//===----------------------------------------------------------------------===//

namespace {
/// A header's entry on the way to a TensorView.
struct Entry {
  TensorView tensor;
  int64_t begin, end;
};
} // namespace

/// Reads `name: {dtype, shape, data_offsets}`; `dataSize` is what the file
/// holds after its header.
static Expected<Entry> readEntry(StringRef path, StringRef name,
                                 const json::Value &value, int64_t dataSize) {
  auto fail = [&](const Twine &message) {
    return createStringError(path + ": tensor '" + printKey(name) +
                             "': " + message);
  };
  const json::Object *object = value.getAsObject();
  if (!object)
    return fail("its entry is " + printShort(value) +
                ", expected an object with dtype, shape and data_offsets");
  for (StringRef key : {"dtype", "shape", "data_offsets"})
    if (!object->get(key))
      return fail("its entry has no '" + key +
                  "', expected dtype, shape and data_offsets");

  Entry entry;
  entry.tensor.name = name.str();
  const json::Value &type = *object->get("dtype");
  const TypeInfo *info = find_if(typeInfos, [&](const TypeInfo &info) {
    return type.getAsString() == StringRef(info.name);
  });
  if (info == std::end(typeInfos))
    return fail("dtype is " + printShort(type) +
                ", expected one of the format's such as \"F32\" or \"BF16\"");
  entry.tensor.type = info->type;

  const json::Value &shape = *object->get("shape");
  const json::Array *sizes = shape.getAsArray();
  if (!sizes)
    return fail("shape is " + printShort(shape) +
                ", expected an array of sizes");
  for (const json::Value &size : *sizes) {
    std::optional<int64_t> number = getInteger(size);
    if (!number || *number < 0)
      return fail("shape has the size " + printShort(size) +
                  ", expected an integer of at least 0");
    entry.tensor.shape.push_back(*number);
  }
  std::optional<int64_t> byteSize =
      getByteSize(entry.tensor.shape, entry.tensor.type);
  if (!byteSize)
    return fail("shape " + printShort(shape) + " of type " + info->name +
                " is too large or does not fill whole bytes, expected a size "
                "in bytes that fits 63 bits");

  const json::Value &offsets = *object->get("data_offsets");
  const json::Array *pair = offsets.getAsArray();
  std::optional<int64_t> begin, end;
  if (pair && pair->size() == 2) {
    begin = getInteger((*pair)[0]);
    end = getInteger((*pair)[1]);
  }
  if (!begin || !end || *begin < 0 || *begin > *end)
    return fail("data_offsets is " + printShort(offsets) +
                ", expected two integers [begin, end] with 0 <= begin <= end");
  if (*end > dataSize)
    return fail("data_offsets is " + printShort(offsets) +
                ", expected an end within the " + Twine(dataSize) +
                " bytes of data in the file (is it truncated?)");
  if (*end - *begin != *byteSize)
    return fail("data_offsets is " + printShort(offsets) + ", expected " +
                Twine(*byteSize) + " bytes for shape " + printShort(shape) +
                " of type " + info->name);
  entry.begin = *begin;
  entry.end = *end;
  return entry;
}

Expected<SafetensorsFile> SafetensorsFile::open(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(
        path + ": cannot be read: " + buffer.getError().message());
  return parse(std::move(*buffer), path);
}

Expected<SafetensorsFile>
SafetensorsFile::parse(std::unique_ptr<MemoryBuffer> buffer, StringRef name) {
  StringRef contents = buffer->getBuffer();
  if (contents.size() < 8)
    return createStringError(name + ": the file has " + Twine(contents.size()) +
                             " bytes, expected a safetensors file of at least "
                             "8 bytes");
  uint64_t headerSize = support::endian::read64le(contents.data());
  if (headerSize > maxHeaderSize)
    return createStringError(name + ": the header's length is " +
                             Twine(headerSize) + ", expected at most " +
                             Twine(maxHeaderSize) +
                             " bytes (is this a safetensors file?)");
  if (headerSize > contents.size() - 8)
    return createStringError(
        name + ": the header's length is " + Twine(headerSize) +
        ", expected at most the " + Twine(contents.size() - 8) +
        " bytes that follow it in the file (is it truncated?)");
  Expected<json::Object> header = parseJsonObject(
      contents.substr(8, headerSize), (name + " (header)").str());
  if (!header)
    return header.takeError();

  SafetensorsFile file;
  ArrayRef<char> data(contents.data() + 8 + headerSize,
                      contents.size() - 8 - headerSize);
  std::vector<Entry> entries;
  for (const auto &[key, value] : *header) {
    if (StringRef(key) == metadataKey)
      continue;
    Expected<Entry> entry = readEntry(name, key, value, data.size());
    if (!entry)
      return entry.takeError();
    entries.push_back(std::move(*entry));
  }
  sort(entries, [](const Entry &a, const Entry &b) {
    return std::tie(a.begin, a.end, a.tensor.name) <
           std::tie(b.begin, b.end, b.tensor.name);
  });

  // The format has neither overlaps nor holes nor a tail.
  int64_t position = 0;
  for (Entry &entry : entries) {
    if (entry.begin != position)
      return createStringError(
          name + ": tensor '" + printKey(entry.tensor.name) +
          "' begins at byte " + Twine(entry.begin) +
          " of the data, expected byte " + Twine(position) +
          " where the tensor before it ends (" +
          (entry.begin < position ? "they overlap" : "there is a hole") + ")");
    position = entry.end;
    entry.tensor.data = data.slice(entry.begin, entry.end - entry.begin);
    file.indexByName[entry.tensor.name] = file.tensors.size();
    file.tensors.push_back(std::move(entry.tensor));
  }
  if (position != static_cast<int64_t>(data.size()))
    return createStringError(name + ": the file holds " + Twine(data.size()) +
                             " bytes of data, expected the " + Twine(position) +
                             " bytes of its tensors");

  if (const json::Value *value = header->get(metadataKey)) {
    const json::Object *object = value->getAsObject();
    if (!object)
      return createStringError(name + ": '__metadata__' is " +
                               printShort(*value) +
                               ", expected an object of strings");
    for (const auto &[key, entry] : *object) {
      std::optional<StringRef> string = entry.getAsString();
      if (!string)
        return createStringError(name + ": '__metadata__." + printKey(key) +
                                 "' is " + printShort(entry) +
                                 ", expected a string");
      file.metadata[StringRef(key).str()] = string->str();
    }
  }
  file.buffer = std::move(buffer);
  return file;
}

const TensorView *SafetensorsFile::lookup(StringRef name) const {
  auto it = indexByName.find(name);
  return it == indexByName.end() ? nullptr : &tensors[it->second];
}

//===----------------------------------------------------------------------===//
// Checkpoint
//===----------------------------------------------------------------------===//

Expected<Checkpoint> Checkpoint::open(StringRef path) {
  Checkpoint checkpoint;
  checkpoint.path = path.str();
  if (!path.ends_with(".json")) {
    Expected<SafetensorsFile> file = SafetensorsFile::open(path);
    if (!file)
      return file.takeError();
    for (const TensorView &tensor : file->getTensors())
      checkpoint.shardByTensor[tensor.name] = path.str();
    checkpoint.shards.emplace(path.str(), std::move(*file));
    return checkpoint;
  }

  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(
        path + ": cannot be read: " + buffer.getError().message());
  Expected<json::Object> index = parseJsonObject((*buffer)->getBuffer(), path);
  if (!index)
    return index.takeError();
  const json::Value *value = index->get("weight_map");
  const json::Object *weightMap = value ? value->getAsObject() : nullptr;
  if (!weightMap)
    return createStringError(
        path + ": 'weight_map' is " +
        (value ? printShort(*value) : std::string("missing")) +
        ", expected an object that maps tensors to files");
  for (const auto &[key, entry] : *weightMap) {
    StringRef shard = entry.getAsString().value_or("");
    if (shard.empty() || shard == "." || shard.contains("..") ||
        shard.find_first_of(StringRef("/\\\0", 3)) != StringRef::npos)
      return createStringError(path + ": 'weight_map." + printKey(key) +
                               "' is " + printShort(entry) +
                               ", expected the name of a file beside the "
                               "index, without separators or '..'");
    checkpoint.shardByTensor[StringRef(key).str()] = shard.str();
  }
  return checkpoint;
}

bool Checkpoint::contains(StringRef name) const {
  return shardByTensor.find(name) != shardByTensor.end();
}

Expected<TensorView> Checkpoint::lookup(StringRef name) {
  auto entry = shardByTensor.find(name);
  if (entry == shardByTensor.end())
    return makeMissingError({name.str()});
  const std::string &shard = entry->second;
  auto it = shards.find(shard);
  if (it == shards.end()) {
    SmallString<128> shardPath = sys::path::parent_path(path);
    sys::path::append(shardPath, shard);
    Expected<SafetensorsFile> file = SafetensorsFile::open(shardPath);
    if (!file)
      return file.takeError();
    it = shards.emplace(shard, std::move(*file)).first;
  }
  if (const TensorView *tensor = it->second.lookup(name))
    return *tensor;
  return createStringError(
      path + ": tensor '" + printKey(name) + "' is listed in '" +
      printKey(shard) + "', expected to find it among the " +
      Twine(it->second.getTensors().size()) + " tensors of that file");
}

Expected<TensorView> Checkpoint::lookup(ArrayRef<std::string> spellings) {
  for (const std::string &name : spellings)
    if (contains(name))
      return lookup(StringRef(name));
  return makeMissingError(spellings);
}

std::vector<StringRef> Checkpoint::getNames() const {
  std::vector<StringRef> names;
  for (const auto &entry : shardByTensor)
    names.push_back(entry.first);
  return names;
}

Error Checkpoint::makeMissingError(ArrayRef<std::string> spellings) const {
  std::string message;
  raw_string_ostream os(message);
  os << path << ": no tensor ";
  interleave(
      spellings, os,
      [&](const std::string &name) { os << "'" << printKey(name) << "'"; },
      " or ");
  os << " among the " << shardByTensor.size() << " there";

  // Names that differ in more than half of their letters are no help.
  std::vector<std::pair<unsigned, StringRef>> nearest;
  for (const auto &entry : shardByTensor) {
    unsigned best = ~0u;
    for (StringRef name : spellings) {
      unsigned limit = std::min<unsigned>(best, name.size() / 2);
      unsigned distance = name.edit_distance(entry.first, true, limit);
      if (distance <= limit)
        best = std::min(best, distance);
    }
    if (best != ~0u)
      nearest.push_back({best, entry.first});
  }
  sort(nearest);
  if (nearest.size() > 3)
    nearest.resize(3);
  if (!nearest.empty()) {
    os << ", nearest: ";
    interleaveComma(nearest, os, [&](const auto &entry) {
      os << "'" << printKey(entry.second) << "'";
    });
  }
  return createStringError(message);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Error writeSafetensors(StringRef path, ArrayRef<TensorView> tensors,
                       const std::map<std::string, std::string> &metadata) {
  StringSet<> names;
  for (const TensorView &tensor : tensors) {
    auto fail = [&](const Twine &message) {
      return createStringError(path + ": tensor '" + tensor.name +
                               "' cannot be written: " + message);
    };
    if (tensor.name == metadataKey || !json::isUTF8(tensor.name))
      return fail("expected a name in UTF-8 other than '__metadata__'");
    if (!names.insert(tensor.name).second)
      return fail("expected each name once");
    std::optional<int64_t> size = getByteSize(tensor.shape, tensor.type);
    if (!size || *size != static_cast<int64_t>(tensor.data.size()))
      return fail("it has " + Twine(tensor.data.size()) +
                  " bytes of data, expected what shape " +
                  printShape(tensor.shape) + " of type " +
                  getTensorTypeName(tensor.type) + " needs");
  }
  for (const auto &[key, value] : metadata)
    if (!json::isUTF8(key) || !json::isUTF8(value))
      return createStringError(path + ": metadata cannot be written: expected "
                                      "keys and values in UTF-8");

  std::string header;
  raw_string_ostream os(header);
  json::OStream json(os);
  json.object([&] {
    if (!metadata.empty())
      json.attributeObject(metadataKey, [&] {
        for (const auto &[key, value] : metadata)
          json.attribute(key, value);
      });
    int64_t offset = 0;
    for (const TensorView &tensor : tensors)
      json.attributeObject(tensor.name, [&] {
        json.attribute("dtype", getTensorTypeName(tensor.type));
        json.attributeArray("shape", [&] {
          for (int64_t size : tensor.shape)
            json.value(size);
        });
        int64_t begin = offset;
        offset += tensor.data.size();
        json.attributeArray("data_offsets", [&] {
          json.value(begin);
          json.value(offset);
        });
      });
  });
  // The data begin at a multiple of 8.
  header.append(offsetToAlignment(header.size(), Align(8)), ' ');

  Error error = writeToOutput(path, [&](raw_ostream &out) {
    char length[8];
    support::endian::write64le(length, header.size());
    out << StringRef(length, sizeof(length)) << header;
    for (const TensorView &tensor : tensors)
      out << StringRef(tensor.data.data(), tensor.data.size());
    return Error::success();
  });
  if (error)
    return createStringError(
        path + ": cannot be written: " + toString(std::move(error)));
  return Error::success();
}

} // namespace braid
