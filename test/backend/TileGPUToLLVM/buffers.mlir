// RUN: tile-opt %s --tgpu-lower-tiles --canonicalize --cse | FileCheck %s

#a2 = #tgpu.layout<"32x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8 a16">
#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#t = #tgpu.layout<"16x16: offset a1 a2 a4 a8 b1 b2 a8^b4 b8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
#copy2 = #tgpu.layout<"32x16: reg b1 b2 b4 a16; lane b8 a1 a2 a4 a8; warp">
#acc = #tgpu.layout<"16x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp">
#rhs = #tgpu.layout<"16x16: reg a1 a8 b8; lane a2 a4 b1 b2 b4; warp">

// The slot is the index modulo three; a vector outside of the view is filled with zeros.
// CHECK-LABEL: func @ring
// CHECK-DAG:     %[[THREE:.*]] = arith.constant 3 : i32
// CHECK-DAG:     %[[SLOT:.*]] = arith.constant 1024 : i32
// CHECK-DAG:     %[[TRUE:.*]] = arith.constant true
// CHECK:         %[[BASE:.*]] = llvm.ptrtoint
// CHECK:         %[[STAGE:.*]] = arith.remui %{{.*}}, %[[THREE]] : i32
// CHECK:         %[[OFFSET:.*]] = arith.muli %[[STAGE]], %[[SLOT]] : i32
// CHECK:         arith.addi %[[BASE]], %[[OFFSET]] : i32
// CHECK:         %[[OUTSIDE:.*]] = arith.xori %{{.*}}, %[[TRUE]] : i1
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att "@$0 cp.async.cg.shared.global [$1], [$2], 16, $3;", "b,r,l,b,~{memory}" {{.*}}, %[[OUTSIDE]] :
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att "cp.async.commit_group;"
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att "cp.async.wait_group 2;"
func.func @ring(%p: !tile.ptr<bf16>, %m: index, %k: index, %ld: index, %n: index, %more: i1) attributes {tgpu.shared_bytes = 3072 : i64, tgpu.warps = 1 : i64} {
  %v = tile.make_view %p, [%m, %k], [%ld, 1] : <bf16> -> <?x?xbf16, constant>
  %ring = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<3 of 16x16xbf16, #a>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<3 of 16x16xbf16, #a>
  %t = tgpu.copy_async %v[%n :+ 16, %n :+ 16] into %s if %more by #copy {tgpu.access = #tgpu.access<vector = 8, whole = true>} : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
  %g = tgpu.commit[%t]
  tgpu.wait[%g] {pending = 2 : i64}
  return
}

// Promised inside: nothing to fill.
// CHECK-LABEL: func @unchecked
// CHECK:         "cp.async.ca.shared.global [$0], [$1], 8;", "r,l,~{memory}"
func.func @unchecked(%p: !tile.ptr<bf16>, %m: index, %k: index, %ld: index, %n: index) attributes {tgpu.shared_bytes = 1024 : i64, tgpu.warps = 1 : i64} {
  %v = tile.make_view %p, [%m, %k], [%ld, 1] : <bf16> -> <?x?xbf16, constant>
  %ring = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<1 of 16x16xbf16, #a>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<1 of 16x16xbf16, #a>
  %t = tgpu.copy_async %v[%n :+ 16, %n :+ 16] into %s by #copy {tgpu.access = #tgpu.access<vector = 4, whole = true>, unchecked} : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
  return
}

// Where offsets are narrow and no corner is below 0, the corner moves the base, and a thread's part is one wide product.
// CHECK-LABEL: func @corner
// CHECK:         %[[CORNER:.*]] = llvm.getelementptr %arg0[%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK:         %[[ADDRESS:.*]] = llvm.inline_asm asm_dialect = att "mad.wide.s32 $0, $1, 2, $2;", "=l,r,l" %{{.*}}, %[[CORNER]] : (i32, !llvm.ptr<1>)
// CHECK:         "cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,b,~{memory}" %{{.*}}, %[[ADDRESS]],
func.func @corner(%p: !tile.ptr<bf16>, %m: index, %k: index, %ld: index, %n: index) attributes {tgpu.shared_bytes = 1024 : i64, tgpu.warps = 1 : i64} {
  %v = tile.make_view %p, [%m, %k], [%ld, 1] : <bf16> -> <?x?xbf16, constant>
  %ring = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<1 of 16x16xbf16, #a>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<1 of 16x16xbf16, #a>
  %t = tgpu.copy_async %v[%n :+ 16, %n :+ 16] into %s by #copy {tgpu.access = #tgpu.access<vector = 8, whole = true, narrow = true, nonNegative = [0, 1]>} : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
  return
}

