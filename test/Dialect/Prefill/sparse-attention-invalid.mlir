// RUN: braid-opt %s --split-input-file --verify-diagnostics

// q has heads.
// expected-note @below {{q of type 'memref<?x64xf32>' comes from here}}
func.func @invalid(%q: memref<?x64xf32>, %w: memref<?x4xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %qo: memref<?x4x16xf32>, %wo: memref<?x4xf32>) {
  // expected-error @below {{'prefill.index_query' op q has rank 2, expected 3}}
  prefill.index_query %q weighted %w at %p with %t into %qo, %wo {scale = 0.125 : f64} : memref<?x64xf32>, memref<?x4xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x4x16xf32>, memref<?x4xf32>
  return
}

// -----

// w has a weight a head.
// expected-note @below {{w of type 'memref<4xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<4xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %qo: memref<?x4x16xf32>, %wo: memref<?x4xf32>) {
  // expected-error @below {{'prefill.index_query' op w has rank 1, expected 2}}
  prefill.index_query %q weighted %w at %p with %t into %qo, %wo {scale = 0.125 : f64} : memref<?x4x16xf32>, memref<4xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x4x16xf32>, memref<?x4xf32>
  return
}

// -----

// q_out has the shape of q.
// expected-note @below {{q_out of type 'memref<?x4x8xf32>' comes from here}}
// expected-note @below {{q of type 'memref<?x4x16xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %qo: memref<?x4x8xf32>, %wo: memref<?x4xf32>) {
  // expected-error @below {{'prefill.index_query' op dimension 2 of q_out is 8, expected 16 as dimension 2 of q}}
  prefill.index_query %q weighted %w at %p with %t into %qo, %wo {scale = 0.125 : f64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x4x8xf32>, memref<?x4xf32>
  return
}

// -----

// w_out has the shape of w.
// expected-note @below {{w_out of type 'memref<?x3xf32>' comes from here}}
// expected-note @below {{w of type 'memref<?x4xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %qo: memref<?x4x16xf32>, %wo: memref<?x3xf32>) {
  // expected-error @below {{'prefill.index_query' op dimension 1 of w_out is 3, expected 4 as dimension 1 of w}}
  prefill.index_query %q weighted %w at %p with %t into %qo, %wo {scale = 0.125 : f64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x4x16xf32>, memref<?x3xf32>
  return
}

// -----

// Element type of q.
// expected-note @below {{q of type 'memref<?x4x16xf16>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf16>, %w: memref<?x4xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %qo: memref<?x4x16xf32>, %wo: memref<?x4xf32>) {
  // expected-error @below {{'prefill.index_query' op q has element type 'f16', expected 'f32' or 'bf16'}}
  prefill.index_query %q weighted %w at %p with %t into %qo, %wo {scale = 0.125 : f64} : memref<?x4x16xf16>, memref<?x4xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x4x16xf32>, memref<?x4xf32>
  return
}

// -----

// Element type of w.
// expected-note @below {{w of type 'memref<?x4xf16>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf16>, %p: memref<?xi64>, %t: memref<?x8xf32>, %qo: memref<?x4x16xf32>, %wo: memref<?x4xf32>) {
  // expected-error @below {{'prefill.index_query' op w has element type 'f16', expected 'f32' or 'bf16'}}
  prefill.index_query %q weighted %w at %p with %t into %qo, %wo {scale = 0.125 : f64} : memref<?x4x16xf32>, memref<?x4xf16>, memref<?xi64>, memref<?x8xf32> -> memref<?x4x16xf32>, memref<?x4xf32>
  return
}

// -----

// Element type of q_out.
// expected-note @below {{q_out of type 'memref<?x4x16xf16>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %qo: memref<?x4x16xf16>, %wo: memref<?x4xf32>) {
  // expected-error @below {{'prefill.index_query' op q_out has element type 'f16', expected 'f32' or 'bf16' or 'f8E4M3FN'}}
  prefill.index_query %q weighted %w at %p with %t into %qo, %wo {scale = 0.125 : f64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x4x16xf16>, memref<?x4xf32>
  return
}

// -----

