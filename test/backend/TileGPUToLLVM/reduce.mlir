// RUN: tile-opt %s --tgpu-lower-tiles --canonicalize --cse | FileCheck %s

// 512 elements on 128 threads: three additions of registers, five butterflies, four partial sums in shared memory.
#l = #tgpu.layout<"512: reg a1 a2; lane a4 a8 a16 a32 a64; warp a128 a256">
// CHECK-LABEL: func @to_scalar
// CHECK-COUNT-3: arith.addf
// CHECK:         nvvm.shfl.sync  bfly %{{.*}}, %{{.*}}, %c1_i32
// CHECK:         nvvm.shfl.sync  bfly %{{.*}}, %{{.*}}, %c2_i32
// CHECK:         nvvm.shfl.sync  bfly %{{.*}}, %{{.*}}, %c4_i32
// CHECK:         nvvm.shfl.sync  bfly %{{.*}}, %{{.*}}, %c8_i32
// CHECK:         nvvm.shfl.sync  bfly %{{.*}}, %{{.*}}, %c16_i32
// CHECK:         "@$0 st.shared.b32 [$1], $2;"
// CHECK-NEXT:    nvvm.barrier0
// CHECK:         llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-COUNT-3: arith.addf
// CHECK-NOT:     arith.addf
// CHECK:         return
func.func @to_scalar(%x: f32, %p: !tile.ptr<f32>, %n: index) attributes {tgpu.warps = 4 : i64, tgpu.shared_bytes = 16 : i64} {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %o = arith.constant 0 : index
  %t = tile.load %v[%o :+ 512] {unchecked} : !tile.view<?xf32>, (index) -> tensor<512xf32, #l>
  %s = tile.reduce %t axis 0 {tgpu.shared_offset = 0 : i64} : tensor<512xf32, #l> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %s, %v[%o] {unchecked} : f32, !tile.view<?xf32>, (index)
  return
}

// Two registers hold the same element, as do two lanes and all warps: it counts once.
#r = #tgpu.layout<"16: reg 0; lane a1 a2 a4 a8 0; warp 0 0">
// CHECK-LABEL: func @replicated
// CHECK-COUNT-4: nvvm.shfl.sync
// CHECK-NOT:     nvvm.shfl.sync
// CHECK-NOT:     nvvm.barrier0
func.func @replicated(%x: f32, %p: !tile.ptr<f32>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %o = arith.constant 0 : index
  %t = tile.load %v[%o :+ 16] {unchecked} : !tile.view<?xf32>, (index) -> tensor<16xf32, #r>
  %s = tile.reduce %t axis 0 : tensor<16xf32, #r> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %s, %v[%o] {unchecked} : f32, !tile.view<?xf32>, (index)
  return
}

// Sums of columns, of which each lane has four and a warp sixty-four: those of a warp lie side by side, so that both
// sides move 16 bytes a lane without a bank conflict.
#m = #tgpu.layout<"4x64: reg b1 b2; lane b4 b8 b16 b32 a1; warp a2">
#s = #tgpu.layout<"64: reg a1 a2; lane a4 a8 a16 a32 0; warp 0">
// CHECK-LABEL: func @columns
// CHECK:         "@$0 st.shared.v4.b32 [$1], {$2, $3, $4, $5};"
// CHECK-NOT:     st.shared
// CHECK:         nvvm.barrier0
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT:     llvm.load {{.*}} : !llvm.ptr<3>
// CHECK-COUNT-4: arith.addf
// CHECK-NOT:     arith.addf
func.func @columns(%x: f32, %p: !tile.ptr<f32>, %n: index) attributes {tgpu.warps = 2 : i64, tgpu.shared_bytes = 512 : i64} {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %o = arith.constant 0 : index
  %t = tile.splat %x : f32 -> tensor<4x64xf32, #m>
  %s = tile.reduce %t axis 0 {tgpu.shared_offset = 0 : i64} : tensor<4x64xf32, #m> -> tensor<64xf32, #s> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %s, %v[%o :+ 64] {unchecked} : tensor<64xf32, #s>, !tile.view<?xf32>, (index)
  return
}
