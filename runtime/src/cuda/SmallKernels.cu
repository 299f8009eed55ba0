//===- SmallKernels.cu - Kernels that go over rows once -------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread handles 8 neighbouring channels at a time: 16 bytes of bf16, two
// times 16 of f32. Where an address is not aligned for that, or a row ends
// earlier, it goes element by element; the results are the same bits. A sum is
// always taken in the order that the width of the row gives, so rows depend
// neither on the number of rows nor on alignment.
//
// Offsets have 64 bits. Slots and positions are only known on the device; those
// that lead nowhere are skipped, so that no kernel touches foreign memory.
//
//===----------------------------------------------------------------------===//

#include "SmallKernels.h"

#include "CudaStatus.h"

#include "core/KernelChecks.h"

#include <cuda_fp8.h>

#include <algorithm>
#include <cstdint>

using namespace braid::runtime;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

namespace {

/// Channels that a thread handles at a time.
constexpr int Chunk = 8;

/// Storage of an element; bf16 is kept as its bits.
using Bf16 = uint16_t;
using Fp8 = uint8_t;

__device__ bool isAligned(const void *address, unsigned bytes) {
  return (reinterpret_cast<uintptr_t>(address) & (bytes - 1)) == 0;
}

/// How many of the 8 channels from `at` on lie before `end`.
__device__ int chunkAt(int64_t at, int64_t end) {
  int64_t rest = end - at;
  return rest >= Chunk ? Chunk : rest > 0 ? static_cast<int>(rest) : 0;
}

/// To the nearest, ties to even. A NaN keeps its sign and upper bits as on the
/// host; the conversion instruction would replace it.
__device__ Bf16 bf16Of(float value) {
  uint32_t bits = __float_as_uint(value);
  uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
  uint32_t quiet = bits | 0x400000;
  return static_cast<Bf16>((value == value ? rounded : quiet) >> 16);
}

__device__ float widen(Bf16 bits) {
  return __uint_as_float(static_cast<uint32_t>(bits) << 16);
}

/// Loads `count` channels and fills up with zeros.
__device__ void load(const float *from, int count, float (&to)[Chunk]) {
  if (count == Chunk && isAligned(from, 16)) {
    float4 low = reinterpret_cast<const float4 *>(from)[0];
    float4 high = reinterpret_cast<const float4 *>(from)[1];
    to[0] = low.x, to[1] = low.y, to[2] = low.z, to[3] = low.w;
    to[4] = high.x, to[5] = high.y, to[6] = high.z, to[7] = high.w;
    return;
  }
#pragma unroll
  for (int k = 0; k < Chunk; ++k)
    to[k] = k < count ? from[k] : 0.0f;
}

__device__ void load(const Bf16 *from, int count, float (&to)[Chunk]) {
  if (count == Chunk && isAligned(from, 16)) {
    uint4 loaded = *reinterpret_cast<const uint4 *>(from);
    uint32_t words[] = {loaded.x, loaded.y, loaded.z, loaded.w};
#pragma unroll
    for (int k = 0; k < Chunk / 2; ++k) {
      to[2 * k] = __uint_as_float(words[k] << 16);
      to[2 * k + 1] = __uint_as_float(words[k] & 0xffff0000);
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < Chunk; ++k)
    to[k] = k < count ? widen(from[k]) : 0.0f;
}

/// Stores the first `count` channels.
__device__ void store(float *to, int count, const float (&from)[Chunk]) {
  if (count == Chunk && isAligned(to, 16)) {
    reinterpret_cast<float4 *>(to)[0] =
        make_float4(from[0], from[1], from[2], from[3]);
    reinterpret_cast<float4 *>(to)[1] =
        make_float4(from[4], from[5], from[6], from[7]);
    return;
  }
#pragma unroll
  for (int k = 0; k < Chunk; ++k)
    if (k < count)
      to[k] = from[k];
}

__device__ void store(Bf16 *to, int count, const float (&from)[Chunk]) {
  if (count == Chunk && isAligned(to, 16)) {
    uint32_t words[Chunk / 2];
#pragma unroll
    for (int k = 0; k < Chunk / 2; ++k)
      words[k] = bf16Of(from[2 * k]) |
                 static_cast<uint32_t>(bf16Of(from[2 * k + 1])) << 16;
    *reinterpret_cast<uint4 *>(to) =
        make_uint4(words[0], words[1], words[2], words[3]);
    return;
  }
#pragma unroll
  for (int k = 0; k < Chunk; ++k)
    if (k < count)
      to[k] = bf16Of(from[k]);
}

/// value * factor in e4m3, to the nearest, ties to even; beyond 448 is 448. The
/// instruction drops the sign of a NaN, which the host keeps.
__device__ uint32_t fp8Of(float value, float factor) {
  if (value != value)
    return (__float_as_uint(value) >> 24 & 0x80) | 0x7f;
  return __nv_cvt_float_to_fp8(value * factor, __NV_SATFINITE, __NV_E4M3);
}

/// Stores the first `count` channels times `factor`.
__device__ void store(Fp8 *to, int count, const float (&from)[Chunk],
                      float factor) {
  uint32_t bytes[Chunk];
#pragma unroll
  for (int k = 0; k < Chunk; ++k)
    bytes[k] = fp8Of(from[k], factor);
  if (count == Chunk && isAligned(to, 8)) {
    *reinterpret_cast<uint2 *>(to) =
        make_uint2(bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24,
                   bytes[4] | bytes[5] << 8 | bytes[6] << 16 | bytes[7] << 24);
    return;
  }
#pragma unroll
  for (int k = 0; k < Chunk; ++k)
    if (k < count)
      to[k] = static_cast<Fp8>(bytes[k]);
}

//===----------------------------------------------------------------------===//
// Rows and launches
//===----------------------------------------------------------------------===//

/// Rows of a tensor of rank 2 or 3; strides count elements.
struct Rows {
  void *data;
  int64_t outer, inner;

  explicit Rows(const braid_tensor &tensor)
      : data(tensor.data), outer(tensor.strides[0]),
        inner(tensor.rank == 3 ? tensor.strides[1] : 0) {}

  template <typename T>
  __device__ T *at(int64_t i, int64_t j) const {
    return static_cast<T *>(data) + i * outer + j * inner;
  }
};

/// The rows of all tensors of a call with the same leading dimensions.
struct RowCount {
  int64_t rows;   ///< in all
  int64_t middle; ///< for each index of dimension 0

  explicit RowCount(const braid_tensor &tensor)
      : middle(tensor.rank == 3 ? tensor.sizes[1] : 1) {
    rows = tensor.sizes[0] * middle;
  }
};

int64_t widthOf(const braid_tensor &tensor) {
  return tensor.sizes[tensor.rank - 1];
}

int64_t blocksOf(int64_t size, int64_t block) {
  return (size + block - 1) / block;
}

/// The smallest power of two of at least `value`, but at most `most`.
int64_t powerOfTwo(int64_t value, int64_t most) {
  int64_t result = 1;
  while (result < value && result < most)
    result *= 2;
  return result;
}

struct Geometry {
  dim3 grid, block;
};

constexpr int64_t ThreadsPerBlock = 256;
/// Loops go on where a grid ends; so this is no limit on sizes.
constexpr int64_t MaxBlocks = int64_t(1) << 30;
constexpr int64_t MaxBlocksY = 65535;

/// Threads for `rows` rows with `lanes` threads each: x along a row, y and the
/// grid's x over rows, the grid's y along rows that a block is too short for.
Geometry geometryOf(int64_t rows, int64_t lanes) {
  int64_t x = powerOfTwo(lanes, ThreadsPerBlock), y = ThreadsPerBlock / x;
  return {dim3(std::min(blocksOf(rows, y), MaxBlocks),
               std::min(blocksOf(lanes, x), MaxBlocksY)),
          dim3(x, y)};
}

/// Enqueues one kernel.
template <typename Args>
braid_status launch(const braid_kernel_call &call, void (*kernel)(Args),
                    const Geometry &geometry, const Args &args) {
  void *params[] = {const_cast<Args *>(&args)};
  if (Error error =
          checkCuda(cudaLaunchKernel(reinterpret_cast<const void *>(kernel),
                                     geometry.grid, geometry.block, params, 0,
                                     static_cast<cudaStream_t>(call.stream)),
                    "cudaLaunchKernel"))
    return kernelFailed(call, "%s", error.text().c_str());
  return BRAID_OK;
}

/// The place of a float type in a table of kernels.
int isBf16(const braid_tensor *tensor) {
  return tensor && tensor->dtype == BRAID_BF16;
}

} // namespace

//===----------------------------------------------------------------------===//
// rms_norm: x, weight?, y
//===----------------------------------------------------------------------===//

namespace {

struct NormArgs {
  Rows x, y;
  const void *weight;
  RowCount count;
  int64_t width;
  float eps;
};

constexpr int MaxNormThreads = 512;

/// The sum over the block, the same bits in each thread.
__device__ float sumOfBlock(float value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(~0u, value, step);
  int warps = blockDim.x / 32;
  if (warps == 1)
    return value;
  __shared__ float parts[MaxNormThreads / 32];
  // Until here other warps may read the sums of the row before.
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < warps; ++i)
    sum += parts[i];
  return sum;
}

/// y may be x: a thread writes only what it alone reads. Most rows have at most
/// one chunk for each thread, which then stays in registers, and the weight is
/// on its way while the sum is taken.
template <typename X, typename W, typename Y>
__global__ void __launch_bounds__(MaxNormThreads)
    rmsNorm(const __grid_constant__ NormArgs args) {
  const W *weight = static_cast<const W *>(args.weight);
  const int64_t width = args.width;
  const int64_t first = static_cast<int64_t>(threadIdx.x) * Chunk,
                step = static_cast<int64_t>(blockDim.x) * Chunk;
  for (int64_t row = blockIdx.x; row < args.count.rows; row += gridDim.x) {
    int64_t i = row / args.count.middle, j = row % args.count.middle;
    const X *x = args.x.at<const X>(i, j);
    Y *y = args.y.at<Y>(i, j);
    float values[Chunk], weights[Chunk], more[Chunk];
    load(x + first, chunkAt(first, width), values);
    if (weight)
      load(weight + first, chunkAt(first, width), weights);
    float sum = 0;
#pragma unroll
    for (int k = 0; k < Chunk; ++k)
      sum += values[k] * values[k];
    for (int64_t c = first + step; c < width; c += step) {
      load(x + c, chunkAt(c, width), more);
#pragma unroll
      for (int k = 0; k < Chunk; ++k)
        sum += more[k] * more[k];
    }
    float scale =
        1.0f / sqrtf(sumOfBlock(sum) / static_cast<float>(width) + args.eps);
#pragma unroll
    for (int k = 0; k < Chunk; ++k)
      values[k] = weight ? values[k] * scale * weights[k] : values[k] * scale;
    store(y + first, chunkAt(first, width), values);
    for (int64_t c = first + step; c < width; c += step) {
      load(x + c, chunkAt(c, width), more);
      if (weight)
        load(weight + c, chunkAt(c, width), weights);
#pragma unroll
      for (int k = 0; k < Chunk; ++k)
        more[k] = weight ? more[k] * scale * weights[k] : more[k] * scale;
      store(y + c, chunkAt(c, width), more);
    }
  }
}

/// By x, weight and y, 1 for bf16.
void (*const normKernels[2][2][2])(NormArgs) = {
    {{rmsNorm<float, float, float>, rmsNorm<float, float, Bf16>},
     {rmsNorm<float, Bf16, float>, rmsNorm<float, Bf16, Bf16>}},
    {{rmsNorm<Bf16, float, float>, rmsNorm<Bf16, float, Bf16>},
     {rmsNorm<Bf16, Bf16, float>, rmsNorm<Bf16, Bf16, Bf16>}}};

} // namespace

