// RUN: tile-opt %s --tgpu-verify-async --split-input-file --verify-diagnostics

#a = #tgpu.layout<"64x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8 a16 a32">
#b = #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">
#lhs = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">
#rows = #tgpu.layout<"16x8: reg a1 a2; lane a4 a8 b1 b2 b4; warp 0 0">
#acc = #tgpu.layout<"64x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp a16 a32">
// What is right: the product of this iteration is begun before that of the one before is waited for.
func.func @one_behind(%x: tensor<64x16xbf16, #lhs>, %y: tensor<16x8xbf16, #rows>, %z: tensor<64x8xf32, #acc>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %as = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<2 of 64x16xbf16, #a>
  %bs = tgpu.alloc {tgpu.shared_offset = 4096 : i64} : !tgpu.buffer<2 of 16x8xbf16, #b>
  %a0 = tgpu.slot %as[%c0] : !tgpu.buffer<2 of 64x16xbf16, #a>
  %b0 = tgpu.slot %bs[%c0] : !tgpu.buffer<2 of 16x8xbf16, #b>
  tgpu.store_shared %x, %a0 : tensor<64x16xbf16, #lhs>, !tgpu.slot<64x16xbf16, #a>
  tgpu.store_shared %y, %b0 : tensor<16x8xbf16, #rows>, !tgpu.slot<16x8xbf16, #b>
  tgpu.fence_async
  tgpu.barrier
  %none = tgpu.done
  %i, %sum, %last = scf.for %k = %c0 to %n step %c1 iter_args(%i = %c0, %s = %z, %before = %none) -> (index, tensor<64x8xf32, #acc>, !tgpu.token) {
    %next = arith.addi %i, %c1 : index
    %al = tgpu.slot %as[%i] : !tgpu.buffer<2 of 64x16xbf16, #a>
    %bl = tgpu.slot %bs[%i] : !tgpu.buffer<2 of 16x8xbf16, #b>
    %d, %t = tgpu.mma_async ieee signed %al, %bl, %s over [4, 1] : !tgpu.slot<64x16xbf16, #a>, !tgpu.slot<16x8xbf16, #b>, tensor<64x8xf32, #acc>
    tgpu.mma_wait[%before] {pending = 1 : i64}
    %an = tgpu.slot %as[%next] : !tgpu.buffer<2 of 64x16xbf16, #a>
    %bn = tgpu.slot %bs[%next] : !tgpu.buffer<2 of 16x8xbf16, #b>
    tgpu.barrier
    tgpu.store_shared %x, %an : tensor<64x16xbf16, #lhs>, !tgpu.slot<64x16xbf16, #a>
    tgpu.store_shared %y, %bn : tensor<16x8xbf16, #rows>, !tgpu.slot<16x8xbf16, #b>
    tgpu.fence_async
    tgpu.barrier
    scf.yield %next, %d, %t : index, tensor<64x8xf32, #acc>, !tgpu.token
  }
  %r = tgpu.mma_wait[%last] of %sum : tensor<64x8xf32, #acc> {pending = 0 : i64}
  return
}

// -----

#a = #tgpu.layout<"64x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8 a16 a32">
#b = #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">
#lhs = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">
#rows = #tgpu.layout<"16x8: reg a1 a2; lane a4 a8 b1 b2 b4; warp 0 0">
#acc = #tgpu.layout<"64x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp a16 a32">
func.func @no_fence(%x: tensor<64x16xbf16, #lhs>, %y: tensor<16x8xbf16, #rows>, %z: tensor<64x8xf32, #acc>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %as = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<2 of 64x16xbf16, #a>
  %bs = tgpu.alloc {tgpu.shared_offset = 4096 : i64} : !tgpu.buffer<2 of 16x8xbf16, #b>
  %a0 = tgpu.slot %as[%c0] : !tgpu.buffer<2 of 64x16xbf16, #a>
  %b0 = tgpu.slot %bs[%c0] : !tgpu.buffer<2 of 16x8xbf16, #b>
  tgpu.store_shared %x, %a0 : tensor<64x16xbf16, #lhs>, !tgpu.slot<64x16xbf16, #a>
  tgpu.fence_async
  // expected-note @below {{the other is here}}
  tgpu.store_shared %y, %b0 : tensor<16x8xbf16, #rows>, !tgpu.slot<16x8xbf16, #b>
  tgpu.barrier
  // expected-error @below {{'tgpu.mma_async' op reads a slot by another proxy than it was written; expected a tgpu.fence_async and a tgpu.barrier between}}
  %d, %t = tgpu.mma_async ieee signed %a0, %b0, %z over [4, 1] : !tgpu.slot<64x16xbf16, #a>, !tgpu.slot<16x8xbf16, #b>, tensor<64x8xf32, #acc>
  %r = tgpu.mma_wait[%t] of %d : tensor<64x8xf32, #acc> {pending = 0 : i64}
  return
}

