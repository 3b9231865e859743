#include "backend/simulator/machine/RegisterWatch.h"

#include "backend/simulator/machine/Cta.h"

namespace tile::sim {

void RegisterWatch::report(const Warp &warp, const Op &op, std::string message, uint32_t otherOrigin) const {
  unsigned lane = __builtin_ctz(warp.active);
  Place other = warp.cta.placeOf(warp, lane, op);
  other.origin = otherOrigin;
  warp.cta.report(Fault::RegisterInFlight, warp, lane, op, std::move(message), other);
}

void RegisterWatch::access(const Warp &warp, const Op &op) {
  for (unsigned i = 0; i < unsigned(op.results) + op.sources; ++i) {
    Use &use = uses[op.operands[i].index];
    bool isWrite = i < op.results;
    (isWrite ? use.written : use.read) = fences + 1;
    (isWrite ? use.writer : use.reader) = op.origin;
    if (inFlight(use) && warp.active)
      report(warp, op,
             std::string("a register is ") + (isWrite ? "written" : "read") +
                 " that an asynchronous matrix instruction may still " + (use.accumulates ? "write" : "read") +
                 "; expected `wgmma.wait_group` before",
             use.origin);
  }
}

void RegisterWatch::start(const Warp &warp, const Op &op, uint64_t number, const Slot *a, unsigned aCount,
                          uint32_t shape) {
  if (!fences) {
    report(warp, op, "no `wgmma.fence` comes before the first matrix instruction", op.origin);
    fence(); // once said, it is as if there were one
  }
  auto claim = [&](Slot slot, bool accumulates) {
    Use &use = uses[slot.index];
    if (inFlight(use) && use.accumulates && !(accumulates && use.shape == shape))
      report(warp, op,
             accumulates ? "a register is an accumulator here and one of another shape in flight; expected "
                           "`wgmma.wait_group` before"
                         : "a register of A is the accumulator of a matrix instruction in flight; expected "
                           "`wgmma.wait_group` before",
             use.origin);
    else if (inFlight(use) && !use.accumulates && accumulates)
      report(warp, op,
             "an accumulator is a register of A of a matrix instruction in flight; expected `wgmma.wait_group` before",
             use.origin);
    const char *unfenced = " and no `wgmma.fence` orders that before this matrix instruction";
    if (use.written == fences + 1)
      report(warp, op, std::string(accumulates ? "an accumulator" : "a register of A") + " is written" + unfenced,
             use.writer);
    else if (accumulates && use.read == fences + 1)
      report(warp, op, std::string("an accumulator is read") + unfenced, use.reader);
    use.read = use.written = 0;
    use.number = number;
    use.origin = op.origin;
    use.shape = shape;
    use.accumulates = accumulates;
  };
  for (unsigned i = 0; i < aCount; ++i)
    claim(a[i], false);
  for (unsigned i = 0; i < op.results; ++i)
    claim(op.result(i), true);
}

} // namespace tile::sim
