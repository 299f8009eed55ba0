//===- Product.cpp - y = x . W^T for all element types --------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products in tiles of 64 rows, each of the same shape, so that a row never
// depends, in any bit, on how many rows there are.
//
//===----------------------------------------------------------------------===//

#include "Product.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <dnnl.h>
#include <optional>

using namespace braid::runtime;

static constexpr int64_t TileRows = 64;
/// Columns of y at a time; bounds the scratch of wide weights.
static constexpr int64_t TileColumns = 4096;

//===----------------------------------------------------------------------===//
// f32
//===----------------------------------------------------------------------===//

/// One product of a whole tile.
static bool multiplyTile(int64_t n, int64_t k, const float *x, int64_t xRow,
                         const float *weight, int64_t weightRow, float *y,
                         int64_t yRow) {
  return dnnl_sgemm('N', 'T', TileRows, n, k, 1.0f, x, xRow, weight, weightRow,
                    0.0f, y, yRow) == dnnl_success;
}

namespace {
/// Scratch for a padded tile.
struct Tile {
  float *x;
  float *y;

  Tile(ScratchParts &parts, int64_t n, int64_t k)
      : x(parts.take<float>(TileRows * k)),
        y(parts.take<float>(TileRows * std::min(n, TileColumns))) {}
};
} // namespace

