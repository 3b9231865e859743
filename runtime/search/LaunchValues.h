/// What the scalars of a kernel are in one program of a launch, as far as the launch decides them: extents of loops and
/// conditions are numbers then. Ops fold themselves; no op is known here by name but those that ask for the launch.
#ifndef RUNTIME_SEARCH_LAUNCHVALUES_H
#define RUNTIME_SEARCH_LAUNCHVALUES_H

#include "ir/Tile/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>
#include <optional>
#include <string>

namespace tile {

class LaunchValues {
public:
  /// `values`: dims and integer scalars, by name; what is missing is unknown. The kernel has its contract.
  LaunchValues(mlir::func::FuncOp kernel, const std::map<std::string, int64_t> &values);

  /// Programs along each axis of the grid; none where that depends on something unknown.
  const std::optional<llvm::SmallVector<int64_t>> &grid() const { return gridShape; }
  int64_t countPrograms() const;

  /// The program that `integer` speaks of: its number where the grid lies on one axis, the first axis fastest.
  void setProgram(int64_t number);

  /// A scalar's value; none if it is unknown.
  std::optional<int64_t> integer(mlir::Value value);

  /// How often the body of `loop` runs; none if unknown.
  std::optional<int64_t> trips(mlir::scf::ForOp loop);

  /// Enters the iteration `trip` of `loop`: its variable, and what counts up with it.
  void setTrip(mlir::scf::ForOp loop, int64_t trip);

private:
  std::optional<int64_t> compute(mlir::Value value);
  std::optional<int64_t> ofLaunch(mlir::Operation *op) const;
  std::optional<int64_t> fold(mlir::Operation *op, unsigned result);

  mlir::func::FuncOp kernel;
  std::optional<llvm::SmallVector<int64_t>> gridShape;
  llvm::SmallVector<int64_t, 3> program;
  llvm::DenseMap<mlir::Value, std::optional<int64_t>> fixed; ///< arguments
  llvm::DenseMap<mlir::Value, std::optional<int64_t>> known; ///< of this program and iteration
};

} // namespace tile

#endif
