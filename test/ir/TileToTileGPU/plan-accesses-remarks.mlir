// RUN: tile-opt %s --tgpu-assign-layouts --tgpu-plan-accesses --remarks-filter=tgpu-plan-accesses --remark-format=emitRemark 2>&1 | FileCheck %s

// CHECK: VectorizeAccess{{.*}}Reason="addresses are known to be multiples of 4 bytes only"{{.*}}access moves 4 bytes at a time, not 16
func.func @unaligned(%p: !tile.ptr<f32> {tile.divisibility = 4 : i64}, %n: index) {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %o = arith.constant 0 : index
  %x = tile.load %v[%o :+ 1024] : !tile.view<?xf32>, (index) -> tensor<1024xf32>
  tile.store %x, %v[%o :+ 1024] : tensor<1024xf32>, !tile.view<?xf32>, (index)
  return
}
