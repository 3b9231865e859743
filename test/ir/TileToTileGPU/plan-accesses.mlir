// RUN: tile-opt %s --split-input-file --tgpu-assign-layouts --tgpu-plan-accesses | FileCheck %s

// CHECK-LABEL: func @corner_may_be_negative
// CHECK: tile.load {{.*}}#tgpu.access<vector = 4>
// CHECK-LABEL: func @end_cuts_no_vector
// CHECK: tile.load {{.*}}#tgpu.access<vector = 4, whole = true, nonNegative = [0]>
// CHECK-LABEL: func @offsets_fit_32_bits
// CHECK: tile.load {{.*}}#tgpu.access<vector = 4, narrow = true, nonNegative = [0]>
// CHECK-LABEL: func @row_stride_decides
// CHECK: tile.load {{.*}}#tgpu.access<vector = 2, nonNegative = [0, 1]>
// CHECK-LABEL: func @rows_are_whole_vectors
// CHECK: tile.load {{.*}}#tgpu.access<vector = 4, whole = true, nonNegative = [0, 1]>
// CHECK: tile.load {{.*}}#tgpu.access<vector = 4, whole = true, nonNegative = [0, 1]>
// CHECK: tile.load {{.*}}#tgpu.access<vector = 4, nonNegative = [0, 1]>
// CHECK-LABEL: func @quotient_by_a_power_of_two
// CHECK: tile.load {{.*}}#tgpu.access<vector = 4
// CHECK: tile.load {{.*}}#tgpu.access<vector = 1
func.func @corner_may_be_negative(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index,
                                  %o: index {tile.divisibility = 4 : i64}) {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %x = tile.load %v[%o :+ 1024] : !tile.view<?xf32>, (index) -> tensor<1024xf32>
  tile.store %x, %v[%o :+ 1024] : tensor<1024xf32>, !tile.view<?xf32>, (index)
  return
}

func.func @end_cuts_no_vector(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64},
                              %n: index {tile.divisibility = 8 : i64}) {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %o = arith.constant 0 : index
  %x = tile.load %v[%o :+ 1024] : !tile.view<?xf32>, (index) -> tensor<1024xf32>
  tile.store %x, %v[%o :+ 1024] : tensor<1024xf32>, !tile.view<?xf32>, (index)
  return
}

func.func @offsets_fit_32_bits(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64, tgpu.narrow_offsets}, %n: index) {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %o = arith.constant 0 : index
  %x = tile.load %v[%o :+ 1024] : !tile.view<?xf32>, (index) -> tensor<1024xf32>
  tile.store %x, %v[%o :+ 1024] : tensor<1024xf32>, !tile.view<?xf32>, (index)
  return
}

func.func @row_stride_decides(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index,
                              %s: index {tile.divisibility = 2 : i64}) {
  %v = tile.make_view %p, [%n, %n], [%s, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %o = arith.constant 0 : index
  %x = tile.load %v[%o :+ 8, %o :+ 128] : !tile.view<?x?xf32>, (index, index) -> tensor<8x128xf32>
  tile.store %x, %v[%o :+ 8, %o :+ 128] : tensor<8x128xf32>, !tile.view<?x?xf32>, (index, index)
  return
}

// So are those of a view of all columns; those of a part of the columns may end anywhere.
func.func @rows_are_whole_vectors(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.row_divisibility = 4 : i64},
                                  %n: index, %part: index, %s: index {tile.divisibility = 4 : i64}) {
  %v = tile.make_view %p, [%n, %n], [%s, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %o = arith.constant 0 : index
  %u = tile.subview %v, [%o, %o], [%part, %n] kept [true, true] : !tile.view<?x?xf32> -> !tile.view<?x?xf32>
  %w = tile.subview %v, [%o, %o], [%n, %part] kept [true, true] : !tile.view<?x?xf32> -> !tile.view<?x?xf32>
  %x = tile.load %v[%o :+ 8, %o :+ 128] : !tile.view<?x?xf32>, (index, index) -> tensor<8x128xf32>
  %z = tile.load %u[%o :+ 8, %o :+ 128] : !tile.view<?x?xf32>, (index, index) -> tensor<8x128xf32>
  %y = tile.load %w[%o :+ 8, %o :+ 128] : !tile.view<?x?xf32>, (index, index) -> tensor<8x128xf32>
  tile.store %z, %v[%o :+ 8, %o :+ 128] : tensor<8x128xf32>, !tile.view<?x?xf32>, (index, index)
  tile.store %x, %v[%o :+ 8, %o :+ 128] : tensor<8x128xf32>, !tile.view<?x?xf32>, (index, index)
  tile.store %y, %v[%o :+ 8, %o :+ 128] : tensor<8x128xf32>, !tile.view<?x?xf32>, (index, index)
  return
}

func.func @quotient_by_a_power_of_two(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64},
                                      %n: index {tile.divisibility = 16 : i64}) {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32, constant>
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %half = tile.divi signed %n, %two : index
  %third = tile.divi signed %n, %three : index
  %x = tile.load %v[%half :+ 1024] : !tile.view<?xf32, constant>, (index) -> tensor<1024xf32>
  %y = tile.load %v[%third :+ 1024] : !tile.view<?xf32, constant>, (index) -> tensor<1024xf32>
  return
}
