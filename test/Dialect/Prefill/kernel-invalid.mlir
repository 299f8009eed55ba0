// RUN: braid-opt %s --split-input-file --verify-diagnostics

// y has the shape of x.
// expected-note @below {{y of type 'memref<?x4xf32>' comes from here}}
// expected-note @below {{x of type 'memref<?x8xf32>' comes from here}}
func.func @invalid(%x: memref<?x8xf32>, %y: memref<?x4xf32>) {
  // expected-error @below {{'prefill.all_reduce' op dimension 1 of y is 4, expected 8 as dimension 1 of x}}
  prefill.all_reduce %x over "tp" into %y : memref<?x8xf32> -> memref<?x4xf32>
  return
}

// -----

// y has the rank of x.
// expected-note @below {{y of type 'memref<?xf32>' comes from here}}
func.func @invalid(%x: memref<?x8xf32>, %y: memref<?xf32>) {
  // expected-error @below {{'prefill.all_reduce' op y has rank 1, expected 2}}
  prefill.all_reduce %x over "tp" into %y : memref<?x8xf32> -> memref<?xf32>
  return
}

// -----

// Integers are not reduced.
// expected-note @below {{x of type 'memref<?x8xi32>' comes from here}}
func.func @invalid(%x: memref<?x8xi32>, %y: memref<?x8xf32>) {
  // expected-error @below {{'prefill.all_reduce' op x has element type 'i32', expected 'f32' or 'bf16'}}
  prefill.all_reduce %x over "tp" into %y : memref<?x8xi32> -> memref<?x8xf32>
  return
}

// -----

// y has the type of x.
// expected-note @below {{y of type 'memref<?x8xbf16>' comes from here}}
// expected-note @below {{x of type 'memref<?x8xf32>' comes from here}}
func.func @invalid(%x: memref<?x8xf32>, %y: memref<?x8xbf16>) {
  // expected-error @below {{'prefill.all_reduce' op y has element type 'bf16', expected 'f32' as x}}
  prefill.all_reduce %x over "tp" into %y : memref<?x8xf32> -> memref<?x8xbf16>
  return
}

// -----

// A communicator has a name.
func.func @invalid(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @below {{'prefill.all_reduce' op names no communicator}}
  prefill.all_reduce %x over "" into %y : memref<?x8xf32> -> memref<?x8xf32>
  return
}

// -----

// y is a matrix.
// expected-note @below {{y of type 'memref<96xf32>' comes from here}}
func.func @invalid(%a: memref<8x4xf32>, %b: memref<16x4xf32>, %y: memref<96xf32>) {
  // expected-error @below {{'prefill.pack' op y has rank 1, expected 2}}
  prefill.pack %a, %b into %y : memref<8x4xf32>, memref<16x4xf32> -> memref<96xf32>
  return
}

// -----

// There is something to pack (generic form only).
func.func @invalid(%y: memref<24x4xf32>) {
  // expected-error @below {{'prefill.pack' op packs nothing; expected an input}}
  "prefill.pack"(%y) : (memref<24x4xf32>) -> ()
  return
}

// -----

// Inputs are matrices.
// expected-note @below {{input 1 of type 'memref<64xf32>' comes from here}}
func.func @invalid(%a: memref<8x4xf32>, %b: memref<64xf32>, %y: memref<24x4xf32>) {
  // expected-error @below {{'prefill.pack' op input 1 has rank 1, expected 2}}
  prefill.pack %a, %b into %y : memref<8x4xf32>, memref<64xf32> -> memref<24x4xf32>
  return
}

// -----

// Inputs have the type of y.
// expected-note @below {{input 0 of type 'memref<8x4xbf16>' comes from here}}
// expected-note @below {{y of type 'memref<24x4xf32>' comes from here}}
func.func @invalid(%a: memref<8x4xbf16>, %b: memref<16x4xf32>, %y: memref<24x4xf32>) {
  // expected-error @below {{'prefill.pack' op input 0 has element type 'bf16', expected 'f32' as y}}
  prefill.pack %a, %b into %y : memref<8x4xbf16>, memref<16x4xf32> -> memref<24x4xf32>
  return
}

