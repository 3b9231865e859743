// RUN: tile-opt %s --tgpu-store-in-slices --remarks-filter=tgpu-store-in-slices --remark-format=emitRemark 2>&1 | FileCheck %s

#sum = #tgpu.layout<"128x64: reg b1 a8 b8 a32 a64; lane b2 b4 a1 a2 a4; warp b16 b32 a16">
#rows = #tgpu.layout<"128x64: reg b1 b2 b4 a32 a64; lane b8 b16 b32 a1 a2; warp a4 a8 a16">

// CHECK: StoreInSlices{{.*}}Reason="neighbours in memory belong to several warps"
// CHECK-NOT: StoreInSlices
func.func @columns_of_warps(%x: tensor<128x64xbf16, #sum>, %v: !tile.view<?x?xbf16>, %m: index) attributes {tgpu.warps = 8 : i64} {
  %y = tgpu.convert_layout %x : tensor<128x64xbf16, #sum> -> tensor<128x64xbf16, #rows>
  tile.store %y, %v [%m :+ 128, %m :+ 64] {tgpu.access = #tgpu.access<vector = 8, whole = true>} : tensor<128x64xbf16, #rows>, <?x?xbf16>, (index, index)
  return
}

// That elements go one by one is said by their plan.
func.func @one_by_one(%x: tensor<128x64xbf16, #sum>, %v: !tile.view<?x?xbf16>, %m: index) attributes {tgpu.warps = 8 : i64} {
  %y = tgpu.convert_layout %x : tensor<128x64xbf16, #sum> -> tensor<128x64xbf16, #rows>
  tile.store %y, %v [%m :+ 128, %m :+ 64] {tgpu.access = #tgpu.access<vector = 1, whole = true>} : tensor<128x64xbf16, #rows>, <?x?xbf16>, (index, index)
  return
}
