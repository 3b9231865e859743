// RUN: tile-opt %s --tgpu-pipeline-loads --tgpu-count-groups --tgpu-allocate-shared="limit=65536" \
// RUN:   --tgpu-insert-barriers --tgpu-verify-async | FileCheck %s

// A factor that neither of two loops changes is stored once, before the first: stored again for the second it would stay
// in registers all through the first.
// CHECK-LABEL: func @two_loops
// CHECK:         %[[X:.*]] = tile.load
// CHECK:         %[[BUFFER:.*]] = tgpu.alloc {{.*}} : <1 of 64x16xbf16
// CHECK:         %[[SLOT:.*]] = tgpu.slot %[[BUFFER]]
// CHECK:         tgpu.store_shared %[[X]], %[[SLOT]]
// CHECK-NOT:     tgpu.store_shared
// CHECK:         scf.for
// CHECK:           tgpu.mma_async {{.*}} %[[SLOT]],
// CHECK-NOT:     tgpu.store_shared
// CHECK:         scf.for
// CHECK:           tgpu.mma_async {{.*}} %[[SLOT]],
// CHECK:         return

// Where the first loop need not run, what it stored is not there for the second.
// CHECK-LABEL: func @one_conditional
// CHECK:         scf.if
// CHECK:           tgpu.store_shared
// CHECK:           scf.for
// CHECK:         tgpu.store_shared
// CHECK:         scf.for

#a = #tgpu.layout<"64x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp a16 a32">
#b = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp 0 0">
#acc = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">
#plan = #tgpu.access<vector = 8, whole = true, nonNegative = [0, 1]>

func.func @two_loops(%v: !tile.view<?x?xbf16, constant>, %w: !tile.view<?x?xbf16, constant>, %n: index, %m: index,
                     %z: tensor<64x16xf32, #acc>) -> tensor<64x16xf32, #acc> attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %x = tile.load %v[%c0 :+ 64, %c0 :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x16xbf16, #a>
  %r = scf.for %k = %c0 to %n step %c16 iter_args(%s = %z) -> (tensor<64x16xf32, #acc>) {
    %y = tile.load %w[%k :+ 16, %c0 :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<16x16xbf16, #b>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #a>, tensor<16x16xbf16, #b>, tensor<64x16xf32, #acc>
    scf.yield %d : tensor<64x16xf32, #acc>
  }
  %q = scf.for %k = %n to %m step %c16 iter_args(%s = %r) -> (tensor<64x16xf32, #acc>) {
    %y = tile.load %w[%k :+ 16, %c0 :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<16x16xbf16, #b>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #a>, tensor<16x16xbf16, #b>, tensor<64x16xf32, #acc>
    scf.yield %d : tensor<64x16xf32, #acc>
  }
  return %q : tensor<64x16xf32, #acc>
}

func.func @one_conditional(%v: !tile.view<?x?xbf16, constant>, %w: !tile.view<?x?xbf16, constant>, %n: index, %m: index, %p: i1,
                           %z: tensor<64x16xf32, #acc>) -> tensor<64x16xf32, #acc> attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %x = tile.load %v[%c0 :+ 64, %c0 :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x16xbf16, #a>
  %r = scf.if %p -> (tensor<64x16xf32, #acc>) {
    %f = scf.for %k = %c0 to %n step %c16 iter_args(%s = %z) -> (tensor<64x16xf32, #acc>) {
      %y = tile.load %w[%k :+ 16, %c0 :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<16x16xbf16, #b>
      %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #a>, tensor<16x16xbf16, #b>, tensor<64x16xf32, #acc>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    scf.yield %f : tensor<64x16xf32, #acc>
  } else {
    scf.yield %z : tensor<64x16xf32, #acc>
  }
  %q = scf.for %k = %n to %m step %c16 iter_args(%s = %r) -> (tensor<64x16xf32, #acc>) {
    %y = tile.load %w[%k :+ 16, %c0 :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<16x16xbf16, #b>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #a>, tensor<16x16xbf16, #b>, tensor<64x16xf32, #acc>
    scf.yield %d : tensor<64x16xf32, #acc>
  }
  return %q : tensor<64x16xf32, #acc>
}