// -----

#a = #tgpu.layout<"64x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8 a16 a32">
#b = #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">
#lhs = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">
#rows = #tgpu.layout<"16x8: reg a1 a2; lane a4 a8 b1 b2 b4; warp 0 0">
#acc = #tgpu.layout<"64x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp a16 a32">
// The threads that wrote have passed the barrier without it.
func.func @fence_after_the_barrier(%x: tensor<64x16xbf16, #lhs>, %y: tensor<16x8xbf16, #rows>, %z: tensor<64x8xf32, #acc>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %as = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<2 of 64x16xbf16, #a>
  %bs = tgpu.alloc {tgpu.shared_offset = 4096 : i64} : !tgpu.buffer<2 of 16x8xbf16, #b>
  %a0 = tgpu.slot %as[%c0] : !tgpu.buffer<2 of 64x16xbf16, #a>
  %b0 = tgpu.slot %bs[%c0] : !tgpu.buffer<2 of 16x8xbf16, #b>
  // expected-note @below {{the other is here}}
  tgpu.store_shared %x, %a0 : tensor<64x16xbf16, #lhs>, !tgpu.slot<64x16xbf16, #a>
  // expected-note @below {{the other is here}}
  tgpu.store_shared %y, %b0 : tensor<16x8xbf16, #rows>, !tgpu.slot<16x8xbf16, #b>
  tgpu.barrier
  tgpu.fence_async
  // expected-error @below {{'tgpu.mma_async' op reads a slot by another proxy than it was written; expected a tgpu.fence_async and a tgpu.barrier between}}
  %d, %t = tgpu.mma_async ieee signed %a0, %b0, %z over [4, 1] : !tgpu.slot<64x16xbf16, #a>, !tgpu.slot<16x8xbf16, #b>, tensor<64x8xf32, #acc>
  %r = tgpu.mma_wait[%t] of %d : tensor<64x8xf32, #acc> {pending = 0 : i64}
  return
}

// -----

#a = #tgpu.layout<"64x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8 a16 a32">
#b = #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">
#lhs = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">
#rows = #tgpu.layout<"16x8: reg a1 a2; lane a4 a8 b1 b2 b4; warp 0 0">
#acc = #tgpu.layout<"64x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp a16 a32">
func.func @overwritten(%x: tensor<64x16xbf16, #lhs>, %y: tensor<16x8xbf16, #rows>, %z: tensor<64x8xf32, #acc>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %as = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<2 of 64x16xbf16, #a>
  %bs = tgpu.alloc {tgpu.shared_offset = 4096 : i64} : !tgpu.buffer<2 of 16x8xbf16, #b>
  %a0 = tgpu.slot %as[%c0] : !tgpu.buffer<2 of 64x16xbf16, #a>
  %b0 = tgpu.slot %bs[%c0] : !tgpu.buffer<2 of 16x8xbf16, #b>
  tgpu.store_shared %x, %a0 : tensor<64x16xbf16, #lhs>, !tgpu.slot<64x16xbf16, #a>
  tgpu.store_shared %y, %b0 : tensor<16x8xbf16, #rows>, !tgpu.slot<16x8xbf16, #b>
  tgpu.fence_async
  tgpu.barrier
  // expected-note @below {{the other is here}}
  %d, %t = tgpu.mma_async ieee signed %a0, %b0, %z over [4, 1] : !tgpu.slot<64x16xbf16, #a>, !tgpu.slot<16x8xbf16, #b>, tensor<64x8xf32, #acc>
  // expected-error @below {{'tgpu.store_shared' op writes a slot that a product may still read; expected a tgpu.mma_wait for it before}}
  tgpu.store_shared %x, %a0 : tensor<64x16xbf16, #lhs>, !tgpu.slot<64x16xbf16, #a>
  %r = tgpu.mma_wait[%t] of %d : tensor<64x8xf32, #acc> {pending = 0 : i64}
  return
}

