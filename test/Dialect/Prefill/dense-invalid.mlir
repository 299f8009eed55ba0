// RUN: braid-opt %s --split-input-file --verify-diagnostics

// x has to be a matrix.
// expected-note @below {{x of type 'memref<?x2x64xf32>' comes from here}}
func.func @invalid(%x: memref<?x2x64xf32>, %w: memref<24x64xf32>, %y: memref<?x24xf32>) {
  // expected-error @below {{'prefill.linear' op x has rank 3, expected 2}}
  prefill.linear %x by %w into %y : memref<?x2x64xf32>, memref<24x64xf32> -> memref<?x24xf32>
  return
}

// -----

// So has the weight.
// expected-note @below {{weight of type 'memref<64xf32>' comes from here}}
func.func @invalid(%x: memref<?x64xf32>, %w: memref<64xf32>, %y: memref<?x24xf32>) {
  // expected-error @below {{'prefill.linear' op weight has rank 1, expected 2}}
  prefill.linear %x by %w into %y : memref<?x64xf32>, memref<64xf32> -> memref<?x24xf32>
  return
}

// -----

// So has y.
// expected-note @below {{y of type 'memref<24xf32>' comes from here}}
func.func @invalid(%x: memref<?x64xf32>, %w: memref<24x64xf32>, %y: memref<24xf32>) {
  // expected-error @below {{'prefill.linear' op y has rank 1, expected 2}}
  prefill.linear %x by %w into %y : memref<?x64xf32>, memref<24x64xf32> -> memref<24xf32>
  return
}

// -----

// Both sides reduce over the same channels.
// expected-note @below {{weight of type 'memref<24x63xf32>' comes from here}}
// expected-note @below {{x of type 'memref<?x64xf32>' comes from here}}
func.func @invalid(%x: memref<?x64xf32>, %w: memref<24x63xf32>, %y: memref<?x24xf32>) {
  // expected-error @below {{'prefill.linear' op dimension 1 of weight is 63, expected 64 as dimension 1 of x}}
  prefill.linear %x by %w into %y : memref<?x64xf32>, memref<24x63xf32> -> memref<?x24xf32>
  return
}

// -----

// y has the rows of x.
// expected-note @below {{y of type 'memref<6x24xf32>' comes from here}}
// expected-note @below {{x of type 'memref<5x64xf32>' comes from here}}
func.func @invalid(%x: memref<5x64xf32>, %w: memref<24x64xf32>, %y: memref<6x24xf32>) {
  // expected-error @below {{'prefill.linear' op dimension 0 of y is 6, expected 5 as dimension 0 of x}}
  prefill.linear %x by %w into %y : memref<5x64xf32>, memref<24x64xf32> -> memref<6x24xf32>
  return
}

// -----

// y has a column for each row of the weight.
// expected-note @below {{y of type 'memref<?x25xf32>' comes from here}}
// expected-note @below {{weight of type 'memref<24x64xf32>' comes from here}}
func.func @invalid(%x: memref<?x64xf32>, %w: memref<24x64xf32>, %y: memref<?x25xf32>) {
  // expected-error @below {{'prefill.linear' op dimension 1 of y is 25, expected 24 as dimension 0 of weight}}
  prefill.linear %x by %w into %y : memref<?x64xf32>, memref<24x64xf32> -> memref<?x25xf32>
  return
}

// -----

// No kernel takes f16.
// expected-note @below {{x of type 'memref<?x64xf16>' comes from here}}
func.func @invalid(%x: memref<?x64xf16>, %w: memref<24x64xf32>, %y: memref<?x24xf32>) {
  // expected-error @below {{'prefill.linear' op x has element type 'f16', expected 'f32' or 'bf16' or 'f8E4M3FN'}}
  prefill.linear %x by %w into %y : memref<?x64xf16>, memref<24x64xf32> -> memref<?x24xf32>
  return
}

// -----

// Mixed element types are refused.
// expected-note @below {{weight of type 'memref<24x64xbf16>' comes from here}}
// expected-note @below {{x of type 'memref<?x64xf32>' comes from here}}
func.func @invalid(%x: memref<?x64xf32>, %w: memref<24x64xbf16>, %y: memref<?x24xf32>) {
  // expected-error @below {{'prefill.linear' op weight has element type 'bf16', expected 'f32' as x}}
  prefill.linear %x by %w into %y : memref<?x64xf32>, memref<24x64xbf16> -> memref<?x24xf32>
  return
}

// -----

// f32 goes into f32.
// expected-note @below {{y of type 'memref<?x24xbf16>' comes from here}}
func.func @invalid(%x: memref<?x64xf32>, %w: memref<24x64xf32>, %y: memref<?x24xbf16>) {
  // expected-error @below {{'prefill.linear' op y has element type 'bf16', expected 'f32'}}
  prefill.linear %x by %w into %y : memref<?x64xf32>, memref<24x64xf32> -> memref<?x24xbf16>
  return
}

// -----

