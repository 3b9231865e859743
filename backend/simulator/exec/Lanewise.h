/// \file
/// An operation that computes each lane by itself, from a function over values: `lanewise<add>` is the handler of
/// `uint32_t add(uint32_t, uint32_t)`. The function's types say how registers are read: `bool` is a predicate, whatever
/// else has up to 8 bytes comes from the low bits of its register. All lanes are computed, which lets the compiler use
/// the host's vector units; only the active ones are written. The function must therefore be total.
#ifndef BACKEND_SIMULATOR_EXEC_LANEWISE_H
#define BACKEND_SIMULATOR_EXEC_LANEWISE_H

#include "backend/simulator/machine/Warp.h"

#include <utility>

namespace tile::sim {

/// How a lane's value of `T` is read: from a row, or from the bits of a predicate.
template <class T> struct LaneSource {
  LaneSource(const Warp &warp, Slot slot) : row(warp.row<Cell<T>>(slot)) {}
  T operator[](unsigned lane) const { return fromCell<T>(row[lane]); }
  const Cell<T> *row;
};
template <> struct LaneSource<bool> {
  LaneSource(const Warp &warp, Slot slot) : mask(warp.predicate(slot)) {}
  bool operator[](unsigned lane) const { return mask >> lane & 1; }
  uint32_t mask;
};

/// Writes the lanes of a result.
template <class T, class Compute> void writeLanes(Warp &warp, Slot slot, Compute compute) {
  if constexpr (std::is_same_v<T, bool>) {
    uint32_t mask = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      mask |= uint32_t(compute(lane)) << lane;
    warp.writePredicate(slot, mask);
  } else {
    Cell<T> values[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane)
      values[lane] = toCell<T>(compute(lane));
    warp.write(slot, values);
  }
}

template <auto function> struct LanewiseOf;
template <class Result, class... Arguments, Result (*function)(Arguments...)> struct LanewiseOf<function> {
  template <size_t... i> static void apply(Warp &warp, const Op &op, std::index_sequence<i...>) {
    std::tuple<LaneSource<Arguments>...> sources{LaneSource<Arguments>(warp, op.source(i))...};
    writeLanes<Result>(warp, op.result(0), [&](unsigned lane) { return function(std::get<i>(sources)[lane]...); });
  }
  static Step run(Warp &warp, const Op &op) {
    apply(warp, op, std::index_sequence_for<Arguments...>());
    warp.spreadUndefined(op);
    return Step::Next;
  }
};

/// The handler that applies `function` to each lane of its sources.
template <auto function> constexpr Handler lanewise = LanewiseOf<function>::run;

/// Likewise, where the function takes `Op::mode` before the lane's values.
template <auto function> struct LanewiseByModeOf;
template <class Result, class... Arguments, Result (*function)(uint32_t, Arguments...)>
struct LanewiseByModeOf<function> {
  template <size_t... i> static void apply(Warp &warp, const Op &op, std::index_sequence<i...>) {
    std::tuple<LaneSource<Arguments>...> sources{LaneSource<Arguments>(warp, op.source(i))...};
    writeLanes<Result>(warp, op.result(0),
                       [&](unsigned lane) { return function(op.mode, std::get<i>(sources)[lane]...); });
  }
  static Step run(Warp &warp, const Op &op) {
    apply(warp, op, std::index_sequence_for<Arguments...>());
    warp.spreadUndefined(op);
    return Step::Next;
  }
};
template <auto function> constexpr Handler lanewiseByMode = LanewiseByModeOf<function>::run;

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_EXEC_LANEWISE_H
