/// Barriers of a CTA, of a cluster and of a warp, and fences. (PTX ISA 9.0, 9.7.13.1 to 9.7.13.4)
#include "backend/simulator/exec/Barrier.h"

#include "backend/simulator/exec/Converge.h"
#include "backend/simulator/exec/Families.h"
#include "backend/simulator/machine/Cta.h"
#include "backend/simulator/machine/CtaChecks.h"

#include <algorithm>
#include <utility>

namespace tile::sim {

// The mode of a barrier of the CTA.
constexpr uint32_t kArrive = 1;  ///< does not wait
constexpr uint32_t kAligned = 2; ///< all lanes of the warp come together
constexpr uint32_t kCounted = 4; ///< the number of threads is source 1, else everyone
constexpr unsigned kVoteShift = 4;
enum class BarrierVote : uint32_t { None, Count, All, Any };

static BarrierVote voteOf(const Op &op) { return BarrierVote(op.mode >> kVoteShift & 3); }

/// Threads that a barrier without a count waits for: those that have not returned.
static uint32_t threadsLeft(Cta &cta) {
  uint32_t left = 0;
  for (const std::unique_ptr<Warp> &warp : cta.allWarps())
    left += __builtin_popcount(warp->lanes & ~warp->exited);
  return left;
}

/// Gives the votes' outcome to the lanes of a fragment that waited.
static void writeVote(Warp &warp, const Op &op, uint32_t lanes, const CtaBarrier &barrier) {
  if (voteOf(op) == BarrierVote::None)
    return;
  warp.active = lanes;
  if (voteOf(op) == BarrierVote::Count) {
    uint32_t values[kLanes];
    std::fill(std::begin(values), std::end(values), barrier.votes);
    warp.write(op.result(0), values);
  } else {
    bool holds = voteOf(op) == BarrierVote::All ? barrier.votes == barrier.voters : barrier.votes > 0;
    warp.writePredicate(op.result(0), holds ? kAllLanes : 0);
  }
  warp.writeUndefined(op.result(0), barrier.undefinedVote ? kAllLanes : 0);
}

/// Everyone has come: whoever waits goes on.
static void open(Cta &cta, unsigned number) {
  CtaBarrier &barrier = cta.barriers[number];
  std::vector<uint32_t> waited(cta.allWarps().size());
  for (const std::unique_ptr<Warp> &warp : cta.allWarps())
    for (Fragment &fragment : warp->allFragments()) {
      if (!fragment.arrived || fragment.barrier != number)
        continue;
      waited[warp->number] |= fragment.lanes;
      writeVote(*warp, cta.program.ops[fragment.pc], fragment.lanes, barrier);
      fragment.arrived = fragment.blocked = false;
      ++fragment.pc;
    }
  if (cta.checks)
    cta.checks->open(number, waited);
  barrier = {};
  cta.wakeAll();
}

static void endClusterPhase(Cta &cta) {
  ClusterBarrier &barrier = cta.clusterBarrier;
  ++barrier.phase;
  barrier.arrived = 0;
  barrier.order.completePhase();
  cta.wakeAll();
}

void openWhereEveryoneLeftHasCome(Cta &cta) {
  if (cta.clusterBarrier.arrived && cta.clusterBarrier.arrived >= threadsLeft(cta))
    endClusterPhase(cta);
  for (unsigned number = 0; number < cta.barriers.size(); ++number) {
    CtaBarrier &barrier = cta.barriers[number];
    if (barrier.arrived && !barrier.counted && barrier.arrived >= threadsLeft(cta))
      open(cta, number);
  }
}

/// Sources: number, and threads if counted; then the predicate of a vote.
static Step runBarrier(Warp &warp, const Op &op) {
  if (op.mode & kAligned && !convergeAll(warp, op))
    return Step::Block;
  Cta &cta = warp.cta;
  unsigned first = __builtin_ctz(warp.active);
  bool counted = op.mode & kCounted;
  auto findUndefined = [&](unsigned source, const char *what) {
    uint32_t unsure = warp.undefined(op.source(source)) & warp.active;
    if (unsure)
      cta.report(Fault::Undefined, warp, __builtin_ctz(unsure), op, std::string(what) + " is undefined");
    return unsure != 0;
  };
  const bool unsureNumber = findUndefined(0, "the number of the barrier");
  const bool unsureCount = counted && findUndefined(1, "the number of threads");
  uint32_t number = warp.row<uint32_t>(op.source(0))[first];
  if (number >= cta.barriers.size()) {
    if (!unsureNumber)
      cta.report(Fault::BadOperand, warp, first, op, "the barrier is " + std::to_string(number) + "; expected 0 to 15");
    return Step::Next;
  }
  CtaBarrier &barrier = cta.barriers[number];
  uint32_t expected = counted ? warp.row<uint32_t>(op.source(1))[first] : threadsLeft(cta);
  if (counted && !unsureCount && (expected % kLanes || !expected))
    cta.report(Fault::BadOperand, warp, first, op,
               "the barrier is for " + std::to_string(expected) + " threads; expected a multiple of 32");
  if (barrier.arrived && (barrier.counted != counted || (counted && barrier.expected != expected)))
    cta.report(Fault::BadOperand, warp, first, op,
               "barrier " + std::to_string(number) + " is for " + std::to_string(expected) + " threads here and for " +
                   std::to_string(barrier.expected) + " where others wait at it");
  barrier.counted = counted;
  barrier.expected = expected;
  // Lanes that the warp lacks, at the end of a CTA, count where threads are counted in whole warps.
  uint32_t lanes = warp.active;
  barrier.lanes[warp.number] |= lanes;
  barrier.arrived += __builtin_popcount(lanes) + (counted ? __builtin_popcount(~warp.lanes) : 0);
  if (voteOf(op) != BarrierVote::None) {
    uint32_t votes = warp.predicate(op.source(op.sources - 1)) ^ (op.immediate ? kAllLanes : 0);
    barrier.votes += __builtin_popcount(votes & lanes);
    barrier.voters += __builtin_popcount(lanes);
    barrier.undefinedVote |= (warp.undefined(op.source(op.sources - 1)) & lanes) != 0;
  }
  bool waits = !(op.mode & kArrive);
  if (!waits && cta.checks)
    cta.checks->arrive(number, warp, lanes);
  if (waits) {
    Fragment &fragment = warp.splitRunning();
    fragment.arrived = fragment.blocked = true;
    fragment.barrier = number;
  }
  if (barrier.arrived >= expected)
    open(cta, number);
  return waits ? Step::Jump : Step::Next;
}

static void decodeBarrier(Form &form) {
  form.take("cta");
  int kind = form.takeOne({"sync", "arrive", "red"});
  uint32_t mode = 0;
  bool isShort = form.instruction.opcode == "bar"; // `bar` is `barrier` with `.aligned`
  if (form.take("aligned") || isShort)
    mode |= kAligned;
  if (kind < 0)
    return form.refuse("it says neither `.sync`, `.arrive` nor `.red`");
  size_t next = 0;
  if (kind == 2) {
    int vote = form.takeOne({"popc", "and", "or"});
    form.takeTypeIfAny();
    if (vote < 0)
      return form.refuse("it names no vote");
    mode |= uint32_t(vote + 1) << kVoteShift;
    form.result(next++, vote == 0 ? ptx::Type::U32 : ptx::Type::Pred);
  }
  size_t left = form.operandCount() - next - (kind == 2);
  if (left < 1 || left > 2)
    return form.refuse("it has " + std::to_string(form.operandCount()) + " operands");
  form.source(next++, ptx::Type::U32);
  if (left == 2) {
    form.source(next++, ptx::Type::U32);
    mode |= kCounted;
  }
  if (kind == 2) {
    form.op.immediate = form.operand(next).negated;
    form.source(next, ptx::Type::Pred);
  }
  form.run(runBarrier, mode | (kind == 1 ? kArrive : 0));
}

// barrier.cluster. The mode of `arrive` and `wait`:
constexpr uint32_t kClusterAligned = 1, kClusterRelaxed = 2;

static Step runClusterArrive(Warp &warp, const Op &op) {
  if (op.mode & kClusterAligned && !convergeAll(warp, op))
    return Step::Block;
  Cta &cta = warp.cta;
  ClusterBarrier &barrier = cta.clusterBarrier;
  barrier.arrivedAt.resize(cta.threads());
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    uint64_t &at = barrier.arrivedAt[warp.number * kLanes + lane];
    if (at)
      cta.report(Fault::BarrierDivergence, warp, lane, op,
                 "a thread arrives that has arrived before; expected `barrier.cluster.wait` between");
    if (std::exchange(at, at ? at : barrier.phase + 1) == 0)
      ++barrier.arrived;
  }
  if (cta.checks && !(op.mode & kClusterRelaxed))
    cta.checks->clocks.release(warp.number, warp.active, barrier.order.pending);
  if (barrier.arrived >= threadsLeft(cta))
    endClusterPhase(cta);
  return Step::Next;
}

