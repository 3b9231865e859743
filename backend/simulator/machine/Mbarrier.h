/// \file
/// The mbarrier objects of a CTA. An object takes 8 bytes of shared memory; what it holds is kept here, by its place,
/// since the ISA leaves its bits open and forbids to look at them. A phase ends when no arrival is pending and the
/// bytes that were expected have come. (PTX ISA 9.0, 9.7.13.15)
#ifndef BACKEND_SIMULATOR_MACHINE_MBARRIER_H
#define BACKEND_SIMULATOR_MACHINE_MBARRIER_H

#include "backend/simulator/check/Clocks.h"
#include "backend/simulator/check/Finding.h"

#include <map>
#include <string>
#include <vector>

namespace tile::sim {

class Cta;

constexpr uint64_t kMbarrierBytes = 8;
/// The largest count of arrivals, and of bytes in either direction (9.7.13.15.2).
constexpr int64_t kMostMbarrierCount = (1 << 20) - 1;

struct Mbarrier {
  uint32_t expected = 0;    ///< arrivals of the phases to come
  uint32_t pending = 0;     ///< arrivals that the current phase lacks
  int64_t transactions = 0; ///< bytes that it lacks
  uint32_t phase = 0;       ///< the current one, from 0
  check::PhasedSync order;  ///< what those who arrived know
  Place bytesFrom;          ///< who last said that bytes are expected or have come
};

class Mbarriers {
public:
  explicit Mbarriers(Cta &cta) : cta(cta) {}

  bool empty() const { return objects.empty(); }
  /// Whether one of these bytes of shared memory belongs to an object; there is one somewhere.
  bool overlaps(uint64_t offset, uint64_t bytes) const {
    for (uint64_t word = offset / kMbarrierBytes; word <= (offset + bytes - 1) / kMbarrierBytes; ++word)
      if (isObject[word])
        return true;
    return false;
  }

  /// The object at `offset`, a multiple of 8; null if there is none.
  Mbarrier *find(uint64_t offset);
  void init(uint64_t offset, uint32_t count);
  void invalidate(uint64_t offset);

  // Changes of an object. Each ends the phase if nothing is lacking; one that takes a count out of its range does
  // nothing and returns false.

  bool arrive(Mbarrier &object, uint32_t count);
  /// `bytes` is negative for those that have come.
  bool expect(Mbarrier &object, int64_t bytes);
  /// One more arrival is pending in this phase.
  bool addPending(Mbarrier &object);

  const std::map<uint64_t, Mbarrier> &all() const { return objects; }

private:
  void endPhaseIfComplete(Mbarrier &object);

  Cta &cta;
  std::map<uint64_t, Mbarrier> objects; ///< by offset in shared memory
  std::vector<uint8_t> isObject;        ///< by 8 bytes of shared memory; empty before the first object
};

/// `the mbarrier at byte 16 lacks 1 arrivals and 0 bytes in phase 3`, for messages.
std::string describe(uint64_t offset, const Mbarrier &object);

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_MACHINE_MBARRIER_H
