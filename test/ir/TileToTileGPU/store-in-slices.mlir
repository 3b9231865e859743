// RUN: tile-opt %s --tgpu-store-in-slices | FileCheck %s
// RUN: tile-opt %s --tgpu-store-in-slices=matrices | FileCheck %s --check-prefix=MATRICES

#sum = #tgpu.layout<"128x64: reg b1 a8 b8 b16 b32; lane b2 b4 a1 a2 a4; warp a16 a32 a64">
#odd = #tgpu.layout<"128x192: reg b1 a8 b8 b16 b32 b*3; lane b2 b4 a1 a2 a4; warp a16 a32 a64">
#rows = #tgpu.layout<"128x64: reg b1 b2 b4 a32 a64; lane b8 b16 b32 a1 a2; warp a4 a8 a16">
#oddrows = #tgpu.layout<"128x192: reg b1 b2 b4 a32 a64 b*3; lane b8 b16 b32 a1 a2; warp a4 a8 a16">
#columns = #tgpu.layout<"128x64: reg b1 a8 b8 a32 a64; lane b2 b4 a1 a2 a4; warp b16 b32 a16">
#twice = #tgpu.layout<"128x64: reg b1 a8 b8 b16 b32 a64; lane b2 b4 a1 a2 a4; warp a16 a32 0">

