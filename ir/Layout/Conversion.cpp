//===- Conversion.cpp - the cheapest way between two layouts --------------===//
#include "ir/Layout/Conversion.h"

#include <cassert>

namespace tile {

ConversionPlan planConversion(const Layout &src, const Layout &dst, int elementBits, int64_t maxBytes) {
  assert(src.shape() == dst.shape() && "a conversion keeps the tile");
  assert(src.bits(HwDim::Block) == dst.bits(HwDim::Block) && "a conversion stays within the block");
  ConversionPlan plan;
  if (src == dst)
    return plan;
  if (std::optional<std::vector<int64_t>> registers = matchRegisters(src, dst)) {
    plan.kind = ConversionKind::RegisterPermute;
    plan.registers = std::move(*registers);
    return plan;
  }
  std::optional<ShuffleProgram> shuffle = planShuffle(src, dst, elementBits);
  double cost = shuffle ? shuffleCost(*shuffle, elementBits) : 0;
  if (!shuffle || cost > kSharedRoundTrip) {
    plan.kind = ConversionKind::SharedMemory;
    plan.exchange = planSharedExchange(src, dst, elementBits, maxBytes);
    plan.cost = sharedExchangeCost(plan.exchange, src, dst, elementBits);
    if (!shuffle || plan.cost <= cost)
      return plan;
    plan.exchange = SharedExchange();
  }
  plan.kind = ConversionKind::Shuffle;
  plan.shuffle = std::move(*shuffle);
  plan.cost = cost;
  return plan;
}

bool keepsWarps(const Layout &src, const Layout &dst) {
  auto isOneToOne = [](const Layout &layout) { return layout.isInjective() && layout.isSurjective(); };
  if (src.shape() != dst.shape() || !isOneToOne(src) || !isOneToOne(dst))
    return false;
  for (HwDim hw : {HwDim::Warp, HwDim::Block})
    if (src.bits(hw) != dst.bits(hw) || src.odd(hw) != dst.odd(hw))
      return false;
  // The rest of both spans as much, so it is the same if one contains the other. Odd digits are all of their dim.
  std::vector<uint64_t> within = src.bits(HwDim::Register);
  within.insert(within.end(), src.bits(HwDim::Lane).begin(), src.bits(HwDim::Lane).end());
  SpanBasis span(within);
  for (HwDim hw : {HwDim::Register, HwDim::Lane})
    for (uint64_t basis : dst.bits(hw))
      if (!span.contains(basis))
        return false;
  return true;
}

} // namespace tile
