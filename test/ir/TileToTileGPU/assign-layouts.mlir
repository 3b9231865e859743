// RUN: tile-opt %s --split-input-file --tgpu-assign-layouts=warps=4 | FileCheck %s

// CHECK: #[[L:.*]] = #tgpu.layout<"1024: reg a1 a2 a512; lane a4 a8 a16 a32 a64; warp a128 a256">
// CHECK-LABEL: func @aligned_vector_of_16_bytes
// CHECK-SAME:    tgpu.warps = 4
// CHECK:         tile.load {{.*}} -> tensor<1024xf32, #[[L]]>
// CHECK-NEXT:    arith.mulf {{.*}} : tensor<1024xf32, #[[L]]>
// CHECK-NEXT:    tile.store {{.*}} tensor<1024xf32, #[[L]]>
func.func @aligned_vector_of_16_bytes(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index) {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %c = arith.constant 1024 : index
  %i = tile.program_id 0
  %o = arith.muli %i, %c : index
  %x = tile.load %v[%o :+ 1024] : !tile.view<?xf32>, (index) -> tensor<1024xf32>
  %y = arith.mulf %x, %x : tensor<1024xf32>
  tile.store %y, %v[%o :+ 1024] : tensor<1024xf32>, !tile.view<?xf32>, (index)
  return
}

// -----

// CHECK: #[[L:.*]] = #tgpu.layout<"1024: reg a128 a256 a512; lane a1 a2 a4 a8 a16; warp a32 a64">
// CHECK-LABEL: func @unaligned_base
// CHECK:         tile.load {{.*}} -> tensor<1024xf32, #[[L]]>
func.func @unaligned_base(%p: !tile.ptr<f32>, %n: index) {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %o = arith.constant 0 : index
  %x = tile.load %v[%o :+ 1024] : !tile.view<?xf32>, (index) -> tensor<1024xf32>
  tile.store %x, %v[%o :+ 1024] : tensor<1024xf32>, !tile.view<?xf32>, (index)
  return
}

// -----

// Both types move by one instruction per vector: the wider element decides.
// CHECK: #[[L:.*]] = #tgpu.layout<"1024: reg a1 a2 a512; lane
// CHECK-LABEL: func @two_element_types
// CHECK:         arith.addf {{.*}} : tensor<1024xf32, #[[L]]>
// CHECK-NOT:     convert_layout
func.func @two_element_types(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64},
                             %q: !tile.ptr<bf16> {tile.divisibility = 16 : i64}, %n: index) {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %w = tile.make_view %q, [%n], [1] : !tile.ptr<bf16> -> !tile.view<?xbf16>
  %o = arith.constant 0 : index
  %x = tile.load %v[%o :+ 1024] : !tile.view<?xf32>, (index) -> tensor<1024xf32>
  %y = tile.load %w[%o :+ 1024] : !tile.view<?xbf16>, (index) -> tensor<1024xbf16>
  %z = arith.extf %y : tensor<1024xbf16> to tensor<1024xf32>
  %s = arith.addf %x, %z : tensor<1024xf32>
  tile.store %s, %v[%o :+ 1024] : tensor<1024xf32>, !tile.view<?xf32>, (index)
  return
}

// -----

// The accumulator takes the layout of what is added to it, not that of the constant it starts from.
// CHECK: #[[L:.*]] = #tgpu.layout<"1024: reg a1 a2 a512; lane
// CHECK-LABEL: func @loop_carried
// CHECK:         scf.for {{.*}} -> (tensor<1024xf32, #[[L]]>)
// CHECK-NOT:     convert_layout
func.func @loop_carried(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index) {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %sum = scf.for %o = %c0 to %n step %c1024 iter_args(%acc = %zero) -> (tensor<1024xf32>) {
    %x = tile.load %v[%o :+ 1024] : !tile.view<?xf32>, (index) -> tensor<1024xf32>
    %s = arith.addf %acc, %x : tensor<1024xf32>
    scf.yield %s : tensor<1024xf32>
  }
  tile.store %sum, %v[%c0 :+ 1024] : tensor<1024xf32>, !tile.view<?xf32>, (index)
  return
}

// -----

// A reduction along rows gives the slice of the rows' layout.
// CHECK-DAG: #[[L:.*]] = #tgpu.layout<"16x64: reg b1 b2 a8; lane b4 b8 b16 b32 a1; warp a2 a4">
// CHECK-DAG: #[[S:.*]] = #tgpu.layout<"16: reg a8; lane 0 0 0 0 a1; warp a2 a4">
// CHECK-LABEL: func @rows
// CHECK:         tile.reduce {{.*}} : tensor<16x64xf32, #[[L]]> -> tensor<16xf32, #[[S]]>
func.func @rows(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %m: index) -> () {
  %v = tile.make_view %p, [%m, 64], [64, 1] : !tile.ptr<f32> -> !tile.view<?x64xf32>
  %o = arith.constant 0 : index
  %x = tile.load %v[%o :+ 16, %o :+ 64] : !tile.view<?x64xf32>, (index, index) -> tensor<16x64xf32>
  %s = tile.reduce %x axis 1 : tensor<16x64xf32> -> tensor<16xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %s, %v[%o :+ 16, %o] : tensor<16xf32>, !tile.view<?x64xf32>, (index, index)
  return
}
