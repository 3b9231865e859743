#include "backend/simulator/machine/Mbarrier.h"

#include "backend/simulator/machine/Cta.h"
#include "backend/simulator/machine/CtaChecks.h"

namespace tile::sim {

Mbarrier *Mbarriers::find(uint64_t offset) {
  auto found = objects.find(offset);
  return found == objects.end() ? nullptr : &found->second;
}

void Mbarriers::init(uint64_t offset, uint32_t count) {
  Mbarrier object;
  object.expected = object.pending = count;
  objects[offset] = std::move(object);
  isObject.resize(cta.shared.size / kMbarrierBytes + 1);
  isObject[offset / kMbarrierBytes] = 1;
}

void Mbarriers::invalidate(uint64_t offset) {
  objects.erase(offset);
  isObject[offset / kMbarrierBytes] = 0;
}

bool Mbarriers::arrive(Mbarrier &object, uint32_t count) {
  if (count > object.pending)
    return false;
  object.pending -= count;
  endPhaseIfComplete(object);
  return true;
}

bool Mbarriers::expect(Mbarrier &object, int64_t bytes) {
  int64_t sum = object.transactions + bytes;
  if (sum > kMostMbarrierCount || sum < -kMostMbarrierCount)
    return false;
  object.transactions = sum;
  endPhaseIfComplete(object);
  return true;
}

bool Mbarriers::addPending(Mbarrier &object) {
  if (object.pending == kMostMbarrierCount)
    return false;
  ++object.pending;
  return true;
}

void Mbarriers::endPhaseIfComplete(Mbarrier &object) {
  cta.noteChange();
  if (object.pending || object.transactions)
    return;
  ++object.phase;
  object.pending = object.expected;
  if (cta.checks)
    object.order.completePhase();
}

std::string describe(uint64_t offset, const Mbarrier &object) {
  return "the mbarrier at byte " + std::to_string(offset) + " lacks " + std::to_string(object.pending) +
         " arrivals and " + std::to_string(object.transactions) + " bytes in phase " + std::to_string(object.phase);
}

} // namespace tile::sim