static braid_status runRmsNorm(const braid_kernel_call *call, void *) {
  const braid_tensor *x = call->operands[0], *weight = call->operands[1],
                     *y = call->operands[2];
  NormArgs args = {
      Rows(*x),     Rows(*y),    weight ? weight->data : nullptr,
      RowCount(*x), widthOf(*x), static_cast<float>(floatParam(*call, "eps"))};
  if (args.count.rows == 0 || args.width == 0)
    return BRAID_OK;
  int64_t threads = std::min<int64_t>(padded(blocksOf(args.width, Chunk), 32),
                                      MaxNormThreads);
  Geometry geometry = {dim3(std::min(args.count.rows, MaxBlocks)),
                       dim3(threads)};
  return launch(*call, normKernels[isBf16(x)][isBf16(weight)][isBf16(y)],
                geometry, args);
}

braid_kernel braid::runtime::makeRmsNorm() {
  return {sizeof(braid_kernel), "rms_norm", checkRmsNorm, nullptr,
          runRmsNorm,           nullptr,    nullptr};
}

//===----------------------------------------------------------------------===//
// rope: x, positions, table, y
//===----------------------------------------------------------------------===//

namespace {

struct RopeArgs {
  Rows x, y;
  RowCount count;
  const int64_t *positions;
  const float *table;
  int64_t tableStride, tableRows;
  int64_t plain;   ///< channels before those that are rotated
  int64_t rotated; ///< channels that are rotated
  int64_t copied;  ///< chunks of plain channels to copy; 0 in place
  int64_t chunks;  ///< in all
  float sign;
};

/// Loads `count` angles' cosines or sines.
__device__ void loadAngles(const float *from, int count,
                           float (&to)[Chunk / 2]) {
  if (count == Chunk / 2 && isAligned(from, 16)) {
    float4 loaded = *reinterpret_cast<const float4 *>(from);
    to[0] = loaded.x, to[1] = loaded.y, to[2] = loaded.z, to[3] = loaded.w;
    return;
  }
#pragma unroll
  for (int k = 0; k < Chunk / 2; ++k)
    to[k] = k < count ? from[k] : 0.0f;
}

template <typename X, typename Y>
__global__ void rope(const __grid_constant__ RopeArgs args) {
  for (int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
       row < args.count.rows; row += int64_t(gridDim.x) * blockDim.y) {
    int64_t t = row / args.count.middle, j = row % args.count.middle;
    const X *x = args.x.at<const X>(t, j);
    Y *y = args.y.at<Y>(t, j);
    for (int64_t c = int64_t(blockIdx.y) * blockDim.x + threadIdx.x;
         c < args.chunks; c += int64_t(gridDim.y) * blockDim.x) {
      float values[Chunk];
      if (c < args.copied) {
        int count = chunkAt(c * Chunk, args.plain);
        load(x + c * Chunk, count, values);
        store(y + c * Chunk, count, values);
        continue;
      }
      // An even number, as that of all rotated channels is.
      int64_t at = (c - args.copied) * Chunk;
      int count = chunkAt(at, args.rotated);
      load(x + args.plain + at, count, values);
      int64_t position = args.positions[t];
      // A position that the table does not have, which no check on the host can
      // see, leaves the row as it is.
      if (position >= 0 && position < args.tableRows) {
        float cosines[Chunk / 2], sines[Chunk / 2];
        const float *angles = args.table + position * args.tableStride + at / 2;
        loadAngles(angles, count / 2, cosines);
        loadAngles(angles + args.rotated / 2, count / 2, sines);
#pragma unroll
        for (int k = 0; k < Chunk / 2; ++k) {
          float a = values[2 * k], b = values[2 * k + 1];
          float sine = args.sign * sines[k];
          values[2 * k] = a * cosines[k] - b * sine;
          values[2 * k + 1] = a * sine + b * cosines[k];
        }
      }
      store(y + args.plain + at, count, values);
    }
  }
}

/// By x and y, 1 for bf16.
void (*const ropeKernels[2][2])(RopeArgs) = {
    {rope<float, float>, rope<float, Bf16>},
    {rope<Bf16, float>, rope<Bf16, Bf16>}};

} // namespace

