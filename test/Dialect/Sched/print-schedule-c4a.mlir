// The layer that Braid is about, from the form in which all of it is eager.
// Bytecode keeps the names of weights and ops.
// RUN: braid-import --layer=2 --eager=wide --dtype=bf16 --emit-bytecode %S/../../../examples/configs/deepseek-v4-flash.json | braid-opt --sched-narrow-eager --braid-bufferize --sched-form-segments --sched-assign-streams --sched-gate-tokens --sched-materialize-sync --sched-simplify-sync --emit-bytecode -o %t.mlirbc
// RUN: braid-opt %t.mlirbc --sched-print-schedule="output=-" -o /dev/null | FileCheck %s
// RUN: braid-opt %t.mlirbc --sched-print-schedule="output=-" -o /dev/null > %t.1
// RUN: braid-opt %t.mlirbc --sched-print-schedule="output=-" -o /dev/null > %t.2
// RUN: cmp %t.1 %t.2
// RUN: braid-opt %t.mlirbc --sched-print-schedule="tokens=16385 output=-" -o /dev/null | FileCheck %s --check-prefix=SERIAL

// CHECK: c4a, T <= 16384, at 256 tokens: {{[0-9.]+}} us on 4 streams; {{[0-9.]+}} us in order on one (1.{{[1-9][0-9]}}x)
// CHECK: |segment c4a.segment0 {{ *}}|eager {{.*}}|segment c4a.segment1 {{ *}}|
// CHECK-NEXT: {{^}}s0 {{.*}}wq_b
// CHECK: {{^}}s1 {{.*}}[
// CHECK: {{^}}s2 {{.*}}[
// CHECK: {{^}}s3 {{.*}}[
// CHECK: segment c4a.segment0: 0.0 to
// CHECK-DAG: wq_a_wkv linear s{{[0-3]}}
// CHECK-DAG: compressor_wkv_wgate linear s{{[0-3]}}
// CHECK-DAG: indexer_compressor_wkv_wgate linear s{{[0-3]}}
// CHECK-DAG: indexer_weights_proj linear s{{[0-3]}}
// CHECK: then stream 0 waits for
// CHECK-NEXT: eager c4a.eager0: {{[0-9.]+}} to
// CHECK-NEXT: index_select index_select s0
// CHECK-NEXT: attend attend s0
// CHECK-NEXT: segment c4a.segment1:
// CHECK-NEXT: o_rope
// CHECK-NEXT: wo_a
// CHECK-NEXT: wo_b

// SERIAL: c4a, T > 16384, at 16385 tokens: {{[0-9.]+}} us on 1 stream{{$}}
// SERIAL-NOT: s1
