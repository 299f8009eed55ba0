//===- GemmKernels.cu - What products need beside cuBLASLt ----------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All simple: scales are small, and the plain product is for shapes that models
// do not have.
//
//===----------------------------------------------------------------------===//

#include "GemmKernels.h"

#include "braid/runtime.h"

#include <algorithm>
#include <cuda_bf16.h>
#include <cuda_fp8.h>

using namespace braid::runtime;

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

static __device__ float loadScale(const ScaleMatrix &scales, int64_t group,
                                  int64_t row, int64_t block) {
  int64_t at = group * scales.group + row * scales.row + block * scales.block;
  if (scales.dtype == BRAID_F32)
    return static_cast<const float *>(scales.data)[at];
  // 2^(byte - 127): the exponent of an f32, but for 0, which is half of the
  // smallest normal number, and 255, which is no number.
  uint32_t byte = static_cast<const uint8_t *>(scales.data)[at];
  return __uint_as_float(byte == 0     ? 0x00400000u
                         : byte == 255 ? 0x7fc00000u
                                       : byte << 23);
}

static constexpr int Tile = 32;
static constexpr int TileThreads = 8;

/// Blocks 0 .. xBlocks - 1 transpose a 32 x 32 tile of x's scales each, those
/// after them copy 256 scales of the weight.
static __global__ void convertScales(ScaleConversion c, int64_t xBlocks,
                                     int64_t rowTiles, int64_t blockTiles) {
  __shared__ float tile[Tile][Tile + 1];
  int64_t number = blockIdx.x;
  if (number < xBlocks) {
    int64_t row = number % rowTiles * Tile;
    int64_t block = number / rowTiles % blockTiles * Tile;
    int64_t group = number / rowTiles / blockTiles;
    for (int i = threadIdx.y; i < Tile; i += TileThreads) {
      int64_t r = row + i, b = block + threadIdx.x;
      tile[i][threadIdx.x] =
          r < c.rows && b < c.blocks ? loadScale(c.x, group, r, b) : 0.0f;
    }
    __syncthreads();
    for (int i = threadIdx.y; i < Tile; i += TileThreads) {
      int64_t r = row + threadIdx.x, b = block + i;
      if (r < c.paddedRows && b < c.blocks)
        c.xTo[(group * c.blocks + b) * c.paddedRows + r] = tile[threadIdx.x][i];
    }
    return;
  }
  int64_t at = (number - xBlocks) * (Tile * TileThreads) + threadIdx.y * Tile +
               threadIdx.x;
  if (at >= c.groups * c.weightRows * c.weightStride)
    return;
  int64_t block = at % c.weightStride;
  int64_t row = at / c.weightStride % c.weightRows;
  int64_t group = at / c.weightStride / c.weightRows;
  c.weightTo[at] =
      block < c.blocks ? loadScale(c.weight, group, row, block) : 0.0f;
}

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

cudaError_t braid::runtime::launchScales(const ScaleConversion &conversion,
                                         cudaStream_t stream) {
  int64_t rowTiles = ceilDiv(conversion.paddedRows, Tile);
  int64_t blockTiles = ceilDiv(conversion.blocks, Tile);
  int64_t xBlocks =
      conversion.xTo ? conversion.groups * rowTiles * blockTiles : 0;
  int64_t weightScales =
      conversion.weightTo
          ? conversion.groups * conversion.weightRows * conversion.weightStride
          : 0;
  int64_t blocks = xBlocks + ceilDiv(weightScales, Tile * TileThreads);
  if (blocks == 0)
    return cudaSuccess;
  if (blocks > INT32_MAX)
    return cudaErrorInvalidConfiguration;
  // A weight whose scales are left out has none in the kernel either.
  ScaleConversion sized = conversion;
  if (!sized.weightTo)
    sized.weightRows = sized.weightStride = 0;
  convertScales<<<static_cast<unsigned>(blocks), dim3(Tile, TileThreads), 0,
                  stream>>>(sized, xBlocks, rowTiles, blockTiles);
  return cudaGetLastError();
}

//===----------------------------------------------------------------------===//
// A plain product
//===----------------------------------------------------------------------===//

static __device__ float toFloat(float value) { return value; }
static __device__ float toFloat(__nv_bfloat16 value) {
  return __bfloat162float(value);
}
static __device__ float toFloat(__nv_fp8_e4m3 value) {
  return static_cast<float>(value);
}

static __device__ void store(float *to, float value) { *to = value; }
static __device__ void store(__nv_bfloat16 *to, float value) {
  *to = __float2bfloat16_rn(value);
}

