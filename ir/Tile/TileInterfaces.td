// What passes, the interpreter and the lowering ask of an op instead of listing ops.
#ifndef IR_TILE_TILEINTERFACES_TD
#define IR_TILE_TILEINTERFACES_TD

include "mlir/IR/OpBase.td"

def Tile_ViewAccess : OpInterface<"ViewAccess"> {
  let cppNamespace = "::tile";
  let description = [{
    An op that touches elements of a view. There is one index and one size per dim of the view. The size says what the
    index is: a positive size n is a region of n elements from the corner `index` on, `kPoint` a single element whose
    dim is dropped, `kGather` an integer tile of positions. The gather tiles broadcast against each other, and their
    shape stands in the accessed shape where the first of them stood.
  }];
  let methods = [
    InterfaceMethod<"The view.", "::mlir::TypedValue<::tile::ViewType>", "getView">,
    InterfaceMethod<"One index per dim of the view.", "::mlir::OperandRange", "getIndices">,
    InterfaceMethod<"One size per dim of the view.", "::llvm::ArrayRef<int64_t>", "getSizes">,
    InterfaceMethod<"Whether the program promises that every position is inside.", "bool", "getUnchecked">
  ];
  let extraClassDeclaration = [{
    static constexpr int64_t kPoint = -1;
    static constexpr int64_t kGather = -2;
  }];
  let extraSharedClassDeclaration = [{
    /// The shape of the accessed tile; empty for one element. The op is verified.
    ::llvm::SmallVector<int64_t> getAccessShape() {
      return *::tile::inferAccessShape($_op.getSizes(), ::mlir::ValueRange($_op.getIndices()).getTypes());
    }
  }];
  let verify = "return ::tile::verifyViewAccess($_op);";
}

def Tile_PointerAccess : OpInterface<"PointerAccess"> {
  let cppNamespace = "::tile";
  let description = [{
    An op that touches what each of its pointers points to, those lanes excepted that a mask leaves out. All tiles of
    the op are of one shape.
  }];
  let methods = [
    InterfaceMethod<"A pointer or a tile of pointers.", "::mlir::Value", "getPointer">,
    InterfaceMethod<"Which lanes take part; null: all.", "::mlir::Value", "getMask">
  ];
}

#endif
