// RUN: braid-opt %s --sched-simplify-sync --split-input-file | FileCheck %s
// RUN: braid-opt %s --sched-simplify-sync --sched-simplify-sync --split-input-file | FileCheck %s
// RUN: braid-opt %s --sched-simplify-sync --split-input-file --remarks-filter=sched-sync -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#safe = #sched.effect_class<graph_safe>

// A stream that waited for an event need not wait for it again, nor for one that
// was recorded on the same stream before.
// CHECK-LABEL: func @earlier_wait(
// CHECK: sched.record on %s0
// CHECK: sched.launch on %s1
// CHECK-NOT: sched.record
// CHECK: sched.launch on %s1
// CHECK: %[[B:.*]] = sched.record on %s1
// CHECK-NEXT: sched.wait on %s0 for %[[B]]
// CHECK-NEXT: sched.launch on %s0
// CHECK-NOT: sched.wait
// CHECK: return
// REMARK: SyncSimplified | Category:sched-sync | Function=earlier_wait | RecordsAfter=2, RecordsBefore=3, WaitsAfter=2, WaitsBefore=4
func.func @earlier_wait(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.segment {
      %start = sched.record on %s0
      sched.wait on %s1 for %start
      sched.launch on %s1 {
        prefill.kernel @a outs(%a : memref<4xf32>) {effect = #safe}
      }
      %e0 = sched.record on %s1
      sched.launch on %s1 {
        prefill.kernel @b outs(%b : memref<4xf32>) {effect = #safe}
      }
      %e1 = sched.record on %s1
      sched.wait on %s0 for %e1
      sched.launch on %s0 {
        prefill.kernel @c ins(%b : memref<4xf32>) outs(%c : memref<4xf32>) {effect = #safe}
      }
      sched.wait on %s0 for %e0
      sched.launch on %s0 {
        prefill.kernel @d ins(%a : memref<4xf32>) outs(%c : memref<4xf32>) {effect = #safe}
      }
      sched.wait on %s0 for %e1
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// The negative twin: an event that was recorded later has more in it.
// CHECK-LABEL: func @later_record(
// CHECK: %[[A:.*]] = sched.record on %s1
// CHECK-NEXT: sched.launch on %s1
// CHECK: %[[B:.*]] = sched.record on %s1
// CHECK: sched.wait on %s0 for %[[A]]
// CHECK-NEXT: sched.launch on %s0
// CHECK: sched.wait on %s0 for %[[B]]
// REMARK: Function=later_record | RecordsAfter=3, RecordsBefore=3, WaitsAfter=3, WaitsBefore=3
func.func @later_record(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.segment {
      %start = sched.record on %s0
      sched.wait on %s1 for %start
      sched.launch on %s1 {
        prefill.kernel @a outs(%a : memref<4xf32>) {effect = #safe}
      }
      %e0 = sched.record on %s1
      sched.launch on %s1 {
        prefill.kernel @b outs(%b : memref<4xf32>) {effect = #safe}
      }
      %e1 = sched.record on %s1
      sched.wait on %s0 for %e0
      sched.launch on %s0 {
        prefill.kernel @c ins(%a : memref<4xf32>) outs(%c : memref<4xf32>) {effect = #safe}
      }
      sched.wait on %s0 for %e1
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// What another stream waited for before it recorded is in its event: stream 2
// is behind stream 0's op through stream 1, and stream 0 behind stream 1's at the
// end through stream 2.
// CHECK-LABEL: func @transitive(
// CHECK: sched.launch on %s0
// CHECK: %[[A:.*]] = sched.record on %s0
// CHECK-NEXT: sched.wait on %s1 for %[[A]]
// CHECK-NEXT: sched.launch on %s1
// CHECK: %[[B:.*]] = sched.record on %s1
// CHECK-NEXT: sched.wait on %s2 for %[[B]]
// CHECK-NEXT: sched.launch on %s2
// CHECK: %[[C:.*]] = sched.record on %s2
// CHECK-NEXT: sched.wait on %s0 for %[[C]]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return
// REMARK: Function=transitive | RecordsAfter=3, RecordsBefore=4, WaitsAfter=3, WaitsBefore=7
func.func @transitive(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) {
  sched.schedule(%s0, %s1, %s2) {
    sched.segment {
      %start = sched.record on %s0
      sched.launch on %s0 {
        prefill.kernel @a outs(%a : memref<4xf32>) {effect = #safe}
      }
      %e0 = sched.record on %s0
      sched.wait on %s1 for %start
      sched.wait on %s1 for %e0
      sched.launch on %s1 {
        prefill.kernel @b ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {effect = #safe}
      }
      %e1 = sched.record on %s1
      sched.wait on %s2 for %start
      sched.wait on %s2 for %e0
      sched.wait on %s2 for %e1
      sched.launch on %s2 {
        prefill.kernel @c ins(%a, %b : memref<4xf32>, memref<4xf32>) outs(%c : memref<4xf32>) {effect = #safe}
      }
      %e2 = sched.record on %s2
      sched.wait on %s0 for %e1
      sched.wait on %s0 for %e2
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// The negative twin: stream 1 recorded before it waited, so its event says
// nothing of stream 0's op.
// CHECK-LABEL: func @recorded_before(
// CHECK: %[[A:.*]] = sched.record on %s0
// CHECK: sched.launch on %s1
// CHECK: %[[B:.*]] = sched.record on %s1
// CHECK: sched.wait on %s2 for %[[A]]
// CHECK-NEXT: sched.wait on %s2 for %[[B]]
// CHECK-NEXT: sched.launch on %s2
// REMARK: Function=recorded_before | RecordsAfter=5, RecordsBefore=5, WaitsAfter=6, WaitsBefore=6
func.func @recorded_before(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>, %d: memref<4xf32>) {
  sched.schedule(%s0, %s1, %s2) {
    sched.segment {
      %start = sched.record on %s0
      sched.launch on %s0 {
        prefill.kernel @a outs(%a : memref<4xf32>) {effect = #safe}
      }
      %e0 = sched.record on %s0
      sched.wait on %s1 for %start
      sched.launch on %s1 {
        prefill.kernel @b outs(%b : memref<4xf32>) {effect = #safe}
      }
      %e1 = sched.record on %s1
      sched.wait on %s1 for %e0
      sched.launch on %s1 {
        prefill.kernel @d ins(%a : memref<4xf32>) outs(%d : memref<4xf32>) {effect = #safe}
      }
      %e2 = sched.record on %s1
      sched.wait on %s2 for %e0
      sched.wait on %s2 for %e1
      sched.launch on %s2 {
        prefill.kernel @c ins(%a, %b : memref<4xf32>, memref<4xf32>) outs(%c : memref<4xf32>) {effect = #safe}
      }
      %e3 = sched.record on %s2
      sched.wait on %s0 for %e2
      sched.wait on %s0 for %e3
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// Of the waits before one op, the one that implies the others stays, wherever it
// stands among them; one wait op for several events keeps what is needed.
// CHECK-LABEL: func @same_op(
// CHECK: sched.launch on %s1
// CHECK: sched.launch on %s1
// CHECK: %[[B:.*]] = sched.record on %s1
// CHECK-NEXT: sched.wait on %s0 for %[[B]]
// CHECK-NEXT: sched.launch on %s0
// REMARK: Function=same_op | RecordsAfter=2, RecordsBefore=3, WaitsAfter=2, WaitsBefore=2
func.func @same_op(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.segment {
      %start = sched.record on %s0
      sched.wait on %s1 for %start
      sched.launch on %s1 {
        prefill.kernel @a outs(%a : memref<4xf32>) {effect = #safe}
      }
      %e0 = sched.record on %s1
      sched.launch on %s1 {
        prefill.kernel @b outs(%b : memref<4xf32>) {effect = #safe}
      }
      %e1 = sched.record on %s1
      sched.wait on %s0 for %e0, %e1, %e0
      sched.launch on %s0 {
        prefill.kernel @c ins(%a, %b : memref<4xf32>, memref<4xf32>) outs(%c : memref<4xf32>) {effect = #safe}
      }
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// Of two waits for equal events the first stays: records without work between
// them are one.
// CHECK-LABEL: func @equal_records(
// CHECK: %[[START:.*]] = sched.record on %s0
// CHECK-NEXT: sched.wait on %s1 for %[[START]]
// CHECK-NEXT: sched.launch on %s1
// CHECK: sched.wait on %s2 for %[[START]]
// CHECK-NEXT: sched.launch on %s2
// CHECK: %[[A:.*]] = sched.record on %s1
// CHECK: %[[B:.*]] = sched.record on %s2
// CHECK-NEXT: sched.wait on %s0 for %[[A]]
// CHECK-NEXT: sched.wait on %s0 for %[[B]]
// CHECK-NEXT: }
// REMARK: Function=equal_records | RecordsAfter=3, RecordsBefore=5, WaitsAfter=4, WaitsBefore=5
func.func @equal_records(%a: memref<4xf32>, %b: memref<4xf32>) {
  sched.schedule(%s0, %s1, %s2) {
    sched.segment {
      %start = sched.record on %s0
      %start2 = sched.record on %s0
      sched.wait on %s1 for %start
      sched.launch on %s1 {
        prefill.kernel @a outs(%a : memref<4xf32>) {effect = #safe}
      }
      sched.wait on %s2 for %start2
      sched.launch on %s2 {
        prefill.kernel @b outs(%b : memref<4xf32>) {effect = #safe}
      }
      %e0 = sched.record on %s1
      %e1 = sched.record on %s1
      %e2 = sched.record on %s2
      sched.wait on %s0 for %e0
      sched.wait on %s0 for %e1
      sched.wait on %s0 for %e2
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// The negative twin: with work between them, records are two.
// CHECK-LABEL: func @work_between(
// CHECK: %[[A:.*]] = sched.record on %s0
// CHECK: sched.launch on %s0
// CHECK: %[[B:.*]] = sched.record on %s0
// CHECK: sched.wait on %s1 for %[[A]]
// CHECK: sched.wait on %s2 for %[[B]]
func.func @work_between(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) {
  sched.schedule(%s0, %s1, %s2) {
    sched.segment {
      %start = sched.record on %s0
      sched.launch on %s0 {
        prefill.kernel @a outs(%a : memref<4xf32>) {effect = #safe}
      }
      %e = sched.record on %s0
      sched.wait on %s1 for %start
      sched.launch on %s1 {
        prefill.kernel @b outs(%b : memref<4xf32>) {effect = #safe}
      }
      sched.wait on %s2 for %e
      sched.launch on %s2 {
        prefill.kernel @c ins(%a : memref<4xf32>) outs(%c : memref<4xf32>) {effect = #safe}
      }
      %e1 = sched.record on %s1
      %e2 = sched.record on %s2
      sched.wait on %s0 for %e1, %e2
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// A record that nobody waits for goes. So does a wait for one's own stream, and
// one of stream 0 for the start.
// CHECK-LABEL: func @unused(
// CHECK-NOT: sched.record
// CHECK-NOT: sched.wait
// CHECK: return
// REMARK: Function=unused | RecordsAfter=0, RecordsBefore=3, WaitsAfter=0, WaitsBefore=2
func.func @unused(%a: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.segment {
      %start = sched.record on %s0
      sched.wait on %s0 for %start
      sched.launch on %s0 {
        prefill.kernel @a outs(%a : memref<4xf32>) {effect = #safe}
      }
      %own = sched.record on %s0
      sched.wait on %s0 for %own
      sched.launch on %s0 {
        prefill.kernel @a outs(%a : memref<4xf32>) {effect = #safe}
      }
      %unused = sched.record on %s0
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// The fork of a stream stays, though no op of stream 0 is in it: what came
// before the region is.
// CHECK-LABEL: func @fork(
// CHECK: sched.eager
// CHECK-NEXT: %[[START:.*]] = sched.record on %s0
// CHECK-NEXT: sched.wait on %s1 for %[[START]]
// CHECK-NEXT: sched.launch on %s1
// CHECK: %[[END:.*]] = sched.record on %s1
// CHECK-NEXT: sched.wait on %s0 for %[[END]]
// REMARK: Function=fork | RecordsAfter=2, RecordsBefore=2, WaitsAfter=2, WaitsBefore=2
func.func @fork(%a: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.eager {
      %start = sched.record on %s0
      sched.wait on %s1 for %start
      sched.launch on %s1 {
        prefill.kernel @a outs(%a : memref<4xf32>) {effect = #safe}
      }
      %end = sched.record on %s1
      sched.wait on %s0 for %end
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// What a segment's streams know ends with it: the next one forks anew.
// CHECK-LABEL: func @two_regions(
// CHECK-COUNT-4: sched.wait
// REMARK: Function=two_regions | RecordsAfter=4, RecordsBefore=4, WaitsAfter=4, WaitsBefore=4
func.func @two_regions(%a: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.segment {
      %start = sched.record on %s0
      sched.wait on %s1 for %start
      sched.launch on %s1 {
        prefill.kernel @a outs(%a : memref<4xf32>) {effect = #safe}
      }
      %end = sched.record on %s1
      sched.wait on %s0 for %end
    }
    sched.segment {
      %start = sched.record on %s0
      sched.wait on %s1 for %start
      sched.launch on %s1 {
        prefill.kernel @a outs(%a : memref<4xf32>) {effect = #safe}
      }
      %end = sched.record on %s1
      sched.wait on %s0 for %end
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// Negative: a region with a loop keeps its waits, inside and outside of it,
// superfluous ones too.
// CHECK-LABEL: func @loop(
// CHECK-COUNT-2: sched.wait on %s1
// CHECK: scf.for
// CHECK-COUNT-2: sched.wait on %s0
// CHECK: }
// CHECK-COUNT-2: sched.wait on %s0
// REMARK: Function=loop | RecordsAfter=3, RecordsBefore=3, WaitsAfter=6, WaitsBefore=6
func.func @loop(%a: memref<4xf32>, %b: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  sched.schedule(%s0, %s1) {
    sched.segment {
      %start = sched.record on %s0
      sched.wait on %s1 for %start
      sched.wait on %s1 for %start
      scf.for %i = %c0 to %c4 step %c1 {
        sched.launch on %s1 {
          prefill.kernel @a outs(%a : memref<4xf32>) {effect = #safe}
        }
        %e = sched.record on %s1
        sched.wait on %s0 for %e
        sched.wait on %s0 for %e
        sched.launch on %s0 {
          prefill.kernel @b ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {effect = #safe}
        }
      }
      %end = sched.record on %s1
      sched.wait on %s0 for %end
      sched.wait on %s0 for %end
    }
  }
  return
}

// -----

#safe = #sched.effect_class<graph_safe>

// Negative: bound slots are taken as someone's last word.
// CHECK-LABEL: func @bound(
// CHECK-COUNT-2: sched.wait on %s1
func.func @bound(%a: memref<4xf32>) {
  sched.schedule(%s0, %s1) {
    sched.segment {
      %start = sched.record on %s0 slot 0
      sched.wait on %s1 for %start
      sched.wait on %s1 for %start
      sched.launch on %s1 {
        prefill.kernel @a outs(%a : memref<4xf32>) {effect = #safe}
      }
      %end = sched.record on %s1 slot 1
      sched.wait on %s0 for %end
    }
  }
  return
}

// -----

// Without records and waits there is nothing to say.
// CHECK-LABEL: func @nothing(
// REMARK-NOT: Function=nothing
func.func @nothing() {
  sched.schedule(%s0) {
    sched.segment {
    }
  }
  return
}
