// Names that are none in C or in C++.
func.func @"two.parts"(
    %a: tensor<16x8xf32> {prefill.name = "class", prefill.weight = ["class\0Aint x;"]},
    %b: tensor<?x8xf32> {prefill.name = "a b", sched.tokens},
    %c: tensor<?x16xf32> {prefill.name = "1st", sched.tokens, bufferization.writable = true},
    %d: tensor<?x16xf32> {sched.tokens, bufferization.writable = true})
    -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %x = prefill.linear %b by %a into %c
      : tensor<?x8xf32>, tensor<16x8xf32> -> tensor<?x16xf32>
  %y = prefill.linear %b by %a into %d
      : tensor<?x8xf32>, tensor<16x8xf32> -> tensor<?x16xf32>
  return %x, %y : tensor<?x16xf32>, tensor<?x16xf32>
}
