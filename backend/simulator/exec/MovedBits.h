/// \file
/// Operations that move bits about and compute nothing: where a bit of a source is undefined, so is the bit that it
/// becomes, and no other. Compilers leave bytes of a vector undefined that nobody reads (`prmt` of registers that were
/// never written), which is no fault. All other operations make a result undefined as a whole.
#ifndef BACKEND_SIMULATOR_EXEC_MOVEDBITS_H
#define BACKEND_SIMULATOR_EXEC_MOVEDBITS_H

#include "backend/simulator/machine/Warp.h"

namespace tile::sim {

/// Which bits of the result are undefined in a lane of which some source is.
using UndefinedRule = uint64_t (*)(const Warp &, const Op &, unsigned lane);

/// The handler `plain`, which writes one result, with a rule for its undefined bits.
template <Handler plain, UndefinedRule rule> Step moveBits(Warp &warp, const Op &op) {
  uint32_t unsure = warp.undefinedSources(op) & warp.active;
  if (!unsure)
    return plain(warp, op);
  uint64_t undefined[kLanes] = {}; // before the handler runs, which may write a source
  for (uint32_t rest = unsure; rest; rest &= rest - 1)
    undefined[__builtin_ctz(rest)] = rule(warp, op, __builtin_ctz(rest));
  Step step = plain(warp, op);
  warp.writeUndefinedBits(op.result(0), undefined);
  return step;
}

/// The rule of a copy.
inline uint64_t copiedBits(const Warp &warp, const Op &op, unsigned lane) {
  return warp.undefinedBits(op.source(0), lane);
}

/// The rule of `function(a, amount)`, whose second source decides where the bits of the first go: marks move alike.
template <auto function> struct MovedBitsOf;
template <class Result, class T, Result (*function)(T, uint32_t)> struct MovedBitsOf<function> {
  static uint64_t rule(const Warp &warp, const Op &op, unsigned lane) {
    if (warp.undefinedBits(op.source(1), lane))
      return ~0ull;
    return toCell<Result>(
        function(fromCell<T>(Cell<T>(warp.undefinedBits(op.source(0), lane))), warp.row<uint32_t>(op.source(1))[lane]));
  }
};
/// The rule of `a & b` with `decides` 0, of `a | b` with 1: a bit of the one that decides by itself hides the other's.
template <class T, bool decides> uint64_t maskedBits(const Warp &warp, const Op &op, unsigned lane) {
  uint64_t undefined[2], open[2]; // open: the other source's bit shows
  for (unsigned i = 0; i < 2; ++i) {
    uint64_t value = warp.row<Cell<T>>(op.source(i))[lane];
    undefined[i] = warp.undefinedBits(op.source(i), lane);
    open[1 - i] = (decides ? ~value : value) | undefined[i];
  }
  return Cell<T>((undefined[0] & open[0]) | (undefined[1] & open[1]));
}

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_EXEC_MOVEDBITS_H