static braid_status runRope(const braid_kernel_call *call, void *) {
  const braid_tensor *x = call->operands[0], *table = call->operands[2],
                     *y = call->operands[3];
  RopeArgs args = {Rows(*x),
                   Rows(*y),
                   RowCount(*x),
                   at<const int64_t>(call->operands[1], 0),
                   at<const float>(table, 0),
                   table->strides[0],
                   table->sizes[0],
                   widthOf(*x) - table->sizes[1],
                   table->sizes[1],
                   0,
                   0,
                   intParam(*call, "inverse") ? -1.0f : 1.0f};
  bool isInPlace = x->data == y->data && x->dtype == y->dtype &&
                   args.x.outer == args.y.outer && args.x.inner == args.y.inner;
  args.copied = isInPlace ? 0 : blocksOf(args.plain, Chunk);
  args.chunks = args.copied + blocksOf(args.rotated, Chunk);
  if (args.count.rows == 0 || args.chunks == 0)
    return BRAID_OK;
  return launch(*call, ropeKernels[isBf16(x)][isBf16(y)],
                geometryOf(args.count.rows, args.chunks), args);
}

braid_kernel braid::runtime::makeRope() {
  return {sizeof(braid_kernel),
          "rope",
          checkRope,
          nullptr,
          runRope,
          nullptr,
          nullptr};
}

