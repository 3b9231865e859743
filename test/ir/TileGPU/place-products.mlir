// RUN: tile-opt %s --tgpu-place-products | FileCheck %s
// RUN: tile-opt %s --tgpu-place-products=limit=4096 | FileCheck %s --check-prefix=LITTLE
// RUN: tile-opt %s --tgpu-place-products --tgpu-count-groups --tgpu-allocate-shared --tgpu-insert-barriers \
// RUN:   --tgpu-verify-async | FileCheck %s --check-prefix=LOWERED

#rows = #tgpu.layout<"64x16: reg b1 b2 b4 a16; lane b8 a1 a2 a4 a8; warp a32 0">
#right = #tgpu.layout<"16x8: reg b1 b2; lane b4 a1 a2 a4 a8; warp 0 0">
#lhs = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">
#acc = #tgpu.layout<"64x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp a16 a32">

// Both factors are stored; one fence stands before the barrier that shows them to the product.
// CHECK-LABEL: func @stored
// CHECK:         %[[A:.*]] = tgpu.alloc : <1 of 64x16xbf16
// CHECK:         %[[AS:.*]] = tgpu.slot %[[A]]
// CHECK:         tgpu.store_shared %arg0, %[[AS]]
// CHECK:         %[[B:.*]] = tgpu.alloc : <1 of 16x8xbf16
// CHECK:         %[[BS:.*]] = tgpu.slot %[[B]]
// CHECK:         tgpu.store_shared %arg1, %[[BS]]
// CHECK:         %[[SUM:.*]], %{{.*}} = tgpu.mma_async ieee signed %[[AS]], %[[BS]], %arg2 over [4, 1] {waits}
// CHECK:         return %[[SUM]]
// LOWERED-LABEL: func @stored
// LOWERED:         tgpu.store_shared
// LOWERED-NOT:     tgpu.barrier
// LOWERED:         tgpu.store_shared
// LOWERED-NEXT:    tgpu.fence_async
// LOWERED-NEXT:    tgpu.barrier
// LOWERED-NEXT:    tgpu.mma_async
func.func @stored(%x: tensor<64x16xbf16, #rows>, %y: tensor<16x8xbf16, #right>, %z: tensor<64x8xf32, #acc>) -> tensor<64x8xf32, #acc> attributes {tgpu.warps = 4 : i64} {
  %d = tile.dot ieee signed %x, %y, %z {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #rows>, tensor<16x8xbf16, #right>, tensor<64x8xf32, #acc>
  return %d : tensor<64x8xf32, #acc>
}

// What another product left in registers is taken from there.
// CHECK-LABEL: func @in_registers
// CHECK-NOT:     tgpu.store_shared %arg0
// CHECK:         tgpu.mma_async ieee signed %arg0, %{{.*}}, %arg2 over [4, 1] {waits} : tensor<64x16xbf16
func.func @in_registers(%x: tensor<64x16xbf16, #lhs>, %y: tensor<16x8xbf16, #right>, %z: tensor<64x8xf32, #acc>) -> tensor<64x8xf32, #acc> attributes {tgpu.warps = 4 : i64} {
  %d = tile.dot ieee signed %x, %y, %z {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #lhs>, tensor<16x8xbf16, #right>, tensor<64x8xf32, #acc>
  return %d : tensor<64x8xf32, #acc>
}

// Barriers of other ops order what products read, too.
// LOWERED-LABEL: func @fence_before_scratch
// LOWERED:         tgpu.store_shared
// LOWERED:         tgpu.fence_async
// LOWERED-NEXT:    tgpu.convert_layout
// LOWERED-NOT:     tgpu.barrier
// LOWERED:         tgpu.mma_async
func.func @fence_before_scratch(%w: tensor<64x16xbf16, #rows>, %y: tensor<16x8xbf16, #right>, %z: tensor<64x8xf32, #acc>, %c0: index) -> tensor<64x8xf32, #acc> attributes {tgpu.warps = 4 : i64} {
  %buffer = tgpu.alloc : !tgpu.buffer<1 of 16x8xbf16, #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">>
  %s = tgpu.slot %buffer[%c0] : !tgpu.buffer<1 of 16x8xbf16, #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">>
  tgpu.store_shared %y, %s : tensor<16x8xbf16, #right>, !tgpu.slot<16x8xbf16, #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">>
  %x = tgpu.convert_layout %w : tensor<64x16xbf16, #rows> -> tensor<64x16xbf16, #lhs>
  %d, %t = tgpu.mma_async ieee signed %x, %s, %z over [4, 1] : tensor<64x16xbf16, #lhs>, !tgpu.slot<16x8xbf16, #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">>, tensor<64x8xf32, #acc>
  %r = tgpu.mma_wait[%t] of %d : tensor<64x8xf32, #acc>
  return %r : tensor<64x8xf32, #acc>
}

// What loops do not change is stored before the first of them, and for all of them; what changes is stored in each.
// CHECK-LABEL: func @unchanged
// CHECK:         tgpu.store_shared %arg0, %[[Q:.*]] :
// CHECK:         scf.for
// CHECK-NOT:       tgpu.store_shared %arg0
// CHECK:           tgpu.store_shared %{{.*}}, %[[K:.*]] :
// CHECK-NEXT:      tgpu.mma_async ieee signed %[[Q]], %[[K]]
// CHECK:         scf.for
// CHECK-NOT:       tgpu.store_shared %arg0
// CHECK:           tgpu.mma_async ieee signed %[[Q]],
// CHECK:         return
// LITTLE-LABEL: func @unchanged
// LITTLE:         scf.for
// LITTLE:           tgpu.store_shared %arg0
func.func @unchanged(%x: tensor<64x16xbf16, #rows>, %v: !tile.view<16x?xbf16>, %z: tensor<64x8xf32, #acc>, %n: index) -> tensor<64x8xf32, #acc> attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %first = scf.for %k = %c0 to %n step %c8 iter_args(%s = %z) -> (tensor<64x8xf32, #acc>) {
    %y = tile.load %v[%c0 :+ 16, %k :+ 8] : !tile.view<16x?xbf16>, (index, index) -> tensor<16x8xbf16, #right>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #rows>, tensor<16x8xbf16, #right>, tensor<64x8xf32, #acc>
    scf.yield %d : tensor<64x8xf32, #acc>
  }
  %second = scf.for %k = %c0 to %n step %c8 iter_args(%s = %first) -> (tensor<64x8xf32, #acc>) {
    %y = tile.load %v[%c0 :+ 16, %k :+ 8] : !tile.view<16x?xbf16>, (index, index) -> tensor<16x8xbf16, #right>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #rows>, tensor<16x8xbf16, #right>, tensor<64x8xf32, #acc>
    scf.yield %d : tensor<64x8xf32, #acc>
  }
  return %second : tensor<64x8xf32, #acc>
}
