// RUN: tile-opt %s --split-input-file --tgpu-check-tiles --verify-diagnostics

func.func @odd_factor_too_large() {
  // expected-error @below {{extent 0 of tile<i32>[144] is 144; expected 1, 3, 5 or 7 times a power of two}}
  // expected-note @below {{help: use 128 or 160; a tile may reach past the end of a tensor}}
  %0 = tile.iota : tensor<144xi32>
  return
}

// -----

// Choosing, moving and widening are no arithmetic.
func.func @arithmetic_on_bytes(%x: tensor<64xf8E4M3FN>, %c: i1) {
  %0 = arith.select %c, %x, %x : tensor<64xf8E4M3FN>
  %1 = arith.extf %0 : tensor<64xf8E4M3FN> to tensor<64xf32>
  %2 = arith.bitcast %0 : tensor<64xf8E4M3FN> to tensor<64xi8>
  %4 = tile.cast finite %1 : tensor<64xf32> -> tensor<64xf8E4M3FN>
  // expected-error @below {{'arith.addf' computes with 'f8E4M3FN'; expected f32, to which it widens, and `tile.cast` of the result}}
  %3 = arith.addf %0, %x : tensor<64xf8E4M3FN>
  return
}

// -----

func.func @function_of_bytes(%x: tensor<64xf8E5M2>) {
  // expected-error @below {{'tile.sigmoid' computes with 'f8E5M2'; expected f32, to which it widens, and `tile.cast` of the result}}
  %0 = tile.sigmoid %x : tensor<64xf8E5M2>
  return
}

// -----

func.func @rounding_by_arith(%x: f32) {
  // expected-error @below {{'arith.truncf' computes with 'f8E5M2'; expected f32, to which it widens, and `tile.cast` of the result}}
  %0 = arith.truncf %x : f32 to f8E5M2
  return
}

// -----

func.func @rank_too_large(%x: f32) {
  // expected-error @below {{tile<f32>[2, 2, 2, 2, 2] has rank 5; expected at most 4}}
  %0 = tile.splat %x : f32 -> tensor<2x2x2x2x2xf32>
  return
}

// -----

// The parameter is named whose value it is.
func.func @odd_factor_of_a_parameter() attributes {tile.contract = {name = "copy", constants = [
    {name = "BLOCK", type = "int", value = 1000 : i64}, {name = "ROWS", type = "int", value = 8 : i64}]}} {
  // expected-error @below {{extent 1 of tile<bool>[8, 1000] is 1000; expected 1, 3, 5 or 7 times a power of two}}
  // expected-note @below {{help: use 896 or 1024 for `BLOCK` (1000); a tile may reach past the end of a tensor}}
  %0 = arith.constant dense<false> : tensor<8x1000xi1>
  return
}

// -----

func.func @too_many_registers() attributes {tile.contract = {name = "copy", constants = [
    {name = "BLOCK", type = "int", value = 65536 : i64}, {name = "warps", type = "int", value = 8 : i64}]},
    tile.schedule = {warps = 8 : i64}} {
  // expected-error @below {{tile<i32>[65536] is 256 elements for each of the 256 threads of a block; expected at most 255, as a thread has 255 registers of 32 bits}}
  // expected-note @below {{help: use at least 16 warps, or a smaller `BLOCK` (65536)}}
  %0 = tile.iota : tensor<65536xi32>
  return
}

// -----

// A narrow element takes part of a register, but a value of its own in the code.
func.func @too_many_elements(%x: i1) attributes {tile.schedule = {warps = 32 : i64}} {
  // expected-error @below {{tile<bool>[1024, 1024] is 1024 elements for each of the 1024 threads of a block; expected at most 512}}
  // expected-note @below {{help: use a smaller tile}}
  %0 = tile.splat %x : i1 -> tensor<1024x1024xi1>
  return
}

// -----

func.func @largest_allowed(%x: f16) attributes {tile.schedule = {warps = 1 : i64}} {
  %0 = tile.splat %x : f16 -> tensor<8192xf16>
  return
}

// -----

// The number of elements is past every integer.
func.func @countless(%x: f32) attributes {tile.schedule = {warps = 1 : i64}} {
  // expected-error @below {{is 8796093022208 elements for each of the 32 threads of a block; expected at most 255}}
  // expected-note @below {{help: use a smaller tile}}
  %0 = tile.splat %x : f32 -> tensor<1073741824x1073741824x1073741824x1073741824xf32>
  return
}

// -----

// What a called function made stands first; the tile comes from the kernel.
func.func @made_in_the_kernel() {
  %0 = arith.constant dense<1.0> : tensor<50xf32> loc(callsite("std.tile":1:1 at "kernel.tile":2:1))
  // expected-error @below {{extent 0 of tile<f32>[50] is 50}}
  // expected-note @below {{help: use 48 or 56}}
  %1 = arith.constant dense<0.0> : tensor<50xf32>
  return
}

// -----

// A constant that several places share has none.
func.func @reported_where_there_is_a_place() {
  %0 = arith.constant dense<0.0> : tensor<33x32xf32> loc(unknown)
  // expected-error @below {{extent 0 of tile<i32>[33] is 33; expected 1, 3, 5 or 7 times a power of two}}
  // expected-note @below {{help: use 32 or 40; a tile may reach past the end of a tensor}}
  %1 = tile.iota : tensor<33xi32>
  return
}

// -----

// expected-error @below {{extent 0 of tile<f32>[33, 32] is 33; expected 1, 3, 5 or 7 times a power of two}}
// expected-note @below {{help: use 32 or 40; a tile may reach past the end of a tensor}}
func.func @reported_at_the_kernel_where_there_is_none() {
  %0 = arith.constant dense<0.0> : tensor<33x32xf32> loc(unknown)
  return
}

// -----

// A broadcast repeats what a smaller tile holds.
func.func @repeated(%x: tensor<1x128xindex>) attributes {tile.schedule = {warps = 4 : i64}} {
  %0 = tile.broadcast %x : tensor<1x128xindex> -> tensor<128x128xindex>
  return
}
