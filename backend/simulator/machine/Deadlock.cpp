/// What a CTA says when none of its threads can go on: where they wait, and what each place lacks: threads of a
/// barrier, arrivals of an mbarrier, other lanes of the warp.
#include "backend/simulator/machine/Cta.h"
#include "backend/simulator/machine/Grid.h"

#include <map>
#include <optional>
#include <tuple>

namespace tile::sim {

constexpr uint64_t kNoMbarrier = UINT64_MAX; ///< above all shared memory

namespace {
/// What the threads of one item wait for.
struct Wait {
  uint32_t pc = 0;
  std::optional<unsigned> barrier = std::nullopt;
  uint64_t mbarrier = kNoMbarrier; ///< its place in shared memory
  bool operator<(const Wait &other) const {
    return std::tie(pc, barrier, mbarrier) < std::tie(other.pc, other.barrier, other.mbarrier);
  }
};

struct Waiters {
  unsigned threads = 0;
  uint32_t split = 0;   ///< warps some of whose other lanes must come first
  uint32_t awaited = 0; ///< these lanes of the last such warp
};

/// Lanes of a warp that wait for each other at two places.
struct Split {
  const Warp *warp = nullptr;
  const Fragment *one = nullptr, *other = nullptr;
};
} // namespace

/// `warp 3`, `warps 0 to 2, 5`.
static std::string list(const std::string &what, uint32_t set) {
  std::string text;
  for (unsigned first = 0; first < kLanes; ++first) {
    if (!(set >> first & 1))
      continue;
    unsigned last = first;
    while (last + 1 < kLanes && set >> (last + 1) & 1)
      ++last;
    text += (text.empty() ? " " : ", ") + std::to_string(first);
    if (last > first)
      text += (last == first + 1 ? ", " : " to ") + std::to_string(last);
    first = last;
  }
  return what + (set & (set - 1) ? "s" : "") + text;
}

/// ` (barrier 1 has 64 of 96 threads; warp 2 has not come)`
static std::string whatLacks(Cta &cta, unsigned number) {
  const CtaBarrier &barrier = cta.barriers[number];
  uint32_t left = 0, missing = 0, returned = 0;
  for (const std::unique_ptr<Warp> &warp : cta.allWarps()) {
    uint32_t here = warp->lanes & ~warp->exited, came = barrier.lanes[warp->number], bit = 1u << warp->number;
    left += __builtin_popcount(here);
    missing |= here & ~came ? bit : 0;
    returned |= !here && !came ? bit : 0;
  }
  auto haveOrHas = [](uint32_t set) { return set & (set - 1) ? " have" : " has"; };
  std::string text = " (barrier " + std::to_string(number) + " has " + std::to_string(barrier.arrived) + " of " +
                     std::to_string(barrier.counted ? barrier.expected : left) + " threads";
  if (missing)
    text += "; " + list("warp", missing) + haveOrHas(missing) + " not come";
  if (returned)
    text += "; " + list("warp", returned) + haveOrHas(returned) + " returned";
  if (!missing && !returned)
    text += "; the CTA has no others";
  return text + ")";
}

static Wait waitOf(const Warp &warp, const Fragment &fragment) {
  if (fragment.arrived)
    return {fragment.pc, fragment.barrier};
  if (!fragment.blocked && warp.failedWait) // it polls
    return {uint32_t(warp.failedWait - warp.program.ops.data()), std::nullopt, warp.failedWaitPlace};
  return {fragment.pc};
}

static Split findSplit(const Warp &warp) {
  for (const Fragment &one : warp.allFragments())
    for (const Fragment &other : warp.allFragments())
      if (one.awaited & other.lanes && other.awaited & one.lanes && one.pc < other.pc)
        return {&warp, &one, &other};
  return {};
}

void Cta::reportDeadlock() {
  std::map<Wait, Waiters> waits;
  const Warp *first = nullptr;
  Split split;
  for (const std::unique_ptr<Warp> &warp : warps) {
    if (!split.warp)
      split = findSplit(*warp);
    for (const Fragment &fragment : warp->allFragments()) {
      first = first ? first : warp.get();
      Waiters &waiters = waits[waitOf(*warp, fragment)];
      waiters.threads += __builtin_popcount(fragment.lanes);
      if (fragment.blocked && !fragment.arrived && fragment.awaited) {
        waiters.split |= 1u << warp->number;
        waiters.awaited = fragment.awaited;
      }
    }
  }
  std::string message = "no thread of the CTA can go on:";
  for (const auto &[wait, waiters] : waits) {
    const Origin &origin = program.origins[program.ops[wait.pc].origin];
    message += (message.back() == ':' ? " " : "; ") + std::to_string(waiters.threads) + " wait at `" + origin.text +
               "`, line " + std::to_string(origin.line);
    if (wait.barrier)
      message += whatLacks(*this, *wait.barrier);
    if (const Mbarrier *object = mbarriers.find(wait.mbarrier))
      message += ", where " + describe(wait.mbarrier, *object);
    bool several = waiters.split & (waiters.split - 1);
    if (waiters.split)
      message += ", for " + (several ? "other lanes of " : list("lane", waiters.awaited) + " of ") +
                 list("warp", waiters.split);
  }
  if (split.warp)
    return report(Fault::BarrierDivergence, *split.warp, __builtin_ctz(split.one->lanes), program.ops[split.one->pc],
                  std::move(message),
                  placeOf(*split.warp, __builtin_ctz(split.other->lanes), program.ops[split.other->pc]));
  const Fragment &fragment = first->allFragments().front();
  report(Fault::Deadlock, *first, __builtin_ctz(fragment.lanes), program.ops[waitOf(*first, fragment).pc],
         std::move(message));
}

} // namespace tile::sim
