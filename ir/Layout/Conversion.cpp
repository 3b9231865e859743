//===- Conversion.cpp - the cheapest way between two layouts --------------===//
#include "ir/Layout/Conversion.h"

#include <cassert>

namespace tile {

ConversionPlan planConversion(const Layout &src, const Layout &dst, int elementBits) {
  assert(src.shape() == dst.shape() && "a conversion keeps the tile");
  ConversionPlan plan;
  if (src == dst)
    return plan;
  if (std::optional<std::vector<int64_t>> registers = matchRegisters(src, dst)) {
    plan.kind = ConversionKind::RegisterPermute;
    plan.registers = std::move(*registers);
    return plan;
  }
  plan.exchange = planSharedExchange(src, dst, elementBits);
  plan.cost = sharedExchangeCost(plan.exchange, src, dst, elementBits);
  plan.kind = ConversionKind::SharedMemory;
  if (std::optional<ShuffleProgram> shuffle = planShuffle(src, dst, elementBits))
    if (double cost = shuffleCost(*shuffle, elementBits); cost < plan.cost) {
      plan = ConversionPlan();
      plan.kind = ConversionKind::Shuffle;
      plan.shuffle = std::move(*shuffle);
      plan.cost = cost;
    }
  return plan;
}

} // namespace tile
