//===- SchedDialect.td - The sched dialect ---------------------------===//
//
// Part of the Braid project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines the dialect itself. Include order, which must stay free of cycles:
// Dialect <- Base <- Attrs <- Interfaces <- Types <- Ops.
//
//===----------------------------------------------------------------------===//

#ifndef BRAID_DIALECT_SCHED_IR_SCHEDDIALECT_TD
#define BRAID_DIALECT_SCHED_IR_SCHEDDIALECT_TD

include "mlir/IR/OpBase.td"

def Sched_Dialect : Dialect {
  let name = "sched";
  let cppNamespace = "::braid::sched";
  let summary = "When and where work runs: streams, events, graph segments";
  let description = [{
    The `sched` dialect says *when* and *where* work is enqueued: on which
    stream, after which events, inside which captured graph segment or eager
    region, for which token counts, and in which bytes of one workspace. It
    knows nothing of attention. All it asks of the work is
    `SchedulableOpInterface`.

    ```
    func.func @layer(%x: memref<?x64xf32> {sched.tokens}, ...) {
      %tokens = memref.dim %x, %c0 : memref<?x64xf32>
      sched.schedule(%s0, %s1) tokens(%tokens) {
        %q = sched.alloc(%tokens) : memref<?x32xf32>
        sched.segment {
          sched.launch on %s0 { ... }
          %e0 = sched.record on %s0
          sched.wait on %s1 for %e0
          ...
        }
        sched.eager { ... }
      }
      return
    }
    ```

    **Streams and events are SSA values.** Stream 0 is the caller's stream; the
    others belong to the schedule. `record` gives an event and `wait` uses it,
    so waiting before recording cannot be written down: dominance forbids it.
    An event stands for one recording. A wait refers to the record as it stood
    when the wait was enqueued.

    **Segments and eager regions.** A `segment` is captured as one graph and
    replayed with the addresses it was captured with. An `eager` region runs
    outside any graph, so it may read host metadata. Inside either, every
    stream that was forked is joined to stream 0 before the end, and no event
    crosses the edge.

    **Tokens.** The token count T is the leading extent of the function
    arguments that carry the unit attribute `sched.tokens`. Sizes of buffers are
    linear functions of it.

    **Host functions.** A function with `sched.kernel` is plain host code that
    `sched.host_call` launches; `sched.access` on its arguments and
    `sched.effect` on the function declare what it does. Ops that have no kernel
    in the runtime, such as linalg's, are outlined into such functions.

    **Effects.** Operations that order work have a memory effect on a resource
    of their own (`StreamResource`), so no canonicalization, CSE or dead code
    elimination moves or erases them, and they do not alias with loads.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();

    /// Name of the unit attribute of function arguments whose leading extent
    /// is the token count.
    static constexpr ::llvm::StringLiteral getTokensAttrName() {
      return "sched.tokens";
    }
    /// Name of the unit attribute of functions that `sched.host_call` launches.
    static constexpr ::llvm::StringLiteral getKernelAttrName() {
      return "sched.kernel";
    }
    /// Name of the attribute that says how such a function touches an argument.
    static constexpr ::llvm::StringLiteral getAccessAttrName() {
      return "sched.access";
    }
    /// Name of the attribute that says what such a function reads beside them.
    static constexpr ::llvm::StringLiteral getEffectAttrName() {
      return "sched.effect";
    }
  }];
}

#endif // BRAID_DIALECT_SCHED_IR_SCHEDDIALECT_TD
