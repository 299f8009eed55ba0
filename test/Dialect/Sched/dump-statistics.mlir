// RUN: braid-opt %s --sched-dump-statistics="tokens=100" -o /dev/null 2>&1 | FileCheck %s --strict-whitespace --match-full-lines --check-prefix=TABLE
// RUN: braid-opt %s --sched-dump-statistics="tokens=100 format=csv output=-" -o /dev/null | FileCheck %s --match-full-lines --check-prefix=CSV
// RUN: braid-opt %s --sched-dump-statistics="tokens=100 format=json output=%t.json" -o /dev/null
// RUN: %python -c "import json, sys; print(json.dumps(json.load(open(sys.argv[1]))['schedules'][0]))" %t.json | FileCheck %s --check-prefix=JSON
// RUN: %python -c "import json, sys; print(json.dumps(json.load(open(sys.argv[1]))['schedules'][1]))" %t.json | FileCheck %s --check-prefix=ABOVE
// RUN: not braid-opt %s --sched-dump-statistics=tokens=-2 2>&1 | FileCheck %s --check-prefix=TOKENS
// RUN: not braid-opt %s --sched-dump-statistics=output=%t.none/a.csv 2>&1 | FileCheck %s --check-prefix=PATH
// RUN: echo "module {}" > %t.mlir
// RUN: braid-opt %t.mlir --sched-dump-statistics -o /dev/null 2>&1 | count 0
// RUN: braid-opt %t.mlir --sched-dump-statistics="format=csv output=-" -o /dev/null | count 1
// RUN: braid-opt %t.mlir --sched-dump-statistics="format=json output=-" -o /dev/null | %python -c "import json, sys; assert json.load(sys.stdin) == {'tokens': 256, 'schedules': []}"

// TOKENS: error: tokens is -2; expected 0 or more
// PATH: error: cannot open output file '{{.*}}none/a.csv': No such file or directory

// Every range has its column. A buffer of 10 floats a token is 256 bytes a token
// in the workspace, 40 of which are used: while %b and %c are alive, 8 kB.
//      TABLE:At 100 tokens:
// TABLE-NEXT:                                        f            f
// TABLE-NEXT:                                 T <= 100      T > 100
// TABLE-NEXT:------------------------------------------------------
// TABLE-NEXT:launches                                3            1
// TABLE-NEXT:  captured                              2            0
// TABLE-NEXT:  eager                                 1            1
// TABLE-NEXT:calls                                   0            0
// TABLE-NEXT:segments                                1            0
// TABLE-NEXT:eager regions                           1            1
// TABLE-NEXT:streams used                            2            1
// TABLE-NEXT:records                                 2            0
// TABLE-NEXT:waits                                   2            0
// TABLE-NEXT:event slots                             1            -
// TABLE-NEXT:workspace, bytes per token            512            -
// TABLE-NEXT:workspace, fixed bytes                256            -
// TABLE-NEXT:all buffers, bytes per token          512            0
// TABLE-NEXT:all buffers, fixed bytes              256            0
// TABLE-NEXT:largest live set                  8.00 kB          0 B
// TABLE-NEXT:estimate, us                         43.0         21.0
// TABLE-NEXT:  in order, us                       63.0         21.0
// TABLE-NEXT:  faster by                         1.47x        1.00x
// TABLE-NEXT:arithmetic                     60.0 kFLOP   20.0 kFLOP
// TABLE-NEXT:memory traffic                    25.2 kB      8.40 kB

//      CSV:function,first_tokens,last_tokens,tokens,launches,captured_launches,eager_launches,calls,segments,eager_regions,streams,records,waits,event_slots,workspace_bytes_per_token,workspace_fixed_bytes,buffer_bytes_per_token,buffer_fixed_bytes,live_bytes,estimated_us,serial_us,speedup,flops,bytes
// CSV-NEXT:f,0,100,100,3,2,1,0,1,1,2,2,2,1,512,256,512,256,8000,43.0,63.0,1.47,60000,25200
// CSV-NEXT:f,101,,100,1,0,1,0,0,1,1,0,0,,,,0,0,0,21.0,21.0,1.00,20000,8400

// JSON: {"function": "f", "first_tokens": 0, "last_tokens": 100, "launches": 3, {{.*}}"event_slots": 1, {{.*}}"live_bytes": 8000, "estimated_us": 43.0, "serial_us": 63.0, "speedup": 1.47, "flops": 60000, "bytes": 25200}
// ABOVE: {"function": "f", "first_tokens": 101, "last_tokens": null, {{.*}}"event_slots": null, "workspace_bytes_per_token": null
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "GPU" = #dlti.target_device_spec<
      "braid.launch_microseconds" = 1.0 : f64,
      "braid.wait_microseconds" = 0.5 : f64,
      "braid.flops_per_second_f32" = 1.0e9 : f64,
      "braid.bytes_per_second" = 1.0e15 : f64>>} {
func.func @unscheduled(%t: index) {
  return
}
func.func @f(%t: index, %x: memref<?x10xf32>, %w: memref<10x10xf32>, %z: memref<?x10xf32>) {
  sched.dispatch on %t upto 100 {
    sched.schedule(%s0, %s1) tokens(%t) workspace(#sched.linear<512, 256>) events(1) {
      %b = sched.alloc(%t) at <0, 0> : memref<?x10xf32>
      %c = sched.alloc(%t) at <256, 0> : memref<?x10xf32>
      %unused = sched.alloc at <512, 0> : memref<10xf32>
      sched.segment "first" {
        %e = sched.record on %s0 slot 0
        sched.launch on %s0 { prefill.linear %x by %w into %b : memref<?x10xf32>, memref<10x10xf32> -> memref<?x10xf32> }
        sched.wait on %s1 for %e
        sched.launch on %s1 { prefill.linear %x by %w into %c : memref<?x10xf32>, memref<10x10xf32> -> memref<?x10xf32> }
        %f = sched.record on %s1 slot 0
        sched.wait on %s0 for %f
      }
      sched.eager "second" {
        sched.launch on %s0 { prefill.linear %b by %w into %z : memref<?x10xf32>, memref<10x10xf32> -> memref<?x10xf32> }
      }
    }
  } otherwise {
    sched.schedule(%s0) tokens(%t) {
      sched.eager {
        sched.launch on %s0 { prefill.linear %x by %w into %z : memref<?x10xf32>, memref<10x10xf32> -> memref<?x10xf32> }
      }
    }
  }
  return
}
}
