// RUN: braid-test-opt %s --split-input-file --test-print-schedulable=tokens=8 --verify-diagnostics -o /dev/null

// Dense ops: class, access of each kernel operand, and cost for 8 tokens.
func.func @dense(%x: memref<?x256xf32>, %w: memref<512x256xf32>, %y: memref<?x512xf32>, %v: memref<?x256xf8E4M3FN>, %u: memref<128x256xf8E4M3FN>, %sv: memref<?x2xf32>, %su: memref<1x2xf8E8M0FNU>, %z: memref<?x128xbf16>, %n: memref<256xf32>) {
  // expected-remark @+3 {{kernel 'linear': graph_safe; read, read, absent, absent, write.}}
  // expected-remark @+2 {{cost: 2097152 flops, 548864 bytes.}}
  // expected-remark @+1 {{may be captured.}}
  prefill.linear %x by %w into %y : memref<?x256xf32>, memref<512x256xf32> -> memref<?x512xf32>
  // expected-remark @+3 {{kernel 'linear': graph_safe; read, read, read, read, write.}}
  // expected-remark @+2 {{cost: 524288 flops, 36930 bytes.}}
  // expected-remark @+1 {{may be captured.}}
  prefill.linear %v by %u scaled(%sv, %su : memref<?x2xf32>, memref<1x2xf8E8M0FNU>) into %z : memref<?x256xf8E4M3FN>, memref<128x256xf8E4M3FN> -> memref<?x128xbf16>
  // expected-remark @+3 {{kernel 'quantize': graph_safe; read, write, write.}}
  // expected-remark @+2 {{cost: 6144 flops, 10304 bytes.}}
  // expected-remark @+1 {{may be captured.}}
  prefill.quantize %x into %v, %sv {block = 128 : i64} : memref<?x256xf32> -> memref<?x256xf8E4M3FN>, memref<?x2xf32>
  // expected-remark @+3 {{kernel 'rms_norm': graph_safe; read, read, write.}}
  // expected-remark @+2 {{cost: 8192 flops, 17408 bytes.}}
  // expected-remark @+1 {{may be captured.}}
  prefill.rms_norm %x by %n into %x {eps = 0.0 : f64} : memref<?x256xf32>, memref<256xf32> -> memref<?x256xf32>
  // expected-remark @+3 {{kernel 'rms_norm': graph_safe; read, absent, write.}}
  // expected-remark @+2 {{cost: 8192 flops, 16384 bytes.}}
  // expected-remark @+1 {{may be captured.}}
  prefill.rms_norm %x into %x {eps = 0.0 : f64} : memref<?x256xf32> -> memref<?x256xf32>
  return
}

// -----

// Heads and groups; a rope reads as many rows of its table as there are tokens.
func.func @heads(%x: memref<?x2x64xf32>, %w: memref<32x64xf32>, %y: memref<?x2x16xf32>, %h: memref<?x4x16xf32>, %p: memref<?xi64>, %t: memref<100x8xf32>) {
  // expected-remark @+3 {{kernel 'grouped_linear': graph_safe; read, read, absent, absent, write.}}
  // expected-remark @+2 {{cost: 32768 flops, 13312 bytes.}}
  // expected-remark @+1 {{may be captured.}}
  prefill.grouped_linear %x by %w into %y : memref<?x2x64xf32>, memref<32x64xf32> -> memref<?x2x16xf32>
  // expected-remark @+3 {{kernel 'rope': graph_safe; read, read, read, write.}}
  // expected-remark @+2 {{cost: 768 flops, 4416 bytes.}}
  // expected-remark @+1 {{may be captured.}}
  prefill.rope %h at %p with %t into %h : memref<?x4x16xf32>, memref<?xi64>, memref<100x8xf32> -> memref<?x4x16xf32>
  return
}

// -----

