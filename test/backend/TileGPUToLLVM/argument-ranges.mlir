// RUN: tile-opt %s --allow-unregistered-dialect --tgpu-lower-tiles | FileCheck %s --check-prefix=TILES
// RUN: tile-opt %s --allow-unregistered-dialect --tgpu-lower-tiles --tgpu-scalars-to-llvm | FileCheck %s --check-prefix=LLVM

// LLVM learns the range of an extent; what else is known of arguments has served its purpose.
// TILES-LABEL: func @extent
// TILES-SAME:    (%{{.*}}: !llvm.ptr<1>, %{{.*}}: index {llvm.range = #llvm.constant_range<i64, 0, 2147483648>}, %{{.*}}: index)
// LLVM-LABEL:  llvm.func @extent
// LLVM-SAME:     (%{{.*}}: !llvm.ptr<1>, %{{.*}}: i64 {llvm.range = #llvm.constant_range<i64, 0, 2147483648>}, %{{.*}}: i64)
func.func @extent(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: index {tile.maximum = 2147483647 : i64, tile.divisibility = 4 : i64}, %stride: index {tile.divisibility = 4 : i64}) attributes {tgpu.warps = 4 : i64} {
  return
}

// All that is not negative is no range of its own: its end would wrap.
// TILES-LABEL: func @any_extent
// TILES-SAME:    (%{{.*}}: index)
func.func @any_extent(%n: index {tile.maximum = 9223372036854775807 : i64}) attributes {tgpu.warps = 4 : i64} {
  return
}

// A fact of a dialect that nobody knows is dropped as well.
// TILES-LABEL: func @foreign_fact
// TILES-SAME:    (%{{.*}}: index)
func.func @foreign_fact(%n: index {foreign.fact = 1 : i64}) attributes {tgpu.warps = 4 : i64} {
  return
}
