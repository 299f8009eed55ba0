// RUN: braid-opt %s --split-input-file --verify-diagnostics

// A packed row has as many bytes as its channels need.
// expected-note @below {{rows of type 'memref<?x512xbf16>' comes from here}}
// expected-note @below {{cache of type 'memref<?x?x576xi8>' comes from here}}
func.func @bytes(%rows: memref<?x512xbf16>, %slots: memref<?xi64>, %cache: memref<?x?x576xi8>) {
  // expected-error @below {{'prefill.cache_insert' op dimension 2 of cache is 576, expected 584, the bytes of a packed row}}
  prefill.cache_insert %rows at %slots into %cache {fp8_channels = 448 : i64}
      : memref<?x512xbf16>, memref<?xi64> -> memref<?x?x576xi8>
  return
}

// -----

// So has an index row.
// expected-note @below {{rows of type 'memref<?x128xbf16>' comes from here}}
// expected-note @below {{cache of type 'memref<?x?x128xi8>' comes from here}}
func.func @index(%rows: memref<?x128xbf16>, %slots: memref<?xi64>, %cache: memref<?x?x128xi8>) {
  // expected-error @below {{'prefill.cache_insert' op dimension 2 of cache is 128, expected 132, the bytes of an index row, channels and a scale}}
  prefill.cache_insert %rows at %slots into %cache
      : memref<?x128xbf16>, memref<?xi64> -> memref<?x?x128xi8>
  return
}

// -----

// Plain rows have no channels in fp8.
// expected-note @below {{cache of type 'memref<?x?x512xbf16>' comes from here}}
func.func @plain(%rows: memref<?x512xbf16>, %slots: memref<?xi64>, %cache: memref<?x?x512xbf16>) {
  // expected-error @below {{'prefill.cache_insert' op has fp8_channels, but its cache is not of i8; rows of other types are not packed}}
  prefill.cache_insert %rows at %slots into %cache {fp8_channels = 448 : i64}
      : memref<?x512xbf16>, memref<?xi64> -> memref<?x?x512xbf16>
  return
}

// -----

// No more channels can be fp8 than there are.
// expected-note @below {{rows of type 'memref<?x512xbf16>' comes from here}}
func.func @channels(%rows: memref<?x512xbf16>, %slots: memref<?xi64>, %cache: memref<?x?x584xi8>) {
  // expected-error @below {{'prefill.cache_insert' op fp8_channels is 513, expected at most the 512 channels of a row}}
  prefill.cache_insert %rows at %slots into %cache {fp8_channels = 513 : i64}
      : memref<?x512xbf16>, memref<?xi64> -> memref<?x?x584xi8>
  return
}

// -----

// Other integers hold no rows.
// expected-note @below {{rows of type 'memref<?x512xbf16>' comes from here}}
// expected-note @below {{cache of type 'memref<?x?x512xi32>' comes from here}}
func.func @type(%rows: memref<?x512xbf16>, %slots: memref<?xi64>, %cache: memref<?x?x512xi32>) {
  // expected-error @below {{'prefill.cache_insert' op cache has element type 'i32', expected 'bf16' as rows}}
  prefill.cache_insert %rows at %slots into %cache
      : memref<?x512xbf16>, memref<?xi64> -> memref<?x?x512xi32>
  return
}
