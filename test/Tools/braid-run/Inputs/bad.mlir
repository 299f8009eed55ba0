func.func @f(%x: tensor<?x8xf32>) {
  prefill.linear %x
}