static Step runClusterWait(Warp &warp, const Op &op) {
  if (op.mode & kClusterAligned && !convergeAll(warp, op))
    return Step::Block;
  Cta &cta = warp.cta;
  ClusterBarrier &barrier = cta.clusterBarrier;
  barrier.arrivedAt.resize(cta.threads());
  const uint64_t *arrivedAt = &barrier.arrivedAt[warp.number * kLanes];
  for (uint32_t rest = warp.active; rest; rest &= rest - 1)
    if (arrivedAt[__builtin_ctz(rest)] == barrier.phase + 1)
      return Step::Block;
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    if (!std::exchange(barrier.arrivedAt[warp.number * kLanes + lane], 0))
      cta.report(Fault::BarrierDivergence, warp, lane, op,
                 "a thread waits that has not arrived; expected `barrier.cluster.arrive` before");
  }
  if (cta.checks)
    cta.checks->clocks.acquire(warp.number, warp.active, barrier.order.completed);
  return Step::Next;
}

static void decodeClusterBarrier(Form &form) {
  form.take("cluster");
  int kind = form.takeOne({"arrive", "wait"});
  uint32_t mode = form.take("aligned") ? kClusterAligned : 0;
  mode |= form.take("relaxed") ? kClusterRelaxed : 0;
  form.takeOne({"acquire", "release"});
  if (kind < 0)
    return form.refuse("it says neither `.arrive` nor `.wait`");
  if (form.expectOperands(0))
    form.run(kind == 0 ? runClusterArrive : runClusterWait, mode);
}

