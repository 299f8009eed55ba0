//===- RecordedLaunch.cpp - Launches of a library, repeated ---------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads kernel nodes through the driver: CUDA's runtime knows only kernels that
// were compiled into the same binary. The driver's functions are looked up, so
// that nothing links to it.
//
//===----------------------------------------------------------------------===//

#include "RecordedLaunch.h"

#include "CudaStatus.h"

#include <cuda.h>
#include <cudaTypedefs.h>

#include <algorithm>
#include <utility>
#include <vector>

using namespace braid::runtime;

RecordedLaunch::~RecordedLaunch() = default;

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

namespace {

/// The driver's functions that are needed here.
struct Driver {
  PFN_cuGraphGetEdges_v12030 getEdges = nullptr;
  PFN_cuGraphKernelNodeGetParams_v12000 getParameters = nullptr;
  PFN_cuGraphKernelNodeGetAttribute_v11000 getAttribute = nullptr;
  PFN_cuLaunchKernelEx_v11060 launch = nullptr;
  bool isComplete = true;

  Driver() {
    find("cuGraphGetEdges", 12030, getEdges);
    find("cuGraphKernelNodeGetParams", 12000, getParameters);
    find("cuGraphKernelNodeGetAttribute", 11000, getAttribute);
    find("cuLaunchKernelEx", 11060, launch);
  }

  /// `version` is the one that the function's type is of.
  template <typename Function>
  void find(const char *name, unsigned version, Function &function) {
    void *address = nullptr;
    cudaDriverEntryPointQueryResult result;
    cudaError_t status = cudaGetDriverEntryPointByVersion(
        name, &address, version, cudaEnableDefault, &result);
    if (status != cudaSuccess)
      (void)cudaGetLastError();
    isComplete &= status == cudaSuccess &&
                  result == cudaDriverEntryPointSuccess && address;
    function = reinterpret_cast<Function>(address);
  }
};

/// A kernel with all that its launch needs. Parameters lie in the graph.
struct Kernel {
  CUfunction function = nullptr;
  void **parameters = nullptr;
  void **extra = nullptr;
  CUlaunchConfig config = {};
  std::vector<CUlaunchAttribute> attributes;
};

/// Kernels of a graph, which is theirs.
class KernelChain final : public RecordedLaunch {
public:
  KernelChain(const Driver &driver, cudaGraph_t graph)
      : driver(driver), graph(graph) {}
  ~KernelChain() override { (void)cudaGraphDestroy(graph); }

  /// Whether the graph is nothing but kernels in a row; reads them then.
  bool read();

  Error launch(cudaStream_t stream) const override;

private:
  bool sort(std::vector<cudaGraphNode_t> &nodes) const;
  bool addKernel(cudaGraphNode_t node);

  const Driver &driver;
  const cudaGraph_t graph;
  std::vector<Kernel> kernels;
};

} // namespace

static const Driver &getDriver() {
  static const Driver driver;
  return driver;
}

//===----------------------------------------------------------------------===//
// Reading a graph
//===----------------------------------------------------------------------===//

/// Sorts the nodes of a chain from first to last. An edge that lets the second
/// kernel start early becomes a plain one: that is slower, never wrong.
bool KernelChain::sort(std::vector<cudaGraphNode_t> &nodes) const {
  size_t numEdges = 0;
  if (driver.getEdges(graph, nullptr, nullptr, nullptr, &numEdges) !=
          CUDA_SUCCESS ||
      numEdges + 1 != nodes.size())
    return false;
  std::vector<CUgraphNode> from(numEdges), to(numEdges);
  std::vector<CUgraphEdgeData> data(numEdges);
  if (numEdges && driver.getEdges(graph, from.data(), to.data(), data.data(),
                                  &numEdges) != CUDA_SUCCESS)
    return false;
  auto indexOf = [](const std::vector<CUgraphNode> &list, CUgraphNode node) {
    return std::find(list.begin(), list.end(), node) - list.begin();
  };
  size_t first = 0;
  while (first < nodes.size() &&
         indexOf(to, nodes[first]) != static_cast<ptrdiff_t>(numEdges))
    ++first;
  if (first == nodes.size())
    return false;
  std::vector<cudaGraphNode_t> sorted = {nodes[first]};
  while (sorted.size() < nodes.size()) {
    size_t edge = indexOf(from, sorted.back());
    // Two edges from one node leave another one without.
    if (edge == numEdges)
      return false;
    sorted.push_back(to[edge]);
  }
  nodes = std::move(sorted);
  return true;
}

/// Whether a node's attribute says more than that it was not set. Priority and
/// memory domains are those of the stream that it is launched on.
static bool isSet(CUlaunchAttributeID id, const CUlaunchAttributeValue &value) {
  switch (id) {
  case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    return value.accessPolicyWindow.num_bytes > 0;
  case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
    return value.cooperative != 0;
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    return value.clusterDim.x > 0;
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    return value.clusterSchedulingPolicyPreference !=
           CU_CLUSTER_SCHEDULING_POLICY_DEFAULT;
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    return value.sharedMemCarveout > 0 && value.sharedMemCarveout <= 100;
  default:
    return false;
  }
}

