// RUN: tile-opt %s --tgpu-lower-tiles --canonicalize --cse | FileCheck %s

// Registers of the same thread in another order.
#a = #tgpu.layout<"128: reg a1 a64; lane a2 a4 a8 a16 a32; warp 0 0">
#b = #tgpu.layout<"128: reg a64 a1; lane a2 a4 a8 a16 a32; warp 0 0">
// CHECK-LABEL: func @registers
// CHECK-NOT:     shfl
// CHECK-NOT:     !llvm.ptr<3>
// CHECK:         return
func.func @registers(%p: !tile.ptr<f32>) attributes {tgpu.warps = 4 : i64} {
  %o = arith.constant 0 : index
  %v = tile.make_view %p, [128], [1] : !tile.ptr<f32> -> !tile.view<128xf32>
  %x = tile.load %v[%o :+ 128] {unchecked} : !tile.view<128xf32>, (index) -> tensor<128xf32, #a>
  %y = tgpu.convert_layout %x : tensor<128xf32, #a> -> tensor<128xf32, #b>
  tile.store %y, %v[%o :+ 128] {unchecked} : tensor<128xf32, #b>, !tile.view<128xf32>, (index)
  return
}

// Lanes of one warp exchange: two 16-bit elements share a shuffle.
#c = #tgpu.layout<"256: reg a1 a2; lane a4 a8 a16 a32 a64; warp a128 0">
#d = #tgpu.layout<"256: reg a32 a64; lane a1 a2 a4 a8 a16; warp a128 0">
// CHECK-LABEL: func @lanes
// CHECK-NOT:     !llvm.ptr<3>
// CHECK:         nvvm.shfl.sync
// CHECK-NOT:     !llvm.ptr<3>
// CHECK:         return
func.func @lanes(%p: !tile.ptr<f16>) attributes {tgpu.warps = 4 : i64} {
  %o = arith.constant 0 : index
  %v = tile.make_view %p, [256], [1] : !tile.ptr<f16> -> !tile.view<256xf16>
  %x = tile.load %v[%o :+ 256] {unchecked} : !tile.view<256xf16>, (index) -> tensor<256xf16, #c>
  %y = tgpu.convert_layout %x : tensor<256xf16, #c> -> tensor<256xf16, #d>
  tile.store %y, %v[%o :+ 256] {unchecked} : tensor<256xf16, #d>, !tile.view<256xf16>, (index)
  return
}

// Neighbours that stay together are words before they are selected, too.
#pairs = #tgpu.layout<"256: reg a1 a4; lane a2 a8 a16 a32 a64; warp a128 0">
// CHECK-LABEL: func @pairs
// CHECK-NOT:     arith.select {{.*}} : f16
// CHECK:         arith.select {{.*}} : i32
// CHECK-NOT:     arith.select {{.*}} : f16
// CHECK:         nvvm.shfl.sync
// CHECK-NOT:     arith.select {{.*}} : f16
// CHECK:         return
func.func @pairs(%p: !tile.ptr<f16>) attributes {tgpu.warps = 4 : i64} {
  %o = arith.constant 0 : index
  %v = tile.make_view %p, [256], [1] : !tile.ptr<f16> -> !tile.view<256xf16>
  %x = tile.load %v[%o :+ 256] {unchecked} : !tile.view<256xf16>, (index) -> tensor<256xf16, #c>
  %y = tgpu.convert_layout %x : tensor<256xf16, #c> -> tensor<256xf16, #pairs>
  tile.store %y, %v[%o :+ 256] {unchecked} : tensor<256xf16, #pairs>, !tile.view<256xf16>, (index)
  return
}

// Warps exchange: through shared memory, vectors on both sides.
#e = #tgpu.layout<"16x64: reg b1 b2 a8; lane b4 b8 b16 b32 a1; warp a2 a4">
#f = #tgpu.layout<"16x64: reg b1 b2 a1; lane a2 a4 a8 b4 b8; warp b16 b32">
// CHECK-LABEL: func @warps
// CHECK-COUNT-2: llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<3>
// CHECK:         nvvm.barrier0
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
func.func @warps(%p: !tile.ptr<f32>) attributes {tgpu.warps = 4 : i64, tgpu.shared_bytes = 4096 : i64} {
  %o = arith.constant 0 : index
  %v = tile.make_view %p, [16, 64], [64, 1] : !tile.ptr<f32> -> !tile.view<16x64xf32>
  %x = tile.load %v[%o :+ 16, %o :+ 64] {unchecked} : !tile.view<16x64xf32>, (index, index) -> tensor<16x64xf32, #e>
  %y = tgpu.convert_layout %x {tgpu.shared_offset = 0 : i64} : tensor<16x64xf32, #e> -> tensor<16x64xf32, #f>
  tile.store %y, %v[%o :+ 16, %o :+ 64] {unchecked} : tensor<16x64xf32, #f>, !tile.view<16x64xf32>, (index, index)
  return
}

