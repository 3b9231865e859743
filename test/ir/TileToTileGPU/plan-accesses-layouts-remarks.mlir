// RUN: tile-opt %s --tgpu-plan-accesses --remarks-filter=tgpu-plan-accesses --remark-format=emitRemark 2>&1 | FileCheck %s

#narrow = #tgpu.layout<"64x32: reg b1 a16 a32; lane b2 b4 b8 b16 a1; warp a2 a4 a8">
#single = #tgpu.layout<"64x32: reg a16 a32; lane b1 b2 b4 b8 b16; warp a1 a2 a4 a8">
#small = #tgpu.layout<"1x128: reg; lane b1 b2 b4 b8 b16; warp b32 b64">

// CHECK: Reason="of a row only 2 neighbours belong to one thread"{{.*}}Suggestion="a larger tile or fewer warps leave more to a thread"
// CHECK: Reason="no two neighbours belong to one thread"
// Warps that were chosen are none too many.
// CHECK: Reason="of a row only 2 neighbours belong to one thread"
// CHECK-NOT: Suggestion
// A small tile has no vector for every thread.
// CHECK-NOT: Reason
func.func @layouts(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index, %s: index {tile.divisibility = 4 : i64}) {
  %v = tile.make_view %p, [%n, %n], [%s, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, constant>
  %o = arith.constant 0 : index
  %x = tile.load %v[%o :+ 64, %o :+ 32] : !tile.view<?x?xf32, constant>, (index, index) -> tensor<64x32xf32, #narrow>
  %y = tile.load %v[%o :+ 64, %o :+ 32] : !tile.view<?x?xf32, constant>, (index, index) -> tensor<64x32xf32, #single>
  %z = tile.load %v[%o :+ 1, %o :+ 128] : !tile.view<?x?xf32, constant>, (index, index) -> tensor<1x128xf32, #small>
  return
}
func.func @chosen(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index, %s: index {tile.divisibility = 4 : i64})
    attributes {tgpu.warps_chosen} {
  %v = tile.make_view %p, [%n, %n], [%s, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, constant>
  %o = arith.constant 0 : index
  %x = tile.load %v[%o :+ 64, %o :+ 32] : !tile.view<?x?xf32, constant>, (index, index) -> tensor<64x32xf32, #narrow>
  return
}
