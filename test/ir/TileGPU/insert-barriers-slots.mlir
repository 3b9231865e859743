// RUN: tile-opt %s --tgpu-insert-barriers | FileCheck %s

#s = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#r = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">

// A barrier before the wait orders nothing for the copy.
// CHECK-LABEL: func @after_the_wait
// CHECK:         tgpu.barrier
// CHECK:         tgpu.wait
// CHECK-NEXT:    tgpu.barrier
// CHECK-NEXT:    tgpu.load_shared
func.func @after_the_wait(%v: !tile.view<?x?xbf16, constant>, %n: index) -> tensor<16x16xbf16, #r> {
  %0 = tgpu.alloc : !tgpu.buffer<1 of 16x16xbf16, #s>
  %a = tgpu.slot %0[%n] : !tgpu.buffer<1 of 16x16xbf16, #s>
  %t = tgpu.copy_async %v[%n :+ 16, %n :+ 16] into %a by #r : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #s>
  %g = tgpu.commit[%t]
  tgpu.barrier
  tgpu.wait[%g]
  %x = tgpu.load_shared %a : !tgpu.slot<16x16xbf16, #s> -> tensor<16x16xbf16, #r>
  return %x : tensor<16x16xbf16, #r>
}

// Slots of different stages do not meet, those as far apart as the ring is long do.
// CHECK-LABEL: func @stages
// CHECK:         tgpu.store_shared
// CHECK-NEXT:    tgpu.load_shared
// CHECK-NEXT:    tgpu.barrier
// CHECK-NEXT:    tgpu.load_shared
func.func @stages(%x: tensor<16x16xbf16, #r>, %n: index) -> (tensor<16x16xbf16, #r>, tensor<16x16xbf16, #r>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = tgpu.alloc : !tgpu.buffer<2 of 16x16xbf16, #s>
  %n1 = arith.addi %n, %c1 : index
  %n2 = arith.addi %n, %c2 : index
  %a = tgpu.slot %0[%n] : !tgpu.buffer<2 of 16x16xbf16, #s>
  %b = tgpu.slot %0[%n1] : !tgpu.buffer<2 of 16x16xbf16, #s>
  %c = tgpu.slot %0[%n2] : !tgpu.buffer<2 of 16x16xbf16, #s>
  tgpu.store_shared %x, %a : tensor<16x16xbf16, #r>, !tgpu.slot<16x16xbf16, #s>
  %y = tgpu.load_shared %b : !tgpu.slot<16x16xbf16, #s> -> tensor<16x16xbf16, #r>
  %z = tgpu.load_shared %c : !tgpu.slot<16x16xbf16, #s> -> tensor<16x16xbf16, #r>
  return %y, %z : tensor<16x16xbf16, #r>, tensor<16x16xbf16, #r>
}

// What is stored for the next iteration in a ring of two waits for one barrier per iteration.
// CHECK-LABEL: func @next_iteration
// CHECK:         scf.for
// CHECK-NOT:       tgpu.barrier
// CHECK:           tgpu.store_shared
// CHECK-NEXT:      tgpu.barrier
// CHECK-NEXT:      tgpu.load_shared
// CHECK-NOT:       tgpu.barrier
// CHECK:           scf.yield
func.func @next_iteration(%x: tensor<16x16xbf16, #r>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tgpu.alloc : !tgpu.buffer<2 of 16x16xbf16, #s>
  %i = scf.for %k = %c0 to %n step %c1 iter_args(%i = %c0) -> (index) {
    %a = tgpu.slot %0[%i] : !tgpu.buffer<2 of 16x16xbf16, #s>
    tgpu.store_shared %x, %a : tensor<16x16xbf16, #r>, !tgpu.slot<16x16xbf16, #s>
    %y = tgpu.load_shared %a : !tgpu.slot<16x16xbf16, #s> -> tensor<16x16xbf16, #r>
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}

#pa = #tgpu.layout<"64x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8 a16 a32">
#pb = #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">
#acc = #tgpu.layout<"64x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp a16 a32">
#rows = #tgpu.layout<"16x8: reg a1 a2; lane a4 a8 b1 b2 b4; warp 0 0">

// A fence between the proxies stands where a product may follow, be it in the next iteration.
// CHECK-LABEL: func @fences
// CHECK:         scf.for
// CHECK:           tgpu.mma_async
// CHECK:           tgpu.store_shared
// CHECK-NEXT:      tgpu.fence_async
// CHECK-NEXT:      tgpu.barrier
// CHECK-NEXT:      tgpu.load_shared
// CHECK:         }
// CHECK:         tgpu.store_shared
// CHECK-NEXT:    tgpu.barrier
// CHECK-NEXT:    tgpu.load_shared
func.func @fences(%x: tensor<16x8xbf16, #rows>, %z: tensor<64x8xf32, #acc>, %n: index) -> tensor<16x8xbf16, #rows> attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %as = tgpu.alloc : !tgpu.buffer<1 of 64x16xbf16, #pa>
  %bs = tgpu.alloc : !tgpu.buffer<1 of 16x8xbf16, #pb>
  %a0 = tgpu.slot %as[%c0] : !tgpu.buffer<1 of 64x16xbf16, #pa>
  %b0 = tgpu.slot %bs[%c0] : !tgpu.buffer<1 of 16x8xbf16, #pb>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<64x8xf32, #acc>) {
    %d, %t = tgpu.mma_async ieee signed %a0, %b0, %s over [4, 1] {waits} : !tgpu.slot<64x16xbf16, #pa>, !tgpu.slot<16x8xbf16, #pb>, tensor<64x8xf32, #acc>
    tgpu.store_shared %x, %b0 : tensor<16x8xbf16, #rows>, !tgpu.slot<16x8xbf16, #pb>
    %y = tgpu.load_shared %b0 : !tgpu.slot<16x8xbf16, #pb> -> tensor<16x8xbf16, #rows>
    scf.yield %d : tensor<64x8xf32, #acc>
  }
  tgpu.store_shared %x, %b0 : tensor<16x8xbf16, #rows>, !tgpu.slot<16x8xbf16, #pb>
  %y = tgpu.load_shared %b0 : !tgpu.slot<16x8xbf16, #pb> -> tensor<16x8xbf16, #rows>
  return %y : tensor<16x8xbf16, #rows>
}