//===----------------------------------------------------------------------===//
// quantize: x, values, scales
//===----------------------------------------------------------------------===//

namespace {

/// Most lanes that share a scale: a warp.
constexpr int64_t MaxLanes = 32;

/// Lanes for a block of channels with one scale; a power of two.
int64_t lanesOf(int64_t channels) {
  return powerOfTwo(blocksOf(channels, Chunk), MaxLanes);
}

/// `top`, or `value` if it is larger; a NaN never is, of whatever kind.
__device__ float larger(float top, float value) {
  return value > top ? value : top;
}

/// A thread's place among those that share a scale. Their number divides
/// blockDim.x, a power of two, so that none of these groups lies in two warps.
struct Lane {
  int lane, lanes;
  int64_t group, groups; ///< along a row, in the whole grid

  __device__ explicit Lane(int lanes)
      : lane(threadIdx.x % lanes), lanes(lanes),
        group(int64_t(blockIdx.y) * (blockDim.x / lanes) + threadIdx.x / lanes),
        groups(int64_t(gridDim.y) * (blockDim.x / lanes)) {}

  /// The largest value of the group. Other groups of the warp may have nothing
  /// to do and be elsewhere.
  __device__ float largest(float value) const {
    int place = (threadIdx.y * blockDim.x + threadIdx.x) % 32;
    unsigned mask = lanes == 32 ? ~0u : ((1u << lanes) - 1) << (place - lane);
    for (int step = lanes / 2; step > 0; step /= 2)
      value = larger(value, __shfl_xor_sync(mask, value, step));
    return value;
  }
};

/// The exponent, with its bias of 127, of the scale of a block whose largest
/// magnitude is `largest`: 2^ceil(log2(max(largest, 1e-4) / 448)). Of an
/// infinite one the scale is 1, as on the host.
__device__ uint32_t scaleExponent(float largest) {
  uint32_t bits = __float_as_uint(__fdiv_rn(fmaxf(largest, 1e-4f), 448.0f));
  if (bits >= 0x7f800000)
    return 127;
  return (bits >> 23) + ((bits & 0x7fffff) != 0);
}

__device__ float scaleOf(uint32_t exponent) {
  return __uint_as_float(exponent << 23);
}

/// Loads a chunk and, if `IsRounded`, rounds it to bf16.
template <bool IsRounded, typename X>
__device__ void loadRounded(const X *from, int count, float (&to)[Chunk]) {
  load(from, count, to);
  if constexpr (IsRounded) {
#pragma unroll
    for (int k = 0; k < Chunk; ++k)
      to[k] = widen(bf16Of(to[k]));
  }
}

/// The group of `lane` quantizes `size` channels and returns the exponent of
/// their scale. NaN counts as no magnitude.
template <bool IsRounded, typename X>
__device__ uint32_t quantizeBlock(const Lane &lane, const X *x, int64_t size,
                                  Fp8 *to) {
  const int64_t first = lane.lane * Chunk, step = lane.lanes * Chunk;
  float values[Chunk], more[Chunk];
  loadRounded<IsRounded>(x + first, chunkAt(first, size), values);
  float largest = 0;
#pragma unroll
  for (int k = 0; k < Chunk; ++k)
    largest = larger(largest, fabsf(values[k]));
  for (int64_t c = first + step; c < size; c += step) {
    loadRounded<IsRounded>(x + c, chunkAt(c, size), more);
#pragma unroll
    for (int k = 0; k < Chunk; ++k)
      largest = larger(largest, fabsf(more[k]));
  }
  uint32_t exponent = scaleExponent(lane.largest(largest));
  // The reciprocal of a power of two is exact, and so is a division by it.
  float factor = scaleOf(254 - exponent);
  store(to + first, chunkAt(first, size), values, factor);
  for (int64_t c = first + step; c < size; c += step) {
    loadRounded<IsRounded>(x + c, chunkAt(c, size), more);
    store(to + c, chunkAt(c, size), more, factor);
  }
  return exponent;
}

struct QuantizeArgs {
  Rows x, values, scales;
  RowCount count;
  int64_t width, block, blocks;
  int lanes;
};

/// `S` is f32, or the byte of e8m0.
template <typename X, typename S>
__global__ void quantize(const __grid_constant__ QuantizeArgs args) {
  Lane lane(args.lanes);
  for (int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
       row < args.count.rows; row += int64_t(gridDim.x) * blockDim.y) {
    int64_t i = row / args.count.middle, j = row % args.count.middle;
    const X *x = args.x.at<const X>(i, j);
    Fp8 *values = args.values.at<Fp8>(i, j);
    S *scales = args.scales.at<S>(i, j);
    for (int64_t b = lane.group; b < args.blocks; b += lane.groups) {
      int64_t begin = b * args.block;
      int64_t size = min(args.block, args.width - begin);
      uint32_t exponent =
          quantizeBlock<false>(lane, x + begin, size, values + begin);
      if (lane.lane != 0)
        continue;
      if constexpr (sizeof(S) == 1)
        scales[b] = static_cast<S>(exponent);
      else
        scales[b] = scaleOf(exponent);
    }
  }
}

/// By x, 1 for bf16, and scales, 1 for e8m0.
void (*const quantizeKernels[2][2])(QuantizeArgs) = {
    {quantize<float, float>, quantize<float, uint8_t>},
    {quantize<Bf16, float>, quantize<Bf16, uint8_t>}};

} // namespace

