// RUN: rm -rf %t && mkdir %t
// RUN: braid-opt %s --emit-bytecode -o %t/whole.mlirbc

// A file that ends early, near its begin and near its end.
// RUN: %python -c "import sys; d = open(sys.argv[1], 'rb').read(); open(sys.argv[2], 'wb').write(d[:40]); open(sys.argv[3], 'wb').write(d[:-5])" %t/whole.mlirbc %t/begin.mlirbc %t/end.mlirbc
// RUN: not braid-opt %t/begin.mlirbc 2>&1 | FileCheck %s
// RUN: not braid-opt %t/end.mlirbc 2>&1 | FileCheck %s

// A file that is no bytecode, though it begins alike.
// RUN: %python -c "import sys; open(sys.argv[1], 'wb').write(b'ML\xefR' + bytes(64))" %t/zeros.mlirbc
// RUN: not braid-opt %t/zeros.mlirbc 2>&1 | FileCheck %s

// A file that names an op which its dialect does not have.
// RUN: %python -c "import sys; d = open(sys.argv[1], 'rb').read(); assert b'rms_norm' in d; open(sys.argv[2], 'wb').write(d.replace(b'rms_norm', b'rms_nurm'))" %t/whole.mlirbc %t/op.mlirbc
// RUN: not braid-opt %t/op.mlirbc 2>&1 | FileCheck %s

// Each ends with an error, and not by a signal.
// CHECK: error:
// CHECK-NOT: Stack dump
func.func @f(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  sched.schedule(%s0) {
    sched.launch on %s0 {
      prefill.rms_norm %x into %y {eps = 0.0 : f64} : memref<4x8xf32> -> memref<4x8xf32>
    }
  }
  return
}
