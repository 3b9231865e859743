/// The layout that an access of global memory would like: neighbouring threads at neighbouring addresses, each moving
/// as many bytes at once as alignment is known to allow.
#ifndef IR_TILETOTILEGPU_ACCESSLAYOUTS_H
#define IR_TILETOTILEGPU_ACCESSLAYOUTS_H

#include "ir/Analysis/AccessFacts.h"
#include "ir/TileGPU/TileGPUOps.h"

namespace tile::tgpu {

/// Chooses layouts for all accesses of one kernel. Accesses of tiles of one shape get one layout, so that elementwise
/// ops between them need no conversion: its vector is the widest that is one instruction for each of them.
class AccessLayouts {
public:
  AccessLayouts(mlir::func::FuncOp kernel, const mlir::DataFlowSolver &solver, int64_t warps);

  /// For a view access or an access through pointers; null where it moves no tile.
  LayoutAttr layoutFor(mlir::Operation *access) const;

  /// For a tile of `shape` that no access asks for: that of accesses of this shape, else rows over the threads.
  LayoutAttr layoutFor(llvm::ArrayRef<int64_t> shape) const;

  /// Whether an access that likes `preferred` is about as well served by `layout`.
  static bool isAsGood(mlir::Operation *access, const Layout &layout, const Layout &preferred);

private:
  struct Wish {
    llvm::SmallVector<int64_t> shape;
    unsigned fastest; // dim of the tile
    int64_t bytes;    // of an element
    int64_t vector;   // elements
  };
  void chooseTogether(llvm::ArrayRef<std::pair<mlir::Operation *, const Wish *>> accesses);
  std::optional<Wish> wishOf(mlir::Operation *access, const mlir::DataFlowSolver &solver) const;
  Layout build(llvm::ArrayRef<int64_t> shape, unsigned fastest, int64_t vector) const;

  mlir::MLIRContext *context;
  int64_t warps;
  bool hasProducts;
  llvm::DenseMap<mlir::Operation *, LayoutAttr> layouts;
  llvm::DenseMap<llvm::ArrayRef<int64_t>, LayoutAttr> shapes;
  std::vector<std::unique_ptr<Wish>> wishes;
};

} // namespace tile::tgpu

#endif