// -----

// Inputs have the columns of y.
// expected-note @below {{input 1 of type 'memref<16x5xf32>' comes from here}}
// expected-note @below {{y of type 'memref<24x4xf32>' comes from here}}
func.func @invalid(%a: memref<8x4xf32>, %b: memref<16x5xf32>, %y: memref<24x4xf32>) {
  // expected-error @below {{'prefill.pack' op dimension 1 of input 1 is 5, expected 4 as dimension 1 of y}}
  prefill.pack %a, %b into %y : memref<8x4xf32>, memref<16x5xf32> -> memref<24x4xf32>
  return
}

// -----

// y has the rows of all inputs.
// expected-note @below {{y of type 'memref<25x4xf32>' comes from here}}
func.func @invalid(%a: memref<8x4xf32>, %b: memref<16x4xf32>, %y: memref<25x4xf32>) {
  // expected-error @below {{'prefill.pack' op dimension 0 of y is 25, expected 24, the sum of the inputs' rows}}
  prefill.pack %a, %b into %y : memref<8x4xf32>, memref<16x4xf32> -> memref<25x4xf32>
  return
}

// -----

// Each cache has an access kind.
func.func @invalid(%c: memref<4x8xf32>) {
  // expected-error @below {{'prefill.kernel' op has 1 caches and 0 entries in cache_access; expected one for each}}
  prefill.kernel @k caches(%c : memref<4x8xf32>) {effect = #sched.effect_class<graph_safe>}
  return
}

// -----

// And there is a cache for each access kind.
func.func @invalid(%c: memref<4x8xf32>) {
  // expected-error @below {{'prefill.kernel' op has 1 caches and 2 entries in cache_access; expected one for each}}
  prefill.kernel @k caches(%c : memref<4x8xf32>) {cache_access = [#sched.access<read>, #sched.access<read>], effect = #sched.effect_class<graph_safe>}
  return
}

// -----

// Results are the destinations that are tensors: one too few.
func.func @invalid(%t: tensor<4x8xf32>) {
  // expected-error @below {{'prefill.kernel' op has results (), expected its inits that are tensors: ('tensor<4x8xf32>')}}
  prefill.kernel @k outs(%t : tensor<4x8xf32>) {effect = #sched.effect_class<graph_safe>}
  return
}

// -----

// Of another type.
func.func @invalid(%t: tensor<4x8xf32>) {
  // expected-error @below {{'prefill.kernel' op has results ('tensor<8xf32>'), expected its inits that are tensors: ('tensor<4x8xf32>')}}
  %0 = prefill.kernel @k outs(%t : tensor<4x8xf32>) {effect = #sched.effect_class<graph_safe>} -> tensor<8xf32>
  return
}

// -----

// The effect class is not optional: nothing could be assumed without it.
func.func @invalid(%y: memref<4x8xf32>) {
  // expected-error @below {{'prefill.kernel' op requires attribute 'effect'}}
  prefill.kernel @k outs(%y : memref<4x8xf32>)
  return
}

// -----

// Access kinds are attributes of sched.
func.func @invalid(%c: memref<4x8xf32>) {
  // expected-error @below {{'prefill.kernel' op attribute 'cache_access' failed to satisfy constraint: access kinds}}
  prefill.kernel @k caches(%c : memref<4x8xf32>) {cache_access = ["read"], effect = #sched.effect_class<graph_safe>}
  return
}

// -----

// Unknown classes are refused with the list of known ones.
func.func @invalid() {
  // expected-error @+2 {{expected ::braid::sched::EffectClass to be one of: graph_safe, device_metadata, host_metadata, init}}
  // expected-error @+1 {{failed to parse Sched_EffectClassAttr parameter 'value'}}
  prefill.kernel @k {effect = #sched.effect_class<pure>}
  return
}