/// 16 x 16 threads compute a 32 x 32 tile of y, four elements each, with sums
/// in f32 in the order of K.
template <typename Input, typename Output>
static __global__ void plainProduct(PlainProduct p) {
  __shared__ float xTile[Tile][Tile + 1], weightTile[Tile][Tile + 1];
  int64_t row = int64_t(blockIdx.x) * Tile, column = int64_t(blockIdx.y) * Tile;
  int64_t group = blockIdx.z;
  const Input *x = static_cast<const Input *>(p.x) + group * p.xGroup;
  const Input *weight =
      static_cast<const Input *>(p.weight) + group * p.n * p.weightRow;
  Output *y = static_cast<Output *>(p.y) + group * p.yGroup;
  int thread = threadIdx.y * 16 + threadIdx.x;
  float sums[2][2] = {};
  for (int64_t begin = 0; begin < p.k; begin += Tile) {
    for (int i = thread; i < Tile * Tile; i += 256) {
      int r = i / Tile, c = i % Tile;
      int64_t k = begin + c;
      float fromX = 0.0f, fromWeight = 0.0f;
      if (k < p.k && row + r < p.rows) {
        fromX = toFloat(x[(row + r) * p.xRow + k]);
        if (p.xScale.data)
          fromX *= loadScale(p.xScale, group, row + r, k / 128);
      }
      if (k < p.k && column + r < p.n) {
        fromWeight = toFloat(weight[(column + r) * p.weightRow + k]);
        if (p.weightScale.data)
          fromWeight *=
              loadScale(p.weightScale, group, (column + r) / 128, k / 128);
      }
      xTile[r][c] = fromX;
      weightTile[r][c] = fromWeight;
    }
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          sums[i][j] += xTile[threadIdx.y + 16 * i][k] *
                        weightTile[threadIdx.x + 16 * j][k];
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      int64_t r = row + threadIdx.y + 16 * i;
      int64_t n = column + threadIdx.x + 16 * j;
      if (r < p.rows && n < p.n)
        store(&y[r * p.yRow + n], sums[i][j]);
    }
}

using PlainKernel = void (*)(PlainProduct);

static PlainKernel plainKernel(int32_t type, int32_t yType) {
  bool isFloat = yType == BRAID_F32;
  switch (type) {
  case BRAID_F32:
    return isFloat ? plainProduct<float, float> : nullptr;
  case BRAID_BF16:
    return isFloat ? plainProduct<__nv_bfloat16, float>
                   : plainProduct<__nv_bfloat16, __nv_bfloat16>;
  case BRAID_F8E4M3:
    return isFloat ? plainProduct<__nv_fp8_e4m3, float>
                   : plainProduct<__nv_fp8_e4m3, __nv_bfloat16>;
  default:
    return nullptr;
  }
}

cudaError_t braid::runtime::launchPlainProduct(const PlainProduct &product,
                                               cudaStream_t stream) {
  PlainKernel kernel = plainKernel(product.type, product.yType);
  int64_t rowTiles = ceilDiv(product.rows, Tile);
  int64_t columnTiles = ceilDiv(product.n, Tile);
  // The limits of a grid.
  if (!kernel || rowTiles > INT32_MAX || columnTiles > 65535 ||
      product.groups > 65535)
    return cudaErrorInvalidConfiguration;
  kernel<<<dim3(static_cast<unsigned>(rowTiles),
                static_cast<unsigned>(columnTiles),
                static_cast<unsigned>(product.groups)),
           dim3(16, 16), 0, stream>>>(product);
  return cudaGetLastError();
}

//===----------------------------------------------------------------------===//
// Numbers to time with
//===----------------------------------------------------------------------===//

static __global__ void fillRandom(void *data, int32_t dtype, int64_t count) {
  int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    // Source: the finalizer of SplitMix64.
    uint64_t bits = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    bits ^= bits >> 31;
    float value = static_cast<float>(bits >> 40) * 0x1p-23f - 1.0f;
    if (dtype == BRAID_F32)
      static_cast<float *>(data)[i] = value;
    else if (dtype == BRAID_BF16)
      static_cast<__nv_bfloat16 *>(data)[i] = __float2bfloat16_rn(value);
    else
      static_cast<__nv_fp8_e4m3 *>(data)[i] = __nv_fp8_e4m3(value);
  }
}

cudaError_t braid::runtime::launchFill(void *data, int32_t dtype, int64_t count,
                                       cudaStream_t stream) {
  int64_t blocks = std::min<int64_t>(ceilDiv(count, 256), 4096);
  if (blocks == 0)
    return cudaSuccess;
  fillRandom<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(data, dtype,
                                                                count);
  return cudaGetLastError();
}

cudaError_t braid::runtime::loadGemmKernels() {
  const void *kernels[] = {
      reinterpret_cast<const void *>(convertScales),
      reinterpret_cast<const void *>(fillRandom),
      reinterpret_cast<const void *>(plainKernel(BRAID_F32, BRAID_F32)),
      reinterpret_cast<const void *>(plainKernel(BRAID_BF16, BRAID_F32)),
      reinterpret_cast<const void *>(plainKernel(BRAID_BF16, BRAID_BF16)),
      reinterpret_cast<const void *>(plainKernel(BRAID_F8E4M3, BRAID_F32)),
      reinterpret_cast<const void *>(plainKernel(BRAID_F8E4M3, BRAID_BF16))};
  for (const void *kernel : kernels) {
    // Asking for attributes is what loads a kernel.
    cudaFuncAttributes attributes;
    cudaError_t status = cudaFuncGetAttributes(&attributes, kernel);
    if (status != cudaSuccess)
      return status;
  }
  return cudaSuccess;
}
