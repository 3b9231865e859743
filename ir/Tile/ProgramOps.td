// What a program knows of its place in the grid, and what it claims.

class Tile_GridOp<string mnemonic, string what>
    : Tile_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = what;
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<2>]>:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$axis attr-dict";
  let description = "```mlir\n%i = tile." # mnemonic # " 0\n```";
}
def Tile_ProgramIdOp : Tile_GridOp<"program_id", "position of this program along an axis of the grid">;
def Tile_NumProgramsOp : Tile_GridOp<"num_programs", "extent of the grid along an axis">;

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "stops the program with a message unless every element holds";
  let description = [{
    ```mlir
    tile.assert %ok, "row is sorted" : tensor<128xi1>
    ```
  }];
  let arguments = (ins Tile_Bool:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}
