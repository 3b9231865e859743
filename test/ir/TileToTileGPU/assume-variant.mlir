// RUN: tile-opt %s --split-input-file --tgpu-assume-variant=variants=fast | FileCheck %s --check-prefixes=FAST
// RUN: tile-opt %s --split-input-file --tgpu-assume-variant=variants=generic | FileCheck %s --check-prefixes=GENERIC

// Strides of the outer axes are multiples of 16 bytes, the innermost of a strided tensor may be anything, and nothing is
// known of a raw pointer.
// FAST:      func @k$fast(
// FAST-SAME:   %[[X:[^:]*]]: !tile.ptr<bf16> {tgpu.narrow_offsets, tile.divisibility = 16 : i64}
// FAST-SAME:   %[[M:[^:]*]]: index {tile.maximum = 2147483647 : i64}
// FAST-SAME:   %[[S0:[^:]*]]: index {tile.divisibility = 8 : i64}
// FAST-SAME:   %[[S1:[^:]*]]: index,
// FAST-SAME:   %[[P:[^:]*]]: !tile.ptr<f32>)
// FAST-SAME:   tgpu.variant = "fast"
// GENERIC:      func @k(
// GENERIC-SAME: %{{[^:]*}}: !tile.ptr<bf16>, %{{[^:]*}}: index, %{{[^:]*}}: index, %{{[^:]*}}: index, %{{[^:]*}}: !tile.ptr<f32>)
func.func @k(%x: !tile.ptr<bf16>, %m: index, %s0: index, %s1: index, %p: !tile.ptr<f32>) attributes {tile.contract = {
    parameters = [{name = "x", kind = "tensor", strided = true, extents = [["M"], ["M"]]}, {name = "p", kind = "pointer"}],
    abi = [{pointer = "x"}, {dim = "M"}, {stride = "x", axis = 0}, {stride = "x", axis = 1}, {pointer = "p"}]}} {
  return
}

// -----

// The launcher promises nothing of raw pointers.
// FAST-NOT:      $fast
// GENERIC:       func @pointers
func.func @pointers(%p: !tile.ptr<f32>) attributes {tile.contract = {parameters = [{name = "p", kind = "pointer"}], abi = [{pointer = "p"}]}} {
  return
}

// -----

// The rows of a dense tensor of two axes are whole vectors; a single axis may have any extent.
// FAST:      func @rows$fast(
// FAST-SAME:   %{{[^:]*}}: !tile.ptr<bf16> {tgpu.narrow_offsets, tile.divisibility = 16 : i64, tile.row_divisibility = 8 : i64},
// FAST-SAME:   %{{[^:]*}}: !tile.ptr<f32> {tgpu.narrow_offsets, tile.divisibility = 16 : i64},
// FAST-SAME:   %{{[^:]*}}: index {tile.maximum = 2147483647 : i64})
// GENERIC:      func @rows(
// GENERIC-SAME: %{{[^:]*}}: !tile.ptr<bf16>, %{{[^:]*}}: !tile.ptr<f32>, %{{[^:]*}}: index)
func.func @rows(%x: !tile.ptr<bf16>, %y: !tile.ptr<f32>, %n: index) attributes {tile.contract = {
    parameters = [{name = "x", kind = "tensor", extents = [["N"], ["N"]]}, {name = "y", kind = "tensor", extents = [["N"]]}],
    abi = [{pointer = "x"}, {pointer = "y"}, {dim = "N"}]}} {
  return
}
