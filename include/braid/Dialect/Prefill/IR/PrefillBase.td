//===- PrefillBase.td - Common definitions of the prefill dialect ---------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Base classes and operand types that the ops share.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_PREFILL_IR_PREFILLBASE_TD
#define BRAID_DIALECT_PREFILL_IR_PREFILLBASE_TD

include "braid/Dialect/Prefill/IR/PrefillAttrs.td"
include "braid/Dialect/Sched/IR/SchedInterfaces.td"
include "braid/Dialect/Sched/IR/SchedAttrs.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// An array: a tensor before bufferization, a strided memref after it.
def Prefill_Array : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef],
                              "ranked tensor or strided memref">;

/// A cache: memory that lives from call to call.
def Prefill_Cache : AnyTypeOf<[AnyStridedMemRef], "strided memref">;

/// An op that the runtime has a kernel for. `effectClass` is what it reads
/// beside its inputs.
class Prefill_Op<string mnemonic, string effectClass,
                 list<string> interfaceMethods = [], list<Trait> traits = []>
    : Op<Prefill_Dialect, mnemonic, traits # [
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<SchedulableOpInterface,
            ["getEffectClass"] # interfaceMethods>]> {
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::braid::sched::EffectClass $cppClass::getEffectClass() {
      return ::braid::sched::EffectClass::}] # effectClass # [{;
    }
    void $cppClass::getEffects(::llvm::SmallVectorImpl<
        ::mlir::MemoryEffects::EffectInstance> &effects) {
      ::braid::prefill::getAccessEffects(*this, effects);
    }
  }];
}

/// An op in destination style: the operands named by `init` (consecutive) are
/// written, and returned as results when they are tensors.
class Prefill_DpsOp<string mnemonic, string effectClass,
                    list<string> interfaceMethods = [],
                    list<Trait> traits = []>
    : Prefill_Op<mnemonic, effectClass, interfaceMethods,
                 traits # [DestinationStyleOpInterface,
                           InferTypeOpAdaptor]> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
}

#endif // BRAID_DIALECT_PREFILL_IR_PREFILLBASE_TD
