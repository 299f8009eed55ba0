#===- kernels.py - Traces as PyTorch's profiler writes them ---*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# Prints what the kernels stage makes of made-up traces and names.

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__),
                                "../../../../benchmarks/gpu"))
import braid
import stage_kernels

MARKER = "at::cuda::(anonymous namespace)::spin_kernel(long)"
SPLIT = ("void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16>"
         "(cublasLt::cublasSplitKParams<float>)")
NVJET = "nvjet_%s_64x8_64x16_4x1_v_bz_%s_TNT"


def trace(pieces):
    """Pieces are lists of (name, microseconds)."""
    events, now = [], 0.0
    for piece in pieces:
        for name, duration in piece + [(MARKER, 1.0)]:
            events.append({"ph": "X", "cat": "kernel", "name": name, "ts": now,
                           "dur": duration, "args": {"grid": [132, 1, 2]}})
            now += duration
    # Not what ran on the GPU; and in no order.
    events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel",
                   "ts": 0.0, "dur": 5.0})
    return {"traceEvents": events[::-1]}


def show(title, steps, pieces):
    print("=== " + title)
    events = stage_kernels.device_events(trace(pieces))
    try:
        arms, notes = stage_kernels.summarize(steps, events, MARKER)
    except braid.Error as error:
        print("error:", error)
        return
    for arm, kernels in arms.items():
        for kernel in kernels:
            print(arm, kernel.get("product"), kernel["name"], kernel["us"],
                  kernel.get("grid"))
    for note in notes:
        print("note:", note)


def call(us):
    """A whole call: scales are converted before A, parts added after B."""
    return [("convertScales(braid::runtime::ScaleConversion, long)", 1.0),
            (NVJET % ("q", "a"), us), (NVJET % ("h", "splitK"), 2.0),
            (SPLIT, 1.5), (NVJET % ("h", "c"), 3.0), (NVJET % ("h", "d"), 4.0)]


whole = [("braid", None)]
show("median of three calls", whole * 3, [call(5.0), call(9.0), call(6.0)])
show("one call differs", whole * 3, [call(5.0), call(5.0), call(5.0)[1:]])
show("five products", whole, [call(5.0) + [(NVJET % ("h", "e"), 1.0)]])
show("by product", [("torch", "A"), ("torch", "B")],
     [[("kernel_a(int)", 2.0)], [("kernel_b(int)", 3.0), (SPLIT, 1.0)]])
show("calls are missing", whole * 2, [call(5.0)])
print("=== names")
for name in (
        SPLIT, "void plainProduct<__nv_bfloat16, float>(braid::PlainProduct)",
        "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, "
        "__nv_bfloat16, 7, cublasGemvParamsEx<int, 3> >(Params<int>)",
        "void cutlass::Kernel2<cutlass_80_tensorop_bf16_16x16_128x2_tn_align8>"
        "(cutlass_80_tensorop_bf16_16x16_128x2_tn_align8::Params)",
        "void cutlass::device_kernel<cutlass::gemm::GemmUniversal<cute::tuple<"
        "cute::C<2>, cute::C<1> >, cute::tuple<cute::C<64>, cute::C<128> > > >"
        "(Params)", "Memset (Device)"):
    print(stage_kernels.short_name(name))
