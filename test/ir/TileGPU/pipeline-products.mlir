// RUN: tile-opt %s --tgpu-pipeline-loads --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --tgpu-pipeline-loads --tgpu-count-groups --tgpu-allocate-shared="limit=65536" --tgpu-insert-barriers \
// RUN:   --tgpu-verify-async | FileCheck %s --check-prefix=LOWERED

#a = #tgpu.layout<"64x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp a16 a32">
#b = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp 0 0">
#acc = #tgpu.layout<"64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32">
#plan = #tgpu.access<vector = 8, whole = true, nonNegative = [0, 1]>

// The product of an iteration is begun before that of the one before is waited for. Its slots are free a whole iteration
// later, so of four slots two are ahead; one barrier is enough.
// CHECK-LABEL: func @late
// CHECK:         tgpu.alloc : <4 of 64x16xbf16
// CHECK:         %[[DONE:.*]] = tgpu.done
// CHECK:         %[[LOOP:.*]]:5 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[N:.*]] = %{{.*}}, %[[OLD:.*]] = %{{.*}}, %[[NEW:.*]] = %{{.*}}, %[[LAST:.*]] = %[[DONE]])
// CHECK-NEXT:      tgpu.wait[%[[OLD]]]
// CHECK:           %[[SUM:.*]], %[[TOKEN:.*]] = tgpu.mma_async {{.*}}, %[[ACC]] over [4, 1]
// CHECK:           %[[GROUP:.*]] = tgpu.commit
// CHECK-NEXT:      tgpu.mma_wait[%[[LAST]]]
// CHECK:           scf.yield %[[SUM]], %{{.*}}, %[[NEW]], %[[GROUP]], %[[TOKEN]]
// CHECK:         tgpu.mma_wait[%[[LOOP]]#4] of %[[LOOP]]#0
// LOWERED-LABEL: func @late
// LOWERED:         scf.for
// LOWERED:           tgpu.wait[%{{.*}}] {pending = 1 : i64}
// LOWERED:           tgpu.fence_async
// LOWERED-NEXT:      tgpu.barrier
// LOWERED-NEXT:      tgpu.mma_async
// LOWERED-NOT:       tgpu.barrier
// LOWERED:           tgpu.mma_wait[%{{.*}}] {pending = 1 : i64}
// LOWERED:           scf.yield
// LOWERED:         tgpu.mma_wait[%{{.*}}] of %{{.*}} {pending = 0 : i64}
func.func @late(%v: !tile.view<?x?xbf16, constant>, %w: !tile.view<?x?xbf16, constant>, %n: index,
                %z: tensor<64x16xf32, #acc>) -> tensor<64x16xf32, #acc> attributes {tgpu.warps = 4 : i64, tile.schedule = {stages = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %k = %c0 to %n step %c16 iter_args(%s = %z) -> (tensor<64x16xf32, #acc>) {
    %x = tile.load %v[%c0 :+ 64, %k :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x16xbf16, #a>
    %y = tile.load %w[%k :+ 16, %c0 :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<16x16xbf16, #b>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #a>, tensor<16x16xbf16, #b>, tensor<64x16xf32, #acc>
    scf.yield %d : tensor<64x16xf32, #acc>
  }
  return %r : tensor<64x16xf32, #acc>
}

// The first sum goes into the second product without a wait.
// CHECK-LABEL: func @passed_on
// CHECK:         scf.for {{.*}} iter_args(%[[ACC:[a-z0-9]*]] = {{.*}}, %[[LAST:[a-z0-9]*]] = %{{[a-z0-9]*}}) ->
// CHECK:           %[[FIRST:.*]], %{{.*}} = tgpu.mma_async {{.*}}, %[[ACC]] over [4, 1] :
// CHECK-NOT:       tgpu.mma_wait
// CHECK:           %[[SECOND:.*]], %[[TOKEN:.*]] = tgpu.mma_async {{.*}}, %[[FIRST]] over [4, 1] :
// CHECK:           tgpu.mma_wait[%[[LAST]]]
// CHECK:           scf.yield %[[SECOND]]
// LOWERED-LABEL: func @passed_on
// LOWERED:           tgpu.mma_wait[%{{.*}}] {pending = 2 : i64}
func.func @passed_on(%v: !tile.view<?x?xbf16, constant>, %w: !tile.view<?x?xbf16, constant>, %n: index,
                     %z: tensor<64x16xf32, #acc>) -> tensor<64x16xf32, #acc> attributes {tgpu.warps = 4 : i64, tile.schedule = {stages = 3 : i64}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %k = %c0 to %n step %c16 iter_args(%s = %z) -> (tensor<64x16xf32, #acc>) {
    %x = tile.load %v[%c0 :+ 64, %k :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x16xbf16, #a>
    %y = tile.load %w[%k :+ 16, %c0 :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<16x16xbf16, #b>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #a>, tensor<16x16xbf16, #b>, tensor<64x16xf32, #acc>
    %e = tile.dot ieee signed %x, %y, %d {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #a>, tensor<16x16xbf16, #b>, tensor<64x16xf32, #acc>
    scf.yield %e : tensor<64x16xf32, #acc>
  }
  return %r : tensor<64x16xf32, #acc>
}

// What stays is stored once. A sum that is looked at waits for itself; one that the next iteration scales is waited for
// there.
// CHECK-LABEL: func @scaled
// CHECK:         tgpu.store_shared %arg3, %[[Q:.*]] :
// CHECK:         scf.for {{.*}} iter_args(%[[ACC:[a-z0-9]*]] = {{.*}}, %[[LAST:[a-z0-9]*]] = %{{[a-z0-9]*}}) ->
// CHECK:           %[[S:.*]], %{{.*}} = tgpu.mma_async ieee signed %[[Q]], {{.*}}, %arg4 over [4, 1] {waits}
// CHECK:           arith.truncf %[[S]]
// CHECK:           %[[BEFORE:.*]] = tgpu.mma_wait[%[[LAST]]] of %[[ACC]]
// CHECK:           %[[HALF:.*]] = arith.mulf %[[BEFORE]]
// CHECK:           %[[SUM:.*]], %{{.*}} = tgpu.mma_async {{.*}}, %[[HALF]] over [4, 1] :
// CHECK:           scf.yield %[[SUM]]
// LOWERED-LABEL: func @scaled
func.func @scaled(%v: !tile.view<?x?xbf16, constant>, %w: !tile.view<?x?xbf16, constant>, %n: index,
                  %q: tensor<64x16xbf16, #a>, %z: tensor<64x16xf32, #acc>) -> tensor<64x16xf32, #acc> attributes {tgpu.warps = 4 : i64, tile.schedule = {stages = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %k = %c0 to %n step %c16 iter_args(%s = %z) -> (tensor<64x16xf32, #acc>) {
    %x = tile.load %v[%k :+ 16, %c0 :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<16x16xbf16, #b>
    %y = tile.load %w[%k :+ 16, %c0 :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<16x16xbf16, #b>
    %d = tile.dot ieee signed %q, %x, %z {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #a>, tensor<16x16xbf16, #b>, tensor<64x16xf32, #acc>
    %p = arith.truncf %d : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
    %h = arith.mulf %s, %z : tensor<64x16xf32, #acc>
    %e = tile.dot ieee signed %p, %y, %h {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #acc>, tensor<16x16xbf16, #b>, tensor<64x16xf32, #acc>
    scf.yield %e : tensor<64x16xf32, #acc>
  }
  return %r : tensor<64x16xf32, #acc>
}

// Two stages leave no product of the iteration before under way, so the first of this one runs while copies begin.
// CHECK-LABEL: func @nothing_late
// CHECK:         scf.for
// CHECK:           %[[S:.*]], %[[TOKEN:.*]] = tgpu.mma_async {{.*}} over [4, 1] :
// CHECK:           tgpu.commit
// CHECK-NEXT:      %[[DONE:.*]] = tgpu.mma_wait[%[[TOKEN]]] of %[[S]]
// CHECK:           arith.truncf %[[DONE]]
// CHECK:           tgpu.mma_async {{.*}} {waits}
// LOWERED-LABEL: func @nothing_late
// LOWERED:           tgpu.mma_wait[%{{.*}}] of %{{.*}} {pending = 0 : i64}
func.func @nothing_late(%v: !tile.view<?x?xbf16, constant>, %w: !tile.view<?x?xbf16, constant>, %n: index,
                        %q: tensor<64x16xbf16, #a>, %z: tensor<64x16xf32, #acc>) -> tensor<64x16xf32, #acc> attributes {tgpu.warps = 4 : i64, tile.schedule = {stages = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %r = scf.for %k = %c0 to %n step %c16 iter_args(%s = %z) -> (tensor<64x16xf32, #acc>) {
    %x = tile.load %v[%k :+ 16, %c0 :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<16x16xbf16, #b>
    %y = tile.load %w[%k :+ 16, %c0 :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<16x16xbf16, #b>
    %d = tile.dot ieee signed %q, %x, %zero {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #a>, tensor<16x16xbf16, #b>, tensor<64x16xf32, #acc>
    %p = arith.truncf %d : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
    %e = tile.dot ieee signed %p, %y, %s {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #acc>, tensor<16x16xbf16, #b>, tensor<64x16xf32, #acc>
    scf.yield %e : tensor<64x16xf32, #acc>
  }
  return %r : tensor<64x16xf32, #acc>
}

// Where more than the loop's next iteration wants a sum, or something else is in its place there, LLVM would have to copy
// registers under way: all of these wait.
// CHECK-LABEL: func @swapped
// CHECK-COUNT-2:   tgpu.mma_async {{.*}} {waits}
// CHECK-LABEL: func @copied
// CHECK:           tgpu.mma_async {{.*}} {waits}
// CHECK-LABEL: func @set_anew
// CHECK:           tgpu.mma_async {{.*}} {waits}
// LOWERED-LABEL: func @swapped
func.func @swapped(%v: !tile.view<?x?xbf16, constant>, %w: !tile.view<?x?xbf16, constant>, %n: index,
                   %z: tensor<64x16xf32, #acc>) -> tensor<64x16xf32, #acc> attributes {tgpu.warps = 4 : i64, tile.schedule = {stages = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %r:2 = scf.for %k = %c0 to %n step %c16 iter_args(%s = %z, %t = %z) -> (tensor<64x16xf32, #acc>, tensor<64x16xf32, #acc>) {
    %x = tile.load %v[%c0 :+ 64, %k :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x16xbf16, #a>
    %y = tile.load %w[%k :+ 16, %c0 :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<16x16xbf16, #b>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #a>, tensor<16x16xbf16, #b>, tensor<64x16xf32, #acc>
    %e = tile.dot ieee signed %x, %y, %t {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #a>, tensor<16x16xbf16, #b>, tensor<64x16xf32, #acc>
    scf.yield %e, %d : tensor<64x16xf32, #acc>, tensor<64x16xf32, #acc>
  }
  %u = arith.addf %r#0, %r#1 : tensor<64x16xf32, #acc>
  return %u : tensor<64x16xf32, #acc>
}
func.func @copied(%v: !tile.view<?x?xbf16, constant>, %w: !tile.view<?x?xbf16, constant>, %n: index,
                   %z: tensor<64x16xf32, #acc>) -> tensor<64x16xf32, #acc> attributes {tgpu.warps = 4 : i64, tile.schedule = {stages = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %r:2 = scf.for %k = %c0 to %n step %c16 iter_args(%s = %z, %t = %z) -> (tensor<64x16xf32, #acc>, tensor<64x16xf32, #acc>) {
    %x = tile.load %v[%c0 :+ 64, %k :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x16xbf16, #a>
    %y = tile.load %w[%k :+ 16, %c0 :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<16x16xbf16, #b>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #a>, tensor<16x16xbf16, #b>, tensor<64x16xf32, #acc>
    scf.yield %d, %s : tensor<64x16xf32, #acc>, tensor<64x16xf32, #acc>
  }
  %u = arith.addf %r#0, %r#1 : tensor<64x16xf32, #acc>
  return %u : tensor<64x16xf32, #acc>
}
func.func @set_anew(%v: !tile.view<?x?xbf16, constant>, %w: !tile.view<?x?xbf16, constant>, %n: index,
                   %z: tensor<64x16xf32, #acc>) -> tensor<64x16xf32, #acc> attributes {tgpu.warps = 4 : i64, tile.schedule = {stages = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %r:2 = scf.for %k = %c0 to %n step %c16 iter_args(%s = %z, %t = %z) -> (tensor<64x16xf32, #acc>, tensor<64x16xf32, #acc>) {
    %x = tile.load %v[%c0 :+ 64, %k :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x16xbf16, #a>
    %y = tile.load %w[%k :+ 16, %c0 :+ 16] {tgpu.access = #plan} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<16x16xbf16, #b>
    %d = tile.dot ieee signed %x, %y, %z {tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x16xbf16, #a>, tensor<16x16xbf16, #b>, tensor<64x16xf32, #acc>
    scf.yield %d, %t : tensor<64x16xf32, #acc>, tensor<64x16xf32, #acc>
  }
  %u = arith.addf %r#0, %r#1 : tensor<64x16xf32, #acc>
  return %u : tensor<64x16xf32, #acc>
}