// bf16 goes into bf16 or f32.
// expected-note @below {{y of type 'memref<?x24xf16>' comes from here}}
func.func @invalid(%x: memref<?x64xbf16>, %w: memref<24x64xbf16>, %y: memref<?x24xf16>) {
  // expected-error @below {{'prefill.linear' op y has element type 'f16', expected 'bf16' or 'f32'}}
  prefill.linear %x by %w into %y : memref<?x64xbf16>, memref<24x64xbf16> -> memref<?x24xf16>
  return
}

// -----

// fp8 needs scales.
// expected-note @below {{x of type 'memref<?x64xf8E4M3FN>' comes from here}}
func.func @invalid(%x: memref<?x64xf8E4M3FN>, %w: memref<24x64xf8E4M3FN>, %y: memref<?x24xf32>) {
  // expected-error @below {{'prefill.linear' op x is f8E4M3FN, but there are no scales}}
  prefill.linear %x by %w into %y : memref<?x64xf8E4M3FN>, memref<24x64xf8E4M3FN> -> memref<?x24xf32>
  return
}

// -----

// Other element types have none.
// expected-note @below {{x of type 'memref<?x300xbf16>' comes from here}}
func.func @invalid(%x: memref<?x300xbf16>, %w: memref<200x300xbf16>, %sx: memref<?x3xf32>, %sw: memref<2x3xf32>, %y: memref<?x200xf32>) {
  // expected-error @below {{'prefill.linear' op has scales, but x is not f8E4M3FN}}
  prefill.linear %x by %w scaled(%sx, %sw : memref<?x3xf32>, memref<2x3xf32>) into %y : memref<?x300xbf16>, memref<200x300xbf16> -> memref<?x200xf32>
  return
}

// -----

// One scale without the other (generic form only).
func.func @invalid(%x: memref<?x300xf8E4M3FN>, %w: memref<200x300xf8E4M3FN>, %sx: memref<?x3xf32>, %y: memref<?x200xf32>) {
  // expected-error @below {{'prefill.linear' op has one scale; expected scales for both x and weight, or none}}
  "prefill.linear"(%x, %w, %sx, %y) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>}> : (memref<?x300xf8E4M3FN>, memref<200x300xf8E4M3FN>, memref<?x3xf32>, memref<?x200xf32>) -> ()
  return
}

// -----

// Scales of x are f32.
// expected-note @below {{x_scale of type 'memref<?x3xbf16>' comes from here}}
func.func @invalid(%x: memref<?x300xf8E4M3FN>, %w: memref<200x300xf8E4M3FN>, %sx: memref<?x3xbf16>, %sw: memref<2x3xf32>, %y: memref<?x200xf32>) {
  // expected-error @below {{'prefill.linear' op x_scale has element type 'bf16', expected 'f32'}}
  prefill.linear %x by %w scaled(%sx, %sw : memref<?x3xbf16>, memref<2x3xf32>) into %y : memref<?x300xf8E4M3FN>, memref<200x300xf8E4M3FN> -> memref<?x200xf32>
  return
}

// -----

// Scales of the weight are f32 or powers of two.
// expected-note @below {{weight_scale of type 'memref<2x3xbf16>' comes from here}}
func.func @invalid(%x: memref<?x300xf8E4M3FN>, %w: memref<200x300xf8E4M3FN>, %sx: memref<?x3xf32>, %sw: memref<2x3xbf16>, %y: memref<?x200xf32>) {
  // expected-error @below {{'prefill.linear' op weight_scale has element type 'bf16', expected 'f32' or 'f8E8M0FNU'}}
  prefill.linear %x by %w scaled(%sx, %sw : memref<?x3xf32>, memref<2x3xbf16>) into %y : memref<?x300xf8E4M3FN>, memref<200x300xf8E4M3FN> -> memref<?x200xf32>
  return
}

// -----

// Scales are per tensor or per block.
// expected-note @below {{x_scale of type 'memref<?x3x1xf32>' comes from here}}
func.func @invalid(%x: memref<?x300xf8E4M3FN>, %w: memref<200x300xf8E4M3FN>, %sx: memref<?x3x1xf32>, %sw: memref<2x3xf32>, %y: memref<?x200xf32>) {
  // expected-error @below {{'prefill.linear' op x_scale has rank 3, expected 1 or 2}}
  prefill.linear %x by %w scaled(%sx, %sw : memref<?x3x1xf32>, memref<2x3xf32>) into %y : memref<?x300xf8E4M3FN>, memref<200x300xf8E4M3FN> -> memref<?x200xf32>
  return
}

// -----

// The same for the weight.
// expected-note @below {{weight_scale of type 'memref<2x3x1xf32>' comes from here}}
func.func @invalid(%x: memref<?x300xf8E4M3FN>, %w: memref<200x300xf8E4M3FN>, %sx: memref<?x3xf32>, %sw: memref<2x3x1xf32>, %y: memref<?x200xf32>) {
  // expected-error @below {{'prefill.linear' op weight_scale has rank 3, expected 1 or 2}}
  prefill.linear %x by %w scaled(%sx, %sw : memref<?x3xf32>, memref<2x3x1xf32>) into %y : memref<?x300xf8E4M3FN>, memref<200x300xf8E4M3FN> -> memref<?x200xf32>
  return
}

