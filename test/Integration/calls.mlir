// Layers stay calls: a function that calls another one twice, with work of its
// own between, computes what the same ops in one function compute, bit for bit.
// Both functions' segments are captured and replayed, once for each call.

// RUN: braid-run %s --function=stack --tokens=5 --synthetic=1 \
// RUN:   --output=%t.safetensors | FileCheck %s
// RUN: braid-run %s --function=inlined --tokens=5 --synthetic=1 \
// RUN:   --expect=%t.safetensors:output --tolerance=0 \
// RUN:   | FileCheck %s --check-prefix=SAME
// RUN: braid-run %s --function=stack --tokens=5 --synthetic=1 \
// RUN:   --backend=trace | FileCheck %s --check-prefix=TRACE

// CHECK: 3 ops, 3 segments, 0 eager breaks, 1 stream, workspace 2,560 bytes for 5 tokens
// CHECK: 3 kernels in 3 replays, 0 kernels one by one
// CHECK: replay equals the first run bit for bit
// SAME: difference absolute 0, relative 0

// The buffers of the caller stay reserved while the callee runs.
// TRACE: call stack tokens=5
// TRACE-NEXT: schedule stack streams=1 events=0 workspace=2560
// TRACE-NEXT: schedule block streams=1 events=0 workspace=0
// TRACE-NEXT: segment block.segment0 eager
// TRACE-NEXT: launch s0 linear
// TRACE-NEXT: segment stack.segment0 eager
// TRACE-NEXT: launch s0 rms_norm
// TRACE-NEXT: schedule block
// TRACE: prepare stack tokens=5
// TRACE: segment block.segment0 capture
// TRACE: call stack tokens=5
// TRACE: segment block.segment0 replay
// TRACE-NEXT: segment stack.segment0 replay
// TRACE: segment block.segment0 replay

func.func private @block(
    %x: tensor<?x8xf32> {sched.tokens}, %w: tensor<8x8xf32>,
    %out: tensor<?x8xf32> {sched.tokens, bufferization.writable = true})
    -> tensor<?x8xf32> {
  %y = prefill.linear %x by %w into %out
      : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

func.func @stack(
    %x: tensor<?x8xf32> {prefill.name = "hidden", sched.tokens},
    %w0: tensor<8x8xf32> {prefill.name = "w0", prefill.weight = ["w0.weight"]},
    %w1: tensor<8x8xf32> {prefill.name = "w1", prefill.weight = ["w1.weight"]},
    %out: tensor<?x8xf32> {prefill.name = "output", sched.tokens,
                           bufferization.writable = true})
    -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e0 = tensor.empty(%t) : tensor<?x8xf32>
  %e1 = tensor.empty(%t) : tensor<?x8xf32>
  %a = func.call @block(%x, %w0, %e0)
      : (tensor<?x8xf32>, tensor<8x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %b = prefill.rms_norm %a into %e1 {eps = 1.0e-6 : f64}
      : tensor<?x8xf32> -> tensor<?x8xf32>
  %c = func.call @block(%b, %w1, %out)
      : (tensor<?x8xf32>, tensor<8x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %c : tensor<?x8xf32>
}

func.func @inlined(
    %x: tensor<?x8xf32> {prefill.name = "hidden", sched.tokens},
    %w0: tensor<8x8xf32> {prefill.name = "w0", prefill.weight = ["w0.weight"]},
    %w1: tensor<8x8xf32> {prefill.name = "w1", prefill.weight = ["w1.weight"]},
    %out: tensor<?x8xf32> {prefill.name = "output", sched.tokens,
                           bufferization.writable = true})
    -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e0 = tensor.empty(%t) : tensor<?x8xf32>
  %e1 = tensor.empty(%t) : tensor<?x8xf32>
  %a = prefill.linear %x by %w0 into %e0
      : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  %b = prefill.rms_norm %a into %e1 {eps = 1.0e-6 : f64}
      : tensor<?x8xf32> -> tensor<?x8xf32>
  %c = prefill.linear %b by %w1 into %out
      : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  return %c : tensor<?x8xf32>
}