// Cache ops may be captured while no operand forbids it.
func.func @caches(%rows: memref<?x32xf32>, %kv: memref<?x64xf32>, %bias: memref<8x32xf32>, %w: memref<32xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %st: memref<?x?xi32> {prefill.metadata = #prefill.metadata<device, persistent>}, %r: memref<?xi32>, %s: memref<?xi64> {prefill.metadata = #prefill.metadata<device, persistent>}, %state: memref<?x?x64xf32>, %cache: memref<?x?x32xf32>) {
  // expected-remark @+3 {{kernel 'cache_insert': device_metadata; read, read, write.}}
  // expected-remark @+2 {{cost: 0 flops, 2112 bytes.}}
  // expected-remark @+1 {{may be captured.}}
  prefill.cache_insert %rows at %s into %cache : memref<?x32xf32>, memref<?xi64> -> memref<?x?x32xf32>
  // expected-remark @+3 {{kernel 'compress': device_metadata; read, read, read, read, read, read, read, read, read, read_write, write.}}
  // expected-remark @+2 {{cost: 3072 flops, 6272 bytes.}}
  // expected-remark @+1 {{may be captured.}}
  prefill.compress %kv biased %bias normed %w at %p with %t state(%state at %s through %st of %r) into %cache at %s {eps = 1.0e-6 : f64, ratio = 8 : i64} : memref<?x64xf32>, memref<8x32xf32>, memref<32xf32>, memref<?xi64>, memref<?x8xf32>, memref<?x?x64xf32>, memref<?xi64>, memref<?x?xi32>, memref<?xi32>, memref<?xi64> -> memref<?x?x32xf32>
  return
}

// -----

// Selection and attention read host values; the first operand that forbids
// capture is named.
func.func @sparse(%q: memref<?x4x16xf32>, %w: memref<?x4xf32>, %p: memref<?xi64>, %t: memref<?x8xf32>, %c: memref<?x?x16xf32>, %bt: memref<?x?xi32>, %sink: memref<4xf32>, %qo: memref<?xi32> {prefill.name = "query_offsets", prefill.metadata = #prefill.metadata<host>}, %sl: memref<?xi32>, %s: memref<?x3xi32>, %y: memref<?x4x16xf32>) {
  // expected-remark @+3 {{kernel 'index_query': graph_safe; read, read, read, read, write, write.}}
  // expected-remark @+2 {{cost: 1536 flops, 4352 bytes.}}
  // expected-remark @+1 {{may be captured.}}
  prefill.index_query %q weighted %w at %p with %t into %q, %w {scale = 0.125 : f64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x4x16xf32>, memref<?x4xf32>
  // expected-remark @+3 {{kernel 'index_select': host_metadata; read, read, read, read, read by host, read by host, write.}}
  // expected-remark @+2 {{cost: 1024 flops, 2400 bytes.}}
  // expected-remark @+1 {{not captured: the host reads 'query_offsets' while it enqueues the op (operand 4).}}
  prefill.index_select %q weighted %w from %c through %bt requests(%qo, %sl) into %s {ratio = 4 : i64} : memref<?x4x16xf32>, memref<?x4xf32>, memref<?x?x16xf32>, memref<?x?xi32>, memref<?xi32>, memref<?xi32> -> memref<?x3xi32>
  // Window only: 4 of 8 tokens are attended to.
  // expected-remark @+3 {{kernel 'attend': host_metadata; read, read, read, read, absent, absent, absent, read by host, read by host, write.}}
  // expected-remark @+2 {{cost: 8192 flops, 4608 bytes.}}
  // expected-remark @+1 {{not captured: the host reads 'query_offsets' while it enqueues the op (operand 4).}}
  prefill.attend %q sink %sink window(%c through %bt) requests(%qo, %sl) into %y {ratio = 0 : i64, scale = 0.5 : f64, window = 4 : i64} : memref<?x4x16xf32>, memref<4xf32>, memref<?x?x16xf32>, memref<?x?xi32>, memref<?xi32>, memref<?xi32> -> memref<?x4x16xf32>
  // With one compressed entry on average.
  // expected-remark @+3 {{kernel 'attend': host_metadata; read, read, read, read, read, read, read, read by host, read by host, write.}}
  // expected-remark @+2 {{cost: 10240 flops, 4736 bytes.}}
  // expected-remark @+1 {{not captured: the host reads 'query_offsets' while it enqueues the op (operand 7).}}
  prefill.attend %q sink %sink window(%c through %bt) compressed(%c through %bt : memref<?x?x16xf32>, memref<?x?xi32>) selected(%s : memref<?x3xi32>) requests(%qo, %sl) into %y {ratio = 4 : i64, scale = 0.5 : f64, window = 4 : i64} : memref<?x4x16xf32>, memref<4xf32>, memref<?x?x16xf32>, memref<?x?xi32>, memref<?xi32>, memref<?xi32> -> memref<?x4x16xf32>
  return
}

// -----

// Kernels say themselves: name, class, accesses and work a token. Packing
// belongs to the load.
func.func @others(%x: memref<?x8xf32>, %c: memref<4x8xf32>, %y: memref<?x8xf32>, %p: memref<8x8xf32>) {
  // expected-remark @+3 {{kernel 'k': graph_safe; read, read_write, none, write.}}
  // expected-remark @+2 {{cost: 800 flops, 400 bytes.}}
  // expected-remark @+1 {{may be captured.}}
  prefill.kernel @k ins(%x : memref<?x8xf32>) caches(%c, %c : memref<4x8xf32>, memref<4x8xf32>) outs(%y : memref<?x8xf32>) {bytes_per_token = 50.0 : f64, cache_access = [#sched.access<read_write>, #sched.access<none>], effect = #sched.effect_class<graph_safe>, flops_per_token = 100.0 : f64}
  // expected-remark @+3 {{kernel 'l': host_metadata; read, write.}}
  // expected-remark @+2 {{cost: 0 flops, 512 bytes.}}
  // expected-remark @+1 {{not captured: it needs a host value.}}
  prefill.kernel @l ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>) {effect = #sched.effect_class<host_metadata>}
  // expected-remark @+3 {{kernel 'all_reduce': graph_safe; read, write.}}
  // expected-remark @+2 {{cost: 64 flops, 512 bytes.}}
  // expected-remark @+1 {{may be captured.}}
  prefill.all_reduce %x over "tp" into %y : memref<?x8xf32> -> memref<?x8xf32>
  // expected-remark @+3 {{kernel 'pack': init; read, read, write.}}
  // expected-remark @+2 {{cost: 0 flops, 512 bytes.}}
  // expected-remark @+1 {{not captured: it runs once at load.}}
  prefill.pack %c, %c into %p : memref<4x8xf32>, memref<4x8xf32> -> memref<8x8xf32>
  // expected-remark @+3 {{kernel 'copy': graph_safe; read, write.}}
  // expected-remark @+2 {{cost: 0 flops, 512 bytes.}}
  // expected-remark @+1 {{may be captured.}}
  memref.copy %x, %y : memref<?x8xf32> to memref<?x8xf32>
  return
}

// -----

// The operand decides, not the op: with transient metadata nothing that reads
// it may be captured, a graph-safe op included; views do not hide it.
func.func @transient(%rows: memref<?x32xf32>, %slots: memref<?xi64> {prefill.metadata = #prefill.metadata<device, transient>, prefill.name = "slots"}, %unnamed: memref<8xi64> {prefill.metadata = #prefill.metadata<device, transient>}, %cache: memref<?x?x32xf32>, %t: memref<?x8xf32>, %four: memref<4x32xf32>) {
  // expected-remark @+3 {{kernel 'cache_insert'}}
  // expected-remark @+2 {{cost}}
  // expected-remark @+1 {{not captured: it reads 'slots', device metadata whose address may change from call to call (operand 1).}}
  prefill.cache_insert %rows at %slots into %cache : memref<?x32xf32>, memref<?xi64> -> memref<?x?x32xf32>
  // expected-remark @+3 {{kernel 'rope'}}
  // expected-remark @+2 {{cost}}
  // expected-remark @+1 {{not captured: it reads 'slots', device metadata whose address may change from call to call (operand 1).}}
  prefill.rope %rows at %slots with %t into %rows : memref<?x32xf32>, memref<?xi64>, memref<?x8xf32> -> memref<?x32xf32>
  %v = memref.subview %unnamed[4] [4] [1] : memref<8xi64> to memref<4xi64, strided<[1], offset: 4>>
  %w = memref.cast %v : memref<4xi64, strided<[1], offset: 4>> to memref<?xi64, strided<[?], offset: ?>>
  // expected-remark @+3 {{kernel 'cache_insert'}}
  // expected-remark @+2 {{cost}}
  // expected-remark @+1 {{not captured: it reads argument 2, device metadata whose address may change from call to call (operand 1).}}
  prefill.cache_insert %four at %w into %cache : memref<4x32xf32>, memref<?xi64, strided<[?], offset: ?>> -> memref<?x?x32xf32>
  return
}

// -----

// Host operands that are no arguments are named by number. On tensors, slices
// do not hide metadata either.
func.func @local(%q: tensor<4x4x16xf32>, %w: tensor<4x4xf32>, %c: memref<?x?x16xf32>, %bt: tensor<?x?xi32>, %s: tensor<4x3xi32>, %m: tensor<8xi32> {prefill.metadata = #prefill.metadata<host>}, %rows: tensor<4x16xf32>, %slots: tensor<8xi64> {prefill.metadata = #prefill.metadata<device, transient>, prefill.name = "slots"}) {
  %e = tensor.empty() : tensor<2xi32>
  %l = tensor.extract_slice %m[0] [1] [1] : tensor<8xi32> to tensor<1xi32>
  // expected-remark @+3 {{kernel 'index_select'}}
  // expected-remark @+2 {{cost}}
  // expected-remark @+1 {{not captured: the host reads operand 4 while it enqueues the op (operand 4).}}
  %0 = prefill.index_select %q weighted %w from %c through %bt requests(%e, %l) into %s {ratio = 4 : i64} : tensor<4x4x16xf32>, tensor<4x4xf32>, memref<?x?x16xf32>, tensor<?x?xi32>, tensor<2xi32>, tensor<1xi32> -> tensor<4x3xi32>
  %v = tensor.extract_slice %slots[0] [4] [1] : tensor<8xi64> to tensor<4xi64>
  // expected-remark @+3 {{kernel 'cache_insert'}}
  // expected-remark @+2 {{cost}}
  // expected-remark @+1 {{not captured: it reads 'slots', device metadata whose address may change from call to call (operand 1).}}
  prefill.cache_insert %rows at %v into %c : tensor<4x16xf32>, tensor<4xi64> -> memref<?x?x16xf32>
  return
}
