#include "backend/simulator/machine/Cta.h"

#include "backend/simulator/counters/CtaCounters.h"
#include "backend/simulator/exec/Barrier.h"
#include "backend/simulator/machine/CtaChecks.h"
#include "backend/simulator/machine/Grid.h"
#include "backend/simulator/machine/SpecialRegisters.h"

#include <algorithm>

namespace tile::sim {

/// A slice is short as often as long: some faults need two warps that run step by step, others one that runs far ahead.
static uint64_t drawSlice(Random &random) { return 1ull << random.below(10); }

/// A slice that is longer than any loop that only polls: if it saw no failed wait, its warp does something.
constexpr uint64_t kLoopLength = 64;

/// Slices without any event, while everyone waits, after which nobody will ever go on: more than any loop needs that
/// polls a few barriers in turn.
constexpr uint64_t kIdleSlicesPerWarp = 256;

/// The marks of the bytes from `offset` on; null if there are none.
static uint8_t *marksAt(std::vector<uint8_t> &marks, uint64_t offset) {
  return marks.empty() ? nullptr : marks.data() + offset;
}

Cta::Cta(Grid &grid, std::array<uint32_t, 3> index, uint64_t seed)
    : grid(grid), program(grid.program), index(index), random(seed), mbarriers(*this), issues(program.ops.size()) {
  uint64_t sharedSize = program.dynamicSharedOffset + grid.launch.dynamicShared;
  sharedBytes.resize(sharedSize);
  sharedDefined.resize(grid.options.checks.undefined ? sharedSize : 0);
  // What was in shared memory before is anything but zero.
  for (uint8_t &byte : sharedBytes)
    byte = 0xA5;
  shared = {kSharedMemoryName, ptx::Space::Shared, kSharedStart,
            sharedSize,        sharedBytes.data(), marksAt(sharedDefined, 0)};

  uint64_t threadCount = threads();
  localBytes.assign(threadCount * program.localBytes, 0xA5);
  localDefined.assign(grid.options.checks.undefined ? localBytes.size() : 0, 0);
  callBytes.assign(threadCount * program.callBytes, 0);
  for (uint64_t first = 0; first < threadCount; first += kLanes) {
    uint64_t count = std::min<uint64_t>(kLanes, threadCount - first);
    uint32_t lanes = count == kLanes ? kAllLanes : (1u << count) - 1;
    warps.push_back(std::make_unique<Warp>(*this, program, first / kLanes, lanes));
    fillSpecialRegisters(*this, *warps.back());
    if (grid.options.checks.races && program.usesAsyncMma)
      warps.back()->watch = std::make_unique<RegisterWatch>(program.registerCount);
  }
  warpgroups.resize((warps.size() + kWarpgroupWarps - 1) / kWarpgroupWarps);
  if (grid.options.checks.races)
    checks = std::make_unique<CtaChecks>(*this);
  if (grid.counterPlan)
    counters = std::make_unique<CtaCounters>(*grid.counterPlan);
}

Cta::~Cta() = default;

unsigned Cta::threads() const {
  const std::array<uint32_t, 3> &block = grid.launch.block;
  return block[0] * block[1] * block[2];
}

std::array<uint32_t, 3> Cta::threadIndex(const Warp &warp, unsigned lane) const {
  return threadIndex(warp.number * kLanes + lane);
}

uint32_t Cta::number() const {
  const std::array<uint32_t, 3> &extents = grid.launch.grid;
  return index[0] + extents[0] * (index[1] + extents[1] * index[2]);
}

std::array<uint32_t, 3> Cta::threadIndex(uint32_t thread) const {
  const std::array<uint32_t, 3> &block = grid.launch.block;
  return {thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]};
}

Region Cta::local(const Warp &warp, unsigned lane) {
  uint64_t offset = (warp.number * kLanes + lane) * program.localBytes;
  return {"local memory",     ptx::Space::Local,          0,
          program.localBytes, localBytes.data() + offset, marksAt(localDefined, offset)};
}

uint8_t *Cta::callMemory(const Warp &warp, unsigned lane) {
  return callBytes.data() + (warp.number * kLanes + lane) * program.callBytes;
}

bool Cta::step() {
  unsigned runnable = 0, left = 0;
  for (const std::unique_ptr<Warp> &warp : warps) {
    runnable += warp->runnable();
    left += !warp->finished();
  }
  if (!left) {
    while (!pending.empty())
      finish(firstTicket);
    checkEnd();
    return false;
  }
  if (runnable) {
    uint64_t chosen = random.below(runnable);
    for (const std::unique_ptr<Warp> &warp : warps)
      if (warp->runnable() && chosen-- == 0) {
        if (!runSlice(*warp))
          return false;
        break;
      }
  }
  finishSome(/*must=*/!runnable);
  return !isDeadlocked();
}

bool Cta::runSlice(Warp &warp) {
  uint64_t failedBefore = warp.failedWaits, most = grid.options.maxSteps;
  uint64_t slice = drawSlice(random), ran = warp.run(most ? std::min(slice, most - warp.steps) : slice);
  if (warp.failedWaits != failedBefore)
    warp.spins = true;
  else if (ran >= kLoopLength)
    warp.spins = false;
  if (!most || warp.steps < most || warp.finished())
    return true;
  const Op &op = program.ops[warp.allFragments().front().pc];
  report(Fault::StepLimit, warp, __builtin_ctz(warp.allFragments().front().lanes), op,
         "a warp ran " + std::to_string(warp.steps) + " instructions and is not done; the limit is " +
             std::to_string(most));
  grid.stopped = true;
  return false;
}

