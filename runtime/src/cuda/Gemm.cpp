//===- Gemm.cpp - linear and grouped_linear on a GPU ----------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which way a call goes, its scratch, and the plans.
//
//  * Without scales, or with one for each operand: one strided batch of
//    products, else one product a group.
//  * With block scales: one product a group, rows in parts. cuBLASLt wants the
//    scales of x transposed and the rows of the weight's scales a multiple of
//    16 bytes apart, so one small kernel writes both to scratch before the
//    product, unless they lie that way already. It does so in every call:
//    scales that were written once would be wrong when a weight is loaded to
//    the same address later. cuBLASLt takes multiples of 4 rows; up to 64 rows
//    are padded to a multiple of 16 in scratch, and of more rows the last few
//    are.
//  * What cuBLASLt refuses (rows of x that overlap, addresses and distances
//    that are not aligned, K that is no multiple of 16 in fp8 or of 128 with
//    block scales): a plain kernel.
//
// Everything is enqueued on the call's stream and can be captured.
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"

#include "CudaStatus.h"
#include "GemmKernels.h"
#include "GemmMatmul.h"
#include "GemmTuner.h"

#include "core/KernelChecks.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

using namespace braid::runtime;
using namespace braid::runtime::product;

/// Source: the workspace that the cuBLAS documentation recommends for Hopper.
static constexpr size_t MaxLibraryWorkspace = size_t(32) << 20;
static constexpr int NumCandidates = 8;
/// Most rows that are padded in scratch.
static constexpr int64_t MaxPaddedRows = 64;
static constexpr int64_t RowUnit = 16;
/// Most that is asked of an address: what the widest loads need. No more, so
/// that two buffers do not differ by how well they are aligned.
static constexpr int64_t MaxAlignment = 16;
/// Alignment of the parts of scratch.
static constexpr size_t PartAlignment = 256;

static size_t alignPart(size_t bytes) {
  return (bytes + PartAlignment - 1) / PartAlignment * PartAlignment;
}

template <typename T>
static T *advance(T *pointer, int64_t bytes) {
  return reinterpret_cast<T *>(reinterpret_cast<uintptr_t>(pointer) +
                               static_cast<uintptr_t>(bytes));
}

namespace braid::runtime {
struct GemmPlan;
} // namespace braid::runtime

//===----------------------------------------------------------------------===//
// A call
//===----------------------------------------------------------------------===//

namespace {

/// y[g] = x[g] . weight[g]^T. Distances are in elements; those of dimensions
/// with one entry are set to what suits cuBLASLt.
struct Problem {
  explicit Problem(const braid_kernel_call &call);

  bool isEmpty() const { return rows == 0 || n == 0 || groups == 0; }
  /// Whether the library could do it at all, as far as sizes say.
  bool suitsLibrary() const {
    return k > 0 && xRow >= k &&
           (scales != GemmScales::Blocks || k % ScaleBlock == 0);
  }
  int64_t scaleBlocks() const { return (k + ScaleBlock - 1) / ScaleBlock; }
  int64_t weightScaleRows() const { return (n + ScaleBlock - 1) / ScaleBlock; }
  int64_t weightScaleStride() const { return padded(scaleBlocks(), 4); }
  int64_t yPaddedRow() const { return padded(n, 16); }
  /// Whether cuBLASLt can read block scales where they lie: those of the
  /// weight, and those of all rows of x.
  bool hasReadyWeightScales() const;
  bool hasReadyXScales() const;

  const void *xAt(int64_t row, int64_t group) const {
    return advance(x, (row * xRow + group * xGroup) * elementSize(type));
  }
  const void *weightAt(int64_t group) const {
    return advance(weight, group * n * weightRow * elementSize(type));
  }
  void *yAt(int64_t row, int64_t group) const {
    return advance(y, (row * yRow + group * yGroup) * elementSize(yType));
  }

