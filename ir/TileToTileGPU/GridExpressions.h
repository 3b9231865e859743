/// Expressions of a contract (runtime/launch/README.md, Expressions) as values that a kernel computes.
#ifndef IR_TILETOTILEGPU_GRIDEXPRESSIONS_H
#define IR_TILETOTILEGPU_GRIDEXPRESSIONS_H

#include "ir/Tile/TileOps.h"

namespace tile::tgpu {

/// Emits at the beginning of a kernel. Operators mean what the launcher's table says, on 64-bit integers; dims and
/// compile-time values are known, not what only the launcher has (`num_sms`, scalar parameters, reals).
class GridExpressions {
public:
  GridExpressions(mlir::func::FuncOp kernel, mlir::DictionaryAttr contract);

  /// The value of `postfix`, of type index; null where it has a word that is not covered, which `uncovered` then holds.
  mlir::Value emit(mlir::ArrayAttr postfix);

  std::string uncovered;

private:
  mlir::Value lookUp(llvm::StringRef name);

  mlir::OpBuilder builder;
  mlir::Location loc;
  llvm::StringMap<mlir::Value> values;
  llvm::StringMap<int64_t> constants;
};

} // namespace tile::tgpu

#endif
