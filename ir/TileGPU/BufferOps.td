// Shared memory as values: buffers and their slots, asynchronous copies and the tokens that say when they are done, and
// products that read slots.

def TileGPU_BufferType : TileGPU_Type<"Buffer", "buffer"> {
  let summary = "shared memory for a ring of equal slots";
  let description = [{
    `!tgpu.buffer<3 of 128x64xbf16, #layout>`: the layout, one of shared memory, says where in a slot each element lies.
    A slot begins at a multiple of 1024 bytes, so that every swizzle may be used.
  }];
  let parameters = (ins "int64_t":$stages, ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "::tile::tgpu::LayoutAttr":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// What `tgpu.slot` gives.
    SlotType getSlotType() const;
    /// From the beginning of one slot to that of the next.
    int64_t getSlotBytes() const;
  }];
}

def TileGPU_SlotType : TileGPU_Type<"Slot", "slot"> {
  let summary = "the place of one tile in shared memory";
  let description = "`!tgpu.slot<128x64xbf16, #layout>`; the layout is one of shared memory.";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "::tile::tgpu::LayoutAttr":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TileGPU_TokenType : TileGPU_Type<"Token", "token"> {
  let summary = "names asynchronous work that was begun, for a wait";
}

def TileGPU_AllocOp : TileGPU_Op<"alloc"> {
  let summary = "a buffer in shared memory, with unspecified contents";
  let description = [{
    ```mlir
    %ring = tgpu.alloc : !tgpu.buffer<3 of 128x64xbf16, #shared>
    ```
    Lives until the last use of its slots. `tgpu-allocate-shared` gives it its place.
  }];
  let results = (outs Res<TileGPU_BufferType, "", [MemAlloc]>:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

def TileGPU_SlotOp : TileGPU_Op<"slot", [Pure, InferTypeOpAdaptor]> {
  let summary = "slot `index` modulo the number of stages of a buffer";
  let description = [{
    ```mlir
    %s = tgpu.slot %ring[%n] : !tgpu.buffer<3 of 128x64xbf16, #shared>
    ```
    `index` counts up without bound and is not below 0: that slots of different stages do not meet then follows from
    how far the indices are apart.
  }];
  let arguments = (ins TileGPU_BufferType:$buffer, Index:$index);
  let results = (outs TileGPU_SlotType:$slot);
  let assemblyFormat = "$buffer `[` $index `]` attr-dict `:` type($buffer)";
}

def TileGPU_TransposeOp : TileGPU_Op<"transpose", [Pure, InferTypeOpAdaptor]> {
  let summary = "the same bytes, with the two dims exchanged";
  let description = [{
    ```mlir
    %t = tgpu.transpose %s : !tgpu.slot<128x64xbf16, #shared>
    ```
  }];
  let arguments = (ins TileGPU_SlotType:$slot);
  let results = (outs TileGPU_SlotType:$result);
  let assemblyFormat = "$slot attr-dict `:` type($slot)";
}

//===-- Copies --------------------------------------------------------------------------------------------------------===//

def TileGPU_CopyAsyncOp : TileGPU_Op<"copy_async", [Tile_ViewAccess, AttrSizedOperandSegments,
                                                    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "begins to copy a region of a view into a slot; positions outside become zero";
  let description = [{
    ```mlir
    %t = tgpu.copy_async %v[%m :+ 128, %k :+ 64] into %s if %more by #layout
        : !tile.view<?x?xbf16, constant>, (index, index), !tgpu.slot<128x64xbf16, #shared>
    ```
    `layout` says which thread copies which elements. Where `predicate` is false nothing is read and the contents of the
    slot stay or become unspecified. Nobody may write the view meanwhile, so it is constant. The copy is done for the
    thread that began it when it has waited for a `tgpu.commit` of the token, and for others after a barrier.
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Tile_Integer>:$indices, TileGPU_SlotType:$slot,
                       Optional<I1>:$predicate, DenseI64ArrayAttr:$sizes,
                       UnitAttr:$unchecked, DefaultValuedAttr<Tile_Cache, "::tile::CacheHint::Default">:$cache,
                       TileGPU_LayoutAttr:$layout);
  let results = (outs TileGPU_TokenType:$token);
  let assemblyFormat = [{
    $view custom<Positions>($indices, $sizes) `into` $slot (`if` $predicate^)? `by` $layout attr-dict
    `:` type($view) `,` custom<PositionTypes>(type($indices)) `,` type($slot)
  }];
  let hasVerifier = 1;
}

def TileGPU_CommitOp : TileGPU_Op<"commit", [MemoryEffects<[MemWrite]>]> {
  let summary = "closes a group of copies, which a wait can name";
  let description = [{
    ```mlir
    %g = tgpu.commit[%t, %u]
    ```
    All copies that this thread began since the last commit belong to the group (PTX ISA, cp.async.commit_group).
  }];
  let arguments = (ins Variadic<TileGPU_TokenType>:$copies);
  let results = (outs TileGPU_TokenType:$group);
  let assemblyFormat = "`[` $copies `]` attr-dict";
}

def TileGPU_WaitOp : TileGPU_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until the copies that this thread began in some groups, and all before them, are done";
  let description = [{
    ```mlir
    tgpu.wait[%g] {pending = 2 : i64}
    ```
    `pending`, which `tgpu-count-groups` sets, is how many younger groups may still be under way; none means all but
    these are waited for (PTX ISA, cp.async.wait_group).
  }];
  let arguments = (ins Variadic<TileGPU_TokenType>:$groups,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$pending);
  let assemblyFormat = "`[` $groups `]` attr-dict";
}

def TileGPU_DoneOp : TileGPU_Op<"done", [Pure]> {
  let summary = "names work that is done, as a loop needs for what no iteration has begun";
  let results = (outs TileGPU_TokenType:$token);
  let assemblyFormat = "attr-dict";
}

def TileGPU_FenceAsyncOp : TileGPU_Op<"fence_async", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "lets products read what this thread wrote to slots, once a barrier has passed";
  let description = "Writes of threads and of `tgpu.copy_async` go by another proxy (PTX ISA, fence.proxy.async).";
  let assemblyFormat = "attr-dict";
}

def TileGPU_StoreSharedOp : TileGPU_Op<"store_shared", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes a tile into a slot";
  let description = [{
    ```mlir
    tgpu.store_shared %x, %s : tensor<128x64xbf16, #layout>, !tgpu.slot<128x64xbf16, #shared>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$value, TileGPU_SlotType:$slot);
  let assemblyFormat = "$value `,` $slot attr-dict `:` type($value) `,` type($slot)";
  let hasVerifier = 1;
}

def TileGPU_LoadSharedOp : TileGPU_Op<"load_shared", [MemoryEffects<[MemRead]>]> {
  let summary = "reads the tile in a slot";
  let description = [{
    ```mlir
    %x = tgpu.load_shared %s : !tgpu.slot<128x64xbf16, #shared> -> tensor<128x64xbf16, #layout>
    ```
  }];
  let arguments = (ins TileGPU_SlotType:$slot);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$slot attr-dict `:` type($slot) `->` type($result)";
  let hasVerifier = 1;
}

//===-- Products ------------------------------------------------------------------------------------------------------===//

def TileGPU_Factor : AnyTypeOf<[AnyStaticShapeTensor, TileGPU_SlotType], "tile or slot">;

def TileGPU_MmaOp : TileGPU_Op<"mma", [MemoryEffects<[MemRead]>, AllTypesMatch<["acc", "result"]>]> {
  let summary = "a product on the tensor cores whose factors are each in registers or in a slot";
  let description = [{
    ```mlir
    %c = tgpu.mma ieee signed %a, %b, %acc over [2, 2]
        : !tgpu.slot<128x64xbf16, #shared>, tensor<64x128xbf16, #fragment>, tensor<128x128xf32, #acc>
    ```
    As `tile.dot`, by mma.sync; `warps` share M and N. A factor in registers lies as the instruction takes it; one in a
    slot is read by ldmatrix where its layout allows that. The slots have been read when the op is done.
  }];
  let arguments = (ins Tile_Precision:$precision, Tile_Signedness:$sign, TileGPU_Factor:$lhs, TileGPU_Factor:$rhs,
                       AnyStaticShapeTensor:$acc, DenseI64ArrayAttr:$warps);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $precision $sign $lhs `,` $rhs `,` $acc `over` $warps attr-dict `:` type($lhs) `,` type($rhs) `,` type($result)
  }];
  let hasVerifier = 1;
}

def TileGPU_MmaAsyncOp : TileGPU_Op<"mma_async", [MemoryEffects<[MemRead, MemWrite]>,
                                                  AllTypesMatch<["acc", "result"]>]> {
  let summary = "begins a product of warpgroups";
  let description = [{
    ```mlir
    %c, %t = tgpu.mma_async ieee signed %a, %b, %acc over [8, 1]
        : !tgpu.slot<128x64xbf16, #shared>, !tgpu.slot<64x128xbf16, #shared>, tensor<128x128xf32, #acc>
    ```
    As `tile.dot`, by wgmma; `warps` share M and N, four along M form a group. The left factor may be a tile in
    registers. Until a `tgpu.mma_wait` for the token, the slots and the left factor's registers may be read, and the
    result may only be passed on: to that wait, or as `acc` to another product of its kind. With `waits` the op itself
    waits for the product and for all before it. (PTX ISA, wgmma.mma_async)
  }];
  let arguments = (ins Tile_Precision:$precision, Tile_Signedness:$sign, TileGPU_Factor:$lhs, TileGPU_SlotType:$rhs,
                       AnyStaticShapeTensor:$acc, DenseI64ArrayAttr:$warps, UnitAttr:$waits);
  let results = (outs AnyStaticShapeTensor:$result, TileGPU_TokenType:$token);
  let assemblyFormat = [{
    $precision $sign $lhs `,` $rhs `,` $acc `over` $warps attr-dict `:` type($lhs) `,` type($rhs) `,` type($result)
  }];
  let hasVerifier = 1;
}

def TileGPU_MmaWaitOp : TileGPU_Op<"mma_wait", [AttrSizedOperandSegments, InferTypeOpAdaptor,
                                                MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until some products of this warp's group, and all before them, are done";
  let description = [{
    ```mlir
    %d = tgpu.mma_wait[%t] of %c : tensor<128x128xf32, #acc> {pending = 0 : i64}
    ```
    The results are `values`, which may be used now. `pending`, which `tgpu-count-groups` sets, is how many younger
    products may still be under way (PTX ISA, wgmma.wait_group).
  }];
  let arguments = (ins Variadic<TileGPU_TokenType>:$products, Variadic<AnyStaticShapeTensor>:$values,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$pending);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let assemblyFormat = "`[` $products `]` (`of` $values^ `:` type($values))? attr-dict";
}
