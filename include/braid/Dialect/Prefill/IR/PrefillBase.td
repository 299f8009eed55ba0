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

  /// What every op of the class shares; effects are those of its operands.
  code sharedDefinition = [{
    ::braid::sched::EffectClass $cppClass::getEffectClass() {
      return ::braid::sched::EffectClass::}] # effectClass # [{;
    }
  }];
  code effectsDefinition = [{
    void $cppClass::getEffects(::llvm::SmallVectorImpl<
        ::mlir::MemoryEffects::EffectInstance> &effects) {
      ::braid::prefill::getAccessEffects(*this, effects);
    }
  }];
  let extraClassDefinition = sharedDefinition # effectsDefinition;
}

/// An op in destination style: the operands called `inits` are written, and
/// returned as results when they are tensors.
class Prefill_DpsOp<string mnemonic, string effectClass,
                    list<string> interfaceMethods = [],
                    list<Trait> traits = [], list<string> inits = ["y"]>
    : Prefill_Op<mnemonic, effectClass, interfaceMethods,
                 traits # [DestinationStyleOpInterface,
                           InferTypeOpAdaptor]> {
  let results = (outs Variadic<AnyRankedTensor>:$results);

  code inferDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location>,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &results) {
      return ::braid::prefill::inferFromInits({}] #
      !interleave(!foreach(init, inits, "adaptor." # "get" #
          !toupper(!substr(init, 0, 1)) # !substr(init, 1) # "()"), ", ") # [{},
          results);
    }
  }];
  let extraClassDefinition =
      sharedDefinition # effectsDefinition # inferDefinition;
}

#endif // BRAID_DIALECT_PREFILL_IR_PREFILLBASE_TD