  /// The key of a product of `rows` rows in one batch of `groups`.
  GemmKey key(int64_t rows, int64_t groups) const;
  /// The key of a product of rows that were copied to scratch.
  GemmKey paddedKey(int64_t rows) const;
  /// `rows` rows from `row` on, of all groups.
  PlainProduct plain(int64_t row, int64_t rows) const;

  int64_t rows, groups, n, k;
  int32_t type, yType;
  const void *x, *weight;
  void *y;
  int64_t xRow, xGroup, weightRow, yRow, yGroup;
  GemmScales scales = GemmScales::None;
  ScaleMatrix xScale, weightScale;
};

/// Where things lie in the scratch of a call; offsets in bytes. The workspace
/// of cuBLASLt is at its start.
struct ScratchPlan {
  ScratchPlan(const Problem &problem, size_t libraryBytes, size_t budget);

  /// False: nothing fits, so that the plain kernel has to do it.
  bool usesLibrary = false;
  size_t bytes = 0;
  size_t weightScale = 0;
  size_t xScale = 0;
  size_t x = 0, y = 0; ///< padded rows
  int64_t maxRows = 0; ///< whose scales fit
};

/// The rows of a product with block scales that are done together.
struct Part {
  int64_t row = 0;
  int64_t rows = 0;
  int64_t paddedRows = 0;
  bool isPadded = false;
  GemmPlan *plan = nullptr; ///< NULL: the plain kernel
};

} // namespace

static int64_t strideOf(const braid_tensor *tensor, int dim,
                        int64_t otherwise) {
  return tensor->sizes[dim] > 1 ? tensor->strides[dim] : otherwise;
}

Problem::Problem(const braid_kernel_call &call) {
  const braid_tensor *xTensor = call.operands[X];
  const braid_tensor *weightTensor = call.operands[Weight];
  const braid_tensor *yTensor = call.operands[Y];
  bool isGrouped = xTensor->rank == 3;
  int last = xTensor->rank - 1;
  rows = xTensor->sizes[0];
  groups = isGrouped ? xTensor->sizes[1] : 1;
  n = yTensor->sizes[last];
  k = xTensor->sizes[last];
  type = xTensor->dtype;
  yType = yTensor->dtype;
  x = xTensor->data;
  weight = weightTensor->data;
  y = yTensor->data;
  xRow = strideOf(xTensor, 0, padded(k, 16));
  weightRow = strideOf(weightTensor, 0, padded(k, 16));
  yRow = strideOf(yTensor, 0, padded(n, 16));
  xGroup = isGrouped ? strideOf(xTensor, 1, 0) : 0;
  yGroup = isGrouped ? strideOf(yTensor, 1, 0) : 0;
  const braid_tensor *xScales = call.operands[XScale];
  const braid_tensor *weightScales = call.operands[WeightScale];
  if (!xScales)
    return;
  // A scale of the whole operand is a matrix whose entries are all the same.
  scales = xScales->rank == 1 && weightScales->rank == 1 ? GemmScales::Whole
                                                         : GemmScales::Blocks;
  xScale = {xScales->data, xScales->dtype, 0, 0, 0};
  if (xScales->rank > 1) {
    xScale.row = xScales->strides[0];
    xScale.block = xScales->strides[xScales->rank - 1];
    xScale.group = isGrouped ? xScales->strides[1] : 0;
  }
  weightScale = {weightScales->data, weightScales->dtype, 0, 0, 0};
  if (weightScales->rank > 1) {
    weightScale.row = weightScales->strides[0];
    weightScale.block = 1;
    weightScale.group = n / ScaleBlock * weightScale.row;
  }
}

bool Problem::hasReadyWeightScales() const {
  return weightScale.dtype == BRAID_F32 && weightScale.block == 1 &&
         reinterpret_cast<uintptr_t>(weightScale.data) % MaxAlignment == 0 &&
         weightScale.row == weightScaleStride();
}

