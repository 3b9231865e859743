// Ops that make tiles and move their elements, without arithmetic.

def Tile_IotaOp : Tile_Op<"iota", [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the integers from 0 on";
  let description = "```mlir\n%i = tile.iota : tensor<128xi32>\n```";
  let results = (outs 1DTensorOf<[AnySignlessInteger, Index]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

/// Moves elements without changing them: the range of the result is that of the operand.
class Tile_ShapeOp<string mnemonic>
    : Tile_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]>;

def Tile_SplatOp : Tile_ShapeOp<"splat"> {
  let summary = "a tile whose elements are all one scalar";
  let description = "```mlir\n%t = tile.splat %x : f32 -> tensor<4x128xf32>\n```";
  let arguments = (ins Tile_Scalar:$value);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_ReshapeOp : Tile_ShapeOp<"reshape"> {
  let summary = "the same elements in row-major order under another shape";
  let description = "```mlir\n%t = tile.reshape %x : tensor<4x128xf32> -> tensor<512xf32>\n```";
  let arguments = (ins Tile_Tile:$value);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_PermuteOp : Tile_ShapeOp<"permute"> {
  let summary = "dims in another order; `order[i]` is the operand's dim that becomes dim i";
  let description = "```mlir\n%t = tile.permute %x [1, 0] : tensor<4x128xf32> -> tensor<128x4xf32>\n```";
  let arguments = (ins Tile_Tile:$value, DenseI32ArrayAttr:$order);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value $order attr-dict `:` type($value) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_ExpandDimsOp : Tile_ShapeOp<"expand_dims"> {
  let summary = "a new dim of extent 1 at `axis`";
  let description = "```mlir\n%t = tile.expand_dims %x axis 0 : tensor<128xf32> -> tensor<1x128xf32>\n```";
  let arguments = (ins Tile_Tile:$value, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value `axis` $axis attr-dict `:` type($value) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_ShapeOp<"broadcast"> {
  let summary = "repeats the elements along dims of extent 1";
  let description = "```mlir\n%t = tile.broadcast %x : tensor<4x1xf32> -> tensor<4x128xf32>\n```";
  let arguments = (ins Tile_Tile:$value);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}
