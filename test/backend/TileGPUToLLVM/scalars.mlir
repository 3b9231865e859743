// RUN: tile-opt %s --tgpu-scalars-to-llvm | FileCheck %s

// CHECK-LABEL: llvm.func @kernel
// CHECK-SAME:    (%{{.*}}: !llvm.ptr<1>, %{{.*}}: i64)
// CHECK-SAME:    nvvm.kernel
// CHECK-SAME:    nvvm.reqntid = array<i32: 256>
func.func @kernel(%p: !llvm.ptr<1>, %n: index) attributes {tgpu.warps = 8 : i64} {
  return
}

// CHECK-LABEL: llvm.func @division
// CHECK-SAME:    (%[[A:.*]]: i32, %[[B:.*]]: i32)
// CHECK-DAG:     %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-DAG:     %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK:         %[[BY_ZERO:.*]] = llvm.icmp "eq" %[[B]], %[[ZERO]]
// CHECK:         %[[SPECIAL:.*]] = llvm.or %[[BY_ZERO]]
// CHECK:         %[[SAFE:.*]] = llvm.select %[[SPECIAL]], %[[ONE]], %[[B]]
// CHECK:         %[[Q:.*]] = llvm.sdiv %[[A]], %[[SAFE]]
// CHECK:         llvm.select %[[BY_ZERO]], %[[ZERO]], %[[Q]]
// CHECK:         %[[R:.*]] = llvm.urem
// CHECK:         llvm.select %{{.*}}, %[[A]], %[[R]]
func.func @division(%a: i32, %b: i32) -> (i32, i32) {
  %q = tile.divi signed %a, %b : i32
  %r = tile.remi unsigned %a, %b : i32
  return %q, %r : i32, i32
}

// CHECK-LABEL: llvm.func @shifts
// CHECK-SAME:    (%[[A:.*]]: i8, %[[N:.*]]: i8)
// CHECK:         %[[CLAMPED:.*]] = llvm.intr.umin(%[[N]]
// CHECK-DAG:     %[[SHORT:.*]] = llvm.icmp "ule" %[[N]]
// CHECK-DAG:     %[[SHL:.*]] = llvm.shl %[[A]], %[[CLAMPED]]
// CHECK:         llvm.select %[[SHORT]], %[[SHL]]
// CHECK:         %[[COUNT:.*]] = llvm.intr.umin(%[[N]]
// CHECK:         llvm.ashr %[[A]], %[[COUNT]]
func.func @shifts(%a: i8, %n: i8) -> (i8, i8) {
  %l = tile.shift left %a, %n : i8
  %r = tile.shift right_signed %a, %n : i8
  return %l, %r : i8, i8
}

// CHECK-LABEL: llvm.func @saturating_casts
// CHECK:         llvm.call_intrinsic "llvm.fptosi.sat.i8.f32"
// CHECK:         llvm.fpext %{{.*}} : bf16 to f32
// CHECK:         llvm.call_intrinsic "llvm.fptoui.sat.i32.f32"
func.func @saturating_casts(%x: f32, %y: bf16) -> (i8, i32) {
  %i = tile.cast signed %x : f32 -> i8
  %j = tile.cast unsigned %y : bf16 -> i32
  return %i, %j : i8, i32
}

// CHECK-LABEL: llvm.func @functions
// CHECK:         llvm.call @__nv_sinf
// CHECK:         llvm.call @__nv_sin(
// CHECK:         "ex2.approx.ftz.f32 $0, $1;"
// CHECK:         llvm.fpext {{.*}} : bf16 to f32
// CHECK:         llvm.call @__nv_logf
// CHECK:         llvm.fptrunc {{.*}} : f32 to bf16
func.func @functions(%x: f32, %d: f64, %h: bf16) -> (f32, f64, f32, bf16) {
  %0 = math.sin %x : f32
  %1 = math.sin %d : f64
  %2 = math.exp2 %x : f32
  %3 = math.log %h : bf16
  return %0, %1, %2, %3 : f32, f64, f32, bf16
}

// Sums and products of 16-bit floats are exact before rounding, or rounded innocuously; quotients go through f32.
// CHECK-LABEL: llvm.func @half_arithmetic
// CHECK:         llvm.fadd {{.*}} : f16
// CHECK:         llvm.fdiv {{.*}} : f32
// CHECK:         llvm.fptrunc {{.*}} : f32 to f16
func.func @half_arithmetic(%a: f16, %b: f16) -> (f16, f16) {
  %s = arith.addf %a, %b : f16
  %q = arith.divf %a, %b : f16
  return %s, %q : f16, f16
}
