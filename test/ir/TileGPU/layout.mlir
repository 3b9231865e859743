// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK: #[[A:layout.*]] = #tgpu.layout<"128: reg a1 a2; lane a4 a8 a16 a32 a64; warp 0 0">
#a = #tgpu.layout<"128: reg a1 a2; lane a4 a8 a16 a32 a64; warp 0 0">
#b = #tgpu.layout<"128: reg; lane a1 a2 a4 a8 a16; warp a32 a64">

// CHECK-LABEL: func @convert
// CHECK: tgpu.convert_layout %{{.*}} : tensor<128xf32, #[[A]]> -> tensor<128xf32, #{{.*}}>
// CHECK: tgpu.barrier
func.func @convert(%x: tensor<128xf32, #a>) -> tensor<128xf32, #b> {
  %y = tgpu.convert_layout %x : tensor<128xf32, #a> -> tensor<128xf32, #b>
  tgpu.barrier
  return %y : tensor<128xf32, #b>
}

// FOLD-LABEL: func @there_and_back
// FOLD-NEXT:    return %arg0
func.func @there_and_back(%x: tensor<128xf32, #a>) -> tensor<128xf32, #a> {
  %y = tgpu.convert_layout %x : tensor<128xf32, #a> -> tensor<128xf32, #b>
  %z = tgpu.convert_layout %y : tensor<128xf32, #b> -> tensor<128xf32, #a>
  return %z : tensor<128xf32, #a>
}
