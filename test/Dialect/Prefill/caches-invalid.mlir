// RUN: braid-opt %s --split-input-file --verify-diagnostics

// Rows are a matrix.
// expected-note @below {{rows of type 'memref<?x1x32xf32>' comes from here}}
func.func @invalid(%rows: memref<?x1x32xf32>, %slots: memref<?xi64>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.cache_insert' op rows has rank 3, expected 2}}
  prefill.cache_insert %rows at %slots into %cache : memref<?x1x32xf32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Slots are a vector.
// expected-note @below {{slots of type 'memref<?x1xi64>' comes from here}}
func.func @invalid(%rows: memref<?x32xf32>, %slots: memref<?x1xi64>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.cache_insert' op slots has rank 2, expected 1}}
  prefill.cache_insert %rows at %slots into %cache : memref<?x32xf32>, memref<?x1xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Caches are paged.
// expected-note @below {{cache of type 'memref<?x32xf32>' comes from here}}
func.func @invalid(%rows: memref<?x32xf32>, %slots: memref<?xi64>, %cache: memref<?x32xf32>) {
  // expected-error @below {{'prefill.cache_insert' op cache has rank 2, expected 3}}
  prefill.cache_insert %rows at %slots into %cache : memref<?x32xf32>, memref<?xi64> -> memref<?x32xf32>
  return
}

// -----

// Rows are f32 or bf16.
// expected-note @below {{rows of type 'memref<?x32xf16>' comes from here}}
func.func @invalid(%rows: memref<?x32xf16>, %slots: memref<?xi64>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.cache_insert' op rows has element type 'f16', expected 'f32' or 'bf16'}}
  prefill.cache_insert %rows at %slots into %cache : memref<?x32xf16>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Slots are i64.
// expected-note @below {{slots of type 'memref<?xi32>' comes from here}}
func.func @invalid(%rows: memref<?x32xf32>, %slots: memref<?xi32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.cache_insert' op slots has element type 'i32', expected 'i64'}}
  prefill.cache_insert %rows at %slots into %cache : memref<?x32xf32>, memref<?xi32> -> memref<?x?x32xf32>
  return
}

// -----

// Nothing is converted on the way.
// expected-note @below {{cache of type 'memref<?x?x32xbf16>' comes from here}}
// expected-note @below {{rows of type 'memref<?x32xf32>' comes from here}}
func.func @invalid(%rows: memref<?x32xf32>, %slots: memref<?xi64>, %cache: memref<?x?x32xbf16>) {
  // expected-error @below {{'prefill.cache_insert' op cache has element type 'bf16', expected 'f32' as rows}}
  prefill.cache_insert %rows at %slots into %cache : memref<?x32xf32>, memref<?xi64> -> memref<?x?x32xbf16>
  return
}

// -----

// Each row has a slot.
// expected-note @below {{slots of type 'memref<4xi64>' comes from here}}
// expected-note @below {{rows of type 'memref<5x32xf32>' comes from here}}
func.func @invalid(%rows: memref<5x32xf32>, %slots: memref<4xi64>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.cache_insert' op dimension 0 of slots is 4, expected 5 as dimension 0 of rows}}
  prefill.cache_insert %rows at %slots into %cache : memref<5x32xf32>, memref<4xi64> -> memref<?x?x32xf32>
  return
}

// -----

// A slot holds a row.
// expected-note @below {{cache of type 'memref<?x?x16xf32>' comes from here}}
// expected-note @below {{rows of type 'memref<?x32xf32>' comes from here}}
func.func @invalid(%rows: memref<?x32xf32>, %slots: memref<?xi64>, %cache: memref<?x?x16xf32>) {
  // expected-error @below {{'prefill.cache_insert' op dimension 2 of cache is 16, expected 32 as dimension 1 of rows}}
  prefill.cache_insert %rows at %slots into %cache : memref<?x32xf32>, memref<?xi64> -> memref<?x?x16xf32>
  return
}

// -----

// A cache is memory, never a value.
func.func @invalid(%rows: memref<?x32xf32>, %slots: memref<?xi64>, %cache: tensor<?x?x32xf32>) {
  // expected-error @below {{'prefill.cache_insert' op operand #2 must be strided memref, but got 'tensor<?x?x32xf32>'}}
  prefill.cache_insert %rows at %slots into %cache : memref<?x32xf32>, memref<?xi64> -> tensor<?x?x32xf32>
  return
}

// -----

// Rank of kv_score.
// expected-note @below {{kv_score of type 'memref<?x2x32xf32>' comes from here}}
func.func @invalid(%kv: memref<?x2x32xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op kv_score has rank 3, expected 2}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x2x32xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Rank of bias.
// expected-note @below {{bias of type 'memref<256xf32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<256xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op bias has rank 1, expected 2}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<256xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Rank of weight.
// expected-note @below {{weight of type 'memref<1x32xf32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<1x32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op weight has rank 2, expected 1}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<1x32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Rank of state_slots.
// expected-note @below {{state_slots of type 'memref<?x1xi64>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?x1xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op state_slots has rank 2, expected 1}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?x1xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Rank of state_table.
// expected-note @below {{state_table of type 'memref<?xi32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op state_table has rank 1, expected 2}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Rank of token_to_request.
// expected-note @below {{token_to_request of type 'memref<?x1xi32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?x1xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op token_to_request has rank 2, expected 1}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?x1xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Rank of slots.
// expected-note @below {{slots of type 'memref<?x1xi64>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?x1xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op slots has rank 2, expected 1}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?x1xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Rank of state.
// expected-note @below {{state of type 'memref<?x64xf32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op state has rank 2, expected 3}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Rank of cache.
// expected-note @below {{cache of type 'memref<?x32xf32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x32xf32>) {
  // expected-error @below {{'prefill.compress' op cache has rank 2, expected 3}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x32xf32>
  return
}

// -----

// Rank of positions.
// expected-note @below {{positions of type 'memref<?x1xi64>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?x1xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op positions has rank 2, expected 1}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?x1xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Rank of table.
// expected-note @below {{table of type 'memref<8xf32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op table has rank 1, expected 2}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Element type of kv_score.
// expected-note @below {{kv_score of type 'memref<?x64xbf16>' comes from here}}
func.func @invalid(%kv: memref<?x64xbf16>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op kv_score has element type 'bf16', expected 'f32'}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xbf16>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Element type of bias.
// expected-note @below {{bias of type 'memref<8x32xbf16>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xbf16>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op bias has element type 'bf16', expected 'f32'}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xbf16>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Element type of weight.
// expected-note @below {{weight of type 'memref<32xf16>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf16>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op weight has element type 'f16', expected 'f32' or 'bf16'}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf16>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Element type of state_slots.
// expected-note @below {{state_slots of type 'memref<?xi32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi32>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op state_slots has element type 'i32', expected 'i64'}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi32>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Element type of state_table.
// expected-note @below {{state_table of type 'memref<?x?xi64>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi64>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op state_table has element type 'i64', expected 'i32'}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi64>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Element type of token_to_request.
// expected-note @below {{token_to_request of type 'memref<?xi64>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi64>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op token_to_request has element type 'i64', expected 'i32'}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi64>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Element type of slots.
// expected-note @below {{slots of type 'memref<?xi32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi32>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op slots has element type 'i32', expected 'i64'}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi32> -> memref<?x?x32xf32>
  return
}

// -----

// Element type of state.
// expected-note @below {{state of type 'memref<?x?x64xbf16>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xbf16>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op state has element type 'bf16', expected 'f32'}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xbf16>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Element type of cache.
// expected-note @below {{cache of type 'memref<?x?x32xf16>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf16>) {
  // expected-error @below {{'prefill.compress' op cache has element type 'f16', expected 'f32' or 'bf16'}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf16>
  return
}