// Element type of w_out.
// expected-note @below {{w_out of type 'memref<?x4xbf16>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %qo: memref<?x4x16xf32>, %wo: memref<?x4xbf16>) {
  // expected-error @below {{'prefill.index_query' op w_out has element type 'bf16', expected 'f32'}}
  prefill.index_query %q weighted %w at %p with %t into %qo, %wo {scale = 0.125 : f64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x4x16xf32>, memref<?x4xbf16>
  return
}

// -----

// w has the rows of q.
// expected-note @below {{w of type 'memref<4x4xf32>' comes from here}}
// expected-note @below {{q of type 'memref<5x4x16xf32>' comes from here}}
func.func @invalid(%q: memref<5x4x16xf32>, %w: memref<4x4xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %qo: memref<5x4x16xf32>, %wo: memref<4x4xf32>) {
  // expected-error @below {{'prefill.index_query' op dimension 0 of w is 4, expected 5 as dimension 0 of q}}
  prefill.index_query %q weighted %w at %p with %t into %qo, %wo {scale = 0.125 : f64} : memref<5x4x16xf32>, memref<4x4xf32>, memref<?xi64>, memref<?x8xf32> -> memref<5x4x16xf32>, memref<4x4xf32>
  return
}

// -----

// w has the heads of q.
// expected-note @below {{w of type 'memref<?x3xf32>' comes from here}}
// expected-note @below {{q of type 'memref<?x4x16xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x3xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %qo: memref<?x4x16xf32>, %wo: memref<?x3xf32>) {
  // expected-error @below {{'prefill.index_query' op dimension 1 of w is 3, expected 4 as dimension 1 of q}}
  prefill.index_query %q weighted %w at %p with %t into %qo, %wo {scale = 0.125 : f64} : memref<?x4x16xf32>, memref<?x3xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x4x16xf32>, memref<?x3xf32>
  return
}

// -----

// The rotation is checked as by rope.
// expected-note @below {{table of type 'memref<?x18xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %p: memref<?xi64>, %t: memref<?x18xf32>, %qo: memref<?x4x16xf32>, %wo: memref<?x4xf32>) {
  // expected-error @below {{'prefill.index_query' op table rotates 18 channels, but x has 16}}
  prefill.index_query %q weighted %w at %p with %t into %qo, %wo {scale = 0.125 : f64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?xi64>, memref<?x18xf32> -> memref<?x4x16xf32>, memref<?x4xf32>
  return
}

// -----

// q has heads.
// expected-note @below {{q of type 'memref<?x64xf32>' comes from here}}
func.func @invalid(%q: memref<?x64xf32>, %w: memref<?x4xf32>, %c: memref<?x?x16xf32>, %bt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op q has rank 2, expected 3}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x64xf32>, memref<?x4xf32>, memref<?x?x16xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x3xi32>
  return
}

// -----

// w has a weight a head.
// expected-note @below {{w of type 'memref<4xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<4xf32>, %c: memref<?x?x16xf32>, %bt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op w has rank 1, expected 2}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf32>, memref<4xf32>, memref<?x?x16xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x3xi32>
  return
}

// -----

// Entries are chosen by token.
// expected-note @below {{selected of type 'memref<?xi32>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %c: memref<?x?x16xf32>, %bt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %s: memref<?xi32>) {
  // expected-error @below {{'prefill.index_select' op selected has rank 1, expected 2}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?x?x16xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?xi32>
  return
}

// -----

// Element type of q.
// expected-note @below {{q of type 'memref<?x4x16xf16>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf16>, %w: memref<?x4xf32>, %c: memref<?x?x16xf32>, %bt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op q has element type 'f16', expected 'f32' or 'bf16' or 'f8E4M3FN'}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf16>, memref<?x4xf32>, memref<?x?x16xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x3xi32>
  return
}

// -----

// Element type of w.
// expected-note @below {{w of type 'memref<?x4xbf16>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xbf16>, %c: memref<?x?x16xf32>, %bt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op w has element type 'bf16', expected 'f32'}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf32>, memref<?x4xbf16>, memref<?x?x16xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x3xi32>
  return
}

// -----

// Element type of selected.
// expected-note @below {{selected of type 'memref<?x3xi64>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %c: memref<?x?x16xf32>, %bt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %s: memref<?x3xi64>) {
  // expected-error @below {{'prefill.index_select' op selected has element type 'i64', expected 'i32'}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?x?x16xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x3xi64>
  return
}

