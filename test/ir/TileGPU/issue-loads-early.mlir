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

#a = #tgpu.layout<"16x16: reg b1; lane b2 b4 b8 a1 a2; warp a4 a8">
#acc = #tgpu.layout<"16x16: reg b1 a8; lane b2 b4 a1 a2 a4; warp b8 0">

// Beside products only what takes few registers.
// CHECK-LABEL: func @beside_a_product
// CHECK-NOT:     tgpu.resident_blocks
// CHECK:         tile.load %arg1 {{.*}} -> tensor<128xf32
// CHECK:         scf.for
// CHECK:         tile.load %arg1 {{.*}} -> tensor<1024xf32
func.func @beside_a_product(%x: tensor<16x16xbf16, #a>, %v: !tile.view<?xf32, constant>, %n: index, %z: tensor<16x16xf32, #acc>) -> (tensor<16x16xf32, #acc>, tensor<1024xf32, #tgpu.layout<"1024: reg a1 a2 a4; lane a8 a16 a32 a64 a128; warp a256 a512">>, tensor<128xf32, #tgpu.layout<"128: reg; lane a1 a2 a4 a8 a16; warp a32 a64">>) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %k = %c0 to %n step %c16 iter_args(%s = %z) -> (tensor<16x16xf32, #acc>) {
    %d = tile.dot ieee signed %x, %x, %s : tensor<16x16xbf16, #a>, tensor<16x16xbf16, #a>, tensor<16x16xf32, #acc>
    scf.yield %d : tensor<16x16xf32, #acc>
  }
  %large = tile.load %v[%c0 :+ 1024] : !tile.view<?xf32, constant>, (index) -> tensor<1024xf32, #tgpu.layout<"1024: reg a1 a2 a4; lane a8 a16 a32 a64 a128; warp a256 a512">>
  %small = tile.load %v[%c0 :+ 128] : !tile.view<?xf32, constant>, (index) -> tensor<128xf32, #tgpu.layout<"128: reg; lane a1 a2 a4 a8 a16; warp a32 a64">>
  return %r, %large, %small : tensor<16x16xf32, #acc>, tensor<1024xf32, #tgpu.layout<"1024: reg a1 a2 a4; lane a8 a16 a32 a64 a128; warp a256 a512">>, tensor<128xf32, #tgpu.layout<"128: reg; lane a1 a2 a4 a8 a16; warp a32 a64">>
}

#w = #tgpu.layout<"1024: reg a1 a2 a4; lane a8 a16 a32 a64 a128; warp a256 a512">

// Eight bf16 take four registers where they come in pairs at least, and eight where they come alone.
// CHECK-LABEL: func @alone_beside_a_product
// CHECK:         tile.load {{.*}}vector = 2
// CHECK:         scf.for
// CHECK:         tile.load {{.*}}vector = 1
func.func @alone_beside_a_product(%x: tensor<16x16xbf16, #a>, %v: !tile.view<?xbf16, constant>, %n: index, %z: tensor<16x16xf32, #acc>) -> (tensor<16x16xf32, #acc>, tensor<1024xbf16, #w>, tensor<1024xbf16, #w>) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %k = %c0 to %n step %c16 iter_args(%s = %z) -> (tensor<16x16xf32, #acc>) {
    %d = tile.dot ieee signed %x, %x, %s : tensor<16x16xbf16, #a>, tensor<16x16xbf16, #a>, tensor<16x16xf32, #acc>
    scf.yield %d : tensor<16x16xf32, #acc>
  }
  %alone = tile.load %v[%c0 :+ 1024] {tgpu.access = #tgpu.access<vector = 1>} : !tile.view<?xbf16, constant>, (index) -> tensor<1024xbf16, #w>
  %pairs = tile.load %v[%c0 :+ 1024] {tgpu.access = #tgpu.access<vector = 2>} : !tile.view<?xbf16, constant>, (index) -> tensor<1024xbf16, #w>
  return %r, %alone, %pairs : tensor<16x16xf32, #acc>, tensor<1024xbf16, #w>, tensor<1024xbf16, #w>
}
