// Reductions: one op, whose region says how two elements combine.

def Tile_ReduceOp : Tile_Op<"reduce", [Pure, SameVariadicOperandSize, SingleBlock]> {
  let summary = "combines the elements along one axis";
  let description = [{
    ```mlir
    %sum = tile.reduce %x axis 1 : tensor<4x128xf32> -> tensor<4xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```
    Several operands of one shape reduce together (a value and its index, a mean and its variance): the region takes
    one element of each, twice, and yields one of each. The combination is taken as associative and commutative; its
    order is not fixed. Reducing the only axis gives scalars.
  }];
  let arguments = (ins Variadic<Tile_Tile>:$operands, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Variadic<Tile_Value>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $operands `axis` $axis attr-dict `:` type($operands) `->` type($results) $combiner
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The op that alone makes up the combination of a single operand, as `arith.addf` does a sum; null if there is none.
    ::mlir::Operation *getSoleCombiner();
  }];
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"ReduceOp">]> {
  let summary = "gives the combined elements of a reduction";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}
