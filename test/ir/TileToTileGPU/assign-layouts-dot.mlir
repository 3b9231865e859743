// RUN: tile-opt %s --split-input-file --tgpu-choose-mma="types=bf16,f16 warps=8" --tgpu-assign-layouts=warps=8 | FileCheck %s

// The accumulator of a loop keeps its fragments from the constant to the store; factors stay as they were loaded.
// CHECK-DAG:   #[[C:.*]] = #tgpu.layout<"128x128: reg b1 a8 b8 b16 a16 a32; lane b2 b4 a1 a2 a4; warp a64 b32 b64">
// CHECK-DAG:   #[[A:.*]] = #tgpu.layout<"128x32: reg b1 b2 b4 a64; lane b8 b16 a1 a2 a4; warp a8 a16 a32">
// CHECK-LABEL: func @accumulate_over_k
// CHECK:         scf.for {{.*}} -> (tensor<128x128xf32, #[[C]]>)
// CHECK-NOT:       convert_layout
// CHECK:           %[[D:.*]] = tile.dot {{.*}} : tensor<128x32xbf16, #[[A]]>, {{.*}} tensor<128x128xf32, #[[C]]>
// CHECK-NEXT:      scf.yield %[[D]]
// CHECK-NOT:     convert_layout
// CHECK:         tile.store {{.*}} : tensor<128x128xf32, #[[C]]>
func.func @accumulate_over_k(%a: !tile.ptr<bf16> {tile.divisibility = 16 : i64}, %b: !tile.ptr<bf16> {tile.divisibility = 16 : i64}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %k: index) {
  %x = tile.make_view %a, [128, %k], [32, 1] : !tile.ptr<bf16> -> !tile.view<128x?xbf16>
  %y = tile.make_view %b, [%k, 128], [128, 1] : !tile.ptr<bf16> -> !tile.view<?x128xbf16>
  %z = tile.make_view %c, [128, 128], [128, 1] : !tile.ptr<f32> -> !tile.view<128x128xf32>
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %acc = scf.for %i = %c0 to %k step %c32 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
    %p = tile.load %x[%c0 :+ 128, %i :+ 32] : !tile.view<128x?xbf16>, (index, index) -> tensor<128x32xbf16>
    %q = tile.load %y[%i :+ 32, %c0 :+ 128] : !tile.view<?x128xbf16>, (index, index) -> tensor<32x128xbf16>
    %d = tile.dot ieee signed %p, %q, %s : tensor<128x32xbf16>, tensor<32x128xbf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.store %acc, %z[%c0 :+ 128, %c0 :+ 128] : tensor<128x128xf32>, !tile.view<128x128xf32>, (index, index)
  return
}

// -----

// Eight warps have one fragment to share: all hold it.
// CHECK-DAG:   #{{.*}} = #tgpu.layout<"16x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp 0 0 0">
// CHECK-LABEL: func @fewer_fragments_than_warps
// CHECK:         tile.dot
func.func @fewer_fragments_than_warps() {
  %o = arith.constant dense<1.0> : tensor<16x16xf16>
  %r = arith.constant dense<1.0> : tensor<16x8xf16>
  %z = arith.constant dense<0.0> : tensor<16x8xf32>
  %d = tile.dot ieee signed %o, %r, %z : tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>
  return
}
