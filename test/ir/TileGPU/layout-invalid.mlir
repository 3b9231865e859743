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
