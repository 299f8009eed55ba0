// RUN: rm -rf %t && mkdir %t
// RUN: braid-opt %s --emit-bytecode -o %t/now.mlirbc

// Both dialects write their version.
// RUN: %python %S/Inputs/dialect_versions.py %t/now.mlirbc | FileCheck %s --check-prefix=COUNT
// COUNT: 2

// A later minor or major version is refused with a sentence that says which
// versions can be read.
// RUN: %python %S/Inputs/dialect_versions.py %t/now.mlirbc %t/minor.mlirbc 0 2
// RUN: not braid-opt %t/minor.mlirbc 2>&1 | FileCheck %s --check-prefix=MINOR
// MINOR: error: bytecode has version 0.2 of dialect '{{sched|prefill}}', but this build reads versions up to 0.1
// RUN: %python %S/Inputs/dialect_versions.py %t/now.mlirbc %t/major.mlirbc 1 0
// RUN: not braid-opt %t/major.mlirbc 2>&1 | FileCheck %s --check-prefix=MAJOR
// MAJOR: error: bytecode has version 1.0 of dialect '{{sched|prefill}}', but this build reads versions up to 0.1

// The negative twin: an earlier version is read.
// RUN: %python %S/Inputs/dialect_versions.py %t/now.mlirbc %t/earlier.mlirbc 0 0
// RUN: braid-opt %t/earlier.mlirbc | FileCheck %s

// CHECK-LABEL: func @f
// CHECK: sched.schedule
// CHECK: prefill.rms_norm
func.func @f(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
    }
  }
  return
}
