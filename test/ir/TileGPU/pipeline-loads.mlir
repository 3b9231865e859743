// RUN: tile-opt %s --tgpu-pipeline-loads --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --tgpu-pipeline-loads --tgpu-count-groups --tgpu-allocate-shared --tgpu-insert-barriers \
// RUN:   --tgpu-verify-async | FileCheck %s --check-prefix=LOWERED

#a = #tgpu.layout<"64x32: reg b1 b2 b4 a16 a32; lane b8 b16 a1 a2 a4; warp a8">
#b = #tgpu.layout<"32x64: reg b1 b2 b4 a8 a16; lane b8 b16 b32 a1 a2; warp a4">
#acc = #tgpu.layout<"64x64: reg b1 a8 b8 b16 a16 a32; lane b2 b4 a1 a2 a4; warp b32">
#plan = #tgpu.access<vector = 8, whole = true, nonNegative = [0, 1]>

// The barrier after the wait also orders the copies behind the products that read the slot before; the slot of
// iteration n + 2 is that of iteration n - 1.
// CHECK-LABEL: func @two_factors
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
// CHECK:         %[[A:.*]] = tgpu.alloc : <3 of 64x32xbf16
// CHECK:         %[[B:.*]] = tgpu.alloc : <3 of 32x64xbf16
// CHECK:         %[[TRIPS:.*]] = arith.divsi
// CHECK:         %[[MORE0:.*]] = arith.cmpi sgt, %[[TRIPS]], %[[C0]]
// CHECK:         tgpu.copy_async {{.*}} if %[[MORE0]]
// CHECK:         tgpu.copy_async {{.*}} if %[[MORE0]]
// CHECK:         %[[G0:.*]] = tgpu.commit
// CHECK:         %[[MORE1:.*]] = arith.cmpi sgt, %[[TRIPS]], %[[C1]]
// CHECK:         %[[G1:.*]] = tgpu.commit
// CHECK:         %[[LOOP:.*]]:4 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[N:.*]] = %[[C0]], %[[OLD:.*]] = %[[G0]], %[[NEW:.*]] = %[[G1]])
// CHECK-NEXT:      tgpu.wait[%[[OLD]]]
// CHECK-NEXT:      %[[AHEAD:.*]] = arith.addi %[[N]], %[[C2]]
// CHECK:           %[[MORE:.*]] = arith.cmpi slt, %[[AHEAD]], %[[TRIPS]]
// CHECK:           %[[TO:.*]] = tgpu.slot %[[A]][%[[AHEAD]]]
// CHECK:           tgpu.copy_async {{.*}} into %[[TO]] if %[[MORE]]
// CHECK:           %[[LAST:.*]] = tgpu.commit
// CHECK:           %[[LHS:.*]] = tgpu.slot %[[A]][%[[N]]]
// CHECK:           %[[RHS:.*]] = tgpu.slot %[[B]][%[[N]]]
// CHECK:           tgpu.mma ieee signed %[[LHS]], %[[RHS]], %[[ACC]] over [1, 2]
// CHECK:           %[[NEXT:.*]] = arith.addi %[[N]], %[[C1]]
// CHECK:           scf.yield %{{.*}}, %[[NEXT]], %[[NEW]], %[[LAST]]
// CHECK:         tgpu.wait[%[[LOOP]]#2, %[[LOOP]]#3]