// -----

// One scale per tensor is one scale.
// expected-note @below {{x_scale of type 'memref<3xf32>' comes from here}}
func.func @invalid(%x: memref<?x300xf8E4M3FN>, %w: memref<200x300xf8E4M3FN>, %sx: memref<3xf32>, %sw: memref<2x3xf32>, %y: memref<?x200xf32>) {
  // expected-error @below {{'prefill.linear' op dimension 0 of x_scale is 3, expected 1, one scale per tensor}}
  prefill.linear %x by %w scaled(%sx, %sw : memref<3xf32>, memref<2x3xf32>) into %y : memref<?x300xf8E4M3FN>, memref<200x300xf8E4M3FN> -> memref<?x200xf32>
  return
}

// -----

// The same for the weight.
// expected-note @below {{weight_scale of type 'memref<2xf32>' comes from here}}
func.func @invalid(%x: memref<?x300xf8E4M3FN>, %w: memref<200x300xf8E4M3FN>, %sx: memref<?x3xf32>, %sw: memref<2xf32>, %y: memref<?x200xf32>) {
  // expected-error @below {{'prefill.linear' op dimension 0 of weight_scale is 2, expected 1, one scale per tensor}}
  prefill.linear %x by %w scaled(%sx, %sw : memref<?x3xf32>, memref<2xf32>) into %y : memref<?x300xf8E4M3FN>, memref<200x300xf8E4M3FN> -> memref<?x200xf32>
  return
}

// -----

// Scales of x have its rows.
// expected-note @below {{x_scale of type 'memref<6x3xf32>' comes from here}}
// expected-note @below {{x of type 'memref<5x300xf8E4M3FN>' comes from here}}
func.func @invalid(%x: memref<5x300xf8E4M3FN>, %w: memref<200x300xf8E4M3FN>, %sx: memref<6x3xf32>, %sw: memref<2x3xf32>, %y: memref<5x200xf32>) {
  // expected-error @below {{'prefill.linear' op dimension 0 of x_scale is 6, expected 5 as dimension 0 of x}}
  prefill.linear %x by %w scaled(%sx, %sw : memref<6x3xf32>, memref<2x3xf32>) into %y : memref<5x300xf8E4M3FN>, memref<200x300xf8E4M3FN> -> memref<5x200xf32>
  return
}

// -----

// Blocks of x are rounded up.
// expected-note @below {{x_scale of type 'memref<?x2xf32>' comes from here}}
// expected-note @below {{x of type 'memref<?x300xf8E4M3FN>' comes from here}}
func.func @invalid(%x: memref<?x300xf8E4M3FN>, %w: memref<200x300xf8E4M3FN>, %sx: memref<?x2xf32>, %sw: memref<2x3xf32>, %y: memref<?x200xf32>) {
  // expected-error @below {{'prefill.linear' op dimension 1 of x_scale is 2, expected 3, one scale for each 128 channels of x}}
  prefill.linear %x by %w scaled(%sx, %sw : memref<?x2xf32>, memref<2x3xf32>) into %y : memref<?x300xf8E4M3FN>, memref<200x300xf8E4M3FN> -> memref<?x200xf32>
  return
}

// -----

// Blocks of weight rows are rounded up.
// expected-note @below {{weight_scale of type 'memref<1x3xf32>' comes from here}}
// expected-note @below {{weight of type 'memref<200x300xf8E4M3FN>' comes from here}}
func.func @invalid(%x: memref<?x300xf8E4M3FN>, %w: memref<200x300xf8E4M3FN>, %sx: memref<?x3xf32>, %sw: memref<1x3xf32>, %y: memref<?x200xf32>) {
  // expected-error @below {{'prefill.linear' op dimension 0 of weight_scale is 1, expected 2, one scale for each block of 128 x 128 weights}}
  prefill.linear %x by %w scaled(%sx, %sw : memref<?x3xf32>, memref<1x3xf32>) into %y : memref<?x300xf8E4M3FN>, memref<200x300xf8E4M3FN> -> memref<?x200xf32>
  return
}

// -----

// Blocks of weight columns too.
// expected-note @below {{weight_scale of type 'memref<2x4xf32>' comes from here}}
// expected-note @below {{weight of type 'memref<200x300xf8E4M3FN>' comes from here}}
func.func @invalid(%x: memref<?x300xf8E4M3FN>, %w: memref<200x300xf8E4M3FN>, %sx: memref<?x3xf32>, %sw: memref<2x4xf32>, %y: memref<?x200xf32>) {
  // expected-error @below {{'prefill.linear' op dimension 1 of weight_scale is 4, expected 3, one scale for each block of 128 x 128 weights}}
  prefill.linear %x by %w scaled(%sx, %sw : memref<?x3xf32>, memref<2x4xf32>) into %y : memref<?x300xf8E4M3FN>, memref<200x300xf8E4M3FN> -> memref<?x200xf32>
  return
}

// -----