static braid_status runQuantize(const braid_kernel_call *call, void *) {
  const braid_tensor *x = call->operands[0], *scales = call->operands[2];
  int64_t width = widthOf(*x), block = intParam(*call, "block");
  // A block longer than the row is the row; so no sum below overflows.
  block = std::min(block, std::max<int64_t>(width, 1));
  QuantizeArgs args = {Rows(*x),
                       Rows(*call->operands[1]),
                       Rows(*scales),
                       RowCount(*x),
                       width,
                       block,
                       blocksOf(width, block),
                       static_cast<int>(lanesOf(block))};
  if (args.count.rows == 0 || args.blocks == 0)
    return BRAID_OK;
  return launch(*call,
                quantizeKernels[isBf16(x)][scales->dtype == BRAID_F8E8M0],
                geometryOf(args.count.rows, args.blocks * args.lanes), args);
}

braid_kernel braid::runtime::makeQuantize() {
  return {sizeof(braid_kernel), "quantize", checkQuantize, nullptr,
          runQuantize,          nullptr,    nullptr};
}

//===----------------------------------------------------------------------===//
// cache_insert: values, slots, cache
//===----------------------------------------------------------------------===//

namespace {

struct InsertArgs {
  const void *values;
  int64_t valueStride; ///< elements
  const int64_t *slots;
  int64_t rows, width;
  void *cache;
  int64_t slotLimit, blockSize;
  int64_t blockStride, rowStride; ///< elements; rowStride of plain rows only
  // Of rows in i8:
  int64_t fp8Channels; ///< all of an index row
  int64_t scaledBlock; ///< channels that share a scale
  int64_t scaledBlocks, plainBlocks;
  int64_t valueBytes, scaleBytes;
  int lanes;
};

/// The slot of row `t`, or -1 if nothing may be written for it. -1 is padding;
/// anything else that is no row of the cache cannot be seen by a check on the
/// host, and is skipped as well.
__device__ int64_t slotAt(const InsertArgs &args, int64_t t) {
  int64_t slot = args.slots[t];
  return slot >= 0 && slot < args.slotLimit ? slot : -1;
}

/// Rows of f32 or bf16.
template <typename X, typename Y>
__global__ void insertPlain(const __grid_constant__ InsertArgs args) {
  for (int64_t t = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
       t < args.rows; t += int64_t(gridDim.x) * blockDim.y) {
    int64_t slot = slotAt(args, t);
    if (slot < 0)
      continue;
    const X *x = static_cast<const X *>(args.values) + t * args.valueStride;
    Y *y = static_cast<Y *>(args.cache) +
           slot / args.blockSize * args.blockStride +
           slot % args.blockSize * args.rowStride;
    for (int64_t c = (int64_t(blockIdx.y) * blockDim.x + threadIdx.x) * Chunk;
         c < args.width; c += int64_t(gridDim.y) * blockDim.x * Chunk) {
      float values[Chunk];
      int count = chunkAt(c, args.width);
      load(x + c, count, values);
      store(y + c, count, values);
    }
  }
}

/// Rows of i8: index rows with one scale in f32, or packed rows with a scale in
/// e8m0 for each block, after which the other channels follow in bf16.
template <typename X, bool IsPacked>
__global__ void insertQuantized(const __grid_constant__ InsertArgs args) {
  Lane lane(args.lanes);
  for (int64_t t = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
       t < args.rows; t += int64_t(gridDim.x) * blockDim.y) {
    int64_t slot = slotAt(args, t);
    if (slot < 0)
      continue;
    const X *x = static_cast<const X *>(args.values) + t * args.valueStride;
    uint8_t *page = static_cast<uint8_t *>(args.cache) +
                    slot / args.blockSize * args.blockStride;
    uint8_t *values = page + slot % args.blockSize * args.valueBytes;
    uint8_t *scales = page + args.blockSize * args.valueBytes +
                      slot % args.blockSize * args.scaleBytes;
    for (int64_t b = lane.group; b < args.scaledBlocks + args.plainBlocks;
         b += lane.groups) {
      if (b < args.scaledBlocks) {
        int64_t begin = b * args.scaledBlock;
        int64_t size = min(args.scaledBlock, args.fp8Channels - begin);
        uint32_t exponent =
            quantizeBlock<true>(lane, x + begin, size, values + begin);
        if constexpr (IsPacked) {
          if (lane.lane == 0)
            scales[b] = static_cast<uint8_t>(exponent);
          // The first block also clears the bytes after the scales.
          if (b == 0)
            for (int64_t i = args.scaledBlocks + lane.lane; i < args.scaleBytes;
                 i += lane.lanes)
              scales[i] = 0;
        } else if (lane.lane == 0) {
          // Scales of a cache at an odd address are not aligned.
          uint32_t bits = exponent << 23;
          if (isAligned(scales, 4))
            *reinterpret_cast<uint32_t *>(scales) = bits;
          else
            for (int i = 0; i < 4; ++i)
              scales[i] = static_cast<uint8_t>(bits >> 8 * i);
        }
      } else if constexpr (IsPacked) {
        int64_t begin = (b - args.scaledBlocks) * args.scaledBlock;
        int64_t rest = args.width - args.fp8Channels;
        int64_t end = min(begin + args.scaledBlock, rest);
        Bf16 *y = reinterpret_cast<Bf16 *>(values + args.fp8Channels);
        for (int64_t c = begin + lane.lane * Chunk; c < end;
             c += lane.lanes * Chunk) {
          float chunk[Chunk];
          int count = chunkAt(c, end);
          load(x + args.fp8Channels + c, count, chunk);
          store(y + c, count, chunk);
        }
      }
    }
  }
}

/// By values and cache, 1 for bf16.
void (*const insertPlainKernels[2][2])(InsertArgs) = {
    {insertPlain<float, float>, insertPlain<float, Bf16>},
    {insertPlain<Bf16, float>, insertPlain<Bf16, Bf16>}};
/// By values, 1 for bf16, and form, 1 for packed rows.
void (*const insertQuantizedKernels[2][2])(InsertArgs) = {
    {insertQuantized<float, false>, insertQuantized<float, true>},
    {insertQuantized<Bf16, false>, insertQuantized<Bf16, true>}};

} // namespace

