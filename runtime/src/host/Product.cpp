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
#include <cstring>
#include <dnnl.h>
#include <optional>

using namespace braid::runtime;

static constexpr int64_t TileRows = 64;
/// Columns of y at a time.
static constexpr int64_t MaxColumns = 1024;
/// Weights that are used at a time; about the size of a processor's own cache.
static constexpr int64_t PanelBytes = int64_t(1) << 21;
/// Rows of x that one panel is used for: as they lie, and in scratch.
static constexpr int64_t DirectRows = 1024;
static constexpr int64_t ChunkRows = 128;
/// Columns of K that share a scale.
static constexpr int64_t ScaleColumns = 128;

float Scales::get(int64_t row, int64_t block) const {
  if (!data)
    return 1.0f;
  int64_t index = isWhole ? 0 : row / rowsPerScale * rowStride + block * blockStride;
  return dtype == BRAID_F32
             ? static_cast<const float *>(data)[index]
             : scaleFromE8m0(static_cast<const uint8_t *>(data)[index]);
}

namespace {

/// y[64, n] = x[64, k] . weight[n, k]^T in f32. Creating one is quick after the
/// first of its shape, which the library keeps.
class TileProduct {
public:
  TileProduct(int64_t n, int64_t k, int64_t xRow, int64_t weightRow) {
    static const dnnl_engine_t engine = [] {
      dnnl_engine_t made = nullptr;
      dnnl_engine_create(&made, dnnl_cpu, 0);
      return made;
    }();
    dnnl_dims_t dims[3] = {{TileRows, k}, {k, n}, {TileRows, n}};
    dnnl_dims_t strides[3] = {{xRow, 1}, {1, weightRow}, {n, 1}};
    dnnl_memory_desc_t parts[3];
    isMade = engine != nullptr;
    for (int i = 0; i < 3 && isMade; ++i)
      isMade = dnnl_memory_desc_init_by_strides(&parts[i], 2, dims[i], dnnl_f32,
                                                strides[i]) == dnnl_success &&
               dnnl_memory_create(&memory[i], &parts[i], engine, nullptr) ==
                   dnnl_success;
    dnnl_matmul_desc_t matmul;
    dnnl_primitive_desc_t description = nullptr;
    isMade = isMade &&
             dnnl_matmul_desc_init(&matmul, &parts[0], &parts[1], nullptr,
                                   &parts[2]) == dnnl_success &&
             dnnl_primitive_desc_create(&description, &matmul, nullptr, engine,
                                        nullptr) == dnnl_success &&
             dnnl_primitive_create(&primitive, description) == dnnl_success &&
             dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) ==
                 dnnl_success;
    if (description)
      dnnl_primitive_desc_destroy(description);
  }
  ~TileProduct() {
    for (dnnl_memory_t part : memory)
      if (part)
        dnnl_memory_destroy(part);
    if (stream)
      dnnl_stream_destroy(stream);
    if (primitive)
      dnnl_primitive_destroy(primitive);
  }
  TileProduct(const TileProduct &) = delete;
  TileProduct &operator=(const TileProduct &) = delete;

  /// False if the library refused.
  bool run(const float *x, const float *weight, float *y) {
    const float *data[3] = {x, weight, y};
    for (int i = 0; i < 3 && isMade; ++i)
      isMade = dnnl_memory_set_data_handle(
                   memory[i], const_cast<float *>(data[i])) == dnnl_success;
    dnnl_exec_arg_t arguments[3] = {{DNNL_ARG_SRC, memory[0]},
                                    {DNNL_ARG_WEIGHTS, memory[1]},
                                    {DNNL_ARG_DST, memory[2]}};
    return isMade &&
           dnnl_primitive_execute(primitive, stream, 3, arguments) ==
               dnnl_success &&
           dnnl_stream_wait(stream) == dnnl_success;
  }

private:
  dnnl_primitive_t primitive = nullptr;
  dnnl_stream_t stream = nullptr;
  dnnl_memory_t memory[3] = {};
  bool isMade = false;
};

/// A product and its scratch.
class Multiplier {
public:
  Multiplier(const Product &product, const SmallOps &ops, ScratchParts &parts);

  bool run();

private:
  /// Weights of f32 are used where they lie, and so are whole tiles of x unless
  /// their rows are too far apart for scratch that looks the same.
  bool isDirect() const { return p.x.dtype == BRAID_F32; }
  bool canUseTilesOfX() const {
    return isDirect() && p.x.rowStride >= p.k && p.x.rowStride <= 2 * p.k;
  }
  void loadRow(const Matrix &matrix, const Scales &scales, int64_t row,
               float *to);
  const float *loadTile(int64_t row, int64_t count, float *to);
  void store(int64_t row, int64_t count, int64_t column, int64_t n);

