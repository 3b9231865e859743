/// Which loads of a loop become asynchronous copies, where the other factors of its products go, and how many stages
/// that leaves room for.
#ifndef IR_TILEGPU_PIPELINEPLAN_H
#define IR_TILEGPU_PIPELINEPLAN_H

#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/LoopSlice.h"
#include "ir/TileGPU/ProductPlacer.h"

namespace tile::tgpu {

/// A remark that `what`, with the reason and what would help if anything does.
void remarkNotAhead(mlir::Operation *op, llvm::StringRef what, const std::string &reason,
                    const std::string &advice = "");

class PipelinePlan {
public:
  /// A load that is issued early.
  struct Ahead {
    LoadOp load;
    Layout shared;
    LoopSlice slice = {};
    mlir::Value buffer = {};
  };
  /// A factor that is stored to shared memory because no conversion in registers makes its fragments.
  struct Stored {
    Layout shared;
    bool isInvariant;
    mlir::Value buffer = {};
    mlir::Value slot = {};
  };

  /// `limit`: bytes of shared memory that a block may use; `shared`: those that stages may fill unasked. Both without
  /// what loops within this one have taken.
  PipelinePlan(mlir::scf::ForOp loop, int64_t limit, int64_t shared);

  /// Whether there is anything to copy ahead; otherwise remarks say why not.
  bool isWorthIt() const { return stages >= kLeastStages; }

  /// Bytes of shared memory that the loop's buffers take.
  int64_t bytes() const { return stages * bytesPerStage + bytesBeside; }

  /// The loop was replaced by `other`, with the same body.
  void moveTo(mlir::scf::ForOp other) { loop = other; }

  /// The copy that `factor` is of, and whether the product takes it transposed.
  Ahead *copied(mlir::Value factor);
  bool isTransposed(mlir::Value factor) const;
  /// Whether a product goes on while the next iteration begins.
  bool isCarried(DotOp dot) const { return lag() && carried.contains(dot); }
  /// Whether a product's sum goes, without a wait, into one that is carried.
  bool isPassedOn(DotOp dot) const { return lag() && passedOn.contains(dot); }
  /// Whether other work may stand between a product of warpgroups and its wait. Its registers must be its own until
  /// then: LLVM copies a sum that goes on in another's registers as soon as it is there.
  bool mayWaitApart(DotOp dot) const;
  /// Iterations by which a product may be late: the slots that it reads are free so much later.
  int64_t lag() const { return stages > kLeastStages && !carried.empty(); }
  /// Iterations that copies are ahead.
  int64_t distance() const { return stages - 1 - lag(); }
  /// Slots of a factor that the loop itself makes and stores: one is read while the next is written.
  int64_t storedStages(const Stored &store) const { return store.isInvariant ? 1 : 2 + lag(); }

  llvm::SmallVector<DotOp> dots; ///< that read at least one copy
  std::vector<Ahead> loads;
  /// By product and what it takes the factor as.
  using FactorKey = std::pair<mlir::Operation *, DotOperand>;
  llvm::MapVector<FactorKey, Stored> stored;
  static mlir::Value factorOf(FactorKey key) { return key.first->getOperand(key.second == DotOperand::A ? 0 : 1); }
  int64_t stages = 0;

private:
  static constexpr int64_t kLeastStages = 2;

  std::optional<int64_t> askedStages();
  void consider(LoadOp load);
  std::string whyNot(LoadOp load, Ahead &ahead, std::string &advice);
  std::string whyNoUse(LoadOp load, const Layout &shared, std::string &advice);
  void planOthers();
  void planCarried();
  bool isHandedOn(DotOp last, llvm::SmallVector<DotOp> &chain);
  int64_t chooseStages(std::optional<int64_t> asked, int64_t limit, int64_t shared);

  int64_t bytesPerStage = 0;
  int64_t bytesBeside = 0; ///< of what is stored

  mlir::scf::ForOp loop;
  llvm::SmallPtrSet<mlir::Operation *, 4> considered; ///< loads
  llvm::SmallPtrSet<mlir::Operation *, 4> carried;    ///< products
  llvm::SmallPtrSet<mlir::Operation *, 4> passedOn;
};

} // namespace tile::tgpu

#endif
