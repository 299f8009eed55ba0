//===- SchedInterfaces.td - What sched asks of other dialects ---------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interfaces through which ops, regions and argument attributes of other
// dialects become schedulable. External models give them to upstream ops.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_SCHED_IR_SCHEDINTERFACES_TD
#define BRAID_DIALECT_SCHED_IR_SCHEDINTERFACES_TD

include "mlir/IR/OpBase.td"

def SchedulableOpInterface : OpInterface<"SchedulableOpInterface"> {
  let cppNamespace = "::braid::sched";
  let description = [{
    An op that the runtime has a kernel for, and that can be launched on a
    stream. The scheduler knows an op by these methods only.
  }];
  let methods = [
    InterfaceMethod<
      "What the op reads beside its inputs; decides whether it may be captured.",
      "::braid::sched::EffectClass", "getEffectClass", (ins), "",
      "return ::braid::sched::EffectClass::GraphSafe;">,
    InterfaceMethod<[{
        How the op touches the memory behind an operand, once the operand is a
        buffer. Default: inits of a destination-style op are written, all others
        read.
      }],
      "::braid::sched::Access", "getAccess",
      (ins "::mlir::OpOperand &":$operand), "",
      "return ::braid::sched::getDefaultAccess(operand);">,
    InterfaceMethod<[{
        Whether the contents of the operand are read by the host while the op is
        enqueued.
      }],
      "bool", "isHostOperand", (ins "::mlir::OpOperand &":$operand), "",
      "return false;">,
    InterfaceMethod<[{
        Work of one execution for a token count: arithmetic operations, and
        bytes moved to and from memory if nothing is cached. Every dynamic
        leading extent counts as `tokens`.
      }],
      "::braid::sched::Cost", "getCost", (ins "int64_t":$tokens), "",
      "return ::braid::sched::getDefaultCost($_op, tokens);">,
    InterfaceMethod<[{
        Scratch in bytes, beside its operands, that the kernel needs on the
        stream it runs on.
      }],
      "int64_t", "getScratchBytes", (ins "int64_t":$tokens), "", "return 0;">,
    InterfaceMethod<
      "Name under which the runtime finds the kernel.",
      "::llvm::StringRef", "getKernelName", (ins), "",
      "return $_op->getName().stripDialect();">,
    InterfaceMethod<[{
        Operands in the order of the kernel's interface, null where an optional
        operand is absent.
      }],
      "::llvm::SmallVector<::mlir::OpOperand *>", "getKernelOperands", (ins),
      "", [{
        ::llvm::SmallVector<::mlir::OpOperand *> operands;
        for (::mlir::OpOperand &operand : $_op->getOpOperands())
          operands.push_back(&operand);
        return operands;
      }]>,
  ];
}

def EagerRegionOpInterface : OpInterface<"EagerRegionOpInterface"> {
  let cppNamespace = "::braid::sched";
  let description = [{
    A region that its author placed outside any graph. It has one block; the
    operands of its terminator are the op's results.
  }];
}

def MetadataAttrInterface : AttrInterface<"MetadataAttrInterface"> {
  let cppNamespace = "::braid::sched";
  let description = [{
    An attribute of a function argument that makes it metadata: contents that
    change from call to call and are no ordinary input of a graph.
  }];
  let methods = [
    InterfaceMethod<"Whether the host reads it.", "bool", "isHost", (ins)>,
    InterfaceMethod<[{
        Whether the buffer has the same address for every call and is refreshed
        before each replay. Never true for host metadata.
      }], "bool", "isPersistent", (ins)>,
  ];
}

#endif // BRAID_DIALECT_SCHED_IR_SCHEDINTERFACES_TD
