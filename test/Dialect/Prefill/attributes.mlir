// RUN: braid-opt %s | braid-opt | FileCheck %s
// RUN: braid-opt %s --mlir-print-op-generic | braid-opt | FileCheck %s
// RUN: braid-opt %s --emit-bytecode | braid-opt | FileCheck %s
// RUN: braid-opt %s --verify-roundtrip -o /dev/null

// Every attribute of function arguments in each of its forms.
// CHECK-LABEL: func @metadata
// CHECK-SAME: prefill.metadata = #prefill.metadata<host>
// CHECK-SAME: prefill.metadata = #prefill.metadata<device, persistent>
// CHECK-SAME: prefill.metadata = #prefill.metadata<device, transient>
func.func @metadata(%a: tensor<?xi32> {prefill.metadata = #prefill.metadata<host>},
                    %b: tensor<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>, sched.tokens},
                    %c: memref<?xi64> {prefill.metadata = #prefill.metadata<device, transient>}) {
  return
}

// Names, weights of one or several tensors, and both kinds of rotary tables.
// CHECK-LABEL: func @names
// CHECK-SAME: prefill.name = "w", prefill.weight = ["wq_a.weight"]
// CHECK-SAME: prefill.weight = ["wq_a.weight", "wkv.weight"]
// CHECK-SAME: prefill.rope = #prefill.rope<theta = 1.000000e+04 : f64>
// CHECK-SAME: prefill.rope = #prefill.rope<theta = 1.600000e+05 : f64, factor = 1.600000e+01 : f64, beta_fast = 3.200000e+01 : f64, beta_slow = 1.000000e+00 : f64, original_positions = 65536 : i64>
func.func @names(%a: tensor<4x8xf32> {prefill.name = "w", prefill.weight = ["wq_a.weight"]},
                 %b: tensor<8x8xf32> {prefill.name = "v", prefill.weight = ["wq_a.weight", "wkv.weight"]},
                 %c: tensor<?x8xf32> {prefill.rope = #prefill.rope<theta = 1.0e4 : f64>},
                 %d: memref<?x8xf32> {prefill.rope = #prefill.rope<theta = 1.6e5 : f64, factor = 16.0 : f64, beta_fast = 32.0 : f64, beta_slow = 1.0 : f64, original_positions = 65536 : i64>}) {
  return
}

// A declaration may carry them too.
// CHECK: func private @declared(tensor<?x8xf32> {prefill.name = "x", sched.tokens})
func.func private @declared(tensor<?x8xf32> {prefill.name = "x", sched.tokens})

// Attributes of sched: classes, accesses and linear sizes.
// CHECK: module @attributes attributes
// CHECK-SAME: a = #sched.effect_class<graph_safe>
// CHECK-SAME: b = #sched.access<write>
// CHECK-SAME: c = #sched.linear<512, 256>
module @attributes attributes {test.a = #sched.effect_class<graph_safe>, test.b = #sched.access<write>, test.c = #sched.linear<512, 256>} {
}