// x has groups.
// expected-note @below {{x of type 'memref<?x64xf32>' comes from here}}
func.func @invalid(%x: memref<?x64xf32>, %w: memref<32x64xf32>, %y: memref<?x2x16xf32>) {
  // expected-error @below {{'prefill.grouped_linear' op x has rank 2, expected 3}}
  prefill.grouped_linear %x by %w into %y : memref<?x64xf32>, memref<32x64xf32> -> memref<?x2x16xf32>
  return
}

// -----

// The weight is a matrix.
// expected-note @below {{weight of type 'memref<2x16x64xf32>' comes from here}}
func.func @invalid(%x: memref<?x2x64xf32>, %w: memref<2x16x64xf32>, %y: memref<?x2x16xf32>) {
  // expected-error @below {{'prefill.grouped_linear' op weight has rank 3, expected 2}}
  prefill.grouped_linear %x by %w into %y : memref<?x2x64xf32>, memref<2x16x64xf32> -> memref<?x2x16xf32>
  return
}

// -----

// y has groups.
// expected-note @below {{y of type 'memref<?x32xf32>' comes from here}}
func.func @invalid(%x: memref<?x2x64xf32>, %w: memref<32x64xf32>, %y: memref<?x32xf32>) {
  // expected-error @below {{'prefill.grouped_linear' op y has rank 2, expected 3}}
  prefill.grouped_linear %x by %w into %y : memref<?x2x64xf32>, memref<32x64xf32> -> memref<?x32xf32>
  return
}

// -----

// Both sides reduce over the same channels.
// expected-note @below {{weight of type 'memref<32x63xf32>' comes from here}}
// expected-note @below {{x of type 'memref<?x2x64xf32>' comes from here}}
func.func @invalid(%x: memref<?x2x64xf32>, %w: memref<32x63xf32>, %y: memref<?x2x16xf32>) {
  // expected-error @below {{'prefill.grouped_linear' op dimension 1 of weight is 63, expected 64 as dimension 2 of x}}
  prefill.grouped_linear %x by %w into %y : memref<?x2x64xf32>, memref<32x63xf32> -> memref<?x2x16xf32>
  return
}

// -----

// y has the rows of x.
// expected-note @below {{y of type 'memref<6x2x16xf32>' comes from here}}
// expected-note @below {{x of type 'memref<5x2x64xf32>' comes from here}}
func.func @invalid(%x: memref<5x2x64xf32>, %w: memref<32x64xf32>, %y: memref<6x2x16xf32>) {
  // expected-error @below {{'prefill.grouped_linear' op dimension 0 of y is 6, expected 5 as dimension 0 of x}}
  prefill.grouped_linear %x by %w into %y : memref<5x2x64xf32>, memref<32x64xf32> -> memref<6x2x16xf32>
  return
}

// -----

// y has the groups of x.
// expected-note @below {{y of type 'memref<?x4x8xf32>' comes from here}}
// expected-note @below {{x of type 'memref<?x2x64xf32>' comes from here}}
func.func @invalid(%x: memref<?x2x64xf32>, %w: memref<32x64xf32>, %y: memref<?x4x8xf32>) {
  // expected-error @below {{'prefill.grouped_linear' op dimension 1 of y is 4, expected 2 as dimension 1 of x}}
  prefill.grouped_linear %x by %w into %y : memref<?x2x64xf32>, memref<32x64xf32> -> memref<?x4x8xf32>
  return
}

// -----

// The groups' weights lie below each other.
// expected-note @below {{weight of type 'memref<32x64xf32>' comes from here}}
// expected-note @below {{y of type 'memref<?x2x17xf32>' comes from here}}
func.func @invalid(%x: memref<?x2x64xf32>, %w: memref<32x64xf32>, %y: memref<?x2x17xf32>) {
  // expected-error @below {{'prefill.grouped_linear' op dimension 0 of weight is 32, expected 34, groups times rows of y}}
  prefill.grouped_linear %x by %w into %y : memref<?x2x64xf32>, memref<32x64xf32> -> memref<?x2x17xf32>
  return
}

// -----

// Element types are those of linear.
// expected-note @below {{y of type 'memref<?x2x16xbf16>' comes from here}}
func.func @invalid(%x: memref<?x2x64xf32>, %w: memref<32x64xf32>, %y: memref<?x2x16xbf16>) {
  // expected-error @below {{'prefill.grouped_linear' op y has element type 'bf16', expected 'f32'}}
  prefill.grouped_linear %x by %w into %y : memref<?x2x64xf32>, memref<32x64xf32> -> memref<?x2x16xbf16>
  return
}

// -----

// fp8 needs scales.
// expected-note @below {{x of type 'memref<?x2x64xf8E4M3FN>' comes from here}}
func.func @invalid(%x: memref<?x2x64xf8E4M3FN>, %w: memref<32x64xf8E4M3FN>, %y: memref<?x2x16xf32>) {
  // expected-error @below {{'prefill.grouped_linear' op x is f8E4M3FN, but there are no scales}}
  prefill.grouped_linear %x by %w into %y : memref<?x2x64xf8E4M3FN>, memref<32x64xf8E4M3FN> -> memref<?x2x16xf32>
  return
}

// -----