static braid_status runCacheInsert(const braid_kernel_call *call, void *) {
  const braid_tensor *values = call->operands[0], *cache = call->operands[2];
  InsertArgs args = {};
  args.values = values->data;
  args.valueStride = values->strides[0];
  args.slots = at<const int64_t>(call->operands[1], 0);
  args.rows = values->sizes[0];
  args.width = values->sizes[1];
  args.cache = cache->data;
  args.slotLimit = cacheSlots(cache);
  args.blockSize = cache->sizes[1];
  args.blockStride = cache->strides[0];
  args.rowStride = cache->strides[1];
  if (args.rows == 0 || args.slotLimit == 0)
    return BRAID_OK;
  if (cache->dtype != BRAID_I8) {
    if (args.width == 0)
      return BRAID_OK;
    return launch(*call, insertPlainKernels[isBf16(values)][isBf16(cache)],
                  geometryOf(args.rows, blocksOf(args.width, Chunk)), args);
  }
  int64_t fp8Channels = intParam(*call, "fp8_channels", 0);
  CacheRowLayout layout = {args.width, fp8Channels};
  args.valueBytes = layout.valueBytes();
  args.scaleBytes = layout.scaleBytes();
  bool isPacked = fp8Channels != 0;
  args.fp8Channels = isPacked ? fp8Channels : args.width;
  args.scaledBlock = isPacked ? CacheRowLayout::ScaleBlock : args.width;
  args.scaledBlocks = isPacked ? blocksOf(fp8Channels, args.scaledBlock) : 1;
  args.plainBlocks =
      isPacked ? blocksOf(args.width - fp8Channels, args.scaledBlock) : 0;
  args.lanes = static_cast<int>(lanesOf(args.scaledBlock));
  return launch(*call, insertQuantizedKernels[isBf16(values)][isPacked],
                geometryOf(args.rows, (args.scaledBlocks + args.plainBlocks) *
                                          static_cast<int64_t>(args.lanes)),
                args);
}

