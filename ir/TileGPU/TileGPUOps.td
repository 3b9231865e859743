// The ops of the `tgpu` dialect; those on shared memory stand in BufferOps.td.
#ifndef IR_TILEGPU_TILEGPUOPS_TD
#define IR_TILEGPU_TILEGPUOPS_TD

include "ir/Tile/TileDialect.td"
include "ir/Tile/TileInterfaces.td"
include "ir/TileGPU/TileGPUDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TileGPU_Op<string mnemonic, list<Trait> traits = []> : Op<TileGPU_Dialect, mnemonic, traits>;

def TileGPU_ConvertLayoutOp : TileGPU_Op<"convert_layout", [Pure, SameOperandsAndResultShape,
                                                            SameOperandsAndResultElementType]> {
  let summary = "the same tile, spread over the threads in another way";
  let description = [{
    ```mlir
    %y = tgpu.convert_layout %x : tensor<128xf32, #a> -> tensor<128xf32, #b>
    ```
    How the elements travel (register moves, shuffles, shared memory) follows from the two layouts.
  }];
  let arguments = (ins AnyStaticShapeTensor:$value);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TileGPU_BarrierOp : TileGPU_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for all threads of the block; orders their accesses of shared and global memory";
  let assemblyFormat = "attr-dict";
}

include "ir/TileGPU/BufferOps.td"

#endif
