// Views of global memory and the accesses through them; raw pointers and theirs.

//===-- Views -------------------------------------------------------------------------------------------------------===//

def Tile_MakeViewOp : Tile_Op<"make_view", [Pure, AttrSizedOperandSegments]> {
  let summary = "a view from a base address, extents and strides";
  let description = [{
    ```mlir
    %v = tile.make_view %p, [%m, 64], [%s, 1] : !tile.ptr<f32> -> !tile.view<?x64xf32>
    ```
    Extents and strides are in elements.
  }];
  let arguments = (ins Tile_PtrType:$base, Variadic<Index>:$extents, Variadic<Index>:$strides,
                       DenseI64ArrayAttr:$staticExtents, DenseI64ArrayAttr:$staticStrides);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = [{
    $base `,` custom<DynamicIndexList>($extents, $staticExtents) `,` custom<DynamicIndexList>($strides, $staticStrides)
    attr-dict `:` type($base) `->` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$base, "::llvm::ArrayRef<::mlir::OpFoldResult>":$extents,
                   "::llvm::ArrayRef<::mlir::OpFoldResult>":$strides)>
  ];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// One entry per dim: an index attribute where static, else a value.
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedExtents();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedStrides();
  }];
}

def Tile_SubviewOp : Tile_Op<"subview", [Pure, AttrSizedOperandSegments]> {
  let summary = "a window on a view, from `lows` to `highs`; a dim that is not kept is fixed at its low";
  let description = [{
    ```mlir
    %w = tile.subview %v, [%b, %lo, %zero], [%hi, %k] kept [false, true, true]
        : !tile.view<?x?x?xf32> -> !tile.view<?x?xf32>
    ```
    `highs` has one entry per kept dim. The extent of a kept dim is `high - low`, at least 0, and stops at the extent of
    the view. A low below 0 is a fault that checked execution reports.
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$lows, Variadic<Index>:$highs, DenseBoolArrayAttr:$kept);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = [{
    $view `,` `[` $lows `]` `,` `[` $highs `]` `kept` $kept attr-dict `:` type($view) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_DimOp : Tile_Op<"dim", [Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "extent of a view along an axis";
  let description = "```mlir\n%n = tile.dim %v axis 1 : !tile.view<?x?xf32>\n```";
  let arguments = (ins Tile_ViewType:$view, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$view `axis` $axis attr-dict `:` type($view)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===-- Accesses through views ------------------------------------------------------------------------------------===//

/// An access of the elements at `indices`; see the interface for what a size says.
class Tile_AccessOp<string mnemonic, dag before, dag after, list<Trait> traits = []>
    : Tile_Op<mnemonic, !listconcat([Tile_ViewAccess], traits)> {
  let arguments = !con(before, (ins Tile_ViewType:$view, Variadic<Tile_Integer>:$indices, DenseI64ArrayAttr:$sizes,
                                    UnitAttr:$unchecked),
                       after);
}

def Tile_LoadOp : Tile_AccessOp<"load", (ins),
    (ins Optional<Tile_Scalar>:$other, DefaultValuedAttr<Tile_Cache, "::tile::CacheHint::Default">:$cache),
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "reads a region of a view; positions outside give `other`, or zero";
  let description = [{
    ```mlir
    %t = tile.load %v[%row, %k :+ 128] else %ninf : f32 : !tile.view<?x?xf32>, (index, index) -> tensor<128xf32>
    %g = tile.load %v[%rows gather, %k :+ 64] : !tile.view<?x?xf32>, (tensor<16xi32>, index) -> tensor<16x64xf32>
    ```
  }];
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $view custom<Positions>($indices, $sizes) (`else` $other^ `:` type($other))? attr-dict
    `:` type($view) `,` custom<PositionTypes>(type($indices)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_AccessOp<"store", (ins Tile_Value:$value),
    (ins DefaultValuedAttr<Tile_Cache, "::tile::CacheHint::Default">:$cache), [MemoryEffects<[MemWrite]>]> {
  let summary = "writes a region of a view; positions outside are dropped";
  let description = [{
    ```mlir
    tile.store %t, %v[%row, %k :+ 128] : tensor<128xf32>, !tile.view<?x?xf32>, (index, index)
    ```
  }];
  let assemblyFormat = [{
    $value `,` $view custom<Positions>($indices, $sizes) attr-dict
    `:` type($value) `,` type($view) `,` custom<PositionTypes>(type($indices))
  }];
  let hasVerifier = 1;
}

def Tile_AtomicOp : Tile_AccessOp<"atomic", (ins Tile_Atomic:$kind, Tile_Value:$value), (ins Optional<Tile_Bool>:$mask),
    [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["value", "result"]>]> {
  let summary = "combines each element with memory at once, acq_rel at gpu scope; gives what was there, or 0 outside";
  let description = [{
    ```mlir
    %old = tile.atomic add %t, %v[%k :+ 128] : tensor<128xf32>, !tile.view<?xf32>, (index)
    ```
  }];
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $kind $value `,` $view custom<Positions>($indices, $sizes) (`mask` $mask^ `:` type($mask))? attr-dict
    `:` type($value) `,` type($view) `,` custom<PositionTypes>(type($indices))
  }];
  let hasVerifier = 1;
}

def Tile_InsideOp : Tile_AccessOp<"inside", (ins), (ins), [Pure]> {
  let summary = "which positions of a region are inside the view";
  let description = [{
    ```mlir
    %m = tile.inside %v[%row, %k :+ 128] : !tile.view<?x?xf32>, (index, index) -> tensor<128xi1>
    ```
  }];
  let results = (outs Tile_Bool:$result);
  let assemblyFormat = [{
    $view custom<Positions>($indices, $sizes) attr-dict `:` type($view) `,` custom<PositionTypes>(type($indices)) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===-- Raw pointers ----------------------------------------------------------------------------------------------===//

def Tile_PtrAddOp : Tile_ElementwiseOp<"ptr_add", [AllTypesMatch<["pointer", "result"]>]> {
  let summary = "element-wise address `offset` elements further";
  let description = "```mlir\n%q = tile.ptr_add %p, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi64>\n```";
  let arguments = (ins Tile_Pointer:$pointer, Tile_Integer:$offset);
  let results = (outs Tile_Pointer:$result);
  let assemblyFormat = "$pointer `,` $offset attr-dict `:` type($pointer) `,` type($offset)";
  let hasVerifier = 1;
}

def Tile_LoadPtrOp : Tile_Op<"load_ptr", [Tile_PointerAccess, AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "reads what each pointer points to; a lane that is masked off reads `other`, or zero";
  let description = [{
    ```mlir
    %t = tile.load_ptr %p mask %m : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
    ```
  }];
  let arguments = (ins Tile_Pointer:$pointer, Optional<Tile_Bool>:$mask, Optional<Tile_Value>:$other,
                       DefaultValuedAttr<Tile_Cache, "::tile::CacheHint::Default">:$cache);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $pointer (`mask` $mask^ `:` type($mask))? (`else` $other^ `:` type($other))? attr-dict
    `:` type($pointer) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StorePtrOp : Tile_Op<"store_ptr", [Tile_PointerAccess, MemoryEffects<[MemWrite]>]> {
  let summary = "writes where each pointer points to; a lane that is masked off writes nothing";
  let description = "```mlir\ntile.store_ptr %t, %p : tensor<128xf32>, tensor<128x!tile.ptr<f32>>\n```";
  let arguments = (ins Tile_Value:$value, Tile_Pointer:$pointer, Optional<Tile_Bool>:$mask,
                       DefaultValuedAttr<Tile_Cache, "::tile::CacheHint::Default">:$cache);
  let assemblyFormat = [{
    $value `,` $pointer (`mask` $mask^ `:` type($mask))? attr-dict `:` type($value) `,` type($pointer)
  }];
  let hasVerifier = 1;
}

def Tile_AtomicPtrOp : Tile_Op<"atomic_ptr",
    [Tile_PointerAccess, AllTypesMatch<["value", "result"]>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "as `tile.atomic`, where each pointer points to";
  let description = "```mlir\n%old = tile.atomic_ptr add %t, %p : tensor<128xf32>, tensor<128x!tile.ptr<f32>>\n```";
  let arguments = (ins Tile_Atomic:$kind, Tile_Value:$value, Tile_Pointer:$pointer, Optional<Tile_Bool>:$mask);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $kind $value `,` $pointer (`mask` $mask^ `:` type($mask))? attr-dict `:` type($value) `,` type($pointer)
  }];
  let hasVerifier = 1;
}
