// RUN: tile-opt %s --split-input-file --tgpu-lower-tiles --verify-diagnostics

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4 a8">
func.func @no_place() attributes {tgpu.shared_bytes = 1024 : i64, tgpu.warps = 1 : i64} {
  // expected-error @below {{'tgpu.alloc' op has no 'tgpu.shared_offset'; run tgpu-allocate-shared first}}
  // expected-error @below {{failed to legalize operation 'tgpu.alloc'}}
  %ring = tgpu.alloc : !tgpu.buffer<1 of 16x16xbf16, #a>
  return
}

// -----

#a = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
func.func @two_bytes(%p: !tile.ptr<bf16>, %m: index, %n: index) attributes {tgpu.shared_bytes = 1024 : i64, tgpu.warps = 1 : i64} {
  %v = tile.make_view %p, [%m, %m], [%m, 1] : <bf16> -> <?x?xbf16, constant>
  %ring = tgpu.alloc {tgpu.shared_offset = 0 : i64} : !tgpu.buffer<1 of 16x16xbf16, #a>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<1 of 16x16xbf16, #a>
  // expected-error @below {{'tgpu.copy_async' op cannot be copied asynchronously: addresses allow 2 bytes at a time, not 4}}
  // expected-error @below {{failed to legalize operation 'tgpu.copy_async'}}
  %t = tgpu.copy_async %v[%n :+ 16, %n :+ 16] into %s by #copy {tgpu.access = #tgpu.access<vector = 1>} : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #a>
  return
}
