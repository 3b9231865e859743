// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @vectors(%a: tensor<8xf16>, %c: tensor<8xf32>) {
  // expected-error @below {{'tile.dot' op operands have ranks 1 and 1; expected 2 and 2}}
  %0 = tile.dot ieee signed %a, %a, %c : tensor<8xf16>, tensor<8xf16>, tensor<8xf32>
  return
}

// -----

func.func @inner_dimensions_differ(%a: tensor<16x32xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{'tile.dot' op inner dimensions are 32 and 16; expected them equal}}
  %0 = tile.dot ieee signed %a, %b, %c : tensor<16x32xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  return
}

// -----

func.func @operands_of_two_types(%a: tensor<16x16xf16>, %b: tensor<16x16xbf16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{'tile.dot' op operands are of 'f16' and 'bf16'; expected them equal, or both 8-bit floats}}
  %0 = tile.dot ieee signed %a, %b, %c : tensor<16x16xf16>, tensor<16x16xbf16>, tensor<16x16xf32>
  return
}

// -----

func.func @no_product_of_this_type(%a: tensor<16x16xi16>, %c: tensor<16x16xi32>) {
  // expected-error @below {{'tile.dot' op operands are of 'i16'; expected f8E4M3FN, f8E5M2, f16, bf16, f32, f64 or i8}}
  %0 = tile.dot ieee signed %a, %a, %c : tensor<16x16xi16>, tensor<16x16xi16>, tensor<16x16xi32>
  return
}

// -----

func.func @accumulates_in_f16(%a: tensor<16x16xf16>) {
  // expected-error @below {{'tile.dot' op result is 'tensor<16x16xf16>'; expected 'tensor<16x16xf32>'}}
  %0 = tile.dot ieee signed %a, %a, %a : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf16>
  return
}

// -----

func.func @tf32_of_f16(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{'tile.dot' op precision is tf32 for operands of 'f16'; expected f32}}
  %0 = tile.dot tf32 signed %a, %a, %c : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  return
}
