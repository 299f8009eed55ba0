// RUN: braid-opt %s --sched-plan-memory --split-input-file | FileCheck %s
// RUN: braid-opt %s --sched-plan-memory --sched-plan-memory --split-input-file | FileCheck %s
// RUN: braid-opt %s --sched-plan-memory='share=false' --split-input-file | FileCheck %s --check-prefix=OWN
// RUN: braid-opt %s --sched-plan-memory --split-input-file --remarks-filter=sched-memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Buffers that nothing touches have bytes of their own: they lie behind each
// other, each rounded up to 256 bytes. One without elements takes none.
// CHECK-LABEL: func @static(
// REMARK: WorkspacePlanned | Category:sched-memory | {{.*}}Buffers=4, BytesPerToken=0, FixedBytes=2304
func.func @static() {
  // CHECK: sched.schedule(%{{.*}}) workspace(#sched.linear<0, 2304>) {
  sched.schedule(%s0) {
    // CHECK-NEXT: sched.alloc at <0, 0> : memref<4x100xf32>
    %a = sched.alloc : memref<4x100xf32>
    // CHECK-NEXT: sched.alloc at <0, 1792> : memref<1xbf16>
    %b = sched.alloc : memref<1xbf16>
    // CHECK-NEXT: sched.alloc at <0, 0> : memref<0x8xf32>
    %c = sched.alloc : memref<0x8xf32>
    // CHECK-NEXT: sched.alloc at <0, 2048> : memref<f32>
    %d = sched.alloc : memref<f32>
  }
  return
}

// -----

// What grows with the token count comes first and what is fixed behind it, so
// that no two buffers of different kinds meet at any count; one byte an element of
// fp8, and of i1.
// CHECK-LABEL: func @mixed(
// REMARK: WorkspacePlanned | {{.*}}Buffers=5, BytesPerToken=5120, FixedBytes=768
func.func @mixed(%t: index) {
  // CHECK: sched.schedule(%{{.*}}) tokens(%{{.*}}) workspace(#sched.linear<5120, 768>) {
  sched.schedule(%s0) tokens(%t) {
    // CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0> : memref<?x1024xf32>
    %a = sched.alloc(%t) : memref<?x1024xf32>
    // CHECK-NEXT: sched.alloc at <5120, 0> : memref<64xi64>
    %b = sched.alloc : memref<64xi64>
    // CHECK-NEXT: sched.alloc(%{{.*}}) at <4096, 0> : memref<?x3xf32>
    %c = sched.alloc(%t) : memref<?x3xf32>
    // CHECK-NEXT: sched.alloc(%{{.*}}) at <4352, 0> : memref<4x?x192xf8E4M3FN>
    %d = sched.alloc(%t) : memref<4x?x192xf8E4M3FN>
    // CHECK-NEXT: sched.alloc at <5120, 512> : memref<200xi1>
    %e = sched.alloc : memref<200xi1>
  }
  return
}

// -----

// A schedule without buffers needs no byte; what was planned before is replaced.
// CHECK-LABEL: func @again(
// REMARK: Buffers=0, BytesPerToken=0, FixedBytes=0
func.func @again() {
  // CHECK: sched.schedule(%{{.*}}) workspace(#sched.linear<0, 0>) {
  sched.schedule(%s0) workspace(#sched.linear<512, 512>) {
  }
  // CHECK: sched.schedule(%{{.*}}) workspace(#sched.linear<0, 256>) {
  sched.schedule(%s0) workspace(#sched.linear<512, 512>) {
    // CHECK-NEXT: sched.alloc at <0, 0> : memref<4xf32>
    %a = sched.alloc at <256, 256> : memref<4xf32>
  }
  return
}

// -----

