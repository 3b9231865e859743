// RUN: tile-opt %s --tgpu-choose-warps | FileCheck %s

// CHECK-LABEL: func @given_by_the_schedule
// CHECK-SAME:    tgpu.warps = 2 : i64
// CHECK-NOT:     tgpu.warps_chosen
func.func @given_by_the_schedule() attributes {tile.schedule = {warps = 2 : i64}} {
  %0 = tile.iota : tensor<16384xi32>
  return
}

// CHECK-LABEL: func @no_tile
// CHECK-SAME:    tgpu.warps = 1 : i64, tgpu.warps_chosen
func.func @no_tile() {
  return
}

// CHECK-LABEL: func @one_access_per_thread
// CHECK-SAME:    tgpu.warps = 2 : i64
func.func @one_access_per_thread() {
  %0 = tile.iota : tensor<256xi32>
  return
}

// CHECK-LABEL: func @usual
// CHECK-SAME:    tgpu.warps = 4 : i64
func.func @usual() {
  %0 = tile.iota : tensor<4096xi32>
  return
}

// CHECK-LABEL: func @three_halves
// CHECK-SAME:    tgpu.warps = 4 : i64
func.func @three_halves() {
  %0 = tile.iota : tensor<6144xi32>
  return
}

// CHECK-LABEL: func @wide_element
// CHECK-SAME:    tgpu.warps = 4 : i64
func.func @wide_element() {
  %0 = tile.iota : tensor<4096xi64>
  return
}

// CHECK-LABEL: func @largest_block
// CHECK-SAME:    tgpu.warps = 32 : i64
func.func @largest_block() {
  %0 = tile.iota : tensor<131072xi32>
  return
}

// CHECK-LABEL: func @small_product
// CHECK-SAME:    tgpu.warps = 1 : i64
func.func @small_product(%a: tensor<32x32xf16>, %b: tensor<32x32xf16>, %c: tensor<32x32xf32>) {
  %0 = tile.dot ieee signed %a, %b, %c : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
  return
}

// CHECK-LABEL: func @wide_pieces_for_few_warps
// CHECK-SAME:    tgpu.warps = 2 : i64
func.func @wide_pieces_for_few_warps(%a: tensor<32x32xf16>, %b: tensor<32x256xf16>, %c: tensor<32x256xf32>) {
  %0 = tile.dot ieee signed %a, %b, %c : tensor<32x32xf16>, tensor<32x256xf16>, tensor<32x256xf32>
  return
}

// CHECK-LABEL: func @warpgroup_for_64_rows
// CHECK-SAME:    tgpu.warps = 4 : i64
func.func @warpgroup_for_64_rows(%a: tensor<64x32xf16>, %b: tensor<32x16xf16>, %c: tensor<64x16xf32>) {
  %0 = tile.dot ieee signed %a, %b, %c : tensor<64x32xf16>, tensor<32x16xf16>, tensor<64x16xf32>
  return
}

// A warpgroup does not care about odd factors: 96 registers of a thread hold its part.
// CHECK-LABEL: func @warpgroups_with_an_odd_factor
// CHECK-SAME:    tgpu.warps = 8 : i64
func.func @warpgroups_with_an_odd_factor(%a: tensor<128x64xf16>, %b: tensor<64x192xf16>, %c: tensor<128x192xf32>) {
  %0 = tile.dot ieee signed %a, %b, %c : tensor<128x64xf16>, tensor<64x192xf16>, tensor<128x192xf32>
  return
}

// CHECK-LABEL: func @warpgroup_beside_other_factors
// CHECK-SAME:    tgpu.warps = 4 : i64
func.func @warpgroup_beside_other_factors(%a: tensor<64x32xf16>, %b: tensor<32x16xf16>, %c: tensor<64x16xf32>,
                                          %d: tensor<16x16xf32>, %e: tensor<16x16xf32>) {
  %0 = tile.dot ieee signed %a, %b, %c : tensor<64x32xf16>, tensor<32x16xf16>, tensor<64x16xf32>
  %1 = tile.dot tf32 signed %d, %e, %e : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  return
}

// CHECK-LABEL: func @large_product
// CHECK-SAME:    tgpu.warps = 8 : i64
func.func @large_product(%a: tensor<128x32xf16>, %b: tensor<32x256xf16>, %c: tensor<128x256xf32>) {
  %0 = tile.dot ieee signed %a, %b, %c : tensor<128x32xf16>, tensor<32x256xf16>, tensor<128x256xf32>
  return
}

// A warpgroup has 128 registers of a thread for its part.
// CHECK-LABEL: func @square_product
// CHECK-SAME:    tgpu.warps = 4 : i64
func.func @square_product(%v: !tile.view<?x?xf16>, %n: index, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %c) -> (tensor<128x128xf32>) {
    %a = tile.load %v[%c0 :+ 128, %k :+ 32] : !tile.view<?x?xf16>, (index, index) -> tensor<128x32xf16>
    %b = tile.load %v[%k :+ 32, %c0 :+ 128] : !tile.view<?x?xf16>, (index, index) -> tensor<32x128xf16>
    %0 = tile.dot ieee signed %a, %b, %s : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>
    scf.yield %0 : tensor<128x128xf32>
  }
  return %r : tensor<128x128xf32>
}

