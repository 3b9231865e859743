// RUN: tile-opt %s --cse | FileCheck %s
// What may be shared or removed across a write.

// Nobody writes the elements of a constant view during the launch.
// CHECK-LABEL: func @constant_view_is_read_once
func.func @constant_view_is_read_once(%c: !tile.view<?xf32, constant>, %v: !tile.view<?xf32>, %i: index) {
  // CHECK: %[[T:.*]] = tile.load
  // CHECK: tile.store %[[T]],
  // CHECK-NOT: tile.load
  // CHECK: tile.store %[[T]],
  %0 = tile.load %c[%i :+ 8] : !tile.view<?xf32, constant>, (index) -> tensor<8xf32>
  tile.store %0, %v[%i :+ 8] : tensor<8xf32>, !tile.view<?xf32>, (index)
  %1 = tile.load %c[%i :+ 8] : !tile.view<?xf32, constant>, (index) -> tensor<8xf32>
  tile.store %1, %v[%i :+ 8] : tensor<8xf32>, !tile.view<?xf32>, (index)
  return
}

// CHECK-LABEL: func @written_view_is_read_again
func.func @written_view_is_read_again(%v: !tile.view<?xf32>, %i: index) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: tile.load
  // CHECK: tile.store
  // CHECK: tile.load
  %0 = tile.load %v[%i :+ 8] : !tile.view<?xf32>, (index) -> tensor<8xf32>
  tile.store %0, %v[%i :+ 8] : tensor<8xf32>, !tile.view<?xf32>, (index)
  %1 = tile.load %v[%i :+ 8] : !tile.view<?xf32>, (index) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func @atomics_and_claims_stay
func.func @atomics_and_claims_stay(%v: !tile.view<?xf32>, %i: index, %x: f32, %ok: i1) {
  // CHECK-COUNT-2: tile.atomic
  // CHECK: tile.assert
  %0 = tile.atomic add %x, %v[%i] : f32, !tile.view<?xf32>, (index)
  %1 = tile.atomic add %x, %v[%i] : f32, !tile.view<?xf32>, (index)
  tile.assert %ok, "holds" : i1
  return
}
