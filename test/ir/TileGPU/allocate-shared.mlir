// RUN: tile-opt %s --tgpu-allocate-shared | FileCheck %s

#a = #tgpu.layout<"16x64: reg b1 b2 a8; lane b4 b8 b16 b32 a1; warp a2 a4">
#b = #tgpu.layout<"16x64: reg a2 a4 a8; lane b1 b2 b4 b8 b16; warp b32 a1">
#l = #tgpu.layout<"128: reg; lane a1 a2 a4 a8 a16; warp a32 a64">

// Neighbours get different bytes while that is cheap: no barrier is needed between them.
// CHECK-LABEL: func @neighbours
// CHECK-SAME:    tgpu.shared_bytes = 8192
// CHECK:         convert_layout {{.*}}tgpu.shared_offset = 0
// CHECK:         convert_layout {{.*}}tgpu.shared_offset = 4096
// CHECK:         convert_layout {{.*}}tgpu.shared_offset = 0
func.func @neighbours(%x: tensor<16x64xf32, #a>) -> (tensor<16x64xf32, #b>, tensor<16x64xf32, #b>, tensor<16x64xf32, #b>) attributes {tgpu.warps = 4 : i64} {
  %0 = tgpu.convert_layout %x : tensor<16x64xf32, #a> -> tensor<16x64xf32, #b>
  %y = math.exp %x : tensor<16x64xf32, #a>
  %1 = tgpu.convert_layout %y : tensor<16x64xf32, #a> -> tensor<16x64xf32, #b>
  %z = math.exp %y : tensor<16x64xf32, #a>
  %2 = tgpu.convert_layout %z : tensor<16x64xf32, #a> -> tensor<16x64xf32, #b>
  return %0, %1, %2 : tensor<16x64xf32, #b>, tensor<16x64xf32, #b>, tensor<16x64xf32, #b>
}

#s = #tgpu.layout<"16x64: offset b1 b2 b4 b8 b16 b32 a1 a2 a4 a8">

// Buffers that live at a time lie apart, and scratch beyond them; bytes of a dead one are used again.
// CHECK-LABEL: func @buffers
// CHECK-SAME:    tgpu.shared_bytes = 16384
// CHECK:         tgpu.alloc {tgpu.shared_offset = 0 : i64} : <2 of
// CHECK:         tgpu.alloc {tgpu.shared_offset = 8192 : i64} : <1 of
// CHECK:         convert_layout {{.*}}tgpu.shared_offset = 12288
// CHECK:         tgpu.alloc {tgpu.shared_offset = 0 : i64} : <1 of
func.func @buffers(%x: tensor<16x64xf32, #a>, %n: index) -> tensor<16x64xf32, #b> attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tgpu.alloc : !tgpu.buffer<2 of 16x64xf32, #s>
  %1 = tgpu.alloc : !tgpu.buffer<1 of 16x64xf32, #s>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<16x64xf32, #a>) {
    %s0 = tgpu.slot %0[%i] : !tgpu.buffer<2 of 16x64xf32, #s>
    tgpu.store_shared %y, %s0 : tensor<16x64xf32, #a>, !tgpu.slot<16x64xf32, #s>
    %s1 = tgpu.slot %1[%i] : !tgpu.buffer<1 of 16x64xf32, #s>
    tgpu.store_shared %y, %s1 : tensor<16x64xf32, #a>, !tgpu.slot<16x64xf32, #s>
    %c = tgpu.convert_layout %y : tensor<16x64xf32, #a> -> tensor<16x64xf32, #b>
    %e = math.exp %c : tensor<16x64xf32, #b>
    %d = tgpu.load_shared %s0 : !tgpu.slot<16x64xf32, #s> -> tensor<16x64xf32, #a>
    %z = tgpu.load_shared %s1 : !tgpu.slot<16x64xf32, #s> -> tensor<16x64xf32, #a>
    %f = arith.addf %d, %z : tensor<16x64xf32, #a>
    scf.yield %f : tensor<16x64xf32, #a>
  }
  %2 = tgpu.alloc : !tgpu.buffer<1 of 16x64xf32, #s>
  %s2 = tgpu.slot %2[%c0] : !tgpu.buffer<1 of 16x64xf32, #s>
  tgpu.store_shared %r, %s2 : tensor<16x64xf32, #a>, !tgpu.slot<16x64xf32, #s>
  %l = tgpu.load_shared %s2 : !tgpu.slot<16x64xf32, #s> -> tensor<16x64xf32, #b>
  return %l : tensor<16x64xf32, #b>
}

// Where a buffer takes as many bytes anyway, scratch spreads over those of a dead one before it is reused.
// CHECK-LABEL: func @bytes_of_the_dead
// CHECK-SAME:    tgpu.shared_bytes = 16384
// CHECK:         convert_layout {{.*}}tgpu.shared_offset = 0
// CHECK:         convert_layout {{.*}}tgpu.shared_offset = 4096
// CHECK:         convert_layout {{.*}}tgpu.shared_offset = 8192
func.func @bytes_of_the_dead(%x: tensor<16x64xf32, #a>) -> (tensor<16x64xf32, #b>, tensor<16x64xf32, #b>, tensor<16x64xf32, #b>) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %ring = tgpu.alloc : !tgpu.buffer<4 of 16x64xf32, #s>
  %slot = tgpu.slot %ring[%c0] : !tgpu.buffer<4 of 16x64xf32, #s>
  tgpu.store_shared %x, %slot : tensor<16x64xf32, #a>, !tgpu.slot<16x64xf32, #s>
  %w = tgpu.load_shared %slot : !tgpu.slot<16x64xf32, #s> -> tensor<16x64xf32, #a>
  %0 = tgpu.convert_layout %w : tensor<16x64xf32, #a> -> tensor<16x64xf32, #b>
  %y = math.exp %x : tensor<16x64xf32, #a>
  %1 = tgpu.convert_layout %y : tensor<16x64xf32, #a> -> tensor<16x64xf32, #b>
  %z = math.exp %y : tensor<16x64xf32, #a>
  %2 = tgpu.convert_layout %z : tensor<16x64xf32, #a> -> tensor<16x64xf32, #b>
  return %0, %1, %2 : tensor<16x64xf32, #b>, tensor<16x64xf32, #b>, tensor<16x64xf32, #b>
}