// -----

// w has the rows of q.
// expected-note @below {{w of type 'memref<4x4xf32>' comes from here}}
// expected-note @below {{q of type 'memref<5x4x16xf32>' comes from here}}
func.func @invalid(%q: memref<5x4x16xf32>, %w: memref<4x4xf32>, %c: memref<?x?x16xf32>, %bt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op dimension 0 of w is 4, expected 5 as dimension 0 of q}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<5x4x16xf32>, memref<4x4xf32>, memref<?x?x16xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x3xi32>
  return
}

// -----

// w has the heads of q.
// expected-note @below {{w of type 'memref<?x3xf32>' comes from here}}
// expected-note @below {{q of type 'memref<?x4x16xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x3xf32>, %c: memref<?x?x16xf32>, %bt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op dimension 1 of w is 3, expected 4 as dimension 1 of q}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf32>, memref<?x3xf32>, memref<?x?x16xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x3xi32>
  return
}

// -----

// selected has the rows of q.
// expected-note @below {{selected of type 'memref<4x3xi32>' comes from here}}
// expected-note @below {{q of type 'memref<5x4x16xf32>' comes from here}}
func.func @invalid(%q: memref<5x4x16xf32>, %w: memref<?x4xf32>, %c: memref<?x?x16xf32>, %bt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %s: memref<4x3xi32>) {
  // expected-error @below {{'prefill.index_select' op dimension 0 of selected is 4, expected 5 as dimension 0 of q}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<5x4x16xf32>, memref<?x4xf32>, memref<?x?x16xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<4x3xi32>
  return
}

// -----

// Offsets are a vector.
// expected-note @below {{query_offsets of type 'memref<3x1xi32>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %c: memref<?x?x16xf32>, %bt: memref<2x?xi32>, %qo: memref<3x1xi32>, %sl: memref<2xi32>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op query_offsets has rank 2, expected 1}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?x?x16xf32>, memref<2x?xi32>, memref<3x1xi32>, memref<2xi32> -> memref<?x3xi32>
  return
}

// -----

// Lengths are a vector.
// expected-note @below {{sequence_lengths of type 'memref<2x1xi32>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %c: memref<?x?x16xf32>, %bt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2x1xi32>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op sequence_lengths has rank 2, expected 1}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?x?x16xf32>, memref<2x?xi32>, memref<3xi32>, memref<2x1xi32> -> memref<?x3xi32>
  return
}

// -----

// Offsets are i32.
// expected-note @below {{query_offsets of type 'memref<3xi64>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %c: memref<?x?x16xf32>, %bt: memref<2x?xi32>, %qo: memref<3xi64>, %sl: memref<2xi32>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op query_offsets has element type 'i64', expected 'i32'}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?x?x16xf32>, memref<2x?xi32>, memref<3xi64>, memref<2xi32> -> memref<?x3xi32>
  return
}

// -----

// Lengths are i32.
// expected-note @below {{sequence_lengths of type 'memref<2xi64>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %c: memref<?x?x16xf32>, %bt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi64>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op sequence_lengths has element type 'i64', expected 'i32'}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?x?x16xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi64> -> memref<?x3xi32>
  return
}

// -----

// One more offset than requests.
// expected-note @below {{query_offsets of type 'memref<2xi32>' comes from here}}
// expected-note @below {{sequence_lengths of type 'memref<2xi32>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %c: memref<?x?x16xf32>, %bt: memref<2x?xi32>, %qo: memref<2xi32>, %sl: memref<2xi32>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op dimension 0 of query_offsets is 2, expected 3, one more than the sequence lengths}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?x?x16xf32>, memref<2x?xi32>, memref<2xi32>, memref<2xi32> -> memref<?x3xi32>
  return
}

// -----

// Caches are paged.
// expected-note @below {{cache of type 'memref<?x16xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %c: memref<?x16xf32>, %bt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op cache has rank 2, expected 3}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?x16xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x3xi32>
  return
}

// -----

