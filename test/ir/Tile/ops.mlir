// RUN: tile-opt %s | FileCheck %s
// One of each op in each of its forms: it parses, verifies and prints as it was written.

// CHECK-LABEL: func @views
func.func @views(%p: !tile.ptr<f32>, %m: index, %s: index) -> index {
  // CHECK: tile.make_view %{{.*}}, [%{{.*}}, 64], [%{{.*}}, 1] : <f32> -> <?x64xf32>
  %v = tile.make_view %p, [%m, 64], [%s, 1] : !tile.ptr<f32> -> !tile.view<?x64xf32>
  // CHECK: tile.make_view %{{.*}}, [%{{.*}}], [%{{.*}}] : <f32> -> <?xf32, strided, constant>
  %w = tile.make_view %p, [%m], [%s] : !tile.ptr<f32> -> !tile.view<?xf32, strided, constant>
  // CHECK: tile.make_view %{{.*}}, [], [] : <f32> -> <f32>
  %d = tile.make_view %p, [], [] : !tile.ptr<f32> -> !tile.view<f32>
  // CHECK: tile.subview %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}] kept [false, true] : <?x64xf32> -> <?xf32>
  %u = tile.subview %v, [%m, %m], [%s] kept [false, true] : !tile.view<?x64xf32> -> !tile.view<?xf32>
  // CHECK: tile.subview {{.*}} kept [true, false] : <?x64xf32> -> <?xf32, strided>
  %t = tile.subview %v, [%m, %m], [%s] kept [true, false] : !tile.view<?x64xf32> -> !tile.view<?xf32, strided>
  // CHECK: tile.dim %{{.*}} axis 0 : <?x64xf32>
  %n = tile.dim %v axis 0 : !tile.view<?x64xf32>
  return %n : index
}

// CHECK-LABEL: func @accesses
func.func @accesses(%v: !tile.view<?x?xf32>, %i: index, %rows: tensor<16xi32>, %x: f32) {
  // CHECK: tile.load %{{.*}} [%{{.*}}, %{{.*}} :+ 128] : <?x?xf32>, (index, index) -> tensor<128xf32>
  %t = tile.load %v[%i, %i :+ 128] : !tile.view<?x?xf32>, (index, index) -> tensor<128xf32>
  // CHECK: tile.load %{{.*}} [%{{.*}}, %{{.*}}] else %{{.*}} : f32 {cache = #tile<cache streaming>} :
  %e = tile.load %v[%i, %i] else %x : f32 {cache = #tile<cache streaming>} : !tile.view<?x?xf32>, (index, index) -> f32
  // CHECK: tile.load %{{.*}} [%{{.*}} gather, %{{.*}} :+ 64] {{.*}} (tensor<16xi32>, index) -> tensor<16x64xf32>
  %g = tile.load %v[%rows gather, %i :+ 64] : !tile.view<?x?xf32>, (tensor<16xi32>, index) -> tensor<16x64xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}} [%{{.*}}, %{{.*}} :+ 128] {unchecked} : tensor<128xf32>, <?x?xf32>, (index, index)
  tile.store %t, %v[%i, %i :+ 128] {unchecked} : tensor<128xf32>, !tile.view<?x?xf32>, (index, index)
  // CHECK: %[[INSIDE:.*]] = tile.inside %{{.*}} [%{{.*}}, %{{.*}} :+ 128] : <?x?xf32>, (index, index) -> tensor<128xi1>
  %m = tile.inside %v[%i, %i :+ 128] : !tile.view<?x?xf32>, (index, index) -> tensor<128xi1>
  // CHECK: tile.atomic add %{{.*}}, %{{.*}} [%{{.*}}, %{{.*}} :+ 128] mask %[[INSIDE]] : tensor<128xi1> :
  %a = tile.atomic add %t, %v[%i, %i :+ 128] mask %m : tensor<128xi1> : tensor<128xf32>, !tile.view<?x?xf32>, (index, index)
  return
}

// CHECK-LABEL: func @scalar_in_memory
func.func @scalar_in_memory(%v: !tile.view<f32>) {
  // CHECK: tile.load %{{.*}} [] : <f32>, () -> f32
  %x = tile.load %v[] : !tile.view<f32>, () -> f32
  // CHECK: tile.atomic add %{{.*}}, %{{.*}} [] : f32, <f32>, ()
  %old = tile.atomic add %x, %v[] : f32, !tile.view<f32>, ()
  // CHECK: tile.store %{{.*}}, %{{.*}} [] : f32, <f32>, ()
  tile.store %old, %v[] : f32, !tile.view<f32>, ()
  return
}