// -----

#a = #tgpu.layout<"64x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8 a16 a32">
#b = #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">
#lhs = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">
#rows = #tgpu.layout<"16x8: reg a1 a2; lane a4 a8 b1 b2 b4; warp 0 0">
#acc = #tgpu.layout<"64x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp a16 a32">
// A wait is for the products of this warp's group alone.
func.func @overwritten_by_others(%x: tensor<64x16xbf16, #lhs>, %y: tensor<16x8xbf16, #rows>, %z: tensor<64x8xf32, #acc>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %as = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<2 of 64x16xbf16, #a>
  %bs = tgpu.alloc {tgpu.shared_offset = 4096 : i64} : !tgpu.buffer<2 of 16x8xbf16, #b>
  %a0 = tgpu.slot %as[%c0] : !tgpu.buffer<2 of 64x16xbf16, #a>
  %b0 = tgpu.slot %bs[%c0] : !tgpu.buffer<2 of 16x8xbf16, #b>
  tgpu.store_shared %x, %a0 : tensor<64x16xbf16, #lhs>, !tgpu.slot<64x16xbf16, #a>
  tgpu.store_shared %y, %b0 : tensor<16x8xbf16, #rows>, !tgpu.slot<16x8xbf16, #b>
  tgpu.fence_async
  tgpu.barrier
  // expected-note @below {{the other is here}}
  %d, %t = tgpu.mma_async ieee signed %a0, %b0, %z over [4, 1] : !tgpu.slot<64x16xbf16, #a>, !tgpu.slot<16x8xbf16, #b>, tensor<64x8xf32, #acc>
  %r = tgpu.mma_wait[%t] of %d : tensor<64x8xf32, #acc> {pending = 0 : i64}
  // expected-error @below {{'tgpu.store_shared' op writes a slot that other threads may still read; expected a tgpu.barrier between}}
  tgpu.store_shared %x, %a0 : tensor<64x16xbf16, #lhs>, !tgpu.slot<64x16xbf16, #a>
  return
}

// -----

#a = #tgpu.layout<"64x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8 a16 a32">
#b = #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">
#lhs = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">
#rows = #tgpu.layout<"16x8: reg a1 a2; lane a4 a8 b1 b2 b4; warp 0 0">
#acc = #tgpu.layout<"64x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp a16 a32">
func.func @sum_used(%x: tensor<64x16xbf16, #lhs>, %y: tensor<16x8xbf16, #rows>, %z: tensor<64x8xf32, #acc>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %as = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<2 of 64x16xbf16, #a>
  %bs = tgpu.alloc {tgpu.shared_offset = 4096 : i64} : !tgpu.buffer<2 of 16x8xbf16, #b>
  %a0 = tgpu.slot %as[%c0] : !tgpu.buffer<2 of 64x16xbf16, #a>
  %b0 = tgpu.slot %bs[%c0] : !tgpu.buffer<2 of 16x8xbf16, #b>
  tgpu.store_shared %x, %a0 : tensor<64x16xbf16, #lhs>, !tgpu.slot<64x16xbf16, #a>
  tgpu.store_shared %y, %b0 : tensor<16x8xbf16, #rows>, !tgpu.slot<16x8xbf16, #b>
  tgpu.fence_async
  tgpu.barrier
  // expected-note @below {{the other is here}}
  %d, %t = tgpu.mma_async ieee signed %a0, %b0, %z over [4, 1] : !tgpu.slot<64x16xbf16, #a>, !tgpu.slot<16x8xbf16, #b>, tensor<64x8xf32, #acc>
  // expected-error @below {{'arith.addf' op uses a sum that a product under way may still change; expected a tgpu.mma_wait for it before}}
  %u = arith.addf %d, %z : tensor<64x8xf32, #acc>
  %r = tgpu.mma_wait[%t] of %d : tensor<64x8xf32, #acc> {pending = 0 : i64}
  return
}

