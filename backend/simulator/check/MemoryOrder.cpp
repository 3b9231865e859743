#include "backend/simulator/check/MemoryOrder.h"

using namespace tile::sim::check;

SyncLocations::Held SyncLocations::hold(uint64_t address) {
  // Neighbouring counters fall into different stripes.
  Stripe &stripe = stripes[(address / 4) % stripes.size()];
  std::unique_lock<std::mutex> lock(stripe.mutex);
  Carried &carried = stripe.locations[address];
  return {std::move(lock), carried};
}

void MemoryOrder::carry(Carried &to, const GridKnowledgeRef &knowledge, Scope scope) const {
  if (!knowledge)
    return;
  GridKnowledgeRef &own = to.byCta[clocks.cta()];
  own = GridKnowledge::join(own, knowledge);
  if (scope == Scope::Grid)
    to.grid = GridKnowledge::join(to.grid, knowledge);
}

void MemoryOrder::release(unsigned thread, Carried &to, Order order, Scope scope) {
  if (order == Order::Release || order == Order::AcquireRelease) {
    carry(to, clocks.publish(thread), scope);
    return;
  }
  carry(to, threads[thread].fencedForCta, Scope::Cta);
  carry(to, threads[thread].fencedForGrid, scope);
}

void MemoryOrder::write(unsigned thread, Carried &to, Order order, Scope scope) {
  if (to.cta != clocks.cta() || to.thread != thread)
    to = Carried();
  to.cta = clocks.cta();
  to.thread = thread;
  release(thread, to, order, scope);
}

void MemoryOrder::read(unsigned thread, const Carried &from, Order order, Scope scope) {
  auto own = from.byCta.find(clocks.cta());
  GridKnowledgeRef ofCta = own == from.byCta.end() ? nullptr : own->second;
  GridKnowledgeRef ofGrid = scope == Scope::Grid ? from.grid : nullptr;
  if (order == Order::Acquire || order == Order::AcquireRelease) {
    clocks.learn(thread, ofCta);
    clocks.learn(thread, ofGrid);
    return;
  }
  Read &read = threads[thread].read;
  read.ofCta = GridKnowledge::join(read.ofCta, ofCta);
  read.ofGrid = GridKnowledge::join(read.ofGrid, ofGrid);
}

void MemoryOrder::modify(unsigned thread, Carried &at, Order order, Scope scope) {
  read(thread, at, order, scope);
  if (at.cta != clocks.cta() || at.thread != thread)
    at.cta = UINT32_MAX;
  release(thread, at, order, scope);
}

void MemoryOrder::fence(unsigned warp, uint32_t lanes, Scope scope) {
  for (; lanes; lanes &= lanes - 1) {
    unsigned number = warp * kWarpLanes + unsigned(__builtin_ctz(lanes));
    Thread &thread = threads[number];
    clocks.learn(number, thread.read.ofCta);
    thread.read.ofCta = nullptr;
    clocks.acquire(warp, lanes & -lanes, thread.awaited);
    thread.awaited = SyncObject();
    if (scope == Scope::Grid) {
      clocks.learn(number, thread.read.ofGrid);
      thread.read.ofGrid = nullptr;
    }
    thread.fencedForCta = clocks.publish(number);
    if (scope == Scope::Grid)
      thread.fencedForGrid = thread.fencedForCta;
  }
}

void MemoryOrder::arrive(unsigned warp, uint32_t lanes, SyncObject &to) const {
  for (; lanes; lanes &= lanes - 1)
    clocks.add(threads[warp * kWarpLanes + unsigned(__builtin_ctz(lanes))].fencedForCta, to);
}

void MemoryOrder::await(unsigned warp, uint32_t lanes, const SyncObject &from) {
  for (; lanes; lanes &= lanes - 1)
    clocks.add(from, threads[warp * kWarpLanes + unsigned(__builtin_ctz(lanes))].awaited);
}
