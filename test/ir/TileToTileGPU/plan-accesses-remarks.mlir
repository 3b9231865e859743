// RUN: tile-opt %s --tgpu-assign-layouts --tgpu-plan-accesses --remarks-filter=tgpu-plan-accesses --remark-format=emitRemark 2>&1 | FileCheck %s

// CHECK: VectorizeAccess{{.*}}Reason="addresses are known to be multiples of 4 bytes only"{{.*}}access moves 4 bytes at a time, not 16{{.*}}Suggestion="what begins at a multiple of 4 elements is moved 16 bytes at a time"
// The store, likewise.
// CHECK: VectorizeAccess
// Only the strides of a tensor follow from an extent.
// CHECK: Reason="addresses are known to be multiples of 8 bytes only"{{.*}}Suggestion="`where N % 4 == 0` promises it of rows of `N` elements"
// What is narrower than a vector cannot be one.
// CHECK-NOT: VectorizeAccess
func.func @unaligned(%p: !tile.ptr<f32> {tile.divisibility = 4 : i64}, %n: index) {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %o = arith.constant 0 : index
  %x = tile.load %v[%o :+ 1024] : !tile.view<?xf32>, (index) -> tensor<1024xf32>
  tile.store %x, %v[%o :+ 1024] : tensor<1024xf32>, !tile.view<?xf32>, (index)
  return
}

func.func @rows(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index, %s: index {tile.divisibility = 2 : i64}) {
  %v = tile.make_view %p, [%n, %n], [%s, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, constant>
  %o = arith.constant 0 : index
  %x = tile.load %v[%o :+ 64, %o :+ 32] : !tile.view<?x?xf32, constant>, (index, index) -> tensor<64x32xf32>
  return
}

func.func @narrow(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index) {
  %v = tile.make_view %p, [%n, %n], [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, constant>
  %o = arith.constant 0 : index
  %x = tile.load %v[%o :+ 1024, %o :+ 2] : !tile.view<?x?xf32, constant>, (index, index) -> tensor<1024x2xf32>
  return
}
