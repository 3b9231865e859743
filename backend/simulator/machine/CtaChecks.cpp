#include "backend/simulator/machine/CtaChecks.h"

#include "backend/simulator/machine/Grid.h"

namespace tile::sim {

CtaChecks::CtaChecks(Cta &cta) : cta(cta), clocks(cta.threads()), shared(clocks, cta.shared.size) {}

static check::Access accessOf(AccessKind kind, const Access &access) {
  bool strong = access.order != Access::Order::Weak || kind == AccessKind::ReadWrite;
  if (kind == AccessKind::Read)
    return strong ? check::Access::StrongRead : check::Access::Read;
  return strong ? check::Access::StrongWrite : check::Access::Write;
}

static const char *describe(bool isWrite) { return isWrite ? "a write to " : "a read of "; }

void CtaChecks::report(const Warp &warp, const Op &op, const Region &region, AccessKind kind,
                       const check::Conflicts &conflicts) const {
  for (const check::Conflict &conflict : conflicts) {
    Finding finding;
    finding.fault = conflict.fault;
    finding.message = describe(kind != AccessKind::Read) + sim::describe(region, conflict.offset, 1) +
                      (check::writes(conflict.other.access) ? " and a write of it" : " and a read of it") +
                      (conflict.other.asynchronous ? " that is not waited for" : " that nothing orders");
    finding.place = cta.placeOf(warp, conflict.lane, op);
    finding.hasOther = true;
    const Warp &otherWarp = *cta.allWarps()[conflict.other.thread / kLanes];
    finding.other = {conflict.other.origin, cta.index, cta.threadIndex(otherWarp, conflict.other.thread % kLanes)};
    finding.address = region.start + conflict.offset;
    cta.grid.findings.add(std::move(finding));
  }
}

void CtaChecks::access(const Warp &warp, const Op &op, const Access &access, const Part &part, AccessKind kind,
                       uint32_t bytes, uint32_t unchanged) {
  if (part.region.space != ptx::Space::Shared)
    return;
  check::Request request;
  request.warp = warp.number;
  request.lanes = part.lanes;
  request.offsets = part.offsets;
  request.bytes = bytes;
  request.origin = op.origin;
  request.scope = access.scope == Access::Scope::Cta ? check::Scope::Cta : check::Scope::Grid;
  request.unchanged = unchanged;
  check::Conflicts conflicts;
  shared.access(accessOf(kind, access), request, conflicts);
  if (!conflicts.empty())
    report(warp, op, part.region, kind, conflicts);
}

void CtaChecks::arrive(unsigned barrier, const Warp &warp, uint32_t lanes) {
  if (!arrivals[barrier])
    arrivals[barrier].emplace();
  clocks.release(warp.number, lanes, *arrivals[barrier]);
}

void CtaChecks::open(unsigned barrier, const std::vector<uint32_t> &waited) {
  if (!arrivals[barrier])
    return clocks.synchronise(waited.data());
  check::SyncObject &everyone = *arrivals[barrier];
  for (unsigned warp = 0; warp < waited.size(); ++warp)
    if (waited[warp])
      clocks.release(warp, waited[warp], everyone);
  for (unsigned warp = 0; warp < waited.size(); ++warp)
    if (waited[warp])
      clocks.acquire(warp, waited[warp], everyone);
  arrivals[barrier].reset();
}

} // namespace tile::sim
