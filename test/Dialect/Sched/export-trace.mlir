// RUN: braid-opt %s --sched-export-trace="tokens=100 output=%t.json" -o /dev/null
// RUN: %python -c "import json, sys; [print(json.dumps(e)) for e in json.load(open(sys.argv[1]))['traceEvents']]" %t.json | FileCheck %s
// RUN: braid-opt %s --sched-export-trace="tokens=100" -o /dev/null 2> %t.stderr
// RUN: braid-opt %s --sched-export-trace="tokens=100 output=-" -o /dev/null > %t.stdout
// RUN: cmp %t.json %t.stderr
// RUN: cmp %t.json %t.stdout
// RUN: not braid-opt %s --sched-export-trace=tokens=-1 2>&1 | FileCheck %s --check-prefix=TOKENS
// RUN: not braid-opt %s --sched-export-trace=output=%t.none/a.json 2>&1 | FileCheck %s --check-prefix=PATH

// TOKENS: error: tokens is -1; expected 0 or more
// PATH: error: cannot open output file '{{.*}}none/a.json': No such file or directory

// A process for the schedule and a thread for each stream, regions above them.
// CHECK: {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "f, any T, at 100 tokens (predicted)"}}
// CHECK-NEXT: {"ph": "M", "name": "thread_name", "pid": 1, "tid": 0, "args": {"name": "regions"}}
// CHECK: {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "stream 0"}}
// CHECK: {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "stream 1"}}
// CHECK: {"ph": "X", "name": "segment first", "pid": 1, "tid": 0, "cat": "segment", "ts": 0.0, "dur": 43.0}
// A name where there is one, else a place in a file.
// CHECK-NEXT: {"ph": "X", "name": "wq", "pid": 1, "tid": 1, "cat": "linear", "ts": 0.0, "dur": 21.0, "args": {"op": "prefill.linear", "region": "segment first", "flops": 20000, "bytes": 8400}}
// CHECK-NEXT: {"ph": "X", "name": "linear0", "pid": 1, "tid": 2, "cat": "linear", "ts": 21.5, "dur": 21.0, "args": {"op": "prefill.linear", "location": "{{.*}}export-trace.mlir:[[#@LINE + 20]]:29", "region"
// CHECK-NEXT: {"ph": "X", "name": "linear1", "pid": 1, "tid": 1, "cat": "linear", "ts": 21.0, "dur": 21.0, "args":
// An arrow for the wait between two launches; the join has none.
// CHECK-NEXT: {"ph": "s", "name": "wait", "pid": 1, "tid": 1, "cat": "wait", "id": 0, "ts": 10.5}
// CHECK-NEXT: {"ph": "f", "name": "wait", "pid": 1, "tid": 2, "cat": "wait", "id": 0, "bp": "e", "ts": 32.0}
// CHECK-NOT: "wait"
// CHECK-NOT: unscheduled
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "GPU" = #dlti.target_device_spec<
      "braid.launch_microseconds" = 1.0 : f64,
      "braid.wait_microseconds" = 0.5 : f64,
      "braid.flops_per_second_f32" = 1.0e9 : f64,
      "braid.bytes_per_second" = 1.0e15 : f64>>} {
func.func @f(%t: index, %x: memref<?x10xf32>, %w: memref<10x10xf32>, %y: memref<?x10xf32>, %z: memref<?x10xf32>) {
  sched.schedule(%s0, %s1) tokens(%t) {
    %b = sched.alloc(%t) : memref<?x10xf32>
    sched.segment "first" {
      sched.launch on %s0 { prefill.linear %x by %w into %b : memref<?x10xf32>, memref<10x10xf32> -> memref<?x10xf32> loc("wq") }
      %e = sched.record on %s0
      sched.wait on %s1 for %e
      sched.launch on %s1 { prefill.linear %b by %w into %y : memref<?x10xf32>, memref<10x10xf32> -> memref<?x10xf32> }
      %f = sched.record on %s1
      sched.launch on %s0 { prefill.linear %b by %w into %z : memref<?x10xf32>, memref<10x10xf32> -> memref<?x10xf32> }
      sched.wait on %s0 for %f
    }
  }
  return
}
func.func @unscheduled(%t: index) {
  return
}
}