// Block tables are matrices.
// expected-note @below {{block_table of type 'memref<?xi32>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %c: memref<?x?x16xf32>, %bt: memref<?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op block_table has rank 1, expected 2}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?x?x16xf32>, memref<?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x3xi32>
  return
}

// -----

// Block tables are i32.
// expected-note @below {{block_table of type 'memref<2x?xi64>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %c: memref<?x?x16xf32>, %bt: memref<2x?xi64>, %qo: memref<3xi32>, %sl: memref<2xi32>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op block_table has element type 'i64', expected 'i32'}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?x?x16xf32>, memref<2x?xi64>, memref<3xi32>, memref<2xi32> -> memref<?x3xi32>
  return
}

// -----

// Keys have the channels of q.
// expected-note @below {{cache of type 'memref<?x?x8xf32>' comes from here}}
// expected-note @below {{q of type 'memref<?x4x16xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %c: memref<?x?x8xf32>, %bt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op dimension 2 of cache is 8, expected 16 as dimension 2 of q}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?x?x8xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x3xi32>
  return
}

// -----

// A row of the block table for each request.
// expected-note @below {{block_table of type 'memref<3x?xi32>' comes from here}}
// expected-note @below {{sequence_lengths of type 'memref<2xi32>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %c: memref<?x?x16xf32>, %bt: memref<3x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op dimension 0 of block_table is 3, expected 2 as dimension 0 of sequence_lengths}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?x?x16xf32>, memref<3x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x3xi32>
  return
}

// -----

// Keys have the type of q.
// expected-note @below {{cache of type 'memref<?x?x16xbf16>' comes from here}}
// expected-note @below {{q of type 'memref<?x4x16xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %c: memref<?x?x16xbf16>, %bt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op cache has element type 'bf16', expected 'f32' as q}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?x?x16xbf16>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x3xi32>
  return
}

// -----

// An entry has tokens.
func.func @invalid(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %c: memref<?x?x16xf32>, %bt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %s: memref<?x3xi32>) {
  // expected-error @below {{'prefill.index_select' op attribute 'ratio' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 0 : i64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?x?x16xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x3xi32>
  return
}

// -----

// q has heads.
// expected-note @below {{q of type 'memref<?x128xf32>' comes from here}}
func.func @invalid(%q: memref<?x128xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>) {
  // expected-error @below {{'prefill.attend' op q has rank 2, expected 3}}
  prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x128xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// y has the rank of q.
// expected-note @below {{y of type 'memref<?x128xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x128xf32>) {
  // expected-error @below {{'prefill.attend' op y has rank 2, expected 3}}
  prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x128xf32>
  return
}

// -----

// y has the shape of q.
// expected-note @below {{y of type 'memref<?x2x32xf32>' comes from here}}
// expected-note @below {{q of type 'memref<?x4x32xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x2x32xf32>) {
  // expected-error @below {{'prefill.attend' op dimension 1 of y is 2, expected 4 as dimension 1 of q}}
  prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x2x32xf32>
  return
}

// -----

// A sink for each head.
// expected-note @below {{sink of type 'memref<4x1xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4x1xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>) {
  // expected-error @below {{'prefill.attend' op sink has rank 2, expected 1}}
  prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4x1xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// Element type of q.
// expected-note @below {{q of type 'memref<?x4x32xf16>' comes from here}}
func.func @invalid(%q: memref<?x4x32xf16>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>) {
  // expected-error @below {{'prefill.attend' op q has element type 'f16', expected 'f32' or 'bf16'}}
  prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf16>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// y has the type of q.
// expected-note @below {{y of type 'memref<?x4x32xbf16>' comes from here}}
// expected-note @below {{q of type 'memref<?x4x32xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xbf16>) {
  // expected-error @below {{'prefill.attend' op y has element type 'bf16', expected 'f32' as q}}
  prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xbf16>
  return
}

// -----

