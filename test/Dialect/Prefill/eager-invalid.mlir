// RUN: braid-opt %s --split-input-file --verify-diagnostics

// Results are what the region yields; the note stands at the yield.
func.func @invalid(%x: memref<4xf32>) {
  // expected-error @below {{'prefill.eager' op has results ('memref<8xf32>'), but its region yields ('memref<4xf32>')}}
  %0 = prefill.eager -> memref<8xf32> {
    // expected-note @below {{the values are yielded here}}
    prefill.yield %x : memref<4xf32>
  }
  return
}

// -----

// A region that yields nothing has no results.
func.func @invalid(%x: memref<4xf32>) {
  // expected-error @below {{'prefill.eager' op has results ('memref<4xf32>'), but its region yields ()}}
  // expected-note @below {{the values are yielded here}}
  %0 = prefill.eager -> memref<4xf32> {
  }
  return
}

// -----

// Eager regions do not nest, however deep the other one is.
func.func @invalid(%c: i1) {
  // expected-note @below {{the other region is here}}
  prefill.eager {
    scf.if %c {
      // expected-error @below {{'prefill.eager' op lies inside another eager region}}
      prefill.eager {
      }
    }
  }
  return
}

// -----

// The terminator belongs to eager regions.
func.func @invalid() {
  // expected-error @below {{'prefill.yield' op expects parent op 'prefill.eager'}}
  prefill.yield
}

// -----

// A layer uses a function that exists.
// expected-error @below {{'prefill.layer' op uses @missing, which is not defined}}
prefill.layer 0 uses @missing

// -----

// Layers count from 0.
func.func @f() { return }
// expected-error @below {{'prefill.layer' op attribute 'index' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
prefill.layer -1 uses @f
