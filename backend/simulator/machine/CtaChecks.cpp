#include "backend/simulator/machine/CtaChecks.h"

#include "backend/simulator/machine/Grid.h"

#include <algorithm>

namespace tile::sim {

GridChecks::GridChecks(const GridMemory &memory, check::EqualWrites equalWrites) {
  for (const std::vector<Region> *regions : {&memory.buffers, &memory.variables})
    for (const Region &region : *regions)
      shadows.push_back(std::make_unique<check::GlobalShadow>(region.size, equalWrites));
}

CtaChecks::CtaChecks(Cta &cta)
    : clocks(cta.threads(), cta.number()), order(clocks), cta(cta), shared(clocks, cta.shared.size) {}

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

/// What there is between a write or read and the access that it conflicts with.
static std::string reasonOf(const check::Conflict &conflict) {
  if (conflict.fault == Fault::MissingProxyFence)
    return " that no `fence.proxy.async` makes visible to the async proxy";
  return conflict.other.asynchronous ? " that is not waited for" : " that nothing orders";
}

void CtaChecks::report(const Warp &warp, const Op &op, const Region &region, AccessKind kind,
                       const check::Conflicts &conflicts) const {
  for (const check::Conflict &conflict : conflicts) {
    Finding finding;
    finding.fault = conflict.fault;
    finding.message = describe(kind != AccessKind::Read) + sim::describe(region, conflict.offset, 1) +
                      (check::writes(conflict.other.access) ? " and a write of it" : " and a read of it") +
                      reasonOf(conflict);
    finding.place = cta.placeOf(warp, conflict.lane, op);
    finding.hasOther = true;
    finding.other = {conflict.other.origin, cta.grid.indexOf(conflict.other.cta),
                     cta.threadIndex(conflict.other.thread)};
    finding.address = region.start + conflict.offset;
    finding.memory = Extent{region.name, int64_t(conflict.offset), 1};
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

static check::Request requestOf(const Warp &warp, const Op &op, const Part &part, uint32_t bytes) {
  check::Request request;
  request.warp = warp.number;
  request.lanes = part.lanes;
  request.offsets = part.offsets;
  request.bytes = bytes;
  request.origin = op.origin;
  return request;
}

void CtaChecks::access(const Warp &warp, const Op &op, const Access &access, const Part &part, AccessKind kind,
                       uint32_t bytes, const check::UnchangedLanes &unchanged) {
  bool isShared = part.region.space == ptx::Space::Shared;
  if (!isShared && part.region.space != ptx::Space::Global)
    return;
  if (isShared)
    expectNoMbarrier(warp, op, part, kind, bytes);
  check::Request request = requestOf(warp, op, part, bytes);
  request.scope = scopeOf(access.scope);
  request.unchanged = unchanged;
  check::Conflicts conflicts;
  check::Access what = accessOf(kind, access);
  if (isShared)
    shared.access(what, request, conflicts);
  else
    globalLongWays += cta.grid.checks->shadows[part.region.number]->access(clocks, what, request, conflicts);
  if (!conflicts.empty())
    report(warp, op, part.region, kind, conflicts);
  if (check::isStrong(what))
    passThroughMemory(warp, access, part, kind);
}

void CtaChecks::accessMbarrier(const Warp &warp, const Op &op, const Part &part, AccessKind kind) {
  check::Access what = kind == AccessKind::Read    ? check::Access::StrongRead
                       : kind == AccessKind::Write ? check::Access::Write
                                                   : check::Access::StrongWrite;
  check::Conflicts conflicts;
  shared.access(what, requestOf(warp, op, part, kMbarrierBytes), conflicts);
  if (!conflicts.empty())
    report(warp, op, part.region, kind, conflicts);
}

void CtaChecks::expectNoMbarrier(const Warp &warp, const Op &op, const Part &part, AccessKind kind,
                                 uint32_t bytes) const {
  if (cta.mbarriers.empty())
    return;
  for (uint32_t rest = part.lanes; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    if (cta.mbarriers.overlaps(part.offsets[lane], bytes))
      return cta.report(Fault::BadOperand, warp, lane, op,
                        describe(kind != AccessKind::Read) + sim::describe(part.region, part.offsets[lane], bytes) +
                            ", where an mbarrier is; expected an instruction on mbarriers",
                        part.region, part.offsets[lane], bytes);
  }
}

check::AsyncId CtaChecks::copyId(const Warp &warp, unsigned lane, uint32_t number) {
  if (!copyQueues)
    copyQueues = clocks.makeQueues(clocks.threads(), check::Proxy::Generic, check::Completion::InOrder);
  return {check::Column(*copyQueues + warp.number * kLanes + lane), number};
}

void CtaChecks::issueCopies(const Warp &warp, uint32_t lanes, check::AsyncId (&ids)[kLanes]) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    ids[lane] = clocks.issue(copyId(warp, lane, 0).queue, warp.number * kLanes + lane);
  }
}

void CtaChecks::copy(const Warp &warp, const Op &op, const Part &part, AccessKind kind, uint32_t bytes,
                     const check::AsyncId (&ids)[kLanes]) {
  if (part.region.space == ptx::Space::Shared)
    expectNoMbarrier(warp, op, part, kind, bytes);
  check::Conflicts conflicts;
  // The end of a buffer may leave any number of bytes; the shadows know powers of two.
  uint64_t offsets[kLanes];
  std::copy(std::begin(part.offsets), std::end(part.offsets), offsets);
  for (uint32_t left = bytes; left;) {
    uint32_t piece = 1u << (31 - __builtin_clz(left));
    check::Request request = requestOf(warp, op, part, piece);
    request.offsets = offsets;
    if (part.region.space == ptx::Space::Shared)
      shared.copy(request, ids, conflicts);
    else
      globalLongWays +=
          cta.grid.checks->shadows[part.region.number]->async(clocks, check::Access::Read, request, ids, conflicts);
    for (uint64_t &offset : offsets)
      offset += piece;
    left -= piece;
  }
  if (!conflicts.empty())
    report(warp, op, part.region, kind, conflicts);
}

void CtaChecks::readByMatrix(const Warp &warp, const Op &op, const std::vector<AsyncPiece> &pieces) {
  if (!matrixQueues)
    matrixQueues = clocks.makeQueues(clocks.warps(), check::Proxy::Async, check::Completion::InOrder);
  check::AsyncRange range;
  range.id = clocks.issue(check::Column(*matrixQueues + warp.number), warp.number * kLanes);
  range.warp = warp.number;
  range.lanes = warp.active;
  range.origin = op.origin;
  check::Conflicts conflicts;
  for (const AsyncPiece &piece : pieces) {
    range.offset = piece.offset;
    range.bytes = piece.bytes;
    shared.async(check::Access::Read, range, conflicts);
  }
  if (!conflicts.empty())
    report(warp, op, cta.shared, AccessKind::Read, conflicts);
}

void CtaChecks::awaitMatrices(const Warp &warp, uint64_t number) {
  if (matrixQueues)
    clocks.complete({check::Column(*matrixQueues + warp.number), uint32_t(number)}, warp.number,
                    warp.lanes & ~warp.exited);
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