bool Problem::hasReadyXScales() const {
  return groups == 1 && rows % 4 == 0 && xScale.row == 1 &&
         (xScale.block == rows || scaleBlocks() == 1) &&
         reinterpret_cast<uintptr_t>(xScale.data) % MaxAlignment == 0;
}

/// Largest power of two, up to the most that is asked for, that divides an
/// address and a distance in bytes.
static int32_t alignmentOf(const void *data, int64_t distance) {
  uint64_t bits = reinterpret_cast<uintptr_t>(data) |
                  static_cast<uint64_t>(distance) | MaxAlignment;
  return static_cast<int32_t>(bits & (~bits + 1));
}

GemmKey Problem::key(int64_t keyRows, int64_t keyGroups) const {
  GemmKey key;
  key.rows = keyRows;
  key.n = n;
  key.k = k;
  key.xRow = xRow;
  key.weightRow = weightRow;
  key.yRow = yRow;
  key.xGroup = keyGroups > 1 ? xGroup : 0;
  key.yGroup = keyGroups > 1 ? yGroup : 0;
  key.groups = static_cast<int32_t>(keyGroups);
  key.type = type;
  key.yType = yType;
  key.scales = scales;
  int64_t bytes = elementSize(type);
  key.xAlignment = alignmentOf(x, groups > 1 ? xGroup * bytes : 0);
  key.weightAlignment =
      alignmentOf(weight, groups > 1 ? n * weightRow * bytes : 0);
  key.yAlignment = alignmentOf(y, groups > 1 ? yGroup * elementSize(yType) : 0);
  return key;
}

GemmKey Problem::paddedKey(int64_t keyRows) const {
  GemmKey padding = key(keyRows, 1);
  padding.xRow = k;
  padding.yRow = yPaddedRow();
  padding.xAlignment = padding.yAlignment = MaxAlignment;
  return padding;
}

PlainProduct Problem::plain(int64_t row, int64_t plainRows) const {
  PlainProduct plain;
  plain.groups = groups;
  plain.rows = plainRows;
  plain.n = n;
  plain.k = k;
  plain.type = type;
  plain.yType = yType;
  plain.x = xAt(row, 0);
  plain.weight = weight;
  plain.y = yAt(row, 0);
  plain.xRow = xRow;
  plain.xGroup = xGroup;
  plain.weightRow = weightRow;
  plain.yRow = yRow;
  plain.yGroup = yGroup;
  plain.xScale = xScale;
  plain.weightScale = weightScale;
  if (xScale.data)
    plain.xScale.data = advance(
        xScale.data, row * xScale.row * static_cast<int64_t>(sizeof(float)));
  return plain;
}