// CHECK-LABEL: func @pointers
func.func @pointers(%p: !tile.ptr<f32>, %i: tensor<8xi64>, %m: tensor<8xi1>) {
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  // CHECK: tile.ptr_add %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
  %q = tile.ptr_add %s, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
  // CHECK: tile.load_ptr %{{.*}} mask %{{.*}} : tensor<8xi1> else %{{.*}} : tensor<8xf32> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %z = arith.constant dense<0.0> : tensor<8xf32>
  %x = tile.load_ptr %q mask %m : tensor<8xi1> else %z : tensor<8xf32> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  // CHECK: tile.load_ptr %{{.*}} : !tile.ptr<f32> -> f32
  %y = tile.load_ptr %p : !tile.ptr<f32> -> f32
  // CHECK: tile.store_ptr %{{.*}}, %{{.*}} mask %{{.*}} : tensor<8xi1> : tensor<8xf32>, tensor<8x!tile.ptr<f32>>
  tile.store_ptr %x, %q mask %m : tensor<8xi1> : tensor<8xf32>, tensor<8x!tile.ptr<f32>>
  // CHECK: tile.atomic_ptr add %{{.*}}, %{{.*}} : f32, !tile.ptr<f32>
  %o = tile.atomic_ptr add %y, %p : f32, !tile.ptr<f32>
  return
}

// CHECK-LABEL: func @elements
func.func @elements(%i: tensor<4xi32>, %x: tensor<4xf32>, %s: f32) {
  // CHECK: tile.divi signed %{{.*}}, %{{.*}} : tensor<4xi32>
  %0 = tile.divi signed %i, %i : tensor<4xi32>
  // CHECK: tile.remi unsigned %{{.*}}, %{{.*}} : tensor<4xi32>
  %1 = tile.remi unsigned %i, %i : tensor<4xi32>
  // CHECK: tile.shift right_signed %{{.*}}, %{{.*}} : tensor<4xi32>
  %2 = tile.shift right_signed %i, %i : tensor<4xi32>
  // CHECK: tile.cast signed %{{.*}} : tensor<4xf32> -> tensor<4xi8>
  %3 = tile.cast signed %x : tensor<4xf32> -> tensor<4xi8>
  // CHECK: tile.cast finite %{{.*}} : tensor<4xf32> -> tensor<4xf8E4M3FN>
  %f8 = tile.cast finite %x : tensor<4xf32> -> tensor<4xf8E4M3FN>
  // CHECK: tile.cast infinite %{{.*}} : tensor<4xf32> -> tensor<4xf8E5M2>
  %f8_inf = tile.cast infinite %x : tensor<4xf32> -> tensor<4xf8E5M2>
  // CHECK: tile.approximate div %{{.*}}, %{{.*}} : tensor<4xf32>
  %4 = tile.approximate div %x, %x : tensor<4xf32>
  // CHECK: tile.approximate exp2 %{{.*}} : f32
  %5 = tile.approximate exp2 %s : f32
  // CHECK: tile.gelu %{{.*}} : tensor<4xf32>
  %6 = tile.gelu %x : tensor<4xf32>
  // CHECK: tile.sigmoid %{{.*}} : f32
  %7 = tile.sigmoid %s : f32
  return
}

// CHECK-LABEL: func @shapes
func.func @shapes(%x: tensor<4x128xf32>) {
  // CHECK: tile.iota : tensor<12xi32>
  %0 = tile.iota : tensor<12xi32>
  // CHECK: tile.reshape %{{.*}} : tensor<4x128xf32> -> tensor<512xf32>
  %1 = tile.reshape %x : tensor<4x128xf32> -> tensor<512xf32>
  // CHECK: tile.permute %{{.*}} [1, 0] : tensor<4x128xf32> -> tensor<128x4xf32>
  %2 = tile.permute %x [1, 0] : tensor<4x128xf32> -> tensor<128x4xf32>
  // CHECK: tile.expand_dims %{{.*}} axis 1 : tensor<512xf32> -> tensor<512x1xf32>
  %3 = tile.expand_dims %1 axis 1 : tensor<512xf32> -> tensor<512x1xf32>
  // CHECK: tile.broadcast %{{.*}} : tensor<512x1xf32> -> tensor<512x16xf32>
  %4 = tile.broadcast %3 : tensor<512x1xf32> -> tensor<512x16xf32>
  return
}

// CHECK-LABEL: func @dots_and_reductions
func.func @dots_and_reductions(%a: tensor<64x32xf16>, %b: tensor<32x128xf16>, %c: tensor<64x128xf32>) {
  // CHECK: tile.dot ieee signed %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x32xf16>, tensor<32x128xf16>, tensor<64x128xf32>
  %0 = tile.dot ieee signed %a, %b, %c : tensor<64x32xf16>, tensor<32x128xf16>, tensor<64x128xf32>
  // CHECK: tile.reduce %{{.*}} axis 1 : tensor<64x128xf32> -> tensor<64xf32> {
  // CHECK-NEXT: ^bb0(%[[L:.*]]: f32, %[[R:.*]]: f32):
  // CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[L]], %[[R]] : f32
  // CHECK-NEXT: tile.yield %[[SUM]] : f32
  %1 = tile.reduce %0 axis 1 : tensor<64x128xf32> -> tensor<64xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func @program
func.func @program(%ok: i1) {
  // CHECK: tile.program_id 0
  %0 = tile.program_id 0
  // CHECK: tile.num_programs 2
  %1 = tile.num_programs 2
  // CHECK: tile.assert %{{.*}}, "row is sorted" : i1
  tile.assert %ok, "row is sorted" : i1
  return
}
