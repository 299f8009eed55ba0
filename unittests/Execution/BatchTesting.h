//===- BatchTesting.h - Batches on a small model ----------------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tests of batches share: a model that is small but has everything
// that fp8 needs, in every combination of element types, and batches of it.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_UNITTESTS_EXECUTION_BATCHTESTING_H
#define BRAID_UNITTESTS_EXECUTION_BATCHTESTING_H

#include "braid/Execution/Arguments.h"
#include "braid/Import/ImportModel.h"
#include "braid/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

namespace braid::testing {

struct ContextDeleter {
  void operator()(braid_context *context) const {
    braid_context_destroy(context);
  }
};
using ContextPointer = std::unique_ptr<braid_context, ContextDeleter>;

/// A context of the host backend whose options `change` may alter.
ContextPointer
makeContext(llvm::function_ref<void(braid_context_options &)> change =
                [](braid_context_options &) {});

braid_statistics getStatistics(const ContextPointer &context);

template <typename T>
T unwrap(llvm::Expected<T> value) {
  if (!value) {
    ADD_FAILURE() << llvm::toString(value.takeError());
    std::abort();
  }
  return std::move(*value);
}

/// Layer of the model (0 window only, 1 sparse, 2 heavy), element types.
using Form = std::tuple<int, WeightType, CacheForm>;

/// "c4a_bf16_packed".
std::string getFormName(const ::testing::TestParamInfo<Form> &info);

/// Every layer kind in every combination of element types.
inline auto allForms() {
  return ::testing::Combine(
      ::testing::Range(0, 3),
      ::testing::Values(WeightType::F32, WeightType::BF16, WeightType::FP8),
      ::testing::Values(CacheForm::Plain, CacheForm::FP8));
}

/// How a layer is compiled.
struct Mode {
  unsigned maxStreams = 4;
  bool narrow = true;
  EagerForm form = EagerForm::None;
  MetadataLifetime metadata = MetadataLifetime::Persistent;
};

/// Rows of each request.
using Outputs = std::vector<std::vector<float>>;

class BatchTest : public ::testing::TestWithParam<Form> {
protected:
  void SetUp() override;

  std::unique_ptr<Program> compile(const Mode &mode);

  std::unique_ptr<BatchArguments>
  makeArguments(const Program &program, const Batch &batch,
                std::optional<float> padding = std::nullopt);

  /// Prefills the batch from empty caches on.
  static Outputs run(braid_context *runtime, BatchArguments &arguments);
  /// The same in a context and with arguments of its own.
  Outputs run(const Program &program, const Batch &batch);

  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
  ModelConfig config;
};

Request makeRequest(std::string name, int64_t tokens, int64_t history = 0,
                    std::vector<int64_t> chunks = {});

/// Requests of 9, 5 and 70 tokens. The second one has a history and goes on at
/// the position where the first one ends, as if they were one.
Batch makeThreeRequests();

/// Chunks beside single tokens, requests that come later and end sooner, and
/// buckets of which some calls need one and others another.
Batch makeMixedBatch();

} // namespace braid::testing

#endif // BRAID_UNITTESTS_EXECUTION_BATCHTESTING_H