// Sinks are f32.
// expected-note @below {{sink of type 'memref<4xbf16>' comes from here}}
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xbf16>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>) {
  // expected-error @below {{'prefill.attend' op sink has element type 'bf16', expected 'f32'}}
  prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xbf16>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// As many sinks as heads.
// expected-note @below {{sink of type 'memref<3xf32>' comes from here}}
// expected-note @below {{q of type 'memref<?x4x32xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<3xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>) {
  // expected-error @below {{'prefill.attend' op dimension 0 of sink is 3, expected 4 as dimension 1 of q}}
  prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<3xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// Requests are checked as by index_select.
// expected-note @below {{query_offsets of type 'memref<2xi32>' comes from here}}
// expected-note @below {{sequence_lengths of type 'memref<2xi32>' comes from here}}
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<2xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>) {
  // expected-error @below {{'prefill.attend' op dimension 0 of query_offsets is 2, expected 3, one more than the sequence lengths}}
  prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<2xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// The window cache is paged.
// expected-note @below {{window_cache of type 'memref<?x32xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>) {
  // expected-error @below {{'prefill.attend' op window_cache has rank 2, expected 3}}
  prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// Its rows have the channels of q.
// expected-note @below {{window_cache of type 'memref<?x?x16xf32>' comes from here}}
// expected-note @below {{q of type 'memref<?x4x32xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x16xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>) {
  // expected-error @below {{'prefill.attend' op dimension 2 of window_cache is 16, expected 32 as dimension 2 of q}}
  prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x?x16xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// Its block table has a row for each request.
// expected-note @below {{window_table of type 'memref<3x?xi32>' comes from here}}
// expected-note @below {{sequence_lengths of type 'memref<2xi32>' comes from here}}
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<3x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>) {
  // expected-error @below {{'prefill.attend' op dimension 0 of window_table is 3, expected 2 as dimension 0 of sequence_lengths}}
  prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<3x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// Its rows have the type of q.
// expected-note @below {{window_cache of type 'memref<?x?x32xbf16>' comes from here}}
// expected-note @below {{q of type 'memref<?x4x32xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xbf16>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>) {
  // expected-error @below {{'prefill.attend' op window_cache has element type 'bf16', expected 'f32' as q}}
  prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x?x32xbf16>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// A ratio belongs to a compressed cache.
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>) {
  // expected-error @below {{'prefill.attend' op ratio is 4, expected 0, as there is no compressed cache}}
  prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = 4 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// The window is not empty.
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>) {
  // expected-error @below {{'prefill.attend' op attribute 'window' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 0 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// A ratio is not negative.
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>) {
  // expected-error @below {{'prefill.attend' op attribute 'ratio' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  prefill.attend %q sink %sink window(%wc through %wt) requests(%qo, %sl) into %y {ratio = -4 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// Selected entries need a cache to be in.
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>, %sel: memref<?x3xi32>) {
  // expected-error @below {{'prefill.attend' op has selected entries but no compressed cache}}
  prefill.attend %q sink %sink window(%wc through %wt) selected(%sel : memref<?x3xi32>) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// A compressed cache needs a ratio.
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>, %cc: memref<?x?x32xf32>, %ct: memref<2x?xi32>, %sel: memref<?x3xi32>) {
  // expected-error @below {{'prefill.attend' op ratio is 0, expected a positive number, as there is a compressed cache}}
  prefill.attend %q sink %sink window(%wc through %wt) compressed(%cc through %ct : memref<?x?x32xf32>, memref<2x?xi32>) selected(%sel : memref<?x3xi32>) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// A cache without its block table (generic form only).
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>, %cc: memref<?x?x32xf32>) {
  // expected-error @below {{'prefill.attend' op has one of a compressed cache and its block table; expected both or none}}
  "prefill.attend"(%q, %sink, %wc, %wt, %cc, %qo, %sl, %y) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1, 1, 1>, ratio = 4 : i64, scale = 0.5 : f64, window = 8 : i64}> : (memref<?x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<?x?x32xf32>, memref<3xi32>, memref<2xi32>, memref<?x4x32xf32>) -> ()
  return
}

// -----

