//===- Conversion.h - how a tile changes its layout -------------*- C++ -*-===//
//
// `planConversion` decides by algebra how the registers of one layout become those of another:
// nothing to do, registers of the same thread, shuffles within warps, or shared memory. A plan is a program: code
// generation follows it step by step and decides nothing.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_IR_LAYOUT_CONVERSION_H
#define TILE_IR_LAYOUT_CONVERSION_H

#include "ir/Layout/MatrixAccess.h"
#include "ir/Layout/Shuffle.h"

namespace tile {

enum class ConversionKind : uint8_t { Identity, RegisterPermute, Shuffle, SharedMemory };

/// Through shared memory. In each round all threads make their accesses of that round: stores, a barrier, loads; and a
/// barrier before the buffer is used again, by the next round or by others. The layout is chosen so that both sides use
/// the widest vectors with the fewest bank conflicts.
struct SharedExchange {
  Layout layout;      // of the whole tile; its topmost digits are the round
  SharedAccess store; // of the source's registers
  SharedAccess load;  // into the destination's registers
  /// Or stmatrix stores the source's registers; `store` is then what memory sees of it, see `matrixRows`.
  std::optional<MatrixAccess> matrices;
  RoundDigits rounds; // of the layout
  int64_t numRounds = 1;
  int64_t bytes = 0; // of the buffer
};

struct ConversionPlan {
  ConversionKind kind = ConversionKind::Identity;
  /// RegisterPermute: per destination register the source register of the same thread.
  std::vector<int64_t> registers;
  /// Shuffle.
  ShuffleProgram shuffle;
  /// SharedMemory.
  SharedExchange exchange;
  /// Estimated issue cycles per warp; 0 for what needs no instruction.
  double cost = 0;
};

constexpr int64_t kAnyBytes = INT64_MAX;

/// The cheapest conversion of a tile of `elementBits` wide elements. Both layouts are of one shape and one machine,
/// and blocks keep what they hold.
/// A buffer is kept within `maxBytes` as far as both layouts have registers to take turns with.
ConversionPlan planConversion(const Layout &src, const Layout &dst, int elementBits, int64_t maxBytes = kAnyBytes);

/// Whether each element is held once in both layouts, by the same warp.
bool keepsWarps(const Layout &src, const Layout &dst);

/// The shared-memory form of it, whether or not something cheaper exists. No round ends within `wholeVector` registers
/// of the destination, whose digits are digits of the source too.
SharedExchange planSharedExchange(const Layout &src, const Layout &dst, int elementBits, int64_t maxBytes = kAnyBytes,
                                  int64_t wholeVector = 1);
/// Likewise for 16-bit elements of a target that has stmatrix, which stores them where that is not dearer.
SharedExchange planMatrixExchange(const Layout &src, const Layout &dst, int64_t maxBytes = kAnyBytes,
                                  int64_t wholeVector = 1);
/// What any round costs: a barrier and the latency of the first load.
constexpr double kSharedRoundTrip = 60;
double sharedExchangeCost(const SharedExchange &exchange, const Layout &src, const Layout &dst, int elementBits);

} // namespace tile

#endif // TILE_IR_LAYOUT_CONVERSION_H
