// RUN: tile-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(tgpu-issue-loads-early))"
// RUN: not tile-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tgpu-remove-conversions))" 2>&1 | FileCheck %s
// RUN: not tile-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tgpu-prefetch-loads))" 2>&1 | FileCheck %s
// RUN: not tile-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tgpu-allocate-shared))" 2>&1 | FileCheck %s
// RUN: not tile-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tgpu-insert-barriers))" 2>&1 | FileCheck %s
// RUN: not tile-opt %s --split-input-file --tgpu-lower-tiles 2>&1 | FileCheck %s

// Passes of this level say what they need where tiles are still whole.

// CHECK: error: tile 'tensor<4x128xf32>' has no layout; run tgpu-assign-layouts first
func.func @whole(%x: f32) attributes {tgpu.warps = 4 : i64} {
  // expected-error @below {{tile 'tensor<4x128xf32>' has no layout; run tgpu-assign-layouts first}}
  %0 = tile.splat %x : f32 -> tensor<4x128xf32>
  %1 = tile.reduce %0 axis 1 : tensor<4x128xf32> -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

// expected-error @below {{kernel has no 'tgpu.warps'; run tgpu-assign-layouts first}}
func.func @no_warps() {
  return
}
