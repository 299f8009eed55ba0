//===- AcmeOps.td - A dialect with one op that Braid schedules ------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op is a kernel of this project. SchedulableOpInterface is all that Braid has
// to know of it.
//
//===----------------------------------------------------------------------===//

#ifndef ACME_OPS_TD
#define ACME_OPS_TD

include "braid/Dialect/Sched/IR/SchedInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Acme_Dialect : Dialect {
  let name = "acme";
  let cppNamespace = "::acme";
  let summary = "kernels of Acme";
}

/// A tensor before bufferization, a memref after it.
def Acme_Array : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>;

def Acme_NormLinearOp : Op<Acme_Dialect, "norm_linear", [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SchedulableOpInterface, ["getCost"]>]> {
  let summary = "y = (x / sqrt(mean(x^2) + eps) * norm) . W^T";
  let description = [{
    A norm and the linear that reads it, in one kernel. x is [T, K], norm [K], the
    weight [N, K], y [T, N]. Only what differs from the interface's defaults is
    said: the kernel's name is `norm_linear`, its operands are those of the op, y
    is written and all else read, and it may be captured into a graph.
  }];
  let arguments = (ins Acme_Array:$x, Acme_Array:$norm, Acme_Array:$weight,
                       Acme_Array:$y, F64Attr:$eps);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $x `scaled` $norm `by` $weight `into` $y attr-dict `:`
    functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }
  }];
}

#endif // ACME_OPS_TD
