/// What one program of a launch takes of a multiprocessor, counted from tgpu IR whose layouts, stages and places are
/// decided: cycles of its units, bytes that move, and how long the program takes when nothing but itself delays it.
///
/// Counted is what grows with tiles: elementwise work, products, accesses, what goes through shared memory. A branch
/// that the launch does not decide is taken where it takes longer; a loop whose trips it does not decide has
/// `kUnknownTrips`.
#ifndef RUNTIME_SEARCH_PROGRAMWORK_H
#define RUNTIME_SEARCH_PROGRAMWORK_H

#include "backend/target/Throughput.h"
#include "runtime/search/LaunchValues.h"

#include "llvm/ADT/MapVector.h"

namespace tile {

/// Bytes of a tensor.
struct Traffic {
  double read = 0, written = 0;
};

struct ProgramWork {
  double tensorCycles = 0;  ///< of the tensor cores at their full rate
  double specialCycles = 0; ///< of the units for exp2, rsqrt and their kin
  double issued = 0;        ///< instructions of warps
  double sharedBytes = 0;   ///< read from and written to shared memory
  double trafficBytes = 0;  ///< between the multiprocessor and the L2 cache
  /// Cycles of a program that has a multiprocessor to itself: what waits for each other, one after the other.
  double aloneCycles = 0;
  double busyCycles = 0; ///< of these those in which it does not wait for memory
  /// What of that is the traffic of each tensor, by its base address.
  llvm::MapVector<mlir::Value, Traffic> tensors = {};

  ProgramWork &operator+=(const ProgramWork &other);
  ProgramWork &operator*=(double factor);
};

constexpr int64_t kUnknownTrips = 16;

/// The mean of the programs of the launch.
ProgramWork meanWork(mlir::func::FuncOp kernel, LaunchValues &values, const Throughput &throughput);

} // namespace tile

#endif
