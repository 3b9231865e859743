// RUN: tile-opt %s | FileCheck %s

// CHECK-DAG: #[[A:.*]] = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
// CHECK-DAG: #[[T:.*]] = #tgpu.layout<"16x16: offset a1 a2 a4 a8 b1 b2 a8^b4 b8">
#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#t = #tgpu.layout<"16x16: offset a1 a2 a4 a8 b1 b2 b4^a8 b8">
#b = #tgpu.layout<"16x8: offset b1 b2 b4 a1 a2 a4 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
#lhs = #tgpu.layout<"16x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp">
#rhs = #tgpu.layout<"16x8: reg a1 a8; lane a2 a4 b1 b2 b4; warp">
#acc = #tgpu.layout<"16x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp">

// CHECK-LABEL: func @copy_wait_multiply
// CHECK:         %[[RING:.*]] = tgpu.alloc : <3 of 16x16xbf16, #[[A]]>
// CHECK:         %[[SLOT:.*]] = tgpu.slot %[[RING]][%arg1] : <3 of 16x16xbf16, #[[A]]>
// CHECK:         %[[COPY:.*]] = tgpu.copy_async %arg0 [%arg1 :+ 16, %arg1 :+ 16] into %[[SLOT]] if %arg2 by #{{.*}} : <?x?xbf16, constant>, (index, index), <16x16xbf16, #[[A]]>
// CHECK:         %[[GROUP:.*]] = tgpu.commit[%[[COPY]]]
// CHECK:         tgpu.wait[%[[GROUP]]] {pending = 0 : i64}
// CHECK:         tgpu.mma ieee signed %[[SLOT]], %{{.*}}, %arg4 over [1, 1] : !tgpu.slot<16x16xbf16, #[[A]]>, !tgpu.slot<16x8xbf16, #{{.*}}>, tensor<16x8xf32, #{{.*}}>
func.func @copy_wait_multiply(%v: !tile.view<?x?xbf16, constant>, %n: index, %more: i1, %y: tensor<16x8xbf16, #rhs>,
                              %acc: tensor<16x8xf32, #acc>) -> tensor<16x8xf32, #acc> {
  %ring = tgpu.alloc : !tgpu.buffer<3 of 16x16xbf16, #a>
  %other = tgpu.alloc : !tgpu.buffer<1 of 16x8xbf16, #b>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<3 of 16x16xbf16, #a>
  %o = tgpu.slot %other[%n] : !tgpu.buffer<1 of 16x8xbf16, #b>
  %t = tgpu.copy_async %v[%n :+ 16, %n :+ 16] into %s if %more by #copy : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
  tgpu.store_shared %y, %o : tensor<16x8xbf16, #rhs>, !tgpu.slot<16x8xbf16, #b>
  %g = tgpu.commit[%t]
  tgpu.wait[%g] {pending = 0 : i64}
  %d = tgpu.mma ieee signed %s, %o, %acc over [1, 1] : !tgpu.slot<16x16xbf16, #a>, !tgpu.slot<16x8xbf16, #b>, tensor<16x8xf32, #acc>
  return %d : tensor<16x8xf32, #acc>
}

// CHECK-LABEL: func @factors_in_registers
// CHECK:         %[[LHS:.*]] = tgpu.load_shared %{{.*}} : <16x16xbf16, #[[T]]> -> tensor<16x16xbf16, #{{.*}}>
// CHECK:         tgpu.mma ieee signed %[[LHS]], %arg2, %arg3 over [1, 1]
func.func @factors_in_registers(%v: !tile.view<?x?xbf16, constant>, %n: index, %y: tensor<16x8xbf16, #rhs>,
                                %acc: tensor<16x8xf32, #acc>) -> tensor<16x8xf32, #acc> {
  %ring = tgpu.alloc : !tgpu.buffer<2 of 16x16xbf16, #a>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<2 of 16x16xbf16, #a>
  %transposed = tgpu.transpose %s : !tgpu.slot<16x16xbf16, #a>
  %x = tgpu.load_shared %transposed : !tgpu.slot<16x16xbf16, #t> -> tensor<16x16xbf16, #lhs>
  %d = tgpu.mma ieee signed %x, %y, %acc over [1, 1] : tensor<16x16xbf16, #lhs>, tensor<16x8xbf16, #rhs>, tensor<16x8xf32, #acc>
  return %d : tensor<16x8xf32, #acc>
}
