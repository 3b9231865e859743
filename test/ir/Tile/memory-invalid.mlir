// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @base_of_another_type(%p: !tile.ptr<f16>, %m: index) {
  // expected-error @below {{'tile.make_view' op base points to 'f16'; expected 'f32'}}
  %0 = tile.make_view %p, [%m], [1] : !tile.ptr<f16> -> !tile.view<?xf32>
  return
}

// -----

func.func @extents_of_another_view(%p: !tile.ptr<f32>) {
  // expected-error @below {{'tile.make_view' op extents are [8]; expected those of '!tile.view<4xf32>'}}
  %0 = tile.make_view %p, [8], [1] : !tile.ptr<f32> -> !tile.view<4xf32>
  return
}

// -----

func.func @dense_view_with_a_stride(%p: !tile.ptr<f32>, %s: index) {
  // expected-error @below {{'tile.make_view' op innermost stride is not 1; expected 1 or a `strided` view}}
  %0 = tile.make_view %p, [8], [%s] : !tile.ptr<f32> -> !tile.view<8xf32>
  return
}

// -----

func.func @column_of_a_dense_view_is_strided(%v: !tile.view<?x?xf32>, %i: index) {
  // expected-error @below {{'tile.subview' op result is '!tile.view<?xf32>'; expected '!tile.view<?xf32, strided>'}}
  %0 = tile.subview %v, [%i, %i], [%i] kept [true, false] : !tile.view<?x?xf32> -> !tile.view<?xf32>
  return
}

// -----

func.func @dim_out_of_range(%v: !tile.view<?x?xf32>) {
  // expected-error @below {{'tile.dim' op axis 2 is out of range for rank 2}}
  %0 = tile.dim %v axis 2 : !tile.view<?x?xf32>
  return
}

// -----

func.func @position_missing(%v: !tile.view<?x?xf32>, %i: index) {
  // expected-error @below {{'tile.load' op has 1 positions; expected 2, the rank of the view}}
  %0 = tile.load %v[%i :+ 8] : !tile.view<?x?xf32>, (index) -> tensor<8xf32>
  return
}

// -----

func.func @tile_in_a_region_position(%v: !tile.view<?xf32>, %i: tensor<8xi32>) {
  // expected-error @below {{'tile.load' op index of position 0 is 'tensor<8xi32>'; expected an integer}}
  %0 = tile.load %v[%i :+ 8] : !tile.view<?xf32>, (tensor<8xi32>) -> tensor<8xf32>
  return
}

// -----

func.func @gather_tiles_that_do_not_broadcast(%v: !tile.view<?x?xf32>, %i: tensor<8xi32>, %j: tensor<4xi32>) {
  // expected-error @below {{'tile.load' op gather tiles do not broadcast against each other}}
  %0 = tile.load %v[%i gather, %j gather] : !tile.view<?x?xf32>, (tensor<8xi32>, tensor<4xi32>) -> tensor<8xf32>
  return
}

// -----

func.func @result_of_another_shape(%v: !tile.view<?x?xf32>, %i: index) {
  // expected-error @below {{'tile.load' op result is 'tensor<1x8xf32>'; expected 'tensor<8xf32>'}}
  %0 = tile.load %v[%i, %i :+ 8] : !tile.view<?x?xf32>, (index, index) -> tensor<1x8xf32>
  return
}

// -----

func.func @else_of_another_type(%v: !tile.view<?xf32>, %i: index, %x: f16) {
  // expected-error @below {{'tile.load' op `else` is 'f16'; expected 'f32'}}
  %0 = tile.load %v[%i :+ 8] else %x : f16 : !tile.view<?xf32>, (index) -> tensor<8xf32>
  return
}

// -----

func.func @stored_value_of_another_type(%v: !tile.view<?xf32>, %i: index, %x: tensor<8xf16>) {
  // expected-error @below {{'tile.store' op value is 'tensor<8xf16>'; expected 'tensor<8xf32>'}}
  tile.store %x, %v[%i :+ 8] : tensor<8xf16>, !tile.view<?xf32>, (index)
  return
}

// -----

func.func @mask_of_another_shape(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<4xi1>) {
  // expected-error @below {{'tile.load_ptr' op mask is 'tensor<4xi1>'; expected the shape of 'tensor<8x!tile.ptr<f32>>'}}
  %0 = tile.load_ptr %p mask %m : tensor<4xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  return
}

// -----

func.func @gather_tiles_of_two_ranks(%v: !tile.view<?x?xf32>, %i: tensor<8xi32>, %j: tensor<4x8xi32>) {
  // expected-error @below {{'tile.load' op gather tiles have ranks 1 and 2; expected one rank}}
  %0 = tile.load %v[%i gather, %j gather] : !tile.view<?x?xf32>, (tensor<8xi32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @strides_missing(%p: !tile.ptr<f32>) {
  // expected-error @below {{'tile.make_view' op has 1 strides; expected 2}}
  %0 = tile.make_view %p, [4, 8], [1] : !tile.ptr<f32> -> !tile.view<4x8xf32>
  return
}

// -----

func.func @lows_missing(%v: !tile.view<?x?xf32>, %i: index) {
  // expected-error @below {{'tile.subview' op has 1 lows and 2 entries of `kept`; expected 2 of each}}
  %0 = tile.subview %v, [%i], [%i] kept [true, false] : !tile.view<?x?xf32> -> !tile.view<?xf32>
  return
}

// -----

func.func @highs_missing(%v: !tile.view<?x?xf32>, %i: index) {
  // expected-error @below {{'tile.subview' op has 1 highs and result rank 2; expected 2, the number of kept dims}}
  %0 = tile.subview %v, [%i, %i], [%i] kept [true, true] : !tile.view<?x?xf32> -> !tile.view<?x?xf32>
  return
}

// -----

func.func @atomic_on_bytes(%p: !tile.ptr<f8E5M2>, %x: f8E5M2) {
  // expected-error @below {{'tile.atomic_ptr' op acts on 'f8E5M2'; expected an integer or a float of at least 16 bits}}
  %0 = tile.atomic_ptr add %x, %p : f8E5M2, !tile.ptr<f8E5M2>
  return
}

// -----

func.func @atomic_on_bytes_of_a_view(%v: !tile.view<?xf8E4M3FN>, %i: index, %x: f8E4M3FN) {
  // expected-error @below {{'tile.atomic' op acts on 'f8E4M3FN'; expected an integer or a float of at least 16 bits}}
  %0 = tile.atomic add %x, %v [%i] : f8E4M3FN, !tile.view<?xf8E4M3FN>, (index)
  return
}
