// RUN: braid-opt %s --sched-bind-events --split-input-file | FileCheck %s
// RUN: braid-opt %s --sched-bind-events --split-input-file --remarks-filter=sched-sync -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A slot is free again after the last wait for its record.
// CHECK-LABEL: func @reuse(
// REMARK: EventsBound | Category:sched-sync | Function=reuse | Records=3, Slots=1
func.func @reuse() {
  // CHECK: sched.schedule(%s0, %s1) events(1) {
  sched.schedule(%s0, %s1) {
    sched.segment {
      // CHECK: sched.record on %s0 slot 0
      %a = sched.record on %s0
      sched.wait on %s1 for %a
      // CHECK: sched.record on %s1 slot 0
      %b = sched.record on %s1
      sched.wait on %s0 for %b
      // CHECK: sched.record on %s0 slot 0
      %c = sched.record on %s0
      sched.wait on %s1 for %c
    }
  }
  return
}

// -----

// The negative twin: who waits last decides, so the first record keeps its slot
// until then, and the lowest free slot comes next.
// CHECK-LABEL: func @last_wait(
// REMARK: Function=last_wait | Records=4, Slots=2
func.func @last_wait() {
  // CHECK: sched.schedule(%s0, %s1, %s2) events(2) {
  sched.schedule(%s0, %s1, %s2) {
    sched.segment {
      // CHECK: sched.record on %s0 slot 0
      %a = sched.record on %s0
      sched.wait on %s1 for %a
      // CHECK: sched.record on %s1 slot 1
      %b = sched.record on %s1
      sched.wait on %s2 for %b
      // CHECK: sched.record on %s2 slot 1
      %c = sched.record on %s2
      sched.wait on %s2 for %a
      // CHECK: sched.record on %s2 slot 0
      %d = sched.record on %s2
      sched.wait on %s0 for %d, %c
    }
  }
  return
}

// -----

// A wait for several events frees all of them; nobody has to wait for a record
// that nobody awaits.
// CHECK-LABEL: func @several(
// REMARK: Function=several | Records=5, Slots=3
func.func @several() {
  // CHECK: sched.schedule(%s0, %s1, %s2) events(3) {
  sched.schedule(%s0, %s1, %s2) {
    sched.segment {
      // CHECK: sched.record on %s1 slot 0
      %a = sched.record on %s1
      // CHECK: sched.record on %s2 slot 1
      %b = sched.record on %s2
      // CHECK: sched.record on %s2 slot 2
      %unused = sched.record on %s2
      sched.wait on %s0 for %a, %b
      // CHECK: sched.record on %s0 slot 0
      %c = sched.record on %s0
      // CHECK: sched.record on %s1 slot 1
      %d = sched.record on %s1
      sched.wait on %s2 for %c, %d
    }
  }
  return
}

// -----

// No event crosses the edge of a region, so regions share slots; the schedule
// has what the neediest of them needs. Slots from before are replaced.
// CHECK-LABEL: func @regions(
// REMARK: Function=regions | Records=4, Slots=2
func.func @regions() {
  // CHECK: sched.schedule(%s0, %s1) events(2) {
  sched.schedule(%s0, %s1) events(9) {
    sched.segment {
      // CHECK: sched.record on %s0 slot 0
      %a = sched.record on %s0 slot 7
      sched.wait on %s1 for %a
    }
    sched.eager {
      // CHECK: sched.record on %s0 slot 0
      %a = sched.record on %s0
      // CHECK: sched.record on %s0 slot 1
      %b = sched.record on %s0
      sched.wait on %s1 for %a, %b
    }
    // CHECK: sched.record on %s1 slot 0
    %e = sched.record on %s1
    sched.wait on %s0 for %e
  }
  return
}

// -----

// Each schedule has events of its own, and one without records has none.
// CHECK-LABEL: func @dispatch(
// REMARK: Function=dispatch | Records=1, Slots=1
// REMARK-NOT: Function=dispatch
func.func @dispatch(%t: index) {
  sched.dispatch on %t upto 64 {
    // CHECK: sched.schedule(%s0, %s1) events(1) {
    sched.schedule(%s0, %s1) {
      %e = sched.record on %s0
      sched.wait on %s1 for %e
    }
  } otherwise {
    // CHECK: sched.schedule(%s0) {
    sched.schedule(%s0) {
    }
  }
  return
}

// -----

// A wait in a loop holds the slot until the loop is over.
// CHECK-LABEL: func @wait_in_loop(
func.func @wait_in_loop() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK: sched.schedule(%s0, %s1) events(2) {
  sched.schedule(%s0, %s1) {
    sched.segment {
      // CHECK: sched.record on %s0 slot 0
      %a = sched.record on %s0
      // CHECK: sched.record on %s0 slot 1
      %b = sched.record on %s0
      scf.for %i = %c0 to %c4 step %c1 {
        sched.wait on %s1 for %a
      }
      // CHECK: sched.record on %s1 slot 0
      %c = sched.record on %s1
      sched.wait on %s0 for %b, %c
    }
  }
  return
}

// -----

// An event that a loop carries on keeps its slot to the end.
// CHECK-LABEL: func @carried(
func.func @carried() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK: sched.schedule(%s0, %s1) events(2) {
  sched.schedule(%s0, %s1) {
    // CHECK: sched.record on %s0 slot 0
    %a = sched.record on %s0
    %b = scf.for %i = %c0 to %c4 step %c1 iter_args(%e = %a) -> !sched.event {
      sched.wait on %s1 for %e
      scf.yield %e : !sched.event
    }
    // CHECK: sched.record on %s1 slot 1
    %c = sched.record on %s1
    sched.wait on %s0 for %c, %b
  }
  return
}
