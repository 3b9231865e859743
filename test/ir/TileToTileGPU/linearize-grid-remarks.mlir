// RUN: tile-opt %s --tgpu-linearize-grid --remarks-filter=tgpu-linearize-grid --remark-format=emitRemark \
// RUN:   --verify-diagnostics

// expected-remark @below {{the kernel cannot compute the grid, which needs `num_sms`}}
func.func @sized_by_the_gpu(%n: index) attributes {tile.contract = {abi = [{dim = "N"}], grid = [["num_sms"], ["N"]]}} {
  return
}

// expected-remark @below {{the kernel cannot compute the grid, which needs `a real`}}
func.func @half_of_it(%n: index) attributes {tile.contract = {
    abi = [{dim = "N"}], grid = [["N", 0.5 : f64, "*"], ["N"]]}} {
  return
}