// The compressed cache is checked as the window.
// expected-note @below {{compressed_cache of type 'memref<?x?x16xf32>' comes from here}}
// expected-note @below {{q of type 'memref<?x4x32xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>, %cc: memref<?x?x16xf32>, %ct: memref<2x?xi32>, %sel: memref<?x3xi32>) {
  // expected-error @below {{'prefill.attend' op dimension 2 of compressed_cache is 16, expected 32 as dimension 2 of q}}
  prefill.attend %q sink %sink window(%wc through %wt) compressed(%cc through %ct : memref<?x?x16xf32>, memref<2x?xi32>) selected(%sel : memref<?x3xi32>) requests(%qo, %sl) into %y {ratio = 4 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// So is its block table.
// expected-note @below {{compressed_table of type 'memref<3x?xi32>' comes from here}}
// expected-note @below {{sequence_lengths of type 'memref<2xi32>' comes from here}}
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>, %cc: memref<?x?x32xf32>, %ct: memref<3x?xi32>, %sel: memref<?x3xi32>) {
  // expected-error @below {{'prefill.attend' op dimension 0 of compressed_table is 3, expected 2 as dimension 0 of sequence_lengths}}
  prefill.attend %q sink %sink window(%wc through %wt) compressed(%cc through %ct : memref<?x?x32xf32>, memref<3x?xi32>) selected(%sel : memref<?x3xi32>) requests(%qo, %sl) into %y {ratio = 4 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// So is its type.
// expected-note @below {{compressed_cache of type 'memref<?x?x32xbf16>' comes from here}}
// expected-note @below {{q of type 'memref<?x4x32xf32>' comes from here}}
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>, %cc: memref<?x?x32xbf16>, %ct: memref<2x?xi32>, %sel: memref<?x3xi32>) {
  // expected-error @below {{'prefill.attend' op compressed_cache has element type 'bf16', expected 'f32' as q}}
  prefill.attend %q sink %sink window(%wc through %wt) compressed(%cc through %ct : memref<?x?x32xbf16>, memref<2x?xi32>) selected(%sel : memref<?x3xi32>) requests(%qo, %sl) into %y {ratio = 4 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// Entries are selected by token.
// expected-note @below {{selected of type 'memref<?xi32>' comes from here}}
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>, %cc: memref<?x?x32xf32>, %ct: memref<2x?xi32>, %sel: memref<?xi32>) {
  // expected-error @below {{'prefill.attend' op selected has rank 1, expected 2}}
  prefill.attend %q sink %sink window(%wc through %wt) compressed(%cc through %ct : memref<?x?x32xf32>, memref<2x?xi32>) selected(%sel : memref<?xi32>) requests(%qo, %sl) into %y {ratio = 4 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// Entries are i32.
// expected-note @below {{selected of type 'memref<?x3xi64>' comes from here}}
func.func @invalid(%q: memref<?x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<?x4x32xf32>, %cc: memref<?x?x32xf32>, %ct: memref<2x?xi32>, %sel: memref<?x3xi64>) {
  // expected-error @below {{'prefill.attend' op selected has element type 'i64', expected 'i32'}}
  prefill.attend %q sink %sink window(%wc through %wt) compressed(%cc through %ct : memref<?x?x32xf32>, memref<2x?xi32>) selected(%sel : memref<?x3xi64>) requests(%qo, %sl) into %y {ratio = 4 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<?x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<?x4x32xf32>
  return
}

// -----

// Each token has its entries.
// expected-note @below {{selected of type 'memref<4x3xi32>' comes from here}}
// expected-note @below {{q of type 'memref<5x4x32xf32>' comes from here}}
func.func @invalid(%q: memref<5x4x32xf32>, %sink: memref<4xf32>, %wc: memref<?x?x32xf32>, %wt: memref<2x?xi32>, %qo: memref<3xi32>, %sl: memref<2xi32>, %y: memref<5x4x32xf32>, %cc: memref<?x?x32xf32>, %ct: memref<2x?xi32>, %sel: memref<4x3xi32>) {
  // expected-error @below {{'prefill.attend' op dimension 0 of selected is 4, expected 5 as dimension 0 of q}}
  prefill.attend %q sink %sink window(%wc through %wt) compressed(%cc through %ct : memref<?x?x32xf32>, memref<2x?xi32>) selected(%sel : memref<4x3xi32>) requests(%qo, %sl) into %y {ratio = 4 : i64, scale = 0.5 : f64, window = 8 : i64} : memref<5x4x32xf32>, memref<4xf32>, memref<?x?x32xf32>, memref<2x?xi32>, memref<3xi32>, memref<2xi32> -> memref<5x4x32xf32>
  return
}
