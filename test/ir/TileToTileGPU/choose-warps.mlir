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

// CHECK-LABEL: func @odd_extent
// CHECK-SAME:    tgpu.warps = 8 : i64
func.func @odd_extent() {
  %0 = tile.iota : tensor<6144xi32>
  return
}

// CHECK-LABEL: func @wide_element
// CHECK-SAME:    tgpu.warps = 8 : i64
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

// CHECK-LABEL: func @usual_product
// CHECK-SAME:    tgpu.warps = 4 : i64
func.func @usual_product(%a: tensor<64x32xf16>, %b: tensor<32x128xf16>, %c: tensor<64x128xf32>) {
  %0 = tile.dot ieee signed %a, %b, %c : tensor<64x32xf16>, tensor<32x128xf16>, tensor<64x128xf32>
  return
}

// CHECK-LABEL: func @large_product
// CHECK-SAME:    tgpu.warps = 8 : i64
func.func @large_product(%a: tensor<128x32xf16>, %b: tensor<32x256xf16>, %c: tensor<128x256xf32>) {
  %0 = tile.dot ieee signed %a, %b, %c : tensor<128x32xf16>, tensor<32x256xf16>, tensor<128x256xf32>
  return
}
