/// How many groups of copies were committed after those that tokens name.
#ifndef IR_TILEGPU_GROUPAGES_H
#define IR_TILEGPU_GROUPAGES_H

#include "ir/TileGPU/TileGPUOps.h"

#include "llvm/ADT/MapVector.h"

namespace tile::tgpu {

/// At one point of the program, the least of all paths there. A token of which nothing is known has age 0, with which a
/// wait leaves nothing under way.
class GroupAges {
public:
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

} // namespace tile::tgpu

#endif
