// RUN: tile-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @division_by_one
// CHECK-SAME: (%[[X:.*]]: tensor<4xi32>)
// CHECK-NEXT: return %[[X]]
func.func @division_by_one(%x: tensor<4xi32>) -> tensor<4xi32> {
  %one = arith.constant dense<1> : tensor<4xi32>
  %q = tile.divi signed %x, %one : tensor<4xi32>
  return %q : tensor<4xi32>
}

// The edges that the language defines: 7 / 0 is 0, 7 % 0 is 7, INT_MIN / -1 wraps, INT_MIN % -1 is 0.
// CHECK-LABEL: func @edges_of_division
func.func @edges_of_division() -> (i32, i32, i8, i8) {
  %seven = arith.constant 7 : i32
  %zero = arith.constant 0 : i32
  %low = arith.constant -128 : i8
  %minus = arith.constant -1 : i8
  // CHECK-DAG: %[[Q0:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[R0:.*]] = arith.constant 7 : i32
  // CHECK-DAG: %[[QW:.*]] = arith.constant -128 : i8
  // CHECK-DAG: %[[RW:.*]] = arith.constant 0 : i8
  %0 = tile.divi signed %seven, %zero : i32
  %1 = tile.remi unsigned %seven, %zero : i32
  %2 = tile.divi signed %low, %minus : i8
  %3 = tile.remi signed %low, %minus : i8
  // CHECK: return %[[Q0]], %[[R0]], %[[QW]], %[[RW]]
  return %0, %1, %2, %3 : i32, i32, i8, i8
}

// A shift by the width or more gives 0, or the sign; a negative count is such a one.
// CHECK-LABEL: func @long_shifts
func.func @long_shifts() -> (i8, i8, i8) {
  %low = arith.constant -128 : i8
  %width = arith.constant 8 : i8
  %negative = arith.constant -1 : i8
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i8
  // CHECK-DAG: %[[SIGN:.*]] = arith.constant -1 : i8
  %0 = tile.shift left %low, %width : i8
  %1 = tile.shift right_unsigned %low, %negative : i8
  %2 = tile.shift right_signed %low, %negative : i8
  // CHECK: return %[[ZERO]], %[[ZERO]], %[[SIGN]]
  return %0, %1, %2 : i8, i8, i8
}

// A fold of the host's libm would not be what the GPU computes.
// CHECK-LABEL: func @approximation_is_kept
func.func @approximation_is_kept() -> f32 {
  %two = arith.constant 2.0 : f32
  // CHECK: tile.approximate sqrt
  %r = tile.approximate sqrt %two : f32
  return %r : f32
}

// CHECK-LABEL: func @shape_ops_of_a_constant
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<8x4xf32>
// CHECK-NEXT: return %[[C]]
func.func @shape_ops_of_a_constant() -> tensor<8x4xf32> {
  %two = arith.constant 2.0 : f32
  %0 = tile.splat %two : f32 -> tensor<4xf32>
  %1 = tile.expand_dims %0 axis 1 : tensor<4xf32> -> tensor<4x1xf32>
  %2 = tile.broadcast %1 : tensor<4x1xf32> -> tensor<4x8xf32>
  %3 = tile.permute %2 [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}

// CHECK-LABEL: func @transposed_twice
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: return %[[X]]
func.func @transposed_twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tile.permute %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = tile.permute %0 [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func @permutations_compose
func.func @permutations_compose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  // CHECK-NEXT: tile.permute %{{.*}} [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  // CHECK-NEXT: return
  %0 = tile.permute %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %1 = tile.permute %0 [1, 2, 0] : tensor<3x4x2xf32> -> tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// CHECK-LABEL: func @reshaped_back
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: return %[[X]]
func.func @reshaped_back(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tile.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
  %1 = tile.reshape %0 : tensor<32xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func @extent_of_a_made_view
// CHECK-SAME: %[[M:[a-z0-9]+]]: index
func.func @extent_of_a_made_view(%p: !tile.ptr<f32>, %m: index, %s: index) -> (index, index) {
  // CHECK: %[[N:.*]] = arith.constant 64 : index
  // CHECK: return %[[M]], %[[N]]
  %v = tile.make_view %p, [%m, 64], [%s, 1] : !tile.ptr<f32> -> !tile.view<?x64xf32>
  %0 = tile.dim %v axis 0 : !tile.view<?x64xf32>
  %1 = tile.dim %v axis 1 : !tile.view<?x64xf32>
  return %0, %1 : index, index
}