bool KernelChain::addKernel(cudaGraphNode_t node) {
  cudaGraphNodeType type;
  CUDA_KERNEL_NODE_PARAMS_v2 parameters = {};
  if (cudaGraphNodeGetType(node, &type) != cudaSuccess ||
      type != cudaGraphNodeTypeKernel ||
      driver.getParameters(node, &parameters) != CUDA_SUCCESS)
    return false;
  Kernel kernel;
  // A CUkernel may stand for a CUfunction in all launches.
  kernel.function = parameters.func
                        ? parameters.func
                        : reinterpret_cast<CUfunction>(parameters.kern);
  kernel.parameters = parameters.kernelParams;
  kernel.extra = parameters.extra;
  kernel.config.gridDimX = parameters.gridDimX;
  kernel.config.gridDimY = parameters.gridDimY;
  kernel.config.gridDimZ = parameters.gridDimZ;
  kernel.config.blockDimX = parameters.blockDimX;
  kernel.config.blockDimY = parameters.blockDimY;
  kernel.config.blockDimZ = parameters.blockDimZ;
  kernel.config.sharedMemBytes = parameters.sharedMemBytes;
  for (CUlaunchAttributeID id :
       {CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
        CU_LAUNCH_ATTRIBUTE_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
        CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
        CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT}) {
    CUlaunchAttribute attribute = {};
    attribute.id = id;
    // What a driver does not know, it has not captured.
    if (driver.getAttribute(node, id, &attribute.value) == CUDA_SUCCESS &&
        isSet(id, attribute.value))
      kernel.attributes.push_back(attribute);
  }
  kernels.push_back(std::move(kernel));
  return kernels.back().function != nullptr;
}

bool KernelChain::read() {
  size_t count = 0;
  if (cudaGraphGetNodes(graph, nullptr, &count) != cudaSuccess || count == 0)
    return false;
  std::vector<cudaGraphNode_t> nodes(count);
  if (cudaGraphGetNodes(graph, nodes.data(), &count) != cudaSuccess ||
      !sort(nodes))
    return false;
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](cudaGraphNode_t node) { return addKernel(node); });
}

Error RecordedLaunch::record(cudaStream_t stream,
                             const std::function<Error()> &enqueue,
                             std::unique_ptr<RecordedLaunch> &recorded) {
  recorded.reset();
  const Driver &driver = getDriver();
  if (!driver.isComplete)
    return Error::success();
  if (Error error = checkCuda(
          cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture"))
    return error;
  Error failed = enqueue();
  cudaGraph_t graph = nullptr;
  Error ended =
      checkCuda(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  std::unique_ptr<KernelChain> chain;
  if (graph)
    chain = std::make_unique<KernelChain>(driver, graph);
  if (failed)
    return failed;
  if (ended)
    return ended;
  if (chain && chain->read())
    recorded = std::move(chain);
  (void)cudaGetLastError();
  return Error::success();
}

Error KernelChain::launch(cudaStream_t stream) const {
  for (const Kernel &kernel : kernels) {
    CUlaunchConfig config = kernel.config;
    config.hStream = stream;
    config.attrs = const_cast<CUlaunchAttribute *>(kernel.attributes.data());
    config.numAttrs = static_cast<unsigned>(kernel.attributes.size());
    CUresult status = driver.launch(&config, kernel.function, kernel.parameters,
                                    kernel.extra);
    if (status == CUDA_SUCCESS)
      continue;
    // The runtime knows the error by the same number, and says whether the
    // device is lost.
    return checkCuda(static_cast<cudaError_t>(status), "cuLaunchKernelEx");
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

const std::string &LaunchRecords::keyOf(const Launch &launch) {
  key.clear();
  auto append = [&](const void *data, size_t bytes) {
    key.append(static_cast<const char *>(data), bytes);
  };
  append(&launch.stream, sizeof(launch.stream));
  for (int64_t i = 0; i < launch.op->num_operands; ++i) {
    const braid_tensor *operand = launch.operands[i];
    int32_t rank = operand ? operand->rank : -1;
    append(&rank, sizeof(rank));
    if (!operand)
      continue;
    append(&operand->dtype, sizeof(operand->dtype));
    append(&operand->data, sizeof(operand->data));
    append(operand->sizes, rank * sizeof(operand->sizes[0]));
    append(operand->strides, rank * sizeof(operand->strides[0]));
  }
  return key;
}

const RecordedLaunch *LaunchRecords::find(const Launch &launch) {
  std::unique_ptr<RecordedLaunch> *found = records.find(keyOf(launch));
  return found ? found->get() : nullptr;
}

void LaunchRecords::add(const Launch &launch,
                        std::unique_ptr<RecordedLaunch> recorded) {
  // What it launched has its parameters with it and may still run.
  records.insert(keyOf(launch), std::move(recorded),
                 [](std::unique_ptr<RecordedLaunch>) {});
}