// One group may be under way while an iteration waits for its own, and one barrier is enough.
// LOWERED-LABEL: func @two_factors
// LOWERED-SAME:    tgpu.shared_bytes = 24576
// LOWERED-NOT:     tgpu.barrier
// LOWERED:         scf.for
// LOWERED:           tgpu.wait[%{{.*}}] {pending = 1 : i64}
// LOWERED:           tgpu.barrier
// LOWERED:           tgpu.copy_async
// LOWERED-NOT:       tgpu.barrier
// LOWERED:         }
// LOWERED:         tgpu.wait[%{{.*}}] {pending = 0 : i64}
func.func @two_factors(%v: !tile.view<?x?xbf16, constant>, %w: !tile.view<?x?xbf16, constant>, %n: index,
                       %z: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> attributes {tile.schedule = {stages = 3 : i64}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z) -> (tensor<64x64xf32, #acc>) {
    %x = tile.load %v[%c0 :+ 64, %k :+ 32] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x32xbf16, #a>
    %y = tile.load %w[%k :+ 32, %c0 :+ 64] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<32x64xbf16, #b>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  return %r : tensor<64x64xf32, #acc>
}

// A factor stored by columns is the transposition of its slot. One that does not change is stored once.
// CHECK-LABEL: func @transposed_and_invariant
// CHECK:         %[[LEFT:.*]] = tgpu.slot
// CHECK:         tgpu.store_shared %arg1, %[[LEFT]]
// CHECK:         scf.for
// CHECK:           tgpu.wait
// CHECK-NOT:       tgpu.store_shared
// CHECK:           %[[RIGHT:.*]] = tgpu.transpose
// CHECK:           tgpu.mma ieee signed %[[LEFT]], %[[RIGHT]]
func.func @transposed_and_invariant(%v: !tile.view<?x?xbf16, constant>, %x: tensor<64x32xbf16, #a>, %n: index,
                                    %z: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z) -> (tensor<64x64xf32, #acc>) {
    %l = tile.load %v[%c0 :+ 64, %k :+ 32] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x32xbf16, #a>
    %y = tile.permute %l [1, 0] : tensor<64x32xbf16, #a> -> tensor<32x64xbf16, #tgpu.layout<"32x64: reg a1 a2 a4 b16 b32; lane a8 a16 b1 b2 b4; warp b8">>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #tgpu.layout<"32x64: reg a1 a2 a4 b16 b32; lane a8 a16 b1 b2 b4; warp b8">>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  return %r : tensor<64x64xf32, #acc>
}

// What the loop makes itself goes to one of two slots in turn.
// CHECK-LABEL: func @factor_made_in_the_loop
// CHECK:         tgpu.alloc : <2 of 64x32xbf16
// CHECK:         scf.for {{.*}} iter_args(%{{[^,]*}}, %[[N:[^ ]*]] =
// CHECK:           %[[MADE:.*]] = arith.addf
// CHECK:           %[[SLOT:.*]] = tgpu.slot %{{.*}}[%[[N]]]
// CHECK:           tgpu.store_shared %[[MADE]], %[[SLOT]]
// CHECK:           tgpu.wait
// CHECK:           tgpu.mma ieee signed %[[SLOT]]
// LOWERED-LABEL: func @factor_made_in_the_loop
// LOWERED:         scf.for
// LOWERED:           tgpu.store_shared
// LOWERED:           tgpu.wait
// LOWERED:           tgpu.barrier
// LOWERED-NOT:       tgpu.barrier
// LOWERED:         }
func.func @factor_made_in_the_loop(%v: !tile.view<?x?xbf16, constant>, %w: !tile.view<?x?xbf16, constant>, %n: index,
                                   %z: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z) -> (tensor<64x64xf32, #acc>) {
    %l = tile.load %v[%c0 :+ 64, %k :+ 32] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x32xbf16, #a>
    %x = arith.addf %l, %l : tensor<64x32xbf16, #a>
    %y = tile.load %w[%k :+ 32, %c0 :+ 64] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<32x64xbf16, #b>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  return %r : tensor<64x64xf32, #acc>
}

// One stage is the plain form.
// CHECK-LABEL: func @one_stage
// CHECK:         scf.for
// CHECK-NEXT:      tile.load
// CHECK-NOT:     tgpu.alloc
func.func @one_stage(%v: !tile.view<?x?xbf16, constant>, %w: !tile.view<?x?xbf16, constant>, %n: index,
                     %z: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z) -> (tensor<64x64xf32, #acc>) {
    %x = tile.load %v[%c0 :+ 64, %k :+ 32] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x32xbf16, #a>
    %y = tile.load %w[%k :+ 32, %c0 :+ 64] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<32x64xbf16, #b>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  } {tile.schedule = {stages = 1 : i64}}
  return %r : tensor<64x64xf32, #acc>
}
