/// How many groups of asynchronous work were begun after those that tokens name.
#ifndef IR_TILEGPU_GROUPAGES_H
#define IR_TILEGPU_GROUPAGES_H

#include "ir/TileGPU/TileGPUOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace tile::tgpu {

/// Of one kind of work. At one point of the program, the least of all paths there. A token of which nothing is known
/// has age 0, with which a wait leaves nothing under way; what is done is older than all.
class GroupAges {
public:
  static constexpr int64_t kDone = int64_t(1) << 32;

  void commit(mlir::Value group);
  /// The youngest of `groups`; 0 for none.
  int64_t of(mlir::ValueRange groups) const;
  /// Another path leads here on which `token` has `age`; whether that changes anything.
  bool meet(mlir::Value token, int64_t age);
  bool meet(const GroupAges &other);
  void set(mlir::Value token, int64_t age) { ages[token] = age; }

private:
  llvm::MapVector<mlir::Value, int64_t> ages;
};

/// Of both kinds: copies, which `tgpu.commit` closes a group of, and products, each of which is one.
struct AsyncAges {
  GroupAges copies, products;

  void visit(mlir::Operation *op);
  bool meet(const AsyncAges &other);

  /// On the edges of a loop: its tokens as of before it; whether what `from` knows of `values` brings anything new of
  /// `arguments`; and the loop's results.
  void enter(mlir::scf::ForOp loop);
  bool meetEdges(mlir::ValueRange arguments, mlir::ValueRange values, const AsyncAges &from);
  void leave(mlir::scf::ForOp loop);
  /// The tokens `arguments` have the ages that `from` knows of `values`.
  void setEdges(mlir::ValueRange arguments, mlir::ValueRange values, const AsyncAges &from);
};

} // namespace tile::tgpu

#endif
