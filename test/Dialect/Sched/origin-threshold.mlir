// The second change that Braid's design comes from: above a token threshold the
// overlap is switched off, because it costs there. The program does not change;
// the threshold is the target's unless an option or the runtime says otherwise.

// RUN: split-file %s %t
// RUN: cat %t/b300.mlir %t/layer.mlir %t/end.mlir | braid-opt --braid-plan --braid-bufferize --braid-schedule | FileCheck %s --check-prefixes=CHECK -DTHRESHOLD=4096
// RUN: cat %t/b200.mlir %t/layer.mlir %t/end.mlir | braid-opt --braid-plan --braid-bufferize --braid-schedule | FileCheck %s --check-prefixes=CHECK -DTHRESHOLD=3072

// Without a target, or one that says nothing: 16384.
// RUN: braid-opt %t/layer.mlir --braid-plan --braid-bufferize --braid-schedule | FileCheck %s --check-prefixes=CHECK -DTHRESHOLD=16384
// RUN: cat %t/none.mlir %t/layer.mlir %t/end.mlir | braid-opt --braid-plan --braid-bufferize --braid-schedule | FileCheck %s --check-prefixes=CHECK -DTHRESHOLD=16384

// The option comes before the target; 0 is off.
// RUN: cat %t/b200.mlir %t/layer.mlir %t/end.mlir | braid-opt --braid-plan --braid-bufferize --braid-schedule='token-threshold=1024' | FileCheck %s --check-prefixes=CHECK -DTHRESHOLD=1024
// RUN: cat %t/b200.mlir %t/layer.mlir %t/end.mlir | braid-opt --braid-plan --braid-bufferize --braid-schedule='token-threshold=0' | FileCheck %s --check-prefixes=CHECK -DTHRESHOLD=0

// Every fork obeys: the first stage (the GEMMs that read the hidden states), the
// second one (after the norm) and the one in the break are all in the first body
// of one dispatch, and the second body has one stream and no event.
// CHECK-LABEL: func.func @layer(
// CHECK: sched.dispatch on %[[T:.*]] upto [[THRESHOLD]] {
// CHECK-NEXT: sched.schedule(%[[S0:.*]], %[[S1:.*]]) tokens(%[[T]])
// CHECK: sched.segment "layer.segment0" {
// CHECK: %[[START:.*]] = sched.record on %[[S0]]
// CHECK: sched.wait on %[[S1]] for %[[START]]
// CHECK: %[[NORM:.*]] = sched.record on %[[S0]]
// CHECK: sched.wait on %[[S1]] for %[[NORM]]
// CHECK: sched.wait on %[[S0]]
// CHECK: sched.eager "layer.eager0" {
// CHECK: %[[BREAK:.*]] = sched.record on %[[S0]]
// CHECK: sched.wait on %[[S1]] for %[[BREAK]]
// CHECK: sched.wait on %[[S0]]
// CHECK: } otherwise {
// CHECK-NEXT: sched.schedule(%[[S0:.*]]) tokens(%[[T]])
// CHECK-NOT: sched.dispatch
// CHECK-NOT: sched.record
// CHECK-NOT: sched.wait
// CHECK: sched.segment "layer.segment0.serial" {
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.linear %arg0 by %arg1 {{.*}}
// CHECK-NEXT: }
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.linear %arg0 by %arg2 {{.*}}
// CHECK-NEXT: }
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.rms_norm {{.*}}
// CHECK-NEXT: }
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.linear %{{.*}} by %arg3 {{.*}}
// CHECK-NEXT: }
// CHECK-NEXT: sched.launch on %[[S0]] {
// CHECK-NEXT: prefill.linear %{{.*}} by %arg4 {{.*}}
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: sched.eager "layer.eager0.serial" {
// CHECK-NOT: sched.record
// CHECK-NOT: sched.wait
// CHECK: } {gate}
// CHECK-NOT: sched.dispatch
// CHECK: return

// T = threshold is in the overlapped range, T = threshold + 1 in the serial one.
// RUN: braid-run %t/layer.mlir --function=layer --tokens=6 --token-threshold=6 --synthetic=1 --backend=trace | FileCheck %s --check-prefix=OVERLAP
// RUN: braid-run %t/layer.mlir --function=layer --tokens=7 --token-threshold=6 --synthetic=1 --backend=trace | FileCheck %s --check-prefix=SERIAL
// RUN: braid-run %t/layer.mlir --function=layer --tokens=1 --token-threshold=0 --synthetic=1 --backend=trace | FileCheck %s --check-prefix=SERIAL
// RUN: braid-run %t/layer.mlir --function=layer --tokens=7 --synthetic=1 --backend=trace | FileCheck %s --check-prefix=OVERLAP

// At run time the environment replaces what was compiled in, both ways.
// RUN: env BRAID_TOKEN_THRESHOLD=6 braid-run %t/layer.mlir --function=layer --tokens=7 --synthetic=1 --backend=trace | FileCheck %s --check-prefix=SERIAL
// RUN: env BRAID_TOKEN_THRESHOLD=7 braid-run %t/layer.mlir --function=layer --tokens=7 --token-threshold=6 --synthetic=1 --backend=trace | FileCheck %s --check-prefix=OVERLAP
// RUN: env BRAID_TOKEN_THRESHOLD=0 braid-run %t/layer.mlir --function=layer --tokens=1 --token-threshold=6 --synthetic=1 --backend=trace | FileCheck %s --check-prefix=SERIAL
// OVERLAP: dispatch layer range=0
// OVERLAP-NEXT: schedule layer streams=2
// SERIAL: dispatch layer range=1
// SERIAL-NEXT: schedule layer streams=1 events=0
// SERIAL-NOT: record
// SERIAL-NOT: wait
// SERIAL: prepare layer

//--- b300.mlir
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"braid.token_threshold" = 4096 : i64>>} {

//--- b200.mlir
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"braid.token_threshold" = 3072 : i64>>} {

//--- none.mlir
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"braid.wait_microseconds" = 0.2 : f64>>} {

//--- end.mlir
}

