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
