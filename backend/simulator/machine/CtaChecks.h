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
  GridChecks(const GridMemory &memory, check::EqualWrites equalWrites);

  std::vector<std::unique_ptr<check::GlobalShadow>> shadows; ///< by `Region::number`
  check::SyncLocations locations;
};

class CtaChecks {
public:
  explicit CtaChecks(Cta &cta);

  /// The lanes of `part` access `bytes` each. `unchanged` are those whose write leaves what is there.
  void access(const Warp &warp, const Op &op, const Access &access, const Part &part, AccessKind kind, uint32_t bytes,
              const check::UnchangedLanes &unchanged = {});

  /// The same for an instruction on mbarriers, which any thread that knows of their making may use at any time.
  void accessMbarrier(const Warp &warp, const Op &op, const Part &part, AccessKind kind);
  /// These lanes start a copy each: `ids` are theirs.
  void issueCopies(const Warp &warp, uint32_t lanes, check::AsyncId (&ids)[kLanes]);
  /// The copies of the lanes of `part` read or write `bytes` there.
  void copy(const Warp &warp, const Op &op, const Part &part, AccessKind kind, uint32_t bytes,
            const check::AsyncId (&ids)[kLanes]);
  /// A matrix instruction of the warp, the next of its queue, reads these pieces of shared memory.
  void readByMatrix(const Warp &warp, const Op &op, const std::vector<AsyncPiece> &pieces);
  /// The warp has waited for its matrix instructions up to this one, from 1.
  void awaitMatrices(const Warp &warp, uint64_t number);
  /// A thread's copy by its number, from 1.
  check::AsyncId copyId(const Warp &warp, unsigned lane, uint32_t number);

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

  /// Cells of shadow memory that were not the usual case.
  uint64_t longWays() const { return globalLongWays + shared.allLongWays(); }

  /// Barriers that are more than those above, and asynchronous operations, tell the clocks themselves.
  check::Clocks clocks;
  check::MemoryOrder order;

private:
  void passThroughMemory(const Warp &warp, const Access &access, const Part &part, AccessKind kind);
  void expectNoMbarrier(const Warp &warp, const Op &op, const Part &part, AccessKind kind, uint32_t bytes) const;
  void report(const Warp &warp, const Op &op, const Region &region, AccessKind kind,
              const check::Conflicts &conflicts) const;

  Cta &cta;
  check::SharedShadow shared;
  uint64_t globalLongWays = 0;
  check::SyncLocations locations;            ///< of shared memory
  std::optional<check::Column> copyQueues;   ///< the first thread's
  std::optional<check::Column> matrixQueues; ///< the first warp's
  /// What those know who only arrived, by barrier.
  std::array<std::optional<check::SyncObject>, 16> arrivals;
};

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_MACHINE_CTACHECKS_H
