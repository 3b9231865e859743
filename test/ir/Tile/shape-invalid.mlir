// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @iota_too_long_for_its_type() {
  // expected-error @below {{'tile.iota' op extent is 512; expected at most 256 for 'i8'}}
  %0 = tile.iota : tensor<512xi8>
  return
}

// -----

func.func @splat_of_another_element(%x: f32) {
  // expected-error @below {{'tile.splat' op result is 'tensor<4xf16>'; expected 'tensor<4xf32>'}}
  %0 = tile.splat %x : f32 -> tensor<4xf16>
  return
}

// -----

func.func @reshape_loses_elements(%x: tensor<4x8xf32>) {
  // expected-error @below {{'tile.reshape' op result has 16 elements; expected 32}}
  %0 = tile.reshape %x : tensor<4x8xf32> -> tensor<16xf32>
  return
}

// -----

func.func @permute_repeats_a_dim(%x: tensor<4x8xf32>) {
  // expected-error @below {{'tile.permute' op order is [0, 0]; expected each of the 2 dims once}}
  %0 = tile.permute %x [0, 0] : tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @permute_of_another_shape(%x: tensor<4x8xf32>) {
  // expected-error @below {{'tile.permute' op result is 'tensor<4x8xf32>'; expected 'tensor<8x4xf32>'}}
  %0 = tile.permute %x [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @expand_past_the_rank(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.expand_dims' op axis 2 is out of range for rank 1}}
  %0 = tile.expand_dims %x axis 2 : tensor<4xf32> -> tensor<4x1xf32>
  return
}

// -----

func.func @expand_by_more_than_one(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.expand_dims' op result is 'tensor<4x2xf32>'; expected 'tensor<4x1xf32>'}}
  %0 = tile.expand_dims %x axis 1 : tensor<4xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @broadcast_changes_the_rank(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.broadcast' op result has rank 2; expected 1}}
  %0 = tile.broadcast %x : tensor<4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_of_an_extent_that_is_not_one(%x: tensor<2x8xf32>) {
  // expected-error @below {{'tile.broadcast' op extent of dim 0 grows from 2 to 4; expected it to be 1 or to stay}}
  %0 = tile.broadcast %x : tensor<2x8xf32> -> tensor<4x8xf32>
  return
}
