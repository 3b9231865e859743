// RUN: tile-opt %s --tgpu-lower-tiles --canonicalize --cse | FileCheck %s

#l = #tgpu.layout<"256: reg a1; lane a2 a4 a8 a16 a32; warp a64 a128">

// CHECK-LABEL: func @masked_pointers
// CHECK:         "@$1 ld.global.b32 $0, [$2];"
// CHECK:         "@$0 st.global.b32 [$1], $2;"
func.func @masked_pointers(%p: !tile.ptr<f16>, %n: i32) attributes {tgpu.warps = 4 : i64} {
  %i = tile.iota : tensor<256xi32, #l>
  %ns = tile.splat %n : i32 -> tensor<256xi32, #l>
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32, #l>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>, #l>
  %q = tile.ptr_add %ps, %i : tensor<256x!tile.ptr<f16>, #l>, tensor<256xi32, #l>
  %x = tile.load_ptr %q mask %m : tensor<256xi1, #l> {tgpu.access = #tgpu.access<vector = 2>} : tensor<256x!tile.ptr<f16>, #l> -> tensor<256xf16, #l>
  tile.store_ptr %x, %q mask %m : tensor<256xi1, #l> {tgpu.access = #tgpu.access<vector = 2>} : tensor<256xf16, #l>, tensor<256x!tile.ptr<f16>, #l>
  return
}

// One thread adds, between the only fences; its result reaches all through shared memory.
// CHECK-LABEL: func @scalar_atomic
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK-NOT:     fence
// CHECK:         scf.if %[[FIRST]]
// CHECK-NEXT:      "fence.acq_rel.gpu;"
// CHECK-NEXT:      llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("device") monotonic
// CHECK-NEXT:      "fence.acq_rel.gpu;"
// CHECK-NOT:     fence
// CHECK:         "@$0 st.shared.b32
// CHECK:         nvvm.barrier0
// CHECK:         llvm.load {{.*}} !llvm.ptr<3>
func.func @scalar_atomic(%p: !tile.ptr<f32>, %x: f32) attributes {tgpu.warps = 4 : i64, tgpu.shared_bytes = 4 : i64} {
  %o = arith.constant 0 : index
  %v = tile.make_view %p, [4], [1] : !tile.ptr<f32> -> !tile.view<4xf32>
  %old = tile.atomic add %x, %v[%o] {unchecked, tgpu.shared_offset = 0 : i64} : f32, !tile.view<4xf32>, (index)
  tile.store %old, %v[%o] {unchecked} : f32, !tile.view<4xf32>, (index)
  return
}

// Rows that index tiles name; a row outside of the view is not touched.
#g = #tgpu.layout<"8x128: reg b1 b2 a4; lane b4 b8 b16 b32 b64; warp a1 a2">
#i = #tgpu.layout<"8: reg a4; lane 0 0 0 0 0; warp a1 a2">
// CHECK-LABEL: func @gather
// CHECK-COUNT-2: arith.cmpi ult, %{{.*}}, %c100_i64
// CHECK:         "@$4 ld.global.v4.b32
func.func @gather(%p: !tile.ptr<f32>, %q: !tile.ptr<i32>) attributes {tgpu.warps = 4 : i64} {
  %o = arith.constant 0 : index
  %v = tile.make_view %p, [100, 128], [128, 1] : !tile.ptr<f32> -> !tile.view<100x128xf32>
  %w = tile.make_view %q, [8], [1] : !tile.ptr<i32> -> !tile.view<8xi32>
  %rows = tile.load %w[%o :+ 8] {unchecked} : !tile.view<8xi32>, (index) -> tensor<8xi32, #i>
  %x = tile.load %v[%rows gather, %o :+ 128] {tgpu.access = #tgpu.access<vector = 4>} : !tile.view<100x128xf32>, (tensor<8xi32, #i>, index) -> tensor<8x128xf32, #g>
  tile.store %x, %v[%o :+ 8, %o :+ 128] {unchecked, tgpu.access = #tgpu.access<vector = 4>} : tensor<8x128xf32, #g>, !tile.view<100x128xf32>, (index, index)
  return
}
