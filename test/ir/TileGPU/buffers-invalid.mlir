// RUN: tile-opt %s --split-input-file --verify-diagnostics

#shared = #tgpu.layout<"8: offset a1 a2 a4">
// expected-error @below {{buffer has 0 stages; expected at least 1}}
func.func private @no_stages(!tgpu.buffer<0 of 8xf32, #shared>)

// -----

#registers = #tgpu.layout<"128: reg a1 a2; lane a4 a8 a16 a32 a64; warp">
// expected-error @below {{layout is one of registers; expected one of shared memory}}
func.func private @in_registers(!tgpu.slot<128xf32, #registers>)

// -----

#shared = #tgpu.layout<"8: offset a1 a2 a4">
// expected-error @below {{layout is for shape [8]; expected [16]}}
func.func private @other_shape(!tgpu.slot<16xf32, #shared>)

// -----

#twice = #tgpu.layout<"8: offset a1 a2 a2 a4">
// expected-error @below {{layout gives some elements no place or several; expected each to have one}}
func.func private @two_places(!tgpu.slot<8xf32, #twice>)

// -----

#shared = #tgpu.layout<"8: offset a1 a2 a4">
// expected-error @below {{elements are 'i1'; expected numbers of at least 8 bits}}
func.func private @bools(!tgpu.slot<8xi1, #shared>)

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
func.func @copy_of_what_is_written(%v: !tile.view<?x?xbf16>, %n: index, %s: !tgpu.slot<16x16xbf16, #a>) {
  // expected-error @below {{'tgpu.copy_async' op copies from '!tile.view<?x?xbf16>'; expected a constant view}}
  %t = tgpu.copy_async %v[%n :+ 16, %n :+ 16] into %s by #copy : <?x?xbf16>, (index, index), !tgpu.slot<16x16xbf16, #a>
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
func.func @copy_of_another_shape(%v: !tile.view<?x?xbf16, constant>, %n: index, %s: !tgpu.slot<16x16xbf16, #a>) {
  // expected-error @below {{'tgpu.copy_async' op moves [8, 16] of 'bf16'; expected [16, 16] of 'bf16', as the slot has}}
  %t = tgpu.copy_async %v[%n :+ 8, %n :+ 16] into %s by #copy : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4 a8">
func.func @store_without_layout(%x: tensor<16x16xbf16>, %s: !tgpu.slot<16x16xbf16, #a>) {
  // expected-error @below {{'tgpu.store_shared' op moves 'tensor<16x16xbf16>'; expected a tile with a layout}}
  tgpu.store_shared %x, %s : tensor<16x16xbf16>, !tgpu.slot<16x16xbf16, #a>
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4 a8">
#acc = #tgpu.layout<"16x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp">
func.func @other_element(%x: !tgpu.slot<16x16xbf16, #a>, %y: !tgpu.slot<16x16xf16, #a>, %z: tensor<16x16xf32, #acc>) {
  // expected-error @below {{'tgpu.mma' op factors are of 'bf16' and 'f16'; expected them equal}}
  %d = tgpu.mma ieee signed %x, %y, %z over [1, 1] : !tgpu.slot<16x16xbf16, #a>, !tgpu.slot<16x16xf16, #a>, tensor<16x16xf32, #acc>
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4 a8">
#b = #tgpu.layout<"8x16: offset b1 b2 b4 b8 a1 a2 a4">
#acc = #tgpu.layout<"16x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp">
func.func @inner_dims_differ(%x: !tgpu.slot<16x16xbf16, #a>, %y: !tgpu.slot<8x16xbf16, #b>, %z: tensor<16x16xf32, #acc>) {
  // expected-error @below {{'tgpu.mma' op factors are [16, 16] and [8, 16]; expected two matrices with the inner dims equal}}
  %d = tgpu.mma ieee signed %x, %y, %z over [1, 1] : !tgpu.slot<16x16xbf16, #a>, !tgpu.slot<8x16xbf16, #b>, tensor<16x16xf32, #acc>
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4 a8">
#acc = #tgpu.layout<"16x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp">
func.func @no_such_instruction(%x: !tgpu.slot<16x16xf64, #a>, %z: tensor<16x16xf64, #acc>) {
  // expected-error @below {{'tgpu.mma' op factors are [16, 16] and [16, 16] of 'f64'; expected what mma.sync multiplies, in whole instructions}}
  %d = tgpu.mma ieee signed %x, %x, %z over [1, 1] : !tgpu.slot<16x16xf64, #a>, !tgpu.slot<16x16xf64, #a>, tensor<16x16xf64, #acc>
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4 a8">
#acc = #tgpu.layout<"16x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp">
func.func @three_counts(%x: !tgpu.slot<16x16xbf16, #a>, %z: tensor<16x16xf32, #acc>) {
  // expected-error @below {{'tgpu.mma' op warps are [1, 1, 1]; expected two counts}}
  %d = tgpu.mma ieee signed %x, %x, %z over [1, 1, 1] : !tgpu.slot<16x16xbf16, #a>, !tgpu.slot<16x16xbf16, #a>, tensor<16x16xf32, #acc>
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4 a8">
#rows = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
func.func @other_accumulator(%x: !tgpu.slot<16x16xbf16, #a>, %z: tensor<16x16xf32, #rows>) {
  // expected-error-re @below {{'tgpu.mma' op result is 'tensor<16x16xf32, {{.*}}b1 b2 b4;{{.*}}>'; expected 'tensor<16x16xf32, {{.*}}b1 a8 b8;{{.*}}>'}}
  %d = tgpu.mma ieee signed %x, %x, %z over [1, 1] : !tgpu.slot<16x16xbf16, #a>, !tgpu.slot<16x16xbf16, #a>, tensor<16x16xf32, #rows>
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4 a8">
#rows = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
#acc = #tgpu.layout<"16x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp">
func.func @no_fragment(%x: tensor<16x16xbf16, #rows>, %y: !tgpu.slot<16x16xbf16, #a>, %z: tensor<16x16xf32, #acc>) {
  // expected-error-re @below {{'tgpu.mma' op factor in registers is 'tensor<16x16xbf16, {{.*}}>'; expected the layout {{.*}}b1 a8 b8; lane b2 b4 a1 a2 a4; warp}}
  %d = tgpu.mma ieee signed %x, %y, %z over [1, 1] : tensor<16x16xbf16, #rows>, !tgpu.slot<16x16xbf16, #a>, tensor<16x16xf32, #acc>
  return
}

// -----

#a = #tgpu.layout<"16: offset a1 a2 a4 a8">
func.func @transpose_of_a_vector(%s: !tgpu.slot<16xbf16, #a>) {
  // expected-error @below {{slot has rank 1; expected 2}}
  %t = tgpu.transpose %s : !tgpu.slot<16xbf16, #a>
  return
}

// -----

#a = #tgpu.layout<"64x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8 a16 a32">
#b = #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">
#acc = #tgpu.layout<"64x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp a16 a32">
func.func @two_groups_of_eight_columns(%x: !tgpu.slot<64x16xbf16, #a>, %y: !tgpu.slot<16x8xbf16, #b>, %z: tensor<64x8xf32, #acc>) {
  // expected-error @below {{'tgpu.mma_async' op warps are [4, 2] for [64, 8]; expected groups of 4 for multiples of 64 rows}}
  %d, %t = tgpu.mma_async ieee signed %x, %y, %z over [4, 2] : !tgpu.slot<64x16xbf16, #a>, !tgpu.slot<16x8xbf16, #b>, tensor<64x8xf32, #acc>
  return
}

// -----

#a = #tgpu.layout<"64x16: offset b1 b2 b4 b8 a1 a2 a4 a8 a16 a32">
#b = #tgpu.layout<"16x8: offset a1 a2 a4 a8 b1 b2 a8^b4">
#acc = #tgpu.layout<"64x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp a16 a32">
func.func @no_swizzle(%x: !tgpu.slot<64x16xbf16, #a>, %y: !tgpu.slot<16x8xbf16, #b>, %z: tensor<64x8xf32, #acc>) {
  // expected-error-re @below {{'tgpu.mma_async' op factors are {{.*}}64x16xbf16{{.*}} and {{.*}}16x8xbf16{{.*}}; expected what wgmma reads by a descriptor}}
  %d, %t = tgpu.mma_async ieee signed %x, %y, %z over [4, 1] : !tgpu.slot<64x16xbf16, #a>, !tgpu.slot<16x8xbf16, #b>, tensor<64x8xf32, #acc>
  return
}
