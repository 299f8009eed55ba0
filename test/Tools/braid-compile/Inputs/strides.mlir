// Caches whose blocks have gaps between them.
func.func @insert(
    %rows: tensor<?x32xf32> {prefill.name = "rows", sched.tokens},
    %slots: tensor<?xi64> {prefill.name = "slots", sched.tokens},
    %fixed: memref<?x64x32xf32, strided<[4096, 32, 1]>> {prefill.name = "fixed"},
    %blocks: memref<?x64x32xf32, strided<[?, 32, 1]>> {prefill.name = "blocks"},
    %open: memref<?x?x32xf32, strided<[?, 32, 1]>> {prefill.name = "open"}) {
  prefill.cache_insert %rows at %slots into %fixed
      : tensor<?x32xf32>, tensor<?xi64> -> memref<?x64x32xf32, strided<[4096, 32, 1]>>
  prefill.cache_insert %rows at %slots into %blocks
      : tensor<?x32xf32>, tensor<?xi64> -> memref<?x64x32xf32, strided<[?, 32, 1]>>
  prefill.cache_insert %rows at %slots into %open
      : tensor<?x32xf32>, tensor<?xi64> -> memref<?x?x32xf32, strided<[?, 32, 1]>>
  return
}
