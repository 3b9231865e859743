/// Puts grids of several axes on the first axis of the hardware, which takes 2^31 programs where the others take 65535.
/// The extents are computed in the kernel, from the expressions of its contract; a grid that only the launcher can
/// compute stays on the axes of the hardware.
#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/TileGPUOps.h"
#include "ir/TileGPU/VariantRemark.h"
#include "ir/TileToTileGPU/GridExpressions.h"
#include "ir/TileToTileGPU/Passes.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_LINEARIZEGRIDPASS
#include "ir/TileToTileGPU/Passes.h.inc"
} // namespace tile::tgpu

namespace {
struct LinearizeGridPass : public tgpu::impl::LinearizeGridPassBase<LinearizeGridPass> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto contract = kernel->getAttrOfType<DictionaryAttr>(TileDialect::kContract);
    auto grid = contract ? contract.getAs<ArrayAttr>("grid") : ArrayAttr();
    if (!grid || grid.size() < 2 || kernel->hasAttr(TileGPUDialect::kLinearGrid))
      return;
    SmallVector<Value> extents;
    GridExpressions expressions(kernel, contract);
    for (auto axis : grid.getAsRange<ArrayAttr>()) {
      extents.push_back(expressions.emit(axis));
      if (extents.back())
        continue;
      remark::missed(kernel.getLoc(), remarkOn(kernel, "LinearizeGrid", "tgpu-linearize-grid"))
          << "axes 1 and 2 of the grid take at most 65535 programs"
          << remark::reason("the kernel cannot compute the grid, which needs `{0}`", expressions.uncovered);
      return;
    }
    replacePrograms(kernel, extents);
    kernel->setAttr(TileGPUDialect::kLinearGrid, UnitAttr::get(&getContext()));
  }

private:
  void replacePrograms(func::FuncOp kernel, ArrayRef<Value> extents) {
    // An axis that the grid does not have holds one program.
    kernel.walk([&](NumProgramsOp op) {
      OpBuilder b(op);
      op.replaceAllUsesWith(op.getAxis() < extents.size()
                                ? extents[op.getAxis()]
                                : arith::ConstantIndexOp::create(b, op.getLoc(), 1).getResult());
      op.erase();
    });
    SmallVector<ProgramIdOp> programs;
    kernel.walk([&](ProgramIdOp op) { programs.push_back(op); });
    for (ProgramIdOp op : programs) {
      OpBuilder b(op);
      Location loc = op.getLoc();
      if (op.getAxis() >= extents.size()) {
        op.replaceAllUsesWith(arith::ConstantIndexOp::create(b, loc, 0).getResult());
        op.erase();
        continue;
      }
      Type i32 = b.getI32Type();
      // All extents and their product are below 2^31, so 32 bits are enough, and faster to divide.
      Value id = arith::IndexCastOp::create(b, loc, i32, ProgramIdOp::create(b, loc, 0));
      for (size_t axis = 0; axis < op.getAxis(); ++axis)
        id = arith::DivUIOp::create(b, loc, id, arith::IndexCastOp::create(b, loc, i32, extents[axis]));
      if (op.getAxis() + 1 < extents.size())
        id = arith::RemUIOp::create(b, loc, id, arith::IndexCastOp::create(b, loc, i32, extents[op.getAxis()]));
      op.replaceAllUsesWith(arith::IndexCastUIOp::create(b, loc, b.getIndexType(), id).getResult());
      op.erase();
    }
  }
};
} // namespace
