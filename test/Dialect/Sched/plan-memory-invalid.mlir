// RUN: braid-opt %s --sched-plan-memory --split-input-file --verify-diagnostics

// One buffer of more than 2^63 bytes.
func.func @one() {
  sched.schedule(%s0) {
    // expected-error @below {{'sched.alloc' op buffer of type 'memref<4611686018427387904x2xf32>' exceeds 2^63 bytes}}
    %a = sched.alloc : memref<4611686018427387904x2xf32>
  }
  return
}

// -----

// Rounding up must not wrap around either.
func.func @rounding() {
  sched.schedule(%s0) {
    // expected-error @below {{exceeds 2^63 bytes}}
    %a = sched.alloc : memref<9223372036854775807xi8>
  }
  return
}

// -----

// Two buffers that fit each, but not together.
func.func @sum() {
  sched.schedule(%s0) {
    %a = sched.alloc : memref<4611686018427387904xi8>
    // expected-error @below {{'sched.alloc' op buffer of type 'memref<4611686018427387904xi8>' makes the workspace exceed 2^63 bytes}}
    %b = sched.alloc : memref<4611686018427387904xi8>
  }
  return
}

// -----

// The same for bytes a token.
func.func @tokens(%t: index) {
  sched.schedule(%s0) tokens(%t) {
    %a = sched.alloc(%t) : memref<?x4611686018427387904xi8>
    // expected-error @below {{makes the workspace exceed 2^63 bytes}}
    %b = sched.alloc(%t) : memref<?x4611686018427387904xi8>
  }
  return
}
