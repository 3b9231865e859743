// A read of what a copy is still writing.
#shared = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
func.func @k(%v: !tile.view<?x?xbf16, constant>, %n: index) attributes {tgpu.warps = 1 : i64} {
  %ring = tgpu.alloc : !tgpu.buffer<1 of 16x16xbf16, #shared>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<1 of 16x16xbf16, #shared>
  %t = tgpu.copy_async %v[%n :+ 16, %n :+ 16] into %s by #copy : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #shared>
  return
}