// -----

// Element type of positions.
// expected-note @below {{positions of type 'memref<?xi32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi32>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op positions has element type 'i32', expected 'i64'}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi32>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Element type of table.
// expected-note @below {{table of type 'memref<?x8xbf16>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xbf16>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op table has element type 'bf16', expected 'f32'}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xbf16>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Each token has an entry in state_slots.
// expected-note @below {{state_slots of type 'memref<4xi64>' comes from here}}
// expected-note @below {{kv_score of type 'memref<5x64xf32>' comes from here}}
func.func @invalid(%kv: memref<5x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<4xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op dimension 0 of state_slots is 4, expected 5 as dimension 0 of kv_score}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<5x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<4xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Each token has an entry in token_to_request.
// expected-note @below {{token_to_request of type 'memref<4xi32>' comes from here}}
// expected-note @below {{kv_score of type 'memref<5x64xf32>' comes from here}}
func.func @invalid(%kv: memref<5x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<4xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op dimension 0 of token_to_request is 4, expected 5 as dimension 0 of kv_score}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<5x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<4xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Each token has an entry in slots.
// expected-note @below {{slots of type 'memref<4xi64>' comes from here}}
// expected-note @below {{kv_score of type 'memref<5x64xf32>' comes from here}}
func.func @invalid(%kv: memref<5x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<4xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op dimension 0 of slots is 4, expected 5 as dimension 0 of kv_score}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<5x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<4xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Each token has an entry in positions.
// expected-note @below {{positions of type 'memref<4xi64>' comes from here}}
// expected-note @below {{kv_score of type 'memref<5x64xf32>' comes from here}}
func.func @invalid(%kv: memref<5x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<4xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op dimension 0 of positions is 4, expected 5 as dimension 0 of kv_score}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<5x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<4xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// The state keeps whole rows of kv_score.
// expected-note @below {{state of type 'memref<?x?x32xf32>' comes from here}}
// expected-note @below {{kv_score of type 'memref<?x64xf32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x32xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op dimension 2 of state is 32, expected 64 as dimension 1 of kv_score}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x32xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// The norm is over the entry.
// expected-note @below {{weight of type 'memref<16xf32>' comes from here}}
// expected-note @below {{cache of type 'memref<?x?x32xf32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<16xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op dimension 2 of cache is 32, expected 16 as dimension 0 of weight}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<16xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// A bias for each position in the window.
// expected-note @below {{bias of type 'memref<4x32xf32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<4x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op dimension 0 of bias is 4, expected 8, the ratio}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<4x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Without overlap the bias has the entry's channels.
// expected-note @below {{bias of type 'memref<8x64xf32>' comes from here}}
// expected-note @below {{weight of type 'memref<32xf32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x64xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op dimension 1 of bias is 64, expected 32, the entry's channels}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x64xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// With overlap it has twice of it.
// expected-note @below {{bias of type 'memref<8x32xf32>' comes from here}}
// expected-note @below {{weight of type 'memref<32xf32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op dimension 1 of bias is 32, expected 64, twice the entry's channels, since windows overlap}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, overlap = true, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// kv_score has values and scores.
// expected-note @below {{kv_score of type 'memref<?x32xf32>' comes from here}}
// expected-note @below {{weight of type 'memref<32xf32>' comes from here}}
func.func @invalid(%kv: memref<?x32xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x32xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op dimension 1 of kv_score is 32, expected 64, values and scores of the entry's channels}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x32xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x32xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// With overlap, twice of both.
// expected-note @below {{kv_score of type 'memref<?x64xf32>' comes from here}}
// expected-note @below {{weight of type 'memref<32xf32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x64xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op dimension 1 of kv_score is 64, expected 128, values and scores of twice the entry's channels, since windows overlap}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, overlap = true, ratio = 8 : i64} : memref<?x64xf32>, memref<8x64xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Channels rotate in pairs.
// expected-note @below {{table of type 'memref<?x7xf32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x7xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op table rotates 7 channels, expected an even number of at most 32}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x7xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// No more channels rotate than an entry has.
// expected-note @below {{table of type 'memref<?x34xf32>' comes from here}}
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x34xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op table rotates 34 channels, expected an even number of at most 32}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x34xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// eps is a small number.
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op eps is 2, expected a number in [0, 1)}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 2.0 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// A window has at least two tokens.
func.func @invalid(%kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %ss: memref<?xi64>, %st: memref<?x?xi32>, %r: memref<?xi32>, %slots: memref<?xi64>, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.compress' op attribute 'ratio' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 2}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %ss through %st of %r) into %cache at %slots {eps = 1.0e-6 : f64, ratio = 1 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}
