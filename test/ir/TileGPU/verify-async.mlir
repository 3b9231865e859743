// RUN: tile-opt %s --tgpu-verify-async --split-input-file --verify-diagnostics

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">

// What is right: the copy for the next iteration beside the read of this one's.
func.func @ring_of_two(%v: !tile.view<?x?xbf16, constant>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tgpu.alloc : !tgpu.buffer<2 of 16x16xbf16, #a>
  %s0 = tgpu.slot %ring[%c0] : !tgpu.buffer<2 of 16x16xbf16, #a>
  %t0 = tgpu.copy_async %v[%c0 :+ 16, %c0 :+ 16] into %s0 by #copy : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
  %g0 = tgpu.commit[%t0]
  %i, %last = scf.for %k = %c0 to %n step %c1 iter_args(%i = %c0, %g = %g0) -> (index, !tgpu.token) {
    tgpu.wait[%g] {pending = 0 : i64}
    tgpu.barrier
    %next = arith.addi %i, %c1 : index
    %s = tgpu.slot %ring[%next] : !tgpu.buffer<2 of 16x16xbf16, #a>
    %t = tgpu.copy_async %v[%c0 :+ 16, %k :+ 16] into %s by #copy : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
    %h = tgpu.commit[%t]
    %r = tgpu.slot %ring[%i] : !tgpu.buffer<2 of 16x16xbf16, #a>
    %x = tgpu.load_shared %r : !tgpu.slot<16x16xbf16, #a> -> tensor<16x16xbf16, #copy>
    scf.yield %next, %h : index, !tgpu.token
  }
  tgpu.wait[%last]
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
func.func @no_wait(%v: !tile.view<?x?xbf16, constant>, %n: index) {
  %ring = tgpu.alloc : !tgpu.buffer<1 of 16x16xbf16, #a>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<1 of 16x16xbf16, #a>
  // expected-note @below {{the other is here}}
  %t = tgpu.copy_async %v[%n :+ 16, %n :+ 16] into %s by #copy : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
  %g = tgpu.commit[%t]
  tgpu.barrier
  // expected-error @below {{'tgpu.load_shared' op reads a slot into which a copy is under way; expected a tgpu.wait for it before}}
  %x = tgpu.load_shared %s : !tgpu.slot<16x16xbf16, #a> -> tensor<16x16xbf16, #copy>
  tgpu.wait[%g]
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
// A copy in no group is waited for by nobody.
func.func @no_commit(%v: !tile.view<?x?xbf16, constant>, %n: index) {
  %ring = tgpu.alloc : !tgpu.buffer<1 of 16x16xbf16, #a>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<1 of 16x16xbf16, #a>
  %g = tgpu.commit[]
  // expected-note @below {{the other is here}}
  %t = tgpu.copy_async %v[%n :+ 16, %n :+ 16] into %s by #copy : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
  tgpu.wait[%g]
  // expected-error @below {{'func.return' op the kernel ends while a copy is under way; expected a tgpu.wait for it}}
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
func.func @no_barrier_before_the_read(%v: !tile.view<?x?xbf16, constant>, %n: index) {
  %ring = tgpu.alloc : !tgpu.buffer<1 of 16x16xbf16, #a>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<1 of 16x16xbf16, #a>
  // expected-note @below {{the other is here}}
  %t = tgpu.copy_async %v[%n :+ 16, %n :+ 16] into %s by #copy : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
  %g = tgpu.commit[%t]
  tgpu.wait[%g]
  // expected-error @below {{'tgpu.load_shared' op reads a slot that other threads may still write; expected a tgpu.barrier between}}
  %x = tgpu.load_shared %s : !tgpu.slot<16x16xbf16, #a> -> tensor<16x16xbf16, #copy>
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
func.func @no_barrier_before_the_copy(%v: !tile.view<?x?xbf16, constant>, %n: index) {
  %ring = tgpu.alloc : !tgpu.buffer<1 of 16x16xbf16, #a>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<1 of 16x16xbf16, #a>
  // expected-note @below {{the other is here}}
  %x = tgpu.load_shared %s : !tgpu.slot<16x16xbf16, #a> -> tensor<16x16xbf16, #copy>
  // expected-error @below {{'tgpu.copy_async' op writes a slot that other threads may still read; expected a tgpu.barrier between}}
  %t = tgpu.copy_async %v[%n :+ 16, %n :+ 16] into %s by #copy : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
  %g = tgpu.commit[%t]
  tgpu.wait[%g]
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
func.func @wait_for_too_few(%v: !tile.view<?x?xbf16, constant>, %n: index) {
  %ring = tgpu.alloc : !tgpu.buffer<1 of 16x16xbf16, #a>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<1 of 16x16xbf16, #a>
  // expected-note @below {{the other is here}}
  %t = tgpu.copy_async %v[%n :+ 16, %n :+ 16] into %s by #copy : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
  %g = tgpu.commit[%t]
  %h = tgpu.commit[]
  // expected-error @below {{'tgpu.wait' op lets 2 groups be under way; expected at most 1, as many as were begun after what it waits for}}
  tgpu.wait[%g] {pending = 2 : i64}
  // expected-error @below {{'func.return' op the kernel ends while a copy is under way; expected a tgpu.wait for it}}
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
// The slot of the iteration after the next is that of this one.
func.func @one_stage_too_few(%v: !tile.view<?x?xbf16, constant>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ring = tgpu.alloc : !tgpu.buffer<2 of 16x16xbf16, #a>
  %i = scf.for %k = %c0 to %n step %c1 iter_args(%i = %c0) -> (index) {
    tgpu.barrier
    %r = tgpu.slot %ring[%i] : !tgpu.buffer<2 of 16x16xbf16, #a>
    // expected-note @below {{the other is here}}
    %x = tgpu.load_shared %r : !tgpu.slot<16x16xbf16, #a> -> tensor<16x16xbf16, #copy>
    %ahead = arith.addi %i, %c2 : index
    %s = tgpu.slot %ring[%ahead] : !tgpu.buffer<2 of 16x16xbf16, #a>
    // expected-error @below {{'tgpu.copy_async' op writes a slot that other threads may still read; expected a tgpu.barrier between}}
    %t = tgpu.copy_async %v[%c0 :+ 16, %k :+ 16] into %s by #copy : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
    %g = tgpu.commit[%t]
    tgpu.wait[%g]
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
// A second copy into the slot of the first.
func.func @copy_over_a_copy(%v: !tile.view<?x?xbf16, constant>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tgpu.alloc : !tgpu.buffer<1 of 16x16xbf16, #a>
  %g0 = tgpu.commit[]
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%g = %g0) -> (!tgpu.token) {
    tgpu.wait[%g] {pending = 0 : i64}
    tgpu.barrier
    %s = tgpu.slot %ring[%k] : !tgpu.buffer<1 of 16x16xbf16, #a>
    // expected-note @below {{the other is here}}
    %t = tgpu.copy_async %v[%c0 :+ 16, %k :+ 16] into %s by #copy : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
    %h = tgpu.commit[%t]
    // expected-error @below {{'tgpu.copy_async' op writes a slot into which a copy is under way; expected a tgpu.wait for it before}}
    %u = tgpu.copy_async %v[%c0 :+ 16, %k :+ 16] into %s by #copy : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
    %j = tgpu.commit[%u]
    scf.yield %j : !tgpu.token
  }
  tgpu.wait[%last]
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
// The index is no counter of the loop, so nothing tells the iterations' slots apart.
func.func @index_that_is_no_counter(%v: !tile.view<?x?xbf16, constant>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tgpu.alloc : !tgpu.buffer<4 of 16x16xbf16, #a>
  %g0 = tgpu.commit[]
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%g = %g0) -> (!tgpu.token) {
    %square = arith.muli %k, %k : index
    %s = tgpu.slot %ring[%square] : !tgpu.buffer<4 of 16x16xbf16, #a>
    // expected-error @below {{'tgpu.copy_async' op writes a slot into which it may still be copying; expected a tgpu.wait between}}
    %t = tgpu.copy_async %v[%c0 :+ 16, %k :+ 16] into %s by #copy : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
    %h = tgpu.commit[%t]
    scf.yield %h : !tgpu.token
  }
  tgpu.wait[%last]
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
#rows = #tgpu.layout<"16x64: reg b1 b2 a8; lane b4 b8 b16 b32 a1; warp a2 a4">
#columns = #tgpu.layout<"16x64: reg a2 a4 a8; lane b1 b2 b4 b8 b16; warp b32 a1">
// Scratch at bytes of a buffer.
func.func @scratch_over_a_copy(%v: !tile.view<?x?xbf16, constant>, %n: index, %x: tensor<16x64xf32, #rows>) -> tensor<16x64xf32, #columns> {
  %ring = tgpu.alloc {tgpu.shared_offset = 1024 : i64} : !tgpu.buffer<1 of 16x16xbf16, #a>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<1 of 16x16xbf16, #a>
  // expected-note @below {{the other is here}}
  %t = tgpu.copy_async %v[%n :+ 16, %n :+ 16] into %s by #copy : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
  %g = tgpu.commit[%t]
  // expected-error @below {{'tgpu.convert_layout' op uses shared memory into which a copy is under way; expected a tgpu.wait for it before}}
  %y = tgpu.convert_layout %x {tgpu.shared_offset = 0 : i64} : tensor<16x64xf32, #rows> -> tensor<16x64xf32, #columns>
  tgpu.wait[%g]
  return %y : tensor<16x64xf32, #columns>
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
#rows = #tgpu.layout<"16x64: reg b1 b2 a8; lane b4 b8 b16 b32 a1; warp a2 a4">
#columns = #tgpu.layout<"16x64: reg a2 a4 a8; lane b1 b2 b4 b8 b16; warp b32 a1">
func.func @scratch_over_a_read(%n: index, %x: tensor<16x64xf32, #rows>) -> (tensor<16x16xbf16, #copy>, tensor<16x64xf32, #columns>) {
  %ring = tgpu.alloc {tgpu.shared_offset = 1024 : i64} : !tgpu.buffer<1 of 16x16xbf16, #a>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<1 of 16x16xbf16, #a>
  // expected-note @below {{the other is here}}
  %z = tgpu.load_shared %s : !tgpu.slot<16x16xbf16, #a> -> tensor<16x16xbf16, #copy>
  // expected-error @below {{'tgpu.convert_layout' op uses shared memory that other threads may still access; expected a tgpu.barrier between}}
  %y = tgpu.convert_layout %x {tgpu.shared_offset = 0 : i64} : tensor<16x64xf32, #rows> -> tensor<16x64xf32, #columns>
  return %z, %y : tensor<16x16xbf16, #copy>, tensor<16x64xf32, #columns>
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
#rows = #tgpu.layout<"16x64: reg b1 b2 a8; lane b4 b8 b16 b32 a1; warp a2 a4">
#columns = #tgpu.layout<"16x64: reg a2 a4 a8; lane b1 b2 b4 b8 b16; warp b32 a1">
// The barrier within the conversion is one for the slot, too; a buffer elsewhere is nobody's business.
func.func @scratch_beside(%n: index, %x: tensor<16x64xf32, #rows>, %w: tensor<16x16xbf16, #copy>) -> (tensor<16x16xbf16, #copy>, tensor<16x64xf32, #columns>) {
  %ring = tgpu.alloc {tgpu.shared_offset = 4096 : i64} : !tgpu.buffer<1 of 16x16xbf16, #a>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<1 of 16x16xbf16, #a>
  tgpu.store_shared %w, %s : tensor<16x16xbf16, #copy>, !tgpu.slot<16x16xbf16, #a>
  %y = tgpu.convert_layout %x {tgpu.shared_offset = 0 : i64} : tensor<16x64xf32, #rows> -> tensor<16x64xf32, #columns>
  %z = tgpu.load_shared %s : !tgpu.slot<16x16xbf16, #a> -> tensor<16x16xbf16, #copy>
  return %z, %y : tensor<16x16xbf16, #copy>, tensor<16x64xf32, #columns>
}
