// RUN: tile-opt %s --tgpu-allocate-shared=limit=2048 --split-input-file --verify-diagnostics

#a = #tgpu.layout<"16x64: reg b1 b2 a8; lane b4 b8 b16 b32 a1; warp a2 a4">
#b = #tgpu.layout<"16x64: reg a2 a4 a8; lane b1 b2 b4 b8 b16; warp b32 a1">

// expected-error @below {{kernel `turn` (BLOCK = 64) needs 4096 bytes of shared memory; expected at most 2048, which a block has}}
// expected-note @below {{help: 1/2 of the elements fits; use a smaller `BLOCK` (64)}}
func.func @too_large(%x: tensor<16x64xf32, #a>) -> tensor<16x64xf32, #b> attributes {tgpu.warps = 4 : i64,
    tile.contract = {name = "turn", constants = [{name = "BLOCK", type = "int", value = 64 : i64}]}} {
  // expected-note @below {{this tile on its way between threads takes 4096 bytes}}
  %0 = tgpu.convert_layout %x : tensor<16x64xf32, #a> -> tensor<16x64xf32, #b>
  return %0 : tensor<16x64xf32, #b>
}

// -----

#s = #tgpu.layout<"16x32: offset b1 b2 b4 b8 b16 a1 a2 a4 a8">
#r = #tgpu.layout<"16x32: reg b1 b2 b4 a4; lane b8 b16 a1 a2 a8; warp">

// Each fits alone.
// expected-error @below {{kernel `two_buffers` needs 4096 bytes of shared memory; expected at most 2048, which a block has}}
// expected-note @below {{help: 1/2 of the elements fits; use a smaller tile}}
func.func @two_buffers(%x: tensor<16x32xf32, #r>, %n: index) attributes {tgpu.warps = 1 : i64, tile.contract = {name = "two_buffers"}} {
  // expected-note @below {{the ring of tiles for this product takes 2048 bytes}}
  %0 = tgpu.alloc : !tgpu.buffer<1 of 16x32xf32, #s>
  // expected-note @below {{the ring of tiles for this product takes 2048 bytes}}
  %1 = tgpu.alloc : !tgpu.buffer<1 of 16x32xf32, #s>
  %s0 = tgpu.slot %0[%n] : !tgpu.buffer<1 of 16x32xf32, #s>
  %s1 = tgpu.slot %1[%n] : !tgpu.buffer<1 of 16x32xf32, #s>
  tgpu.store_shared %x, %s1 : tensor<16x32xf32, #r>, !tgpu.slot<16x32xf32, #s>
  tgpu.store_shared %x, %s0 : tensor<16x32xf32, #r>, !tgpu.slot<16x32xf32, #s>
  return
}
