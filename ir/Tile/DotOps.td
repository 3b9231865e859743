// Matrix products.

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix product of two tiles, added to an accumulator";
  let description = [{
    ```mlir
    %c = tile.dot ieee signed %a, %b, %acc : tensor<64x32xf16>, tensor<32x128xf16>, tensor<64x128xf32>
    ```
    Operands of 8-bit floats, of either format each, of 16-bit floats or f32 accumulate in f32, f64 in f64, 8-bit
    integers in i32. `sign` says how 8-bit
    integers are read. `precision` matters for f32 operands only: `tf32` takes ten mantissa bits of both,
    rounded or cut, as the instruction has it.
    The order of the sum is not fixed.
  }];
  let arguments = (ins Tile_Precision:$precision, Tile_Signedness:$sign, Tile_Tile:$lhs, Tile_Tile:$rhs, Tile_Tile:$acc);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $precision $sign $lhs `,` $rhs `,` $acc attr-dict `:` type($lhs) `,` type($rhs) `,` type($result)
  }];
  let hasVerifier = 1;
}
