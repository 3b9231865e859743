// RUN: tile-opt %s --tgpu-prefetch-loads --remarks-filter=tgpu-prefetch-loads --remark-format=emitRemark \
// RUN:   --verify-diagnostics

#a = #tgpu.layout<"128x64: reg b1 b2 b4 a16 a32 a64; lane b8 b16 b32 a1 a2; warp a4 a8">
#b = #tgpu.layout<"64x128: reg b1 b2 b4 a8 a16 a32; lane b8 b16 b32 b64 a1; warp a2 a4">
#acc = #tgpu.layout<"128x128: reg b1 b8 b16 b32 b64 a8 a16; lane b2 b4 a1 a2 a4; warp a32 a64">

// 128 registers of the accumulator and twice 32 of the factors are past the bound.
func.func @too_many_registers(%v: !tile.view<128x?xbf16, constant>, %w: !tile.view<?x128xbf16, constant>, %n: index,
                              %z: tensor<128x128xf32, #acc>) -> tensor<128x128xf32, #acc> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // expected-remark @below {{tiles carried by the loop would take 192 registers of a thread}}
  %r = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %z) -> (tensor<128x128xf32, #acc>) {
    %a = tile.load %v[%c0 :+ 128, %k :+ 64] {tgpu.access = #tgpu.access<vector = 8>} : !tile.view<128x?xbf16, constant>, (index, index) -> tensor<128x64xbf16, #a>
    %b = tile.load %w[%k :+ 64, %c0 :+ 128] {tgpu.access = #tgpu.access<vector = 8>} : !tile.view<?x128xbf16, constant>, (index, index) -> tensor<64x128xbf16, #b>
    %d = tile.dot ieee signed %a, %b, %acc : tensor<128x64xbf16, #a>, tensor<64x128xbf16, #b>, tensor<128x128xf32, #acc>
    scf.yield %d : tensor<128x128xf32, #acc>
  }
  return %r : tensor<128x128xf32, #acc>
}

#right = #tgpu.layout<"64x64: reg b1 a4 a8 a16 a32; lane b2 b4 b8 b16 b32; warp a1 a2">
#sum = #tgpu.layout<"128x64: reg b1 b8 b16 b32 a8 a16; lane b2 b4 a1 a2 a4; warp a32 a64">
#half = #tgpu.layout<"128x64: reg b1 b2 b4 b8 a16 a32 a64; lane b16 b32 a1 a2 a4; warp a8 0">

// Elements that move alone fill a register each, however narrow: 64 of the sum and 128 of the factor.
func.func @single_elements(%v: !tile.view<128x?xbf16, constant>, %b: tensor<64x64xbf16, #right>, %n: index,
                           %z: tensor<128x64xf32, #sum>) -> tensor<128x64xf32, #sum> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // expected-remark @below {{tiles carried by the loop would take 192 registers of a thread}}
  %r = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %z) -> (tensor<128x64xf32, #sum>) {
    %a = tile.load %v[%c0 :+ 128, %k :+ 64] {tgpu.access = #tgpu.access<vector = 1>} : !tile.view<128x?xbf16, constant>, (index, index) -> tensor<128x64xbf16, #half>
    %d = tile.dot ieee signed %a, %b, %acc : tensor<128x64xbf16, #half>, tensor<64x64xbf16, #right>, tensor<128x64xf32, #sum>
    scf.yield %d : tensor<128x64xf32, #sum>
  }
  return %r : tensor<128x64xf32, #sum>
}
