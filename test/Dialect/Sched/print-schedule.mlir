// RUN: braid-opt %s --sched-print-schedule="tokens=100 output=-" -o /dev/null | FileCheck %s --strict-whitespace --match-full-lines --check-prefix=TEXT --implicit-check-not=serial
// RUN: braid-opt %s --sched-print-schedule=tokens=100 -o /dev/null 2>&1 | FileCheck %s --strict-whitespace --match-full-lines --check-prefix=TEXT
// RUN: braid-opt %s --sched-print-schedule=tokens=101 -o /dev/null 2>&1 | FileCheck %s --check-prefix=ABOVE
// RUN: braid-opt %s --sched-print-schedule="tokens=100 format=svg output=%t.svg" -o /dev/null
// RUN: %python -c "import sys, xml.dom.minidom as d; d.parse(sys.argv[1])" %t.svg
// RUN: FileCheck %s --check-prefix=SVG --input-file=%t.svg
// RUN: braid-opt %s --sched-print-schedule="tokens=100 format=dot output=-" -o /dev/null | FileCheck %s --check-prefix=DOT
// RUN: braid-opt %s --sched-print-schedule=tokens=100 2>/dev/null | FileCheck %s --check-prefix=SAME

// 1 us a launch and 10^9 FLOPs a second: the linears of 100 tokens take 21 us.
// The program is printed as it was.
// SAME: func.func @regions(
// SAME: sched.record on %{{.*}}
// SAME: sched.wait
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "GPU" = #dlti.target_device_spec<
      "braid.launch_microseconds" = 1.0 : f64,
      "braid.wait_microseconds" = 0.5 : f64,
      "braid.flops_per_second_f32" = 1.0e9 : f64,
      "braid.bytes_per_second" = 1.0e15 : f64>>} {

// Functions without a schedule are no part of the picture.
// TEXT-NOT: {{.*}}unscheduled{{.*}}
func.func @unscheduled(%t: index) {
  return
}

// Segments and eager regions are sections. Forks start at the section's edge, and
// joins are in front of it. Only the range that holds the token count is drawn.
//       TEXT:regions, T <= 100, at 100 tokens: 43.0 us on 2 streams; 63.0 us in order on one (1.47x)
// TEXT-EMPTY:
//  TEXT-NEXT:us  0.0                                                22.0                                             43.0
//  TEXT-NEXT:    |segment first                                     |eager second                                    |
//  TEXT-NEXT:s0  *[0 wq==========================================]  |[2 linear1=====================================]|
//  TEXT-NEXT:    |                                                <1|                                                |
//  TEXT-NEXT:s1  | [1 linear0=====================================* |                                                |
//  TEXT-NEXT:    | <fork                                            |                                                |
// TEXT-EMPTY:
//  TEXT-NEXT:   # name    op     stream  start us        us  waits for
//  TEXT-NEXT:  segment first: 0.0 to 22.0 us
//  TEXT-NEXT:   0 wq      linear     s0       0.0      21.0
//  TEXT-NEXT:   1 linear0 linear     s1       0.5      21.0  fork
//  TEXT-NEXT:     then stream 0 waits for 1
//  TEXT-NEXT:  eager second: 22.0 to 43.0 us
//  TEXT-NEXT:   2 linear1 linear     s0      22.0      21.0

// ABOVE: regions, T > 100, at 101 tokens: 21.2 us on 1 stream
// ABOVE: segment serial

// SVG: <svg xmlns="http://www.w3.org/2000/svg" width="1208" height="{{[0-9]+}}" viewBox=
// SVG: <text class="title" {{.*}}>regions, T &lt;= 100, at 100 tokens</text>
// SVG: <text class="subtitle" {{.*}}>predicted: 43.0 us on 2 streams; 63.0 us in order on one (1.47x)</text>
// SVG: <title>segment first, 0.0 to 22.0 us</title><rect class="segment"
// SVG: <title>eager second, 22.0 to 43.0 us</title><rect class="eager"
// SVG: >stream 0</text>
// SVG: >stream 1</text>
// SVG: <title>wq (linear)
// SVG: 20.0 kFLOP, 8.40 kB</title><rect {{.*}} fill="#9ecae9"
// SVG: <title>linear0 (linear)
// SVG-COUNT-2: <path class="wait"
// SVG-NOT: <path class="wait"
// SVG: class="tick" {{.*}}>40</text>
// SVG: class="legend" {{.*}}>linear</text>
// SVG: <text class="title" {{.*}}>names, any T, at 100 tokens</text>
// SVG: <title>a&lt;b &amp; &quot;c&quot; (linear)

// DOT: digraph schedule {
// DOT: subgraph cluster_g0 {
// DOT: label="regions, T <= 100, at 100 tokens\n43.0 us
// DOT: subgraph cluster_g0_s0 {
// DOT-NEXT: label="stream 0"
// DOT-NEXT: g0_begin0 [shape=cds, label="segment first"];
// DOT-NEXT: g0_launch0 [label="wq\nlinear\n21.0 us"];
// DOT-NEXT: g0_end0 [shape=point
// DOT-NEXT: g0_begin1 [shape=cds, label="eager second"];
// DOT-NEXT: g0_launch2 [label="linear1\nlinear\n21.0 us"
// DOT: g0_begin0 -> g0_launch0 [style=dashed];
// DOT: g0_end0 -> g0_begin1 [style=dashed];
// DOT: subgraph cluster_g0_s1 {
// DOT: g0_launch1 [label="linear0\nlinear\n21.0 us"];
// DOT: g0_begin0 -> g0_launch1;
// DOT-NEXT: g0_launch1 -> g0_end0;
// DOT: g3_launch0 [label="a<b & \"c\"\nlinear\n21.0 us"];
func.func @regions(%t: index, %x: memref<?x10xf32>, %w: memref<10x10xf32>, %y: memref<?x10xf32>, %z: memref<?x10xf32>) {
  sched.dispatch on %t upto 100 {
    sched.schedule(%s0, %s1) tokens(%t) {
      %b = sched.alloc(%t) : memref<?x10xf32>
      sched.segment "first" {
        %e = sched.record on %s0
        sched.launch on %s0 { prefill.linear %x by %w into %b : memref<?x10xf32>, memref<10x10xf32> -> memref<?x10xf32> loc("wq") }
        sched.wait on %s1 for %e
        sched.launch on %s1 { prefill.linear %x by %w into %y : memref<?x10xf32>, memref<10x10xf32> -> memref<?x10xf32> }
        %f = sched.record on %s1
        sched.wait on %s0 for %f
      }
      sched.eager "second" {
        sched.launch on %s0 { prefill.linear %b by %w into %z : memref<?x10xf32>, memref<10x10xf32> -> memref<?x10xf32> }
      }
    }
  } otherwise {
    sched.schedule(%s0) tokens(%t) {
      sched.segment "serial" {
        sched.launch on %s0 { prefill.linear %x by %w into %y : memref<?x10xf32>, memref<10x10xf32> -> memref<?x10xf32> loc("wq") }
      }
    }
  }
  return
}

// Written by hand: work in the schedule itself, with fork and join. Two waits of
// one stream follow each other.
//       TEXT:by_hand, any T, at 100 tokens: 43.5 us on 3 streams; 84.0 us in order on one (1.93x)
//       TEXT:    |body                                                                                               |
//  TEXT-NEXT:s0  *[0 linear0=====================================]   [3 linear3=====================================]|
//  TEXT-NEXT:    |                                                   <1,2                                            |
//  TEXT-NEXT:s1  | [1 linear1=====================================*                                                  |
//  TEXT-NEXT:    | <fork                                                                                             |
//  TEXT-NEXT:s2  | [2 linear2=====================================*                                                  |
//  TEXT-NEXT:    | <fork                                                                                             |
//       TEXT:   0 linear0 linear     s0       0.0      21.0
//  TEXT-NEXT:   1 linear1 linear     s1       0.5      21.0  fork
//  TEXT-NEXT:   2 linear2 linear     s2       0.5      21.0  fork
//  TEXT-NEXT:   3 linear3 linear     s0      22.5      21.0  1,2
func.func @by_hand(%t: index, %x: memref<?x10xf32>, %w: memref<10x10xf32>, %y: memref<?x10xf32>, %z: memref<?x10xf32>, %v: memref<?x10xf32>) {
  sched.schedule(%s0, %s1, %s2) tokens(%t) {
    sched.fork %s0 to %s1, %s2
    sched.launch on %s0 { prefill.linear %x by %w into %v : memref<?x10xf32>, memref<10x10xf32> -> memref<?x10xf32> }
    sched.launch on %s1 { prefill.linear %x by %w into %y : memref<?x10xf32>, memref<10x10xf32> -> memref<?x10xf32> }
    sched.launch on %s2 { prefill.linear %x by %w into %z : memref<?x10xf32>, memref<10x10xf32> -> memref<?x10xf32> }
    sched.join %s1, %s2 into %s0
    sched.launch on %s0 { prefill.linear %y by %w into %v : memref<?x10xf32>, memref<10x10xf32> -> memref<?x10xf32> }
  }
  return
}

// A call is one box: the callee for the same token count.
//       TEXT:caller, any T, at 100 tokens: 64.0 us on 1 stream; 84.0 us in order on one (1.31x)
//       TEXT:    |body {{.*}}|segment {{.*}}|
//       TEXT:   0 @regions call       s0       0.0      43.0
//  TEXT-NEXT:  segment: 43.0 to 64.0 us
//  TEXT-NEXT:   1 linear0  linear     s0      43.0      21.0
func.func @caller(%t: index, %x: memref<?x10xf32>, %w: memref<10x10xf32>, %y: memref<?x10xf32>, %z: memref<?x10xf32>) {
  sched.schedule(%s0) tokens(%t) {
    func.call @regions(%t, %x, %w, %y, %z) : (index, memref<?x10xf32>, memref<10x10xf32>, memref<?x10xf32>, memref<?x10xf32>) -> ()
    sched.segment {
      sched.launch on %s0 { prefill.linear %y by %w into %z : memref<?x10xf32>, memref<10x10xf32> -> memref<?x10xf32> }
    }
  }
  return
}

// Names are quoted as each format asks.
func.func @names(%t: index, %x: memref<?x10xf32>, %w: memref<10x10xf32>, %y: memref<?x10xf32>) {
  sched.schedule(%s0) tokens(%t) {
    sched.segment "names" {
      sched.launch on %s0 { prefill.linear %x by %w into %y : memref<?x10xf32>, memref<10x10xf32> -> memref<?x10xf32> loc("a<b & \22c\22") }
    }
  }
  return
}

// Empty ones have a title only.
//       TEXT:empty, any T, at 100 tokens: 0.0 us on 1 stream
// TEXT-EMPTY:
//  TEXT-NEXT:[n name] is launch n, {{.*}}
func.func @empty(%t: index) {
  sched.schedule(%s0) tokens(%t) {
    sched.segment "nothing" {
    }
  }
  return
}
}
