// RUN: tile-opt %s --tgpu-issue-loads-early | FileCheck %s
// RUN: tile-opt %s --tgpu-issue-loads-early=blocks=6 | FileCheck %s --check-prefix=FEW

// No more blocks than a multiprocessor holds.
// FEW-LABEL: func @together
// FEW-SAME:    tgpu.resident_blocks = 6

#l = #tgpu.layout<"512: reg a1 a2; lane a4 a8 a16 a32 a64; warp a128 a256">

// CHECK-LABEL: func @together
// CHECK-SAME:    tgpu.resident_blocks = 8
// CHECK:         tile.load
// CHECK-NEXT:    tile.load
// CHECK-NEXT:    math.exp
func.func @together(%v: !tile.view<?xf32, constant>, %w: !tile.view<?xf32, constant>) -> tensor<512xf32, #l> attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0 :+ 512] : !tile.view<?xf32, constant>, (index) -> tensor<512xf32, #l>
  %e = math.exp %x : tensor<512xf32, #l>
  %y = tile.load %w[%c0 :+ 512] : !tile.view<?xf32, constant>, (index) -> tensor<512xf32, #l>
  %s = arith.addf %e, %y : tensor<512xf32, #l>
  return %s : tensor<512xf32, #l>
}

// The kernel may write what it reads: the load keeps its place.
// CHECK-LABEL: func @ordered
// CHECK:         math.exp
// CHECK-NEXT:    tile.load
func.func @ordered(%v: !tile.view<?xf32, constant>, %w: !tile.view<?xf32>) -> tensor<512xf32, #l> attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0 :+ 512] : !tile.view<?xf32, constant>, (index) -> tensor<512xf32, #l>
  %e = math.exp %x : tensor<512xf32, #l>
  %y = tile.load %w[%c0 :+ 512] : !tile.view<?xf32>, (index) -> tensor<512xf32, #l>
  %s = arith.addf %e, %y : tensor<512xf32, #l>
  return %s : tensor<512xf32, #l>
}
