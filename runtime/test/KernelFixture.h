//===- KernelFixture.h - Tests with each set of loops -----------*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a test with each of the host backend's sets of inner loops.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_RUNTIME_TEST_KERNELFIXTURE_H
#define BRAID_RUNTIME_TEST_KERNELFIXTURE_H

#include "Support.h"

#include <cmath>
#include <cstdlib>

namespace braid::test {

/// The parameter is the name of a set, as BRAID_KERNELS takes it.
class KernelFixture : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    setenv("BRAID_KERNELS", GetParam(), 1);
    braid_context *made = nullptr;
    bool possible = braid_context_create(nullptr, &made) == BRAID_OK;
    braid_context_destroy(made);
    if (!possible)
      GTEST_SKIP() << "this machine cannot run " << GetParam();
    context = std::make_unique<Context>();
  }
  void TearDown() override {
    context.reset();
    unsetenv("BRAID_KERNELS");
  }

  braid_status run(const Op &op,
                   const std::vector<const braid_tensor *> &operands) {
    return context->runOp(op, operands);
  }
  std::string error() const { return context->error(); }

  std::unique_ptr<Context> context;
  std::mt19937 random{1234};
};

/// Angles of a small table.
inline void fillTable(Floats &table) {
  for (int64_t p = 0; p < table.size(0); ++p)
    for (int64_t i = 0; i < table.size(1) / 2; ++i) {
      double angle = p * std::pow(100.0, -2.0 * i / table.size(1));
      table(p, i) = std::cos(angle);
      table(p, table.size(1) / 2 + i) = std::sin(angle);
    }
}

} // namespace braid::test

#endif // BRAID_RUNTIME_TEST_KERNELFIXTURE_H
