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
