// RUN: braid-opt %s --split-input-file --verify-diagnostics

// Metadata is on host or device.
// expected-error @below {{expected 'host' or 'device', got 'gpu'}}
func.func @invalid(%a: tensor<?xi32> {prefill.metadata = #prefill.metadata<gpu>}) {
  return
}

// -----

// Device metadata has a lifetime.
// expected-error @below {{expected ','}}
func.func @invalid(%a: tensor<?xi32> {prefill.metadata = #prefill.metadata<device>}) {
  return
}

// -----

// There are two lifetimes.
// expected-error @below {{expected 'persistent' or 'transient', got 'forever'}}
func.func @invalid(%a: tensor<?xi32> {prefill.metadata = #prefill.metadata<device, forever>}) {
  return
}

// -----

// Host metadata has none.
// expected-error @below {{expected '>'}}
func.func @invalid(%a: tensor<?xi32> {prefill.metadata = #prefill.metadata<host, persistent>}) {
  return
}

// -----

// The attribute has parameters.
// expected-error @below {{expected '<'}}
func.func @invalid(%a: tensor<?xi32> {prefill.metadata = #prefill.metadata}) {
  return
}

// -----

// The base of a rotation is positive.
// expected-error @below {{theta is 0}}
func.func @invalid(%a: tensor<?x8xf32> {prefill.rope = #prefill.rope<theta = 0.0 : f64>}) {
  return
}

// -----

// NaN is not positive.
// expected-error @below {{expected a positive number}}
func.func @invalid(%a: tensor<?x8xf32> {prefill.rope = #prefill.rope<theta = 0x7FF8000000000000 : f64>}) {
  return
}

// -----

// YaRN has four parameters.
// expected-error @below {{factor, beta_fast, beta_slow and original_positions belong together; got 2 of the four}}
func.func @invalid(%a: tensor<?x8xf32> {prefill.rope = #prefill.rope<theta = 1.0e4 : f64, factor = 16.0 : f64, beta_fast = 32.0 : f64>}) {
  return
}

// -----

// A factor of 1 is plain RoPE and has no parameters.
// expected-error @below {{factor is 1}}
func.func @invalid(%a: tensor<?x8xf32> {prefill.rope = #prefill.rope<theta = 1.0e4 : f64, factor = 1.0 : f64, beta_fast = 32.0 : f64, beta_slow = 1.0 : f64, original_positions = 64 : i64>}) {
  return
}

// -----

// The original context has positions.
// expected-error @below {{original_positions is 0; expected a positive number}}
func.func @invalid(%a: tensor<?x8xf32> {prefill.rope = #prefill.rope<theta = 1.0e4 : f64, factor = 2.0 : f64, beta_fast = 32.0 : f64, beta_slow = 1.0 : f64, original_positions = 0 : i64>}) {
  return
}

// -----

// The attributes belong on arrays.
// expected-error @below {{'func.func' op argument 1: 'prefill.name' belongs on a tensor or memref, not on 'index'}}
func.func @invalid(%a: memref<4xf32>, %b: index {prefill.name = "n"}) {
  return
}

// -----

// A name is a string.
// expected-error @below {{'func.func' op argument 0: expected 'prefill.name' to be a non-empty string}}
func.func @invalid(%a: memref<4xf32> {prefill.name = 1}) {
  return
}

// -----

// A name is not empty.
// expected-error @below {{'func.func' op argument 0: expected 'prefill.name' to be a non-empty string}}
func.func @invalid(%a: memref<4xf32> {prefill.name = ""}) {
  return
}

// -----

// Names are unique, or a header would declare one twice.
// expected-error @below {{'func.func' op argument 2: has the name "x", which argument 0 has too}}
func.func @invalid(%a: memref<4xf32> {prefill.name = "x"}, %b: memref<4xf32> {prefill.name = "y"}, %c: memref<4xf32> {prefill.name = "x"}) {
  return
}

// -----

// Metadata is a metadata attribute.
// expected-error @below {{'func.func' op argument 0: expected 'prefill.metadata' to be a #prefill.metadata attribute, got "host"}}
func.func @invalid(%a: memref<4xi32> {prefill.metadata = "host"}) {
  return
}

// -----

// Weights are a list of names.
// expected-error @below {{'func.func' op argument 0: expected 'prefill.weight' to be a non-empty array of strings}}
func.func @invalid(%a: memref<4x8xf32> {prefill.weight = "wq_a.weight"}) {
  return
}

// -----

// The list is not empty.
// expected-error @below {{'func.func' op argument 0: expected 'prefill.weight' to be a non-empty array of strings}}
func.func @invalid(%a: memref<4x8xf32> {prefill.weight = []}) {
  return
}

// -----

// It holds strings only.
// expected-error @below {{'func.func' op argument 0: expected 'prefill.weight' to be a non-empty array of strings}}
func.func @invalid(%a: memref<4x8xf32> {prefill.weight = ["a", 1]}) {
  return
}

// -----

// A rotary table has a rope attribute.
// expected-error @below {{'func.func' op argument 0: expected 'prefill.rope' to be a #prefill.rope attribute, got 1.000000e+04 : f64}}
func.func @invalid(%a: memref<4x8xf32> {prefill.rope = 1.0e4 : f64}) {
  return
}

// -----

// A rotary table is a matrix.
// expected-error @below {{'func.func' op argument 0: a rotary table is [positions, channels] f32, got 'memref<8xf32>'}}
func.func @invalid(%a: memref<8xf32> {prefill.rope = #prefill.rope<theta = 1.0e4 : f64>}) {
  return
}

// -----

// A rotary table is f32.
// expected-error @below {{'func.func' op argument 0: a rotary table is [positions, channels] f32, got 'memref<?x8xbf16>'}}
func.func @invalid(%a: memref<?x8xbf16> {prefill.rope = #prefill.rope<theta = 1.0e4 : f64>}) {
  return
}

// -----

// A slip in the name of an attribute is found, with the list of known ones.
// expected-error @below {{'func.func' op argument 0: has unknown attribute 'prefill.weights'; the prefill dialect knows 'prefill.name', 'prefill.metadata', 'prefill.weight' and 'prefill.rope'}}
func.func @invalid(%a: memref<?x8xf32> {prefill.weights = ["a"]}) {
  return
}

// -----

// Attributes of arguments say nothing anywhere else: on a function,
// expected-error @below {{'func.func' op has 'prefill.name', which belongs on arguments of functions}}
func.func @function() attributes {prefill.name = "x"} {
  return
}

// -----

// on a module,
// expected-error @below {{'builtin.module' op has 'prefill.metadata', which belongs on arguments of functions}}
module attributes {prefill.metadata = #prefill.metadata<host>} {
}

// -----

// and on a result.
// expected-error @below {{'func.func' op result 0: has 'prefill.name', which belongs on arguments of functions}}
func.func @result(%x: tensor<4xf32>) -> (tensor<4xf32> {prefill.name = "y"}) {
  return %x : tensor<4xf32>
}