braid_kernel braid::runtime::makeCacheInsert() {
  return {sizeof(braid_kernel), "cache_insert", checkCacheInsert, nullptr,
          runCacheInsert,       nullptr,        nullptr};
}

//===----------------------------------------------------------------------===//
// copy: source, target; pack: inputs..., y
//===----------------------------------------------------------------------===//

namespace {

/// A strided copy as rows that are contiguous on both sides. All numbers are
/// bytes; dimensions begin with the innermost one.
struct CopyPart {
  const char *from;
  char *to;
  int64_t run, rows;
  int64_t sizes[BRAID_MAX_RANK];
  int64_t fromStrides[BRAID_MAX_RANK], toStrides[BRAID_MAX_RANK];
  int rank;

  /// Copies `source` to `target`, which has the same shape and type. Dimensions
  /// that follow each other without a gap become one.
  CopyPart(const braid_tensor &source, const braid_tensor &target)
      : from(static_cast<const char *>(source.data)),
        to(static_cast<char *>(target.data)), run(elementSize(source.dtype)),
        rows(1), rank(0) {
    int64_t bytes = run;
    for (int d = source.rank - 1; d >= 0; --d) {
      int64_t size = source.sizes[d], fromStride = source.strides[d] * bytes,
              toStride = target.strides[d] * bytes;
      if (size == 1)
        continue;
      if (rank == 0 && fromStride == run && toStride == run) {
        run *= size;
        continue;
      }
      rows *= size;
      int last = rank - 1;
      if (rank > 0 && fromStride == fromStrides[last] * sizes[last] &&
          toStride == toStrides[last] * sizes[last]) {
        sizes[last] *= size;
        continue;
      }
      sizes[rank] = size;
      fromStrides[rank] = fromStride;
      toStrides[rank] = toStride;
      ++rank;
    }
  }
  CopyPart() = default;

  bool isEmpty() const { return rows == 0 || run == 0; }