// A store in slices: what leads to the second is computed, and what it loads is loaded, when the first has been written.
#sum = #tgpu.layout<"64x64: reg b1 a8 b8 b16 b32; lane b2 b4 a1 a2 a4; warp a16 a32">
#by = #tgpu.layout<"64x64: reg b1 b2 b4 a4 a8; lane b8 b16 b32 a1 a2; warp a16 a32">
// CHECK-LABEL: func @slices
// CHECK-NOT:     nvvm.barrier0
// CHECK-COUNT-16: arith.negf
// CHECK-NOT:     arith.negf
// CHECK:         bar.warp.sync
// CHECK-NOT:     arith.negf
// CHECK-COUNT-2: st.global.v4.b32
// CHECK-COUNT-16: arith.negf
// CHECK-NOT:     arith.negf
// CHECK:         bar.warp.sync
// CHECK-COUNT-2: st.global.v4.b32
// CHECK-NOT:     nvvm.barrier0
// CHECK:         return
func.func @slices(%p: !tile.ptr<bf16>, %q: !tile.ptr<bf16>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %o = arith.constant 0 : index
  %v = tile.make_view %p, [%n, %n], [%n, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16>
  %w = tile.make_view %q, [%n, %n], [%n, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16>
  %x = tile.load %v[%o :+ 64, %o :+ 64] : !tile.view<?x?xbf16>, (index, index) -> tensor<64x64xbf16, #sum>
  %y = arith.negf %x : tensor<64x64xbf16, #sum>
  tile.store %y, %w [%o :+ 64, %o :+ 64] {tgpu.access = #tgpu.access<vector = 8, whole = true>, tgpu.shared_offset = 0 : i64, tgpu.through = #by} : tensor<64x64xbf16, #sum>, <?x?xbf16>, (index, index)
  return
}

// What was loaded in front of a barrier of the block is not loaded behind it, where others may have written.
#wide = #tgpu.layout<"64x64: reg b16 b32 b8 a8 a4; lane b1 b2 b4 a16 a32; warp a1 a2">
// CHECK-LABEL: func @no_load_past_a_barrier
// CHECK-COUNT-2: nvvm.barrier0
// CHECK:         llvm.load {{.*}} !llvm.ptr<3>
// CHECK:         nvvm.barrier0
// CHECK-NOT:     llvm.load {{.*}} !llvm.ptr<3> -> vector<4xi32>
// CHECK:         bar.warp.sync
func.func @no_load_past_a_barrier(%p: !tile.ptr<bf16>, %q: !tile.ptr<bf16>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %o = arith.constant 0 : index
  %v = tile.make_view %p, [%n, %n], [%n, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16>
  %w = tile.make_view %q, [%n, %n], [%n, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16>
  %x = tile.load %v[%o :+ 64, %o :+ 64] : !tile.view<?x?xbf16>, (index, index) -> tensor<64x64xbf16, #wide>
  tgpu.barrier
  %y = tgpu.convert_layout %x {tgpu.shared_offset = 0 : i64} : tensor<64x64xbf16, #wide> -> tensor<64x64xbf16, #sum>
  tgpu.barrier
  tile.store %y, %w [%o :+ 64, %o :+ 64] {tgpu.access = #tgpu.access<vector = 8, whole = true>, tgpu.shared_offset = 0 : i64, tgpu.through = #by} : tensor<64x64xbf16, #sum>, <?x?xbf16>, (index, index)
  return
}

// What a slice takes from shared memory is loaded before the slice ahead of it is written there: a load cannot be moved
// over that by who does not know that the bytes are others.
// CHECK-LABEL: func @loads_a_slice_ahead
// CHECK:         nvvm.barrier0
// CHECK-COUNT-2: llvm.load {{.*}} !llvm.ptr<3> -> vector<4xi32>
// CHECK:         llvm.store {{.*}} vector<4xi32>, !llvm.ptr<3>
// CHECK-COUNT-2: llvm.load {{.*}} !llvm.ptr<3> -> vector<4xi32>
// CHECK-COUNT-8: arith.negf
// CHECK:         llvm.store {{.*}} vector<4xi32>, !llvm.ptr<3>
// CHECK:         bar.warp.sync
func.func @loads_a_slice_ahead(%p: !tile.ptr<bf16>, %q: !tile.ptr<bf16>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %o = arith.constant 0 : index
  %v = tile.make_view %p, [%n, %n], [%n, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16>
  %w = tile.make_view %q, [%n, %n], [%n, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16>
  %x = tile.load %v[%o :+ 64, %o :+ 64] : !tile.view<?x?xbf16>, (index, index) -> tensor<64x64xbf16, #wide>
  %y = tgpu.convert_layout %x {tgpu.shared_offset = 0 : i64} : tensor<64x64xbf16, #wide> -> tensor<64x64xbf16, #sum>
  %z = arith.negf %y : tensor<64x64xbf16, #sum>
  tile.store %z, %w [%o :+ 64, %o :+ 64] {tgpu.access = #tgpu.access<vector = 8, whole = true>, tgpu.shared_offset = 8192 : i64, tgpu.through = #by} : tensor<64x64xbf16, #sum>, <?x?xbf16>, (index, index)
  return
}

// Where there is stmatrix, it writes rows that are then loaded as they are stored.
// CHECK-LABEL: func @matrices
// CHECK-COUNT-2: stmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-NOT:     stmatrix
// CHECK:         bar.warp.sync
// CHECK-COUNT-2: llvm.load {{.*}} !llvm.ptr<3> -> vector<4xi32>
// CHECK:         st.global.v4.b32
// CHECK-COUNT-2: stmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK:         bar.warp.sync
// CHECK-NOT:     llvm.store
// CHECK:         return
func.func @matrices(%p: !tile.ptr<bf16>, %q: !tile.ptr<bf16>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %o = arith.constant 0 : index
  %v = tile.make_view %p, [%n, %n], [%n, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16>
  %w = tile.make_view %q, [%n, %n], [%n, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16>
  %x = tile.load %v[%o :+ 64, %o :+ 64] : !tile.view<?x?xbf16>, (index, index) -> tensor<64x64xbf16, #sum>
  tile.store %x, %w [%o :+ 64, %o :+ 64] {tgpu.access = #tgpu.access<vector = 8, whole = true>, tgpu.shared_offset = 0 : i64, tgpu.stores_matrices, tgpu.through = #by} : tensor<64x64xbf16, #sum>, <?x?xbf16>, (index, index)
  return
}