// -----

#a = #tgpu.layout<"64x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8 a16 a32">
#b = #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">
#lhs = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">
#rows = #tgpu.layout<"16x8: reg a1 a2; lane a4 a8 b1 b2 b4; warp 0 0">
#acc = #tgpu.layout<"64x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp a16 a32">
func.func @sum_given_early(%x: tensor<64x16xbf16, #lhs>, %y: tensor<16x8xbf16, #rows>, %z: tensor<64x8xf32, #acc>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %as = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<2 of 64x16xbf16, #a>
  %bs = tgpu.alloc {tgpu.shared_offset = 4096 : i64} : !tgpu.buffer<2 of 16x8xbf16, #b>
  %a0 = tgpu.slot %as[%c0] : !tgpu.buffer<2 of 64x16xbf16, #a>
  %b0 = tgpu.slot %bs[%c0] : !tgpu.buffer<2 of 16x8xbf16, #b>
  tgpu.store_shared %x, %a0 : tensor<64x16xbf16, #lhs>, !tgpu.slot<64x16xbf16, #a>
  tgpu.store_shared %y, %b0 : tensor<16x8xbf16, #rows>, !tgpu.slot<16x8xbf16, #b>
  tgpu.fence_async
  tgpu.barrier
  %d, %t = tgpu.mma_async ieee signed %a0, %b0, %z over [4, 1] : !tgpu.slot<64x16xbf16, #a>, !tgpu.slot<16x8xbf16, #b>, tensor<64x8xf32, #acc>
  // expected-note @below {{the other is here}}
  %e, %u = tgpu.mma_async ieee signed %a0, %b0, %d over [4, 1] : !tgpu.slot<64x16xbf16, #a>, !tgpu.slot<16x8xbf16, #b>, tensor<64x8xf32, #acc>
  // expected-error @below {{'tgpu.mma_wait' op gives a sum whose product may be under way; expected to wait for its token}}
  %r = tgpu.mma_wait[%t] of %e : tensor<64x8xf32, #acc> {pending = 1 : i64}
  tgpu.mma_wait[%u]
  return
}

// -----

#a = #tgpu.layout<"64x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8 a16 a32">
#b = #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">
#lhs = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">
#rows = #tgpu.layout<"16x8: reg a1 a2; lane a4 a8 b1 b2 b4; warp 0 0">
#acc = #tgpu.layout<"64x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp a16 a32">
func.func @too_many_pending(%x: tensor<64x16xbf16, #lhs>, %y: tensor<16x8xbf16, #rows>, %z: tensor<64x8xf32, #acc>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %as = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<2 of 64x16xbf16, #a>
  %bs = tgpu.alloc {tgpu.shared_offset = 4096 : i64} : !tgpu.buffer<2 of 16x8xbf16, #b>
  %a0 = tgpu.slot %as[%c0] : !tgpu.buffer<2 of 64x16xbf16, #a>
  %b0 = tgpu.slot %bs[%c0] : !tgpu.buffer<2 of 16x8xbf16, #b>
  tgpu.store_shared %x, %a0 : tensor<64x16xbf16, #lhs>, !tgpu.slot<64x16xbf16, #a>
  tgpu.store_shared %y, %b0 : tensor<16x8xbf16, #rows>, !tgpu.slot<16x8xbf16, #b>
  tgpu.fence_async
  tgpu.barrier
  %d, %t = tgpu.mma_async ieee signed %a0, %b0, %z over [4, 1] : !tgpu.slot<64x16xbf16, #a>, !tgpu.slot<16x8xbf16, #b>, tensor<64x8xf32, #acc>
  // expected-error @below {{'tgpu.mma_wait' op lets 1 products be under way; expected at most 0, as many as were begun after what it waits for}}
  tgpu.mma_wait[%t] {pending = 1 : i64}
  tgpu.mma_wait[%t]
  return
}