/// Whether nobody can ever go on. Reports it, once.
bool Cta::isDeadlocked() {
  if (!pending.empty() || progress != seenProgress) {
    seenProgress = progress;
    idleSlices = 0;
    return false;
  }
  unsigned left = 0, blocked = 0, waiting = 0;
  for (const std::unique_ptr<Warp> &warp : warps) {
    if (warp->finished())
      continue;
    ++left;
    blocked += !warp->runnable();
    waiting += !warp->runnable() || warp->spins;
  }
  idleSlices = left && waiting == left ? idleSlices + 1 : 0;
  if (idleSlices <= (blocked == left ? 0 : kIdleSlicesPerWarp * warps.size()))
    return false;
  reportDeadlock();
  grid.stopped = true;
  return true;
}

/// What must have come to an end with the threads.
void Cta::checkEnd() {
  for (const auto &[offset, object] : mbarriers.all()) {
    if (!object.transactions)
      continue;
    Finding finding;
    finding.fault = Fault::ArrivalCount;
    finding.message = "the kernel ends while " + describe(offset, object);
    finding.place = object.bytesFrom;
    grid.findings.add(std::move(finding));
  }
  for (unsigned group = 0; group < warpgroups.size(); ++group)
    for (const Warpgroup::Issue &issue : warpgroups[group].issues)
      if (!issue.ticket)
        report(Fault::BarrierDivergence, *warps[group * kWarpgroupWarps + __builtin_ctz(issue.warps)], 0, *issue.op,
               "only " + std::to_string(__builtin_popcount(issue.warps)) +
                   " warps of the warpgroup run this matrix instruction; expected 4");
}

void Cta::lanesReturned() {
  openWhereEveryoneLeftHasCome(*this);
  wakeAll();
}

uint64_t Cta::clock() {
  uint64_t now = ++ticks;
  for (const std::unique_ptr<Warp> &warp : warps)
    now += warp->steps;
  return now;
}

void Cta::wakeAll() {
  ++progress;
  for (const std::unique_ptr<Warp> &warp : warps)
    warp->wake();
}

uint64_t Cta::start(std::unique_ptr<AsyncOperation> operation) {
  pending.push_back(std::move(operation));
  return pending.back()->ticket = firstTicket + pending.size() - 1;
}

bool Cta::isDone(uint64_t ticket) const { return ticket < firstTicket || pending[ticket - firstTicket]->done; }

void Cta::finish(uint64_t ticket) {
  if (isDone(ticket))
    return;
  AsyncOperation &operation = *pending[ticket - firstTicket];
  for (uint64_t before : operation.after)
    finish(before);
  operation.finish(*this);
  operation.done = true;
  while (!pending.empty() && pending.front()->done) {
    pending.pop_front();
    ++firstTicket;
  }
  wakeAll();
}

/// Lets time pass for what runs beside the threads: now and then something finishes, out of order where it may.
void Cta::finishSome(bool must) {
  if (pending.empty() || (!must && random.below(4) != 0))
    return;
  uint64_t chosen = firstTicket + random.below(pending.size());
  finish(isDone(chosen) ? firstTicket : chosen);
}

Place Cta::placeOf(const Warp &warp, unsigned lane, const Op &op) const {
  return {op.origin, index, threadIndex(warp, lane)};
}

/// A finding of `lane` at `op`.
static Finding findingAt(const Cta &cta, Fault fault, const Warp &warp, unsigned lane, const Op &op,
                         std::string message) {
  Finding finding;
  finding.fault = fault;
  finding.message = std::move(message);
  finding.place = cta.placeOf(warp, lane, op);
  return finding;
}

void Cta::report(Fault fault, const Warp &warp, unsigned lane, const Op &op, std::string message, uint64_t address) {
  Finding finding = findingAt(*this, fault, warp, lane, op, std::move(message));
  finding.address = address;
  grid.findings.add(std::move(finding));
}

void Cta::report(Fault fault, const Warp &warp, unsigned lane, const Op &op, std::string message, const Region &region,
                 uint64_t offset, uint64_t bytes) {
  Finding finding = findingAt(*this, fault, warp, lane, op, std::move(message));
  finding.address = region.start + offset;
  finding.memory = Extent{region.name, int64_t(offset), bytes};
  grid.findings.add(std::move(finding));
}

void Cta::report(Fault fault, const Warp &warp, unsigned lane, const Op &op, std::string message, const Place &other) {
  Finding finding = findingAt(*this, fault, warp, lane, op, std::move(message));
  finding.hasOther = true;
  finding.other = other;
  grid.findings.add(std::move(finding));
}

void Cta::reportUndefinedGuard(const Warp &warp, const Op &op, uint32_t lanes) {
  report(Fault::Undefined, warp, __builtin_ctz(lanes), op, "the guard of this instruction is undefined");
}

} // namespace tile::sim
