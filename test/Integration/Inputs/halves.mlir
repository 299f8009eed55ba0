// Two functions that compute the same, one of them on halves of rows.
func.func @whole(%x: memref<?x8xf32> {prefill.name = "hidden", sched.tokens},
                 %y: memref<?x8xf32> {prefill.name = "output", sched.tokens}) {
  linalg.copy ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>)
  return
}

func.func @halves(%x: memref<?x8xf32> {prefill.name = "hidden", sched.tokens},
                  %y: memref<?x8xf32> {prefill.name = "output", sched.tokens}) {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x8xf32>
  %swapped = memref.alloc(%t) : memref<?x8xf32>
  %x0 = memref.subview %x[0, 0] [%t, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1]>>
  %x1 = memref.subview %x[0, 4] [%t, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: 4>>
  %s0 = memref.subview %swapped[0, 0] [%t, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1]>>
  %s1 = memref.subview %swapped[0, 4] [%t, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: 4>>
  %y0 = memref.subview %y[0, 0] [%t, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1]>>
  %y1 = memref.subview %y[0, 4] [%t, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: 4>>
  linalg.negf ins(%x0 : memref<?x4xf32, strided<[8, 1]>>) outs(%s1 : memref<?x4xf32, strided<[8, 1], offset: 4>>)
  linalg.negf ins(%x1 : memref<?x4xf32, strided<[8, 1], offset: 4>>) outs(%s0 : memref<?x4xf32, strided<[8, 1]>>)
  linalg.negf ins(%s0 : memref<?x4xf32, strided<[8, 1]>>) outs(%y1 : memref<?x4xf32, strided<[8, 1], offset: 4>>)
  linalg.negf ins(%s1 : memref<?x4xf32, strided<[8, 1], offset: 4>>) outs(%y0 : memref<?x4xf32, strided<[8, 1]>>)
  return
}
