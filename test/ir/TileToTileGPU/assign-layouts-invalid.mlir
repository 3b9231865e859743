// RUN: tile-opt %s --split-input-file --tgpu-assign-layouts --verify-diagnostics

func.func @odd_factor_too_large() {
  // expected-error @below {{extent 0 of the tile is 144; expected m * 2^k with odd m <= 7}}
  %0 = tile.iota : tensor<144xi32>
  return
}

// -----

func.func @rank_too_large(%x: f32) {
  // expected-error @below {{tile has rank 5; expected at most 4}}
  %0 = tile.splat %x : f32 -> tensor<2x2x2x2x2xf32>
  return
}
