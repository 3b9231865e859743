// RUN: tile-opt %s --tile-fuse-multiply-add | FileCheck %s

// CHECK-LABEL: func @product_on_either_side
// CHECK-SAME: %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>, %[[C:.*]]: tensor<8xf32>
func.func @product_on_either_side(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[L:.*]] = math.fma %[[A]], %[[B]], %[[C]]
  // CHECK-NEXT: %[[R:.*]] = math.fma %[[A]], %[[B]], %[[C]]
  // CHECK-NEXT: return %[[L]], %[[R]]
  %p = arith.mulf %a, %b : tensor<8xf32>
  %l = arith.addf %p, %c : tensor<8xf32>
  %q = arith.mulf %a, %b : tensor<8xf32>
  %r = arith.addf %c, %q : tensor<8xf32>
  return %l, %r : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func @left_product_of_two
// CHECK-SAME: %[[A:.*]]: f64, %[[B:.*]]: f64
func.func @left_product_of_two(%a: f64, %b: f64) -> f64 {
  // CHECK-NEXT: %[[SQUARE:.*]] = arith.mulf %[[B]], %[[B]]
  // CHECK-NEXT: math.fma %[[A]], %[[A]], %[[SQUARE]]
  %p = arith.mulf %a, %a : f64
  %q = arith.mulf %b, %b : f64
  %s = arith.addf %p, %q : f64
  return %s : f64
}

// CHECK-LABEL: func @differences
// CHECK-SAME: %[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32
func.func @differences(%a: f32, %b: f32, %c: f32) -> (f32, f32) {
  // CHECK-NEXT: %[[NC:.*]] = arith.negf %[[C]]
  // CHECK-NEXT: math.fma %[[A]], %[[B]], %[[NC]]
  // CHECK-NEXT: %[[NA:.*]] = arith.negf %[[A]]
  // CHECK-NEXT: math.fma %[[NA]], %[[B]], %[[C]]
  %p = arith.mulf %a, %b : f32
  %l = arith.subf %p, %c : f32
  %q = arith.mulf %a, %b : f32
  %r = arith.subf %c, %q : f32
  return %l, %r : f32, f32
}

// CHECK-LABEL: func @keep_product_used_twice
func.func @keep_product_used_twice(%a: f32, %b: f32, %c: f32) -> (f32, f32) {
  // CHECK: arith.mulf
  // CHECK: arith.addf
  // CHECK-NOT: math.fma
  %p = arith.mulf %a, %b : f32
  %s = arith.addf %p, %c : f32
  return %p, %s : f32, f32
}

// Halves round at every operation.
// CHECK-LABEL: func @keep_halves
func.func @keep_halves(%a: f16, %b: bf16) -> (f16, bf16) {
  // CHECK-NOT: math.fma
  %p = arith.mulf %a, %a : f16
  %s = arith.addf %p, %a : f16
  %q = arith.mulf %b, %b : bf16
  %t = arith.addf %q, %b : bf16
  return %s, %t : f16, bf16
}

// A chain of sums fuses each with its own product.
// CHECK-LABEL: func @polynomial
func.func @polynomial(%x: f32, %c: f32) -> f32 {
  // CHECK-COUNT-2: math.fma
  // CHECK-NOT: arith.mulf
  %p = arith.mulf %c, %x : f32
  %s = arith.addf %p, %c : f32
  %q = arith.mulf %s, %x : f32
  %t = arith.addf %q, %c : f32
  return %t : f32
}
