// RUN: tile-opt %s --tgpu-insert-barriers | FileCheck %s

#l = #tgpu.layout<"128: reg; lane a1 a2 a4 a8 a16; warp a32 a64">

// A product of 32-bit integers wraps, so far iterations may meet; within known bounds it does not.
// CHECK-LABEL: func @product_may_wrap
// CHECK:         tgpu.barrier
// CHECK-NEXT:    tile.store
// CHECK:         tgpu.barrier
// CHECK-NEXT:    scf.for
// CHECK-NOT:     tgpu.barrier
// CHECK:         return
func.func @product_may_wrap(%p: !tile.ptr<f32>, %n: index, %m: i32, %x: tensor<128xf32, #l>) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  scf.for %i = %c0 to %m step %c1 : i32 {
    %product = arith.muli %i, %c128 : i32
    %at = arith.index_cast %product : i32 to index
    tile.store %x, %v[%at :+ 128] : tensor<128xf32, #l>, !tile.view<?xf32>, (index)
  }
  tgpu.barrier
  scf.for %i = %c0 to %c64 step %c1 : i32 {
    %product = arith.muli %i, %c128 : i32
    %at = arith.index_cast %product : i32 to index
    tile.store %x, %v[%at :+ 128] : tensor<128xf32, #l>, !tile.view<?xf32>, (index)
  }
  return
}

// Each sum is looked at once, and a stride of 2^64 is none.
// CHECK-LABEL: func @sums_of_sums
// CHECK:         tgpu.barrier
// CHECK-NEXT:    tile.store
func.func @sums_of_sums(%p: !tile.ptr<f32>, %n: index, %x: tensor<128xf32, #l>) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  scf.for %i0 = %c0 to %n step %c1 {
    %i1 = arith.addi %i0, %i0 : index
    %i2 = arith.addi %i1, %i1 : index
    %i3 = arith.addi %i2, %i2 : index
    %i4 = arith.addi %i3, %i3 : index
    %i5 = arith.addi %i4, %i4 : index
    %i6 = arith.addi %i5, %i5 : index
    %i7 = arith.addi %i6, %i6 : index
    %i8 = arith.addi %i7, %i7 : index
    %i9 = arith.addi %i8, %i8 : index
    %i10 = arith.addi %i9, %i9 : index
    %i11 = arith.addi %i10, %i10 : index
    %i12 = arith.addi %i11, %i11 : index
    %i13 = arith.addi %i12, %i12 : index
    %i14 = arith.addi %i13, %i13 : index
    %i15 = arith.addi %i14, %i14 : index
    %i16 = arith.addi %i15, %i15 : index
    %i17 = arith.addi %i16, %i16 : index
    %i18 = arith.addi %i17, %i17 : index
    %i19 = arith.addi %i18, %i18 : index
    %i20 = arith.addi %i19, %i19 : index
    %i21 = arith.addi %i20, %i20 : index
    %i22 = arith.addi %i21, %i21 : index
    %i23 = arith.addi %i22, %i22 : index
    %i24 = arith.addi %i23, %i23 : index
    %i25 = arith.addi %i24, %i24 : index
    %i26 = arith.addi %i25, %i25 : index
    %i27 = arith.addi %i26, %i26 : index
    %i28 = arith.addi %i27, %i27 : index
    %i29 = arith.addi %i28, %i28 : index
    %i30 = arith.addi %i29, %i29 : index
    %i31 = arith.addi %i30, %i30 : index
    %i32 = arith.addi %i31, %i31 : index
    %i33 = arith.addi %i32, %i32 : index
    %i34 = arith.addi %i33, %i33 : index
    %i35 = arith.addi %i34, %i34 : index
    %i36 = arith.addi %i35, %i35 : index
    %i37 = arith.addi %i36, %i36 : index
    %i38 = arith.addi %i37, %i37 : index
    %i39 = arith.addi %i38, %i38 : index
    %i40 = arith.addi %i39, %i39 : index
    %i41 = arith.addi %i40, %i40 : index
    %i42 = arith.addi %i41, %i41 : index
    %i43 = arith.addi %i42, %i42 : index
    %i44 = arith.addi %i43, %i43 : index
    %i45 = arith.addi %i44, %i44 : index
    %i46 = arith.addi %i45, %i45 : index
    %i47 = arith.addi %i46, %i46 : index
    %i48 = arith.addi %i47, %i47 : index
    %i49 = arith.addi %i48, %i48 : index
    %i50 = arith.addi %i49, %i49 : index
    %i51 = arith.addi %i50, %i50 : index
    %i52 = arith.addi %i51, %i51 : index
    %i53 = arith.addi %i52, %i52 : index
    %i54 = arith.addi %i53, %i53 : index
    %i55 = arith.addi %i54, %i54 : index
    %i56 = arith.addi %i55, %i55 : index
    %i57 = arith.addi %i56, %i56 : index
    %i58 = arith.addi %i57, %i57 : index
    %i59 = arith.addi %i58, %i58 : index
    %i60 = arith.addi %i59, %i59 : index
    %i61 = arith.addi %i60, %i60 : index
    %i62 = arith.addi %i61, %i61 : index
    %i63 = arith.addi %i62, %i62 : index
    %i64 = arith.addi %i63, %i63 : index
    tile.store %x, %v[%i64 :+ 128] : tensor<128xf32, #l>, !tile.view<?xf32>, (index)
  }
  return
}
