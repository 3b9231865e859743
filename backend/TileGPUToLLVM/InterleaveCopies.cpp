/// Moves asynchronous copies into the product behind them. The assembler keeps accesses of shared memory in
/// order, so copies that stand before a product hold up its first reads until all their addresses are computed, and
/// copies behind a long one begin late. One by one between the instructions they would cost more: the assembler guards
/// each run of copies by instructions of its own. `tgpu-verify-async` has proved that copies and products between two
/// waits or barriers touch different slots, so their order is free.
#include "backend/TileGPUToLLVM/LowerTiles.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

/// Instructions of a product that stand before the copies. On an H200 products of 64 were fastest with the copies
/// behind all of them, and those of 128 with the copies in the middle.
static constexpr size_t kProductsBefore = 64;

static constexpr llvm::StringLiteral kRole{"tgpu.copy_role"};

CopyRole tgpu::roleOf(Operation *op) {
  auto role = op->getAttrOfType<IntegerAttr>(kRole);
  return role ? static_cast<CopyRole>(role.getInt()) : CopyRole::None;
}

void tgpu::setRole(Operation *op, CopyRole role) {
  if (role == CopyRole::None)
    op->removeAttr(kRole);
  else
    op->setAttr(kRole, IntegerAttr::get(IntegerType::get(op->getContext(), 32), static_cast<int64_t>(role)));
}

/// Whether copies must not move past `op`.
static bool isBoundary(Operation *op) {
  return op->getNumRegions() != 0 || isa<LLVM::StoreOp, NVVM::Barrier0Op>(op) ||
         op->hasTrait<OpTrait::IsTerminator>() || roleOf(op) == CopyRole::Wait;
}

static void interleave(Block &block) {
  SmallVector<Operation *> copies, products;
  auto finish = [&] {
    // In order.
    if (!products.empty())
      for (Operation *copy : llvm::reverse(copies))
        copy->moveAfter(products[std::min(products.size(), kProductsBefore) - 1]);
    copies.clear();
    products.clear();
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    CopyRole role = roleOf(&op);
    if (isBoundary(&op) || (role == CopyRole::Copy && !products.empty()))
      finish();
    if (role == CopyRole::Copy)
      copies.push_back(&op);
    else if (role == CopyRole::Product && !copies.empty())
      products.push_back(&op);
  }
}

void tgpu::interleaveCopies(ModuleOp module) {
  module.walk([](Block *block) { interleave(*block); });
  module.walk([](Operation *op) { setRole(op, CopyRole::None); });
}
