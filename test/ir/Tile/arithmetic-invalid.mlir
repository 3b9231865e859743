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

// -----

func.func @cast_to_another_kind(%x: f32) {
  // expected-error @below {{'tile.cast' op result is of 'f8E5M2'; expected an integer}}
  %0 = tile.cast signed %x : f32 -> f8E5M2
  return
}

// -----

func.func @saturating_cast_to_f16(%x: f32) {
  // expected-error @below {{'tile.cast' op result is of 'f16'; expected f8E4M3FN or f8E5M2}}
  %0 = tile.cast finite %x : f32 -> f16
  return
}

// -----

func.func @infinity_of_e4m3(%x: f32) {
  // expected-error @below {{'tile.cast' op result is of 'f8E4M3FN'; expected f8E5M2, which has infinities}}
  %0 = tile.cast infinite %x : f32 -> f8E4M3FN
  return
}

// -----

func.func @cast_of_f16(%x: f16) {
  // expected-error @below {{'tile.cast' op operand is of 'f16'; expected f32 or f64, to which others widen}}
  %0 = tile.cast finite %x : f16 -> f8E5M2
  return
}
