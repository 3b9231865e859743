// All ops of the `tile` dialect: what they share, then one include per family.
#ifndef IR_TILE_TILEOPS_TD
#define IR_TILE_TILEOPS_TD

include "ir/Tile/TileDialect.td"
include "ir/Tile/TileInterfaces.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/CastInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

/// One result element per element of the operands, all of one shape.
class Tile_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, !listconcat([Pure], ElementwiseMappable.traits, traits)>;

include "ir/Tile/ArithmeticOps.td"
include "ir/Tile/DotOps.td"
include "ir/Tile/MemoryOps.td"
include "ir/Tile/ProgramOps.td"
include "ir/Tile/ReduceOps.td"
include "ir/Tile/ShapeOps.td"

#endif
