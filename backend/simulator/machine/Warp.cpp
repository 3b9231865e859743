#include "backend/simulator/machine/Warp.h"

#include "backend/simulator/counters/CtaCounters.h"
#include "backend/simulator/machine/Cta.h"
#include "backend/simulator/machine/Grid.h"

namespace tile::sim {

Warp::Warp(Cta &cta, const Program &program, unsigned number, uint32_t lanes)
    : cta(cta), program(program), number(number), lanes(lanes), tracksUndefined(cta.grid.options.checks.undefined),
      registers(program.registerRows), predicates(program.registerCount, 0),
      undefinedLanes(program.registerCount, tracksUndefined ? kAllLanes : 0) {
  undefinedLanes[kConstantIndex] = undefinedLanes[kTrueIndex] = 0;
  predicates[kTrueIndex] = kAllLanes;
  fragments.push_back({0, lanes});
}

uint64_t Warp::undefinedBits(Slot slot, unsigned lane) const {
  if (!(undefinedLanes[slot.index] >> lane & 1))
    return 0;
  return undefinedParts.empty() || !undefinedParts[slot.index] ? ~0ull : (*undefinedParts[slot.index])[lane];
}

void Warp::writeUndefinedBits(Slot slot, const uint64_t (&bits)[kLanes]) {
  if (!tracksUndefined)
    return;
  uint32_t lanesOf = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    lanesOf |= uint32_t(bits[lane] != 0) << lane;
  writeUndefined(slot, lanesOf);
  lanesOf &= active;
  if (!lanesOf || slot.index == kConstantIndex)
    return;
  if (undefinedParts.empty())
    undefinedParts.resize(undefinedLanes.size());
  auto &parts = undefinedParts[slot.index];
  if (!parts) {
    parts = std::make_unique<std::array<uint64_t, kLanes>>();
    parts->fill(~0ull);
  }
  for (uint32_t rest = lanesOf; rest; rest &= rest - 1)
    (*parts)[__builtin_ctz(rest)] = bits[__builtin_ctz(rest)];
}

void Warp::forgetUndefinedParts(Slot slot) {
  if (!undefinedParts[slot.index])
    return;
  for (uint32_t rest = active; rest; rest &= rest - 1)
    (*undefinedParts[slot.index])[__builtin_ctz(rest)] = ~0ull;
}

bool Warp::runnable() const {
  for (const Fragment &fragment : fragments)
    if (!fragment.blocked)
      return true;
  return false;
}

void Warp::wake() {
  for (Fragment &fragment : fragments)
    fragment.blocked = fragment.arrived;
}

/// Jumps of a warp that has gone apart after which whoever is behind may be waiting for the others.
constexpr uint64_t kMostSplitJumps = 1024;

/// Whether another fragment than the one that is furthest behind is to run. What is counted must not depend on the
/// seed: then the others get their turn only where a lane may wait for another one, and after it had time to.
bool Warp::drawsOther() {
  if (fragments.size() < 2)
    return false;
  if (!cta.counters)
    return cta.random.below(32) == 0;
  if (splitJumps < kMostSplitJumps || !(program.lanesMayPoll || failedWaits))
    return false;
  splitJumps = 0;
  return true;
}

/// Takes the fragment that is furthest behind, now and then another one: whoever waits in a loop for a lane of the same
/// warp must not keep it from running.
void Warp::choose() {
  unsigned best = 0;
  bool found = false;
  for (unsigned i = 0; i < fragments.size(); ++i)
    if (!fragments[i].blocked && (!found || fragments[i].pc < fragments[best].pc)) {
      best = i;
      found = true;
    }
  current = best;
  if (drawsOther()) {
    unsigned other = cta.random.below(fragments.size());
    if (!fragments[other].blocked)
      current = other;
  }
}

void Warp::mergeAt(uint32_t pc) {
  for (unsigned i = 0; i < fragments.size();) {
    if (i == current || fragments[i].pc != pc || fragments[i].arrived) {
      ++i;
      continue;
    }
    fragments[current].lanes |= fragments[i].lanes;
    fragments.erase(fragments.begin() + i);
    current -= i < current;
  }
}

bool Warp::gather(const Op &op, uint32_t wanted) {
  mergeAt(fragments[current].pc);
  active = guarded(op, fragments[current].lanes);
  return !(fragments[current].awaited = wanted & lanes & ~exited & ~fragments[current].lanes);
}

bool Warp::meet(Handler handler, uint32_t wanted) {
  uint32_t missing = wanted & lanes & ~exited & ~fragments[current].lanes;
  auto waits = [&](unsigned i) {
    return i != current && fragments[i].blocked && program.ops[fragments[i].pc].run == handler;
  };
  for (unsigned i = 0; i < fragments.size(); ++i)
    if (waits(i))
      missing &= ~fragments[i].lanes;
  fragments[current].awaited = missing;
  if (missing)
    return false;
  for (unsigned i = 0; i < fragments.size(); ++i)
    if (waits(i) && fragments[i].lanes & wanted) {
      ++fragments[i].pc;
      fragments[i].blocked = false;
    }
  return true;
}

void Warp::branch(uint32_t target) {
  Fragment &fragment = fragments[current];
  if (active == fragment.lanes) {
    fragment.pc = target;
    return;
  }
  fragment.lanes &= ~active;
  ++fragment.pc;
  fragments.push_back({target, active});
}

Fragment &Warp::splitRunning() {
  if (active != fragments[current].lanes) {
    Fragment others = fragments[current];
    others.lanes &= ~active;
    ++others.pc;
    fragments[current].lanes = active;
    fragments.push_back(others);
  }
  return fragments[current];
}

void Warp::stay(uint32_t staying) {
  fragments[current].lanes &= ~staying;
  active &= ~staying;
  fragments.push_back({fragments[current].pc, staying});
}

void Warp::scatter(const uint32_t (&targets)[kLanes]) {
  uint32_t left = active;
  Fragment &fragment = fragments[current];
  fragment.lanes &= ~active;
  ++fragment.pc;
  bool empty = fragment.lanes == 0;
  while (left) {
    uint32_t target = targets[__builtin_ctz(left)], together = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (left >> lane & 1 && targets[lane] == target)
        together |= 1u << lane;
    fragments.push_back({target, together});
    left &= ~together;
  }
  if (empty)
    dropRunning();
}

void Warp::dropRunning() {
  fragments.erase(fragments.begin() + current);
  current = 0;
}

void Warp::exitLanes() {
  Fragment &fragment = fragments[current];
  exited |= active;
  fragment.lanes &= ~active;
  ++fragment.pc;
  if (!fragment.lanes)
    dropRunning();
  cta.lanesReturned();
}

uint64_t Warp::run(uint64_t budget) {
  const Op *ops = program.ops.data();
  CtaCounters *counters = cta.counters.get();
  uint64_t ran = 0;
  bool reschedule = true;
  while (ran < budget && !fragments.empty()) {
    if (reschedule) {
      if (!runnable())
        break;
      choose();
      mergeAt(fragments[current].pc);
      reschedule = false;
    }
    const Fragment here = fragments[current];
    const Op &op = ops[here.pc];
    active = guarded(op, here.lanes);
    if (op.guarded) {
      if (uint32_t unsure = undefined(op.guard) & here.lanes)
        cta.reportUndefinedGuard(*this, op, unsure);
      if (!active && !op.runsEmpty) {
        if (counters)
          counters->skip(here.pc, here.lanes);
        ++fragments[current].pc;
        reschedule = fragments.size() > 1 && ops[here.pc + 1].leader;
        continue;
      }
    }
    ++ran;
    ++steps;
    if (watch && !op.startsAsyncMatrix)
      watch->access(*this, op);
    if (counters)
      counters->before(*this, here.pc);
    Step step = op.run(*this, op);
    if (counters)
      counters->after(*this, here.pc, here.lanes, step);
    if (step != Step::Block)
      cta.count(here.pc, active);
    switch (step) {
    case Step::Next:
      ++fragments[current].pc;
      reschedule = fragments.size() > 1 && ops[here.pc + 1].leader;
      break;
    case Step::Jump:
      reschedule = fragments.size() != 1 || fragments.front().blocked;
      splitJumps += fragments.size() > 1;
      break;
    case Step::Block:
      --steps; // nothing happened
      fragments[current].blocked = true;
      reschedule = true;
      break;
    case Step::Yield:
      ++fragments[current].pc;
      return ran;
    }
  }
  return ran;
}

} // namespace tile::sim