// Block scales of x have its rank.
// expected-note @below {{x_scale of type 'memref<?x2xf32>' comes from here}}
func.func @invalid(%x: memref<?x2x256xf8E4M3FN>, %w: memref<32x256xf8E4M3FN>, %sx: memref<?x2xf32>, %sw: memref<1x2xf32>, %y: memref<?x2x16xf32>) {
  // expected-error @below {{'prefill.grouped_linear' op x_scale has rank 2, expected 1 or 3}}
  prefill.grouped_linear %x by %w scaled(%sx, %sw : memref<?x2xf32>, memref<1x2xf32>) into %y : memref<?x2x256xf8E4M3FN>, memref<32x256xf8E4M3FN> -> memref<?x2x16xf32>
  return
}

// -----

// They have its groups.
// expected-note @below {{x_scale of type 'memref<?x4x2xf32>' comes from here}}
// expected-note @below {{x of type 'memref<?x2x256xf8E4M3FN>' comes from here}}
func.func @invalid(%x: memref<?x2x256xf8E4M3FN>, %w: memref<32x256xf8E4M3FN>, %sx: memref<?x4x2xf32>, %sw: memref<1x2xf32>, %y: memref<?x2x16xf32>) {
  // expected-error @below {{'prefill.grouped_linear' op dimension 1 of x_scale is 4, expected 2 as dimension 1 of x}}
  prefill.grouped_linear %x by %w scaled(%sx, %sw : memref<?x4x2xf32>, memref<1x2xf32>) into %y : memref<?x2x256xf8E4M3FN>, memref<32x256xf8E4M3FN> -> memref<?x2x16xf32>
  return
}

// -----

// A vector has no rows.
// expected-note @below {{x of type 'memref<300xf32>' comes from here}}
func.func @invalid(%x: memref<300xf32>, %v: memref<?x300xf8E4M3FN>, %s: memref<?x3xf32>) {
  // expected-error @below {{'prefill.quantize' op x has rank 1, expected 2 or 3}}
  prefill.quantize %x into %v, %s {block = 128 : i64} : memref<300xf32> -> memref<?x300xf8E4M3FN>, memref<?x3xf32>
  return
}

// -----

// Values have the rank of x.
// expected-note @below {{values of type 'memref<?x1x300xf8E4M3FN>' comes from here}}
func.func @invalid(%x: memref<?x300xf32>, %v: memref<?x1x300xf8E4M3FN>, %s: memref<?x3xf32>) {
  // expected-error @below {{'prefill.quantize' op values has rank 3, expected 2}}
  prefill.quantize %x into %v, %s {block = 128 : i64} : memref<?x300xf32> -> memref<?x1x300xf8E4M3FN>, memref<?x3xf32>
  return
}

// -----

// Values have the shape of x.
// expected-note @below {{values of type 'memref<?x299xf8E4M3FN>' comes from here}}
// expected-note @below {{x of type 'memref<?x300xf32>' comes from here}}
func.func @invalid(%x: memref<?x300xf32>, %v: memref<?x299xf8E4M3FN>, %s: memref<?x3xf32>) {
  // expected-error @below {{'prefill.quantize' op dimension 1 of values is 299, expected 300 as dimension 1 of x}}
  prefill.quantize %x into %v, %s {block = 128 : i64} : memref<?x300xf32> -> memref<?x299xf8E4M3FN>, memref<?x3xf32>
  return
}

// -----

// Scales have the rank of x.
// expected-note @below {{scales of type 'memref<3xf32>' comes from here}}
func.func @invalid(%x: memref<?x300xf32>, %v: memref<?x300xf8E4M3FN>, %s: memref<3xf32>) {
  // expected-error @below {{'prefill.quantize' op scales has rank 1, expected 2}}
  prefill.quantize %x into %v, %s {block = 128 : i64} : memref<?x300xf32> -> memref<?x300xf8E4M3FN>, memref<3xf32>
  return
}

// -----

// fp8 is not quantized again.
// expected-note @below {{x of type 'memref<?x300xf8E4M3FN>' comes from here}}
func.func @invalid(%x: memref<?x300xf8E4M3FN>, %v: memref<?x300xf8E4M3FN>, %s: memref<?x3xf32>) {
  // expected-error @below {{'prefill.quantize' op x has element type 'f8E4M3FN', expected 'f32' or 'bf16'}}
  prefill.quantize %x into %v, %s {block = 128 : i64} : memref<?x300xf8E4M3FN> -> memref<?x300xf8E4M3FN>, memref<?x3xf32>
  return
}

// -----

// Values are fp8.
// expected-note @below {{values of type 'memref<?x300xf32>' comes from here}}
func.func @invalid(%x: memref<?x300xf32>, %v: memref<?x300xf32>, %s: memref<?x3xf32>) {
  // expected-error @below {{'prefill.quantize' op values has element type 'f32', expected 'f8E4M3FN'}}
  prefill.quantize %x into %v, %s {block = 128 : i64} : memref<?x300xf32> -> memref<?x300xf32>, memref<?x3xf32>
  return
}

// -----

