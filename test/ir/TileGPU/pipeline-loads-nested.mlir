// RUN: tile-opt %s --tgpu-pipeline-loads="limit=18432 shared=18432" --tgpu-count-groups \
// RUN:   --tgpu-allocate-shared="limit=18432" --tgpu-insert-barriers --tgpu-verify-async | FileCheck %s
// RUN: tile-opt %s --tgpu-pipeline-loads="limit=16384 shared=16384" | FileCheck %s --check-prefix=TIGHT

// The rings of a loop and of one within it live together. The inner one, of whose products most run, has its four
// stages of 3072 bytes, and the outer one what is left: two, or none.
// CHECK-LABEL: func @nested
// CHECK-SAME:    tgpu.shared_bytes = 18432
// CHECK:         tgpu.alloc {{.*}} : <2 of 64x16xbf16
// CHECK:         scf.for
// CHECK:           tgpu.alloc {{.*}} : <4 of 64x16xbf16
// CHECK:           scf.for
// TIGHT-LABEL: func @nested
// TIGHT-NOT:     tgpu.alloc
// TIGHT:         scf.for
// TIGHT:           tgpu.alloc : <4 of 64x16xbf16
// TIGHT:           scf.for

#a = #tgpu.layout<"64x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp a16 a32">
#b = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp 0 0">
#acc = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">
#plan = #tgpu.access<vector = 8, whole = true, nonNegative = [0, 1]>

func.func @nested(%v: !tile.view<?x?xbf16, constant>, %w: !tile.view<?x?xbf16, constant>, %n: index,
                  %z: tensor<64x16xf32, #acc>) -> tensor<64x16xf32, #acc> attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %j = %c0 to %n step %c16 iter_args(%s = %z) -> (tensor<64x16xf32, #acc>) {
    %x = tile.load %v[%c0 :+ 64, %j :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x16xbf16, #a>
    %y = tile.load %w[%j :+ 16, %c0 :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<16x16xbf16, #b>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 4, 1>} : tensor<64x16xbf16, #a>, tensor<16x16xbf16, #b>, tensor<64x16xf32, #acc>
    %q = scf.for %k = %c0 to %j step %c16 iter_args(%t = %d) -> (tensor<64x16xf32, #acc>) {
      %f = tile.load %v[%c0 :+ 64, %k :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x16xbf16, #a>
      %g = tile.load %w[%k :+ 16, %c0 :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<16x16xbf16, #b>
      %e = tile.dot ieee signed %f, %g, %t {tgpu.mma = array<i64: 4, 1>} : tensor<64x16xbf16, #a>, tensor<16x16xbf16, #b>, tensor<64x16xf32, #acc>
      scf.yield %e : tensor<64x16xf32, #acc>
    }
    scf.yield %q : tensor<64x16xf32, #acc>
  }
  return %r : tensor<64x16xf32, #acc>
}