/// Lanes may come to it at different places.
static Step runWarpBarrier(Warp &warp, const Op &op) {
  uint32_t wanted = warp.row<uint32_t>(op.source(0))[__builtin_ctz(warp.active)];
  if (!warp.meet(runWarpBarrier, wanted))
    return Step::Block;
  if (warp.cta.checks)
    warp.cta.checks->meet(warp, wanted & warp.lanes & ~warp.exited);
  return Step::Next;
}

static void decodeWarpBarrier(Form &form) {
  if (!form.take("warp") || !form.take("sync") || !form.expectOperands(1))
    return form.refuse("expected `bar.warp.sync mask`");
  form.source(0, ptx::Type::B32);
  form.run(runWarpBarrier);
}

/// Memory is one and its accesses happen in turn, so that a fence has nothing to hold back; what it orders is for the
/// checks. The mode is the scope.
static Step runFence(Warp &warp, const Op &op) {
  if (warp.cta.checks)
    warp.cta.checks->fence(warp, warp.active, Access::Scope(op.mode));
  return Step::Next;
}
static Step runNoFence(Warp &, const Op &) { return Step::Next; }
static Step runProxyFence(Warp &warp, const Op &) {
  if (warp.cta.checks)
    warp.cta.checks->fenceProxy(warp, warp.active);
  return Step::Next;
}

static void decodeFence(Form &form) {
  form.takeOne({"sc", "acq_rel", "acquire", "release"});
  form.take("sync_restrict::shared::cta");
  static constexpr Access::Scope kScopes[] = {Access::Scope::Cta, Access::Scope::Cluster, Access::Scope::Gpu,
                                              Access::Scope::System, Access::Scope::Gpu};
  int scope = form.takeOne({"cta", "cluster", "gpu", "sys", "gl"});
  if (scope < 0)
    return form.refuse("it names no scope");
  form.run(runFence, uint32_t(kScopes[scope]));
}

/// Orders the making of mbarriers before what other CTAs of the cluster do: there are none.
static void decodeMbarrierFence(Form &form) {
  form.take("mbarrier_init");
  if (!form.take("release") || !form.take("cluster"))
    return form.refuse("expected `.release.cluster`");
  form.run(runNoFence);
}

static void decodeProxyFence(Form &form) {
  form.take("proxy");
  if (!form.take("async") && !form.take("async.shared::cta") && !form.take("alias"))
    return form.refuse("only the async proxy is known");
  // Of global memory alone there is nothing to order: what reads it through the async proxy is not known.
  bool isGlobal = form.take("global");
  form.takeOne({"shared::cta", "shared::cluster"});
  form.run(isGlobal ? runNoFence : runProxyFence);
}

InstructionRows barrierRows() {
  return {
      {"bar", "Parallel Synchronization and Communication", "`.sync .arrive .red`, with and without a count",
       decodeBarrier},
      {"bar.warp", "Parallel Synchronization and Communication", "`.sync`", decodeWarpBarrier},
      {"barrier", "Parallel Synchronization and Communication",
       "`.sync .arrive .red`, `.aligned`, with and without a count", decodeBarrier},
      {"barrier.cluster", "Parallel Synchronization and Communication", "`.arrive .wait`, of a cluster of one",
       decodeClusterBarrier},
      {"fence", "Parallel Synchronization and Communication", "all orders and scopes", decodeFence},
      {"fence.mbarrier_init", "Parallel Synchronization and Communication", "no effect", decodeMbarrierFence},
      {"fence.proxy", "Parallel Synchronization and Communication", "`.async .alias`", decodeProxyFence},
      {"membar", "Parallel Synchronization and Communication", "all scopes", decodeFence},
  };
}

} // namespace tile::sim