// Scales are f32 or powers of two.
// expected-note @below {{scales of type 'memref<?x3xbf16>' comes from here}}
func.func @invalid(%x: memref<?x300xf32>, %v: memref<?x300xf8E4M3FN>, %s: memref<?x3xbf16>) {
  // expected-error @below {{'prefill.quantize' op scales has element type 'bf16', expected 'f32' or 'f8E8M0FNU'}}
  prefill.quantize %x into %v, %s {block = 128 : i64} : memref<?x300xf32> -> memref<?x300xf8E4M3FN>, memref<?x3xbf16>
  return
}

// -----

// Scales have the rows of x.
// expected-note @below {{scales of type 'memref<6x3xf32>' comes from here}}
// expected-note @below {{x of type 'memref<5x300xf32>' comes from here}}
func.func @invalid(%x: memref<5x300xf32>, %v: memref<5x300xf8E4M3FN>, %s: memref<6x3xf32>) {
  // expected-error @below {{'prefill.quantize' op dimension 0 of scales is 6, expected 5 as dimension 0 of x}}
  prefill.quantize %x into %v, %s {block = 128 : i64} : memref<5x300xf32> -> memref<5x300xf8E4M3FN>, memref<6x3xf32>
  return
}

// -----

// Blocks are rounded up.
// expected-note @below {{scales of type 'memref<?x2xf32>' comes from here}}
// expected-note @below {{x of type 'memref<?x300xf32>' comes from here}}
func.func @invalid(%x: memref<?x300xf32>, %v: memref<?x300xf8E4M3FN>, %s: memref<?x2xf32>) {
  // expected-error @below {{'prefill.quantize' op dimension 1 of scales is 2, expected 3, one scale for each block of x}}
  prefill.quantize %x into %v, %s {block = 128 : i64} : memref<?x300xf32> -> memref<?x300xf8E4M3FN>, memref<?x2xf32>
  return
}

// -----

// A block has elements.
func.func @invalid(%x: memref<?x300xf32>, %v: memref<?x300xf8E4M3FN>, %s: memref<?x3xf32>) {
  // expected-error @below {{'prefill.quantize' op attribute 'block' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  prefill.quantize %x into %v, %s {block = 0 : i64} : memref<?x300xf32> -> memref<?x300xf8E4M3FN>, memref<?x3xf32>
  return
}

// -----

// A vector has no rows.
// expected-note @below {{x of type 'memref<64xf32>' comes from here}}
func.func @invalid(%x: memref<64xf32>, %w: memref<64xf32>, %y: memref<?x64xf32>) {
  // expected-error @below {{'prefill.rms_norm' op x has rank 1, expected 2 or 3}}
  prefill.rms_norm %x by %w into %y {eps = 1.0e-6 : f64} : memref<64xf32>, memref<64xf32> -> memref<?x64xf32>
  return
}

// -----

// y has the rank of x.
// expected-note @below {{y of type 'memref<?x4x16xf32>' comes from here}}
func.func @invalid(%x: memref<?x64xf32>, %w: memref<64xf32>, %y: memref<?x4x16xf32>) {
  // expected-error @below {{'prefill.rms_norm' op y has rank 3, expected 2}}
  prefill.rms_norm %x by %w into %y {eps = 1.0e-6 : f64} : memref<?x64xf32>, memref<64xf32> -> memref<?x4x16xf32>
  return
}

// -----

// y has the shape of x.
// expected-note @below {{y of type 'memref<?x32xf32>' comes from here}}
// expected-note @below {{x of type 'memref<?x64xf32>' comes from here}}
func.func @invalid(%x: memref<?x64xf32>, %w: memref<64xf32>, %y: memref<?x32xf32>) {
  // expected-error @below {{'prefill.rms_norm' op dimension 1 of y is 32, expected 64 as dimension 1 of x}}
  prefill.rms_norm %x by %w into %y {eps = 1.0e-6 : f64} : memref<?x64xf32>, memref<64xf32> -> memref<?x32xf32>
  return
}

// -----

// No kernel takes f16.
// expected-note @below {{x of type 'memref<?x64xf16>' comes from here}}
func.func @invalid(%x: memref<?x64xf16>, %w: memref<64xf32>, %y: memref<?x64xf32>) {
  // expected-error @below {{'prefill.rms_norm' op x has element type 'f16', expected 'f32' or 'bf16'}}
  prefill.rms_norm %x by %w into %y {eps = 1.0e-6 : f64} : memref<?x64xf16>, memref<64xf32> -> memref<?x64xf32>
  return
}

// -----

// Nor writes it.
// expected-note @below {{y of type 'memref<?x64xf16>' comes from here}}
func.func @invalid(%x: memref<?x64xf32>, %w: memref<64xf32>, %y: memref<?x64xf16>) {
  // expected-error @below {{'prefill.rms_norm' op y has element type 'f16', expected 'f32' or 'bf16'}}
  prefill.rms_norm %x by %w into %y {eps = 1.0e-6 : f64} : memref<?x64xf32>, memref<64xf32> -> memref<?x64xf16>
  return
}

// -----