static bool multiplyF32(const Product &p, const Tile &tile) {
  // A row stride below the row length occurs with one row, or where rows are
  // repeated; the library takes neither.
  int64_t weightRow = std::max(p.weight.rowStride, p.k);
  int64_t xRow = p.x.rowStride, yRow = p.y.rowStride;
  bool direct = xRow >= p.k && yRow >= p.n;
  for (int64_t column = 0; column < p.n; column += TileColumns) {
    int64_t n = std::min(TileColumns, p.n - column);
    const float *weight =
        static_cast<const float *>(p.weight.data) + column * weightRow;
    for (int64_t row = 0; row < p.rows; row += TileRows) {
      int64_t count = std::min(TileRows, p.rows - row);
      const float *x = static_cast<const float *>(p.x.data) + row * xRow;
      float *y = static_cast<float *>(p.y.data) + row * yRow + column;
      if (count == TileRows && direct) {
        if (!multiplyTile(n, p.k, x, xRow, weight, weightRow, y, yRow))
          return false;
        continue;
      }
      for (int64_t i = 0; i < count; ++i)
        std::memcpy(tile.x + i * p.k, x + i * xRow, p.k * sizeof(float));
      std::memset(tile.x + count * p.k, 0,
                  (TileRows - count) * p.k * sizeof(float));
      if (!multiplyTile(n, p.k, tile.x, p.k, weight, weightRow, tile.y, n))
        return false;
      for (int64_t i = 0; i < count; ++i)
        std::memcpy(y + i * yRow, tile.y + i * n, n * sizeof(float));
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// bf16 and fp8
//===----------------------------------------------------------------------===//

/// Columns of K that share a scale.
static constexpr int64_t ScaleColumns = 128;
/// What is brought to another type at a time: about the size of a processor's
/// own cache.
static constexpr int64_t PanelBytes = int64_t(1) << 21;
/// Rows of x that one panel of weights is used for.
static constexpr int64_t ChunkRows = 256;
/// Most columns of a panel.
static constexpr int64_t PanelColumns = 512;

float Scales::get(int64_t row, int64_t block) const {
  if (!data)
    return 1.0f;
  int64_t index = isWhole ? 0 : row / rowsPerScale * rowStride + block;
  return dtype == BRAID_F32
             ? static_cast<const float *>(data)[index]
             : scaleFromE8m0(static_cast<const uint8_t *>(data)[index]);
}

/// Whether e4m3 times any of the scales is exact in bf16: they are powers of
/// two, well within its range.
static bool areExactInBf16(const Scales &scales, int64_t rows, int64_t k) {
  if (!scales.data || scales.isWhole)
    return true;
  for (int64_t row = 0; row < rows; row += scales.rowsPerScale)
    for (int64_t block = 0; block < (k + ScaleColumns - 1) / ScaleColumns;
         ++block) {
      int exponent;
      if (std::frexp(scales.get(row, block), &exponent) != 0.5f ||
          exponent < -100 || exponent > 100)
        return false;
    }
  return true;
}

namespace {

/// A product [64, k] x [n, k]^T of dense bf16 rows, with sums in f32. Creating
/// one is quick after the first of its shape, which the library keeps.
class Bf16Tile {
public:
  Bf16Tile(int64_t n, int64_t k, int64_t weightRow) {
    static const dnnl_engine_t engine = [] {
      dnnl_engine_t made = nullptr;
      dnnl_engine_create(&made, dnnl_cpu, 0);
      return made;
    }();
    dnnl_dims_t xDims = {TileRows, k}, weightDims = {k, n},
                yDims = {TileRows, n};
    dnnl_dims_t xStrides = {k, 1}, weightStrides = {1, weightRow},
                yStrides = {n, 1};
    dnnl_memory_desc_t x, weight, y;
    dnnl_matmul_desc_t matmul;
    dnnl_primitive_desc_t description = nullptr;
    isMade =
        engine &&
        dnnl_memory_desc_init_by_strides(&x, 2, xDims, dnnl_bf16, xStrides) ==
            dnnl_success &&
        dnnl_memory_desc_init_by_strides(&weight, 2, weightDims, dnnl_bf16,
                                         weightStrides) == dnnl_success &&
        dnnl_memory_desc_init_by_strides(&y, 2, yDims, dnnl_f32, yStrides) ==
            dnnl_success &&
        dnnl_matmul_desc_init(&matmul, &x, &weight, nullptr, &y) ==
            dnnl_success &&
        dnnl_primitive_desc_create(&description, &matmul, nullptr, engine,
                                   nullptr) == dnnl_success &&
        dnnl_primitive_create(&primitive, description) == dnnl_success &&
        dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) ==
            dnnl_success &&
        dnnl_memory_create(&memory[0], &x, engine, nullptr) == dnnl_success &&
        dnnl_memory_create(&memory[1], &weight, engine, nullptr) ==
            dnnl_success &&
        dnnl_memory_create(&memory[2], &y, engine, nullptr) == dnnl_success;
    if (description)
      dnnl_primitive_desc_destroy(description);
  }
  ~Bf16Tile() {
    for (dnnl_memory_t part : memory)
      if (part)
        dnnl_memory_destroy(part);
    if (stream)
      dnnl_stream_destroy(stream);
    if (primitive)
      dnnl_primitive_destroy(primitive);
  }
  Bf16Tile(const Bf16Tile &) = delete;
  Bf16Tile &operator=(const Bf16Tile &) = delete;

  /// False on processors for which the library has no such product.
  explicit operator bool() const { return isMade; }

  bool run(const uint16_t *x, const uint16_t *weight, float *y) {
    const void *data[3] = {x, weight, y};
    for (int i = 0; i < 3; ++i)
      if (dnnl_memory_set_data_handle(memory[i], const_cast<void *>(data[i])) !=
          dnnl_success)
        return false;
    dnnl_exec_arg_t arguments[3] = {{DNNL_ARG_SRC, memory[0]},
                                    {DNNL_ARG_WEIGHTS, memory[1]},
                                    {DNNL_ARG_DST, memory[2]}};
    return dnnl_primitive_execute(primitive, stream, 3, arguments) ==
               dnnl_success &&
           dnnl_stream_wait(stream) == dnnl_success;
  }

private:
  dnnl_primitive_t primitive = nullptr;
  dnnl_stream_t stream = nullptr;
  dnnl_memory_t memory[3] = {};
  bool isMade = false;
};

/// Scratch of a product that is not f32 throughout. Panels hold bf16 or f32.
struct Panels {
  int64_t columns; ///< of a panel of weights
  char *x;         ///< [ChunkRows, k] in bf16, half as many in f32
  char *weight;    ///< [columns, k]
  float *y;        ///< [TileRows, columns]

  Panels(ScratchParts &parts, int64_t n, int64_t k)
      : columns(std::min(padded(n, 32),
                         std::clamp<int64_t>(
                             PanelBytes / std::max<int64_t>(1, k * 2) / 32 * 32,
                             32, PanelColumns))),
        x(parts.take<char>(ChunkRows * k * 2)),
        weight(parts.take<char>(columns * k * 4)),
        y(parts.take<float>(TileRows * columns)) {}
};

/// Computes in bf16 or in f32.
template <typename Element>
class Multiplier {
public:
  Multiplier(const Product &product, const SmallOps &ops, const Panels &panels)
      : p(product), ops(ops), panels(panels),
        x(reinterpret_cast<Element *>(panels.x)),
        weight(reinterpret_cast<Element *>(panels.weight)) {}

  bool run();

private:
  static constexpr bool IsBf16 = sizeof(Element) == 2;
  static constexpr int64_t Rows = IsBf16 ? ChunkRows : ChunkRows / 2;

  /// Weights that are used where they lie.
  bool isDirect() const { return IsBf16 && p.weight.dtype == BRAID_BF16; }
  void convert(const Matrix &matrix, const Scales &scales, int64_t row,
               Element *to);
  void store(int64_t row, int64_t count, int64_t column, int64_t n);
  bool multiplyColumns(int64_t row, int64_t rows, int64_t column, int64_t n,
                       Bf16Tile *tile);

  const Product &p;
  const SmallOps &ops;
  const Panels &panels;
  Element *x, *weight;
};

} // namespace

/// One row of a matrix to the type of the product, scaled by its blocks.
template <typename Element>
void Multiplier<Element>::convert(const Matrix &matrix, const Scales &scales,
                                  int64_t row, Element *to) {
  if (matrix.dtype == BRAID_BF16) {
    const uint16_t *from =
        static_cast<const uint16_t *>(matrix.data) + row * matrix.rowStride;
    if constexpr (IsBf16)
      std::memcpy(to, from, p.k * sizeof(Element));
    else
      ops.widenBf16(from, to, p.k);
    return;
  }
  const uint8_t *from =
      static_cast<const uint8_t *>(matrix.data) + row * matrix.rowStride;
  int64_t step = scales.isWhole ? p.k : ScaleColumns;
  for (int64_t c = 0; c < p.k; c += step) {
    int64_t count = std::min(step, p.k - c);
    // A scale of the whole tensor is applied to the sums.
    float scale = scales.isWhole ? 1.0f : scales.get(row, c / ScaleColumns);
    if constexpr (IsBf16)
      ops.fp8ToBf16(from + c, scale, to + c, count);
    else
      ops.widenFp8(from + c, scale, to + c, count);
  }
}

template <typename Element>
void Multiplier<Element>::store(int64_t row, int64_t count, int64_t column,
                                int64_t n) {
  float factor = (p.xScale.isWhole ? p.xScale.get(0, 0) : 1.0f) *
                 (p.weightScale.isWhole ? p.weightScale.get(0, 0) : 1.0f);
  for (int64_t i = 0; i < count; ++i) {
    float *from = panels.y + i * n;
    if (factor != 1.0f)
      for (int64_t j = 0; j < n; ++j)
        from[j] *= factor;
    int64_t offset = (row + i) * p.y.rowStride + column;
    if (p.y.dtype == BRAID_BF16)
      ops.narrowBf16(from, static_cast<uint16_t *>(p.y.data) + offset, n);
    else
      std::memcpy(static_cast<float *>(p.y.data) + offset, from,
                  n * sizeof(float));
  }
}

template <typename Element>
bool Multiplier<Element>::multiplyColumns(int64_t row, int64_t rows,
                                          int64_t column, int64_t n,
                                          Bf16Tile *tile) {
  const Element *from = weight;
  int64_t stride = p.k;
  if (isDirect()) {
    stride = std::max(p.weight.rowStride, p.k);
    from = static_cast<const Element *>(p.weight.data) + column * stride;
  } else {
    for (int64_t j = 0; j < n; ++j)
      convert(p.weight, p.weightScale, column + j, weight + j * p.k);
  }
  for (int64_t i = 0; i < rows; i += TileRows) {
    if constexpr (IsBf16) {
      if (!tile->run(x + i * p.k, from, panels.y))
        return false;
    } else {
      if (!multiplyTile(n, p.k, x + i * p.k, p.k, from, stride, panels.y, n))
        return false;
    }
    store(row + i, std::min(TileRows, rows - i), column, n);
  }
  return true;
}

template <typename Element>
bool Multiplier<Element>::run() {
  int64_t stride = isDirect() ? std::max(p.weight.rowStride, p.k) : p.k;
  std::optional<Bf16Tile> tile;
  int64_t tileColumns = 0;
  for (int64_t row = 0; row < p.rows; row += Rows) {
    int64_t rows = std::min(Rows, p.rows - row);
    for (int64_t i = 0; i < rows; ++i)
      convert(p.x, p.xScale, row + i, x + i * p.k);
    std::memset(static_cast<void *>(x + rows * p.k), 0,
                (padded(rows, TileRows) - rows) * p.k * sizeof(Element));
    for (int64_t column = 0; column < p.n; column += panels.columns) {
      int64_t n = std::min(panels.columns, p.n - column);
      if (IsBf16 && n != tileColumns) {
        tile.emplace(n, p.k, stride);
        tileColumns = n;
        if (!*tile)
          return false;
      }
      if (!multiplyColumns(row, rows, column, n, tile ? &*tile : nullptr))
        return false;
    }
  }
  return true;
}

/// Whether the library has products of bf16 on this processor.
static bool hasBf16() {
  static const bool has = bool(Bf16Tile(32, 32, 32));
  return has;
}

size_t braid::runtime::productScratch(int32_t dtype, int64_t n, int64_t k) {
  ScratchParts parts(nullptr);
  if (dtype == BRAID_F32)
    Tile(parts, n, k);
  else
    Panels(parts, n, k);
  return parts.bytes();
}

bool braid::runtime::multiply(const Product &p, const SmallOps &ops,
                              void *scratch) {
  ScratchParts parts(scratch);
  if (p.x.dtype == BRAID_F32)
    return multiplyF32(p, Tile(parts, p.n, p.k));
  Panels panels(parts, p.n, p.k);
  if (hasBf16() && areExactInBf16(p.xScale, p.rows, p.k) &&
      areExactInBf16(p.weightScale, p.n, p.k))
    return Multiplier<uint16_t>(p, ops, panels).run();
  return Multiplier<float>(p, ops, panels).run();
}
