// RUN: tile-opt %s --tgpu-lower-tiles --canonicalize --cse | FileCheck %s

#l = #tgpu.layout<"512: reg a1 a2; lane a4 a8 a16 a32 a64; warp a128 a256">

// Both bounds of a corner that may be anything are clamped in 64 bits and compared in 32.
// CHECK-LABEL: func @any_corner
// CHECK-SAME:    %[[P:.*]]: !llvm.ptr<1>, %[[N:.*]]: index, %[[O:.*]]: index
// CHECK-DAG:     %[[N64:.*]] = arith.index_cast %[[N]]
// CHECK-DAG:     %[[O64:.*]] = arith.index_cast %[[O]]
// CHECK:         %[[CORNER:.*]] = arith.maxsi %[[O64]], %c-512_i64
// CHECK:         %[[LEFT:.*]] = arith.subi %[[N64]], %[[CORNER]]
// CHECK:         arith.maxsi %[[LEFT]], %c0_i64
// CHECK:         %[[HIGH64:.*]] = arith.minsi %{{.*}}, %c512_i64
// CHECK:         %[[HIGH:.*]] = arith.trunci %[[HIGH64]] : i64 to i32
// CHECK:         %[[BELOW:.*]] = arith.subi %c0_i64, %[[CORNER]]
// CHECK:         %[[LOW64:.*]] = arith.maxsi %[[BELOW]], %c0_i64
// CHECK:         %[[LOW:.*]] = arith.trunci %[[LOW64]] : i64 to i32
// CHECK-DAG:     %[[LAST:.*]] = arith.cmpi slt, %{{.*}}, %[[HIGH]]
// CHECK-DAG:     %[[FIRST:.*]] = arith.cmpi sge, %{{.*}}, %[[LOW]]
// CHECK:         %[[WHOLE:.*]] = arith.andi %[[LAST]], %[[FIRST]]
// CHECK:         llvm.inline_asm {{.*}}"@$4 ld.global.nc.v4.b32 {$0, $1, $2, $3}, [$5];"{{.*}} %[[WHOLE]]
// A view that ends within a vector: elements one by one, entered by all threads or none.
// CHECK:         scf.if
// CHECK-COUNT-4:   "@$1 ld.global.nc.b32 $0
func.func @any_corner(%p: !tile.ptr<f32>, %n: index, %o: index) attributes {tgpu.warps = 4 : i64} {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32, constant>
  %x = tile.load %v[%o :+ 512] {tgpu.access = #tgpu.access<vector = 4>} : !tile.view<?xf32, constant>, (index) -> tensor<512xf32, #l>
  %w = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  tile.store %x, %w[%o :+ 512] {tgpu.access = #tgpu.access<vector = 4>} : tensor<512xf32, #l>, !tile.view<?xf32>, (index)
  return
}

// Nothing is compared, so the access is one that LLVM knows; nobody writes the view, so it is invariant.
// CHECK-LABEL: func @unchecked
// CHECK:         llvm.load {{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-NOT:     scf.if
// CHECK:         llvm.store {{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
func.func @unchecked(%p: !tile.ptr<f32>, %n: index, %o: index) attributes {tgpu.warps = 4 : i64} {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32, constant>
  %x = tile.load %v[%o :+ 512] {unchecked, tgpu.access = #tgpu.access<vector = 4>} : !tile.view<?xf32, constant>, (index) -> tensor<512xf32, #l>
  %w = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  tile.store %x, %w[%o :+ 512] {unchecked, tgpu.access = #tgpu.access<vector = 4>} : tensor<512xf32, #l>, !tile.view<?xf32>, (index)
  return
}

// Offsets of 32 bits wrap; only their sum is widened.
// CHECK-LABEL: func @narrow_offsets
// CHECK:         %[[ELEMENTS:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK:         %[[OFFSET:.*]] = arith.muli %[[ELEMENTS]], %c4_i32 : i32
// CHECK:         %[[WIDE:.*]] = arith.extsi %[[OFFSET]] : i32 to i64
// CHECK:         llvm.getelementptr %arg0[%[[WIDE]]]
func.func @narrow_offsets(%p: !tile.ptr<f32>, %n: index, %o: index) attributes {tgpu.warps = 4 : i64} {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %x = tile.load %v[%o :+ 512] {unchecked, tgpu.access = #tgpu.access<vector = 4, narrow = true>} : !tile.view<?xf32>, (index) -> tensor<512xf32, #l>
  tile.store %x, %v[%o :+ 512] {unchecked, tgpu.access = #tgpu.access<vector = 4, narrow = true>} : tensor<512xf32, #l>, !tile.view<?xf32>, (index)
  return
}

// Of 128 threads 16 hold elements of their own: the others load, and do not store.
#few = #tgpu.layout<"16: reg; lane a1 a2 a4 a8 0; warp 0 0">
// CHECK-LABEL: func @replicated_threads_do_not_store
// CHECK:         llvm.load
// CHECK:         %[[LANE:.*]] = arith.andi %{{.*}}, %c16_i32
// CHECK:         %[[FIRST_HALF:.*]] = arith.cmpi eq, %[[LANE]], %c0_i32
// CHECK:         %[[FIRST_WARP:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK:         %[[OWNER:.*]] = arith.andi %[[FIRST_HALF]], %[[FIRST_WARP]]
// CHECK:         "@$0 st.global.b32 [$1], $2;"{{.*}} %[[OWNER]]
func.func @replicated_threads_do_not_store(%p: !tile.ptr<f32>, %n: index, %o: index) attributes {tgpu.warps = 4 : i64} {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %x = tile.load %v[%o :+ 16] {unchecked} : !tile.view<?xf32>, (index) -> tensor<16xf32, #few>
  tile.store %x, %v[%o :+ 16] {unchecked} : tensor<16xf32, #few>, !tile.view<?xf32>, (index)
  return
}

// A row that is not in the view leaves nothing of the columns: one select, and no operation for each register.
// CHECK-LABEL: func @fixed_dim
// CHECK:         %[[ROW:.*]] = arith.cmpi ult
// CHECK:         %[[HIGH:.*]] = arith.select %[[ROW]], %{{.*}}, %c0_i32 : i32
// CHECK-NOT:     arith.andi %[[ROW]]
// CHECK:         %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %[[HIGH]] : i32
// CHECK:         llvm.inline_asm {{.*}}"@$4 ld.global.v4.b32 {{.*}} %[[IN]]
func.func @fixed_dim(%p: !tile.ptr<f32>, %m: index, %n: index, %i: index, %o: index) attributes {tgpu.warps = 4 : i64} {
  %v = tile.make_view %p, [%m, %n], [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %x = tile.load %v[%i, %o :+ 512] {tgpu.access = #tgpu.access<vector = 4, whole = true, nonNegative = [1]>} : !tile.view<?x?xf32>, (index, index) -> tensor<512xf32, #l>
  tile.store %x, %v[%i, %o :+ 512] {unchecked, tgpu.access = #tgpu.access<vector = 4>} : tensor<512xf32, #l>, !tile.view<?x?xf32>, (index, index)
  return
}
