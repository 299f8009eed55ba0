// Two branches, of which one goes through host code that must not be captured: a
// program on buffers that knows no op of Braid's but says what its function does.
//
//   braid-run examples/eager-middle.mlir --tokens=9 --synthetic=1
func.func private @double(
    %x: memref<?x8xf32> {sched.access = #sched.access<read>},
    %y: memref<?x8xf32> {sched.access = #sched.access<write>})
    attributes {sched.kernel, sched.effect = #sched.effect_class<host_metadata>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %rows = memref.dim %x, %c0 : memref<?x8xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %value = memref.load %x[%i, %j] : memref<?x8xf32>
      %sum = arith.addf %value, %value : f32
      memref.store %sum, %y[%i, %j] : memref<?x8xf32>
    }
  }
  return
}

func.func @dag(%x: memref<?x8xf32> {prefill.name = "hidden", sched.tokens},
               %y: memref<?x8xf32> {prefill.name = "output", sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  %left = memref.alloc(%t) : memref<?x8xf32>
  %right = memref.alloc(%t) : memref<?x8xf32>
  %doubled = memref.alloc(%t) : memref<?x8xf32>
  linalg.negf ins(%x : memref<?x8xf32>) outs(%left : memref<?x8xf32>)
  linalg.abs ins(%x : memref<?x8xf32>) outs(%right : memref<?x8xf32>)
  func.call @double(%left, %doubled) : (memref<?x8xf32>, memref<?x8xf32>) -> ()
  linalg.add ins(%right, %doubled : memref<?x8xf32>, memref<?x8xf32>)
      outs(%y : memref<?x8xf32>)
  return
}