// Beside a tile that is loaded for its end a piece of 32 by 128 would not fit; a chain of elementwise ops takes no more.
// CHECK-LABEL: func @product_with_an_epilogue
// CHECK-SAME:    tgpu.warps = 4 : i64
// CHECK-LABEL: func @product_with_a_chain
// CHECK-SAME:    tgpu.warps = 2 : i64
func.func @product_with_an_epilogue(%a: tensor<32x32xf16>, %b: tensor<32x256xf16>, %c: tensor<32x256xf32>,
                                    %v: !tile.view<?x?xf32>) -> tensor<32x256xf32> {
  %c0 = arith.constant 0 : index
  %0 = tile.dot ieee signed %a, %b, %c : tensor<32x32xf16>, tensor<32x256xf16>, tensor<32x256xf32>
  %1 = tile.load %v[%c0 :+ 32, %c0 :+ 256] : !tile.view<?x?xf32>, (index, index) -> tensor<32x256xf32>
  %2 = arith.addf %0, %1 : tensor<32x256xf32>
  return %2 : tensor<32x256xf32>
}

func.func @product_with_a_chain(%a: tensor<32x32xf16>, %b: tensor<32x256xf16>, %c: tensor<32x256xf32>) -> tensor<32x256xf32> {
  %0 = tile.dot ieee signed %a, %b, %c : tensor<32x32xf16>, tensor<32x256xf16>, tensor<32x256xf32>
  %1 = math.exp %0 : tensor<32x256xf32>
  %2 = math.sin %1 : tensor<32x256xf32>
  %3 = arith.mulf %1, %2 : tensor<32x256xf32>
  return %3 : tensor<32x256xf32>
}

// A factor that is loaded once stays in registers beside both products.
// CHECK-LABEL: func @factor_for_all_iterations
// CHECK-SAME:    tgpu.warps = 4 : i64
func.func @factor_for_all_iterations(%v: !tile.view<?x?xf16>, %n: index, %c: tensor<32x128xf32>, %b: tensor<256x64xf16>,
                                     %d: tensor<64x128xf16>) -> tensor<32x128xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %q = tile.load %v[%c0 :+ 32, %c0 :+ 256] : !tile.view<?x?xf16>, (index, index) -> tensor<32x256xf16>
  %r = scf.for %k = %c0 to %n step %c64 iter_args(%s = %c) -> (tensor<32x128xf32>) {
    %0 = tile.dot ieee signed %q, %b, %zero : tensor<32x256xf16>, tensor<256x64xf16>, tensor<32x64xf32>
    %1 = arith.truncf %0 : tensor<32x64xf32> to tensor<32x64xf16>
    %2 = tile.dot ieee signed %1, %d, %s : tensor<32x64xf16>, tensor<64x128xf16>, tensor<32x128xf32>
    scf.yield %2 : tensor<32x128xf32>
  }
  return %r : tensor<32x128xf32>
}

// CHECK-LABEL: func @room_for_what_is_loaded
// CHECK-SAME:    tgpu.warps = 16 : i64
func.func @room_for_what_is_loaded(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %0 = tile.load %x[%c0 :+ 8192] : !tile.view<?xf32>, (index) -> tensor<8192xf32>
  %1 = tile.load %y[%c0 :+ 8192] : !tile.view<?xf32>, (index) -> tensor<8192xf32>
  %2 = arith.addf %0, %1 : tensor<8192xf32>
  return
}

// CHECK-LABEL: func @second_product_beside_the_first
// CHECK-SAME:    tgpu.warps = 4 : i64
func.func @second_product_beside_the_first(%a: tensor<32x64xf16>, %b: tensor<64x128xf16>, %c: tensor<32x128xf32>,
                                           %d: tensor<64x256xf16>, %e: tensor<32x256xf32>) {
  %0 = tile.dot ieee signed %a, %b, %c : tensor<32x64xf16>, tensor<64x128xf16>, tensor<32x128xf32>
  %1 = tile.dot ieee signed %a, %d, %e : tensor<32x64xf16>, tensor<64x256xf16>, tensor<32x256xf32>
  return
}

// CHECK-LABEL: func @factors_that_take_more_registers
// CHECK-SAME:    tgpu.warps = 4 : i64
func.func @factors_that_take_more_registers(%a: tensor<64x32xi8>, %b: tensor<32x128xi8>, %c: tensor<64x128xi32>) {
  %0 = tile.dot ieee signed %a, %b, %c : tensor<64x32xi8>, tensor<32x128xi8>, tensor<64x128xi32>
  return
}

// Four rows are no product for tensor cores: the factors are in registers, as f32.
// CHECK-LABEL: func @few_rows
// CHECK-SAME:    tgpu.warps = 2 : i64
func.func @few_rows(%v: !tile.view<?x?xbf16>, %q: tensor<4x64xbf16>, %c: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %c0 = arith.constant 0 : index
  %k = tile.load %v[%c0 :+ 64, %c0 :+ 64] : !tile.view<?x?xbf16>, (index, index) -> tensor<64x64xbf16>
  %d = tile.dot ieee signed %q, %k, %c : tensor<4x64xbf16>, tensor<64x64xbf16>, tensor<4x64xf32>
  return %d : tensor<4x64xf32>
}

// CHECK-LABEL: func @extents_with_an_odd_factor
// CHECK-SAME:    tgpu.warps = 4 : i64
func.func @extents_with_an_odd_factor(%a: tensor<48x32xf16>, %b: tensor<32x80xf16>, %c: tensor<48x80xf32>) {
  %0 = tile.dot ieee signed %a, %b, %c : tensor<48x32xf16>, tensor<32x80xf16>, tensor<48x80xf32>
  return
}
