// RUN: tile-opt %s --tile-fuse-multiply-add --remarks-filter=tile-fuse-multiply-add --remark-format=emitRemark \
// RUN:   --verify-diagnostics

func.func @product_used_twice(%a: f32, %b: f32, %c: f32) -> (f32, f32) {
  // expected-remark @below {{product has more than one use}}
  %p = arith.mulf %a, %b : f32
  %s = arith.addf %p, %c : f32
  return %p, %s : f32, f32
}

// The other product is fused, so the sum rounds once and there is nothing to say.
func.func @other_product_fuses(%a: f32, %b: f32) -> (f32, f32) {
  %p = arith.mulf %a, %b : f32
  %q = arith.mulf %b, %b : f32
  %s = arith.addf %p, %q : f32
  return %p, %s : f32, f32
}
