/// Which elementwise ops the interpreter knows: all, but for those listed here.
#include "ir/Tile/TileOps.h"

#include <gtest/gtest.h>

static constexpr const char *kNames[] = {
#define ROW(ID, NAME, ...) NAME,
#include "backend/interpreter/Elementwise.def"
#undef ROW
};

TEST(Coverage, EveryElementwiseOpHasARowOrIsListedAsUnused) {
  // Nothing in the language makes these.
  std::set<std::string> unused = {
      "arith.scaling_extf", "arith.scaling_truncf", "math.clampf", "math.fpowi",
      "math.ipowi",         "math.isnormal",        "math.sincos", "tile.ptr_add" /* CompilePointer.cpp has it */,
  };
  mlir::MLIRContext context;
  context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect>();
  int known = 0;
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations()) {
    llvm::StringRef name = op.getStringRef();
    if (!op.hasTrait<mlir::OpTrait::Elementwise>())
      continue;
    bool hasRow = llvm::any_of(kNames, [&](llvm::StringRef row) {
      return row == name || (row.starts_with(name) && row.drop_front(name.size()).starts_with("."));
    });
    known += hasRow;
    bool listed = unused.erase(name.str());
    EXPECT_NE(hasRow, listed) << name.str();
  }
  EXPECT_GT(known, 80);
  for (const std::string &name : unused)
    ADD_FAILURE() << name << " is no elementwise op";
}
