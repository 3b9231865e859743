// The `tile` dialect, its types and attributes. Ops stand in one file per family; TileOps.td gathers them.
#ifndef IR_TILE_TILEDIALECT_TD
#define IR_TILE_TILEDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tile";
  let summary = "whole tiles with value semantics, and the global memory they come from";
  let description = [{
    A tile is a builtin ranked tensor with a static shape; rank 0 is the scalar itself. Elementwise operations are those
    of `arith` and `math` wherever these mean exactly what the language says, control flow is `scf`, and this dialect
    adds what they lack. Tensors are signless; signedness lives in the op.

    A kernel is a `func.func` with the attribute `tile.contract`, whose arguments are the ABI of the compiled kernel.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();

    /// On a kernel function: its launch contract, a dictionary of the shape that runtime/launch/README.md gives.
    static constexpr llvm::StringLiteral kContract{"tile.contract"};
    /// On a pointer or integer argument of a kernel: every launch passes a multiple of this many (bytes for a pointer).
    static constexpr llvm::StringLiteral kDivisibility{"tile.divisibility"};
    /// On an integer or index argument of a kernel: the largest value that a launch passes; the smallest is 0.
    static constexpr llvm::StringLiteral kMaximum{"tile.maximum"};
    /// On a pointer argument of a kernel: the innermost extent of the tensor that begins there is a multiple of this many
    /// elements.
    static constexpr llvm::StringLiteral kRowDivisibility{"tile.row_divisibility"};
    /// On a loop: the dictionary of the schedule clauses written before it, such as `{stages = 4}`.
    static constexpr llvm::StringLiteral kSchedule{"tile.schedule"};
  }];
}

//===-- Types -------------------------------------------------------------------------------------------------------===//

class Tile_Type<string name, string typeMnemonic, list<Trait> traits = []> : TypeDef<Tile_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Tile_PtrType : Tile_Type<"Ptr", "ptr"> {
  let summary = "address of one element in global memory";
  let description = "`!tile.ptr<f32>`; 64 bits. A tile of pointers is a tensor of this type.";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
}

def Tile_ViewType : Tile_Type<"View", "view"> {
  let summary = "bounded, strided window on global memory";
  let description = [{
    `!tile.view<?x64xf32>`: base address, extents and strides, the last two in elements. A static extent is known when
    the kernel is compiled. The innermost stride is 1 unless the view is `strided`. A view is `constant` when nobody
    writes its elements during the launch, so that a load may move freely.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType,
    "bool":$strided,
    "bool":$constant);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    /// The type with `shape` in place of this one's.
    ViewType withShape(::llvm::ArrayRef<int64_t> shape, bool strided) const {
      return ViewType::get(getContext(), shape, getElementType(), strided, getConstant());
    }
  }];
}

def Tile_Scalar : AnyTypeOf<[AnySignlessInteger, Index, AnyFloat, Tile_PtrType], "scalar">;
/// A tile has elements: an extent of 0 would leave nothing that a layout could spread.
class Tile_TileOf<list<Type> elements>
    : Type<And<[StaticShapeTensorOf<elements>.predicate,
                CPred<"!::llvm::is_contained(::llvm::cast<::mlir::ShapedType>($_self).getShape(), 0)">]>,
           "tile with extents of at least 1", "::mlir::TensorType">;
def Tile_Tile : Tile_TileOf<[AnySignlessInteger, Index, AnyFloat, Tile_PtrType]>;
def Tile_Value : AnyTypeOf<[Tile_Scalar, Tile_Tile], "scalar or tile">;
def Tile_Integer : AnyTypeOf<[SignlessIntegerOrIndexLike], "integer or tile of integers">;
def Tile_Float : AnyTypeOf<[FloatLike], "float or tile of floats">;
def Tile_Bool : AnyTypeOf<[BoolLike], "bool or tile of bools">;
def Tile_Pointer : AnyTypeOf<[Tile_PtrType, Tile_TileOf<[Tile_PtrType]>], "pointer or tile of pointers">;

//===-- Attributes --------------------------------------------------------------------------------------------------===//

class Tile_Enum<string name, string enumMnemonic, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tile";
  let genSpecializedAttr = 0;
  string attrMnemonic = enumMnemonic;
}
class Tile_EnumAttr<Tile_Enum enum> : EnumAttr<Tile_Dialect, enum, enum.attrMnemonic>;

def Tile_SignednessEnum : Tile_Enum<"Signedness", "signedness", "how an integer's bits are read", [
  I32EnumAttrCase<"Signed", 0, "signed">,
  I32EnumAttrCase<"Unsigned", 1, "unsigned">
]>;
def Tile_Signedness : Tile_EnumAttr<Tile_SignednessEnum>;

def Tile_CastEnum : Tile_Enum<"CastKind", "cast_kind", "what a conversion does with values that its result does not have", [
  I32EnumAttrCase<"Signed", 0, "signed">,
  I32EnumAttrCase<"Unsigned", 1, "unsigned">,
  I32EnumAttrCase<"Finite", 2, "finite">,
  I32EnumAttrCase<"Infinite", 3, "infinite">
]>;
def Tile_Cast : Tile_EnumAttr<Tile_CastEnum>;

def Tile_ShiftEnum : Tile_Enum<"ShiftKind", "shift_kind", "direction of a shift and what it fills with", [
  I32EnumAttrCase<"Left", 0, "left">,
  I32EnumAttrCase<"RightSigned", 1, "right_signed">,
  I32EnumAttrCase<"RightUnsigned", 2, "right_unsigned">
]>;
def Tile_Shift : Tile_EnumAttr<Tile_ShiftEnum>;

def Tile_ApproximateEnum : Tile_Enum<"ApproximateKind", "approximate_kind",
    "functions with a fast form that is not the nearest float", [
  I32EnumAttrCase<"Div", 0, "div">,
  I32EnumAttrCase<"Sqrt", 1, "sqrt">,
  I32EnumAttrCase<"Rsqrt", 2, "rsqrt">,
  I32EnumAttrCase<"Exp2", 3, "exp2">,
  I32EnumAttrCase<"Log2", 4, "log2">,
  I32EnumAttrCase<"Sin", 5, "sin">,
  I32EnumAttrCase<"Cos", 6, "cos">,
  I32EnumAttrCase<"Tanh", 7, "tanh">
]>;
def Tile_Approximate : Tile_EnumAttr<Tile_ApproximateEnum>;

def Tile_PrecisionEnum : Tile_Enum<"Precision", "precision", "how the products of a dot are formed", [
  I32EnumAttrCase<"Ieee", 0, "ieee">,
  I32EnumAttrCase<"Tf32", 1, "tf32">
]>;
def Tile_Precision : Tile_EnumAttr<Tile_PrecisionEnum>;

def Tile_CacheEnum : Tile_Enum<"CacheHint", "cache", "what an access tells the caches", [
  I32EnumAttrCase<"Default", 0, "default">,
  I32EnumAttrCase<"Streaming", 1, "streaming">,
  I32EnumAttrCase<"EvictFirst", 2, "evict_first">,
  I32EnumAttrCase<"EvictLast", 3, "evict_last">,
  I32EnumAttrCase<"Volatile", 4, "volatile">
]>;
def Tile_Cache : Tile_EnumAttr<Tile_CacheEnum>;

def Tile_AtomicEnum : Tile_Enum<"AtomicKind", "atomic_kind", "what an atomic does to the element it finds", [
  I32EnumAttrCase<"Add", 0, "add">
]>;
def Tile_Atomic : Tile_EnumAttr<Tile_AtomicEnum>;

#endif
