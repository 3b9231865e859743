#include "runtime/execute/Stores.h"

#include "ir/Tile/TileOps.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tile {

/// What a view or pointer is made of in the end; null where that is chosen at run time.
static BlockArgument rootOf(mlir::Value address) {
  auto isAddress = [](mlir::Value value) { return isa<ViewType, PtrType>(getElementTypeOrSelf(value.getType())); };
  while (Operation *op = address.getDefiningOp()) {
    auto source = llvm::find_if(op->getOperands(), isAddress);
    if (op->getNumRegions() != 0 || source == op->operand_end() || llvm::count_if(op->getOperands(), isAddress) != 1)
      return nullptr;
    address = *source;
  }
  return cast<BlockArgument>(address);
}

/// What `op` writes through; null if it writes nothing.
static mlir::Value writtenAddress(Operation *op) {
  if (!hasEffect<MemoryEffects::Write>(op))
    return nullptr;
  if (auto access = dyn_cast<ViewAccess>(op))
    return access.getView();
  if (auto store = dyn_cast<StorePtrOp>(op))
    return store.getPointer();
  if (auto atomic = dyn_cast<AtomicPtrOp>(op))
    return atomic.getPointer();
  return nullptr;
}

std::vector<SourceRange> storesTo(const Session &session, const LoadedKernel &kernel, int parameter) {
  std::vector<SourceRange> places;
  func::FuncOp function = kernel.function;
  Block &entry = function.getBody().front();
  function.walk([&](Operation *op) {
    mlir::Value address = writtenAddress(op);
    BlockArgument root = address ? rootOf(address) : nullptr;
    if (!root || root.getOwner() != &entry)
      return;
    const AbiSlot &slot = kernel.contract.abi[root.getArgNumber()];
    SourceRange place = session.place(op->getLoc());
    if (slot.kind == AbiSlot::Kind::Pointer && slot.index == parameter && place.isValid() &&
        !llvm::is_contained(places, place))
      places.push_back(place);
  });
  return places;
}

} // namespace tile