// The weight is a vector.
// expected-note @below {{weight of type 'memref<1x64xf32>' comes from here}}
func.func @invalid(%x: memref<?x64xf32>, %w: memref<1x64xf32>, %y: memref<?x64xf32>) {
  // expected-error @below {{'prefill.rms_norm' op weight has rank 2, expected 1}}
  prefill.rms_norm %x by %w into %y {eps = 1.0e-6 : f64} : memref<?x64xf32>, memref<1x64xf32> -> memref<?x64xf32>
  return
}

// -----

// The weight is f32 or bf16.
// expected-note @below {{weight of type 'memref<64xi32>' comes from here}}
func.func @invalid(%x: memref<?x64xf32>, %w: memref<64xi32>, %y: memref<?x64xf32>) {
  // expected-error @below {{'prefill.rms_norm' op weight has element type 'i32', expected 'f32' or 'bf16'}}
  prefill.rms_norm %x by %w into %y {eps = 1.0e-6 : f64} : memref<?x64xf32>, memref<64xi32> -> memref<?x64xf32>
  return
}

// -----

// The weight has an entry a channel.
// expected-note @below {{weight of type 'memref<32xf32>' comes from here}}
// expected-note @below {{x of type 'memref<?x64xf32>' comes from here}}
func.func @invalid(%x: memref<?x64xf32>, %w: memref<32xf32>, %y: memref<?x64xf32>) {
  // expected-error @below {{'prefill.rms_norm' op dimension 0 of weight is 32, expected 64 as dimension 1 of x}}
  prefill.rms_norm %x by %w into %y {eps = 1.0e-6 : f64} : memref<?x64xf32>, memref<32xf32> -> memref<?x64xf32>
  return
}

// -----

// A negative eps could divide by zero.
func.func @invalid(%x: memref<?x64xf32>, %w: memref<64xf32>, %y: memref<?x64xf32>) {
  // expected-error @below {{'prefill.rms_norm' op eps is -0.5, expected a number in [0, 1)}}
  prefill.rms_norm %x by %w into %y {eps = -0.5 : f64} : memref<?x64xf32>, memref<64xf32> -> memref<?x64xf32>
  return
}

// -----

// An eps of 1 is a slip.
func.func @invalid(%x: memref<?x64xf32>, %w: memref<64xf32>, %y: memref<?x64xf32>) {
  // expected-error @below {{'prefill.rms_norm' op eps is 1, expected a number in [0, 1)}}
  prefill.rms_norm %x by %w into %y {eps = 1.0 : f64} : memref<?x64xf32>, memref<64xf32> -> memref<?x64xf32>
  return
}

// -----

// NaN is no eps.
func.func @invalid(%x: memref<?x64xf32>, %w: memref<64xf32>, %y: memref<?x64xf32>) {
  // expected-error @below {{'prefill.rms_norm' op eps is NaN, expected a number in [0, 1)}}
  prefill.rms_norm %x by %w into %y {eps = 0x7FF8000000000000 : f64} : memref<?x64xf32>, memref<64xf32> -> memref<?x64xf32>
  return
}

// -----

// A vector has no rows.
// expected-note @below {{x of type 'memref<16xf32>' comes from here}}
func.func @invalid(%x: memref<16xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %y: memref<?x16xf32>) {
  // expected-error @below {{'prefill.rope' op x has rank 1, expected 2 or 3}}
  prefill.rope %x at %p with %t into %y : memref<16xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x16xf32>
  return
}

// -----

// y has the shape of x.
// expected-note @below {{y of type 'memref<?x8xf32>' comes from here}}
// expected-note @below {{x of type 'memref<?x16xf32>' comes from here}}
func.func @invalid(%x: memref<?x16xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %y: memref<?x8xf32>) {
  // expected-error @below {{'prefill.rope' op dimension 1 of y is 8, expected 16 as dimension 1 of x}}
  prefill.rope %x at %p with %t into %y : memref<?x16xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x8xf32>
  return
}

// -----

// x is f32 or bf16.
// expected-note @below {{x of type 'memref<?x16xf16>' comes from here}}
func.func @invalid(%x: memref<?x16xf16>, %p: memref<?xi64>, %t: memref<?x8xf32>, %y: memref<?x16xf32>) {
  // expected-error @below {{'prefill.rope' op x has element type 'f16', expected 'f32' or 'bf16'}}
  prefill.rope %x at %p with %t into %y : memref<?x16xf16>, memref<?xi64>, memref<?x8xf32> -> memref<?x16xf32>
  return
}

// -----

// So is y.
// expected-note @below {{y of type 'memref<?x16xf16>' comes from here}}
func.func @invalid(%x: memref<?x16xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %y: memref<?x16xf16>) {
  // expected-error @below {{'prefill.rope' op y has element type 'f16', expected 'f32' or 'bf16'}}
  prefill.rope %x at %p with %t into %y : memref<?x16xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x16xf16>
  return
}

// -----

// Positions are a vector.
// expected-note @below {{positions of type 'memref<?x1xi64>' comes from here}}
func.func @invalid(%x: memref<?x16xf32>, %p: memref<?x1xi64>, %t: memref<?x8xf32>, %y: memref<?x16xf32>) {
  // expected-error @below {{'prefill.rope' op positions has rank 2, expected 1}}
  prefill.rope %x at %p with %t into %y : memref<?x16xf32>, memref<?x1xi64>, memref<?x8xf32> -> memref<?x16xf32>
  return
}

