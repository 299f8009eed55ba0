module {
  func.func private @double(%arg0: memref<?x8xf32> {sched.access = #sched.access<read>}, %arg1: memref<?x8xf32> {sched.access = #sched.access<write>}) attributes {sched.effect = #sched.effect_class<host_metadata>, sched.kernel} {
    memref.copy %arg0, %arg1 : memref<?x8xf32> to memref<?x8xf32>
    return
  }
  func.func @layer(%arg0: memref<?x8xf32> {prefill.name = "hidden", sched.tokens}, %arg1: memref<?x8xf32> {prefill.name = "output", sched.tokens}) {
    sched.schedule(%s0) {
      sched.eager "layer.eager0" {
        sched.launch on %s0 {
          sched.host_call @double(%arg0, %arg1) {bytes_per_token = 6.400000e+01 : f64, flops_per_token = 8.000000e+00 : f64} : memref<?x8xf32>, memref<?x8xf32>
        }
      }
    }
    return
  }
  func.func @planned(%arg0: memref<?x8xf32>, %arg1: memref<?x8xf32>) {
    sched.schedule(%s0, %s1) {
      sched.segment "planned" {
        sched.launch on %s0 attributes {planned_position = 0 : i64, planned_stream = 1 : i64} {
          linalg.negf ins(%arg0 : memref<?x8xf32>) outs(%arg1 : memref<?x8xf32>)
        }
      }
    }
    return
  }
}