  /// The lowest bit that is set here is a size to which all accesses can be
  /// aligned.
  uintptr_t alignment() const {
    uintptr_t bits = reinterpret_cast<uintptr_t>(from) |
                     reinterpret_cast<uintptr_t>(to) | run;
    for (int d = 0; d < rank; ++d)
      bits |= fromStrides[d] | toStrides[d];
    return bits;
  }
};

/// Copies that one launch makes. Kernels have 4 KiB of parameters.
struct CopyBatch {
  static constexpr int MaxParts = 16;
  CopyPart parts[MaxParts];
};
static_assert(sizeof(CopyBatch) <= 4096, "more than a kernel's parameters");

/// Loads that a thread has in flight.
constexpr int CopyUnroll = 4;

/// The grid's z is the part.
template <typename Unit>
__global__ void copyRows(const __grid_constant__ CopyBatch batch) {
  const CopyPart &part = batch.parts[blockIdx.z];
  const int64_t units = part.run / static_cast<int64_t>(sizeof(Unit));
  const int64_t step = int64_t(gridDim.y) * blockDim.x;
  for (int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
       row < part.rows; row += int64_t(gridDim.x) * blockDim.y) {
    int64_t rest = row, from = 0, to = 0;
    for (int d = 0; d < part.rank; ++d) {
      int64_t index = rest % part.sizes[d];
      rest /= part.sizes[d];
      from += index * part.fromStrides[d];
      to += index * part.toStrides[d];
    }
    const Unit *source = reinterpret_cast<const Unit *>(part.from + from);
    Unit *target = reinterpret_cast<Unit *>(part.to + to);
    for (int64_t c = int64_t(blockIdx.y) * blockDim.x + threadIdx.x; c < units;
         c += CopyUnroll * step) {
      Unit loaded[CopyUnroll];
#pragma unroll
      for (int k = 0; k < CopyUnroll; ++k)
        if (c + k * step < units)
          loaded[k] = source[c + k * step];
#pragma unroll
      for (int k = 0; k < CopyUnroll; ++k)
        if (c + k * step < units)
          target[c + k * step] = loaded[k];
    }
  }
}

/// By the binary logarithm of the bytes that are moved at a time.
void (*const copyKernels[5])(CopyBatch) = {
    copyRows<uint8_t>, copyRows<uint16_t>, copyRows<uint32_t>, copyRows<uint2>,
    copyRows<uint4>};

/// Collects copies, and launches as many at a time as fit.
class Copies {
public:
  explicit Copies(const braid_kernel_call &call) : call(call) {}

  braid_status add(const CopyPart &part) {
    if (part.isEmpty())
      return BRAID_OK;
    if (count == CopyBatch::MaxParts)
      if (braid_status status = flush(); status != BRAID_OK)
        return status;
    batch.parts[count++] = part;
    return BRAID_OK;
  }

  braid_status flush() {
    if (count == 0)
      return BRAID_OK;
    uintptr_t alignment = 16;
    for (int i = 0; i < count; ++i)
      alignment |= batch.parts[i].alignment();
    int log = __builtin_ctzll(alignment);
    int64_t rows = 0, lanes = 0;
    for (int i = 0; i < count; ++i) {
      rows = std::max(rows, batch.parts[i].rows);
      lanes = std::max(lanes, blocksOf(batch.parts[i].run >> log, CopyUnroll));
    }
    Geometry geometry = geometryOf(rows, lanes);
    geometry.grid.z = count;
    count = 0;
    return launch(call, copyKernels[log], geometry, batch);
  }

private:
  const braid_kernel_call &call;
  CopyBatch batch;
  int count = 0;
};

} // namespace

static braid_status runCopy(const braid_kernel_call *call, void *) {
  Copies copies(*call);
  braid_status status =
      copies.add(CopyPart(*call->operands[0], *call->operands[1]));
  return status == BRAID_OK ? copies.flush() : status;
}

braid_kernel braid::runtime::makeCopy() {
  return {sizeof(braid_kernel),
          "copy",
          checkCopy,
          nullptr,
          runCopy,
          nullptr,
          nullptr};
}

static braid_status runPack(const braid_kernel_call *call, void *) {
  int64_t inputs = call->op->num_operands - 1;
  braid_tensor part = *call->operands[inputs];
  Copies copies(*call);
  for (int64_t i = 0; i < inputs; ++i) {
    const braid_tensor &x = *call->operands[i];
    part.sizes[0] = x.sizes[0];
    if (braid_status status = copies.add(CopyPart(x, part)); status != BRAID_OK)
      return status;
    part.data = static_cast<char *>(part.data) +
                x.sizes[0] * part.strides[0] * elementSize(part.dtype);
  }
  return copies.flush();
}

braid_kernel braid::runtime::makePack() {
  return {sizeof(braid_kernel),
          "pack",
          checkPack,
          nullptr,
          runPack,
          nullptr,
          nullptr};
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Asking for a function's attributes loads it.
template <typename Kernel>
static Error loadKernel(const Kernel &kernel) {
  cudaFuncAttributes attributes;
  return checkCuda(cudaFuncGetAttributes(
                       &attributes, reinterpret_cast<const void *>(kernel)),
                   "cudaFuncGetAttributes");
}

template <typename Table, size_t Size>
static Error loadKernel(const Table (&table)[Size]) {
  for (const Table &entry : table)
    if (Error error = loadKernel(entry))
      return error;
  return Error::success();
}

Error braid::runtime::loadSmallKernels() {
  if (Error error = loadKernel(normKernels))
    return error;
  if (Error error = loadKernel(ropeKernels))
    return error;
  if (Error error = loadKernel(quantizeKernels))
    return error;
  if (Error error = loadKernel(insertPlainKernels))
    return error;
  if (Error error = loadKernel(insertQuantizedKernels))
    return error;
  return loadKernel(copyKernels);
}
