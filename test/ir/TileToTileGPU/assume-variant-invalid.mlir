// RUN: tile-opt %s --tgpu-assume-variant=variants=fast --verify-diagnostics

// expected-error @below {{contract lists 2 arguments; expected 1}}
func.func @too_many(%x: !tile.ptr<f32>) attributes {tile.contract = {
    parameters = [{name = "x", kind = "tensor", extents = [["M"]]}], abi = [{pointer = "x"}, {dim = "M"}]}} {
  return
}
