// RUN: tile-opt %s --tgpu-lower-tiles --tgpu-scalars-to-llvm --mlir-print-debuginfo | FileCheck %s

#l = #tgpu.layout<"256: reg a1; lane a2 a4 a8 a16 a32; warp a64 a128">
// CHECK-DAG:   llvm.mlir.global internal constant @[[TEXT:.*]]("in range\00")
// CHECK-DAG:   llvm.mlir.global internal constant @[[FILE:.*]]("k.tile\00")
// CHECK-DAG:   llvm.mlir.global internal constant @[[NAME:.*]]("checked\00")
// CHECK-LABEL: llvm.func @checked
// CHECK:         llvm.cond_br
// CHECK:         %[[LINE:.*]] = llvm.mlir.constant(7 : i32)
// CHECK:         llvm.call @__assertfail(%{{.*}}, %{{.*}}, %[[LINE]], %{{.*}}, %{{.*}})
func.func @checked(%n: i32) attributes {tgpu.warps = 4 : i64} {
  %i = tile.iota : tensor<256xi32, #l>
  %ns = tile.splat %n : i32 -> tensor<256xi32, #l>
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32, #l>
  tile.assert %m, "in range" : tensor<256xi1, #l> loc("k.tile":7:3)
  return
}
