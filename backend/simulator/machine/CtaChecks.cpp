#include "backend/simulator/machine/CtaChecks.h"

#include "backend/simulator/machine/Grid.h"

namespace tile::sim {

GridChecks::GridChecks(const GridMemory &memory) {
  for (const std::vector<Region> *regions : {&memory.buffers, &memory.variables})
    for (const Region &region : *regions)
      shadows.push_back(std::make_unique<check::GlobalShadow>(region.size));
}

CtaChecks::CtaChecks(Cta &cta)
    : cta(cta), clocks(cta.threads(), cta.number()), shared(clocks, cta.shared.size), order(clocks) {}

static check::Scope scopeOf(Access::Scope scope) {
  return scope == Access::Scope::Cta ? check::Scope::Cta : check::Scope::Grid;
}

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
    finding.other = {conflict.other.origin, cta.grid.indexOf(conflict.other.cta),
                     cta.threadIndex(conflict.other.thread)};
    finding.address = region.start + conflict.offset;
    cta.grid.findings.add(std::move(finding));
  }
}

static check::Order orderOf(Access::Order order) {
  switch (order) {
  case Access::Order::Acquire:
    return check::Order::Acquire;
  case Access::Order::Release:
    return check::Order::Release;
  case Access::Order::AcquireRelease:
    return check::Order::AcquireRelease;
  default:
    return check::Order::Relaxed;
  }
}

/// A strong access gives and takes what its location carries.
void CtaChecks::passThroughMemory(const Warp &warp, const Access &access, const Part &part, AccessKind kind) {
  bool isShared = part.region.space == ptx::Space::Shared;
  for (uint32_t rest = part.lanes; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest), thread = warp.number * kLanes + lane;
    uint64_t address = part.region.start + part.offsets[lane];
    check::SyncLocations::Held held = (isShared ? locations : cta.grid.checks->locations).hold(address);
    check::Order wanted = orderOf(access.order);
    check::Scope scope = scopeOf(access.scope);
    if (kind == AccessKind::Read)
      order.read(thread, held.carried, wanted, scope);
    else if (kind == AccessKind::Write)
      order.write(thread, held.carried, wanted, scope);
    else
      order.modify(thread, held.carried, wanted, scope);
  }
}

void CtaChecks::access(const Warp &warp, const Op &op, const Access &access, const Part &part, AccessKind kind,
                       uint32_t bytes, uint32_t unchanged) {
  bool isShared = part.region.space == ptx::Space::Shared;
  if (!isShared && part.region.space != ptx::Space::Global)
    return;
  check::Request request;
  request.warp = warp.number;
  request.lanes = part.lanes;
  request.offsets = part.offsets;
  request.bytes = bytes;
  request.origin = op.origin;
  request.scope = scopeOf(access.scope);
  request.unchanged = unchanged;
  check::Conflicts conflicts;
  check::Access what = accessOf(kind, access);
  if (isShared)
    shared.access(what, request, conflicts);
  else
    cta.grid.checks->shadows[part.region.number]->access(clocks, what, request, conflicts);
  if (!conflicts.empty())
    report(warp, op, part.region, kind, conflicts);
  if (check::isStrong(what))
    passThroughMemory(warp, access, part, kind);
}

void CtaChecks::fence(const Warp &warp, uint32_t lanes, Access::Scope scope) {
  order.fence(warp.number, lanes, scopeOf(scope));
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
