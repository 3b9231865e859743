// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @approximate_division_of_one(%x: f32) {
  // expected-error @below {{'tile.approximate' op has 1 operands; expected 2 for `div`}}
  %0 = tile.approximate div %x : f32
  return
}

// -----

func.func @approximate_of_another_type(%x: f64) {
  // expected-error @below {{'tile.approximate' op is of 'f64'; expected f32}}
  %0 = tile.approximate exp2 %x : f64
  return
}

// -----

func.func @cast_changes_the_shape(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.cast' op all non-scalar operands/results must have the same shape and base type}}
  %0 = tile.cast signed %x : tensor<4xf32> -> tensor<8xi32>
  return
}