// Rows stay with their warps; lanes write whole lines; what both layouts have in registers comes last.
// CHECK-DAG: #[[SUM:.*]] = #tgpu.layout<"128x64: reg b1 a8 b8 b16 b32; lane b2 b4 a1 a2 a4; warp a16 a32 a64">
// CHECK-DAG: #[[BY:.*]] = #tgpu.layout<"128x64: reg b1 b2 b4 a4 a8; lane b8 b16 b32 a1 a2; warp a16 a32 a64">
// CHECK-DAG: #[[ODD:.*]] = #tgpu.layout<"128x192: reg b1 b2 b4 a4 a8 b*3; lane b8 b16 b32 a1 a2; warp a16 a32 a64">
// CHECK-LABEL: func @sums
// CHECK-NOT:     convert_layout
// CHECK:         tile.store {{.*}}tgpu.through = #[[BY]]}{{.*}} : tensor<128x64xbf16, #[[SUM]]>
// CHECK-NOT:     stores_matrices
// MATRICES-LABEL: func @sums
// MATRICES:       tile.store {{.*}}tgpu.stores_matrices, tgpu.through
func.func @sums(%x: tensor<128x64xbf16, #sum>, %v: !tile.view<?x?xbf16>, %m: index) attributes {tgpu.warps = 8 : i64} {
  %y = tgpu.convert_layout %x : tensor<128x64xbf16, #sum> -> tensor<128x64xbf16, #rows>
  tile.store %y, %v [%m :+ 128, %m :+ 64] {tgpu.access = #tgpu.access<vector = 8, whole = true>} : tensor<128x64xbf16, #rows>, <?x?xbf16>, (index, index)
  return
}

// CHECK-LABEL: func @odd_extent
// CHECK:         tile.store {{.*}}tgpu.through = #[[ODD]]}
func.func @odd_extent(%x: tensor<128x192xbf16, #odd>, %v: !tile.view<?x?xbf16>, %m: index) attributes {tgpu.warps = 8 : i64} {
  %y = tgpu.convert_layout %x : tensor<128x192xbf16, #odd> -> tensor<128x192xbf16, #oddrows>
  tile.store %y, %v [%m :+ 128, %m :+ 192] {tgpu.access = #tgpu.access<vector = 8, whole = true>} : tensor<128x192xbf16, #oddrows>, <?x?xbf16>, (index, index)
  return
}

// The view may end within a vector.
// CHECK-LABEL: func @cut_vectors
// CHECK:         convert_layout
// CHECK:         tile.store
// CHECK-NOT:     through
// CHECK:         return
func.func @cut_vectors(%x: tensor<128x64xbf16, #sum>, %v: !tile.view<?x?xbf16>, %m: index) attributes {tgpu.warps = 8 : i64} {
  %y = tgpu.convert_layout %x : tensor<128x64xbf16, #sum> -> tensor<128x64xbf16, #rows>
  tile.store %y, %v [%m :+ 128, %m :+ 64] {tgpu.access = #tgpu.access<vector = 8>} : tensor<128x64xbf16, #rows>, <?x?xbf16>, (index, index)
  return
}

// Neighbours in memory belong to several warps.
// CHECK-LABEL: func @columns_of_warps
// CHECK:         convert_layout
// CHECK:         tile.store
// CHECK-NOT:     through
// CHECK:         return
func.func @columns_of_warps(%x: tensor<128x64xbf16, #columns>, %v: !tile.view<?x?xbf16>, %m: index) attributes {tgpu.warps = 8 : i64} {
  %y = tgpu.convert_layout %x : tensor<128x64xbf16, #columns> -> tensor<128x64xbf16, #rows>
  tile.store %y, %v [%m :+ 128, %m :+ 64] {tgpu.access = #tgpu.access<vector = 8, whole = true>} : tensor<128x64xbf16, #rows>, <?x?xbf16>, (index, index)
  return
}

// Two warps hold the same elements.
// CHECK-LABEL: func @held_twice
// CHECK:         convert_layout
// CHECK:         tile.store
// CHECK-NOT:     through
// CHECK:         return
func.func @held_twice(%x: tensor<128x64xbf16, #twice>, %v: !tile.view<?x?xbf16>, %m: index) attributes {tgpu.warps = 8 : i64} {
  %y = tgpu.convert_layout %x : tensor<128x64xbf16, #twice> -> tensor<128x64xbf16, #rows>
  tile.store %y, %v [%m :+ 128, %m :+ 64] {tgpu.access = #tgpu.access<vector = 8, whole = true>} : tensor<128x64xbf16, #rows>, <?x?xbf16>, (index, index)
  return
}

// Others want the converted tile too.
// CHECK-LABEL: func @two_users
// CHECK:         convert_layout
// CHECK-NOT:     through
// CHECK:         return
func.func @two_users(%x: tensor<128x64xbf16, #sum>, %v: !tile.view<?x?xbf16>, %m: index) -> tensor<128x64xbf16, #rows> attributes {tgpu.warps = 8 : i64} {
  %y = tgpu.convert_layout %x : tensor<128x64xbf16, #sum> -> tensor<128x64xbf16, #rows>
  tile.store %y, %v [%m :+ 128, %m :+ 64] {tgpu.access = #tgpu.access<vector = 8, whole = true>} : tensor<128x64xbf16, #rows>, <?x?xbf16>, (index, index)
  return %y : tensor<128x64xbf16, #rows>
}

#o = #tgpu.layout<"64x256: reg b1 a8 b8 b16 b32 b64 b128; lane b2 b4 a1 a2 a4; warp a16 a32">
#orows = #tgpu.layout<"64x256: reg b1 b2 b4 a4 a8 a16 a32; lane b8 b16 b32 b64 b128; warp a1 a2">
#p = #tgpu.layout<"64x64: reg b1 a8 b8 b16 b32; lane b2 b4 a1 a2 a4; warp a16 a32">
#s = #tgpu.layout<"64x256: offset b1 b2 b4 b8 b16 b32 a1^b8 a2^b16 a4^b32 a8 a16 a32 b64 b128">

// The sums and left factors of chained products leave no registers to spare.
// CHECK-LABEL: func @many_registers
// CHECK:         convert_layout
// CHECK:         tile.store
// CHECK-NOT:     through
// CHECK:         return
func.func @many_registers(%x: tensor<64x64xbf16, #p>, %b: !tgpu.slot<64x256xbf16, #s>, %z: tensor<64x256xf32, #o>, %v: !tile.view<?x?xbf16>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (tensor<64x256xf32, #o>) {
    %c, %t = tgpu.mma_async ieee signed %x, %b, %a over [4, 1] {waits} : tensor<64x64xbf16, #p>, !tgpu.slot<64x256xbf16, #s>, tensor<64x256xf32, #o>
    %q, %u = tgpu.mma_async ieee signed %x, %b, %z over [4, 1] {waits} : tensor<64x64xbf16, #p>, !tgpu.slot<64x256xbf16, #s>, tensor<64x256xf32, #o>
    scf.yield %c : tensor<64x256xf32, #o>
  }
  %h = arith.truncf %sum : tensor<64x256xf32, #o> to tensor<64x256xbf16, #o>
  %y = tgpu.convert_layout %h : tensor<64x256xbf16, #o> -> tensor<64x256xbf16, #orows>
  tile.store %y, %v [%c0 :+ 64, %c0 :+ 256] {tgpu.access = #tgpu.access<vector = 8, whole = true>} : tensor<64x256xbf16, #orows>, <?x?xbf16>, (index, index)
  return
}