  const Product &p;
  const SmallOps &ops;
  int64_t columns;   ///< of y at a time
  int64_t xRow;      ///< distance of rows in x
  int64_t weightRow; ///< distance of weights
  float *x;          ///< [ChunkRows, xRow]
  float *weight;     ///< [columns, k] unless direct
  float *y;          ///< [TileRows, columns]
};

} // namespace

Multiplier::Multiplier(const Product &product, const SmallOps &ops,
                       ScratchParts &parts)
    : p(product), ops(ops) {
  int64_t fitting = PanelBytes / static_cast<int64_t>(sizeof(float)) /
                    std::max<int64_t>(1, p.k);
  columns = std::min(padded(p.n, 32),
                     std::clamp<int64_t>(fitting / 32 * 32, 64, MaxColumns));
  // A row stride below the row length occurs with one row, or where rows are
  // repeated; the library takes neither.
  weightRow = isDirect() ? std::max(p.weight.rowStride, p.k) : p.k;
  xRow = canUseTilesOfX() ? p.x.rowStride : p.k;
  x = parts.take<float>((canUseTilesOfX() ? TileRows : ChunkRows) * xRow);
  weight = parts.take<float>(isDirect() ? 0 : columns * p.k);
  y = parts.take<float>(TileRows * columns);
}

/// One row of a matrix in f32, scaled by its blocks.
void Multiplier::loadRow(const Matrix &matrix, const Scales &scales,
                         int64_t row, float *to) {
  int64_t offset = row * matrix.rowStride;
  if (matrix.dtype == BRAID_F32) {
    std::memcpy(to, static_cast<const float *>(matrix.data) + offset,
                p.k * sizeof(float));
    return;
  }
  if (matrix.dtype == BRAID_BF16) {
    ops.widenBf16(static_cast<const uint16_t *>(matrix.data) + offset, to, p.k);
    return;
  }
  const uint8_t *from = static_cast<const uint8_t *>(matrix.data) + offset;
  int64_t step = scales.isWhole ? p.k : ScaleColumns;
  for (int64_t c = 0; c < p.k; c += step)
    // A scale of the whole tensor is applied to the sums.
    ops.widenFp8(from + c,
                 scales.isWhole ? 1.0f : scales.get(row, c / ScaleColumns),
                 to + c, std::min(step, p.k - c));
}

/// The tile of x at `row`: where it lies if it is whole and can be used so,
/// else copied to `to` with zeros beyond its `count` rows.
const float *Multiplier::loadTile(int64_t row, int64_t count, float *to) {
  if (canUseTilesOfX() && count == TileRows)
    return static_cast<const float *>(p.x.data) + row * xRow;
  for (int64_t i = 0; i < count; ++i)
    loadRow(p.x, p.xScale, row + i, to + i * xRow);
  for (int64_t i = count; i < TileRows; ++i)
    std::memset(to + i * xRow, 0, p.k * sizeof(float));
  return to;
}

void Multiplier::store(int64_t row, int64_t count, int64_t column, int64_t n) {
  float factor = (p.xScale.isWhole ? p.xScale.get(0, 0) : 1.0f) *
                 (p.weightScale.isWhole ? p.weightScale.get(0, 0) : 1.0f);
  for (int64_t i = 0; i < count; ++i) {
    float *from = y + i * n;
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

bool Multiplier::run() {
  std::optional<TileProduct> tile;
  int64_t tileColumns = 0;
  const float *tiles[DirectRows / TileRows];
  int64_t chunk = canUseTilesOfX() ? DirectRows : ChunkRows;
  for (int64_t begin = 0; begin < p.rows; begin += chunk) {
    int64_t end = std::min(begin + chunk, p.rows);
    for (int64_t row = begin, i = 0; row < end; row += TileRows, ++i)
      // All tiles but the last one are whole, so in place they share scratch.
      tiles[i] = loadTile(row, std::min(TileRows, end - row),
                          canUseTilesOfX() ? x : x + (row - begin) * xRow);
    for (int64_t column = 0; column < p.n; column += columns) {
      int64_t n = std::min(columns, p.n - column);
      if (n != tileColumns) {
        tile.emplace(n, p.k, xRow, weightRow);
        tileColumns = n;
      }
      const float *panel = weight;
      if (isDirect())
        panel = static_cast<const float *>(p.weight.data) + column * weightRow;
      else
        for (int64_t j = 0; j < n; ++j)
          loadRow(p.weight, p.weightScale, column + j, weight + j * p.k);
      for (int64_t row = begin, i = 0; row < end; row += TileRows, ++i) {
        if (!tile->run(tiles[i], panel, y))
          return false;
        store(row, std::min(TileRows, end - row), column, n);
      }
    }
  }
  return true;
}

size_t braid::runtime::productScratch(const Product &product,
                                      const SmallOps &ops) {
  ScratchParts parts(nullptr);
  Multiplier(product, ops, parts);
  return parts.bytes();
}

bool braid::runtime::multiply(const Product &product, const SmallOps &ops,
                              void *scratch) {
  ScratchParts parts(scratch);
  return Multiplier(product, ops, parts).run();
}
