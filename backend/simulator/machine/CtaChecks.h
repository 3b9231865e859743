/// \file
/// What is checked while a CTA runs, besides bounds and definedness: the order of its accesses. The machine tells what
/// its threads do; conflicts become findings at the accesses that meet. (`check/` has the model)
#ifndef BACKEND_SIMULATOR_MACHINE_CTACHECKS_H
#define BACKEND_SIMULATOR_MACHINE_CTACHECKS_H

#include "backend/simulator/check/Clocks.h"
#include "backend/simulator/check/GlobalShadow.h"
#include "backend/simulator/check/MemoryOrder.h"
#include "backend/simulator/check/SharedShadow.h"
#include "backend/simulator/exec/Request.h"
#include "backend/simulator/machine/Cta.h"

#include <optional>

namespace tile::sim {

/// What the CTAs of a grid share: who accessed global memory, and what passed through it.
struct GridChecks {
  explicit GridChecks(const GridMemory &memory);

  std::vector<std::unique_ptr<check::GlobalShadow>> shadows; ///< by `Region::number`
  check::SyncLocations locations;
};

class CtaChecks {
public:
  explicit CtaChecks(Cta &cta);

  /// The lanes of `part` access `bytes` each. `unchanged` are those whose write leaves what was there.
  void access(const Warp &warp, const Op &op, const Access &access, const Part &part, AccessKind kind, uint32_t bytes,
              uint32_t unchanged = 0);

  /// These lanes only arrive at a barrier of the CTA: what they do from now on is not ordered by it.
  void arrive(unsigned barrier, const Warp &warp, uint32_t lanes);
  /// Everyone who waits at a barrier goes on; `waited` are their lanes, by warp.
  void open(unsigned barrier, const std::vector<uint32_t> &waited);
  /// `bar.warp.sync` of these lanes.
  void meet(const Warp &warp, uint32_t lanes) { clocks.synchronise(warp.number, lanes); }
  /// `fence`, `membar`.
  void fence(const Warp &warp, uint32_t lanes, Access::Scope scope);
  /// `fence.proxy.async`.
  void fenceProxy(const Warp &warp, uint32_t lanes) { clocks.fenceProxy(warp.number, lanes); }

private:
  void passThroughMemory(const Warp &warp, const Access &access, const Part &part, AccessKind kind);
  void report(const Warp &warp, const Op &op, const Region &region, AccessKind kind,
              const check::Conflicts &conflicts) const;

  Cta &cta;
  check::Clocks clocks;
  check::SharedShadow shared;
  check::MemoryOrder order;
  check::SyncLocations locations; ///< of shared memory
  /// What those know who only arrived, by barrier.
  std::array<std::optional<check::SyncObject>, 16> arrivals;
};

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_MACHINE_CTACHECKS_H
