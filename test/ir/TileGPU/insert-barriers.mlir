// RUN: tile-opt %s --tgpu-insert-barriers | FileCheck %s

#l = #tgpu.layout<"128: reg; lane a1 a2 a4 a8 a16; warp a32 a64">
#r = #tgpu.layout<"128: reg a64; lane a1 a2 a4 a8 a16; warp a32 0">

// CHECK-LABEL: func @scratch_reused
// CHECK:         tile.reduce
// CHECK-NOT:     tgpu.barrier
// CHECK:         tile.reduce
// CHECK:         tgpu.barrier
// CHECK-NEXT:    tile.reduce
func.func @scratch_reused(%x: tensor<128xf32, #l>) -> (f32, f32, f32) attributes {tgpu.warps = 4 : i64} {
  %0 = tile.reduce %x axis 0 {tgpu.shared_offset = 0 : i64} : tensor<128xf32, #l> -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  %1 = tile.reduce %x axis 0 {tgpu.shared_offset = 16 : i64} : tensor<128xf32, #l> -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  // The bytes of the first were read before the barrier within the second, those of the second were not.
  %2 = tile.reduce %x axis 0 {tgpu.shared_offset = 16 : i64} : tensor<128xf32, #l> -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return %0, %1, %2 : f32, f32, f32
}

// The loads of one iteration meet the stores of the next.
// CHECK-LABEL: func @scratch_in_a_loop
// CHECK:         scf.for
// CHECK:           tgpu.barrier
// CHECK-NEXT:      tile.reduce
func.func @scratch_in_a_loop(%x: tensor<128xf32, #l>, %n: index) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = tile.reduce %x axis 0 {tgpu.shared_offset = 0 : i64} : tensor<128xf32, #l> -> f32 {
    ^bb0(%a: f32, %b: f32):
      tile.yield %a : f32
    }
  }
  return
}

// Each element is written by the thread that read it.
// CHECK-LABEL: func @in_place
// CHECK-NOT:     tgpu.barrier
// CHECK:         return
func.func @in_place(%p: !tile.ptr<f32>, %n: index, %o: index) attributes {tgpu.warps = 4 : i64} {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %x = tile.load %v[%o :+ 128] : !tile.view<?xf32>, (index) -> tensor<128xf32, #l>
  tile.store %x, %v[%o :+ 128] : tensor<128xf32, #l>, !tile.view<?xf32>, (index)
  return
}

// CHECK-LABEL: func @replicated_readers
// CHECK:         tile.load
// CHECK-NEXT:    tgpu.barrier
// CHECK-NEXT:    tile.store
func.func @replicated_readers(%p: !tile.ptr<f32>, %n: index, %o: index) attributes {tgpu.warps = 4 : i64} {
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %x = tile.load %v[%o :+ 128] : !tile.view<?xf32>, (index) -> tensor<128xf32, #r>
  tile.store %x, %v[%o :+ 128] : tensor<128xf32, #r>, !tile.view<?xf32>, (index)
  return
}

// CHECK-LABEL: func @other_positions
// CHECK:         tile.store
// CHECK-NEXT:    tgpu.barrier
// CHECK-NEXT:    tile.load
func.func @other_positions(%p: !tile.ptr<f32>, %n: index, %o: index, %x: tensor<128xf32, #l>) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  tile.store %x, %v[%o :+ 128] : tensor<128xf32, #l>, !tile.view<?xf32>, (index)
  %y = tile.load %v[%c0 :+ 128] : !tile.view<?xf32>, (index) -> tensor<128xf32, #l>
  return
}

// Two tensor parameters share no element.
// CHECK-LABEL: func @other_tensor
// CHECK-NOT:     tgpu.barrier
// CHECK:         return
func.func @other_tensor(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: index, %x: tensor<128xf32, #l>) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %w = tile.make_view %q, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  tile.store %x, %v[%c0 :+ 128] : tensor<128xf32, #l>, !tile.view<?xf32>, (index)
  %y = tile.load %w[%c0 :+ 128] : !tile.view<?xf32>, (index) -> tensor<128xf32, #l>
  return
}

// CHECK-LABEL: func @iterations_write_apart
// CHECK-NOT:     tgpu.barrier
// CHECK:         return
func.func @iterations_write_apart(%p: !tile.ptr<f32>, %n: index, %x: tensor<128xf32, #l>) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  scf.for %i = %c0 to %n step %c128 {
    tile.store %x, %v[%i :+ 128] : tensor<128xf32, #l>, !tile.view<?xf32>, (index)
  }
  return
}

// CHECK-LABEL: func @iterations_overlap
// CHECK:         tgpu.barrier
// CHECK-NEXT:    tile.store
func.func @iterations_overlap(%p: !tile.ptr<f32>, %n: index, %x: tensor<128xf32, #l>) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %v = tile.make_view %p, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  scf.for %i = %c0 to %n step %c64 {
    tile.store %x, %v[%i :+ 128] : tensor<128xf32, #l>, !tile.view<?xf32>, (index)
  }
  return
}

#sum = #tgpu.layout<"64x64: reg b1 a8 b8 b16 b32; lane b2 b4 a1 a2 a4; warp a16 a32">
#by = #tgpu.layout<"64x64: reg b1 b2 b4 a4 a8; lane b8 b16 b32 a1 a2; warp a16 a32">

// A store by way of shared memory waits within warps, which is no barrier for others.
// CHECK-LABEL: func @sliced_store
// CHECK:         tile.reduce
// CHECK-NOT:     tgpu.barrier
// CHECK:         tile.store
// CHECK:         tgpu.barrier
// CHECK-NEXT:    tile.reduce
func.func @sliced_store(%p: !tile.ptr<bf16>, %n: index, %s: tensor<64x64xbf16, #sum>, %x: tensor<128xf32, #l>) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %v = tile.make_view %p, [%n, %n], [%n, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16>
  %0 = tile.reduce %x axis 0 {tgpu.shared_offset = 0 : i64} : tensor<128xf32, #l> -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  tile.store %s, %v [%c0 :+ 64, %c0 :+ 64] {tgpu.access = #tgpu.access<vector = 8, whole = true>, tgpu.shared_offset = 1024 : i64, tgpu.through = #by} : tensor<64x64xbf16, #sum>, <?x?xbf16>, (index, index)
  %1 = tile.reduce %x axis 0 {tgpu.shared_offset = 0 : i64} : tensor<128xf32, #l> -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// What reads its bytes meets it.
// CHECK-LABEL: func @bytes_of_a_sliced_store
// CHECK:         tile.store
// CHECK:         tgpu.barrier
// CHECK-NEXT:    tile.reduce
func.func @bytes_of_a_sliced_store(%p: !tile.ptr<bf16>, %n: index, %s: tensor<64x64xbf16, #sum>, %x: tensor<128xf32, #l>) attributes {tgpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %v = tile.make_view %p, [%n, %n], [%n, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16>
  tile.store %s, %v [%c0 :+ 64, %c0 :+ 64] {tgpu.access = #tgpu.access<vector = 8, whole = true>, tgpu.shared_offset = 0 : i64, tgpu.through = #by} : tensor<64x64xbf16, #sum>, <?x?xbf16>, (index, index)
  %1 = tile.reduce %x axis 0 {tgpu.shared_offset = 8176 : i64} : tensor<128xf32, #l> -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}