// -----

#a = #tgpu.layout<"64x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8 a16 a32">
#b = #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">
#lhs = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">
#rows = #tgpu.layout<"16x8: reg a1 a2; lane a4 a8 b1 b2 b4; warp 0 0">
#acc = #tgpu.layout<"64x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp a16 a32">
func.func @left_under_way(%x: tensor<64x16xbf16, #lhs>, %y: tensor<16x8xbf16, #rows>, %z: tensor<64x8xf32, #acc>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %as = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<2 of 64x16xbf16, #a>
  %bs = tgpu.alloc {tgpu.shared_offset = 4096 : i64} : !tgpu.buffer<2 of 16x8xbf16, #b>
  %a0 = tgpu.slot %as[%c0] : !tgpu.buffer<2 of 64x16xbf16, #a>
  %b0 = tgpu.slot %bs[%c0] : !tgpu.buffer<2 of 16x8xbf16, #b>
  tgpu.store_shared %x, %a0 : tensor<64x16xbf16, #lhs>, !tgpu.slot<64x16xbf16, #a>
  tgpu.store_shared %y, %b0 : tensor<16x8xbf16, #rows>, !tgpu.slot<16x8xbf16, #b>
  tgpu.fence_async
  tgpu.barrier
  // expected-note @below {{the other is here}}
  %d, %t = tgpu.mma_async ieee signed %a0, %b0, %z over [4, 1] : !tgpu.slot<64x16xbf16, #a>, !tgpu.slot<16x8xbf16, #b>, tensor<64x8xf32, #acc>
  // expected-error @below {{'func.return' op the kernel ends while a product is under way; expected a tgpu.mma_wait for it}}
  return
}

// -----

#a = #tgpu.layout<"64x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8 a16 a32">
#b = #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">
#lhs = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">
#rows = #tgpu.layout<"16x8: reg a1 a2; lane a4 a8 b1 b2 b4; warp 0 0">
#acc = #tgpu.layout<"64x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp a16 a32">
// The left factor of the product before is still in these registers, and in the words made of them.
func.func @registers_set(%x: tensor<64x16xbf16, #lhs>, %y: tensor<16x8xbf16, #rows>, %z: tensor<64x8xf32, #acc>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %as = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<2 of 64x16xbf16, #a>
  %bs = tgpu.alloc {tgpu.shared_offset = 4096 : i64} : !tgpu.buffer<2 of 16x8xbf16, #b>
  %a0 = tgpu.slot %as[%c0] : !tgpu.buffer<2 of 64x16xbf16, #a>
  %b0 = tgpu.slot %bs[%c0] : !tgpu.buffer<2 of 16x8xbf16, #b>
  tgpu.store_shared %y, %b0 : tensor<16x8xbf16, #rows>, !tgpu.slot<16x8xbf16, #b>
  tgpu.fence_async
  tgpu.barrier
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<64x8xf32, #acc>) {
    // expected-error @below {{'arith.addf' op sets registers that a product under way may still read; expected a tgpu.mma_wait for it before}}
    %w = arith.addf %x, %x : tensor<64x16xbf16, #lhs>
    // expected-error @below {{'tgpu.mma_async' op sets registers that a product under way may still read; expected a tgpu.mma_wait for it before}}
    // expected-note @below {{the other is here}}
    %d, %t = tgpu.mma_async ieee signed %w, %b0, %s over [4, 1] : tensor<64x16xbf16, #lhs>, !tgpu.slot<16x8xbf16, #b>, tensor<64x8xf32, #acc>
    scf.yield %d : tensor<64x8xf32, #acc>
  }
  tgpu.mma_wait[]
  return
}

// -----

