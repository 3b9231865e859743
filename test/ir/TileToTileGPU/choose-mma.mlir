// RUN: tile-opt %s --tgpu-choose-mma="types=bf16 warps=4" --remarks-filter=tgpu-choose-mma --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefixes=REMARK
// RUN: tile-opt %s --tgpu-choose-mma="types=bf16 warps=4" | FileCheck %s

// The squarest share of the warps.
// CHECK-LABEL: func @square
// CHECK:         tile.dot {{.*}}tgpu.mma = array<i64: 2, 2>
func.func @square(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = tile.dot ieee signed %a, %b, %c : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// One row of instructions: all warps along N, or they would repeat each other's work.
// CHECK-LABEL: func @flat
// CHECK:         tile.dot {{.*}}tgpu.mma = array<i64: 1, 4>
func.func @flat(%a: tensor<16x32xbf16>, %b: tensor<32x64xbf16>, %c: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %d = tile.dot ieee signed %a, %b, %c : tensor<16x32xbf16>, tensor<32x64xbf16>, tensor<16x64xf32>
  return %d : tensor<16x64xf32>
}

// CHECK-LABEL: func @no_instruction
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