// Each schedule has a workspace of its own; buffers in regions count.
// CHECK-LABEL: func @each(
func.func @each(%t: index) {
  sched.dispatch on %t upto 4 {
    // CHECK: sched.schedule(%{{.*}}) workspace(#sched.linear<0, 512>) {
    sched.schedule(%s0) {
      sched.segment {
        // CHECK: sched.alloc at <0, 0>
        %a = sched.alloc : memref<4xf32>
      }
      sched.eager {
        // CHECK: sched.alloc at <0, 256>
        %b = sched.alloc : memref<4xf32>
      }
    }
  } otherwise {
    // CHECK: sched.schedule(%{{.*}}) workspace(#sched.linear<0, 256>) {
    sched.schedule(%s0) {
      // CHECK-NEXT: sched.alloc at <0, 0>
      %a = sched.alloc : memref<4xf32>
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// On one stream the order of work is the program's: %c takes the bytes of %a
// when the last op that reads %a is enqueued before the first that writes %c.
// CHECK-LABEL: func @chain(
// CHECK: workspace(#sched.linear<2048, 0>) {
// CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0> : memref<?x256xf32>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <1024, 0> : memref<?x256xf32>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0> : memref<?x256xf32>
// OWN-LABEL: func @chain(
// OWN: workspace(#sched.linear<3072, 0>) {
// OWN-NEXT: sched.alloc(%{{.*}}) at <0, 0>
// OWN-NEXT: sched.alloc(%{{.*}}) at <1024, 0>
// OWN-NEXT: sched.alloc(%{{.*}}) at <2048, 0>
// REMARK: WorkspacePlanned | Category:sched-memory | Function=chain | Buffers=3, BytesPerToken=2048, FixedBytes=0, LargestLiveSetPerToken=2048, SumPerToken=3072
func.func @chain(%t: index, %x: memref<?x256xf32>, %y: memref<?x256xf32>) {
  sched.schedule(%s0) tokens(%t) {
    %a = sched.alloc(%t) : memref<?x256xf32>
    %b = sched.alloc(%t) : memref<?x256xf32>
    %c = sched.alloc(%t) : memref<?x256xf32>
    sched.segment {
      sched.launch on %s0 {
        prefill.kernel @a ins(%x : memref<?x256xf32>) outs(%a : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @b ins(%a : memref<?x256xf32>) outs(%b : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @c ins(%b : memref<?x256xf32>) outs(%c : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @d ins(%c : memref<?x256xf32>) outs(%y : memref<?x256xf32>) {effect = #safe}
      }
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// Across streams the events say what is ordered: %c is written on stream 1 after
// a wait for the op that reads %a, so it takes its bytes.
// CHECK-LABEL: func @ordered(
// CHECK: workspace(#sched.linear<2048, 0>) {
// CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <1024, 0>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0>
// REMARK: Function=ordered | Buffers=3, BytesPerToken=2048, {{.*}}LargestLiveSetPerToken=2048, SumPerToken=3072
func.func @ordered(%t: index, %x: memref<?x256xf32>, %y: memref<?x256xf32>) {
  sched.schedule(%s0, %s1) tokens(%t) {
    %a = sched.alloc(%t) : memref<?x256xf32>
    %b = sched.alloc(%t) : memref<?x256xf32>
    %c = sched.alloc(%t) : memref<?x256xf32>
    sched.segment {
      sched.launch on %s0 {
        prefill.kernel @a ins(%x : memref<?x256xf32>) outs(%a : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @b ins(%a : memref<?x256xf32>) outs(%b : memref<?x256xf32>) {effect = #safe}
      }
      %e = sched.record on %s0
      sched.wait on %s1 for %e
      sched.launch on %s1 {
        prefill.kernel @c ins(%b : memref<?x256xf32>) outs(%c : memref<?x256xf32>) {effect = #safe}
      }
      %f = sched.record on %s1
      sched.wait on %s0 for %f
      sched.launch on %s0 {
        prefill.kernel @d ins(%c : memref<?x256xf32>) outs(%y : memref<?x256xf32>) {effect = #safe}
      }
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// The negative twin: stream 1 waits for the start alone, and may write %c while
// stream 0 still reads %a, though it is enqueued after it.
// CHECK-LABEL: func @unordered(
// CHECK: workspace(#sched.linear<3072, 0>) {
// CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <1024, 0>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <2048, 0>
// REMARK: Function=unordered | Buffers=3, BytesPerToken=3072, {{.*}}LargestLiveSetPerToken=2048, SumPerToken=3072
func.func @unordered(%t: index, %x: memref<?x256xf32>, %y: memref<?x256xf32>) {
  sched.schedule(%s0, %s1) tokens(%t) {
    %a = sched.alloc(%t) : memref<?x256xf32>
    %b = sched.alloc(%t) : memref<?x256xf32>
    %c = sched.alloc(%t) : memref<?x256xf32>
    sched.segment {
      %e = sched.record on %s0
      sched.launch on %s0 {
        prefill.kernel @a ins(%x : memref<?x256xf32>) outs(%a : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @b ins(%a : memref<?x256xf32>) outs(%b : memref<?x256xf32>) {effect = #safe}
      }
      sched.wait on %s1 for %e
      sched.launch on %s1 {
        prefill.kernel @c ins(%x : memref<?x256xf32>) outs(%c : memref<?x256xf32>) {effect = #safe}
      }
      %f = sched.record on %s1
      sched.wait on %s0 for %f
      sched.launch on %s0 {
        prefill.kernel @d ins(%b, %c : memref<?x256xf32>, memref<?x256xf32>) outs(%y : memref<?x256xf32>) {effect = #safe}
      }
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// One reader of %a on each of two streams: who takes its bytes has to be behind
// both. %c is (it joins them), %b is behind one of them.
// CHECK-LABEL: func @two_readers(
// CHECK: workspace(#sched.linear<3072, 0>) {
// CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <1024, 0>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <2048, 0>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0>
func.func @two_readers(%t: index, %x: memref<?x256xf32>, %y: memref<?x256xf32>) {
  sched.schedule(%s0, %s1) tokens(%t) {
    %a = sched.alloc(%t) : memref<?x256xf32>
    %r = sched.alloc(%t) : memref<?x256xf32>
    %b = sched.alloc(%t) : memref<?x256xf32>
    %c = sched.alloc(%t) : memref<?x256xf32>
    sched.segment {
      sched.launch on %s0 {
        prefill.kernel @a ins(%x : memref<?x256xf32>) outs(%a : memref<?x256xf32>) {effect = #safe}
      }
      %e = sched.record on %s0
      sched.launch on %s0 {
        prefill.kernel @read0 ins(%a : memref<?x256xf32>) outs(%y : memref<?x256xf32>) {effect = #safe}
      }
      sched.wait on %s1 for %e
      sched.launch on %s1 {
        prefill.kernel @read1 ins(%a : memref<?x256xf32>) outs(%r : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s1 {
        prefill.kernel @b ins(%r : memref<?x256xf32>) outs(%b : memref<?x256xf32>) {effect = #safe}
      }
      %f = sched.record on %s1
      sched.wait on %s0 for %f
      sched.launch on %s0 {
        prefill.kernel @c ins(%b : memref<?x256xf32>) outs(%c : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @d ins(%c : memref<?x256xf32>) outs(%y : memref<?x256xf32>) {effect = #safe}
      }
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// Sharing goes over segments and eager regions. What a later segment reads (%a)
// keeps its bytes until then; what the break alone reads (%b) does not.
// CHECK-LABEL: func @across(
// CHECK: workspace(#sched.linear<3072, 0>) {
// CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <1024, 0>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <2048, 0>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <1024, 0>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0>
// REMARK: Function=across | Buffers=5, BytesPerToken=3072, {{.*}}LargestLiveSetPerToken=3072, SumPerToken=5120
func.func @across(%t: index, %x: memref<?x256xf32>, %y: memref<?x256xf32>) {
  sched.schedule(%s0) tokens(%t) {
    %a = sched.alloc(%t) : memref<?x256xf32>
    %b = sched.alloc(%t) : memref<?x256xf32>
    %c = sched.alloc(%t) : memref<?x256xf32>
    %d = sched.alloc(%t) : memref<?x256xf32>
    %f = sched.alloc(%t) : memref<?x256xf32>
    sched.segment "one" {
      sched.launch on %s0 {
        prefill.kernel @a ins(%x : memref<?x256xf32>) outs(%a : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @b ins(%x : memref<?x256xf32>) outs(%b : memref<?x256xf32>) {effect = #safe}
      }
    }
    sched.eager "two" {
      sched.launch on %s0 {
        prefill.kernel @c ins(%b : memref<?x256xf32>) outs(%c : memref<?x256xf32>) {effect = #safe}
      }
    }
    sched.segment "three" {
      sched.launch on %s0 {
        prefill.kernel @d ins(%a, %c : memref<?x256xf32>, memref<?x256xf32>) outs(%d : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @f ins(%d : memref<?x256xf32>) outs(%f : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @g ins(%f : memref<?x256xf32>) outs(%y : memref<?x256xf32>) {effect = #safe}
      }
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// A buffer is used as long as a view of it is.
// CHECK-LABEL: func @views(
// CHECK: workspace(#sched.linear<3072, 0>) {
// CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <1024, 0>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <2048, 0>
func.func @views(%t: index, %x: memref<?x256xf32>, %y: memref<?x128xf32>) {
  sched.schedule(%s0) tokens(%t) {
    %a = sched.alloc(%t) : memref<?x256xf32>
    %b = sched.alloc(%t) : memref<?x256xf32>
    %c = sched.alloc(%t) : memref<?x256xf32>
    %v = memref.subview %a[0, 128] [%t, 128] [1, 1] : memref<?x256xf32> to memref<?x128xf32, strided<[256, 1], offset: 128>>
    sched.segment {
      sched.launch on %s0 {
        prefill.kernel @a ins(%x : memref<?x256xf32>) outs(%a : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @b ins(%a : memref<?x256xf32>) outs(%b : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @c ins(%b : memref<?x256xf32>) outs(%c : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @d ins(%v, %c : memref<?x128xf32, strided<[256, 1], offset: 128>>, memref<?x256xf32>) outs(%y : memref<?x128xf32>) {effect = #safe}
      }
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// A fixed buffer never lies where a growing one is, however well it would fit:
// each shares with its own kind, and the fixed ones come behind.
// CHECK-LABEL: func @kinds(
// CHECK: workspace(#sched.linear<1024, 1024>) {
// CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0> : memref<?x256xf32>
// CHECK-NEXT: sched.alloc at <1024, 0> : memref<256xf32>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0> : memref<?x256xf32>
// CHECK-NEXT: sched.alloc at <1024, 0> : memref<256xf32>
func.func @kinds(%t: index, %x: memref<?x256xf32>, %y: memref<256xf32>) {
  sched.schedule(%s0) tokens(%t) {
    %a = sched.alloc(%t) : memref<?x256xf32>
    %b = sched.alloc : memref<256xf32>
    %c = sched.alloc(%t) : memref<?x256xf32>
    %d = sched.alloc : memref<256xf32>
    sched.segment {
      sched.launch on %s0 {
        prefill.kernel @a ins(%x : memref<?x256xf32>) outs(%a : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @b ins(%a : memref<?x256xf32>) outs(%b : memref<256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @c ins(%b : memref<256xf32>) outs(%c : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @d ins(%c : memref<?x256xf32>) outs(%d : memref<256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @e ins(%d : memref<256xf32>) outs(%y : memref<256xf32>) {effect = #safe}
      }
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// Two small buffers fit where a large one was, and a large one over two small
// ones.
// CHECK-LABEL: func @parts(
// CHECK: workspace(#sched.linear<3072, 0>) {
// CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0> : memref<?x512xf32>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <2048, 0> : memref<?x256xf32>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0> : memref<?x256xf32>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <1024, 0> : memref<?x256xf32>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0> : memref<?x512xf32>
func.func @parts(%t: index, %x: memref<?x512xf32>, %y: memref<?x512xf32>) {
  sched.schedule(%s0) tokens(%t) {
    %a = sched.alloc(%t) : memref<?x512xf32>
    %b = sched.alloc(%t) : memref<?x256xf32>
    %c = sched.alloc(%t) : memref<?x256xf32>
    %d = sched.alloc(%t) : memref<?x256xf32>
    %f = sched.alloc(%t) : memref<?x512xf32>
    sched.segment {
      sched.launch on %s0 {
        prefill.kernel @a ins(%x : memref<?x512xf32>) outs(%a : memref<?x512xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @b ins(%a : memref<?x512xf32>) outs(%b : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @cd ins(%b : memref<?x256xf32>) outs(%c, %d : memref<?x256xf32>, memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @b2 ins(%c, %d : memref<?x256xf32>, memref<?x256xf32>) outs(%b : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @f ins(%b : memref<?x256xf32>) outs(%f : memref<?x512xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @g ins(%f : memref<?x512xf32>) outs(%y : memref<?x512xf32>) {effect = #safe}
      }
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// Negative: how often a loop runs decides who comes when; nothing is shared.
// CHECK-LABEL: func @loop(
// CHECK: workspace(#sched.linear<3072, 0>) {
// REMARK: Function=loop | Buffers=3, BytesPerToken=3072, FixedBytes=0, LargestLiveSetPerToken=3072, SumPerToken=3072
func.func @loop(%t: index, %x: memref<?x256xf32>, %y: memref<?x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  sched.schedule(%s0) tokens(%t) {
    %a = sched.alloc(%t) : memref<?x256xf32>
    %b = sched.alloc(%t) : memref<?x256xf32>
    %c = sched.alloc(%t) : memref<?x256xf32>
    sched.segment {
      sched.launch on %s0 {
        prefill.kernel @a ins(%x : memref<?x256xf32>) outs(%a : memref<?x256xf32>) {effect = #safe}
      }
      scf.for %i = %c0 to %c4 step %c1 {
        sched.launch on %s0 {
          prefill.kernel @b ins(%a : memref<?x256xf32>) outs(%b : memref<?x256xf32>) {effect = #safe}
        }
      }
      sched.launch on %s0 {
        prefill.kernel @c ins(%b : memref<?x256xf32>) outs(%c : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @d ins(%c : memref<?x256xf32>) outs(%y : memref<?x256xf32>) {effect = #safe}
      }
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// A call may use its arguments from beginning to end: what is passed to it is in
// use while it runs, what was read before is not.
// CHECK-LABEL: func @call(
// CHECK: workspace(#sched.linear<2048, 0>) {
// CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <1024, 0>
// CHECK-NEXT: sched.alloc(%{{.*}}) at <0, 0>
func.func private @callee(memref<?x256xf32>, memref<?x256xf32>)
func.func @call(%t: index, %x: memref<?x256xf32>, %y: memref<?x256xf32>) {
  sched.schedule(%s0) tokens(%t) {
    %a = sched.alloc(%t) : memref<?x256xf32>
    %b = sched.alloc(%t) : memref<?x256xf32>
    %c = sched.alloc(%t) : memref<?x256xf32>
    sched.segment {
      sched.launch on %s0 {
        prefill.kernel @a ins(%x : memref<?x256xf32>) outs(%a : memref<?x256xf32>) {effect = #safe}
      }
      sched.launch on %s0 {
        prefill.kernel @b ins(%a : memref<?x256xf32>) outs(%b : memref<?x256xf32>) {effect = #safe}
      }
    }
    func.call @callee(%b, %c) : (memref<?x256xf32>, memref<?x256xf32>) -> ()
    sched.segment {
      sched.launch on %s0 {
        prefill.kernel @d ins(%c : memref<?x256xf32>) outs(%y : memref<?x256xf32>) {effect = #safe}
      }
    }
  }
  return
}