// -----

// The table is a matrix.
// expected-note @below {{table of type 'memref<8xf32>' comes from here}}
func.func @invalid(%x: memref<?x16xf32>, %p: memref<?xi64>, %t: memref<8xf32>, %y: memref<?x16xf32>) {
  // expected-error @below {{'prefill.rope' op table has rank 1, expected 2}}
  prefill.rope %x at %p with %t into %y : memref<?x16xf32>, memref<?xi64>, memref<8xf32> -> memref<?x16xf32>
  return
}

// -----

// Positions are i64.
// expected-note @below {{positions of type 'memref<?xi32>' comes from here}}
func.func @invalid(%x: memref<?x16xf32>, %p: memref<?xi32>, %t: memref<?x8xf32>, %y: memref<?x16xf32>) {
  // expected-error @below {{'prefill.rope' op positions has element type 'i32', expected 'i64'}}
  prefill.rope %x at %p with %t into %y : memref<?x16xf32>, memref<?xi32>, memref<?x8xf32> -> memref<?x16xf32>
  return
}

// -----

// The table is f32.
// expected-note @below {{table of type 'memref<?x8xbf16>' comes from here}}
func.func @invalid(%x: memref<?x16xf32>, %p: memref<?xi64>, %t: memref<?x8xbf16>, %y: memref<?x16xf32>) {
  // expected-error @below {{'prefill.rope' op table has element type 'bf16', expected 'f32'}}
  prefill.rope %x at %p with %t into %y : memref<?x16xf32>, memref<?xi64>, memref<?x8xbf16> -> memref<?x16xf32>
  return
}

// -----

// Each row has a position.
// expected-note @below {{positions of type 'memref<4xi64>' comes from here}}
// expected-note @below {{x of type 'memref<5x16xf32>' comes from here}}
func.func @invalid(%x: memref<5x16xf32>, %p: memref<4xi64>, %t: memref<?x8xf32>, %y: memref<5x16xf32>) {
  // expected-error @below {{'prefill.rope' op dimension 0 of positions is 4, expected 5 as dimension 0 of x}}
  prefill.rope %x at %p with %t into %y : memref<5x16xf32>, memref<4xi64>, memref<?x8xf32> -> memref<5x16xf32>
  return
}

// -----

// Channels rotate in pairs.
// expected-note @below {{table of type 'memref<?x7xf32>' comes from here}}
func.func @invalid(%x: memref<?x16xf32>, %p: memref<?xi64>, %t: memref<?x7xf32>, %y: memref<?x16xf32>) {
  // expected-error @below {{'prefill.rope' op table rotates 7 channels, expected an even number of at least 2}}
  prefill.rope %x at %p with %t into %y : memref<?x16xf32>, memref<?xi64>, memref<?x7xf32> -> memref<?x16xf32>
  return
}

// -----

// There is a channel to rotate.
// expected-note @below {{table of type 'memref<?x0xf32>' comes from here}}
func.func @invalid(%x: memref<?x16xf32>, %p: memref<?xi64>, %t: memref<?x0xf32>, %y: memref<?x16xf32>) {
  // expected-error @below {{'prefill.rope' op table rotates 0 channels, expected an even number of at least 2}}
  prefill.rope %x at %p with %t into %y : memref<?x16xf32>, memref<?xi64>, memref<?x0xf32> -> memref<?x16xf32>
  return
}

// -----

// No more channels rotate than there are.
// expected-note @below {{table of type 'memref<?x18xf32>' comes from here}}
func.func @invalid(%x: memref<?x16xf32>, %p: memref<?xi64>, %t: memref<?x18xf32>, %y: memref<?x16xf32>) {
  // expected-error @below {{'prefill.rope' op table rotates 18 channels, but x has 16}}
  prefill.rope %x at %p with %t into %y : memref<?x16xf32>, memref<?xi64>, memref<?x18xf32> -> memref<?x16xf32>
  return
}

// -----

// Results have the types of the destinations.
func.func @invalid(%x: tensor<?x64xf32>, %w: tensor<24x64xf32>, %y: tensor<?x24xf32>) {
  // expected-error @below {{'prefill.linear' op expected type of operand #2 ('tensor<?x24xf32>') to match type of corresponding result ('tensor<4x24xf32>')}}
  %0 = "prefill.linear"(%x, %w, %y) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 1>}> : (tensor<?x64xf32>, tensor<24x64xf32>, tensor<?x24xf32>) -> tensor<4x24xf32>
  return
}

// -----

// Operands have ranks: unranked tensors are refused.
func.func @invalid(%x: tensor<*xf32>, %y: tensor<?x16xf32>) {
  // expected-error @below {{'prefill.rms_norm' op operand #0 must be ranked tensor or strided memref, but got 'tensor<*xf32>'}}
  %0 = "prefill.rms_norm"(%x, %y) <{eps = 0.0 : f64}> : (tensor<*xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
  return
}
