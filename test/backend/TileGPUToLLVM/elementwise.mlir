// RUN: tile-opt %s --tgpu-lower-tiles --canonicalize --cse | FileCheck %s

// Two elements a thread.
#l = #tgpu.layout<"256: reg a1; lane a2 a4 a8 a16 a32; warp a64 a128">

// An op with two results, of which one is used.
// CHECK-LABEL: func @two_results
// CHECK-COUNT-2: arith.mulsi_extended %{{.*}}, %{{.*}} : i32
// CHECK-NOT:     arith.mulsi_extended
// CHECK:         return
func.func @two_results(%p: !tile.ptr<i32>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<i32> -> !tile.view<?xi32>
  %o = arith.constant 0 : index
  %t = tile.load %v[%o :+ 256] {unchecked} : !tile.view<?xi32>, (index) -> tensor<256xi32, #l>
  %low, %high = arith.mulsi_extended %t, %t : tensor<256xi32, #l>
  tile.store %high, %v[%o :+ 256] {unchecked} : tensor<256xi32, #l>, !tile.view<?xi32>, (index)
  return
}
