// RUN: tile-opt %s --tgpu-pipeline-loads --remarks-filter=tgpu-pipeline-loads --remark-format=emitRemark --verify-diagnostics

#a = #tgpu.layout<"64x32: reg b1 b2 b4 a16 a32; lane b8 b16 a1 a2 a4; warp a8">
#b = #tgpu.layout<"32x64: reg b1 b2 b4 a8 a16; lane b8 b16 b32 a1 a2; warp a4">
#acc = #tgpu.layout<"64x64: reg b1 a8 b8 b16 a16 a32; lane b2 b4 a1 a2 a4; warp b32">

// Of two products in one loop it is said once; outside of loops there is nothing to say.
func.func @unknown_end(%x: tensor<64x32xbf16, #a>, %y: tensor<32x64xbf16, #b>, %more: i1, %z: tensor<64x64xf32, #acc>) {
  %o = tile.dot ieee signed %x, %y, %z {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
  // expected-remark @below {{a loop with `while`, `break` or `return` does not know which iterations come}}
  %r = scf.while (%s = %o) : (tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
    scf.condition(%more) %s : tensor<64x64xf32, #acc>
  } do {
  ^bb0(%s: tensor<64x64xf32, #acc>):
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    %e = tile.dot ieee signed %x, %y, %d {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    scf.yield %e : tensor<64x64xf32, #acc>
  }
  return
}

func.func @skipped_iterations(%x: tensor<64x32xbf16, #a>, %y: tensor<32x64xbf16, #b>, %n: index, %isRun: i1, %z: tensor<64x64xf32, #acc>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  // expected-remark @below {{its products are under a condition, as is all that follows a `continue`}}
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z) -> (tensor<64x64xf32, #acc>) {
    %c = scf.if %isRun -> tensor<64x64xf32, #acc> {
      %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    } else {
      scf.yield %s : tensor<64x64xf32, #acc>
    }
    scf.yield %c : tensor<64x64xf32, #acc>
  }
  return
}
