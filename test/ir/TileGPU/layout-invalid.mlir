// RUN: tile-opt %s --split-input-file --verify-diagnostics

#a = #tgpu.layout<"128: reg a1 a2; lane a4 a8 a16 a32 a64; warp 0 0">
// expected-error @below {{layout is for shape [128]; expected [64]}}
func.func private @other_shape(tensor<64xf32, #a>)

// -----

// expected-error @below {{attribute 'tgpu.warps' is 0 : i64; expected a positive i64}}
func.func private @no_warps() attributes {tgpu.warps = 0 : i64}

// -----

func.func @no_layout(%x: tensor<128xf32>) {
  // expected-error @below {{'tgpu.convert_layout' op converts 'tensor<128xf32>' to 'tensor<128xf32>'; expected two layouts}}
  %y = tgpu.convert_layout %x : tensor<128xf32> -> tensor<128xf32>
  return
}

// -----

#shared = #tgpu.layout<"8: offset a1 a2 a4">
// expected-error @below {{layout is one of shared memory; expected one of registers}}
func.func private @in_shared_memory(tensor<8xf32, #shared>)

// -----

#half = #tgpu.layout<"16: reg; lane a1 a2 a4 a8; warp">
// expected-error @below {{layout has 16 lanes; expected 32}}
func.func private @half_a_warp(tensor<16xf32, #half>)

// -----

#gap = #tgpu.layout<"128: reg a1; lane a2 a4 a8 a16 a32; warp 0">
// expected-error @below {{layout gives some elements to no thread; expected each to have one}}
func.func private @no_owner(tensor<128xf32, #gap>)

// -----

#long = #tgpu.layout<"32: reg 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0; lane a1 a2 a4 a8 a16 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0; warp 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0">
// expected-error @below {{layout has 72 bits; expected at most 64}}
func.func private @more_bits_than_the_algebra_has(tensor<32xf32, #long>)

// -----

#two = #tgpu.layout<"64: reg; lane a1 a2 a4 a8 a16; warp a32">
func.func @warps_of_another_kernel() attributes {tgpu.warps = 4 : i64} {
  // expected-error @below {{layout of 'tensor<64xi32, #tgpu.layout<"64: reg; lane a1 a2 a4 a8 a16; warp a32">>' has 2 warps; expected 4, as 'tgpu.warps' says}}
  %0 = tile.iota : tensor<64xi32, #two>
  return
}

// -----

// expected-error @below {{attribute 'tgpu.shared_bytes' is -1 : i64; expected an i64 of at least 0}}
func.func private @negative_bytes() attributes {tgpu.shared_bytes = -1 : i64}

// -----

// expected-error @below {{attribute 'tgpu.access' is 4 : i64; expected an access plan}}
func.func private @plan_of_a_number() attributes {tgpu.access = 4 : i64}

// -----

// expected-error @below {{attribute 'tgpu.linear_grid' is true; expected a unit}}
func.func private @flag_with_a_value() attributes {tgpu.linear_grid = true}

// -----

// expected-error @below {{attribute 'tgpu.mma' is array<i64: 4>; expected two counts of warps}}
func.func private @one_count() attributes {tgpu.mma = array<i64: 4>}

// -----

// expected-error @below {{attribute 'tgpu.mma' is on 'func.func'; expected a 'tile.dot' that mma.sync can form}}
func.func private @no_product() attributes {tgpu.mma = array<i64: 2, 2>}

// -----

func.func @product_of_doubles(%a: tensor<16x16xf64>, %c: tensor<16x16xf64>) {
  // expected-error @below {{attribute 'tgpu.mma' is on 'tile.dot'; expected a 'tile.dot' that mma.sync can form}}
  %0 = tile.dot ieee signed %a, %a, %c {tgpu.mma = array<i64: 2, 2>} : tensor<16x16xf64>, tensor<16x16xf64>, tensor<16x16xf64>
  return
}

// -----

// expected-error @below {{attribute 'tgpu.variant' is 1 : i64; expected a name}}
func.func private @number_of_a_variant() attributes {tgpu.variant = 1 : i64}

// -----

// expected-error @below {{unknown attribute 'tgpu.speed' of dialect 'tgpu'}}
func.func private @unknown_attribute() attributes {tgpu.speed = 1 : i64}

// -----

// expected-error @below {{unknown attribute 'tgpu.wide' of argument 0}}
func.func private @unknown_argument_attribute(i64 {tgpu.wide})

// -----

// expected-error @below {{attribute 'tgpu.through' is on 'func.func'; expected a 'tile.store' with a plan, of a tile whose elements stay in their warps in that layout}}
func.func private @through_of_a_kernel() attributes {tgpu.through = #tgpu.layout<"16: reg; lane a1 a2 a4 a8">}

// -----

#held = #tgpu.layout<"64x64: reg b1 a8 b8 b16 b32; lane b2 b4 a1 a2 a4; warp a16 a32">
#other = #tgpu.layout<"64x64: reg b1 b2 b4 a16 a32; lane b8 b16 b32 a1 a2; warp a4 a8">
func.func @through_other_warps(%x: tensor<64x64xbf16, #held>, %v: !tile.view<?x?xbf16>, %i: index) {
  // expected-error @below {{attribute 'tgpu.through' is on 'tile.store'; expected a 'tile.store' with a plan, of a tile whose elements stay in their warps in that layout}}
  tile.store %x, %v [%i :+ 64, %i :+ 64] {tgpu.access = #tgpu.access<vector = 8, whole = true>, tgpu.through = #other} : tensor<64x64xbf16, #held>, <?x?xbf16>, (index, index)
  return
}

// -----

#held = #tgpu.layout<"64x64: reg b1 a8 b8 b16 b32; lane b2 b4 a1 a2 a4; warp a16 a32">
#mixed = #tgpu.layout<"64x64: reg b1^b16 b2 b4 a4 a8; lane b8 b16 b32 a1 a2; warp a16 a32">
func.func @vectors_across_slices(%x: tensor<64x64xbf16, #held>, %v: !tile.view<?x?xbf16>, %i: index) {
  // expected-error @below {{attribute 'tgpu.through' is on 'tile.store'; expected a 'tile.store' with a plan, of a tile whose elements stay in their warps in that layout}}
  tile.store %x, %v [%i :+ 64, %i :+ 64] {tgpu.access = #tgpu.access<vector = 8, whole = true>, tgpu.through = #mixed} : tensor<64x64xbf16, #held>, <?x?xbf16>, (index, index)
  return
}

// -----

#held = #tgpu.layout<"64x64: reg b1 a8 b8 b16 b32; lane b2 b4 a1 a2 a4; warp a16 a32">
#stored = #tgpu.layout<"64x64: reg b1 b2 b4 a4 a8; lane b8 b16 b32 a1 a2; warp a16 a32">
func.func @matrices_of_words(%x: tensor<64x64xf32, #held>, %v: !tile.view<?x?xf32>, %m: index) attributes {tgpu.warps = 4 : i64} {
  // expected-error @below {{attribute 'tgpu.stores_matrices' is on 'tile.store'; expected a 'tile.store' of 16-bit elements with 'tgpu.through'}}
  tile.store %x, %v [%m :+ 64, %m :+ 64] {tgpu.access = #tgpu.access<vector = 4, whole = true>, tgpu.stores_matrices, tgpu.through = #stored} : tensor<64x64xf32, #held>, <?x?xf32>, (index, index)
  return
}
