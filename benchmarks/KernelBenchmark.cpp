//===- KernelBenchmark.cpp - Host GEMMs beside their library --------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each GEMM of a C4A layer of DeepSeek-V4-Flash through the runtime's C ABI,
// and the same product by one call of oneDNN on one thread, in turns. "library"
// is the share of the library's rate that Braid reaches: medians over all
// turns, of CPU time. fp8 is compared with the library's bf16, since it has no
// fp8.
//
//===----------------------------------------------------------------------===//

#include "../runtime/test/Support.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstring>
#include <ctime>
#include <dnnl.hpp>
#include <omp.h>

using namespace braid::test;

namespace {

struct Shape {
  const char *name;
  int64_t n, k;
  bool isFp8; ///< in published checkpoints
};

constexpr Shape Shapes[] = {{"wq_a_wkv", 1536, 4096, true},
                            {"compressor", 2048, 4096, false},
                            {"indexer_weights", 64, 4096, false},
                            {"indexer_compressor", 512, 4096, false},
                            {"wq_b", 32768, 1024, true},
                            {"indexer_wq_b", 8192, 1024, true},
                            {"wo_a_group", 1024, 4096, true},
                            {"wo_b", 4096, 8192, true}};

enum class Type { F32, Bf16, Fp8 };
constexpr const char *TypeNames[] = {"f32", "bf16", "fp8"};

/// Random bytes that are small finite numbers of the type.
std::vector<char> makeBytes(Type type, int64_t count, std::mt19937 &random) {
  std::vector<char> bytes(count * (type == Type::F32    ? 4
                                   : type == Type::Bf16 ? 2
                                                        : 1));
  uint32_t state = random();
  auto next = [&state] { return state = state * 1664525u + 1013904223u; };
  for (int64_t i = 0; i < count; ++i) {
    float value = static_cast<int32_t>(next()) * 0x1p-31f;
    if (type == Type::F32)
      std::memcpy(&bytes[i * 4], &value, 4);
    else if (type == Type::Bf16)
      std::memcpy(&bytes[i * 2], reinterpret_cast<char *>(&value) + 2, 2);
    else
      bytes[i] = next() >> 24 & 0xf7; // no NaN
  }
  return bytes;
}

/// The product as the library does it.
class LibraryProduct {
public:
  LibraryProduct(Type type, int64_t t, int64_t n, int64_t k, void *x, void *w,
                 void *y)
      : engine(dnnl::engine::kind::cpu, 0), stream(engine) {
    auto dtype = type == Type::F32 ? dnnl::memory::data_type::f32
                                   : dnnl::memory::data_type::bf16;
    dnnl::memory::desc xDesc({t, k}, dtype, dnnl::memory::dims{k, 1}),
        wDesc({k, n}, dtype, dnnl::memory::dims{1, k}),
        yDesc({t, n}, dnnl::memory::data_type::f32, dnnl::memory::dims{n, 1});
    primitive = dnnl::matmul(dnnl::matmul::primitive_desc(
        dnnl::matmul::desc(xDesc, wDesc, yDesc), engine));
    arguments = {{DNNL_ARG_SRC, {xDesc, engine, x}},
                 {DNNL_ARG_WEIGHTS, {wDesc, engine, w}},
                 {DNNL_ARG_DST, {yDesc, engine, y}}};
  }
  void run() {
    primitive.execute(stream, arguments);
    stream.wait();
  }

private:
  dnnl::engine engine;
  dnnl::stream stream;
  dnnl::primitive primitive;
  std::unordered_map<int, dnnl::memory> arguments;
};

double medianOf(std::vector<double> &values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

} // namespace

static void runGemm(benchmark::State &state, Type type, const Shape &shape,
                    int64_t t) {
  // The runtime's workers do the same.
  omp_set_num_threads(1);
  std::mt19937 random(1);
  int64_t n = shape.n, k = shape.k;
  std::vector<char> x = makeBytes(type, t * k, random),
                    w = makeBytes(type, n * k, random);
  int32_t dtype = type == Type::F32    ? BRAID_F32
                  : type == Type::Bf16 ? BRAID_BF16
                                       : BRAID_F8E4M3;
  braid_tensor xTensor = makeTensor(x.data(), dtype, {t, k}),
               wTensor = makeTensor(w.data(), dtype, {n, k});
  Floats y({t, n}), libraryY({t, n});
  Floats xScale({t, (k + 127) / 128}, 0.25f);
  Array<E8m0> wScale({(n + 127) / 128, (k + 127) / 128}, E8m0{120});
  const braid_tensor *scales[2] = {nullptr, nullptr};
  Op linear("linear", type == Type::Fp8 ? "rrrrw" : "rrnnw");
  if (type == Type::Fp8) {
    scales[0] = &xScale;
    scales[1] = &wScale;
  }
  std::vector<char> libraryX = type == Type::Fp8
                                   ? makeBytes(Type::Bf16, t * k, random)
                                   : x,
                    libraryW = type == Type::Fp8
                                   ? makeBytes(Type::Bf16, n * k, random)
                                   : w;
  Context context;
  LibraryProduct library(type, t, n, k, libraryX.data(), libraryW.data(),
                         libraryY.data.data());
  std::vector<double> braidSeconds, librarySeconds;
  // Of all threads, and without what other processes take from them.
  auto getCpuSeconds = [] {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
  };
  auto seconds = [&](auto &&run) {
    double begin = getCpuSeconds();
    run();
    return getCpuSeconds() - begin;
  };
  bool failed = false;
  auto runBraid = [&] {
    failed |= context.runOp(linear, {&xTensor, &wTensor, scales[0], scales[1],
                                     &y}) != BRAID_OK;
  };
  runBraid();
  library.run();
  for (auto _ : state) {
    braidSeconds.push_back(seconds(runBraid));
    librarySeconds.push_back(seconds([&] { library.run(); }));
    state.SetIterationTime(braidSeconds.back());
  }
  if (failed)
    return state.SkipWithError(context.error().c_str());
  double braid = medianOf(braidSeconds), best = medianOf(librarySeconds);
  state.counters["GFLOPs"] = 2.0 * t * n * k / braid * 1e-9;
  state.counters["library_GFLOPs"] = 2.0 * t * n * k / best * 1e-9;
  state.counters["library"] = best / braid;
}

int main(int argc, char **argv) {
  for (Type type : {Type::F32, Type::Bf16, Type::Fp8})
    for (const Shape &shape : Shapes) {
      if (type == Type::Fp8 && !shape.isFp8)
        continue;
      for (int64_t t : {64, 512})
        benchmark::RegisterBenchmark(
            (std::string(TypeNames[int(type)]) + "/" + shape.name +
             "/T:" + std::to_string(t))
                .c_str(),
            [type, &shape, t](benchmark::State &state) {
              runGemm(state, type, shape, t);
            })
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond)
            ->MinTime(0.4);
    }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
