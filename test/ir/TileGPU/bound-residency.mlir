// RUN: tile-opt %s --tgpu-bound-residency | FileCheck %s
// RUN: tile-opt %s --tgpu-bound-residency="registers=8192" | FileCheck %s --check-prefix=FEW

// As many blocks as have the registers and the shared memory, up to sixteen warps. A thread needs 12 words for a sum and
// a left factor in registers, and what is beside them.
// CHECK-LABEL: func @chained
// CHECK-SAME:    tgpu.resident_blocks = 4 : i64
// FEW-LABEL:   func @chained
// FEW-SAME:    tgpu.resident_blocks = 2 : i64

// CHECK-LABEL: func @much_shared
// CHECK-SAME:    tgpu.resident_blocks = 3 : i64

// One block that takes all is not bound.
// CHECK-LABEL: func @all_shared
// CHECK-NOT:     resident_blocks
// CHECK:         return

// Nothing between its products keeps the tensor cores waiting.
// CHECK-LABEL: func @plain
// CHECK-NOT:     resident_blocks
// CHECK:         return

// What is not copied ahead passes through registers.
// CHECK-LABEL: func @not_ahead
// CHECK-NOT:     resident_blocks
// CHECK:         return

#acc = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">
#s = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#left = #tgpu.layout<"64x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8 a16 a32">
#lhs = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">

func.func @chained(%p: tensor<64x16xbf16, #lhs>, %v: !tgpu.slot<16x16xbf16, #s>, %z: tensor<64x16xf32, #acc>, %n: index)
    attributes {tgpu.warps = 4 : i64, tgpu.stages = 2 : i64, tgpu.shared_bytes = 4096 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %c, %t = tgpu.mma_async ieee signed %p, %v, %z over [4, 1] {waits} : tensor<64x16xbf16, #lhs>, !tgpu.slot<16x16xbf16, #s>, tensor<64x16xf32, #acc>
  }
  return
}

func.func @much_shared(%p: tensor<64x16xbf16, #lhs>, %v: !tgpu.slot<16x16xbf16, #s>, %z: tensor<64x16xf32, #acc>, %n: index)
    attributes {tgpu.warps = 4 : i64, tgpu.stages = 2 : i64, tgpu.shared_bytes = 65536 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %c, %t = tgpu.mma_async ieee signed %p, %v, %z over [4, 1] {waits} : tensor<64x16xbf16, #lhs>, !tgpu.slot<16x16xbf16, #s>, tensor<64x16xf32, #acc>
  }
  return
}

func.func @all_shared(%p: tensor<64x16xbf16, #lhs>, %v: !tgpu.slot<16x16xbf16, #s>, %z: tensor<64x16xf32, #acc>, %n: index)
    attributes {tgpu.warps = 4 : i64, tgpu.stages = 2 : i64, tgpu.shared_bytes = 131072 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %c, %t = tgpu.mma_async ieee signed %p, %v, %z over [4, 1] {waits} : tensor<64x16xbf16, #lhs>, !tgpu.slot<16x16xbf16, #s>, tensor<64x16xf32, #acc>
  }
  return
}

func.func @plain(%p: !tgpu.slot<64x16xbf16, #left>, %v: !tgpu.slot<16x16xbf16, #s>, %z: tensor<64x16xf32, #acc>, %n: index)
    attributes {tgpu.warps = 4 : i64, tgpu.stages = 2 : i64, tgpu.shared_bytes = 4096 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %c, %t = tgpu.mma_async ieee signed %p, %v, %z over [4, 1] {waits} : !tgpu.slot<64x16xbf16, #left>, !tgpu.slot<16x16xbf16, #s>, tensor<64x16xf32, #acc>
  }
  return
}

func.func @not_ahead(%p: tensor<64x16xbf16, #lhs>, %v: !tgpu.slot<16x16xbf16, #s>, %z: tensor<64x16xf32, #acc>, %n: index)
    attributes {tgpu.warps = 4 : i64, tgpu.shared_bytes = 4096 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %c, %t = tgpu.mma_async ieee signed %p, %v, %z over [4, 1] {waits} : tensor<64x16xbf16, #lhs>, !tgpu.slot<16x16xbf16, #s>, tensor<64x16xf32, #acc>
  }
  return
}
