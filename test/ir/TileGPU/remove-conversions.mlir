// RUN: tile-opt %s --tgpu-remove-conversions | FileCheck %s

#a = #tgpu.layout<"16x64: reg b1 b2 a8; lane b4 b8 b16 b32 a1; warp a2 a4">
#b = #tgpu.layout<"16x64: reg a2 a4 a8; lane b1 b2 b4 b8 b16; warp b32 a1">
#b2 = #tgpu.layout<"1x64: reg; lane b1 b2 b4 b8 b16; warp b32 0">
#row = #tgpu.layout<"64: reg a1; lane a2 a4 a8 a16 a32; warp 0 0">
#row2 = #tgpu.layout<"1x64: reg b1; lane b2 b4 b8 b16 b32; warp 0 0">

// CHECK-DAG: #[[B:.*]] = #tgpu.layout<"16x64: reg a2 a4 a8; lane b1 b2 b4 b8 b16; warp b32 a1">
// CHECK-LABEL: func @constants_are_made_in_place
// CHECK:         arith.constant {{.*}} : tensor<16x64xf32, #[[B]]>
// CHECK:         tile.splat {{.*}} -> tensor<16x64xf32, #[[B]]>
// CHECK-NOT:     convert_layout
// CHECK:         return
func.func @constants_are_made_in_place(%x: f32) -> tensor<16x64xf32, #b> {
  %c = arith.constant dense<1.0> : tensor<16x64xf32, #a>
  %s = tile.splat %x : f32 -> tensor<16x64xf32, #a>
  %y = arith.addf %c, %s : tensor<16x64xf32, #a>
  %z = tgpu.convert_layout %y : tensor<16x64xf32, #a> -> tensor<16x64xf32, #b>
  return %z : tensor<16x64xf32, #b>
}

// Of a broadcast the smaller tile is converted.
// CHECK-LABEL: func @broadcast
// CHECK:         tgpu.convert_layout %{{.*}} : tensor<64xf32, #{{.*}}> -> tensor<64xf32, #{{.*}}>
// CHECK-NOT:     tgpu.convert_layout
// CHECK:         tile.broadcast {{.*}} -> tensor<16x64xf32, #[[B]]>
func.func @broadcast(%x: tensor<64xf32, #row>) -> tensor<16x64xf32, #b> {
  %e = tile.expand_dims %x axis 0 : tensor<64xf32, #row> -> tensor<1x64xf32, #row2>
  %e2 = tgpu.convert_layout %e : tensor<1x64xf32, #row2> -> tensor<1x64xf32, #tgpu.layout<"1x64: reg b1 b2; lane b4 b8 b16 b32 0; warp 0 0">>
  %y = tile.broadcast %e2 : tensor<1x64xf32, #tgpu.layout<"1x64: reg b1 b2; lane b4 b8 b16 b32 0; warp 0 0">> -> tensor<16x64xf32, #a>
  %z = tgpu.convert_layout %y : tensor<16x64xf32, #a> -> tensor<16x64xf32, #b>
  return %z : tensor<16x64xf32, #b>
}

// Each lane loads the elements of the row that it needs.
// CHECK-LABEL: func @row_of_a_broadcast
// CHECK:         tile.load {{.*}} -> tensor<64xf32, #[[ROW:.*]]>
// CHECK-NOT:     convert_layout
// CHECK:         return
func.func @row_of_a_broadcast(%v: !tile.view<64xf32>) -> tensor<16x64xf32, #b> {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0 :+ 64] : !tile.view<64xf32>, (index) -> tensor<64xf32, #row>
  %e = tile.expand_dims %x axis 0 : tensor<64xf32, #row> -> tensor<1x64xf32, #row2>
  %e2 = tgpu.convert_layout %e : tensor<1x64xf32, #row2> -> tensor<1x64xf32, #b2>
  %y = tile.broadcast %e2 : tensor<1x64xf32, #b2> -> tensor<16x64xf32, #b>
  return %y : tensor<16x64xf32, #b>
}

// CHECK-LABEL: func @data_stays
// CHECK:         math.exp
// CHECK:         tgpu.convert_layout
func.func @data_stays(%x: tensor<16x64xf32, #a>) -> tensor<16x64xf32, #b> {
  %y = math.exp %x : tensor<16x64xf32, #a>
  %z = tgpu.convert_layout %y : tensor<16x64xf32, #a> -> tensor<16x64xf32, #b>
  return %z : tensor<16x64xf32, #b>
}