//--- layer.mlir
func.func @layer(%hidden: tensor<?x64xf32> {sched.tokens}, %wq_a: tensor<64x64xf32>, %compressor: tensor<32x64xf32>,
    %wq_b: tensor<128x64xf32>, %indexer_wq_b: tensor<32x64xf32>, %lengths: tensor<?xi32> {prefill.name = "sequence_lengths", prefill.metadata = #prefill.metadata<host>},
    %q: tensor<?x128xf32> {sched.tokens, bufferization.writable = true}, %kv: tensor<?x32xf32> {sched.tokens, bufferization.writable = true},
    %i: tensor<?x32xf32> {sched.tokens, bufferization.writable = true})
    -> (tensor<?x128xf32>, tensor<?x32xf32>, tensor<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %hidden, %c0 : tensor<?x64xf32>
  %r:3 = prefill.eager -> tensor<?x128xf32>, tensor<?x32xf32>, tensor<?x32xf32> {
    %e0 = tensor.empty(%t) : tensor<?x64xf32>
    %a = prefill.linear %hidden by %wq_a into %e0 : tensor<?x64xf32>, tensor<64x64xf32> -> tensor<?x64xf32>
    %b = prefill.linear %hidden by %compressor into %kv : tensor<?x64xf32>, tensor<32x64xf32> -> tensor<?x32xf32>
    %e1 = tensor.empty(%t) : tensor<?x64xf32>
    %n = prefill.rms_norm %a into %e1 {eps = 1.0e-6 : f64} : tensor<?x64xf32> -> tensor<?x64xf32>
    %e2 = tensor.empty(%t) : tensor<?x128xf32>
    %f = prefill.linear %n by %wq_b into %e2 : tensor<?x64xf32>, tensor<128x64xf32> -> tensor<?x128xf32>
    %e3 = tensor.empty(%t) : tensor<?x32xf32>
    %g = prefill.linear %n by %indexer_wq_b into %e3 : tensor<?x64xf32>, tensor<32x64xf32> -> tensor<?x32xf32>
    %o = prefill.kernel @main ins(%f, %lengths : tensor<?x128xf32>, tensor<?xi32>) outs(%q : tensor<?x128xf32>) {effect = #sched.effect_class<host_metadata>} -> tensor<?x128xf32>
    %s = prefill.kernel @select ins(%g, %lengths : tensor<?x32xf32>, tensor<?xi32>) outs(%i : tensor<?x32xf32>) {effect = #sched.effect_class<host_metadata>} -> tensor<?x32xf32>
    prefill.yield %o, %b, %s : tensor<?x128xf32>, tensor<?x32xf32>, tensor<?x32xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<?x128xf32>, tensor<?x32xf32>, tensor<?x32xf32>
}
