// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @axis_out_of_range(%x: tensor<4x8xf32>) {
  // expected-error @below {{'tile.reduce' op axis 2 is out of range for rank 2}}
  %0 = tile.reduce %x axis 2 : tensor<4x8xf32> -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @reduces_bytes(%x: tensor<4xf8E5M2>) {
  // expected-error @below {{'tile.reduce' op reduces 'f8E5M2'; expected f32, to which it widens}}
  %0 = tile.reduce %x axis 0 : tensor<4xf8E5M2> -> f8E5M2 {
  ^bb0(%a: f8E5M2, %b: f8E5M2):
    tile.yield %a : f8E5M2
  }
  return
}

// -----

func.func @result_keeps_the_axis(%x: tensor<4x8xf32>) {
  // expected-error @below {{'tile.reduce' op result is 'tensor<8xf32>'; expected 'tensor<4xf32>'}}
  %0 = tile.reduce %x axis 1 : tensor<4x8xf32> -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @operands_of_two_shapes(%x: tensor<4xf32>, %i: tensor<8xi32>) {
  // expected-error @below {{'tile.reduce' op operands are 'tensor<4xf32>' and 'tensor<8xi32>'; expected one shape}}
  %0:2 = tile.reduce %x, %i axis 0 : tensor<4xf32>, tensor<8xi32> -> f32, i32 {
  ^bb0(%a: f32, %j: i32, %b: f32, %k: i32):
    tile.yield %a, %j : f32, i32
  }
  return
}

// -----

func.func @combiner_of_one_element(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.reduce' op combiner takes ('f32'); expected ('f32', 'f32')}}
  %0 = tile.reduce %x axis 0 : tensor<4xf32> -> f32 {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @combiner_yields_another_type(%x: tensor<4xf32>, %i: i32) {
  // expected-error @below {{'tile.reduce' op combiner yields ('i32'); expected ('f32')}}
  %0 = tile.reduce %x axis 0 : tensor<4xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %i : i32
  }
  return
}

// -----

func.func @combiner_asserts(%x: tensor<4xf32>, %ok: i1) {
  // expected-error @below {{'tile.reduce' op combiner holds 'tile.assert'; expected ops that neither touch memory nor assert}}
  %0 = tile.reduce %x axis 0 : tensor<4xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    scf.if %ok {
      tile.assert %ok, "never" : i1
    }
    tile.yield %a : f32
  }
  return
}

// -----

func.func @no_operands() {
  // expected-error @below {{'tile.reduce' op has no operands; expected at least one}}
  "tile.reduce"() <{axis = 0 : i32}> ({
    "tile.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @result_missing(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.reduce' op has 0 results; expected one per operand, 1}}
  "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @combiner_ends_otherwise(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.reduce' op combiner ends with 'llvm.unreachable'; expected 'tile.yield'}}
  %0 = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    llvm.unreachable
  }) : (tensor<4xf32>) -> f32
  return
}
