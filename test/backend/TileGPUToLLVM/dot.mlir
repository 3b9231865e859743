// RUN: tile-opt %s --tgpu-lower-tiles --canonicalize --cse | FileCheck %s

#a = #tgpu.layout<"16x16: reg b1; lane b2 b4 b8 a1 a2; warp a4 a8">
#c = #tgpu.layout<"16x16: reg b1; lane b2 b4 a1 a2 a4; warp a8 b8">

// Both factors travel through shared memory, swizzled, behind one barrier; fragments are read by ldmatrix, the right
// one transposed.
// CHECK-LABEL: func @tensor_cores
// CHECK-COUNT-2: llvm.store {{.*}} !llvm.ptr<3>
// CHECK-NEXT:    nvvm.barrier0
// CHECK-NOT:     nvvm.barrier0
// CHECK-DAG:     ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-DAG:     ldmatrix.sync.aligned.m8n8.x{{[24]}}.trans.shared.b16
// CHECK:         "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3};"
#acc = #tgpu.layout<"16x16: reg b1 a8; lane b2 b4 a1 a2 a4; warp b8 0">
func.func @tensor_cores(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>) attributes {tgpu.warps = 4 : i64, tgpu.shared_bytes = 1536 : i64} {
  %o = arith.constant 0 : index
  %v = tile.make_view %p, [16, 16], [16, 1] : !tile.ptr<bf16> -> !tile.view<16x16xbf16>
  %w = tile.make_view %q, [16, 16], [16, 1] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %x = tile.load %v[%o :+ 16, %o :+ 16] {unchecked} : !tile.view<16x16xbf16>, (index, index) -> tensor<16x16xbf16, #a>
  %z = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %d = tile.dot ieee signed %x, %x, %z {tgpu.mma = array<i64: 1, 2>, tgpu.shared_offset = 0 : i64} : tensor<16x16xbf16, #a>, tensor<16x16xbf16, #a>, tensor<16x16xf32, #acc>
  tile.store %d, %w[%o :+ 16, %o :+ 16] {unchecked} : tensor<16x16xf32, #acc>, !tile.view<16x16xf32>, (index, index)
  return
}

// CHECK-LABEL: func @sums_of_products
// CHECK:         nvvm.barrier0
// CHECK:         scf.for
// CHECK-COUNT-3:   llvm.load {{.*}} !llvm.ptr<3>
// CHECK-COUNT-2:   math.fma {{.*}} : f64
// CHECK-NOT:       math.fma
func.func @sums_of_products(%p: !tile.ptr<f64>) attributes {tgpu.warps = 4 : i64, tgpu.shared_bytes = 4096 : i64} {
  %o = arith.constant 0 : index
  %v = tile.make_view %p, [16, 16], [16, 1] : !tile.ptr<f64> -> !tile.view<16x16xf64>
  %x = tile.load %v[%o :+ 16, %o :+ 16] {unchecked} : !tile.view<16x16xf64>, (index, index) -> tensor<16x16xf64, #a>
  %z = arith.constant dense<0.0> : tensor<16x16xf64, #c>
  %d = tile.dot ieee signed %x, %x, %z {tgpu.shared_offset = 0 : i64} : tensor<16x16xf64, #a>, tensor<16x16xf64, #a>, tensor<16x16xf64, #c>
  tile.store %d, %v[%o :+ 16, %o :+ 16] {unchecked} : tensor<16x16xf64, #c>, !tile.view<16x16xf64>, (index, index)
  return
}

// In fragments already: nothing travels. Every element of f32 is rounded to tf32 once per thread that holds it.
#one = #tgpu.layout<"16x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp">
#a32 = #tgpu.layout<"16x8: reg a8 b4; lane b1 b2 a1 a2 a4; warp">
#b32 = #tgpu.layout<"8x8: reg a4; lane a1 a2 b1 b2 b4; warp">
// CHECK-LABEL: func @tf32_rounds_its_operands
// CHECK-NOT:     nvvm.barrier0
// CHECK-COUNT-6: "cvt.rna.tf32.f32 $0, $1;"
// CHECK:         "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK-NOT:     mma.sync
func.func @tf32_rounds_its_operands(%p: !tile.ptr<f32>) attributes {tgpu.warps = 1 : i64} {
  %o = arith.constant 0 : index
  %x = tile.make_view %p, [16, 8], [8, 1] : !tile.ptr<f32> -> !tile.view<16x8xf32>
  %a = tile.load %x[%o :+ 16, %o :+ 8] {unchecked} : !tile.view<16x8xf32>, (index, index) -> tensor<16x8xf32, #a32>
  %b = tile.load %x[%o :+ 8, %o :+ 8] {unchecked} : !tile.view<16x8xf32>, (index, index) -> tensor<8x8xf32, #b32>
  %c = arith.constant dense<0.0> : tensor<16x8xf32, #one>
  %d = tile.dot tf32 signed %a, %b, %c {tgpu.mma = array<i64: 1, 1>} : tensor<16x8xf32, #a32>, tensor<8x8xf32, #b32>, tensor<16x8xf32, #one>
  tile.store %d, %x[%o :+ 16, %o :+ 8] {unchecked} : tensor<16x8xf32, #one>, !tile.view<16x8xf32>, (index, index)
  return
}

// Sums of bytes wrap: no `.satfinite`. A long K continues the sums of what came before it.
#a8 = #tgpu.layout<"16x64: reg b1 b2 a8 b16 b32; lane b4 b8 a1 a2 a4; warp">
#b8 = #tgpu.layout<"64x8: reg a1 a2 a16 a32; lane a4 a8 b1 b2 b4; warp">
// CHECK-LABEL: func @bytes_wrap
// CHECK:         %[[FIRST:.*]] = llvm.inline_asm {{.*}}"mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32
// CHECK:         %[[SUM:.*]] = llvm.extractvalue %[[FIRST]][0]
// CHECK:         "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32{{.*}} %[[SUM]],
// CHECK-NOT:     mma.sync
func.func @bytes_wrap(%p: !tile.ptr<i8>, %q: !tile.ptr<i32>) attributes {tgpu.warps = 1 : i64} {
  %o = arith.constant 0 : index
  %x = tile.make_view %p, [16, 64], [64, 1] : !tile.ptr<i8> -> !tile.view<16x64xi8>
  %y = tile.make_view %p, [64, 8], [8, 1] : !tile.ptr<i8> -> !tile.view<64x8xi8>
  %z = tile.make_view %q, [16, 8], [8, 1] : !tile.ptr<i32> -> !tile.view<16x8xi32>
  %a = tile.load %x[%o :+ 16, %o :+ 64] {unchecked} : !tile.view<16x64xi8>, (index, index) -> tensor<16x64xi8, #a8>
  %b = tile.load %y[%o :+ 64, %o :+ 8] {unchecked} : !tile.view<64x8xi8>, (index, index) -> tensor<64x8xi8, #b8>
  %c = arith.constant dense<0> : tensor<16x8xi32, #one>
  %d = tile.dot ieee unsigned %a, %b, %c {tgpu.mma = array<i64: 1, 1>} : tensor<16x64xi8, #a8>, tensor<64x8xi8, #b8>, tensor<16x8xi32, #one>
  tile.store %d, %z[%o :+ 16, %o :+ 8] {unchecked} : tensor<16x8xi32, #one>, !tile.view<16x8xi32>, (index, index)
  return
}
