// RUN: tile-opt %s --tgpu-choose-mma="types=bf16 warps=4" --remarks-filter=tgpu-choose-mma --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefixes=REMARK
// RUN: tile-opt %s --tgpu-choose-mma="types=bf16 warps=4" | FileCheck %s
// RUN: tile-opt %s --tgpu-choose-mma="types=bf16,i8 warps=4 warpgroups=true" | FileCheck %s --check-prefix=GROUPS
// RUN: tile-opt %s --tgpu-choose-mma="types=bf16,i8 warps=8 warpgroups=true" | FileCheck %s --check-prefix=EIGHT
// RUN: tile-opt %s --tgpu-choose-mma="types=bf16,i8 warps=4 warpgroups=true registers=8192" --remarks-filter=tgpu-choose-mma --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=FEW

// RUN: tile-opt %s --tgpu-choose-mma="types=bf16,f16,tf32,f8e4m3,f8e5m2 warps=4 warpgroups=true" | FileCheck %s --check-prefix=BYTES
// RUN: tile-opt %s --tgpu-choose-mma="types=bf16,f16 warps=4" | FileCheck %s --check-prefix=WIDENED

// The squarest share of the warps.
// CHECK-LABEL: func @square
// GROUPS-LABEL: func @square
// GROUPS:         tile.dot {{.*}}tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups
// EIGHT-LABEL: func @square
// EIGHT:         tile.dot {{.*}}tgpu.mma = array<i64: 4, 2>, tgpu.warpgroups
// CHECK:         tile.dot {{.*}}tgpu.mma = array<i64: 2, 2>
func.func @square(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = tile.dot ieee signed %a, %b, %c : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// One row of instructions: all warps along N, or they would repeat each other's work.
// CHECK-LABEL: func @flat
// GROUPS-LABEL: func @flat
// GROUPS-NOT:     tgpu.warpgroups
// CHECK:         tile.dot {{.*}}tgpu.mma = array<i64: 1, 4>
func.func @flat(%a: tensor<16x32xbf16>, %b: tensor<32x64xbf16>, %c: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %d = tile.dot ieee signed %a, %b, %c : tensor<16x32xbf16>, tensor<32x64xbf16>, tensor<16x64xf32>
  return %d : tensor<16x64xf32>
}

// CHECK-LABEL: func @no_instruction
// GROUPS-LABEL: func @no_instruction
// CHECK-NOT:     tgpu.mma
// REMARK:      ChooseMma{{.*}}Reason="no instruction of the target takes operands of this type and precision"
func.func @no_instruction(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = tile.dot ieee signed %a, %b, %c : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// CHECK-LABEL: func @short
// CHECK-NOT:     tgpu.mma
// REMARK:      ChooseMma{{.*}}Reason="K is 8, no multiple of 16"
func.func @short(%a: tensor<64x8xbf16>, %b: tensor<8x64xbf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = tile.dot ieee signed %a, %b, %c : tensor<64x8xbf16>, tensor<8x64xbf16>, tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// CHECK-LABEL: func @tall
// Groups share rows where they can, so that each instruction makes as many columns as there are.
// EIGHT-LABEL: func @tall
// EIGHT:         tile.dot {{.*}}tgpu.mma = array<i64: 8, 1>, tgpu.warpgroups
func.func @tall(%a: tensor<128x32xbf16>, %b: tensor<32x64xbf16>, %c: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %d = tile.dot ieee signed %a, %b, %c : tensor<128x32xbf16>, tensor<32x64xbf16>, tensor<128x64xf32>
  return %d : tensor<128x64xf32>
}

// Eight columns are one instruction: two groups cannot share them.
// EIGHT-LABEL: func @narrow
// EIGHT-NOT:     tgpu.warpgroups
// GROUPS-LABEL: func @narrow
// GROUPS:         tgpu.warpgroups
func.func @narrow(%a: tensor<64x32xbf16>, %b: tensor<32x8xbf16>, %c: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %d = tile.dot ieee signed %a, %b, %c : tensor<64x32xbf16>, tensor<32x8xbf16>, tensor<64x8xf32>
  return %d : tensor<64x8xf32>
}

// Bytes must lie along K.
// GROUPS-LABEL: func @bytes
// EIGHT-LABEL: func @bytes
// GROUPS:         tile.dot {{.*}}tgpu.mma = array<i64: 2, 2>} : {{.*}}i32
// GROUPS:         tile.dot {{.*}}tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups
func.func @bytes(%a: tensor<64x32xi8>, %b: tensor<32x64xi8>, %t: tensor<64x32xi8>, %c: tensor<64x64xi32>) -> (tensor<64x64xi32>, tensor<64x64xi32>) {
  %d = tile.dot ieee signed %a, %b, %c : tensor<64x32xi8>, tensor<32x64xi8>, tensor<64x64xi32>
  %p = tile.permute %t [1, 0] : tensor<64x32xi8> -> tensor<32x64xi8>
  %e = tile.dot ieee signed %a, %p, %c : tensor<64x32xi8>, tensor<32x64xi8>, tensor<64x64xi32>
  return %d, %e : tensor<64x64xi32>, tensor<64x64xi32>
}

// A thread cannot have the registers: warps share it.
// FEW: ChooseMma{{.*}}Reason="a thread needs 76 registers for it and has 64", Remark="dot does not run as wgmma", Suggestion="a smaller tile leaves fewer sums to a thread"
// FEW-LABEL: func @few
// FEW-NOT: tgpu.warpgroups
// GROUPS-LABEL: func @few
// GROUPS: tgpu.warpgroups
func.func @few(%a: tensor<64x32xbf16>, %b: tensor<32x80xbf16>, %c: tensor<64x80xf32>) -> tensor<64x80xf32> {
  %d = tile.dot ieee signed %a, %b, %c : tensor<64x32xbf16>, tensor<32x80xbf16>, tensor<64x80xf32>
  return %d : tensor<64x80xf32>
}

// What is the left factor of the next product after ops on its elements stays in its warp, and so do its rows.
// CHECK-LABEL: func @chained
// CHECK:         tile.dot {{.*}}tgpu.mma = array<i64: 4, 1>
// CHECK:         tile.dot {{.*}}tgpu.mma = array<i64: 4, 1>
func.func @chained(%q: tensor<64x32xbf16>, %k: tensor<32x64xbf16>, %v: tensor<64x64xbf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %s = tile.dot ieee signed %q, %k, %c : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
  %e = math.exp2 %s : tensor<64x64xf32>
  %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xbf16>
  %o = tile.dot ieee signed %p, %v, %c : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
  return %o : tensor<64x64xf32>
}

// A right factor is read by all warps, wherever it comes from.
// CHECK-LABEL: func @chained_on_the_right
// CHECK:         tile.dot {{.*}}tgpu.mma = array<i64: 2, 2>
// CHECK:         tile.dot {{.*}}tgpu.mma = array<i64: 2, 2>
func.func @chained_on_the_right(%q: tensor<64x32xbf16>, %k: tensor<32x64xbf16>, %v: tensor<64x64xbf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %s = tile.dot ieee signed %q, %k, %c : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
  %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
  %o = tile.dot ieee signed %v, %p, %c : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
  return %o : tensor<64x64xf32>
}

// Of 8-bit floats each factor keeps its format. wgmma takes them along K only, which a factor from memory has that is
// transposed on the right.
// BYTES-LABEL: func @float8
// BYTES:         tile.dot {{.*}}tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups} : tensor<64x32xf8E4M3FN>, tensor<32x64xf8E5M2>
// WIDENED-LABEL: func @float8
// WIDENED:         arith.extf %{{.*}} : tensor<64x32xf8E4M3FN> to tensor<64x32xf16>
// WIDENED:         arith.extf %{{.*}} : tensor<32x64xf8E5M2> to tensor<32x64xf16>
// WIDENED:         tile.dot {{.*}}tgpu.mma = {{.*}} : tensor<64x32xf16>, tensor<32x64xf16>
func.func @float8(%a: tensor<64x32xf8E4M3FN>, %b: tensor<64x32xf8E5M2>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %t = tile.permute %b [1, 0] : tensor<64x32xf8E5M2> -> tensor<32x64xf8E5M2>
  %d = tile.dot ieee signed %a, %t, %c : tensor<64x32xf8E4M3FN>, tensor<32x64xf8E5M2>, tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// BYTES-LABEL: func @float8_across_k
// BYTES-NOT:     tgpu.warpgroups
// BYTES:         tile.dot {{.*}}tgpu.mma = array<i64: 2, 2>} : tensor<64x32xf8E4M3FN>
func.func @float8_across_k(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x64xf8E4M3FN>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = tile.dot ieee signed %a, %b, %c : tensor<64x32xf8E4M3FN>, tensor<32x64xf8E4M3FN>, tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// Half an instruction of bytes is a whole one of f16.
// BYTES-LABEL: func @half_a_step
// BYTES-COUNT-2: arith.extf
// BYTES:         tile.dot {{.*}}tgpu.mma = {{.*}} : tensor<16x16xf16>, tensor<16x16xf16>
func.func @half_a_step(%a: tensor<16x16xf8E4M3FN>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tile.dot ieee signed %a, %a, %c : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>, tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// wgmma takes f32 as tf32, along K only.
// BYTES-LABEL: func @tf32
// BYTES:         tile.dot tf32 {{.*}}tgpu.mma = array<i64: 4, 1>, tgpu.warpgroups
// BYTES:         tile.dot tf32 {{.*}}tgpu.mma = array<i64: 2, 2>}
func.func @tf32(%a: tensor<64x8xf32>, %b: tensor<64x8xf32>, %n: tensor<8x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %t = tile.permute %b [1, 0] : tensor<64x8xf32> -> tensor<8x64xf32>
  %d = tile.dot tf32 signed %a, %t, %c : tensor<64x8xf32>, tensor<8x64xf32>, tensor<64x64xf32>
  %e = tile.dot tf32 signed %a, %n, %d : tensor<64x8xf32>, tensor<8x64xf32>, tensor<64x64xf32>
  return %e : tensor<64x64xf32>
}
