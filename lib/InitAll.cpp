//===- InitAll.cpp - Registration of everything in Braid -*- C++ -*-===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists dialects, passes and models. Only what Braid's programs use:
// registering all of upstream would make --help unreadable and start-up slow.
//
//===----------------------------------------------------------------------===//

#include "braid/InitAll.h"

#include "braid/Conversion/Passes.h"
#include "braid/Dialect/Prefill/IR/Prefill.h"
#include "braid/Dialect/Prefill/Transforms/BufferizableOpInterfaceImpl.h"
#include "braid/Dialect/Sched/IR/ExternalModels.h"
#include "braid/Dialect/Sched/Transforms/Passes.h"
#include "braid/Pipelines/Pipelines.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void braid::registerAllDialects(DialectRegistry &registry) {
  registry.insert<prefill::PrefillDialect, sched::SchedDialect>();
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  DLTIDialect, func::FuncDialect, linalg::LinalgDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  scf::SCFDialect, tensor::TensorDialect>();

  prefill::registerBufferizableOpInterfaceExternalModels(registry);
  sched::registerExternalModels(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
}

void braid::registerAllPasses() {
  sched::registerSchedPasses();
  registerBraidConversionPasses();
  registerPipelines();

  // Upstream passes that the pipelines are made of, and the usual clean-up.
  registerTransformsPasses();
  bufferization::registerBufferizationPasses();
  registerConvertLinalgToLoopsPass();
  memref::registerMemRefPasses();
  registerLowerAffinePass();
  registerReconcileUnrealizedCastsPass();
}