// The next rows of a thread are added within the address, and taken off the bound, so that no thread keeps them.
// CHECK-LABEL: func @next_rows
// CHECK:         %[[SIXTEEN:.*]] = arith.constant 16 : i32
// CHECK:         %[[LEFT:.*]] = arith.subi %{{.*}}, %[[SIXTEEN]] : i32
// CHECK:         arith.cmpi slt, %{{.*}}, %[[LEFT]] : i32
// CHECK:         %[[ROWS:.*]] = arith.muli %{{.*}}, %[[SIXTEEN]] : i32
// CHECK:         "{ .reg .b32 sum; add.s32 sum, $1, $2; mad.wide.s32 $0, sum, 2, $3; }", "=l,r,r,l" %{{.*}}, %[[ROWS]], %
func.func @next_rows(%p: !tile.ptr<bf16>, %m: index, %k: index, %ld: index, %n: index) attributes {tgpu.shared_bytes = 1024 : i64, tgpu.warps = 1 : i64} {
  %v = tile.make_view %p, [%m, %k], [%ld, 1] : <bf16> -> <?x?xbf16, constant>
  %ring = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<1 of 32x16xbf16, #a2>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<1 of 32x16xbf16, #a2>
  %t = tgpu.copy_async %v[%n :+ 32, %n :+ 16] into %s by #copy2 {tgpu.access = #tgpu.access<vector = 8, whole = true, narrow = true, nonNegative = [0, 1]>} : <?x?xbf16, constant>, (index, index), !tgpu.slot<32x16xbf16, #a2>
  return
}

// One factor is read as it lies, the other across: what lies in rows along N has its fragments along K. The third is in
// registers.
// CHECK-LABEL: func @products
// CHECK:         ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK:         ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-COUNT-2: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK:         ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-NOT:     ldmatrix
// CHECK-COUNT-2: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK:         llvm.store
// CHECK:         llvm.load
func.func @products(%p: !tile.ptr<bf16>, %n: index) attributes {tgpu.shared_bytes = 2048 : i64, tgpu.warps = 1 : i64} {
  %y = arith.constant dense<1.0> : tensor<16x16xbf16, #rhs>
  %z = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %ring = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<2 of 16x16xbf16, #a>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<2 of 16x16xbf16, #a>
  %d = tgpu.mma ieee signed %s, %s, %z over [1, 1] : !tgpu.slot<16x16xbf16, #a>, !tgpu.slot<16x16xbf16, #a>, tensor<16x16xf32, #acc>
  %e = tgpu.mma ieee signed %s, %y, %d over [1, 1] : !tgpu.slot<16x16xbf16, #a>, tensor<16x16xbf16, #rhs>, tensor<16x16xf32, #acc>
  %f = arith.truncf %e : tensor<16x16xf32, #acc> to tensor<16x16xbf16, #acc>
  tgpu.store_shared %f, %s : tensor<16x16xbf16, #acc>, !tgpu.slot<16x16xbf16, #a>
  tgpu.barrier
  %x = tgpu.load_shared %s : !tgpu.slot<16x16xbf16, #a> -> tensor<16x16xbf16, #copy>
  %v = tile.make_view %p, [16, 16], [16, 1] : <bf16> -> <16x16xbf16>
  tile.store %x, %v[%n :+ 16, %n :+ 16] {unchecked} : tensor<16x16xbf16, #copy>, <16x16xbf16>, (index, index)
  return
}

#ab = #tgpu.layout<"16x32: offset b1 b2 b4 b8 b16 a1 a2^b8 a4^b16 a8">
#abcopy = #tgpu.layout<"16x32: reg b1 b2 b4 a8; lane b8 b16 a1 a2 a4; warp">
#wide = #tgpu.layout<"16x32: reg b1 a8 b8 b16; lane b2 b4 a1 a2 a4; warp">

