//===- Conversion.h - how a tile changes its layout -------------*- C++ -*-===//
//
// `planConversion` decides by algebra how the registers of one layout become those of another:
// nothing to do, registers of the same thread, shuffles within warps, or shared memory. A plan is a program: code
// generation follows it step by step and decides nothing.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_IR_LAYOUT_CONVERSION_H
#define TILE_IR_LAYOUT_CONVERSION_H

#include "ir/Layout/SharedLayout.h"
#include "ir/Layout/Shuffle.h"

namespace tile {

enum class ConversionKind : uint8_t { Identity, RegisterPermute, Shuffle, SharedMemory };

/// Through shared memory: all threads store, a barrier, all threads load. (One more barrier before the buffer is used
/// again.) The layout is chosen so that both sides use the widest vectors with the fewest bank conflicts.
struct SharedExchange {
  Layout layout;
  SharedAccess store; // of the source's registers
  SharedAccess load;  // into the destination's registers
  int64_t bytes = 0;
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

/// The cheapest conversion of a tile of `elementBits` wide elements. Both layouts are of one shape and one machine.
ConversionPlan planConversion(const Layout &src, const Layout &dst, int elementBits);

/// The shared-memory form of it, whether or not something cheaper exists.
SharedExchange planSharedExchange(const Layout &src, const Layout &dst, int elementBits);
double sharedExchangeCost(const SharedExchange &exchange, const Layout &src, const Layout &dst, int elementBits);

} // namespace tile

#endif // TILE_IR_LAYOUT_CONVERSION_H