#a = #tgpu.layout<"64x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8 a16 a32">
#b = #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">
#lhs = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">
#rows = #tgpu.layout<"16x8: reg a1 a2; lane a4 a8 b1 b2 b4; warp 0 0">
#acc = #tgpu.layout<"64x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp a16 a32">
func.func @argument_set(%x: tensor<64x16xbf16, #lhs>, %y: tensor<16x8xbf16, #rows>, %z: tensor<64x8xf32, #acc>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %as = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<2 of 64x16xbf16, #a>
  %bs = tgpu.alloc {tgpu.shared_offset = 4096 : i64} : !tgpu.buffer<2 of 16x8xbf16, #b>
  %a0 = tgpu.slot %as[%c0] : !tgpu.buffer<2 of 64x16xbf16, #a>
  %b0 = tgpu.slot %bs[%c0] : !tgpu.buffer<2 of 16x8xbf16, #b>
  tgpu.store_shared %y, %b0 : tensor<16x8xbf16, #rows>, !tgpu.slot<16x8xbf16, #b>
  tgpu.fence_async
  tgpu.barrier
  // expected-error @below {{'scf.for' op sets registers that a product under way may still read; expected a tgpu.mma_wait for it before}}
  %w, %sum = scf.for %k = %c0 to %n step %c1 iter_args(%w = %x, %s = %z) -> (tensor<64x16xbf16, #lhs>, tensor<64x8xf32, #acc>) {
    tgpu.mma_wait[]
    // expected-note @below {{the other is here}}
    %d, %t = tgpu.mma_async ieee signed %w, %b0, %s over [4, 1] : tensor<64x16xbf16, #lhs>, !tgpu.slot<16x8xbf16, #b>, tensor<64x8xf32, #acc>
    %u = arith.addf %x, %x : tensor<64x16xbf16, #lhs>
    scf.yield %u, %d : tensor<64x16xbf16, #lhs>, tensor<64x8xf32, #acc>
  }
  tgpu.mma_wait[]
  return
}

// -----

#a = #tgpu.layout<"64x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8 a16 a32">
#b = #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">
#lhs = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">
#rows = #tgpu.layout<"16x8: reg a1 a2; lane a4 a8 b1 b2 b4; warp 0 0">
#w = #tgpu.layout<"64x16: reg b1 b2 b4; lane b8 a4 a8 a16 a32; warp a1 a2">
#acc = #tgpu.layout<"64x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp a16 a32">
func.func @scratch(%x: tensor<64x16xbf16, #lhs>, %y: tensor<16x8xbf16, #rows>, %z: tensor<64x8xf32, #acc>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %as = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<2 of 64x16xbf16, #a>
  %bs = tgpu.alloc {tgpu.shared_offset = 4096 : i64} : !tgpu.buffer<2 of 16x8xbf16, #b>
  %a0 = tgpu.slot %as[%c0] : !tgpu.buffer<2 of 64x16xbf16, #a>
  %b0 = tgpu.slot %bs[%c0] : !tgpu.buffer<2 of 16x8xbf16, #b>
  tgpu.store_shared %x, %a0 : tensor<64x16xbf16, #lhs>, !tgpu.slot<64x16xbf16, #a>
  tgpu.store_shared %y, %b0 : tensor<16x8xbf16, #rows>, !tgpu.slot<16x8xbf16, #b>
  tgpu.fence_async
  tgpu.barrier
  // expected-note @below {{the other is here}}
  %d, %t = tgpu.mma_async ieee signed %a0, %b0, %z over [4, 1] : !tgpu.slot<64x16xbf16, #a>, !tgpu.slot<16x8xbf16, #b>, tensor<64x8xf32, #acc>
  // expected-error @below {{'tgpu.convert_layout' op uses shared memory that a product may still read; expected a tgpu.mma_wait for it before}}
  %v = tgpu.convert_layout %x {tgpu.shared_offset = 0 : i64} : tensor<64x16xbf16, #lhs> -> tensor<64x16xbf16, #w>
  %r = tgpu.mma_wait[%t] of %d : tensor<64x8xf32, #acc> {pending = 0 : i64}
  return
}
