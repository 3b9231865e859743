// The `tgpu` dialect and its attributes. Ops stand in TileGPUOps.td.
#ifndef IR_TILEGPU_TILEGPUDIALECT_TD
#define IR_TILEGPU_TILEGPUDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"

def TileGPU_Dialect : Dialect {
  let name = "tgpu";
  let cppNamespace = "::tile::tgpu";
  let summary = "tiles spread over the threads of a block";
  let description = [{
    The level below `tile`: the same `tile`, `arith`, `math` and `scf` ops, on tensors whose encoding is a layout that
    says which thread holds which element, and ops that exist only because there are threads. A scalar is held, equal,
    by every thread of the block.
  }];
  let dependentDialects = ["::tile::TileDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();

    /// On a kernel: warps per block.
    static constexpr llvm::StringLiteral kWarps{"tgpu.warps"};
    /// On a kernel: its warps were chosen by the compiler.
    static constexpr llvm::StringLiteral kWarpsChosen{"tgpu.warps_chosen"};
    /// On a kernel: bytes of shared memory that a launch provides.
    static constexpr llvm::StringLiteral kSharedBytes{"tgpu.shared_bytes"};
    /// On an op that uses shared memory: where its bytes begin.
    static constexpr llvm::StringLiteral kSharedOffset{"tgpu.shared_offset"};
    /// On an access of global memory: how its elements are moved, an `AccessAttr`.
    static constexpr llvm::StringLiteral kAccess{"tgpu.access"};
    /// On a `tile.store`: the layout in which the elements are stored. They reach it warp by warp through shared memory.
    static constexpr llvm::StringLiteral kThrough{"tgpu.through"};
    /// On such a store, of 16-bit elements: the target has stmatrix.
    static constexpr llvm::StringLiteral kStoresMatrices{"tgpu.stores_matrices"};
    /// On a `tile.dot` that runs on the tensor cores: how many warps share its M and its N.
    static constexpr llvm::StringLiteral kMma{"tgpu.mma"};
    /// On such a `tile.dot`: four warps along M form a group, for wgmma.
    static constexpr llvm::StringLiteral kWarpgroups{"tgpu.warpgroups"};
    /// On a kernel: the variant it is, `fast` or `generic`.
    static constexpr llvm::StringLiteral kVariant{"tgpu.variant"};
    /// On a kernel: how many of its blocks a multiprocessor is to hold at a time, which bounds the registers of a thread.
    static constexpr llvm::StringLiteral kResidentBlocks{"tgpu.resident_blocks"};
    /// On a kernel: the most stages of a loop whose loads are copied ahead.
    static constexpr llvm::StringLiteral kStages{"tgpu.stages"};
    /// On a loop: its loads are issued an iteration early.
    static constexpr llvm::StringLiteral kPrefetched{"tgpu.prefetched"};
    /// On a kernel: its grid lies on one axis of the hardware, the first axis of the language fastest.
    static constexpr llvm::StringLiteral kLinearGrid{"tgpu.linear_grid"};
    /// On a pointer argument of a kernel: every byte offset within the tensor it begins is below 2^31.
    static constexpr llvm::StringLiteral kNarrowOffsets{"tgpu.narrow_offsets"};
  }];
}

class TileGPU_Type<string name, string typeMnemonic> : TypeDef<TileGPU_Dialect, name> { let mnemonic = typeMnemonic; }

class TileGPU_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<TileGPU_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def TileGPU_LayoutAttr : TileGPU_Attr<"Layout", "layout", [VerifiableTensorEncoding]> {
  let summary = "which thread holds which element of a tensor, and in which of its registers";
  let description = [{
    `#tgpu.layout<"128: reg a1 a2; lane a4 a8 a16 a32 a64; warp 0 0">`; the text is that of `tile::Layout::str`.
  }];
  let parameters = (ins AttrParameter<"::tile::Layout", "the map", "const ::tile::Layout &">:$layout);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Fails where the layout is for another shape than a tensor of `shape` has on the hardware.
    ::llvm::LogicalResult verifyEncoding(::llvm::ArrayRef<int64_t> shape, ::mlir::Type elementType,
                                         ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError) const;
  }];
}

def TileGPU_AccessAttr : TileGPU_Attr<"Access", "access"> {
  let summary = "how an access moves its elements between global memory and registers";
  let description = [{
    `vector` neighbours move by one instruction. With `whole` all of them are inside the view or all are outside.
    `narrow`: byte offsets from the base of the view fit 31 bits where they matter. `nonNegative` lists the dims of the
    view whose index is proved not to be below 0.
  }];
  let parameters = (ins "int64_t":$vector, DefaultValuedParameter<"bool", "false">:$whole,
                        DefaultValuedParameter<"bool", "false">:$narrow,
                        OptionalArrayRefParameter<"int64_t">:$nonNegative);
  let assemblyFormat = "`<` struct($vector, $whole, $narrow, custom<DimList>($nonNegative)) `>`";
}

#endif
