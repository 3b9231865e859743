// RUN: tile-opt %s --tgpu-prefetch-loads | FileCheck %s

#a = #tgpu.layout<"16x16: reg b1; lane b2 b4 b8 a1 a2; warp a4 a8">
#acc = #tgpu.layout<"16x16: reg b1 a8; lane b2 b4 a1 a2 a4; warp b8 0">

// CHECK-LABEL: func @one_iteration_early
// CHECK:         %[[FIRST:.*]] = tile.load %{{.*}} [%c0 :+ 16, %c0 :+ 16]
// CHECK:         scf.for %[[K:.*]] = %c0 to %{{.*}} step %c16 iter_args(%[[SUM:.*]] = %{{.*}}, %[[NOW:.*]] = %[[FIRST]])
// CHECK:           %[[NEXT_K:.*]] = arith.addi %[[K]], %c16
// CHECK:           %[[NEXT:.*]] = tile.load %{{.*}} [%c0 :+ 16, %[[NEXT_K]] :+ 16]
// CHECK:           %[[DOT:.*]] = tile.dot ieee signed %[[NOW]], %[[NOW]], %[[SUM]]
// CHECK:           scf.yield %[[DOT]], %[[NEXT]]
func.func @one_iteration_early(%v: !tile.view<16x?xbf16, constant>, %n: index, %z: tensor<16x16xf32, #acc>) -> tensor<16x16xf32, #acc> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %k = %c0 to %n step %c16 iter_args(%s = %z) -> (tensor<16x16xf32, #acc>) {
    %x = tile.load %v[%c0 :+ 16, %k :+ 16] : !tile.view<16x?xbf16, constant>, (index, index) -> tensor<16x16xbf16, #a>
    %d = tile.dot ieee signed %x, %x, %s : tensor<16x16xbf16, #a>, tensor<16x16xbf16, #a>, tensor<16x16xf32, #acc>
    scf.yield %d : tensor<16x16xf32, #acc>
  }
  return %r : tensor<16x16xf32, #acc>
}

// Past the last iteration it could touch what is outside.
// CHECK-LABEL: func @unchecked
// CHECK:         scf.for
// CHECK-NEXT:      tile.load
// CHECK-NEXT:      tile.dot
func.func @unchecked(%v: !tile.view<16x?xbf16, constant>, %n: index, %z: tensor<16x16xf32, #acc>) -> tensor<16x16xf32, #acc> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %k = %c0 to %n step %c16 iter_args(%s = %z) -> (tensor<16x16xf32, #acc>) {
    %x = tile.load %v[%c0 :+ 16, %k :+ 16] {unchecked} : !tile.view<16x?xbf16, constant>, (index, index) -> tensor<16x16xbf16, #a>
    %d = tile.dot ieee signed %x, %x, %s : tensor<16x16xbf16, #a>, tensor<16x16xbf16, #a>, tensor<16x16xf32, #acc>
    scf.yield %d : tensor<16x16xf32, #acc>
  }
  return %r : tensor<16x16xf32, #acc>
}

// CHECK-LABEL: func @written_by_others
// CHECK:         scf.for
// CHECK-NEXT:      tile.load
// CHECK-NEXT:      tile.dot
func.func @written_by_others(%v: !tile.view<16x?xbf16>, %n: index, %z: tensor<16x16xf32, #acc>) -> tensor<16x16xf32, #acc> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %k = %c0 to %n step %c16 iter_args(%s = %z) -> (tensor<16x16xf32, #acc>) {
    %x = tile.load %v[%c0 :+ 16, %k :+ 16] : !tile.view<16x?xbf16>, (index, index) -> tensor<16x16xbf16, #a>
    %d = tile.dot ieee signed %x, %x, %s : tensor<16x16xbf16, #a>, tensor<16x16xbf16, #a>, tensor<16x16xf32, #acc>
    scf.yield %d : tensor<16x16xf32, #acc>
  }
  return %r : tensor<16x16xf32, #acc>
}