// Copies and the end of their group stand behind the first 64 instructions that multiply. What waits is not passed.
// CHECK-LABEL: func @copies_among_products
// CHECK-NOT:     cp.async
// CHECK-COUNT-4: mma.sync
// CHECK-NEXT:    cp.async.cg
// CHECK-NEXT:    cp.async.cg
// CHECK-NEXT:    cp.async.commit_group
// CHECK:         cp.async.wait_group
func.func @copies_among_products(%p: !tile.ptr<bf16>, %n: index) attributes {tgpu.shared_bytes = 4096 : i64, tgpu.warps = 1 : i64} {
  %c1 = arith.constant 1 : index
  %v = tile.make_view %p, [16, 32], [32, 1] : <bf16> -> <16x32xbf16, constant>
  %y = arith.constant dense<1.0> : tensor<16x16xbf16, #tgpu.layout<"16x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp">>
  %z = arith.constant dense<0.0> : tensor<16x32xf32, #wide>
  %ring = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<2 of 16x32xbf16, #ab>
  %n1 = arith.addi %n, %c1 : index
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<2 of 16x32xbf16, #ab>
  %s1 = tgpu.slot %ring[%n1] : !tgpu.buffer<2 of 16x32xbf16, #ab>
  %t = tgpu.copy_async %v[%n :+ 16, %n :+ 32] into %s1 by #abcopy {tgpu.access = #tgpu.access<vector = 8, whole = true>, unchecked} : <16x32xbf16, constant>, (index, index), !tgpu.slot<16x32xbf16, #ab>
  %g = tgpu.commit[%t]
  %d = tgpu.mma ieee signed %y, %s, %z over [1, 1] : tensor<16x16xbf16, #tgpu.layout<"16x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp">>, !tgpu.slot<16x32xbf16, #ab>, tensor<16x32xf32, #wide>
  tgpu.wait[%g] {pending = 0 : i64}
  %w = tile.make_view %p, [16, 32], [32, 1] : <bf16> -> <16x32xbf16>
  %f = arith.truncf %d : tensor<16x32xf32, #wide> to tensor<16x32xbf16, #wide>
  tile.store %f, %w[%n :+ 16, %n :+ 32] {unchecked} : tensor<16x32xbf16, #wide>, <16x32xbf16>, (index, index)
  return
}

#big = #tgpu.layout<"64x64: offset b1 b2 b4 b8 b16 b32 a1^b8 a2^b16 a4^b32 a8 a16 a32">
#bigcopy = #tgpu.layout<"64x64: reg b1 b2 b4 a4 a8 a16 a32; lane b8 b16 b32 a1 a2; warp">
#bigacc = #tgpu.layout<"64x64: reg b1 a8 b8 b16 b32 a16 a32; lane b2 b4 a1 a2 a4; warp">

// CHECK-LABEL: func @copies_within_a_long_product
// CHECK-COUNT-64: mma.sync
// CHECK-NEXT:    cp.async.cg
// CHECK:         cp.async.commit_group
// CHECK-COUNT-64: mma.sync
// CHECK:         cp.async.wait_group
func.func @copies_within_a_long_product(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>, %n: index) attributes {tgpu.shared_bytes = 16384 : i64, tgpu.warps = 1 : i64} {
  %c1 = arith.constant 1 : index
  %v = tile.make_view %p, [64, 64], [64, 1] : <bf16> -> <64x64xbf16, constant>
  %w = tile.make_view %q, [64, 64], [64, 1] : <f32> -> <64x64xf32>
  %z = arith.constant dense<0.0> : tensor<64x64xf32, #bigacc>
  %ring = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<2 of 64x64xbf16, #big>
  %n1 = arith.addi %n, %c1 : index
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<2 of 64x64xbf16, #big>
  %s1 = tgpu.slot %ring[%n1] : !tgpu.buffer<2 of 64x64xbf16, #big>
  %t = tgpu.copy_async %v[%n :+ 64, %n :+ 64] into %s1 by #bigcopy {tgpu.access = #tgpu.access<vector = 8, whole = true>, unchecked} : <64x64xbf16, constant>, (index, index), !tgpu.slot<64x64xbf16, #big>
  %g = tgpu.commit[%t]
  %d = tgpu.mma ieee signed %s, %s, %z over [1, 1] : !tgpu.slot<64x64xbf16, #big>, !tgpu.slot<64x64xbf16, #big>, tensor<64x64xf32, #bigacc>
  tgpu.wait[%g] {pending = 0 : i64}
  tile.store %d, %w[%n :+ 64, %n :+ 64] {unchecked} : tensor<64x64xf32, #bigacc>, <64x64xf32>, (index, index)
  return
}