ScratchPlan::ScratchPlan(const Problem &problem, size_t libraryBytes,
                         size_t budget) {
  if (problem.isEmpty() || !problem.suitsLibrary())
    return;
  size_t used = libraryBytes;
  auto take = [&used](int64_t count) {
    size_t at = used;
    used = alignPart(used + static_cast<size_t>(count));
    return at;
  };
  if (problem.scales == GemmScales::Whole)
    weightScale = take(sizeof(float));
  if (problem.scales == GemmScales::Blocks) {
    weightScale = take(problem.groups * problem.weightScaleRows() *
                       problem.weightScaleStride() * sizeof(float));
    int64_t paddedRows = padded(std::min(problem.rows, MaxPaddedRows), RowUnit);
    x = take(paddedRows * problem.k);
    y = take(paddedRows * problem.yPaddedRow() * elementSize(problem.yType));
    int64_t rowBytes = problem.groups * problem.scaleBlocks() * sizeof(float);
    int64_t rest =
        budget > used ? (budget - used) / PartAlignment * PartAlignment : 0;
    maxRows = std::min(rest / rowBytes / RowUnit * RowUnit,
                       padded(problem.rows, RowUnit));
    if (maxRows < paddedRows)
      return;
    xScale = take(maxRows * rowBytes);
  }
  usesLibrary = used <= budget;
  bytes = usesLibrary ? used : 0;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace braid::runtime {

/// A form of product.
struct GemmPlan {
  GemmMatmul matmul;
  cublasLtMatmulAlgo_t algorithm = {};
  bool isSupported = false;
  bool isFromFile = false;
  bool isPrepared = false; ///< timed, or warmed up if it is from a file
  bool wasEnqueued = false;
};

/// What is behind GemmPlans.
class GemmState {
public:
  ~GemmState();

  Error create(size_t scratchBytes);

  ScratchPlan scratchOf(const Problem &problem) const {
    return ScratchPlan(problem, libraryBytes, scratchBytes);
  }

  /// Goes through the products of a call as `run` does, makes their plans, and
  /// prepares them if `prepare` says so.
  Error visit(const Problem &problem, bool prepare, bool &usesLibrary);

  Error runWhole(const Problem &problem, char *scratch, cudaStream_t stream);
  Error runBlocks(const Problem &problem, char *scratch, cudaStream_t stream);
  Error runPlain(const Problem &problem, int64_t row, int64_t rows,
                 cudaStream_t stream);

  GemmEnvironment environment;
  GemmChoices choices; ///< timed or loaded
  int64_t version = 0; ///< of what was enqueued so far

private:
  Error find(const GemmKey &key, bool prepare, GemmPlan *&plan);
  Error makePlan(const GemmKey &key, GemmPlan &plan);
  Error preparePlan(const GemmKey &key, GemmPlan &plan);

  /// Sets `plan` to one for all groups at once, else to one for a group each,
  /// else to NULL.
  Error chooseWhole(const Problem &problem, bool prepare, GemmPlan *&plan,
                    bool &isBatch);
  /// Sets `part` to the rows from `part.row` on.
  Error choosePart(const Problem &problem, const ScratchPlan &scratch,
                   bool prepare, Part &part);
  Error runPart(const Problem &problem, const ScratchPlan &layout,
                const Part &part, const float *xScales,
                const float *weightScales, char *scratch, cudaStream_t stream);
  Error enqueue(GemmPlan &plan, const GemmOperands &operands, char *scratch,
                cudaStream_t stream) {
    plan.wasEnqueued = true;
    return checkCublas(plan.matmul.enqueue(operands, plan.algorithm, scratch,
                                           libraryBytes, stream),
                       "cublasLtMatmul");
  }

  cublasLtHandle_t handle = nullptr;
  void *placeholder = nullptr; ///< stands for scales
  size_t scratchBytes = 0;
  size_t libraryBytes = 0; ///< of scratch, the workspace of cuBLASLt
  std::unordered_map<GemmKey, std::unique_ptr<GemmPlan>, GemmKeyHash> plans;
};

} // namespace braid::runtime

GemmState::~GemmState() {
  RelaxedCapture relaxed;
  plans.clear();
  if (handle)
    cublasLtDestroy(handle);
  if (placeholder)
    (void)cudaFree(placeholder);
}

Error GemmState::create(size_t bytes) {
  scratchBytes = bytes;
  libraryBytes =
      std::min(MaxLibraryWorkspace, bytes / 2) / PartAlignment * PartAlignment;
  if (Error error = checkCublas(cublasLtCreate(&handle), "cublasLtCreate"))
    return error;
  if (Error error =
          checkCuda(cudaMalloc(&placeholder, PartAlignment), "cudaMalloc"))
    return error;
  if (Error error = checkCuda(loadGemmKernels(), "loading kernels"))
    return error;
  int device = 0, driver = 0;
  cudaDeviceProp properties;
  if (Error error = checkCuda(cudaGetDevice(&device), "cudaGetDevice"))
    return error;
  if (Error error = checkCuda(cudaGetDeviceProperties(&properties, device),
                              "cudaGetDeviceProperties"))
    return error;
  if (Error error =
          checkCuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion"))
    return error;
  environment.device = properties.name;
  environment.driver = driver;
  environment.cublasLt = static_cast<int64_t>(cublasLtGetVersion());
  return Error::success();
}

/// Whether rows and addresses are as cuBLASLt wants them for fp8, the only type
/// that has no slower algorithms for others.
static bool isAlignedForFp8(const GemmKey &key) {
  auto isMultiple = [](int64_t bytes) { return bytes % MaxAlignment == 0; };
  return isMultiple(key.k) && isMultiple(key.xRow) &&
         isMultiple(key.weightRow) &&
         isMultiple(key.yRow * elementSize(key.yType)) &&
         key.xAlignment == MaxAlignment &&
         key.weightAlignment == MaxAlignment && key.yAlignment == MaxAlignment;
}

Error GemmState::makePlan(const GemmKey &key, GemmPlan &plan) {
  if (key.type == BRAID_F8E4M3 && !isAlignedForFp8(key))
    return Error::success();
  if (Error error = plan.matmul.create(handle, key, placeholder))
    return error;
  if (auto choice = choices.find(key); choice != choices.end()) {
    static_assert(sizeof(plan.algorithm) == sizeof(choice->second),
                  "GemmAlgorithm must be a cublasLtMatmulAlgo_t");
    std::memcpy(&plan.algorithm, choice->second.data(), sizeof(plan.algorithm));
    plan.isSupported = plan.isFromFile =
        plan.matmul.accepts(plan.algorithm, libraryBytes);
    if (plan.isSupported)
      return Error::success();
    choices.erase(choice);
  }
  std::vector<cublasLtMatmulAlgo_t> candidates;
  if (Error error =
          plan.matmul.candidates(NumCandidates, libraryBytes, candidates))
    return error;
  plan.isSupported = !candidates.empty();
  if (plan.isSupported)
    plan.algorithm = candidates.front();
  return Error::success();
}

Error GemmState::preparePlan(const GemmKey &key, GemmPlan &plan) {
  std::vector<cublasLtMatmulAlgo_t> candidates = {plan.algorithm};
  if (!plan.isFromFile)
    if (Error error =
            plan.matmul.candidates(NumCandidates, libraryBytes, candidates))
      return error;
  if (candidates.empty())
    return Error::success();
  size_t chosen = 0;
  bool wasTimed = false;
  if (Error error = tuneGemm(plan.matmul, key, candidates, libraryBytes, chosen,
                             wasTimed))
    return error;
  bool changes = std::memcmp(&plan.algorithm, &candidates[chosen],
                             sizeof(plan.algorithm)) != 0;
  version += plan.wasEnqueued && changes;
  plan.algorithm = candidates[chosen];
  if (!wasTimed)
    return Error::success();
  plan.isPrepared = true;
  std::memcpy(choices[key].data(), &plan.algorithm, sizeof(plan.algorithm));
  return Error::success();
}

Error GemmState::find(const GemmKey &key, bool prepare, GemmPlan *&plan) {
  auto found = plans.find(key);
  if (found == plans.end()) {
    auto made = std::make_unique<GemmPlan>();
    if (Error error = makePlan(key, *made))
      return error;
    found = plans.emplace(key, std::move(made)).first;
  }
  plan = found->second.get();
  if (!prepare || !plan->isSupported || plan->isPrepared)
    return Error::success();
  return preparePlan(key, *plan);
}

//===----------------------------------------------------------------------===//
// Without block scales
//===----------------------------------------------------------------------===//

Error GemmState::chooseWhole(const Problem &problem, bool prepare,
                             GemmPlan *&plan, bool &isBatch) {
  isBatch = true;
  if (Error error =
          find(problem.key(problem.rows, problem.groups), prepare, plan))
    return error;
  if (!plan->isSupported && problem.groups > 1) {
    isBatch = false;
    if (Error error = find(problem.key(problem.rows, 1), prepare, plan))
      return error;
  }
  if (!plan->isSupported)
    plan = nullptr;
  return Error::success();
}

Error GemmState::runWhole(const Problem &problem, char *scratch,
                          cudaStream_t stream) {
  ScratchPlan layout = scratchOf(problem);
  GemmPlan *plan = nullptr;
  bool isBatch = true;
  if (layout.usesLibrary)
    if (Error error = chooseWhole(problem, false, plan, isBatch))
      return error;
  if (!plan)
    return runPlain(problem, 0, problem.rows, stream);
  GemmOperands operands;
  operands.x = problem.x;
  operands.weight = problem.weight;
  operands.y = problem.y;
  operands.xScale = problem.xScale.data;
  operands.weightScale = problem.weightScale.data;
  if (operands.weightScale && problem.weightScale.dtype != BRAID_F32) {
    ScaleConversion conversion;
    conversion.blocks = conversion.weightRows = conversion.weightStride = 1;
    conversion.weight = problem.weightScale;
    conversion.weightTo =
        reinterpret_cast<float *>(scratch + layout.weightScale);
    operands.weightScale = conversion.weightTo;
    if (Error error = checkCuda(launchScales(conversion, stream),
                                "the kernel that converts scales"))
      return error;
  }
  if (isBatch)
    return enqueue(*plan, operands, scratch, stream);
  for (int64_t group = 0; group < problem.groups; ++group) {
    operands.x = problem.xAt(0, group);
    operands.weight = problem.weightAt(group);
    operands.y = problem.yAt(0, group);
    if (Error error = enqueue(*plan, operands, scratch, stream))
      return error;
  }
  return Error::success();
}

Error GemmState::runPlain(const Problem &problem, int64_t row, int64_t rows,
                          cudaStream_t stream) {
  return checkCuda(launchPlainProduct(problem.plain(row, rows), stream),
                   "the plain kernel of a product");
}

//===----------------------------------------------------------------------===//
// With block scales
//===----------------------------------------------------------------------===//

Error GemmState::choosePart(const Problem &problem, const ScratchPlan &scratch,
                            bool prepare, Part &part) {
  part.rows = std::min(problem.rows - part.row, scratch.maxRows);
  if (part.rows % 4 != 0 && part.rows > MaxPaddedRows)
    part.rows -= part.rows % RowUnit;
  part.paddedRows = part.rows;
  part.isPadded = false;
  part.plan = nullptr;
  // The transposed scales of x have to be multiples of 16 bytes apart.
  if (part.rows % 4 == 0) {
    if (Error error = find(problem.key(part.rows, 1), prepare, part.plan))
      return error;
    if (part.plan->isSupported)
      return Error::success();
  }
  part.plan = nullptr;
  if (part.rows > MaxPaddedRows)
    return Error::success();
  part.paddedRows = padded(part.rows, RowUnit);
  part.isPadded = true;
  if (Error error =
          find(problem.paddedKey(part.paddedRows), prepare, part.plan))
    return error;
  if (!part.plan->isSupported)
    part.plan = nullptr;
  return Error::success();
}

/// Enqueues a copy of `rows` rows of `width` bytes.
static Error copyRows(void *to, int64_t toStride, const void *from,
                      int64_t fromStride, int64_t width, int64_t rows,
                      cudaStream_t stream) {
  return checkCuda(cudaMemcpy2DAsync(to, toStride, from, fromStride, width,
                                     rows, cudaMemcpyDefault, stream),
                   "cudaMemcpy2DAsync");
}

Error GemmState::runPart(const Problem &problem, const ScratchPlan &layout,
                         const Part &part, const float *xScales,
                         const float *weightScales, char *scratch,
                         cudaStream_t stream) {
  char *xRows = scratch + layout.x, *yRows = scratch + layout.y;
  int64_t yBytes = elementSize(problem.yType);
  for (int64_t group = 0; group < problem.groups; ++group) {
    GemmOperands operands;
    operands.x = problem.xAt(part.row, group);
    operands.weight = problem.weightAt(group);
    operands.y = problem.yAt(part.row, group);
    operands.xScale = xScales + group * problem.scaleBlocks() * part.paddedRows;
    operands.weightScale = weightScales + group * problem.weightScaleRows() *
                                              problem.weightScaleStride();
    if (!part.isPadded) {
      if (Error error = enqueue(*part.plan, operands, scratch, stream))
        return error;
      continue;
    }
    // Elements of fp8 are bytes.
    if (Error error = copyRows(xRows, problem.k, operands.x, problem.xRow,
                               problem.k, part.rows, stream))
      return error;
    if (part.paddedRows > part.rows)
      if (Error error =
              checkCuda(cudaMemsetAsync(
                            xRows + part.rows * problem.k, 0,
                            (part.paddedRows - part.rows) * problem.k, stream),
                        "cudaMemsetAsync"))
        return error;
    void *y = operands.y;
    operands.x = xRows;
    operands.y = yRows;
    if (Error error = enqueue(*part.plan, operands, scratch, stream))
      return error;
    if (Error error = copyRows(y, problem.yRow * yBytes, yRows,
                               problem.yPaddedRow() * yBytes,
                               problem.n * yBytes, part.rows, stream))
      return error;
  }
  return Error::success();
}

Error GemmState::runBlocks(const Problem &problem, char *scratch,
                           cudaStream_t stream) {
  ScratchPlan layout = scratchOf(problem);
  if (!layout.usesLibrary)
    return runPlain(problem, 0, problem.rows, stream);
  bool isReady = problem.hasReadyWeightScales();
  const float *weightScales =
      isReady ? static_cast<const float *>(problem.weightScale.data)
              : reinterpret_cast<float *>(scratch + layout.weightScale);
  for (Part part; part.row < problem.rows; part.row += part.rows) {
    if (Error error = choosePart(problem, layout, false, part))
      return error;
    if (!part.plan) {
      if (Error error = runPlain(problem, part.row, part.rows, stream))
        return error;
      continue;
    }
    // An engine may keep scales as cuBLASLt reads them.
    bool isXReady = problem.hasReadyXScales() && part.rows == problem.rows &&
                    !part.isPadded;
    const float *xScales =
        isXReady ? static_cast<const float *>(problem.xScale.data)
                 : reinterpret_cast<float *>(scratch + layout.xScale);
    ScaleConversion conversion;
    conversion.groups = problem.groups;
    conversion.blocks = problem.scaleBlocks();
    if (!isXReady) {
      conversion.xTo = reinterpret_cast<float *>(scratch + layout.xScale);
      conversion.x = problem.plain(part.row, part.rows).xScale;
    }
    conversion.rows = part.rows;
    conversion.paddedRows = part.paddedRows;
    if (!isReady) {
      conversion.weightTo =
          reinterpret_cast<float *>(scratch + layout.weightScale);
      conversion.weight = problem.weightScale;
      conversion.weightRows = problem.weightScaleRows();
      conversion.weightStride = problem.weightScaleStride();
    }
    // The parts after the first find the weight's scales done.
    isReady = true;
    if (Error error = checkCuda(launchScales(conversion, stream),
                                "the kernel that converts scales"))
      return error;
    if (Error error = runPart(problem, layout, part, xScales, weightScales,
                              scratch, stream))
      return error;
  }
  return Error::success();
}

Error GemmState::visit(const Problem &problem, bool prepare,
                       bool &usesLibrary) {
  ScratchPlan layout = scratchOf(problem);
  usesLibrary = problem.isEmpty() || layout.usesLibrary;
  if (problem.isEmpty() || !usesLibrary)
    return Error::success();
  if (problem.scales != GemmScales::Blocks) {
    GemmPlan *plan = nullptr;
    bool isBatch;
    Error error = chooseWhole(problem, prepare, plan, isBatch);
    usesLibrary = plan != nullptr;
    return error;
  }
  for (Part part; part.row < problem.rows; part.row += part.rows) {
    if (Error error = choosePart(problem, layout, prepare, part))
      return error;
    usesLibrary &= part.plan != nullptr;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// GemmPlans
//===----------------------------------------------------------------------===//

GemmPlans::GemmPlans(std::unique_ptr<GemmState> state)
    : state(std::move(state)) {}
GemmPlans::~GemmPlans() = default;

Error GemmPlans::create(size_t scratchBytes,
                        std::unique_ptr<GemmPlans> &plans) {
  auto state = std::make_unique<GemmState>();
  if (Error error = state->create(scratchBytes))
    return error;
  plans.reset(new GemmPlans(std::move(state)));
  return Error::success();
}

Error GemmPlans::prepare(const braid_kernel_call &call) {
  bool usesLibrary;
  return state->visit(Problem(call), true, usesLibrary);
}

Error GemmPlans::usesLibrary(const braid_kernel_call &call, bool &answer) {
  return state->visit(Problem(call), false, answer);
}

int64_t GemmPlans::version() const { return state->version; }

size_t GemmPlans::workspaceBytes(const braid_kernel_call &call) const {
  return state->scratchOf(Problem(call)).bytes;
}

Error GemmPlans::run(const braid_kernel_call &call) {
  Problem problem(call);
  if (problem.isEmpty())
    return Error::success();
  char *scratch = static_cast<char *>(call.workspace);
  cudaStream_t stream = static_cast<cudaStream_t>(call.stream);
  return problem.scales == GemmScales::Blocks
             ? state->runBlocks(problem, scratch, stream)
             : state->runWhole(problem, scratch, stream);
}

Error GemmPlans::save(const std::string &path) const {
  std::string text = formatChoices(state->choices, state->environment);
  // Beside the file first, so that nobody reads half of it.
  std::string partial = path + ".partial";
  std::ofstream file(partial, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file && std::rename(partial.c_str(), path.c_str()) == 0)
    return Error::success();
  (void)std::remove(partial.c_str());
  return makeError(BRAID_INVALID_ARGUMENT, "'%s' cannot be written",
                   path.c_str());
}

Error GemmPlans::load(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file)
    return makeError(BRAID_INVALID_ARGUMENT, "'%s' cannot be read",
                     path.c_str());
  GemmChoices loaded;
  if (Error error = parseChoices(text.str(), path, state->environment, loaded))
    return error;
  // Those that were timed here stay.
  state->choices.merge(loaded);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static size_t gemmWorkspace(const braid_kernel_call *call, size_t,
                            void *userData) {
  return static_cast<GemmPlans *>(userData)->workspaceBytes(*call);
}

static braid_status runGemm(const braid_kernel_call *call, void *userData) {
  Error error =
      guarded([&] { return static_cast<GemmPlans *>(userData)->run(*call); });
  return error ? kernelFailed(*call, "%s", error.text().c_str()) : BRAID_OK;
}

bool GemmPlans::runs(const braid_kernel &kernel) {
  return kernel.run == runGemm;
}

static braid_kernel makeKernel(const char *name,
                               braid_status (*check)(const braid_kernel_call *,
                                                     void *),
                               GemmPlans &plans) {
  braid_kernel kernel = {};
  kernel.struct_size = sizeof(kernel);
  kernel.name = name;
  kernel.check = check;
  kernel.workspace = gemmWorkspace;
  kernel.run = runGemm;
  kernel.user_data = &plans;
  return kernel;
}

braid_kernel braid::runtime::makeLinear(GemmPlans &plans) {
  return makeKernel("linear", checkLinear, plans);
}

braid_kernel braid::runtime::makeGroupedLinear(GemmPlans &plans) {
  return makeKernel("grouped_linear", checkGroupedLinear, plans);
}
